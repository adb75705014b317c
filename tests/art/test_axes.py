"""Axes of charts."""

from __future__ import annotations

import pytest

from comptoir.art.axes import Axis, enclosing, round_step


def test_a_value_lies_in_proportion() -> None:
    axis = Axis(100, 300, -1, 1)
    assert [axis.at(value) for value in (-1, 0, 1, 2)] == [100, 200, 300, 400]


def test_an_axis_may_run_upwards() -> None:
    """On a page y grows downwards, and shares grow upwards."""
    assert Axis(272, 40, 0, 1).at(0.25) == 214


@pytest.mark.parametrize(
    ("low", "high", "about", "ticks"),
    [(0, 0.6, 5, [0, 0.2, 0.4, 0.6]), (-200, 400, 4, [-200, 0, 200, 400]), (1, 9, 4, [2, 4, 6, 8])],
)
def test_ticks_are_round(low: float, high: float, about: int, ticks: list[float]) -> None:
    assert Axis(0, 1, low, high).ticks(about) == pytest.approx(ticks)


def test_ends_are_round_too() -> None:
    assert enclosing(-130, 212, 8) == (-150, 250)
    assert round_step(0, 5) > 0  # all values alike
