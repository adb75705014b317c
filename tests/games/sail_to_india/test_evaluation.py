"""What the evaluation says of a position, and that habit plays a game to its end."""

from __future__ import annotations

import numpy as np
import pytest

from comptoir.engine.dice import dice_for
from comptoir.engine.interface import RuleSet, cycle_key, evaluate, prune_redundant, rollout_action
from comptoir.engine.mask import allows, clear, members, new_mask
from comptoir.games.sail_to_india import rules
from tests.games.sail_to_india.positions import BOX, SAIL, PositionBuilder, random_match

WEIGHTS = SAIL.evaluation.weights


def judged(t: PositionBuilder) -> list[float]:
    """The points that each seat may expect."""
    points = np.zeros(4)
    assert t.ruleset.bind(evaluate)(t.p, BOX, WEIGHTS, points) > 0
    assert np.isfinite(points).all()
    return [float(x) for x in points[: t.players]]


def lead(t: PositionBuilder) -> float:
    """How far seat 0 is ahead of seat 1."""
    points = judged(t)
    return points[0] - points[1]


def table(ruleset: RuleSet, **markers: int | str) -> PositionBuilder:
    """Six towns face up, seats 1 to 3 alike, seat 0 as given."""
    t = PositionBuilder(ruleset).towns(6)
    for seat in range(4):
        t.has(seat, lisbon=2, wealth=2)
    return t.has(0, **({"lisbon": 2, "wealth": 2} | markers))


@pytest.mark.parametrize(
    ("more", "less"),
    [
        ({"vp": 3}, {"vp": 2}),
        ({"wealth": 4}, {"wealth": 3}),
        ({"lisbon": 3}, {"lisbon": 2}),  # a marker more out of the reserve
        ({"land": "1a 1b 2a"}, {"land": "1a 1b", "lisbon": 3}),  # three kinds to sell
        ({"land": "1a 1b 2a"}, {"land": "1a 1b", "at2": 1}),  # goods on land rather than a ship next to them
        ({"at6": 1}, {"at1": 1}),  # where a town can be discovered
        ({"land": "1d"}, {"land": "1c"}),  # a church rather than a stronghold, when the end is near
    ],
)
def test_more_of_a_good_thing_is_worth_more(
    ruleset: RuleSet, more: dict[str, int | str], less: dict[str, int | str]
) -> None:
    """At a like number of markers in play, but for the one that says otherwise."""
    late = "1d" in more.values()
    tables = [table(ruleset, **markers).towns(12 if late else 6) for markers in (more, less)]
    assert lead(tables[0]) > lead(tables[1])


def test_the_first_vp_is_worth_a_marker(ruleset: RuleSet) -> None:
    """S12: to appoint the first historian is better than to give the VP up."""
    due = PositionBuilder(ruleset).towns(3).has(0, lisbon=3, at3=1, wealth=2).play("sail 3-4", "anchor")
    declined = (
        PositionBuilder(ruleset)
        .towns(3)
        .has(0, lisbon=3, at3=1, wealth=2)
        .play("sail 3-4", "anchor", "decline")
    )
    assert lead(due.play("appoint")) > lead(declined)


def test_a_sale_is_not_closed_too_early(ruleset: RuleSet) -> None:
    """S27: half-way through a sale of three kinds it is better to go on than to close it."""
    half, early = (table(ruleset, land="1a 1b 2a").play("sell 1a") for _ in range(2))
    assert lead(half.play("sell 1b")) > lead(early.play("close sale"))
    assert lead(half.play("sell 2a", "close sale")) > lead(early)


def test_a_recall_for_nothing_is_worth_less_than_the_end_of_the_turn(ruleset: RuleSet) -> None:
    """S31: but if a gain is due and nobody is there to keep it, it is worth more than to give that up."""
    idle, done = (table(ruleset).has(0, wealth=2).turn(0, 1) for _ in range(2))
    assert lead(idle.play("recall")) < lead(done.play("end turn"))
    kept, lost = (table(ruleset, lisbon=0, at6=3).play("sail 6-7", "anchor") for _ in range(2))
    assert lead(kept.play("recall")) > lead(lost.play("decline"))


def test_what_is_to_come_counts_for_nothing_after_the_last_turn(ruleset: RuleSet) -> None:
    """S70, S71: seat 1 has found India and had its turn; only its points count, and its wealth by a
    trifle.
    """
    t = (
        PositionBuilder(ruleset)
        .towns(12)
        .has(1, vp=7, wealth=5, lisbon=3, land="1a 2a 3a")
        .has(2, vp=8)
        .turn(2)
    )
    assert judged(t)[1] == pytest.approx(7 + 5 * float(WEIGHTS["tie_break"]))
    assert judged(t)[2] > judged(t)[1]


