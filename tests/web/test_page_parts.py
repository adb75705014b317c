"""The parts of a table's page: whole, escaped, without inline script or style, and with nothing of a hand
behind the curtain.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Mapping
from html import escape
from html.parser import HTMLParser

import pytest

import comptoir
from comptoir.engine import registry
from comptoir.engine.match import Match
from comptoir.engine.words import LANGUAGES
from comptoir.web.domain import decide, queries
from comptoir.web.domain.evolve import evolve, from_events
from comptoir.web.domain.state import Event, Table, TableSettings
from comptoir.web.page_words import page_words
from comptoir.web.view.log import LogLine
from comptoir.web.view.page_parts import line_html, no_break, own_place, parts, table_page
from comptoir.web.view.presenter import TablePresenter
from comptoir.web.view.table_view import Viewer, view_table
from comptoir.web.view.templating import asset_version, templates
from tests.web.app_harness import NOW

VOID = {"img", "input", "br", "meta", "link"}


class Elements(HTMLParser):
    """All elements of a piece of HTML; `depth` is back at 0 when each was closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[int, str, dict[str, str | None]]] = []
        self.depth = 0
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((self.depth, tag, dict(attrs)))
        self.depth += tag not in VOID

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((self.depth, tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        self.depth -= tag not in VOID

    def with_attribute(self, name: str) -> list[dict[str, str | None]]:
        return [attributes for _, _, attributes in self.found if name in attributes]


def a_table(
    game: str, *seats: str, names: tuple[str, ...] = ("Anne", "Chloé", "Bruno"), seed: str = "1"
) -> Table:
    """A table with people (`me`, `you`), bots (`clerk`) and free seats (``)."""
    options = Match(game, players=len(seats)).options
    settings = TableSettings(game, options, seed, creator="me")
    table = from_events("table", [Event(1, "made", text=settings.text(), at=time.time())])
    free_names = iter(names)
    for seat, who in enumerate(seats):
        if who in ("me", "you"):
            table = evolve(table, decide.sit(table, NOW, who, seat, next(free_names)))
        elif who:
            table = evolve(table, decide.seat_bot(table, NOW, "me", seat, who))
    return table


def begun(table: Table) -> Table:
    return evolve(table, decide.begin(table, NOW, "me"))


def play(table: Table, seat: int | None) -> Table:
    """Random play until a seat decides, or to the end."""
    chance = random.Random(7)
    assert table.match is not None
    while not table.match.over and (seat is None or table.turn != seat or len(table.match.actions()) < 2):
        table = evolve(table, decide.play(table, NOW, None, table.turn, chance.choice(table.match.actions())))
    return table


def made(table: Table, viewer: Viewer) -> Mapping[str, str]:
    presenter = TablePresenter(table)
    return parts(
        view_table(presenter, viewer, asks=queries.may_propose(table, NOW, viewer.person)), presenter
    )


def page(table: Table, viewer: Viewer) -> str:
    values = table_page(TablePresenter(table), viewer, queries.may_propose(table, NOW, viewer.person))
    words = values["seen"].words
    visitor = {"id": viewer.person, "name": "Anne"}
    place = {"origin": "http://comptoir.test", "path": "/tables/table", "mark": "m"}
    return templates.get_template("table.html").render(
        **values, **place, words=words, lang=viewer.lang, look="", visitor=visitor, token="t"
    )


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("game", registry.names())
def test_each_part_is_one_element_named_by_its_id(game: str, lang: str) -> None:
    table = play(begun(a_table(game, "me", "clerk", "clerk")), 0)
    shown = made(table, Viewer("me", 0, lang))
    assert set(shown) == {
        "guide",
        "sentence",
        "chart",
        "pieces",
        "hand",
        "choices",
        "notice",
        "asked",
        "asks",
        "seat-0",
        "seat-1",
        "seat-2",
    }
    for name, html in shown.items():
        elements = Elements(html)
        outer = [attributes["id"] for depth, _, attributes in elements.found if depth == 0]
        assert outer == [name]
        assert elements.depth == 0


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["wide", "tall"])
@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("game", registry.names())
def test_the_page_holds_nothing_that_its_policy_forbids(game: str, lang: str, layout: str) -> None:
    """Waiting, begun and over, for a player and for a spectator."""
    for table in (
        a_table(game, "me", "clerk", ""),
        play(begun(a_table(game, "me", "clerk", "clerk")), 0),
        play(begun(a_table(game, "me", "clerk", "clerk")), None),
    ):
        for viewer in (Viewer("me", 0, lang, layout), Viewer(None, None, lang, layout)):
            elements = Elements(page(table, viewer))
            assert not elements.with_attribute("style")
            assert not [tag for _, tag, _ in elements.found if tag == "style"]
            assert not [
                name for _, _, attributes in elements.found for name in attributes if name.startswith("on")
            ]
            assert [attributes["src"] for _, tag, attributes in elements.found if tag == "script"] == [
                f"/static/{asset_version()}/{file}.js" for file in ("offline-support", "table")
            ]
            ids = [attributes["id"] for attributes in elements.with_attribute("id")]
            assert len(ids) == len(set(ids))


def test_names_are_escaped() -> None:
    table = begun(a_table("batavia", "me", "clerk", "clerk", names=('<b>"A',)))
    html = page(table, Viewer("me", 0, "en"))
    assert "<b>&#34;A" not in html
    assert '<b>"A' not in html
    assert "&lt;b&gt;&#34;A" in html


def test_behind_the_curtain_there_is_no_hand() -> None:
    table = play(begun(a_table("batavia", "me", "me", "clerk")), 1)
    presenter = TablePresenter(table)
    seen = view_table(presenter, Viewer("me", 0, "en"))
    assert seen.curtain == "Chloé"
    assert seen.hand
    shown = parts(seen, presenter)
    assert not Elements(shown["hand"]).with_attribute("data-name")
    assert Elements(shown["notice"]).with_attribute("data-take")[0]["data-take"] == "1"
    assert not Elements(shown["choices"]).with_attribute("data-action")


def test_a_spectator_has_neither_hand_nor_choices() -> None:
    table = play(begun(a_table("batavia", "me", "clerk", "clerk")), 0)
    shown = made(table, Viewer(None, None, "en"))
    assert not Elements(shown["hand"]).with_attribute("data-name")
    assert not Elements(shown["choices"]).with_attribute("data-action")
    assert "You are watching" in shown["choices"]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("game", registry.names())
def test_every_legal_action_is_a_button_that_says_what_comes_of_it(game: str, lang: str) -> None:
    table = play(begun(a_table(game, "me", "clerk", "clerk")), 0)
    assert table.match is not None
    html = made(table, Viewer("me", 0, lang))["choices"]
    buttons = Elements(html).with_attribute("data-action")
    assert sorted(str(button["data-action"]) for button in buttons) == sorted(table.match.actions())
    scene = TablePresenter(table).scene(0, lang)
    for action in scene.choices:
        offer = table.game.story.choice(scene, action)
        assert f"<b>{escape(no_break(offer.label))}</b>" in html
        assert not offer.effect or f"<small>{escape(no_break(offer.effect))}</small>" in html


def test_a_number_stays_beside_what_it_counts() -> None:
    assert no_break("Build an outpost on Q") == "Build an outpost on\N{NO-BREAK SPACE}Q"
    assert no_break("2 thé → 1 girofle · 10 sur 12").split(" ") == [
        "2\N{NO-BREAK SPACE}thé",
        "→",
        "1\N{NO-BREAK SPACE}girofle",
        "·",
        "10\N{NO-BREAK SPACE}sur",
        "12",
    ]


@pytest.mark.parametrize("game", registry.names())
def test_final_choices_are_last_and_have_no_key(game: str) -> None:
    table, final = begun(a_table(game, "me", "clerk", "clerk")), list[bool]()
    while not any(final):
        table = play(table, 0)
        buttons = Elements(made(table, Viewer("me", 0, "en"))["choices"]).with_attribute("data-action")
        final = [button["class"] == "choice final" for button in buttons]
        table = evolve(table, decide.play(table, NOW, "me", 0, str(buttons[0]["data-action"])))
    assert final == sorted(final)
    keys = [button.get("aria-keyshortcuts") for button in buttons if "data-amount" not in button]
    others = final.count(False) - sum("data-amount" in button for button in buttons)
    assert keys == [str(n + 1) if n < min(9, others) else None for n in range(len(keys))]


def test_bids_are_a_stepper() -> None:
    table = play(begun(a_table("batavia", "me", "clerk", "clerk")), 0)
    assert table.match is not None
    bids = [action for action in table.match.actions() if action.startswith("bid")]
    assert len(bids) > 3
    elements = Elements(made(table, Viewer("me", 0, "en"))["choices"])
    assert [step["data-step"] for step in elements.with_attribute("data-step")] == ["-1", "1", "2", "5"]
    amounts = [button["data-amount"] for button in elements.with_attribute("data-amount")]
    assert amounts == [bid.removeprefix("bid ") for bid in bids]


def test_verbs_that_are_not_possible_now_can_be_asked_about() -> None:
    table = play(begun(a_table("batavia", "me", "clerk", "clerk")), 0)
    asked = Elements(made(table, Viewer("me", 0, "fr"))["choices"]).with_attribute("data-why")
    assert {verb["data-why"] for verb in asked} >= {"Poser", "Piocher"}
    assert not {verb["data-why"] for verb in asked} & {"Miser", "Passer"}


def test_a_panel_is_made_once_for_all_who_see_the_same() -> None:
    table = play(begun(a_table("batavia", "me", "you", "clerk")), 0)
    presenter = TablePresenter(table)
    one = parts(view_table(presenter, Viewer("me", 0, "en")), presenter)
    other = parts(view_table(presenter, Viewer("you", 1, "en")), presenter)
    assert one["seat-2"] is other["seat-2"]
    assert one["seat-0"] is not other["seat-0"]


def test_the_seed_is_told_only_when_the_match_is_over() -> None:
    table = play(begun(a_table("batavia", "me", "clerk", "clerk", seed="swordfish")), 0)
    assert "swordfish" not in page(table, Viewer("me", 0, "en"))
    assert "swordfish" in page(play(table, None), Viewer("me", 0, "en"))


def test_who_is_away_can_take_the_seat_back() -> None:
    table = play(begun(a_table("batavia", "me", "clerk", "clerk")), 0)
    table = evolve(table, decide.leave(table, NOW, "me", 0))
    notice = made(table, Viewer("me", 0, "en"))["notice"]
    assert Elements(notice).with_attribute("formaction")[0]["formaction"] == "/tables/table/back"


def test_on_a_shared_device_everyone_can_take_their_seat_back() -> None:
    """Whoever has the device, and also while nobody has it; and nobody who sits there reads that they watch."""
    table = play(begun(a_table("batavia", "me", "me", "clerk")), 0)
    table = evolve(table, decide.leave(table, NOW, "me", 1))
    watching, shared = (
        escape(page_words("batavia", "en").say(f"dock.{key}")) for key in ("watching", "shared")
    )
    for seat in (0, None):
        shown = made(table, Viewer("me", seat, "en"))["choices"]
        (back,) = Elements(shown).with_attribute("formaction")
        assert (back["formaction"], back["value"]) == ("/tables/table/back", "1")
        assert "Chloé" in shown
        assert watching not in shown
    assert shared in made(play(table, 2), Viewer("me", None, "en"))["choices"]
    other = made(table, Viewer("you", None, "en"))["choices"]
    assert watching in other
    assert not Elements(other).with_attribute("formaction")


def test_a_line_of_the_log_links_to_its_rule() -> None:
    assert line_html(LogLine(12, "Anne bids 3.", "B12"), "batavia") == (
        '<li data-at="12">Anne bids 3. <a class="rule" href="/rules/batavia#B12">B12</a></li>'
    )
    assert line_html(LogLine(12, "<i>", None), "batavia") == '<li data-at="12">&lt;i&gt;</li>'


def test_french_has_narrow_spaces_before_high_punctuation() -> None:
    """In the words that the table's page has of its own."""
    words = page_words(None, "fr")
    own = (
        "table_page.",
        "page.",
        "dock.",
        "menu.",
        "confirm.",
        "keys.",
        "curtain.",
        "away.",
        "result.",
        "lobby.",
    )
    wrong = [
        key
        for key, text in words.texts.items()
        if key.startswith(own) and re.search(r"[^\u202f][;:!?»]", re.sub(r"{.*?}", "", text["fr"]))
    ]
    assert not wrong


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_end_says_where_one_came(lang: str) -> None:
    """The winner alone has won; others are told their place, which nobody else has unless they tie."""
    match, chance = comptoir.new("batavia", players=4, seed=3), random.Random(3)
    while not match.over:
        match.play(chance.choice(match.actions()))
    words = page_words("batavia", lang)
    said = [own_place(match, seat, words) for seat in range(4)]
    won = words.say("result.won" if len(match.winners()) == 1 else "result.shared")
    assert {seat for seat, text in enumerate(said) if text == won} == set(match.winners())
    points = match.scores()
    last = min(range(4), key=lambda seat: points[seat])
    assert re.search(r"[34]", said[last])
