"""Copies what the pages need from npm's packages (see package.json) into the Python package: `make` runs it after `npm ci`."""

from __future__ import annotations

import shutil
from pathlib import Path

ROOT = Path(__file__).parent
MODULES, VENDOR = ROOT / "node_modules", ROOT / "src/comptoir/web/static/vendor"
FONTS = {"eb-garamond": ("400-normal", "400-italic", "600-normal"), "inter": ("400-normal", "500-normal", "600-normal", "700-normal")}


def main() -> None:
    shutil.rmtree(VENDOR, ignore_errors=True)
    VENDOR.mkdir(parents=True)
    shutil.copy(MODULES / "idiomorph/dist/idiomorph.esm.js", VENDOR)
    shutil.copy(MODULES / "idiomorph/LICENSE", VENDOR / "idiomorph.LICENSE")
    for font, cuts in FONTS.items():
        package = MODULES / "@fontsource" / font
        shutil.copy(package / "LICENSE", VENDOR / f"{font}.LICENSE")
        for cut in cuts:
            for script in ("latin", "latin-ext"):
                shutil.copy(package / f"files/{font}-{script}-{cut}.woff2", VENDOR)


if __name__ == "__main__":
    main()
