"""How good a position of Batavia is, and what a player does there by habit.

Gold comes from shops: a tile is a crate in a trading post and a part of a set. Shops come from moves, and a move needs a
card to lay and a seal to go by. So cards are worth the shops they lead to, and bills the cards they buy.
"""

from __future__ import annotations

import math

import numpy as np

from comptoir.engine.dice import roll
from comptoir.engine.rule import Box, Dice, Mask, Points, Position, Values, rule
from comptoir.games.batavia.rules import (
    ADVANCE,
    ARRIVAL_SPACE,
    ARRIVE,
    AUCTION,
    BID,
    COMPANIES,
    DRAW,
    FIRST_CRATE,
    GOODS,
    KEEP,
    LAY,
    LAYING,
    MOVE,
    NO_CRATE,
    PASS,
    SPACES,
    TRADE_IN,
    TRADING,
    most_of_others,
    next_shop,
)
from comptoir.engine.mask import allows

# The judgement


@rule
def judge(p: Position, box: Box, values: Values, points: Points) -> float:
    rounds = rounds_left(p, values)
    for place in range(np.int64(p.players)):
        moves = rounds + has_move(p, place)
        shops = shops_to_come(p, values, place, moves)
        points[place] = p.gold[place] + values.shop * shops
        points[place] += sets_to_come(p, values, place, 0, shops)
        points[place] += bills_worth(values, p.bills[place], rounds)
        points[place] -= values.road * p.merchants[place] * min(1.0, rounds / 4.0)
    share_posts(p, box, values, rounds, points)
    share_seals(p, box, values, rounds, points)
    most_bills(p, box, rounds, points)
    if p.arrival >= 0:
        points[p.arrival] += box.gold_arrival
    if p.phase == AUCTION:
        settle_auction(p, values, rounds, points)
    elif p.phase == TRADING:
        points[p.turn] += worth_of_trading_in(p, box, values, rounds)
    else:
        points[p.turn] += best_shop(p, box, values, rounds)
    return float(values.spread_end + values.spread * rounds)


@rule
def rounds_left(p: Position, values: Values) -> float:
    """How many rounds may follow this one: the foremost merchant ends the game."""
    if p.arrival >= 0:
        return 0.0
    front = 0
    for place in range(np.int64(p.players)):
        front = max(front, np.int64(p.merchants[place]))
    return float((ARRIVAL_SPACE - front) / values.pace)


@rule
def has_move(p: Position, place: int) -> int:
    """1 if the seat's move in this round, or its part that takes a shop, is still to come."""
    if p.phase == AUCTION:
        return 1
    nth = place - np.int64(p.first)
    if nth < 0:
        nth += np.int64(p.players)
    return int(nth > p.moved or (nth == p.moved and p.phase != TRADING))


@rule
def shops_to_come(p: Position, values: Values, place: int, moves: float) -> float:
    """A move takes a shop or draws two cards, and a shop asks for a card or more."""
    return float(min(moves, (p.hand_size[place] + 2.0 * moves) / (2.0 + values.cost)))


@rule
def sets_to_come(p: Position, values: Values, place: int, traded: int, shops: float) -> float:
    """What tiles in hand will bring, if there is time to trade them in; `traded`: after one of each is gone."""
    kinds = 0
    tiles = 0
    for company in range(len(COMPANIES)):
        held = np.int64(p.held[place, company]) - traded
        if held > 0:
            kinds += 1
            tiles += held
    return float((values.set[kinds] + values.spare * (tiles - kinds)) * min(1.0, shops / values.unhurried))


@rule
def worth_of_trading_in(p: Position, box: Box, values: Values, rounds: float) -> float:
    """What the set just made brings beyond keeping it; nothing if it is better kept."""
    kinds = 0
    for company in range(len(COMPANIES)):
        kinds += np.int64(p.held[p.turn, company] > 0)
    shops = shops_to_come(p, values, p.turn, rounds)
    after = sets_to_come(p, values, p.turn, 1, shops) + box.gold_set[kinds]
    return float(max(0.0, after - sets_to_come(p, values, p.turn, 0, shops)))


@rule
def grip(p: Position, values: Values, rounds: float, good: int) -> float:
    """How many times likelier one crate more makes a seat to win a trading post: the fewer shops are left, the more."""
    rear = ARRIVAL_SPACE
    for place in range(np.int64(p.players)):
        rear = min(rear, np.int64(p.merchants[place]))
    free = 0
    for company in range(len(COMPANIES)):
        space = np.int64(p.tiles[company, good])
        free += int(space == 0 or rear < space <= SPACES)
    return float(values.grip + values.grip_late / (0.05 + min(rounds, free * values.grip_free)))


@rule
def crates(p: Position, place: int, good: int) -> int:
    number = 0
    for company in range(len(COMPANIES)):
        number += np.int64(p.tiles[company, good] == FIRST_CRATE + place)
    return number


