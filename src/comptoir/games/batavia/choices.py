"""Choices of a seat in plain words: what each does, and its effect."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from comptoir.art.shapes import truncated
from comptoir.engine.actions import Action
from comptoir.engine.choice import Choice
from comptoir.games.batavia.rules import (
    COMPANIES,
    GOODS,
    bidders_left,
    cannon,
    cards_to_draw,
    crates_at,
    good_on,
    is_last_round,
    next_shop,
    seal_after,
    set_size,
)

if TYPE_CHECKING:
    from comptoir.games.batavia.records import Scene


def choice(scene: Scene, action: Action) -> Choice:
    """A choice in plain words, with what comes of it."""
    return _CHOICES[action.kind](scene, action)


def _bid_choice(scene: Scene, action: Action) -> Choice:
    amount = action.operand
    return Choice(scene.words.say("choices.bid", n=amount), effect(scene, action), "bid", amount=amount)


def _pass_choice(scene: Scene, action: Action) -> Choice:
    return Choice(scene.words.say("choices.pass"), effect(scene, action), "pass", final=True)


def _draw_choice(scene: Scene, action: Action) -> Choice:
    words, number = scene.words, cards_to_draw(scene.record)
    label = words.say("choices.draw" if number else "choices.draw_none", n=number)
    return Choice(label, words.say("does.end"), "draw", final=True)


def _lay_choice(scene: Scene, action: Action) -> Choice:
    ship = scene.words.say(f"ships.{action.operand}", n=1)
    return Choice(scene.words.say("choices.lay", ship=ship), effect(scene, action), "lay")


def _advance_choice(scene: Scene, action: Action) -> Choice:
    words, (space, crate) = scene.words, _shop_ahead(scene, action)
    brings = words.say("does.of_company", company=words.name(action.operand), crate=crate)
    return Choice(words.say("choices.advance", n=space), brings, "advance")


def _trade_choice(scene: Scene, action: Action) -> Choice:
    label = scene.words.say("choices.trade in", n=int(set_size(scene.record, scene.record.turn)))
    return Choice(label, scene.words.say("score.points", n=_set_gold(scene)), "tiles")


def _keep_choice(scene: Scene, action: Action) -> Choice:
    return Choice(
        scene.words.say("choices.keep"), effect(scene, action), "tiles", final=_keeps_for_good(scene)
    )


def _arrival_choice(scene: Scene, action: Action) -> Choice:
    return Choice(scene.words.say("choices.arrive"), effect(scene, action), "advance")


_CHOICES: dict[str, Callable[[Scene, Action], Choice]] = {
    "bid": _bid_choice,
    "pass": _pass_choice,
    "draw": _draw_choice,
    "lay": _lay_choice,
    "advance": _advance_choice,
    "trade in": _trade_choice,
    "keep": _keep_choice,
    "arrive": _arrival_choice,
}


def effect(scene: Scene, action: Action) -> str:
    """What a choice would do, in a few words."""
    return _EFFECTS[action.kind](scene, action)


def _bid_effect(scene: Scene, action: Action) -> str:
    p, words = scene.record, scene.words
    left = int(p.bills[p.turn]) - int(action.operand)
    if bidders_left(p) == 1:
        return words.say("does.bid_wins", n=left)
    return words.say("does.bid" if left else "does.bid_all", n=left)


def _pass_effect(scene: Scene, action: Action) -> str:
    """B13, B16: the last but one to pass leaves the lot to the best bidder, the last one to nobody."""
    p, words, left = scene.record, scene.words, bidders_left(scene.record)
    if left == 2 and p.bidder >= 0:
        return words.say("does.pass_sells", name=truncated(scene.names[p.bidder], 12), n=int(p.bid))
    return words.say("does.pass_unsold" if left == 1 else "does.pass")


def _draw_effect(scene: Scene, action: Action) -> str:
    number = cards_to_draw(scene.record)
    return scene.words.say("does.draw" if number else "does.draw_none", n=number)


def _advance_effect(scene: Scene, action: Action) -> str:
    space, crate = _shop_ahead(scene, action)
    return scene.words.say("does.advance", n=space, crate=crate)


def _shop_ahead(scene: Scene, action: Action) -> tuple[int, str]:
    """B25, B26: the space that an advance leads to, and what the shop there brings."""
    space = int(next_shop(scene.record, scene.record.turn, action.offset))
    return space, _crate(scene, action.offset, space)


def _crate(scene: Scene, company: int, space: int) -> str:
    """B26: what a shop brings."""
    p, good = scene.record, good_on(scene.record, company, space)
    there = int(crates_at(p, p.turn, good))
    key = "no_crate" if p.crates[p.turn] == 0 else "crate" if there else "first_crate"
    return scene.words.say(f"does.{key}", good=GOODS[good], n=there)


def _trade_effect(scene: Scene, action: Action) -> str:
    tiles = int(set_size(scene.record, scene.record.turn))
    return scene.words.say("does.trade in", n=tiles, gold=_set_gold(scene))


def _keep_effect(scene: Scene, action: Action) -> str:
    if _keeps_for_good(scene):
        return scene.words.say("does.keep_last" if is_last_round(scene.record) else "does.keep_full")
    return scene.words.say("does.keep", gold=_set_gold(scene, 1))


def _arrival_effect(scene: Scene, action: Action) -> str:
    return scene.words.say("does.arrive", gold=int(scene.box.gold_arrival))


def _set_gold(scene: Scene, more: int = 0) -> int:
    """B28: what the tiles of the seat that decides bring; or would, with some of other companies."""
    return int(scene.box.gold_set[set_size(scene.record, scene.record.turn) + more])


def _keeps_for_good(scene: Scene) -> bool:
    """B28, B43: tiles are worth nothing at the end, and whoever has all companies gets no new one."""
    p = scene.record
    return bool(is_last_round(p) or set_size(p, p.turn) == len(COMPANIES))


def _lay_effect(scene: Scene, action: Action) -> str:
    """B23, B25, B30: what laying one ship does to the seal, where that leads, and whether pirates come."""
    p, words, turn, company = scene.record, scene.words, scene.record.turn, action.offset
    holder, then = p.seals[company], seal_after(p, turn, company, 1)
    if then == turn:
        does = words.say("does.lay" if holder == turn else "does.lay_seal")
        space = int(next_shop(p, turn, company))
        if space:
            good = GOODS[good_on(p, company, space)]
            does = words.say("does.lay_shop", seal=does, n=space, good=good)
    elif then != holder:
        does = words.say("does.lay_tie", name=truncated(scene.names[holder], 12))
    else:
        does = _needed(scene, company)
    called = cannon(p) + 1 >= scene.box.pirates_at[p.players]
    return words.say("does.pirates", does=does) if called else does


def _needed(scene: Scene, company: int) -> str:
    """B23: how many ships it takes to win a seal."""
    p, turn = scene.record, scene.record.turn
    hand = int(p.hand[turn, company])
    needed = next((n for n in range(2, hand + 1) if seal_after(p, turn, company, n) == turn), 0)
    return scene.words.say("does.lay_short" if needed else "does.lay_far", n=needed, hand=hand)


_EFFECTS: dict[str, Callable[[Scene, Action], str]] = {
    "bid": _bid_effect,
    "pass": _pass_effect,
    "draw": _draw_effect,
    "lay": _lay_effect,
    "advance": _advance_effect,
    "trade in": _trade_effect,
    "keep": _keep_effect,
    "arrive": _arrival_effect,
}
