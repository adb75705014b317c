"""What can be said of two boxes from matches on the same deals, and how surely.

A deal is what counts once: all that its matches tell, on both boxes, is one observation. A figure is a mean
over matches, or over those in which it is defined; its error is that of the deals' influence on it. So an
interval is right whether the matches of a deal are alike or not, and the more they are, the narrower the
interval of a difference is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from comptoir.extras import needs

with needs("lab"):
    from scipy import stats

Floats = NDArray[np.float64]

FAMILYWISE_ERROR = 0.05  # the chance that a report finds any difference where there is none
FEW = 10  # deals with a figure that not all have: fewer may agree by chance
POWER = 0.8  # how surely a difference that "would have been seen" is


@dataclass(frozen=True)
class Estimate:
    """A figure with its 95% interval, and how much single matches differ in it."""

    value: float
    low: float
    high: float
    std_dev: float  # of single matches
    deals: int

    def to_dict(self) -> dict[str, float]:
        return {"value": self.value, "low": self.low, "high": self.high, "std_dev": self.std_dev}


@dataclass(frozen=True)
class Difference:
    """What the change does to a figure, with its 95% interval."""

    value: float
    low: float
    high: float
    std_error: float
    p: float  # the chance of as much by chance alone
    effect_size: float  # Cohen's d: the difference divided by the standard deviation of single matches
    pairing_gain: float  # variance reduction by common random numbers: as many times the deals otherwise
    detectable_effect: float = math.nan  # minimum detectable effect at a power of 80%
    significant: bool = False  # after Holm's correction, among all metrics of the report

    def to_dict(self) -> dict[str, float | bool]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def estimate(values: Floats, share: bool = False) -> Estimate:
    """The mean of a figure over deals, NaN where it is not defined. A share stays between 0 and 1."""
    mean, influence = _influence(values)
    deals = int(np.count_nonzero(~np.isnan(values)))
    if deals < 2:
        return Estimate(mean, math.nan, math.nan, math.nan, deals)
    spread = float(np.nanstd(values, ddof=1))
    if share:
        low, high = _wilson(mean, influence, deals)
    else:
        reach = _student(deals) * _error(influence)
        low, high = mean - reach, mean + reach
    return Estimate(mean, low, high, spread, deals)


def jackknife(figure: Callable[..., Floats | float], share: Floats, *columns: Floats) -> Estimate:
    """A function of the means of a share and of other columns, one row per deal: the interval of Tukey's
    jackknife, between 0 and 1. Few deals say nothing; more that agree by chance leave the doubt of two deals
    with a share of 0 and of 1.
    """
    deals = len(share)
    value = min(1.0, max(0.0, float(figure(share.mean(), *(column.mean() for column in columns)))))
    if deals < FEW:
        return Estimate(value, 0.0, 1.0, math.nan, deals)
    more = [np.append(share, (0.0, 1.0)), *(np.append(column, [column.mean()] * 2) for column in columns)]
    without = np.asarray(figure(*((column.sum() - column) / (deals + 1) for column in more)), float)
    spread = float(without.std()) * (deals + 1)
    reach = _student(deals) * spread / math.sqrt(deals + 1)
    return Estimate(value, max(0.0, value - reach), min(1.0, value + reach), spread, deals)


def differs_from(told: Estimate, value: float, looks: int) -> bool:
    """Whether a figure is surely not of that value, among that many at which one looks (Bonferroni)."""
    if told.deals < 10:
        return False
    wider = float(stats.norm.isf(FAMILYWISE_ERROR / (2 * looks))) / float(
        stats.norm.isf(FAMILYWISE_ERROR / 2)
    )
    return (
        not told.value + wider * (told.low - told.value)
        <= value
        <= told.value + wider * (told.high - told.value)
    )


def difference(before: Floats, after: Floats, share: bool = False, paired: bool = True) -> Difference | None:
    """What a change does to a figure: one row per deal, on the box as it is and on the changed one.

    None if it is not defined on one of them often enough.
    """
    (one, mine), (other, theirs) = _influence(before), _influence(after)
    deals = min(np.count_nonzero(~np.isnan(before)), np.count_nonzero(~np.isnan(after)))
    if deals < min(FEW, len(before)) or deals < 2:
        return None
    value, n = other - one, len(before)
    apart = math.hypot(_error(mine), _error(theirs))
    error = _error(theirs - mine) if paired else apart
    spread = math.sqrt((np.nanvar(before) + np.nanvar(after)) / 2)
    centre, wide = (value, error) if not share else _agresti_min(value, error, n)
    reach = _student(int(deals)) * wide
    p = 1.0 if wide == 0 and value == 0 else 2 * float(stats.t.sf(abs(centre) / max(wide, 1e-12), deals - 1))
    return Difference(
        value=value,
        low=min(value, centre - reach),
        high=max(value, centre + reach),
        std_error=wide,
        p=p,
        effect_size=value / spread if spread > 0 else 0.0,
        pairing_gain=(apart / error) ** 2 if error > 0 else math.inf if apart > 0 else 1.0,
    )


def _influence(values: Floats) -> tuple[float, Floats]:
    """The mean, and how far each deal moves it: nothing where the figure is not defined."""
    there = ~np.isnan(values)
    if not there.any():
        return math.nan, np.zeros(len(values))
    mean = float(values[there].mean())
    return mean, np.where(there, values - mean, 0.0) / there.mean()


def _error(influence: Floats) -> float:
    n = len(influence)
    return float(influence.std(ddof=1)) / math.sqrt(n) if n > 1 else math.inf


def _student(deals: int) -> float:
    return float(stats.t.ppf(0.975, deals - 1))


def _wilson(share: float, influence: Floats, deals: int) -> tuple[float, float]:
    """Wilson's interval, for as many independent matches as tell as much as these do."""
    error = _error(influence)
    worth = min(deals, share * (1 - share) / error**2) if error > 0 else deals
    worth, z = max(worth, 1.0), _student(deals)
    centre = (share + z * z / (2 * worth)) / (1 + z * z / worth)
    reach = z / (1 + z * z / worth) * math.sqrt(share * (1 - share) / worth + z * z / (4 * worth**2))
    return max(0.0, min(share, centre - reach)), min(1.0, max(share, centre + reach))


