"""What the lab counts in a match of Batavia."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from comptoir.engine.actions import Action
from comptoir.games.batavia.rules import COMPANIES, FIRST_CRATE, GOODS, NO_CRATE

if TYPE_CHECKING:
    from comptoir.games.batavia.records import Box, Position

SECONDS = {"bid": 18.0, "pass": 12.0, "draw": 20.0, "lay": 15.0, "advance": 30.0, "keep": 8.0}
DEFAULT_SECONDS = 15.0
FORCED_SECONDS = 2.0


def components(box: Box) -> Iterable[str]:
    """All that `uses` may tell."""
    sets = (f"set of {n}" for n in range(1, len(COMPANIES) + 1))
    return (*GOODS, *(f"advance {company}" for company in COMPANIES), *sets, "draw", "arrive")


def uses(before: Position, action: Action, after: Position, box: Box) -> Iterable[str]:
    """The good of a crate, the company that was followed, the size of a set, and what else was done."""
    if action.kind == "advance":
        yield action.text
        crates = (after.tiles >= FIRST_CRATE) & (after.tiles < NO_CRATE)
        for good in np.nonzero((before.tiles < FIRST_CRATE) & crates)[1]:
            yield GOODS[good]
    elif action.kind == "trade in":
        yield f"set of {int(np.count_nonzero(before.held[before.turn]))}"
    elif action.kind in ("draw", "arrive"):
        yield action.text
