"""Comptoir as an app on a phone: it can be installed, what was read can be read without a network, and nobody
else on the device reads it. What Lighthouse would look at, on every page.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from comptoir.web.domain.people import COOKIE
from tests.browser.app import App
from tests.browser.conftest import CHROMIUM, FLAGS, LANGUAGES, PATIENCE, PHONE, SIDEWAYS, Arrive, listen
from tests.browser.player import LEGAL, Player, make_table
from tests.browser.test_axe import AXE, RUN

pytestmark = pytest.mark.browser

DESK: dict[str, Any] = {"viewport": {"width": 1440, "height": 900}}
devices = pytest.mark.parametrize("device", [PHONE, DESK], ids=["phone", "desk"])
languages = pytest.mark.parametrize("lang", list(LANGUAGES))
OFFLINE = {"fr": "Vous êtes hors ligne", "en": "You are offline"}
# the addresses that the worker has kept, without those of files
KEPT = """async () => {
  const names = (await caches.keys()).filter((name) => !name.startsWith("files-"));
  const kept = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
  return kept.flat().map(({ url }) => new URL(url).pathname);
}"""


# the width of a picture, once it is decoded
DECODED = """async (address) => {
  const picture = new Image();
  picture.src = address;
  await picture.decode();
  return picture.naturalWidth;
}"""


def until(page: Page, done: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE / 1000
    while not done():
        assert time.monotonic() < end, "it does not come"
        page.wait_for_timeout(50)


def keeps(page: Page, *paths: str) -> None:
    """Waits until the worker has kept these."""
    until(page, lambda: set(paths) <= set(page.evaluate(KEPT)))


def path_of(page: Page) -> str:
    return "/" + page.url.split("/", 3)[3].partition("?")[0]


def at_my_table(page: Page, game: str = "century") -> str:
    """A table that waits for me, kept as it stands; its path."""
    make_table(page, game, players=3)
    Player(page, seed=1).wait("mine")
    page.reload()
    Player(page, seed=1).wait("mine")
    keeps(page, path_of(page))
    return path_of(page)


# Installing


@languages
@devices
def test_chromium_would_install_it(
    app: App, chromium: Browser, lang: str, device: dict[str, Any], tmp_path: Path
) -> None:
    """In a profile of its own: in a private window, which a test's usual one is, nothing can be installed."""
    context = chromium.browser_type.launch_persistent_context(
        tmp_path, executable_path=CHROMIUM, args=[*FLAGS], base_url=app.url, locale=LANGUAGES[lang], **device
    )
    context.set_default_timeout(PATIENCE)
    page = context.pages[0]
    complaints: list[str] = []
    listen(page, complaints)
    page.goto("/")
    page.wait_for_function("() => navigator.serviceWorker.controller !== null")
    line = context.new_cdp_session(page)
    manifest = line.send("Page.getAppManifest")
    assert manifest["url"] == f"{app.url}/app.{lang}.webmanifest"
    assert manifest["errors"] == []
    assert line.send("Page.getInstallabilityErrors") == {"installabilityErrors": []}
    assert page.evaluate(DECODED, page.locator('link[rel="apple-touch-icon"]').get_attribute("href")) == 180
    for icon in json.loads(manifest["data"])["icons"]:
        assert page.evaluate(DECODED, icon["src"]) == int(icon["sizes"].partition("x")[0])
    context.close()
    assert complaints == []


# What Lighthouse would look at


@pytest.fixture(scope="module")
def addresses(app: App, chromium: Browser) -> Iterator[dict[str, str]]:
    """Every kind of page, and the cookie of whoever may see them."""
    context = chromium.new_context(base_url=app.url, locale="fr-FR")
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    make_table(page, "batavia", players=3)
    Player(page, seed=1).wait("mine")
    found = {path: path for path in ("/", "/rules", "/rules/batavia", "/about", "/me", "/new/century")}
    found |= {"table": path_of(page), "replay": path_of(page).replace("tables", "replay"), "bring": "/replay"}
    (cookie,) = (one["value"] for one in context.cookies() if one["name"] == COOKIE)
    yield found | {"cookie": cookie}
    context.close()


