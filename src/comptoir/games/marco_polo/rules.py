"""The rules of Marco Polo Expedition, each function naming the rules it carries out.

The texts are in rules.en.md and rules.fr.md.

A position holds what lies on the table and in hands, and nothing that is yet to be turned up: the pile is
counted, not ordered. Cards are counted by `engine.counts`: sets of kinds of cards, one bit each, say which of
them fit a demand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from comptoir.engine.actions import Actions
from comptoir.engine.counts import (
    UPPER,
    add,
    how_many,
    how_many_of,
    kinds_in,
    minimum,
    pack,
    random_kind,
    subtract,
    total,
)
from comptoir.engine.dice import roll
from comptoir.engine.invariants import VALID, Invariants
from comptoir.engine.mask import allow_set, popcount
from comptoir.engine.option import ChoiceOption, FirstSeatOption, Option
from comptoir.engine.rule import Dice, Mask, Scores, rule
from comptoir.engine.schema import (
    AtMost,
    Schema,
    Seats,
    counter,
    counts,
    enum_of,
    flag,
    number,
    number_set,
    private,
    seat_field,
)
from comptoir.engine.seats import draw_first, next_seat

if TYPE_CHECKING:
    from comptoir.games.marco_polo.records import Box, Position

VERSION = 2  # raised by any change that alters recorded matches
PLAYERS = (2, 5)  # M1
DEFAULT_PLAYERS = 4

COLOURS = ("blue", "yellow", "red", "green", "violet")
GOODS = ("oil", "spice", "silk", "fruit")
FACES = (*GOODS, "driver")  # what a card shows, in its colour
CARDS = tuple(f"{colour} {face}" for colour in COLOURS for face in FACES)
MAX_STEPS = 40  # room for a longer track than ours
MAX_SCORED = 10  # and for more scoring spaces before a city
MAX_CAMELS = 5
MAX_SEATS = 5
SEATS = Seats(MAX_SEATS)

# What a space may demand. "Nothing" is for Ormuz alone, where camels only start.
DEMANDS = (
    "nothing",
    "1 good",
    *(f"{n} identical goods" for n in range(2, 5)),
    "one of each good",
    "1 driver",
    "2 drivers",
    "2 of one colour",
    "3 of one colour",
    "one of each colour",
)
# the last of each sort
NOTHING, IDENTICAL_GOODS, EACH_GOOD, DRIVERS, OF_ONE_COLOUR, EACH_COLOUR = (0, 4, 5, 7, 9, 10)
# in cards, four bits each
SIZES = sum(size << 4 * demand for demand, size in enumerate((0, 1, 2, 3, 4, 4, 1, 2, 2, 3, 5)))

# Sets of kinds of cards: a kind is its colour's place times five, plus its face's.
ONE_COLOUR = (1 << len(FACES)) - 1  # all blue cards; the next colour's are five bits on
# all oil; the next face's are one bit on
ONE_FACE = sum(1 << len(FACES) * colour for colour in range(len(COLOURS)))
ALL_DRIVERS = ONE_FACE << len(GOODS)
ALL_KINDS = (1 << len(CARDS)) - 1
ALL_GOODS = ALL_KINDS & ~ALL_DRIVERS

TWO_PLAYERS = ("plain", "strategic")
STRATEGIC = 1
PHASES = ("turn", "step", "over")
TURN, STEP, OVER = range(3)  # STEP: a camel has been chosen or cards laid, and the step must be completed
ENDINGS = ("not over", "dadu", "stillness", "deadlock")
DADU, STILLNESS, DEADLOCK = 1, 2, 3
STILL_ROUNDS = 10
# Every step takes one of five camels on, so there are at most 195; a step takes at most a choice of camel and
# five cards. A card is drawn at most once for each of the 75 a box may hold and each time one was laid. A run
# of passes is shorter than fifty, and only a step ends it.
MAX_DECISIONS = (
    (steps := MAX_CAMELS * (MAX_STEPS - 1)) * 6 + (75 + steps * 5) + (steps + 1) * STILL_ROUNDS * 5
)
MAX_POINTS = 255
SOURCES = ("start", "chests", "ganzhou", "lightening", "dadu")
START, CHESTS, FIRST_PLACES, LIGHTENINGS, LAST_PLACES = range(len(SOURCES))
TIE_BREAKS = ("foremost",)  # M31: how far the foremost camel has come

OPTIONS: tuple[Option, ...] = (
    FirstSeatOption("first"),
    ChoiceOption("two_players", TWO_PLAYERS, players=(2,)),
)

POSITION: Schema[Position] = Schema(
    # options
    players=number(high=5),
    first=seat_field(),
    two_players=enum_of(TWO_PLAYERS),  # M40, M41; always plain for three or more
    # whose decision, and of what kind
    turn=seat_field(),
    phase=enum_of(PHASES),
    ending=enum_of(ENDINGS),
    still=counter(
        number(low=-1, high=STILL_ROUNDS * 5)
    ),  # turns running in which nothing moved or was drawn; -1: something has, in this turn
    # the turn
    moving=number(
        low=-1, high=1
    ),  # the camel that moves: 0, or with two players 1, or -1 until one is chosen
    stopped=flag(2),  # camels of the seat that may not move any more in this turn
    lightened=flag(),
    paid=counts(CARDS),  # laid for the step that has been begun
    # the track
    camels=number(SEATS, 2, low=-1, high=MAX_STEPS),  # -1: there is no second camel
    reached=number_set(SEATS, high=MAX_STEPS),
    scored=flag(),  # the first scoring has taken place
    gold=number(SEATS),  # what a seat has; how it came by it is told by what it began with and the next three
    chests=number(SEATS),  # gold from chests on the track
    ganzhou=number(SEATS),  # gold of the first scoring
    spent=number(SEATS),  # gold paid for lightening
    # cards
    row=counts(CARDS),
    row_size=number(high=10),
    pile=counts(CARDS),
    pile_size=number(),
    discards=counts(CARDS),
    hand=private(counts(CARDS, SEATS)),
    hand_size=number(SEATS),
    seen=counts(CARDS, SEATS),  # the part of a hand that everyone knows: taken from the row, not laid since
    drawn=counts(CARDS, SEATS),  # what a seat has taken unseen from the present pile, since it was shuffled
    drawn_size=number(SEATS),
)

BOX: Schema[Box] = Schema(
    cards=number(FACES, high=3),  # of each colour
    start_hand=number(high=10),
    start_gold=number(high=10),
    start_row=number(low=1, high=10),
    cities_ganzhou=number(high=MAX_STEPS - 1),
    cities_dadu=number(high=MAX_STEPS - 1),
    scoring_ganzhou=number(AtMost(MAX_SCORED), high=20),  # from the city backwards
    scoring_dadu=number(AtMost(MAX_SCORED), high=20),
    track_demands=enum_of(DEMANDS, AtMost(MAX_STEPS)),  # from Ormuz on
    track_chests=number(AtMost(MAX_STEPS), high=3),
)

ACTIONS = Actions(
    ("lay", CARDS),
    ("lighten",),
    ("first camel",),
    ("second camel",),
    ("take", CARDS),
    ("draw",),
    ("pass",),
)
LAY = ACTIONS.first("lay")  # + kind
LIGHTEN = ACTIONS.first("lighten")
CHOOSE = ACTIONS.first("first camel")  # + camel
TAKE = ACTIONS.first("take")  # + kind
DRAW = ACTIONS.first("draw")
PASS = ACTIONS.first("pass")


# Setup


@rule
def setup(p: Position, box: Box, dice: Dice) -> None:
    """M1, M2, M4: everything in its place; the first player is named or drawn.

    Chests stand where nobody has been yet (M14).
    """
    draw_first(p, dice)
    place_camels(p)
    deal(p, box, dice)
    start_turn(p, p.first)


@rule
def place_camels(p: Position) -> None:
    """M4, M5, M40: clockwise from the first player, each on the next free space, which it has then
    reached.
    """
    for seat in range(p.players):
        p.camels[seat, 1] = -1
    seat = int(p.first)
    for space in range(p.players * camels_each(p)):
        p.camels[seat, space // p.players] = space
        p.reached[seat] |= 1 << space
        seat = next_seat(p, seat)


@rule
def camels_each(p: Position) -> int:
    """M40: two camels each for two players."""
    return 2 if p.players == 2 else 1


@rule
def deal(p: Position, box: Box, dice: Dice) -> None:
    """M2, M3: a chest of 3 and 5 hidden cards each, 5 open cards; the rest is the pile."""
    p.pile = all_cards(box)
    p.pile_size = total(p.pile)
    for seat in range(p.players):
        p.gold[seat] = box.start_gold
        for _ in range(box.start_hand):
            draw_unseen(p, seat, dice)
    fill_row(p, box, dice)


@rule
def all_cards(box: Box) -> int:
    cards = 0
    for kind in range(len(CARDS)):
        cards |= pack(kind, int(box.cards[kind % len(FACES)]))
    return cards


# Cards


@rule
def turn_up_card(p: Position, dice: Dice) -> int:
    """M17: the pile's top card; when the pile is empty the discards of this moment become the pile.

    -1: no card at all.
    """
    if p.pile_size == 0:
        shuffle_discards(p)
    if p.pile_size == 0:
        return -1
    kind = random_kind(p.pile, dice)
    p.pile = subtract(p.pile, 1 << kind)
    p.pile_size -= 1
    return kind


@rule
def shuffle_discards(p: Position) -> None:
    """M17, M18: everyone saw the discards, so everyone knows what the new pile holds, and nobody has drawn
    from it yet.
    """
    p.pile = p.discards
    p.pile_size = total(p.discards)
    p.discards = 0
    for seat in range(p.players):
        p.drawn[seat] = 0
        p.drawn_size[seat] = 0


@rule
def draw_unseen(p: Position, seat: int, dice: Dice) -> None:
    """M3, M17, M18: a card from the pile into a hand; the others see that it was taken, not what it is."""
    kind = turn_up_card(p, dice)
    p.hand[seat] = add(p.hand[seat], 1 << kind)
    p.hand_size[seat] += 1
    p.drawn[seat] = add(p.drawn[seat], 1 << kind)
    p.drawn_size[seat] += 1


@rule
def fill_row(p: Position, box: Box, dice: Dice) -> None:
    """M3, M17: the row is filled up to five, as far as pile and discards allow."""
    while p.row_size < box.start_row:
        kind = turn_up_card(p, dice)
        if kind < 0:
            return
        p.row = add(p.row, 1 << kind)
        p.row_size += 1


# Where camels are


@rule
def taken_spaces(p: Position, box: Box) -> int:
    """M11, M22: the set of spaces on which a camel stands, but for Ganzhou, where many may stand."""
    spaces = 0
    for seat in range(MAX_SEATS):  # seats that do not play count as on Ormuz, which is ahead of nobody
        spaces |= 1 << int(p.camels[seat, 0])
    if camels_each(p) == 2:
        spaces |= 1 << int(p.camels[0, 1]) | 1 << int(p.camels[1, 1])
    return spaces & ~(1 << int(box.cities_ganzhou))


@rule
def space_ahead(p: Position, box: Box, seat: int, camel: int) -> int:
    """M11, M25: the next free space ahead of a camel; those between are jumped."""
    space = int(p.camels[seat, camel]) + 1
    free = ~taken_spaces(p, box) >> space
    return space + popcount(np.uint64(~free & (free - 1)))


@rule
def next_space(p: Position, box: Box, camel: int) -> int:
    """M11: the next free space ahead of a camel of the seat to decide."""
    return space_ahead(p, box, p.turn, camel)


@rule
def reached_by_others(p: Position, seat: int) -> int:
    """M19, M42: the set of spaces that camels of a seat's opponents have reached."""
    spaces = 0
    for other in range(MAX_SEATS):
        if other != seat:
            spaces |= int(p.reached[other])
    return spaces


