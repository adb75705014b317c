"""S15, S31, S32, S33: whole turns, enumerated from many positions by our rules and by the rulebook's own words: they end alike."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from comptoir.engine.dice import dice_for
from comptoir.engine.mask import allows, clear, members, new_mask
from comptoir.engine.rule import Box, Dice, Mask, Position, rule
from comptoir.engine.verbs import legal, play
from comptoir.games.sail_to_india import rules
from tests.games.sail_to_india import full_text
from tests.games.sail_to_india.full_text import End, Turn
from tests.games.sail_to_india.table import BOX, SAIL, Table

SIZE = rules.POSITION.dtype.itemsize
TOO_MANY = 12_000  # moments in a turn by our rules: a turn with more is left to the long run, or out


@rule
def branch(positions: Any, actions: Any, box: Box, mask: Mask, dice: Dice) -> int:
    """Plays every legal action of positions[0], each on a copy of its own in the rows after it, all with the same dice; how many."""
    clear(mask)
    legal(positions[0], box, mask)
    start = dice[0]
    n = 0
    for action in range(64 * len(mask)):
        if allows(mask, action):
            n += 1
            positions[n] = positions[0]
            actions[n] = action
            play(positions[n], box, action, dice)
            dice[0] = start
    return n


class TooMany(Exception):
    """A turn has more moments than there is time for."""


def ends_by_our_rules(p: Position, dice: Dice, most: int = TOO_MANY) -> set[End]:
    """Every way in which the turn can end, as our rules have it."""
    bound = SAIL.compiled.bind(branch)
    positions, actions, mask = rules.POSITION.array(len(rules.ACTIONS) + 1), np.zeros(len(rules.ACTIONS) + 1, np.int64), new_mask(len(rules.ACTIONS))
    bytes_of = positions.view(np.uint8).reshape(-1, SIZE)
    positions[0] = p
    first = bytes_of[0].tobytes()
    seen, waiting, over = {first}, [first], set()
    while waiting:
        bytes_of[0] = np.frombuffer(waiting.pop(), np.uint8)
        n = bound(positions, actions, BOX, mask, dice)
        after = [row.tobytes() for row in bytes_of[1 : n + 1]]
        if actions[1] == rules.END_TURN:
            over.add(after.pop(0))  # the next turn begins: nothing of this one is left but where the pieces are
        waiting += set(after) - seen
        seen.update(after)
        if len(seen) > most:
            raise TooMany
    ends = np.frombuffer(b"".join(over), rules.POSITION.dtype).view(np.recarray)
    return set(full_text.ends_of(ends, int(p.turn)))


def ends_by_the_text(p: Position, dice: Dice) -> set[End]:
    """Every way in which the turn can end, as the rulebook has it."""
    card = rules.unseen_card(p, dice.copy()) if p.face_up < rules.last_town(p) else 0
    start, coast = full_text.read(p, BOX, card)
    seen: set[Turn] = {start}
    waiting, ends = [start], set()
    while waiting:
        t = waiting.pop()
        if full_text.may_end(t):
            ends.add(full_text.end_of(t))
        for after in full_text.steps(t, coast):
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    return ends


def differences(p: Position) -> tuple[set[End], set[End]]:
    """How the turn can end by the text and not by our rules, and by our rules and not by the text."""
    dice = dice_for("whole turns", 0)
    ours = ends_by_our_rules(p, dice)
    text = ends_by_the_text(p, dice)
    return text - ours, ours - text
