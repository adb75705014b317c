"""Renews the fonts and idiomorph that the pages need, from npm's packages: `make vendor` runs it after `npm
ci`.

They are kept in git, with their licences, so that playing and building need no npm. package-lock.json says
which versions they are, and a test compares them with it.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent
MODULES, VENDOR = ROOT / "node_modules", ROOT / "src/comptoir/web/static/vendor"
FONTS = {  # the cuts that style.css names
    "eb-garamond": ("latin-400-normal", "latin-400-italic", "latin-600-normal", "latin-ext-600-normal"),
    "inter": (
        *(f"{letters}-{weight}-normal" for letters in ("latin", "latin-ext") for weight in (400, 600)),
    ),
}


def main() -> None:
    shutil.rmtree(VENDOR, ignore_errors=True)
    VENDOR.mkdir(parents=True)
    for source, name in files():
        shutil.copy(source, VENDOR / name)


def files() -> Iterator[tuple[Path, str]]:
    """What is copied, each with its name among the pages' files."""
    yield MODULES / "idiomorph/dist/idiomorph.esm.js", "idiomorph.esm.js"
    yield MODULES / "idiomorph/LICENSE", "idiomorph.LICENSE"
    for font, cuts in FONTS.items():
        package = MODULES / "@fontsource" / font
        yield package / "LICENSE", f"{font}.LICENSE"
        for cut in cuts:
            yield package / f"files/{font}-{cut}.woff2", f"{font}-{cut}.woff2"


if __name__ == "__main__":
    main()
