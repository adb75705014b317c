"""A choice as a person reads it: what to do in plain words, without the letters of spaces, and what comes of
it.
"""

from __future__ import annotations

from comptoir.engine.game import get_game
from comptoir.engine.offer import Offer
from comptoir.engine.scene import Scene
from comptoir.games.sail_to_india.rules import (
    BUILDINGS,
    CONVERTING,
    GOODS,
    SPACES,
    TECHNOLOGIES,
    discovery_vp,
    goods_in_sale,
    kinds_sold,
    may_build_free,
    occupied,
    price,
    sale_wealth,
    speed_cost,
)
from comptoir.games.sail_to_india.things import (
    LETTERS,
    amounts,
    brief,
    effect_of,
    keeping,
    landfall,
    on,
    returned,
    sale,
    site,
    some,
    town_of,
    vp_of,
)


def offer(scene: Scene, action: str) -> Offer:
    """One legal action of the seat that decides."""
    verb, operand = scene.words.split(action)
    match verb:
        case "sail":
            return _sail(scene, operand)
        case "convert":
            label = _at(scene, "convert", operand, brief(scene.words, on(scene, operand)))
            if scene.record.phase == CONVERTING:  # what is asked for now comes first
                return Offer(label, scene.words.say("comes.convert"), "convert")
            return Offer(label, scene.words.say("comes.convert_only"), "goods")
        case "sell":
            return _sell(scene, operand)
        case "build":
            return _build(scene, operand)
        case "acquire":
            return _acquire(scene, operand)
        case "refloat":
            return _refloat(scene, operand)
        case "return":
            return _return(scene, operand)
        case "appoint" | "decline":
            return _keep(scene, verb)
    return _plain(scene, verb)


def _plain(scene: Scene, verb: str) -> Offer:
    """What is about nothing in particular."""
    p, box, words = scene.record, scene.box, scene.words

    def plain(effect: str, group: str, n: int = 0, final: bool = False) -> Offer:
        return Offer(words.say(f"choices.{verb}", n=n), effect, group, final)

    match verb:
        case "activate":
            return plain(words.say("comes.activate", n=int(box.cost_activate)), "other")
        case "speed up":
            return plain(words.say("score.wealth", n=speed_cost(p, box)), "other", int(p.speed[p.turn]) + 1)
        case "bank":
            return plain(words.say("comes.bank"), "other", int(box.cost_banking))
        case "recall":
            return plain(words.say("comes.recall"), "free")
        case "anchor":
            return plain(words.say("does.then").join(landfall(scene)) or words.say("comes.anchor"), "anchor")
        case "close sale":
            key, values = sale(scene)
            return plain(words.say(f"does.{key}", **values), "close")
        case "chart":
            return plain(words.say("comes.chart", n=int(box.cost_cartography)), "gain")
        case "no chart":
            return plain(words.say("does.no chart"), "gain", final=True)
    points = int(p.points)
    return plain(words.say("comes.points", n=points) if points else "", "end", final=True)


def _at(scene: Scene, key: str, space: str, what: str, *which: str) -> str:
    """A label about a space: by its town and by what it is; and which of two, where a town has the same twice."""
    words, letter = scene.words, space[-1]
    twin = f"{town_of(space)}{LETTERS[LETTERS.index(letter) ^ 1]}"
    if on(scene, twin) == on(scene, space):
        which += (words.say("choices.left" if letter in "ac" else "choices.right"),)
    label = words.say(f"choices.{key}", n=town_of(space), what=what)
    return words.say("choices.with", label=label, which=", ".join(which)) if which else label


def _sail(scene: Scene, voyage: str) -> Offer:
    """S22, S25: where from, where to, and what there is."""
    p, words = scene.record, scene.words
    start, end = map(int, voyage.split("-"))
    label = words.say("choices.sail" if start else "choices.sail_out", start=start, end=end)
    if end > p.face_up:
        return Offer(label, words.say("comes.discover", n=discovery_vp(p, end - 1)), "sail")
    free = [f"{end}{letter}" for letter in "ab" if not occupied(p) >> SPACES.index(f"{end}{letter}") & 1]
    goods = ", ".join(words.name(on(scene, space)) for space in free)
    return Offer(label, words.say("comes.goods" if free else "comes.no_goods", goods=goods), "sail")


