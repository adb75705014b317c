"""The rules of Sail to India, each function naming the rules it carries out.

The texts are in rules.en.md and rules.fr.md.

A town is known by its place in the row, counted from 0 here and from 1 in all texts; which of the twelve
cards lies there is drawn when the town is turned up. Bankers and historians are not counted: wealth and VP
say how many there are. Spaces on land are bits of a set: first space a of every town, then b, c and d; a and
b are goods, c and d buildings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from comptoir.engine.actions import Actions
from comptoir.engine.dice import roll
from comptoir.engine.invariants import VALID, Invariants
from comptoir.engine.mask import allow, allow_if, allow_set, popcount, select_bit
from comptoir.engine.option import ChoiceOption, FirstSeatOption, Option
from comptoir.engine.rule import Dice, Mask, Scores, rule
from comptoir.engine.schema import (
    Schema,
    Seats,
    counter,
    enum_of,
    flag,
    number,
    optional_enum_of,
    seat_field,
    set_of,
)
from comptoir.engine.seats import draw_first, next_seat
from comptoir.engine.stalling import stall_progress_by_round

if TYPE_CHECKING:
    from comptoir.games.sail_to_india.records import Box, Position

VERSION = 2  # raised by any change that alters recorded matches
PLAYERS = (3, 4)  # S1
DEFAULT_PLAYERS = 4
PERFECT_INFORMATION = True  # S73: face-down towns are nowhere until they are turned up

GOODS = ("gold", "gems", "coffee", "sugar", "cloth", "spice")
BUILDINGS = ("stronghold", "church", *(f"market {good}" for good in GOODS))
STRONGHOLD, CHURCH, MARKET = 0, 1, 2  # MARKET + good
TECHNOLOGIES = (
    "metallurgy",
    "geography",
    "printing press",
    "port maintenance",
    "architecture",
    "cartography",
    "banking",
    "manufacture",
    "renaissance",
    "evangelisation",
    "guild",
    "east india company",
)
METALLURGY, GEOGRAPHY, PRINTING_PRESS, PORT_MAINTENANCE, ARCHITECTURE, CARTOGRAPHY = range(6)
BANKING, MANUFACTURE, RENAISSANCE, EVANGELISATION, GUILD, EAST_INDIA_COMPANY = range(6, 12)
CARDS = tuple("ABCDEFGHIJKL")
TOWNS = len(CARDS)
NEAREST = 3  # towns face up at the start
SHORTER = 3  # towns fewer with three players
SEATS = Seats(4)
MARKERS = 9
KEEPS = 5  # wealth of a banker, VP of a historian
FASTEST = 3
LAST_ROUND = 200
LONG = 50  # rounds that no real game takes

SPACES = tuple(f"{town}{letter}" for letter in "abcd" for town in range(1, TOWNS + 1))
ROW = (1 << TOWNS) - 1  # one bit a town
PAIR = (1 << 2 * TOWNS) - 1  # both goods spaces, or both building spaces, of every town

SETUPS = ("shuffled", "first game")
FIRST_GAME = 1
PHASES = ("turn", "sailing", "landfall", "charting", "converting", "selling", "over")
TURN, SAILING, LANDFALL, CHARTING, CONVERTING, SELLING, OVER = range(7)
USES = ("ready", "in use", "used")
READY, IN_USE, USED = range(3)
ENDINGS = ("not over", "india", "empty reserves", "round 200")
INDIA, EMPTY_RESERVES, ROUND_200 = 1, 2, 3
# In a turn, at most 18 markers sail (each once in a move action), 20 are appointed (for ten gains of up to
# 10), and 47 return or are sold: the 9 there are, and those that left Lisbon since. Geography refloats 9,
# once, and 36 ships convert: these, and the 27 that were or came there. With ten gains declined and ten
# decisions of other kinds, that makes 150; and before each of them one may say that a marker returns.
MAX_DECISIONS = (LAST_ROUND + 1) * 4 * 2 * 150
# Every marker is a historian or a building, and no component file can make one worth more than 9 + 9.
MAX_POINTS = MARKERS * 18 + 9
# S71
SOURCES = (
    "history",
    "strongholds",
    "churches",
    "markets",
    "renaissance",
    "evangelisation",
    "guild",
    "east india company",
)
FROM_HISTORY, FROM_STRONGHOLDS, FROM_CHURCHES, FROM_MARKETS = range(4)
FROM_RENAISSANCE, FROM_EVANGELISATION, FROM_GUILD, FROM_COMPANY = range(4, 8)
TIE_BREAKS = ("india", "wealth", "history")  # S72

OPTIONS: tuple[Option, ...] = (
    ChoiceOption("setup", SETUPS),
    FirstSeatOption("first"),
)

POSITION: Schema[Position] = Schema(
    # options
    players=number(high=4),
    setup=enum_of(SETUPS),
    # whose decision, and of what kind
    turn=seat_field(),
    phase=enum_of(PHASES),
    recalling=flag(),  # the markers that may return to Lisbon are offered too
    ending=enum_of(ENDINGS),
    first=seat_field(),
    round_number=counter(number(high=LAST_ROUND + 1)),  # last turns that are due are played
    closing=enum_of(ENDINGS),  # what has triggered the end
    closer=seat_field(),  # and who
    india=seat_field(),  # who has discovered the last town
    # the row of towns
    face_up=number(high=TOWNS),
    row=optional_enum_of(CARDS, TOWNS),
    boxed=optional_enum_of(CARDS, SHORTER),
    # markers: those in no other place are bankers and historians
    reserve=number(SEATS, high=MARKERS),
    lisbon=number(SEATS, high=MARKERS),
    ships=number(SEATS, TOWNS, high=MARKERS),
    land=set_of(SPACES, SEATS),  # goods and buildings
    wealth=number(SEATS, high=MARKERS * KEEPS),
    vp=number(SEATS, high=MARKERS * KEEPS),
    # discs
    speed=number(SEATS, high=FASTEST),
    scientists=number(SEATS),
    technologies=seat_field(TECHNOLOGIES),
    # the turn
    points=number(high=2),  # action points left
    discovered=flag(),
    voyage=flag(),  # a ship has sailed
    geography=enum_of(USES),
    printed=flag(),  # the printing press has paid
    built=flag(),  # architecture has built
    banked=flag(),
    # the action
    sailed=number(TOWNS, high=MARKERS),  # of the ships in each town, those that have sailed in this action
    home=number(high=MARKERS),  # of the markers on Lisbon, those that have
    chronicler=flag(),  # whether the latest historian has: no one else is appointed while ships sail
    departed=number(high=MARKERS),  # ships that left Lisbon or the sea of an own stronghold
    sold=set_of(GOODS),
    vp_due=number(),  # gained, and not kept or given up yet
    wealth_due=number(),
)

BOX: Schema[Box] = Schema(
    towns_goods=enum_of(GOODS, CARDS, 2),
    towns_buildings=enum_of(BUILDINGS, CARDS, 2),
    towns_recommended=enum_of(CARDS, NEAREST),
    technologies_cost=number(TECHNOLOGIES, high=9),
    sale_wealth=number(len(GOODS) + 1, high=9),  # by the number of kinds
    sale_vp=number(len(GOODS) + 1, high=9),
    cost_activate=number(high=9),
    cost_build=number(high=9),
    cost_speed=number(FASTEST - 1, high=9),
    cost_cartography=number(high=9),
    cost_banking=number(high=9),
    start_wealth=number(SEATS, high=KEEPS),
    start_markers=number(low=2, high=MARKERS),
    start_scientists=number(high=9),
    points_stronghold=number(high=9),
    points_church=number(high=9),
    points_market=number(high=9),
    points_renaissance=number(high=9),
    points_evangelisation=number(high=9),
    points_guild=number(high=9),
    points_east_india_company=number(high=9),
)

# Actions, as small numbers; the words are in the same order.


class Voyage(NamedTuple):
    """From a town to another; Lisbon is 0."""

    start: int
    end: int

    def __str__(self) -> str:
        return f"{self.start}-{self.end}"


class Way(NamedTuple):
    """To build on a space: with a ship (`2sea`), or with the marker of another space of the town."""

    source: str
    space: str

    def __str__(self) -> str:
        return f"{self.source}-{self.space[-1]}"


def _voyages(step: int) -> list[Voyage]:
    """All voyages over that many towns: away from Lisbon, then back."""
    away = [Voyage(town, town + step) for town in range(1, TOWNS + 1 - step)]
    return away + [Voyage(end, start) for start, end in away]


def _ways() -> list[Way]:
    """All ways to build: with a ship, with the marker of space a, of b, of the other building; each on c, then
    on d.
    """
    sources = ("sea", "sea"), ("a", "a"), ("b", "b"), ("d", "c")
    return [
        Way(f"{town}{source[i]}", f"{town}{'cd'[i]}")
        for source in sources
        for i in range(2)
        for town in range(1, TOWNS + 1)
    ]


FROM_LISBON = [Voyage(0, town) for town in range(1, TOWNS + 1)]
VOYAGES = [voyage for step in range(1, FASTEST + 1) for voyage in _voyages(step)]
FLEETS = (  # ships at sea, and those of them that have sailed in this action
    *(f"{town}sea" for town in range(1, TOWNS + 1)),
    *(f"{town}sailed" for town in range(1, TOWNS + 1)),
)
ACTIONS = Actions(
    ("end turn",),
    ("activate",),
    ("anchor",),
    ("close sale",),
    ("speed up",),
    ("bank",),
    ("chart",),
    ("no chart",),
    ("appoint",),
    ("decline",),
    ("recall",),
    ("sail", (*FROM_LISBON, *VOYAGES)),
    ("convert", SPACES[: 2 * TOWNS]),
    ("sell", SPACES[: 2 * TOWNS]),
    ("build", _ways()),
    ("acquire", TECHNOLOGIES),
    ("refloat", SPACES),
    ("return", (*SPACES, *FLEETS, "banker", "historian")),
)
END_TURN = ACTIONS.first("end turn")
ACTIVATE = ACTIONS.first("activate")
ANCHOR = ACTIONS.first("anchor")
CLOSE_SALE = ACTIONS.first("close sale")
SPEED_UP = ACTIONS.first("speed up")
BANK = ACTIONS.first("bank")
CHART = ACTIONS.first("chart")
NO_CHART = ACTIONS.first("no chart")
APPOINT = ACTIONS.first("appoint")
DECLINE = ACTIONS.first("decline")
RECALL = ACTIONS.first("recall")
SAIL_OUT = ACTIONS.first("sail")  # + town, from Lisbon
SAIL = ACTIONS.first("sail", Voyage(1, 2))  # + voyage, over one town first
SAIL_TWO = ACTIONS.first("sail", Voyage(1, 3))
SAIL_THREE = ACTIONS.first("sail", Voyage(1, 4))
CONVERT = ACTIONS.first("convert")  # + goods space
SELL = ACTIONS.first("sell")  # + goods space
BUILD = ACTIONS.first("build")  # + way to build
ACQUIRE = ACTIONS.first("acquire")  # + technology
REFLOAT = ACTIONS.first("refloat")  # + space
RETURN = ACTIONS.first("return")  # + space
RETURN_SHIP = ACTIONS.first("return", "1sea")  # + town
RETURN_SAILED = ACTIONS.first("return", "1sailed")  # + town
RETURN_BANKER = ACTIONS.first("return", "banker")
RETURN_HISTORIAN = ACTIONS.first("return", "historian")


# Setup


@rule
def setup(p: Position, box: Box, dice: Dice) -> None:
    """S2, S4, S5: the towns in a row, and everyone's pieces; the first player is named or drawn."""
    draw_first(p, dice)
    lay_out_towns(p, box, dice)
    for technology in range(len(TECHNOLOGIES)):
        p.technologies[technology] = -1
    seat = p.first
    for nth in range(p.players):
        give_start_pieces(p, box, seat, box.start_wealth[nth])
        seat = next_seat(p, seat)
    p.closer = -1
    p.india = -1
    p.round_number = 1
    start_turn(p, p.first)


