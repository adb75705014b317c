"""Moving ships, discovering and converting: S22 to S26, S33, S34."""

from __future__ import annotations

import pytest

from comptoir.engine.interface import RuleSet
from comptoir.games.sail_to_india import rules
from tests.games.sail_to_india.positions import PositionBuilder


def test_any_number_of_ships_sail_in_one_action(ruleset: RuleSet) -> None:
    """S22: from Lisbon and from towns, each on its own way, for one point."""
    t = (
        PositionBuilder(ruleset)
        .towns()
        .has(0, lisbon=2, at2=2, at3=1)
        .play("sail 0-1", "sail 0-1", "sail 2-3", "sail 2-1", "sail 3-4", "anchor")
    )
    assert (t.ships(0), t.p.lisbon[0], t.p.points) == ({1: 3, 3: 1, 4: 1}, 0, 1)


@pytest.mark.parametrize(("speed", "ways"), [(1, [2, 4]), (2, [1, 2, 4, 5]), (3, [1, 2, 4, 5, 6])])
def test_ships_sail_by_up_to_the_speed_both_ways(ruleset: RuleSet, speed: int, ways: list[int]) -> None:
    """S22: toward Lisbon or away from it, never into it."""
    t = PositionBuilder(ruleset).towns(7).has(0, at3=1).speed(0, speed)
    assert sorted(t.may("sail")) == [f"3-{town}" for town in ways]


@pytest.mark.parametrize(("speed", "ways"), [(1, ["0-1"]), (2, ["0-1", "0-2"]), (3, ["0-1", "0-2", "0-3"])])
def test_markers_sail_out_from_lisbon(ruleset: RuleSet, speed: int, ways: list[str]) -> None:
    """S22: the first town is at distance 1; the marker becomes a ship."""
    t = PositionBuilder(ruleset).towns().has(0, lisbon=1).speed(0, speed)
    assert t.may("sail") == ways
    assert t.play(f"sail {ways[-1]}").ships(0) == {speed: 1}


@pytest.mark.parametrize("start", range(1, 13))
@pytest.mark.parametrize("speed", [1, 2, 3])
def test_every_voyage_goes_where_it_says(ruleset: RuleSet, start: int, speed: int) -> None:
    """S22: all starts and ends, with all twelve towns face up."""
    ends = [end for end in range(max(1, start - speed), min(12, start + speed) + 1) if end != start]
    for end in ends:
        t = PositionBuilder(ruleset).towns(12).has(0, **{f"at{start}": 1}).speed(0, speed)
        assert sorted(t.may("sail")) == sorted(f"{start}-{other}" for other in ends)
        assert t.play(f"sail {start}-{end}").ships(0) == {end: 1}


def test_moving_none_is_allowed(ruleset: RuleSet) -> None:
    """S22: to convert only: one action for all that convert."""
    t = PositionBuilder(ruleset).towns().has(0, at2=1, at3=1).play("convert 2a", "convert 3b")
    assert (t.land(0), t.p.points, t.p.voyage) == (["2a", "3b"], 1, 0)


def test_a_ship_stops_at_a_face_down_town(ruleset: RuleSet) -> None:
    """S23: the first face-down town is as far as speed 3 goes."""
    t = PositionBuilder(ruleset).towns(3).has(0, at2=1).speed(0, 3)
    assert sorted(t.may("sail")) == ["2-1", "2-3", "2-4"]
    assert t.why_not("sail 2-5") == "S23"


def test_one_discovery_a_turn(ruleset: RuleSet) -> None:
    """S23: after that no ship enters a face-down town in this turn, but in the next."""
    t = PositionBuilder(ruleset).towns(3).has(0, vp=1, at3=1, at4=0).speed(0, 3).play("sail 3-4", "anchor")
    assert t.p.discovered
    assert sorted(t.may("sail")) == ["4-1", "4-2", "4-3"]
    assert t.why_not("sail 4-5") == "S23"
    t.play(*["end turn"] * 4)
    assert "4-5" in t.may("sail")


