"""Dice are fair, the same everywhere, and tell nothing about what comes."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from comptoir.engine.dice import deal, dice_for, draw_from, roll

# The first words of SplitMix64, as published with the algorithm and with others that start from it.
SPLITMIX = {
    1234567: [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ],
    0: [
        0xE220_A839_7B1D_CDAF,
        0x6E78_9E6A_A1B9_65F4,
        0x06C4_5D18_8009_454F,
        0xF88B_B8A8_724C_81EC,
        0x1B39_896A_51A8_749B,
    ],
}


@pytest.mark.parametrize("seed", SPLITMIX)
@pytest.mark.parametrize("sides", [1 << 31, 15 << 27])
def test_splitmix_numbers(seed: int, sides: int) -> None:
    """A roll takes their upper half; one of many sides depends on its last bit."""
    dice, words = np.array([seed], np.uint64), SPLITMIX[seed]
    assert [roll(dice, sides) for _ in words] == [(word >> 32) * sides >> 32 for word in words]


@pytest.mark.parametrize("sides", [1, 2, 6, 35, 110])
def test_every_side_comes_up_about_as_often(sides: int) -> None:
    dice = np.array([5], np.uint64)
    counts = np.bincount([roll(dice, sides) for _ in range(200 * sides)], minlength=sides)
    assert len(counts) == sides
    assert ((counts - 200) ** 2 / 200).sum() < sides + 5 * np.sqrt(2 * sides) + 1  # chi squared


def test_drawing_takes_each_thing_once() -> None:
    counts, dice = np.array([3, 0, 2, 1], np.uint8), np.array([1], np.uint64)
    drawn = [draw_from(counts, total, dice) for total in range(6, 0, -1)]
    assert sorted(drawn) == [0, 0, 0, 2, 2, 3]
    assert not counts.any()


def test_dealing_moves_things_at_random() -> None:
    """All that there are, if they are fewer than asked for."""
    seen = set()
    for seed in range(50):
        deck, hand = np.array([3, 0, 2], np.uint8), np.zeros(3, np.uint8)
        deal(deck, 2, hand, dice_for(str(seed), 0))
        assert (deck + hand).tolist() == [3, 0, 2]
        assert hand.sum() == 2
        seen.add(tuple(hand.tolist()))
        deal(deck, 9, hand, dice_for(str(seed), 1))
        assert (deck.tolist(), hand.tolist()) == ([0, 0, 0], [3, 0, 2])
    assert seen == {(2, 0, 0), (1, 0, 1), (0, 0, 2)}


def test_dice_of_a_match_depend_on_seed_and_number_alone() -> None:
    """The first eight bytes of a hash of both: whoever has the seed can check every roll."""
    hashed = hashlib.sha256(b"7/3").digest()
    assert int(dice_for("7", 3)[0]) == sum(byte << 8 * n for n, byte in enumerate(hashed[:8]))
    assert dice_for("7", 3) == dice_for("7", 3)
    assert len({int(dice_for(seed, number)[0]) for seed in ("7", "8", "x") for number in range(50)}) == 150
