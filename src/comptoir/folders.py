"""Where Comptoir keeps a user's data (matches, arena runs, the server's database) and what it compiles."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs


def data() -> Path:
    """The user's data folder: in $XDG_DATA_HOME if that is set, else where the system wants it."""
    given = os.environ.get("XDG_DATA_HOME")
    return Path(given) / "comptoir" if given else platformdirs.user_data_path("comptoir", appauthor=False)


def cache() -> Path:
    """The cache folder: $COMPTOIR_CACHE, else in $XDG_CACHE_HOME if that is set, else where the system wants
    it.
    """
    ours, given = os.environ.get("COMPTOIR_CACHE"), os.environ.get("XDG_CACHE_HOME")
    if ours:
        return Path(ours)
    return Path(given) / "comptoir" if given else platformdirs.user_cache_path("comptoir", appauthor=False)
