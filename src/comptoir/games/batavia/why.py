"""Which rule forbids an action, and the reason: the key of a text in words.toml, with its values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from comptoir.engine.why import Why
from comptoir.games.batavia.rules import (
    ADVANCE,
    ARRIVE,
    AUCTION,
    BID,
    COMPANIES,
    DRAW,
    KEEP,
    LAY,
    LAYING,
    MOVE,
    PASS,
    TRADE_IN,
    TRADING,
    has_majority_in_reach,
    is_last_round,
    may_lay,
    next_shop,
)

if TYPE_CHECKING:
    from comptoir.games.batavia.records import Box, Position


def why_not(p: Position, box: Box, action: int) -> Why:
    """For an action that is not legal in a position as the seat that decides knows it."""
    if p.phase == AUCTION:
        return _why_not_bid(p, action - BID) if action > BID else ("B11", "why.auction_first", {})
    if action == PASS or action > BID:
        return "B20", "why.no_auction", {}
    if p.phase == TRADING:
        return "B28", "why.trade_first", {}
    if action in (TRADE_IN, KEEP):
        return "B28", "why.no_new_tile", {}
    if action == DRAW:
        return "B20", "why.cards_laid", {}
    if p.phase == MOVE:
        key = why_no_play(p)
        if key:
            return _NO_PLAY[key], f"why.{key}", {}
    if LAY <= action < ADVANCE:
        return "B21", "why.no_such_card", {"company": COMPANIES[action - LAY]}
    return _why_not_go(p, action)


def _why_not_bid(p: Position, amount: int) -> Why:
    if amount <= p.bid:
        return "B12", "why.bid_higher", {"n": int(p.bid)}
    if p.bills[p.turn] == 0:
        return "B12", "why.no_bills", {}
    return "B12", "why.bid_bills", {"n": int(p.bills[p.turn])}


_NO_PLAY = {"empty_hand": "B21", "no_majority": "B22", "no_way_to_a_shop": "B42"}


def why_no_play(p: Position) -> str:
    """B21, B22, B42: the key of what keeps the seat that is to move from laying any card; empty if nothing
    does.
    """
    if may_lay(p, p.turn):
        return ""
    if p.hand_size[p.turn] == 0:
        return "empty_hand"
    return "no_way_to_a_shop" if has_majority_in_reach(p, p.turn) else "no_majority"


def _why_not_go(p: Position, action: int) -> Why:
    """The merchant goes on only after cards were laid, under a seal, to a shop; to the arrival tile if there
    is none.
    """
    seals = [company for company in range(len(COMPANIES)) if p.seals[company] == p.turn]
    if p.phase == MOVE:
        return "B21", "why.lay_first", {}
    assert p.phase == LAYING
    if action == ARRIVE:
        shops = [company for company in seals if next_shop(p, p.turn, company) > 0]
        if shops:
            return "B40", "why.shop_ahead", {"company": COMPANIES[shops[0]]}
        return ("B42", "why.arrival_taken", {}) if is_last_round(p) else ("B22", "why.majority_first", {})
    company = action - ADVANCE
    if not seals:
        return "B22", "why.majority_first", {}
    if company not in seals:
        return "B25", "why.no_seal", {"company": COMPANIES[company]}
    return "B25", "why.no_shop", {"company": COMPANIES[company]}
