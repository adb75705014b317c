"""How good a position of Batavia is, and the rollout policy.

Gold comes from shops: a tile is a crate in a trading post and a part of a set. Shops come from moves, and a
move needs a card to lay and a seal to go by. So cards are worth the shops they lead to, and bills the cards
they buy.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from comptoir.engine.dice import roll
from comptoir.engine.mask import forbid
from comptoir.engine.rule import Dice, Mask, Points, rule, signed
from comptoir.games.batavia.rules import (
    ADVANCE,
    ARRIVAL_SPACE,
    ARRIVE,
    AUCTION,
    BID,
    COMPANIES,
    DRAW,
    FACE_DOWN,
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

if TYPE_CHECKING:
    from comptoir.games.batavia.records import Box, EvalWeights, Position

NO_SHOP = -1.0
MAX_RAISE = 2  # in bills: what people raise by, who want the lot for as little as it takes

# The evaluation


@rule
def evaluate(p: Position, box: Box, weights: EvalWeights, points: Points) -> float:
    rounds = rounds_left(p, weights)
    time = min(1.0, rounds / weights.unhurried)
    for seat in range(signed(p.players)):
        points[seat] = p.gold[seat] + sets_to_come(p, weights, seat, 0, time)
        points[seat] += bills_worth(weights, p.bills[seat], time)
        points[seat] += fleet_worth(p, box, weights, seat, time)
        points[seat] -= (weights.road + weights.road_late * (1.0 - time)) * p.merchants[seat]
        if has_move(p, seat) and seat != p.turn and is_shop_ahead(p, seat):
            points[seat] += weights.move
    share_posts(p, box, weights, rounds, points)
    most_bills(p, box, rounds, points)
    if p.arrival >= 0:
        points[p.arrival] += box.gold_arrival
    if p.phase == AUCTION:
        points[p.turn] += weights.move * is_shop_ahead(p, p.turn)
        settle_auction(p, box, weights, time, points)
    elif p.phase == TRADING:
        points[p.turn] += worth_of_trading_in(p, box, weights, time)
    else:
        points[p.turn] += best_shop(p, box, weights, rounds, time)
    return float(weights.spread_end + weights.spread * rounds)


@rule
def rounds_left(p: Position, weights: EvalWeights) -> float:
    """How many rounds may follow this one: the foremost merchant ends the game."""
    if p.arrival >= 0:
        return 0.0
    front = 0
    for seat in range(signed(p.players)):
        front = max(front, signed(p.merchants[seat]))
    return float((ARRIVAL_SPACE - front) / weights.pace)


@rule
def has_move(p: Position, seat: int) -> bool:
    """The seat's move in this round, or the part of it that takes a shop, is still to come."""
    if p.phase == AUCTION:
        return True
    nth = seat - signed(p.first)
    if nth < 0:
        nth += signed(p.players)
    return bool(nth > p.moved or (nth == p.moved and p.phase != TRADING))


@rule
def is_shop_ahead(p: Position, seat: int) -> bool:
    """B25: of any company, face up or still face down; a move without one brings no more than the arrival."""
    if p.face_up < SPACES:
        return True
    for company in range(len(COMPANIES)):
        if next_shop(p, seat, company) > 0:
            return True
    return False


@rule
def sets_to_come(p: Position, weights: EvalWeights, seat: int, traded: int, time: float) -> float:
    """What the tiles held will bring, if there is time to trade them in; `traded`: after one of each is
    gone.
    """
    kinds = 0
    tiles = 0
    for company in range(len(COMPANIES)):
        held = signed(p.held[seat, company]) - traded
        if held > 0:
            kinds += 1
            tiles += held
    return float((weights.set[kinds] + weights.spare * (tiles - kinds)) * time)


@rule
def worth_of_trading_in(p: Position, box: Box, weights: EvalWeights, time: float) -> float:
    """What the set just made brings beyond keeping it; nothing if it is better kept."""
    kinds = 0
    for company in range(len(COMPANIES)):
        kinds += int(p.held[p.turn, company] > 0)
    after = sets_to_come(p, weights, p.turn, 1, time) + box.gold_set[kinds]
    return float(max(0.0, after - sets_to_come(p, weights, p.turn, 0, time)))


