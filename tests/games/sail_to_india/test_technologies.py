"""Technologies: S50 to S62."""

from __future__ import annotations

import pytest

from comptoir.engine.interface import RuleSet
from comptoir.games.sail_to_india import rules
from tests.games.sail_to_india.positions import COMPONENTS, SAIL, PositionBuilder


@pytest.mark.parametrize(("technology", "cost"), [("geography", 0), ("banking", 2), ("guild", 3)])
def test_metallurgy_makes_technologies_cheaper(ruleset: RuleSet, technology: str, cost: int) -> None:
    """S50: 1 less, never below 0, and only for its owner."""
    t = (
        PositionBuilder(ruleset)
        .has(0, lisbon=1, wealth=cost)
        .owns(0, "metallurgy")
        .play(f"acquire {technology}")
    )
    assert t.p.wealth[0] == 0
    if cost:
        assert (
            PositionBuilder(ruleset)
            .has(0, lisbon=1, wealth=cost - 1)
            .owns(0, "metallurgy")
            .why_not(f"acquire {technology}")
            == "S29"
        )
    assert (
        PositionBuilder(ruleset)
        .has(0, lisbon=1, wealth=cost)
        .owns(1, "metallurgy")
        .why_not(f"acquire {technology}")
        == "S29"
    )


def test_costs_never_go_below_zero(ruleset: RuleSet) -> None:
    """S50: a technology of cost 0 (in a box where there is another) stays at 0."""
    cost = COMPONENTS["technologies"]["cost"] | {"geography": 0}
    box = SAIL.read_components(COMPONENTS | {"technologies": {"certainty": "placeholder", "cost": cost}}).box
    t = PositionBuilder(ruleset).has(0, lisbon=1, wealth=3).owns(0, "metallurgy")
    ruleset.play(t.p, box, SAIL.action_index("acquire geography"), t.dice)
    assert t.p.wealth[0] == 3


def test_geography_brings_markers_back_to_sea(ruleset: RuleSet) -> None:
    """S51: goods and buildings, as many as wanted, to their own towns' seas, for nothing."""
    t = PositionBuilder(ruleset).towns().has(0, land="1a 2b 3c 4d").owns(0, "geography")
    assert t.may("refloat") == ["1a", "2b", "3c", "4d"]
    t.play("refloat 1a", "refloat 3c", "refloat 4d")
    assert (t.land(0), t.ships(0), t.p.points) == (["2b"], {1: 1, 3: 1, 4: 1}, 2)


def test_geography_is_used_once_a_turn(ruleset: RuleSet) -> None:
    """S51: anything else done in between ends its use; next turn it is ready again."""
    t = (
        PositionBuilder(ruleset)
        .towns()
        .has(0, wealth=1, land="1a 2b")
        .owns(0, "geography")
        .play("refloat 1a", "activate")
    )
    assert not t.may("refloat")
    assert t.why_not("refloat 2b") == "S51"
    t.play(*["end turn"] * 4)
    assert t.may("refloat") == ["2b"]


def test_returning_a_marker_ends_the_use_of_geography(ruleset: RuleSet) -> None:
    """S51, S31: as anything else does, whichever marker returns."""
    t = (
        PositionBuilder(ruleset)
        .towns()
        .has(0, land="1a 2a 2b")
        .owns(0, "geography")
        .play("refloat 2a", "recall")
    )
    assert t.may("refloat") == ["1a", "2b"]
    assert not t.play("return 1a").may("refloat")


def test_geography_is_its_owners(ruleset: RuleSet) -> None:
    """S51: not without it."""
    t = PositionBuilder(ruleset).towns().has(0, land="1a").owns(1, "geography")
    assert t.why_not("refloat 1a") == "S51"


