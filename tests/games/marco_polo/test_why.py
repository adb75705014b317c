"""Why an action is not allowed: the rule that forbids it, and the reason in both languages."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Callable
from typing import Any

import pytest

import comptoir
from comptoir.engine.rulebook import rules_of
from comptoir.engine.words import LANGUAGES, words_of
from comptoir.errors import IllegalAction, MatchOver, UnknownAction
from comptoir.games.marco_polo import rules
from tests.games.marco_polo.positions import FIRST_SCORED, GANZHOU, MARCO_POLO, PositionBuilder

REASONS = tomllib.loads((MARCO_POLO.folder / "words.toml").read_text(encoding="utf-8"))["why"]
ROW = ("green oil", "green spice", "green silk", "green fruit", "green driver")


def turn() -> PositionBuilder:
    """Seat 0, on space 5, may lay its two oil cards for space 6, which another camel has reached; a silk card
    is left over.
    """
    t = (
        PositionBuilder(MARCO_POLO.interpreted, players=3, first=0)
        .clear_cards()
        .row(*ROW)
        .give(0, "red oil", "blue oil", "red silk")
    )
    return t.space(6, "2 identical goods").space(7, "2 drivers").line_up(5, 9, 4)


def paying() -> PositionBuilder:
    return turn().lay("red oil")


def lead() -> PositionBuilder:
    """Seat 0 leads the caravan, and cannot pay for the next space."""
    return turn().line_up(5, 3, 4).space(6, "2 drivers")


def poor() -> PositionBuilder:
    t = turn()
    t.gold(0)
    return t


def no_pile() -> PositionBuilder:
    """Only the open cards are left to draw."""
    return turn().pile(rest_to=1)


def no_card() -> PositionBuilder:
    t = PositionBuilder(MARCO_POLO.interpreted, players=3, first=0).clear_cards().pile(rest_to=1)
    return t.line_up(5, 9, 4)


def in_ganzhou() -> PositionBuilder:
    """Seat 0 has just brought the first camel to Ganzhou."""
    return turn().space(GANZHOU, "1 good").line_up(GANZHOU - 1, 5, 4).lay("red oil")


def caught_up() -> PositionBuilder:
    """Seat 0 was left behind, and has just come to Ganzhou."""
    t = turn().space(FIRST_SCORED, "1 good").line_up(FIRST_SCORED - 1, 20, 21)
    t.p.scored = 1
    return t.lay("red oil")


def two(**options: Any) -> PositionBuilder:
    """Two players: seat 0's camels are on 5 and 8, and can pay for space 6 only."""
    t = (
        PositionBuilder(MARCO_POLO.interpreted, players=2, first=0, **options)
        .clear_cards()
        .row(*ROW)
        .give(0, "red oil", "blue oil", "red silk")
    )
    return (
        t.space(6, "1 good").space(7, "1 good").space(9, "2 drivers").at(seat0=(5, 8), seat1=(3, 4)).turn(0)
    )


def two_stuck() -> PositionBuilder:
    """Neither of seat 0's camels can go on."""
    return two().space(6, "1 driver")


def two_behind() -> PositionBuilder:
    """Neither can continue cards, but an opponent's camel has been on space 6."""
    return two_stuck().at(seat1=(3, 7)).turn(0)


def two_abreast() -> PositionBuilder:
    """Both have the same space before them, and can neither pay for it nor lighten."""
    return two().at(seat0=(7, 8)).turn(0)


def two_moving() -> PositionBuilder:
    return two().space(9, "1 good").play("first camel", "lay red oil")


def two_strategic() -> PositionBuilder:
    return two(two_players="strategic").play("first camel", "lay red oil")


def two_straggling() -> PositionBuilder:
    """Both variants' worst case: a straggler has come to Ganzhou, and the other camel moves."""
    t = (
        two(two_players="strategic")
        .space(FIRST_SCORED, "1 good")
        .space(21, "1 good")
        .at(seat0=(FIRST_SCORED - 1, 20), seat1=(23, 24))
    )
    t.p.scored = 1
    return t.turn(0).play("first camel", "lay red oil", "second camel", "lay blue oil")


