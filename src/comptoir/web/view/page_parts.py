"""The parts of a table's page as HTML.

The page is made of them at first; then the socket sends those that have changed.

No part holds a form's token: their buttons belong to the one form of table.html, which has it. So a part is
the same bytes for the first load and for the socket.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache, lru_cache, partial
from html import escape
from typing import Any

from jinja2 import Template
from markupsafe import Markup

from comptoir.art.board import scrolls
from comptoir.art.shapes import die
from comptoir.bots.levels import levels_of
from comptoir.engine.board_items import Card, Fact
from comptoir.engine.match import Match
from comptoir.engine.words import Words
from comptoir.web.domain.chat import PHRASES
from comptoir.web.domain.queries import may_sit
from comptoir.web.domain.state import Table
from comptoir.web.limits import CHAT_LETTERS
from comptoir.web.page_words import page_words
from comptoir.web.view import sheets
from comptoir.web.view.clock_text import clock_line
from comptoir.web.view.guide import guide
from comptoir.web.view.log import Item, LogLine, LogTurn
from comptoir.web.view.settings_summary import effective_level, level_label, settings_summary
from comptoir.web.view.table_view import (
    ChoiceButton,
    Group,
    Panel,
    TableRenderer,
    TableView,
    Viewer,
    view_table,
)
from comptoir.web.view.templating import templates

CACHED_PARTS = 4096  # parts that are kept as HTML: many see the same, and most stay the same for many actions

templates.globals["levels_of"] = levels_of

_kept: dict[Any, str] = {}


@cache
def _template(name: str) -> Template:
    return templates.get_template(f"parts/{name}.html")


def parts(seen: TableView, renderer: TableRenderer) -> dict[str, str]:
    """Each part by its name, which is also the id of its element. What many see is made once."""
    table, viewer = renderer.table, seen.viewer
    said = guide(seen, table)
    values = {"seen": seen, "table": table, "words": seen.words, "lang": viewer.lang, "guide": said}
    values["scrolls"] = scrolls(table.game)
    made = {
        "sentence": sentence_html(seen),
        "guide": _once("guide", (said, table.game.name, viewer.lang), lambda: values),
        "hand": _hand(seen, values),
        "choices": _choices(seen, values),
        "notice": _notice(seen, table, values),
        "asked": _once("asked", (seen.asked, viewer.lang), lambda: values),
        "asks": _asks(seen, table, values),
    }
    shared = (viewer.lang, viewer.layout, "html")
    made["chart"] = renderer.once_a_match(
        ("chart", seen.state == "waiting", *shared), partial(_template("chart").render, values)
    )
    eyes = None if seen.curtain else renderer.eyes(viewer.seat)
    made["pieces"] = renderer.once(("pieces", eyes, *shared), partial(pieces_html, seen))
    for panel in seen.panels:
        made[f"seat-{panel.seat}"] = renderer.once(
            ("seat", panel.seat, panel.yours, viewer.lang), partial(_seat, panel, table, viewer.lang)
        )
    return made


def _once(name: str, key: Any, values: Callable[[], dict[str, Any]]) -> str:
    """A part whose HTML depends on `key` alone."""
    html = _kept.get((name, key))
    if html is None:
        if len(_kept) >= CACHED_PARTS:
            _kept.clear()
        html = _kept[name, key] = _template(name).render(values())
    return html


def _filled(name: str, key: Any, values: Callable[[], dict[str, Any]], **inside: str) -> str:
    """A part whose HTML depends on `key` alone, but for what stands inside it."""
    html = _once(name, key, lambda: values() | {place: Markup(f"\0{place}\0") for place in inside})
    for place, text in inside.items():
        html = html.replace(f"\0{place}\0", text)
    return html


def _hand(seen: TableView, values: dict[str, Any]) -> str:
    cards = "" if seen.curtain else "".join(map(card_html, seen.hand))
    return _filled("hand", seen.viewer.lang, lambda: values, cards=cards)


def _choices(seen: TableView, values: dict[str, Any]) -> str:
    choices, guide = seen.choices, values["guide"]
    key = (
        seen.yours,
        seen.viewer.seat is None,
        seen.state,
        seen.curtain is None,
        seen.undo,
        "undo" in seen.asks and len(values["table"].present),
        seen.ending,
        guide is None or guide.kind == "over",
        choices and (choices.only_final, tuple(choices.not_now)),
        seen.viewer.lang,
    )
    offers = final = ""
    if choices:
        offers = "".join(group_html(group, "", seen.words) for group in choices.groups)
        if choices.only_final:
            final = choice_html(choices.finals[0].choices[0])
        else:
            offers += "".join(group_html(group, "finals", seen.words) for group in choices.finals)
    return _filled("choices", key, lambda: values, offers=offers, final=final)


def _notice(seen: TableView, table: Table, values: dict[str, Any]) -> str:
    away = seen.viewer.seat is not None and table.seats[seen.viewer.seat].away
    if seen.state != "on" or seen.curtain or away:
        return _template("notice").render(values)
    mine = bool(table.seats_of(seen.viewer.person))
    return _once("notice", (seen.viewer.seat, mine), lambda: values)


def _asks(seen: TableView, table: Table, values: dict[str, Any]) -> str:
    """What can be requested in the menu; a single player can pause without asking."""
    awaited = (
        table.seats[table.seat_to_act].name
        if "stand-in" in seen.asks and table.seat_to_act is not None
        else ""
    )
    key = ("pause" in seen.asks, awaited, len(table.present) > 1, seen.viewer.lang)
    return _once("asks", key, lambda: values)


def _seat(panel: Panel, table: Table, lang: str) -> str:
    """A seat's panel."""
    held = (panel.held.name, panel.held.person is not None, panel.held.level, panel.held.bot)
    key = (
        panel.seat,
        held,
        panel.yours,
        panel.turn,
        bool(panel.facts),
        panel.points,
        panel.winner,
        panel.time,
        table.game.name,
        lang,
    )
    plays = effective_level(table, panel.held.level) if panel.held.level else ""
    values = {"panel": panel, "seat": panel.seat, "table": table, "lang": lang, "plays": plays}
    return _filled(
        "seat",
        (*key, plays),
        lambda: values | {"words": page_words(table.game.name, lang)},
        facts="".join(map(fact_html, panel.facts)),
    )