@rule
def foremost(p: Position, seat: int) -> int:
    """M31, M40: how far a seat's foremost camel has come."""
    return max(int(p.camels[seat, 0]), int(p.camels[seat, 1]))


# What a space gives


@rule
def value(scoring: NDArray[np.integer], city: int, space: int) -> int:
    """M21, M30: the gold of a space, by the list that runs from a city backwards; 0: not a scoring space."""
    before = city - space
    return int(scoring[before]) if 0 <= before < MAX_SCORED else 0


@rule
def first_places(box: Box, space: int) -> int:
    """M21: the gold of a space at the first scoring."""
    return value(box.scoring_ganzhou, int(box.cities_ganzhou), space)


@rule
def last_places(box: Box, space: int) -> int:
    """M30: the gold of a space at the end."""
    return value(box.scoring_dadu, int(box.cities_dadu), space)


@rule
def last_gold(p: Position, box: Box, seat: int) -> int:
    """M30, M40: the gold that a seat's camels get at the end, as they stand now."""
    gold = 0
    for camel in range(camels_each(p)):
        gold += last_places(box, int(p.camels[seat, camel]))
    return gold


@rule
def gold_of(p: Position, box: Box, seat: int) -> int:
    """M30: the gold that a seat has; once the game is over, with what its camels got at the end."""
    return int(p.gold[seat]) + (last_gold(p, box, seat) if p.phase == OVER else 0)


