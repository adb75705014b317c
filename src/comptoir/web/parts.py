"""The parts of a table's page as HTML. The page is made of them at first; then the socket sends those that have changed.

No part holds a form's token: their buttons belong to the one form of table.html, which has it. So a part is the same bytes for
the first load and for the socket.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache, partial
from html import escape
from typing import Any

from jinja2 import Template
from markupsafe import Markup

from comptoir.art.scene import Card, Fact
from comptoir.bots.levels import LEVELS
from comptoir.web.requests import templates
from comptoir.web.seen import Choice, Eye, Line, Looker, Panel, Seen, look, patience
from comptoir.web.table import Table
from comptoir.web.words import page_words

KEPT = 4096  # parts that are kept as HTML: many see the same, and most stay the same for many actions

templates.globals["levels"] = tuple(LEVELS)

_kept: dict[Any, str] = {}


@cache
def _template(name: str) -> Template:
    return templates.get_template(f"parts/{name}.html")


def parts(seen: Seen, looker: Looker) -> dict[str, str]:
    """Each part by its name, which is also the id of its element. What many see is made once."""
    table, eye = looker.table, seen.eye
    values = {"seen": seen, "table": table, "words": seen.words, "lang": eye.lang}
    made = {
        "sentence": _once("sentence", (seen.sentence, seen.yours, seen.curtain is None, seen.state), lambda: values),
        "hand": _hand(seen, values),
        "choices": _choices(seen, values),
        "notice": _notice(seen, table, values),
    }
    shared = (eye.lang, eye.layout, "html")
    made["chart"] = looker.once_a_match(("chart", seen.state == "waiting", *shared), partial(_template("chart").render, values))
    made["pieces"] = looker.once(("pieces", *shared), partial(_template("pieces").render, values))
    for panel in seen.panels:
        made[f"seat-{panel.seat}"] = looker.once(("seat", panel.seat, panel.yours, eye.lang), partial(_seat, panel, table, eye.lang))
    return made


def _once(name: str, key: Any, values: Callable[[], dict[str, Any]]) -> str:
    """A part whose HTML depends on `key` alone."""
    html = _kept.get((name, key))
    if html is None:
        if len(_kept) >= KEPT:
            _kept.clear()
        html = _kept[name, key] = _template(name).render(values())
    return html


def _hand(seen: Seen, values: dict[str, Any]) -> str:
    return _once("hand", (tuple(seen.hand), seen.curtain is None, seen.eye.lang), lambda: values)


def _choices(seen: Seen, values: dict[str, Any]) -> str:
    if seen.yours:
        return _template("choices").render(values)
    return _once("choices", (seen.eye.seat is None, seen.state, seen.curtain is None, seen.undo, seen.eye.lang), lambda: values)


def _notice(seen: Seen, table: Table, values: dict[str, Any]) -> str:
    away = seen.eye.seat is not None and table.places[seen.eye.seat].away
    if seen.state != "on" or seen.curtain or away:
        return _template("notice").render(values)
    return _once("notice", seen.eye.seat, lambda: values)


def _seat(panel: Panel, table: Table, lang: str) -> str:
    """A seat's panel. While it is awaited there is a button on it that belongs to this table and moment."""
    place = (panel.place.name, panel.place.person is not None, panel.place.level, panel.place.away)
    moment = (table.id, patience(table)) if panel.turn and panel.place.person is not None else None
    key = (panel.seat, place, panel.yours, panel.turn, tuple(panel.facts), panel.points, panel.winner, table.game.name, lang, moment)
    return _once("seat", key, lambda: _seat_values(panel, table, lang))


def _seat_values(panel: Panel, table: Table, lang: str) -> dict[str, Any]:
    facts = Markup("".join(map(fact_html, panel.facts)))
    values = {"panel": panel, "seat": panel.seat, "facts": facts, "table": table, "patience": patience(table)}
    return values | {"words": page_words(table.game.name, lang), "lang": lang}


@lru_cache(KEPT)
def fact_html(fact: Fact) -> str:
    """One fact of a seat: the same few come again and again."""
    return _template("fact").render(fact=fact)


@lru_cache(KEPT)
def card_html(card: Card) -> Markup:
    """One card of a hand."""
    return Markup(_template("card").render(card=card))


@lru_cache(KEPT)
def choice_html(choice: Choice, label: str, *, small: bool = False) -> Markup:
    """The button of one choice; small: with what it would do written on it. Not a template: there are dozens after every action."""
    does = escape(choice.does)
    key = f' aria-keyshortcuts="{choice.key}"' if choice.key else ""
    state = f' data-does="{does}" data-spots="{escape(choice.spots)}"{key}' if choice.legal else ' aria-disabled="true"'
    whole = f' aria-label="{escape(choice.whole)}"' if label != choice.whole else ""
    told = f'<small aria-hidden="true">{does}</small>' if small and does else ""
    return Markup(
        f'<button type="button" class="choice" data-action="{escape(choice.action)}"{state}{whole}>{escape(label)}{told}</button>\n'
    )


templates.globals |= {"card_html": card_html, "choice_html": choice_html}


@lru_cache(KEPT)
def line_html(line: Line, game: str) -> str:
    """A line of the log as an item of its list."""
    return _template("line").render(line=line, game=game)


def table_page(looker: Looker, eye: Eye) -> dict[str, Any]:
    """What table.html is made of for one person, besides what every page has."""
    table, seen = looker.table, look(looker, eye)
    entries = looker.log(eye.seat, eye.lang) if table.match is not None else []
    lines = [line for entry in entries for line in entry.lines]
    return {"seen": seen, "table": table, "parts": parts(seen, looker), "lines": lines}
