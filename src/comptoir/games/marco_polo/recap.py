"""A finished turn in one sentence, with its highlights."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from comptoir.engine.recap import ActionStep, Highlight
from comptoir.games.marco_polo.naming import (
    cards,
    chest_gold,
    drawn_card,
    first_scoring,
    gains_text,
    is_first_scoring,
    last_scoring,
    placed,
)
from comptoir.games.marco_polo.rules import (
    CARDS,
    ENDINGS,
    FACES,
    OVER,
    STILL_ROUNDS,
)

if TYPE_CHECKING:
    from comptoir.games.marco_polo.records import Scene

MAX_KINDS = 5  # of cards that a sentence lists one by one


# A whole turn


@dataclass
class _CamelMove:
    """How far a camel has come in a turn, and what was paid for it."""

    start: int
    end: int
    cards: Counter[str] = field(default_factory=Counter)
    gold: int = 0


def recap(steps: Sequence[ActionStep[Scene]]) -> tuple[str, list[Highlight]]:
    """A finished turn in a sentence: how far the camels have come, for what, the chests won, and the card
    that ended it.
    """
    before, last = steps[0].before, steps[-1]
    words, name = last.after.words, before.names[before.record.turn]
    chests = [gold for step in steps if (gold := chest_gold(step.before, step.after))]
    clauses = [_camel_clause(way, last.after) for way in _camel_moves(steps)]
    if chests:
        clauses.append(words.say("recap.chest", n=len(chests), gold=words.say("score.points", n=sum(chests))))
    clauses += _last_card(last, moved=bool(clauses))
    return words.say("recap.turn", name=name, what=words.join(clauses)), _highlights(last, name)


def _camel_moves(steps: Sequence[ActionStep[Scene]]) -> list[_CamelMove]:
    """The way of each camel that has moved, in the order in which they set out."""
    ways: dict[int, _CamelMove] = {}
    for step in steps:
        if step.action.kind not in ("lay", "lighten"):
            continue
        seat, camel = int(step.before.record.turn), int(step.before.record.moving)
        space = int(step.before.record.camels[seat, camel])
        way = ways.setdefault(camel, _CamelMove(space, space))
        way.end = int(step.after.record.camels[seat, camel])
        if step.action.kind == "lay":
            way.cards[step.action.operand] += 1
        else:
            way.gold += 1
    return list(ways.values())


def _camel_clause(way: _CamelMove, scene: Scene) -> str:
    words = scene.words
    gold = [words.say("score.points", n=way.gold)] if way.gold else []
    paid = [cards(card, n, words) for card, n in _summed_up(way.cards).items()] + gold
    if way.start == way.end:  # what a hint expects may break off before the step is paid
        return words.say("recap.lays_first", paid=words.join(paid))
    key = "lays" if not gold else "pays" if way.cards else "lightens"
    return words.say(
        f"recap.{key}",
        paid=words.join(paid),
        start=placed(scene, "from", way.start),
        end=placed(scene, "to", way.end),
    )


def _summed_up(cards: Counter[str]) -> Counter[str]:
    """The cards of a way, by what they show: in their colours too, unless that makes too long a list."""
    kinds = Counter({card: cards[card] for card in CARDS if cards[card]})
    if len(kinds) <= MAX_KINDS:
        return kinds
    return Counter(
        {face: n for face in FACES if (n := sum(cards[card] for card in cards if card.endswith(face)))}
    )


def _last_card(last: ActionStep[Scene], moved: bool) -> list[str]:
    """The card that ended the turn. That there was none is told of those who have not moved either."""
    words = last.after.words
    match last.action.kind:
        case "take":
            return [words.say("recap.take", card=cards(last.action.operand, 1, words))]
        case "draw":
            card = drawn_card(last.before, last.after)
            return [
                words.say("recap.draw", card=cards(card, 1, words) if card else words.say("recap.some_card"))
            ]
        case "pass" if not moved:
            return [words.say("recap.pass")]
    return []


def _highlights(last: ActionStep[Scene], name: str) -> list[Highlight]:
    """The first scoring, and the end."""
    words, after = last.after.words, last.after
    moments = []
    if is_first_scoring(last.before, after):
        moments.append(
            Highlight(
                "ganzhou",
                words.say("moments.ganzhou", name=name, gains=gains_text(first_scoring(after), after)),
            )
        )
    if after.record.phase == OVER:
        ending = ENDINGS[after.record.ending]
        gains = gains_text(last_scoring(after), after)
        moments.append(
            Highlight(ending, words.say(f"moments.{ending}", name=name, n=STILL_ROUNDS, gains=gains))
        )
    return moments
