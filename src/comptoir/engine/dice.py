"""Chance. `dice` is an argument of every rule that needs it and never part of a position, so no position
holds a future.
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from comptoir.engine.rule import Dice, rule

WORD = 0xFFFF_FFFF_FFFF_FFFF


@rule
def roll(dice: Dice, sides: int) -> int:
    """A number in 0..sides-1, by SplitMix64 (Steele, Lea and Flood 2014) and a 32-bit multiply-shift.

    `int` makes the words plain integers where this runs interpreted, and does nothing where it is compiled:
    there the word wraps around.
    """
    word = (int(dice[0]) + 0x9E37_79B9_7F4A_7C15) & WORD
    dice[0] = word
    word = ((word ^ (word >> 30)) * 0xBF58_476D_1CE4_E5B9) & WORD
    word = ((word ^ (word >> 27)) * 0x94D0_49BB_1331_11EB) & WORD
    return int((np.int64((word ^ (word >> 31)) >> 32) * sides) >> 32)


@rule
def draw_from(counts: NDArray[np.uint8], total: int, dice: Dice) -> int:
    """Takes one at random out of `total` counted things: decided when it is turned up, no earlier."""
    nth = roll(dice, total)
    kind = 0
    up_to = 0
    # through all of them: a processor cannot predict a loop that chance stops
    for one in range(len(counts) - 1):
        up_to += int(counts[one])
        kind += nth >= up_to
    counts[kind] -= 1
    return kind


@rule
def deal(pile: NDArray[np.uint8], things: int, to: NDArray[np.uint8], dice: Dice) -> None:
    """Moves so many things at random from one row of counts to another, such as cards from a deck to a hand;
    all that there are if they are fewer.
    """
    total = 0
    for kind in range(len(pile)):
        total += int(pile[kind])
    for _ in range(min(int(things), total)):
        to[draw_from(pile, total, dice)] += 1
        total -= 1


def dice_for(seed: str, number: int) -> Dice:
    """Fresh dice for the action after position `number` of the match with this seed."""
    return np.array([first_word(seed, number)], np.uint64)


def first_word(seed: str, number: int) -> int:
    """What these dice start from.

    Hashing the seed with the number means that what has been rolled tells nothing about what will be: a
    table's server can show a hash of the seed at the start, the seed at the end, and anyone can check every
    roll.
    """
    return int.from_bytes(hashlib.sha256(f"{seed}/{number}".encode()).digest()[:8], "little")