@pytest.mark.slow
@pytest.mark.parametrize("players", [3, 4])
def test_every_position_can_be_judged(ruleset: RuleSet, players: int) -> None:
    """In every phase that random play comes to."""
    phases = set()
    for n, t in enumerate(random_match(ruleset, "judged", players=players)):
        if t.p.turn < 0 or n > 1500:
            break
        judged(t)
        phases.add(rules.PHASES[t.p.phase])
    assert phases >= {"turn", "sailing", "converting", "selling"}


@pytest.mark.parametrize("players", [3, 4])
def test_habit_plays_a_short_game(ruleset: RuleSet, players: int) -> None:
    """What is legal, to an end that is no guard: a game at random takes ten times as long."""
    choose, mask, decisions = ruleset.bind(rollout_action), new_mask(len(rules.ACTIONS)), 0
    t = PositionBuilder(ruleset, "habit", players=players)
    dice = dice_for("habit", 1)
    while t.p.turn >= 0:
        clear(mask)
        ruleset.legal(t.p, BOX, mask)
        action = choose(t.p, BOX, WEIGHTS, mask, dice)
        assert allows(mask, action)
        ruleset.play(t.p, BOX, action, t.dice)
        decisions += 1
    assert decisions < 1000
    assert t.p.ending != rules.ROUND_200


# The end


def ahead(ruleset: RuleSet, **markers: int) -> PositionBuilder:
    """Seat 0 is far ahead, with these markers besides its historians."""
    t = PositionBuilder(ruleset).towns(10).round(60)
    for seat in range(1, 4):
        t.has(seat, lisbon=2, vp=4)
    return t.has(0, **({"vp": 10} | markers))


def spread(t: PositionBuilder) -> float:
    """How uncertain the evaluation is: the less, the better for whoever is ahead."""
    return float(t.ruleset.bind(evaluate)(t.p, BOX, WEIGHTS, np.zeros(4)))


def test_who_is_ahead_does_well_to_sail_for_india(ruleset: RuleSet) -> None:
    """S70: also when the game has lasted long; with every voyage, and every town, the end is nearer."""
    steps = [
        spread(ahead(ruleset, **markers))
        for markers in ({}, {"lisbon": 1}, {"at4": 1}, {"at8": 1}, {"at9": 1})
    ]
    assert steps == sorted(steps, reverse=True)
    assert steps[0] > steps[-1]
    assert spread(ahead(ruleset, at9=1)) > spread(ahead(ruleset, at9=1).towns(11))


def test_the_longer_the_game_the_more_the_end_is_wanted(ruleset: RuleSet) -> None:
    early, late = (
        spread(ahead(ruleset).round(number)) - spread(ahead(ruleset, at9=1).round(number))
        for number in (30, 90)
    )
    assert late > early > 0


# Circles


def where(t: PositionBuilder) -> int:
    return int(t.ruleset.bind(cycle_key)(t.p, BOX))


def test_to_come_home_and_sail_out_again_is_to_go_in_a_circle(ruleset: RuleSet) -> None:
    """S31, S33: the markers are where they were; that one has sailed, or an action point is gone, makes no
    difference.
    """
    t = table(ruleset, lisbon=2).play("sail 0-1")
    out = where(t)
    assert where(t.play("recall", "return 1sea")) != out
    assert where(t.play("sail 0-1")) == out
    assert where(table(ruleset, lisbon=2).play("sail 0-1", "sail 0-1")) != out


def test_it_is_none_if_port_maintenance_pays_for_it(ruleset: RuleSet) -> None:
    """S53."""
    t = table(ruleset, lisbon=2).owns(0, "port maintenance").play("sail 0-1")
    out = where(t)
    assert where(t.play("recall", "return 1sea", "sail 0-1")) != out


def choices(t: PositionBuilder) -> set[str]:
    mask = new_mask(len(rules.ACTIONS))
    t.ruleset.legal(t.p, BOX, mask)
    t.ruleset.bind(prune_redundant)(t.p, BOX, mask)
    return {rules.ACTIONS.texts[action] for action in members(mask)}


def test_markers_are_recalled_only_where_one_is_needed(ruleset: RuleSet) -> None:
    """S31."""
    assert "recall" in table(ruleset, lisbon=0).legal()
    assert "recall" in choices(table(ruleset, lisbon=0))
    assert "recall" not in choices(table(ruleset, lisbon=1))
    assert "recall" not in choices(table(ruleset, lisbon=0).turn(0, 0))
    due = table(ruleset, lisbon=0, at6=3).play("sail 6-7", "anchor")
    assert "recall" in choices(due)
    assert choices(due.play("recall")) == {"return banker", "return 6sea", "return 7sea"}


def test_a_historian_returns_only_if_there_is_nobody_else(ruleset: RuleSet) -> None:
    assert choices(table(ruleset, lisbon=0, wealth=2, vp=3).play("recall")) == {"return banker"}
    assert choices(table(ruleset, lisbon=0, wealth=0, vp=3).play("recall")) == {"return historian"}
