"""What the browser tests share: one server a test process, one Chromium a module, and people who look in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Response,
    expect,
    sync_playwright,
)

from tests.browser.app import App

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
PATIENCE = 60_000  # milliseconds: bots think, and machines are slow
expect.set_options(timeout=PATIENCE)  # else five seconds
LANGUAGES = {"fr": "fr-FR", "en": "en-GB"}
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
    "device_scale_factor": 2,
}
PHONE["user_agent"] = (
    "Mozilla/5.0 (Linux; Android 14; Mobile) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Mobile Safari/537.36"
)
SIDEWAYS: dict[str, Any] = PHONE | {"viewport": {"width": 844, "height": 390}}
SMALL: dict[str, Any] = PHONE | {"viewport": {"width": 360, "height": 640}}
TABLET: dict[str, Any] = PHONE | {"viewport": {"width": 820, "height": 1180}}
LAPTOP: dict[str, Any] = {"viewport": {"width": 1366, "height": 768}}


class Arrive(Protocol):
    """Opens a browser of its own for a person who has never been here: another `arrive` is another person."""

    def __call__(self, lang: str = "fr", *, at: App = ..., spoken: bool = True, **settings: Any) -> Page: ...


@pytest.fixture(scope="session")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    running = App(tmp_path_factory.mktemp("app"))
    running.start()
    running.wait_for_bots()
    yield running
    running.stop()
    assert running.failures() == []


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """For a module only: while Playwright runs there is an event loop in this thread, and other tests need
    their own.
    """
    if not CHROMIUM.exists():
        pytest.fail(
            f"these tests need {CHROMIUM}: `make test` installs it where it can; else apt-get install chromium",
            pytrace=False,
        )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[*FLAGS])
        yield browser
        browser.close()


@pytest.fixture
def arrive(app: App, chromium: Browser) -> Iterator[Arrive]:
    """Whatever a page complains of in its console, throws or cannot load fails the test; unless `spoken` is
    False.
    """
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def arrive(lang: str = "fr", *, at: App = app, spoken: bool = True, **settings: Any) -> Page:
        usual: dict[str, Any] = {"viewport": {"width": 1440, "height": 900}, "reduced_motion": "reduce"}
        context = chromium.new_context(base_url=at.url, locale=LANGUAGES[lang], **usual | settings)
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        page = context.new_page()
        if spoken:
            listen(page, complaints)
        return page

    yield arrive
    for context in contexts:
        context.close()
    assert complaints == []


def listen(page: Page, complaints: list[str]) -> None:
    def console(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            complaints.append(f"{page.url}: {message.text}")

    def response(answer: Response) -> None:
        if answer.status >= 500 or (answer.status >= 400 and answer.request.resource_type != "document"):
            complaints.append(f"{answer.status} {answer.url}")

    page.on("console", console)
    page.on("pageerror", lambda error: complaints.append(f"{page.url}: {error}"))
    page.on("response", response)
