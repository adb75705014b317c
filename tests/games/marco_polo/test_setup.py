"""Setup: M1 to M5, and the box."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest

import comptoir
from comptoir.engine.interface import RuleSet
from comptoir.errors import DataError, OptionError
from comptoir.games.marco_polo import rules
from tests.games.marco_polo.positions import BOX, DADU, GANZHOU, MARCO_POLO, PositionBuilder, cards_of

if TYPE_CHECKING:
    from comptoir.games.marco_polo.records import Box

ANY_NUMBER = pytest.mark.parametrize("players", [2, 3, 4, 5])


def changed(**tables: dict[str, Any]) -> dict[str, Any]:
    """The components that come with the game, but for these entries."""
    new = copy.deepcopy(MARCO_POLO.components.tables)
    for name, entries in tables.items():
        new[name] |= entries
    return new


def track(space: int, value: Any, entry: str) -> dict[str, Any]:
    """The components with one space's demand or chest changed."""
    values = list(MARCO_POLO.components.tables["track"][entry])
    values[space] = value
    return changed(track={entry: values})


# The number of players, and who starts


@pytest.mark.parametrize("players", [2, 3, 4, 5, "5"])
def test_two_to_five_may_play(players: int | str) -> None:
    """M1: 2 to 5 players."""
    assert comptoir.new("marco_polo", players=players).players == int(players)


@pytest.mark.parametrize("players", [0, 1, 6, -2, 2.5, "many", ""])
def test_any_other_number_is_refused(players: Any) -> None:
    """M1: any other number is refused, and the error says what would do."""
    with pytest.raises(OptionError, match="marco_polo is for 2 to 5 players, not"):
        comptoir.new("marco_polo", players=players)


@pytest.mark.parametrize(("players", "first"), [(2, 1), (3, 0), (3, 2), (4, 1), (5, 4)])
def test_an_option_names_who_starts(ruleset: RuleSet, players: int, first: int) -> None:
    """M4: the seat named starts, on Ormuz; clockwise, each next camel is on the next space."""
    p = PositionBuilder(ruleset, players=players, first=first).p
    assert (p.turn, p.first) == (first, first)
    assert [int(p.camels[(first + n) % players, 0]) for n in range(players)] == list(range(players))


@pytest.mark.slow
@ANY_NUMBER
def test_who_starts_may_be_drawn(ruleset: RuleSet, players: int) -> None:
    """M4: without a name, each seat may be drawn, about as often as another."""
    drawn = [int(PositionBuilder(ruleset, str(n), players=players, first="draw").p.turn) for n in range(200)]
    assert set(drawn) == set(range(players))
    assert min(drawn.count(seat) for seat in range(players)) > 100 / players


@pytest.mark.parametrize("players", [3, 4, 5])
def test_three_or_more_have_one_camel_each(ruleset: RuleSet, players: int) -> None:
    """M4: one camel a space, one a player."""
    p = PositionBuilder(ruleset, players=players).p
    assert sorted(p.camels[:players, 0]) == list(range(players))
    assert (p.camels[:players, 1] == -1).all()


@ANY_NUMBER
def test_a_camel_has_reached_where_it_starts(ruleset: RuleSet, players: int) -> None:
    """M5: and no other space."""
    t = PositionBuilder(ruleset, players=players)
    for seat in range(players):
        assert t.reached(seat) == {int(space) for space in t.p.camels[seat] if space >= 0}


# Gold and cards


@ANY_NUMBER
def test_everyone_starts_with_a_chest_of_3(ruleset: RuleSet, players: int) -> None:
    """M2: 3 gold each, none for missing players."""
    assert list(PositionBuilder(ruleset, players=players).p.gold) == [3] * players + [0] * (5 - players)


def test_the_chests_of_the_track() -> None:
    """M2: eleven chests of values 1 and 2 stand on the track."""
    assert [int(chest) for chest in BOX.track_chests if chest] == [
        c for c in MARCO_POLO.components.tables["track"]["chests"] if c
    ]
    assert sum(BOX.track_chests > 0) == 11
    assert set(BOX.track_chests) == {0, 1, 2}


