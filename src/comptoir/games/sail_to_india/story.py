"""The game's narration, from what a seat may know: the opening, the log of each action, and the prompt."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from comptoir.engine.actions import Action
from comptoir.engine.recap import ActionStep
from comptoir.games.sail_to_india.choices import choice, effect
from comptoir.games.sail_to_india.naming import (
    Text,
    boxed,
    due,
    keeping,
    offered,
    offers,
    on,
    place,
    returned,
    sale,
    some,
    town_of,
)
from comptoir.games.sail_to_india.recap import recap
from comptoir.games.sail_to_india.rules import (
    CONVERTING,
    EMPTY_RESERVES,
    FIRST_GAME,
    OVER,
    PHASES,
    ROUND_200,
    SAILING,
    SELLING,
    TURN,
    discovery_vp,
    is_due,
    last_town,
    may_build_free,
    port_vp,
    price,
)

if TYPE_CHECKING:
    from comptoir.games.sail_to_india.records import Scene

__all__ = ["choice", "effect", "log_lines", "opening", "prompt", "recap"]

# How the match began


def opening(scene: Scene) -> list[str]:
    """S2, S3, S5: who begins, with what, and the towns that are face up."""
    p, words, names = scene.record, scene.words, scene.names
    wealth = words.join(
        [words.say("log.has_wealth", name=name, n=int(n)) for name, n in zip(names, p.wealth, strict=False)]
    )
    lines = [words.say("log.begins", name=names[p.first]), words.say("log.start_wealth", seats=wealth)]
    lines.append(words.say("log.recommended" if p.setup == FIRST_GAME else "log.shuffled"))
    lines += [words.say("log.town", n=town, **offers(scene, town)) for town in range(1, int(p.face_up) + 1)]
    lines.append(words.say("log.face_down", n=last_town(p) - int(p.face_up), last=last_town(p)))
    return lines + [words.say("log.boxed", **offered(words, things)) for things in boxed(scene)]


# What an action did


def log_lines(before: Scene, action: Action, after: Scene) -> list[str]:
    """The lines of the log for one action."""
    words, name, step = after.words, after.names[before.record.turn], ActionStep(before, action, after)
    texts = [_LOG.get(action.kind, _log_by_name)(step), *_gains(step)]
    return [words.say(f"log.{key}", name=name, **values) for key, values in texts] + _afterwards(
        before, after
    )


def _log_by_name(step: ActionStep[Scene]) -> Text:
    return step.action.kind.replace(" ", "_"), {}


def _log_sailing(step: ActionStep[Scene]) -> Text:
    start, end = step.action.operand
    return ("sail", {"start": start, "end": end}) if start else ("sail_out", {"end": end})


def _log_on_space(step: ActionStep[Scene]) -> Text:
    return step.action.kind, place(step.before, step.action.operand)


def _log_building(step: ActionStep[Scene]) -> Text:
    before, space = step.before, step.action.operand.space
    what = some(before.words, [on(before, space)])
    return "build_free" if may_build_free(before.record) else "build", {"n": town_of(space), "what": what}


def _log_acquiring(step: ActionStep[Scene]) -> Text:
    before, cost = step.before, price(step.before.record, step.before.box, step.action.offset)
    technology = some(before.words, [step.action.operand])
    return "acquire" if cost else "acquire_free", {"technology": technology, "n": cost}


def _log_activating(step: ActionStep[Scene]) -> Text:
    return "activate", {"n": int(step.after.record.reserve[step.before.record.turn])}


def _log_speed(step: ActionStep[Scene]) -> Text:
    return "speed_up", {"n": int(step.after.record.speed[step.before.record.turn])}


def _log_sale(step: ActionStep[Scene]) -> Text:
    return sale(step.before)


def _log_banking(step: ActionStep[Scene]) -> Text:
    return "bank", {"n": int(step.before.box.cost_banking)}


def _log_returning(step: ActionStep[Scene]) -> Text:
    return returned(step.before, step.action.operand)


def _log_keeping(step: ActionStep[Scene]) -> Text:
    return keeping(step.before, step.action.kind)


_LOG: dict[str, Callable[[ActionStep[Scene]], Text]] = {  # what was done; others say no more than their name
    "activate": _log_activating,
    "close sale": _log_sale,
    "speed up": _log_speed,
    "bank": _log_banking,
    "appoint": _log_keeping,
    "decline": _log_keeping,
    "sail": _log_sailing,
    "convert": _log_on_space,
    "sell": _log_on_space,
    "build": _log_building,
    "acquire": _log_acquiring,
    "refloat": _log_on_space,
    "return": _log_returning,
}


def _gains(step: ActionStep[Scene]) -> list[Text]:
    """VP that an action brings in addition: well-kept ports, the printing press, a discovery."""
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


# What to decide


def prompt(scene: Scene) -> str:
    """What to decide, in a sentence."""
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
