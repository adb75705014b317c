"""The contract that every game keeps, as loops over the verbs: compiled, a hundred thousand matches take
minutes.

`walk` plays random matches and, at every decision, tries what must hold. It returns the number of the promise
that was broken first (PROMISES says which), the seed's number and the decision, or zeros. `python -m
tests.contract 100000` does so for every table, on all cores, without pytest; names of games after the number
choose among them.
"""

from __future__ import annotations

import itertools
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from comptoir.engine.dice import roll
from comptoir.engine.game import Game, get_game
from comptoir.engine.mask import clear, count, new_mask, pick
from comptoir.engine.option import Choice
from comptoir.engine.rule import Box, Dice, Mask, Position, Scores, rule
from comptoir.engine.scoring import score_sheet, scores
from comptoir.engine.verbs import Verbs, hide, imagine, legal, play, setup, verb
from comptoir.games import names
from tests import outside

PROMISES = (
    "kept",
    "a seat decides, and has something to decide",
    "listing the legal actions changes nothing",
    "playing on a copy leaves the original alone",
    "the same action with the same dice gives the same bytes",
    "hiding twice is hiding once",
    "an imagined world looks the same to the viewer",
    "an imagined world is a sound position",
    "an imagined world offers the viewer the same actions",
    "the true world, seen by the one who decides, offers the same actions as the hidden one",
    "every position is sound",
    "a match has at most MOST_DECISIONS decisions",
    "an ending is named when the match is over, and only then",
    "scores are from 0 to MOST_POINTS",
    "the score sheet's points add up to the scores, and its tie-breaks are theirs",
)
KEPT, DECIDES, LISTS, COPIES, REPEATS, HIDES, IMAGINES, IMAGINES_SOUND, IMAGINES_LEGAL, HIDES_LEGAL, SOUND = (
    range(11)
)
BOUNDED, ENDS, SCORES, SHEETS = range(11, 15)
NOW, BEFORE, AGAIN, HIDDEN, WORLD, WORLD_HIDDEN, BLANK = range(7)
ROWS = 7


@verb
def fault(p: Position, box: Box) -> tuple[int, int]:
    """The game's own `fault`: which law a position breaks."""
    raise RuntimeError("bind me to a game")


@rule
def same(raw: Any, one: int, other: int) -> bool:
    for byte in range(raw.shape[1]):
        if raw[one, byte] != raw[other, byte]:
            return False
    return True


@rule
def same_mask(one: Mask, other: Mask) -> bool:
    for word in range(len(one)):
        if one[word] != other[word]:
            return False
    return True


@rule
def walk(
    positions: Any,
    raw: Any,
    masks: Any,
    box: Box,
    dice: Dice,
    own_dice: Dice,
    out: Scores,
    sheet: Scores,
    seed: int,
    matches: int,
    decisions_each: int,
    most: int,
    points: int,
) -> tuple[int, int, int]:
    """`raw` is the same memory as `positions`, as bytes; positions[BLANK] holds the options.

    A match is left after `decisions_each`.
    """
    for number in range(matches):
        dice[0] = seed + number
        own_dice[0] = seed - number
        positions[NOW] = positions[BLANK]
        setup(positions[NOW], box, dice)
        decisions = 0
        while positions[NOW].turn >= 0 and decisions < decisions_each:
            broken = check_decision(positions, raw, masks, box, own_dice)
            if broken == KEPT:
                broken = check_sheet(positions[NOW], box, out, sheet)
            if broken == KEPT:
                broken = check_play(positions, raw, masks, box, dice)
            decisions += 1
            if broken == KEPT and decisions > most:
                broken = BOUNDED
            if broken:
                return broken, number, decisions
        broken = check_end(positions[NOW], box, out, sheet, points) if positions[NOW].turn < 0 else KEPT
        if broken:
            return broken, number, decisions
    return KEPT, 0, 0


@rule
def check_decision(positions: Any, raw: Any, masks: Any, box: Box, dice: Dice) -> int:
    """Legal actions, and what a random viewer may know and imagine."""
    p = positions[NOW]
    if p.turn >= p.players:
        return DECIDES
    if fault(p, box)[0]:
        return SOUND
    if p.ending:
        return ENDS
    positions[BEFORE] = positions[NOW]
    clear(masks[0])
    legal(p, box, masks[0])
    if count(masks[0]) == 0:
        return DECIDES
    if not same(raw, NOW, BEFORE):
        return LISTS
    viewer = roll(dice, p.players + 1) - 1
    broken = check_hidden(positions, raw, box, viewer, dice)
    if broken:
        return broken
    return check_decider(positions, raw, masks, box, dice)


@rule
def check_hidden(positions: Any, raw: Any, box: Box, viewer: int, dice: Dice) -> int:
    positions[HIDDEN] = positions[NOW]
    hide(positions[HIDDEN], box, viewer)
    positions[WORLD] = positions[HIDDEN]
    hide(positions[WORLD], box, viewer)
    if not same(raw, WORLD, HIDDEN):
        return HIDES
    imagine(positions[WORLD], box, viewer, dice)
    if fault(positions[WORLD], box)[0]:
        return IMAGINES_SOUND
    positions[WORLD_HIDDEN] = positions[WORLD]
    hide(positions[WORLD_HIDDEN], box, viewer)
    return KEPT if same(raw, WORLD_HIDDEN, HIDDEN) else IMAGINES