@languages
@devices
def test_every_page_is_in_order(
    app: App, arrive: Arrive, addresses: dict[str, str], lang: str, device: dict[str, Any]
) -> None:
    """No complaint in the console (`arrive` looks), and what search engines, phones and screen readers need."""
    page = arrive(lang, **device)
    page.context.add_cookies([{"name": COOKIE, "value": addresses["cookie"], "url": app.url}])
    titles = set()
    for path in (path for name, path in addresses.items() if name != "cookie"):
        answer = page.goto(path, wait_until="load")
        assert answer is not None
        assert answer.status == 200, path

        def one(selector: str, attribute: str, path: str = path) -> str:
            found = page.locator(selector)
            assert found.count() == 1, (path, selector)
            return found.get_attribute(attribute) or ""

        assert one("html", "lang") == lang
        assert "width=device-width" in one('meta[name="viewport"]', "content")
        assert "user-scalable" not in one('meta[name="viewport"]', "content")
        assert len(one('meta[name="description"]', "content")) > 20
        assert one('link[rel="canonical"]', "href") == app.url + path
        assert one('link[rel="manifest"]', "href") == f"/app.{lang}.webmanifest"
        assert one('meta[property="og:image"]', "content").startswith(f"{app.url}/previews/")
        assert page.locator('meta[name="theme-color"]').count() == 2
        assert page.locator("h1").count() == 1
        assert page.title() not in titles or path.startswith(("/tables", "/replay"))
        titles.add(page.title())
        assert page.evaluate("document.doctype.name + document.characterSet") == "htmlUTF-8"
        assert page.evaluate("[...document.images].every((one) => one.hasAttribute('alt'))")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path


# Without a network


@languages
@devices
def test_a_table_is_read_without_a_network_and_goes_on_with_it(
    app: App, arrive: Arrive, lang: str, device: dict[str, Any]
) -> None:
    page = arrive(lang, **device)
    path = at_my_table(page)
    game = "/rules/century"
    keeps(page, game, "/rules")
    before = app.table(path.split("/")[2]).version
    page.context.set_offline(True)
    page.reload()
    line = page.locator("#kept")
    expect(line).to_contain_text(OFFLINE[lang])
    assert re.search(r"\d\d:\d\d", line.inner_text())
    assert page.locator("#pieces .spot").count() > 10  # the board is there
    assert page.locator(LEGAL).count() > 0
    assert page.locator(f"{LEGAL}:not(:disabled)").count() == 0
    page.keyboard.press("1")  # as is every other way to choose: it is refused, in words
    expect(page.locator("#answer")).to_contain_text(OFFLINE[lang])
    page.click("[data-rules]")
    expect(page.locator("#rules-text h2").first).to_be_attached()
    page.context.set_offline(False)
    page.wait_for_selector("html:not([data-kept]) #table[data-version]")
    expect(line).to_be_hidden()
    player = Player(page, seed=1)
    player.wait("mine")
    assert app.table(path.split("/")[2]).version == before  # nothing was sent later
    player.play()


def test_a_line_that_breaks_while_one_looks_refuses_what_is_chosen(app: App, arrive: Arrive) -> None:
    page = arrive("en", spoken=False)  # a browser complains of a socket that it cannot open
    path = at_my_table(page)
    before = app.table(path.split("/")[2]).version
    page.context.set_offline(True)
    page.wait_for_function("() => !navigator.onLine")
    page.locator(LEGAL).first.click()
    expect(page.locator("#answer")).to_contain_text("nothing was played")
    page.context.set_offline(False)
    page.wait_for_function("() => navigator.onLine")
    page.wait_for_function("() => document.getElementById('lost').hidden")
    assert app.table(path.split("/")[2]).version == before


@languages
@devices
def test_rules_and_replays_that_were_seen_are_read_again(
    app: App, arrive: Arrive, lang: str, device: dict[str, Any]
) -> None:
    page = arrive(lang, **device)
    path = at_my_table(page, "batavia")
    player = Player(page, seed=3)
    player.wait("mine")
    player.play()
    player.wait("mine", "over")
    replay = path.replace("tables", "replay")
    page.goto(f"{replay}?at=2")
    shown = page.locator("#steps").get_attribute("data-at")
    with page.expect_response(lambda answer: "at=1" in answer.url):
        page.click("#steps a[data-at='1']")
    expect(page.locator("#steps")).to_have_attribute("data-at", "1")
    keeps(page, replay)
    page.goto("/rules/batavia")
    keeps(page, "/rules/batavia")
    page.context.set_offline(True)
    page.reload()
    expect(page.locator("#kept")).to_contain_text(OFFLINE[lang])
    expect(page.locator("article.rules h2").first).to_be_visible()
    page.goto(f"{replay}?at=2")
    expect(page.locator("#steps")).to_have_attribute("data-at", shown or "")
    page.click("#steps a[data-at='1']")  # a step that was seen
    expect(page.locator("#steps")).to_have_attribute("data-at", "1")
    assert page.locator('form[method="post"] :is(button, select):not(:disabled)').count() == 0


