"""A match as the text of a match file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from comptoir.engine.names import repaired_names
from comptoir.engine.view import Plain

if TYPE_CHECKING:
    from comptoir.engine.match import Match  # which writes itself with this

FORMAT_LINE = "comptoir match 1"


@dataclass(frozen=True)
class Header:
    """What stands above the actions. `notes` are about the match and change nothing in it."""

    game: str
    rules: int
    options: dict[str, str]
    seed: str
    names: Sequence[str]
    position: Plain | None
    components: dict[str, dict[str, object]] | None
    notes: dict[str, str]


def write(match: Match, notes: dict[str, str] | None = None) -> str:
    """The text of a match file; `notes` in addition to those that the match came with."""
    own = match.components.digest != match.game.components.digest
    header = Header(
        game=match.game.name,
        rules=match.rules,
        options=match.options,
        seed=match.seed,
        names=match.names,
        position=match.start_position,
        components=match.components.tables if own else None,
        notes=match.notes | (notes or {}),
    )
    return compose(header, match.actions_by_seat)


def compose(header: Header, entries: Iterable[tuple[int, str]]) -> str:
    """The text of a match file from its parts: actions are written as they are given."""
    fields = {"game": header.game, "rules": str(header.rules), **header.options, "seed": header.seed}
    fields |= {f"seat {seat}": name for seat, name in enumerate(repaired_names(header.names))} | header.notes
    for key, data in (("position", header.position), ("components", header.components)):
        if data is not None:
            fields[key] = json.dumps(data, separators=(",", ":"))
    lines = [FORMAT_LINE, *(f"{key:<10} {value}" for key, value in fields.items()), ""]
    return "\n".join([*lines, *(f"{seat} {action}" for seat, action in entries)]) + "\n"