@rule
def chest_at(p: Position, box: Box, space: int) -> int:
    """M14: the gold of the chest on a space; 0 if there was none, or a camel has been there."""
    gold = int(box.track_chests[space])
    return 0 if gold and reached_by_others(p, -1) >> space & 1 else gold


# What a space demands


@rule
def size_of(demand: int) -> int:
    """M13: how many cards a demand takes."""
    return SIZES >> 4 * demand & 0b1111


@rule
def groups_of(demand: int) -> tuple[int, int, int]:
    """M13: the groups of kinds that a demand tells apart: the first, how many bits on the next one is, and
    how many there are.
    """
    if demand <= EACH_GOOD:
        return ONE_FACE, 1, len(GOODS)
    if demand <= DRIVERS:
        return ALL_DRIVERS, 1, 1
    return ONE_COLOUR, len(FACES), len(COLOURS)


@rule
def counted_for(demand: int) -> int:
    """M13: the kinds of cards that count for a demand, all groups together."""
    if demand <= EACH_GOOD:
        return ALL_GOODS
    return ALL_DRIVERS if demand <= DRIVERS else ALL_KINDS


@rule
def wants_each(demand: int) -> bool:
    """M13: one card of each group, not all cards of one."""
    return demand in (EACH_GOOD, EACH_COLOUR)


