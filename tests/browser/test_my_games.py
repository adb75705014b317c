"""One's own games, at a desk and on a phone, in both languages: running ones at home, finished ones, statistics,
the ladder, and how all of it is deleted.
"""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from comptoir.web.domain.player_results import WINS, PlayerResult, results_of
from tests.browser.app import App
from tests.browser.conftest import PHONE, Arrive
from tests.browser.player import Player, make_table
from tests.browser.stored_tables import person_of, write
from tests.browser.test_page_size import KB, emptied, fetched

pytestmark = pytest.mark.browser

DESK: dict[str, Any] = {"viewport": {"width": 1440, "height": 900}}
SAID = {
    "fr": {
        "found": "{n} partie",
        "show": "Afficher",
        "bots": "seulement des bots",
        "delete": "Effacer de ma liste",
        "download": "Télécharger",
        "gone": "Tout est effacé",
    },
    "en": {
        "found": "{n} game",
        "show": "Show",
        "bots": "bots only",
        "delete": "Delete from my list",
        "download": "Download",
        "gone": "Everything is deleted",
    },
}
everywhere = pytest.mark.parametrize(
    ("lang", "size"), [("fr", DESK), ("en", PHONE)], ids=["desk, French", "phone, English"]
)


def named(page: Page, name: str) -> None:
    page.goto("/me")
    page.fill("#name", name)
    page.click('form[action="/me"] button')
    expect(page.locator("h1")).to_have_text(name)


def fits(page: Page) -> None:
    """Nothing is wider than the window."""
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@everywhere
def test_running_games_come_first(app: App, arrive: Arrive, lang: str, size: dict[str, Any]) -> None:
    page = arrive(lang, **size)
    page.goto("/")
    expect(page.locator("#mine")).to_have_count(0)
    me = person_of(app, page)
    tables = [
        write(app, game, (me, "Anne"), ("bruno", "Bruno"), ("chloe", "Chloé"), seed=seed, actions=actions)
        for seed, (game, actions) in enumerate((("batavia", 9), ("marco_polo", 12)))
    ]
    page.goto("/")
    cards = page.locator("#mine .running li")
    expect(cards).to_have_count(len(tables))
    assert page.locator("#mine").bounding_box()["y"] < page.locator(".hero").bounding_box()["y"]  # type: ignore[index]
    mine = sum(table.row().turn_person == me for table in tables)
    expect(page.locator("#mine .yours")).to_have_count(mine)
    for picture in page.locator("#mine img").all():
        expect(picture).to_have_js_property("complete", True)
        assert picture.evaluate("(one) => one.naturalWidth") > 0
    fits(page)
    assert fetched(emptied(page)) <= (150 + 13 * len(tables)) * KB, "the page as ever, and the boards"
    assert fetched(page) <= 40 * KB, "boards are kept until the table changes"
    cards.first.locator("a").click()
    expect(page.locator("#table")).to_be_visible()


@everywhere
def test_finished_games(app: App, arrive: Arrive, lang: str, size: dict[str, Any], tmp_path: Path) -> None:
    page, said = arrive(lang, **size), SAID[lang]
    named(page, "Anne")
    me = person_of(app, page)
    alone = [write(app, "marco_polo", (me, "Anne"), "clerk", seed=seed) for seed in range(3)]
    write(app, "batavia", (me, "Anne"), ("bruno", "Bruno"), "clerk")
    page.click('a[href="/me/games"]')
    rows = page.locator(".result-row")
    expect(rows).to_have_count(4)
    fits(page)
    page.select_option("#game", "marco_polo")
    page.select_option("#opponents", label=said["bots"])
    page.get_by_role("button", name=said["show"]).click()
    expect(rows).to_have_count(3)
    expect(page.locator(".found")).to_contain_text(said["found"].format(n=3))
    rows.first.locator("summary").click()
    points = results_of(alone[-1])[0].points
    expect(rows.first.locator(".scores .total td").first).to_have_text(str(points))
    fits(page)
    with page.expect_download() as download:
        page.get_by_role("link", name=said["download"], exact=True).click()
    download.value.save_as(tmp_path / "games.zip")
    with zipfile.ZipFile(tmp_path / "games.zip") as file:
        assert len(file.namelist()) == 3
        file.extractall(tmp_path)
        one = tmp_path / file.namelist()[0]
    page.goto("/replay")
    page.set_input_files('input[type="file"]', one)
    page.click("form[action='/replay'] button")
    expect(page.locator(".replay-board")).to_be_visible()
    page.goto("/me/games?game=marco_polo")
    rows.first.locator("summary").click()
    page.get_by_role("button", name=said["delete"]).first.click()
    expect(page.locator(".said")).to_be_visible()
    expect(rows).to_have_count(3)


