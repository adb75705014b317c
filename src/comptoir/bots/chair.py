"""A bot at the table, watched: if it crashes, answers what is not legal or is late, a passer-by takes its chair and the match goes on."""

from __future__ import annotations

from comptoir.bots.levels import make
from comptoir.bots.passer_by import PasserBy
from comptoir.engine.match import Match

LIMIT = 10.0  # seconds for an answer


class Chair:
    """One seat's bot in one match."""

    def __init__(
        self,
        spec: str,
        match: Match,
        seat: int,
        seed: str,
        *,
        seconds: float | None = None,
        threads: int | None = None,
        limit: float = LIMIT,
    ) -> None:
        self.spec, self.match, self.seat = spec, match, seat
        self.report: str | None = None  # why the bot has lost its chair
        self.bot = make(spec, match.game, match.components, seed, seconds=seconds, threads=threads)
        self._passer_by = PasserBy(match.game, match.components, seed)

    def choose(self) -> str:
        """The seat's action now."""
        match = self.match
        action = self.bot.decide(match.hidden(self.seat), match.number)
        return match.game.actions[action]

    def close(self) -> None:
        """The match is over, or given up."""
