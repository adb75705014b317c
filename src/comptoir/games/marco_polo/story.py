"""The log in words: what one action did, told from a seat's views before and after it and from nothing else."""

from __future__ import annotations

from collections import Counter
from typing import Any

from comptoir.engine.components import Components
from comptoir.engine.words import Words
from comptoir.games.marco_polo.rules import value

View = dict[str, Any]


def tell(before: View, action: str, after: View, words: Words, components: Components) -> list[str]:
    """The lines of the log for one action."""
    old, new, names = before["position"], after["position"], after["names"]
    turn, name = old["turn"], names[old["turn"]]
    verb, operand = words.split(action)
    match verb:
        case "lay":
            lines = [words.say("log.lay", name=name, card=operand), *_arrival(old, new, name, words, components)]
        case "lighten":
            lines = [words.say("log.lighten", name=name), *_arrival(old, new, name, words, components)]
        case "take":
            lines = [words.say("log.take", name=name, card=operand), *_refill(old, new, operand, words)]
        case "draw":
            lines = [_draw(old, new, name, before["seat"] == turn, words), *_refill(old, new, None, words)]
        case "pass":
            lines = [words.say("log.pass", name=name)]
        case _:
            lines = [words.say("log.camel", name=name, n=old["camels"][turn][new["moving"]])]
    if new["scored"] and not old["scored"]:
        lines += _scoring(old, new, names, words)
    if new["phase"] == "over":
        lines.append(words.say(f"log.over_{new['ending']}", gains=_gains(_last_gold(new, components), names)))
    return lines


def card_list(counts: dict[str, int], words: Words) -> str:
    """Cards in words: blue oil, red silk ×2."""
    return ", ".join(words.name(card) + (f" ×{n}" if n > 1 else "") for card, n in counts.items() if n > 0)


def _arrival(old: View, new: View, name: str, words: Words, components: Components) -> list[str]:
    """Where the camel has got to, if the action has completed a step."""
    turn, camel = old["turn"], new["moving"]
    space = new["camels"][turn][camel]
    if space == old["camels"][turn][camel]:
        return []
    if space == components.figures.cities_dadu:
        lines = [words.say("log.enter_dadu", name=name)]
    elif space == components.figures.cities_ganzhou:
        lines = [words.say("log.catch_up" if old["scored"] else "log.enter_ganzhou", name=name)]
    else:
        lines = [words.say("log.enter", name=name, n=space)]
    gain = new["gold"][turn] - old["gold"][turn]
    if gain > 0:
        lines.append(words.say("log.chest", name=name, n=gain))
    return lines


def _draw(old: View, new: View, name: str, own: bool, words: Words) -> str:
    turn = old["turn"]
    if own:
        card = next(iter(Counter(new["hand"][turn]) - Counter(old["hand"][turn])))
        return words.say("log.draw_seen", name=name, card=card)
    return words.say("log.draw", name=name)


def _refill(old: View, new: View, taken: str | None, words: Words) -> list[str]:
    """The pile shuffled, and the row filled up."""
    lines = [words.say("log.shuffled")] if old["discards"] and not new["discards"] else []
    left = Counter[str](old["row"])
    left.subtract([taken] if taken else [])
    turned_up = Counter[str](new["row"]) - left
    if turned_up:
        lines.append(words.say("log.turned_up", cards=card_list(turned_up, words)))
    return lines


def _scoring(old: View, new: View, names: list[str], words: Words) -> list[str]:
    gold = [now - then for now, then in zip(new["gold"], old["gold"], strict=True)]
    return [words.say("log.scoring", gains=_gains(gold, names)), words.say("log.gather")]


def _last_gold(p: View, components: Components) -> list[int]:
    """What each seat's camels get at the end."""
    box = components.figures
    return [sum(value(box.scoring_dadu, int(box.cities_dadu), space) for space in camels) for camels in p["camels"]]


def _gains(gold: list[int], names: list[str]) -> str:
    return ", ".join(f"{name} +{n}" for name, n in zip(names, gold, strict=True))