@pytest.mark.parametrize("space", [0, 1, 4])
def test_a_chest_on_a_starting_space_is_refused(space: int) -> None:
    """M2: also on one where only a fifth player's camel would start."""
    with pytest.raises(
        DataError, match=f"track.chests.{space}: no chest can stand there, camels start there"
    ):
        comptoir.new("marco_polo", components=track(space, 1, "chests"))


@ANY_NUMBER
def test_five_cards_each_five_open_and_the_rest_is_the_pile(ruleset: RuleSet, players: int) -> None:
    """M3: 55 cards in all."""
    t = PositionBuilder(ruleset, players=players)
    assert (
        [len(t.hand(seat)) for seat in range(5)] == list(t.p.hand_size) == [5] * players + [0] * (5 - players)
    )
    assert len(cards_of(t.p.row)) == t.p.row_size == 5
    assert len(cards_of(t.p.pile)) == t.p.pile_size == 55 - 5 - 5 * players
    assert not t.p.discards
    assert t.sound()


def test_the_cards_of_the_box() -> None:
    """M3: in each of five colours two of each good and three drivers."""
    cards = cards_of(rules.all_cards(BOX))
    assert len(cards) == 55
    for colour in rules.COLOURS:
        for face in rules.FACES:
            assert cards.count(f"{colour} {face}") == (3 if face == "driver" else 2)


def test_any_card_may_be_dealt(ruleset: RuleSet) -> None:
    """M3: at random, drivers half as often again as a good."""
    dealt = [
        card for n in range(100) for seat in range(4) for card in PositionBuilder(ruleset, str(n)).hand(seat)
    ]
    for kind in rules.CARDS:
        expected = 2000 * (3 if kind.endswith("driver") else 2) / 55
        assert 0.6 * expected < dealt.count(kind) < 1.4 * expected, kind


# The box


def test_every_number_of_the_track_comes_from_the_box(ruleset: RuleSet) -> None:
    """M20, M30: with Ganzhou at 17 and Dadu at 30, as some reviews have it, those are the cities."""
    tables = MARCO_POLO.components.tables["track"]
    box = changed(
        cities={"ganzhou": 17, "dadu": 30},
        track={"demands": [*tables["demands"], "1 good"], "chests": [*tables["chests"], 0]},
    )
    t = PositionBuilder(ruleset, players=3, first=0)
    t.box = cast("Box", MARCO_POLO.read_components(box).box)
    t.clear_cards().space(17, "1 good").give(0, "red oil").line_up(16, 12, 9).lay("red oil").play("draw")
    assert [int(space) for space in t.p.camels[:3, 0]] == [17, 17, 9]
    assert list(t.p.gold[:3]) == [3 + 6, 3 + 1, 3]
    t.clear_cards().give(0, "red oil").line_up(29, 28, 20).lay("red oil")
    assert rules.ENDINGS[t.p.ending] == "dadu"
    assert t.scores()[0][0] == 9 + 7


