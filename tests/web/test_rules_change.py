"""Tables outlive changes: what older versions have stored opens, and other rules close or show it, never break it."""

from __future__ import annotations

import asyncio
import json
import logging
import sqlite3
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from comptoir.bots.network import bundled_network
from comptoir.engine import matchfile, registry
from comptoir.engine.game import get_game
from comptoir.engine.words import LANGUAGES
from comptoir.errors import DataError, MatchFileError
from comptoir.time_source import SYSTEM_TIME
from comptoir.web.domain import decide
from comptoir.web.domain.archive import ArchivedMatch, archive_match
from comptoir.web.domain.people import COOKIE
from comptoir.web.domain.state import TableSummary
from comptoir.web.live.housekeeping import RELOAD_RETRY
from tests.manual_time import ManualTime
from tests.web.app_harness import PATIENCE, AppHarness, Client, SocketClosed, in_app
from tests.web.stored import NAMES, restore

# what version 2 of two games' rules can no longer read: an option is gone, positions have other fields
CHANGED = {
    "sail_to_india": ("waiting", "running", "finished", "imported", "unfinished"),
    "marco_polo": ("finished", "imported", "unfinished"),
}
Answers = dict[tuple[str, str], Any]  # by language and path
KINDS = ("waiting", "running", "finished", "imported", "unfinished")


def as_anne(made: AppHarness, lang: str = "en") -> Client:
    """Anne, who sits at all stored tables but those that were brought."""
    caller = made.person("Anne")
    caller.id = "anne"
    caller.token = made.server.tokens.form_token("anne")
    caller.cookies = {COOKIE: made.server.tokens.sign("anne"), "lang": lang}
    return caller


async def archived_all(made: AppHarness) -> None:
    """Until all finished matches are kept."""
    async with asyncio.timeout(PATIENCE):
        while made.tables.store.archives.missing():
            await asyncio.sleep(0.02)


async def looked_at(made: AppHarness, id: str) -> Answers:
    """Everything that a person can ask of a table, in both languages; all of it answers, and says how."""
    found: Answers = {}
    for lang in LANGUAGES:
        anne = as_anne(made, lang)
        for path in (
            f"/tables/{id}",
            f"/replay/{id}",
            f"/replay/{id}?at=1&layout=tall",
            f"/replay/{id}/match.txt",
        ):
            found[lang, path] = await anne.get(path)
        for path in (f"/api/tables/{id}", f"/api/replays/{id}"):
            found[lang, path] = await anne.get(path)
    for path in ("/", "/me"):
        found["en", path] = await as_anne(made).get(path)
    bad = {key: answer.status_code for key, answer in found.items() if answer.status_code >= 500}
    assert not bad
    return found


