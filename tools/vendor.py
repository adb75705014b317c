"""Renews the fonts and idiomorph that the pages need, from npm's packages: `make vendor` runs it after `npm
ci`. Link previews are drawn on the server, whose renderer reads no compressed fonts: it has its own files.

They are kept in git, with their licences, so that playing and building need no npm. package-lock.json says
which versions they are, and a test compares them with it.
"""

from __future__ import annotations

import shutil
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
MODULES, VENDOR = ROOT / "node_modules", ROOT / "src/comptoir/web/static/vendor"
FONTS = {  # the cuts that style.css names
    "eb-garamond": ("latin-400-normal", "latin-400-italic", "latin-600-normal", "latin-ext-600-normal"),
    "inter": (
        *(f"{letters}-{weight}-normal" for letters in ("latin", "latin-ext") for weight in (400, 600)),
    ),
}
PRINT = ROOT / "src/comptoir/web/live/fonts"
PRINTED = ("eb-garamond-latin-600", "inter-latin-400", "inter-latin-600", "inter-latin-ext-600")


def main() -> None:
    for folder in (VENDOR, PRINT):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    for source, name in files():
        shutil.copy(source, VENDOR / name)
    for name, content in printed():
        (PRINT / name).write_bytes(content)


def files() -> Iterator[tuple[Path, str]]:
    """What is copied, each with its name among the pages' files."""
    yield MODULES / "idiomorph/dist/idiomorph.esm.js", "idiomorph.esm.js"
    yield MODULES / "idiomorph/LICENSE", "idiomorph.LICENSE"
    for font, cuts in FONTS.items():
        package = MODULES / "@fontsource" / font
        yield package / "LICENSE", f"{font}.LICENSE"
        for cut in cuts:
            yield package / f"files/{font}-{cut}.woff2", f"{font}-{cut}.woff2"


def printed() -> Iterator[tuple[str, bytes]]:
    """The fonts that link previews are set in."""
    for cut in PRINTED:
        font, _, _ = cut.partition("-latin")
        packed = MODULES / "@fontsource" / font / f"files/{cut}-normal.woff"
        yield f"{cut}.ttf", unpacked(packed.read_bytes())


def unpacked(woff: bytes) -> bytes:
    """A font as it was before it was packed as WOFF 1.0: the same tables, each with its place."""
    kind, _, count = struct.unpack_from(">4xIIH", woff)
    steps = count.bit_length() - 1
    places = struct.pack(">IHHHH", kind, count, 16 << steps, steps, 16 * (count - (1 << steps)))
    tables, start = b"", len(places) + 16 * count
    for n in range(count):
        tag, offset, packed, length, checksum = struct.unpack_from(">4sIIII", woff, 44 + 20 * n)
        table = woff[offset : offset + packed]
        places += struct.pack(">4sIII", tag, checksum, start + len(tables), length)
        tables += (zlib.decompress(table) if packed < length else table) + b"\0" * (-length % 4)
    return places + tables


if __name__ == "__main__":
    main()
