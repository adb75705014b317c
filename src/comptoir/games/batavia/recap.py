"""A finished turn in one sentence, with its highlights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from comptoir.engine.recap import ActionStep, Highlight
from comptoir.engine.words import Words
from comptoir.games.batavia.naming import (
    actor_name,
    cards,
    cards_drawn,
    ships,
    shop_reached,
    sunk_fleets,
    tiles_traded,
)
from comptoir.games.batavia.rules import (
    AUCTION,
    COMPANIES,
    OVER,
    cards_to_draw,
    is_last_round,
    sunk_between,
)

if TYPE_CHECKING:
    from comptoir.games.batavia.records import Scene

# A turn in one sentence


def recap(steps: Sequence[ActionStep[Scene]]) -> tuple[str, list[Highlight]]:
    """A finished turn: the auction of a round, or a seat's move."""
    auction = steps[0].before.record.phase == AUCTION
    return _recap_auction(steps) if auction else _recap_move(steps), _highlights(steps[-1])


def _recap_auction(steps: Sequence[ActionStep[Scene]]) -> str:
    """B14, B15, B16, B19: who has bought what for how much, or what stays."""
    p, words = steps[-1].after.record, steps[-1].after.words
    lot, name = steps[0].before.record.lot, steps[-1].after.names[p.first]
    alone = "" if lot.any() else "_boat"
    if p.bidder >= 0:
        return words.say(f"recap.won{alone}", name=name, lot=cards(lot, words), n=int(p.bid))
    return words.say(f"recap.all_pass{alone}", name=name, lot=cards(lot, words), n=int(lot.sum()))


def _recap_move(steps: Sequence[ActionStep[Scene]]) -> str:
    """B20 to B28, B40: what was drawn; or what was laid, the seals won and lost by it, the shop, the gold."""
    words = steps[-1].after.words
    lays = [step for step in steps if step.action.kind == "lay"]
    clauses = _recap_laying(lays, words) if lays else []
    for step in steps:
        if step.action.kind in _CLAUSES:
            clauses += _CLAUSES[step.action.kind](step)
    done = clauses or [words.say("recap.keeps")]
    return words.say("recap.move", name=actor_name(steps[0].before), done=words.join(done))


def _recap_laying(lays: Sequence[ActionStep[Scene]], words: Words) -> list[str]:
    """B21, B23: the cards laid, and the seals that have changed hands by them all together."""
    before, after, turn = lays[0].before, lays[-1].after, lays[0].before.record.turn
    old, new = before.record, after.record
    won: dict[int, list[str]] = {}  # by whose they were
    tied = []
    for nth, company in enumerate(COMPANIES):
        seal, holder, now = words.say(f"seals.{company}"), int(old.seals[nth]), int(new.seals[nth])
        if now == turn != holder:
            won.setdefault(holder, []).append(seal)
        elif now != holder:
            tied.append(seal)
    clauses = [words.say("recap.lays", ships=ships(new.laid[turn] - old.laid[turn], words))]
    for holder, seals in sorted(won.items()):
        key, name = ("recap.takes", "") if holder < 0 else ("recap.wins", before.names[holder])
        clauses.append(words.say(key, seals=words.join(seals), name=name))
    return clauses + ([words.say("recap.ties", seals=words.join(tied))] if tied else [])


# What an action adds to its turn's sentence; cards laid are listed together.


def _recap_draw(step: ActionStep[Scene]) -> list[str]:
    words, number = step.after.words, cards_to_draw(step.before.record)
    seen = cards_drawn(step.before, step.after)
    if not number:
        return [words.say("recap.draws_none")]
    return [words.say("recap.draws_seen", cards=seen) if seen else words.say("recap.draws", n=number)]


def _recap_advance(step: ActionStep[Scene]) -> list[str]:
    words, (space, good, crated) = step.after.words, shop_reached(step)
    goes = words.say("recap.advances", shop=words.say(f"shops.{step.action.operand}"), n=space)
    return [goes, words.say("recap.stores", good=good) if crated else words.say("recap.no_crate")]


def _recap_trade(step: ActionStep[Scene]) -> list[str]:
    tiles, gold = tiles_traded(step)
    return [step.after.words.say("recap.trades_in", n=tiles, gold=gold)]


def _recap_arrival(step: ActionStep[Scene]) -> list[str]:
    return [step.after.words.say("recap.arrives")]


_CLAUSES: dict[str, Callable[[ActionStep[Scene]], list[str]]] = {
    "draw": _recap_draw,
    "advance": _recap_advance,
    "trade in": _recap_trade,
    "arrive": _recap_arrival,
}


def _highlights(last: ActionStep[Scene]) -> list[Highlight]:
    """B30, B35, B42, B43: the arrival tile, pirates, the end."""
    before, after, words = last.before, last.after, last.after.words
    found = []
    if is_last_round(after.record) and not is_last_round(before.record):
        found.append(Highlight("arrival", words.say("moments.arrival", name=actor_name(before))))
    if sunk_between(before.record, before.box, after.record):
        found.append(Highlight("pirates", words.say("moments.pirates", **sunk_fleets(before, after))))
    if after.record.phase == OVER:
        kind = "over" if is_last_round(after.record) else "stillness"
        found.append(Highlight(kind, words.say(f"moments.{kind}")))
    return found
