"""What makes an app of the pages: manifest, icons, service worker, offline page; and that HEAD is answered
wherever GET is.
"""

from __future__ import annotations

import io
import random
import re
from pathlib import Path

import pytest
from fastapi.routing import APIRoute
from PIL import Image

from comptoir.engine.words import LANGUAGES
from comptoir.web.domain.people import COOKIE
from comptoir.web.http import (
    api,
    notification_pages,
    pages,
    preview_pages,
    pwa,
    replay_pages,
    table_pages,
)
from comptoir.web.view.templating import STATIC, asset_version
from tests.manual_time import ManualTime
from tests.scripts import script
from tests.web.app_harness import AppHarness, in_app, play_on, table_of

ICONS = STATIC / "icons"
ROUTERS = [
    module.router
    for module in (api, notification_pages, pages, preview_pages, pwa, replay_pages, table_pages)
]


@pytest.fixture
def lite(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'comptoir.sqlite'}"


# Installing


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_manifest_promises_what_is_there(lite: str, lang: str) -> None:
    async def work(made: AppHarness) -> None:
        anne = made.person()
        page = (await anne.get("/", headers={"Cookie": f"lang={lang}"})).text
        assert f'<link rel="manifest" href="/app.{lang}.webmanifest">' in page
        found = await anne.get(f"/app.{lang}.webmanifest")
        assert found.headers["content-type"] == "application/manifest+json"
        manifest = found.json()
        assert (manifest["lang"], manifest["id"], manifest["scope"], manifest["start_url"]) == (lang, *"///")
        assert manifest["display"] == "standalone"
        assert (await anne.get(manifest["start_url"])).status_code == 200
        for shortcut in manifest["shortcuts"]:
            assert (await anne.get(shortcut["url"])).status_code == 200
        assert {one.get("purpose", "any") for one in manifest["icons"]} == {"any", "maskable"}
        assert {one["sizes"] for one in manifest["icons"]} == {"192x192", "512x512"}
        assert {one["form_factor"] for one in manifest["screenshots"]} == {"wide", "narrow"}
        for one in (*manifest["icons"], *manifest["screenshots"]):
            picture = await anne.get(one["src"])
            assert picture.headers["content-type"] == "image/png"
            with Image.open(io.BytesIO(picture.content)) as shown:
                assert "x".join(map(str, shown.size)) == one["sizes"]
        assert (await anne.get("/app.de.webmanifest")).status_code == 404

    in_app(lite, work)


def test_icons_are_drawn_from_our_rose() -> None:
    icons = script("tools/icons.py")
    for file, (size, drawing) in icons.drawings().items():
        with (
            Image.open(ICONS / file) as kept,
            Image.open(io.BytesIO(icons.painted(size, drawing))) as drawn,
        ):
            assert kept.size == drawn.size == (size, size)
            assert kept.convert("RGBA").tobytes() == drawn.convert("RGBA").tobytes(), (
                "run: python tools/icons.py"
            )


@pytest.mark.parametrize("file", ["maskable-512.png", "apple-touch-icon.png"])
def test_what_a_phone_cuts_to_its_shape_has_no_hole(file: str) -> None:
    with Image.open(ICONS / file) as icon:
        assert icon.convert("RGBA").getchannel("A").getextrema() == (255, 255)


# The service worker


