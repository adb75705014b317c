"""The contract: what every game must keep, tried at every decision of random matches.

`walk` is a loop over the rules, so it runs interpreted or compiled, and a hundred thousand matches take
minutes. It returns the number of the first promise that was broken; PROMISES names them, and `words.toml`
says each in a sentence. `check_contract` is the way in for tests; the command is `comptoir check`.
"""

from __future__ import annotations

import itertools
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from comptoir.engine.dice import roll
from comptoir.engine.game import Game, get_game
from comptoir.engine.interface import RuleSet, game_function, hide, imagine, legal, play, setup
from comptoir.engine.mask import clear, count, new_mask, pick
from comptoir.engine.option import ChoiceOption
from comptoir.engine.plain import OptionValue
from comptoir.engine.precompile import CompileTarget
from comptoir.engine.rule import Box, Dice, Mask, Position, Records, Scores, rule
from comptoir.engine.scoring import new_score_sheets, new_scores, score_sheet, scores
from comptoir.testing.faults import BrokenPromise

PROMISES = (
    "kept",
    "decides",
    "lists",
    "copies",
    "repeats",
    "hides",
    "imagines",
    "imagines_valid",
    "imagines_legal",
    "hides_legal",
    "valid",
    "bounded",
    "ends",
    "scores",
    "sheets",
    "imagines_decides",
    "goes_on_decides",
    "goes_on_valid",
    "goes_on_ends",
)
KEPT, DECIDES, LISTS, COPIES, REPEATS, HIDES, IMAGINES, IMAGINES_VALID, IMAGINES_LEGAL, HIDES_LEGAL, VALID = (
    range(11)
)
BOUNDED, ENDS, SCORES, SHEETS, IMAGINES_DECIDES, GOES_ON_DECIDES, GOES_ON_VALID, GOES_ON_ENDS = range(11, 19)
NOW, BEFORE, AGAIN, HIDDEN, WORLD, WORLD_HIDDEN, BLANK, TRIED = range(8)
POSITIONS = 8
LEGAL, LEGAL_HIDDEN, LEGAL_TRIED = range(3)
MASKS = 3
MATCH, DECISION, VIEWER = range(3)  # where a promise was broken
NO_VIEWER = -2  # -1 is the spectator
OTHER_DICE = 0x5851_F42D_4C95_7F2D  # what is tried next to the match rolls dice of its own
LOOKS = 1  # decisions of a match whose imagined worlds are played to the end
SLOW_DECISIONS = 100  # that the interpreter is asked for where compiled rules do the rest
WHOLE = 10**9  # more decisions than any match has


@game_function
def violated_invariant(p: Position, box: Box) -> tuple[int, int]:
    """The game's own: which invariant a position violates, and where."""
    raise RuntimeError("bind me to a game")


@rule
def same(raw: NDArray[np.uint8], one: int, other: int) -> bool:
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
    positions: Records,
    raw: NDArray[np.uint8],
    masks: NDArray[np.uint64],
    box: Box,
    dice: Dice,
    own_dice: Dice,
    out: Scores,
    sheet: Scores,
    where: NDArray[np.int64],
    seed: int,
    matches: int,
    decisions_each: int,
    looks: int,
    most: int,
    points: int,
) -> int:
    """Returns the promise that was broken, KEPT if none; `where` then says in which match, and so on.

    `raw` is the same memory as `positions`, as bytes; positions[BLANK] holds the options. A match depends on
    seed + its number alone, so that it can be walked through again on its own. It is left after
    `decisions_each`; at `looks` of its decisions, all equally likely, a world that each viewer imagines is
    played to its end.
    """
    for number in range(matches):
        where[MATCH] = number
        where[DECISION] = 0
        where[VIEWER] = NO_VIEWER
        dice[0] = seed + number
        own_dice[0] = OTHER_DICE + seed + number
        positions[NOW] = positions[BLANK]
        setup(positions[NOW], box, dice)
        left = 0
        if looks > 0:
            left = min(decisions_each, decisions_ahead(positions, masks, box, dice, most))
        looked = 0
        while positions[NOW].turn >= 0 and where[DECISION] < decisions_each:
            where[VIEWER] = NO_VIEWER
            broken = check_decision(positions, raw, masks, box, own_dice, where)
            if broken == KEPT:
                where[VIEWER] = NO_VIEWER
                broken = check_sheet(positions[NOW], box, out, sheet)
            if broken == KEPT and left > 0 and roll(own_dice, left) < looks - looked:
                looked += 1
                broken = check_every_viewer(
                    positions, raw, masks, box, own_dice, out, sheet, where, most, points
                )
            left -= 1
            if broken == KEPT:
                where[VIEWER] = NO_VIEWER
                broken = check_play(positions, raw, masks, box, dice)
            where[DECISION] += 1
            if broken == KEPT and where[DECISION] > most:
                broken = BOUNDED
            if broken:
                return broken
        broken = check_end(positions[NOW], box, out, sheet, points) if positions[NOW].turn < 0 else KEPT
        if broken:
            return broken
    return KEPT


