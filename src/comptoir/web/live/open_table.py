"""A table in use in this process: how it stands, who looks on, what a bot there is thinking about."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Protocol

from comptoir.bots.hints import Advice
from comptoir.engine.rule import Position
from comptoir.web.domain import queries
from comptoir.web.domain.chat import ChatMessage
from comptoir.web.domain.clock import MACHINE, Anchor, Instant, Machine
from comptoir.web.domain.state import PendingDecision, Table
from comptoir.web.live.bot_pool import BotDecision
from comptoir.web.live.bot_speed import DEFAULT_SPEED
from comptoir.web.live.presence import TablePresence
from comptoir.web.ops.fair_queue import OWN
from comptoir.web.view.presenter import TablePresenter

MAX_UNSHOWN_SECONDS = 5.0  # after which a bot's turn is shown before it ends
UNDO_WINDOW = 6.0  # seconds in which a turn that ended automatically can be undone; bots wait
TABLE_OVERHEAD = 360  # positions that take the memory of a table without its own: 360 KB
POLLER_TIMEOUT = 30.0  # seconds for which a poll without a socket counts as watching


def _names(table: Table) -> list[str]:
    return [held.name for held in table.seats]


class Watcher(Protocol):
    """A page that shows a table and receives every change."""

    def on_change(self) -> None: ...

    def is_watching(self, person: str) -> bool:
        """Whether it is that person, with the table before their eyes."""


@dataclass
class BotTask:
    """What a bot is thinking about. Whatever else happens at the table, it goes on."""

    pending: PendingDecision
    kind: str  # of which its seconds are known
    decision: asyncio.Task[tuple[BotDecision, float]]  # with the moment at which the thought began


@dataclass
class OpenTable:
    """A table in use."""

    table: Table
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    watchers: set[Watcher] = field(default_factory=set)
    polled_at: float = -POLLER_TIMEOUT  # when somebody has last asked how it stands
    client_key: str = OWN  # the address from which it was last set going
    bot_task: BotTask | None = None
    stored: int = 0  # the highest version that the store is known to have
    reading: asyncio.Task[None] | None = None  # what is stored beyond the table's own version
    turn: asyncio.Task[None] | None = None  # the server's own next act here: a bot's, or the clock's
    used: float = field(init=False)  # when it was last needed
    speed: str = DEFAULT_SPEED
    skipping: bool = False  # bots act at once until a person is to decide
    tempo: str = DEFAULT_SPEED  # how fast what is so now was to be shown
    unshown_since: float | None = None  # since when a bot's turn goes on that was not shown yet
    preparing: bool = False  # a clerk has decided for a bot that is still being compiled
    at_once: set[str] = field(default_factory=set)  # people whose turns end without a wait
    undo_window: float = UNDO_WINDOW
    ended: Position | None = None  # the position at which a person has said that their turn is over
    presence: TablePresence = field(default_factory=TablePresence)
    chat: list[ChatMessage] | None = None  # by those who sit there; None until it is read
    chat_deletions: int = 0  # how often some of it may have been deleted
    advice: dict[int, Advice] = field(default_factory=dict)  # the last that each seat was given here
    machine: Machine = MACHINE

    def __post_init__(self) -> None:
        self.used = self.machine.steady()
        self.anchor = Anchor.just_now(self.machine, self.table.updated)
        self.presenter = TablePresenter(self.table)
        self.shown_turn = self._last_turn()

    def _last_turn(self) -> int:
        """The version at which the last decision was made; 0 before the match."""
        return self.table.decisions[-1].version if self.table.match and self.table.decisions else 0

    @property
    def is_dormant(self) -> bool:
        """Whether there are only bots to play, and nobody to see it."""
        seen = self.watchers or self.machine.steady() < self.polled_at + POLLER_TIMEOUT
        return self.table.unattended and not seen

    @property
    def behind(self) -> bool:
        """Whether another process has written more than was read here."""
        return self.table.version < self.stored

    @property
    def positions(self) -> int:
        """How much it keeps in memory: its positions, and as much as some more for what it has shown."""
        past = self.table.settings.prior_match
        ply = self.table.match.ply if self.table.match else 0
        return TABLE_OVERHEAD + ply + self.presenter.cache.weight + (len(past["actions"]) if past else 0)

    @property
    def ends_at(self) -> float | None:
        """When a turn that ended automatically is finally over, if that is waited for: until then whose turn
        it was can undo it, and no bot acts.
        """
        seat = self.table.ending
        if seat is None or not self.undo_window or self.ended is self.table.pending.position:
            return None
        if self.table.seats[seat].person in self.at_once:
            return None
        return queries.ending_until(self.table, self.undo_window)

    def notify_watchers(self) -> None:
        """Sends the current state to everyone who looks on."""
        self.unshown_since, self.shown_turn = None, self._last_turn()
        for watcher in self.watchers:
            watcher.on_change()

    def is_watched_by(self, person: str) -> bool:
        """Whether a person has the table before their eyes."""
        return any(watcher.is_watching(person) for watcher in self.watchers)

    def replace_table(self, table: Table, anchor: Anchor | None = None) -> None:
        """Something has happened, and is kept. Where a name has gone, nothing is shown as it was before.

        `anchor`: when it happened, if not just now.
        """
        gone = self.table.match is not None and _names(table) != _names(self.table)
        self.table, self.presenter = table, TablePresenter(table, None if gone else self.presenter)
        self.anchor = anchor or Anchor.just_now(self.machine, table.updated)
        self.tempo = "at once" if self.skipping else self.speed

    def estimate_age(self) -> None:
        """Reckons how long ago the last event was, if it did not happen here just now."""
        self.anchor = Anchor.reckoned(self.machine, self.table.updated, self.table.clocks)

    def now(self) -> Instant:
        return self.anchor.now()

    def time(self) -> float:
        """The time at this table."""
        return self.table.time(self.now())

    def is_mid_turn(self, before: Table) -> bool:
        """Whether a bot continues with its turn: unless bots play slowly, that is told as a whole, when the
        turn passes or a person is to decide.

        Nothing but what all see decides on it.
        """
        if self.speed == "slow" or before.bot is None or self.table.bot is None:
            return False
        match = self.table.match
        assert match is not None
        long = (
            self.unshown_since is not None
            and self.table.waiting_since - self.unshown_since > MAX_UNSHOWN_SECONDS
        )
        return self.table.turn == before.turn and not long and not match.ended_turn(match.ply)
