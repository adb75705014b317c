"""Bots that think: what each is asked, how long that takes as everyone may know, and whose thought comes
first.

A bot is asked by what its seat may know, as bytes: these can be sent to another process, and nothing else is.
Whoever asks for much waits for themselves: requests of one client are queued behind each other.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import count
from typing import Any, Generic, NamedTuple, Protocol, TypeVar, TypeVarTuple

import numpy as np

from comptoir.bots import Bot, question_for
from comptoir.bots.levels import interpreted_clerk, make
from comptoir.bots.passer_by import PasserBy
from comptoir.engine.components import Components, Tables
from comptoir.engine.game import get_game
from comptoir.engine.match import Match
from comptoir.engine.rule import Position
from comptoir.time_source import SYSTEM_TIME

T = TypeVar("T")
Args = TypeVarTuple("Args")

BOT_THREADS = 2  # bots that think at once in a process that also serves pages
HINT, PREPARING = "hint", "preparing"  # a captain's advice; a clerk that is interpreted
# The seconds that a thought is given: most are done before, a search ends then, and what is chosen is told no
# sooner. A bot that has no choice takes as long as one that has.
LEVEL_SECONDS = {
    "passer-by": 0.02,
    "clerk": 0.03,
    "merchant": 0.08,
    "captain": 0.25,
    PREPARING: 0.6,
    HINT: 1.0,
    "admiral": 1.2,
}
SEARCH_SHARE = 0.9  # of that time at most is for the search itself
SLOW_SECONDS = 1.1  # seconds from which on a thought is slow: one thinker of several takes none of those
CACHED_BOTS = 6  # bots that each thinker keeps: an admiral's workspace has 20 MB


# What a bot is asked


@dataclass(frozen=True)
class BotRequest:
    """What a bot is asked, in a form that can be sent elsewhere: what its seat may know, and nothing else."""

    game: str
    components: str  # as JSON; none for the game's own
    level: str
    seed: str  # the bot's own, which says nothing about the match's
    ply: int
    views: bytes  # records: what the seat saw earlier (`earlier_views`), then what it sees now
    compiled: bool = True


class BotDecision(NamedTuple):
    """What a bot has chosen."""

    action: int
    seconds: float  # that the thought took


def request_for(
    match: Match, seat: int, components: Tables | None, level: str, seed: str, *, compiled: bool
) -> BotRequest:
    """What the bot in a seat is asked now."""
    question = question_for(match, seat)
    views = b"".join(record.tobytes() for record in (*question.earlier, question.record))
    own = json.dumps(components) if components else ""
    return BotRequest(match.game.name, own, level, seed, question.ply, views, compiled)


def answer(request: BotRequest, clock: Callable[[], float] = SYSTEM_TIME.monotonic) -> BotDecision:
    """What a bot chooses; in a thread that thinks."""
    began = clock()
    *earlier, view = _records(request)
    return BotDecision(_bot_for(request).choose_index(view, request.ply, earlier), clock() - began)


def any_answer(request: BotRequest) -> BotDecision:
    """What a passer-by chooses in a bot's place."""
    *_, view = _records(request)
    passer_by = PasserBy(get_game(request.game), _components(request.game, request.components), request.seed)
    return BotDecision(passer_by.choose_index(view, request.ply), 0.0)


def _records(request: BotRequest) -> list[Position]:
    shape = get_game(request.game).position.dtype
    return list(np.frombuffer(bytearray(request.views), shape).view(np.recarray))


@lru_cache(16)
def _components(game: str, own: str) -> Components:
    return get_game(game).read_components(json.loads(own) if own else None)


class BotCache(threading.local):
    """The bots of one thinker, those used last at the end. A bot remembers nothing but its seed."""

    def __init__(self) -> None:
        self.bots: dict[tuple[str, str, str, bool], Bot] = {}


bot_cache = BotCache()


def _bot_for(request: BotRequest) -> Bot:
    """The thinker's own bot of that kind: two thoughts never share a workspace."""
    key = (request.game, request.components, request.level, request.compiled)
    bot = bot_cache.bots.pop(key, None) or _make(request)
    while len(bot_cache.bots) >= CACHED_BOTS:
        del bot_cache.bots[next(iter(bot_cache.bots))]
    bot_cache.bots[key] = bot
    bot.seed = request.seed
    return bot


def _make(request: BotRequest) -> Bot:
    """As long as its level is not compiled, a clerk that is interpreted."""
    game, components = get_game(request.game), _components(request.game, request.components)
    if not request.compiled:
        return interpreted_clerk(request.level, game, components, request.seed)
    seconds = SEARCH_SHARE * LEVEL_SECONDS[request.level]
    return make(request.level, game, components, request.seed, seconds=seconds, threads=1)


# Whose thought comes first


class QueueEntry(Protocol):
    """A thought's place: waiting, or at work."""

    client_key: str
    start: float
    cost: float


def start_of(client_key: str, others: Iterable[QueueEntry]) -> float:
    """Where a new request comes in: after all of the same client's, each with its cost, and level with the
    first of the others'. The least comes first.
    """
    others = list(others)
    first = min((other.start for other in others), default=0.0)
    return max([first, *(other.start + other.cost for other in others if other.client_key == client_key)])


@dataclass(eq=False)
class _Job(Generic[T]):
    client_key: str
    start: float
    cost: float
    nth: int
    think: Callable[[], T]
    done: asyncio.Future[T]

    @property
    def order(self) -> tuple[float, float, int]:
        return self.start, self.cost, self.nth


class BotThreadPool:
    """Threads that think, and what waits for them: who has had least comes first, then what is quick."""

    def __init__(self, threads: int = BOT_THREADS) -> None:
        self._pool = ThreadPoolExecutor(threads, "bot")
        self._free, self._most_slow = threads, max(1, threads - 1)
        self._waiting: list[_Job[Any]] = []
        self.at_work: list[_Job[Any]] = []
        self._count = count()

    def __len__(self) -> int:
        return len(self._waiting)

    async def think(self, client_key: str, kind: str, function: Callable[[*Args], T], *arguments: *Args) -> T:
        """Calls what thinks, when it is its turn; not at all if nobody wants it any more by then."""
        start = start_of(client_key, [*self._waiting, *self.at_work])
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        thought = _Job(
            client_key, start, LEVEL_SECONDS[kind], next(self._count), lambda: function(*arguments), done
        )
        self._waiting.append(thought)
        self._begin()
        try:
            return await done
        finally:
            if thought in self._waiting:
                self._waiting.remove(thought)

    def _begin(self) -> None:
        while self._free and (fit := [one for one in self._waiting if self._may_begin(one)]):
            thought = min(fit, key=lambda one: one.order)
            self._waiting.remove(thought)
            self.at_work.append(thought)
            self._free -= 1
            work = asyncio.get_running_loop().run_in_executor(self._pool, thought.think)
            work.add_done_callback(partial(self._end, thought))

    def _may_begin(self, thought: _Job[Any]) -> bool:
        slow = sum(one.cost >= SLOW_SECONDS for one in self.at_work)
        return thought.cost < SLOW_SECONDS or slow < self._most_slow

    def _end(self, thought: _Job[T], work: asyncio.Future[T]) -> None:
        self.at_work.remove(thought)
        self._free += 1
        error = None if work.cancelled() else work.exception()
        if not thought.done.done():
            if work.cancelled():
                thought.done.cancel()
            elif error is not None:
                thought.done.set_exception(error)
            else:
                thought.done.set_result(work.result())
        self._begin()

    def stop(self) -> None:
        self._waiting.clear()
        self._pool.shutdown(wait=False, cancel_futures=True)
