"""A bot at the table, and a watch on it: if it crashes, gives an illegal answer or is late, a passer-by takes
its seat and the match goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from comptoir.bots import Bot, question_for
from comptoir.bots.background_compiler import BackgroundCompiler, CompilingBot
from comptoir.bots.external import BotFailure, ExternalBot
from comptoir.bots.levels import Program, make, read
from comptoir.bots.passer_by import PasserBy
from comptoir.engine.match import Match
from comptoir.errors import UnknownAction

if TYPE_CHECKING:
    from comptoir.bots.searcher import ActionEstimate

ANSWER_TIMEOUT = 10.0  # seconds for an answer
STARTUP_TIMEOUT = 30.0  # and for being ready: a program may have much to load


class SeatedBot:
    """One seat's bot in one match. `close` it when the match is over, or use it in a `with`.

    Built-in bots are asked here. A custom bot is a program: `limit` is the time it has for an answer, `start`
    the time it has to get ready. A clerk decides for a built-in bot until `compiler` has compiled that.
    """

    def __init__(
        self,
        spec: str,
        match: Match,
        seat: int,
        seed: str,
        *,
        seconds: float | None = None,
        threads: int | None = None,
        limit: float = ANSWER_TIMEOUT,
        start: float = STARTUP_TIMEOUT,
        compiler: BackgroundCompiler | None = None,
    ) -> None:
        self.spec, self.match, self.seat = spec, match, seat
        self.report: str | None = None  # why the bot was replaced
        self._passer_by = PasserBy(match.game, match.components, seed)
        self.program: ExternalBot | None = None
        self.bot: Bot = self._passer_by
        found = read(spec)
        if not isinstance(found, Program):
            self.bot = (
                make(spec, match.game, match.components, seed, seconds=seconds, threads=threads)
                if compiler is None
                else CompilingBot(spec, match.game, match.components, seed, compiler, seconds)
            )
            return
        try:
            self.program = ExternalBot(found.command, hello(match, seat, seed), limit=limit, start=start)
        except BotFailure as fault:
            self._replace_with_random(fault)

    def __enter__(self) -> SeatedBot:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def is_compiling(self) -> bool:
        """Whether a clerk still decides for the bot."""
        return isinstance(self.bot, CompilingBot) and self.bot.waits

    @property
    def last_estimates(self) -> Sequence[ActionEstimate]:
        """What a built-in bot thought of the actions when it last chose, the best first; nothing where it did
        not judge.
        """
        return self.bot.last_estimates

    def choose(self) -> str:
        """The seat's action now: legal, whatever its bot does."""
        try:
            action = self._ask()
            self._check(action)
        except BotFailure as fault:
            self._replace_with_random(fault)
            action = self._ask()
        return action

    def close(self) -> None:
        """The match is over, or given up."""
        if self.program is not None:
            self.program.close(result(self.match) if self.match.over else None)
            self.program = None

    def _ask(self) -> str:
        match = self.match
        if self.program is not None:
            return self.program.choose(match.view(self.seat))
        try:
            return match.game.actions[self.bot.decide_from(question_for(match, self.seat))]
        except Exception as error:  # an internal error must not end people's match either
            raise BotFailure(f"it crashed: {type(error).__name__}: {error}") from error

    def _check(self, action: str) -> None:
        try:
            refusal = self.match.why_not(action)
        except UnknownAction as error:
            raise BotFailure(str(error)) from None
        if refusal is not None:
            rule, reason = refusal
            raise BotFailure(f"{action!r} is not allowed: {reason} ({rule})")

    def _replace_with_random(self, fault: BotFailure) -> None:
        """A passer-by plays on."""
        errors = self.program.kill() if self.program is not None else ""
        self.program, self.bot = None, self._passer_by
        self.report = f"{self.spec}, seat {self.seat}, position {self.match.ply}: {fault}"
        if errors:
            self.report += "\nThe last it wrote to its standard error:\n" + "\n".join(
                f"  {line}" for line in errors.splitlines()
            )


def hello(match: Match, seat: int, seed: str) -> dict[str, object]:
    """What a program receives before the match: only what its seat may know, and a separate seed."""
    return {
        "game": match.game.name,
        "rules": match.game.version,
        "options": match.options,
        "players": match.players,
        "names": match.names,
        "seat": seat,
        "seed": seed,
        "components": match.components.tables,
    }


def result(match: Match) -> dict[str, object]:
    return {"ending": match.ending, "scores": match.scores(), "winners": match.winners()}