@languages
@devices
def test_a_page_that_is_not_kept_says_what_can_be_read(
    arrive: Arrive, lang: str, device: dict[str, Any]
) -> None:
    page = arrive(lang, **device)
    path = at_my_table(page)
    page.context.set_offline(True)
    page.goto("/me")
    expect(page.locator("h1")).to_have_text(OFFLINE[lang])
    link = page.locator(f'#readable a[href="{path}"]')
    expect(link).to_be_visible()
    box = link.bounding_box()
    assert box is not None
    assert box["height"] >= 44
    link.click()
    expect(page.locator("#kept")).to_contain_text(OFFLINE[lang])
    assert path_of(page) == path
    page.goto("/me")
    page.context.set_offline(False)
    expect(page.locator("#name")).to_be_visible()  # it goes on by itself


@pytest.mark.parametrize("look", ["light", "dark"])
@pytest.mark.parametrize("device", [PHONE, SIDEWAYS, DESK], ids=["upright", "sideways", "desk"])
def test_pages_without_a_network_are_as_readable_as_others(
    arrive: Arrive, look: str, device: dict[str, Any]
) -> None:
    page = arrive("fr", color_scheme=look, bypass_csp=True, **device)
    path = at_my_table(page)
    page.context.set_offline(True)
    for address in (path, "/me"):
        page.goto(address)
        page.wait_for_selector("html[data-kept]")
        page.evaluate(AXE.read_text(encoding="utf-8"))
        assert page.evaluate(RUN) == []
        # the line at the top lies over nothing
        assert page.evaluate(
            "document.querySelector('.top').getBoundingClientRect().top >= document.getElementById('kept').offsetHeight"
        )


def test_what_is_sent_without_a_network_is_not_sent_later(app: App, arrive: Arrive) -> None:
    page = arrive("en", **SIDEWAYS)
    page.goto("/")
    page.wait_for_function("() => navigator.serviceWorker.controller !== null")
    page.context.set_offline(True)
    page.click('button[name="game"][value="century"]:not([formaction])')
    expect(page.locator("h1")).to_have_text(OFFLINE["en"])
    page.context.set_offline(False)
    expect(page.locator("#lists")).to_be_visible()  # home again, and no table was made
    assert page.locator("#mine").count() == 0


# Whose it is


@pytest.mark.parametrize("how", ["moved", "cleared"])
def test_who_comes_after_does_not_see_what_was_kept(arrive: Arrive, how: str) -> None:
    """By a link that makes this device another person's, or with a new cookie."""
    page = arrive("en", **PHONE)
    path = at_my_table(page)
    if how == "moved":
        other = arrive("en")
        other.goto("/me")
        other.fill("#name", "Bruno")
        other.click("button.main")
        link = other.locator("input.link").input_value()
        page.goto(link)
        page.click('form[action^="/me/move/"] button.main')
        expect(page.locator("#name")).to_have_value("Bruno")
    else:
        page.context.clear_cookies()
        page.goto("/about")
    until(page, lambda: path not in page.evaluate(KEPT))
    page.context.set_offline(True)
    page.goto(path)
    expect(page.locator("h1")).to_have_text(OFFLINE["en"])
    assert page.locator("#pieces").count() == 0
    assert page.locator(f'#readable a[href="{path}"]').count() == 0


# all text that is in any cache
TEXTS = """async () => {
  const texts = [];
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    for (const key of await cache.keys()) texts.push(key.url, await (await cache.match(key, { ignoreVary: true })).text());
  }
  return texts.join("\\n");
}"""
# the marks of the people of whom something is kept
WHOSE = """async () => [...new Set((await caches.keys()).filter((name) => /^(pages|parts)-/.test(name)).map((name) => name.slice(-22)))]"""
NOTIFY = "async () => (await navigator.serviceWorker.ready).showNotification('Zéphyrine, it is your turn')"
NOTIFIED = "async () => (await (await navigator.serviceWorker.ready).getNotifications()).length"