@rule
def fitting(demand: int, hand: int, paid: int) -> int:
    """M11, M13: the kinds that may be laid next, after those laid: none, unless the hand can complete the
    set.

    Of cards alike, those of groups with enough of them, laid or in hand, to which all that is laid belongs;
    of one of each, those of groups of which nothing is laid, if no group is missing.
    """
    group, shift, _ = groups_of(demand)
    counted = counted_for(demand)
    both = add(hand, paid)
    laid = kinds_in(paid)
    size = size_of(demand)
    enough = 0
    missing = 0
    untouched = 0
    # always as many, and without a branch: in random play nobody can guess what is demanded
    for _ in range(len(COLOURS)):
        there = how_many_of(both, group)
        if (there >= size) & (laid & ~group == 0):
            enough |= group
        if there == 0:
            missing |= group
        if laid & group == 0:
            untouched |= group
        group <<= shift
    if wants_each(demand):
        enough = 0 if missing & counted else untouched
    return enough & counted & kinds_in(hand)


# A turn


@rule
def start_turn(p: Position, seat: int) -> None:
    """M10, M40: the only camel moves, or one of two is chosen first."""
    p.turn = seat
    p.moving = 0 if camels_each(p) == 1 else -1
    p.stopped[0] = 0
    p.stopped[1] = 0
    p.lightened = 0


@rule
def choose(p: Position, camel: int) -> None:
    """M40, M41: the camel that goes on; by the plain rules the other one stays where it is for this turn."""
    p.moving = camel
    p.phase = STEP
    if p.two_players != STRATEGIC:
        p.stopped[1 - camel] = 1


@rule
def lay(p: Position, box: Box, kind: int) -> None:
    """M11, M12, M18: a card for the next free space; with the last one demanded they are discarded, and the
    camel goes there.
    """
    seat = p.turn
    card = 1 << kind
    p.hand[seat] = subtract(p.hand[seat], card)
    p.hand_size[seat] -= 1
    # which of two alike it was is not seen: what is left counts as unseen
    seen = int(kinds_in(p.seen[seat]) >> kind & 1)
    p.seen[seat] = subtract(p.seen[seat], seen << kind)
    p.paid = add(p.paid, card)
    p.phase = STEP
    space = next_space(p, box, p.moving)
    if total(p.paid) == size_of(int(box.track_demands[space])):
        p.discards = add(p.discards, p.paid)
        p.paid = 0
        enter(p, box, space)


@rule
def lighten(p: Position, box: Box) -> None:
    """M15: gold of value 1 takes the camel to the next free space, once in a turn."""
    p.gold[p.turn] -= 1
    p.spent[p.turn] += 1
    p.lightened = 1
    enter(p, box, next_space(p, box, p.moving))


@rule
def enter(p: Position, box: Box, space: int) -> None:
    """M12, M14, M19, M20, M30: a camel reaches a space; it may go on, but for a stage city."""
    seat = p.turn
    chest = chest_at(p, box, space)
    p.gold[seat] += chest
    p.chests[seat] += chest
    p.camels[seat, p.moving] = space
    p.reached[seat] |= 1 << space
    p.still = -1
    p.phase = TURN
    if space == box.cities_dadu:
        finish(p, DADU)
    elif p.scored:
        if first_places(box, space):
            catch_up(p, box)
    elif space == box.cities_ganzhou:
        p.stopped[0] = 1
        p.stopped[1] = 1


@rule
def catch_up(p: Position, box: Box) -> None:
    """M23, M41: a straggler on a scoring space goes to Ganzhou at once, for no gold, and stops."""
    gather(p, box, p.turn, p.moving)
    p.stopped[p.moving] = 1


@rule
def gather(p: Position, box: Box, seat: int, camel: int) -> None:
    """M22: a camel is put on Ganzhou."""
    p.camels[seat, camel] = box.cities_ganzhou
    p.reached[seat] |= 1 << int(box.cities_ganzhou)


@rule
def draw(p: Position, box: Box, dice: Dice) -> None:
    """M10, M17: the pile's top card ends the turn."""
    draw_unseen(p, p.turn, dice)
    end_turn(p, box, dice)


@rule
def take(p: Position, box: Box, kind: int, dice: Dice) -> None:
    """M10, M17, M18: an open card ends the turn; all see who has it."""
    seat = p.turn
    p.row = subtract(p.row, 1 << kind)
    p.row_size -= 1
    p.hand[seat] = add(p.hand[seat], 1 << kind)
    p.hand_size[seat] += 1
    p.seen[seat] = add(p.seen[seat], 1 << kind)
    end_turn(p, box, dice)


@rule
def end_turn(p: Position, box: Box, dice: Dice) -> None:
    """M17, M20, M24: the row is filled; the first camel on Ganzhou calls the first scoring; on with the left
    neighbour.
    """
    fill_row(p, box, dice)
    p.still = 0
    next_turn(p, box)


@rule
def pass_turn(p: Position, box: Box) -> None:
    """M16, M17, M32: no card can be drawn; ten rounds in which everyone passes end the game, though somebody
    could move.
    """
    p.still += 1
    if p.still == STILL_ROUNDS * p.players:
        finish(p, STILLNESS)
    else:
        next_turn(p, box)


