"""Pilots and navigators were levels of an earlier version. Wherever one is stored, named by a link or kept by a
browser, a captain or an admiral is read.
"""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from comptoir.bots.levels import FORMER_LEVELS, LEVELS
from comptoir.web.domain.people import COOKIE
from comptoir.web.domain.player_results import results_of
from tests.web import stored
from tests.web.app_harness import AppHarness, in_app
from tests.web.test_people import SECRET, first_cookie
from tests.web.test_results import ANNE, finished

# a seat of each of these tables
FORMER = {"century-waiting": "pilot", "century-running": "navigator", "batavia-finished": "pilot"}


@pytest.fixture
def lite(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'comptoir.sqlite'}"


def database_of_before(folder: Path) -> str:
    """Tables as an earlier version has stored them, with its levels at their seats."""
    file = folder / "before.sqlite"
    address = stored.restore("schema-2", file)
    with sqlite3.connect(file) as rows:
        rows.execute("INSERT OR REPLACE INTO kept VALUES ('secret', ?)", (SECRET,))
        for table, level in FORMER.items():
            change = "UPDATE events SET text = ? WHERE table_id = ? AND kind = 'bot'"
            assert rows.execute(change, (level, table)).rowcount
    rows.close()
    return address


def test_tables_of_before_are_read(tmp_path: Path) -> None:
    async def work(made: AppHarness) -> None:
        anne = made.person()
        anne.cookies[COOKIE] = first_cookie("anne")
        for id, level in FORMER.items():
            table = (await made.tables.find(id)).table
            assert FORMER_LEVELS[level] in {held.level for held in table.seats}
            assert {held.level for held in table.seats} <= {None, *LEVELS}
            shown = await anne.get(f"/tables/{id}")
            assert shown.status_code == 200
            assert level not in shown.text

    in_app(database_of_before(tmp_path), work)


def test_results_of_before_count_for_the_levels_of_today(lite: str) -> None:
    """Listed, in the statistics, and on the ladder, where they are added to those of today."""
    result = next(one for one in results_of(finished("century", [ANNE, "captain"])) if one.person == "anne")
    won = replace(result, place=1, counts_for_ladder=True, opponents="bots", excluded="")

    async def work(made: AppHarness) -> None:
        ids = [(await made.make("century", "clerk", "clerk")).table.id for _ in range(3)]
        levels = ("pilot", "captain", "navigator")
        made.server.results.add(
            [replace(won, table_id=id, level=level) for id, level in zip(ids, levels, strict=True)]
        )
        today = ["admiral", "captain", "captain"]
        found = made.server.results.listed("anne", ["century"], "", 10)
        assert sorted(str(one.result.level) for one in found) == today
        assert sorted(str(one.level) for one in made.server.results.counted("anne")) == today
        assert made.server.results.wins("anne") == {"century": {"captain": 2, "admiral": 1}}

    in_app(lite, work)


def test_forms_and_cookies_of_before_are_understood(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        anne = made.person("Anne")
        anne.cookies["level"] = "navigator"
        assert 'value="admiral" checked' in (await anne.get("/")).text
        assert 'value="bot:admiral" selected' in (await anne.get("/new/century")).text
        answer = await anne.post("/play", game="century", level="pilot")
        table = (await made.tables.find(answer.headers["location"].rpartition("/")[2])).table
        assert {held.level for held in table.seats} == {None, "captain"}

    in_app(lite, work)
