"""What the evaluation of Batavia thinks, and what players do by the rollout policy."""

from __future__ import annotations

import numpy as np
import pytest

from comptoir.bots.seated import SeatedBot
from comptoir.engine.dice import dice_for
from comptoir.engine.interface import (
    RuleSet,
    cycle_key,
    evaluate,
    prune_redundant,
    prune_uncommon,
    rollout_action,
)
from comptoir.engine.mask import members, new_mask
from comptoir.engine.match import Match
from comptoir.games.batavia import rules
from comptoir.games.batavia.evaluation import MAX_RAISE
from tests.games.batavia.positions import BATAVIA, BOX, PositionBuilder, random_match

WEIGHTS = BATAVIA.evaluation.weights


def points(table: PositionBuilder) -> list[float]:
    """Each seat's expected points."""
    out = np.zeros(5)
    spread = table.ruleset.bind(evaluate)(table.p, BOX, WEIGHTS, out)
    assert spread > 0
    return [float(x) for x in out[: table.players]]


def lead(table: PositionBuilder) -> float:
    """How far seat 0 is judged to be ahead of seat 1."""
    now = points(table)
    return now[0] - now[1]


def bare(ruleset: RuleSet) -> PositionBuilder:
    """Seat 3 is to move; nobody has a card, a tile or a crate, and all shops but one are gone."""
    return PositionBuilder(ruleset).clear_cards().shops(england_tea=20).moves(3, moved=3)


def test_seats_that_have_the_same_are_judged_the_same(ruleset: RuleSet) -> None:
    assert lead(bare(ruleset)) == pytest.approx(0)


def test_gold_is_worth_what_it_is(ruleset: RuleSet) -> None:
    t = bare(ruleset)
    t.p.gold[0] = 7
    assert lead(t) == pytest.approx(7)


def test_a_crate_alone_in_a_post_is_worth_more_where_the_good_is_dearer(ruleset: RuleSet) -> None:
    assert 0 < lead(bare(ruleset).stock("tea", 1)) < lead(bare(ruleset).stock("pepper", 1))


def test_a_crate_more_than_the_other_is_worth_more_than_as_many(ruleset: RuleSet) -> None:
    assert (
        lead(bare(ruleset).stock("silk", 2, 1)) > lead(bare(ruleset).stock("silk", 2, 2)) == pytest.approx(0)
    )


def test_a_post_is_surer_the_nearer_the_end_and_when_no_shop_of_its_good_is_left(ruleset: RuleSet) -> None:
    open_post = {"sweden_silk": 34, "france_silk": 35}
    early = bare(ruleset).shops(england_tea=20, **open_post).stock("silk", 1)
    late = (
        bare(ruleset)
        .shops(england_tea=20, **open_post)
        .stock("silk", 1)
        .at(seat0=30, seat1=30, seat2=30, seat3=30)
    )
    assert lead(early) < lead(late) < lead(bare(ruleset).stock("silk", 1))


def test_different_tiles_are_worth_more_than_tiles_of_one_company(ruleset: RuleSet) -> None:
    assert lead(bare(ruleset).holds(0, england=1, sweden=1)) > lead(bare(ruleset).holds(0, england=2)) > 0


def test_tiles_are_worth_nothing_when_there_is_no_time_to_trade_them_in(ruleset: RuleSet) -> None:
    t = bare(ruleset).holds(0, england=1, sweden=1)
    t.p.arrival = 2
    assert lead(t) == pytest.approx(0)


def test_the_arrival_tile_counts(ruleset: RuleSet) -> None:
    t = bare(ruleset)
    t.p.arrival = 0
    assert lead(t) == pytest.approx(int(BOX.gold_arrival))


def test_cards_that_open_a_way_are_worth_more_than_cards_that_do_not(ruleset: RuleSet) -> None:
    way, none = (
        bare(ruleset).laid(2, england=3).give(0, **cards) for cards in ({"sweden": 2}, {"england": 2})
    )
    assert lead(way) > lead(none) > 0


def test_bills_are_worth_something_and_each_more_a_little_less(ruleset: RuleSet) -> None:
    worth = []
    for bills in (15, 16, 17):
        t = bare(ruleset)
        t.p.bills[0] = bills
        t.p.bills[2] = 40  # most, whatever the others have
        worth.append(lead(t))
    assert worth[0] == pytest.approx(0)
    assert worth[1] > worth[2] - worth[1] > 0


def test_a_bid_is_judged_best_where_it_is_enough_and_not_too_much(ruleset: RuleSet) -> None:
    """All others are out; any bid takes the lot, so the lowest is best, and better than to pass."""
    worth = []
    for action in ("pass", "bid 1", "bid 15"):
        t = bare(ruleset).laid(1, sweden=1).lot(sweden=3).auction(0).play("pass", "pass", "pass")
        t.play(action)
        now = points(t)
        worth.append(now[0] - sum(now) / 4)
    assert worth[1] > max(worth[0], worth[2])


