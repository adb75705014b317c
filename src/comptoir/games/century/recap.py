"""A finished turn in one sentence, with its highlights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from comptoir.engine.recap import ActionStep, Highlight
from comptoir.games.century.choices import bonus_text
from comptoir.games.century.naming import (
    at_space,
    boat_space,
    harvest_of,
    next_spice,
    points,
    sides,
    spices,
    tile_index,
)
from comptoir.games.century.rules import (
    BUILDING,
    CUBES,
    FIRST_ROW,
    ICONS,
    LAST_TILE,
    MOVE,
    NO_PORT,
    OVER,
    PLACING,
    PORTS,
    TILE_POINTS,
    closed_port,
    in_last_round,
    most_claimed,
    owner_to_pay,
    points_from,
    score_visible,
)

if TYPE_CHECKING:
    from comptoir.games.century.records import Scene

# A turn retold


def recap(steps: Sequence[ActionStep[Scene]]) -> tuple[str, list[Highlight]]:
    """A turn in one sentence, and its big moments.

    What was done several times is added up; ending a turn goes without saying.
    """
    start, words = steps[0].before, steps[-1].after.words
    p = start.record
    done: dict[str, list[ActionStep[Scene]]] = {}
    for step in steps:
        done.setdefault(_part_of_turn(step), []).append(step)
    clauses = [retell(done[verb]) for verb, retell in _CLAUSES.items() if verb in done] or [
        words.say("recap.nothing")
    ]
    if p.phase == MOVE and not p.moved and "sail" not in done:
        clauses.insert(0, at_space("recap.stay", int(p.boats[p.turn]), words))
    sentence = words.say("recap.turn", name=start.names[p.turn], clauses=words.join(clauses))
    return sentence, [moment for step in steps for moment in _highlights(step)]


def _part_of_turn(step: ActionStep[Scene]) -> str:
    """What an action is part of: cubes are dropped to sail on, and paid for a boat's place or for an
    outpost.
    """
    kind = step.action.kind
    if kind == "pay" and step.before.record.phase == BUILDING:
        return "build"
    return "sail" if kind == "drop" else kind


def _operand(step: ActionStep[Scene]) -> str:
    operand: str = step.action.operand
    return operand


def _added(steps: Sequence[ActionStep[Scene]]) -> str:
    """The cubes that some actions were about, together."""
    named = [_operand(step) for step in steps]
    return spices([named.count(cube) for cube in CUBES], steps[0].after.words)


def _parts(
    steps: Sequence[ActionStep[Scene]],
    part: Callable[[ActionStep[Scene]], Any],
    render: Callable[[Any, str], str],
) -> str:
    """Cubes added up by a part each (whom they were paid, where they were dropped), in words."""
    grouped: dict[Any, list[ActionStep[Scene]]] = {}
    for step in steps:
        grouped.setdefault(part(step), []).append(step)
    return steps[0].after.words.join([render(key, _added(group)) for key, group in grouped.items()])


def _recap_lot(steps: Sequence[ActionStep[Scene]]) -> str:
    (step,) = steps
    lot = step.before.box.lots[step.action.offset]
    return step.after.words.say("recap.lot", cubes=spices(lot, step.after.words))


def _recap_sailing(steps: Sequence[ActionStep[Scene]]) -> str:
    """C7, C10: where to, by which way, and what was dropped for it."""
    words, spaces = steps[0].after.words, [_operand(step) for step in steps if step.action.kind == "sail"]
    if steps[0].before.record.phase == PLACING:
        return words.say("recap.place", space=spaces[-1].upper())
    drops = [step for step in steps if step.action.kind == "drop"]
    if not spaces:  # what a hint expects may break off there
        return words.say("recap.drops", parts=_dropped(drops))
    *way, end = [
        words.say("recap.port", space=space.upper()) if space in PORTS else space.upper() for space in spaces
    ]
    voyage = (
        words.say("recap.sail_by", space=end, way=words.join(way))
        if way
        else words.say("recap.sail", space=end)
    )
    return words.say("recap.dropping", voyage=voyage, parts=_dropped(drops)) if drops else voyage


def _dropped(drops: Sequence[ActionStep[Scene]]) -> str:
    words = drops[0].after.words
    return _parts(drops, boat_space, lambda space, cubes: at_space("recap.drop", space, words, cubes=cubes))


def _recap_paying(steps: Sequence[ActionStep[Scene]]) -> str:
    """C11: to whom what."""
    words, names = steps[0].after.words, steps[0].after.names
    parts = _parts(
        steps,
        lambda step: owner_to_pay(step.before.record),
        lambda owner, paid: words.say("recap.pay_part", cubes=paid, name=names[owner]),
    )
    return words.say("recap.pay", parts=parts)


def _recap_added(steps: Sequence[ActionStep[Scene]]) -> str:
    """C12, C20: cubes picked up, or put back."""
    return steps[0].after.words.say(f"recap.{steps[0].action.kind}", cubes=_added(steps))


def _recap_building(steps: Sequence[ActionStep[Scene]]) -> str:
    """C14: for which cubes, and the points that it uncovers."""
    words, paid = steps[0].after.words, [step for step in steps if step.action.kind == "pay"]
    gained = _on_board(steps[-1].after, steps[0]) - _on_board(steps[0].before, steps[0])
    worth = words.say("recap.worth", points=points(gained, words)) if gained else ""
    if paid:
        return words.say("recap.build_for", worth=worth, cubes=_added(paid))
    return words.say("recap.build", worth=worth)


def _on_board(scene: Scene, step: ActionStep[Scene]) -> int:
    """C31: the points of all rows of the board of whoever has done a step."""
    seat = int(step.before.record.turn)
    return sum(
        points_from(scene.record, scene.box, seat, source)
        for source in range(FIRST_ROW, FIRST_ROW + len(ICONS))
    )


def _recap_bonus(steps: Sequence[ActionStep[Scene]]) -> str:
    """C15, C21: what the tile is good for."""
    (step,) = steps
    return bonus_text("recap", step.before, _operand(step), spices)


def _recap_upgrades(steps: Sequence[ActionStep[Scene]]) -> str:
    words = steps[0].after.words
    parts = _parts(
        steps,
        _operand,
        lambda cube, raised: words.say("recap.upgrade_part", cubes=raised, better=next_spice(cube)),
    )
    return words.say("recap.upgrade", parts=parts)


def _recap_trades(steps: Sequence[ActionStep[Scene]]) -> str:
    """C16: all of them together."""
    words, market = steps[0].after.words, sides(steps[0].before, boat_space(steps[0]))
    pays, gets = (spices([int(n) * len(steps) for n in side], words) for side in market)
    return words.say("recap.trade", pays=pays, gets=gets)


def _recap_claim(steps: Sequence[ActionStep[Scene]]) -> str:
    """C17, C33: what was handed in; what it is worth, to whom is told."""
    (step,) = steps
    words, box, seat = step.after.words, step.before.box, int(step.before.record.turn)
    tile = tile_index(step.before, boat_space(step))
    values = {
        "n": int(step.after.record.claimed[seat]),
        "most": LAST_TILE,
        "cubes": spices(box.vp_cost[tile], words),
    }
    if score_visible(step.after.record, step.after.seat, seat, TILE_POINTS):
        return words.say("recap.claim_open", points=points(int(box.vp_points[tile]), words), **values)
    return words.say("recap.claim", **values)


def _recap_harvest(steps: Sequence[ActionStep[Scene]]) -> str:
    (step,) = steps
    return step.after.words.say("recap.harvest", cubes=spices(harvest_of(step.before), step.after.words))


_CLAUSES: dict[str, Callable[[Sequence[ActionStep[Scene]]], str]] = {  # in the order of a turn
    "lot": _recap_lot,
    "sail": _recap_sailing,
    "pay": _recap_paying,
    "take": _recap_added,
    "build": _recap_building,
    "bonus": _recap_bonus,
    "upgrade": _recap_upgrades,
    "trade": _recap_trades,
    "claim": _recap_claim,
    "harvest": _recap_harvest,
    "discard": _recap_added,
}


def _highlights(step: ActionStep[Scene]) -> list[Highlight]:
    """C18, C30, C34: a port that closes, the last round, the end."""
    words, old, new, found = step.after.words, step.before.record, step.after.record, []

    def add(kind: str, **values: object) -> None:
        found.append(Highlight(kind, words.say(f"moments.{kind}", **values)))

    was, closed = closed_port(old), closed_port(new)
    if was == NO_PORT != closed:
        add("closes", space=PORTS[closed].upper())
    elif was != closed:
        add("closed_moves", space=PORTS[closed].upper(), other=PORTS[was].upper())
    if in_last_round(new) and not in_last_round(old):
        if most_claimed(new) >= LAST_TILE:
            add("last_round", name=step.after.names[old.turn])
        else:
            add("round_200")
    if new.phase == OVER:
        add("over")
    return found
