"""What has happened, what is awaited and what a choice would do, in words: told from what a seat knows, and
from nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from comptoir.engine.actions import Action
from comptoir.engine.choice import Choice
from comptoir.engine.mask import ones
from comptoir.engine.recap import Moment, Step
from comptoir.engine.scene import Scene
from comptoir.engine.words import Words
from comptoir.games.century.rules import (
    BONUS_PHASE,
    BUILDING,
    CLOSED,
    CUBES,
    ENDINGS,
    FIRST_OWNER,
    FIRST_PORT,
    FIRST_ROW,
    GETS,
    ICONS,
    KINDS,
    LANDED,
    LAST_TILE,
    MARKET,
    MOVE,
    NO_PORT,
    NO_TILE,
    OVER,
    PAYING,
    PAYS,
    PHASES,
    PILE,
    PLACING,
    POINTS,
    PORTS,
    SOURCES,
    SPACES,
    STOWING,
    TILE_POINTS,
    bonus_tiles_left,
    can_upgrade,
    closed_port,
    closing_within,
    column_empty,
    dues,
    harvested,
    has_outpost,
    icon_at,
    in_last_round,
    most_claimed,
    outpost_cost,
    owner_to_pay,
    points_from,
    row_points,
    shows,
    surplus,
    tiles_at,
    top_of_pile,
    upgrades_possible,
)

# Things in words


def cubes(counts: Iterable[Any], words: Words) -> str:
    """Cubes in words, from counts in their order, as a list has them: 2 ginger, 1 chili."""
    return ", ".join(_counted("cubes", counts, words)) or words.say("log.nothing")


def spices(counts: Iterable[Any], words: Words) -> str:
    """The same as a sentence has it: 2 ginger and 1 chili."""
    return words.listed(_counted("spices", counts, words)) or words.say("log.nothing")


def cube_of(name: str, words: Words) -> str:
    """One cube by the spice that it is: 1 ginger."""
    return words.say(f"cubes.{name}", n=1)


def _counted(section: str, counts: Iterable[Any], words: Words) -> list[str]:
    return [words.say(f"{section}.{cube}", n=int(n)) for cube, n in zip(CUBES, counts, strict=True) if n]


def marks(cube: str, n: int, words: Words) -> str:
    """Cubes of a colour: a letter each, or the letter and a number where there are many."""
    letter = words.say(f"letters.{cube}")
    return letter * n if n < 6 else f"{letter}{n}"


def points(n: int, words: Words) -> str:
    return words.say("score.points", n=n)


def sides(scene: Scene, space: int) -> tuple[Any, Any]:
    """C16: what the market tile on a space takes and gives."""
    trade = scene.components.figures.trades[scene.record.markets[space]]
    return trade[PAYS], trade[GETS]


def _letters(scene: Scene, space: int) -> str:
    """A market's trade in letters: YY→G."""
    return "→".join(
        "".join(marks(cube, int(n), scene.words) for cube, n in zip(CUBES, side, strict=True) if n)
        for side in sides(scene, space)
    )


def _tile(scene: Scene, tile: int) -> dict[str, str]:
    """C4: what a victory point tile is worth and costs, as values of a text."""
    box, words = scene.components.figures, scene.words
    return {"points": points(int(box.vp_points[tile]), words), "cubes": cubes(box.vp_cost[tile], words)}


def _tile_at(scene: Scene, space: int) -> int:
    return int(scene.record.ports[space - FIRST_PORT])


def tiles_told(scene: Scene, seat: int) -> list[int] | None:
    """C17, C33: what each tile that a seat has claimed is worth; None if the viewer is not told."""
    if not shows(scene.record, scene.seat, seat, TILE_POINTS):
        return None
    owned = int(tiles_at(scene.record, FIRST_OWNER + seat))
    return [int(worth) for tile, worth in enumerate(scene.components.figures.vp_points) if owned >> tile & 1]


def points_told(scene: Scene, seat: int) -> int:
    """C31, C33: what a seat has for certain by now: all that the viewer is told."""
    return sum(
        points_from(scene.record, scene.box, seat, source)
        for source in range(len(SOURCES))
        if shows(scene.record, scene.seat, seat, source)
    )


