"""Pictures of tables, replays and games, for links sent to others: drawn in a separate process, kept
for a while.

What nobody may look at, or what is not there, has the picture of the home page: it tells nobody which.
"""

from __future__ import annotations

import base64
from collections import OrderedDict
from collections.abc import Awaitable, Callable

from comptoir.web.domain.perspective import perspectives
from comptoir.web.domain.refusals import Refused
from comptoir.web.limits import (
    ADDRESS_PREVIEW_RATE,
    ADDRESS_PREVIEWS_WAITING,
    PREVIEW_SECONDS,
    PREVIEWS_KEPT_BYTES,
)
from comptoir.web.live.not_found import NotFound
from comptoir.web.live.subprocess_worker import SubprocessWorker
from comptoir.web.live.tables import Tables
from comptoir.web.ops.fair_queue import OWN, ConcurrencyLimit, QueueFull, asking
from comptoir.web.ops.request_guard import TokenBuckets
from comptoir.web.view.previews import WIDTH, game_preview, home_preview, replay_preview, table_preview

NOBODY = ""  # whoever follows a link

Draw = Callable[[], Awaitable[str]]
Key = tuple[str, ...]


class PreviewService:
    """Draws each picture once, one after the other, and keeps those that were asked for last."""

    def __init__(self, tables: Tables) -> None:
        self._tables, self.png_worker = (
            tables,
            SubprocessWorker(
                "comptoir.web.live.png_worker", limit=PREVIEW_SECONDS, time_source=tables.time_source
            ),
        )
        self._gate = ConcurrencyLimit(1, waiting=ADDRESS_PREVIEWS_WAITING)
        self._drawing = TokenBuckets(*ADDRESS_PREVIEW_RATE, clock=tables.time_source.monotonic)
        self.cache: OrderedDict[Key, bytes] = OrderedDict()

    async def stop(self) -> None:
        await self.png_worker.stop()

    async def home(self, lang: str) -> bytes:
        return await self.picture(("home", lang), lambda: self._tables.run_slow(home_preview, lang))

    async def game(self, name: str, lang: str) -> bytes:
        return await self.picture(
            ("game", name, lang), lambda: self._tables.run_slow(game_preview, name, lang)
        )

    async def table(self, id: str, lang: str) -> bytes:
        """As whoever has the link sees it."""
        try:
            live = await self._tables.find(id)
        except NotFound:
            return await self.home(lang)
        key = ("table", id, str(live.table.version), lang)
        return await self.picture(key, lambda: self._tables.run_slow(table_preview, live.presenter, lang))

    async def replay(self, id: str, at: int | None, lang: str) -> bytes:
        """A moment of a match, the last one unless it is named, if everyone may look at it again."""
        try:
            live = await self._tables.find(id)
            table = live.table
            perspectives(table, NOBODY)
        except (NotFound, Refused):
            return await self.home(lang)
        match = table.match
        assert match is not None
        ply = match.ply if at is None else min(at, match.ply)
        # by its version: it has the names, and somebody may delete theirs
        key = ("replay", id, str(table.version), str(ply), lang)
        return await self.picture(
            key, lambda: self._tables.run_slow(replay_preview, live.presenter, ply, lang)
        )

    async def picture(self, key: Key, draw: Draw) -> bytes:
        """Raises Busy if an address asks for too many at once, WorkerFailed if one cannot be drawn."""
        if key in self.cache:
            self.cache.move_to_end(key)
            return self.cache[key]
        who = asking.get()
        if who != OWN and self._drawing.wait(who):
            raise QueueFull
        async with self._gate.enter():
            if key not in self.cache:  # it may have been drawn in the meantime
                self._keep(key, await self.png(await draw()))
            return self.cache[key]

    async def png(self, svg: str) -> bytes:
        return base64.b64decode((await self.png_worker.ask({"svg": svg, "width": WIDTH}))["png"])

    def _keep(self, key: Key, png: bytes) -> None:
        self.cache[key] = png
        while len(self.cache) > 1 and sum(map(len, self.cache.values())) > PREVIEWS_KEPT_BYTES:
            self.cache.popitem(last=False)