@rule
def seal_security(p: Position, weights: EvalWeights, rounds: float, good: int) -> float:
    """How many times likelier one crate more makes a seat to win a trading post: the fewer shops are left,
    the more.
    """
    rear = ARRIVAL_SPACE
    for seat in range(signed(p.players)):
        rear = min(rear, signed(p.merchants[seat]))
    free = 0
    for company in range(len(COMPANIES)):
        space = signed(p.tiles[company, good])
        free += int(space == FACE_DOWN or rear < space <= SPACES)
    return float(weights.grip + weights.grip_late / (0.2 + min(rounds, free * weights.grip_free)))


@rule
def crates(p: Position, good: int) -> int:
    """How many crates each seat has in a trading post, 4 bits a seat."""
    number = 0
    for company in range(len(COMPANIES)):
        owner = signed(p.tiles[company, good]) - FIRST_CRATE
        if 0 <= owner < NO_CRATE - FIRST_CRATE:
            number += 1 << 4 * owner
    return number


@rule
def claims(p: Position, base: float, number: int) -> float:
    """All seats' claims to a trading post: a crate more makes a claim that many times as large."""
    total = 0.0
    for seat in range(signed(p.players)):
        total += base ** (number >> 4 * seat & 15)
    return total


@rule
def share_posts(p: Position, box: Box, weights: EvalWeights, rounds: float, points: Points) -> None:
    """Each trading post's gold by the chance to have most crates there."""
    for good in range(len(GOODS)):
        number = crates(p, good)
        if number > 0:
            base = seal_security(p, weights, rounds, good)
            gold = box.gold_sole[good] / claims(p, base, number)
            for seat in range(signed(p.players)):
                points[seat] += gold * base ** (number >> 4 * seat & 15)


@rule
def fleet_worth(p: Position, box: Box, weights: EvalWeights, seat: int, time: float) -> float:
    """What a seat's ship cards are worth.

    A company in which it can have most is a way on for now, and one in which it leads, hands and all, is gold
    at the end.
    """
    ways = 0
    worth = weights.card * p.hand_size[seat] * time
    for company in range(len(COMPANIES)):
        own = own_cards(p, seat, company)
        ways += int(own > most_of_others(p, seat, company))
        worth += lead_worth(box, weights, own - rival_cards(p, seat, company), time)
        worth += weights.seal * time * (p.seals[company] == seat)
    return float(worth + time * weights.ways[ways])


@rule
def lot_worth(p: Position, box: Box, weights: EvalWeights, seat: int, time: float) -> float:
    """What the lot on offer would add to a seat's fleet, and the boat."""
    ways = 0
    more_ways = 0
    worth = weights.boat
    for company in range(len(COMPANIES)):
        own = own_cards(p, seat, company)
        lot = signed(p.lot[company])
        laid = signed(most_of_others(p, seat, company))
        ways += int(own > laid)
        more_ways += int(own + lot > laid)
        if lot > 0:
            lead = own - rival_cards(p, seat, company)
            worth += (
                lead_worth(box, weights, lead + lot, time)
                - lead_worth(box, weights, lead, time)
                + weights.card * lot * time
            )
    return float(worth + time * (weights.ways[more_ways] - weights.ways[ways]))


@rule
def lead_worth(box: Box, weights: EvalWeights, lead: int, time: float) -> float:
    """Having so many cards more than any other of a company: the first ones of a lead matter most."""
    return float((box.gold_seal / 2 + weights.lead * time) * lead / (1.0 + abs(lead)))


@rule
def own_cards(p: Position, seat: int, company: int) -> int:
    return signed(p.laid[seat, company]) + signed(p.hand[seat, company])


@rule
def rival_cards(p: Position, seat: int, company: int) -> int:
    """The most that any other seat has of a company, laid and in hand."""
    most = 0
    for other in range(signed(p.players)):
        if other != seat:
            most = max(most, own_cards(p, other, company))
    return most


@rule
def bills_worth(weights: EvalWeights, bills: float, time: float) -> float:
    """Bills buy cards while there is time; the first ones are the dearest."""
    return float(weights.bill * math.sqrt(bills) * (0.1 + 0.9 * time))