def all_told(scene: Scene, seat: int) -> bool:
    """C33: whether the viewer is told all that a seat has."""
    return all(shows(scene.record, scene.seat, seat, source) for source in range(len(SOURCES)))


def pile(scene: Scene) -> int:
    """How many victory point tiles are left to draw."""
    return ones(tiles_at(scene.record, PILE))


def closing(scene: Scene) -> int:
    """C4: among how many of the next tiles the closed-port tile is; 0 once it has come up."""
    return closing_within(pile(scene)) if closed_port(scene.record) == NO_PORT else 0


# The log


def open(scene: Scene) -> list[str]:
    """C4, C7, C9: who is first, what lies in the ports, and who is to choose first from which lots."""
    p, words, names = scene.record, scene.words, scene.names
    tiles = zip(PORTS, p.ports.tolist(), strict=True)
    lots = " · ".join(cubes(lot, words) for lot in scene.components.figures.lots)
    return [
        words.say("open.first", name=names[p.first]),
        *(words.say("open.tile", space=port.upper(), **_tile(scene, tile)) for port, tile in tiles),
        words.say("open.closing", n=closing(scene)),
        words.say("open.lots", name=names[p.turn], lots=lots),
    ]


def tell(before: Scene, action: Action, after: Scene) -> list[str]:
    """The lines of the log for one action."""
    words, old, new = after.words, before.record, after.record
    lines = [_TOLD.get(action.kind, _tell_by_name)(Step(before, action, after))]
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


def _log(step: Step, key: str, **values: Any) -> str:
    """A line of the log about whoever decided."""
    name = step.before.names[int(step.before.record.turn)]
    return step.after.words.say(f"log.{key}", name=name, **values)


def _where(step: Step) -> str:
    """The space where the boat was; none before it is placed."""
    space = _space(step)
    return SPACES[space].upper() if space >= 0 else ""


def _tell_by_name(step: Step) -> str:
    return _log(step, step.action.kind, space=_where(step))


def _tell_lot(step: Step) -> str:
    held = step.before.components.figures.lots[step.action.offset]
    return _log(step, "lot", cubes=cubes(held, step.after.words))


def _tell_sailing(step: Step) -> str:
    key = "place" if step.before.record.phase == PLACING else "sail"
    return _log(step, key, space=step.action.operand.upper())


def _tell_moved_cube(step: Step) -> str:
    """C10, C12, C20: to or from the space where the boat is."""
    return _log(
        step, step.action.kind, cube=cube_of(step.action.operand, step.after.words), space=_where(step)
    )


def _tell_paying(step: Step) -> str:
    """C11, C14."""
    p, cube = step.before.record, cube_of(step.action.operand, step.after.words)
    if p.phase == BUILDING:
        return _log(step, "pay_outpost", cube=cube)
    return _log(step, "pay", other=step.before.names[owner_to_pay(p)], cube=cube)


def _tell_building(step: Step) -> str:
    cost = outpost_cost(step.before.record, step.before.box, _space(step))
    return _log(step, "build_for" if cost else "build", space=_where(step), **({"n": cost} if cost else {}))


def _tell_bonus(step: Step) -> str:
    if step.action.offset == POINTS:
        worth = top_of_pile(step.before.record, step.before.box)
        return _log(step, "bonus_points", points=points(worth, step.after.words))
    return _log(step, "bonus", kind=step.action.operand)


def _tell_upgrade(step: Step) -> str:
    cube = step.action.operand
    return _log(step, "upgrade", cube=cube_of(cube, step.after.words), better=_better(cube))


def _tell_trade(step: Step) -> str:
    pays, gets = (cubes(side, step.after.words) for side in sides(step.before, _space(step)))
    return _log(step, "trade", pays=pays, gets=gets)


def _tell_claim(step: Step) -> str:
    seat = int(step.before.record.turn)
    key = "claim_open" if shows(step.after.record, step.after.seat, seat, TILE_POINTS) else "claim"
    return _log(step, key, space=_where(step), **_tile(step.before, _tile_at(step.before, _space(step))))


