"""/status: how the server is doing, for whoever runs it: numbers, no names. And what people have reported."""

from __future__ import annotations

import os
import time

from fastapi import APIRouter, Request
from starlette.responses import Response

from comptoir import __version__
from comptoir.engine.words import Words
from comptoir.web.domain.people import DAY
from comptoir.web.http.requests import form, read_number
from comptoir.web.http.responses import page, redirect
from comptoir.web.live.app_services import language_of, services_of
from comptoir.web.ops.monitoring import AdminAccess, Measured
from comptoir.web.page_words import page_words
from comptoir.web.storage.store import Store

MEGABYTE = 1_000_000
STATES = ("waiting", "on", "over", "closed")
Rows = list[tuple[str, str]]  # a key of words.toml and what is so


def router(host: AdminAccess) -> APIRouter:
    made = APIRouter()

    @made.get("/status")
    async def status(request: Request) -> Response:
        words = page_words(None, language_of(request))
        if not host.asks(request):
            return host.refusal(words.say("status.refused"))
        server = services_of(request)
        at = server.time_source.time()
        stored, now = (
            await server.in_store(stored_rows, server.store, at, words),
            await server.in_store(Measured),
        )
        groups = [("server", server_rows(server.store.kind, now, at, words)), ("load", load_rows(now, words))]
        reports = await server.in_store(server.tables.chat.store.reports)
        return await page(request, "status.html", groups=[*groups, *stored], reports=reports, when=_when)

    @made.post("/status/reports")
    async def dismiss(request: Request) -> Response:
        """The host has seen a report."""
        if not host.asks(request):
            return host.refusal(page_words(None, language_of(request)).say("status.refused"))
        fields, server = await form(request), services_of(request)
        which = fields.get("table", ""), read_number(fields.get("n"), 0)
        await server.in_store(server.tables.chat.store.dismiss, *which)
        return redirect("/status")

    return made


def server_rows(database: str, now: Measured, at: float, words: Words) -> Rows:
    rows = [
        ("version", __version__),
        ("since", _days(at - now.least("process_start_time_seconds"), words)),
        ("database", {"sqlite": "SQLite", "postgresql": "PostgreSQL"}[database]),
    ]
    if (processes := now.sum("comptoir_processes")) > 1:
        rows.append(("processes", words.number(processes)))
    return rows


def load_rows(now: Measured, words: Words) -> Rows:
    """How busy all processes of this server are together, and their machine where the system says so."""
    memory = now.sum("process_resident_memory_bytes") / MEGABYTE
    rows = [
        ("memory", words.say("status.megabytes", size=words.number(memory))),
        ("sockets", words.number(now.sum("comptoir_sockets"))),
        ("live", words.number(now.sum("comptoir_tables_live"))),
        ("thinking", words.number(now.sum("comptoir_bots_thinking"))),
        ("bots_waiting", words.number(now.sum("comptoir_queue_length", queue="bots"))),
        ("workers", words.number(now.sum("comptoir_bots_workers"))),
        ("workers_waiting", words.number(now.sum("comptoir_queue_length", queue="workers"))),
        ("writes_waiting", words.number(now.sum("comptoir_queue_length", queue="writes"))),
    ]
    if hasattr(os, "getloadavg"):
        loads = " · ".join(words.number(load, 2) for load in os.getloadavg())
        rows.insert(0, ("machine", words.say("status.cores", loads=loads, n=os.cpu_count() or 1)))
    return rows


def stored_rows(store: Store, now: float, words: Words) -> list[tuple[str, Rows]]:
    """What the database holds, all processes together."""
    counts = store.tables.counts()
    tables = [(f"tables_{state}", words.number(counts.get(state, 0))) for state in STATES]
    people = [
        ("people_known", words.number(store.people.count())),
        ("people_today", words.number(store.people.count_since(now - DAY))),
        ("people_month", words.number(store.people.count_since(now - 30 * DAY))),
    ]
    return [("tables", tables), ("people", people)]


def _when(moment: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(moment))


def _days(seconds: float, words: Words) -> str:
    minutes = int(seconds // 60)
    return words.say("status.days", n=minutes // 1440, time=f"{minutes // 60 % 24:02}:{minutes % 60:02}")