@pytest.fixture
def other_rules(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """Raises the version of every game's rules."""

    def change() -> None:
        for name in registry.names():
            game = get_game(name)
            monkeypatch.setattr(game, "version", game.version + 1)

    yield change
    bundled_network.cache_clear()  # no network fitted these rules


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_database_of_any_version_opens(name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """What today's rules can continue goes on; of the first rules that have changed since, tables are closed."""
    caplog.set_level(logging.WARNING)

    async def work(made: AppHarness) -> None:
        for game in registry.names():
            changed = CHANGED.get(game, ()) if name == "schema-1-first-rules" else ()
            for kind in KINDS:
                found = await looked_at(made, f"{game}-{kind}")
                state = found["en", f"/api/tables/{game}-{kind}"].json()["state"]
                usual = {"waiting": "waiting", "running": "on"}.get(kind, "over")
                assert state == ("closed" if kind in changed else usual), (game, kind)
        await archived_all(made)
        assert "Traceback" not in caplog.text

    in_app(restore(name, tmp_path / "comptoir.sqlite"), work)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_three_states_after_a_change_of_rules(
    kind: str, tmp_path: Path, other_rules: Callable[[], None], caplog: pytest.LogCaptureFixture
) -> None:
    """Finished and imported matches keep result, log, file and replay; running ones are closed; who waits begins."""
    address = restore("schema-2", tmp_path / "comptoir.sqlite")
    with sqlite3.connect(tmp_path / "comptoir.sqlite") as stored:  # kept again, in the words of today
        stored.execute("DELETE FROM archives")
    stored.close()
    before: dict[str, Answers] = {}

    async def look(made: AppHarness) -> None:
        await archived_all(made)
        for game in registry.names():
            before[game] = await looked_at(made, f"{game}-{kind}")

    async def look_again(made: AppHarness) -> None:
        for game in registry.names():
            id = f"{game}-{kind}"
            found = await looked_at(made, id)
            was, now = (answers["en", f"/api/tables/{id}"].json() for answers in (before[game], found))
            if kind == "waiting":
                assert now == was
                await begins(made, id)
            elif kind == "running":
                await is_closed(made, id, found)
            else:
                assert now["state"] == "over"
                if kind != "unfinished":  # of that one, a spectator was not told everything
                    assert now["score_sheet"] == was["score_sheet"]
                was, now = (answers["en", f"/api/replays/{id}"].json() for answers in (before[game], found))
                assert now == was
                assert f"rules      {get_game(game).version - 1}" in now["match"]
                for lang in LANGUAGES:
                    await is_shown_as_it_was(before[game], found, id, lang)

    in_app(address, look)
    other_rules()
    caplog.clear()
    in_app(address, look_again)
    in_app(address, look_again) if kind != "waiting" else None
    assert "Traceback" not in caplog.text


async def begins(made: AppHarness, id: str) -> None:
    anne = as_anne(made)
    assert (await anne.post(f"/tables/{id}/sit", seat="1", name="Zoé")).status_code == 303
    assert (await anne.post(f"/tables/{id}/begin")).status_code == 303
    assert (await anne.get(f"/api/tables/{id}")).json()["state"] == "on"


async def is_closed(made: AppHarness, id: str, found: Answers) -> None:
    seen = found["en", f"/api/tables/{id}"].json()
    assert (seen["state"], seen["turn"], seen["view"]) == ("closed", None, None)
    assert "have changed since this match began" in seen["closed"]
    for lang, sentence in (("en", "so it cannot continue"), ("fr", "elle ne peut pas continuer")):
        assert sentence in found[lang, f"/tables/{id}"].text
        assert found[lang, f"/replay/{id}"].status_code == 409
    assert "Closed" in found["en", "/me"].text
    file = found["en", f"/replay/{id}/match.txt"]
    assert file.status_code == 200
    with pytest.raises(MatchFileError, match=r"was played by version \d of the rules"):
        matchfile.parse(file.text)
    anne = as_anne(made)
    assert (await anne.post(f"/tables/{id}/leave", seat="0")).status_code == 409
    socket = await anne.socket(id)
    assert "closed" in socket.parts["sentence"]
    assert "cannot continue" in socket.parts["notice"]
    told = await socket.ask("play", action="pass")
    assert "closed" in told["text"]
    again = await anne.post(f"/tables/{id}/rematch")
    assert again.status_code == 303
    assert (await anne.get(again.headers["location"])).status_code == 200


async def is_shown_as_it_was(before: Answers, after: Answers, id: str, lang: str) -> None:
    """The page of a replay differs in a note and in what can be continued, and in nothing else."""
    was, now = (answers[lang, f"/replay/{id}?at=1&layout=tall"].text for answers in (before, after))
    assert now.count('class="other-rules"') == 1
    assert "/continue" in was
    assert "/continue" not in now
    for part in ('<svg id="chart"', '<ol id="log"', '<section id="steps"', 'class="facts"'):
        assert _from(was, part) == _from(now, part)


def _from(page: str, part: str) -> str:
    start = page.index(part)
    return page[
        start : page.index("</", start) + 2000 if part.startswith("<svg") else page.index("</section>", start)
    ]


def refuse() -> None:
    raise DataError("the position", ["it has other fields today"])


def test_a_kept_match_of_other_fields_still_has_its_result_and_log(
    tmp_path: Path, other_rules: Callable[[], None]
) -> None:
    """A position that today's game cannot read is not drawn; all else is there."""
    address, id = restore("schema-2", tmp_path / "comptoir.sqlite"), "century-finished"
    in_app(address, archived_all)
    other_rules()

    async def work(made: AppHarness) -> None:
        kept = made.tables.store.archives.find(id)
        assert kept is not None
        match = ArchivedMatch(kept)
        assert match.drawable
        lines = match.story.log()
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(match.game.position, "read", lambda *_: refuse())
            assert not ArchivedMatch(kept).drawable
            assert ArchivedMatch(kept).story.log() == lines
            found = await looked_at(made, id)
        page = found["fr", f"/replay/{id}"]
        assert page.status_code == 200
        assert "On ne peut plus dessiner son plateau" in page.text
        assert found["en", f"/api/replays/{id}"].json()["winners"] == match.winners()

    in_app(address, work)


def test_a_board_that_fails_on_a_kept_match_costs_the_picture_alone(
    tmp_path: Path, other_rules: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    address, id = restore("schema-2", tmp_path / "comptoir.sqlite"), "batavia-finished"
    in_app(address, archived_all)
    other_rules()
    monkeypatch.setattr(get_game("batavia").board, "pieces", lambda scene: 1 // 0)

    async def work(made: AppHarness) -> None:
        assert "can no longer be drawn" in (await looked_at(made, id))["en", f"/replay/{id}"].text

    in_app(address, work)


def test_another_box_is_another_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures that have changed make other matches of the same actions, even if all of them stay legal."""
    address = restore("schema-2", tmp_path / "comptoir.sqlite")
    monkeypatch.setitem(get_game("century").components.__dict__, "digest", "other")

    async def work(made: AppHarness) -> None:
        anne = as_anne(made)
        for game, state in (("century", "closed"), ("batavia", "on")):
            assert (await anne.get(f"/api/tables/{game}-running")).json()["state"] == state

    in_app(address, work)


# What is damaged


def change(address: str, statement: str, *values: object) -> None:
    with sqlite3.connect(address.removeprefix("sqlite:///")) as file:
        file.execute(statement, values)
    file.close()


DAMAGE = {
    "an action that nobody knows": (
        "UPDATE events SET text = 'fly' WHERE table_id = ? AND kind = 'play'",
        "closed",
    ),
    "another seat": (
        "UPDATE events SET seat = (seat + 1) % 3 WHERE table_id = ? AND kind = 'play'",
        "closed",
    ),
    "a gap": ("DELETE FROM events WHERE table_id = ? AND version = 7", None),
    "an unknown kind": ("UPDATE events SET kind = 'dance' WHERE table_id = ? AND kind = 'play'", None),
    "no settings": ("UPDATE events SET text = '{' WHERE table_id = ? AND kind = 'made'", None),
    "a seat too many": ("UPDATE events SET seat = 9 WHERE table_id = ? AND kind = 'sit'", None),
    "no rules": ("UPDATE events SET text = '[1]' WHERE table_id = ? AND kind = 'begin'", None),
}


@pytest.mark.parametrize("how", DAMAGE)
def test_what_is_damaged_stops_nobody_else(
    how: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It is said once in the log, and in a sentence to whoever asks; the sweep does not come back to it."""
    address, (statement, state) = restore("schema-2", tmp_path / "comptoir.sqlite"), DAMAGE[how]
    change(address, statement, "batavia-running")

    async def work(made: AppHarness) -> None:
        for _ in range(3):
            await made.tables.housekeeping.sweep(0)
        assert len([one for one in caplog.records if one.levelno >= logging.WARNING]) == 1
        anne = as_anne(made)
        page, api = await anne.get("/tables/batavia-running"), await anne.get("/api/tables/batavia-running")
        if state is None:
            assert (page.status_code, api.status_code) == (410, 410)
            assert "is damaged" in api.json()["error"]
            with pytest.raises(SocketClosed):
                await anne.socket("batavia-running")
        else:
            assert api.json()["state"] == state
            assert "is damaged" in page.text
        row = made.tables.store.tables.find("batavia-running")
        assert row is not None
        assert (row.state, row.due) == ("closed", None)
        assert (await anne.get("/")).status_code == 200
        assert (await anne.get("/api/tables/century-running")).json()["state"] == "on"

    in_app(address, work)


def test_a_table_of_a_game_that_is_gone_waits_for_it(tmp_path: Path) -> None:
    address = restore("schema-2", tmp_path / "comptoir.sqlite")
    change(address, "UPDATE tables SET game = 'gone' WHERE id = ?", "batavia-running")

    async def work(made: AppHarness) -> None:
        anne = as_anne(made)
        assert (await anne.get("/tables/batavia-running")).status_code == 410
        assert (await anne.get("/")).status_code == (await anne.get("/me")).status_code == 200
        row = made.tables.store.tables.find("batavia-running")
        assert row is not None
        assert row.state == "on"

    in_app(address, work)


def test_a_table_that_cannot_be_woken_is_left_alone_for_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    time = ManualTime(SYSTEM_TIME.time())

    async def work(made: AppHarness) -> None:
        async def fail(row: TableSummary) -> None:
            raise ZeroDivisionError

        monkeypatch.setattr(made.tables.housekeeping, "wake", fail)
        await time.advance(20)
        failed = caplog.text.count("cannot be taken into use")
        assert failed > 0
        await time.advance(RELOAD_RETRY - 20)
        assert caplog.text.count("cannot be taken into use") == failed
        await time.advance(20)
        assert caplog.text.count("cannot be taken into use") == 2 * failed

    address = restore("schema-2", tmp_path / "comptoir.sqlite")
    in_app(address, work, bot_delay=1e9, time_source=time)


# What is kept


def test_a_match_that_ends_is_kept(tmp_path: Path) -> None:
    """With its rules, its box, its result and its log in both languages."""

    async def work(made: AppHarness) -> None:
        file = Path("tests/golden/sail_to_india/shared-victory.match")
        golden = matchfile.load(file)
        anne = made.person("Anne")
        live = await made.make(
            "sail_to_india", *[anne.sits] * golden.players, position=golden.start_position, seed=golden.seed
        )
        for action in golden.played:
            seat = live.table.turn
            await made.tables.act(
                live.table.id, partial(decide.play, person=anne.id, seat=seat, action=action)
            )
        assert live.table.state == "over"
        await archived_all(made)
        kept = made.tables.store.archives.find(live.table.id)
        assert kept is not None
        match, now = ArchivedMatch(kept), live.table.match
        assert now is not None
        assert (kept.rules, kept.box) == (now.game.version, now.components.digest)
        assert match.score_sheet() == now.score_sheet()
        assert (match.scores(), match.winners(), match.ending) == (now.scores(), now.winners(), now.ending)
        assert match.text() == now.text()
        assert archive_match(match) == kept
        assert json.loads(live.table.begun.text()) == {"rules": kept.rules, "box": kept.box}  # type: ignore[union-attr]

    in_app(f"sqlite:///{tmp_path / 'comptoir.sqlite'}", work)