@rule
def next_turn(p: Position, box: Box) -> None:
    """M20, M24, M32: the first camel on Ganzhou calls the first scoring; on with the left neighbour, unless
    all are stuck permanently.
    """
    if not p.scored and p.moving >= 0 and p.camels[p.turn, p.moving] == box.cities_ganzhou:
        score_ganzhou(p, box)
    start_turn(p, next_seat(p, p.turn))
    if not any_card(p) and all_stuck(p, box):
        finish(p, DEADLOCK)


@rule
def score_ganzhou(p: Position, box: Box) -> None:
    """M21, M22, M40: gold for all camels on the scoring spaces, which then go to Ganzhou."""
    p.scored = 1
    for seat in range(p.players):
        for camel in range(camels_each(p)):
            gold = first_places(box, int(p.camels[seat, camel]))
            if gold:
                p.gold[seat] += gold
                p.ganzhou[seat] += gold
                gather(p, box, seat, camel)


# End and scoring


@rule
def finish(p: Position, ending: int) -> None:
    """M30, M32: at once, without another card; gold for the last stage is part of the scores."""
    p.ending = ending
    p.phase = OVER
    p.turn = -1


@rule
def all_stuck(p: Position, box: Box) -> bool:
    """M32: whether nobody could make a step in a turn.

    Where there is no card to draw either, that stays so: only steps bring cards into play, free spaces or
    open them to lightening.
    """
    for seat in range(p.players):
        for camel in range(camels_each(p)):
            space = space_ahead(p, box, seat, camel)
            if fitting(int(box.track_demands[space]), p.hand[seat], 0) or can_lighten(p, seat, space):
                return False
    return True


@rule
def stall_progress(p: Position) -> float:
    """M32: how much of ten rounds nobody has moved; or a deadlock."""
    if p.turn < 0:
        return 1.0 if p.ending != DADU else 0.0
    return max(int(p.still), 0) / (STILL_ROUNDS * int(p.players))


@rule
def tally(p: Position, box: Box, out: Scores, stride: int) -> None:
    """M2, M14, M15, M21, M30, M31: gold by where it came from, less what was paid; the foremost camel breaks
    a tie.
    """
    for seat in range(p.players):
        out[seat, START * stride] += box.start_gold
        out[seat, CHESTS * stride] += p.chests[seat]
        out[seat, FIRST_PLACES * stride] += p.ganzhou[seat]
        out[seat, LIGHTENINGS * stride] -= p.spent[seat]
        out[seat, LAST_PLACES * stride] += last_gold(p, box, seat)
        out[seat, (len(SOURCES) - 1) * stride + 1] = foremost(p, seat)


# Decisions


@rule
def legal(p: Position, box: Box, mask: Mask) -> None:
    """M10, M16: the chosen camel may go on, and a turn may end at any time but in the middle of a step."""
    actions = 0  # all of them are one word
    if p.moving >= 0 and not p.stopped[p.moving]:
        space = next_space(p, box, p.moving)
        actions = cards_for(p, box, space) << LAY | int(may_lighten(p, space)) << LIGHTEN
    if p.phase == TURN:
        if camels_each(p) == 2:
            actions |= int(may_choose(p, box, 0)) << CHOOSE | int(may_choose(p, box, 1)) << CHOOSE + 1
        actions |= draws(p)
    allow_set(mask, 0, actions)


@rule
def cards_for(p: Position, box: Box, space: int) -> int:
    """M11: the kinds of cards that the seat to decide may lay for a space."""
    return fitting(int(box.track_demands[space]), p.hand[p.turn], p.paid)


@rule
def may_lighten(p: Position, space: int) -> bool:
    """M15: once a turn, and not in the middle of a payment."""
    # & and |: without a branch that nobody can guess
    return bool((p.lightened == 0) & (p.paid == 0) & can_lighten(p, p.turn, space))


@rule
def can_lighten(p: Position, seat: int, space: int) -> bool:
    """M15, M19: with gold, to where an opponent's camel has been."""
    return bool((p.gold[seat] > 0) & (reached_by_others(p, seat) >> space & 1 == 1))


@rule
def may_choose(p: Position, box: Box, camel: int) -> bool:
    """M40, M41: another camel than the one that moves, if it can make a step: it then must."""
    if camel == p.moving or p.stopped[camel]:
        return False
    space = next_space(p, box, camel)
    return cards_for(p, box, space) != 0 or may_lighten(p, space)


@rule
def any_card(p: Position) -> bool:
    """M17: whether there is a card to draw."""
    return bool((p.row_size > 0) | pile_left(p))


@rule
def pile_left(p: Position) -> bool:
    """M17: whether the pile has a card, or discards to be shuffled into one."""
    return bool((p.pile_size > 0) | (p.discards != 0))


@rule
def draws(p: Position) -> int:
    """M10, M17: an open card or the pile's; who finds neither just passes."""
    return kinds_in(p.row) << TAKE | int(pile_left(p)) << DRAW | int(not any_card(p)) << PASS


