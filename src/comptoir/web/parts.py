"""The parts of a table's page as HTML. The page is made of them at first; then the socket sends those that have changed.

No part holds a form's token: their buttons belong to the one form of table.html, which has it. So a part is the same bytes for
the first load and for the socket.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Template

from comptoir.bots.levels import LEVELS
from comptoir.web.requests import templates
from comptoir.web.seen import Eye, Line, Looker, Panel, Seen, look, patience
from comptoir.web.table import Table

NAMES = ("sentence", "chart", "pieces", "hand", "choices", "notice")
KEPT = 4096  # panels that are kept as HTML: several lookers see the same one

templates.globals["levels"] = tuple(LEVELS)

_panels: dict[int, tuple[Panel, str]] = {}


@cache
def _template(name: str) -> Template:
    return templates.get_template(f"parts/{name}.html")


def parts(seen: Seen, table: Table) -> dict[str, str]:
    """Each part by its name, which is also the id of its element."""
    values = {"seen": seen, "table": table, "words": seen.words, "lang": seen.eye.lang}
    made = {name: _template(name).render(values) for name in NAMES}
    for panel in seen.panels:
        made[f"seat-{panel.seat}"] = _seat(panel, values)
    return made


def _seat(panel: Panel, values: dict[str, Any]) -> str:
    """A seat's panel. The looker gives the same panel to all who see the same of it, so it is known by its identity."""
    kept = _panels.get(id(panel))
    if kept is not None and kept[0] is panel:
        return kept[1]
    if len(_panels) >= KEPT:
        _panels.clear()
    html = _template("seat").render(values | {"panel": panel, "seat": panel.seat, "patience": patience(values["table"])})
    _panels[id(panel)] = panel, html
    return html


def line_html(line: Line, game: str) -> str:
    """A line of the log as an item of its list."""
    return _template("line").render(line=line, game=game)


def table_page(looker: Looker, eye: Eye) -> dict[str, Any]:
    """What table.html is made of for one person, besides what every page has."""
    table, seen = looker.table, look(looker, eye)
    entries = looker.log(eye.seat, eye.lang) if table.match is not None else []
    lines = [line for entry in entries for line in entry.lines]
    return {"seen": seen, "table": table, "parts": parts(seen, table), "lines": lines}
