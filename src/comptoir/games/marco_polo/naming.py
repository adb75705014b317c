"""Cards, spaces and gold in words, shared by all that narrates or draws the game."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from comptoir.engine.actions import Action
from comptoir.engine.counts import how_many
from comptoir.engine.words import Words
from comptoir.games.marco_polo.rules import (
    CARDS,
    CHOOSE,
    DEMANDS,
    last_gold,
    next_space,
)

if TYPE_CHECKING:
    from comptoir.games.marco_polo.records import Scene


def next_demand(scene: Scene) -> dict[str, int | str]:
    """The next space of the camel that moves, and what it demands."""
    space = next_space(scene.record, scene.box, int(scene.record.moving))
    return {"n": space, "demand": DEMANDS[scene.box.track_demands[space]]}


def camel_of(action: Action) -> int:
    """The camel that an action chooses."""
    return action.index - CHOOSE


def card_list(counts: Mapping[str, int], words: Words) -> str:
    """Cards in words: a blue oil and 2 red silk."""
    return words.join([cards(card, n, words) for card, n in counts.items()])


@cache
def cards(card: str, n: int, words: Words) -> str:
    return words.say(f"cards.{card}", n=n)


def chest_gold(before: Scene, after: Scene) -> int:
    """The gold of a chest that the action has won."""
    seat = int(before.record.turn)
    return int(after.record.chests[seat]) - int(before.record.chests[seat])


def drawn_card(before: Scene, after: Scene) -> str:
    """The card drawn from the pile, for its owner; nothing for the others."""
    seat = int(before.record.turn)
    if before.seat != seat:
        return ""
    old, new = int(before.record.hand[seat]), int(after.record.hand[seat])
    return next(card for kind, card in enumerate(CARDS) if how_many(new, kind) > how_many(old, kind))


def is_first_scoring(before: Scene, after: Scene) -> bool:
    return bool(after.record.scored and not before.record.scored)


def first_scoring(scene: Scene) -> list[int]:
    """What each seat got at the first scoring."""
    return [int(gold) for gold in scene.record.ganzhou[: scene.record.players]]


def last_scoring(scene: Scene) -> list[int]:
    """What each seat's camels get at the end."""
    return [last_gold(scene.record, scene.box, seat) for seat in range(scene.record.players)]


def gains_text(gold: list[int], scene: Scene) -> str:
    """Who gets how much, the most first."""
    words = scene.words
    ranked = sorted(enumerate(gold), key=lambda one: -one[1])
    gains = [
        words.say("score.gain", name=scene.names[seat], gold=words.say("score.points", n=n))
        for seat, n in ranked
        if n
    ]
    return words.join(gains) if gains else words.say("score.no_gain")


def placed(scene: Scene, how: str, space: int) -> str:
    """A space as a sentence has it: from space 5, to Ganzhou."""
    cities = {0: "ormuz", int(scene.box.cities_ganzhou): "ganzhou", int(scene.box.cities_dadu): "dadu"}
    return scene.words.say(f"place.{how}_{cities.get(space, 'space')}", n=space)
