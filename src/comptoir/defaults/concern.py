"""What a choice concerns: the cell of the position that is ringed on the derived board.

The action is tried in a few worlds that the viewer can imagine, so that the ring says nothing that the viewer
does not know. Of the cells of nobody and of the seat that decides, the ring goes to the first one that

1. the action names (`dates` in `offer dates`): the cell of a word before one in which the word stands,
   and that before any other;
2. gives something away: a card is taken from there, although another may take its place;
3. is the seat's own secret, and holds something: *offer dates* concerns the dates in the hand;
4. certainly changes;
5. holds something;
6. is the seat's rather than nobody's.

A cell that the action does not name must be one that certainly changes, and not from one word to another:
a new phase is no place.
"""

from __future__ import annotations

from functools import lru_cache
from weakref import WeakKeyDictionary

from comptoir.defaults.field_table import Cell, Key, cell_keys, game_of, is_there, part
from comptoir.engine.actions import Action
from comptoir.engine.dice import dice_for
from comptoir.engine.game import Game
from comptoir.engine.rule import Position
from comptoir.engine.scene import Scene
from comptoir.engine.schema import Field

WORLDS = 6  # in which an action is tried: what is up to chance or hidden is seldom the same in all

Cells = dict[Key, Cell]
_tried: WeakKeyDictionary[Scene, _Worlds] = WeakKeyDictionary()


class _Worlds:
    """A few worlds as the viewer of a scene may imagine them, and what actions do there."""

    def __init__(self, scene: Scene) -> None:
        self.game = game_of(scene)
        self.box = scene.components.box
        self.keys = list(cell_keys(self.game, scene))
        self.worlds = []
        viewer = -1 if scene.seat is None else scene.seat
        for n in range(WORLDS):
            world, dice = self.game.copy(scene.raw_record), dice_for(f"concerned {n}", 0)
            self.game.ruleset.imagine(world, self.box, viewer, dice)
            self.worlds.append((world, frozenset(self.game.legal(world, self.box)), self._cells(world), dice))

    def _cells(self, world: Position) -> Cells:
        position = self.game.position.lazy_dict(world)
        return {key: part(position, field, key) for key, field in self.keys}

    def changes(self, action: int) -> list[tuple[Cells, Cells]]:
        """The cells before and after the action, in each world where it can be played."""
        found = []
        for world, legal, before, dice in self.worlds:
            if action in legal:
                after = self.game.copy(world)
                self.game.ruleset.play(after, self.box, action, dice.copy())
                found.append((before, self._cells(after)))
        return found


def concerned(scene: Scene, action: Action) -> Key | None:
    """The key of the cell that an action of the seat that decides concerns; None if of no cell in
    particular.
    """
    decider = scene.position["turn"]
    if decider is None:
        return None
    worlds = _tried.get(scene)
    if worlds is None:
        worlds = _tried[scene] = _Worlds(scene)
    tried = worlds.changes(action.index)
    named = _named_by(worlds.game, action)
    best: Key | None = None
    best_rank: tuple[int, ...] = (0,)
    for key, field in worlds.keys:
        if _of_seat(key) and key[1] != decider:
            continue
        rank = _rank(key, field, part(scene.position, field, key), tried, named)
        if rank > best_rank:
            best, best_rank = key, rank
    return best


def _rank(
    key: Key, field: Field, value: Cell, tried: list[tuple[Cells, Cells]], named: frozenset[str]
) -> tuple[int, ...]:
    """How much a cell is what an action is about; what is not, ranks (0,)."""
    names = 2 * sum(step in named for step in key[1:]) + (isinstance(value, str) and value in named)
    there = is_there(value, field)
    changes = bool(tried) and all(before[key] != after[key] for before, after in tried)
    less = any(_less(after[key], before[key], field) for before, after in tried)
    spent = less and not any(_less(before[key], after[key], field) for before, after in tried)
    if not names and (not changes or field.kind == "enum"):
        return (0,)
    return (1 + names, spent, spent and changes, field.private and there, changes, there, _of_seat(key))


def _of_seat(key: Key) -> bool:
    return len(key) > 1 and isinstance(key[1], int)


def _less(now: Cell, before: Cell, field: Field) -> bool:
    """Whether there is less in a cell than before; one seat or word is not less than another."""
    if now is None or before is None or isinstance(now, list | dict):
        return now is None and before is not None
    if field.kind in ("seat", "enum") or not isinstance(now, int) or not isinstance(before, int):
        return False
    return now < before


@lru_cache(4096)
def _named_by(game: Game, action: Action) -> frozenset[str]:
    """The words of the position that an action names: `tea` in `take tea`."""
    return frozenset(word for word in position_words(game) if f" {word} " in operands_of(action))


def operands_of(action: Action) -> str:
    """The operands as words between spaces, to look for one of them."""
    return f" {' '.join(map(str, action.operands))} "


@lru_cache(64)
def position_words(game: Game) -> frozenset[str]:
    """All words of the fields of a position, along their axes and in their cells."""
    fields = game.position.fields.values()
    axes = {word for field in fields for axis in field.axes if isinstance(axis, tuple) for word in axis}
    return frozenset(axes | {word for field in fields for word in field.words})