@everywhere
def test_statistics_and_ladder(app: App, arrive: Arrive, lang: str, size: dict[str, Any]) -> None:
    page = arrive(lang, **size)
    page.goto("/me/statistics")
    expect(page.locator(".statistics")).to_have_count(0)
    me = person_of(app, page)
    found: list[PlayerResult] = []
    seed = 0
    while sum(one.won for one in found) < WINS:
        found += results_of(write(app, "marco_polo", (me, "Anne"), "clerk", seed=seed))
        seed += 1
    page.reload()
    figures = page.locator("#marco_polo .figures dd")
    expect(figures.nth(0)).to_have_text(str(len(found)))
    expect(figures.nth(1)).to_contain_text(f"{WINS} (")
    expect(figures.nth(3)).to_contain_text(str(max(one.points for one in found)))
    fits(page)
    page.click('a[href="/me#ladder"]')
    climb = page.locator('.climb:has([value="marco_polo"])')
    expect(climb.locator(".climbed")).to_have_count(2)
    expect(climb.locator(".next b")).to_have_text(re.compile("marchand|merchant"))
    fits(page)
    climb.locator("button").click()
    page.wait_for_url("**/tables/*")
    table = app.table(page.url.rpartition("/")[2])
    assert {held.level for held in table.seats} == {None, "merchant"}


def test_a_match_that_is_played_here_is_a_result(arrive: Arrive) -> None:
    """With a hint, it counts and does not climb."""
    page = arrive("en")
    make_table(page, "lots", players=2)
    player = Player(page, seed=3)
    player.wait("mine")
    player.follow_hint()
    assert player.play_on() == "over"
    page.goto("/me/games")
    expect(page.locator(".result-row")).to_have_count(1)
    (result,) = page.request.get("/api/me/results").json()["results"]
    assert result["counts"]
    assert not result["counts_for_ladder"]


@everywhere
def test_who_deletes_themselves_is_nobody(app: App, arrive: Arrive, lang: str, size: dict[str, Any]) -> None:
    page, other = arrive(lang, **size), arrive(lang)
    named(page, "Zéphyrine")
    named(other, "Bruno")
    me, bruno = person_of(app, page), person_of(app, other)
    over = write(app, "marco_polo", (me, "Zéphyrine"), (bruno, "Bruno"))
    on = write(app, "marco_polo", (me, "Zéphyrine"), (bruno, "Bruno"), actions=4)
    other.goto(f"/tables/{on.id}")
    expect(other.locator("#seat-0")).to_contain_text("Zéphyrine")
    page.goto("/me")
    page.click('a[href="/me/delete"]')
    fits(page)
    page.click('form[action="/me/delete"] button')
    expect(page.locator("h1")).to_have_text(SAID[lang]["gone"])
    expect(other.locator("#seat-0")).to_contain_text("№ 1")
    for path in (f"/tables/{over.id}", f"/replay/{over.id}", f"/replay/{on.id}", "/me/games", "/"):
        other.goto(path)
        expect(other.locator("body")).not_to_contain_text("Zéphyrine")
    page.goto("/me")
    expect(page.locator("#name")).to_have_value("")
    assert person_of(app, page) != me