@pytest.mark.parametrize(
    ("components", "error"),
    [
        (track(5, "nothing", "demands"), "track.demands.5: expected a demand, up to Dadu; found 'nothing'"),
        (
            track(0, "1 good", "demands"),
            "track.demands.0: expected nothing: there is no space to enter; found '1 good'",
        ),
        (track(7, "5 identical goods", "demands"), "demands.7: expected one of nothing, 1 good"),
        (
            changed(cities={"dadu": DADU + 1}),
            f"track.demands.{DADU + 1}: expected a demand, up to Dadu; found 'nothing'",
        ),
        (
            changed(cities={"dadu": DADU - 1}),
            f"track.demands.{DADU}: expected nothing: there is no space to enter",
        ),
        (changed(cards={"driver": 0}), "not even all cards of the box give '2 drivers'"),
        (changed(cards={"oil": 0}), "not even all cards of the box give 'one of each good'"),
        (
            changed(cards=dict.fromkeys(rules.FACES, 1)),
            "cards: 25 are not enough for the hands and the row: 30",
        ),
        (
            changed(cities={"ganzhou": 8}),
            "cities.ganzhou: expected at least 10, so that its scoring spaces start after space 4",
        ),
        (
            changed(cities={"ganzhou": 23}),
            "cities.dadu: expected at least 30, so that its scoring spaces start after space 23",
        ),
        (track(1, "nothing", "demands"), "track.demands.1: expected a demand, up to Dadu; found 'nothing'"),
        (
            changed(cities={"dadu": 4}),
            "track.chests.5: no chest can stand there, that is beyond Dadu",
        ),
        (changed(track={"chests": [0] * 39 + [1]}), "track.chests.39: no chest can stand there"),
        (changed(scoring={"ganzhou": []}), "scoring.ganzhou: expected the gold of the city's space"),
        (changed(scoring={"dadu": [7, 0, 5]}), "scoring.dadu: expected the gold of the city's space"),
    ],
)
def test_a_box_that_cannot_be_played_with_is_refused(components: dict[str, Any], error: str) -> None:
    """M2, M13, M20, M30: with all that is wrong."""
    with pytest.raises(DataError) as refused:
        comptoir.new("marco_polo", components=components)
    assert error in str(refused.value)


def drivers_only() -> dict[str, Any]:
    """A box without goods: each space demands a driver."""
    tables = changed(cards=dict.fromkeys(rules.GOODS, 0))
    tables["start"] = tables["start"] | {"hand": 2}
    tables["track"] = tables["track"] | {"demands": ["nothing", *["1 driver"] * DADU]}
    return tables


@pytest.mark.parametrize(
    "components",
    [changed(cities={"ganzhou": 10}), changed(start={"hand": 10}), drivers_only()],
    ids=["a city as near as can be", "as many cards as are needed", "no goods"],
)
def test_a_box_that_can_just_be_played_with(components: dict[str, Any]) -> None:
    """M2, M3, M13, M20: at the limits."""
    assert MARCO_POLO.rules.check_box(MARCO_POLO.read_components(components).box) == []


def test_a_chest_beyond_dadu_is_refused() -> None:
    """M2: there is no space."""
    chests = MARCO_POLO.components.tables["track"]["chests"]
    with pytest.raises(
        DataError, match=f"track.chests.{DADU + 1}: no chest can stand there, that is beyond Dadu"
    ):
        comptoir.new("marco_polo", components=changed(track={"chests": [*chests, 2]}))


def test_what_is_known_of_the_track() -> None:
    """M13, M21, M30: Ganzhou's demand, the gold of the scoring spaces; the rest says that it is a
    placeholder.
    """
    assert rules.DEMANDS[BOX.track_demands[GANZHOU]] == "one of each good"
    assert [rules.value(BOX.scoring_ganzhou, GANZHOU, space) for space in range(10, 19)] == [
        0,
        1,
        2,
        3,
        4,
        5,
        6,
        0,
        0,
    ]
    assert [rules.value(BOX.scoring_dadu, DADU, space) for space in range(22, 30)] == [0, 1, 2, 3, 4, 5, 6, 7]
    assert MARCO_POLO.components.placeholders == ["track"]


# Positions that come in as data


