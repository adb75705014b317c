"""Why an action is not allowed: the rule that forbids it, and the reason in both languages."""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Callable
from typing import Any

import pytest

import comptoir
from comptoir.engine.words import LANGUAGES, words_of
from comptoir.errors import IllegalAction, MatchOver, UnknownAction
from comptoir.games.sail_to_india import rules
from tests.games.sail_to_india.positions import BOX, SAIL, PositionBuilder

REASONS = tomllib.loads((SAIL.folder / "words.toml").read_text(encoding="utf-8"))["why"]
RULES = set(re.findall(r"\*\*(S\d+)\*\*", (SAIL.folder / "rules.en.md").read_text(encoding="utf-8")))


def table(**options: Any) -> PositionBuilder:
    return PositionBuilder(SAIL.interpreted, **options).towns()


def turn(**markers: Any) -> PositionBuilder:
    return table().has(0, **({"lisbon": 1, "wealth": 1, "land": "1a", "at2": 1} | markers))


def due(**markers: Any) -> PositionBuilder:
    """Seat 0 has discovered a town, and has no historian and, unless given, no marker on Lisbon."""
    return table().towns(3).has(0, wealth=1, at3=1, **markers).play("sail 3-4", "anchor")


def nobody_on_lisbon(arranged: PositionBuilder) -> PositionBuilder:
    """As after historians were appointed from there."""
    arranged.p.reserve[0] += arranged.p.lisbon[0]
    arranged.p.lisbon[0] = 0
    return arranged


def wealth_due() -> PositionBuilder:
    return table().has(0, land="1a 1b").play("sell 1a", "sell 1b", "close sale")


def sailing() -> PositionBuilder:
    return turn().play("sail 0-1")


def selling() -> PositionBuilder:
    return turn().play("sell 1a")


def charting() -> PositionBuilder:
    return table().towns(3).has(0, vp=1, wealth=1, at3=1).owns(0, "cartography").play("sail 3-4", "anchor")


def uncharted() -> PositionBuilder:
    """Seat 0 owns Cartography and has no wealth; the VP of the discovery is due."""
    return table().towns(3).has(0, at3=1).owns(0, "cartography").play("sail 3-4", "anchor")


def built(**markers: Any) -> PositionBuilder:
    """Seat 0 has moved a ship, and may build by Architecture."""
    return turn(lisbon=2, **markers).owns(0, "architecture").play("sail 0-1", "anchor")


def converting() -> PositionBuilder:
    return turn(land="2a").play("sail 0-1", "anchor")


def spent() -> PositionBuilder:
    return turn(wealth=2).play("activate", "activate")


def geography(**markers: Any) -> PositionBuilder:
    return turn(**markers).owns(0, "geography")


def banking(**markers: Any) -> PositionBuilder:
    return turn(**markers).owns(0, "banking")


def discovered() -> PositionBuilder:
    return table().towns(3).has(0, vp=1, at3=1).play("sail 3-4", "anchor")


