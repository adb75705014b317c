"""The passer-by: any legal action, at random."""

from __future__ import annotations

from collections.abc import Sequence

from comptoir.bots import Bot
from comptoir.engine.dice import roll
from comptoir.engine.rule import Dice, Position
from comptoir.engine.schema import field_of


class PasserBy(Bot):
    """Chooses at random among what is legal, but does not bring a position back if it can do otherwise."""

    def choose_index(self, view: Position, ply: int, earlier: Sequence[Position] = ()) -> int:
        actions = self.game.legal(view, self.components.box)
        dice, left = self.dice(ply), self._left(view, earlier)
        choice = actions.pop(roll(dice, len(actions)))
        while left and actions and self._position_after(view, choice, dice) in left:
            choice = actions.pop(roll(dice, len(actions)))
        return choice

    def _left(self, view: Position, earlier: Sequence[Position]) -> set[bytes]:
        """The positions in which the seat's earlier turns have ended."""
        seat, box = int(view["turn"]), self.components.box
        ended = (p for p in earlier if field_of(p, "turn") != seat)
        return {self.game.position.repetition_key(self.game.seen_by(p, box, seat)) for p in ended}

    def _position_after(self, view: Position, action: int, dice: Dice) -> bytes:
        """What the seat would see when its turn is over, in one of the worlds that it holds possible; what is
        left to chance comes out anyhow.
        """
        game, box, seat = self.game, self.components.box, int(view["turn"])
        world = game.seen_by(view, box, seat)
        game.ruleset.imagine(world, box, seat, dice)
        game.ruleset.play(world, box, action, dice)
        return game.position.repetition_key(game.seen_by(world, box, seat))
