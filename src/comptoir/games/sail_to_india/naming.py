"""What lies on the table, by the names that people give it: shared by all that tells or draws the game."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from comptoir.engine.game import get_game
from comptoir.engine.words import Words
from comptoir.games.sail_to_india.rules import (
    BUILDINGS,
    GOODS,
    SPACES,
    TOWNS,
    appointed_keeps,
    building_on,
    discovery_vp,
    good_on,
    is_mixed,
    kinds_sold,
    last_keeps,
    port_vp,
    reaches_unknown,
    sale_wealth,
)

if TYPE_CHECKING:
    from comptoir.games.sail_to_india.records import Box, Scene

Text = tuple[str, dict[str, object]]  # the key of a text, and its values
LETTERS = "abcd"  # the spaces of a town: two goods, two buildings


def town_of(place: str) -> int:
    """The number of the town that a space or a sea belongs to: 2 of `2a`, of `2sea` and of `2sailed`."""
    number = re.match(r"\d+", place)
    assert number is not None, place
    return int(number[0])


def on(scene: Scene, space: str) -> str:
    """The good or the building of a space in a town that is face up."""
    which = SPACES.index(space)
    if which < 2 * TOWNS:
        return GOODS[good_on(scene.record, scene.box, which)]
    return BUILDINGS[building_on(scene.record, scene.box, which - 2 * TOWNS)]


def goods_in(goods: int) -> list[str]:
    """The goods of a set that has one bit for each."""
    return [name for good, name in enumerate(GOODS) if goods >> good & 1]


def brief(words: Words, what: str) -> str:
    """The name of a thing where there is little room."""
    return words.say(f"short.{what}") if f"short.{what}" in words.texts else words.name(what)


def some(words: Words, things: list[str]) -> str:
    """Goods or buildings, as a sentence has them."""
    return words.join([words.say(f"some.{what}") for what in things])


def offers(scene: Scene, town: int) -> dict[str, str]:
    """What a town that is face up has: its goods and its buildings, in words."""
    return offered(scene.words, [on(scene, f"{town}{letter}") for letter in LETTERS])


def offered(words: Words, things: list[str]) -> dict[str, str]:
    """Two goods and two buildings, in words."""
    return {"goods": some(words, things[:2]), "buildings": some(words, things[2:])}


def boxed(scene: Scene) -> list[list[str]]:
    """S2: what the towns have that three players leave in the box; everyone has seen them."""
    towns = scene.components.tables["towns"]
    return [[*towns["goods"][card], *towns["buildings"][card]] for card in scene.position["boxed"] if card]


def due(scene: Scene) -> tuple[str, int]:
    """S14: which gain is decided on now, and how much of it is left: VP come before wealth."""
    p = scene.record
    return ("vp", int(p.vp_due)) if p.vp_due else ("wealth", int(p.wealth_due))


def vp_of(scene: Scene) -> tuple[int, ...]:
    """S71: the VP that every seat would have if the game ended now."""
    return tuple(row[0] for row in get_game("sail_to_india").scores(scene.raw_record, scene.components.box))


def amounts(words: Words, wealth: int, vp: int) -> str:
    """So much wealth and so many VP, in words; what is none is left out."""
    parts = [words.say(key, n=n) for key, n in (("score.wealth", wealth), ("score.points", vp)) if n]
    return words.join(parts) or words.say("score.nothing")


def effect_of(words: Words, box: Box, technology: str, key: str = "effects.") -> str:
    """What a technology does, with the values of the box."""
    return words.say(f"{key}{technology}", **technology_values(box))


def technology_values(box: Box) -> dict[str, int]:
    """The values of the box that technologies go by."""
    return {
        "banking": int(box.cost_banking),
        "cartography": int(box.cost_cartography),
        "renaissance": int(box.points_renaissance),
        "evangelisation": int(box.points_evangelisation),
        "guild": int(box.points_guild),
        "company": int(box.points_east_india_company),
    }


def place(scene: Scene, space: str) -> dict[str, object]:
    """A space by its town, and by what it is there."""
    return {"n": town_of(space), "what": on(scene, space)}


def sale(scene: Scene) -> Text:
    """S27, S41: what a sale brings, for how many kinds; own markets are named if they add to it."""
    p, box = scene.record, scene.box
    kinds = kinds_sold(p, box)
    by_markets = kinds - len(goods_in(int(p.sold)))
    values = {"n": kinds, "gain": amounts(scene.words, sale_wealth(p, box, kinds), int(box.sale_vp[kinds]))}
    return ("close_sale_markets", values | {"markets": by_markets}) if by_markets else ("close_sale", values)


def returned(scene: Scene, operand: str) -> Text:
    """S31: which marker goes back to Lisbon, and what a keeper loses."""
    p = scene.record
    if operand in ("banker", "historian"):
        return f"return_{operand}", {"n": last_keeps((p.wealth if operand == "banker" else p.vp)[p.turn])}
    if operand in SPACES:
        return "return", place(scene, operand)
    town = town_of(operand)
    if operand.endswith("sailed"):
        return "return_sailed", {"n": town}
    return "return_fresh" if is_mixed(p, town - 1) else "return_ship", {"n": town}


def keeping(scene: Scene, verb: str) -> Text:
    """S15: what a marker that is appointed keeps, or what is given up."""
    kind, left = due(scene)
    return f"{verb}_{kind}", {"n": appointed_keeps(scene.record) if verb == "appoint" else left}


def landfall(scene: Scene) -> list[str]:
    """S25, S53: what dropping anchor brings now: VP for well-kept ports, a discovery."""
    p, words, parts = scene.record, scene.words, []
    if reaches_unknown(p):
        town = int(p.face_up)
        parts.append(words.say("does.anchor_discover", n=town + 1, vp=discovery_vp(p, town)))
    if port_vp(p):
        parts.append(words.say("does.anchor_port", n=port_vp(p)))
    return parts
