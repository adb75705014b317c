"""Advice for a person: what a captain in the same seat thinks, from the same view."""

from __future__ import annotations

from comptoir.bots import views_of_turn
from comptoir.bots.levels import make
from comptoir.bots.searcher import Opinion, Searcher
from comptoir.engine.match import Match

HINTS = 3
HINT_SECONDS = 0.8
ENOUGH = 10  # a share that rests on fewer tries is no advice


def hints(match: Match, seat: int, seed: str, seconds: float | None = HINT_SECONDS) -> list[Opinion]:
    """The captain's choice, and the next best that it has looked at enough to say what they are worth."""
    captain = make("captain", match.game, match.components, seed, seconds=seconds)
    assert isinstance(captain, Searcher)
    best, *others = captain.opinions(match.hidden(seat), match.number, views_of_turn(match, seat))
    return [best, *(opinion for opinion in others if opinion.visits >= ENOUGH)][:HINTS]