def test_geography_in_a_move_action(ruleset: RuleSet) -> None:
    """S51, S40: the stronghold serves as a harbour first, then its marker goes to sea and is converted."""
    t = PositionBuilder(ruleset).towns().has(0, lisbon=1, land="4c").owns(0, "geography")
    t.play("sail 0-4", "anchor", "refloat 4c", "convert 4a", "convert 4b")
    assert t.land(0) == ["4a", "4b"]


def test_a_refloated_marker_may_sail_in_the_same_action(ruleset: RuleSet) -> None:
    """S51, S33: it has not sailed yet."""
    t = (
        PositionBuilder(ruleset)
        .towns()
        .has(0, lisbon=1, land="2a")
        .owns(0, "geography")
        .play("sail 0-1", "refloat 2a")
    )
    assert sorted(t.may("sail")) == ["2-1", "2-3"]


def test_the_printing_press_pays_for_itself_and_once_a_turn(ruleset: RuleSet) -> None:
    """S52: 1 VP for the first technology of a turn, its own acquisition included; not for the second."""
    t = PositionBuilder(ruleset).has(0, wealth=10, vp=1).play("acquire printing press")
    assert t.p.vp[0] == 2
    t.play("acquire geography")
    assert t.p.vp[0] == 2
    t.play(*["end turn"] * 4, "acquire banking")
    assert t.p.vp[0] == 3


def test_the_press_acquired_second_pays_for_itself(ruleset: RuleSet) -> None:
    """S52: the first technology acquired in the turn while owning it."""
    t = PositionBuilder(ruleset).has(0, wealth=10, vp=1).play("acquire geography", "acquire printing press")
    assert t.p.vp[0] == 2


def test_the_press_is_used_up_even_if_the_vp_is_lost(ruleset: RuleSet) -> None:
    """S52: declined, it does not come again with the second technology."""
    t = (
        PositionBuilder(ruleset)
        .has(0, wealth=10, lisbon=1)
        .owns(0, "printing press")
        .play("acquire geography", "decline", "acquire metallurgy")
    )
    assert (t.p.vp_due, t.p.vp[0]) == (0, 0)


def test_the_press_of_another_pays_nothing(ruleset: RuleSet) -> None:
    """S52: its owner only, in the owner's own acquisitions."""
    t = (
        PositionBuilder(ruleset)
        .has(0, wealth=10, vp=1)
        .has(1, vp=1)
        .owns(1, "printing press")
        .play("acquire geography")
    )
    assert (t.p.vp[0], t.p.vp[1]) == (1, 1)


@pytest.mark.parametrize(("ships", "vp"), [(2, 0), (3, 1), (5, 1), (6, 2)])
def test_port_maintenance_pays_for_every_three_ships_from_lisbon(
    ruleset: RuleSet, ships: int, vp: int
) -> None:
    """S53: full threes only."""
    t = (
        PositionBuilder(ruleset)
        .towns()
        .has(0, lisbon=ships, vp=1)
        .owns(0, "port maintenance")
        .play(*["sail 0-1"] * ships, "anchor")
    )
    assert t.p.vp[0] == 1 + vp


def test_port_maintenance_counts_ships_that_sail_on_from_strongholds(ruleset: RuleSet) -> None:
    """S53: from Lisbon by way of a stronghold, and from the stronghold's sea; each once; not from other
    seas.
    """
    t = (
        PositionBuilder(ruleset)
        .towns()
        .has(0, lisbon=1, vp=1, land="4c", at4=2, at2=3)
        .owns(0, "port maintenance")
    )
    t.play("sail 0-4", "sail 4-5", "sail 2-3", "sail 2-3", "sail 2-3", "anchor")
    assert t.p.vp[0] == 1
    t = PositionBuilder(ruleset).towns().has(0, lisbon=1, vp=1, land="4c", at4=2).owns(0, "port maintenance")
    assert t.play("sail 0-5", "sail 4-5", "sail 4-3", "anchor").p.vp[0] == 2


