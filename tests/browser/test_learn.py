"""Each game's lesson is finished by somebody who knows nothing of the game and does only what the guide says: reads on,
and chooses what is lit.
"""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from comptoir.web.domain.lesson import lesson_of
from tests.browser.app import App
from tests.browser.conftest import PHONE, Arrive
from tests.browser.player import Player
from tests.browser.test_keyboard import tab_to

pytestmark = pytest.mark.browser

LAPTOP: dict[str, Any] = {"viewport": {"width": 1366, "height": 768}}
SIDEWAYS: dict[str, Any] = PHONE | {"viewport": {"width": 844, "height": 390}}
SIZES = {"laptop": LAPTOP, "phone": PHONE, "sideways": SIDEWAYS}
WHERE = [  # each in both languages, and in each of them on a phone, held upright and sideways
    ("batavia", "fr", "sideways"),
    ("batavia", "en", "laptop"),
    ("century", "fr", "laptop"),
    ("century", "en", "phone"),
    ("marco_polo", "fr", "laptop"),
    ("marco_polo", "en", "sideways"),
    ("sail_to_india", "fr", "phone"),
    ("sail_to_india", "en", "laptop"),
]
LIT = "#choices .choice.hinted"

# What the guide says can be read: it is on the screen, and what is longer than its place scrolls; what it lights
# is in view.
WRONG = """() => {
  const wrong = [];
  const inside = (one, frame, name) => {
    const box = one.getBoundingClientRect();
    const edge = frame.getBoundingClientRect();
    if (box.top < edge.top - 2 || box.bottom > edge.bottom + 2 || box.left < edge.left - 2 || box.right > edge.right + 2) wrong.push(name);
  };
  const guide = document.getElementById("guide");
  inside(guide, document.documentElement, "the guide sticks out");
  for (const one of guide.querySelectorAll("button:not([hidden]), a:not([hidden]), .guide-title, .leaves")) inside(one, guide, one.className);
  const leaves = guide.querySelector(".leaves");
  if (leaves.scrollHeight > leaves.clientHeight + 1 && getComputedStyle(leaves).overflowY !== "auto") wrong.push("cut text");
  if (leaves.clientHeight < 60) wrong.push(`text of ${leaves.clientHeight} pixels`);
  for (const one of document.querySelectorAll("#choices .choice.hinted")) {
    inside(one, document.documentElement, "what is lit is out of the window");
    const frame = one.closest(".offers");
    if (frame) inside(one, frame, "what is lit is scrolled out of the dock");
  }
  return wrong;
}"""
BOARD = """() => {
  const { x, y, width, height } = document.querySelector(".board").getBoundingClientRect();
  return [x, y, width, height].map(Math.round);
}"""


class Learner(Player):
    """Who does only what the guide says."""

    hurries = True

    def learn(self, game: str) -> None:
        self.page.goto("/")
        self.press(f'button[formaction="/learn"][value="{game}"]')
        self.page.wait_for_url("**/tables/*")

    def read(self) -> list[str]:
        """What the guide says now, to its last leaf."""
        self.wait("mine")
        told = []
        while True:
            assert self.page.evaluate(WRONG) == []
            told.append(self.page.inner_text("#guide .leaf:not([hidden])"))
            following = self.page.locator("#guide [data-guide=next]:visible")
            if not following.count():
                return told
            assert self.page.locator(LIT).count() == 0  # nothing is asked for before all is read
            self.press("#guide [data-guide=next]")

    def follow(self) -> None:
        """The step that is lit."""
        self.choose(LIT)
        self.wait("mine", "other", after=self.version)


def begin(arrive: Arrive, game: str, lang: str, size: str = "laptop") -> Learner:
    page = arrive(lang, **SIZES[size])
    learner = Learner(page, seed=1, finger=size != "laptop")
    learner.learn(game)
    return learner


@pytest.mark.parametrize(("game", "lang", "size"), WHERE)
def test_the_guide_leads_to_the_end(app: App, arrive: Arrive, game: str, lang: str, size: str) -> None:
    lesson = lesson_of(game)
    assert lesson is not None
    learner = begin(arrive, game, lang, size)
    page = learner.page
    titles = []
    learner.read()
    board = page.evaluate(BOARD)
    while page.locator("#guide.over").count() == 0:
        titles.append(page.inner_text(".guide-title"))
        assert page.evaluate(BOARD) == board
        learner.follow()
        learner.read()
    said = "Étape {} sur {}" if lang == "fr" else "Step {} of {}"
    steps = len(lesson.steps)
    assert list(dict.fromkeys(titles)) == [said.format(n, steps) for n in range(1, steps + 1)]
    match = app.table(learner.table).match
    assert match is not None
    assert match.played == list(lesson.actions)
    expect(page.locator(f'#guide a[href="/new/{game}"]')).to_be_visible()
    learner.play()  # and the game goes on
    expect(page.locator("#guide")).to_be_hidden()


def test_who_strays_is_told_and_comes_back(app: App, arrive: Arrive) -> None:
    learner = begin(arrive, "batavia", "fr", "phone")
    page = learner.page
    learner.read()
    learner.follow()
    learner.read()
    learner.press("#pieces [data-spot=space-1]")  # the answer of any table
    expect(page.locator("#answer")).not_to_be_empty()
    expect(page.locator(LIT)).to_have_attribute("data-action", "lay england")
    learner.choose('#choices .choice[data-action="draw"]')
    page.wait_for_selector("#guide.astray")
    expect(page.locator("#guide")).to_contain_text("Poser un navire anglais")
    assert app.table(learner.table).turn == 1  # who waits
    page.reload()
    learner.press("[data-guide=retrace]")
    page.wait_for_selector("#guide.step")
    learner.read()
    expect(page.locator(LIT)).to_have_attribute("data-action", "lay england")
    learner.follow()
    learner.read()
    expect(page.locator(LIT)).to_have_attribute("data-action", "advance england")


def test_a_lesson_is_left_gone_on_with_and_begun_anew(arrive: Arrive) -> None:
    learner = begin(arrive, "century", "en")
    page = learner.page
    for _ in range(3):
        learner.read()
        learner.follow()
    learner.wait("mine")
    left = page.url
    title = page.inner_text(".guide-title")
    page.click("#menu summary")
    page.click(".menu-sheet a[href='/']:has-text('Leave the lesson')")
    page.click("#mine a:has-text('Lesson: Century')")
    page.wait_for_url(left)
    assert page.inner_text(".guide-title") == title
    learner.learn("century")
    assert page.url == left
    learner.wait("mine")
    page.click("#menu summary")
    page.click("[data-guide=restart]")
    expect(page.locator(".guide-title")).to_have_text("Step 1 of 20")


def test_a_lesson_is_followed_with_the_keyboard_alone(arrive: Arrive) -> None:
    """Next is before the choices, and what is lit has its digit."""
    learner = begin(arrive, "century", "en")
    page = learner.page
    learner.wait("mine")
    for _ in range(2):
        tab_to(page, "[data-guide=next]")
        page.keyboard.press("Enter")
    page.keyboard.press(page.locator(LIT).get_attribute("aria-keyshortcuts") or "")
    expect(page.locator(".guide-title")).to_have_text("Step 2 of 20")
