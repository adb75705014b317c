"""Where the golden matches of our games are; `comptoir.testing.golden` says what they are."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).with_name("golden")
