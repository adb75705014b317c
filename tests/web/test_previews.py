"""Link previews: PNG of a table as a spectator sees it, the same whatever is hidden, drawn within limits."""

from __future__ import annotations

import asyncio
import io
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from comptoir.engine.game import get_game
from comptoir.engine.words import LANGUAGES
from comptoir.web.domain.state import Table
from comptoir.web.live import preview_service
from comptoir.web.live.png_worker import answer
from comptoir.web.live.subprocess_worker import WorkerFailed
from comptoir.web.ops.fair_queue import OWN, QueueFull, asking
from comptoir.web.view.presenter import TablePresenter
from comptoir.web.view.previews import SIZE, game_preview, home_preview, replay_preview, table_preview
from tests import contract, example_game
from tests.web.app_harness import AppHarness, in_app, play_on, table_of
from tests.web.test_hidden import SECRETIVE, is_other, random_table, redealt

PEOPLE: list[str | tuple[str, str]] = [("a", "Anne"), ("b", "Bruno"), ("c", "Chloé")]


@pytest.fixture(autouse=True, scope="module")
def _compiled() -> Iterator[None]:
    with example_game.known():
        for name in contract.EVERY_GAME:
            _ = get_game(name).compiled
        yield


@pytest.fixture
def lite(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'comptoir.sqlite'}"


def is_picture(png: bytes) -> bool:
    """Whether it is a whole picture of the size that pages promise."""
    with Image.open(io.BytesIO(png)) as picture:
        picture.load()
        return (picture.format, picture.size) == ("PNG", SIZE)


# What is drawn


@pytest.mark.parametrize("name", contract.EVERY_GAME)
def test_a_preview_is_the_same_whatever_is_hidden(name: str) -> None:
    chance, others = random.Random(7), 0
    players = get_game(name).rules.PLAYERS[0]
    for _ in range(6):
        table = random_table(name, PEOPLE[:players], chance)
        other = redealt(table, None, chance.randrange(99))
        assert table.match is not None
        assert other.match is not None
        others += is_other(table, other)
        at = chance.randint(0, table.match.ply)
        for lang in LANGUAGES:
            assert table_preview(TablePresenter(table), lang) == table_preview(TablePresenter(other), lang)
            assert replay_preview(TablePresenter(table), at, lang) == replay_preview(
                TablePresenter(other), at, lang
            )
    assert others or name not in SECRETIVE


def test_the_check_can_fail() -> None:
    """What everyone sees is drawn: two tables that differ in it differ."""
    one, two = (play_on(table_of("batavia", PEOPLE, seed="1"), n, random.Random(1)) for n in (5, 40))
    assert table_preview(TablePresenter(one), "en") != table_preview(TablePresenter(two), "en")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_kind_of_preview_says_what_it_is_of(lang: str) -> None:
    table = play_on(table_of("century", PEOPLE, seed="1"), 10_000, random.Random(1))
    shown = table_preview(TablePresenter(table), lang)
    for name in ("Anne", "Bruno", "Chloé"):
        assert f">{name}<" in shown
    for svg in (shown, game_preview("batavia", lang), home_preview(lang)):
        assert ">Comptoir<" in svg
        assert is_picture(painted(svg))


def painted(svg: str) -> bytes:
    import base64

    return base64.b64decode(answer({"svg": svg, "width": SIZE[0]})["png"])


def test_names_that_our_letters_cannot_write_give_way_to_seats() -> None:
    people: list[str | tuple[str, str]] = [("a", "安娜"), ("b", "Ł & <b>🙂"), ("c", "x" * 24)]
    shown = table_preview(TablePresenter(table_of("century", people)), "en")
    words = re.findall(r"<text[^>]*>([^<]*)</text>", shown)
    assert {"Seat 1", "Ł &amp; &lt;b&gt;", "x" * 16 + "…"} <= set(words)
    assert "🙂" not in shown


def test_what_is_no_drawing_is_none() -> None:
    assert answer({"svg": "<svg", "width": 1200}) == {"none": True}


# What is served