def _tell_harvest(step: Step) -> str:
    return _log(step, "harvest", cubes=cubes(_harvest(step.before), step.after.words))


_TOLD: dict[str, Callable[[Step], str]] = {
    "lot": _tell_lot,
    "sail": _tell_sailing,
    "drop": _tell_moved_cube,
    "pay": _tell_paying,
    "take": _tell_moved_cube,
    "build": _tell_building,
    "bonus": _tell_bonus,
    "upgrade": _tell_upgrade,
    "trade": _tell_trade,
    "claim": _tell_claim,
    "harvest": _tell_harvest,
    "discard": _tell_moved_cube,
}


def _better(cube: str) -> str:
    """C22: the spice of the next level."""
    return ICONS[CUBES.index(cube) + 1]


def _harvest(scene: Scene) -> list[int]:
    return [harvested(scene.record, scene.box, int(scene.record.turn), cube) for cube in range(len(CUBES))]


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
            key, values = ("log.no_tile", {}) if tile == NO_TILE else ("log.new_tile", _tile(after, tile))
            lines.append(words.say(key, space=letter.upper(), **values))
    return lines


# A turn retold


def recap(steps: Sequence[Step]) -> tuple[str, list[Moment]]:
    """A turn in one sentence, and its big moments.

    What was done several times is added up; ending a turn goes without saying.
    """
    start, words = steps[0].before, steps[-1].after.words
    p = start.record
    done: dict[str, list[Step]] = {}
    for step in steps:
        done.setdefault(_deed(step), []).append(step)
    clauses = [retell(done[verb]) for verb, retell in _RETOLD.items() if verb in done] or [
        words.say("recap.nothing")
    ]
    if p.phase == MOVE and not p.moved and "sail" not in done:
        clauses.insert(0, _at("recap.stay", int(p.boats[p.turn]), words))
    sentence = words.say("recap.turn", name=start.names[p.turn], clauses=words.listed(clauses))
    return sentence, [moment for step in steps for moment in _moments(step)]


def _deed(step: Step) -> str:
    """What an action is part of: cubes are dropped to sail on, and paid for a boat's place or for an
    outpost.
    """
    kind = step.action.kind
    if kind == "pay" and step.before.record.phase == BUILDING:
        return "build"
    return "sail" if kind == "drop" else kind


def _operand(step: Step) -> str:
    operand: str = step.action.operand
    return operand


def _added(steps: Sequence[Step]) -> str:
    """The cubes that some actions were about, together."""
    named = [_operand(step) for step in steps]
    return spices([named.count(cube) for cube in CUBES], steps[0].after.words)


def _parts(steps: Sequence[Step], part: Callable[[Step], Any], said: Callable[[Any, str], str]) -> str:
    """Cubes added up by a part each (whom they were paid, where they were dropped), in words."""
    grouped: dict[Any, list[Step]] = {}
    for step in steps:
        grouped.setdefault(part(step), []).append(step)
    return steps[0].after.words.listed([said(key, _added(group)) for key, group in grouped.items()])


def _space(step: Step) -> int:
    """Where the boat was when something was done."""
    p = step.before.record
    return int(p.boats[p.turn])


def _at(key: str, space: int, words: Words, **values: str) -> str:
    """A text about a space: of a port there is another than of a market."""
    return words.say(f"{key}_port" if space >= FIRST_PORT else key, space=SPACES[space].upper(), **values)


def _retell_lot(steps: Sequence[Step]) -> str:
    (step,) = steps
    lot = step.before.components.figures.lots[step.action.offset]
    return step.after.words.say("recap.lot", cubes=spices(lot, step.after.words))


def _retell_sailing(steps: Sequence[Step]) -> str:
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
        words.say("recap.sail_by", space=end, way=words.listed(way))
        if way
        else words.say("recap.sail", space=end)
    )
    return words.say("recap.dropping", voyage=voyage, parts=_dropped(drops)) if drops else voyage


