"""The match in words: how it began, what each action and each turn did, what is awaited and what a choice
would do.

All is told from what a seat may know, asking the rules about it, and from nothing else.
"""

from __future__ import annotations

from collections.abc import Callable

from comptoir.engine.actions import Action
from comptoir.engine.recap import Step
from comptoir.engine.scene import Scene
from comptoir.games.sail_to_india.offering import offer
from comptoir.games.sail_to_india.retelling import recap
from comptoir.games.sail_to_india.rules import (
    CONVERTING,
    EMPTY_RESERVES,
    FIRST_GAME,
    FLEETS,
    GOODS,
    OVER,
    PHASES,
    ROUND_200,
    SAILING,
    SELLING,
    TURN,
    discovery_vp,
    goods_in_sale,
    is_due,
    last_town,
    may_build_free,
    port_vp,
    price,
    speed_cost,
)
from comptoir.games.sail_to_india.things import (
    Text,
    boxed,
    due,
    effect_of,
    keeping,
    landfall,
    offered,
    offers,
    on,
    place,
    returned,
    sale,
    some,
    town_of,
)

__all__ = ["effect", "offer", "open", "prompt", "recap", "tell"]

# How the match began


def open(scene: Scene) -> list[str]:
    """S2, S3, S5: who begins, with what, and the towns that are face up."""
    p, words, names = scene.record, scene.words, scene.names
    wealth = words.listed(
        [words.say("log.has_wealth", name=name, n=int(n)) for name, n in zip(names, p.wealth, strict=False)]
    )
    lines = [words.say("log.begins", name=names[p.first]), words.say("log.start_wealth", seats=wealth)]
    lines.append(words.say("log.recommended" if p.setup == FIRST_GAME else "log.shuffled"))
    lines += [words.say("log.town", n=town, **offers(scene, town)) for town in range(1, int(p.face_up) + 1)]
    lines.append(words.say("log.face_down", n=last_town(p) - int(p.face_up), last=last_town(p)))
    return lines + [words.say("log.boxed", **offered(words, things)) for things in boxed(scene)]


# What an action did


def tell(before: Scene, action: Action, after: Scene) -> list[str]:
    """The lines of the log for one action."""
    words, name, step = after.words, after.names[before.record.turn], Step(before, action, after)
    texts = [_TOLD.get(action.kind, _told_by_name)(step), *_gains(step)]
    return [words.say(f"log.{key}", name=name, **values) for key, values in texts] + _afterwards(
        before, after
    )


def _told_by_name(step: Step) -> Text:
    return step.action.kind.replace(" ", "_"), {}


def _told_sailing(step: Step) -> Text:
    start, end = step.action.operand
    return ("sail", {"start": start, "end": end}) if start else ("sail_out", {"end": end})


def _told_on_space(step: Step) -> Text:
    return step.action.kind, place(step.before, step.action.operand)


def _told_building(step: Step) -> Text:
    before, space = step.before, step.action.operand.space
    what = some(before.words, [on(before, space)])
    return "build_free" if may_build_free(before.record) else "build", {"n": town_of(space), "what": what}


def _told_acquiring(step: Step) -> Text:
    before, cost = step.before, price(step.before.record, step.before.box, step.action.offset)
    technology = some(before.words, [step.action.operand])
    return "acquire" if cost else "acquire_free", {"technology": technology, "n": cost}


def _told_activating(step: Step) -> Text:
    return "activate", {"n": int(step.after.record.reserve[step.before.record.turn])}


def _told_speed(step: Step) -> Text:
    return "speed_up", {"n": int(step.after.record.speed[step.before.record.turn])}


def _told_sale(step: Step) -> Text:
    return sale(step.before)


def _told_banking(step: Step) -> Text:
    return "bank", {"n": int(step.before.box.cost_banking)}


def _told_returning(step: Step) -> Text:
    return returned(step.before, step.action.operand)


def _told_keeping(step: Step) -> Text:
    return keeping(step.before, step.action.kind)


_TOLD: dict[str, Callable[[Step], Text]] = {  # what was done; others say no more than their name
    "activate": _told_activating,
    "close sale": _told_sale,
    "speed up": _told_speed,
    "bank": _told_banking,
    "appoint": _told_keeping,
    "decline": _told_keeping,
    "sail": _told_sailing,
    "convert": _told_on_space,
    "sell": _told_on_space,
    "build": _told_building,
    "acquire": _told_acquiring,
    "refloat": _told_on_space,
    "return": _told_returning,
}


def _gains(step: Step) -> list[Text]:
    """VP that an action brings besides: well-kept ports, the printing press, a discovery."""
    old, new = step.before.record, step.after.record
    gains: list[Text] = []
    if step.action.kind == "anchor" and port_vp(old):
        gains.append(("port", {"n": port_vp(old)}))
    if new.printed and not old.printed:
        gains.append(("printed", {}))
    if new.face_up > old.face_up:
        town = int(new.face_up)
        values = {"n": town, "vp": discovery_vp(new, town - 1), **offers(step.after, town)}
        gains.append(("india" if town == last_town(new) else "discovered", values))
    return gains


def _afterwards(before: Scene, after: Scene) -> list[str]:
    """The end in sight, a new round, the end."""
    old, new, words, lines = before.record, after.record, after.words, []
    if new.closing != old.closing:
        lines.append(
            words.say("log.closing_reserves" if new.closing == EMPTY_RESERVES else "log.closing_india")
        )
    if new.phase == OVER:
        lines.append(words.say("log.over_guard" if new.ending == ROUND_200 else "log.over"))
    if new.round_number > old.round_number:
        lines.append(words.say("log.round", n=int(new.round_number)))
    return lines