def test_pages_name_their_previews_and_these_are_there(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        anne = made.person("Anne")
        going = await made.make("batavia", anne.sits, "clerk", "clerk")
        over = made.put(play_on(table_of("century", PEOPLE), 10_000, random.Random(1)))
        paths = ["/", "/rules", "/rules/batavia", "/about", "/me", f"/tables/{going.table.id}"]
        for path in (*paths, f"/replay/{over.table.id}?at=3"):
            page = (await anne.get(path)).text
            (named,) = re.findall(r'property="og:image" content="http://comptoir.test([^"]+)"', page)
            assert re.findall(r'name="twitter:card" content="([^"]+)"', page) == ["summary_large_image"]
            picture = await made.person().get(named)
            assert picture.status_code == 200
            assert picture.headers["content-type"] == "image/png"
            assert picture.headers["cache-control"].startswith("public")
            assert is_picture(picture.content)

    in_app(lite, work)


def test_what_is_not_there_or_not_open_looks_like_the_home_page(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        anne, stranger = made.person("Anne"), made.person()
        private = await made.make("batavia", anne.sits, "clerk", "clerk")
        home = await stranger.get("/previews/home.fr.png")
        for path in (
            "/previews/tables/nosuch.fr.png",
            "/previews/tables/..%00etc.fr.png?v=1",
            f"/previews/tables/{'x' * 300}.fr.png",
            "/previews/replays/nosuch.fr.png?at=99999999999999999999",
            f"/previews/replays/{private.table.id}.fr.png",  # only who sits there may look at it again
        ):
            found = await stranger.get(path)
            assert (found.status_code, found.content) == (200, home.content), path
            assert found.headers == home.headers
        shown = await stranger.get(f"/previews/tables/{private.table.id}.fr.png")
        assert shown.content != home.content  # whoever has the link may look on
        for path in (
            "/previews/home.de.png",
            "/previews/tables/..%2Fetc.fr.png",
            "/previews/games/chess.fr.png",
            "/previews/home.fr.svg",
        ):
            assert (await stranger.get(path)).status_code == 404

    in_app(lite, work)


def test_a_preview_is_drawn_once_a_version_and_only_so_much_is_kept(
    lite: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work(made: AppHarness) -> None:
        found, drawn = made.server.previews, list[str]()

        async def ask(question: dict[str, str]) -> dict[str, str]:
            drawn.append(question["svg"])
            return {"png": "AAAA" * 100}

        monkeypatch.setattr(found.png_worker, "ask", ask)
        monkeypatch.setattr(preview_service, "PREVIEWS_KEPT_BYTES", 1_000)
        table = play_on(table_of("century", PEOPLE, seed="1"), 4, random.Random(1))
        made.put(table)
        await asyncio.gather(*(found.table(table.id, "fr") for _ in range(5)))
        assert len(drawn) == 1
        made.put(play_on(table, 1, random.Random(1)))
        await found.table(table.id, "fr")
        assert len(drawn) == 2
        for lang in LANGUAGES:
            for name in ("batavia", "century", "marco_polo"):
                await found.game(name, lang)
        assert sum(map(len, found.cache.values())) <= 1_000

    in_app(lite, work)


def test_who_wants_many_previews_waits_and_what_cannot_be_drawn_is_said(
    lite: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work(made: AppHarness) -> None:
        found = made.server.previews

        async def fails(question: dict[str, str]) -> dict[str, str]:
            raise WorkerFailed

        monkeypatch.setattr(found.png_worker, "ask", fails)
        said = await made.person().get("/previews/home.fr.png", headers={"Accept": "text/html"})
        assert said.status_code == 503
        assert "cannot be drawn" in said.text
        asking.set("192.0.2.1")
        refused = 0
        for n in range(60):
            try:
                await found.picture(("no", str(n)), lambda: _drawing())
            except QueueFull:
                refused += 1
            except WorkerFailed:
                pass
        assert refused >= 20
        asking.set("192.0.2.2")
        with pytest.raises(WorkerFailed):  # another address is not refused
            await found.picture(("no", "1"), lambda: _drawing())
        asking.set(OWN)

    in_app(lite, work)


async def _drawing() -> str:
    return "<svg/>"


def test_the_hidden_part_of_a_table_is_not_in_its_picture(lite: str) -> None:
    """The very bytes, through the server and its painter."""

    async def work(made: AppHarness) -> None:
        table = random_table("marco_polo", PEOPLE, random.Random(3))
        other: Table = redealt(table, None, 5)
        shown = []
        for each in (table, other):
            made.server.previews.cache.clear()
            made.put(each)
            shown.append((await made.person().get(f"/previews/tables/{each.id}.en.png")).content)
        assert is_other(table, other)
        assert shown[0] == shown[1]

    in_app(lite, work)
