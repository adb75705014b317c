"""Thousands of matches of one game, stepped in one call on a CPU or a GPU.

    batch = Batch("century", games=4096, players=3, seed=7)
    while learning:
        actions = policy(batch.observations, batch.action_masks)      # one per game
        batch.step(actions)                                           # writes the arrays again

When a game ends, the next one starts at once: `terminations` says so, `rewards` are those of the game that
ended, and everything else is of the new one.

    batch = Batch("century", games=4096, players=3, bots="clerk", rotate_seats=True)    # against clerks
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict, cast

import numpy as np
from numpy.typing import NDArray

from comptoir.engine.game import Game, get_game
from comptoir.engine.plain import ComponentsGiven, OptionValue
from comptoir.engine.rule import Position, Records
from comptoir.engine.view import Plain
from comptoir.errors import OptionError
from comptoir.research.backend import Backend, DeviceArray, Playouts, State
from comptoir.research.batch_bots import KINDS, BatchBots, new_batch_bots, read_bots
from comptoir.research.cpu import CpuBackend
from comptoir.research.loops import SEED_LIMIT, SPECTATOR
from comptoir.research.snapshot import Snapshot

REWARDS = ("win", "points")
DEVICES = ("cpu", "cuda")
POLICIES = ("random", "heuristic")


class BatchResults(TypedDict):
    """How games have ended, a list entry for each."""

    final_obs: list[NDArray[np.uint8]]  # of your first seat
    ending: list[str]
    scores: list[list[int]]
    score_sheet: list[dict[str, list[int]]]


class Batch:
    """Many games at once. The same seed gives the same games, however they are run.

    observations    (games, size) uint8: what the seat to act may know; `layout` names its parts
    action_masks    (games, actions) bool: its legal actions
    current_seats   (games,) int8: the seat to act
    rewards         (games, players) float32: of the last action. "win": 1 for winning alone, which the others
                    lose between them, and ties share; "points": the points. 0 until a game ends
    terminations    (games,) bool: whether the last action ended a game

    On the CPU these are NumPy arrays. On a GPU they stay there: `torch.from_dlpack(batch.observations)`.
    """

    def __init__(
        self,
        name: str,
        games: int = 1024,
        players: int | None = None,
        *,
        device: str = "cpu",
        seed: int = 0,
        reward: str = "win",
        threads: int = 1,
        bots: str | Sequence[str | None] | None = None,
        rotate_seats: bool = False,
        components: ComponentsGiven | None = None,
        **options: OptionValue,
    ) -> None:
        """`bots` names the players of all seats but the first, in turn ("clerk,heuristic"); or, as a list, of
        every seat, with None for yours. With `rotate_seats`, all players move on by a seat from game to game.
        """
        self.game: Game = get_game(name)
        self.options = self.game.read_options(**({} if players is None else {"players": players}), **options)
        self.players = int(self.options["players"])
        _check_number("games", games)
        _check_number("threads", threads)
        if device not in DEVICES:
            raise OptionError(f"device: expected {' or '.join(DEVICES)}, found {device!r}")
        self.games, self.device, self._reward_kind = games, device, kind_of(reward)
        self.components = self.game.read_components(components)
        self.layout = self.game.observation
        self._settings = {
            "device": device,
            "reward": reward,
            "threads": threads,
            "rotate_seats": rotate_seats,
        }
        self.bots = None if bots is None else read_bots(bots, self.players)
        start = self.game.position.array(1)
        start[0] = self.game.blank(self.options)
        self.backend: Backend = self._on_gpu(start) if device == "cuda" else self._on_cpu(start, threads)
        outputs = self.backend.outputs
        self.observations, self.action_masks = outputs.observations, outputs.action_masks
        self.current_seats, self.rewards = outputs.current_seats, outputs.rewards
        self.terminations = outputs.terminations
        self.reset(seed)

    def _on_cpu(self, start: Records, threads: int) -> Backend:
        kinds, rotate = self.bots, bool(self._settings["rotate_seats"])
        bots = None if kinds is None else new_batch_bots(self.game, self.games, kinds, rotate)
        return CpuBackend(self.game, self.games, start, self.components, threads, bots)

    def _on_gpu(self, start: Records) -> Backend:
        from comptoir.research.cuda import GpuBackend

        if self.bots is not None:
            raise OptionError('bots: not supported on a GPU; omit bots, or use device="cpu"')
        return GpuBackend(self.game, self.games, start, self.components)

    def __repr__(self) -> str:
        return (
            f"<batch of {self.games:,} games of {self.game.name}, {self.players} players, on {self.device}>"
        )

    def reset(self, seed: int = 0) -> None:
        """Start all games again, the nth with dice seeded with seed + n."""
        self.backend.reset(check_seed(seed), self._reward_kind)

    def step(self, actions: DeviceArray) -> None:
        """Play one action in each game.

        Raises IllegalAction, which names the first game whose action is illegal: such games do not move, the
        others do. On a GPU, `check` raises instead.
        """
        self.backend.step(actions, self._reward_kind)

    def check(self) -> None:
        """Raise an OptionError if an action since the last check was illegal. Only needed on a GPU."""
        illegal = self.backend.pop_illegal()
        if illegal is not None:
            raise OptionError(f"actions: that of game {illegal} was not legal, so that game has not gone on")

    def sample_actions(self, out: DeviceArray | None = None) -> DeviceArray:
        """A random legal action for each game, written into `out` if given; on the batch's device."""
        return self.backend.sample_actions(out)

    def observe(
        self,
        seat: int | Sequence[int] | NDArray[np.integer] | DeviceArray | None,
        out: DeviceArray | None = None,
    ) -> DeviceArray:
        """What a seat may know in each game, whoever is to act; for None, what a spectator may.

        `seat` is one seat for all games, or a list with one per game (-1: a spectator, who sees seat 0
        first); on a GPU also an array that lies there, whose numbers are not checked. Written into `out` if
        given; else returns a new array on the batch's device.
        """
        if self.device == "cuda" and hasattr(seat, "__cuda_array_interface__"):
            return self.backend.observe(seat, out)
        given = np.asarray(SPECTATOR if seat is None else seat)
        least = 0 if given.ndim == 0 and seat is not None else SPECTATOR
        if (
            given.dtype.kind not in "iu"
            or given.shape not in ((), (self.games,))
            or not ((given >= least) & (given < self.players)).all()
        ):
            raise OptionError(
                f"seat: expected a number from 0 to {self.players - 1}, None for a spectator,"
                f" or one for each of {self.games:,} games; found {seat!r}"
            )
        return self.backend.observe(np.ascontiguousarray(np.broadcast_to(given, self.games), np.int8), out)

    @property
    def last_seats(self) -> NDArray[np.int8]:
        """With bots: your first seat in the last finished game of each row."""
        return self._batch_bots().seats

    def results(self, games: Sequence[int] | NDArray[np.integer]) -> BatchResults:
        """With bots: the results of the last finished game of these rows.

        For each: the final observation of your first seat, the ending, and everyone's points, also by source.
        """
        bots, rules = self._batch_bots(), self.game.rules
        rows = np.asarray(games, np.int64)
        sheets = bots.sheets[rows, : self.players, : len(rules.SOURCES)]
        return {
            "final_obs": list(bots.finals[rows]),
            "ending": [str(rules.ENDINGS[ending]) for ending in bots.endings[rows]],
            "scores": sheets.sum(2).tolist(),
            "score_sheet": [dict(zip(rules.SOURCES, sheet.T.tolist(), strict=True)) for sheet in sheets],
        }

    def _batch_bots(self) -> BatchBots:
        bots = self.backend.bots
        if bots is None:
            raise OptionError("bots: only a batch with bots keeps how its games have ended")
        return bots

    # Positions in and out

    @property
    def positions(self) -> Records:
        """The positions of all games, as a new array of records: `batch.game.to_dict(batch.positions[0])`.

        They contain everything, hidden hands too; what a seat may know is its observation.
        """
        found = self.backend.export_state()["positions"]
        return found.view(self.game.position.dtype).reshape(self.games).view(np.recarray)

    def set_positions(
        self, positions: Sequence[Position | Plain] | Records, games: Sequence[int] | None = None
    ) -> None:
        """Set the positions of these games (None: of all): as `positions` returns them, or as plain data.

        The games continue from there with their own dice. Raises a DataError or OptionError, with nothing
        changed, if something is wrong with them.
        """
        rows = self._rows(games, len(positions))
        known: dict[bytes, Position] = {}  # many are often the same
        found = [self._checked(position, known) for position in positions]
        state: State = {
            "positions": np.array([np.frombuffer(p.tobytes(), np.uint8) for p in found]),
            "rewards": np.zeros((len(found), 1), np.float32),
            "terminations": np.zeros(len(found), np.uint8),
        }
        if found:
            self.backend.load_state(state, rows, self._reward_kind)

    def _rows(self, games: Sequence[int] | None, many: int) -> NDArray[np.int64]:
        rows = np.arange(self.games) if games is None else np.asarray(games)
        if rows.ndim != 1 or rows.dtype.kind not in "iu" or not ((rows >= 0) & (rows < self.games)).all():
            raise OptionError(f"games: expected numbers from 0 to {self.games - 1}, found {games!r}")
        if len(rows) != many:
            raise OptionError(f"positions: expected one for each of {len(rows):,} games, found {many:,}")
        return rows.astype(np.int64)

    def _checked(self, position: Position | Plain, known: dict[bytes, Position]) -> Position:
        """A position that can be continued in this batch. A record is checked too: it may hold anything."""
        is_record = isinstance(position, np.record) and position.dtype == self.game.position.dtype
        record = cast(Position, position)
        key = record.tobytes() if is_record else b""
        if key not in known:
            plain = self.game.to_dict(record) if is_record else position
            p = self.game.position_from_dict(plain, self.components.box)
            check_playable("positions", p, self.players)
            if not is_record:
                return p
            known[key] = p
        return known[key]

    def snapshot(self) -> Snapshot:
        """The state of all games, dice included, for `restore`."""
        return Snapshot(self.game.name, self.game.version, self.players, **self.backend.export_state())

    def restore(self, snapshot: Snapshot, seed: int | None = None) -> None:
        """Return all games to a snapshot; with a seed, to continue on other dice: the nth on seed + n."""
        snapshot.check(self.game.name, self.game.version, self.players, self.games)
        state: State = {
            name: array for name, array in vars(snapshot).items() if isinstance(array, np.ndarray)
        }
        if seed is not None:
            first = np.arange(self.games, dtype=np.uint64)[:, None] + np.uint64(check_seed(seed))
            state |= {
                name: first + np.uint64(nth * SEED_LIMIT)
                for nth, name in enumerate(("dice", "sampling_dice", "bot_dice"))
            }
        self.backend.load_state(state, np.arange(self.games), self._reward_kind)

    def __reduce__(self) -> tuple[object, ...]:
        """A copy, in this process or in another, is a batch of the same kind in the same state."""
        own = self.components.digest != self.game.components.digest
        given = self.options | self._settings | {"components": self.components.tables if own else None}
        names = {kind: name for name, kind in KINDS.items()}
        bots = None if self.bots is None else [names.get(kind) for kind in self.bots]
        return _unpickled, (self.game.name, self.games, given | {"bots": bots}, self.snapshot())

    def playouts(
        self, policy: str = "random", games: int | None = None, seed: int = 0, *, by_source: bool = False
    ) -> Playouts:
        """Play games from start to end, at random or by the rollout policy ("heuristic").

        Points are in total or by source. The games of this batch are left alone.
        """
        if policy not in POLICIES:
            raise OptionError(f"policy: expected {' or '.join(POLICIES)}, found {policy!r}")
        games = self.games if games is None else games
        _check_number("games", games)
        return self.backend.playouts(policy == "heuristic", check_seed(seed), games, by_source)


