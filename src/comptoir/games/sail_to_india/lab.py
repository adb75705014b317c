"""What the lab counts in a match of Sail to India."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from comptoir.engine.actions import Action
from comptoir.games.sail_to_india.rules import (
    BUILDINGS,
    GOODS,
    SPACES,
    TECHNOLOGIES,
    TOWNS,
    building_on,
    good_on,
)

if TYPE_CHECKING:
    from comptoir.games.sail_to_india.records import Box, Position

SECONDS = {"sail": 10.0, "build": 10.0, "acquire": 15.0, "convert": 7.5, "sell": 4.0, "activate": 7.5}
DEFAULT_SECONDS = 5.0
FORCED_SECONDS = 1.0
_ONCE = ("speed up", "bank", "chart", "activate", "appoint")


def components(box: Box) -> Iterable[str]:
    """All that `uses` may tell."""
    return (*TECHNOLOGIES, *BUILDINGS, *(f"sold {good}" for good in GOODS), *_ONCE)


def uses(before: Position, action: Action, after: Position, box: Box) -> Iterable[str]:
    """The technology acquired, the building built, the good sold, and what else was done."""
    kind = action.kind
    if kind in _ONCE:
        yield kind
    elif kind == "acquire":
        yield action.operand
    elif kind == "build":
        yield BUILDINGS[building_on(before, box, SPACES.index(action.operand.space) - 2 * TOWNS)]
    elif kind == "sell":
        yield f"sold {GOODS[good_on(before, box, action.offset)]}"