def test_port_maintenance_carries_nothing_over(ruleset: RuleSet) -> None:
    """S53: two and two ships in two actions are no three."""
    t = PositionBuilder(ruleset).towns().has(0, lisbon=4, vp=1).owns(0, "port maintenance")
    t.play("sail 0-1", "sail 0-1", "anchor", "sail 0-1", "sail 0-1", "anchor")
    assert t.p.vp[0] == 1


def test_port_maintenance_pays_in_each_move_action(ruleset: RuleSet) -> None:
    """S53: twice in a turn, and only when the sailing is over."""
    t = (
        PositionBuilder(ruleset)
        .towns()
        .has(0, lisbon=6, vp=1)
        .owns(0, "port maintenance")
        .play(*["sail 0-1"] * 3)
    )
    assert t.p.vp[0] == 1
    assert t.play("anchor", *["sail 0-1"] * 3, "anchor").p.vp[0] == 3


def test_ports_count_ships_that_were_returned_since(ruleset: RuleSet) -> None:
    """S53: they left all the same."""
    t = PositionBuilder(ruleset).towns().has(0, lisbon=3, vp=1).owns(0, "port maintenance")
    assert t.play(*["sail 0-1"] * 3).returns(*["1sea"] * 3).play("anchor").p.vp[0] == 2


def test_a_strongholds_own_marker_sails_after_the_ships_it_served(ruleset: RuleSet) -> None:
    """S31, S40, S53: two markers go by way of it, then it goes home and sails out itself: three have left
    port.
    """
    t = PositionBuilder(ruleset).towns().has(0, lisbon=2, vp=1, land="4c").owns(0, "port maintenance")
    t.play("sail 0-5", "sail 0-5").returns("4c").play("sail 0-1", "anchor")
    assert (t.p.vp[0], t.ships(0)) == (2, {1: 1, 5: 2})


def test_without_port_maintenance_nothing_is_paid(ruleset: RuleSet) -> None:
    """S53: nor by another's."""
    t = (
        PositionBuilder(ruleset)
        .towns()
        .has(0, lisbon=3, vp=1)
        .owns(1, "port maintenance")
        .play(*["sail 0-1"] * 3, "anchor")
    )
    assert t.p.vp[0] == 1


def builder(ruleset: RuleSet) -> PositionBuilder:
    return (
        PositionBuilder(ruleset).towns().has(0, lisbon=1, wealth=6, at2=1, land="3a").owns(0, "architecture")
    )


def test_architecture_builds_without_a_point_after_a_move(ruleset: RuleSet) -> None:
    """S54: for 2 wealth, with any marker that could build, once a turn."""
    t = builder(ruleset).play("sail 0-1", "anchor", "build 3a-c")
    assert (t.p.points, t.p.wealth[0], t.land(0)) == (1, 4, ["3c"])
    t.play("build 2sea-c")
    assert (t.p.points, t.p.wealth[0]) == (0, 2)
    assert t.why_not("build 1sea-c") == "S20"


def test_architecture_works_until_the_end_of_the_turn(ruleset: RuleSet) -> None:
    """S54: also when no point is left, and not in the next turn."""
    t = builder(ruleset).play("sail 0-1", "anchor", "activate")
    assert t.p.points == 0
    t.play("build 1sea-c", *["end turn"] * 4)
    assert t.play("build 3a-c").p.points == 1


def test_architecture_needs_a_move_in_which_a_ship_moved(ruleset: RuleSet) -> None:
    """S54: not before, not during the action, and not after moving none."""
    assert builder(ruleset).play("build 3a-c").p.points == 1
    assert builder(ruleset).play("convert 2a", "build 3a-c").p.points == 0
    t = builder(ruleset).play("sail 0-1")
    assert not t.may("build")
    assert t.why_not("build 3a-c") == "S34"


