"""Reviews on the server: made next to it, kept, read by everyone who may see the replay; never of a running
match.
"""

from __future__ import annotations

import asyncio
import random
import re
import sys
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from comptoir.bots.levels import LEVELS, Level
from comptoir.engine import registry
from comptoir.engine.game import get_game
from comptoir.engine.match import Match
from comptoir.review import review, serialize
from comptoir.review.analysis import JUDGES
from comptoir.web import limits
from comptoir.web.domain.match_files import import_match
from comptoir.web.domain.refusals import Refused
from comptoir.web.domain.state import Table
from comptoir.web.limits import REVIEW_ATTEMPTS, REVIEW_LOST_SECONDS
from comptoir.web.live import review_queue
from comptoir.web.live.review_worker import Reviewer
from comptoir.web.live.subprocess_worker import SubprocessWorker, WorkerFailed
from comptoir.web.ops.fair_queue import QueueFull, asking
from tests.manual_time import AT, ManualTime
from tests.review.sample_matches import QUICK, finished, last_turns
from tests.web.app_harness import AppHarness, Client, in_app, play_on, running_app

PATIENCE = 100.0  # seconds for a whole review, and its process


@pytest.fixture(autouse=True, scope="module")
def _compiled() -> None:
    for name in registry.names():
        _ = get_game(name).compiled


@pytest.fixture
def lite(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'comptoir.sqlite'}"


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reviews are made in this process, by a search that takes no time."""
    reviewer = Reviewer()

    class Here:
        def __init__(self, *_: object, **__: object) -> None:
            pass

        async def ask(self, question: dict[str, object]) -> dict[str, object]:
            await asyncio.sleep(0)
            return reviewer.answer(question)

        async def stop(self) -> None:
            pass

    monkeypatch.setattr(review_queue, "SubprocessWorker", Here)
    monkeypatch.setitem(JUDGES, False, QUICK)
    monkeypatch.setattr("comptoir.web.live.review_worker.STEP", 0.05)


async def brought(harness: AppHarness, match: Match) -> Table:
    """A table with a match that is over."""
    table, events = import_match(match, "somebody", AT)
    await harness.tables.store_imported(table.row(), events)
    return table


async def kept(harness: AppHarness, match: Match) -> Table:
    """The same, with its review."""
    table = await brought(harness, match)
    made = serialize.write(review(match, QUICK))
    await harness.server.in_store(harness.server.reviews.stored.save, table.id, made, True)
    return table


async def made(harness: AppHarness, caller: Client, table: Table) -> str:
    """The page of a review, as soon as it is made."""
    async with asyncio.timeout(PATIENCE):
        while True:
            page = (await caller.get(f"/replay/{table.id}/review")).text
            if 'class="review"' in page or 'role="alert"' in page:
                return page
            await asyncio.sleep(0.05)


def test_a_review_is_asked_for_made_and_kept(lite: str, quick: None) -> None:
    async def work(harness: AppHarness) -> None:
        anne, table = harness.person("Anne"), await brought(harness, last_turns("batavia", 30))
        replay = await anne.get(f"/replay/{table.id}")
        assert f'action="/replay/{table.id}/review"' in replay.text
        offered = await anne.get(f"/replay/{table.id}/review")
        assert "Start the review" in offered.text
        begun = await anne.post(f"/replay/{table.id}/review")
        assert begun.headers["location"] == f"/replay/{table.id}/review"
        waiting = await anne.get(f"/replay/{table.id}/review")
        assert "<progress" in waiting.text
        page = await made(harness, anne, table)
        assert "Where the match turned" in page
        bruno = harness.person("Bruno")
        assert "Where the match turned" in (await bruno.get(f"/replay/{table.id}/review")).text
        harness.server.reviews.cache.clear()
        assert "Where the match turned" in (await bruno.get(f"/replay/{table.id}/review")).text

    in_app(lite, work, reviewing=1.0)


def test_the_page_begins_with_ones_own_turns(lite: str, quick: None) -> None:
    """And whoever plays on from a moment takes their own seat, unless they choose another."""

    async def work(harness: AppHarness) -> None:
        anne, bruno = harness.person("Anne"), harness.person("Bruno")
        past = await brought(harness, last_turns("century", 12))
        assert past.match is not None
        seat = past.match.actions_by_seat[2][0]
        begun = await anne.post(f"/replay/{past.id}/continue", at="2", seat=str(seat), level="passer-by")
        id = begun.headers["location"].removeprefix("/tables/")
        live = await harness.tables.find(id)
        over = play_on(live.table, 400, random.Random(1))
        assert over.state == "over"
        assert over.match is not None
        live.table = over
        made = serialize.write(review(over.match, QUICK))
        await harness.server.in_store(harness.server.reviews.stored.save, id, made, True)
        hers, his = [(await one.get(f"/replay/{id}/review?at=0")).text for one in (anne, bruno)]
        assert "Your costly turns" in hers
        assert "Your costly turns" not in his
        chosen = re.search(r'<option value="(\d)" selected', hers)
        assert chosen is not None
        assert int(chosen[1]) == seat

    in_app(lite, work)


@pytest.mark.slow
def test_a_deep_review_takes_the_place_of_a_usual_one(
    lite: str, quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the level that the page then names; it is not replaced by a usual one, and needs none before it."""
    monkeypatch.setitem(LEVELS, "admiral", Level("admiral", 40, trees=2))  # as it is but for its search

    async def work(harness: AppHarness) -> None:
        anne, table = harness.person("Anne"), await kept(harness, last_turns("batavia", 30))
        at = f"/replay/{table.id}/review"
        usual = (await anne.get(at)).text
        assert "Judged by a search at admiral strength" not in usual
        assert 'name="level" value="admiral"' in usual
        await anne.post(at, level="admiral")
        assert "<progress" in (await anne.get(at)).text
        deep = await made(harness, anne, table)
        assert "Judged by a search at admiral strength" in deep
        assert 'name="level" value="admiral"' not in deep
        await anne.post(at, level="captain")
        assert "Judged by a search at admiral strength" in (await anne.get(at)).text
        other = await brought(harness, last_turns("century", 6))
        await anne.post(f"/replay/{other.id}/review", level="admiral")
        assert "Judged by a search at admiral strength" in await made(harness, anne, other)

    in_app(lite, work, reviewing=1.0)