def test_nothing_stays_on_the_device_of_who_deletes_themselves(arrive: Arrive) -> None:
    """A shared one: the next person, with or without a network, finds no page, name or notification."""
    page = arrive("en", **PHONE)
    page.context.grant_permissions(["notifications"])
    page.goto("/me")
    page.fill("#name", "Zéphyrine")
    page.click('form[action="/me"] button')
    path = at_my_table(page)
    assert "Zéphyrine" in page.evaluate(TEXTS)
    page.evaluate(NOTIFY)
    assert page.evaluate(NOTIFIED) == 1
    page.goto("/me/delete")
    page.click('form[action="/me/delete"] button')
    expect(page.locator("h1")).to_have_text("Everything is deleted")
    until(page, lambda: path not in page.evaluate(KEPT))
    until(page, lambda: page.evaluate(NOTIFIED) == 0)
    page.context.set_offline(True)
    for address in (path, "/", ""):  # and back, to what was shown before
        _ = page.goto(address) if address else page.go_back()
        assert "Zéphyrine" not in page.content()
        assert page.locator("#pieces").count() == 0
    assert "Zéphyrine" not in page.evaluate(TEXTS)
    page.context.set_offline(False)
    page = page.context.new_page()  # the other one reloads by itself, now that there is a network
    page.goto("/about")
    keeps(page, "/about")
    assert page.evaluate(WHOSE) == [page.locator("html").get_attribute("data-person")]


def test_a_session_that_is_ended_elsewhere_leaves_nothing_of_its_person(arrive: Arrive) -> None:
    """Whoever has the device then sees the table as a stranger does."""
    page, phone = arrive("en"), arrive("en", **PHONE)
    path = at_my_table(page, "batavia")
    mine = page.locator("html").get_attribute("data-person")
    assert page.evaluate(WHOSE) == [mine]
    me = page.context.new_page()
    me.goto("/me")
    link = me.locator("input.link").input_value()
    me.close()
    phone.goto(link)
    phone.click('form[action^="/me/move/"] button.main')
    phone.goto("/me")
    phone.locator('form[action="/me/sessions"] button').last.click()  # the other device
    expect(page.locator(f'html:not([data-person="{mine}"])')).to_be_attached()
    now = page.locator("html").get_attribute("data-person")
    until(page, lambda: page.evaluate(WHOSE) in ([], [now]))
    page.context.set_offline(True)
    page.goto(path)
    assert page.locator(LEGAL).count() == 0
    assert page.locator("#hand").count() == 0 or "data-action" not in page.locator("#hand").inner_html()


def test_only_so_much_is_kept(arrive: Arrive) -> None:
    page = arrive("en")
    page.goto("/rules")
    page.wait_for_function("() => navigator.serviceWorker.controller !== null")
    page.evaluate(
        """() => {
          for (let n = 0; n < 40; n += 1) navigator.serviceWorker.controller.postMessage({ keep: [`/rules?n=${n}`] });
        }"""
    )
    keeps_last = "async () => (await caches.match('/rules?n=39', { ignoreVary: true })) !== undefined"
    until(page, lambda: bool(page.evaluate(keeps_last)))
    until(page, lambda: len(page.evaluate(KEPT)) <= 30)
    page.evaluate(
        "() => navigator.serviceWorker.controller.postMessage({ keep: ['/me', '/api/games', '/previews/home.fr.png'] })"
    )
    page.goto("/about")
    keeps(page, "/about")
    assert not {"/me", "/api/games", "/previews/home.fr.png"} & set(page.evaluate(KEPT))


# The badge


def test_the_badge_counts_the_tables_that_wait(arrive: Arrive) -> None:
    page = arrive("en", **PHONE)
    page.context.add_init_script(
        """navigator.setAppBadge = async (n) => sessionStorage.setItem("badge", n);
        navigator.clearAppBadge = async () => sessionStorage.setItem("badge", 0);"""
    )

    def badge() -> str | None:
        found: str | None = page.evaluate("sessionStorage.getItem('badge')")
        return found

    page.goto("/")
    until(page, lambda: badge() == "0")
    make_table(page, "century", players=3)
    player = Player(page, seed=1)
    player.wait("mine")
    until(page, lambda: badge() == "1")
    page.goto("/")
    assert badge() == "1"
    assert page.title().startswith("●")
