"""What the lab counts in a match of Century: Eastern Wonders."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from comptoir.engine.actions import Action
from comptoir.games.century.rules import FIRST_PORT, ICONS, KINDS, LOTS, MARKETS, icon_at

if TYPE_CHECKING:
    from comptoir.games.century.records import Box, Position

SECONDS = {"sail": 10.0, "build": 6.0, "trade": 4.0, "claim": 6.0, "harvest": 6.0, "bonus": 10.0, "lot": 10.0}
DEFAULT_SECONDS = 3.0
FORCED_SECONDS = 1.0


def components(box: Box) -> Iterable[str]:
    """All that `uses` may tell."""
    outposts = (f"outpost {icon}" for icon in ICONS)
    tiles = (f"tile of {n}" for n in sorted(set(box.vp_points.tolist())))
    chosen = (*(f"bonus {kind}" for kind in KINDS), *(f"lot {lot}" for lot in LOTS), "harvest")
    return (*MARKETS, *outposts, *tiles, *chosen)


def uses(before: Position, action: Action, after: Position, box: Box) -> Iterable[str]:
    """The market of a trade, the outpost's row, the points of a tile, and bonus tiles, lots and harvests."""
    kind = action.kind
    if kind in ("bonus", "lot", "harvest"):
        yield action.text
        return
    if kind not in ("trade", "build", "claim"):
        return
    space = int(before.boats[before.turn])
    if kind == "trade":
        yield MARKETS[before.markets[space]]
    elif kind == "build":
        yield f"outpost {ICONS[icon_at(before, space)]}"
    else:
        yield f"tile of {int(box.vp_points[before.ports[space - FIRST_PORT]])}"