@lru_cache(CACHED_PARTS)
def fact_html(fact: Fact) -> str:
    """One fact of a seat: the same few come again and again."""
    return _template("fact").render(fact=fact)


@lru_cache(CACHED_PARTS)
def card_html(card: Card) -> Markup:
    """One card of a hand."""
    return Markup(_template("card").render(card=card))


@lru_cache(CACHED_PARTS)
def choice_html(choice: ChoiceButton) -> Markup:
    """The button of one choice, with what comes of it written on it.

    Not a template: there are dozens after every action.
    """
    offer = choice.offer
    kind = "choice final" if offer.final else "choice"
    key = f' aria-keyshortcuts="{choice.key}"' if choice.key else ""
    amount = "" if offer.amount is None else f' data-amount="{offer.amount}"'
    held = " data-held" if choice.held else ""
    effect = f" <small>{escape(no_break(offer.effect))}</small>" if offer.effect else ""
    return Markup(
        f'<button type="button" class="{kind}" data-action="{escape(choice.action)}"'
        f' data-spots="{escape(choice.spots)}"{amount}{held}{key}>'
        f"<b>{escape(no_break(offer.label))}</b>{effect}</button>\n"
    )


def group_html(group: Group, kind: str, words: Words) -> Markup:
    """Choices of one kind, under their title; a range of numbers has a stepper."""
    title, amounts = escape(group.title), " amounts" if group.amounts else ""
    return Markup(
        f'<div class="offer-group {kind}" role="group" aria-label="{title}">'
        f'<span class="offer-title" aria-hidden="true">{title}</span>\n'
        f'<div class="offer-row{amounts}">\n{_steps(words) if group.amounts else ""}'
        f"{''.join(map(choice_html, group.choices))}</div></div>\n"
    )


@cache
def _steps(words: Words) -> str:
    """The buttons of a stepper."""
    more = "".join(
        f'<button type="button" data-step="{n}" aria-label="{escape(said)}">+{n}</button>'
        for n, said in ((n, words.say("dock.more", n=n)) for n in (1, 2, 5))
    )
    less = escape(words.say("dock.less"))
    return (
        f'<span class="steps" hidden><button type="button" data-step="-1" aria-label="{less}">−</button>'
        f"{more}</span>\n"
    )


def sentence_html(seen: TableView) -> str:
    """What to decide. Not a template: there is another one after every action."""
    yours = " yours" if seen.yours or seen.curtain else ""
    over = " over" if seen.state in ("over", "closed") else ""
    return f'<p id="sentence" class="sentence{yours}{over}" role="status">{escape(seen.sentence)}</p>'


