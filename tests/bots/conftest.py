"""The command `comptoir` is run here as in tests/test_cli.py."""

from tests.test_cli import run

__all__ = ["run"]