@pytest.mark.parametrize("players", [3, 4, 5])
def test_every_position_can_be_judged(ruleset: RuleSet, mode: str, players: int) -> None:
    phases = set()
    for number, t in enumerate(random_match(ruleset, "judged", players=players)):
        if t.p.turn >= 0 and (mode == "compiled" or number % 5 == 0):
            phases.add(int(t.p.phase))
            assert all(-50 < x < 150 for x in points(t))
    assert phases == {rules.AUCTION, rules.MOVE, rules.LAYING, rules.TRADING}


@pytest.mark.parametrize("players", [3, 4, 5])
def test_habit_is_legal_and_comes_to_an_end(ruleset: RuleSet, mode: str, players: int) -> None:
    """Somebody arrives, after some ten rounds."""
    choose, mask = ruleset.bind(rollout_action), new_mask(len(rules.ACTIONS))
    for n in range(100 if mode == "compiled" else 5):
        t, dice = PositionBuilder(ruleset, f"habit {n}", players=players), dice_for("habit", n)
        while t.p.turn >= 0:
            mask[...] = 0
            ruleset.legal(t.p, BOX, mask)
            action = choose(t.p, BOX, WEIGHTS, mask, dice)
            assert action in members(mask)
            ruleset.play(t.p, BOX, action, dice)
        assert t.p.ending == rules.ARRIVAL
        assert t.p.round_number < 20


def test_by_habit_a_seat_takes_the_shop_it_can(ruleset: RuleSet) -> None:
    t = PositionBuilder(ruleset).clear_cards().shops(england_tea=20).give(0, england=1).moves(0)
    choose, mask = ruleset.bind(rollout_action), new_mask(len(rules.ACTIONS))
    for expected in ("lay england", "advance england"):
        mask[...] = 0
        ruleset.legal(t.p, BOX, mask)
        assert rules.ACTIONS.texts[choose(t.p, BOX, WEIGHTS, mask, dice_for("habit", 0))] == expected
        t.play(expected)


def test_nobody_draws_from_nothing_when_there_is_only_the_arrival_ahead(ruleset: RuleSet) -> None:
    """B17, B40: with a seal, no shop ahead and no card in the pile, to lay a card and arrive is worth more
    than to draw none.
    """
    on, drawn = (
        bare(ruleset).at(seat0=30, seat1=30, seat2=30, seat3=30).laid(3, england=2).give(3, england=2)
        for _ in range(2)
    )
    for t in (on, drawn):
        t.p.pile[...], t.p.pile_size = 0, 0
        t.p.turn, t.p.moved = 3, 2
    assert points(on.play("lay england"))[3] > points(drawn.play("draw"))[3]


def test_a_move_is_worth_nothing_to_who_has_no_shop_ahead(ruleset: RuleSet) -> None:
    ahead, past = (bare(ruleset).at(seat0=space).moves(3, moved=0) for space in (10, 21))
    assert lead(ahead) > lead(past) + float(WEIGHTS["move"]) / 2


def test_no_turn_goes_in_circles(ruleset: RuleSet) -> None:
    t, mask = bare(ruleset), new_mask(len(rules.ACTIONS))
    assert ruleset.bind(cycle_key)(t.p, BOX) == 0
    ruleset.legal(t.p, BOX, mask)
    before = mask.copy()
    ruleset.bind(prune_redundant)(t.p, BOX, mask)
    assert (mask == before).all()


def common(t: PositionBuilder) -> list[str]:
    """What is left without the actions that few people would consider."""
    mask = new_mask(len(rules.ACTIONS))
    t.ruleset.legal(t.p, BOX, mask)
    t.ruleset.bind(prune_uncommon)(t.p, BOX, mask)
    return [rules.ACTIONS.texts[action] for action in members(mask)]


def test_jump_bids_are_uncommon(ruleset: RuleSet) -> None:
    """B12: what is left is a pass and raises in steps, as far as there are bills; and only in auctions."""
    t = PositionBuilder(ruleset).lot(england=2).auction(0)
    assert common(t) == ["pass", "bid 1", "bid 2"]
    t.play("bid 12")
    assert common(t) == ["pass", "bid 13", "bid 14"]
    t.play("bid 14")
    assert common(t) == ["pass", "bid 15"]
    moving = bare(ruleset).give(3, england=2, france=1)
    assert common(moving) == moving.legal()


@pytest.mark.parametrize("spec", ["clerk", "merchant:64"])
def test_clerks_and_merchants_raise_in_steps(spec: str) -> None:
    """B12: nobody who plays them is left without a decision by an opening bid of all bills."""
    raises = 0
    for seed in range(3):
        match = Match("batavia", players=4, seed=seed)
        match.game.compiled  # noqa: B018  asked for, so that the match uses it
        bots = [SeatedBot(spec, match, seat, f"steps {seat}", threads=1) for seat in range(4)]
        while match.turn is not None and match.ply < 60:
            bid, action = int(match.records[-1]["bid"]), bots[match.turn].choose()
            if action.startswith("bid "):
                raises += 1
                assert int(action.removeprefix("bid ")) <= bid + MAX_RAISE
            match.play(action)
    assert raises > 10