def pieces_html(seen: TableView) -> str:
    """The pieces on the board, with a space after each text: two side by side are not to be read as one."""
    width, height = seen.size
    name = escape(seen.words.say("table_page.board", game=seen.words.say("game.title")))
    return (
        f'<svg id="pieces" class="pieces" viewBox="0 0 {width} {height}" width="{4 * width}"'
        f' height="{4 * height}" role="group" aria-label="{name}">'
        f"{seen.pieces.replace('</text>', '</text> ')}</svg>"
    )


def no_break(text: str) -> str:
    """A number stays on the line of what it counts, and the letter of a place with what comes before."""
    return re.sub(r"(?<=\d) (?=[^\W\d])| (?=[A-Z]\b)", "\N{NO-BREAK SPACE}", text)


def sheet_of(match: Match, words: Words) -> sheets.Sheet:
    """The score sheet of a match that is over."""
    return sheets.shown(match.score_sheet(), match.names, words)


templates.globals |= {
    "die": die,
    "may_sit": may_sit,
    "sheet_of": sheet_of,
    "clock_line": clock_line,
    "settings_summary": settings_summary,
    "level_label": level_label,
}
templates.globals |= {"phrases": PHRASES, "longest_text": CHAT_LETTERS}


@lru_cache(CACHED_PARTS)
def item_html(item: Item, game: str) -> str:
    """A finished turn or a line of the log, as an item of its list. No templates: there are a few after every
    action.
    """
    return turn_html(item, game) if isinstance(item, LogTurn) else line_html(item, game)


def turn_html(turn: LogTurn, game: str) -> str:
    """A finished turn: its sentence, line by line on request, and its big moments."""
    recap = turn.recap
    whose = "" if recap.seat is None else f' data-seat="{recap.seat}"'
    colour = "" if recap.seat is None else f" of-{recap.seat}"
    round = f'<h3 class="round">{escape(turn.round)}</h3>' if turn.round else ""
    mark = _small("mark", "-10 -10 20 20", turn.mark) if turn.mark else ""
    notes = "".join(
        f'<p class="note {line.note}">{escape(line.text)}</p>'
        for line in turn.lines
        if line.note not in ("", "undo")
    )
    moments = "".join(
        f'<p class="moment" data-kind="{moment.kind}">{escape(moment.text)}</p>'
        for moment in recap.highlights
    )
    rolled = f'<p class="moment" data-kind="die">{_rolled(turn.die)}</p>' if turn.die else ""
    return (
        f'<li class="turn{colour}" data-at="{recap.last}"{whose}>{round}'
        f'<details><summary>{mark}<span class="sentence-of-turn">{escape(recap.sentence)}</span></summary>'
        f"<ol>{''.join(line_html(line, game) for line in turn.lines)}</ol></details>"
        f"{notes}{moments}{rolled}</li>"
    )


def line_html(line: LogLine, game: str) -> str:
    """A line of the log as an item of its list."""
    whose = "" if line.seat is None else f' data-seat="{line.seat}"'
    kind = ' class="note"' if line.note else ' class="moment" data-kind="die"' if line.die else ""
    text = _rolled(line) if line.die else escape(line.text)
    rule = f' <a class="rule" href="/rules/{game}#{line.rule}">{line.rule}</a>' if line.rule else ""
    return f'<li data-at="{line.ply}"{whose}{kind}>{text}{rule}</li>'


def _rolled(line: LogLine) -> str:
    """A die that was rolled, and what it means."""
    return f"{_small('die', '-11 -11 22 22', die(line.die))} {escape(line.text)}"


def _small(kind: str, box: str, drawing: str) -> str:
    return f'<svg class="{kind}" viewBox="{box}" aria-hidden="true">{drawing}</svg>'


def table_page(renderer: TableRenderer, viewer: Viewer, asks: Sequence[str]) -> dict[str, Any]:
    """What table.html is made of for one person, in addition to what every page has."""
    table, seen = renderer.table, view_table(renderer, viewer, asks=asks)
    entries = renderer.log(viewer.seat, viewer.lang) if table.match is not None and not table.closed else []
    items = [Markup(item_html(item, table.game.name)) for entry in entries for item in entry.items]
    others = any(person != viewer.person for person in table.people)
    return {"seen": seen, "table": table, "parts": parts(seen, renderer), "items": items, "others": others}