def test_a_position_as_data_is_checked(ruleset: RuleSet) -> None:
    """M1, M3, M4, M11, M20: each invariant is named when it is violated."""
    broken: list[tuple[dict[str, Any], str]] = [
        ({"hand": [{}, {}, {}]}, "cards: not as many as the box holds"),
        ({"hand_size": [5, 6, 5]}, "hand_size: not the number of cards in hand: seat 1"),
        ({"drawn_size": [5, 5, 4]}, "drawn_size: not the number of cards drawn: seat 2"),
        ({"seen": [dict.fromkeys(rules.CARDS, 3), {}, {}]}, "seen: more than the hand holds: seat 0"),
        ({"camels": [[0, -1], [0, -1], [2, -1]]}, "camels: one each"),
        ({"camels": [[0, 3], [1, -1], [2, -1]]}, "camels: one each"),
        ({"camels": [[30, -1], [1, -1], [2, -1]]}, "camels: one each"),
        ({"reached": [[], [1], [2]]}, "reached: not the space where a camel stands"),
        ({"reached": [[0], [1, 9], [2]]}, "reached: not the space where a camel stands"),
        ({"camels": [[17, -1], [1, -1], [2, -1]], "reached": [[17], [1], [2]]}, "scored: only a camel"),
        ({"camels": [[16, -1], [1, -1], [2, -1]], "reached": [[16], [1], [2]]}, "scored: only a camel"),
        (
            {"camels": [[29, -1], [1, -1], [2, -1]], "reached": [[29], [1], [2]], "scored": True},
            "camels: one each",
        ),
        ({"camels": [[16, -1], [16, -1], [2, -1]], "reached": [[16], [16], [2]]}, "scored: only a camel"),
        (
            {"scored": True, "camels": [[12, -1], [1, -1], [2, -1]], "reached": [[12], [1], [2]]},
            "scored: only a camel",
        ),
        ({"pile_size": 36}, "pile_size, row_size"),
        ({"turn": None}, "turn: somebody decides"),
        ({"ending": "dadu"}, "turn: somebody decides"),
        ({"phase": "step"}, "step: a camel that has been chosen"),
        ({"moving": -1}, "step: a camel that has been chosen"),
    ]
    table = PositionBuilder(ruleset, players=3, first=0).clear_cards().space(3, "2 drivers")
    table.give(0, *["red oil"] * 2, *["blue oil"] * 2, "green oil").give(
        1, *["red silk"] * 2, *["blue silk"] * 2, "green silk"
    )
    table.give(2, *["red fruit"] * 2, *["blue fruit"] * 2, "green fruit").row(
        *["red driver"] * 3, *["blue driver"] * 2
    )
    assert table.sound()
    data = MARCO_POLO.to_dict(table.p)
    for change, error in broken:
        with pytest.raises(DataError) as refused:
            MARCO_POLO.position_from_dict(data | change, table.box)
        assert error in str(refused.value), change


@pytest.mark.parametrize(
    ("demand", "hand", "paid", "fits"),
    [
        ("3 identical goods", ["red oil"] * 2, ["blue oil"], True),
        ("3 identical goods", ["red oil"], ["blue oil"], False),
        ("3 identical goods", ["red oil"], ["blue oil", "red silk"], False),
        ("one of each good", ["red silk", "red fruit"], ["red oil", "red spice"], True),
        ("one of each good", ["red spice", "red silk", "red fruit"], ["red oil", "blue oil"], False),
        ("2 drivers", ["red driver"], ["red driver", "blue driver"], False),
    ],
)
def test_cards_laid_for_a_step_must_fit_it(
    ruleset: RuleSet, demand: str, hand: list[str], paid: list[str], fits: bool
) -> None:
    """M11, M13: a position as data in the middle of a payment that could not have come about is refused."""
    t = PositionBuilder(ruleset, players=3, first=0).clear_cards().space(3, demand)
    t.give(0, *hand).row("green oil", "green silk", "green fruit", "green spice", "green driver")
    t.paid(*paid)
    t.p.phase = rules.STEP
    assert (MARCO_POLO.rules.check_position(t.p, t.box) == []) == fits


@ANY_NUMBER
def test_missing_players_have_nothing(ruleset: RuleSet, players: int) -> None:
    """M1, M3: fields of seats that do not play stay empty."""
    p = PositionBuilder(ruleset, players=players).p
    for field in (p.hand, p.hand_size, p.gold, p.camels, p.reached, p.drawn_size):
        assert not np.any(field[players:])
