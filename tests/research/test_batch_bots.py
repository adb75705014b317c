"""Bots in a batch: they decide as at any table, and play until a seat of yours decides."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any, cast

import numpy as np
import pytest

from comptoir.bots.clerk import Clerk
from comptoir.bots.search import EARLIER
from comptoir.engine.game import get_game
from comptoir.engine.modes import Mode
from comptoir.engine.registry import names
from comptoir.engine.rule import Dice, Position
from comptoir.errors import IllegalAction, OptionError
from comptoir.research import Batch
from comptoir.research.batch_bots import CLERK, bot_action, new_scratch
from tests import example_game

BOTS = ("passer-by", "heuristic", "clerk")


@pytest.fixture
def lots() -> Iterator[str]:
    """A small game, which is quickly compiled."""
    with example_game.known():
        yield "lots"


class Told(Clerk):
    """A clerk whose dice are given."""

    word = 0

    def dice(self, ply: int) -> Dice:
        return np.array([self.word], np.uint64)


@pytest.mark.slow
@pytest.mark.parametrize("name", names())
def test_a_clerk_in_a_batch_decides_as_the_clerk_does(name: str) -> None:
    """Interpreted, for compiling takes a minute; with the same dice, and what it has seen in its turn."""
    g = get_game(name)
    bot, scratch = Told(g, g.components, "", interpreted=True), new_scratch(g)
    decide = g.interpreted.bind(bot_action)
    batch = Batch(name, games=1, seed=3)
    earlier: list[Position] = []
    for number in range(4 if name == "century" else 8):
        p = batch.positions[0]
        bot.word = scratch.workspace.dice[0] = number
        action = decide(p, g.components.box, CLERK, scratch)
        seen = g.seen_by(p, g.components.box, int(p.turn))
        assert action == bot.choose_index(seen, number, earlier)
        batch.step([action])
        if batch.current_seats[0] == p.turn:
            earlier.append(seen)
        else:
            earlier.clear()
            scratch.workspace.used[EARLIER] = 0


@pytest.mark.parametrize("bots", BOTS)
def test_only_your_seat_decides(lots: str, bots: str) -> None:
    batch = Batch(lots, games=20, players=4, seed=1, bots=bots)
    ends = 0
    for _ in range(60):
        assert (batch.current_seats == 0).all()
        batch.step(batch.sample_actions())
        ends += int(batch.terminations.sum())
        assert not batch.rewards[~batch.terminations].any()
        assert batch.rewards.sum(1) == pytest.approx(0, abs=1e-6)
    assert ends > 20


def test_seats_move_on_from_game_to_game(lots: str) -> None:
    batch = Batch(lots, games=8, players=4, seed=1, bots="passer-by", rotate_seats=True)
    assert batch.current_seats.tolist() == [0, 3, 2, 1, 0, 3, 2, 1]
    for _ in range(80):
        before = batch.current_seats.copy()
        batch.step(batch.sample_actions())
        assert (batch.current_seats[~batch.terminations] == before[~batch.terminations]).all()
        assert (batch.current_seats[batch.terminations] == (before[batch.terminations] - 1) % 4).all()


def test_some_seats_are_yours(lots: str) -> None:
    batch = Batch(lots, games=20, players=4, seed=1, bots=[None, "clerk", None, "heuristic"])
    seen = set()
    for _ in range(30):
        seen |= set(batch.current_seats.tolist())
        batch.step(batch.sample_actions())
    assert seen == {0, 2}


def test_a_better_bot_wins_more(lots: str) -> None:
    """Against a seat that plays at random."""
    lost = {}
    for bots in ("passer-by", "clerk"):
        batch, rewards = Batch(lots, games=100, players=2, seed=1, bots=bots), list[float]()
        while len(rewards) < 200:
            batch.step(batch.sample_actions())
            rewards += batch.rewards[batch.terminations, 0].tolist()
        lost[bots] = np.mean(np.array(rewards) < 0)
    assert lost["clerk"] > 0.8
    assert 0.6 > lost["passer-by"]


def test_the_same_seed_gives_the_same_games_on_any_number_of_threads_and_in_copies(lots: str) -> None:
    one, three = (Batch(lots, games=10, seed=1, bots="clerk", rotate_seats=True, threads=n) for n in (1, 3))
    twin = None
    for number in range(60):
        actions = one.sample_actions()
        for batch in (one, three, twin) if twin else (one, three):
            batch.step(actions)
            assert batch.observations.tobytes() == one.observations.tobytes()
            assert batch.rewards.tobytes() == one.rewards.tobytes()
        three.sample_actions()
        if number == 20:
            twin = copy.deepcopy(three)


def test_how_games_came_out_is_kept(lots: str) -> None:
    """The end of each game is that of a twin, in which the last action is played without bots."""
    batch, seen = Batch(lots, games=6, players=3, seed=1, bots="passer-by", reward="points"), 0
    for _ in range(60):
        batch.step(batch.sample_actions())
        games = np.flatnonzero(batch.terminations)
        found = batch.results(games)
        assert found["scores"] == batch.rewards[games].tolist()
        for scores, sheet in zip(found["scores"], found["score_sheet"], strict=True):
            assert [sum(points) for points in zip(*sheet.values(), strict=True)] == scores
        assert set(found["ending"]) <= {"sold out"}
        assert all(row.any() for row in found["final_obs"])
        seen += len(games)
    assert seen > 5
    with pytest.raises(OptionError, match="only a batch with bots"):
        Batch(lots, games=2).results([0])


def test_an_illegal_action_lets_one_game_wait(lots: str) -> None:
    batch = Batch(lots, games=4, players=3, seed=1, bots="passer-by", rotate_seats=True)
    actions, before = batch.sample_actions(), batch.snapshot()
    actions[2] = np.flatnonzero(~batch.action_masks[2])[-1]
    with pytest.raises(IllegalAction, match="game 2: "):
        batch.step(actions)
    after = batch.snapshot()
    same = [(before.positions[n] == after.positions[n]).all() for n in range(4)]
    assert same == [False, False, True, False]
    assert after.seat_shifts[2] == before.seat_shifts[2]


def test_bots_play_on_from_a_position_that_is_put_there(lots: str) -> None:
    batch, other = Batch(lots, games=2, players=3, seed=1, bots="clerk"), Batch(lots, games=2, players=3)
    other.step(other.sample_actions())
    batch.set_positions(other.positions)
    assert (batch.current_seats == 0).all()


@pytest.mark.parametrize("name", names())
def test_interpreted_bots_play_every_game(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    g = get_game(name)
    monkeypatch.setattr(g, "compiled_mode", cast(Mode, g.interpreted))
    batch = Batch(
        name,
        games=2,
        seed=1,
        bots=["heuristic", "passer-by", None][-g.rules.PLAYERS[0] :],
        players=g.rules.PLAYERS[0],
    )
    yours = batch.players - 1
    for _ in range(2):
        assert (batch.current_seats == yours).all()
        batch.step(batch.sample_actions())


@pytest.mark.long
@pytest.mark.parametrize("name", names())
def test_compiled_clerks_play_every_game(name: str) -> None:
    batch = Batch(name, games=20, seed=1, bots="clerk", rotate_seats=True)
    ends = 0
    for _ in range(400):
        batch.step(batch.sample_actions())
        ends += int(batch.terminations.sum())
    assert ends


@pytest.mark.parametrize(
    ("bots", "told"),
    [
        ("captain", "a batch has passer-by, heuristic, clerk, not 'captain'"),
        ([None, "clerk"], "expected one for each of 4 seats, None for yours, found 2"),
        (["clerk"] * 4, "expected one for each of 4 seats, None for yours, found 4"),
        ([], "found 0: none"),
        ([3], "not 3"),
    ],
)
def test_bots_that_do_not_fit_are_refused(bots: Any, told: str) -> None:
    with pytest.raises(OptionError, match=told):
        Batch("batavia", games=2, players=4, bots=bots)