@rule
def lay_out_towns(p: Position, box: Box, dice: Dice) -> None:
    """S2, S3: three towns face up, at random or the recommended ones; with three players three others are
    boxed.
    """
    for town in range(TOWNS):
        p.row[town] = -1
    for nth in range(SHORTER):
        p.boxed[nth] = -1
    for town in range(NEAREST):
        p.row[town] = box.towns_recommended[town] if p.setup == FIRST_GAME else unseen_card(p, dice)
        p.face_up += 1
    if p.players == 3:
        for nth in range(SHORTER):
            p.boxed[nth] = unseen_card(p, dice)


@rule
def unseen_card(p: Position, dice: Dice) -> int:
    """S2: a random one of the cards that nobody has seen yet."""
    unseen = ROW
    for town in range(p.face_up):
        unseen ^= 1 << int(p.row[town])
    for nth in range(SHORTER):
        if p.boxed[nth] >= 0:
            unseen ^= 1 << int(p.boxed[nth])
    cards = np.uint64(unseen)
    return select_bit(cards, roll(dice, popcount(cards)))


@rule
def give_start_pieces(p: Position, box: Box, seat: int, wealth: int) -> None:
    """S4, S5: one marker on Lisbon, one keeping the first wealth, the rest in reserve."""
    p.wealth[seat] = wealth
    p.lisbon[seat] = 1
    p.reserve[seat] = box.start_markers - 1 - keepers(wealth)
    p.speed[seat] = 1
    p.scientists[seat] = box.start_scientists


