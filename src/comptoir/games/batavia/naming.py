"""Cards, sales and losses in words, shared by the log, the recap and the board."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from comptoir.engine.recap import ActionStep
from comptoir.engine.words import Words
from comptoir.games.batavia.rules import (
    COMPANIES,
    GOODS,
    OVER,
    good_on,
    set_size,
    sunk_between,
)

if TYPE_CHECKING:
    from comptoir.games.batavia.records import Scene


def cards(counts: Iterable[int], words: Words, key: str = "cards") -> str:
    """Ship cards in words: 2 English cards and 1 Swedish."""
    some = [(company, int(n)) for company, n in zip(COMPANIES, counts, strict=True) if n]
    return words.join(
        [words.say(f"{'more_' * bool(nth)}{key}.{company}", n=n) for nth, (company, n) in enumerate(some)]
    )


def ships(counts: Iterable[int], words: Words) -> str:
    """The same once they are laid: 2 English ships and 1 Swedish."""
    return cards(counts, words, "ships")


def actor_name(before: Scene) -> str:
    """The name of whoever decides."""
    return before.names[int(before.record.turn)]


def cards_drawn(before: Scene, after: Scene) -> str:
    """B17: the cards that a draw has brought, as far as the viewer knows them."""
    turn = before.record.turn
    known = after.seat == turn and after.record.phase != OVER
    return cards(after.record.hand[turn] - before.record.hand[turn], after.words) if known else ""


def shop_reached(step: ActionStep[Scene]) -> tuple[int, str, bool]:
    """The space, the good, and whether a crate was placed for it."""
    old, new, turn = step.before.record, step.after.record, step.before.record.turn
    space = int(new.merchants[turn])
    return space, GOODS[good_on(old, step.action.offset, space)], bool(old.crates[turn] > new.crates[turn])


def tiles_traded(step: ActionStep[Scene]) -> tuple[int, int]:
    """B28: how many tiles were handed in, and the gold for them."""
    old, new, turn = step.before.record, step.after.record, step.before.record.turn
    return int(set_size(old, turn)), int(new.gold[turn]) - int(old.gold[turn])


def sunk_fleets(before: Scene, after: Scene) -> dict[str, str]:
    """B30, B31: the fleets that pirates have sunk, and how many laid cards each seat has lost by it."""
    words, p = after.words, before.record
    companies = sunk_between(p, before.box, after.record)
    lost = [
        (name, int(sum(p.laid[seat, company] for company in companies)))
        for seat, name in enumerate(before.names)
    ]
    losses = [(name, n) for name, n in lost if n]
    return {
        "fleets": words.join([words.say(f"fleets.{COMPANIES[company]}") for company in companies]),
        "losses": words.join(
            [
                words.say("losses.more" if nth else "losses.first", name=x, n=n)
                for nth, (x, n) in enumerate(losses)
            ]
        ),
    }
