"""Choices of a seat in plain words: what each does, and its effect."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import TYPE_CHECKING

from comptoir.engine.actions import Action
from comptoir.engine.choice import Choice
from comptoir.engine.counts import how_many
from comptoir.games.marco_polo.naming import camel_of, cards, placed
from comptoir.games.marco_polo.rules import (
    CARDS,
    DEMANDS,
    OVER,
    enter,
    next_space,
    pile_left,
    size_of,
)

if TYPE_CHECKING:
    from comptoir.games.marco_polo.records import Position, Scene


def effect(scene: Scene, action: Action) -> str:
    """What a choice would do, in a few words."""
    return _EFFECTS[action.kind](scene, action)


def _named_effect(scene: Scene, action: Action) -> str:
    return scene.words.say(f"does.{action.kind}")


def _lay_effect(scene: Scene, action: Action) -> str:
    p = scene.record
    return scene.words.say("does.lay", n=how_many(p.hand[p.turn], action.offset))


def _lightening_effect(scene: Scene, action: Action) -> str:
    p, end = scene.record, placed(scene, "to", _reached(scene))
    return scene.words.say("does.lighten", end=end, gold=int(p.gold[p.turn]))


def _camel_effect(scene: Scene, action: Action) -> str:
    p, camel = scene.record, camel_of(action)
    space = next_space(p, scene.box, camel)
    return scene.words.say("does.camel", n=int(p.camels[p.turn, camel]), next=space)


_EFFECTS: dict[str, Callable[[Scene, Action], str]] = {
    "lay": _lay_effect,
    "lighten": _lightening_effect,
    "first camel": _camel_effect,
    "second camel": _camel_effect,
    "take": _named_effect,
    "draw": _named_effect,
    "pass": _named_effect,
}


# The same as a person reads it on a button


def choice(scene: Scene, action: Action) -> Choice:
    """A choice in plain words: what to do, and what comes of it. A card ends the turn and turns up another, if
    there is one: then it cannot be taken back.
    """
    return _CHOICES[action.kind](scene, action)


def _lay_choice(scene: Scene, action: Action) -> Choice:
    label = scene.words.say("offer.lay", card=cards(action.operand, 1, scene.words))
    return Choice(label, _paid_by(scene), "move")


def _lightening_choice(scene: Scene, action: Action) -> Choice:
    return Choice(scene.words.say("offer.lighten"), _step(scene), "move")


def _take_choice(scene: Scene, action: Action) -> Choice:
    words = scene.words
    label = words.say("offer.take", card=cards(action.operand, 1, words))
    return Choice(label, words.say("offer.ends_turn"), "card", final=bool(pile_left(scene.record)))


def _end_choice(scene: Scene, action: Action) -> Choice:
    words = scene.words
    return Choice(words.say(f"offer.{action.kind}"), words.say("offer.ends_turn"), "card", final=True)


def _paid_by(scene: Scene) -> str:
    """M11: which of the demanded cards the next one is; the last of them takes the camel on."""
    p = scene.record
    space = next_space(p, scene.box, int(p.moving))
    nth, of = (
        1 + sum(how_many(p.paid, kind) for kind in range(len(CARDS))),
        size_of(int(scene.box.track_demands[space])),
    )
    return _step(scene) if nth == of else scene.words.say("offer.part", n=nth, of=of, space=space)


def _after_step(scene: Scene) -> Position:
    """The position once the camel that moves has entered its next space."""
    then: Position = deepcopy(scene.record)
    enter(then, scene.box, next_space(then, scene.box, int(then.moving)))
    return then


def _reached(scene: Scene) -> int:
    """M23: the space that the camel gets to, which need not be the one that it enters."""
    p = scene.record
    return int(_after_step(scene).camels[p.turn, p.moving])


def _step(scene: Scene) -> str:
    """M12, M14, M20, M23, M30: where the camel that moves would get to, as the rules have it, and the gold
    that it would find.
    """
    words, seat, then = scene.words, int(scene.record.turn), _after_step(scene)
    gold = int(then.chests[seat]) - int(scene.record.chests[seat])
    end = placed(scene, "to", _reached(scene))
    if then.phase == OVER:
        return words.say("offer.step_over", end=end)
    return words.say("offer.step_chest" if gold else "offer.step", end=end, n=gold)


def _camel_choice(scene: Scene, action: Action) -> Choice:
    """M40: where it is, and what its next space demands."""
    p, words, camel = scene.record, scene.words, camel_of(action)
    space = next_space(p, scene.box, camel)
    return Choice(
        words.say("offer.camel", n=camel + 1, place=placed(scene, "at", int(p.camels[p.turn, camel]))),
        words.say(
            "offer.demands",
            end=placed(scene, "to", space),
            demand=words.say(f"brief.{DEMANDS[scene.box.track_demands[space]]}"),
        ),
        "camel",
    )


_CHOICES: dict[str, Callable[[Scene, Action], Choice]] = {
    "lay": _lay_choice,
    "lighten": _lightening_choice,
    "first camel": _camel_choice,
    "second camel": _camel_choice,
    "take": _take_choice,
    "draw": _end_choice,
    "pass": _end_choice,
}