# Wealth and victory points


@rule
def keepers(amount: int) -> int:
    """S10, S12: the bankers that wealth needs, or the historians that VP need."""
    return (int(amount) + KEEPS - 1) // KEEPS


@rule
def room(amount: int) -> int:
    """S10, S12: how much more the present bankers or historians can keep."""
    return keepers(amount) * KEEPS - int(amount)


@rule
def last_keeps(amount: int) -> int:
    """S31: what the banker or historian with the rest keeps, and is lost if it returns: counts stand as 5, 5,
    …, rest.
    """
    return int(amount) - KEEPS * (keepers(amount) - 1)


@rule
def appointed_keeps(p: Position) -> int:
    """S10, S12: what the next marker from Lisbon would keep: VP first, then wealth, up to five."""
    return min(KEEPS, int(p.vp_due if p.vp_due > 0 else p.wealth_due))


@rule
def pay(p: Position, cost: int) -> None:
    """S11, S14: bankers with nothing left to keep return to Lisbon at once, before what is bought is
    gained.
    """
    seat = p.turn
    bankers = keepers(p.wealth[seat])
    p.wealth[seat] -= cost
    p.lisbon[seat] += bankers - keepers(p.wealth[seat])


@rule
def keep_what_fits(p: Position) -> None:
    """S10, S12, S14, S16: VP first, then wealth; what present historians and bankers cannot keep is still
    due.
    """
    seat = p.turn
    if p.vp_due > 0:
        kept = min(int(p.vp_due), room(p.vp[seat]))
        p.vp[seat] += kept
        p.vp_due -= kept
    if p.vp_due == 0 and p.wealth_due > 0:
        kept = min(int(p.wealth_due), room(p.wealth[seat]))
        p.wealth[seat] += kept
        p.wealth_due -= kept


@rule
def is_due(p: Position) -> bool:
    return bool(p.vp_due > 0 or p.wealth_due > 0)


@rule
def appoint(p: Position) -> None:
    """S10, S12, S15, S33: a marker from Lisbon keeps up to five; one that has sailed in this action goes
    first, for it cannot again.
    """
    seat = p.turn
    p.lisbon[seat] -= 1
    if p.home > 0:
        p.home -= 1
        p.chronicler = 1
    kept = appointed_keeps(p)
    if p.vp_due > 0:
        p.vp[seat] += kept
        p.vp_due -= kept
    else:
        p.wealth[seat] += kept
        p.wealth_due -= kept


@rule
def decline(p: Position) -> None:
    """S10, S12, S15: the surplus is lost."""
    if p.vp_due > 0:
        p.vp_due = 0
    else:
        p.wealth_due = 0


# The turn


@rule
def start_turn(p: Position, seat: int) -> None:
    """S20: two action points, and once more all that is limited to once a turn."""
    p.turn = seat
    p.phase = TURN
    p.points = 2
    p.discovered = 0
    p.voyage = 0
    p.geography = READY
    p.printed = 0
    p.built = 0
    p.banked = 0


@rule
def end_turn(p: Position) -> None:
    """S20, S70, S74: the next player clockwise, unless all have had their last turn, or 200 rounds are over
    and none is due.
    """
    seat = next_seat(p, p.turn)
    if seat == p.closer:
        finish(p, p.closing)
    elif seat == p.first and p.round_number == LAST_ROUND and p.closing == 0:
        finish(p, ROUND_200)
    else:
        p.round_number += seat == p.first
        start_turn(p, seat)


@rule
def spend_point(p: Position) -> None:
    """S20, S34: an action begins; if a move action came before it, its converting is over."""
    p.points -= 1
    p.phase = TURN


@rule
def activate(p: Position, box: Box) -> None:
    """S21, S70: from reserve to Lisbon, for 1 wealth; the second empty reserve brings on the end."""
    seat = p.turn
    spend_point(p)
    pay(p, box.cost_activate)
    p.reserve[seat] -= 1
    p.lisbon[seat] += 1
    if p.reserve[seat] == 0:
        empty = 0
        for other in range(p.players):
            empty += p.reserve[other] == 0
        if empty >= 2:
            bring_on_end(p, EMPTY_RESERVES)


@rule
def bring_on_end(p: Position, ending: int) -> None:
    """S70: only the first trigger counts."""
    if p.closing == 0:
        p.closing = ending
        p.closer = p.turn


@rule
def in_last_turns(p: Position) -> bool:
    """S70: the end has been triggered, and has not come yet."""
    return bool(p.closing > 0 and p.phase != OVER)