@rule
def check_decider(positions: Any, raw: Any, masks: Any, box: Box, dice: Dice) -> int:
    """The seat that decides has the same choices in the true world, in its view, and in every world it
    imagines.
    """
    viewer = positions[NOW].turn
    broken = check_hidden(positions, raw, box, viewer, dice)
    if broken:
        return broken
    clear(masks[1])
    legal(positions[HIDDEN], box, masks[1])
    if not same_mask(masks[0], masks[1]):
        return HIDES_LEGAL
    clear(masks[1])
    legal(positions[WORLD], box, masks[1])
    return KEPT if same_mask(masks[0], masks[1]) else IMAGINES_LEGAL


@rule
def check_play(positions: Any, raw: Any, masks: Any, box: Box, dice: Dice) -> int:
    """Plays a random action twice over, with the same dice."""
    action = pick(masks[0], roll(dice, count(masks[0])))
    positions[AGAIN] = positions[NOW]
    start = dice[0]
    play(positions[AGAIN], box, action, dice)
    if not same(raw, NOW, BEFORE):
        return COPIES
    dice[0] = start
    play(positions[NOW], box, action, dice)
    return KEPT if same(raw, NOW, AGAIN) else REPEATS


@rule
def check_sheet(p: Position, box: Box, out: Scores, sheet: Scores) -> int:
    """In any position."""
    scores(p, box, out)
    score_sheet(p, box, sheet)
    sources = sheet.shape[1] - out.shape[1] + 1
    for place in range(p.players):
        total = 0
        for source in range(sources):
            total += sheet[place, source]
        if total != out[place, 0]:
            return SHEETS
        for column in range(1, out.shape[1]):
            if sheet[place, sources - 1 + column] != out[place, column]:
                return SHEETS
    return KEPT


@rule
def check_end(p: Position, box: Box, out: Scores, sheet: Scores, points: int) -> int:
    if p.ending == 0:
        return ENDS
    if fault(p, box)[0]:
        return SOUND
    broken = check_sheet(p, box, out, sheet)
    if broken:
        return broken
    for place in range(p.players):
        if not 0 <= out[place, 0] <= points:
            return SCORES
    return KEPT


def tables() -> list[tuple[str, str, dict[str, Any]]]:
    """Every game with every number of players and every choice of its options: a title, the game's name, the
    options.
    """
    with outside.known():
        return [table for name in names() for table in _tables_of(name)]


def _tables_of(name: str) -> list[tuple[str, str, dict[str, Any]]]:
    found = []
    g = get_game(name)
    choices = [option for option in g.options if isinstance(option, Choice)]
    for players in range(g.rules.PLAYERS[0], g.rules.PLAYERS[1] + 1):
        for words in itertools.product(*(option.words_for(players) for option in choices)):
            options = {option.name: word for option, word in zip(choices, words, strict=True)}
            found.append(("-".join([name, str(players), *words]), name, {"players": players, **options}))
    return found


with outside.known():
    EVERY_GAME = names()  # ours, and the example from outside
WHOLE = 10**9  # more decisions than any match has


def keep(
    g: Game, options: dict[str, Any], mode: Verbs, seed: int, matches: int, decisions_each: int = WHOLE
) -> None:
    """Random matches in which every promise is tried at every decision."""
    positions = g.position.array(ROWS)
    positions[BLANK] = g.blank(g.read_options(**options))
    raw = positions.view(np.uint8).reshape(ROWS, -1)
    masks = np.zeros((2, len(new_mask(len(g.actions)))), np.uint64)
    dice, own_dice, out, sheet = (
        np.zeros(1, np.uint64),
        np.zeros(1, np.uint64),
        g.new_scores(1)[0],
        g.new_sheets(1)[0],
    )
    most, points = g.rules.MOST_DECISIONS, g.rules.MOST_POINTS
    broken, match, decision = mode.bind(walk)(
        positions,
        raw,
        masks,
        g.components.box,
        dice,
        own_dice,
        out,
        sheet,
        seed,
        matches,
        decisions_each,
        most,
        points,
    )
    assert not broken, f"broken: {PROMISES[broken]} (seed {seed + match}, decision {decision})"


def main(matches: int, chosen: list[str]) -> None:
    """The long run: every table of the chosen games, in parts of a thousand matches, one part a thread."""
    for title, name, options in tables():
        if name not in chosen:
            continue
        g = get_game(name)
        keep(g, options, g.compiled, 10**9, 1)  # compiled by one thread
        began = time.perf_counter()
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            parts = [
                pool.submit(keep, g, options, g.compiled, 10**9 + start, min(1000, matches - start))
                for start in range(0, matches, 1000)
            ]
            for part in parts:
                part.result()
        print(
            f"{title}: {matches:,} matches keep every promise, {time.perf_counter() - began:.0f} s",
            flush=True,
        )


if __name__ == "__main__":
    with outside.known():
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000, sys.argv[2:] or names())
