"""A bot knows what its seat knows, and nothing else."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest

from comptoir.bots import Bot
from comptoir.bots.levels import LEVELS, make
from comptoir.bots.seated import SeatedBot
from comptoir.engine.game import Game
from comptoir.engine.match import Match
from comptoir.engine.rule import Position
from tests.test_contract import random_match

# The levels as they are but for the length of their searches: what a search may look at does not depend on
# that.
BOTS = ("passer-by", "clerk", "merchant:64", "captain:64", "admiral:160", "search:200", "search:160x8")
MOMENTS = 6

Seated = Callable[[Match, int], SeatedBot]


def moments(g: Game, seed: int) -> Iterator[Match]:
    """Moments of a random match at which there is something to choose."""
    match = random_match(g.name, {"players": g.rules.PLAYERS[0]}, seed)
    numbers = [number for number in range(match.ply) if len(match.at(number).actions()) > 1]
    for number in numbers[:: 1 + len(numbers) // MOMENTS]:
        yield match.at(number)


def redealt(match: Match, seat: int, seed: int) -> Match:
    """The same match to a seat, with all that it cannot know dealt again."""
    other = match.at(match.ply)
    world = match.seen_by(seat)
    match.game.ruleset.imagine(world, match.box, seat, np.array([seed], np.uint64))
    other.replace_record(-1, world)
    return other


def is_fair(g: Game, seated: Seated) -> bool:
    """Whether a bot chooses the same in all worlds that its seat cannot tell apart, over some moments of a
    match.
    """
    for match in moments(g, 11):
        seat = match.turn or 0
        choice = seated(match, seat).choose()
        if any(seated(redealt(match, seat, seed), seat).choose() != choice for seed in range(3)):
            return False
    return True


def test_every_level_is_tried() -> None:
    assert [bot.partition(":")[0] for bot in BOTS] == [*LEVELS, "search", "search"]


@pytest.mark.parametrize("spec", BOTS)
def test_a_bot_chooses_the_same_whatever_it_cannot_know(any_game: Game, spec: str) -> None:
    assert is_fair(any_game, lambda match, seat: SeatedBot(spec, match, seat, "seed"))


class Peeker(Bot):
    """Looks at the true position behind the view: the cards of others, if the game has any."""

    def __init__(self, match: Match, seed: str) -> None:
        super().__init__(match.game, match.components, seed)
        self.match = match

    def choose_index(self, view: Position, number: int, earlier: Sequence[Position] = ()) -> int:
        actions = self.game.legal(view, self.components.box)
        return actions[zlib.crc32(self.match.records[-1].tobytes()) % len(actions)]


@pytest.mark.parametrize("name", ["batavia", "marco_polo"])
def test_a_cheat_is_caught(name: str) -> None:
    """The same check finds out a bot that looks at what is hidden; so the check can fail."""

    def seated(match: Match, seat: int) -> SeatedBot:
        chair = SeatedBot("passer-by", match, seat, "seed")
        chair.bot = Peeker(match, "seed")
        return chair

    assert not is_fair(Match(name).game, seated)


def with_bytes(g: Game, view: Position, places: list[int], value: int) -> Position:
    """A view with other bytes in some places."""
    rows = g.position.array(1)
    rows[0] = view
    rows.view(np.uint8)[places] = value
    row: Position = rows[0]
    return row


def hidden_bytes(match: Match, seat: int) -> list[int]:
    """The bytes of a view that `hide` blanks, whatever they hold."""
    g, view = match.game, match.seen_by(seat)
    return [
        byte
        for byte in range(view.dtype.itemsize)
        if all(
            g.seen_by(with_bytes(g, view, [byte], value), match.box, seat).tobytes() == view.tobytes()
            for value in (1, 2)
        )
    ]


@pytest.mark.parametrize("spec", BOTS)
@pytest.mark.parametrize("name", ["batavia", "marco_polo"])
def test_poison_in_hidden_places_changes_nothing(name: str, spec: str) -> None:
    for match in moments(Match(name).game, 12):
        seat = match.turn or 0
        bot = make(spec, match.game, match.components, "seed")
        view = match.seen_by(seat)
        choice = bot.choose_index(view, match.ply)
        poisoned = with_bytes(match.game, view, hidden_bytes(match, seat), 77)
        assert poisoned.tobytes() != view.tobytes()
        assert bot.choose_index(poisoned, match.ply) == choice


def test_a_bots_dice_are_never_the_matchs() -> None:
    """Even a bot with the match's own seed does not roll what the match will roll."""
    from comptoir.engine.dice import dice_for

    match = Match("batavia", seed="abc")
    assert make("passer-by", match.game, match.components, "abc").dice(1)[0] != dice_for("abc", 1)[0]
