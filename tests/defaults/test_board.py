"""The derived board: readable in both layouts, one's own hand for oneself alone, the ring where a choice is."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import pytest

import comptoir
from comptoir.art.board import LAYOUTS, size_of
from comptoir.defaults import field_table
from comptoir.defaults.layout import chosen_fields, plan_of
from comptoir.engine.dice import dice_for
from comptoir.engine.game import Game, get_game
from comptoir.engine.match import Match, replay
from comptoir.engine.schema import AtMost, Schema, Seats, enum_of, number, number_set, seat_field, set_of
from comptoir.engine.words import LANGUAGES, words_of
from comptoir.web.domain.state import Table
from comptoir.web.view.page_parts import parts
from comptoir.web.view.presenter import TablePresenter
from comptoir.web.view.table_view import Viewer, view_table
from tests import example_game
from tests.defaults import bazaar
from tests.web.test_page_parts import a_table, begun

GOODS = ("dates", "salt", "silk", "pepper", "saffron")
LEAST = 11  # pixels of a letter
NARROWEST = {"wide": 882, "tall": 360}  # pixels of a board: a desk's pane scrolls sooner than it is narrower
PLACE = re.compile(r"translate\(([-\d.]+) ([-\d.]+)\)")


@pytest.fixture
def souk() -> Iterator[Game]:
    with bazaar.known() as game:
        yield game


@pytest.fixture
def lots() -> Iterator[Game]:
    with example_game.known():
        yield get_game("lots")


def played(players: int = 4, decisions: int = 20, seed: int = 3) -> Match:
    match, chance = comptoir.new("souk", players=players, seed=seed), random.Random(seed)
    while match.ply < decisions:
        match.play(chance.choice(match.actions()))
    return match


def arranged(players: int = 2, **position: Any) -> Match:
    """A match from a start in which Anne has two dates and a pepper, and everyone knows of one of the dates."""
    start = comptoir.new("souk", players=players, seed=1).position()
    nothing = dict.fromkeys(GOODS, 0)
    held = [nothing | {"dates": 2, "pepper": 1}, nothing | {"salt": 3}]
    start |= {"hand": held, "seen": [nothing | {"dates": 1}, nothing], "cards": [3, 3]}
    start |= {"market": nothing | {"dates": 2, "silk": 3}, "turn": 0}
    return comptoir.new("souk", seed=1, position=start | position)


def drawn(match: Match, seat: int | None, layout: str = "wide", lang: str = "en") -> ElementTree.Element:
    """The board as a viewer sees it, in XML."""
    game, scene = match.game, match.scene(seat, words_of(match.game.name, lang), layout)
    return ElementTree.fromstring(f"<svg>{game.board.chart(scene)}{game.board.pieces(scene)}</svg>")


def written(
    element: ElementTree.Element, x: float = 0, y: float = 0
) -> Iterator[tuple[str, float, float, float]]:
    """Each text with its size and the middle or start of its line."""
    moved = PLACE.search(element.get("transform", ""))
    if moved:
        x, y = x + float(moved[1]), y + float(moved[2])
    if element.tag == "text":
        place = float(element.get("x", 0)), float(element.get("y", 0))
        yield str(element.text), float(element.get("font-size", 0)), x + place[0], y + place[1]
    for child in element:
        yield from written(child, x, y)


def spots_of(root: ElementTree.Element) -> dict[str, ElementTree.Element]:
    return {str(one.get("data-spot")): one for one in root.iter("g") if one.get("data-spot")}


# Sizes and rows


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_letters_can_be_read(souk: Game, players: int, layout: str) -> None:
    """In the narrowest window, in both languages; and each of them on the paper."""
    match = played(players)
    width, height = size_of(souk, match.scene(None, words_of("souk", "en"), layout))
    for lang in LANGUAGES:
        for said, size, x, y in written(drawn(match, 0, layout, lang)):
            assert size * NARROWEST[layout] / width >= LEAST, said
            assert 0 <= x < width
            assert 0 < y < height


def test_a_desk_shows_it_whole(souk: Game, lots: Game) -> None:
    """In the room that a desk has for a board: four seats of Souk, six of Lots."""
    for game in (souk, lots):
        width, height = game.board.SIZE["wide"]
        assert height <= width * 16 / 27


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_field_is_one_row(souk: Game, layout: str) -> None:
    """Its values stand side by side, each below its good."""
    made = plan_of(souk, 3, layout)
    rows = Counter(
        (slot.line.field, slot.seat) for slot in {(s.line.field, s.seat, s.y): s for s in made.slots}.values()
    )
    assert set(rows.values()) == {1}
    heads = {(round(one.x), one.word) for one in made.headings}
    for field in ("market", "price", "seen", "hand"):
        slots = [slot for slot in made.slots if slot.line.field == field]
        assert all((round(slot.x), slot.column) in heads for slot in slots)
        assert len({slot.seat for slot in slots}) in (1, 3)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_nothing_lies_over_anything_else(souk: Game, lots: Game, layout: str) -> None:
    for game in (souk, lots):
        for players in range(game.rules.PLAYERS[0], game.rules.PLAYERS[1] + 1):
            made = plan_of(game, players, layout)
            boxes = [
                (s.x - s.width / 2, s.y - s.height / 2, s.x + s.width / 2, s.y + s.height / 2)
                for s in made.slots
            ]
            for n, (left, top, right, bottom) in enumerate(boxes):
                assert left >= 0
                assert right <= made.width
                assert bottom <= made.height
                for other in boxes[n + 1 :]:
                    beside = other[0] >= right - 0.1 or other[2] <= left + 0.1
                    assert beside or other[1] >= bottom - 0.1 or other[3] <= top + 0.1


def test_a_finger_can_hit_what_may_be_chosen(souk: Game) -> None:
    """On a phone a place is at least 36 high, with a gap to the next, and 48 wide."""
    made = plan_of(souk, 4, "tall")
    chosen = [slot for slot in made.slots if slot.line.field in chosen_fields(souk) and slot.column]
    assert {slot.line.field for slot in chosen} == {"market", "price", "seen", "hand"}
    assert all(slot.height >= 36 and slot.width >= 48 for slot in chosen)


def test_an_empty_row_says_so_once(souk: Game) -> None:
    """In its middle. Where something is there, what is not has the score sheet's sign for nothing."""
    made, found = plan_of(souk, 2, "wide"), []
    signs = [(x, y) for said, _, x, y in written(drawn(arranged(), None)) if said == field_table.NOTHING]
    for seat in (0, 1):
        row = [slot for slot in made.slots if (slot.line.field, slot.seat) == ("seen", seat)]
        left, right, middle = row[0].x - 20, row[-1].x + 20, row[0].y
        found.append([x for x, y in signs if left < x < right and abs(y - middle) < 8])
    assert [len(one) for one in found] == [len(GOODS) - 1, 1]