@rule
def share_posts(p: Position, box: Box, values: Values, rounds: float, points: Points) -> None:
    """Each trading post's gold by the chance to have most crates there."""
    for good in range(len(GOODS)):
        base = grip(p, values, rounds, good)
        total = 0.0
        for place in range(np.int64(p.players)):
            total += base ** crates(p, place, good)
        for place in range(np.int64(p.players)):
            points[place] += box.gold_sole[good] * base ** crates(p, place, good) / total


@rule
def share_seals(p: Position, box: Box, values: Values, rounds: float, points: Points) -> None:
    """Cards of a company are worth most to who has, or nearly has, more than all others: seals are ways on, and gold at the end."""
    worth = values.majority * min(1.0, rounds / 3.0) + box.gold_seal / 2
    for company in range(len(COMPANIES)):
        for place in range(np.int64(p.players)):
            lead = own_cards(p, place, company) - rival_cards(p, place, company)
            points[place] += worth * lead / (1.0 + abs(lead))
        holder = p.seals[company]
        if holder >= 0:
            points[holder] += values.seal * min(1.0, rounds / 3.0)


@rule
def own_cards(p: Position, place: int, company: int) -> int:
    return np.int64(p.laid[place, company]) + np.int64(p.hand[place, company])


@rule
def rival_cards(p: Position, place: int, company: int) -> int:
    """The most that any other seat has, laid and in hand."""
    most = 0
    for other in range(np.int64(p.players)):
        if other != place:
            most = max(most, own_cards(p, other, company))
    return most


@rule
def bills_worth(values: Values, bills: float, rounds: float) -> float:
    """Bills buy cards while there are rounds left; the first ones are the dearest."""
    return float(values.bill * math.sqrt(bills) * min(1.0, rounds / 4.0))


@rule
def most_bills(p: Position, box: Box, rounds: float, points: Points) -> None:
    """Who has most bills keeps them likely enough only near the end."""
    most = 0
    holder = 0
    seats = 0
    for place in range(np.int64(p.players)):
        if p.bills[place] > most:
            most = np.int64(p.bills[place])
            holder = place
            seats = 0
        seats += np.int64(p.bills[place] == most)
    if seats == 1:
        points[holder] += box.gold_bills_sole / (1.0 + rounds)


@rule
def lot_worth(p: Position, values: Values, rounds: float, place: int) -> float:
    """What the lot on offer would add to a seat's prospects, the boat included."""
    cards = 0
    worth = values.boat
    for company in range(len(COMPANIES)):
        lot = np.int64(p.lot[company])
        if lot > 0:
            cards += lot
            lead = own_cards(p, place, company) - rival_cards(p, place, company)
            gain = (lead + lot) / (1.0 + abs(lead + lot)) - lead / (1.0 + abs(lead))
            worth += gain * (values.majority * min(1.0, rounds / 3.0) + 1.0)
    moves = rounds + 1.0
    size = p.hand_size[place]
    shops = min(moves, (size + cards + 2.0 * moves) / (2.0 + values.cost)) - min(moves, (size + 2.0 * moves) / (2.0 + values.cost))
    return float(worth + values.shop * shops + values.card * cards * min(1.0, rounds / 3.0))


@rule
def limit(p: Position, values: Values, rounds: float, place: int) -> float:
    """As many bills as the lot is worth to a seat."""
    bills = float(p.bills[place])
    rest = math.sqrt(bills) - lot_worth(p, values, rounds, place) / (0.01 + values.bill * min(1.0, rounds / 4.0))
    return float(bills - rest * rest) if rest > 0 else bills


@rule
def settle_auction(p: Position, values: Values, rounds: float, points: Points) -> None:
    """The lot goes to whom it is worth most, at what it is worth to the next."""
    winner = -1
    best = 0.0
    second = 0.0
    for place in range(np.int64(p.players)):
        if p.bidding[place]:
            most = limit(p, values, rounds, place)
            if place == p.bidder:
                most = max(most, float(p.bid) + 0.5)
            elif most < p.bid + 1:
                continue
            if most > best:
                second = best
                best = most
                winner = place
            elif most > second:
                second = most
    if winner < 0:
        return
    price = max(float(p.bid) + (winner != p.bidder), second)
    price = min(price, float(p.bills[winner]))
    each = price / (np.int64(p.players) - 1)
    for place in range(np.int64(p.players)):
        bills = float(p.bills[place])
        after = bills - price if place == winner else bills + each
        points[place] += bills_worth(values, after, rounds) - bills_worth(values, bills, rounds)
    points[winner] += lot_worth(p, values, rounds, winner)