Case = tuple[str, str, Callable[[], PositionBuilder], str, dict[str, Any]]
CASES: list[Case] = [
    ("vp_due_empty", "S15", due, "end turn", {"n": 1}),
    ("vp_due_empty", "S15", due, "sail 4-3", {"n": 1}),
    ("vp_due", "S15", lambda: due(lisbon=1), "end turn", {"n": 1}),
    ("no_technology", "S51", due, "refloat 1a", {"technology": "geography"}),
    ("wealth_due", "S15", wealth_due, "end turn", {"n": 2}),
    ("wealth_due_empty", "S15", lambda: nobody_on_lisbon(wealth_due()), "end turn", {"n": 2}),
    ("nothing_due", "S15", turn, "appoint", {}),
    ("nothing_due", "S15", sailing, "decline", {}),
    ("lisbon_empty", "S15", due, "appoint", {}),
    ("lisbon_empty_sail", "S22", lambda: turn(lisbon=0), "sail 0-1", {"n": 0}),
    ("no_banker", "S31", lambda: turn(wealth=0).play("recall"), "return banker", {}),
    ("no_historian", "S31", lambda: turn().play("recall"), "return historian", {}),
    ("no_ship", "S31", lambda: turn().play("recall"), "return 5sea", {"n": 5}),
    ("no_ship", "S31", lambda: turn().play("recall"), "return 5sailed", {"n": 5}),
    ("all_alike", "S33", lambda: turn().play("recall"), "return 2sailed", {"n": 2}),
    ("recalled", "S31", lambda: turn().play("recall"), "recall", {}),
    ("nothing_to_return", "S31", lambda: table().has(0, lisbon=1), "recall", {}),
    ("no_ship", "S22", turn, "sail 3-4", {"n": 3}),
    ("no_ship", "S26", converting, "convert 3a", {"n": 3}),
    ("no_ship", "S28", turn, "build 12sea-c", {"n": 12}),
    ("not_yours", "S31", lambda: turn().play("recall"), "return 5d", {"n": 5, "what": "market gems"}),
    ("not_yours", "S27", turn, "sell 2a", {"n": 2, "what": "coffee"}),
    ("unknown_town", "S28", turn, "build 10a-c", {"n": 10}),
    ("not_yours", "S28", turn, "build 2d-c", {"n": 2, "what": "stronghold"}),
    ("not_yours", "S51", geography, "refloat 5d", {"n": 5, "what": "market gems"}),
    ("recall_first", "S31", turn, "return 1a", {}),
    ("recall_first", "S31", sailing, "return 1sea", {}),
    ("no_technology", "S51", turn, "refloat 1a", {"technology": "geography"}),
    ("no_technology", "S56", turn, "bank", {"technology": "banking"}),
    (
        "used",
        "S51",
        lambda: geography(land="1a 1b").play("refloat 1a", "sail 0-1"),
        "refloat 1b",
        {"technology": "geography"},
    ),
    ("used", "S56", lambda: banking(wealth=4, vp=1).play("bank"), "bank", {"technology": "banking"}),
    ("poor", "S56", banking, "bank", {"n": 2}),
    ("poor", "S21", lambda: turn(wealth=0), "activate", {"n": 1}),
    ("poor", "S28", turn, "build 1a-c", {"n": 2}),
    ("poor", "S29", turn, "acquire guild", {"n": 4}),
    ("poor", "S30", turn, "speed up", {"n": 2}),
    ("poor", "S30", lambda: turn(wealth=3).speed(0, 2), "speed up", {"n": 4}),
    ("chart_first", "S55", charting, "end turn", {}),
    ("chart_first", "S55", charting, "convert 4a", {}),
    ("no_chart", "S55", turn, "chart", {}),
    ("no_chart", "S55", sailing, "no chart", {}),
    ("anchor_first", "S34", sailing, "end turn", {}),
    ("anchor_first", "S34", sailing, "convert 1a", {}),
    ("anchor_first", "S34", sailing, "sell 1a", {}),
    ("not_sailing", "S22", turn, "anchor", {}),
    ("close_sale_first", "S27", selling, "end turn", {}),
    ("close_sale_first", "S27", selling, "sail 0-1", {}),
    ("no_sale", "S27", turn, "close sale", {}),
    ("convert_after_move", "S26", spent, "convert 2a", {}),
    ("poor", "S28", lambda: built(wealth=1), "build 2sea-c", {"n": 2}),
    (
        "taken",
        "S28",
        lambda: built(wealth=2, land="2c 1a").play("sell 1a"),
        "build 2sea-c",
        {"n": 2, "what": "market spice"},
    ),
    ("poor", "S55", lambda: uncharted(), "chart", {"n": 1}),
    ("vp_due_empty", "S15", lambda: uncharted(), "no chart", {"n": 1}),
    ("taken", "S26", converting, "convert 2a", {"n": 2, "what": "coffee"}),
    ("taken", "S28", lambda: turn(wealth=2, land="1a 1c"), "build 1a-c", {"n": 1, "what": "stronghold"}),
    ("no_points", "S20", spent, "activate", {}),
    ("no_points", "S20", spent, "sail 0-1", {}),
    ("no_reserve", "S21", lambda: turn(lisbon=6), "activate", {}),
    ("fastest", "S30", lambda: turn(wealth=5).speed(0, 3), "speed up", {}),
    ("sailed", "S33", sailing, "sail 1-2", {}),
    ("no_town", "S2", lambda: table(players=3).has(0, at7=1).speed(0, 3).towns(9), "sail 7-10", {"n": 9}),
    ("discovered", "S23", discovered, "sail 4-5", {}),
    ("beyond", "S23", lambda: table().towns(3).has(0, at3=1).speed(0, 3), "sail 3-5", {"n": 4}),
    ("too_far", "S22", turn, "sail 2-4", {"n": 1}),
    ("too_far", "S22", turn, "sail 0-2", {"n": 1}),
    ("acquired", "S29", lambda: turn().owns(1, "guild"), "acquire guild", {"technology": "guild"}),
    (
        "no_scientist",
        "S29",
        lambda: turn().owns(0, "banking", "guild", "geography"),
        "acquire metallurgy",
        {},
    ),
]