@rule
def decisions_ahead(positions: Records, masks: NDArray[np.uint64], box: Box, dice: Dice, most: int) -> int:
    """How many decisions the match will have: played on a copy, with the dice that it will roll."""
    positions[TRIED] = positions[NOW]
    start = dice[0]
    decisions = 0
    while decisions < most and can_decide(positions[TRIED], box, masks[LEGAL_TRIED]):
        play_any(positions[TRIED], box, masks[LEGAL_TRIED], dice)
        decisions += 1
    dice[0] = start
    return decisions


@rule
def can_decide(p: Position, box: Box, mask: Mask) -> bool:
    """Whether a seat is to decide and has a legal action; `mask` is left holding its legal actions."""
    if not 0 <= p.turn < p.players:
        return False
    clear(mask)
    legal(p, box, mask)
    return count(mask) > 0


@rule
def play_any(p: Position, box: Box, mask: Mask, dice: Dice) -> None:
    """Plays one of the actions in `mask`, all equally likely."""
    play(p, box, pick(mask, roll(dice, count(mask))), dice)


@rule
def check_decision(
    positions: Records,
    raw: NDArray[np.uint8],
    masks: NDArray[np.uint64],
    box: Box,
    dice: Dice,
    where: NDArray[np.int64],
) -> int:
    """Legal actions, and what a random viewer may know and imagine."""
    p = positions[NOW]
    if violated_invariant(p, box)[0]:
        return VALID
    if p.ending:
        return ENDS
    positions[BEFORE] = positions[NOW]
    if not can_decide(p, box, masks[LEGAL]):
        return DECIDES
    if not same(raw, NOW, BEFORE):
        return LISTS
    where[VIEWER] = roll(dice, p.players + 1) - 1
    broken = check_hidden(positions, raw, masks, box, where[VIEWER], dice)
    if broken:
        return broken
    where[VIEWER] = p.turn
    return check_decider(positions, raw, masks, box, dice)


@rule
def check_hidden(
    positions: Records, raw: NDArray[np.uint8], masks: NDArray[np.uint64], box: Box, viewer: int, dice: Dice
) -> int:
    positions[HIDDEN] = positions[NOW]
    hide(positions[HIDDEN], box, viewer)
    positions[WORLD] = positions[HIDDEN]
    hide(positions[WORLD], box, viewer)
    if not same(raw, WORLD, HIDDEN):
        return HIDES
    imagine(positions[WORLD], box, viewer, dice)
    if violated_invariant(positions[WORLD], box)[0]:
        return IMAGINES_VALID
    positions[WORLD_HIDDEN] = positions[WORLD]
    hide(positions[WORLD_HIDDEN], box, viewer)
    if not same(raw, WORLD_HIDDEN, HIDDEN):
        return IMAGINES
    return check_world(positions[WORLD], box, masks[LEGAL_TRIED])