@pytest.mark.slow
def test_a_process_beside_the_server_makes_it(lite: str) -> None:
    """The same by the process itself, at the strength that people get."""

    async def work(harness: AppHarness) -> None:
        anne, table = harness.person("Anne"), await brought(harness, last_turns("century", 4))
        await anne.post(f"/replay/{table.id}/review")
        assert "Where the match turned" in await made(harness, anne, table)

    in_app(lite, work, reviewing=1.0)


def test_of_a_running_match_there_is_nothing(lite: str) -> None:
    async def work(harness: AppHarness) -> None:
        anne, other = harness.person("Anne"), harness.person("Eve")
        for open in (True, False):
            live = await harness.make("batavia", anne.sits, "clerk", "clerk", open=open)
            where = f"/replay/{live.table.id}"
            for caller in (anne, other):
                status = 409 if open or caller is anne else 403
                for path in ("/review", "/board.svg"):
                    assert (await caller.get(where + path)).status_code == status
                assert (await caller.post(where + "/review")).status_code == status
            assert await harness.server.in_store(harness.server.reviews.stored.find, live.table.id) is None
        assert (await anne.get("/replay/nothing/review")).status_code == 404
        assert (await anne.post("/replay/nothing/review")).status_code == 404

    in_app(lite, work)


@pytest.mark.parametrize("lang", ["en", "fr"])
def test_each_moment_can_be_linked_to(lite: str, lang: str) -> None:
    async def work(harness: AppHarness) -> None:
        match = last_turns("marco_polo", 60, seed=3)
        anne, table = harness.person("Anne"), await kept(harness, match)
        anne.cookies["lang"] = lang
        whole = await anne.get(f"/replay/{table.id}/review")
        links = re.findall(r"/review\?at=(\d+)#moment", whole.text)
        assert links
        found = await anne.get(f"/replay/{table.id}/review?at={links[0]}")
        assert 'id="moment"' in found.text
        assert f'name="at" value="{links[0]}"' in found.text
        for at in ("99999", "-1", "x", "", str(match.ply)):
            odd = await anne.get(f"/replay/{table.id}/review?at={at}")
            assert odd.status_code == 200
            assert 'id="moment"' not in odd.text
        board = await anne.get(f"/replay/{table.id}/board.svg?at={links[0]}&layout=tall&lang={lang}")
        assert board.headers["content-type"] == "image/svg+xml"
        assert (await anne.get(f"/replay/{table.id}/board.svg?at=x&layout=no&lang=no")).status_code == 200

    in_app(lite, work)


