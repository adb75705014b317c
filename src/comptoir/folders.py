"""The folders for a user's data (matches, arena runs, the server's database) and for compiled rules."""

from __future__ import annotations

import os
from pathlib import Path


def data() -> Path:
    """The user's data folder: in $XDG_DATA_HOME if set, else the system's default."""
    given = os.environ.get("XDG_DATA_HOME")
    if given:
        return Path(given) / "comptoir"
    import platformdirs

    return platformdirs.user_data_path("comptoir", appauthor=False)


def cache() -> Path:
    """The cache folder: $COMPTOIR_CACHE, else in $XDG_CACHE_HOME if set, else the system's default."""
    ours, given = os.environ.get("COMPTOIR_CACHE"), os.environ.get("XDG_CACHE_HOME")
    if ours or given:
        return Path(ours) if ours else Path(str(given)) / "comptoir"
    import platformdirs  # only where it is needed: bench/gpu_check.py runs without it

    return platformdirs.user_cache_path("comptoir", appauthor=False)
