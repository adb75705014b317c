"""What the lab counts in a match of Marco Polo Expedition."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from comptoir.engine.actions import Action
from comptoir.games.marco_polo.rules import DEMANDS

if TYPE_CHECKING:
    from comptoir.games.marco_polo.records import Box, Position

SECONDS = {"lay": 20.0, "lighten": 20.0, "take": 20.0, "draw": 24.0, "pass": 10.0}
DEFAULT_SECONDS = 16.0
FORCED_SECONDS = 4.0


def components(box: Box) -> Iterable[str]:
    """All that `uses` may tell: what the track demands, its chests, and what else can be done."""
    demands = [DEMANDS[n] for n in sorted(set(box.track_demands[1 : int(box.cities_dadu) + 1].tolist()))]
    chests = [f"chest of {n}" for n in sorted(set(box.track_chests.tolist())) if n]
    return (*demands, *chests, "take", "draw", "lighten")


def uses(before: Position, action: Action, after: Position, box: Box) -> Iterable[str]:
    """What a step demanded, the worth of a chest, and cards taken, drawn or saved by lightening."""
    kind, seat = action.kind, before.turn
    if kind in ("take", "draw", "lighten"):
        yield kind
    if kind == "lay":
        for camel in np.nonzero(after.camels[seat] > before.camels[seat])[0]:
            yield DEMANDS[box.track_demands[after.camels[seat][camel]]]
    if after.chests[seat] > before.chests[seat]:
        yield f"chest of {int(after.chests[seat]) - int(before.chests[seat])}"
