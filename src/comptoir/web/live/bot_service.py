"""Who thinks for the bots at the tables of this process: itself, or workers in other processes if there are
any.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import secrets
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import TypeVar, TypeVarTuple

from sqlalchemy.exc import SQLAlchemyError

from comptoir.bots.levels import LEVELS
from comptoir.time_source import SYSTEM_TIME, TimeSource
from comptoir.web.domain.state import Table
from comptoir.web.live.bot_pool import (
    LEVEL_SECONDS,
    PREPARING,
    BotDecision,
    BotRequest,
    BotThreadPool,
    answer,
    any_answer,
    request_for,
)
from comptoir.web.live.precompiler import Precompiler
from comptoir.web.ops import monitoring
from comptoir.web.storage.bot_queue import BotQueue, Claims
from comptoir.web.storage.channels import BOT_ANSWER_CHANNEL
from comptoir.web.storage.database import NotStored
from comptoir.web.storage.outage import Ask, Unavailable
from comptoir.web.storage.store import Store

WORKER_TIMEOUT = 5  # seconds that a worker is waited for: it may be at work for others, or stopped

logger = logging.getLogger(__name__)
T = TypeVar("T")
Args = TypeVarTuple("Args")


class RemoteBots:
    """Bots in other processes, reached through the database."""

    def __init__(self, store: Store, ask: Ask) -> None:
        self._store, self._ask, self._thoughts = store, ask, BotQueue(store.database)
        self._asked: dict[str, asyncio.Future[BotDecision | None]] = {}
        self.number = 0  # of thoughts that they can think at once, when last counted
        self.servers = 1  # on the same database, this one included

    def __len__(self) -> int:
        return len(self._asked)

    def listen(self) -> None:
        """Before the store listens."""
        loop = asyncio.get_running_loop()

        def told(id: str, text: str) -> None:
            loop.call_soon_threadsafe(self._heard, id, text)

        self._store.channels.on(BOT_ANSWER_CHANNEL, told)

    async def count(self) -> None:
        """Counts them."""
        self.number, self.servers = await self._ask(self._thoughts.processes)

    async def think(self, client_key: str, question: BotRequest) -> BotDecision | None:
        """What one of them answers; None if none does."""
        id = secrets.token_urlsafe(12)
        heard: asyncio.Future[BotDecision | None] = asyncio.get_running_loop().create_future()
        self._asked[id] = heard
        told = {key: value for key, value in vars(question).items() if key != "compiled"}
        try:
            await self._ask(self._thoughts.put, id, client_key, LEVEL_SECONDS[question.level], told)
            for _ in range(WORKER_TIMEOUT):
                done, _ = await asyncio.wait([heard], timeout=1.0)  # of the system's time: it may be dead
                if done:
                    return heard.result()
                await self.count()
                if not self.number:
                    break
            return None
        except (SQLAlchemyError, NotStored, Unavailable):
            return None
        finally:
            del self._asked[id]
            if not heard.done():
                await self._withdraw(id)

    async def _withdraw(self, id: str) -> None:
        with suppress(SQLAlchemyError, NotStored, Unavailable):  # in a while it is forgotten anyway
            await self._ask(self._thoughts.withdraw, id)

    def _heard(self, id: str, text: str) -> None:
        """`ACTION SECONDS`; nothing, if it could not be answered."""
        if id in self._asked and not self._asked[id].done():
            action, _, seconds = text.partition(" ")
            self._asked[id].set_result(BotDecision(int(action), float(seconds)) if text else None)


class Leases:
    """The tables at which this process thinks for the bots. Where it is the only server, that is all of them.

    Nothing depends on it but how much is thought twice: if two processes think about the same position,
    the database takes the first action only.
    """

    def __init__(
        self,
        store: Store,
        ask: Ask,
        spawn: Callable[[Coroutine[object, None, object]], object],
        workers: RemoteBots,
    ) -> None:
        self._claims, self._ask, self._spawn, self._workers = Claims(store.database), ask, spawn, workers
        self._held: set[str] = set()

    def holds(self, table: str) -> bool:
        return self._workers.servers < 2 or table in self._held

    async def take(self, table: str) -> tuple[bool, int]:
        """Whether it is for this process to think there, and the table's version by then; 0 if unknown."""
        try:
            taken, version = await self._ask(self._claims.take, table)
        except (SQLAlchemyError, Unavailable):
            self._held.clear()
            return True, 0  # rather twice than not at all
        if taken and table in self._held:
            self._spawn(self._let_go(table))  # asked for twice at once
        elif taken:
            self._held.add(table)
        return taken, version

    def let_go(self, table: str) -> None:
        if table in self._held:
            self._held.discard(table)
            self._spawn(self._let_go(table))

    async def _let_go(self, table: str) -> None:
        try:
            await self._ask(self._claims.let_go, table)
        except (SQLAlchemyError, Unavailable):
            self._held.clear()  # they have ended with the connection

    async def check(self) -> None:
        """Claims end with their connection: then others may have them."""
        try:
            kept = not self._held or await self._ask(self._claims.check)
        except (SQLAlchemyError, Unavailable):
            kept = False
        if not kept:
            self._held.clear()

    def close(self) -> None:
        self._claims.close()


