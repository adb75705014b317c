"""Axes of charts: where a value lies on the page, and which values get a tick."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Axis:
    """A linear axis: the values `low` to `high`, drawn from `start` to `end`."""

    start: float
    end: float
    low: float
    high: float

    def at(self, value: float) -> float:
        """Where a value lies on the page."""
        return self.start + (self.end - self.start) * (value - self.low) / (self.high - self.low)

    def ticks(self, about: int) -> list[float]:
        """Round values on the axis, about that many of them."""
        step = round_step(self.high - self.low, about)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [tick * step for tick in range(first, last + 1)]


def round_step(span: float, about: int) -> float:
    """A round distance between ticks, for about that many of them in a span."""
    least = max(span, 1e-9) / about
    power = math.pow(10, math.floor(math.log10(least)))
    return next(power * n for n in (1, 2, 5, 10) if power * n >= least * 0.999)


def enclosing(low: float, high: float, about: int) -> tuple[float, float]:
    """The ends of an axis: the round values just outside both."""
    step = round_step(high - low, about)
    return math.floor(low / step) * step, math.ceil(high / step) * step
