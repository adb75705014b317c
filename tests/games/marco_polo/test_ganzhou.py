"""The stop at Ganzhou: M20 to M25."""

from __future__ import annotations

import pytest

from comptoir.engine.interface import RuleSet
from comptoir.games.marco_polo import rules
from tests.games.marco_polo.positions import (
    DADU,
    FIRST_SCORED,
    GANZHOU,
    MARCO_POLO,
    PositionBuilder,
    random_match,
)

ROW = ("green oil", "green spice", "green silk", "green fruit", "green driver")


def before_ganzhou(ruleset: RuleSet, *spaces: int) -> PositionBuilder:
    """Seat 0 stands before Ganzhou, which it can pay for, with a card to spare; the other seats stand on
    `spaces`.
    """
    t = PositionBuilder(ruleset, players=1 + len(spaces), first=0).clear_cards().row(*ROW)
    t.give(0, "red oil", "red silk", "red driver").space(GANZHOU, "1 good").space(GANZHOU + 1, "1 good")
    return t.line_up(GANZHOU - 1, *spaces)


def straggler(ruleset: RuleSet, *hand: str, at: int = FIRST_SCORED - 1, gold: int = 3) -> PositionBuilder:
    """The first scoring is over. Seat 0 has been left behind; seats 1 and 2 are on Ganzhou and beyond."""
    t = PositionBuilder(ruleset, players=3, first=0).clear_cards().row(*ROW).give(0, *hand)
    t.space(FIRST_SCORED, "1 good").space(GANZHOU, "1 good").space(GANZHOU + 1, "1 good").line_up(
        at, GANZHOU, GANZHOU + 2
    )
    t.p.scored = 1
    t.gold(gold)
    return t


def test_the_first_camel_to_reach_ganzhou_stops(ruleset: RuleSet) -> None:
    """M20: it cannot go on, though its owner could pay; a card is drawn, and only then the scoring takes
    place.
    """
    t = before_ganzhou(ruleset, 5, 3).lay("red oil")
    assert (t.p.camels[0, 0], t.p.turn, t.p.scored) == (GANZHOU, 0, 0)
    assert set(t.legal()) == {"draw", *(f"take {card}" for card in ROW)}
    t.play("take green oil")
    assert (t.p.scored, t.p.turn) == (1, 1)
    assert t.hand(0) == ["red silk", "red driver", "green oil"]


def test_the_first_camel_stops_without_lightening_too(ruleset: RuleSet) -> None:
    """M20: even where an opponent had been beyond; there is no way on in this turn."""
    t = before_ganzhou(ruleset, 5, 3).lay("red oil")
    t.p.reached[1] |= 1 << GANZHOU + 1
    assert "lighten" not in t.legal()


def test_who_finds_no_card_to_draw_still_brings_the_scoring_about(ruleset: RuleSet) -> None:
    """M20, M17: the card just laid is there to be drawn, so this needs a way in without cards; the scoring
    comes all the same.
    """
    t = (
        PositionBuilder(ruleset, players=3, first=0)
        .clear_cards()
        .pile(rest_to=1)
        .line_up(GANZHOU - 1, GANZHOU - 3, 5)
    )
    t.p.reached[1] |= 1 << GANZHOU
    t.play("lighten")
    assert t.legal() == ["pass"]
    t.play("pass")
    assert (t.p.scored, t.p.turn, list(t.p.gold[:3])) == (1, 1, [2 + 6, 3 + 3, 3])


@pytest.mark.parametrize(
    ("space", "gold"),
    [(GANZHOU - 1, 5), (14, 4), (13, 3), (12, 2), (FIRST_SCORED, 1), (FIRST_SCORED - 1, 0), (2, 0)],
)
def test_the_gold_of_the_six_scoring_spaces(ruleset: RuleSet, space: int, gold: int) -> None:
    """M21: by where a camel stands: 6 for the city, then 5, 4, 3, 2, 1 backwards."""
    t = before_ganzhou(ruleset, 5, 3)
    t.at(seat0=GANZHOU - 2 if space == GANZHOU - 1 else GANZHOU - 1, seat1=space)
    t.lay("red oil").play("draw")
    assert list(t.p.gold[:3]) == [3 + 6, 3 + gold, 3]


def test_camels_on_scoring_spaces_gather_on_ganzhou(ruleset: RuleSet) -> None:
    """M22: all of them together; those behind stay where they are."""
    t = before_ganzhou(ruleset, 14, FIRST_SCORED, FIRST_SCORED - 1, 2).lay("red oil").play("draw")
    assert list(t.p.camels[:5, 0]) == [GANZHOU, GANZHOU, GANZHOU, FIRST_SCORED - 1, 2]
    assert [GANZHOU in t.reached(seat) for seat in range(5)] == [True, True, True, False, False]
    assert t.sound()


def test_the_scoring_takes_place_once(ruleset: RuleSet) -> None:
    """M20, M23: nobody who comes to Ganzhou later scores, nor those who stand there."""
    t = straggler(ruleset, "red oil").lay("red oil").play("draw")
    assert list(t.p.gold[:3]) == [3, 3, 3]


def test_play_goes_on_to_the_left_of_who_called_the_scoring(ruleset: RuleSet) -> None:
    """M24: clockwise as ever."""
    t = before_ganzhou(ruleset, 14, 12, 5).at(seat2=GANZHOU - 2).turn(2).give(2, "blue oil").at(seat0=4)
    t.space(GANZHOU - 1, "1 good").give(2, "blue silk").lay("blue oil", "blue silk").play("draw")
    assert (t.p.scored, t.p.turn) == (1, 3)