def _dropped(drops: Sequence[Step]) -> str:
    words = drops[0].after.words
    return _parts(drops, _space, lambda space, cubes: _at("recap.drop", space, words, cubes=cubes))


def _retell_paying(steps: Sequence[Step]) -> str:
    """C11: to whom what."""
    words, names = steps[0].after.words, steps[0].after.names
    parts = _parts(
        steps,
        lambda step: owner_to_pay(step.before.record),
        lambda owner, paid: words.say("recap.pay_part", cubes=paid, name=names[owner]),
    )
    return words.say("recap.pay", parts=parts)


def _retell_added(steps: Sequence[Step]) -> str:
    """C12, C20: cubes picked up, or put back."""
    return steps[0].after.words.say(f"recap.{steps[0].action.kind}", cubes=_added(steps))


def _retell_building(steps: Sequence[Step]) -> str:
    """C14: for which cubes, and the points that it uncovers."""
    words, paid = steps[0].after.words, [step for step in steps if step.action.kind == "pay"]
    gained = _on_board(steps[-1].after, steps[0]) - _on_board(steps[0].before, steps[0])
    worth = words.say("recap.worth", points=points(gained, words)) if gained else ""
    if paid:
        return words.say("recap.build_for", worth=worth, cubes=_added(paid))
    return words.say("recap.build", worth=worth)


def _on_board(scene: Scene, step: Step) -> int:
    """C31: the points of all rows of the board of who has done a step."""
    seat = int(step.before.record.turn)
    return sum(
        points_from(scene.record, scene.box, seat, source)
        for source in range(FIRST_ROW, FIRST_ROW + len(ICONS))
    )


def _retell_bonus(steps: Sequence[Step]) -> str:
    """C15, C21: what the tile is good for."""
    (step,) = steps
    return _bonus("recap", step.before, _operand(step), spices)


def _retell_upgrades(steps: Sequence[Step]) -> str:
    words = steps[0].after.words
    parts = _parts(
        steps,
        _operand,
        lambda cube, raised: words.say("recap.upgrade_part", cubes=raised, better=_better(cube)),
    )
    return words.say("recap.upgrade", parts=parts)


def _retell_trades(steps: Sequence[Step]) -> str:
    """C16: all of them together."""
    words, market = steps[0].after.words, sides(steps[0].before, _space(steps[0]))
    pays, gets = (spices([int(n) * len(steps) for n in side], words) for side in market)
    return words.say("recap.trade", pays=pays, gets=gets)


def _retell_claim(steps: Sequence[Step]) -> str:
    """C17, C33: what was handed in; what it is worth, to whom is told."""
    (step,) = steps
    words, box, seat = step.after.words, step.before.components.figures, int(step.before.record.turn)
    tile = _tile_at(step.before, _space(step))
    values = {
        "n": int(step.after.record.claimed[seat]),
        "most": LAST_TILE,
        "cubes": spices(box.vp_cost[tile], words),
    }
    if shows(step.after.record, step.after.seat, seat, TILE_POINTS):
        return words.say("recap.claim_open", points=points(int(box.vp_points[tile]), words), **values)
    return words.say("recap.claim", **values)


def _retell_harvest(steps: Sequence[Step]) -> str:
    (step,) = steps
    return step.after.words.say("recap.harvest", cubes=spices(_harvest(step.before), step.after.words))


_RETOLD: dict[str, Callable[[Sequence[Step]], str]] = {  # in the order of a turn
    "lot": _retell_lot,
    "sail": _retell_sailing,
    "pay": _retell_paying,
    "take": _retell_added,
    "build": _retell_building,
    "bonus": _retell_bonus,
    "upgrade": _retell_upgrades,
    "trade": _retell_trades,
    "claim": _retell_claim,
    "harvest": _retell_harvest,
    "discard": _retell_added,
}


def _moments(step: Step) -> list[Moment]:
    """C18, C30, C34: a port that closes, the last round, the end."""
    words, old, new, found = step.after.words, step.before.record, step.after.record, []

    def add(kind: str, **values: Any) -> None:
        found.append(Moment(kind, words.say(f"moments.{kind}", **values)))

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


