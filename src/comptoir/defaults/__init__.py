"""Defaults: a folder like a game's, whose files are used for what a game does not define.

    rules.py         options, tie-breaks, invariants; what the schema says is hidden
    observation.py   all fields that nobody is kept from knowing
    evaluation.py    the points now, and any action as rollout policy
    why.py           "not allowed now"
    story.py         the actions' own texts
    terminal.py      every field in a table
    board.py         every field in a table, as a picture: `grid` says which, `plan` where, `concern` what a
                     choice rings
    cover.py         the title

A file of the game's own replaces the one here function by function. What depends on the game is made by
`build(game)`.
"""

from __future__ import annotations

import importlib
from types import ModuleType


def module(name: str) -> ModuleType:
    """The default for a file of a game's folder: "board" for `board.py`."""
    return importlib.import_module(f"{__name__}.{name}")
