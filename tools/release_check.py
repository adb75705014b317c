"""Checks before a release that one version is named everywhere, and that the changelog is ready.

    python tools/release_check.py v0.1.0

The release workflow runs it on the tag; docs/releasing.md is the checklist.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]


def main(tag: str) -> int:
    found = list(problems(tag))
    for problem in found:
        print(problem, file=sys.stderr)
    return bool(found)


def problems(tag: str) -> Iterator[str]:
    """One sentence per reason not to release this tag."""
    version = tag.removeprefix("v")
    if not re.fullmatch(r"v\d+\.\d+\.\d+", tag):
        yield f"{tag}: expected a tag such as v0.1.0"
    package = re.search(r'__version__ = "(.+)"', _read("src/comptoir/__init__.py"))
    if package is None or package[1] != version:
        yield f"src/comptoir/__init__.py: __version__ is not {version}"
    if f"\nversion: {version}\n" not in _read("CITATION.cff"):
        yield f"CITATION.cff: version is not {version}"
    sections = dict(
        re.findall(r"^## (\S+)[^\n]*\n(.*?)(?=^## |\Z)", _read("CHANGELOG.md"), re.MULTILINE | re.DOTALL)
    )
    if version not in sections:
        yield f"CHANGELOG.md: there is no section {version}"
    if sections.get("Unreleased", "").strip():
        yield f"CHANGELOG.md: move what is under Unreleased to {version}"


def _read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