# What is awaited


def prompt(scene: Scene) -> str:
    """What is awaited, in a sentence."""
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


# What a choice would do


def effect(scene: Scene, action: Action) -> str:
    """What a choice would do, in a few words."""
    return _EFFECTS[action.kind](scene, action)


def _effect_by_name(scene: Scene, action: Action) -> str:
    return scene.words.say(f"does.{action.kind}")


def _effect_of_lot(scene: Scene, action: Action) -> str:
    held = scene.components.figures.lots[action.offset]
    return scene.words.say("does.lot", cubes=cubes(held, scene.words))


def _effect_of_paying(scene: Scene, action: Action) -> str:
    p, words = scene.record, scene.words
    if p.phase == BUILDING:
        return words.say("does.pay_outpost")
    key = "does.pay_next" if p.phase == PAYING else "does.pay_boat"
    return words.say(key, name=scene.names[owner_to_pay(p)])


def _effect_of_taking(scene: Scene, action: Action) -> str:
    p = scene.record
    key = "does.take_more" if p.phase == LANDED else "does.take"
    return scene.words.say(key, n=int(p.lying[_boat(scene), action.offset]))


def _boat(scene: Scene) -> int:
    """The space of the boat of the seat that decides."""
    return int(scene.record.boats[scene.record.turn])


def _effect_of_upgrade(scene: Scene, action: Action) -> str:
    return scene.words.say("does.upgrade", cube=_better(action.operand))


def _effect_of_discard(scene: Scene, action: Action) -> str:
    p = scene.record
    return scene.words.say("does.discard", n=int(p.hold[p.turn, action.offset]))


def _effect_of_building(scene: Scene, action: Action) -> str:
    space = _boat(scene)
    cost = outpost_cost(scene.record, scene.box, space)
    key = "does.build" if cost else "does.build_free"
    return scene.words.say(key, n=cost, trade=_letters(scene, space))


def _effect_of_trade(scene: Scene, action: Action) -> str:
    return scene.words.say("does.trade", trade=_letters(scene, _boat(scene)))


def _effect_of_claim(scene: Scene, action: Action) -> str:
    return scene.words.say("does.claim", **_tile(scene, _tile_at(scene, _boat(scene))))


def _effect_of_harvest(scene: Scene, action: Action) -> str:
    return scene.words.say("does.harvest", cubes=cubes(_harvest(scene), scene.words))


def _effect_of_bonus(scene: Scene, action: Action) -> str:
    return bonus_use(scene, action.operand)


def _effect_of_end(scene: Scene, action: Action) -> str:
    if scene.record.phase != MARKET:
        return scene.words.say("does.end")
    return scene.words.say("does.end_market" if "trade" in scene.actions else "does.end_upgrades")


def _effect_of_sailing(scene: Scene, action: Action) -> str:
    """What is to be found on a space."""
    p, words, space = scene.record, scene.words, action.offset
    if space >= FIRST_PORT:
        parts = [_effect_of_port(scene, _tile_at(scene, space))]
    else:
        key = "does.market_yours" if has_outpost(p, space, int(p.turn)) else "does.market"
        parts = [words.say(key, icon=ICONS[icon_at(p, space)], trade=_letters(scene, space))]
        if p.phase != PLACING and dues(p, space):
            parts.append(words.say("does.dues", n=int(dues(p, space))))
    if p.lying[space].any():
        parts.append(words.say("does.lying", cubes=cubes(p.lying[space], words)))
    return " · ".join(parts)


def _effect_of_port(scene: Scene, tile: int) -> str:
    if tile in (CLOSED, NO_TILE):
        return scene.words.say("does.port_closed" if tile == CLOSED else "does.port_empty")
    return scene.words.say("does.port", **_tile(scene, tile))


