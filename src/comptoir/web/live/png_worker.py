"""The process that makes PNG of our drawings: `python -m comptoir.web.live.png_worker`.

The renderer holds Python's one lock for a third of a second; here nobody waits for it.
"""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import resvg_py

from comptoir.web.live.subprocess_worker import serve

# those of the pages, as the renderer reads them; no others, so a picture is the same on every machine
FONTS = sorted(str(path) for path in Path(__file__).with_name("fonts").glob("*.ttf"))
# to the renderer each cut is a family of its own; after what a drawing says of its fonts
STYLE = """
.title, .name { font-family: "EB Garamond SemiBold", serif; font-weight: 400; }
.number, .initial, .letter { font-family: "Inter SemiBold", Inter, sans-serif; font-weight: 400; }
"""


def answer(question: dict[str, Any]) -> dict[str, Any]:
    """A drawing as PNG; `none` if it cannot be drawn."""
    svg = question["svg"].replace("</style>", f"{STYLE}</style>", 1)
    try:
        png = resvg_py.svg_to_bytes(
            svg_string=svg, width=question["width"], skip_system_fonts=True, font_files=FONTS
        )
    except ValueError:
        return {"none": True}
    return {"png": base64.b64encode(bytes(png)).decode()}


def main() -> None:
    serve(answer, too_hard={"none": True})


if __name__ == "__main__":
    main()
