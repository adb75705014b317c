"""The match in words: how it began, what each action and each turn did, what is awaited and what a choice
would do.

All is told from what a seat may know, asking the rules about it, and from nothing else.
"""

from __future__ import annotations

from comptoir.engine.scene import Scene
from comptoir.games.sail_to_india.offering import offer
from comptoir.games.sail_to_india.retelling import recap
from comptoir.games.sail_to_india.rules import (
    CONVERTING,
    EMPTY_RESERVES,
    FIRST_GAME,
    GOODS,
    OVER,
    PHASES,
    ROUND_200,
    SAILING,
    SELLING,
    TECHNOLOGIES,
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
    site,
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


def tell(before: Scene, action: str, after: Scene) -> list[str]:
    """The lines of the log for one action."""
    words, name = after.words, after.names[before.record.turn]
    texts = [_done(before, action, after), *_gains(before, action, after)]
    return [words.say(f"log.{key}", name=name, **values) for key, values in texts] + _afterwards(
        before, after
    )


def _done(before: Scene, action: str, after: Scene) -> Text:
    """What was done."""
    p, box, seat = before.record, before.box, before.record.turn
    verb, operand = before.words.split(action)
    match verb:
        case "sail":
            start, end = map(int, operand.split("-"))
            return ("sail", {"start": start, "end": end}) if start else ("sail_out", {"end": end})
        case "convert" | "sell" | "refloat":
            return verb, place(before, operand)
        case "build":
            what = some(before.words, [on(before, site(operand))])
            return "build_free" if may_build_free(p) else "build", {"n": town_of(operand), "what": what}
        case "acquire":
            cost = price(p, box, TECHNOLOGIES.index(operand))
            return "acquire" if cost else "acquire_free", {
                "technology": some(before.words, [operand]),
                "n": cost,
            }
        case "activate":
            return "activate", {"n": int(after.record.reserve[seat])}
        case "speed up":
            return "speed_up", {"n": int(after.record.speed[seat])}
        case "close sale":
            return sale(before)
        case "bank":
            return "bank", {"n": int(box.cost_banking)}
        case "return":
            return returned(before, operand)
        case "appoint" | "decline":
            return keeping(before, verb)
    return verb.replace(" ", "_"), {}


def _gains(before: Scene, action: str, after: Scene) -> list[Text]:
    """VP that an action brings besides: well-kept ports, the printing press, a discovery."""
    old, new = before.record, after.record
    gains: list[Text] = []
    if action == "anchor" and port_vp(old):
        gains.append(("port", {"n": port_vp(old)}))
    if new.printed and not old.printed:
        gains.append(("printed", {}))
    if new.face_up > old.face_up:
        town = int(new.face_up)
        values = {"n": town, "vp": discovery_vp(new, town - 1), **offers(after, town)}
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
    key, ways = PHASES[p.phase], list[str]()
    if p.phase == TURN or (
        p.phase == CONVERTING and not any(action.startswith("convert ") for action in scene.actions)
    ):
        key = "turn" if p.points else "turn_free" if (ways := _free_ways(scene)) else "turn_spent"
    elif p.phase == CONVERTING and not p.points:
        key = "converting_spent"
    elif p.phase in (SAILING, SELLING) and not any(
        action.startswith(("sail ", "sell ")) for action in scene.actions
    ):
        key = f"{key}_done"
    return scene.words.say(f"prompt.{key}", name=name, n=int(p.points), ways=", ".join(ways))


def _free_ways(scene: Scene) -> list[str]:
    """S51, S54, S56: what technologies still allow without an action point."""
    verbs = {scene.words.split(action)[0] for action in scene.actions}
    return [scene.words.say(f"prompt.free_{verb}") for verb in ("build", "bank", "refloat") if verb in verbs]


# What a choice would do


def effect(scene: Scene, action: str) -> str:
    """What a choice would do, in a few words."""
    verb, operand = scene.words.split(action)
    if verb == "anchor":
        return _anchor(scene)
    key, values = _would(scene, verb, operand)
    return scene.words.say(f"does.{key}", **values)


def _would(scene: Scene, verb: str, operand: str) -> Text:
    p, box = scene.record, scene.box
    match verb:
        case "end turn" if p.points:
            return "end_turn_early", {"n": int(p.points)}
        case "activate" | "bank" | "chart":
            return verb, {
                "n": int(
                    {"activate": box.cost_activate, "bank": box.cost_banking, "chart": box.cost_cartography}[
                        verb
                    ]
                )
            }
        case "speed up":
            return verb, {"speed": int(p.speed[p.turn]) + 1, "n": speed_cost(p, box)}
        case "acquire":
            cost = price(p, box, TECHNOLOGIES.index(operand))
            return "acquire" if cost else "acquire_free", {
                "n": cost,
                "effect": effect_of(scene.words, box, operand),
            }
        case "close sale":
            return sale(scene)
        case "appoint" | "decline":
            return keeping(scene, verb)
        case "sail":
            start, end = map(int, operand.split("-"))
            return f"{'sail' if start else 'sail_out'}{'_discover' if end > p.face_up else ''}", {
                "start": start,
                "end": end,
            }
        case "sell":
            return _would_sell(scene, operand)
        case "convert":
            return "convert" if p.phase == CONVERTING else "convert_only", place(scene, operand)
        case "refloat":
            return verb, place(scene, operand)
        case "build":
            return _would_build(scene, operand)
        case "return":
            return returned(scene, operand)
    return verb, {}


def _anchor(scene: Scene) -> str:
    """S34: the sailing is over: well-kept ports, a discovery."""
    words = scene.words
    return words.say("does.then").join([words.say("does.anchor"), *landfall(scene)])


def _would_sell(scene: Scene, space: str) -> Text:
    """S27, S41: a good of which the sale has none yet, or one more of a kind."""
    p, good = scene.record, GOODS.index(on(scene, space))
    if p.sold >> good & 1:
        return "sell_again", place(scene, space)
    return "sell_market" if goods_in_sale(p, scene.box) >> good & 1 else "sell", place(scene, space)


def _would_build(scene: Scene, operand: str) -> Text:
    """S28, S54: what with, and whether it takes an action point."""
    source = operand.split("-")[0]
    values = place(scene, site(operand)) | {"cost": int(scene.box.cost_build)}
    key = "build_free" if may_build_free(scene.record) else "build"
    if source.endswith("sea"):
        return f"{key}_ship", values
    return key, values | {"source": on(scene, source)}