_EFFECTS: dict[str, Callable[[Scene, Action], str]] = {
    "lot": _effect_of_lot,
    "sail": _effect_of_sailing,
    "drop": _effect_by_name,
    "pay": _effect_of_paying,
    "take": _effect_of_taking,
    "build": _effect_of_building,
    "bonus": _effect_of_bonus,
    "upgrade": _effect_of_upgrade,
    "trade": _effect_of_trade,
    "claim": _effect_of_claim,
    "harvest": _effect_of_harvest,
    "discard": _effect_of_discard,
    "end": _effect_of_end,
}


def bonus_use(scene: Scene, kind: str) -> str:
    """C21: what a bonus tile is good for, in a few words."""
    return _bonus("does", scene, kind, cubes)


def _bonus(section: str, scene: Scene, kind: str, said: Callable[[Iterable[Any], Words], str]) -> str:
    """C21: what a bonus tile is good for."""
    figures, words = scene.components.figures, scene.words
    if kind == KINDS[POINTS]:
        return words.say(
            f"{section}.bonus_points", points=points(top_of_pile(scene.record, scene.box), words)
        )
    return words.say(
        f"{section}.bonus_{kind}", n=int(figures.hold_more), cubes=said(figures.harvest_more, words)
    )


# The same as a person reads it on a button

MOST_EFFECT = 60  # letters


def offer(scene: Scene, action: Action) -> Choice:
    """A choice in plain words: what to do, and what comes of it."""
    return _OFFERED[action.kind](scene, action)


def _fitting(parts: Iterable[str]) -> str:
    """What matters most comes first; what there is no room for is left out."""
    said = ""
    for part in filter(None, parts):
        longer = f"{said} · {part}" if said else part
        if len(longer) <= MOST_EFFECT:
            said = longer
    return said


def _with_one_more(counts: Any, seat: int, *at: int, n: int = 1) -> Any:
    raised = counts.copy()
    raised[(seat, *at)] += n
    return raised


def _offer_lot(scene: Scene, action: Action) -> Choice:
    held = scene.components.figures.lots[action.offset]
    return Choice(scene.words.say("offer.lot", cubes=spices(held, scene.words)), group="lot")


def _offer_sailing(scene: Scene, action: Action) -> Choice:
    """C7, C10: where to, what it costs to stop there, and what is to be found."""
    words, to = scene.words, action.offset
    if scene.record.phase == PLACING:
        label = words.say("offer.place", space=action.operand.upper())
        return Choice(label, _trade_at(scene, to), "place")
    return Choice(_at("offer.sail", to, words), _fitting(_found(scene, to)), "sail")


def _found(scene: Scene, space: int) -> list[str]:
    """C11, C12, C16, C17: what it costs to stop on a space, and what there is."""
    p, words = scene.record, scene.words
    owed, lying = int(dues(p, space)), int(p.lying[space].sum())
    found = [words.say("offer.dues", n=owed)] if owed else []
    if lying:
        found.append(words.say("offer.lying", n=lying))
    if space >= FIRST_PORT:
        return [*found, tile_at(scene, space)]
    if has_outpost(p, space, int(p.turn)):
        found.append(words.say("offer.yours"))
    return [*found, _trade_at(scene, space)]


def tile_at(scene: Scene, space: int) -> str:
    """C17, C18: what there is in a port."""
    tile = _tile_at(scene, space)
    if tile in (CLOSED, NO_TILE):
        return scene.words.say("offer.closed" if tile == CLOSED else "offer.empty")
    return scene.words.say("offer.tile", **_tile(scene, tile))


def _trade_at(scene: Scene, space: int) -> str:
    return trade_said(*sides(scene, space), scene.words)


def trade_said(pays: Iterable[Any], gets: Iterable[Any], words: Words) -> str:
    """C16: a market's trade in words: 2 ginger → 1 tea."""
    return f"{cubes(pays, words)} → {cubes(gets, words)}"


def _offer_cube(scene: Scene, action: Action) -> Choice:
    """C11, C12, C14, C20: one cube paid, picked up or put back."""
    words, kind = scene.words, action.kind
    label = words.say(f"offer.{kind}", cube=cube_of(action.operand, words))
    return Choice(label, effect(scene, action), kind)