def test_another_edition_is_another_worker(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        worker = (await made.person().get("/sw.js")).text
        assert f'"{asset_version()}"' in worker
        assert "{asset_version}" not in worker

    in_app(lite, work)


def test_the_offline_page_names_nobody(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        anne = made.person("Anne")
        await anne.post("/me", name="Anne Onyme")
        assert "Anne Onyme" in (await anne.get("/rules")).text
        page = (await anne.get("/offline")).text
        assert "Anne Onyme" not in page
        assert anne.token not in page
        assert "You are offline" in page

    in_app(lite, work)


def test_pages_say_whose_they_are_by_a_mark_that_opens_nothing(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        anne, bruno = made.person("Anne"), made.person("Bruno")
        live = await made.make("batavia", anne.sits, bruno.sits, "clerk")
        marks = set()
        for who in (anne, bruno):
            for path in ("/", "/rules/batavia", f"/tables/{live.table.id}", "/nowhere"):
                answer = await who.get(path)
                assert f'data-person="{answer.headers["x-person"]}"' in answer.text
                marks.add((who.name, answer.headers["x-person"]))
        assert len(marks) == 2
        ((_, one), (_, two)) = sorted(marks)
        assert one != two
        for mark in (one, two):
            assert mark not in (anne.id, anne.token, bruno.id, bruno.token)
            stranger = await made.person().get("/me", headers={"Cookie": f"{COOKIE}={mark}"})
            assert "set-cookie" in stranger.headers  # somebody new
        for path in ("/static/base.css", "/api/games", "/previews/home.fr.png", "/app.fr.webmanifest"):
            assert "x-person" not in (await anne.get(path)).headers

    in_app(lite, work)


# The badge


def test_how_many_tables_wait(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        anne, bruno = made.person("Anne"), made.person("Bruno")
        assert (await anne.get("/me/waiting")).json() == {"n": 0}
        lives = [await made.make("century", anne.sits, bruno.sits) for _ in range(3)]
        turns = [live.table.turn == 0 for live in lives]
        answer = await anne.get("/me/waiting")
        assert answer.json() == {"n": sum(turns)}
        assert answer.headers["cache-control"] == "no-store"
        assert (await bruno.get("/me/waiting")).json() == {"n": 3 - sum(turns)}
        home = (await anne.get("/")).text
        assert f'data-turns="{sum(turns)}"' in home

    in_app(lite, work)


# What every address answers to


def test_head_is_answered_wherever_get_is(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        anne = made.person("Anne")
        live = await made.make("batavia", anne.sits, "clerk", "clerk")
        over = made.put(play_on(table_of("century", [("a", "A"), ("b", "B")]), 10_000, random.Random(1)))
        filled = {"id": live.table.id, "name": "batavia", "game": "batavia", "lang": "fr", "picture": "start"}
        tried = 0
        for route in (route for router in ROUTERS for route in router.routes):
            if not isinstance(route, APIRoute) or "GET" not in (route.methods or ()):
                continue
            path = re.sub(r"{(\w+)}", lambda part: filled.get(part[1], "x"), route.path)
            path = path.replace(live.table.id, over.table.id) if "replay" in path else path
            await same_head(made, path)
            tried += 1
        assert tried > 25
        for path in (
            f"/static/{asset_version()}/base.css",
            "/static/icons/icon-192.png",
            "/static/none.css",
            "/x",
        ):
            await same_head(made, path)

    # time stands still: a page with a private link is as long as the link's signature, and its picture, is
    in_app(lite, work, time_source=ManualTime())


async def same_head(made: AppHarness, path: str) -> None:
    who = made.person("Anne")
    for coding in ("identity", "gzip"):
        headers = {"Accept-Encoding": coding}
        get, head = [await who.ask(method, path, headers=headers) for method in ("GET", "HEAD")]
        assert head.status_code == get.status_code != 405, path
        assert head.content == b"", path
        # what is given again each time is another; compressed, so is its length
        left_out = {"set-cookie", "date"} | ({"content-length"} if coding == "gzip" else set())
        one, two = (
            {key: value for key, value in answer.headers.items() if key not in left_out}
            for answer in (get, head)
        )
        assert one == two, path


def test_options_says_what_a_place_answers_to(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        anne = made.person("Anne")
        for path, methods in (
            ("/", "GET, HEAD, OPTIONS"),
            ("/me", "GET, HEAD, OPTIONS, POST"),
            ("/play", "OPTIONS, POST"),
            ("/static/base.css", "GET, HEAD, OPTIONS"),
            ("/previews/home.fr.png", "GET, HEAD, OPTIONS"),
        ):
            answer = await anne.ask("OPTIONS", path)
            assert (answer.status_code, answer.headers["allow"], answer.content) == (204, methods, b"")
        assert (await anne.ask("OPTIONS", "/nowhere")).status_code in (404, 405)
        refused = await anne.ask("DELETE", "/me")
        assert refused.status_code == 405

    in_app(lite, work)


def test_robots_are_kept_off_what_is_personal_and_may_fetch_previews(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        answer = await made.person().get("/robots.txt")
        assert answer.headers["content-type"].startswith("text/plain")
        lines = answer.text.splitlines()
        assert lines[0] == "User-agent: *"
        assert {"Disallow: /api/", "Disallow: /me"} <= set(lines)
        assert not any(line.startswith(("Disallow: /tables", "Disallow: /previews")) for line in lines)
        live = await made.make("batavia", "clerk", "clerk", "clerk")
        assert (
            '<meta name="robots" content="noindex">'
            in (await made.person().get(f"/tables/{live.table.id}")).text
        )

    in_app(lite, work)
