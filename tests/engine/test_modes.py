"""What is compiled, and where it is kept."""

from __future__ import annotations

import re
from pathlib import Path

import comptoir
from comptoir.engine.modes import COMPILED


def test_the_cache_knows_every_file_with_something_compiled() -> None:
    """A change in any of them must lead to another folder: Numba itself would not notice."""
    package = Path(comptoir.__file__).parent
    known = {path for pattern in COMPILED for path in package.glob(pattern)}
    compiled = {path for path in package.rglob("*.py") if re.search(r"^@rule\b|njit\(", path.read_text(encoding="utf-8"), re.MULTILINE)}
    assert compiled <= known
    assert len(compiled) > 10
