"""Matches in worlds that a viewer cannot tell from the true one: what it could not know is dealt again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NamedTuple

from comptoir.engine.dice import dice_for
from comptoir.engine.match import Match
from comptoir.engine.rule import Position


class ActionPreview(NamedTuple):
    """What would come of an action: whether something is revealed or drawn, and whether it ends the turn."""

    has_chance: bool
    ends_turn: Callable[[], bool]


def imagined_match(match: Match, seat: int, world: str) -> Match:
    """The match as a seat may believe it to stand now, in one of many worlds, and with other dice."""
    twin = match.at(match.ply)
    twin.seed = _seed(world)
    twin.replace_record(-1, _imagined_position(match, seat, twin.seed))
    return twin


def redealt_match(match: Match, seat: int | None, world: str) -> Match:
    """The same match to a seat (None: a spectator), with all that it could not know dealt again in every
    position so far. For checks that it receives and sees the same.
    """
    twin, seed = match.at(match.ply), _seed(world)
    for ply, p in enumerate(match.records):
        if p["turn"] >= 0:  # afterwards everything is open
            other = match.game.seen_by(p, match.box, seat)
            viewer = -1 if seat is None else seat
            match.game.ruleset.imagine(other, match.box, viewer, dice_for(seed, ply))
            twin.replace_record(ply, other)
    return twin


def preview_actions(match: Match, actions: Iterable[str]) -> Iterator[ActionPreview]:
    """What would come of actions of the seat that decides, as far as that seat can know.

    Each is tried in a world that it imagines, with other dice than the match's.
    """
    seed, game = _seed("prospects"), match.game
    now = _imagined_position(match, int(match.records[-1]["turn"]), seed)
    dice = dice_for(seed, match.ply + 1)
    for action in actions:
        after, has_chance = game.next_position(now, match.box, game.action_index(action), dice.copy())
        yield ActionPreview(has_chance, partial(game.ends_turn, now, after))


def _imagined_position(match: Match, seat: int, seed: str) -> Position:
    """The position as a seat may believe it to be."""
    now = match.game.seen_by(match.records[-1], match.box, seat)
    match.game.ruleset.imagine(now, match.box, seat, dice_for(seed, match.ply))
    return now


def _seed(world: str) -> str:
    """The seed of a world: a match's own has no space."""
    return f"imagined {world}"
