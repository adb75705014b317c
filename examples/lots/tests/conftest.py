"""Fixtures for tests of Lots."""

pytest_plugins = ["comptoir.testing.fixtures"]