def test_one_goes_on_from_a_moment_of_a_review(lite: str) -> None:
    async def work(harness: AppHarness) -> None:
        anne, table = harness.person("Anne"), await kept(harness, last_turns("century", 8))
        seat = str(table.match.actions_by_seat[0][0]) if table.match else ""
        gone_on = await anne.post(f"/replay/{table.id}/continue", at="0", seat=seat, level="clerk")
        assert gone_on.status_code == 303
        assert gone_on.headers["location"].startswith("/tables/")

    in_app(lite, work)


def test_a_review_of_another_match_or_edition_is_made_anew(lite: str) -> None:
    async def work(harness: AppHarness) -> None:
        anne, table = harness.person("Anne"), await brought(harness, last_turns("century", 6))
        for text in (serialize.write(review(last_turns("century", 6, seed=4), QUICK)), "{", "\x00"):
            await harness.server.in_store(harness.server.reviews.stored.save, table.id, text, True)
            assert "Start the review" in (await anne.get(f"/replay/{table.id}/review")).text

    in_app(lite, work)


def test_it_goes_on_from_where_a_server_was_stopped(lite: str, quick: None) -> None:
    match = last_turns("century", 60)

    async def stopped(harness: AppHarness) -> Table:
        anne, table = harness.person("Anne"), await brought(harness, match)
        await anne.post(f"/replay/{table.id}/review")
        while not (progress := harness.server.reviews.progress(table)) or not progress.made:
            await asyncio.sleep(0.01)
        return table

    async def goes_on(harness: AppHarness) -> None:
        anne = harness.person("Anne")
        before = await harness.server.in_store(harness.server.reviews.stored.find, table.id)
        assert before is not None
        assert not before.done
        await anne.post(f"/replay/{table.id}/review")
        assert "Where the match turned" in await made(harness, anne, table)

    table = in_app(lite, stopped, reviewing=1.0)
    in_app(lite, goes_on, reviewing=1.0)


