"""What the lab counts in a match of Marco Polo Expedition."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from comptoir.games.marco_polo.rules import DEMANDS

SECONDS = {"lay": 6.0, "lighten": 6.0, "take": 6.0, "draw": 8.0, "pass": 3.0}
USUAL_SECONDS = 5.0
FORCED_SECONDS = 2.0


def uses(before: Any, action: str, after: Any, box: Any) -> Iterable[str]:
    """What a step demanded, the worth of a chest, and cards taken, drawn or saved by lightening."""
    verb, seat = action.partition(" ")[0], before.turn
    if verb in ("take", "draw", "lighten"):
        yield verb
    if verb == "lay":
        for camel in np.nonzero(after.camels[seat] > before.camels[seat])[0]:
            yield DEMANDS[box.track_demands[after.camels[seat][camel]]]
    if after.chests[seat] > before.chests[seat]:
        yield f"chest of {int(after.chests[seat]) - int(before.chests[seat])}"
