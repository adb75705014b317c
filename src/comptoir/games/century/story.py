"""The game's narration, from what a seat knows: the opening, the log of each action, and the prompt."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from comptoir.engine.actions import Action
from comptoir.engine.recap import ActionStep
from comptoir.games.century.choices import choice, effect
from comptoir.games.century.naming import (
    boat_space,
    closing,
    cube_of,
    cubes,
    harvest_of,
    next_spice,
    points,
    sides,
    tile_index,
    tile_values,
)
from comptoir.games.century.recap import recap
from comptoir.games.century.rules import (
    BONUS_PHASE,
    BUILDING,
    CLOSED,
    ENDINGS,
    LANDED,
    LAST_TILE,
    MARKET,
    MOVE,
    NO_PORT,
    NO_TILE,
    OVER,
    PHASES,
    PLACING,
    POINTS,
    PORTS,
    SPACES,
    STOWING,
    TILE_POINTS,
    can_upgrade,
    closed_port,
    outpost_cost,
    owner_to_pay,
    score_visible,
    surplus,
    top_of_pile,
    upgrades_possible,
)

if TYPE_CHECKING:
    from comptoir.games.century.records import Scene

__all__ = ["choice", "effect", "log_lines", "opening", "prompt", "recap"]

# The log


def opening(scene: Scene) -> list[str]:
    """C4, C7, C9: who is first, what lies in the ports, and who is to choose first from which lots."""
    p, words, names = scene.record, scene.words, scene.names
    tiles = zip(PORTS, p.ports.tolist(), strict=True)
    lots = " · ".join(cubes(lot, words) for lot in scene.box.lots)
    return [
        words.say("open.first", name=names[p.first]),
        *(words.say("open.tile", space=port.upper(), **tile_values(scene, tile)) for port, tile in tiles),
        words.say("open.closing", n=closing(scene)),
        words.say("open.lots", name=names[p.turn], lots=lots),
    ]


def log_lines(before: Scene, action: Action, after: Scene) -> list[str]:
    """The lines of the log for one action."""
    words, old, new = after.words, before.record, after.record
    lines = [_LOG.get(action.kind, _log_by_name)(ActionStep(before, action, after))]
    if action.kind == "claim":
        lines += _ports(before, after)
        if new.claimed[old.turn] == LAST_TILE:
            lines.append(words.say("log.fourth", name=after.names[old.turn]))
    if new.phase == BONUS_PHASE:
        lines.append(words.say("log.column", name=after.names[new.turn]))
    if new.phase == OVER:
        lines.append(words.say(f"log.over_{ENDINGS[new.ending]}"))
    elif new.round_number > old.round_number or (old.phase == PLACING and new.phase == MOVE):
        lines.append(words.say("log.round", n=int(new.round_number)))
    return lines


def _log(step: ActionStep[Scene], key: str, **values: object) -> str:
    """A line of the log about whoever decided."""
    name = step.before.names[int(step.before.record.turn)]
    return step.after.words.say(f"log.{key}", name=name, **values)


def _where(step: ActionStep[Scene]) -> str:
    """The space where the boat was; none before it is placed."""
    space = boat_space(step)
    return SPACES[space].upper() if space >= 0 else ""


def _log_by_name(step: ActionStep[Scene]) -> str:
    return _log(step, step.action.kind, space=_where(step))


def _log_lot(step: ActionStep[Scene]) -> str:
    held = step.before.box.lots[step.action.offset]
    return _log(step, "lot", cubes=cubes(held, step.after.words))


def _log_sailing(step: ActionStep[Scene]) -> str:
    key = "place" if step.before.record.phase == PLACING else "sail"
    return _log(step, key, space=step.action.operand.upper())


def _log_moved_cube(step: ActionStep[Scene]) -> str:
    """C10, C12, C20: to or from the space where the boat is."""
    return _log(
        step, step.action.kind, cube=cube_of(step.action.operand, step.after.words), space=_where(step)
    )


def _log_paying(step: ActionStep[Scene]) -> str:
    """C11, C14."""
    p, cube = step.before.record, cube_of(step.action.operand, step.after.words)
    if p.phase == BUILDING:
        return _log(step, "pay_outpost", cube=cube)
    return _log(step, "pay", other=step.before.names[owner_to_pay(p)], cube=cube)


def _log_building(step: ActionStep[Scene]) -> str:
    cost = outpost_cost(step.before.record, step.before.box, boat_space(step))
    return _log(step, "build_for" if cost else "build", space=_where(step), **({"n": cost} if cost else {}))


def _log_bonus(step: ActionStep[Scene]) -> str:
    if step.action.offset == POINTS:
        worth = top_of_pile(step.before.record, step.before.box)
        return _log(step, "bonus_points", points=points(worth, step.after.words))
    return _log(step, "bonus", kind=step.action.operand)


def _log_upgrade(step: ActionStep[Scene]) -> str:
    cube = step.action.operand
    return _log(step, "upgrade", cube=cube_of(cube, step.after.words), better=next_spice(cube))


def _log_trade(step: ActionStep[Scene]) -> str:
    pays, gets = (cubes(side, step.after.words) for side in sides(step.before, boat_space(step)))
    return _log(step, "trade", pays=pays, gets=gets)


def _log_claim(step: ActionStep[Scene]) -> str:
    seat = int(step.before.record.turn)
    key = "claim_open" if score_visible(step.after.record, step.after.seat, seat, TILE_POINTS) else "claim"
    return _log(
        step, key, space=_where(step), **tile_values(step.before, tile_index(step.before, boat_space(step)))
    )


def _log_harvest(step: ActionStep[Scene]) -> str:
    return _log(step, "harvest", cubes=cubes(harvest_of(step.before), step.after.words))


_LOG: dict[str, Callable[[ActionStep[Scene]], str]] = {
    "lot": _log_lot,
    "sail": _log_sailing,
    "drop": _log_moved_cube,
    "pay": _log_paying,
    "take": _log_moved_cube,
    "build": _log_building,
    "bonus": _log_bonus,
    "upgrade": _log_upgrade,
    "trade": _log_trade,
    "claim": _log_claim,
    "harvest": _log_harvest,
    "discard": _log_moved_cube,
}


def _ports(before: Scene, after: Scene) -> list[str]:
    """C17, C18: after a claim, first where the closed-port tile has gone, then what is new."""
    words, old, new, lines = after.words, before.record, after.record, []
    closed = closed_port(new)
    if closed != closed_port(old):
        key = "log.closes" if closed_port(old) == NO_PORT else "log.closed_moves"
        lines.append(words.say(key, space=PORTS[closed].upper()))
    for port, letter in enumerate(PORTS):
        tile = int(new.ports[port])
        if tile not in (int(old.ports[port]), CLOSED):
            key, values = (
                ("log.no_tile", {}) if tile == NO_TILE else ("log.new_tile", tile_values(after, tile))
            )
            lines.append(words.say(key, space=letter.upper(), **values))
    return lines


# What to decide


def prompt(scene: Scene) -> str:
    """What to decide, in a sentence."""
    p, kinds = scene.record, {action.kind for action in scene.choices}
    key, n = PHASES[p.phase], int(p.owed)
    if p.phase == MOVE:
        key = _prompt_to_move(bool(p.moved), kinds)
    elif p.phase == LANDED and "take" not in kinds:
        key = "docked"
    elif p.phase == MARKET and can_upgrade(p):
        key, n = "upgrading_or_trading" if "trade" in kinds else "upgrading", upgrades_possible(p)
    elif p.phase == STOWING:
        n = surplus(p, scene.box, int(p.turn))
    return scene.words.say(f"prompt.{key}", name=scene.names[p.turn], n=n)


def _prompt_to_move(moved: bool, kinds: set[str]) -> str:
    """C10, C11: by what may be done."""
    if "pay" in kinds:
        return "must_pay" if kinds & {"sail", "drop"} else "must_pay_here"
    if "end" not in kinds:
        return "cannot_stop"
    if "sail" in kinds:
        if not moved:
            return "move"
        return "sailing_taking" if "take" in kinds else "sailing"
    if "drop" in kinds:
        return "dropping_taking" if "take" in kinds else "dropping"
    return "docked_taking" if "take" in kinds else "docked"