@rule
def check_world(world: Position, box: Box, mask: Mask) -> int:
    """In a world that somebody imagines, somebody can act."""
    return KEPT if can_decide(world, box, mask) else IMAGINES_DECIDES


@rule
def check_decider(
    positions: Records, raw: NDArray[np.uint8], masks: NDArray[np.uint64], box: Box, dice: Dice
) -> int:
    """The seat that decides has the same choices in the true world, in its view, and in every world it
    imagines.
    """
    viewer = positions[NOW].turn
    broken = check_hidden(positions, raw, masks, box, viewer, dice)
    if broken:
        return broken
    clear(masks[LEGAL_HIDDEN])
    legal(positions[HIDDEN], box, masks[LEGAL_HIDDEN])
    if not same_mask(masks[LEGAL], masks[LEGAL_HIDDEN]):
        return HIDES_LEGAL
    return KEPT if same_mask(masks[LEGAL], masks[LEGAL_TRIED]) else IMAGINES_LEGAL


@rule
def check_every_viewer(
    positions: Records,
    raw: NDArray[np.uint8],
    masks: NDArray[np.uint64],
    box: Box,
    dice: Dice,
    out: Scores,
    sheet: Scores,
    where: NDArray[np.int64],
    most: int,
    points: int,
) -> int:
    """A world that each seat and the spectator imagine, and a random match from there to its end."""
    for viewer in range(-1, positions[NOW].players):
        where[VIEWER] = viewer
        broken = check_hidden(positions, raw, masks, box, viewer, dice)
        if broken == KEPT:
            positions[TRIED] = positions[WORLD]
            broken = check_going_on(positions[TRIED], box, masks[LEGAL_TRIED], dice, out, sheet, most, points)
        if broken:
            return broken
    return KEPT


@rule
def check_going_on(
    p: Position, box: Box, mask: Mask, dice: Dice, out: Scores, sheet: Scores, most: int, points: int
) -> int:
    """A random match from an imagined world on: it ends, and what it comes to is valid."""
    decisions = 0
    while p.turn >= 0:
        if violated_invariant(p, box)[0]:
            return GOES_ON_VALID
        if not can_decide(p, box, mask):
            return GOES_ON_DECIDES
        if decisions == most:
            return GOES_ON_ENDS
        play_any(p, box, mask, dice)
        decisions += 1
    return check_end(p, box, out, sheet, points)


@rule
def check_play(
    positions: Records, raw: NDArray[np.uint8], masks: NDArray[np.uint64], box: Box, dice: Dice
) -> int:
    """Plays a random action twice over, with the same dice."""
    action = pick(masks[LEGAL], roll(dice, count(masks[LEGAL])))
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
    if violated_invariant(p, box)[0]:
        return VALID
    broken = check_sheet(p, box, out, sheet)
    if broken:
        return broken
    for place in range(p.players):
        if not 0 <= out[place, 0] <= points:
            return SCORES
    return KEPT


@dataclass(frozen=True)
class Options:
    """One way to set up a game: the number of players and a word for each option that has several."""

    game: str
    chosen: dict[str, OptionValue]

    @property
    def title(self) -> str:
        """For example `batavia-3-open`."""
        return "-".join([self.game, *map(str, self.chosen.values())])


def tables_of(name: str, players: int | None = None) -> Iterator[Options]:
    """A game with every number of players (or one) and every choice of its options."""
    g = get_game(name)
    choices = [option for option in g.options if isinstance(option, ChoiceOption)]
    least, most = g.rules.PLAYERS
    for number in range(least, most + 1) if players is None else (players,):
        for words in itertools.product(*(option.words_for(number) for option in choices)):
            chosen = {option.name: word for option, word in zip(choices, words, strict=True)}
            yield Options(name, {"players": number, **chosen})


