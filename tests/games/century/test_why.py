"""Why an action is not allowed: the rule that forbids it, and the reason in both languages."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from typing import Any

import pytest

import comptoir
from comptoir.errors import IllegalAction, UnknownAction
from comptoir.games.century import rules
from tests.games.century.table import BOX, CENTURY, Table

REASONS = tomllib.loads((CENTURY.folder / "words.toml").read_text(encoding="utf-8"))["why"]


def start() -> Table:
    return Table(CENTURY.interpreted, first=0)


def placing() -> Table:
    return start().play("lot one")


def move(cubes: str = "YY") -> Table:
    """Seat 0 is to move from K, a market of YY for G."""
    return start().begin("kzzz").market("k", "ginger 1").hold(0, cubes)


def sailed(cubes: str = "YY") -> Table:
    """Seat 0 has sailed from K to F."""
    return move(cubes).play("sail f")


def adrift() -> Table:
    return sailed().play("drop yellow")


def crowd(cubes: str) -> Table:
    """Seat 0, on F, has boats of seats 1 and 2 beside it, on K."""
    return start().begin("fkkz").hold(0, cubes)


def landed() -> Table:
    return crowd("YYR").play("sail k", "pay yellow", "pay yellow")


def market() -> Table:
    """Seat 0 has built on K, and may trade."""
    return move("YYY").play("build")


def building() -> Table:
    return move("YYY").outpost("k", 1, 2).play("build", "pay yellow")


def bonus() -> Table:
    return move().built(0, 0, 1, 1, 1, but="k").bonus(1, hold=4).play("build")


def stowing() -> Table:
    return move("Y" * 10).play("harvest")


def port(cubes: str = "") -> Table:
    return start().begin("wzzz").tile("w", "YYGGG", 11).hold(0, cubes)


def no_way_on() -> Table:
    """Seat 0, in port W again, has one cube; the three spaces beside it hold a boat each."""
    t = start().begin("wacd").hold(0, "Y").bonus(0, move=1).turn(0)
    return t.play("sail a", "sail w")


def trap_after_a_drop() -> Table:
    """Seat 0 has sailed to F and has 1 cube: with none left it could go to E, but not to K, where three boats are."""
    return start().begin("ekkk").hold(0, "Y").play("sail f")


def empty_port() -> Table:
    t = port("YYGGG")
    t.p.tiles[t.p.ports[0]] = rules.PILE
    t.p.ports[0] = rules.NO_TILE
    return t


Case = tuple[str, str, Callable[[], Table], str, dict[str, Any]]
CASES: list[Case] = [
    ("lot_first", "C7", start, "harvest", {}),
    ("lot_first", "C7", start, "sail k", {}),
    ("lot_taken", "C7", lambda: placing().play("sail k"), "lot one", {}),
    ("place_first", "C7", placing, "lot two", {}),
    ("place_first", "C7", placing, "end", {}),
    ("start_market", "C7", placing, "sail w", {}),
    ("lots_gone", "C7", move, "lot two", {}),
    ("bonus_first", "C15", bonus, "trade", {}),
    ("bonus_first", "C15", bonus, "sail a", {}),
    ("none_left", "C15", bonus, "bonus hold", {}),
    ("no_column", "C15", move, "bonus hold", {}),
    ("no_cube", "C20", stowing, "discard red", {"cube": "red"}),
    ("no_cube", "C11", lambda: crowd("YY").play("sail k"), "pay red", {"cube": "red"}),
    ("no_cube", "C11", lambda: crowd("YY").play("sail k", "pay yellow"), "pay red", {"cube": "red"}),
    ("no_cube", "C14", building, "pay green", {"cube": "green"}),
    ("no_cube", "C10", sailed, "drop brown", {"cube": "brown"}),
    ("no_cube", "C22", lambda: move("YY").bonus(0, upgrade=1).play("build"), "upgrade red", {"cube": "red"}),
    ("too_full", "C20", stowing, "end", {"n": 2}),
    ("not_too_full", "C20", lambda: move().bonus(0, hold=1), "discard yellow", {"n": 13}),
    ("pay_owners", "C11", lambda: crowd("YYR").play("sail k", "pay yellow"), "end", {"n": 1}),
    ("pay_outpost", "C14", building, "trade", {"n": 1}),
    ("move_over", "C13", market, "sail f", {}),
    ("move_over", "C13", landed, "drop red", {}),
    ("drop_first", "C10", sailed, "sail e", {}),
    ("no_cubes", "C10", lambda: sailed(""), "sail e", {}),
    ("not_beside", "C10", move, "sail a", {"space": "A"}),
    ("not_beside", "C10", sailed, "sail a", {"space": "A"}),
    ("not_beside", "C10", adrift, "sail a", {"space": "A"}),
    ("not_beside", "C10", lambda: crowd("").at(0, "a"), "sail k", {"space": "K"}),
    ("trap", "C25", lambda: crowd(""), "sail k", {"space": "K", "n": 2}),
    ("trap", "C25", trap_after_a_drop, "sail k", {"space": "K", "n": 3}),
    ("sail_on", "C10", adrift, "drop yellow", {}),
    ("sail_on", "C10", adrift, "end", {}),
    ("sail_on", "C10", adrift, "pay yellow", {}),
    ("free_first", "C10", move, "drop yellow", {}),
    ("no_way_on", "C25", no_way_on, "drop yellow", {}),
    ("no_way_on", "C25", no_way_on, "sail a", {}),
    ("cannot_pay", "C11", lambda: crowd("Y").play("sail k"), "pay yellow", {"n": 2}),
    ("cannot_pay", "C11", lambda: crowd("Y").play("sail k"), "harvest", {"n": 2}),
    ("pay_first", "C11", lambda: crowd("YYY").play("sail k"), "harvest", {"n": 2}),
    ("pay_first", "C11", lambda: crowd("YYY").lay("k", "R").play("sail k"), "take red", {"n": 2}),
    ("nobody_to_pay", "C11", sailed, "pay yellow", {}),
    ("nobody_to_pay", "C11", move, "pay yellow", {}),
    ("stays_free", "C23", lambda: start().begin("kkkk").hold(0, "YYY"), "pay yellow", {}),
    ("stays_free", "C23", lambda: market().at(1, "k"), "pay yellow", {}),
    ("paid", "C11", landed, "pay red", {}),
    ("paid", "C11", lambda: crowd("YYYYY").market("k", "ginger 1").play("sail k", *["pay yellow"] * 2, "build"), "pay yellow", {}),
    ("no_upgrade", "C21", move, "upgrade yellow", {}),
    ("no_upgrade", "C21", market, "upgrade yellow", {}),
    ("one_action", "C13", market, "harvest", {}),
    ("one_action", "C13", market, "build", {}),
    ("stayed", "C12", lambda: move().lay("k", "R"), "take red", {}),
    ("not_lying", "C12", sailed, "take red", {"cube": "red", "space": "F"}),
    ("not_a_port", "C17", move, "claim", {}),
    ("not_at_a_port", "C14", port, "build", {}),
    ("not_at_a_port", "C16", port, "trade", {}),
    ("closed", "C18", lambda: port("YYGGG").close("w"), "claim", {}),
    ("empty_port", "C17", empty_port, "claim", {}),
    ("tile_cost", "C17", port, "claim", {}),
    ("outpost_there", "C14", lambda: move().outpost("k", 0), "build", {}),
    ("outpost_cost", "C14", lambda: move("YY").outpost("k", 1, 2, 3), "build", {"n": 3}),
    ("no_outpost", "C16", move, "trade", {}),
    ("trade_cost", "C16", lambda: move("Y").outpost("k", 0), "trade", {}),
]


@pytest.mark.parametrize(("key", "rule", "position", "action", "values"), CASES, ids=[f"{case[0]}: {case[3]}" for case in CASES])
def test_each_reason(key: str, rule: str, position: Callable[[], Table], action: str, values: dict[str, Any]) -> None:
    """C7, C10, C11, C12, C13, C14, C15, C16, C17, C18, C20, C21, C22, C23, C25: the rule that forbids it, with its values."""
    assert CENTURY.why_not(position().p, BOX, CENTURY.number(action)) == (rule, f"why.{key}", values)


def test_every_reason_is_shown_here() -> None:
    assert {case[0] for case in CASES} == set(REASONS)


@pytest.mark.parametrize("position", [start, placing, move, sailed, adrift, landed, market, building, bonus, stowing, port, no_way_on])
def test_what_is_legal_has_no_reason_against_it(position: Callable[[], Table]) -> None:
    t = position()
    for action in t.legal():
        assert CENTURY.why_not(t.p, BOX, CENTURY.number(action)) is None


def test_a_match_gives_the_reason_in_both_languages() -> None:
    """C10: in words, with the space."""
    match = comptoir.new("century", position=CENTURY.plain(move().p), seed=1)
    assert match.why_not("sail a") == ("C10", "A does not lie beside your boat")
    assert match.why_not("sail a", lang="fr") == ("C10", "A n'est pas à côté de votre bateau")
    assert match.why_not("sail f") is None


def test_an_illegal_action_is_refused_and_nothing_has_changed() -> None:
    """C16: the error names the rule."""
    match = comptoir.new("century", position=CENTURY.plain(move().p), seed=1)
    before = match.position()
    with pytest.raises(IllegalAction, match="'trade' is not allowed: you have no outpost here") as refusal:
        match.play("trade")
    assert refusal.value.rule == "C16"
    assert (match.position(), match.number) == (before, 0)


def test_an_unknown_action_is_refused() -> None:
    """C22: brown cannot be upgraded, and there is no space U."""
    match = comptoir.new("century", seed=1)
    for action in ("upgrade brown", "sail u", "drop", ""):
        with pytest.raises(UnknownAction):
            match.play(action)
