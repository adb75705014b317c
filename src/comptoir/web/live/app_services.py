"""What stands behind every request and socket of one process: the store, people, the open tables, the bots'
compiler.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar, TypeVarTuple

from starlette.requests import HTTPConnection

from comptoir.engine.words import LANGUAGES
from comptoir.time_source import TimeSource
from comptoir.web.cookies import cookies_of
from comptoir.web.domain.people import IdentityTokens
from comptoir.web.live.notifier import Notifier
from comptoir.web.live.precompiler import Precompiler
from comptoir.web.live.preview_service import PreviewService
from comptoir.web.live.review_queue import ReviewQueue
from comptoir.web.live.sessions import Sessions
from comptoir.web.live.tables import Tables
from comptoir.web.live.upload_parser import UploadParser
from comptoir.web.ops.request_guard import TokenBuckets
from comptoir.web.page_words import accepted
from comptoir.web.storage.result_store import ResultStore
from comptoir.web.storage.store import Store

T = TypeVar("T")
Args = TypeVarTuple("Args")


@dataclass
class AppServices:
    """What stands behind every request."""

    store: Store
    tokens: IdentityTokens
    sessions: Sessions
    precompiler: Precompiler
    tables: Tables
    upload_parser: UploadParser
    previews: PreviewService
    quotas: dict[str, TokenBuckets]  # of a person: tables made, matches brought, hours changed, and so on
    notifier: Notifier
    results: ResultStore
    reviews: ReviewQueue
    time_source: TimeSource
    erasing: bool = False  # whether the database's files are being cleaned of what was deleted

    async def in_store(self, function: Callable[[*Args], T], *arguments: *Args) -> T:
        """Calls the store in its own threads."""
        return await self.tables.in_store(function, *arguments)

    def bots_ready(self, game: str) -> bool:
        """Whether the bots of a game can think at once."""
        return self.precompiler.is_ready(game)


def services_of(connection: HTTPConnection) -> AppServices:
    server: AppServices = connection.app.state.server
    return server


def language_of(connection: HTTPConnection) -> str:
    chosen = cookies_of(connection).get("lang", "")
    return chosen if chosen in LANGUAGES else accepted(connection.headers.get("accept-language", ""))