@rule
def play(p: Position, box: Box, action: int, dice: Dice) -> None:
    """M10 to M42, one decision at a time."""
    if action < LIGHTEN:
        lay(p, box, action - LAY)
    elif action == LIGHTEN:
        lighten(p, box)
    elif action < TAKE:
        choose(p, action - CHOOSE)
    elif action < DRAW:
        take(p, box, action - TAKE, dice)
    elif action == DRAW:
        draw(p, box, dice)
    else:
        pass_turn(p, box)


# Hidden information


@rule
def hide(p: Position, box: Box, viewer: int) -> None:
    """M18: of other hands only what everyone saw go in is left.

    What others drew unseen may as well be in the pile.
    """
    for seat in range(p.players):
        if seat != viewer:
            p.hand[seat] = p.seen[seat]
            p.pile = add(p.pile, p.drawn[seat])
            p.drawn[seat] = 0


@rule
def imagine(p: Position, box: Box, viewer: int, dice: Dice) -> None:
    """M17, M18: deals the pile and the other hands, such as `viewer` may believe them to be.

    What lies in the pile was in it when it was shuffled (all know what that was), and has not been turned up
    or drawn by the viewer since. Cards drawn since come from there too. The rest of the hands is older. Which
    of a hand's cards is older is not known once it has laid some, nor after a second shuffle; there the deal
    is a little wider than perfect memory would make it.
    """
    past = p.pile  # what was in the present pile when it was shuffled, less what the viewer saw come out
    unknown = unknown_cards(p, box)
    if p.phase == STEP and p.turn != viewer:
        unknown = imagine_step(p, box, past, unknown, dice)
    p.pile = 0
    for _ in range(p.pile_size):
        card = 1 << random_kind(minimum(past, unknown), dice)
        past = subtract(past, card)
        unknown = subtract(unknown, card)
        p.pile = add(p.pile, card)
    start = roll(dice, p.players)
    # what hands have drawn from the present pile, as far as they can still hold it
    for nth in range(p.players):
        seat = (start + nth) % p.players
        if seat != viewer:
            past, unknown = imagine_draws(p, seat, past, unknown, dice)
    # the rest of what a seat drew, it has laid since; the rest of a hand is older
    for seat in range(p.players):
        if seat != viewer:
            past = imagine_laid(p, seat, past, dice)
            unknown = imagine_rest(p, seat, unknown, dice)


@rule
def unknown_cards(p: Position, box: Box) -> int:
    """The cards of which a view does not tell where they are: in the pile, or in the hidden part of a
    hand.
    """
    cards = subtract(subtract(subtract(all_cards(box), p.row), p.discards), p.paid)
    for seat in range(p.players):
        cards = subtract(cards, p.hand[seat])
    return cards


@rule
def imagine_step(p: Position, box: Box, past: int, unknown: int, dice: Dice) -> int:
    """M11, M40: whoever has begun a step can complete it, so the hand gets what that takes; first what cannot
    be in the pile.
    """
    seat = p.turn
    space = next_space(p, box, p.moving)
    while not cards_for(p, box, space) and not may_lighten(p, space):
        older = subtract(unknown, minimum(past, unknown))
        kinds = helping(p, int(box.track_demands[space]), unknown, older)
        both_digits = kinds | kinds << UPPER
        card = 1 << random_kind(older & both_digits or unknown & both_digits, dice)
        unknown = subtract(unknown, card)
        p.hand[seat] = add(p.hand[seat], card)
    return unknown


@rule
def helping(p: Position, demand: int, unknown: int, older: int) -> int:
    """M13: the kinds of which one more card brings a hand nearer to what it needs, with a way left to give it
    all of that.
    """
    hand = p.hand[p.turn]
    hidden = int(p.hand_size[p.turn]) - total(hand)
    spare = total(unknown) - total(older) - p.pile_size  # cards that may be in the pile and need not
    group, shift, groups = groups_of(demand)
    kinds = 0
    for _ in range(groups):
        missing = size_of(demand) - how_many_of(hand, group) - how_many_of(p.paid, group)
        if wants_each(demand):
            helps = (kinds_in(hand) | kinds_in(p.paid)) & group == 0
        elif kinds_in(p.paid) & ~group:
            helps = False
        else:
            helps = missing <= min(hidden, how_many_of(unknown, group), how_many_of(older, group) + spare)
        if helps:
            kinds |= group
        group <<= shift
    return kinds


@rule
def imagine_draws(p: Position, seat: int, past: int, unknown: int, dice: Dice) -> tuple[int, int]:
    """What a hand has drawn from the present pile, as far as it can still hold it."""
    for _ in range(min(int(p.hand_size[seat]) - total(p.hand[seat]), p.drawn_size[seat])):
        cards = minimum(past, unknown)
        if cards:
            card = 1 << random_kind(cards, dice)
            past = subtract(past, card)
            unknown = subtract(unknown, card)
            p.hand[seat] = add(p.hand[seat], card)
            p.drawn[seat] = add(p.drawn[seat], card)
    return past, unknown


