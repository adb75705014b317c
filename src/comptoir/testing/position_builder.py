"""A position made to order, and a way to play on it in either mode: what tests of rules begin with.

class PositionBuilder(comptoir.testing.PositionBuilder):
    game = get_game("lots")

    def coins(self, seat: int, coins: int) -> Self:
        self.p.coins[seat] = coins
        return self

def test_nobody_bids_more_than_they_have(ruleset: Verbs) -> None:
    assert PositionBuilder(ruleset, players=3, first=0).coins(0, 2).legal() == ["pass", "bid 1", "bid 2"]
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import ClassVar, Self

from comptoir.engine.dice import dice_for, roll
from comptoir.engine.game import Game
from comptoir.engine.interface import RuleSet
from comptoir.engine.mask import members, new_mask
from comptoir.engine.plain import OptionValue
from comptoir.engine.rule import Box, Position
from comptoir.engine.scoring import new_score_sheets, new_scores


class PositionBuilder:
    """A position that tests arrange by hand. A subclass names its `game` and adds ways to arrange it.

    `p` is the position, `box` the components, `dice` what is rolled next. Methods that change something
    return the table, so that they can be chained.
    """

    game: ClassVar[Game]

    def __init__(
        self,
        ruleset: RuleSet | None = None,
        seed: str = "test",
        *,
        box: Box | None = None,
        **options: OptionValue,
    ) -> None:
        self.ruleset = ruleset or self.game.ruleset
        self.box = self.game.components.box if box is None else box
        self.dice = dice_for(seed, 0)
        self.p = self.game.blank(self.game.read_options(**options))
        self.players = int(self.p["players"])
        self.last = ""  # the action that led here
        self.ruleset.setup(self.p, self.box, self.dice)

    # Playing

    def legal(self, *kinds: str) -> list[str]:
        """The legal actions as text; of some kinds only, if they are named."""
        mask = new_mask(len(self.game.actions))
        if self.p["turn"] >= 0:
            self.ruleset.legal(self.p, self.box, mask)
        actions = map(self.game.decode, members(mask))
        return [action.text for action in actions if not kinds or action.kind in kinds]

    def play(self, *actions: str) -> Self:
        """Plays actions, given as text, one after the other; each must be legal."""
        for action in actions:
            assert action in self.legal(), f"{action} is not legal: {self.legal()}"
            self._play(self.game.action_index(action))
        return self

    def _play(self, action: int) -> None:
        self.ruleset.play(self.p, self.box, action, self.dice)
        self.last = self.game.actions[action]

    def why_not(self, action: str) -> str:
        """The rule that forbids an action."""
        answer = self.game.why_not(self.p, self.box, self.game.action_index(action))
        assert answer is not None, f"{action} is legal"
        return answer[0]

    def next_roll(self, sides: int, shows: int) -> Self:
        """The next thing rolled, with that many sides, shows this, from 0 on."""
        some_dice = (dice_for(f"dice {n}", 0) for n in count())
        self.dice = next(dice for dice in some_dice if roll(dice.copy(), sides) == shows)
        return self

    # What comes of it

    def scores(self) -> list[list[int]]:
        """The points of each seat, then what breaks ties."""
        out = new_scores(self.game, 1)[0]
        self.ruleset.scores(self.p, self.box, out)
        return [[int(x) for x in row] for row in out[: self.players]]

    def points(self) -> list[int]:
        """The points of each seat."""
        return [row[0] for row in self.scores()]

    def sheet(self) -> dict[str, list[int]]:
        """The points of each seat by source."""
        out = new_score_sheets(self.game, 1)[0]
        self.ruleset.score_sheet(self.p, self.box, out)
        return {
            source: [int(x) for x in out[: self.players, n]]
            for n, source in enumerate(self.game.rules.SOURCES)
        }

    def sound(self) -> bool:
        """Nothing is wrong with the position."""
        errors = self.game.rules.check_position(self.p, self.box)
        assert not errors, errors
        return True

    # What is hidden

    def seen_by(self, viewer: int) -> Position:
        """The position as a seat (-1: a spectator) may know it."""
        view = self.game.copy(self.p)
        self.ruleset.hide(view, self.box, viewer)
        return view

    def imagined_by(self, viewer: int) -> Position:
        """A world that a seat (-1: a spectator) may believe in."""
        world = self.seen_by(viewer)
        self.ruleset.imagine(world, self.box, viewer, self.dice)
        return world

    # Random play

    @classmethod
    def random_match(
        cls, ruleset: RuleSet | None = None, seed: str = "test", **options: OptionValue
    ) -> Iterator[Self]:
        """A match played at random: the same table at its start and after each action, which it has as
        `last`.
        """
        table = cls(ruleset, seed, box=None, **options)
        mask = new_mask(len(table.game.actions))
        yield table
        while table.p["turn"] >= 0:
            table._play(table.ruleset.random_action(table.p, table.box, mask, table.dice))
            yield table
