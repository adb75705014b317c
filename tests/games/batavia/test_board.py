"""The board: every position of random matches is drawn, for every seat, and shows no more than that seat
knows.
"""

from __future__ import annotations

import itertools
import random
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest

from comptoir.art.board import COVER_SIZE, LAYOUTS, board_svg, standalone_svg
from comptoir.engine.match import Match
from comptoir.engine.words import LANGUAGES, words_of
from comptoir.games.batavia import board, cover
from comptoir.games.batavia.rules import COMPANIES, OPTIONS, SETUPS, shops_on_route
from tests.games.batavia.positions import BATAVIA, PositionBuilder

if TYPE_CHECKING:
    from comptoir.games.batavia.records import Scene

HOSTILE = ["<b>&\"'", "]]>é", "&amp;", "W" * 24, "E"]
TABLES = [
    {"players": players, "setup": setup, "open_bills": bills}
    for players, setup, bills in itertools.product((3, 4, 5), SETUPS, ("no", "yes"))
]
every_table = pytest.mark.parametrize("options", TABLES, ids=lambda o: "-".join(map(str, o.values())))
_SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(autouse=True)
def _compiled() -> None:
    _ = BATAVIA.compiled


def moments(options: dict[str, Any], seed: int = 1, steps: int = 12) -> Iterator[Match]:
    """A random match at its start, on the way and at its end."""
    match, chance = (
        Match("batavia", seed=seed, names=HOSTILE[: options["players"]], **options),
        random.Random(seed),
    )
    while not match.over:
        actions = match.actions()
        low = [action for action in actions if not action.startswith("bid")] + actions[1:3]
        match.play(chance.choice([action for action in low if action in actions]))
    for step in range(steps + 1):
        yield match.at(match.ply * step // steps)


def scene_of(match: Match, seat: int | None, layout: str = "wide", lang: str = "fr") -> Scene:
    return cast("Scene", match.scene(seat, words_of("batavia", lang), layout))


def drawn(body: str) -> ET.Element:
    """The body as XML."""
    return ET.fromstring(f'<svg xmlns="http://www.w3.org/2000/svg">{body}</svg>')


def spots_of(root: ET.Element) -> dict[str, ET.Element]:
    found = [element for element in root.iter() if "data-spot" in element.attrib]
    assert len({element.attrib["data-spot"] for element in found}) == len(found)
    return {element.attrib["data-spot"]: element for element in found}


@every_table
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_position_is_drawn_as_sound_xml_without_styles_or_double_ids(
    options: dict[str, Any], layout: str
) -> None:
    for match, lang in zip(moments(options), itertools.cycle(LANGUAGES)):
        scene = scene_of(match, None, layout, lang)
        svg = board_svg(match.game, scene)
        ET.fromstring(svg)
        assert "<b>" not in svg
        root = drawn(board.chart(scene) + board.pieces(scene))
        ids = [element.attrib["id"] for element in root.iter() if "id" in element.attrib]
        assert len(set(ids)) == len(ids)
        assert set(re.findall(r'(?:href="|url\()#([a-z0-9-]+)', board.pieces(scene))) <= set(ids)
        assert not any(
            "style" in element.attrib or element.tag in (f"{_SVG}style", f"{_SVG}script")
            for element in root.iter()
        )
        assert len(board.pieces(scene)) < 30_000, "sent after every action, with a name for everything"


@every_table
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_spot_is_large_enough_for_a_thumb_and_within_the_board(
    options: dict[str, Any], layout: str
) -> None:
    width, height = board.SIZE[layout]
    for match in moments(options, steps=3):
        for spot in spots_of(drawn(board.pieces(scene_of(match, None, layout)))).values():
            ring = next(element for element in spot if element.attrib.get("class") == "ring")
            across, high = float(ring.attrib["width"]), float(ring.attrib["height"])
            x, y = map(float, re.findall(r"[-\d.]+", spot.attrib["transform"]))
            assert across >= 40
            assert high >= 40
            assert across / 2 <= x <= width - across / 2
            assert high / 2 <= y <= height - high / 2


@every_table
def test_what_an_action_is_about_is_on_the_board_or_in_the_hand(options: dict[str, Any]) -> None:
    for match in moments(options, seed=2, steps=60):
        if match.turn is None:
            continue
        own = scene_of(match, match.turn)
        known = {card.spot for card in board.hand(own)} | set(spots_of(drawn(board.pieces(own))))
        for action in own.choices:
            names = board.spots(own, action)
            assert set(names) <= known, action
            assert bool(names) == (action.kind != "keep"), action
            assert names == board.spots(scene_of(match, None), action), "a spectator's page marks it too"
            assert all(re.fullmatch(r"[a-z0-9-]+", name) for name in names)


def test_an_action_is_about_the_very_thing_that_it_moves() -> None:
    match = Match("batavia", seed=3, players=3)
    assert board.spots(scene_of(match, None), BATAVIA.decode("bid 1"))[0] == "lot"
    assert board.spots(scene_of(match, None), BATAVIA.decode("pass")) == ["lot"]
    while match.position()["phase"] != "laying" or not any(
        action.startswith("advance") for action in match.actions()
    ):
        actions = match.actions()
        match.play(next((action for action in actions if action.startswith("lay")), actions[0]))
    action = next(action for action in match.actions() if action.startswith("advance"))
    seat, (spot, *_) = match.turn, board.spots(scene_of(match, None), BATAVIA.decode(action))
    assert seat is not None
    match.play(action)
    assert spot == f"space-{match.position()['merchants'][seat]}"


@every_table
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_board_is_the_same_for_every_seat_and_spectator(options: dict[str, Any], layout: str) -> None:
    for match in moments(options, steps=6):
        seats = [None, *range(match.players)]
        assert len({board.pieces(scene_of(match, seat, layout)) for seat in seats}) == 1
        assert len({board.chart(scene_of(match, seat, layout)) for seat in seats}) == 1


@every_table
def test_the_chart_stays_the_same_through_a_match(options: dict[str, Any]) -> None:
    assert len({board.chart(scene_of(match, None)) for match in moments(options, steps=6)}) == 1


@every_table
def test_a_picture_shows_only_what_its_viewer_knows(options: dict[str, Any]) -> None:
    """B17: with the hidden cards dealt again, all that a seat is shown stays the same."""
    chance = np.array([7], np.uint64)
    for match in moments(options, seed=4, steps=20):
        for seat in [None, *range(match.players)] if match.turn is not None else ():
            other = match.at(match.ply)
            world = BATAVIA.seen_by(match.records[-1], match.box, seat)
            BATAVIA.ruleset.imagine(world, match.box, -1 if seat is None else seat, chance)
            other.replace_record(-1, world)
            assert shown(other, seat) == shown(match, seat)


def shown(match: Match, seat: int | None) -> tuple[Any, ...]:
    scene = scene_of(match, seat)
    return (
        board.pieces(scene),
        board.hand(scene),
        [board.facts(scene, other) for other in range(match.players)],
    )


def test_bills_of_others_are_shown_only_when_they_are_open() -> None:
    """B17: pages print no other seat's bills unless the option is on; one's own lie in the hand."""
    name = words_of("batavia", "fr").say("facts.bills", n=15)
    for bills, told in (("no", []), ("yes", ["15"])):
        match = Match("batavia", seed=5, players=3, open_bills=bills)
        own = scene_of(match, 0)
        assert next(card.name for card in board.hand(own) if card.id == "bills") == "15 lettres de change"
        for seat in range(3):
            values = [fact.value for fact in board.facts(own, seat) if fact.name == name]
            assert values == (told if seat else [])


@every_table
def test_gold_comes_first_as_far_as_it_is_known(options: dict[str, Any]) -> None:
    """B45: what a seat has as it stands; a fact that leaves out most bills says so."""
    for match in moments(options, steps=6):
        for viewer in (None, 0):
            sheet, scene = match.score_sheet_for(viewer), scene_of(match, viewer, lang="en")
            for seat in range(match.players):
                first = board.facts(scene, seat)[0]
                assert first.value == str(sheet.totals[seat])
                assert ("without" in first.name) != sheet.complete[seat]


@every_table
def test_hands_and_facts_are_sound_and_few(options: dict[str, Any]) -> None:
    for match in moments(options, steps=6):
        assert board.hand(scene_of(match, None)) == []
        for seat in range(match.players):
            own = scene_of(match, seat)
            cards = board.hand(own)
            assert len({card.id for card in cards}) == len(cards)
            for card in cards:
                drawn(card.body)
            for other in range(match.players):
                facts = board.facts(own, other)
                assert len(facts) <= 10
                for fact in facts:
                    drawn(fact.icon)


@every_table
def test_seals_lie_with_their_holders(options: dict[str, Any]) -> None:
    """B23: a seat's panel names the seals that it holds, and is lit if it holds any."""
    words = words_of("batavia", "fr")
    for match in moments(options, steps=6):
        scene, seals = scene_of(match, None), match.position()["seals"]
        for seat in range(match.players):
            held = [words.name(company) for company in COMPANIES if seals[company] == seat]
            lit = [fact for fact in board.facts(scene, seat) if fact.lit]
            assert [fact.value for fact in lit] == ([str(len(held))] if held else [])
            assert all(words.join(held) in fact.name for fact in lit)


@every_table
def test_tiles_are_little_flags(options: dict[str, Any]) -> None:
    """B28: others' shop tiles are a fact a company; one's own lie in the hand, and only there."""
    for match in moments(options, steps=6):
        for seat, held in enumerate(match.position()["held"][: match.players]):
            counts = [str(n) for n in held.values() if n]
            facts = board.facts(scene_of(match, None), seat)
            assert [fact.value for fact in facts if "échoppe" in fact.name] == counts
            own = scene_of(match, seat)
            assert not any("échoppe" in fact.name for fact in board.facts(own, seat))
            assert len([card for card in board.hand(own) if card.id.startswith("own-")]) == len(counts)


@every_table
def test_every_shop_can_be_asked_about(options: dict[str, Any]) -> None:
    """B25: each shop that lies face up is a spot, and is what going to its company is about, legal or not."""
    for match in moments(options, steps=12):
        scene = scene_of(match, match.turn)
        spots = spots_of(drawn(board.pieces(scene)))
        for company in COMPANIES:
            meant = board.spots(scene, BATAVIA.decode(f"advance {company}"))
            assert meant[-1] == f"company-{company}"
            assert set(meant) <= set(spots)
            if f"advance {company}" not in scene.actions:
                shops = shops_on_route(scene.record)
                assert set(meant[:-1]) == {
                    f"space-{space}" for space, (owner, _) in shops.items() if COMPANIES[owner] == company
                }


def test_a_hand_fits_a_phone_in_two_rows() -> None:
    """At most eleven cards, each 48 wide."""
    t = (
        PositionBuilder(BATAVIA.interpreted)
        .clear_cards()
        .give(0, england=3, denmark=1, france=1, netherlands=4, sweden=5)
    )
    t.holds(0, england=2, denmark=1, france=1, netherlands=1, sweden=3)
    match = Match("batavia", position=BATAVIA.to_dict(t.p), seed=1)
    cards = board.hand(scene_of(match, 0))
    assert len(cards) == 11
    assert all(card.size == (48, 64) for card in cards)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_board_says_what_a_set_of_tiles_brings(layout: str) -> None:
    """B28: 1, 3, 6, 10 or 15 gold."""
    chart = board.chart(scene_of(Match("batavia", seed=1), None, layout, "en"))
    for n, gold in enumerate((1, 3, 6, 10, 15), 1):
        assert f"of {n} compan{'y' if n == 1 else 'ies'}: {gold} gold" in chart


def said(t: PositionBuilder) -> list[str]:
    """All that stands on the board of a position, in English."""
    match = Match("batavia", position=BATAVIA.to_dict(t.p), seed=1)
    return [
        element.text or ""
        for element in drawn(board.pieces(scene_of(match, None, lang="en"))).iter(f"{_SVG}text")
    ]


def test_the_board_says_who_has_moved() -> None:
    """B20: two have, one is about to, one is still to come."""
    shown = said(PositionBuilder(BATAVIA.interpreted).moves(1, moved=2))
    assert [shown.count(word) for word in ("has played", "to play", "still to play")] == [2, 1, 1]


def test_the_board_says_what_became_of_the_lot() -> None:
    """B16, B19: sold, left over, or neither, when nobody wanted the boat alone."""
    t = PositionBuilder(BATAVIA.interpreted, first=0).clear_cards()
    assert "lot sold" in said(t.lot(sweden=1).auction(0).play("bid 1", "pass", "pass", "pass"))
    assert "left over: 1 card" in said(t.lot(sweden=1).auction(0).play("pass", "pass", "pass", "pass"))
    boat = PositionBuilder(BATAVIA.interpreted, first=0).clear_cards().auction(0)
    assert "the boat alone" in said(boat)
    assert not any(
        text.startswith(("lot", "left over")) for text in said(boat.play("pass", "pass", "pass", "pass"))
    )


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_cover_stands_alone(lang: str) -> None:
    words = words_of("batavia", lang)
    picture = standalone_svg(cover.cover(words), *COVER_SIZE, words.say("game.title"))
    assert words.say("game.title") in "".join(ET.fromstring(picture).itertext())


def test_every_option_has_a_label_and_every_line_of_the_log_a_rule() -> None:
    from comptoir.engine.rulebook import rules_of

    texts = words_of("batavia", "fr").texts
    for option in OPTIONS:
        assert f"labels.{option.name}" in texts
    assert all(f"labels.setup.{setup}" in texts for setup in SETUPS)
    log = {key: entry for key, entry in texts.items() if key.startswith("log.")}
    assert all(entry["rule"] in rules_of("batavia", "fr") for entry in log.values())
    assert all(len(text) <= 90 for text in texts["game.tagline"].values())