@rule
def shop_worth(p: Position, box: Box, values: Values, rounds: float, company: int) -> float:
    """What the next shop of a company brings the seat that decides; below 0 if there is none."""
    place = p.turn
    space = next_shop(p, place, company)
    if space == 0:
        return -1.0
    good = 0
    for each in range(len(GOODS)):
        if p.tiles[company, each] == space:
            good = each
    base = grip(p, values, rounds, good)
    total = 0.0
    for other in range(np.int64(p.players)):
        total += base ** crates(p, other, good)
    own = base ** crates(p, place, good)
    worth = box.gold_sole[good] * (own * base / (total + own * (base - 1.0)) - own / total)
    if p.held[place, company] == 0:
        worth += values.new_kind
    return float(worth + values.spare - values.road * (space - p.merchants[place]))


@rule
def best_shop(p: Position, box: Box, values: Values, rounds: float) -> float:
    """The seat that decides is about to take a shop: the best one under its seals, or under those it can get."""
    place = p.turn
    best = 0.0
    if p.phase == MOVE and p.hand_size[place] == 0:
        return best
    for company in range(len(COMPANIES)):
        cards = 0
        if p.seals[company] != place:
            cards = np.int64(most_of_others(p, place, company)) + 1 - np.int64(p.laid[place, company])
            if cards > p.hand[place, company]:
                continue
        elif p.phase == MOVE:
            cards = 1
        best = max(best, shop_worth(p, box, values, rounds, company) - values.card * cards)
    return best


# Habit


@rule
def habit(p: Position, box: Box, values: Values, mask: Mask, dice: Dice) -> int:
    if p.phase == AUCTION:
        return bid_by_habit(p, values, dice)
    if p.phase == MOVE:
        return move_by_habit(p, values, dice)
    if p.phase == LAYING:
        return lay_by_habit(p, values, dice)
    return trade_by_habit(p, values)


@rule
def bid_by_habit(p: Position, values: Values, dice: Dice) -> int:
    """So many bills a card, give or take; a bid goes up to that at once."""
    cards = 0
    for company in range(len(COMPANIES)):
        cards += np.int64(p.lot[company])
    most = min(np.int64(p.bills[p.turn]), int(cards * values.eager * (roll(dice, 64) + 1) / 32.0))
    return BID + most if most > p.bid else PASS


@rule
def cards_to_seal(p: Position, place: int, company: int) -> int:
    """How many cards a seat must lay to hold a seal: 0 if it does; more than any hand has if it cannot."""
    if p.seals[company] == place:
        return 0
    cards = np.int64(most_of_others(p, place, company)) + 1 - np.int64(p.laid[place, company])
    return cards if cards <= p.hand[place, company] else 99


@rule
def move_by_habit(p: Position, values: Values, dice: Dice) -> int:
    """On, with as few cards as that takes; else two cards more."""
    place = p.turn
    fewest = 99
    chosen = -1
    for company in range(len(COMPANIES)):
        cards = cards_to_seal(p, place, company)
        if cards < fewest and (p.arrival < 0 or next_shop(p, place, company) > 0):
            fewest = cards
            chosen = company
    if p.hand_size[place] == 0 or chosen < 0 or fewest > values.dear + roll(dice, 3):
        return DRAW
    if fewest > 0:
        return LAY + chosen
    return lay_any(p, dice)


@rule
def lay_any(p: Position, dice: Dice) -> int:
    """A card that brings or strengthens a seal, rather than one that does not."""
    place = p.turn
    best = -1
    chosen = 0
    first = roll(dice, len(COMPANIES))
    for nth in range(len(COMPANIES)):
        company = (first + nth) % len(COMPANIES)
        if p.hand[place, company] > 0:
            cards = cards_to_seal(p, place, company)
            worth = 3 if cards == 1 else 2 if cards == 0 else 1
            if worth > best:
                best = worth
                chosen = company
    return LAY + chosen


@rule
def lay_by_habit(p: Position, values: Values, dice: Dice) -> int:
    """To the best shop in reach; without a seal, on with what was begun."""
    place = p.turn
    best = -1.0
    shop = -1
    sealed = 0
    fewest = 99
    chosen = 0
    for company in range(len(COMPANIES)):
        cards = cards_to_seal(p, place, company)
        if cards == 0:
            sealed += 1
            space = next_shop(p, place, company)
            if space > 0:
                worth = values.near * (SPACES - space) + roll(dice, 8) + 4.0 * (p.held[place, company] == 0) + 100.0
                if worth > best:
                    best = worth
                    shop = company
        elif cards < fewest:
            fewest = cards
            chosen = company
    if shop >= 0:
        return ADVANCE + shop
    if sealed > 0 and p.arrival < 0:
        return ARRIVE
    return LAY + chosen


@rule
def trade_by_habit(p: Position, values: Values) -> int:
    """A whole set, or what there is when the end is near."""
    kinds = 0
    for company in range(len(COMPANIES)):
        kinds += np.int64(p.held[p.turn, company] > 0)
    front = 0
    for place in range(np.int64(p.players)):
        front = max(front, np.int64(p.merchants[place]))
    return TRADE_IN if kinds * values.patient + front > SPACES else KEEP