class Walk:
    """Room for walking through random matches of a game, in one mode."""

    def __init__(self, game: Game, options: dict[str, OptionValue], ruleset: RuleSet) -> None:
        self.game, self.options, self._walk = game, options, ruleset.bind(walk)
        self.positions = game.position.array(POSITIONS)
        self.positions[BLANK] = game.blank(game.read_options(**options))
        self._raw = self.positions.view(np.uint8).reshape(POSITIONS, -1)
        self._masks = np.zeros((MASKS, len(new_mask(len(game.actions)))), np.uint64)
        self._where = np.zeros(3, np.int64)

    def through(self, seed: int, matches: int, decisions_each: int = WHOLE, looks: int = LOOKS) -> None:
        """Random matches, the first of which has this seed. Raises a BrokenPromise."""
        g = self.game
        try:
            broken = self._walk(
                self.positions,
                self._raw,
                self._masks,
                g.components.box,
                np.zeros(1, np.uint64),
                np.zeros(1, np.uint64),
                new_scores(g, 1)[0],
                new_score_sheets(g, 1)[0],
                self._where,
                seed,
                matches,
                decisions_each,
                looks,
                g.rules.MAX_DECISIONS,
                g.rules.MAX_POINTS,
            )
        except Exception as error:
            raise self._broken("fails", seed, _place_of(error, g)) from error
        if broken:
            raise self._broken(PROMISES[broken], seed)

    def _broken(self, promise: str, seed: int, more: str = "") -> BrokenPromise:
        match, decision, viewer = map(int, self._where)
        seen = viewer != NO_VIEWER
        return BrokenPromise(
            self.game.name,
            promise,
            options=self.options,
            seed=seed + match,
            decision=decision,
            viewer=viewer if seen else None,
            position=self.positions[NOW],
            world=self.positions[WORLD] if seen else None,
            more=more,
        )


def _place_of(error: Exception, g: Game) -> str:
    """What an interpreted rule raised, and in which line of the game's own files."""
    lines = [
        f"{Path(frame.filename).name}:{frame.lineno}: "
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).is_relative_to(g.folder)
    ]
    return f"{''.join(lines[-1:])}{type(error).__name__}: {error}"


def check_contract(
    game: Game | str,
    options: dict[str, OptionValue] | None = None,
    ruleset: RuleSet | None = None,
    *,
    seed: int = 1,
    matches: int = 100,
    decisions_each: int = WHOLE,
    looks: int = LOOKS,
) -> None:
    """Random matches in which every promise is tried at every decision. Raises a BrokenPromise.

    `ruleset` is the game's, interpreted or compiled (the default). A match is left after
    `decisions_each`. At `looks` decisions of each match, the world that each viewer imagines is played to its
    end: one such look takes about as long as the rest of the match.
    """
    g = get_game(game) if isinstance(game, str) else game
    with np.errstate(over="raise", under="raise"):  # a small number that wraps around, in interpreted rules
        Walk(g, options or {}, ruleset or g.compiled).through(seed, matches, decisions_each, looks)


def check_twins(game: Game | str, options: dict[str, OptionValue] | None = None, *, seed: int = 1) -> None:
    """The first decisions of a random match, interpreted and compiled: the same bytes, or a BrokenPromise.

    Interpreted comes first: a mistake that is an error there may be anything in compiled rules.
    """
    g = get_game(game) if isinstance(game, str) else game
    walks = [Walk(g, options or {}, ruleset) for ruleset in (g.interpreted, g.compiled)]
    with np.errstate(over="raise", under="raise"):
        for one in walks:
            one.through(seed, 1, SLOW_DECISIONS, 0)
    if walks[0].positions.tobytes() != walks[1].positions.tobytes():
        position, world = (one.positions[NOW] for one in walks)
        raise BrokenPromise(
            g.name,
            "twins",
            options=options,
            seed=seed,
            position=position,
            world=world,
        )


# Of no match at all: what is broken is found later.
CONTRACT = CompileTarget("contract", (walk,), lambda game: check_contract(game, matches=0))
