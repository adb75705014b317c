"""Cubes, trades and tiles in words, and what a viewer may know of them: shared by all that narrates or draws the game."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from comptoir.engine.mask import popcount
from comptoir.engine.recap import ActionStep
from comptoir.engine.words import Words
from comptoir.games.century.rules import (
    CUBES,
    FIRST_OWNER,
    FIRST_PORT,
    GETS,
    ICONS,
    NO_PORT,
    PAYS,
    PILE,
    SOURCES,
    SPACES,
    TILE_POINTS,
    closed_port,
    closing_within,
    harvested,
    points_from,
    score_visible,
    tiles_at,
)

if TYPE_CHECKING:
    from comptoir.games.century.records import Scene

# Things in words


def cubes(counts: Iterable[int], words: Words) -> str:
    """Cubes in words, from counts in their order, as a list has them: 2 ginger, 1 chili."""
    return ", ".join(_counted("cubes", counts, words)) or words.say("log.nothing")


def spices(counts: Iterable[int], words: Words) -> str:
    """The same as a sentence has it: 2 ginger and 1 chili."""
    return words.join(_counted("spices", counts, words)) or words.say("log.nothing")


def cube_of(name: str, words: Words) -> str:
    """One cube by the spice that it is: 1 ginger."""
    return words.say(f"cubes.{name}", n=1)


def _counted(section: str, counts: Iterable[int], words: Words) -> list[str]:
    return [words.say(f"{section}.{cube}", n=int(n)) for cube, n in zip(CUBES, counts, strict=True) if n]


def cube_letters(cube: str, n: int, words: Words) -> str:
    """Cubes of a colour: a letter each, or the letter and a number where there are many."""
    letter = words.say(f"letters.{cube}")
    return letter * n if n < 6 else f"{letter}{n}"


def points(n: int, words: Words) -> str:
    return words.say("score.points", n=n)


def sides(scene: Scene, space: int) -> tuple[Any, Any]:
    """C16: what the market tile on a space takes and gives."""
    trade = scene.box.trades[scene.record.markets[space]]
    return trade[PAYS], trade[GETS]


def trade_letters(scene: Scene, space: int) -> str:
    """A market's trade in letters: YY→G."""
    return "→".join(
        "".join(cube_letters(cube, int(n), scene.words) for cube, n in zip(CUBES, side, strict=True) if n)
        for side in sides(scene, space)
    )


def tile_values(scene: Scene, tile: int) -> dict[str, str]:
    """C4: what a victory point tile is worth and costs, as values of a text."""
    box, words = scene.box, scene.words
    return {"points": points(int(box.vp_points[tile]), words), "cubes": cubes(box.vp_cost[tile], words)}


def tile_index(scene: Scene, space: int) -> int:
    return int(scene.record.ports[space - FIRST_PORT])


def known_tiles(scene: Scene, seat: int) -> list[int] | None:
    """C17, C33: what each tile that a seat has claimed is worth; None if the viewer is not told."""
    if not score_visible(scene.record, scene.seat, seat, TILE_POINTS):
        return None
    owned = int(tiles_at(scene.record, FIRST_OWNER + seat))
    return [int(worth) for tile, worth in enumerate(scene.box.vp_points) if owned >> tile & 1]


def known_points(scene: Scene, seat: int) -> int:
    """C31, C33: what a seat has for certain by now: all that the viewer may see."""
    return sum(
        points_from(scene.record, scene.box, seat, source)
        for source in range(len(SOURCES))
        if score_visible(scene.record, scene.seat, seat, source)
    )


def all_known(scene: Scene, seat: int) -> bool:
    """C33: whether the viewer may see all that a seat has."""
    return all(score_visible(scene.record, scene.seat, seat, source) for source in range(len(SOURCES)))


def pile(scene: Scene) -> int:
    """How many victory point tiles are left to draw."""
    return popcount(tiles_at(scene.record, PILE))


def closing(scene: Scene) -> int:
    """C4: among how many of the next tiles the closed-port tile is; 0 once it has come up."""
    return closing_within(pile(scene)) if closed_port(scene.record) == NO_PORT else 0


def next_spice(cube: str) -> str:
    """C22: the spice of the next level."""
    return ICONS[CUBES.index(cube) + 1]


def harvest_of(scene: Scene) -> list[int]:
    return [harvested(scene.record, scene.box, int(scene.record.turn), cube) for cube in range(len(CUBES))]


def boat_space(step: ActionStep[Scene]) -> int:
    """Where the boat was when something was done."""
    p = step.before.record
    return int(p.boats[p.turn])


def at_space(key: str, space: int, words: Words, **values: str) -> str:
    """A text about a space: of a port there is another than of a market."""
    return words.say(f"{key}_port" if space >= FIRST_PORT else key, space=SPACES[space].upper(), **values)


def trade_text(pays: Iterable[int], gets: Iterable[int], words: Words) -> str:
    """C16: a market's trade in words: 2 ginger → 1 tea."""
    return f"{cubes(pays, words)} → {cubes(gets, words)}"
