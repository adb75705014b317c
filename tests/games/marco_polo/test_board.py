"""The board: every position of random matches draws, tells nothing hidden, and lets every legal action be
chosen on it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast
from xml.etree import ElementTree

import pytest

from comptoir.art.board import COVER_SIZE, LAYOUTS, board_svg
from comptoir.engine.components import Components
from comptoir.engine.dice import dice_for
from comptoir.engine.match import Match
from comptoir.engine.words import LANGUAGES, words_of
from comptoir.games.marco_polo import board, cover
from comptoir.games.marco_polo.rules import CARDS, DEMANDS
from comptoir.testing.boards import text_sizes
from tests.games.marco_polo.positions import MARCO_POLO, PositionBuilder, played
from tests.games.marco_polo.test_story import ROW, caravan

if TYPE_CHECKING:
    from comptoir.games.marco_polo.records import Scene

HOSTILE = ("<b>&\"'", "</svg>", "{name}", "&lt;", "W" * 24)  # the last one is as wide as names may be
TABLES = [(2, "plain"), (2, "strategic"), (3, "plain"), (4, "plain"), (5, "plain")]
MIN_TAP_SIZE = 40


def scene(match: Match, seat: int | None, lang: str = "fr", layout: str = "wide") -> Scene:
    return cast("Scene", match.scene(seat, words_of("marco_polo", lang), layout))


def every(nth: int, players: int, two_players: str = "plain", **given: Any) -> Iterator[Match]:
    """Every nth position of a random match, and its last."""
    match = Match(
        "marco_polo",
        seed=f"board{players}",
        players=players,
        two_players=two_players,
        names=HOSTILE[:players],
        **given,
    )
    chance = random.Random(players)
    while not match.over:
        if match.ply % nth == 0:
            yield match
        match.play(chance.choice(match.actions()))
    yield match


def drawn(body: str) -> ElementTree.Element:
    return ElementTree.fromstring(f"<svg>{body}</svg>")


def spots_in(body: str) -> dict[str, tuple[float, float]]:
    """The spots of a picture, with their sizes."""
    found = {}
    for group in drawn(body).iter("g"):
        if group.get("data-spot"):
            ring = next(rect for rect in group.iter("rect") if rect.get("class") == "ring")
            found[str(group.get("data-spot"))] = float(ring.get("width", 0)), float(ring.get("height", 0))
    return found


def own_tables(spaces: int, ganzhou: int) -> dict[str, Any]:
    """Components with a track of another length."""
    tables = MARCO_POLO.components.tables
    demands = ["nothing", *(DEMANDS[1 + n % (len(DEMANDS) - 1)] for n in range(spaces - 1))]
    chests = [3 if 5 <= n < spaces and n % 3 == 0 else 0 for n in range(spaces)]
    cities = tables["cities"] | {"ganzhou": ganzhou, "dadu": spaces - 1}
    return tables | {"cities": cities, "track": tables["track"] | {"demands": demands, "chests": chests}}


@pytest.mark.slow
@pytest.mark.no_cover
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("players", "two_players"), TABLES)
def test_every_position_draws(players: int, two_players: str, layout: str) -> None:
    """Well-formed, with ids that are there once, spots that a thumb can hit, and names that stay names."""
    for match in every(9, players, two_players):
        for lang in LANGUAGES:
            here = scene(match, None, lang, layout)
            root = ElementTree.fromstring(board_svg(MARCO_POLO, here))
            ids = [element.get("id") for element in root.iter() if element.get("id")]
            assert len(ids) == len(set(ids))
            assert all(re.fullmatch(r"[a-z0-9-]+", str(name)) for name in ids)
            pieces = board.pieces(here)
            assert len(pieces.encode()) < 20_000
            for name, (width, height) in spots_in(pieces).items():
                assert re.fullmatch(r"[a-z0-9-]+", name)
                assert min(width, height) >= MIN_TAP_SIZE
            assert "style" not in pieces + board.chart(here)
            assert "<b>" not in pieces


@pytest.mark.slow
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("players", "two_players"), TABLES)
def test_every_legal_action_has_its_spots(players: int, two_players: str, layout: str) -> None:
    """M10: on the board, or in the hand of the seat that decides."""
    for match in every(5, players, two_players):
        if match.turn is None:
            continue
        here = scene(match, match.turn, layout=layout)
        there = {*spots_in(board.pieces(here)), *(card.spot for card in board.hand(here))}
        for action in here.choices:
            names = board.spots(here, action)
            assert set(names) <= there, action
            assert names or action.kind == "pass"
            assert names == board.spots(scene(match, None), action)


@pytest.mark.slow
def test_an_action_marks_the_space_it_leads_to() -> None:
    """M11, M15, M40: the space that the camel then stands on, jumped ones left out; before Ganzhou it may go
    further (M23).
    """
    for players, two_players in TABLES:
        match = Match("marco_polo", seed=f"marks{players}", players=players, two_players=two_players)
        chance = random.Random(players)
        while not match.over:
            turn, before, action = match.turn or 0, scene(match, None), chance.choice(match.actions())
            names = board.spots(before, MARCO_POLO.decode(action))
            match.play(action)
            reached = {*match.position()["reached"][turn]} - {*before.position["reached"][turn]}
            if reached and action.startswith(("lay", "lighten")):
                assert names[-1] in {f"space-{space}" for space in reached}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_board_is_the_same_for_all(layout: str) -> None:
    """M18: nothing on it is hidden from anybody."""
    for match in every(7, 3):
        assert len({board.pieces(scene(match, seat, layout=layout)) for seat in (None, 0, 1, 2)}) == 1
        assert len({board.chart(scene(match, seat, layout=layout)) for seat in (None, 0, 1, 2)}) == 1


def redealt(match: Match, viewer: int, number: int) -> Match:
    """A match from here on in which what the viewer may not know is dealt again."""
    world = match.seen_by(viewer)
    MARCO_POLO.ruleset.imagine(world, match.box, viewer, dice_for("redealt", number))
    return Match("marco_polo", seed=1, position=MARCO_POLO.to_dict(world), names=match.names)


@pytest.mark.parametrize("players", [2, 3, 5])
def test_a_picture_tells_nothing_hidden(players: int) -> None:
    """M18: with the hidden cards dealt again, a seat's pictures are the same to the byte; a spectator has no
    hand.
    """
    for match in every(11, players):
        assert board.hand(scene(match, None)) == []
        if match.over:
            continue
        for viewer in range(players):
            here, there = scene(match, viewer), scene(redealt(match, viewer, match.ply), viewer)
            assert board.pieces(here) == board.pieces(there)
            assert board.hand(here) == board.hand(there)
            for seat in range(players):
                assert board.facts(here, seat) == board.facts(there, seat)


def test_the_hand_is_the_viewers() -> None:
    """M18, M40: every card of it, those alike as one, and with two players both camels, well-formed."""
    for players in (2, 4):
        for match in every(9, players):
            for seat in range(players):
                cards = board.hand(scene(match, seat))
                held = match.position()["hand"][seat]
                assert len(cards) == len(held) + (2 if players == 2 else 0)
                for card, n in zip(cards, held.values(), strict=False):
                    assert f"×{n}" in card.body or n == 1
                assert len({card.id for card in cards}) == len(cards)
                assert all(drawn(card.body) is not None and card.name for card in cards)


def test_a_hand_of_fourteen_cards_fits_a_phone_in_two_rows() -> None:
    """M18: all different, on a screen of 390, with gaps of 6; each can be tapped."""
    t = (
        PositionBuilder(MARCO_POLO.interpreted, players=3, first=0)
        .clear_cards()
        .row(*ROW)
        .give(0, *CARDS[:14])
    )
    cards = board.hand(scene(played(t), 0))
    assert len(cards) == 14
    assert all(min(card.size) >= 44 for card in cards)
    assert sum(card.size[0] + 6 for card in cards[:7]) - 6 <= 390


@pytest.mark.parametrize(
    ("lang", "names"),
    [
        (
            "en",
            {
                "Anne's camel, on space 5",
                "Chloé's camel, on space 4",
                "Open card: a green oil",
                "Space 1: 1 goods card",
            },
        ),
        (
            "fr",
            {
                "Anne : chameau sur la case 5",
                "Chloé : chameau sur la case 4",
                "Carte visible : une huile verte",
                "Case 1 : 1 marchandise",
            },
        ),
    ],
)
def test_everything_has_a_name(lang: str, names: set[str]) -> None:
    """M4, M13, M14, M17: with its place and its owner."""
    t = caravan()
    t.box.track_chests[8] = 2
    root = drawn(board.pieces(scene(played(t), None, lang)))
    titles = {str(title.text) for title in root.iter("title")}
    chest = "Chest on space 8: 2 gold for the first camel"
    assert (
        names | {chest if lang == "en" else "Caisse sur la case 8 : 2 pièces d'or pour le premier chameau"}
        <= titles
    )


@pytest.mark.slow
@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(("players", "two_players"), TABLES)
def test_text_can_be_read_on_a_phone(players: int, two_players: str, lang: str) -> None:
    """Nothing below 11 on a screen of 390, and every plate says in words what it demands (M13)."""
    assert board.SIZE["tall"][0] == 390
    words = words_of("marco_polo", lang)
    for match in every(25, players, two_players):
        here = scene(match, 0, lang, "tall")
        body = board.chart(here) + board.pieces(here) + "".join(card.body for card in board.hand(here))
        texts = list(text_sizes(drawn(body)))
        assert all(size >= 11 for size, _ in texts)
        demands = {
            DEMANDS[int(demand)] for demand in match.box["track_demands"][1 : match.box["cities_dadu"] + 1]
        }
        assert {words.say(f"plate.{demand}") for demand in demands} <= {said for _, said in texts}


def test_facts_say_what_they_are() -> None:
    """M18, M31: each figure in words too."""
    t = caravan("red oil", "red oil", seats=(5, 3, 4))
    known = board.facts(scene(played(t), 0, "en"), 0)
    gold = known[0].value
    assert [(fact.name, fact.value, fact.lit) for fact in known[:3]] == [
        ("gold so far", gold, False),
        ("cards in hand", "2", False),
        ("Camel on space 5, in the lead", "5", True),
    ]
    assert board.facts(scene(played(t), 0, "fr"), 1)[2].name == "Chameau sur la case 3"


@pytest.mark.parametrize(("players", "two_players"), TABLES)
def test_actions_that_are_not_legal_have_their_spots_too(players: int, two_players: str) -> None:
    """M11, M40: so that a click on the board can be answered; the next space is about every step."""
    for match in every(7, players, two_players):
        if match.turn is None:
            continue
        here = scene(match, match.turn)
        there = spots_in(board.pieces(here))
        for action in MARCO_POLO.action_table:
            names = board.spots(here, action)
            assert all(re.fullmatch(r"[a-z0-9-]+", name) for name in names)
            if action.kind in ("lay", "lighten"):
                assert names[-1] in there


def test_facts_begin_with_the_gold() -> None:
    """M30: which at the end is that of the scores."""
    for match in every(9, 4):
        for seat in range(4):
            first, *others = board.facts(scene(match, seat), seat)
            assert first.value == str(match.scores()[seat] if match.over else match.position()["gold"][seat])
            assert len(others) < 10
            assert all(drawn(fact.icon) is not None for fact in others)


@pytest.mark.slow
def test_pieces_keep_their_ids() -> None:
    """Every camel is there all match long; a chest is until a camel reaches it (M14), an open card until it
    is taken.
    """
    for match in every(1, 3):
        here = scene(match, None)
        ids = {str(element.get("id")) for element in drawn(board.pieces(here)).iter() if element.get("id")}
        p = match.position()
        been = {space for spaces in p["reached"] for space in spaces}
        chests = {f"chest-{n}" for n, gold in enumerate(match.box["track_chests"]) if gold and n not in been}
        open_cards = {
            f"open-{card.replace(' ', '-')}-{copy}" for card, n in p["row"].items() for copy in range(n)
        }
        laid = {f"laid-{card.replace(' ', '-')}-{copy}" for card, n in p["paid"].items() for copy in range(n)}
        assert ids == {f"camel-{seat}-0" for seat in range(3)} | chests | open_cards | laid
        chart_ids = {
            str(element.get("id")) for element in drawn(board.chart(here)).iter() if element.get("id")
        }
        assert {str(use.get("href"))[1:] for use in drawn(board.pieces(here)).iter("use")} <= chart_ids


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("spaces", "ganzhou"), [(40, 30), (40, 12), (31, 17), (18, 10)])
def test_an_own_track_draws(spaces: int, ganzhou: int, layout: str) -> None:
    """M2, M13: longer or shorter than ours, with every demand that there is; spaces apart, and on the
    paper.
    """
    components: Components = MARCO_POLO.read_components(
        own_tables(spaces, ganzhou) | {"scoring": _short_scoring()}
    )
    for match in every(40, 5, components=components.tables):
        pieces = board.pieces(scene(match, None, layout=layout))
        spots = spots_in(pieces)
        assert all(min(size) >= MIN_TAP_SIZE for size in spots.values())
        assert sum(name.startswith("space-") for name in spots) == spaces
        drawn(board.chart(scene(match, None, layout=layout)))
        places = re.findall(r'data-spot="space-\d+" transform="translate\(([\d.]+) ([\d.]+)\)', pieces)
        width, height = board.SIZE[layout]
        assert all(20 <= float(x) <= width - 20 and 20 <= float(y) <= height - 20 for x, y in places)


def _short_scoring() -> dict[str, Any]:
    return {"certainty": "placeholder", "note": "", "ganzhou": [3, 2, 1], "dadu": [3, 2, 1]}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_cover_draws(lang: str) -> None:
    words = words_of("marco_polo", lang)
    root = drawn(cover.cover(words))
    assert words.say("game.title") in "".join(root.itertext())
    assert COVER_SIZE == (640, 440)
    assert all(str(element.get("id")).startswith("mp-") for element in root.iter() if element.get("id"))


def test_words_for_the_web() -> None:
    """Every log line names its rule, every option and choice has a label."""
    texts = words_of("marco_polo", "en").texts
    rules = MARCO_POLO.folder.joinpath("rules.en.md").read_text(encoding="utf-8")
    for key, entry in texts.items():
        if key.startswith("log."):
            assert f"**{entry['rule']}**" in rules
    for option in MARCO_POLO.options:
        assert f"labels.{option.name}" in texts
        assert all(f"labels.{option.name}.{word}" in texts for word in getattr(option, "words", ()))
    assert all(len(texts["game.tagline"][lang]) <= 90 for lang in LANGUAGES)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_far_space_says_which_one_is_next(lang: str) -> None:
    """M8: to whoever is to decide; to others, and of other places, nothing."""
    match, words = Match("marco_polo", players=3, seed=5), words_of("marco_polo", lang)
    for _ in range(12):
        turn = match.turn
        assert turn is not None
        scene: Any = match.scene_at(match.ply, turn, words)
        told = board.nothing_here(scene, "space-28")
        ahead = [
            spot
            for action in MARCO_POLO.action_table
            if action.kind == "lighten"
            for spot in board.spots(scene, action)
        ]
        assert re.findall(r"\d+", told)[0] == ahead[0].removeprefix("space-")
        assert board.nothing_here(scene, "pile") == ""
        watching: Any = match.scene_at(match.ply, None, words)
        assert board.nothing_here(watching, "space-28") == ""
        match.play(match.actions()[0])
