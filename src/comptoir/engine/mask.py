"""Sets of actions, as bits in 64-bit words: compact on a GPU, and a range of bids is marked at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from comptoir.engine.dice import WORD
from comptoir.engine.rule import Mask, rule

ONE = np.uint64(1)
ALL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
PAIRS = np.uint64(0x5555_5555_5555_5555)
FOURS = np.uint64(0x3333_3333_3333_3333)
BYTES = np.uint64(0x0F0F_0F0F_0F0F_0F0F)


def new_mask(actions: int) -> Mask:
    """An empty set that can hold actions 0..actions-1."""
    return np.zeros((actions + 63) // 64, np.uint64)


def members(mask: Mask) -> list[int]:
    """The actions of a set, in order."""
    return [int(action) for action in np.flatnonzero(as_bools(mask))]


def as_bools(mask: Mask) -> NDArray[np.bool_]:
    """A set, one truth value per action."""
    return np.unpackbits(mask.view(np.uint8), bitorder="little").astype(np.bool_)


@rule
def clear(mask: Mask) -> None:
    for word in range(len(mask)):
        mask[word] = 0


@rule
def allow(mask: Mask, action: int) -> None:
    mask[action >> 6] |= ONE << np.uint64(action & 63)


@rule
def allow_if(mask: Mask, action: int, condition: bool) -> None:
    """Allows the action if the condition holds: without a branch, which a processor could not predict in
    random play.
    """
    mask[action >> 6] |= np.uint64(condition) << np.uint64(action & 63)


@rule
def forbid(mask: Mask, action: int) -> None:
    mask[action >> 6] &= ~(ONE << np.uint64(action & 63))


@rule
def allow_range(mask: Mask, first: int, last: int) -> None:
    """Allows first..last, both included; nothing if last < first.

    `int`: a record's small numbers would not go below 0.
    """
    for word in range(len(mask)):
        low = max(int(first) - 64 * word, 0)
        high = min(int(last) - 64 * word, 63)
        if low <= high:
            mask[word] |= (ALL >> np.uint64(63 - (high - low))) << np.uint64(low)


@rule
def allow_set(mask: Mask, first: int, members: int) -> None:
    """Allows first + n for each n in a set of numbers below 63, one bit each."""
    word = first >> 6
    shift = np.uint64(first & 63)
    mask[word] |= np.uint64(members) << shift
    above = np.uint64(members >> 1) >> (np.uint64(63) - shift)  # in two steps: no word can be shifted by 64
    if above:
        mask[word + 1] |= above


@rule
def allows(mask: Mask, action: int) -> bool:
    return bool((mask[action >> 6] >> np.uint64(action & 63)) & ONE)


@rule
def popcount(word: np.uint64) -> int:
    """How many bits are set: add neighbours into pairs, fours and bytes, then all bytes into the top one.

    Compilers know this form and make it one instruction.
    """
    word = word - ((word >> ONE) & PAIRS)
    word = (word & FOURS) + ((word >> np.uint64(2)) & FOURS)
    word = (word + (word >> np.uint64(4))) & BYTES
    return int(np.int64(((int(word) * 0x0101_0101_0101_0101) & WORD) >> 56))


@rule
def count(mask: Mask) -> int:
    total = 0
    for word in range(len(mask)):
        total += popcount(mask[word])
    return total


@rule
def pick(mask: Mask, k: int) -> int:
    """The k-th action of the set, from 0."""
    word = 0
    here = popcount(mask[0])
    while k >= here:
        k -= here
        word += 1
        here = popcount(mask[word])
    return 64 * word + select_bit(mask[word], k)


@rule
def select_bit(bits: np.uint64, k: int) -> int:
    """The place of the k-th bit that is set, from 0: drop the lowest k, then count the zeros below the
    next.
    """
    for _ in range(k):
        bits = bits & (bits - ONE)
    return popcount(~bits & (bits - ONE))
