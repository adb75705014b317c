"""Which rule forbids an action, and the reason: the key of a text in words.toml, with its values."""

from __future__ import annotations

from typing import Any

from comptoir.engine.rule import Box, Position
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
    next_shop,
)

Why = tuple[str, str, dict[str, Any]]


def why_not(p: Position, box: Box, action: int) -> Why:
    """For an action that is not legal in a position as the seat that decides knows it."""
    if p.phase == AUCTION:
        return _why_not_bid(p, action - BID) if action > BID else ("B11", "why.auction_first", {})
    if action == PASS or action > BID:
        return "B13", "why.no_auction", {}
    if p.phase == TRADING:
        return "B28", "why.trade_first", {}
    if action in (TRADE_IN, KEEP):
        return "B28", "why.no_new_tile", {}
    if action == DRAW:
        return "B20", "why.cards_laid", {}
    if LAY <= action < ADVANCE:
        return _why_not_lay(p, action - LAY)
    return _why_not_go(p, action)


def _why_not_bid(p: Position, amount: int) -> Why:
    if amount <= p.bid:
        return "B12", "why.bid_higher", {"n": int(p.bid)}
    return "B12", "why.bid_bills", {"n": int(p.bills[p.turn])}


def _why_not_lay(p: Position, company: int) -> Why:
    if p.hand_size[p.turn] == 0 and p.phase == MOVE:
        return "B21", "why.empty_hand", {}
    if p.hand[p.turn, company] == 0:
        return "B21", "why.no_such_card", {"company": COMPANIES[company]}
    if p.arrival >= 0:
        return "B42", "why.no_shop_any_more", {}
    return "B22", "why.no_majority", {}


def _why_not_go(p: Position, action: int) -> Why:
    """The merchant goes on only after cards were laid, under a seal, to a shop; to the arrival tile if there is none."""
    seals = [company for company in range(len(COMPANIES)) if p.seals[company] == p.turn]
    if p.phase == MOVE:
        return "B21", "why.lay_first", {}
    assert p.phase == LAYING
    if action == ARRIVE:
        shops = [company for company in seals if next_shop(p, p.turn, company) > 0]
        if shops:
            return "B40", "why.shop_ahead", {"company": COMPANIES[shops[0]]}
        return ("B42", "why.arrival_taken", {}) if p.arrival >= 0 else ("B22", "why.majority_first", {})
    company = action - ADVANCE
    if not seals:
        return "B22", "why.majority_first", {}
    if company not in seals:
        return "B25", "why.no_seal", {"company": COMPANIES[company]}
    return "B25", "why.no_shop", {"company": COMPANIES[company]}
