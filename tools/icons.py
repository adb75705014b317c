"""Draws the icons of the installed app from our compass rose, as phones want them: python tools/icons.py

A test compares them with the drawing.
"""

from __future__ import annotations

from pathlib import Path

import resvg_py

ICONS = Path(__file__).parents[1] / "src/comptoir/web/static/icons"
ROOM = "#17303c"
POINT = "M0-33L7 0L0 8L-7 0Z"


def drawings() -> dict[str, tuple[int, str]]:
    """Each file with its size in pixels and its drawing, around 0, 0 and 72 wide."""
    svg = (ICONS / "favicon.svg").read_text(encoding="utf-8")
    rose = svg[svg.index("<g") : svg.rindex("</svg>")]
    # what a phone cuts to its own shape: the room to the edge, the rose within the middle four fifths
    filled = (
        f'<rect x="-36" y="-36" width="72" height="72" fill="{ROOM}"/><g transform="scale(.82)">{rose}</g>'
    )
    # what is only a shadow next to the clock: one colour, and nothing around it
    points = "".join(f'<path d="{POINT}" transform="rotate({turn})"/>' for turn in (0, 90, 180, 270))
    return {
        "icon-192.png": (192, rose),
        "icon-512.png": (512, rose),
        "maskable-512.png": (512, filled),
        "apple-touch-icon.png": (180, filled),
        "badge-96.png": (96, f'<g fill="#fff">{points}</g>'),
    }


def painted(size: int, drawing: str) -> bytes:
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-36 -36 72 72">{drawing}</svg>'
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, width=size, height=size))


def main() -> None:
    for file, (size, drawing) in drawings().items():
        (ICONS / file).write_bytes(painted(size, drawing))
        print(ICONS / file)


if __name__ == "__main__":
    main()
