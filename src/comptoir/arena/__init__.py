"""The arena: bots play each other, with the same deals for all and every seating rotated, and a table shows
who is better.

    from comptoir.arena import Arena

    standings = Arena("batavia", ["captain", "clerk"], players=4).play(games=200)

docs/arena.md tells more.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path

from comptoir import folders
from comptoir.arena import dataset, schedule
from comptoir.arena.game_record import GameRecord, RunDefinition, match_of, source_hash
from comptoir.arena.run_log import RunLog, short_hash
from comptoir.arena.schedule import GameSpec
from comptoir.arena.standings import Standings, StandingsDict
from comptoir.arena.workers import play_all
from comptoir.bots.levels import check
from comptoir.engine.game import get_game
from comptoir.engine.plain import ComponentsGiven, OptionValue
from comptoir.errors import OptionError

__all__ = ["Arena"]

Progress = Callable[[int, int], None]


class Arena:
    """A run: bots that play a game against each other.

    The same definition in the same folder goes on where it stopped.
    """

    def __init__(
        self,
        game_name: str,
        bots: Sequence[str],
        *,
        players: int | None = None,
        seed: int | str = 1,
        bot_timeout: float | None = None,
        components: ComponentsGiven | None = None,
        folder: str | Path | None = None,
        **options: OptionValue,
    ) -> None:
        """`bot_timeout`: seconds that custom bots have for a move. `folder`: where the run is
        recorded.
        """
        if len(bots) < 2:
            raise OptionError(
                f"bots: expected two or more to play each other, found {', '.join(bots) or 'none'}"
            )
        if bot_timeout is not None and bot_timeout <= 0:
            raise OptionError(f"bot_timeout: expected seconds above 0, found {bot_timeout}")
        chosen = get_game(game_name)
        self.definition = RunDefinition(
            game=chosen.name,
            rules=chosen.version,
            options=chosen.read_options(players, **options),
            bots=tuple(bots),
            seed=str(seed),
            bot_timeout=bot_timeout,
            components=chosen.read_components(components).tables if components else None,
            code=source_hash(chosen.name),
            files=file_hashes(bots),
        )
        for spec in bots:
            check(spec)
        self.folder = (
            Path(folder) if folder else data_folder() / f"{chosen.name}-{short_hash(self.definition)}"
        )

    def units(self, games: int) -> list[GameSpec]:
        """What is played for a number of games: whole deals, so at least as many games."""
        if games < 1:
            raise OptionError(f"games: expected a number of at least 1, found {games}")
        return schedule.units(len(self.definition.bots), self.definition.players, games)

    def play(
        self,
        games: int,
        *,
        workers: int | None = None,
        ray: str | None = None,
        save_matches: str | Path | None = None,
        parquet: str | Path | None = None,
        fresh: bool = False,
        progress: Progress = lambda done, total: None,
    ) -> StandingsDict:
        """Plays what is not recorded yet and returns the figures as data: see `count`."""
        return self.count(
            games,
            workers=workers,
            ray=ray,
            save_matches=save_matches,
            parquet=parquet,
            fresh=fresh,
            progress=progress,
        ).to_dict()

    def count(
        self,
        games: int,
        *,
        workers: int | None = None,
        ray: str | None = None,
        save_matches: str | Path | None = None,
        parquet: str | Path | None = None,
        fresh: bool = False,
        progress: Progress = lambda done, total: None,
    ) -> Standings:
        """Plays what is not recorded yet and counts all games.

        `workers` processes (without it: one a core; 1 plays in this process), or the Ray cluster at an
        address. `save_matches` is a folder for match files, `parquet` a file for all decisions. `fresh`
        forgets what is recorded. `progress` is called with the number of games done and in all.
        """
        if workers is not None and workers < 1:
            raise OptionError(f"workers: expected a number of at least 1, found {workers}")
        units = self.units(games)
        if parquet is not None:
            dataset.check_parquet(Path(parquet))
        save = _Matches(Path(save_matches), self.definition).save if save_matches is not None else _not_saved
        with RunLog(self.folder, self.definition, GameRecord, fresh) as record:
            left = {unit.key: unit for unit in units if unit.key not in record.done}
            for unit in units:
                if unit.key in record.done:
                    save(unit, record.done[unit.key])
            progress(len(units) - len(left), len(units))
            for played in play_all(self.definition, list(left.values()), workers, ray) if left else ():
                record.add(played)
                save(left.pop(played.key), played)
                progress(len(units) - len(left), len(units))
            played_all = [(unit, record.done[unit.key]) for unit in units]
            if parquet is not None:
                dataset.save(Path(parquet), self.definition, played_all)
            return Standings(self.definition, played_all)


class _Matches:
    """A folder of match files, one a game.

    Their names tell runs apart, so that several can share a folder.
    """

    def __init__(self, folder: Path, definition: RunDefinition) -> None:
        self.folder, self.definition = folder, definition
        self.name = f"{definition.game}-{short_hash(definition)}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OptionError(
                f"{folder} cannot be written to: {error.strerror}. Choose another folder with --save-matches."
            ) from None

    def save(self, unit: GameSpec, played: GameRecord) -> None:
        path = self.folder / f"{self.name}-{unit.key}.match"
        if not path.exists():
            match_of(self.definition, unit, played.actions).save(path)


def _not_saved(unit: GameSpec, played: GameRecord) -> None:
    """Nobody has asked for match files."""


def data_folder() -> Path:
    """Where runs are recorded by default."""
    return folders.data() / "arena"


def file_hashes(specs: Sequence[str]) -> dict[str, str]:
    """Hashes of the files that bots name (a class's, a program's, figures): a bot that was changed is another
    bot.
    """
    words = {re.sub(r"^[^@]*@|:\w+$", "", word) for spec in specs for word in _words(spec)}
    return {
        word: sha256(Path(word).read_bytes()).hexdigest()[:16]
        for word in sorted(words)
        if Path(word).is_file()
    }


def _words(spec: str) -> list[str]:
    try:
        return shlex.split(spec)
    except ValueError:  # `check` says what is wrong with it
        return []
