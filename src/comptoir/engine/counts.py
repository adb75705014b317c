"""Counts of up to 31 kinds of things, 0 to 3 of each, in one 64-bit integer, where a row of small numbers
would take 31 bytes.

Bit `kind` is the lower binary digit of a kind's count and bit `32 + kind` the upper one. So which kinds there
are, how many there are of a set of kinds, and sums and differences are each a few operations on whole words.
The integers are signed: where signed and unsigned ones meet, Numba makes floats. Sets of kinds have one bit a
kind.
"""

from __future__ import annotations

import numpy as np

from comptoir.engine.dice import roll
from comptoir.engine.mask import popcount, select_bit
from comptoir.engine.rule import Dice, rule

UPPER = 32  # how far the upper digits are from the lower ones
LOWER = (1 << UPPER) - 1  # the lower digits


@rule
def pack(kind: int, n: int) -> int:
    """A count of one kind, and nothing else."""
    return (n & 1) << kind | (n >> 1) << (UPPER + kind)


@rule
def how_many(counts: int, kind: int) -> int:
    return int((counts >> kind & 1) + 2 * (counts >> (UPPER + kind) & 1))


@rule
def kinds_in(counts: int) -> int:
    """The set of kinds of which there is at least one."""
    return (counts | counts >> UPPER) & LOWER


@rule
def how_many_of(counts: int, kinds: int) -> int:
    """How many there are of all kinds in a set together."""
    return popcount(np.uint64(counts & kinds)) + 2 * popcount(np.uint64(counts >> UPPER & kinds))


@rule
def total(counts: int) -> int:
    return how_many_of(counts, LOWER)


@rule
def add(one: int, other: int) -> int:
    """The sum of two counts, which must not exceed 3 of a kind: all lower digits are added at once, then all
    upper ones.
    """
    return one ^ other ^ (one & other & LOWER) << UPPER


@rule
def subtract(one: int, other: int) -> int:
    """The difference of two counts, which must not be below 0 of a kind."""
    return one ^ other ^ (~one & other & LOWER) << UPPER


@rule
def minimum(one: int, other: int) -> int:
    """Of each kind the smaller of two counts."""
    high = one >> UPPER
    other_high = other >> UPPER
    below = (
        ~high & other_high | ~(high ^ other_high) & ~one & other
    ) & LOWER  # the kinds of which `one` has fewer
    fewer = below | below << UPPER
    return one & fewer | other & ~fewer


@rule
def random_kind(counts: int, dice: Dice) -> int:
    """The kind of a random one of the counted things, all equally likely; there must be some."""
    single = popcount(np.uint64(counts & LOWER))
    nth = roll(dice, single + 2 * popcount(np.uint64(counts >> UPPER)))
    if nth < single:
        return select_bit(np.uint64(counts & LOWER), nth)
    return select_bit(np.uint64(counts >> UPPER), (nth - single) >> 1)
