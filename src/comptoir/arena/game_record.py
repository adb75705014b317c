"""One game of a run: a pure task, which gives the same result wherever and whenever it is played (times
apart).
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from comptoir.arena.schedule import GameSpec
from comptoir.bots.network import FILE as NETWORK_FILE
from comptoir.bots.seated import SeatedBot
from comptoir.engine.components import Tables
from comptoir.engine.game import get_game
from comptoir.engine.match import Match
from comptoir.engine.names import repaired_names
from comptoir.errors import OptionError


@dataclass(frozen=True)
class RunDefinition:
    """All that decides how the games of a run come out, the code included.

    How many are played does not matter.
    """

    game: str
    rules: int
    options: dict[str, str]
    bots: tuple[str, ...]
    seed: str
    bot_timeout: float | None
    components: Tables | None  # if they are not the game's
    code: str
    files: dict[str, str]  # of custom bots: a hash of each

    @property
    def players(self) -> int:
        return int(self.options["players"])

    def to_dict(self) -> dict[str, object]:
        return asdict(self) | {"bots": list(self.bots)}


@dataclass(frozen=True)
class GameRecord:
    """What is recorded of a game; lists have an entry for each seat."""

    key: str
    winners: list[int]
    points: list[int]
    moves: list[int]
    seconds: list[float]
    actions: list[int]
    failures: dict[str, str] = field(default_factory=dict)  # by seat: why a bot was replaced


def play(definition: RunDefinition, unit: GameSpec) -> GameRecord:
    """Plays a game to its end."""
    if definition.code != source_hash(definition.game):
        raise OptionError(
            "a machine of this run has another Comptoir than the one that started it: install the same on all"
        )
    match = match_of(definition, unit)
    moves, seconds = [0] * match.players, [0.0] * match.players
    more: dict[str, Any] = {} if definition.bot_timeout is None else {"limit": definition.bot_timeout}
    seated: list[SeatedBot] = []
    try:
        for seat, bot in enumerate(unit.seating):
            seated.append(
                SeatedBot(
                    definition.bots[bot], match, seat, unit.bot_seed(definition.seed, seat), threads=1, **more
                )
            )
        while match.turn is not None:
            seat, began = match.turn, time.perf_counter()
            action = seated[seat].choose()
            seconds[seat] += time.perf_counter() - began
            moves[seat] += 1
            match.play(action)
    finally:
        for one in seated:
            one.close()
    reports = {str(one.seat): one.report for one in seated if one.report}
    actions = [match.game.action_index(action) for action in match.played]
    return GameRecord(unit.key, match.winners(), match.scores(), moves, seconds, actions, reports)


def match_of(definition: RunDefinition, unit: GameSpec, actions: Sequence[int] = ()) -> Match:
    """The match of a unit, at its start or after these actions."""
    get_game(definition.game).compiled  # noqa: B018  asked for, so that matches use it
    names = seat_names(definition.bots, unit)
    seed = unit.match_seed(definition.seed)
    match = Match(
        definition.game,
        seed=seed,
        names=names,
        position=None,
        components=definition.components,
        **definition.options,
    )
    for action in actions:
        match.play(action)
    return match


def labels(specs: Sequence[str]) -> list[str]:
    """The bots' names: their specs without folders, and a number added to those that occur again."""
    seen: Counter[str] = Counter()
    named = []
    for spec in specs:
        name = re.sub(r"\S*/", "", spec)
        seen[name] += 1
        named.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return named


def seat_names(specs: Sequence[str], unit: GameSpec) -> list[str]:
    """The bots' names as seats' names, which must differ: too long ones are cut."""
    bots = [label.replace("#", "") for label in labels(specs)]
    several = {bot for bot in unit.seating if unit.seating.count(bot) > 1}
    return repaired_names(
        [
            f"{bots[bot]} · {unit.seating[:seat].count(bot) + 1}" if bot in several else bots[bot]
            for seat, bot in enumerate(unit.seating)
        ]
    )


@cache
def source_hash(name: str) -> str:
    """A hash of all sources that decide how our bots play a game."""
    package = Path(__file__).parents[1]
    patterns = ("engine/*.py", "defaults/*.py", "bots/*.py", "arena/schedule.py", "arena/game_record.py")
    chosen = [path for pattern in patterns for path in package.glob(pattern)]
    own = ("rules.py", "evaluation.py", "evaluation.toml", "components.toml", NETWORK_FILE)
    chosen += [path for file in own if (path := get_game(name).folder / file).exists()]
    digest = sha256()
    for path in sorted(chosen):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]