@pytest.mark.parametrize(
    ("key", "rule", "position", "action", "values"), CASES, ids=[f"{case[0]}: {case[3]}" for case in CASES]
)
def test_each_reason(
    key: str, rule: str, position: Callable[[], PositionBuilder], action: str, values: dict[str, Any]
) -> None:
    """S15, S20, S21, S22, S23, S26, S27, S28, S29, S30, S31, S33, S34, S51, S55, S56: the rule is named, with
    the values of the reason.
    """
    assert SAIL.why_not(position().p, BOX, SAIL.action_index(action)) == (rule, f"why.{key}", values)


def test_every_reason_is_shown_here() -> None:
    assert {case[0] for case in CASES} == set(REASONS)


@pytest.mark.parametrize(
    "position", [turn, due, wealth_due, sailing, selling, charting, converting, spent, geography]
)
def test_what_is_legal_has_no_reason_against_it(position: Callable[[], PositionBuilder]) -> None:
    t = position()
    for action in t.legal():
        assert SAIL.why_not(t.p, BOX, SAIL.action_index(action)) is None


def test_a_match_gives_the_reason_in_both_languages() -> None:
    """S30: in words, with the number."""
    match = comptoir.new("sail_to_india", seed=1, first=0)
    match.play("activate")
    assert match.why_not("speed up") == ("S30", "that costs 2 wealth, which you do not have")
    assert match.why_not("speed up", lang="fr") == ("S30", "cela coûte 2 richesses, et vous avez moins")
    assert match.why_not("activate") is None


def test_an_illegal_action_is_refused_and_nothing_has_changed() -> None:
    """S22: the error names the rule."""
    match = comptoir.new("sail_to_india", seed=1)
    before = match.position()
    with pytest.raises(
        IllegalAction, match="'sail 0-2' is not allowed: your ships sail at most 1 town"
    ) as refusal:
        match.play("sail 0-2")
    assert refusal.value.rule == "S22"
    assert (match.position(), match.ply) == (before, 0)


def test_an_unknown_action_is_refused() -> None:
    """S22: no town 13, no voyage into Lisbon, no space e."""
    match = comptoir.new("sail_to_india", seed=1)
    for action in ("sail 0-13", "sail 1-0", "sell 1e", "convert 1c", "return scientist", ""):
        with pytest.raises(UnknownAction):
            match.play(action)


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"players": 3}, {"players": 4}])
def test_every_illegal_action_gets_an_answer_that_can_be_said(options: dict[str, Any]) -> None:
    """S15, S20, S22, S28: through random matches, in both languages, with a rule that exists."""
    match, dice = comptoir.new("sail_to_india", seed=7, **options), random.Random(7)
    said = {lang: words_of("sail_to_india", lang) for lang in LANGUAGES}
    while not match.over and match.ply < 900:
        legal = match.actions()
        if match.ply % 23 == 0:
            for action in range(len(rules.ACTIONS)):
                answer = SAIL.why_not(match.records[-1], match.box, action)
                assert (answer is None) == (rules.ACTIONS.texts[action] in legal)
                if answer is not None:
                    assert answer[0] in RULES
                    assert all("{" not in words.say(answer[1], **answer[2]) for words in said.values())
        match.play(dice.choice(legal))


def test_a_match_that_is_over_has_no_reasons(ruleset: Any) -> None:
    """S74: it comes too late."""
    match = comptoir.new(
        "sail_to_india", position=SAIL.to_dict(PositionBuilder(ruleset).round(200).turn(3).p)
    )
    match.play("end turn")
    with pytest.raises(MatchOver):
        match.why_not("end turn")
