"""The log in words: what one action did, told from a seat's views before and after it and from nothing else."""

from __future__ import annotations

from typing import Any

from comptoir.engine.components import Components
from comptoir.engine.words import Words

View = dict[str, Any]


def tell(before: View, action: str, after: View, words: Words, components: Components) -> list[str]:
    """The lines of the log for one action."""
    old, new, names = before["position"], after["position"], after["names"]
    seat = old["turn"]
    verb, operand = words.split(action)
    key, values = _what(old, new, seat, verb, operand, components)
    lines = [words.say(f"log.{key}", name=names[seat], **values)]
    lines += [words.say(f"log.{key}", name=names[seat], **values) for key, values in _gains(old, new, seat, verb, components, words)]
    return lines + _afterwards(old, new, words)


def town_of(space: str) -> int:
    """The number of the town that a space is in."""
    return int(space.rstrip("abcdseil"))


SHORT = ("gems", "market gems", "east india company")


def short(what: str, words: Words) -> str:
    """The name of a thing, where there is little room for it."""
    return words.say(f"short.{what}") if what in SHORT else words.name(what)


def on(p: View, space: str, components: Components) -> str:
    """The good or the building of a space."""
    goods, buildings = (components.tables["towns"][part] for part in ("goods", "buildings"))
    card, nth = p["row"][town_of(space) - 1], "abcd".index(space[-1])
    what: str = (goods if nth < 2 else buildings)[card][nth % 2]
    return what


def _what(old: View, new: View, seat: int, verb: str, operand: str, components: Components) -> tuple[str, dict[str, Any]]:
    """What was done: the key of a text, and its values."""
    match verb:
        case "sail":
            start, end = map(int, operand.split("-"))
            return ("sail", {"start": start, "end": end}) if start else ("sail_out", {"end": end})
        case "convert" | "sell":
            return verb, {"n": town_of(operand), "what": on(old, operand, components)}
        case "build":
            source, letter = operand.split("-")
            space = f"{town_of(source)}{letter}"
            key = "build" if new["points"] < old["points"] else "build_free"
            return key, {"n": town_of(source), "what": on(old, space, components)}
        case "acquire":
            return verb, {"technology": operand, "n": old["wealth"][seat] - new["wealth"][seat]}
        case "activate":
            return verb, {"n": new["reserve"][seat]}
        case "speed up":
            return "speed_up", {"n": new["speed"][seat]}
        case "close sale":
            gained = {key: new[key][seat] - old[key][seat] + new[f"{key}_due"] for key in ("wealth", "vp")}
            return "close_sale", gained
        case "refloat":
            return verb, {"space": operand}
        case "return":
            return _returned(old, new, seat, operand)
        case "appoint" | "decline":
            kind = "vp" if old["vp_due"] else "wealth"
            return f"{verb}_{kind}", {"n": min(5, old[f"{kind}_due"]) if verb == "appoint" else old[f"{kind}_due"]}
    return verb.replace(" ", "_"), {}


def _returned(old: View, new: View, seat: int, operand: str) -> tuple[str, dict[str, Any]]:
    kind = {"banker": "wealth", "historian": "vp"}.get(operand)
    if kind:
        return f"return_{operand}", {"n": old[kind][seat] - new[kind][seat]}
    if operand.endswith(("sea", "sailed")):
        return "return_ship" if operand.endswith("sea") else "return_sailed", {"n": town_of(operand)}
    return "return", {"space": operand}


def _gains(old: View, new: View, seat: int, verb: str, components: Components, words: Words) -> list[tuple[str, dict[str, Any]]]:
    """VP that an action brings besides: well-kept ports, a discovery, the printing press."""
    gains: list[tuple[str, dict[str, Any]]] = []
    ships = old["departed"] // 3
    if verb == "anchor" and ships and old["technologies"]["port maintenance"] == seat:
        gains.append(("port", {"n": ships}))
    if new["printed"] and not old["printed"]:
        gains.append(("printed", {}))
    if new["face_up"] > old["face_up"]:
        town = new["face_up"]
        goods, buildings = (", ".join(words.name(on(new, f"{town}{x}", components)) for x in pair) for pair in ("ab", "cd"))
        gains.append(("discovered" if new["india"] is None else "india", {"n": town, "goods": goods, "buildings": buildings}))
    return gains


def _afterwards(old: View, new: View, words: Words) -> list[str]:
    """The end in sight, a new round, the end."""
    lines = []
    if new["closing"] != old["closing"]:
        lines.append(words.say("log.closing_india" if new["closing"] == "india" else "log.closing_reserves"))
    if new["phase"] == "over":
        lines.append(words.say("log.over_guard" if new["ending"] == "round 200" else "log.over"))
    if new["round_number"] > old["round_number"]:
        lines.append(words.say("log.round", n=new["round_number"]))
    return lines
