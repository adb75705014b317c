"""Choices of a seat in plain words, without the letters of spaces: what each does, and its effect."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from comptoir.engine.actions import Action
from comptoir.engine.choice import Choice
from comptoir.engine.game import get_game
from comptoir.games.sail_to_india.naming import (
    LETTERS,
    Text,
    amounts,
    brief,
    effect_of,
    keeping,
    landfall,
    on,
    place,
    returned,
    sale,
    some,
    town_of,
    vp_of,
)
from comptoir.games.sail_to_india.rules import (
    BUILDINGS,
    CONVERTING,
    FLEETS,
    GOODS,
    SPACES,
    discovery_vp,
    goods_in_sale,
    kinds_sold,
    may_build_free,
    occupied,
    price,
    sale_wealth,
    speed_cost,
)

if TYPE_CHECKING:
    from comptoir.games.sail_to_india.records import Scene

# What a choice would do


def effect(scene: Scene, action: Action) -> str:
    """What a choice would do, in a few words."""
    if action.kind == "anchor":
        return _anchor_effect(scene)
    key, values = _EFFECTS.get(action.kind, _named_effect)(scene, action)
    return scene.words.say(f"does.{key}", **values)


def _named_effect(scene: Scene, action: Action) -> Text:
    return action.kind, {}


def _end_effect(scene: Scene, action: Action) -> Text:
    points = int(scene.record.points)
    return ("end_turn_early", {"n": points}) if points else ("end turn", {})


def _activate_effect(scene: Scene, action: Action) -> Text:
    return "activate", {"n": int(scene.box.cost_activate)}


def _bank_effect(scene: Scene, action: Action) -> Text:
    return "bank", {"n": int(scene.box.cost_banking)}


def _chart_effect(scene: Scene, action: Action) -> Text:
    return "chart", {"n": int(scene.box.cost_cartography)}


def _speed_up_effect(scene: Scene, action: Action) -> Text:
    p = scene.record
    return "speed up", {"speed": int(p.speed[p.turn]) + 1, "n": speed_cost(p, scene.box)}


def _acquire_effect(scene: Scene, action: Action) -> Text:
    cost = price(scene.record, scene.box, action.offset)
    does = effect_of(scene.words, scene.box, action.operand)
    return "acquire" if cost else "acquire_free", {"n": cost, "effect": does}


def _close_sale_effect(scene: Scene, action: Action) -> Text:
    return sale(scene)


def _keep_effect(scene: Scene, action: Action) -> Text:
    return keeping(scene, action.kind)


def _sail_effect(scene: Scene, action: Action) -> Text:
    start, end = action.operand
    discovers = "_discover" if end > scene.record.face_up else ""
    return f"{'sail' if start else 'sail_out'}{discovers}", {"start": start, "end": end}


def _convert_effect(scene: Scene, action: Action) -> Text:
    key = "convert" if scene.record.phase == CONVERTING else "convert_only"
    return key, place(scene, action.operand)


def _refloat_effect(scene: Scene, action: Action) -> Text:
    return "refloat", place(scene, action.operand)


def _return_effect(scene: Scene, action: Action) -> Text:
    return returned(scene, action.operand)


def _anchor_effect(scene: Scene) -> str:
    """S34: the sailing is over: well-kept ports, a discovery."""
    words = scene.words
    return words.say("does.then").join([words.say("does.anchor"), *landfall(scene)])


def _sell_effect(scene: Scene, action: Action) -> Text:
    """S27, S41: a good of which the sale has none yet, or one more of a kind."""
    p, space = scene.record, action.operand
    good = GOODS.index(on(scene, space))
    if p.sold >> good & 1:
        return "sell_again", place(scene, space)
    return "sell_market" if goods_in_sale(p, scene.box) >> good & 1 else "sell", place(scene, space)


def _build_effect(scene: Scene, action: Action) -> Text:
    """S28, S54: what with, and whether it takes an action point."""
    source, space = action.operand
    values = place(scene, space) | {"cost": int(scene.box.cost_build)}
    key = "build_free" if may_build_free(scene.record) else "build"
    if source in FLEETS:
        return f"{key}_ship", values
    return key, values | {"source": on(scene, source)}


_EFFECTS: dict[str, Callable[[Scene, Action], Text]] = {  # others say no more than their name
    "end turn": _end_effect,
    "activate": _activate_effect,
    "close sale": _close_sale_effect,
    "speed up": _speed_up_effect,
    "bank": _bank_effect,
    "chart": _chart_effect,
    "appoint": _keep_effect,
    "decline": _keep_effect,
    "sail": _sail_effect,
    "convert": _convert_effect,
    "sell": _sell_effect,
    "build": _build_effect,
    "acquire": _acquire_effect,
    "refloat": _refloat_effect,
    "return": _return_effect,
}


def choice(scene: Scene, action: Action) -> Choice:
    """One legal action of the seat that decides."""
    return _CHOICES[action.kind](scene, action)


def _plain_choice(
    scene: Scene, action: Action, effect: str, group: str, n: int = 0, final: bool = False
) -> Choice:
    """What is about nothing in particular."""
    return Choice(scene.words.say(f"choices.{action.kind}", n=n), effect, group, final)


def _end_turn_choice(scene: Scene, action: Action) -> Choice:
    points = int(scene.record.points)
    left = scene.words.say("comes.points", n=points) if points else ""
    return _plain_choice(scene, action, left, "end", final=True)


def _activate_choice(scene: Scene, action: Action) -> Choice:
    cost = scene.words.say("comes.activate", n=int(scene.box.cost_activate))
    return _plain_choice(scene, action, cost, "other")


def _speed_up_choice(scene: Scene, action: Action) -> Choice:
    p = scene.record
    cost = scene.words.say("score.wealth", n=speed_cost(p, scene.box))
    return _plain_choice(scene, action, cost, "other", int(p.speed[p.turn]) + 1)


def _bank_choice(scene: Scene, action: Action) -> Choice:
    return _plain_choice(scene, action, scene.words.say("comes.bank"), "other", int(scene.box.cost_banking))


def _recall_choice(scene: Scene, action: Action) -> Choice:
    return _plain_choice(scene, action, scene.words.say("comes.recall"), "free")


def _anchor_choice(scene: Scene, action: Action) -> Choice:
    words = scene.words
    comes = words.say("does.then").join(landfall(scene)) or words.say("comes.anchor")
    return _plain_choice(scene, action, comes, "anchor")


def _close_sale_choice(scene: Scene, action: Action) -> Choice:
    key, values = sale(scene)
    return _plain_choice(scene, action, scene.words.say(f"does.{key}", **values), "close")


def _chart_choice(scene: Scene, action: Action) -> Choice:
    cost = scene.words.say("comes.chart", n=int(scene.box.cost_cartography))
    return _plain_choice(scene, action, cost, "gain")


def _no_chart_choice(scene: Scene, action: Action) -> Choice:
    return _plain_choice(scene, action, scene.words.say("does.no chart"), "gain", final=True)


def _at(scene: Scene, key: str, space: str, what: str, *which: str) -> str:
    """A label about a space: by its town and by what it is; and which of two, where a town has the same twice."""
    words, letter = scene.words, space[-1]
    twin = f"{town_of(space)}{LETTERS[LETTERS.index(letter) ^ 1]}"
    if on(scene, twin) == on(scene, space):
        which += (words.say("choices.left" if letter in "ac" else "choices.right"),)
    label = words.say(f"choices.{key}", n=town_of(space), what=what)
    return words.say("choices.with", label=label, which=", ".join(which)) if which else label


def _sail_choice(scene: Scene, action: Action) -> Choice:
    """S22, S25: where from, where to, and what there is."""
    p, words, (start, end) = scene.record, scene.words, action.operand
    label = words.say("choices.sail" if start else "choices.sail_out", start=start, end=end)
    if end > p.face_up:
        return Choice(label, words.say("comes.discover", n=discovery_vp(p, end - 1)), "sail")
    free = [f"{end}{letter}" for letter in "ab" if not occupied(p) >> SPACES.index(f"{end}{letter}") & 1]
    goods = ", ".join(words.name(on(scene, space)) for space in free)
    return Choice(label, words.say("comes.goods" if free else "comes.no_goods", goods=goods), "sail")


def _convert_choice(scene: Scene, action: Action) -> Choice:
    """S26: what is asked for now comes first."""
    words, space = scene.words, action.operand
    label = _at(scene, "convert", space, brief(words, on(scene, space)))
    if scene.record.phase == CONVERTING:
        return Choice(label, words.say("comes.convert"), "convert")
    return Choice(label, words.say("comes.convert_only"), "goods")


def _sell_choice(scene: Scene, action: Action) -> Choice:
    """S27, S41: what the sale would bring with it; a kind counts once."""
    p, box, words, space = scene.record, scene.box, scene.words, action.operand
    what = on(scene, space)
    label, good = _at(scene, "sell", space, some(words, [what])), 1 << GOODS.index(what)
    if int(p.sold) & good:
        return Choice(label, words.say("comes.sell_again"), "goods")
    if goods_in_sale(p, box) & good and p.sold:
        return Choice(label, words.say("comes.sell_market"), "goods")
    kinds = kinds_sold(p, box) + (not goods_in_sale(p, box) & good)
    gain = amounts(words, sale_wealth(p, box, kinds), int(box.sale_vp[kinds]))
    return Choice(label, words.say("comes.sell", n=kinds, gain=gain), "goods")


def _build_choice(scene: Scene, action: Action) -> Choice:
    """S28, S43, S54: what and where; what with, where there are several ways; its cost and its VP."""
    words, (source, space) = scene.words, action.operand
    ways = [one for one in scene.choices if one.kind == "build" and one.operand.space == space]
    which = (_source(scene, source),) if len(ways) > 1 else ()
    label = _at(scene, "build", space, words.say(f"building.{on(scene, space)}"), *which)
    values = {
        "cost": int(scene.box.cost_build),
        "vp": _vp(scene, "" if source in FLEETS else source, space),
    }
    if may_build_free(scene.record):
        return Choice(label, words.say("comes.build_free", **values), "build")
    how = "ship" if source in FLEETS else "goods" if source[-1] in "ab" else "building"
    return Choice(label, words.say("comes.build", how=words.say(f"comes.by_{how}"), **values), "build")


def _source(scene: Scene, source: str) -> str:
    """What a building is built with, in one short word."""
    if source in FLEETS:
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
    then = game.copy(scene.raw_record)
    for space in (leaves, goes):
        if space:
            then.land[seat] ^= type(then.land[seat])(1 << SPACES.index(space))
    return int(game.scores(then, scene.components.box)[seat][0]) - scene.computed(vp_of)[seat]


def _acquire_choice(scene: Scene, action: Action) -> Choice:
    """S29: its price, and what it is good for."""
    words, box, technology = scene.words, scene.box, action.operand
    cost = price(scene.record, box, action.offset)
    effect = words.say(
        "does.acquire" if cost else "does.acquire_free", n=cost, effect=effect_of(words, box, technology)
    )
    return Choice(words.say("choices.acquire", what=some(words, [technology])), effect, "acquire")


def _refloat_choice(scene: Scene, action: Action) -> Choice:
    """S51: back to sea; the VP of a building are lost."""
    words, space = scene.words, action.operand
    what = on(scene, space)
    label = _at(scene, "refloat", space, brief(words, what))
    if what in BUILDINGS and _vp_more(scene, space):
        return Choice(label, words.say("comes.refloat_losing", vp=_vp(scene, space)), "sail")
    return Choice(label, words.say("comes.refloat"), "sail")


def _return_choice(scene: Scene, action: Action) -> Choice:
    """S31, S33, S43: which marker, and what is lost with it."""
    words, operand = scene.words, action.operand
    key, values = returned(scene, operand)
    if operand in SPACES:
        label = _at(scene, "return", operand, brief(words, on(scene, operand)))
        lost = _vp(scene, operand) if _vp_more(scene, operand) else ""
        return Choice(label, lost, "return")
    label = words.say(f"choices.{key}", **values)
    if operand in ("banker", "historian"):
        n = values["n"]
        assert isinstance(n, int)
        lost = amounts(words, n, 0) if operand == "banker" else amounts(words, 0, n)
        return Choice(label, words.say("comes.loses", lost=lost), "return")
    return Choice(label, "", "return")


def _keep_choice(scene: Scene, action: Action) -> Choice:
    """S15: a gain is kept by one marker more, or given up."""
    key, values = keeping(scene, action.kind)
    label = scene.words.say(f"choices.{key}", **values)
    if action.kind == "decline":
        return Choice(label, scene.words.say("comes.decline"), "gain", final=True)
    return Choice(label, scene.words.say(f"comes.{key}", **values), "gain")


_CHOICES: dict[str, Callable[[Scene, Action], Choice]] = {
    "end turn": _end_turn_choice,
    "activate": _activate_choice,
    "anchor": _anchor_choice,
    "close sale": _close_sale_choice,
    "speed up": _speed_up_choice,
    "bank": _bank_choice,
    "chart": _chart_choice,
    "no chart": _no_chart_choice,
    "appoint": _keep_choice,
    "decline": _keep_choice,
    "recall": _recall_choice,
    "sail": _sail_choice,
    "convert": _convert_choice,
    "sell": _sell_choice,
    "build": _build_choice,
    "acquire": _acquire_choice,
    "refloat": _refloat_choice,
    "return": _return_choice,
}
