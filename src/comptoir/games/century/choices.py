"""Choices of a seat in plain words: what each does, and its effect."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from comptoir.engine.actions import Action
from comptoir.engine.choice import Choice
from comptoir.engine.scene import with_fields
from comptoir.engine.words import Words
from comptoir.games.century.naming import (
    at_space,
    cube_of,
    cubes,
    harvest_of,
    next_spice,
    points,
    sides,
    spices,
    tile_index,
    tile_values,
    trade_letters,
    trade_text,
)
from comptoir.games.century.rules import (
    BUILDING,
    CLOSED,
    FIRST_PORT,
    ICONS,
    KINDS,
    LANDED,
    LAST_TILE,
    MARKET,
    NO_TILE,
    PAYING,
    PLACING,
    POINTS,
    SPACES,
    bonus_tiles_left,
    can_claim,
    can_upgrade,
    column_empty,
    dues,
    has_outpost,
    icon_at,
    in_last_round,
    outpost_cost,
    owner_to_pay,
    row_points,
    surplus,
    top_of_pile,
)

if TYPE_CHECKING:
    from comptoir.games.century.records import Scene

# What a choice would do


def effect(scene: Scene, action: Action) -> str:
    """What a choice would do, in a few words."""
    return _EFFECTS[action.kind](scene, action)


def _named_effect(scene: Scene, action: Action) -> str:
    return scene.words.say(f"does.{action.kind}")


def _lot_effect(scene: Scene, action: Action) -> str:
    held = scene.box.lots[action.offset]
    return scene.words.say("does.lot", cubes=cubes(held, scene.words))


def _paying_effect(scene: Scene, action: Action) -> str:
    p, words = scene.record, scene.words
    if p.phase == BUILDING:
        return words.say("does.pay_outpost")
    key = "does.pay_next" if p.phase == PAYING else "does.pay_boat"
    return words.say(key, name=scene.names[owner_to_pay(p)])


def _taking_effect(scene: Scene, action: Action) -> str:
    p = scene.record
    key = "does.take_more" if p.phase == LANDED else "does.take"
    return scene.words.say(key, n=int(p.lying[_boat(scene), action.offset]))


def _boat(scene: Scene) -> int:
    """The space of the boat of the seat that decides."""
    return int(scene.record.boats[scene.record.turn])


def _upgrade_effect(scene: Scene, action: Action) -> str:
    return scene.words.say("does.upgrade", cube=next_spice(action.operand))


def _discard_effect(scene: Scene, action: Action) -> str:
    p = scene.record
    return scene.words.say("does.discard", n=int(p.hold[p.turn, action.offset]))


def _building_effect(scene: Scene, action: Action) -> str:
    space = _boat(scene)
    cost = outpost_cost(scene.record, scene.box, space)
    key = "does.build" if cost else "does.build_free"
    return scene.words.say(key, n=cost, trade=trade_letters(scene, space))


def _trade_effect(scene: Scene, action: Action) -> str:
    return scene.words.say("does.trade", trade=trade_letters(scene, _boat(scene)))


def _claim_effect(scene: Scene, action: Action) -> str:
    return scene.words.say("does.claim", **tile_values(scene, tile_index(scene, _boat(scene))))


def _harvest_effect(scene: Scene, action: Action) -> str:
    return scene.words.say("does.harvest", cubes=cubes(harvest_of(scene), scene.words))


def _bonus_effect(scene: Scene, action: Action) -> str:
    return bonus_use(scene, action.operand)


def _end_effect(scene: Scene, action: Action) -> str:
    if scene.record.phase != MARKET:
        return scene.words.say("does.end")
    return scene.words.say("does.end_market" if "trade" in scene.actions else "does.end_upgrades")


def _sailing_effect(scene: Scene, action: Action) -> str:
    """What is to be found on a space."""
    p, words, space = scene.record, scene.words, action.offset
    if space >= FIRST_PORT:
        parts = [_port_effect(scene, tile_index(scene, space))]
    else:
        key = "does.market_yours" if has_outpost(p, space, int(p.turn)) else "does.market"
        parts = [words.say(key, icon=ICONS[icon_at(p, space)], trade=trade_letters(scene, space))]
        if p.phase != PLACING and dues(p, space):
            parts.append(words.say("does.dues", n=int(dues(p, space))))
    if p.lying[space].any():
        parts.append(words.say("does.lying", cubes=cubes(p.lying[space], words)))
    return " · ".join(parts)


def _port_effect(scene: Scene, tile: int) -> str:
    if tile in (CLOSED, NO_TILE):
        return scene.words.say("does.port_closed" if tile == CLOSED else "does.port_empty")
    return scene.words.say("does.port", **tile_values(scene, tile))


_EFFECTS: dict[str, Callable[[Scene, Action], str]] = {
    "lot": _lot_effect,
    "sail": _sailing_effect,
    "drop": _named_effect,
    "pay": _paying_effect,
    "take": _taking_effect,
    "build": _building_effect,
    "bonus": _bonus_effect,
    "upgrade": _upgrade_effect,
    "trade": _trade_effect,
    "claim": _claim_effect,
    "harvest": _harvest_effect,
    "discard": _discard_effect,
    "end": _end_effect,
}


def bonus_use(scene: Scene, kind: str) -> str:
    """C21: what a bonus tile is good for, in a few words."""
    return bonus_text("does", scene, kind, cubes)


def bonus_text(section: str, scene: Scene, kind: str, render: Callable[[Iterable[int], Words], str]) -> str:
    """C21: what a bonus tile is good for."""
    box, words = scene.box, scene.words
    if kind == KINDS[POINTS]:
        return words.say(
            f"{section}.bonus_points", points=points(top_of_pile(scene.record, scene.box), words)
        )
    return words.say(f"{section}.bonus_{kind}", n=int(box.hold_more), cubes=render(box.harvest_more, words))


# The same as a person reads it on a button

MAX_EFFECT_CHARS = 60  # letters


def choice(scene: Scene, action: Action) -> Choice:
    """A choice in plain words: what to do, and what comes of it."""
    return _CHOICES[action.kind](scene, action)


def _fitting(parts: Iterable[str]) -> str:
    """What matters most comes first; what there is no room for is left out."""
    said = ""
    for part in filter(None, parts):
        longer = f"{said} · {part}" if said else part
        if len(longer) <= MAX_EFFECT_CHARS:
            said = longer
    return said


def _with_one_more(counts: Any, seat: int, *at: int, n: int = 1) -> Any:
    raised = counts.copy()
    raised[(seat, *at)] += n
    return raised


def _lot_choice(scene: Scene, action: Action) -> Choice:
    held = scene.box.lots[action.offset]
    return Choice(scene.words.say("offer.lot", cubes=spices(held, scene.words)), group="lot")


def _sailing_choice(scene: Scene, action: Action) -> Choice:
    """C7, C10: where to, what it costs to stop there, and what is to be found."""
    words, to = scene.words, action.offset
    if scene.record.phase == PLACING:
        label = words.say("offer.place", space=action.operand.upper())
        return Choice(label, _trade_at(scene, to), "place")
    return Choice(at_space("offer.sail", to, words), _fitting(_found(scene, to)), "sail")


def _found(scene: Scene, space: int) -> list[str]:
    """C11, C12, C16, C17: what it costs to stop on a space, and what there is."""
    p, words = scene.record, scene.words
    owed, lying = int(dues(p, space)), int(p.lying[space].sum())
    found = [words.say("offer.dues", n=owed)] if owed else []
    claimable = space >= FIRST_PORT and can_claim(p, scene.box, tile_index(scene, space))
    if claimable and not owed:  # what counts most; the rest can be seen
        return [words.say("offer.claimable", **tile_values(scene, tile_index(scene, space)))]
    if lying:
        found.append(words.say("offer.lying", n=lying))
    if space >= FIRST_PORT:
        return [*found, port_contents(scene, space)]
    if has_outpost(p, space, int(p.turn)):
        found.append(words.say("offer.yours"))
    return [*found, _trade_at(scene, space)]


def port_contents(scene: Scene, space: int) -> str:
    """C17, C18: what there is in a port."""
    tile = tile_index(scene, space)
    if tile in (CLOSED, NO_TILE):
        return scene.words.say("offer.closed" if tile == CLOSED else "offer.empty")
    return scene.words.say("offer.tile", **tile_values(scene, tile))


def _trade_at(scene: Scene, space: int) -> str:
    return trade_text(*sides(scene, space), scene.words)


def _cube_choice(scene: Scene, action: Action) -> Choice:
    """C11, C12, C14, C20: one cube paid, picked up or put back."""
    words, kind = scene.words, action.kind
    label = words.say(f"offer.{kind}", cube=cube_of(action.operand, words))
    return Choice(label, effect(scene, action), kind)


def _drop_choice(scene: Scene, action: Action) -> Choice:
    """C10: it stays where the boat is."""
    words = scene.words
    label = words.say("offer.drop", cube=cube_of(action.operand, words))
    return Choice(label, words.say("offer.drop_for"), "drop")


def _upgrade_choice(scene: Scene, action: Action) -> Choice:
    words, cube = scene.words, action.operand
    return Choice(
        words.say("offer.upgrade", cube=cube_of(cube, words), better=next_spice(cube)), group="upgrade"
    )


def _build_choice(scene: Scene, _: Action) -> Choice:
    """C14, C15: what it costs, the points that it uncovers, and whether a column is empty then."""
    p, box, words, seat = scene.record, scene.box, scene.words, int(scene.record.turn)
    space = int(p.boats[seat])
    icon, cost = icon_at(p, space), outpost_cost(p, box, space)
    then = with_fields(p, built=_with_one_more(p.built, seat, icon))
    gained = row_points(then, box, seat, icon) - row_points(p, box, seat, icon)
    parts = [words.say("offer.cost", n=cost) if cost else words.say("offer.free")]
    parts += [points(gained, words)] if gained else []
    if column_empty(then, seat, int(then.built[seat, icon])) and bonus_tiles_left(p):
        parts.append(words.say("offer.bonus_tile"))
    return Choice(words.say("offer.build", space=SPACES[space].upper()), _fitting(parts), "act")


def _trade_choice(scene: Scene, _: Action) -> Choice:
    """C16: once; it may be done again."""
    words = scene.words
    pays, gets = (cubes(side, words) for side in sides(scene, int(scene.record.boats[scene.record.turn])))
    return Choice(words.say("offer.trade", pays=pays), words.say("offer.trade_for", gets=gets), "act")


def _claim_choice(scene: Scene, _: Action) -> Choice:
    """C17, C30: for what, and that the fourth brings the last round."""
    p, words, seat = scene.record, scene.words, int(scene.record.turn)
    tile = tile_values(scene, tile_index(scene, int(p.boats[seat])))
    then = with_fields(p, claimed=_with_one_more(p.claimed, seat))
    parts = [words.say("offer.claim_for", cubes=tile["cubes"])]
    if in_last_round(then) and not in_last_round(p):
        parts.append(words.say("offer.last_round"))
    label = words.say("offer.claim", n=int(then.claimed[seat]), most=LAST_TILE, points=tile["points"])
    return Choice(label, _fitting(parts), "act")


def _harvest_choice(scene: Scene, _: Action) -> Choice:
    """C19, C20: what the hold has no room for is said."""
    p, words, seat, held = scene.record, scene.words, int(scene.record.turn), harvest_of(scene)
    over = surplus(with_fields(p, hold_size=_with_one_more(p.hold_size, seat, n=sum(held))), scene.box, seat)
    parts = [words.say("offer.over", n=over) if over else "", words.say("offer.ends_turn")]
    return Choice(words.say("offer.harvest", cubes=cubes(held, words)), _fitting(parts), "act")


def _end_choice(scene: Scene, _: Action) -> Choice:
    """C13: what is left undone."""
    words, phase = scene.words, scene.record.phase
    undone = "" if phase == MARKET else words.say("offer.no_action")
    if phase == MARKET and can_upgrade(scene.record):
        undone = words.say("offer.no_upgrade")
    return Choice(words.say("offer.end"), undone, "end", final=True)


def _bonus_choice(scene: Scene, action: Action) -> Choice:
    """C15, C21, C31: what a tile is good for, and what it is worth at the end."""
    kind: str = action.operand
    words, worth = scene.words, worth_of_bonus(scene, kind)
    good_for = "" if kind == KINDS[POINTS] else bonus_use(scene, kind)
    at_end = points(worth, words) if worth else ""
    return Choice(words.say(f"offer.bonus_{kind}"), _fitting([good_for, at_end]), "bonus")


def worth_of_bonus(scene: Scene, kind: str) -> int:
    """C31: the points of the next bonus tile of a kind."""
    if kind == KINDS[POINTS]:
        return int(top_of_pile(scene.record, scene.box))
    return int(scene.box.bonus_worth[KINDS.index(kind) - 1])


_CHOICES: dict[str, Callable[[Scene, Action], Choice]] = {
    "lot": _lot_choice,
    "sail": _sailing_choice,
    "drop": _drop_choice,
    "pay": _cube_choice,
    "take": _cube_choice,
    "build": _build_choice,
    "bonus": _bonus_choice,
    "upgrade": _upgrade_choice,
    "trade": _trade_choice,
    "claim": _claim_choice,
    "harvest": _harvest_choice,
    "discard": _cube_choice,
    "end": _end_choice,
}