def _unpickled(name: str, games: int, given: dict[str, Any], snapshot: Snapshot) -> Batch:
    """The batch that `__reduce__` describes."""
    batch = Batch(name, games, **given)
    batch.restore(snapshot)
    return batch


def _check_number(what: str, number: object) -> None:
    if type(number) is not int or number < 1:
        raise OptionError(f"{what}: expected a number from 1, found {number!r}")


def check_playable(what: str, p: Position, players: int) -> None:
    """Raise an OptionError unless a game of that many players can continue from a position."""
    if p.turn < 0 or p.players != players:
        over = ", and it is over" if p.turn < 0 else ""
        raise OptionError(
            f"{what}: expected {players} players and somebody to decide, found {p.players} players{over}"
        )


def kind_of(reward: str) -> int:
    """The number of a kind of reward in the loops."""
    if reward not in REWARDS:
        raise OptionError(f"reward: expected {' or '.join(REWARDS)}, found {reward!r}")
    return REWARDS.index(reward)


def check_seed(seed: object) -> int:
    """A seed as an int: the loops would be compiled again for each of NumPy's integer types."""
    if not isinstance(seed, int | np.integer) or not 0 <= seed < SEED_LIMIT:
        raise OptionError(f"seed: expected a number from 0 to 2**62 - 1, found {seed!r}")
    return int(seed)
