"""Notices on a device: switched on in a browser, told with the page closed, shown by the service worker.

Chromium reaches no push service here: what it would name of one is a stand-in's, with true keys. That reads
what it is sent, as Chromium would; then Chromium's own service worker is given the same.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.app import App
from tests.browser.conftest import PHONE, Arrive
from tests.browser.player import Player, make_table
from tests.web.fakes import Device, PushService, push_service

pytestmark = pytest.mark.browser

# What a browser has of a push service, on this device.
STUB = """
const device = DEVICE;
const made = () => ({
  toJSON: () => ({ endpoint: device.endpoint, keys: { p256dh: device.p256dh, auth: device.auth } }),
  unsubscribe: async () => { localStorage.removeItem("stub"); return true; },
});
PushManager.prototype.getSubscription = async () => (localStorage.getItem("stub") ? made() : null);
PushManager.prototype.subscribe = async (options) => {
  if (!options.userVisibleOnly || options.applicationServerKey.length !== 65) throw new Error("no key");
  localStorage.setItem("stub", "on");
  return made();
};
"""
ON = {
    "fr": "Cet appareil vous prévient quand c’est à vous.",
    "en": "This device notifies you when it is your turn.",
}
SHOWN = """async () => {
  const worker = await navigator.serviceWorker.ready;
  return (await worker.getNotifications()).map(({ title, body, tag, lang, data }) => ({ title, body, tag, lang, data }));
}"""


@pytest.fixture(scope="module")
def service() -> Iterator[PushService]:
    with push_service() as running:
        yield running


@pytest.fixture(scope="module")
def telling(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """A server that also rings at stand-ins on this machine."""
    running = App(tmp_path_factory.mktemp("telling"))
    os.environ["COMPTOIR_PUSH_ALLOW_PRIVATE"] = "on"
    try:
        running.start()
    finally:
        del os.environ["COMPTOIR_PUSH_ALLOW_PRIVATE"]
    yield running
    running.stop()
    assert running.failures() == []


def with_push(page: Page, device: Device) -> Page:
    page.context.grant_permissions(["notifications"])
    page.context.add_init_script(STUB.replace("DEVICE", str(device.fields)))
    return page


AGAIN = 5  # seconds after which Chromium is given a message again: a worker that starts or stops may miss one


def until(
    page: Page, done: Callable[[], bool], what: Callable[[], str], again: Callable[[], object] = lambda: None
) -> None:
    began = time.monotonic()
    turns = 1
    while not done():
        waited = time.monotonic() - began
        assert waited < 60, f"did not come: {what()}"
        if waited > turns * AGAIN:
            turns += 1
            again()
        page.wait_for_timeout(50)


def play_until_the_turn_passes(player: Player) -> int:
    """How many decisions that took."""
    before = player.decisions
    player.wait("mine")
    while player.state() == "mine":
        player.play()
    return player.decisions - before


@pytest.mark.parametrize(("lang", "title"), [("fr", "c’est à vous"), ("en", "it is your turn")])
def test_a_closed_page_is_told_once_a_turn(
    telling: App, service: PushService, arrive: Arrive, lang: str, title: str
) -> None:
    device = service.device()

    def mine() -> list[dict[str, Any]]:
        return [one.shown for one in service.received if one.device is device]

    def told(n: int) -> dict[str, Any]:
        """The last of that many notices, once they have come."""
        until(bruno, lambda: len(mine()) >= n, lambda: f"notice {n} of {mine()}, {service.asked} requests")
        assert len(mine()) == n
        return mine()[-1]

    anne, bruno = with_push(arrive(lang, at=telling, **PHONE), device), arrive("fr", at=telling)
    make_table(anne, "marco_polo", players=2, others={1: "link"}, name="Anne")
    link, context = anne.url, anne.context
    anne.goto("/me")
    expect(anne.locator("#notify")).not_to_be_checked()  # off until asked for
    anne.click("#notify")
    expect(anne.locator("#notify-said")).to_have_text(ON[lang])
    anne.goto(link)
    anne.click("#menu summary")
    expect(anne.locator("#notify")).to_be_checked()
    anne.close()

    bruno.goto(link)
    bruno.fill("#my-name", "Bruno")
    bruno.click('.seating button[formaction$="/sit"]')
    assert "Bruno" in told(1)["title"]
    bruno.click('button[formaction$="/begin"]')
    second, decisions, notices = Player(bruno, seed=2), list[int](), 1
    if second.wait("mine", "other") == "mine":
        told(2)  # that it begins
        notices += 1
        play_until_the_turn_passes(second)
    while len(decisions) < 3 or sum(decisions) == len(decisions):  # until a turn had many
        notices += 1
        notice = told(notices)
        assert notice["lang"] == lang
        assert notice["link"] == link.removeprefix(telling.url)
        assert "Bruno" in notice["body"]
        first = Player(_come(context, link), seed=len(decisions))
        decisions.append(play_until_the_turn_passes(first))
        first.page.close()
        play_until_the_turn_passes(second)
    last = told(notices + 1)
    assert title in last["title"]
    _is_shown(context, last, link)


def _come(context: BrowserContext, link: str) -> Page:
    page = context.new_page()
    page.goto(link)
    return page


def _is_shown(context: BrowserContext, notice: dict[str, Any], link: str) -> None:
    """The service worker shows it once, however often it comes; and not to whoever looks at the table."""
    page = _come(context, "/me")
    page.evaluate("() => navigator.serviceWorker.ready")
    registrations: list[dict[str, Any]] = []
    line = context.new_cdp_session(page)
    line.on(
        "ServiceWorker.workerRegistrationUpdated", lambda told: registrations.extend(told["registrations"])
    )
    line.send("ServiceWorker.enable")
    until(page, lambda: bool(registrations), lambda: "the worker's registration")

    def deliver(told: dict[str, Any]) -> None:
        which = {
            "origin": page.evaluate("location.origin"),
            "registrationId": registrations[0]["registrationId"],
        }
        line.send("ServiceWorker.deliverPushMessage", which | {"data": json.dumps(told)})

    deliver(notice)
    deliver(notice)
    until(
        page, lambda: bool(page.evaluate(SHOWN)), lambda: "the notice on the screen", lambda: deliver(notice)
    )
    (shown,) = page.evaluate(SHOWN)
    assert shown == {key: notice[key] for key in ("title", "body", "tag", "lang")} | {"data": notice["link"]}
    looking = _come(context, link)
    deliver(notice | {"tag": "same table"})
    other = notice | {"tag": "another", "link": "/tables/another"}
    deliver(other)
    until(
        page,
        lambda: len(page.evaluate(SHOWN)) > 1,
        lambda: "another table's notice on the screen",
        lambda: deliver(other),
    )
    assert {one["tag"] for one in page.evaluate(SHOWN)} == {notice["tag"], "another"}
    looking.close()
    page.close()


@pytest.mark.parametrize("lang", ["fr", "en"])
def test_it_is_said_when_a_browser_has_none_or_refuses(telling: App, arrive: Arrive, lang: str) -> None:
    page = arrive(lang, at=telling)
    page.context.add_init_script("delete window.PushManager")
    page.goto("/me")
    expect(page.locator("#notify")).to_be_disabled()
    expect(page.locator("#notify-said")).to_contain_text(
        {"fr": "ne propose pas", "en": "does not support"}[lang]
    )
    apple = arrive(
        lang, at=telling, user_agent="Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/604.1"
    )
    apple.context.add_init_script("delete window.PushManager")
    apple.goto("/me")
    expect(apple.locator("#notify-said")).to_contain_text(
        {"fr": "écran d’accueil", "en": "home screen"}[lang]
    )
    refusing = arrive(lang, at=telling)
    refusing.context.add_init_script('Notification.requestPermission = async () => "denied"')
    refusing.goto("/me")
    refusing.click("#notify")
    expect(refusing.locator("#notify-said")).to_contain_text({"fr": "bloque", "en": "blocks"}[lang])
    expect(refusing.locator("#notify")).not_to_be_checked()


def test_off_with_one_click(telling: App, service: PushService, arrive: Arrive) -> None:
    page = with_push(arrive("en", at=telling), service.device())
    page.goto("/me")
    page.fill("#name", "Anne")
    page.click("button.main")
    page.click("#notify")
    expect(page.locator("#notify-said")).to_contain_text("notifies you")
    page.reload()
    expect(page.locator("#notify")).to_be_checked()
    page.click("#notify")
    expect(page.locator("#notify-said")).to_contain_text("Notifications are off")
    page.reload()
    page.wait_for_load_state("networkidle")
    expect(page.locator("#notify")).not_to_be_checked()
    assert page.evaluate("async () => (await (await fetch('/me/notifications')).json()).on") is False
