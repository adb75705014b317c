"""The rows of a batch on the CPU."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comptoir.engine.components import Components
from comptoir.engine.game import Game
from comptoir.engine.mask import new_mask
from comptoir.errors import OptionError
from comptoir.research import batch_bots, loops
from comptoir.research.loops import BatchState
from comptoir.research.snapshot import as_bytes


@dataclass(frozen=True)
class Playouts:
    """Games played to their end: how many decisions, which ending, and for each seat its points, all together
    or by source, and what breaks ties.

    The arrays are on the batch's device.
    """

    lengths: Any  # int32
    endings: Any  # uint8
    scores: Any  # int64


def new_results(game: Game, games: int, apart: bool) -> Any:
    """Room for the points of playouts, by source or all together."""
    return game.new_sheets(games) if apart else game.new_scores(games)


def new_rows(game: Game, games: int) -> BatchState:
    """Room for a number of games."""
    words = len(new_mask(len(game.actions)))
    return BatchState(
        positions=game.position.array(games),
        dice=np.zeros((games, 1), np.uint64),
        sampling_dice=np.zeros((games, 1), np.uint64),
        bits=np.zeros((games, words), np.uint64),
        bytes=np.zeros((games, 8 * words), np.uint64),
        observations=np.zeros((games, game.observation.size), np.uint8),
        turns=np.zeros(games, np.int8),
        rewards=np.zeros((games, game.position.seats), np.float32),
        ends=np.zeros(games, np.uint8),
        results=game.new_scores(games),
    )


class CpuBackend:
    """Rows of games, and what can be done with them, on one or more threads."""

    def __init__(
        self,
        game: Game,
        games: int,
        start: Any,
        components: Components,
        threads: int,
        bots: batch_bots.BatchBots | None = None,
    ) -> None:
        self.game, self.games, self.threads, self.crew = game, games, threads, bots
        self.rows, self.players = new_rows(game, games), int(start[0].players)
        self._start, self._box = start, components.box
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self._tables = [batch_bots.new_table(game) for _ in range(threads)] if bots else None
        bind = game.compiled.bind
        self._reset, self._step, self._act, self._choose = (
            bind(loops.reset_some),
            bind(loops.step_some),
            bind(loops.act_some),
            bind(loops.choose_some),
        )

    def reset(self, seed: int, kind: int) -> None:
        self._over_all(self._reset, self._start, self._box, seed)
        if self.crew is not None:
            batch_bots.seat_bots(self.crew, seed)
            self._look(kind)

    def _look(self, kind: int) -> None:
        """What can be done in each game; bots play on first."""
        if self.crew is None:
            self._over_all(self.game.compiled.bind(loops.look_some), self._box)
        else:
            work = self.game.compiled.bind(batch_bots.look_with_bots)
            self._over_all(work, self._start, self._box, kind, self.crew, own=self._tables)

    def export_state(self) -> dict[str, NDArray[Any]]:
        """All that decides how the games go on, in copies."""
        rows, none = self.rows, np.zeros((self.games, 1), np.uint64)
        return {
            "positions": as_bytes(rows.positions),
            "dice": rows.dice.copy(),
            "chance": rows.sampling_dice.copy(),
            "rewards": rows.rewards[:, : self.players].copy(),
            "ends": rows.ends.copy(),
            "shifts": self.crew.shifts.copy() if self.crew else none[:, 0].astype(np.uint8),
            "luck": self.crew.bot_dice.copy() if self.crew else none,
        }

    def load_state(self, parts: dict[str, NDArray[Any]], games: NDArray[np.int64], kind: int) -> None:
        """Puts what `parts` has given, or some of it, into these games."""
        rows, bots = self.rows, self.crew
        into: dict[str, Any] = {
            "positions": rows.positions.view(np.ndarray).view(np.uint8).reshape(self.games, -1),
            "dice": rows.dice,
            "chance": rows.sampling_dice,
            "ends": rows.ends,
            "rewards": rows.rewards[:, : self.players],
            **({"shifts": bots.shifts, "luck": bots.bot_dice} if bots else {}),
        }
        for name in parts.keys() & into.keys():
            into[name][games] = parts[name]
        self._look(kind)

    def observe(self, seats: NDArray[np.int8]) -> NDArray[np.uint8]:
        """As a batch does."""
        out = np.zeros_like(self.rows.observations)
        rooms = [self.game.position.array(1) for _ in range(self.threads)]
        self._over_all(self.game.compiled.bind(loops.observe_some), self._box, seats, out, own=rooms)
        return out

    def step(self, actions: Any, kind: int) -> None:
        """As a batch does."""
        chosen = np.asarray(actions)
        if chosen.shape != (self.games,) or chosen.dtype.kind not in "iu":
            raise OptionError(
                f"actions: expected {self.games:,} whole numbers,"
                f" found {chosen.dtype} in the shape {chosen.shape}"
            )
        # whatever type they have: each would be compiled for separately
        chosen = np.ascontiguousarray(chosen, np.int64)
        if self.crew is None:
            done = self._over_all(self._step, self._start, self._box, chosen, kind)
        else:
            done = self._over_all(self._act, self._box, chosen, kind)
            self._look(kind)
        refused = [nth for nth in done if nth >= 0]
        if refused:
            nth = min(refused)
            raise self.game.refusal(self.rows.positions[nth], self._box, int(chosen[nth]), f"game {nth}: ")

    def refused(self) -> None:
        """None: `step` has raised already."""

    def choose(self, out: NDArray[Any] | None) -> NDArray[Any]:
        """As a batch does."""
        if out is None:
            out = np.empty(self.games, np.int64)
        if out.shape != (self.games,) or out.dtype not in (np.int32, np.int64):
            raise OptionError(
                f"out: expected room for {self.games:,} of int32 or int64,"
                f" found {out.dtype} in the shape {out.shape}"
            )
        self._over_all(self._choose, out)
        return out

    def _over_all(
        self, work: Callable[..., int], *arguments: Any, own: Sequence[Any] | None = None
    ) -> list[int]:
        """Does some work on all rows, each thread on its part of them, and with what is its own."""
        given = [
            (self.rows, *part, *arguments, *(own[nth : nth + 1] if own else ()))
            for nth, part in enumerate(self._parts(self.games))
        ]
        if self._pool is None:
            return [work(*these) for these in given]
        return [done.result() for done in [self._pool.submit(work, *these) for these in given]]

    def _parts(self, many: int) -> Any:
        return itertools.pairwise(np.linspace(0, many, self.threads + 1).astype(int).tolist())

    def playouts(self, greedy: bool, seed: int, games: int, apart: bool) -> Playouts:
        results = new_results(self.game, games, apart)
        found = Playouts(np.zeros(games, np.int32), np.zeros(games, np.uint8), results)

        def play(part: tuple[int, int]) -> None:
            first, own = part[0], slice(*part)
            room = self.game.position.array(2)
            room[0] = self._start[0]
            work = seed + first, new_mask(len(self.game.actions)), np.zeros(1, np.uint64)
            out = found.lengths[own], found.endings[own], found.scores[own], int(apart)
            if greedy:
                self.game.compiled.bind(loops.greedy_playouts)(
                    room, self._box, self.game.evaluation.weights, *work, *out
                )
            else:
                self.game.compiled.playouts(room, self._box, *work, *out)

        list(self._pool.map(play, self._parts(games)) if self._pool else map(play, self._parts(games)))
        return found
