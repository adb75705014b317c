"""Packed counts do what counts do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comptoir.engine import counts

KINDS = 31
rows = st.lists(st.integers(0, 3), min_size=KINDS, max_size=KINDS)


def packed(row: list[int]) -> int:
    return sum(counts.pack(kind, n) for kind, n in enumerate(row))


@pytest.mark.slow
@given(rows, st.sets(st.integers(0, KINDS - 1)))
def test_counting(row: list[int], kinds: set[int]) -> None:
    together = packed(row)
    assert [counts.how_many(together, kind) for kind in range(KINDS)] == row
    assert counts.total(together) == sum(row)
    assert counts.kinds_in(together) == sum(1 << kind for kind, n in enumerate(row) if n)
    assert counts.how_many_of(together, sum(1 << kind for kind in kinds)) == sum(row[kind] for kind in kinds)


@pytest.mark.slow
@given(rows, rows)
def test_sums_differences_and_the_least(one: list[int], other: list[int]) -> None:
    least = [min(pair) for pair in zip(one, other, strict=True)]
    rest = [a - b for a, b in zip(one, least, strict=True)]
    assert counts.minimum(packed(one), packed(other)) == packed(least)
    assert counts.subtract(packed(one), packed(least)) == packed(rest)
    assert counts.add(packed(rest), packed(least)) == packed(one)


def test_every_pair_of_numbers() -> None:
    """Each kind has another pair, all at once: no kind's digits touch those of the next."""
    pairs = [(a, b) for a in range(4) for b in range(4)]
    one, other = (packed([pair[which] for pair in pairs]) for which in range(2))
    assert counts.minimum(one, other) == packed([min(pair) for pair in pairs])
    small = [(a, b) for a, b in pairs if a + b <= 3]
    assert counts.add(*(packed([pair[which] for pair in small]) for which in range(2))) == packed(
        [a + b for a, b in small]
    )


def test_every_thing_is_as_likely() -> None:
    row, dice = [3, 0, 2, 1, *[0] * 27], np.array([1], np.uint64)
    drawn = np.bincount([counts.random_kind(packed(row), dice) for _ in range(6000)], minlength=4)
    assert drawn[1] == 0
    assert abs(drawn[:4] - np.array([3000, 0, 2000, 1000])).max() < 200
