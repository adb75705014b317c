"""Why an action is not allowed, in a game that does not say: not now; with the rule that words.toml names for
its verb.
"""

from __future__ import annotations

from comptoir.engine.game import Game
from comptoir.engine.rule import Box, Position
from comptoir.engine.why import Why
from comptoir.engine.words import words_of


def build(game: Game) -> dict[str, object]:
    """`why_not`."""

    def why_not(p: Position, box: Box, action: int) -> Why:
        return words_of(game.name, "en").rule(game.decode(action)), "defaults.not_now", {}

    return {"why_not": why_not}
