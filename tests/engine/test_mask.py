"""Sets of actions as bits do what sets do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comptoir.engine import mask as masks

ACTIONS = 200
actions = st.integers(0, ACTIONS - 1)


@pytest.mark.parametrize(("number", "words"), [(1, 1), (63, 1), (64, 1), (65, 2), (4096, 64), (4097, 65)])
def test_a_word_for_every_64_actions(number: int, words: int) -> None:
    assert len(masks.new_mask(number)) == words


@given(st.sets(actions), actions)
def test_forbid(chosen: set[int], other: int) -> None:
    mask = masks.new_mask(ACTIONS)
    for action in chosen | {other}:
        masks.allow(mask, action)
    for _ in range(2):  # what is forbidden already stays so
        masks.forbid(mask, other)
        assert masks.members(mask) == sorted(chosen - {other})


@given(st.sets(actions))
def test_members_and_count(chosen: set[int]) -> None:
    mask = masks.new_mask(ACTIONS)
    for action in chosen:
        masks.allow(mask, action)
    assert masks.members(mask) == sorted(chosen)
    assert masks.count(mask) == len(chosen)
    assert all(masks.allows(mask, action) == (action in chosen) for action in range(ACTIONS))
    assert [masks.pick(mask, k) for k in range(len(chosen))] == sorted(chosen)


@given(actions, actions)
def test_a_range_holds_both_ends_and_may_be_empty(first: int, last: int) -> None:
    mask = masks.new_mask(ACTIONS)
    masks.allow_range(mask, first, last)
    assert masks.members(mask) == list(range(first, last + 1))


def test_a_range_below_a_small_number_is_empty() -> None:
    """A record's numbers are small: 0 - 1 must not become 255."""
    mask = masks.new_mask(ACTIONS)
    masks.allow_range(mask, np.uint8(1), np.uint8(0))  # type: ignore[arg-type]
    assert masks.members(mask) == []


@given(actions, st.booleans())
def test_allow_if(action: int, condition: bool) -> None:
    mask = masks.new_mask(ACTIONS)
    masks.allow_if(mask, action, condition)
    assert masks.members(mask) == [action] * condition


def test_clear_empties() -> None:
    mask = masks.new_mask(ACTIONS)
    masks.allow_range(mask, 0, ACTIONS - 1)
    masks.clear(mask)
    assert masks.members(mask) == []


@given(actions, st.sets(st.integers(0, 62)))
def test_allow_set(first: int, numbers: set[int]) -> None:
    mask = masks.new_mask(ACTIONS + 64)
    masks.allow_set(mask, first, sum(1 << n for n in numbers))
    assert masks.members(mask) == sorted(first + n for n in numbers)