def test_architecture_waits_while_a_gain_of_the_move_action_is_decided(ruleset: RuleSet) -> None:
    """S34, S54, S15: the discovery's VP, or one that Banking brings while ships convert; the action is not
    complete before.
    """
    t = (
        PositionBuilder(ruleset)
        .towns()
        .has(0, wealth=2, at1=1, at6=1)
        .owns(0, "architecture")
        .play("sail 6-7", "anchor")
    )
    assert t.p.vp_due == 1
    assert not t.may("build")
    assert t.play("decline").may("build")
    t = PositionBuilder(ruleset).towns().has(0, wealth=4, at1=1).owns(0, "architecture", "banking")
    t.play("sail 1-2", "anchor", "bank")
    assert not t.may("build")
    assert t.play("decline").may("build")


def test_architecture_is_its_owners(ruleset: RuleSet) -> None:
    """S54: without it a building costs a point."""
    t = (
        PositionBuilder(ruleset)
        .towns()
        .has(0, lisbon=1, wealth=6)
        .owns(1, "architecture")
        .play("sail 0-1", "anchor", "build 1sea-c")
    )
    assert t.p.points == 0


def test_cartography_sells_one_vp_more(ruleset: RuleSet) -> None:
    """S55: 1 wealth for 1 VP, or not."""
    t = (
        PositionBuilder(ruleset)
        .towns(3)
        .has(0, vp=1, wealth=3, at3=1)
        .owns(0, "cartography")
        .play("sail 3-4", "anchor")
    )
    assert t.legal() == ["chart", "no chart", "recall"]
    t.play("chart")
    assert (t.p.vp[0], t.p.wealth[0], t.p.phase) == (3, 2, rules.CONVERTING)
    t = (
        PositionBuilder(ruleset)
        .towns(3)
        .has(0, vp=1, wealth=3, at3=1)
        .owns(0, "cartography")
        .play("sail 3-4", "anchor", "no chart")
    )
    assert (t.p.vp[0], t.p.wealth[0], t.p.phase) == (2, 3, rules.CONVERTING)


def test_cartography_needs_a_discovery_wealth_and_its_owner(ruleset: RuleSet) -> None:
    """S55: else nobody is asked."""
    t = (
        PositionBuilder(ruleset)
        .towns(3)
        .has(0, vp=1, wealth=3, at3=1)
        .owns(0, "cartography")
        .play("sail 3-2", "anchor")
    )
    assert t.why_not("chart") == "S55"
    assert (
        PositionBuilder(ruleset)
        .towns(3)
        .has(0, vp=1, at3=1)
        .owns(0, "cartography")
        .play("sail 3-4", "anchor")
        .p.phase
        == rules.CONVERTING
    )
    t = (
        PositionBuilder(ruleset)
        .towns(3)
        .has(0, vp=1, wealth=3, at3=1)
        .owns(1, "cartography")
        .play("sail 3-4", "anchor")
    )
    assert t.p.phase == rules.CONVERTING


def test_cartography_vp_needs_a_historian_too(ruleset: RuleSet) -> None:
    """S55, S14: the banker it frees may be that."""
    t = (
        PositionBuilder(ruleset)
        .towns(3)
        .has(0, vp=4, wealth=1, at3=1)
        .owns(0, "cartography")
        .play("sail 3-4", "anchor", "chart")
    )
    assert (t.p.vp[0], t.p.vp_due, t.p.lisbon[0]) == (5, 1, 1)
    assert t.play("appoint").p.vp[0] == 6


def test_a_chart_may_be_paid_while_the_discoverys_vp_is_due(ruleset: RuleSet) -> None:
    """S15, S32, S55: the banker whom it frees keeps both; and not by one who cannot pay."""
    t = (
        PositionBuilder(ruleset)
        .towns(3)
        .has(0, vp=5, wealth=1, at3=1)
        .owns(0, "cartography")
        .play("sail 3-4", "anchor")
    )
    assert t.legal() == ["chart", "decline", "recall"]
    t.play("chart")
    assert (t.p.vp_due, t.p.lisbon[0], t.p.phase) == (2, 1, rules.CONVERTING)
    assert t.play("appoint").p.vp[0] == 7
    t = (
        PositionBuilder(ruleset)
        .towns(3)
        .has(0, vp=5, at3=1)
        .owns(0, "cartography")
        .play("sail 3-4", "anchor")
    )
    assert t.why_not("chart") == "S55"