@rule
def finish(p: Position, ending: int) -> None:
    p.ending = ending
    p.phase = OVER
    p.turn = -1


@rule
def speed_cost(p: Position, box: Box) -> int:
    """S30: what the next step costs, while there is one."""
    return int(box.cost_speed[(p.speed[p.turn] - 1) % (FASTEST - 1)])


@rule
def speed_up(p: Position, box: Box) -> None:
    """S30: one step, for 2 or 4."""
    seat = p.turn
    spend_point(p)
    pay(p, speed_cost(p, box))
    p.speed[seat] += 1


@rule
def return_marker(p: Position, which: int) -> None:
    """S31, S33, S43: to Lisbon, for nothing; what a keeper kept is lost.

    What has sailed in this action is remembered there too.
    """
    seat = p.turn
    p.lisbon[seat] += 1
    if which < len(SPACES):
        p.land[seat] ^= 1 << which
    elif which < RETURN_BANKER - RETURN:
        return_ship(p, (which - len(SPACES)) % TOWNS, which >= RETURN_SAILED - RETURN)
    elif which == RETURN_BANKER - RETURN:
        p.wealth[seat] -= last_keeps(p.wealth[seat])
    else:
        p.vp[seat] -= last_keeps(p.vp[seat])
        p.home += p.chronicler
        p.chronicler = 0


@rule
def return_ship(p: Position, town: int, sailed: bool) -> None:
    """S31, S33: one that has not sailed in this action, if there is one and no other is asked for."""
    if sailed or p.sailed[town] == p.ships[p.turn, town]:
        p.sailed[town] -= 1
        p.home += 1
    p.ships[p.turn, town] -= 1


# Moving ships


@rule
def last_town(p: Position) -> int:
    """S2: how many towns the row has."""
    return row_length(p.players)


@rule
def row_length(players: int) -> int:
    """S2: the row has 12 towns, 9 with three players."""
    return TOWNS - SHORTER if players == 3 else TOWNS


@rule
def towns_in_reach(p: Position) -> int:
    """S23: those face up, and the first face down, unless a town has been discovered in this turn."""
    return int(p.face_up) + int(not p.discovered and p.face_up < last_town(p))


@rule
def sail(p: Position, box: Box, start: int, end: int) -> None:
    """S22, S24, S33, S53: one marker, once in an action; -1: from Lisbon, by way of a stronghold or not."""
    seat = p.turn
    if p.phase != SAILING:
        spend_point(p)
        p.phase = SAILING
    if start < 0:
        p.lisbon[seat] -= 1
        p.departed += 1
    else:
        p.ships[seat, start] -= 1
        p.departed += strongholds_of(p, box, seat) >> start & 1
    p.ships[seat, end] += 1
    p.sailed[end] += 1
    p.voyage = 1


@rule
def sail_on(p: Position, box: Box, voyage: int) -> None:
    """S22: toward or away from Lisbon, by the number of the voyage."""
    step = 1
    ways = TOWNS - 1
    while voyage >= 2 * ways:
        voyage -= 2 * ways
        ways -= 1
        step += 1
    if voyage < ways:
        sail(p, box, voyage, voyage + step)
    else:
        sail(p, box, voyage - ways + step, voyage - ways)


@rule
def strongholds_of(p: Position, box: Box, seat: int) -> int:
    """S40, S43: the towns where a seat owns a stronghold, while its marker lies on it; one bit a town."""
    own = int(p.land[seat]) >> 2 * TOWNS
    towns = 0
    if own:
        for space in range(2 * TOWNS):
            if own >> space & 1 and building_on(p, box, space) == STRONGHOLD:
                towns |= 1 << space % TOWNS
    return towns


@rule
def port_vp(p: Position) -> int:
    """S53: Port maintenance: 1 VP for every full three ships that left Lisbon or an own stronghold in this
    action.
    """
    return int(p.departed) // 3 if p.technologies[PORT_MAINTENANCE] == p.turn else 0


@rule
def anchor(p: Position) -> None:
    """S33, S34, S53: the sailing is over; well-kept ports bring VP."""
    p.vp_due += port_vp(p)
    p.departed = 0
    p.home = 0
    p.chronicler = 0
    for town in range(TOWNS):
        p.sailed[town] = 0
    p.phase = LANDFALL


@rule
def reaches_unknown(p: Position) -> bool:
    """S25: a ship of the seat that decides lies off the first face-down town, which it will discover when the
    sailing is over.
    """
    return bool(p.face_up < last_town(p) and p.ships[p.turn, p.face_up] > 0)


@rule
def discovery_vp(p: Position, town: int) -> int:
    """S25: 1 VP for a town that is turned up; the last one is India, for 1 more."""
    return 1 + int(town + 1 == last_town(p))


@rule
def discover(p: Position, dice: Dice) -> None:
    """S25, S34, S70: a face-down town with an own ship is turned up; India brings on the end."""
    if not reaches_unknown(p):
        p.phase = CONVERTING
        return
    town = int(p.face_up)
    p.row[town] = unseen_card(p, dice)
    p.face_up += 1
    p.discovered = 1
    p.phase = CHARTING
    p.vp_due = discovery_vp(p, town)
    if p.face_up == last_town(p):
        p.india = p.turn
        bring_on_end(p, INDIA)


@rule
def may_chart(p: Position, box: Box) -> bool:
    """S55: owns Cartography, and can pay."""
    return bool(p.technologies[CARTOGRAPHY] == p.turn and p.wealth[p.turn] >= box.cost_cartography)


@rule
def chart(p: Position, box: Box) -> None:
    """S55: 1 wealth for 1 VP more."""
    pay(p, box.cost_cartography)
    p.vp_due += 1
    p.phase = CONVERTING


@rule
def convert(p: Position, space: int) -> None:
    """S22, S26: a ship goes onto a goods space of its town, and is a ship no more; a move action may begin
    with this, and move none.
    """
    if p.phase != CONVERTING:
        spend_point(p)
        p.phase = CONVERTING
    p.ships[p.turn, space % TOWNS] -= 1
    p.land[p.turn] |= 1 << space


