"""The parts of a table's page as HTML.

The page is made of them at first; then the socket sends those that have changed.

No part holds a form's token: their buttons belong to the one form of table.html, which has it. So a part is
the same bytes for the first load and for the socket.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable, Sequence
from functools import cache, lru_cache, partial
from typing import Any
from weakref import ReferenceType, ref

from jinja2 import Template
from markupsafe import Markup
from markupsafe import escape as markup

from comptoir.art.board import scrolls
from comptoir.art.shapes import SvgParts, die, escape
from comptoir.bots.levels import LEVELS
from comptoir.engine.board_items import Card, Fact
from comptoir.engine.match import Match
from comptoir.engine.words import Words
from comptoir.web.domain.chat import PHRASES
from comptoir.web.domain.player_results import places
from comptoir.web.domain.queries import may_sit
from comptoir.web.domain.state import Table
from comptoir.web.limits import CHAT_LETTERS
from comptoir.web.view import sheets
from comptoir.web.view.clock_text import AbsenceNotice, clock_line
from comptoir.web.view.guide import guide
from comptoir.web.view.log import Item, LogLine, LogTurn
from comptoir.web.view.match_cache import MatchCache
from comptoir.web.view.patches import SHORT, Text, patch
from comptoir.web.view.presenter import TablePresenter
from comptoir.web.view.settings_summary import is_untrained, level_label, settings_summary
from comptoir.web.view.table_view import (
    ChoiceButton,
    Choices,
    Group,
    Panel,
    TableView,
    Viewer,
    view_table,
)
from comptoir.web.view.templating import templates

templates.globals["levels"] = tuple(LEVELS)


class Part(Text):
    """A part of a page as HTML, with what is sent of it: many pages share it."""

    _json: str | None = None
    _before: ReferenceType[Part] | None = None
    _patch: str | None = None

    @property
    def json(self) -> str:
        """It as JSON, to be sent whole."""
        if self._json is None:
            self._json = to_json(str(self))
        return self._json

    def patch_of(self, before: Part) -> str | None:
        """How it comes from what a page shows, as JSON; None where it is better sent whole."""
        if len(self) < SHORT:
            return None
        if self._before is None or self._before() is not before:
            cuts = patch(before, self)
            self._before, self._patch = ref(before), None if cuts is None else to_json(cuts)
        return self._patch


to_json = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode


@cache
def _template(name: str) -> Template:
    return templates.get_template(f"parts/{name}.html")


def parts(seen: TableView, presenter: TablePresenter) -> dict[str, Part]:
    """Each part by its name, which is also the id of its element. What many see is made once."""
    table, viewer, part = presenter.table, seen.viewer, _Maker(presenter.cache, seen, presenter.table)
    made = {
        "sentence": Part(sentence_html(seen)),
        "hand": _hand(part),
        "choices": _choices(part),
        **_seldom_changed(part),
    }
    eyes = None if seen.curtain or table.match is None else presenter.now.eyes(viewer.seat)
    made["pieces"] = part.html(
        ("pieces", eyes, viewer.lang, viewer.layout), (seen.pieces, seen.size), lambda: pieces_html(seen)
    )
    for panel in seen.panels:
        made[f"seat-{panel.seat}"] = presenter.once(
            ("seat", panel.seat, panel.yours, viewer.lang), partial(_seat, part, panel)
        )
    return made


class _Maker:
    """Makes parts of what one person sees; each again only when that has changed."""

    def __init__(self, cache: MatchCache, seen: TableView, table: Table) -> None:
        self.cache, self.seen, self.table = cache, seen, table
        self.guide = guide(seen, table)

    def html(self, key: Hashable, source: object, make: Callable[[], str | Sequence[str]]) -> Part:
        """A part that goes by its source alone, from its HTML or from what that is put together of."""

        def made() -> Part:
            html = make()
            if isinstance(html, Part):
                return html
            return Part(html) if isinstance(html, str) else Part.of(html)

        return self.cache.made(("html", key), source, made)

    def template(self, name: str, source: object, *key: Hashable) -> Part:
        """A part by a template that goes by its source alone."""
        return self.html((name, *key), source, lambda: self.render(name))

    def render(self, name: str, **values: object) -> str:
        seen, table = self.seen, self.table
        return _template(name).render(
            seen=seen,
            table=table,
            words=seen.words,
            lang=seen.viewer.lang,
            guide=self.guide,
            scrolls=scrolls(table.game),
            **values,
        )


def _hand(part: _Maker) -> Part:
    seen = part.seen
    cards = [] if seen.curtain else seen.hand
    return part.html(
        ("hand", seen.viewer.seat, seen.viewer.lang), cards, lambda: hand_html(cards, seen.words)
    )


def _choices(part: _Maker) -> Part:
    """The choices, and the help that there is next to them."""
    seen, choices = part.seen, part.seen.choices
    mine = part.table.seats_of(seen.viewer.person)
    # on a shared device, whoever a bot plays for can come back whoever has the device
    back = tuple(seat for seat in mine if seat != seen.viewer.seat and part.table.seats[seat].away)
    key = (
        seen.yours,
        seen.viewer.seat is None,
        bool(mine),
        back,
        seen.state,
        seen.curtain is None,
        seen.undo,
        "undo" in seen.asks and len(part.table.present),
        seen.ending,
        part.guide is None or part.guide.kind == "over",
        choices and (choices.only_final, tuple(choices.not_now)),
        seen.viewer.lang,
        seen.absence,
    )

    def made() -> Sequence[str]:
        below = part.html(("helps", key), key, lambda: part.render("helps", seated=bool(mine), back=back))
        return choices_html(choices, seen.words, below, yours=seen.yours, absence=seen.absence)

    return part.html(("choices", key), choices, made)


def _seldom_changed(part: _Maker) -> dict[str, Part]:
    """What most events leave as it is: it comes back together."""
    seen, table, viewer = part.seen, part.table, part.seen.viewer
    # what can be requested in the menu; a single player can pause without asking
    awaited = (
        table.seats[table.seat_to_act].name
        if "stand-in" in seen.asks and table.seat_to_act is not None
        else ""
    )
    asks = ("pause" in seen.asks, awaited, len(table.present) > 1)
    away = viewer.seat is not None and table.seats[viewer.seat].away
    quiet = seen.state == "on" and not seen.curtain and not away
    notice = (viewer.seat, bool(table.seats_of(viewer.person))) if quiet else None

    def made() -> dict[str, Part]:
        return {
            "guide": part.template("guide", part.guide, viewer.lang),
            "notice": part.template("notice", None, *notice) if notice else Part(part.render("notice")),
            "asked": part.template("asked", seen.asked, viewer.lang),
            "asks": part.template("asks", asks, asks, viewer.lang),
            "chart": part.template("chart", seen.state == "waiting", viewer.lang, viewer.layout),
        }

    if notice is None:
        return made()
    key = ("seldom", *notice, asks, viewer.lang, viewer.layout)
    return part.cache.made(key, (part.guide, seen.asked), made)


def _seat(part: _Maker, panel: Panel) -> Part:
    """A seat's panel: its head by a template, its facts after every action."""
    table, lang, held = part.table, part.seen.viewer.lang, panel.held
    untrained = held.level is not None and is_untrained(table, held.level)
    key = ("seat", panel.seat, panel.yours, lang)
    # as it is when it is another's turn, the head comes back; the time does not
    head = ("head", *key, panel.turn, panel.points, panel.winner, untrained)
    shown = {"panel": panel, "seat": panel.seat, "untrained": untrained}
    top = part.html(head, (held, panel.time), lambda: part.render("seat", **shown))

    def whole() -> Sequence[str]:
        if not panel.facts:
            return top, "</section>"
        return top, '<ul class="facts">\n', *map(fact_html, panel.facts), "\n\n</ul>\n</section>"

    return part.html(key, (panel.facts, top), whole)


