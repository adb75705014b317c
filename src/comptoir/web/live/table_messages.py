"""What one page of a table is sent: the parts that have changed for its viewer since the last message."""

from __future__ import annotations

from functools import cache
from typing import Any

from comptoir.engine.words import Words
from comptoir.web.domain import queries
from comptoir.web.domain.state import Table
from comptoir.web.live.open_table import OpenTable
from comptoir.web.view.log import LogEntry
from comptoir.web.view.page_parts import Part, item_html, parts, to_json
from comptoir.web.view.presenter import TablePresenter
from comptoir.web.view.table_view import Viewer, view_table


class TableMessages:
    """Remembers what a page was sent last; only changes are sent."""

    def __init__(self, live: OpenTable, *, patches: bool) -> None:
        self._live, self._patches = live, patches
        self._parts: dict[str, Part] = {}
        self._state: tuple[TablePresenter, Viewer, bool, bool] | None = None
        self._fields: dict[str, Any] = {}
        self._log: list[LogEntry] = []
        self.ack: int | None = None  # the id of a message that is to be acknowledged

    def reset(self) -> None:
        """Everything is sent again, except the chart, which never changes."""
        self._parts = {name: part for name, part in self._parts.items() if name == "chart"}
        self._state = None

    def message(self, viewer: Viewer) -> str:
        """All that has changed for this viewer, as JSON; perhaps only an acknowledgement."""
        table = self._live.table
        ends_at = self._live.ends_at if table.ending == viewer.seat else None
        state = (self._live.presenter, viewer, self._live.preparing, ends_at is not None)
        changed: dict[str, Part] = {}
        before = self._parts
        if state != self._state or not self._parts:
            seen = view_table(
                self._live.presenter,
                viewer,
                preparing=self._live.preparing,
                ending=ends_at is not None,
                asks=queries.may_propose(table, self._live.now(), viewer.person),
            )
            made = parts(seen, self._live.presenter)
            changed = {name: part for name, part in made.items() if before.get(name) != part}
            self._parts, self._state = made, state
            self._fields = {
                "last": seen.last,
                "yours": seen.yours or seen.curtain is not None,
                "title": _title(seen.words, yours=seen.yours or seen.curtain is not None),
                "due": table.due if table.settings.clock else None,
            }
        told = {
            "log": self._new_lines(table, viewer),
            **self._fields,
            "now": self._live.time(),
            **self._speed(table, viewer),
        }
        told |= {"ends_at": ends_at, "linger": self._live.undo_window}
        told |= {"at_once": viewer.person in self._live.at_once}
        if self.ack is not None:
            told["ack"], self.ack = self.ack, None
        cuts: list[str] = []
        whole: list[str] = []
        for name, part in changed.items():
            cut = part.patch_of(before[name]) if self._patches and name in before else None
            if cut is None:
                whole.append(f'"{name}":{part.json}')
            else:
                cuts.append(f'"{name}":{cut}')
        return (
            f'{{"version":{table.version},"parts":{{{",".join(whole)}}},"patches":{{{",".join(cuts)}}},'
            f"{to_json(told)[1:]}"
        )

    def _speed(self, table: Table, viewer: Viewer) -> dict[str, Any]:
        """How fast events are shown; for whoever may change it, the bots' speed and whether they can be
        skipped.
        """
        tempo = self._live.tempo
        if not queries.may_set_bot_speed(table, viewer.person):
            return {"speed": None, "skip": False, "tempo": tempo}
        skip = table.bot is not None and not self._live.skipping and self._live.ends_at is None
        return {"speed": self._live.speed, "skip": skip, "tempo": tempo}

    def _new_lines(self, table: Table, viewer: Viewer) -> dict[str, Any]:
        if table.match is None or table.closed:
            return {"from": 0, "lines": []}
        entries = self._live.presenter.log(viewer.seat, viewer.lang)
        kept = min(len(self._log), len(entries))
        while kept and self._log[kept - 1] is not entries[kept - 1]:
            kept -= 1
        lines = [item_html(item, table.game.name) for entry in entries[kept:] for item in entry.items]
        self._log = list(entries)
        return {"from": entries[kept - 1].total if kept else 0, "lines": lines}


@cache
def _title(words: Words, *, yours: bool) -> str:
    """The tab's title: a mark when this person is to decide, and the game's name."""
    game = words.say("game.title")
    return words.say("page.title_yours" if yours else "page.title", game=game)