def test_what_fails_is_said_and_can_be_tried_again(lite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fails(*_: object) -> dict[str, object]:
        raise WorkerFailed

    async def work(harness: AppHarness) -> None:
        anne, table = harness.person("Anne"), await brought(harness, last_turns("century", 4))
        monkeypatch.setattr(harness.server.reviews.worker, "ask", fails)
        await anne.post(f"/replay/{table.id}/review")
        page = await made(harness, anne, table)
        assert 'role="alert"' in page
        assert "something went wrong on our side" in page
        assert "Try again" in page
        anne.cookies["lang"] = "fr"
        assert "le problème vient de nous" in await made(harness, anne, table)
        harness.server.reviews.failed.clear()  # as in another process
        assert 'role="alert"' in await made(harness, anne, table)
        monkeypatch.undo()
        monkeypatch.setitem(JUDGES, False, QUICK)
        reviewer = Reviewer()
        monkeypatch.setattr(harness.server.reviews, "worker", InProcess(reviewer))
        await anne.post(f"/replay/{table.id}/review")
        assert 'class="review"' in await made(harness, anne, table)

    in_app(lite, work, reviewing=1.0)


class InProcess:
    """Asks a reviewer in this process."""

    def __init__(self, reviewer: Reviewer) -> None:
        self.reviewer, self.asked, self.deaths = reviewer, list[tuple[str, str]](), 0

    async def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        await asyncio.sleep(0)
        self.asked.append((question["do"], question["id"]))
        if self.deaths and question["do"] == "go on":
            self.deaths -= 1
            self.reviewer = Reviewer()
            raise WorkerFailed
        return self.reviewer.answer(question)

    async def stop(self) -> None:
        pass


def test_addresses_take_turns_step_by_step(lite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two long matches of one address do not come before another's short one, nor are their turns two."""
    monkeypatch.setitem(JUDGES, False, QUICK)
    monkeypatch.setattr("comptoir.web.live.review_worker.STEP", 0.0)  # an action a step

    async def work(harness: AppHarness) -> None:
        worker = InProcess(Reviewer())
        monkeypatch.setattr(harness.server.reviews, "worker", worker)
        long = [await brought(harness, last_turns("century", 60, seed=seed)) for seed in (1, 2)]
        short = await brought(harness, last_turns("century", 10))
        asking.set("192.0.2.1")
        for table in long:
            await harness.server.reviews.begin(table)
        while not worker.asked:
            await asyncio.sleep(0.001)
        asking.set("192.0.2.2")
        await harness.server.reviews.begin(short)
        while harness.server.reviews.progress(short):
            await asyncio.sleep(0.001)
        assert all(harness.server.reviews.progress(table) for table in long)
        steps = Counter(id for do, id in worker.asked if do == "go on")
        assert short.match is not None
        assert steps[short.id] == short.match.ply
        # as many turns for the two of one address as for the one of the other, and a few before it came
        assert steps[long[0].id] + steps[long[1].id] <= 2 * steps[short.id]
        assert min(steps[table.id] for table in long) > 1
        await harness.server.reviews.stop()

    in_app(lite, work, reviewing=1.0)


def test_a_process_that_dies_is_replaced_and_the_review_goes_on(
    lite: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(JUDGES, False, QUICK)
    monkeypatch.setattr("comptoir.web.live.review_worker.STEP", 0.0)

    async def work(harness: AppHarness) -> None:
        anne, table = harness.person("Anne"), await brought(harness, last_turns("century", 10))
        worker = InProcess(Reviewer())
        monkeypatch.setattr(harness.server.reviews, "worker", worker)
        worker.deaths = REVIEW_ATTEMPTS - 1
        await anne.post(f"/replay/{table.id}/review")
        assert "Where the match turned" in await made(harness, anne, table)
        assert worker.deaths == 0
        assert caplog.text.count("was replaced") == REVIEW_ATTEMPTS - 1

    in_app(lite, work, reviewing=1.0)


def test_one_that_another_process_makes_is_shown_and_one_that_it_has_left(postgres: Any) -> None:
    async def run() -> None:
        database = postgres.new()
        async with running_app(database) as one, running_app(database) as two:
            anne, table = two.person("Anne"), await brought(one, last_turns("century", 6))
            begun = asyncio.Event()

            async def hangs(*_: object) -> dict[str, object]:
                begun.set()
                await asyncio.Event().wait()
                return {}

            one.server.reviews.worker.ask = hangs  # type: ignore[method-assign, assignment]
            await one.server.reviews.begin(table)
            await begun.wait()
            where = f"/replay/{table.id}/review"
            assert "<progress" in (await anne.get(where)).text
            await anne.post(where)
            assert two.server.reviews.progress(table) is None  # it is made once
            kept = two.server.reviews.stored
            long_ago = time.time() - REVIEW_LOST_SECONDS - 1
            await two.server.in_store(kept.save, table.id, "", False, False, long_ago)
            page = (await anne.get(where)).text
            assert "was interrupted" in page
            assert "Try again" in page
            await two.server.in_store(kept.touch, [table.id])
            assert "<progress" in (await anne.get(where)).text

    asyncio.run(run())


def test_a_busy_machine_is_waited_for_and_a_stuck_process_is_not() -> None:
    """The limit is for a process that does nothing; one that works is given the time that it needs."""

    async def run() -> None:
        works = "import sys, time; from comptoir.web.live.subprocess_worker import serve\n"
        works += "def answer(q):\n while time.process_time() < 2.5: pass\n return q\nserve(answer, {})"
        sleeps = works.replace("while time.process_time() < 2.5: pass", "time.sleep(60)")
        for program, patient, answers in ((works, True, True), (works, False, False), (sleeps, True, False)):
            worker = SubprocessWorker("", limit=1.0, patient=patient)
            worker.command = (sys.executable, "-c", program)
            try:
                said = await worker.ask({"a": 1})
            except WorkerFailed:
                said = {}
            assert bool(said) == answers
            await worker.stop()

    asyncio.run(run())


def test_nobody_can_ask_for_very_many(lite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An address has a few that wait, everyone together some more."""

    async def hangs(*_: object) -> dict[str, object]:
        await asyncio.Event().wait()
        return {}

    async def work(harness: AppHarness) -> None:
        monkeypatch.setattr(harness.server.reviews.worker, "ask", hangs)
        match = last_turns("century", 4)
        tables = [await brought(harness, match) for _ in range(limits.ADDRESS_REVIEWS_WAITING + 1)]
        token = asking.set("192.0.2.1")
        for table in tables[:-1]:
            await harness.server.reviews.begin(table)
            await harness.server.reviews.begin(table)  # it is being made already
        with pytest.raises(QueueFull):
            await harness.server.reviews.begin(tables[-1])
        asking.set("192.0.2.2")
        await harness.server.reviews.begin(tables[-1])
        asking.reset(token)

    in_app(lite, work)


def test_a_host_can_do_without(lite: str) -> None:
    async def work(harness: AppHarness) -> None:
        anne, table = harness.person("Anne"), await brought(harness, last_turns("century", 4))
        refused = await anne.post(f"/replay/{table.id}/review")
        assert refused.status_code == 409
        assert "comptoir review" in refused.text

    in_app(lite, work, reviewing=0.0)


def test_only_a_part_of_the_time_is_worked(lite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """After each step it rests as long as its share asks for."""
    clock, begun = ManualTime(), list[float]()

    async def work(harness: AppHarness) -> None:
        table = await brought(harness, last_turns("century", 4))

        async def step(*_: object) -> dict[str, object]:
            begun.append(clock.monotonic())
            await clock.sleep(2)
            return {"made": 1, "done": len(begun) == 3, "text": "{}"}

        monkeypatch.setattr(harness.server.reviews.worker, "ask", step)
        await harness.server.reviews.begin(table)
        await clock.until(lambda: harness.server.reviews.progress(table) is None)

    in_app(lite, work, reviewing=0.25, time_source=clock)
    rests = [after - before - 2 for before, after in pairwise(begun)]
    assert rests == [pytest.approx(6)] * 2, "three times as long as a step nothing"


def test_a_match_that_cannot_be_reviewed_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    table, _ = import_match(finished("century", 1), "somebody", AT)
    assert review_queue.reviewable(table) is table.match
    monkeypatch.setattr(review_queue, "MAX_ACTIONS", 10)
    with pytest.raises(Refused, match="too_long"):
        review_queue.reviewable(table)