@rule
def imagine_laid(p: Position, seat: int, past: int, dice: Dice) -> int:
    """The rest of what a seat drew from the present pile: it has laid that since."""
    for _ in range(int(p.drawn_size[seat]) - total(p.drawn[seat])):
        card = 1 << random_kind(past, dice)
        past = subtract(past, card)
        p.drawn[seat] = add(p.drawn[seat], card)
    return past


@rule
def imagine_rest(p: Position, seat: int, unknown: int, dice: Dice) -> int:
    """The rest of a hand."""
    for _ in range(int(p.hand_size[seat]) - total(p.hand[seat])):
        card = 1 << random_kind(unknown, dice)
        unknown = subtract(unknown, card)
        p.hand[seat] = add(p.hand[seat], card)
    return unknown


# Checks on data that comes in


def check_box(box: Box) -> list[str]:
    """M2, M13, M20, M30: what the fields' own limits do not say about a box."""
    return [*_city_errors(box), *_demand_errors(box), *_chest_errors(box), *_card_errors(box)]


def _city_errors(box: Box) -> list[str]:
    """M20, M30: the scoring spaces of Ganzhou come after the starting spaces, those of Dadu after Ganzhou."""
    errors = []
    before = MAX_CAMELS - 1
    for name, city, scoring in (
        ("ganzhou", int(box.cities_ganzhou), [int(gold) for gold in box.scoring_ganzhou]),
        ("dadu", int(box.cities_dadu), [int(gold) for gold in box.scoring_dadu]),
    ):
        spaces = sum(gold > 0 for gold in scoring)
        if spaces == 0 or not all(scoring[:spaces]):
            errors.append(
                f"scoring.{name}: expected the gold of the city's space, then of each space before it, all above 0"
            )
        if city - spaces < before:
            errors.append(
                f"cities.{name}: expected at least {before + spaces}, so that its scoring spaces start after space {before}"
            )
        before = city
    return errors


def _demand_errors(box: Box) -> list[str]:
    """M13: every space after Ormuz demands something that the cards of the box can give."""
    errors = []
    for space, demand in enumerate(int(demand) for demand in box.track_demands):
        if (demand != NOTHING) != (0 < space <= box.cities_dadu):
            expected = (
                "a demand, up to Dadu"
                if 0 < space <= box.cities_dadu
                else "nothing: there is no space to enter"
            )
            errors.append(f"track.demands.{space}: expected {expected}; found {DEMANDS[demand]!r}")
        elif demand != NOTHING and not fitting(demand, all_cards(box), 0):
            errors.append(f"track.demands.{space}: not even all cards of the box give {DEMANDS[demand]!r}")
    return errors


def _chest_errors(box: Box) -> list[str]:
    """M2: no chest on a starting space, nor beyond Dadu."""
    errors = []
    for space in range(MAX_STEPS):
        if box.track_chests[space] and not MAX_CAMELS <= space <= box.cities_dadu:
            why = "camels start there" if space < MAX_CAMELS else "that is beyond Dadu"
            errors.append(f"track.chests.{space}: no chest can stand there, {why}")
    return errors


def _card_errors(box: Box) -> list[str]:
    """M3: there are cards for all hands and the row."""
    needed, cards = SEATS.most * int(box.start_hand) + int(box.start_row), total(all_cards(box))
    return [f"cards: {cards} are not enough for the hands and the row: {needed}"] if cards < needed else []


# What holds in every position that play can reach; `violated_invariant` names what does not, and where.
INVARIANTS = Invariants(
    {"card": CARDS},
    players="players: expected 2 to 5",
    cards="cards: not as many as the box holds: {card}",
    hand="hand_size: not the number of cards in hand: seat {seat}",
    drawn="drawn_size: not the number of cards drawn: seat {seat}",
    seen="seen: more than the hand holds: seat {seat}",
    camels="camels: one each, two each for two players, on different spaces before Dadu, but for Ganzhou: seat {seat}",
    reached="reached: not the space where a camel stands, or one beyond the foremost camel: seat {seat}",
    gold="gold: not what a seat began with, got from chests and at the first scoring, less what it has spent: seat {seat}",
    ganzhou="ganzhou: no gold of the first scoring before it has taken place: seat {seat}",
    scored=(
        "scored: only a camel that has just stopped there is on Ganzhou before the first scoring, and none beyond; "
        "none is on a scoring space before Ganzhou afterwards: seat {seat}"
    ),
    sizes="pile_size, row_size: not the number of cards there, or a row that was not filled",
    turn="turn: somebody decides until the phase is over, and nobody then",
    step="step: a camel that has been chosen, or cards laid, without a way to complete the step",
)
WRONG_PLAYERS = INVARIANTS["players"]
WRONG_CARDS = INVARIANTS["cards"]
WRONG_HAND = INVARIANTS["hand"]
WRONG_DRAWN = INVARIANTS["drawn"]
WRONG_SEEN = INVARIANTS["seen"]
WRONG_CAMELS = INVARIANTS["camels"]
WRONG_REACHED = INVARIANTS["reached"]
WRONG_GOLD = INVARIANTS["gold"]
WRONG_GANZHOU = INVARIANTS["ganzhou"]
WRONG_SCORED = INVARIANTS["scored"]
WRONG_SIZES = INVARIANTS["sizes"]
WRONG_TURN = INVARIANTS["turn"]
WRONG_STEP = INVARIANTS["step"]


