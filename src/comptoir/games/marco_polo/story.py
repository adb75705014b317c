"""The game's narration, from what a seat may know: the opening, the log of each action, and the prompt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Sequence
from typing import TYPE_CHECKING

from comptoir.engine.actions import Action
from comptoir.engine.recap import ActionStep
from comptoir.engine.words import Words
from comptoir.games.marco_polo.choices import choice, effect
from comptoir.games.marco_polo.naming import (
    camel_of,
    card_list,
    cards,
    chest_gold,
    drawn_card,
    first_scoring,
    gains_text,
    is_first_scoring,
    last_scoring,
    next_demand,
    placed,
)
from comptoir.games.marco_polo.recap import recap
from comptoir.games.marco_polo.rules import (
    ENDINGS,
    OVER,
    STILL_ROUNDS,
)

if TYPE_CHECKING:
    from comptoir.games.marco_polo.records import Scene

__all__ = ["choice", "effect", "log_lines", "opening", "prompt", "recap"]

# What to decide


def prompt(scene: Scene) -> str:
    """What the seat that decides may do now, in a sentence."""
    p, words = scene.record, scene.words
    name = scene.names[p.turn]
    if p.paid:
        return words.say("prompt.paying", name=name, **next_demand(scene))
    kinds = dict.fromkeys(action.kind for action in scene.choices)
    if list(kinds) == ["pass"]:
        return words.say("prompt.pass", name=name)
    # the two camels are one way on, and so are the cards that end a turn
    ways = dict.fromkeys(_possibility(scene, kind, kinds) for kind in kinds)
    return words.say("prompt.turn", name=name, ways=_either(list(ways), words))


def _possibility(scene: Scene, kind: str, kinds: Container[str]) -> str:
    """One thing that may be done; `kinds`: all of them."""
    words = scene.words
    match kind:
        case "lay":
            return words.say("prompt.lay", **next_demand(scene))
        case "lighten":
            return words.say(
                "prompt.lighten" if "lay" in kinds else "prompt.lighten_only", **next_demand(scene)
            )
        case "first camel" | "second camel":
            return words.say("prompt.camel" if scene.record.moving < 0 else "prompt.other_camel")
        case "pass":
            return words.say("prompt.or_pass")
    return words.say("prompt.card")


def _either(ways: Sequence[str], words: Words) -> str:
    return ", ".join(ways[:-1]) + words.say("prompt.or") + ways[-1] if len(ways) > 1 else ways[0]


# What happened, action by action


def opening(scene: Scene) -> list[str]:
    """How the match began: who starts, where the camels stand, which cards lie open."""
    p, words = scene.record, scene.words
    camels = sorted((int(space), seat) for seat in range(p.players) for space in p.camels[seat] if space >= 0)
    stand = words.join([f"{scene.names[seat]} {placed(scene, 'at', space)}" for space, seat in camels])
    lines = [words.say("log.starts", name=scene.names[p.turn]), words.say("log.line_up", camels=stand)]
    return lines + (
        [words.say("log.open_cards", cards=card_list(scene.position["row"], words))] if p.row_size else []
    )


def log_lines(before: Scene, action: Action, after: Scene) -> list[str]:
    """The lines of the log for one action."""
    words, lines = after.words, _LOG[action.kind](ActionStep(before, action, after))
    if is_first_scoring(before, after):
        lines += [
            words.say("log.scoring", gains=gains_text(first_scoring(after), after)),
            words.say("log.gather"),
        ]
    if after.record.phase == OVER:
        lines.append(
            words.say(
                f"log.over_{ENDINGS[after.record.ending]}",
                n=STILL_ROUNDS,
                gains=gains_text(last_scoring(after), after),
            )
        )
    return lines


def _actor_name(step: ActionStep[Scene]) -> str:
    return step.after.names[int(step.before.record.turn)]


def _log_lay(step: ActionStep[Scene]) -> list[str]:
    words = step.after.words
    laid = words.say("log.lay", name=_actor_name(step), card=cards(step.action.operand, 1, words))
    return [laid, *_arrival(step.before, step.after)]


def _log_lightening(step: ActionStep[Scene]) -> list[str]:
    return [step.after.words.say("log.lighten", name=_actor_name(step)), *_arrival(step.before, step.after)]


def _log_take(step: ActionStep[Scene]) -> list[str]:
    words, card = step.after.words, step.action.operand
    taken = words.say("log.take", name=_actor_name(step), card=cards(card, 1, words))
    return [taken, *_refill(step.before, step.after, card)]


def _log_draw(step: ActionStep[Scene]) -> list[str]:
    words, name, card = step.after.words, _actor_name(step), drawn_card(step.before, step.after)
    if card:
        said = words.say("log.draw_seen", name=name, card=cards(card, 1, words))
    else:
        said = words.say("log.draw", name=name)
    return [said, *_refill(step.before, step.after)]


def _log_pass(step: ActionStep[Scene]) -> list[str]:
    return [step.after.words.say("log.pass", name=_actor_name(step))]


def _log_camel(step: ActionStep[Scene]) -> list[str]:
    p = step.before.record
    space = int(p.camels[p.turn, camel_of(step.action)])
    return [step.after.words.say("log.camel", name=_actor_name(step), n=space)]


_LOG: dict[str, Callable[[ActionStep[Scene]], list[str]]] = {
    "lay": _log_lay,
    "lighten": _log_lightening,
    "first camel": _log_camel,
    "second camel": _log_camel,
    "take": _log_take,
    "draw": _log_draw,
    "pass": _log_pass,
}


def _arrival(before: Scene, after: Scene) -> list[str]:
    """Where the camel has got to, if the action has completed a step."""
    words, box, seat, camel = after.words, after.box, int(before.record.turn), int(before.record.moving)
    name, space = after.names[seat], int(after.record.camels[seat, camel])
    if space == before.record.camels[seat, camel]:
        return []
    if space == box.cities_dadu:
        lines = [words.say("log.enter_dadu", name=name)]
    elif space == box.cities_ganzhou:
        lines = [words.say("log.catch_up" if before.record.scored else "log.enter_ganzhou", name=name)]
    else:
        lines = [words.say("log.enter", name=name, n=space)]
    chest = chest_gold(before, after)
    return [*lines, words.say("log.chest", name=name, n=chest)] if chest else lines


def _refill(before: Scene, after: Scene, taken: str = "") -> list[str]:
    """The pile shuffled, and the row filled up."""
    words, old, new = after.words, before.position, after.position
    lines = [words.say("log.shuffled")] if old["discards"] and not new["discards"] else []
    left = Counter[str](old["row"])
    left.subtract([taken] if taken else [])
    turned_up = Counter[str](new["row"]) - left
    if turned_up:
        lines.append(words.say("log.turned_up", cards=card_list(turned_up, words)))
    return lines