def _agresti_min(value: float, error: float, n: int) -> tuple[float, float]:
    """Agresti and Min's correction for shares: two deals more, in which each side gains half a match.

    Without it, a rare event that no deal has shown would be known never to happen.
    """
    squares = error**2 * n * (n - 1) + n * value**2 + 1
    more = n + 2
    mean = n * value / more
    return mean, math.sqrt(max(squares / more - mean**2, 0.0) / (more - 1))


def apply_holm(differences: Sequence[Difference], foremost: Sequence[bool] = ()) -> list[Difference]:
    """Which differences stand, and what each would have had to be, to be found.

    With all figures that were looked at, the chance that any is found where there is none stays at 5%. Where
    some are `foremost`, what one has asked for, half of it is theirs and half is the others'; in each part
    Holm's procedure decides.
    """
    marks = list(foremost) or [False] * len(differences)
    found: dict[int, Difference] = {}
    parts = [[nth for nth, mark in enumerate(marks) if mark == part] for part in (True, False)]
    error = FAMILYWISE_ERROR / sum(map(bool, parts)) if differences else FAMILYWISE_ERROR
    for part in parts:
        reach = float(stats.norm.isf(error / (2 * max(1, len(part))))) + float(stats.norm.ppf(POWER))
        stands = True
        for place, nth in enumerate(sorted(part, key=lambda nth: differences[nth].p)):
            one = differences[nth]
            stands = stands and one.p <= error / (len(part) - place)
            found[nth] = replace(one, significant=stands, detectable_effect=reach * one.std_error)
    return [found[nth] for nth in range(len(differences))]
