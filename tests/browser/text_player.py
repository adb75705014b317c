"""A person who reads: chooses by the text on the choices, with a finger or a mouse, and scrolls when something is out of
view.
"""

from __future__ import annotations

import time
from typing import Any

from playwright.sync_api import CDPSession, Page

from tests.browser.player import Player

# The choices as they can be read, each with a point of it that is in view, if there is one.
READ = """() => [...document.querySelectorAll("#choices .choice")].filter((one) => one.checkVisibility()).map((one) => {
  const box = one.getBoundingClientRect();
  const frame = (one.closest(".offers") ?? document.body).getBoundingClientRect();
  const top = Math.max(box.top, frame.top);
  const bottom = Math.min(box.bottom, frame.bottom, innerHeight);
  const [x, y] = [box.left + box.width / 2, (top + bottom) / 2];
  const hit = bottom - top > 30 && document.elementFromPoint(x, y)?.closest(".choice") === one;
  const away = box.bottom > frame.bottom ? box.bottom - frame.bottom + 16 : box.top < frame.top ? box.top - frame.top - 8 : 0;
  return { text: one.innerText.trim(), at: hit ? [x, y] : null, away, lit: one.matches(".hinted"), final: one.matches(".final") };
})"""
# Where the choices are scrolled: the middle of their box.
FRAME = """() => {
  const { x, y, width, height } = document.querySelector("#choices .offers").getBoundingClientRect();
  return [x + width / 2, y + height / 2];
}"""

SLOP = 16  # pixels that a finger moves before anything scrolls


class TextPlayer(Player):
    """Knows only what can be read. `most` is how often it had to scroll for one decision."""

    hurries = True

    def __init__(self, page: Page, seed: int, *, finger: bool = False) -> None:
        super().__init__(page, seed, finger=finger)
        self.most = 0
        self.line = page.context.new_cdp_session(page) if finger else None

    def play(self) -> None:
        if self.decisions % 7 == 3 and (spots := [offer for offer in self.offers() if offer.spots]):
            offer = self.lot.choice(spots)
            self.point(self.lot.choice(offer.spots), offer.action)
        else:
            texts = [choice["text"] for choice in self.read()]
            assert texts, f"it is my turn and there is nothing to choose: {self.page.inner_text('#sentence')}"
            assert len(set(texts)) == len(texts), "two choices read the same"
            self.step_up()
            self.take(self.lot.choice([choice["text"] for choice in self.read()]))
        self.decisions += 1
        self.wait("mine", "other", "over", after=self.version)

    def read(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.page.evaluate(READ)
        return found

    def step_up(self) -> None:
        """Where there is a number to be chosen, mostly not the least."""
        step = self.page.get_by_role("button").and_(self.page.locator(".steps button", has_text="+1"))
        if step.count() and step.is_visible() and self.lot.random() < 0.5:
            self.press(".steps button >> text=+1")

    def take(self, text: str) -> None:
        """The choice that reads so; scrolled to if it is out of view."""
        scrolls = 0
        while (choice := self.found(text))["at"] is None:
            assert choice["away"], f"“{text}” is in view, but something lies over it"
            self.scroll(choice["away"])
            scrolls += 1
            assert scrolls <= 1, f"scrolled more than once to “{text}”"
        self.most = max(self.most, scrolls)
        if choice["final"]:
            self.pass_time()
        if self.finger:
            self.page.touchscreen.tap(*choice["at"])
        else:
            self.page.mouse.click(*choice["at"])

    def found(self, text: str) -> dict[str, Any]:
        (choice,) = (choice for choice in self.read() if choice["text"] == text)
        return choice

    def scroll(self, away: float) -> None:
        """One stroke, and no further than the window is high."""
        height = self.page.viewport_size["height"] if self.page.viewport_size else 0
        away = max(-height, min(height, away))
        x, y = self.page.evaluate(FRAME)
        before = self.page.evaluate("document.querySelector('#choices .offers').scrollTop")
        if self.line:
            self.stroke(self.line, x, y, away)
        else:
            self.page.mouse.move(x, y)
            self.page.mouse.wheel(0, away)
        self.page.wait_for_function(
            "(y) => document.querySelector('#choices .offers').scrollTop !== y", arg=before
        )
        self.page.wait_for_function(SETTLED)

    @staticmethod
    def stroke(line: CDPSession, x: float, y: float, away: float) -> None:
        """A finger moves the choices and rests before it is lifted, so that nothing flies on."""
        away += SLOP if away > 0 else -SLOP
        start = time.time()
        for n, share in enumerate((0, 0.1, 0.4, 0.7, 1, 1)):
            point = {"x": x, "y": y - share * away}
            sent = {"touchPoints": [point], "timestamp": start + 0.2 * n}
            line.send("Input.dispatchTouchEvent", {"type": "touchMove" if n else "touchStart", **sent})
        line.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": [], "timestamp": start + 2})


# The box has stopped scrolling.
SETTLED = """() => new Promise((done) => {
  const offers = document.querySelector("#choices .offers");
  let last = -1;
  requestAnimationFrame(function look() {
    if (offers.scrollTop === last) return done(true);
    last = offers.scrollTop;
    requestAnimationFrame(look);
  });
})"""