# What is awaited


def prompt(scene: Scene) -> str:
    """What is awaited, in a sentence."""
    p = scene.record
    name = scene.names[p.turn]
    if p.recalling:
        return scene.words.say("prompt.recalling", name=name)
    if is_due(p):
        kind, left = due(scene)
        return scene.words.say(f"prompt.{kind}_due{'' if p.lisbon[p.turn] else '_empty'}", name=name, n=left)
    key, ways, kinds = PHASES[p.phase], list[str](), {action.kind for action in scene.choices}
    if p.phase == TURN or (p.phase == CONVERTING and "convert" not in kinds):
        key = "turn" if p.points else "turn_free" if (ways := _free_ways(scene, kinds)) else "turn_spent"
    elif p.phase == CONVERTING and not p.points:
        key = "converting_spent"
    elif p.phase in (SAILING, SELLING) and not kinds & {"sail", "sell"}:
        key = f"{key}_done"
    return scene.words.say(f"prompt.{key}", name=name, n=int(p.points), ways=", ".join(ways))


def _free_ways(scene: Scene, kinds: set[str]) -> list[str]:
    """S51, S54, S56: what technologies still allow without an action point."""
    return [scene.words.say(f"prompt.free_{kind}") for kind in ("build", "bank", "refloat") if kind in kinds]


# What a choice would do


def effect(scene: Scene, action: Action) -> str:
    """What a choice would do, in a few words."""
    if action.kind == "anchor":
        return _anchor(scene)
    key, values = _WOULD.get(action.kind, _would_by_name)(scene, action)
    return scene.words.say(f"does.{key}", **values)


def _would_by_name(scene: Scene, action: Action) -> Text:
    return action.kind, {}


def _would_end(scene: Scene, action: Action) -> Text:
    points = int(scene.record.points)
    return ("end_turn_early", {"n": points}) if points else ("end turn", {})


def _would_activate(scene: Scene, action: Action) -> Text:
    return "activate", {"n": int(scene.box.cost_activate)}


def _would_bank(scene: Scene, action: Action) -> Text:
    return "bank", {"n": int(scene.box.cost_banking)}


def _would_chart(scene: Scene, action: Action) -> Text:
    return "chart", {"n": int(scene.box.cost_cartography)}


def _would_speed_up(scene: Scene, action: Action) -> Text:
    p = scene.record
    return "speed up", {"speed": int(p.speed[p.turn]) + 1, "n": speed_cost(p, scene.box)}


def _would_acquire(scene: Scene, action: Action) -> Text:
    cost = price(scene.record, scene.box, action.offset)
    does = effect_of(scene.words, scene.box, action.operand)
    return "acquire" if cost else "acquire_free", {"n": cost, "effect": does}


def _would_close_sale(scene: Scene, action: Action) -> Text:
    return sale(scene)


def _would_keep(scene: Scene, action: Action) -> Text:
    return keeping(scene, action.kind)


def _would_sail(scene: Scene, action: Action) -> Text:
    start, end = action.operand
    discovers = "_discover" if end > scene.record.face_up else ""
    return f"{'sail' if start else 'sail_out'}{discovers}", {"start": start, "end": end}


def _would_convert(scene: Scene, action: Action) -> Text:
    key = "convert" if scene.record.phase == CONVERTING else "convert_only"
    return key, place(scene, action.operand)


def _would_refloat(scene: Scene, action: Action) -> Text:
    return "refloat", place(scene, action.operand)


def _would_return(scene: Scene, action: Action) -> Text:
    return returned(scene, action.operand)


def _anchor(scene: Scene) -> str:
    """S34: the sailing is over: well-kept ports, a discovery."""
    words = scene.words
    return words.say("does.then").join([words.say("does.anchor"), *landfall(scene)])


def _would_sell(scene: Scene, action: Action) -> Text:
    """S27, S41: a good of which the sale has none yet, or one more of a kind."""
    p, space = scene.record, action.operand
    good = GOODS.index(on(scene, space))
    if p.sold >> good & 1:
        return "sell_again", place(scene, space)
    return "sell_market" if goods_in_sale(p, scene.box) >> good & 1 else "sell", place(scene, space)


def _would_build(scene: Scene, action: Action) -> Text:
    """S28, S54: what with, and whether it takes an action point."""
    source, space = action.operand
    values = place(scene, space) | {"cost": int(scene.box.cost_build)}
    key = "build_free" if may_build_free(scene.record) else "build"
    if source in FLEETS:
        return f"{key}_ship", values
    return key, values | {"source": on(scene, source)}


_WOULD: dict[str, Callable[[Scene, Action], Text]] = {  # others say no more than their name
    "end turn": _would_end,
    "activate": _would_activate,
    "close sale": _would_close_sale,
    "speed up": _would_speed_up,
    "bank": _would_bank,
    "chart": _would_chart,
    "appoint": _would_keep,
    "decline": _would_keep,
    "sail": _would_sail,
    "convert": _would_convert,
    "sell": _would_sell,
    "build": _would_build,
    "acquire": _would_acquire,
    "refloat": _would_refloat,
    "return": _would_return,
}