def _offer_drop(scene: Scene, action: Action) -> Choice:
    """C10: it stays where the boat is."""
    words = scene.words
    label = words.say("offer.drop", cube=cube_of(action.operand, words))
    return Choice(label, words.say("offer.drop_for"), "drop")


def _offer_upgrade(scene: Scene, action: Action) -> Choice:
    words, cube = scene.words, action.operand
    return Choice(
        words.say("offer.upgrade", cube=cube_of(cube, words), better=_better(cube)), group="upgrade"
    )


def _offer_build(scene: Scene, _: Action) -> Choice:
    """C14, C15: what it costs, the points that it uncovers, and whether a column is empty then."""
    p, box, words, seat = scene.record, scene.box, scene.words, int(scene.record.turn)
    space = int(p.boats[seat])
    icon, cost = icon_at(p, space), outpost_cost(p, box, space)
    then = p.supposing(built=_with_one_more(p.built, seat, icon))
    gained = row_points(then, box, seat, icon) - row_points(p, box, seat, icon)
    parts = [words.say("offer.cost", n=cost) if cost else words.say("offer.free")]
    parts += [points(gained, words)] if gained else []
    if column_empty(then, seat, int(then.built[seat, icon])) and bonus_tiles_left(p):
        parts.append(words.say("offer.bonus_tile"))
    return Choice(words.say("offer.build", space=SPACES[space].upper()), _fitting(parts), "act")


def _offer_trade(scene: Scene, _: Action) -> Choice:
    """C16: once; it may be done again."""
    words = scene.words
    pays, gets = (cubes(side, words) for side in sides(scene, int(scene.record.boats[scene.record.turn])))
    return Choice(words.say("offer.trade", pays=pays), words.say("offer.trade_for", gets=gets), "act")


def _offer_claim(scene: Scene, _: Action) -> Choice:
    """C17, C30: for what, and that the fourth brings the last round."""
    p, words, seat = scene.record, scene.words, int(scene.record.turn)
    tile = _tile(scene, _tile_at(scene, int(p.boats[seat])))
    then = p.supposing(claimed=_with_one_more(p.claimed, seat))
    parts = [words.say("offer.claim_for", cubes=tile["cubes"])]
    if in_last_round(then) and not in_last_round(p):
        parts.append(words.say("offer.last_round"))
    label = words.say("offer.claim", n=int(then.claimed[seat]), most=LAST_TILE, points=tile["points"])
    return Choice(label, _fitting(parts), "act")


def _offer_harvest(scene: Scene, _: Action) -> Choice:
    """C19, C20: what the hold has no room for is said."""
    p, words, seat, held = scene.record, scene.words, int(scene.record.turn), _harvest(scene)
    over = surplus(p.supposing(hold_size=_with_one_more(p.hold_size, seat, n=sum(held))), scene.box, seat)
    parts = [words.say("offer.over", n=over) if over else "", words.say("offer.ends_turn")]
    return Choice(words.say("offer.harvest", cubes=cubes(held, words)), _fitting(parts), "act")


def _offer_end(scene: Scene, _: Action) -> Choice:
    """C13: what is left undone."""
    words, phase = scene.words, scene.record.phase
    undone = "" if phase == MARKET else words.say("offer.no_action")
    if phase == MARKET and can_upgrade(scene.record):
        undone = words.say("offer.no_upgrade")
    return Choice(words.say("offer.end"), undone, "end", final=True)


def _offer_bonus(scene: Scene, action: Action) -> Choice:
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
    return int(scene.components.figures.bonus_worth[KINDS.index(kind) - 1])


_OFFERED: dict[str, Callable[[Scene, Action], Choice]] = {
    "lot": _offer_lot,
    "sail": _offer_sailing,
    "drop": _offer_drop,
    "pay": _offer_cube,
    "take": _offer_cube,
    "build": _offer_build,
    "bonus": _offer_bonus,
    "upgrade": _offer_upgrade,
    "trade": _offer_trade,
    "claim": _offer_claim,
    "harvest": _offer_harvest,
    "discard": _offer_cube,
    "end": _offer_end,
}
