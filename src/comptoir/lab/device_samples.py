"""Experiments on a device: random and heuristic games, played whole and by the million."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from comptoir.errors import OptionError
from comptoir.lab.sample import BulkSample, Sample
from comptoir.research.batch import POLICIES
from comptoir.research.bulk import BulkGames, BulkSimulator

if TYPE_CHECKING:
    from comptoir.lab import Experiment

POLICY_ALIASES = {"passer-by": "random", "passant": "random"}


def policy_of(level: str) -> str:
    """How a level plays on a device. Raises an OptionError for any but random and heuristic play."""
    policy = POLICY_ALIASES.get(level, level)
    if policy not in POLICIES:
        raise OptionError(f"level: with --device expected {' or '.join(POLICIES)}, found {level!r}")
    return policy


def play_samples(
    experiment: Experiment, deals: int, threads: int | None, progress: Callable[[int, int], None]
) -> list[list[Sample]]:
    """So many deals of each table on each box."""
    definition = experiment.definition
    total, done = deals * len(definition.options) * len(definition.components), 0

    def counted(chunks: Iterator[BulkGames]) -> Iterator[BulkGames]:
        nonlocal done
        for chunk in chunks:
            done += len(chunk.lengths)
            progress(done, total)
            yield chunk

    def sample(table: int, box: int) -> Sample:
        options = definition.options[table]
        more = options | {"components": definition.components[box], "threads": threads}
        whole = BulkSimulator(
            definition.game, definition.level_on(box), device=experiment.device or "cpu", **more
        )
        seed = f"{definition.seed}/{options['players']}" + ("" if definition.paired else f"/box {box}")
        return BulkSample(experiment.game, counted(whole.play(deals, seed)))

    progress(0, total)
    boxes = range(len(definition.components))
    return [[sample(table, box) for box in boxes] for table in range(len(definition.options))]