@lru_cache(maxsize=4096)
def fact_html(fact: Fact) -> str:
    """One fact of a seat. Not a template: there are dozens after every action."""
    name, value = markup(fact.name), f"<b>{markup(fact.value)}</b>"
    kind = "with-icon" if fact.icon else "worded" if fact.named else "plain"
    if fact.icon:
        icon = f'<svg viewBox="0 0 30 20" aria-hidden="true">{fact.icon}</svg>'
        shown = f'{icon}{value}<span class="fact-name unseen"> {name}</span>'
    elif fact.named == "before":
        shown = f'<span class="fact-name">{name} </span>{value}'
    else:
        shown = f'{value}<span class="fact-name"> {name}</span>'
    more = f'<span class="fact-more unseen"> {markup(fact.more)}</span>' if fact.more else ""
    lit, title = " lit" if fact.lit else "", markup(fact.more) if fact.more else name
    return f'<li class="{kind}{lit}" title="{title}">{shown}{more}</li>'


def hand_html(cards: Sequence[Card], words: Words) -> Sequence[str]:
    """What lies before a seat, card by card."""
    label = markup(words.say("dock.hand"))
    start = f'<div id="hand" class="hand" role="group" tabindex="0" aria-label="{label}">\n'
    return start, *map(card_html, cards), "\n</div>"


@lru_cache(maxsize=1024)
def card_html(card: Card) -> str:
    """One card of a hand."""
    name, spot = markup(card.name), f' data-spot="{markup(card.spot)}"' if card.spot else ""
    width, height = card.size
    return (
        f'<div id="{markup(card.id)}" class="card{" spot" if card.spot else ""}"{spot} data-name="{name}">'
        f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img"'
        f' aria-label="{name}">{card.body}</svg></div>'
    )