def two_in_ganzhou() -> PositionBuilder:
    t = two(two_players="strategic").space(GANZHOU, "1 good").at(seat0=(GANZHOU - 1, 8), seat1=(3, 4)).turn(0)
    return t.space(9, "1 good").play("first camel", "lay red oil")


Case = tuple[str, str, Callable[[], PositionBuilder], str, dict[str, Any]]
CASES: list[Case] = [
    (
        "no_such_card",
        "M11",
        turn,
        "lay violet oil",
        {"n": 6, "demand": "2 identical goods", "card": "violet oil"},
    ),
    (
        "no_such_card",
        "M11",
        paying,
        "lay red oil",
        {"n": 6, "demand": "2 identical goods", "card": "red oil"},
    ),
    ("cannot_pay", "M13", lead, "lay red oil", {"n": 6, "demand": "2 drivers"}),
    ("cannot_pay", "M13", lead, "lay violet oil", {"n": 6, "demand": "2 drivers"}),
    ("cannot_pay", "M13", two_abreast, "lay red oil", {"n": 9, "demand": "2 drivers"}),
    (
        "cannot_pay_either",
        "M13",
        two_stuck,
        "lay red oil",
        {"n": 6, "demand": "1 driver", "m": 9, "other": "2 drivers"},
    ),
    (
        "cannot_pay_either",
        "M13",
        two_behind,
        "lay red oil",
        {"n": 6, "demand": "1 driver", "m": 9, "other": "2 drivers"},
    ),
    (
        "does_not_fit",
        "M13",
        turn,
        "lay red silk",
        {"n": 6, "demand": "2 identical goods", "card": "red silk"},
    ),
    (
        "does_not_go_with",
        "M13",
        paying,
        "lay red silk",
        {"n": 6, "demand": "2 identical goods", "card": "red silk"},
    ),
    ("finish_step", "M11", paying, "draw", {"n": 6, "demand": "2 identical goods"}),
    ("finish_step", "M11", paying, "take green oil", {"n": 6, "demand": "2 identical goods"}),
    ("finish_step", "M11", paying, "pass", {"n": 6, "demand": "2 identical goods"}),
    ("finish_step", "M15", paying, "lighten", {"n": 6, "demand": "2 identical goods"}),
    ("must_step", "M40", lambda: two().play("first camel"), "draw", {}),
    ("must_step", "M40", lambda: two().play("first camel"), "first camel", {}),
    ("choose_first", "M40", two, "lay red oil", {}),
    ("choose_first", "M40", two_behind, "lighten", {}),
    ("stop_ganzhou", "M20", in_ganzhou, "lay blue oil", {}),
    ("stop_ganzhou", "M20", in_ganzhou, "lighten", {}),
    ("stop_ganzhou", "M20", two_in_ganzhou, "second camel", {}),
    ("stop_ganzhou", "M20", two_in_ganzhou, "first camel", {}),
    ("stop_straggler", "M23", caught_up, "lay blue oil", {}),
    ("stop_straggler", "M23", caught_up, "lighten", {}),
    ("stop_straggler", "M23", two_straggling, "first camel", {}),
    ("not_in_row", "M17", turn, "take red oil", {"card": "red oil"}),
    ("no_pile", "M17", no_pile, "draw", {}),
    ("no_card", "M17", no_card, "draw", {}),
    ("no_card", "M17", no_card, "take green oil", {}),
    ("card_first", "M10", turn, "pass", {}),
    ("lightened", "M15", lambda: turn().play("lighten"), "lighten", {}),
    ("no_gold", "M15", poor, "lighten", {}),
    ("no_gold", "M15", lambda: two().gold(0), "lighten", {}),
    ("not_reached", "M15", lead, "lighten", {"n": 6}),
    ("not_reached", "M15", two_abreast, "lighten", {"n": 9}),
    ("neither_reached", "M15", two, "lighten", {"n": 6, "m": 9}),
    ("neither_reached", "M15", two_stuck, "lighten", {"n": 6, "m": 9}),
    ("one_camel", "M40", turn, "first camel", {}),
    ("one_camel", "M40", paying, "second camel", {}),
    ("this_camel", "M40", two_moving, "first camel", {}),
    ("this_camel", "M40", two_strategic, "first camel", {}),
    ("other_camel", "M40", two_moving, "second camel", {}),
    ("camel_stuck", "M11", two, "second camel", {"n": 9, "demand": "2 drivers"}),
    ("camel_stuck", "M11", two_strategic, "second camel", {"n": 9, "demand": "2 drivers"}),
]