class BotService:
    """Asks bots, from their seats' views. Whatever goes wrong, the match goes on."""

    def __init__(
        self, store: Store, ask: Ask, warm: Precompiler, time_source: TimeSource = SYSTEM_TIME
    ) -> None:
        self._clock = time_source.monotonic
        self.precompiler, self.pool, self.remote = warm, BotThreadPool(), RemoteBots(store, ask)
        self._secret = store.values.secret()
        monitoring.QUEUE_LENGTH.labels("bots").set_function(lambda: len(self.pool))
        monitoring.QUEUE_LENGTH.labels("workers").set_function(lambda: len(self.remote))
        monitoring.WORKERS.set_function(lambda: self.remote.number)

    def kind(self, game: str, level: str) -> str:
        """Which thought it takes to decide for a level now: the level's own, or a clerk's that is
        interpreted.
        """
        ready = level == "passer-by" or self.precompiler.is_ready(game) or self._elsewhere(level)
        return level if ready else PREPARING

    def _elsewhere(self, level: str) -> bool:
        """Whether workers think for a level: a clerk has decided sooner than a worker has read the
        question.
        """
        return self.remote.number > 0 and LEVELS[level].iterations > 0

    async def decide(self, table: Table, level: str, client_key: str) -> BotDecision:
        """What the bot of the seat that is to decide chooses."""
        match, seat = table.match, table.turn
        assert match is not None
        assert seat is not None
        ready = self.kind(table.game.name, level) == level
        seed = self._hash(f"{table.id} {seat}")
        question = request_for(match, seat, table.settings.components, level, seed, compiled=ready)
        with monitoring.THINKING.track_inprogress():
            try:
                return await self._answer(question, client_key)
            except Exception:
                logger.exception("a bot has failed; a passer-by decides")
                return any_answer(question)

    async def _answer(self, question: BotRequest, client_key: str) -> BotDecision:
        if self._elsewhere(question.level):
            answered = await self.remote.think(self._hash(client_key), question)
            if answered is not None:
                return answered
        if question.compiled and self.kind(question.game, question.level) == PREPARING:
            # the workers that were to think are gone
            question = BotRequest(**{**vars(question), "compiled": False})
        kind = question.level if question.compiled else PREPARING
        return await self.think(client_key, kind, answer, question, self._clock)

    async def think(self, client_key: str, kind: str, function: Callable[[*Args], T], *arguments: *Args) -> T:
        """Calls what thinks, in this process."""
        return await self.pool.think(client_key, kind, function, *arguments)

    def _hash(self, text: str) -> str:
        """A bot's own chance, unlike the match's and not to be foreseen; a client's key, which tells no
        address. The same in all processes.
        """
        return hmac.digest(self._secret, f"bots {text}".encode(), "sha256").hex()[:16]