@lru_cache(maxsize=4096)
def choice_html(choice: ChoiceButton) -> str:
    """The button of one choice, with what comes of it written on it.

    Not a template: there are dozens after every action.
    """
    offer = choice.offer
    kind = "choice final" if offer.final else "choice"
    key = f' aria-keyshortcuts="{choice.key}"' if choice.key else ""
    amount = "" if offer.amount is None else f' data-amount="{offer.amount}"'
    held = " data-held" if choice.held else ""
    effect = f" <small>{escape(no_break(offer.effect))}</small>" if offer.effect else ""
    return (
        f'<button type="button" class="{kind}" data-action="{escape(choice.action)}"'
        f' data-spots="{escape(choice.spots)}"{amount}{held}{key}>'
        f"<b>{escape(no_break(offer.label))}</b>{effect}</button>\n"
    )


def absence_html(absence: AbsenceNotice, words: Words) -> str:
    """What one can do about somebody who is missing; hidden until the page knows that they are."""
    ask = f'<button type="button" data-ask="stand-in">{escape(absence.button)}</button> '
    return (
        f'<div class="missing" data-of="{absence.seat}" role="status"><p>{escape(absence.text)}</p>'
        f"{ask if absence.button else ''}"
        f'<button type="button" class="quiet" data-wait>{escape(words.say("asks.wait"))}</button></div>'
    )


def choices_html(
    choices: Choices | None, words: Words, below: str, *, yours: bool, absence: AbsenceNotice | None = None
) -> Sequence[str]:
    """All choices by their groups, the final ones last: a single one of these has a place of its own."""
    offers, final = [absence_html(absence, words)] if absence else [], ""
    if choices:
        offers = [group_html(group, "", words) for group in choices.groups]
        if choices.only_final:
            final = f'<div class="only-final">{choice_html(choices.finals[0].choices[0])}</div>'
        else:
            offers += (group_html(group, "finals", words) for group in choices.finals)
    mark, focus = (" yours", ' tabindex="-1"') if yours else ("", "")
    return (
        f'<div id="choices" class="choices{mark}" tabindex="-1" role="group" aria-labelledby="sentence">\n'
        f'<div class="offers"{focus}>\n',
        *offers,
        f'\n</div>\n<div class="below">\n{final}<div class="helps">\n',
        below,
    )


def group_html(group: Group, kind: str, words: Words) -> str:
    """Choices of one kind, under their title; a range of numbers has a stepper."""
    title, amounts = escape(group.title), " amounts" if group.amounts else ""
    return (
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


def pieces_html(seen: TableView) -> Part:
    """The pieces on the board, part by part."""
    start, pieces = _pieces_tag(seen.size, seen.words), seen.pieces
    parts = pieces.parts if isinstance(pieces, SvgParts) else (pieces,)
    return Part.of((start, *parts, "</svg>"), f"{start}{pieces}</svg>")


@lru_cache(maxsize=1024)
def _pieces_tag(size: tuple[int, int], words: Words) -> str:
    width, height = size
    name = escape(words.say("table_page.board", game=words.say("game.title")))
    return (
        f'<svg id="pieces" class="pieces" viewBox="0 0 {width} {height}" width="{4 * width}"'
        f' height="{4 * height}" role="group" aria-label="{name}">'
    )


def no_break(text: str) -> str:
    """A number stays on the line of what it counts, and the letter of a place with what comes before."""
    return re.sub(r"(?<=\d) (?=[^\W\d])| (?=[A-Z]\b)", "\N{NO-BREAK SPACE}", text)


def sheet_of(match: Match, words: Words) -> sheets.Sheet:
    """The score sheet of a match that is over."""
    return sheets.shown(match.score_sheet(), match.names, words)


def own_place(match: Match, seat: int, words: Words) -> str:
    """Where a seat came in a match that is over."""
    winners = match.winners()
    if seat in winners:
        return words.say("result.won" if len(winners) == 1 else "result.shared")
    return words.say("result.place", n=places(match.score_sheet())[seat], m=match.players)


templates.globals |= {
    "die": die,
    "own_place": own_place,
    "may_sit": may_sit,
    "sheet_of": sheet_of,
    "clock_line": clock_line,
    "settings_summary": settings_summary,
    "level_label": level_label,
}
templates.globals |= {"phrases": PHRASES, "longest_text": CHAT_LETTERS}


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


def table_page(presenter: TablePresenter, viewer: Viewer, asks: Sequence[str]) -> dict[str, Any]:
    """What table.html is made of for one person, in addition to what every page has."""
    table, seen = presenter.table, view_table(presenter, viewer, asks=asks)
    entries = presenter.log(viewer.seat, viewer.lang) if table.match is not None and not table.closed else []
    items = [Markup(item_html(item, table.game.name)) for entry in entries for item in entry.items]
    others = any(person != viewer.person for person in table.people)
    return {"seen": seen, "table": table, "parts": parts(seen, presenter), "items": items, "others": others}
