"""A choice as a person reads it: what a game's `story.choice(scene, action)` gives."""

from __future__ import annotations

from typing import NamedTuple


class Choice(NamedTuple):
    """One legal action in plain words, for a button that says all that a person needs to know."""

    label: str  # what to do, whole: "Build a market in town 2"
    effect: str = ""  # what comes of it, if the label does not say it: "1 VP"
    group: str = ""  # what it is a kind of: a key of [offers] in words.toml ("build": "Build")
    final: bool = False  # gives the turn away or cannot be undone: shown last and apart, never focused
    amount: int | None = None  # a number out of a range, such as a bid: shown as a stepper
