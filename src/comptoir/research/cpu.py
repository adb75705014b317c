"""The games of a batch on a CPU."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from comptoir.engine.components import Components
from comptoir.engine.game import Game
from comptoir.engine.mask import new_mask
from comptoir.engine.rule import Records, Scores
from comptoir.engine.scoring import new_score_sheets, new_scores
from comptoir.errors import OptionError
from comptoir.research import batch_bots, loops
from comptoir.research.backend import DeviceArray, Outputs, Playouts, State
from comptoir.research.loops import BatchState

R = TypeVar("R")


def new_results(game: Game, games: int, by_source: bool) -> Scores:
    """An array for the points of playouts, by source or in total."""
    return new_score_sheets(game, games) if by_source else new_scores(game, games)


def new_rows(game: Game, games: int) -> BatchState:
    """Memory for a number of games."""
    words = len(new_mask(len(game.actions)))
    return BatchState(
        positions=game.position.array(games),
        dice=np.zeros((games, 1), np.uint64),
        sampling_dice=np.zeros((games, 1), np.uint64),
        bits=np.zeros((games, words), np.uint64),
        bytes=np.zeros((games, 8 * words), np.uint64),
        observations=np.zeros((games, game.observation.size), np.uint8),
        current_seats=np.zeros(games, np.int8),
        rewards=np.zeros((games, game.position.seats), np.float32),
        terminations=np.zeros(games, np.uint8),
        results=new_scores(game, games),
    )


class CpuBackend:
    """The games of a batch on one or more threads of a CPU; see `Backend`."""

    def __init__(
        self,
        game: Game,
        games: int,
        start: Records,
        components: Components,
        threads: int,
        bots: batch_bots.BatchBots | None = None,
    ) -> None:
        self.game, self.games, self.threads, self.bots = game, games, threads, bots
        self.rows, self.players = new_rows(game, games), int(start[0].players)
        self.outputs = Outputs(
            self.rows.observations,
            self.rows.bytes.view(np.bool_)[:, : len(game.actions)],
            self.rows.current_seats,
            self.rows.rewards[:, : self.players],
            self.rows.terminations.view(np.bool_),
        )
        self._start, self._box = start, components.box
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self._scratch = [batch_bots.new_scratch(game) for _ in range(threads)] if bots else None
        bind = game.compiled.bind
        self._reset, self._step, self._apply, self._sample = (
            bind(loops.reset_some),
            bind(loops.step_some),
            bind(loops.apply_some),
            bind(loops.sample_some),
        )

    def reset(self, seed: int, reward_kind: int) -> None:
        self._over_all(self._reset, self._start, self._box, seed)
        if self.bots is not None:
            batch_bots.seat_bots(self.bots, seed)
            self._refresh(reward_kind)

    def _refresh(self, reward_kind: int) -> None:
        """Write the outputs of every game; bots play on first."""
        if self.bots is None:
            self._over_all(self.game.compiled.bind(loops.refresh_some), self._box)
        else:
            refresh = self.game.compiled.bind(batch_bots.refresh_with_bots)
            self._over_all(refresh, self._start, self._box, reward_kind, self.bots, per_thread=self._scratch)

    def export_state(self) -> State:
        no_bots = np.zeros((self.games, 1), np.uint64)
        return {name: array.copy() for name, array in self._state().items()} | (
            {} if self.bots else {"seat_shifts": no_bots[:, 0].astype(np.uint8), "bot_dice": no_bots}
        )

    def load_state(self, state: State, games: NDArray[np.int64], reward_kind: int) -> None:
        arrays = self._state()
        for name in state.keys() & arrays.keys():
            arrays[name][games] = state[name]
        self._refresh(reward_kind)

    def _state(self) -> State:
        """The arrays that decide how the games continue, as views of the rows."""
        rows, bots = self.rows, self.bots
        return {
            "positions": rows.positions.view(np.ndarray).view(np.uint8).reshape(self.games, -1),
            "dice": rows.dice,
            "sampling_dice": rows.sampling_dice,
            "rewards": rows.rewards[:, : self.players],
            "terminations": rows.terminations,
            **({"seat_shifts": bots.seat_shifts, "bot_dice": bots.bot_dice} if bots else {}),
        }

    def observe(self, seats: NDArray[np.int8], out: DeviceArray | None) -> NDArray[np.uint8]:
        shape, dtype = self.rows.observations.shape, self.rows.observations.dtype
        if out is None:
            out = np.zeros(shape, dtype)
        # the loop writes without looking: into another shape it would write beyond the end
        elif not isinstance(out, np.ndarray) or out.shape != shape or out.dtype != dtype:
            found = (
                f"{out.dtype} in the shape {out.shape}" if isinstance(out, np.ndarray) else type(out).__name__
            )
            raise OptionError(f"out: expected an array of {dtype} in the shape {shape}, found {found}")
        buffers = [self.game.position.array(1) for _ in range(self.threads)]
        observe = self.game.compiled.bind(loops.observe_some)
        self._over_all(observe, self._box, seats, out, per_thread=buffers)
        return out

    def step(self, actions: NDArray[np.integer], reward_kind: int) -> None:
        chosen = np.asarray(actions)
        if chosen.shape != (self.games,) or chosen.dtype.kind not in "iu":
            raise OptionError(
                f"actions: expected {self.games:,} whole numbers,"
                f" found {chosen.dtype} in the shape {chosen.shape}"
            )
        # of one type: the loops would be compiled again for each
        chosen = np.ascontiguousarray(chosen, np.int64)
        if self.bots is None:
            done = self._over_all(self._step, self._start, self._box, chosen, reward_kind)
        else:
            done = self._over_all(self._apply, self._box, chosen, reward_kind)
            self._refresh(reward_kind)
        illegal = [nth for nth in done if nth >= 0]
        if illegal:
            nth = min(illegal)
            raise self.game.refusal(self.rows.positions[nth], self._box, int(chosen[nth]), f"game {nth}: ")

    def pop_illegal(self) -> None:
        """None: `step` has raised already."""

    def sample_actions(self, out: NDArray[np.integer] | None) -> NDArray[np.integer]:
        if out is None:
            out = np.empty(self.games, np.int64)
        if out.shape != (self.games,) or out.dtype not in (np.int32, np.int64):
            raise OptionError(
                f"out: expected room for {self.games:,} of int32 or int64,"
                f" found {out.dtype} in the shape {out.shape}"
            )
        self._over_all(self._sample, out)
        return out

    def _over_all(
        self, work: Callable[..., R], *arguments: object, per_thread: Sequence[object] | None = None
    ) -> list[R]:
        """Run a loop over all rows, each thread on its chunk of them."""
        calls = [
            (self.rows, *chunk, *arguments, *(per_thread[nth : nth + 1] if per_thread else ()))
            for nth, chunk in enumerate(self._chunks(self.games))
        ]
        if self._pool is None:
            return [work(*call) for call in calls]
        return [done.result() for done in [self._pool.submit(work, *call) for call in calls]]

    def _chunks(self, rows: int) -> Iterable[tuple[int, int]]:
        return itertools.pairwise(np.linspace(0, rows, self.threads + 1).astype(int).tolist())

    def playouts(self, heuristic: bool, seed: int, games: int, by_source: bool) -> Playouts:
        results = new_results(self.game, games, by_source)
        found = Playouts(np.zeros(games, np.int32), np.zeros(games, np.uint8), results)

        def play(chunk: tuple[int, int]) -> None:
            first, own = chunk[0], slice(*chunk)
            positions = self.game.position.array(2)
            positions[0] = self._start[0]
            mask, dice = new_mask(len(self.game.actions)), np.zeros(1, np.uint64)
            lengths, endings, scores = found.lengths[own], found.endings[own], found.scores[own]
            if heuristic:
                self.game.compiled.bind(loops.heuristic_playouts)(
                    positions,
                    self._box,
                    self.game.evaluation.weights,
                    seed + first,
                    mask,
                    dice,
                    lengths,
                    endings,
                    scores,
                    int(by_source),
                )
            else:
                self.game.compiled.playouts(
                    positions, self._box, seed + first, mask, dice, lengths, endings, scores, int(by_source)
                )

        chunks = self._chunks(games)
        list(self._pool.map(play, chunks) if self._pool else map(play, chunks))
        return found