def test_several_ships_may_go_to_the_same_face_down_town(ruleset: RuleSet) -> None:
    """S23, S25: that is one discovery, for 1 VP."""
    t = (
        PositionBuilder(ruleset)
        .towns(3)
        .has(0, vp=1, at2=1, at3=2)
        .speed(0, 2)
        .play("sail 3-4", "sail 2-4", "sail 3-4", "anchor")
    )
    assert (t.ships(0), t.p.face_up, t.p.vp[0]) == ({4: 3}, 4, 2)


def test_a_face_down_town_that_nobody_discovers_stays_so(ruleset: RuleSet) -> None:
    """S23: a ship that went there and was returned before the end of the sailing has discovered nothing."""
    t = PositionBuilder(ruleset).towns(3).has(0, vp=1, at3=1).play("sail 3-4").returns("4sea").play("anchor")
    assert (t.p.face_up, t.p.discovered, t.p.vp[0]) == (3, 0, 1)


def test_any_number_of_ships_may_be_in_one_sea(ruleset: RuleSet) -> None:
    """S24: of one player and of several."""
    t = PositionBuilder(ruleset).towns().has(0, lisbon=8).has(1, at1=5)
    assert t.play(*["sail 0-1"] * 8).ships(0) == {1: 8}


def test_discovering_turns_the_town_up_for_one_vp(ruleset: RuleSet) -> None:
    """S25: it shows a card that was not seen before."""
    t = PositionBuilder(ruleset).towns(3).has(0, vp=1, at3=1).play("sail 3-4", "anchor")
    assert (t.p.face_up, t.p.vp[0], t.p.india) == (4, 2, -1)
    assert t.p.row[3] not in (-1, 0, 1, 2)


