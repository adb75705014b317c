"""Finished matches to be reviewed, and what a seat cannot know of them dealt again."""

from __future__ import annotations

import random

import numpy as np

import comptoir
from comptoir.engine.match import Match

QUICK = "merchant:40"  # a search that takes no time: what it thinks is not what is tested


def finished(name: str, seed: int = 1, players: int | None = None) -> Match:
    """A match played by chance."""
    match, chance = comptoir.new(name, seed=seed, players=players), random.Random(seed)
    while not match.over:
        match.play(chance.choice(match.actions()))
    return match


def last_turns(name: str, decisions: int, seed: int = 1) -> Match:
    """A short match: the last decisions of one, from the position in which they began."""
    whole = finished(name, seed)
    match = Match(name, seed=seed, position=whole.at(max(0, whole.ply - decisions)).position())
    chance = random.Random(seed)
    while not match.over:
        match.play(chance.choice(match.actions()))
    return match


def redealt(match: Match, viewer: int, seed: int) -> Match:
    """The same match to a viewer, with all that it could not know dealt again, at every time."""
    other = match.at(match.ply)
    for ply, p in enumerate(other.records):
        if p["turn"] >= 0:
            world = match.game.seen_by(p, match.box, viewer)
            dice = np.array([seed * 1_000 + ply], np.uint64)
            match.game.ruleset.imagine(world, match.box, viewer, dice)
            other.replace_record(ply, world)
    return other