@rule
def most_bills(p: Position, box: Box, rounds: float, points: Points) -> None:
    """Who has most bills keeps them likely enough only near the end."""
    most = 0
    holder = 0
    seats = 0
    for seat in range(signed(p.players)):
        if p.bills[seat] > most:
            most = signed(p.bills[seat])
            holder = seat
            seats = 0
        seats += int(p.bills[seat] == most)
    if seats == 1:
        points[holder] += box.gold_bills_sole / (1.0 + rounds)


@rule
def limit(weights: EvalWeights, bills: float, worth: float, time: float) -> float:
    """As many of a seat's bills as a lot of that worth should cost at most."""
    rest = math.sqrt(bills) - worth / (weights.bill * (0.1 + 0.9 * time))
    return float(bills - rest * rest) if rest > 0 else bills


@rule
def settle_auction(p: Position, box: Box, weights: EvalWeights, time: float, points: Points) -> None:
    """The lot goes to whom it is worth most bills, for about what the next would have bid."""
    winner = -1
    prize = 0.0
    best = 0.0
    second = 0.0
    for seat in range(signed(p.players)):
        if p.bidding[seat]:
            worth = lot_worth(p, box, weights, seat, time)
            most = limit(weights, p.bills[seat], worth, time)
            if seat == p.bidder:
                most = max(most, float(p.bid))
            elif most < p.bid + 1:
                continue
            second = max(second, min(best, most))
            if winner < 0 or most > best:
                best = most
                winner = seat
                prize = worth
    if winner >= 0:
        price = max(float(p.bid) + (winner != p.bidder), second)
        points[winner] += prize
        pay(p, weights, winner, min(price, float(p.bills[winner])), time, points)


@rule
def pay(p: Position, weights: EvalWeights, winner: int, price: float, time: float, points: Points) -> None:
    """B14: what one seat pays, the others get."""
    each = price / (signed(p.players) - 1)
    for seat in range(signed(p.players)):
        bills = float(p.bills[seat])
        after = bills - price if seat == winner else bills + each
        points[seat] += bills_worth(weights, after, time) - bills_worth(weights, bills, time)


@rule
def shop_worth(
    p: Position, box: Box, weights: EvalWeights, rounds: float, time: float, company: int
) -> float:
    """What the next shop of a company brings the seat that decides; NO_SHOP if there is none."""
    seat = p.turn
    space = next_shop(p, seat, company)
    if space == 0:
        return NO_SHOP
    good = good_on(p, company, space)
    base = seal_security(p, weights, rounds, good)
    number = crates(p, good)
    total = claims(p, base, number)
    own = base ** (number >> 4 * signed(seat) & 15)
    worth = box.gold_sole[good] * (own * base / (total + own * (base - 1.0)) - own / total)
    if p.held[seat, company] == 0:
        worth += weights.new_kind
    return float(worth - (weights.road + weights.road_late * (1.0 - time)) * (space - p.merchants[seat]))


@rule
def good_on(p: Position, company: int, space: int) -> int:
    """The good of the company's shop on a space."""
    good = 0
    while p.tiles[company, good] != space:
        good += 1
    return good


@rule
def best_shop(p: Position, box: Box, weights: EvalWeights, rounds: float, time: float) -> float:
    """The seat that decides is about to take a shop: the best one under its seals, or under those it can get;
    without any, the arrival.
    """
    seat = p.turn
    best = 0.0
    if p.phase == MOVE and p.hand_size[seat] == 0:
        return best
    beyond = p.arrival < 0 and not is_shop_ahead(p, seat)
    for company in range(len(COMPANIES)):
        cards = cards_to_seal(p, seat, company)
        if cards < NEVER:
            if p.phase == MOVE and cards == 0:
                cards = 1
            worth = shop_worth(p, box, weights, rounds, time, company)
            if worth == NO_SHOP and beyond:
                worth = float(box.gold_arrival)
            best = max(best, worth - weights.card * cards * time)
    return best


@rule
def prune_uncommon(p: Position, box: Box, mask: Mask) -> None:
    """B12: jump bids. Whoever opens with all bills leaves nobody else a decision."""
    if p.phase == AUCTION:
        for amount in range(p.bid + MAX_RAISE + 1, p.bills[p.turn] + 1):
            forbid(mask, BID + amount)