@pytest.mark.parametrize(("players", "last"), [(3, 9), (4, 12)])
def test_the_last_town_is_india(ruleset: RuleSet, players: int, last: int) -> None:
    """S25: 1 VP more."""
    t = (
        PositionBuilder(ruleset, players=players)
        .towns(last - 1)
        .has(0, vp=1, **{f"at{last - 1}": 1})
        .play(f"sail {last - 1}-{last}", "anchor")
    )
    assert (t.p.vp[0], t.p.india, t.p.face_up) == (3, 0, last)
    assert t.may("sail") == [f"{last}-{last - 1}"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_any_unseen_card_may_turn_up(ruleset: RuleSet, seed: int) -> None:
    """S25, S2: in the end the row holds twelve different cards."""
    t = PositionBuilder(ruleset, str(seed)).towns(3).has(0, vp=1, at3=1)
    for town in range(4, 13):
        t.turn(0).p.discovered = 0
        t.play(f"sail {town - 1}-{town}", "anchor")
        if t.p.vp_due:
            t.play("decline")
    assert sorted(t.p.row) == list(range(12))


def test_ships_convert_to_free_goods_spaces(ruleset: RuleSet) -> None:
    """S26: one marker a space, moved or not, in any town; then it is no ship any more."""
    t = (
        PositionBuilder(ruleset)
        .towns()
        .has(0, lisbon=1, at2=1, at4=2)
        .has(1, land="2a", at5=1)
        .play("sail 0-1", "anchor")
    )
    assert t.may("convert") == ["1a", "4a", "1b", "2b", "4b"]
    t.play("convert 1b", "convert 4a", "convert 4b", "convert 2b")
    assert (t.land(0), t.ships(0)) == (["4a", "1b", "2b", "4b"], {})
    assert "sail" not in " ".join(t.legal())


def test_the_last_seats_markers_block_spaces_too(ruleset: RuleSet) -> None:
    """S26, S28: a space holds one marker, of whichever player."""
    t = PositionBuilder(ruleset).towns().has(0, wealth=2, at1=1).has(3, land="1a 1c")
    assert (t.may("convert"), t.may("build")) == (["1b"], ["1sea-d"])


def test_converting_is_part_of_a_move_action(ruleset: RuleSet) -> None:
    """S26: its last step: not while ships sail; and after the next action it is another move action."""
    t = PositionBuilder(ruleset).towns().has(0, wealth=2, lisbon=1, at2=1)
    assert t.play("sail 0-1").why_not("convert 2a") == "S34"
    t.play("anchor", "convert 1a")
    assert t.p.points == 1
    t.play("activate")
    assert t.why_not("convert 2a") == "S26"
    t = PositionBuilder(ruleset).towns().has(0, wealth=2, lisbon=1, at2=1).play("activate", "convert 2a")
    assert t.p.points == 0


def test_the_new_town_may_be_converted_to_at_once(ruleset: RuleSet) -> None:
    """S26, S34: converting comes after discovering."""
    t = PositionBuilder(ruleset).towns(3).has(0, vp=1, at3=1).play("sail 3-4", "anchor", "convert 4b")
    assert t.land(0) == ["4b"]


def test_a_marker_sails_once_in_an_action(ruleset: RuleSet) -> None:
    """S33: what has arrived stays there; what was there before may go."""
    t = PositionBuilder(ruleset).towns().has(0, lisbon=1, at1=1).play("sail 0-1")
    assert sorted(t.may("sail")) == ["1-2"]
    t.play("sail 1-2")
    assert t.may("sail") == []
    assert t.why_not("sail 1-2") == t.why_not("sail 2-3") == "S33"


def test_in_a_second_move_action_all_may_sail_again(ruleset: RuleSet) -> None:
    """S33: also in the same turn."""
    t = PositionBuilder(ruleset).towns().has(0, lisbon=1).play("sail 0-1", "anchor", "sail 1-2", "anchor")
    assert (t.ships(0), t.p.points) == ({2: 1}, 0)


def test_a_marker_back_from_sailing_does_not_sail_again(ruleset: RuleSet) -> None:
    """S33: it stays on Lisbon for this action, and a ship that has not sailed may take its place."""
    t = PositionBuilder(ruleset).towns().has(0, lisbon=1, at3=1).play("sail 0-1").returns("1sea")
    assert (t.p.lisbon[0], t.p.home) == (1, 1)
    assert "0-1" not in t.may("sail")
    assert t.why_not("sail 0-1") == "S33"
    t.returns("3sea").play("sail 0-1")
    assert (t.p.lisbon[0], t.may("sail")) == (1, [])
    assert "0-1" in t.play("anchor").may("sail")


def test_a_marker_back_from_sailing_may_become_a_historian(ruleset: RuleSet) -> None:
    """S33: and then the one that has not sailed is still there to sail."""
    t = PositionBuilder(ruleset).towns().has(0, lisbon=2, wealth=3).owns(0, "banking")
    t.play("sail 0-1").returns("1sea").play("bank", "appoint")
    assert (t.p.lisbon[0], t.p.home, t.p.vp[0]) == (1, 0, 1)
    assert t.play("sail 0-1").ships(0) == {1: 1}


def test_a_historian_who_has_sailed_does_not_sail_again(ruleset: RuleSet) -> None:
    """S33: though he has kept VP since; a marker that has not sailed does, and in the next action he may."""
    t = PositionBuilder(ruleset).towns().has(0, lisbon=1, wealth=2, vp=5).owns(0, "banking")
    t.play("sail 0-1").returns("1sea").play("bank", "appoint")  # the banker, idle now, has not sailed
    assert (t.p.lisbon[0], t.p.home, t.p.chronicler, t.p.vp[0]) == (1, 0, 1, 6)
    t.returns("historian")
    assert (t.p.lisbon[0], t.p.home, t.p.chronicler, t.p.vp[0]) == (2, 1, 0, 5)
    t.play("sail 0-1")
    assert t.why_not("sail 0-1") == "S33"
    t.returns("historian")
    assert (t.p.vp[0], t.may("sail")) == (0, ["0-1"])  # that one had not sailed
    assert "0-1" in t.play("anchor").may("sail")


def test_who_has_become_a_historian_does_not_matter_after_the_action(ruleset: RuleSet) -> None:
    """S33: in the next action the marker may sail like any other."""
    t = PositionBuilder(ruleset).towns().has(0, lisbon=1, wealth=2, vp=5).owns(0, "banking")
    t.play("sail 0-1").returns("1sea").play("bank", "appoint", "sail 0-1", "anchor")
    assert t.returns("historian").may("sail") == ["0-1", "1-2"]


def test_ships_off_the_last_town(ruleset: RuleSet) -> None:
    """S22, S33: they sail back, and the player chooses between one that has sailed and one that has not."""
    t = PositionBuilder(ruleset).towns(12).has(0, at11=1, at12=1).play("sail 11-12")
    assert t.may("sail") == ["12-11"]
    assert t.may_return() == ["12sea", "12sailed"]


def test_from_a_mixed_sea_the_player_chooses_which_ship_returns(ruleset: RuleSet) -> None:
    """S31, S33: the one that has sailed in this action, or the one that has not, which may still sail out."""
    t = PositionBuilder(ruleset).towns().has(0, lisbon=1, at1=1).play("sail 0-1")
    assert t.may_return() == ["1sea", "1sailed"]
    t.returns("1sea")
    assert t.may("sail") == ["0-1"]
    assert t.may_return() == ["1sea"]  # the only kind that is left has sailed
    t = PositionBuilder(ruleset).towns().has(0, lisbon=1, at1=1).play("sail 0-1").returns("1sailed")
    assert t.may("sail") == ["1-2"]
    assert t.play("anchor").may_return() == ["1sea"]


def test_the_order_of_a_move_action(ruleset: RuleSet) -> None:
    """S34: sail, Port maintenance, discovery, Cartography, convert; only then Architecture."""
    t = (
        PositionBuilder(ruleset)
        .towns(3)
        .has(0, lisbon=3, wealth=5, at3=1)
        .owns(0, "port maintenance", "cartography", "architecture")
    )
    t.play("sail 0-1", "sail 0-1", "sail 0-1", "sail 3-4", "anchor")
    assert (t.p.phase, t.p.vp_due, t.p.face_up) == (rules.LANDFALL, 1, 3)  # the port's VP comes first
    assert not t.may("build")
    t.returns("1sea").play("appoint")
    assert (t.p.phase, t.p.vp[0], t.p.face_up) == (rules.CHARTING, 2, 4)
    assert t.legal() == ["chart", "no chart", "recall"]
    t.play("chart")
    assert (t.p.phase, t.p.vp[0], t.p.wealth[0]) == (rules.CONVERTING, 3, 4)
    t.play("convert 4a", "build 4a-c")
    assert (t.p.phase, t.p.points) == (rules.TURN, 1)
    assert t.play("convert 1a").p.points == 0  # that is another move action


def test_ports_pay_even_if_the_discovery_is_returned_for_it(ruleset: RuleSet) -> None:
    """S34: a ship on its way to a discovery may be returned while the port's VP is due: then nothing is
    discovered.
    """
    t = PositionBuilder(ruleset).towns(3).has(0, lisbon=3, at3=1).owns(0, "port maintenance")
    t.play("sail 0-1", "sail 0-1", "sail 0-1", "sail 3-4", "anchor").returns("4sea").play("appoint")
    assert (t.p.vp[0], t.p.face_up, t.p.phase) == (1, 3, rules.CONVERTING)


def test_with_three_players_no_ship_sails_beyond_the_ninth_town(ruleset: RuleSet) -> None:
    """S2, S23: once it is face up there is nothing further to discover."""
    t = PositionBuilder(ruleset, players=3).towns(9).has(0, lisbon=1, at9=1).turn(0)
    assert t.may("sail") == ["0-1", "9-8"]