@pytest.mark.parametrize(
    ("key", "rule", "position", "action", "values"), CASES, ids=[f"{case[0]}: {case[3]}" for case in CASES]
)
def test_each_reason(
    key: str, rule: str, position: Callable[[], PositionBuilder], action: str, values: dict[str, Any]
) -> None:
    """M10, M11, M13, M15, M17, M20, M23, M40: the rule that forbids the action is named, with the values of
    the reason.
    """
    t = position()
    assert MARCO_POLO.why_not(t.p, t.box, MARCO_POLO.action_index(action)) == (rule, f"why.{key}", values)


def test_every_reason_is_shown_here() -> None:
    assert {case[0] for case in CASES} == set(REASONS)


@pytest.mark.parametrize(
    "position", [turn, paying, lead, no_pile, no_card, in_ganzhou, caught_up, two, two_moving, two_strategic]
)
def test_what_is_legal_has_no_reason_against_it(position: Callable[[], PositionBuilder]) -> None:
    t = position()
    for action in t.legal():
        assert MARCO_POLO.why_not(t.p, t.box, MARCO_POLO.action_index(action)) is None


def test_a_match_gives_the_reason_in_both_languages() -> None:
    """M10: in words."""
    match = comptoir.new("marco_polo", seed=1)
    assert match.why_not("pass") == ("M10", "a turn ends with a card as long as there is one to draw")
    assert match.why_not("pass", lang="fr") == (
        "M10",
        "tant qu'il y a une carte à piocher, un tour finit par une carte",
    )
    assert match.why_not("draw") is None


def test_an_illegal_action_is_refused_and_nothing_has_changed() -> None:
    """M10: the error names the rule."""
    match = comptoir.new("marco_polo", seed=1)
    before = match.position()
    with pytest.raises(IllegalAction, match="'pass' is not allowed: a turn ends with a card") as refusal:
        match.play("pass")
    assert refusal.value.rule == "M10"
    assert (match.position(), match.ply) == (before, 0)


def test_an_unknown_action_is_refused() -> None:
    """M13: there are 25 kinds of cards."""
    match = comptoir.new("marco_polo", seed=1)
    for action in ("lay blue", "lay white oil", "take 3", ""):
        with pytest.raises(UnknownAction):
            match.play(action)


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_every_illegal_action_gets_an_answer_that_can_be_said(players: int) -> None:
    """M10, M11, M13, M15, M17, M20, M23, M40: all through random matches, in both languages, with a rule that
    exists.
    """
    match, dice = comptoir.new("marco_polo", players=players, seed=players), random.Random(players)
    said = {lang: words_of("marco_polo", lang) for lang in LANGUAGES}
    while not match.over:
        legal = match.actions()
        if match.ply % 5 == 0:
            for action in set(rules.ACTIONS.texts) - set(legal):
                for lang in said:
                    answer = match.why_not(action, lang)
                    assert answer is not None
                    assert answer[0] in rules_of("marco_polo", lang)
                    assert answer[1]
                    assert "{" not in answer[1]
        match.play(dice.choice(legal))
    with pytest.raises(MatchOver):
        match.why_not("draw")


def test_reasons_come_from_what_the_seat_knows() -> None:
    """M18: an opponent's hidden hand and the pile change no answer."""
    one, other = (turn().give(1, card) for card in ("violet oil", "violet silk"))
    for action in range(len(rules.ACTIONS)):
        assert MARCO_POLO.why_not(one.p, one.box, action) == MARCO_POLO.why_not(other.p, other.box, action)