# The rollout policy


@rule
def rollout_action(p: Position, box: Box, weights: EvalWeights, mask: Mask, dice: Dice) -> int:
    if p.phase == AUCTION:
        return rollout_bid(p, weights, dice)
    if p.phase == TRADING:
        return rollout_trade(p, weights)
    return rollout_move(p, weights, dice)


@rule
def rollout_bid(p: Position, weights: EvalWeights, dice: Dice) -> int:
    """So many bills a card, give or take; a bid goes up to that at once."""
    cards = 0
    for company in range(len(COMPANIES)):
        cards += signed(p.lot[company])
    most = min(signed(p.bills[p.turn]), int(cards * weights.eager * (roll(dice, 64) + 1) / 32.0))
    return BID + most if most > p.bid else PASS


NEVER = 99
BEYOND = -100.0  # how much the arrival tile is liked: less than any shop
ALIKE = 1e-9  # what differs by less is liked as much: a GPU rounds these sums in its own way


@rule
def cards_to_seal(p: Position, seat: int, company: int) -> int:
    """How many cards a seat must lay to hold a seal: 0 if it does; NEVER if its hand has too few."""
    if p.seals[company] == seat:
        return 0
    cards = signed(most_of_others(p, seat, company)) + 1 - signed(p.laid[seat, company])
    return cards if cards <= p.hand[seat, company] else NEVER


@rule
def rollout_move(p: Position, weights: EvalWeights, dice: Dice) -> int:
    """To the shop one likes best, cards it costs and all; without any, to the arrival tile.

    Else two cards more.
    """
    seat = p.turn
    whims = roll(dice, 1 << 15)
    best = -1000.0
    chosen = -1
    fewest = NEVER
    for company in range(len(COMPANIES)):
        cards = cards_to_seal(p, seat, company)
        if cards < NEVER:
            space = next_shop(p, seat, company)
            if space > 0 or p.arrival < 0:
                liking = weights.whim * (whims >> 3 * company & 7) - weights.dear * cards
                liking += shop_score(p, weights, seat, company, space) if space > 0 else BEYOND
                if liking > best + ALIKE:
                    best = liking
                    chosen = company
                    fewest = cards
    if p.phase == LAYING:
        if fewest > 0:
            return LAY + chosen
        return ADVANCE + chosen if best > BEYOND / 2 else ARRIVE
    if p.hand_size[seat] == 0 or chosen < 0:
        return DRAW
    return LAY + chosen if fewest > 0 else lay_any(p, seat, whims)


@rule
def shop_score(p: Position, weights: EvalWeights, seat: int, company: int, space: int) -> float:
    """Near shops are liked, companies not yet held, dear goods, and posts where one has crates and others
    have few.
    """
    good = good_on(p, company, space)
    own = 0
    others = 0
    for square in range(len(COMPANIES)):
        owner = signed(p.tiles[square, good]) - FIRST_CRATE
        own += int(owner == seat)
        others += int(owner >= 0 and owner != seat)
    liking = weights.dear_good * good + weights.own[own] - weights.others * others
    return float(
        liking
        + weights.fresh * (p.held[seat, company] == 0)
        - weights.near * (space - signed(p.merchants[seat]))
    )


@rule
def lay_any(p: Position, seat: int, whims: int) -> int:
    """A card that brings or strengthens a seal, rather than one that does not."""
    best = 0
    chosen = 0
    for nth in range(len(COMPANIES)):
        company = (whims + nth) % len(COMPANIES)
        if p.hand[seat, company] > 0:
            cards = cards_to_seal(p, seat, company)
            worth = 3 if cards == 1 else 2 if cards == 0 else 1
            if worth > best:
                best = worth
                chosen = company
    return LAY + chosen


@rule
def rollout_trade(p: Position, weights: EvalWeights) -> int:
    """A whole set, or what there is when the end is near."""
    kinds = 0
    for company in range(len(COMPANIES)):
        kinds += int(p.held[p.turn, company] > 0)
    front = 0
    for seat in range(signed(p.players)):
        front = max(front, signed(p.merchants[seat]))
    return TRADE_IN if kinds * weights.patient + front > SPACES else KEEP
