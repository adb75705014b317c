"""The game's narration: the opening, the log of each action, and the prompt.

Everything comes from a seat's scenes; what a rule says is asked of the rules.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from comptoir.engine.actions import Action
from comptoir.engine.recap import ActionStep
from comptoir.engine.seats import next_seat
from comptoir.games.batavia.choices import choice, effect
from comptoir.games.batavia.naming import (
    actor_name,
    cards,
    cards_drawn,
    shop_reached,
    sunk_fleets,
    tiles_traded,
)
from comptoir.games.batavia.recap import recap
from comptoir.games.batavia.rules import (
    AUCTION,
    COMPANIES,
    ENDINGS,
    LAYING,
    MOVE,
    OVER,
    PHASES,
    cards_to_draw,
    ends_turn,
    is_last_round,
    is_new_pile,
    sunk_between,
)
from comptoir.games.batavia.why import why_no_play

if TYPE_CHECKING:
    from comptoir.games.batavia.records import Position, Scene

__all__ = ["choice", "choices_are_public", "die_shown", "effect", "log_lines", "opening", "prompt", "recap"]

# The log


def opening(scene: Scene) -> list[str]:
    """B3, B8, B10, B11: the shops that lie open, who auctions first and what, and who opens the bidding."""
    p, words, names = scene.record, scene.words, scene.names
    return [
        words.say("log.shops", n=int(p.face_up)),
        words.say("log.first", name=names[p.first]),
        _round(scene, [int(n) for n in p.lot]),
        words.say("log.opens", name=names[next_seat(p, int(p.first))]),
    ]


def log_lines(before: Scene, action: Action, after: Scene) -> list[str]:
    """The lines of the log for one action."""
    lines = _LOG.get(action.kind, _log_by_name)(ActionStep(before, action, after))
    if ends_turn(before.record, after.record):
        lines += (
            _after_auction(before, after) if before.record.phase == AUCTION else _after_move(before, after)
        )
    return lines


def _log_by_name(step: ActionStep[Scene]) -> list[str]:
    """What needs no more than the name of whoever did it."""
    return [step.after.words.say(f"log.{step.action.kind}", name=actor_name(step.before))]


def _log_bid(step: ActionStep[Scene]) -> list[str]:
    return [step.after.words.say("log.bid", name=actor_name(step.before), n=step.action.operand)]


def _after_auction(before: Scene, after: Scene) -> list[str]:
    """B14, B16, B19: who has bought the lot, or that nobody has."""
    p, words = after.record, after.words
    lot, alone = cards(before.record.lot, words), "" if before.record.lot.any() else "_boat"
    key = f"log.won{alone}" if p.bidder >= 0 else f"log.all_pass{alone}"
    return [words.say(key, name=after.names[p.first], lot=lot, n=int(p.bid))]


def _log_draw(step: ActionStep[Scene]) -> list[str]:
    """B17, B20: only who draws is told which cards; at the end they lie on the table at once, with all
    others.
    """
    words, name, number = step.after.words, actor_name(step.before), cards_to_draw(step.before.record)
    if not number:
        return [words.say("log.draw_none", name=name)]
    seen = cards_drawn(step.before, step.after)
    if seen:
        return [words.say("log.draw_seen", name=name, cards=seen)]
    return [words.say("log.draw", name=name, n=number)]


def _log_lay(step: ActionStep[Scene]) -> list[str]:
    """B21, B23: a card, and what becomes of the seal."""
    words, company, nth = step.after.words, step.action.operand, step.action.offset
    holder, now = int(step.before.record.seals[nth]), int(step.after.record.seals[nth])
    key = "log.lay"
    if now != holder:
        key = "log.lay_tie" if now < 0 else "log.lay_seal" if holder < 0 else "log.lay_seal_from"
    laid, seal = words.say(f"ships.{company}", n=1), words.say(f"seals.{company}")
    name, other = actor_name(step.before), step.after.names[holder]
    return [words.say(key, name=name, ships=laid, seal=seal, other=other)]


def _log_advance(step: ActionStep[Scene]) -> list[str]:
    """B26, B27: the shop, the crate, and the shops that are turned up."""
    words, old, new = step.after.words, step.before.record, step.after.record
    space, good, crated = shop_reached(step)
    shop = words.say(f"shops.{step.action.operand}")
    key = "log.advance" if crated else "log.advance_no_crate"
    lines = [words.say(key, name=actor_name(step.before), shop=shop, n=space, good=good)]
    if new.face_up > old.face_up:
        lines.append(words.say("log.turned_up", first=int(old.face_up) + 1, last=int(new.face_up)))
    return lines


def _log_trade(step: ActionStep[Scene]) -> list[str]:
    tiles, gold = tiles_traded(step)
    return [step.after.words.say("log.trade_in", name=actor_name(step.before), n=tiles, gold=gold)]


_LOG: dict[str, Callable[[ActionStep[Scene]], list[str]]] = {
    "bid": _log_bid,
    "draw": _log_draw,
    "lay": _log_lay,
    "advance": _log_advance,
    "trade in": _log_trade,
}


def _after_move(before: Scene, after: Scene) -> list[str]:
    """Pirates, a new pile, a new round, the end."""
    old, new, words = before.record, after.record, after.words
    lines = (
        [words.say("log.pirates", **sunk_fleets(before, after))] if sunk_between(old, before.box, new) else []
    )
    if is_new_pile(old, before.box, new):
        lines.append(words.say("log.shuffled"))
    if new.phase == OVER:
        return [*lines, words.say(f"log.over_{ENDINGS[new.ending]}"), *_last_seals(before, after)]
    if new.round_number > old.round_number:
        lines.append(_round(after, [int(n) - int(left) for n, left in zip(new.lot, old.lot, strict=True)]))
    return lines


def _round(scene: Scene, turned_up: list[int]) -> str:
    """B10, B18, B19: what the auctioneer turns up, and with it the lot."""
    p, words = scene.record, scene.words
    if not any(turned_up):
        key = "log.round_left" if p.lot.any() else "log.round_boat"
    else:
        key = "log.round" if turned_up == p.lot.tolist() else "log.round_more"
    name, lot = scene.names[p.first], cards(p.lot, words)
    return words.say(key, n=int(p.round_number), name=name, cards=cards(turned_up, words), lot=lot)


def die_shown(before: Scene | None, after: Scene) -> int:
    """B10: the face of the auctioneer's die, which all have seen; 0 where none was rolled.

    As many cards are turned up as it shows: if the pile and the discards gave out, nobody can tell from the
    table any more how many it would have been.
    """
    new = after.record
    old = before.record if before else None
    if new.phase != AUCTION or (old is not None and old.round_number == new.round_number):
        return 0
    left = int(old.lot.sum()) if old is not None else 0
    return int(new.lot.sum()) - left if new.pile_size or new.discards.any() else 0


def _last_seals(before: Scene, after: Scene) -> list[str]:
    """B43: the seals that change hands when everyone lays the cards in hand."""
    words, lines = after.words, []
    for nth, company in enumerate(COMPANIES):
        holder, now = int(before.record.seals[nth]), int(after.record.seals[nth])
        if now != holder:
            key = "log.last_seal" if now >= 0 else "log.no_last_seal"
            lines.append(words.say(key, seal=words.say(f"seals.{company}"), name=after.names[now]))
    return lines


# What to decide, and what a choice would do


def choices_are_public(p: Position) -> bool:
    """B17: what a seat may bid is known to those whom its bills are shown."""
    return bool(p["phase"] != AUCTION or p["open_bills"])


def prompt(scene: Scene) -> str:
    """What to decide, in a sentence."""
    p, words = scene.record, scene.words
    key = PHASES[p.phase]
    if p.phase == AUCTION:
        key = "only_pass" if scene.actions == ["pass"] else "auction" if p.lot.any() else "auction_boat"
    elif p.phase == MOVE:
        key = why_no_play(p) or ("move" if cards_to_draw(p) else "move_none")
    elif p.phase == LAYING:
        key = _laying(scene)
    return words.say(f"prompt.{key}", name=actor_name(scene), n=cards_to_draw(p))


def _laying(scene: Scene) -> str:
    """B22, B25, B40, B42: what may come after the cards laid so far."""
    match sorted({action.kind for action in scene.choices}):
        case ["lay"]:
            return "laying_to_shop" if is_last_round(scene.record) else "laying_more"
        case ["advance"]:
            return "advance" if len(scene.actions) == 1 else "advance_which"
        case ["arrive"]:
            return "arrive"
        case ["arrive", "lay"]:
            return "laying_or_arrive"
    return "laying"