def _sell(scene: Scene, space: str) -> Offer:
    """S27, S41: what the sale would bring with it; a kind counts once."""
    p, box, words = scene.record, scene.box, scene.words
    what = on(scene, space)
    label, good = _at(scene, "sell", space, some(words, [what])), 1 << GOODS.index(what)
    if int(p.sold) & good:
        return Offer(label, words.say("comes.sell_again"), "goods")
    if goods_in_sale(p, box) & good and p.sold:
        return Offer(label, words.say("comes.sell_market"), "goods")
    kinds = kinds_sold(p, box) + (not goods_in_sale(p, box) & good)
    gain = amounts(words, sale_wealth(p, box, kinds), int(box.sale_vp[kinds]))
    return Offer(label, words.say("comes.sell", n=kinds, gain=gain), "goods")


def _build(scene: Scene, way: str) -> Offer:
    """S28, S43, S54: what and where; what with, where there are several ways; its cost and its VP."""
    words, source = scene.words, way.split("-")[0]
    space = site(way)
    ways = [action for action in scene.actions if action.startswith("build ") and site(action[6:]) == space]
    which = (_source(scene, source),) if len(ways) > 1 else ()
    label = _at(scene, "build", space, words.say(f"building.{on(scene, space)}"), *which)
    values = {
        "cost": int(scene.box.cost_build),
        "vp": _vp(scene, "" if source.endswith("sea") else source, space),
    }
    if may_build_free(scene.record):
        return Offer(label, words.say("comes.build_free", **values), "build")
    how = "ship" if source.endswith("sea") else "goods" if source[-1] in "ab" else "building"
    return Offer(label, words.say("comes.build", how=words.say(f"comes.by_{how}"), **values), "build")


def _source(scene: Scene, source: str) -> str:
    """What a building is built with, in one short word."""
    if source.endswith("sea"):
        return scene.words.say("choices.ship")
    what = on(scene, source).split()[0]
    return (
        scene.words.say(f"choices.{'fort' if what == 'stronghold' else what}")
        if what
        in (
            "stronghold",
            "market",
        )
        else brief(scene.words, what)
    )


def _vp(scene: Scene, leaves: str, goes: str = "") -> str:
    """S43, S71: what a marker's way from one space, or to another, changes in VP, by the rules' own count."""
    words, n = scene.words, _vp_more(scene, leaves, goes)
    return words.say("comes.more_vp" if n > 0 else "comes.fewer_vp" if n else "comes.no_vp", n=abs(n))


def _vp_more(scene: Scene, leaves: str, goes: str = "") -> int:
    game, seat = get_game("sail_to_india"), int(scene.record.turn)
    then = game.copy(scene.compiled)
    for space in (leaves, goes):
        if space:
            then.land[seat] ^= type(then.land[seat])(1 << SPACES.index(space))
    return int(game.scores(then, scene.components.box)[seat][0]) - vp_of(scene)[seat]


def _acquire(scene: Scene, technology: str) -> Offer:
    """S29: its price, and what it is good for."""
    words, box = scene.words, scene.box
    cost = price(scene.record, box, TECHNOLOGIES.index(technology))
    effect = words.say(
        "does.acquire" if cost else "does.acquire_free", n=cost, effect=effect_of(words, box, technology)
    )
    return Offer(words.say("choices.acquire", what=some(words, [technology])), effect, "acquire")


def _refloat(scene: Scene, space: str) -> Offer:
    """S51: back to sea; the VP of a building are lost."""
    words, what = scene.words, on(scene, space)
    label = _at(scene, "refloat", space, brief(words, what))
    if what in BUILDINGS and _vp_more(scene, space):
        return Offer(label, words.say("comes.refloat_losing", vp=_vp(scene, space)), "sail")
    return Offer(label, words.say("comes.refloat"), "sail")


def _return(scene: Scene, operand: str) -> Offer:
    """S31, S33, S43: which marker, and what is lost with it."""
    words = scene.words
    key, values = returned(scene, operand)
    if operand in SPACES:
        label = _at(scene, "return", operand, brief(words, on(scene, operand)))
        lost = _vp(scene, operand) if _vp_more(scene, operand) else ""
        return Offer(label, lost, "return")
    label = words.say(f"choices.{key}", **values)
    if operand in ("banker", "historian"):
        n = values["n"]
        lost = amounts(words, n, 0) if operand == "banker" else amounts(words, 0, n)
        return Offer(label, words.say("comes.loses", lost=lost), "return")
    return Offer(label, "", "return")


def _keep(scene: Scene, verb: str) -> Offer:
    """S15: a gain is kept by one marker more, or given up."""
    key, values = keeping(scene, verb)
    label = scene.words.say(f"choices.{key}", **values)
    if verb == "decline":
        return Offer(label, scene.words.say("comes.decline"), "gain", final=True)
    return Offer(label, scene.words.say(f"comes.{key}", **values), "gain")