def test_banking(ruleset: RuleSet) -> None:
    """S56: 2 wealth for 1 VP, once a turn, no action point."""
    t = PositionBuilder(ruleset).has(0, wealth=6, vp=1).owns(0, "banking").play("bank")
    assert (t.p.wealth[0], t.p.vp[0], t.p.points) == (4, 2, 2)
    assert t.why_not("bank") == "S56"
    assert "bank" in t.play(*["end turn"] * 4).legal()


def test_banking_needs_wealth_and_its_owner(ruleset: RuleSet) -> None:
    """S56: else it is refused."""
    assert PositionBuilder(ruleset).has(0, wealth=1).owns(0, "banking").why_not("bank") == "S56"
    assert PositionBuilder(ruleset).has(0, wealth=5).owns(1, "banking").why_not("bank") == "S56"


def test_manufacture_adds_wealth_to_each_sale(ruleset: RuleSet) -> None:
    """S57: 1 more in each sell action, for its owner."""
    t = PositionBuilder(ruleset).towns().has(0, wealth=1, land="1a 1b").owns(0, "manufacture")
    t.play("sell 1a", "close sale")
    assert t.p.wealth[0] == 3
    assert t.play("sell 1b", "close sale").p.wealth[0] == 5
    t = (
        PositionBuilder(ruleset)
        .towns()
        .has(0, wealth=1, land="1a")
        .owns(1, "manufacture")
        .play("sell 1a", "close sale")
    )
    assert t.p.wealth[0] == 2


LAND = "1c 1d 2c 2d 3c 3d"  # strongholds 1c 2d, churches 1d 3c, markets 2c 3d


@pytest.mark.parametrize(
    ("technology", "points"),
    [("renaissance", 3), ("evangelisation", 4), ("guild", 4), ("east india company", 4), ("banking", 0)],
)
def test_technologies_that_count_at_the_end(ruleset: RuleSet, technology: str, points: int) -> None:
    """S58, S59, S60, S61: 3 VP, or 2 more for each building of a kind."""
    t = PositionBuilder(ruleset).towns().has(0, land=LAND, vp=1).has(1, land="4c 4d 5c", lisbon=1)
    before = t.points()
    t.owns(0, technology)
    assert t.points() == [before[0] + points, *before[1:]]
    assert before[:2] == [1 + 2 * 1 + 2 * 2 + 2 * 1, 4]


def test_a_technology_works_in_the_same_turn(ruleset: RuleSet) -> None:
    """S62: Architecture acquired after the move builds at once; Metallurgy helps the next technology."""
    t = (
        PositionBuilder(ruleset)
        .towns()
        .has(0, lisbon=1, wealth=6)
        .play("sail 0-1", "anchor", "acquire architecture", "build 1sea-c")
    )
    assert (t.p.points, t.p.wealth[0]) == (0, 2)
    t = PositionBuilder(ruleset).has(0, wealth=6).play("acquire metallurgy", "acquire guild")
    assert t.p.wealth[0] == 3


def test_a_technology_does_not_help_the_action_that_acquired_it(ruleset: RuleSet) -> None:
    """S62: Metallurgy is paid in full (in a box where it costs something)."""
    cost = COMPONENTS["technologies"]["cost"] | {"metallurgy": 2}
    box = SAIL.read_components(COMPONENTS | {"technologies": {"certainty": "placeholder", "cost": cost}}).box
    t = PositionBuilder(ruleset).has(0, wealth=3)
    ruleset.play(t.p, box, SAIL.action_index("acquire metallurgy"), t.dice)
    assert t.p.wealth[0] == 1