SHAPES = Schema(
    players=number(high=4),
    turn=seat_field(),
    ending=enum_of(("on", "over")),
    map=number(("north", "south"), GOODS),
    owner=seat_field(GOODS),
    row=enum_of(("a", "b"), AtMost(30)),
    far=number(tuple(f"place {n}" for n in range(40))),
    pair=number(Seats(4), 2),
    tools=set_of(("saw", "axe"), Seats(4)),
    long=number(Seats(4), tuple(f"place {n}" for n in range(40))),
)


def test_every_kind_of_field_has_a_place(souk: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two axes are a row for each word of the first; what is too long for columns is listed."""
    monkeypatch.setattr(souk, "position", SHAPES)
    lines = [
        line
        for name, field in field_table.shown_fields(souk).items()
        for line in field_table.field_lines(name, field)
    ]
    found = {name: [line for line in lines if line.field == name] for name in SHAPES.fields}
    assert [line.words for line in found["map"]] == [("north",), ("south",)]
    assert found["owner"][0].columns == GOODS
    assert [line.listed for name in ("row", "far", "long") for line in found[name]] == [True] * 3
    assert (found["pair"][0].columns, found["pair"][0].by_seat) == (("1", "2"), True)
    assert found["tools"][0].columns == ("saw", "axe")


def test_of_a_list_only_what_is_there_is_said(souk: Game) -> None:
    """A set that holds the number 0 holds something; a map of nothing does not."""
    scene = arranged().scene(None, words_of("souk", "en"))
    boxes = number_set(("a", "b"), high=3)
    assert field_table.said({"a": [0, 2], "b": []}, boxes, scene) == "a 0, 2"
    lying = number(("a", "b"), GOODS)
    nothing = dict.fromkeys(GOODS, 0)
    assert field_table.said({"a": nothing, "b": nothing | {"salt": 2}}, lying, scene) == "b salt 2"
    assert field_table.said({"a": nothing, "b": nothing}, lying, scene) == field_table.NOTHING


# Who sees what


def hands(root: ElementTree.Element) -> set[int]:
    return {int(name.split("-")[1]) for name in spots_of(root) if name.startswith("hand-")}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_viewers_hand_is_shown_to_the_viewer(souk: Game, layout: str) -> None:
    match = arranged()
    assert [hands(drawn(match, seat, layout)) for seat in (0, 1, None)] == [{0}, {1}, set()]
    own = spots_of(drawn(match, 0, layout))["hand-0-dates"]
    assert [text.text for text in own.iter("text")] == ["2"]
    assert [title.text for title in own.iter("title")] == ["hand: dates"]
    for seat, hidden in ((0, 2), (1, 2), (None, 4)):  # a hand and a patron of each of the others
        said = [said for said, *_ in written(drawn(match, seat, layout))]
        assert said.count("hidden") == hidden


def test_at_the_end_all_hands_lie_open(souk: Game) -> None:
    match = arranged(deck=dict.fromkeys(GOODS, 0), deck_size=0)
    replay(match, ["take dates", "stop"])
    assert match.over
    assert hands(drawn(match, None)) == {0, 1}


def test_what_is_hidden_changes_nothing_that_is_shown(souk: Game) -> None:
    """With the others' hands, their patrons and the deck dealt again, board, hand, facts and rings are the same."""
    others = 0
    for decisions in (0, 7, 14, 21):
        match = played(decisions=decisions)
        for seat in (None, *range(4)):
            world = match.at(match.ply)
            there = souk.seen_by(match.records[-1], match.box, seat)
            souk.interpreted.imagine(
                there, match.box, -1 if seat is None else seat, dice_for("dealt anew", 1)
            )
            world.replace_record(world.ply, there)
            others += there.tobytes() != match.records[-1].tobytes()
            assert told(world, seat) == told(match, seat)
    assert others > 10


def told(match: Match, seat: int | None) -> list[object]:
    game, shown = match.game, list[object]()
    for layout in LAYOUTS:
        scene = match.scene(seat, words_of(game.name, "fr"), layout)
        shown += [game.board.chart(scene), game.board.pieces(scene), game.board.hand(scene)]
        shown += [game.board.facts(scene, other) for other in range(match.players)]
        shown += [game.board.spots(scene, action) for action in game.action_table]
    return shown


def test_the_page_draws_for_its_viewer(souk: Game) -> None:
    """Each person has the board of their seat; a visitor, and who must take the device first, a spectator's."""
    table = begun(a_table("souk", "me", "you"))
    assert pieces(table, Viewer("me", 0, "en")) == {0}
    assert pieces(table, Viewer("you", 1, "en")) == {1}
    assert pieces(table, Viewer("other", None, "en")) == set()
    shared = begun(a_table("souk", "me", "me"))
    assert pieces(shared, Viewer("me", 0, "en")) == {0}
    assert pieces(shared, Viewer("me", 1, "en")) == set(), "seat 0 is to take the device"
    assert pieces(shared, Viewer("me", None, "en")) == set()


def pieces(table: Table, viewer: Viewer) -> set[int]:
    """The seats whose hands are on the page's board, with one presenter as for many viewers."""
    presenter = TablePresenter(table)
    parts(view_table(presenter, Viewer("me", 0, "en")), presenter)
    html = parts(view_table(presenter, viewer), presenter)["pieces"]
    return {int(seat) for seat in re.findall(r'data-spot="hand-(\d)-', html)}


# The ring


def ring(match: Match, action: str, seat: int | None = 0) -> list[str]:
    spots: list[str] = match.game.board.spots(
        match.scene(seat, words_of(match.game.name, "en")), match.game.decode(action)
    )
    return spots


def test_the_ring_goes_to_what_a_choice_concerns(souk: Game) -> None:
    """Not to `seen`, which is the first field that has dates."""
    match = arranged()
    assert ring(match, "take dates") == ["market-dates"], "from where it is taken"
    assert ring(match, "draw") == ["deck_size"]
    match.play("take silk")
    assert ring(match, "offer dates") == ["hand-0-dates"], "the own hand, which is still whole"
    assert ring(match, "stop") == [], "a new phase is no place"
    match.play("offer dates")
    assert ring(match, "sell 1") == ["hand-0-dates"], "what is given away"
    assert spots_of(drawn(match, 0))["hand-0-dates"] is not None


def test_a_spectator_sees_where_it_is_open(souk: Game) -> None:
    """The mark of the last action is for all: it goes to what everyone knows of."""
    match = replay(arranged(), ["take silk"])
    assert ring(match, "offer dates", None) == ["seen-0-dates"]
    assert ring(match, "offer pepper", None) == ["seen-0-pepper"]


def test_what_cannot_be_done_has_a_ring_too(souk: Game) -> None:
    """Whoever asks why not may point at it; when the match is over, nothing is about anything."""
    assert ring(arranged(), "take saffron") in (["market-saffron"], ["price-saffron"])
    over = replay(arranged(deck=dict.fromkeys(GOODS, 0), deck_size=0), ["take dates", "stop"])
    assert ring(over, "take dates") == []


def test_a_bid_rings_the_bid(lots: Game) -> None:
    """A number, which names no word: what certainly changes; and what a pass gives away."""
    match = comptoir.new("lots", players=3, seed=1, first=0)
    assert ring(match, "bid 3") == ["bid"]
    assert ring(match, "pass") == ["bidding-0"]


def test_a_card_in_hand_is_ringed_with_its_place(souk: Game) -> None:
    match = arranged()
    cards = souk.board.hand(match.scene(0, words_of("souk", "en")))
    assert {card.spot for card in cards} == {"hand-0-dates", "hand-0-pepper", "patron-0"}
    assert len({card.id for card in cards}) == len(cards)


# The seats' panels


def test_every_figure_on_a_panel_has_its_name(souk: Game, lots: Game) -> None:
    """With the form that its number needs; what is hidden is left out."""
    match = arranged(
        cards=[3, 1], hand=[{g: int(g == "dates") * 3 for g in GOODS}, {g: int(g == "salt") for g in GOODS}]
    )
    facts = {
        lang: [souk.board.facts(match.scene(0, words_of("souk", lang)), seat) for seat in (0, 1)]
        for lang in LANGUAGES
    }
    own, other = ([(fact.named, fact.name, fact.value) for fact in found] for found in facts["en"])
    assert own[:2] == [("after", "cards", "3"), ("before", "purse", "6")]
    assert [name for _, name, _ in own[2:]] == ["patron"]
    assert other == [("after", "card", "1"), ("before", "purse", "6")]
    assert [fact.name for fact in facts["fr"][1]] == ["carte", "bourse"]
    scene = comptoir.new("lots", players=2, seed=1).scene(None, words_of("lots", "fr"))
    assert [fact.name for fact in lots.board.facts(scene, 0)] == ["pièces", "encore en lice"]


def test_a_panel_reads_as_words(souk: Game) -> None:
    """As the page has it: a space between a figure and its name, on the side where it belongs."""
    table = begun(a_table("souk", "me", "you"))
    presenter = TablePresenter(table)
    html = parts(view_table(presenter, Viewer("you", 1, "en")), presenter)["seat-0"]
    said = [re.sub("<[^>]+>", "", item) for item in re.findall(r"<li.*?</li>", html)]
    assert said == ["3 cards", "purse 6"]