@pytest.mark.parametrize("way", ["lay red oil", "lighten"])
def test_a_straggler_goes_to_ganzhou_from_the_first_scoring_space(ruleset: RuleSet, way: str) -> None:
    """M23: by cards or by lightening; it is put on Ganzhou at once, for no gold, and its move ends with a
    card.
    """
    t = straggler(ruleset, "red oil", "red silk").play(way)
    assert (t.p.camels[0, 0], t.p.gold[0], t.p.turn) == (GANZHOU, 3 - (way == "lighten"), 0)
    assert set(t.legal()) == {"draw", *(f"take {card}" for card in ROW)}
    assert t.play("draw").p.turn == 1
    assert t.sound()


def test_a_straggler_may_come_from_further_back(ruleset: RuleSet) -> None:
    """M23, M12: it goes on space by space until it reaches one of the six."""
    t = straggler(ruleset, "red oil", "red silk", at=FIRST_SCORED - 2).space(FIRST_SCORED - 1, "1 good")
    t.lay("red oil")
    assert t.p.camels[0, 0] == FIRST_SCORED - 1
    assert t.lay("red silk").p.camels[0, 0] == GANZHOU


def test_who_has_caught_up_goes_on_in_the_next_turn(ruleset: RuleSet) -> None:
    """M23: from Ganzhou, for the next space's cards."""
    t = straggler(ruleset, "red oil", "red silk").lay("red oil").play("draw").turn(0)
    assert t.lay("red silk").p.camels[0, 0] == GANZHOU + 1


def test_a_straggler_jumps_to_the_first_free_space_behind_the_six(ruleset: RuleSet) -> None:
    """M23, M25: the first scoring space is free, since nobody stands there any more."""
    t = straggler(ruleset, at=8).at(seat1=9)
    assert rules.next_space(t.p, t.box, 0) == 10
    assert rules.next_space(t.at(seat1=10, seat0=9).p, t.box, 0) == FIRST_SCORED


# What follows, in random matches


def watched(ruleset: RuleSet, mode: str) -> list[tuple[str, dict[str, int], PositionBuilder]]:
    """What happened in random matches, action by action: the action, some facts from before, and the table
    after.
    """
    found = []
    for n in range(40 if mode == "compiled" else 4):
        before: dict[str, int] = {}
        for t, action in random_match(
            ruleset, f"watched {n}", players=2 + n % 4, two_players="strategic" if n % 8 == 0 else "plain"
        ):
            if action:
                twin = object.__new__(PositionBuilder)
                twin.__dict__ = t.__dict__ | {"p": MARCO_POLO.copy(t.p)}
                found.append((action, before, twin))
            p = t.p
            seat = int(p.turn)
            moving = seat >= 0 and p.moving >= 0 and not p.stopped[p.moving]
            before = {
                "seat": seat,
                "scored": int(p.scored),
                "gold": int(p.gold[seat]),
                "target": rules.next_space(p, t.box, int(p.moving)) if moving else -1,
                "from": int(p.camels[seat, p.moving]) if moving else -1,
            }
    return found


@pytest.mark.slow
def test_what_follows_from_the_rules_about_the_stage_cities(ruleset: RuleSet, mode: str) -> None:
    """M25: nobody lightens onto Ganzhou or Dadu, or takes a chest by it; stragglers enter the first scoring
    space; none passes Ganzhou.
    """
    stragglers = 0
    for action, before, t in watched(ruleset, mode):
        if action == "lighten":
            assert before["target"] != DADU
            assert before["target"] != GANZHOU or before["scored"]
            assert t.p.gold[before["seat"]] == before["gold"] - 1
        if action.startswith("lay") and t.p.paid == 0 and before["from"] < GANZHOU:
            assert before["target"] <= GANZHOU
        moved = t.p.paid == 0 and (action == "lighten" or action.startswith("lay"))
        if moved and before["scored"] and before["from"] < GANZHOU and before["target"] >= FIRST_SCORED:
            assert before["target"] == FIRST_SCORED
            stragglers += 1
    assert stragglers or mode == "interpreted"


@pytest.mark.slow
def test_every_chest_before_ganzhou_is_gone_at_the_first_scoring(ruleset: RuleSet, mode: str) -> None:
    """M25: every space with a chest up to Ganzhou has been reached by someone."""
    scorings = 0
    for _, before, t in watched(ruleset, mode):
        if t.p.scored and not before["scored"]:
            reached = rules.reached_by_others(t.p, -1)
            assert all(reached >> space & 1 for space in range(GANZHOU + 1) if t.box.track_chests[space])
            scorings += 1
    assert scorings


@pytest.mark.parametrize("there", [1, 2, 3])
def test_a_camel_on_ganzhou_blocks_nobody(ruleset: RuleSet, there: int) -> None:
    """M25: with a box whose only scoring space is Ganzhou itself, stragglers enter it though others stand
    there.
    """
    t = PositionBuilder(ruleset, players=4, first=0).clear_cards().give(0, "red oil").space(GANZHOU, "1 good")
    t.box.scoring_ganzhou[1:] = 0
    t.line_up(GANZHOU - 1, *[GANZHOU] * there, *range(20, 23 - there))
    t.p.scored = 1
    assert rules.next_space(t.p, t.box, 0) == GANZHOU
    assert t.lay("red oil").p.camels[0, 0] == GANZHOU
