"""axe-core finds nothing serious on any page, light and dark, at a desk and on a phone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, StorageState, expect

from comptoir.engine import registry
from tests.browser.app import App
from tests.browser.conftest import LANGUAGES, PATIENCE, PHONE, Arrive
from tests.browser.player import Player, make_table
from tests.browser.stored_tables import person_of, write
from tests.browser.test_people import sit

pytestmark = pytest.mark.browser

AXE = Path(__file__).parents[2] / "node_modules/axe-core/axe.min.js"
DESK: dict[str, Any] = {"viewport": {"width": 1440, "height": 900}}
RUN = """async () => {
  const { violations } = await axe.run(document, {
    resultTypes: ["violations"],
    rules: { "label-content-name-mismatch": { enabled: true } },
  });
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.slice(0, 3).map((node) => `${id}: ${node.html.slice(0, 200)} ${node.failureSummary}`));
}"""


class Tour:
    """One person's tables, one in each state, and the addresses of all pages."""

    def __init__(self, app: App, chromium: Browser) -> None:
        self.context = chromium.new_context(base_url=app.url, locale=LANGUAGES["fr"])
        self.context.set_default_timeout(PATIENCE)
        self.addresses = {
            "home": "/",
            "new": "/new/batavia",
            "bring": "/replay",
            "all rules": "/rules",
            "rules": "/rules/batavia",
        }
        self.addresses |= {"about": "/about", "me": "/me", "error": "/nowhere"}
        self.addresses |= {"games": "/me/games", "statistics": "/me/statistics", "delete me": "/me/delete"}
        self.page = self.context.new_page()
        for game in registry.names():
            self._my_turn(game)
        self._lesson()
        self._with_others(chromium, app)
        self._over()
        write(app, "batavia", (person_of(app, self.page), "Anne"), "clerk", "clerk")  # for the statistics

    @property
    def state(self) -> StorageState:
        return self.context.storage_state()

    def _my_turn(self, game: str) -> None:
        make_table(self.page, game, players=3)
        Player(self.page, seed=1).wait("mine")
        self.addresses[f"{game}, my turn"] = self.page.url

    def _lesson(self) -> None:
        self.page.goto("/")
        self.page.click('button[formaction="/learn"][value="century"]')
        self.page.wait_for_url("**/tables/*")
        self.addresses["lesson"] = self.page.url

    def _with_others(self, chromium: Browser, app: App) -> None:
        """A table that waits, and one at which another is to decide."""
        make_table(self.page, "century", players=3, others={1: "link"})
        self.addresses["lobby"] = self.page.url
        make_table(self.page, "century", players=2, others={1: "link"})
        other = chromium.new_context(base_url=app.url, locale=LANGUAGES["fr"])
        their_page = other.new_page()
        sit(their_page, self.page.url, "Bruno")
        their_page.click('button[formaction$="/begin"]')
        player, their = Player(self.page, seed=1), Player(their_page, seed=1)
        while player.wait("mine", "other") == "mine":
            player.play()
        assert their.wait("mine") == "mine"
        other.close()
        self.addresses["another's turn"] = self.page.url
        make_table(self.page, "batavia", players=3, others={1: "Chloé"})
        self.addresses["shared device"] = self.page.url

    def _over(self) -> None:
        """Who leaves is played for, and so the match comes to its end."""
        make_table(self.page, "batavia", players=3)
        self.page.click("#menu summary")
        self.page.click("#leave")
        self.page.click("#confirm-leave button[value=yes]")
        Player(self.page, seed=1).wait("over")
        self.addresses |= {"over": self.page.url, "replay": self.page.url.replace("/tables/", "/replay/")}


@pytest.fixture(scope="module")
def tour(app: App, chromium: Browser) -> Tour:
    return Tour(app, chromium)


@pytest.mark.parametrize("look", ["light", "dark"])
@pytest.mark.parametrize("device", ["desk", "phone"])
def test_no_serious_violation(arrive: Arrive, tour: Tour, look: str, device: str) -> None:
    settings = PHONE if device == "phone" else DESK
    page = arrive(
        "fr", spoken=False, color_scheme=look, bypass_csp=True, storage_state=tour.state, **settings
    )
    found = [
        f"{name}: {violation}"
        for name, address in tour.addresses.items()
        for violation in look_at(page, address)
    ]
    assert found == []


def look_at(page: Page, address: str) -> list[str]:
    page.goto(address)
    if "/tables/" in address:
        Player(page, seed=1).wait("mine", "other", "over", "lobby", "curtain")
    page.evaluate("document.fonts.ready.then(() => true)")
    expect(page.locator("main")).to_be_visible()
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found: list[str] = page.evaluate(RUN)
    return found
