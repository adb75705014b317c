"""Why an action is not allowed: the rule that forbids it, and the reason in both languages."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Callable, Mapping
from typing import Any

import pytest

import comptoir
from comptoir.errors import IllegalAction, UnknownAction
from comptoir.games.century import rules
from comptoir.games.century.why import why_not
from tests.games.century.positions import BOX, CENTURY, PositionBuilder, box_of
from tests.games.century.test_move import RING

REASONS = tomllib.loads((CENTURY.folder / "words.toml").read_text(encoding="utf-8"))["why"]


def start() -> PositionBuilder:
    return PositionBuilder(CENTURY.interpreted, first=0)


def placing() -> PositionBuilder:
    return start().play("lot one")


def move(cubes: str = "YY") -> PositionBuilder:
    """Seat 0 is to move from K, a market of YY for G."""
    return start().begin("kzzz").market("k", "ginger 1").hold(0, cubes)


def sailed(cubes: str = "YY") -> PositionBuilder:
    """Seat 0 has sailed from K to F."""
    return move(cubes).play("sail f")


def adrift() -> PositionBuilder:
    return sailed().play("drop yellow")


def crowd(cubes: str) -> PositionBuilder:
    """Seat 0, on F, has boats of seats 1 and 2 next to it, on K."""
    return start().begin("fkkz").hold(0, cubes)


def landed() -> PositionBuilder:
    return crowd("YYR").play("sail k", "pay yellow", "pay yellow")


def market() -> PositionBuilder:
    """Seat 0 has built on K, and may trade."""
    return move("YYY").play("build")


def building() -> PositionBuilder:
    return move("YYY").outpost("k", 1, 2).play("build", "pay yellow")


def bonus() -> PositionBuilder:
    return move().built(0, 0, 1, 1, 1, but="k").bonus(1, hold=4).play("build")


def stowing() -> PositionBuilder:
    return move("Y" * 10).play("harvest")


def port(cubes: str = "") -> PositionBuilder:
    return start().begin("wzzz").tile("w", "YYGGG", 11).hold(0, cubes)


def no_way_on() -> PositionBuilder:
    """Seat 0, in port W again, has one cube; the three spaces next to it hold a boat each."""
    t = start().begin("wacd").hold(0, "Y").bonus(0, move=1).turn(0)
    return t.play("sail a", "sail w")


def trap_after_a_drop() -> PositionBuilder:
    """Seat 0 has sailed to F and has 1 cube: with none left it could go to E, but not to K, where three boats
    are.
    """
    return start().begin("ekkk").hold(0, "Y").play("sail f")


def empty_port() -> PositionBuilder:
    t = port("YYGGG")
    t.p.tiles[t.p.ports[0]] = rules.PILE
    t.p.ports[0] = rules.NO_TILE
    return t


Case = tuple[str, str, Callable[[], PositionBuilder], str, dict[str, Any]]
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
    ("no_cube", "C20", stowing, "discard red", {"cube": "chili"}),
    ("no_cube", "C11", lambda: crowd("YY").play("sail k"), "pay red", {"cube": "chili"}),
    ("no_cube", "C11", lambda: crowd("YY").play("sail k", "pay yellow"), "pay red", {"cube": "chili"}),
    ("no_cube", "C14", building, "pay green", {"cube": "tea"}),
    ("no_cube", "C10", sailed, "drop brown", {"cube": "cloves"}),
    (
        "no_cube",
        "C22",
        lambda: move("YY").bonus(0, upgrade=1).play("build"),
        "upgrade red",
        {"cube": "chili"},
    ),
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
    (
        "paid",
        "C11",
        lambda: crowd("YYYYY").market("k", "ginger 1").play("sail k", *["pay yellow"] * 2, "build"),
        "pay yellow",
        {},
    ),
    ("no_upgrade", "C21", move, "upgrade yellow", {}),
    ("no_upgrade", "C21", market, "upgrade yellow", {}),
    ("one_action", "C13", market, "harvest", {}),
    ("one_action", "C13", market, "build", {}),
    ("stayed", "C12", lambda: move().lay("k", "R"), "take red", {}),
    ("not_lying", "C12", sailed, "take red", {"cube": "chili", "space": "F"}),
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


@pytest.mark.parametrize(
    ("key", "rule", "position", "action", "values"), CASES, ids=[f"{case[0]}: {case[3]}" for case in CASES]
)
def test_each_reason(
    key: str, rule: str, position: Callable[[], PositionBuilder], action: str, values: dict[str, Any]
) -> None:
    """C7, C10, C11, C12, C13, C14, C15, C16, C17, C18, C20, C21, C22, C23, C25: the rule that forbids it,
    with its values.
    """
    assert CENTURY.why_not(position().p, BOX, CENTURY.action_index(action)) == (rule, f"why.{key}", values)


def test_every_reason_is_shown_here() -> None:
    assert {case[0] for case in CASES} == set(REASONS)


# What a refusal claims, worked out from plain data and not by the rules


class Told:
    """A position, what may be done in it, and how many boats were paid in this turn: what refusals are
    checked against.
    """

    def __init__(self, t: PositionBuilder, paid: int) -> None:
        p = CENTURY.to_dict(t.p)
        self.table, self.p, self.paid, self.legal = t, p, paid, t.legal()
        self.ruleset = {action.split()[0] for action in self.legal}
        self.seat = p["turn"]
        self.space = p["boats"][self.seat]
        self.hold, self.cubes, self.built = (
            p["hold"][self.seat],
            p["hold_size"][self.seat],
            p["built"][self.seat],
        )
        self.room = 10 + 3 * p["bonus"][self.seat]["hold"]
        self.bonus = sum(p["bonus"][self.seat].values())
        self.map = dict(
            zip(rules.SPACES, [*t.box.map_markets.tolist(), *t.box.map_ports.tolist()], strict=True)
        )

    def boats(self, space: str) -> int:
        """Others that are paid for ending a move there."""
        return (
            sum(at == space for seat, at in enumerate(self.p["boats"]) if seat != self.seat)
            if space not in rules.PORTS
            else 0
        )

    def beside(self, space: str) -> list[str]:
        x, y = self.map[space]
        return [other for other, (a, b) in self.map.items() if (abs(a - x), abs(b - y)) in ((0, 2), (1, 1))]

    def ends(self, space: str, free: int, cubes: int) -> bool:
        """Whether a move can end, there or further on: by trying."""
        if self.boats(space) <= cubes:
            return True
        if free == cubes == 0:
            return False
        free, cubes = (free - 1, cubes) if free else (free, cubes - 1)
        return any(self.ends(other, free, cubes) for other in self.beside(space))

    def after_a_drop(self, space: str) -> bool:
        """Whether one may sail there once a cube is dropped."""
        return self.ends(space, 0, self.cubes - 1)

    def trapped(self, space: str) -> bool:
        if self.p["phase"] == "move" and not self.p["free"]:
            return not self.after_a_drop(space)
        return not self.ends(space, max(self.p["free"] - 1, 0), self.cubes)

    def lacks(self, cost: Any) -> bool:
        return any(self.hold[cube] < n for cube, n in zip(rules.CUBES, cost, strict=True))


def stands_in_port(at: Told, tile: str | None) -> bool:
    return at.space in rules.PORTS and at.p["ports"][at.space] == tile


def tile_too_dear(at: Told) -> bool:
    tile = at.p["ports"][at.space]
    return tile not in (None, "closed") and at.lacks(at.table.box.vp_cost[rules.TILES.index(tile)])


CLAIMS: dict[str, Callable[[Told, str, Mapping[str, Any]], bool]] = {
    "lot_first": lambda at, what, v: at.ruleset == {"lot"},
    "lot_taken": lambda at, what, v: at.ruleset == {"lot"} and not at.p["lots"][what],
    "place_first": lambda at, what, v: at.space is None and at.ruleset == {"sail"},
    "start_market": lambda at, what, v: at.space is None and what in rules.PORTS,
    "lots_gone": lambda at, what, v: None not in at.p["boats"],
    "bonus_first": lambda at, what, v: at.ruleset == {"bonus"} and at.bonus < min(at.built.values()),
    "none_left": lambda at, what, v: at.ruleset == {"bonus"} and at.p["bonus_left"][what] == 0,
    "no_column": lambda at, what, v: at.bonus == min(at.built.values()),
    "no_cube": lambda at, what, v: at.hold[rules.CUBES[rules.ICONS.index(v["cube"])]] == 0,
    "too_full": lambda at, what, v: at.ruleset == {"discard"} and at.cubes - at.room == v["n"] > 0,
    "not_too_full": lambda at, what, v: at.room == v["n"] and "discard" not in at.ruleset,
    "pay_owners": lambda at, what, v: at.ruleset == {"pay"} and at.boats(at.space) - at.paid == v["n"] > 0,
    "pay_outpost": lambda at, what, v: (
        at.ruleset == {"pay"} and at.p["owed"] == v["n"] > 0 and at.seat not in at.p["outposts"][at.space]
    ),
    "move_over": lambda at, what, v: "end" in at.ruleset and not at.ruleset & {"sail", "drop"},
    "drop_first": lambda at, what, v: (
        "drop" in at.ruleset and what in at.beside(at.space) and at.after_a_drop(what)
    ),
    "no_cubes": lambda at, what, v: at.p["free"] == at.cubes == 0 and what in at.beside(at.space),
    "not_beside": lambda at, what, v: what not in at.beside(at.space) and v["space"] == what.upper(),
    "trap": lambda at, what, v: (
        what in at.beside(at.space) and at.trapped(what) and v == {"space": what.upper(), "n": at.boats(what)}
    ),
    "sail_on": lambda at, what, v: at.ruleset == {"sail"} and at.p["phase"] == "adrift",
    "free_first": lambda at, what, v: at.p["free"] > 0 and at.p["phase"] == "move",
    "no_way_on": lambda at, what, v: at.cubes > 0 and not any(map(at.after_a_drop, at.beside(at.space))),
    "cannot_pay": lambda at, what, v: (
        at.boats(at.space) == v["n"] > at.cubes and at.ruleset <= {"sail", "drop"}
    ),
    "pay_first": lambda at, what, v: (
        at.boats(at.space) == v["n"] <= at.cubes and "pay" in at.ruleset and at.paid == 0
    ),
    "nobody_to_pay": lambda at, what, v: at.boats(at.space) == 0,
    "paid": lambda at, what, v: at.boats(at.space) == at.paid > 0,
    "stays_free": lambda at, what, v: at.boats(at.space) > 0 == at.paid and not at.p["moved"],
    "no_upgrade": lambda at, what, v: at.p["phase"] != "market" or at.p["upgrades"] == 0,
    "one_action": lambda at, what, v: "end" in at.ruleset and bool(at.ruleset & {"trade", "upgrade"}),
    "stayed": lambda at, what, v: not at.p["moved"],
    "not_lying": lambda at, what, v: (
        at.p["lying"][at.space][what] == 0
        and v == {"cube": rules.ICONS[rules.CUBES.index(what)], "space": at.space.upper()}
    ),
    "not_a_port": lambda at, what, v: at.space not in rules.PORTS,
    "not_at_a_port": lambda at, what, v: at.space in rules.PORTS,
    "closed": lambda at, what, v: stands_in_port(at, "closed"),
    "empty_port": lambda at, what, v: stands_in_port(at, None),
    "tile_cost": lambda at, what, v: tile_too_dear(at),
    "outpost_there": lambda at, what, v: at.seat in at.p["outposts"][at.space],
    "outpost_cost": lambda at, what, v: (
        v["n"] == len(at.p["outposts"][at.space]) * (2 if at.p["players"] == 2 else 1) > at.cubes
    ),
    "no_outpost": lambda at, what, v: at.seat not in at.p["outposts"][at.space],
    "trade_cost": lambda at, what, v: (
        at.seat in at.p["outposts"][at.space]
        and at.lacks(at.table.box.trades[rules.MARKETS.index(at.p["markets"][at.space])][0])
    ),
}


def check_refusals(t: PositionBuilder, paid: int) -> set[str]:
    """Every action that is refused in a position is refused for a true reason; the reasons."""
    at, seen = Told(t, paid), set()
    for action in set(rules.ACTIONS.texts) - set(at.legal):
        _, key, values = why_not(t.p, t.box, CENTURY.action_index(action))
        assert CLAIMS[key.removeprefix("why.")](at, action.partition(" ")[2], values), (key, action, at.p)
        seen.add(key.removeprefix("why."))
    return seen


def wander(t: PositionBuilder, chance: random.Random, decisions: int) -> set[str]:
    """Plays on at random and looks at every refusal on the way."""
    paid, seen = 0, set()
    for _ in range(decisions):
        if t.p.turn < 0:
            break
        if t.p.phase == rules.MOVE and not t.p.moved:
            paid = 0
        seen |= check_refusals(t, paid)
        action = chance.choice(t.legal())
        paid += action.startswith("pay") and t.p.phase != rules.BUILDING
        t.play(action)
    return seen


@pytest.mark.slow
@pytest.mark.no_cover
def test_every_refusal_is_true() -> None:
    """C7, C10 to C25: in random matches, and in crowded corners of two maps with few cubes, every reason
    holds when it is given.
    """
    chance, seen, ring = random.Random(7), set(), box_of(map=RING)
    for players in (2, 3, 4):
        seen |= wander(PositionBuilder(CENTURY.interpreted, f"why {players}", players=players), chance, 300)
    for n in range(120):
        box, corner = ((BOX, "acdwe"), (ring, "abcde"), (ring, "abc"))[n % 3]
        t = PositionBuilder(CENTURY.interpreted, box=box).begin(
            "".join(chance.choice(corner) for _ in range(4))
        )
        extra = chance.randrange(2)
        t.built(0, extra, extra, extra, extra).hold(0, "Y" * chance.randrange(4)).bonus(0, move=extra).turn(0)
        seen |= wander(t, chance, 6)
    assert seen >= set(REASONS) - {"none_left", "empty_port", "closed"}


@pytest.mark.parametrize(
    "position",
    [start, placing, move, sailed, adrift, landed, market, building, bonus, stowing, port, no_way_on],
)
def test_what_is_legal_has_no_reason_against_it(position: Callable[[], PositionBuilder]) -> None:
    t = position()
    for action in t.legal():
        assert CENTURY.why_not(t.p, BOX, CENTURY.action_index(action)) is None


def test_a_match_gives_the_reason_in_both_languages() -> None:
    """C10: in words, with the space."""
    match = comptoir.new("century", position=CENTURY.to_dict(move().p), seed=1)
    assert match.why_not("sail a") == ("C10", "A does not lie beside your boat")
    assert match.why_not("sail a", lang="fr") == ("C10", "A n'est pas à côté de votre bateau")
    assert match.why_not("sail f") is None


def test_an_illegal_action_is_refused_and_nothing_has_changed() -> None:
    """C16: the error names the rule."""
    match = comptoir.new("century", position=CENTURY.to_dict(move().p), seed=1)
    before = match.position()
    with pytest.raises(IllegalAction, match="'trade' is not allowed: you have no outpost here") as refusal:
        match.play("trade")
    assert refusal.value.rule == "C16"
    assert (match.position(), match.ply) == (before, 0)


def test_an_unknown_action_is_refused() -> None:
    """C22: brown cannot be upgraded, and there is no space U."""
    match = comptoir.new("century", seed=1)
    for action in ("upgrade brown", "sail u", "drop", ""):
        with pytest.raises(UnknownAction):
            match.play(action)
