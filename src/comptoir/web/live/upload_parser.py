"""Reads what strangers send, components and match files, in a separate process."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from comptoir.engine.components import Tables
from comptoir.errors import DataError, MatchFileError
from comptoir.time_source import SYSTEM_TIME, TimeSource
from comptoir.web.domain.refusals import Refused
from comptoir.web.domain.state import Event, TableSummary
from comptoir.web.limits import READING_SECONDS
from comptoir.web.live.subprocess_worker import IDLE, SubprocessWorker, WorkerFailed

STORED_EVENT = 80  # bytes of an event in the database, with what is kept of its position


@dataclass(frozen=True)
class ImportedMatch:
    """A match that somebody brought: a table to be stored, with all its events."""

    row: TableSummary
    events: list[Event]

    @property
    def size(self) -> int:
        """What it takes in the database, about: its events, and later what is kept of its positions."""
        return sum(STORED_EVENT + len(event.text) for event in self.events)


class UploadParser(SubprocessWorker):
    """Asks the process what is in a file."""

    def __init__(
        self,
        *,
        limit: float = READING_SECONDS,
        idle: float = IDLE,
        time_source: TimeSource = SYSTEM_TIME,
    ) -> None:
        super().__init__("comptoir.web.live.upload_worker", limit=limit, idle=idle, time_source=time_source)

    async def components(self, game: str, content: bytes) -> Tables:
        """The components in a file. Raises Refused, or a DataError that lists what is wrong."""
        said = await self._read({"do": "components", "game": game, "content": _text(content)})
        tables: Tables = said["components"]
        return tables

    async def match(self, content: bytes, person: str) -> ImportedMatch:
        """The match in a file. Raises Refused, or a MatchFileError that names the line."""
        question = {"do": "match", "person": person, "content": _text(content)}
        said = await self._read(question | {"at": self.time_source.time()})
        row = said["row"]
        row = TableSummary(**row | {"names": tuple(row["names"]), "people": tuple(row["people"])})
        return ImportedMatch(row, [Event(*event) for event in said["events"]])

    async def _read(self, question: Mapping[str, object]) -> dict[str, Any]:
        try:
            said = await self.ask(question)
        except WorkerFailed:
            raise Refused("guard.too_hard") from None
        match said:
            case {"refused": [key, values]}:
                raise Refused.from_process(key, values)
            case {"data": [what, errors]}:
                raise DataError(what, errors)
            case {"file": [line, text, reason]}:
                raise MatchFileError(line, text, reason)
        return said


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode()