@rule
def violated_invariant(p: Position, box: Box) -> tuple[int, int]:
    """M1, M3, M10, M11: the first invariant that a position violates, and the card or seat; VALID if none."""
    if not PLAYERS[0] <= p.players <= PLAYERS[1]:
        return WRONG_PLAYERS, 0
    for kind in range(len(CARDS)):
        if cards_there(p, kind) != box.cards[kind % len(FACES)]:
            return WRONG_CARDS, kind
    for seat in range(p.players):
        violated = violated_by_seat(p, box, seat)
        if violated:
            return violated, seat
    if (
        total(p.pile) != p.pile_size
        or total(p.row) != p.row_size
        or (p.row_size < box.start_row and p.pile_size > 0)
    ):
        return WRONG_SIZES, 0
    if (p.turn < 0) != (p.phase == OVER) or (p.turn < 0) != (p.ending > 0):
        return WRONG_TURN, 0
    return (VALID if p.turn < 0 or step_fits(p, box) else WRONG_STEP), 0


@rule
def cards_there(p: Position, kind: int) -> int:
    """How many cards of a kind there are, wherever they are."""
    cards = (
        how_many(p.pile, kind) + how_many(p.row, kind) + how_many(p.discards, kind) + how_many(p.paid, kind)
    )
    for seat in range(p.players):
        cards += how_many(p.hand[seat], kind)
    return cards


@rule
def violated_by_seat(p: Position, box: Box, seat: int) -> int:
    """M2, M4, M14, M15, M18 to M22: a seat's counts agree with what they count, and its camels stand where
    camels may.
    """
    if total(p.hand[seat]) != p.hand_size[seat]:
        return WRONG_HAND
    if total(p.drawn[seat]) != p.drawn_size[seat]:
        return WRONG_DRAWN
    if minimum(p.seen[seat], p.hand[seat]) != p.seen[seat]:
        return WRONG_SEEN
    if int(p.gold[seat]) + int(p.spent[seat]) != int(box.start_gold) + int(p.chests[seat]) + int(
        p.ganzhou[seat]
    ):
        return WRONG_GOLD
    if p.ganzhou[seat] and not p.scored:
        return WRONG_GANZHOU
    if camels_each(p) == 1 and p.camels[seat, 1] != -1:
        return WRONG_CAMELS
    for camel in range(camels_each(p)):
        violated = violated_by_camel(p, box, seat, camel)
        if violated:
            return violated
    return VALID


@rule
def violated_by_camel(p: Position, box: Box, seat: int, camel: int) -> int:
    """M4, M19, M20, M22: a camel stands alone on a space it has reached, or on Ganzhou."""
    space = int(p.camels[seat, camel])
    ganzhou = int(box.cities_ganzhou)
    if not 0 <= space <= box.cities_dadu or (space == box.cities_dadu and p.turn >= 0):
        return WRONG_CAMELS
    front = space
    there = 0
    for other in range(p.players):
        for one in range(camels_each(p)):
            front = max(front, int(p.camels[other, one]))
            there += p.camels[other, one] == space
    if there > 1 and space != ganzhou:
        return WRONG_CAMELS
    if not p.reached[seat] >> space & 1 or p.reached[seat] >> (front + 1):
        return WRONG_REACHED
    if p.scored:
        return WRONG_SCORED if space != ganzhou and first_places(box, space) else VALID
    just_come = seat == p.turn and camel == p.moving and p.stopped[camel]
    return WRONG_SCORED if space > ganzhou or (space == ganzhou and not just_come) else VALID


@rule
def step_fits(p: Position, box: Box) -> bool:
    """M11, M13, M40: what is laid fits the next space, and whoever has begun a step can complete it."""
    if p.moving >= camels_each(p) or (p.moving < 0 and (camels_each(p) == 1 or p.phase == STEP)):
        return False
    if p.phase == TURN:
        return bool(p.paid == 0)
    space = next_space(p, box, p.moving)
    demand = int(box.track_demands[space])
    if (
        p.stopped[p.moving]
        or total(p.paid) >= size_of(demand)
        or (wants_each(demand) and not all_differ(demand, p.paid))
    ):
        return False
    return cards_for(p, box, space) != 0 or may_lighten(p, space)


@rule
def all_differ(demand: int, paid: int) -> bool:
    """M13: at most one card of each group is laid."""
    group, shift, groups = groups_of(demand)
    for _ in range(groups):
        if how_many_of(paid, group) > 1:
            return False
        group <<= shift
    return True