@rule
def go_on(p: Position, box: Box, dice: Dice) -> None:
    """S14, S34: what is gained is kept as far as it fits; if nothing is due, a move action goes on to what
    comes next.
    """
    keep_what_fits(p)
    if p.phase == LANDFALL and not is_due(p):
        discover(p, dice)
        keep_what_fits(p)
    if p.phase == CHARTING and not is_due(p) and not may_chart(p, box):
        p.phase = CONVERTING


# Selling and building


@rule
def sell(p: Position, box: Box, space: int) -> None:
    """S14, S27: a goods marker returns to Lisbon; its kind counts once."""
    seat = p.turn
    if p.phase != SELLING:
        spend_point(p)
        p.phase = SELLING
    p.land[seat] ^= 1 << space
    p.lisbon[seat] += 1
    p.sold |= 1 << good_on(p, box, space)


@rule
def good_on(p: Position, box: Box, space: int) -> int:
    """The good of a goods space in a town that is face up."""
    return int(box.towns_goods[p.row[space % TOWNS], space // TOWNS])


@rule
def building_on(p: Position, box: Box, space: int) -> int:
    """The building of a building space, counted from the first of these, in a town that is face up."""
    return int(box.towns_buildings[p.row[space % TOWNS], space // TOWNS])


@rule
def goods_in_sale(p: Position, box: Box) -> int:
    """S27, S41: the goods sold so far in this action, and those of own markets; one bit a good."""
    return int(p.sold) | market_goods(p, box, p.turn)


@rule
def kinds_sold(p: Position, box: Box) -> int:
    """S27: the kinds in the sale that is on."""
    goods = goods_in_sale(p, box)
    kinds = 0
    for good in range(len(GOODS)):
        kinds += goods >> good & 1
    return kinds


@rule
def sale_wealth(p: Position, box: Box, kinds: int) -> int:
    """S27, S57: the wealth for that many kinds; 1 more by Manufacture."""
    return int(box.sale_wealth[kinds]) + int(p.technologies[MANUFACTURE] == p.turn)


@rule
def close_sale(p: Position, box: Box) -> None:
    """S14, S27: the more kinds, the more VP and wealth."""
    kinds = kinds_sold(p, box)
    p.sold = 0
    p.vp_due = box.sale_vp[kinds]
    p.wealth_due = sale_wealth(p, box, kinds)
    p.phase = TURN


@rule
def market_goods(p: Position, box: Box, seat: int) -> int:
    """S41, S43: the goods of a seat's markets; one bit a good."""
    own = int(p.land[seat]) >> 2 * TOWNS
    goods = 0
    if own:
        for space in range(2 * TOWNS):
            if own >> space & 1:
                building = building_on(p, box, space)
                if building >= MARKET:
                    goods |= 1 << building - MARKET
    return goods


@rule
def may_build_free(p: Position) -> bool:
    """S34, S54: Architecture, once a turn, after a move action in which a ship sailed, and while no other is
    under way.
    """
    if p.technologies[ARCHITECTURE] != p.turn or not p.voyage or p.built:
        return False
    return bool(p.phase == TURN or p.phase == SELLING or (p.phase == CONVERTING and not is_due(p)))


@rule
def build(p: Position, box: Box, way: int) -> None:
    """S28, S43, S54: for 2 wealth, a ship or a marker already in the town goes onto a free building space.

    Architecture, if it may, spares the action point: the point can still build later, Architecture only in
    this turn.
    """
    seat = p.turn
    if may_build_free(p):
        p.built = 1
        if p.phase == CONVERTING:
            p.phase = TURN
    else:
        spend_point(p)
    pay(p, box.cost_build)
    source = way // (2 * TOWNS)
    space = way % (2 * TOWNS)
    town = space % TOWNS
    if source == 0:
        p.ships[seat, town] -= 1
    elif source < 3:
        p.land[seat] ^= 1 << (source - 1) * TOWNS + town
    else:
        p.land[seat] ^= 1 << 3 * TOWNS + 2 * town - space
    p.land[seat] |= 1 << 2 * TOWNS + space


# Technologies


@rule
def price(p: Position, box: Box, technology: int) -> int:
    """S29, S50: its cost, 1 less by Metallurgy, never below 0."""
    return max(0, int(box.technologies_cost[technology]) - int(p.technologies[METALLURGY] == p.turn))


@rule
def acquire(p: Position, box: Box, technology: int) -> None:
    """S29, S52, S62: a scientist moves onto it, permanently; the Printing press pays for the first of a turn,
    itself included.
    """
    spend_point(p)
    pay(p, price(p, box, technology))
    p.scientists[p.turn] -= 1
    p.technologies[technology] = p.turn
    if p.technologies[PRINTING_PRESS] == p.turn and not p.printed:
        p.printed = 1
        p.vp_due += 1


@rule
def bank(p: Position, box: Box) -> None:
    """S56: 2 wealth for 1 VP, once a turn."""
    p.banked = 1
    pay(p, box.cost_banking)
    p.vp_due += 1


@rule
def refloat(p: Position, space: int) -> None:
    """S51: Geography: from land back to the town's sea."""
    p.geography = IN_USE
    p.land[p.turn] ^= 1 << space
    p.ships[p.turn, space % TOWNS] += 1


# End and scoring


@rule
def stall_progress(p: Position) -> float:
    """S74: from round 50 of 200 on; no real game takes so long."""
    return stall_progress_by_round(p, ROUND_200, LONG, LAST_ROUND)


@rule
def tally(p: Position, box: Box, out: Scores, stride: int) -> None:
    """S13, S58, S71, S72: History card, buildings and technologies; India, wealth, and VP on the History card
    break ties.
    """
    ties = (len(SOURCES) - 1) * stride + 1
    for seat in range(p.players):
        out[seat, FROM_HISTORY * stride] += p.vp[seat]
        tally_buildings(p, box, seat, out, stride)
        out[seat, ties] += p.india == seat
        out[seat, ties + 1] += p.wealth[seat]
        out[seat, ties + 2] += p.vp[seat]
    if p.technologies[RENAISSANCE] >= 0:
        out[p.technologies[RENAISSANCE], FROM_RENAISSANCE * stride] += box.points_renaissance


@rule
def tally_buildings(p: Position, box: Box, seat: int, out: Scores, stride: int) -> None:
    """S40, S41, S42, S59, S60, S61: each building's VP, and those that a technology adds."""
    strongholds = 0
    churches = 0
    markets = 0
    for space in range(2 * TOWNS):
        if p.land[seat] >> 2 * TOWNS + space & 1:
            building = building_on(p, box, space)
            strongholds += building == STRONGHOLD
            churches += building == CHURCH
            markets += building >= MARKET
    out[seat, FROM_STRONGHOLDS * stride] += strongholds * box.points_stronghold
    out[seat, FROM_CHURCHES * stride] += churches * box.points_church
    out[seat, FROM_MARKETS * stride] += markets * box.points_market
    if p.technologies[EVANGELISATION] == seat:
        out[seat, FROM_EVANGELISATION * stride] += churches * box.points_evangelisation
    if p.technologies[GUILD] == seat:
        out[seat, FROM_GUILD * stride] += markets * box.points_guild
    if p.technologies[EAST_INDIA_COMPANY] == seat:
        out[seat, FROM_COMPANY * stride] += strongholds * box.points_east_india_company


# Decisions


@rule
def legal(p: Position, box: Box, mask: Mask) -> None:
    """S15, S20, S31, S32: at every decision of a turn markers may be returned and effects used; a gain is
    decided on first.
    """
    if p.recalling:
        allow_returns(p, mask)
    else:
        allow_if(mask, RECALL, may_recall(p, box))
    allow_effects(p, box, mask)
    if is_due(p):
        allow_keeping(p, box, mask)
    elif p.phase == SAILING:
        allow(mask, ANCHOR)
        allow_voyages(p, box, ships_to_sail(p), mask)
    elif p.phase == SELLING:
        allow(mask, CLOSE_SALE)
        allow_set(mask, SELL, int(p.land[p.turn]) & PAIR)
        if may_build_free(p):
            allow_builds(p, box, seas_of(p), mask)
    elif p.phase == CHARTING:
        allow(mask, CHART)
        allow(mask, NO_CHART)
    else:
        allow_turn(p, box, mask)


@rule
def may_recall(p: Position, box: Box) -> bool:
    """S31: some marker is neither in reserve nor on Lisbon."""
    return bool(int(p.reserve[p.turn]) + int(p.lisbon[p.turn]) < box.start_markers)


@rule
def allow_keeping(p: Position, box: Box, mask: Mask) -> None:
    """S15, S54, S55: markers are appointed or the gain is given up; a chart or Architecture may free a banker
    for it.
    """
    allow_if(mask, APPOINT, p.lisbon[p.turn] > 0)
    allow(mask, DECLINE)
    if p.phase == CHARTING:
        allow_if(mask, CHART, may_chart(p, box))
    elif may_build_free(p):
        allow_builds(p, box, seas_of(p), mask)


@rule
def allow_turn(p: Position, box: Box, mask: Mask) -> None:
    """S20, S26, S54: the turn may end; a move action ends with converting, or is only that; points buy
    actions, Architecture a building.
    """
    sea = seas_of(p)
    allow(mask, END_TURN)
    if p.phase == CONVERTING or p.points > 0:
        allow_set(mask, CONVERT, (sea | sea << TOWNS) & ~occupied(p))
    if p.points > 0:
        allow_actions(p, box, sea, mask)
    elif may_build_free(p):
        allow_builds(p, box, sea, mask)


@rule
def seas_of(p: Position) -> int:
    """The towns in whose sea the seat that decides has a ship; one bit a town."""
    sea = 0
    for town in range(TOWNS):
        sea |= int(p.ships[p.turn, town] > 0) << town
    return sea


@rule
def ships_to_sail(p: Position) -> int:
    """S33: the towns in whose sea a ship has not sailed in this action; one bit a town."""
    ready = 0
    for town in range(TOWNS):
        ready |= int(p.ships[p.turn, town] > p.sailed[town]) << town
    return ready


@rule
def occupied(p: Position) -> int:
    """S26, S28: the spaces that hold a marker, of whichever seat."""
    spaces = 0
    for seat in range(p.players):
        spaces |= int(p.land[seat])
    return spaces


@rule
def allow_returns(p: Position, mask: Mask) -> None:
    """S31, S33: ships, goods and building markers, bankers and historians; of ships in one sea, the kind is
    chosen if both are there.
    """
    seat = p.turn
    allow_set(mask, RETURN, int(p.land[seat]) | seas_of(p) << len(SPACES))
    kinds = int(p.wealth[seat] > 0) << TOWNS | int(p.vp[seat] > 0) << TOWNS + 1
    for town in range(TOWNS):
        kinds |= int(is_mixed(p, town)) << town
    allow_set(mask, RETURN_SAILED, kinds)


@rule
def is_mixed(p: Position, town: int) -> bool:
    """S33: of the own ships in a town's sea, some have sailed in this action and some have not."""
    return bool(0 < p.sailed[town] < p.ships[p.turn, town])


@rule
def allow_effects(p: Position, box: Box, mask: Mask) -> None:
    """S32, S51, S56: Geography and Banking, each once a turn."""
    seat = p.turn
    if p.technologies[GEOGRAPHY] == seat and p.geography != USED:
        allow_set(mask, REFLOAT, int(p.land[seat]))
    if p.technologies[BANKING] == seat:
        allow_if(mask, BANK, not p.banked and p.wealth[seat] >= box.cost_banking)


@rule
def allow_actions(p: Position, box: Box, sea: int, mask: Mask) -> None:
    """S20, S21, S22, S27, S30: what an action point can be spent on."""
    seat = p.turn
    wealth = p.wealth[seat]
    allow_if(mask, ACTIVATE, p.reserve[seat] > 0 and wealth >= box.cost_activate)
    allow_voyages(p, box, sea, mask)
    allow_set(mask, SELL, int(p.land[seat]) & PAIR)
    allow_if(mask, SPEED_UP, p.speed[seat] < FASTEST and wealth >= speed_cost(p, box))
    allow_builds(p, box, sea, mask)
    if p.scientists[seat] > 0:
        allow_technologies(p, box, mask)


@rule
def allow_technologies(p: Position, box: Box, mask: Mask) -> None:
    """S29: one that no one has."""
    for technology in range(len(TECHNOLOGIES)):
        allow_if(
            mask,
            ACQUIRE + technology,
            p.technologies[technology] < 0 and p.wealth[p.turn] >= price(p, box, technology),
        )


@rule
def allow_builds(p: Position, box: Box, sea: int, mask: Mask) -> None:
    """S28: a free building space of a town where one has a ship, goods, or the other building."""
    if p.wealth[p.turn] < box.cost_build:
        return
    free = ~(occupied(p) >> 2 * TOWNS) & PAIR
    own = int(p.land[p.turn])
    goods_a = own & ROW
    goods_b = own >> TOWNS & ROW
    allow_set(mask, BUILD, (sea | sea << TOWNS) & free)
    allow_set(mask, BUILD + 2 * TOWNS, (goods_a | goods_a << TOWNS) & free)
    allow_set(mask, BUILD + 4 * TOWNS, (goods_b | goods_b << TOWNS) & free)
    allow_set(mask, BUILD + 6 * TOWNS, (own >> 3 * TOWNS | (own >> 2 * TOWNS & ROW) << TOWNS) & free)


@rule
def allow_voyages(p: Position, box: Box, ready: int, mask: Mask) -> None:
    """S22, S23, S33: by up to the speed, no further than the first face-down town, and each marker once."""
    seat = p.turn
    reach = (1 << towns_in_reach(p)) - 1
    if p.lisbon[seat] > p.home:
        allow_set(mask, SAIL_OUT, harbours(p, box) & reach)
    allow_voyages_over(ready, reach, 1, SAIL, mask)
    if p.speed[seat] > 1:
        allow_voyages_over(ready, reach, 2, SAIL_TWO, mask)
    if p.speed[seat] > 2:
        allow_voyages_over(ready, reach, 3, SAIL_THREE, mask)


@rule
def allow_voyages_over(ready: int, reach: int, step: int, first: int, mask: Mask) -> None:
    """S22: over that many towns, away from Lisbon and back."""
    allow_set(mask, first, ready & reach >> step)
    allow_set(mask, first + TOWNS - step, ready >> step)


@rule
def harbours(p: Position, box: Box) -> int:
    """S22, S40: the towns that speed brings within reach of Lisbon or of an own stronghold; one bit a
    town.
    """
    strongholds = strongholds_of(p, box, p.turn)
    near = strongholds | (1 << int(p.speed[p.turn])) - 1
    for step in range(1, p.speed[p.turn] + 1):
        near |= strongholds << step | strongholds >> step
    return near


@rule
def play(p: Position, box: Box, action: int, dice: Dice) -> None:
    """S20 to S62, one decision at a time."""
    p.recalling = action == RECALL
    if p.geography == IN_USE and not REFLOAT <= action < RETURN and action != RECALL:
        p.geography = USED
    if SAIL_OUT <= action < BUILD:
        move_or_sell(p, box, action)
    elif action == END_TURN:
        end_turn(p)
    elif action != RECALL:
        act(p, box, action)
        go_on(p, box, dice)


@rule
def move_or_sell(p: Position, box: Box, action: int) -> None:
    """S22, S26, S27: one marker after the other; nothing is gained before all have gone."""
    if action < SAIL:
        sail(p, box, -1, action - SAIL_OUT)
    elif action < CONVERT:
        sail_on(p, box, action - SAIL)
    elif action < SELL:
        convert(p, action - CONVERT)
    else:
        sell(p, box, action - SELL)


@rule
def act(p: Position, box: Box, action: int) -> None:
    """The actions that bring, cost or free something at once."""
    if action >= RETURN:
        return_marker(p, action - RETURN)
    elif action >= REFLOAT:
        refloat(p, action - REFLOAT)
    elif action >= ACQUIRE:
        acquire(p, box, action - ACQUIRE)
    elif action >= BUILD:
        build(p, box, action - BUILD)
    else:
        play_plain(p, box, action)


@rule
def play_plain(p: Position, box: Box, action: int) -> None:
    """The actions that say nothing more."""
    if action == ACTIVATE:
        activate(p, box)
    elif action == ANCHOR:
        anchor(p)
    elif action == CLOSE_SALE:
        close_sale(p, box)
    elif action == SPEED_UP:
        speed_up(p, box)
    elif action == BANK:
        bank(p, box)
    elif action == CHART:
        chart(p, box)
    elif action == NO_CHART:
        p.phase = CONVERTING
    elif action == APPOINT:
        appoint(p)
    else:
        decline(p)


# Checks on data that comes in


def check_box(box: Box) -> list[str]:
    """S3: what the fields' own limits do not say about a box."""
    cards = [CARDS[card] for card in box.towns_recommended]
    doubles = sorted({card for card in cards if cards.count(card) > 1})
    return [f"towns.recommended: {card} is there more than once; name three towns" for card in doubles]


# What holds in every position that play can reach; `violated_invariant` names what does not, and where.
INVARIANTS = Invariants(
    players="players: expected 3 or 4",
    row="row: the towns that are face up, and only they, show their cards, each a different one, and none that is boxed",
    markers="markers: not as many as a seat starts with: seat {seat}",
    land="land: two markers on one space, or one in a town that is face down: seat {seat}",
    ships="ships: one in a town that is face down and not being discovered: seat {seat}",
    scientists="technologies: not as many scientists as a seat starts with: seat {seat}",
    speed="speed: expected 1 to 3: seat {seat}",
    sailed="sailed, home, chronicler, departed: more than the ships and markers there are; or some when no ship is sailing, or none when one is",
    recalling="recalling: there is nothing to return",
    due="vp_due, wealth_due: what fits is kept at once",
    sold="sold: a good has been sold while a sale is on, and only then",
    phase="phase: there is nothing to decide in it",
    closing="india, closing, closer: the end has come near when the last town is face up or two reserves are empty, and only then",
    turn="turn, ending: somebody decides until the phase is over, and nobody then",
    round="round_number: from 1 to 200; 201 for last turns that were due",
)
WRONG_PLAYERS = INVARIANTS["players"]
WRONG_ROW = INVARIANTS["row"]
WRONG_MARKERS = INVARIANTS["markers"]
WRONG_LAND = INVARIANTS["land"]
WRONG_SHIPS = INVARIANTS["ships"]
WRONG_SCIENTISTS = INVARIANTS["scientists"]
WRONG_SPEED = INVARIANTS["speed"]
WRONG_SAILED = INVARIANTS["sailed"]
WRONG_RECALLING = INVARIANTS["recalling"]
WRONG_DUE = INVARIANTS["due"]
WRONG_SOLD = INVARIANTS["sold"]
WRONG_PHASE = INVARIANTS["phase"]
WRONG_CLOSING = INVARIANTS["closing"]
WRONG_TURN = INVARIANTS["turn"]
WRONG_ROUND = INVARIANTS["round"]


@rule
def violated_invariant(p: Position, box: Box) -> tuple[int, int]:
    """S1: the first invariant that a position violates, and the seat; VALID if none."""
    if not PLAYERS[0] <= p.players <= PLAYERS[1]:
        return WRONG_PLAYERS, 0
    if not row_fits(p):
        return WRONG_ROW, 0
    for seat in range(p.players):
        violated = violated_by_seat(p, box, seat)
        if violated:
            return violated, seat
    if not closing_fits(p):
        return WRONG_CLOSING, 0
    if (p.turn < 0) != (p.phase == OVER) or (p.turn < 0) != (p.ending > 0):
        return WRONG_TURN, 0
    if not round_fits(p):
        return WRONG_ROUND, 0
    return (VALID if p.turn < 0 else violated_by_turn(p, box)), 0


@rule
def row_fits(p: Position) -> bool:
    """S2: a prefix of the row is face up; no card is there twice."""
    if not NEAREST <= p.face_up <= last_town(p):
        return False
    seen = 0
    for town in range(TOWNS + SHORTER):
        card = int(p.row[town] if town < TOWNS else p.boxed[town - TOWNS])
        if (card >= 0) != (town < p.face_up if town < TOWNS else p.players == 3):
            return False
        if card >= 0:
            if seen >> card & 1:
                return False
            seen |= 1 << card
    return True


@rule
def violated_by_seat(p: Position, box: Box, seat: int) -> int:
    """S4, S24, S29, S30: a seat's markers and discs add up, and lie where they may."""
    markers = int(p.reserve[seat]) + int(p.lisbon[seat]) + keepers(p.wealth[seat]) + keepers(p.vp[seat])
    for town in range(TOWNS):
        markers += p.ships[seat, town]
        if p.ships[seat, town] > 0 and town >= p.face_up and not is_being_discovered(p, seat, town):
            return WRONG_SHIPS
    for space in range(len(SPACES)):
        if p.land[seat] >> space & 1:
            markers += 1
            if space % TOWNS >= p.face_up:
                return WRONG_LAND
    for other in range(seat):
        if p.land[seat] & p.land[other]:
            return WRONG_LAND
    scientists = int(p.scientists[seat])
    for technology in range(len(TECHNOLOGIES)):
        scientists += p.technologies[technology] == seat
    if markers != box.start_markers:
        return WRONG_MARKERS
    if scientists != box.start_scientists:
        return WRONG_SCIENTISTS
    return VALID if 1 <= p.speed[seat] <= FASTEST else WRONG_SPEED


@rule
def is_being_discovered(p: Position, seat: int, town: int) -> bool:
    """S23: ships have reached the first face-down town, and it is not turned up yet."""
    return bool(
        seat == p.turn
        and (p.phase == SAILING or p.phase == LANDFALL)
        and town == p.face_up
        and town < towns_in_reach(p)
    )


@rule
def closing_fits(p: Position) -> bool:
    """S70: the first trigger is remembered, with who brought it about."""
    empty = 0
    for seat in range(p.players):
        empty += p.reserve[seat] == 0
    near = p.india >= 0 or empty >= 2
    if (p.india >= 0) != (p.face_up == last_town(p)) or (p.closing > 0) != near or (p.closer >= 0) != near:
        return False
    if p.closing == INDIA:
        return bool(p.india == p.closer)
    return bool(p.closing == 0 or (p.closing == EMPTY_RESERVES and empty >= 2))


@rule
def round_fits(p: Position) -> bool:
    """S74: a round after the last is for those whose last turn was due."""
    if p.round_number <= LAST_ROUND:
        return bool(p.round_number > 0)
    players = int(p.players)
    before = (
        int(p.closer) - int(p.first) + players
    ) % players  # so many seats play in a round before the closer
    return bool(p.closing > 0 and (p.turn < 0 or (int(p.turn) - int(p.first) + players) % players < before))


@rule
def violated_by_turn(p: Position, box: Box) -> int:
    """S15, S31, S33, S34: what is under way in the turn agrees with its phase."""
    seat = p.turn
    sailed = int(p.home) + int(p.chronicler)
    for town in range(TOWNS):
        sailed += p.sailed[town]
        if p.sailed[town] > p.ships[seat, town]:
            return WRONG_SAILED
    if (
        p.home > p.lisbon[seat]
        or p.chronicler > p.vp[seat]
        or p.departed > sailed
        or (p.phase == SAILING) != (sailed > 0)
    ):
        return WRONG_SAILED
    if p.recalling and not may_recall(p, box):
        return WRONG_RECALLING
    if (p.vp_due > 0 and room(p.vp[seat]) > 0) or (
        p.vp_due == 0 and p.wealth_due > 0 and room(p.wealth[seat]) > 0
    ):
        return WRONG_DUE
    if (p.sold > 0) != (p.phase == SELLING):
        return WRONG_SOLD
    if not is_due(p) and (p.phase == LANDFALL or (p.phase == CHARTING and not may_chart(p, box))):
        return WRONG_PHASE
    return VALID
