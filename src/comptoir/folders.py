"""Where Comptoir keeps what is the user's: matches, arena runs, the server's database."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def data() -> Path:
    """The user's data folder, by the custom of the system; $XDG_DATA_HOME goes before all."""
    given = os.environ.get("XDG_DATA_HOME")
    if given:
        return Path(given) / "comptoir"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "comptoir"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "comptoir"
    return Path.home() / ".local" / "share" / "comptoir"
