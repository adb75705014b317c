"""The log in words: what one action did, told from a seat's views before and after it and from nothing else."""

from __future__ import annotations

from typing import Any

from comptoir.engine.components import Components
from comptoir.engine.words import Words
from comptoir.games.century.rules import CUBES, GETS, LAST_TILE, MARKETS, PAYS, PORTS, TILES

View = dict[str, Any]


def tell(before: View, action: str, after: View, words: Words, components: Components) -> list[str]:
    """The lines of the log for one action."""
    old, new, names = before["position"], after["position"], after["names"]
    verb, operand = words.split(action)
    lines = [_act(old, new, verb, operand, names, words, components)]
    if verb == "claim":
        lines += _ports(old, new, names, words, components)
    if new["phase"] == "bonus":
        lines.append(words.say("log.column", name=names[new["turn"]]))
    if new["phase"] == "over":
        lines.append(words.say(f"log.over_{new['ending']}"))
    elif new["round_number"] > old["round_number"] or (old["phase"] == "placing" and new["phase"] == "move"):
        lines.append(words.say("log.round", n=new["round_number"]))
    return lines


def cubes(counts: Any, words: Words) -> str:
    """Cubes in words, from counts in their order: 2 yellow, 1 red."""
    said = [words.say(f"cubes.{cube}", n=int(n)) for cube, n in zip(CUBES, counts, strict=True) if n]
    return ", ".join(said) or words.say("log.nothing")


def trade(market: str, components: Components) -> tuple[Any, Any]:
    """What a market tile takes and gives."""
    sides = components.figures.trades[MARKETS.index(market)]
    return sides[PAYS], sides[GETS]


def _act(old: View, new: View, verb: str, operand: str, names: list[str], words: Words, components: Components) -> str:
    seat = old["turn"]
    name, space = names[seat], old["boats"][seat]
    at = (space or operand).upper()
    match verb:
        case "lot":
            return words.say("log.lot", name=name, cubes=cubes(new["hold"][seat].values(), words))
        case "sail":
            return words.say("log.place" if old["phase"] == "placing" else "log.sail", name=name, space=operand.upper())
        case "drop" | "take" | "discard":
            return words.say(f"log.{verb}", name=name, cube=operand, space=at)
        case "pay" if old["phase"] == "building":
            return words.say("log.pay_outpost", name=name, cube=operand)
        case "pay":
            paid = next(n for n in range(old["players"]) if n != seat and new["hold_size"][n] > old["hold_size"][n])
            return words.say("log.pay", name=name, other=names[paid], cube=operand)
        case "build" if new["phase"] == "building":
            return words.say("log.build_for", name=name, space=at, n=new["owed"])
        case "bonus" if operand == "points":
            return words.say("log.bonus_points", name=name, n=new["bonus_points"][seat] - old["bonus_points"][seat])
        case "bonus":
            return words.say("log.bonus", name=name, kind=operand)
        case "upgrade":
            return words.say("log.upgrade", name=name, cube=operand, better=CUBES[CUBES.index(operand) + 1])
        case "trade":
            pays, gets = trade(old["markets"][space], components)
            return words.say("log.trade", name=name, pays=cubes(pays, words), gets=cubes(gets, words))
        case "claim":
            return _claim(old, name, space, words, components)
        case "harvest":
            gained = (new["hold"][seat][cube] - old["hold"][seat][cube] for cube in CUBES)
            return words.say("log.harvest", name=name, cubes=cubes(gained, words))
    return words.say(f"log.{verb}", name=name, space=at)


def _claim(old: View, name: str, space: str, words: Words, components: Components) -> str:
    tile = TILES.index(old["ports"][space])
    key, points = "log.claim_open" if old["open_tiles"] else "log.claim", int(components.figures.vp_points[tile])
    return words.say(key, name=name, space=space.upper(), points=points, cubes=cubes(components.figures.vp_cost[tile], words))


def _ports(old: View, new: View, names: list[str], words: Words, components: Components) -> list[str]:
    """What came up at the ports after a claim, and whether it was somebody's fourth."""
    lines = []
    for port in PORTS:
        now = new["ports"][port]
        if now == old["ports"][port]:
            continue
        if now == "closed":
            key = "log.closed_moves" if "closed" in old["ports"].values() else "log.closes"
            lines.append(words.say(key, space=port.upper()))
        elif now is None:
            lines.append(words.say("log.no_tile", space=port.upper()))
        else:
            tile = TILES.index(now)
            points, cost = int(components.figures.vp_points[tile]), cubes(components.figures.vp_cost[tile], words)
            lines.append(words.say("log.new_tile", space=port.upper(), points=points, cubes=cost))
    if new["claimed"][old["turn"]] == LAST_TILE:
        lines.append(words.say("log.fourth", name=names[old["turn"]]))
    return lines
