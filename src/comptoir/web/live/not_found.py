"""Why a table cannot be shown."""

from __future__ import annotations


class NotFound(Exception):
    """There is no such table. `key` is the sentence in words.toml that says so."""

    key, status = "error.no_table", 404


class Unreadable(NotFound):
    """There is such a table, but what is stored of it makes no sense."""

    key, status = "error.damaged", 410


class GameNotInstalled(NotFound):
    """A table of a game that is not installed here; it may come back."""

    key, status = "error.no_game", 410
