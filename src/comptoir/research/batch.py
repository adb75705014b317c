"""Thousands of games of one kind, stepped in one call on a CPU or a GPU.

    batch = Batch("century", games=4096, players=3, seed=7)
    while learning:
        actions = policy(batch.observations, batch.masks)      # one for each game
        batch.step(actions)                                    # arrays now show what came of them

When a game ends, the next one begins at once. `ends` says so, `rewards` are those of the game that ended, and
all else is of the new one.

    batch = Batch("century", games=4096, players=3, bots="clerk", rotate=True)    # against clerks
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comptoir.engine.game import Game, get_game
from comptoir.errors import OptionError
from comptoir.research.batch_bots import KINDS, BatchBots, new_crew, read_bots
from comptoir.research.cpu import CpuBackend, Playouts
from comptoir.research.loops import SEED_LIMIT, SPECTATOR
from comptoir.research.snapshot import Snapshot

REWARDS = ("win", "points")
DEVICES = ("cpu", "cuda")
POLICIES = ("random", "greedy")


class Batch:
    """Many games at once. The same seed gives the same games, however they are run.

    observations   (games, size) uint8: what the seat that decides may know; `layout` names its pieces
    masks          (games, actions) bool: what it may do
    turns          (games,) int8: which seat that is
    rewards        (games, players) float32: of the last action. "win": 1 for winning alone, which the others
                   lose between them, and ties share; "points": the points. 0 until a game ends
    ends           (games,) bool: whether the last action ended a game

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
        components: str | Path | dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        """`bots` have all seats but the first, in turn ("clerk,greedy"), or those that a list with None for
        yours gives them; with `rotate` all move on by a seat from game to game.
        """
        self.game: Game = get_game(name)
        self.options = self.game.read_options(**({} if players is None else {"players": players}), **options)
        self.players = int(self.options["players"])
        _check_number("games", games)
        _check_number("threads", threads)
        if device not in DEVICES:
            raise OptionError(f"device: expected {' or '.join(DEVICES)}, found {device!r}")
        self.games, self.device, self._kind = games, device, kind_of(reward)
        self.components = self.game.read_components(components)
        self.layout = self.game.observation
        self._made_with = {"device": device, "reward": reward, "threads": threads, "rotate": rotate_seats}
        self.bots = None if bots is None else read_bots(bots, self.players)
        start = self.game.position.array(1)
        start[0] = self.game.blank(self.options)
        self.runner: Any = self._on_gpu(start) if device == "cuda" else self._on_cpu(start, threads)
        self.reset(seed)

    def _on_cpu(self, start: Any, threads: int) -> CpuBackend:
        bots, rotate = self.bots, bool(self._made_with["rotate"])
        crew = None if bots is None else new_crew(self.game, self.games, bots, rotate)
        run = CpuBackend(self.game, self.games, start, self.components, threads, crew)
        self.observations: Any = run.rows.observations
        self.masks: Any = run.rows.bytes.view(np.bool_)[:, : len(self.game.actions)]
        self.turns: Any = run.rows.turns
        self.rewards: Any = run.rows.rewards[:, : self.players]
        self.ends: Any = run.rows.ends.view(np.bool_)
        return run

    def _on_gpu(self, start: Any) -> Any:
        from comptoir.research.cuda import GpuBackend

        if self.bots is not None:
            raise OptionError("bots: there are none on a GPU yet; leave out device, or bots")
        run = GpuBackend(self.game, self.games, start, self.components)
        self.observations = run.part("observations", np.uint8, self.layout.size)
        self.masks = run.part("masks", np.bool_, len(self.game.actions))
        self.turns, self.ends = run.part("turns", np.int8), run.part("ends", np.bool_)
        self.rewards = run.part("rewards", np.float32, self.players)
        return run

    def __repr__(self) -> str:
        return (
            f"<batch of {self.games:,} games of {self.game.name}, {self.players} players, on {self.device}>"
        )

    def reset(self, seed: int = 0) -> None:
        """Starts all games again, the nth on dice seeded with seed + n."""
        self.runner.reset(check_seed(seed), self._kind)

    def step(self, actions: Any) -> None:
        """One action in each game.

        IllegalAction names the first that is not legal: that game has not moved, the others have.

        On a GPU this does not wait to find out whether all were legal: `check` does.
        """
        self.runner.step(actions, self._kind)

    def check(self) -> None:
        """Raises OptionError if, since the last check, an action was not legal. Only needed on a GPU."""
        refused = self.runner.refused()
        if refused is not None:
            raise OptionError(f"actions: that of game {refused} was not legal, so that game has not gone on")

    def sample_actions(self, out: Any = None) -> Any:
        """A legal action for each game, all equally likely; written into `out`, if it is given.

        The array that is returned is on the batch's device.
        """
        return self.runner.choose(out)

    def observe(self, seat: int | Sequence[int] | NDArray[Any] | None) -> Any:
        """What a seat may know in each game, whoever decides; for None, what a spectator may.

        One seat for all games, or a list with one for each (-1: a spectator). A new array on the batch's
        device. A spectator sees the seats from the first on.
        """
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
        return self.runner.observe(np.ascontiguousarray(np.broadcast_to(given, self.games), np.int8))

    @property
    def last_seats(self) -> NDArray[np.int8]:
        """With bots: your first seat in the game of each row that ended last."""
        seats: NDArray[np.int8] = self._crew().seats
        return seats

    def results(self, games: Sequence[int] | NDArray[Any]) -> dict[str, list[Any]]:
        """With bots: how the games of these rows that ended last came out.

        For each: what your first seat knew at the end, the ending, and everyone's points, also by source.
        """
        crew, rules = self._crew(), self.game.rules
        rows = np.asarray(games, np.int64)
        sheets = crew.sheets[rows, : self.players, : len(rules.SOURCES)]
        return {
            "final_obs": list(crew.finals[rows]),
            "ending": [str(rules.ENDINGS[ending]) for ending in crew.endings[rows]],
            "scores": sheets.sum(2).tolist(),
            "score_sheet": [dict(zip(rules.SOURCES, sheet.T.tolist(), strict=True)) for sheet in sheets],
        }

    def _crew(self) -> BatchBots:
        crew: BatchBots | None = self.runner.crew
        if crew is None:
            raise OptionError("bots: only a batch with bots keeps how its games have ended")
        return crew

    # Positions in and out

    @property
    def positions(self) -> Any:
        """The positions of all games as a new array of records: `batch.game.to_dict(batch.positions[0])`.

        They hold everything, hidden hands too: a seat may know its observation.
        """
        found = self.runner.export_state()["positions"]
        return found.view(self.game.position.dtype).reshape(self.games).view(np.recarray)

    def set_positions(self, positions: Sequence[Any], games: Sequence[int] | None = None) -> None:
        """Puts positions into these games (None: into all): as `positions` gives them, or as plain data.

        The games go on from there with dice of their own. Raises a DataError or OptionError that says what is
        wrong with them, and then nothing has changed.
        """
        rows = self._rows(games, len(positions))
        known: dict[bytes, np.record] = {}  # many are often the same
        found = [self._checked(position, known) for position in positions]
        parts = {
            "positions": np.array([np.frombuffer(p.tobytes(), np.uint8) for p in found]),
            "rewards": np.zeros((len(found), 1), np.float32),
            "ends": np.zeros(len(found), np.uint8),
        }
        if found:
            self.runner.load_state(parts, rows, self._kind)

    def _rows(self, games: Sequence[int] | None, many: int) -> NDArray[np.int64]:
        rows = np.arange(self.games) if games is None else np.asarray(games)
        if rows.ndim != 1 or rows.dtype.kind not in "iu" or not ((rows >= 0) & (rows < self.games)).all():
            raise OptionError(f"games: expected numbers from 0 to {self.games - 1}, found {games!r}")
        if len(rows) != many:
            raise OptionError(f"positions: expected one for each of {len(rows):,} games, found {many:,}")
        return rows.astype(np.int64)

    def _checked(self, position: Any, known: dict[bytes, np.record]) -> np.record:
        """A position that can be played on in this batch: a record too may hold anything."""
        is_record = isinstance(position, np.record) and position.dtype == self.game.position.dtype
        key = position.tobytes() if is_record else b""
        if key not in known:
            plain = self.game.to_dict(position) if is_record else position
            p = self.game.position_from_dict(plain, self.components.box)
            check_playable("positions", p, self.players)
            if not is_record:
                return p
            known[key] = p
        return known[key]

    def snapshot(self) -> Snapshot:
        """All games as they are now, dice and all, to go back to with `restore`."""
        return Snapshot(self.game.name, self.game.version, self.players, **self.runner.export_state())

    def restore(self, snapshot: Snapshot, seed: int | None = None) -> None:
        """All games as they were. With a seed, from there on with other dice: the nth with seed + n."""
        snapshot.check(self.game.name, self.game.version, self.players, self.games)
        parts = {name: array for name, array in vars(snapshot).items() if isinstance(array, np.ndarray)}
        if seed is not None:
            first = np.arange(self.games, dtype=np.uint64)[:, None] + np.uint64(check_seed(seed))
            parts |= {
                name: first + np.uint64(nth * SEED_LIMIT)
                for nth, name in enumerate(("dice", "chance", "luck"))
            }
        self.runner.load_state(parts, np.arange(self.games), self._kind)

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy, in this process or in another, is a batch of the same kind at the same moment."""
        own = self.components.digest != self.game.components.digest
        given = self.options | self._made_with | {"components": self.components.tables if own else None}
        names = {kind: name for name, kind in KINDS.items()}
        bots = None if self.bots is None else [names.get(kind) for kind in self.bots]
        return _again, (self.game.name, self.games, given | {"bots": bots}, self.snapshot())

    def playouts(
        self, policy: str = "random", games: int | None = None, seed: int = 0, *, by_source: bool = False
    ) -> Playouts:
        """Whole games from the start, at random or by the clerk's habits, with all points together or, apart,
        by source; the games of this batch are left alone.
        """
        if policy not in POLICIES:
            raise OptionError(f"policy: expected {' or '.join(POLICIES)}, found {policy!r}")
        many = self.games if games is None else games
        _check_number("games", many)
        found: Playouts = self.runner.playouts(policy == "greedy", check_seed(seed), many, by_source)
        return found


def _again(name: str, games: int, given: dict[str, Any], snapshot: Snapshot) -> Batch:
    """What `__reduce__` has taken apart."""
    batch = Batch(name, games, **given)
    batch.restore(snapshot)
    return batch


def _check_number(what: str, number: Any) -> None:
    if type(number) is not int or number < 1:
        raise OptionError(f"{what}: expected a number from 1, found {number!r}")


def check_playable(what: str, p: np.record, players: int) -> None:
    """Whether a game of so many players can go on from a position."""
    if p.turn < 0 or p.players != players:
        over = ", and it is over" if p.turn < 0 else ""
        raise OptionError(
            f"{what}: expected {players} players and somebody to decide, found {p.players} players{over}"
        )


def kind_of(reward: Any) -> int:
    """The number that the loops use for a kind of reward."""
    if reward not in REWARDS:
        raise OptionError(f"reward: expected {' or '.join(REWARDS)}, found {reward!r}")
    return REWARDS.index(reward)


def check_seed(seed: Any) -> int:
    """A seed as a plain int: loops would be compiled again for each of NumPy's integer types."""
    if not isinstance(seed, int | np.integer) or not 0 <= seed < SEED_LIMIT:
        raise OptionError(f"seed: expected a number from 0 to 2**62 - 1, found {seed!r}")
    return int(seed)
