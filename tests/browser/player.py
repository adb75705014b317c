"""A person at a table's page, who knows no rules and chooses at random among what the page offers."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Page

from comptoir.web.domain.state import Table

LEGAL = "#choices .choice"
REST = 600  # milliseconds, as choices.js has it
PLENTY = 120  # decisions at random; some games would never end so, and from then on the hint is followed

# What the page waits for: me, the one who is to take the shared device, somebody else, or nobody any more. A
# page that is on its way (who leaves a table is sent back to it) waits for nothing yet.
STATE = """() => {
  if (document.readyState === "loading" || !document.getElementById("table")) return [-1, ""];
  const version = Number(document.getElementById("table").dataset.version ?? -1);
  const choices = document.getElementById("choices").classList;
  const notice = document.getElementById("notice");
  if (version < 0 || choices.contains("sent")) return [version, ""];
  if (notice.dataset.state === "over") return [version, "over"];
  if (notice.querySelector("[data-take]")) return [version, "curtain"];
  if (notice.dataset.state === "waiting") return [version, "lobby"];
  return [version, choices.contains("yours") ? "mine" : "other"];
}"""
UNTIL = f"""([after, states]) => {{
  const [version, state] = ({STATE})();
  return version > after && states.includes(state) ? [version, state] : null;
}}"""

# The legal choices, each with the spots that it is about, in the hand or on the board, where they are to be
# seen.
OFFERS = """(legal) => [...document.querySelectorAll(legal)].map((button) => ({
  action: button.dataset.action,
  spots: (button.dataset.spots ?? "").split(" ").filter((name) => document.querySelector(`.spot.may[data-spot="${name}"]`)),
}))"""

# A point of the spot where nothing lies over it, once nothing glides any more.
POINT = """async ([name, missed]) => {
  await Promise.allSettled(document.getAnimations().map((one) => one.finished));
  for (const spot of document.querySelectorAll(`.spot.may[data-spot="${name}"]`)) {
    spot.scrollIntoView({ block: "center", behavior: "instant" });
    const { x, y, width, height } = spot.getBoundingClientRect();
    for (const down of [0.5, 0.25, 0.75, 0.1, 0.9]) {
      for (const across of [0.5, 0.25, 0.75, 0.1, 0.9]) {
        const at = [x + across * width, y + down * height];
        if (document.elementFromPoint(...at)?.closest(".spot") === spot && !missed--) return at;
      }
    }
  }
  return null;
}"""

# Notes which spot the next click is on.
LISTEN = """() => {
  window.tapped = undefined;
  const listen = (event) => { window.tapped = [event.target.closest(".spot")?.dataset.spot ?? ""]; };
  document.addEventListener("click", listen, { capture: true, once: true });
}"""


@dataclass(frozen=True)
class Choice:
    """A legal choice as the page offers it."""

    action: str
    spots: list[str]


class Player:
    """Plays by clicking, or with a finger."""

    hurries = False  # puts the page's own clock forward instead of waiting

    def __init__(self, page: Page, seed: int, *, finger: bool = False) -> None:
        self.page, self.lot, self.finger = page, random.Random(seed), finger
        self.version = -1  # how the table stood when it was last looked at
        self.decisions = self.on_board = 0
        if self.hurries:
            page.clock.install()

    @property
    def table(self) -> str:
        return self.page.url.split("/")[4]

    def wait(self, *states: str, after: int | None = None) -> str:
        """Until the page shows one of these states, of a later moment than `after`."""
        found = self.page.wait_for_function(UNTIL, arg=[-1 if after is None else after, states])
        self.version, state = found.json_value()
        return str(state)

    def state(self) -> str:
        self.version, state = self.page.evaluate(STATE)
        return str(state)

    def offers(self) -> list[Choice]:
        return [Choice(**offer) for offer in self.page.evaluate(OFFERS, LEGAL)]

    def play(self) -> None:
        """One decision, and until the page has shown what came of it."""
        offers = self.offers()
        assert offers, f"it is my turn and there is nothing to choose: {self.page.inner_text('#sentence')}"
        offer = self.lot.choice(offers)
        if self.decisions >= PLENTY:
            self.follow_hint()
        elif offer.spots and self.lot.random() < 0.5:
            self.point(self.lot.choice(offer.spots), offer.action)
        else:
            self.choose(f'{LEGAL}[data-action="{offer.action}"]')
        self.decisions += 1
        self.wait("mine", "other", "over", "curtain", after=self.version)

    def point(self, spot: str, action: str) -> None:
        """Chooses on the board or in the hand; where several choices are about the same spot, then also in
        the dock.
        """
        several = sum(spot in offer.spots for offer in self.offers()) > 1
        if not several:
            self.let_rest(f'{LEGAL}[data-action="{action}"]')
        missed = 0
        while not self.hit(spot, missed):
            missed += 1
        if several:
            self.choose(f'#choices .picked[data-action="{action}"]')
        self.on_board += 1

    def hit(self, spot: str, missed: int) -> bool:
        """Whether a tap is on the spot; after some that were not, at another of its points, as a person would."""
        at: Any = self.page.evaluate(POINT, [spot, missed])
        assert at is not None, f"{spot} is lit, but cannot be reached with a pointer"
        self.page.evaluate(LISTEN)
        if self.finger:
            self.page.touchscreen.tap(*at)
        else:
            self.page.mouse.click(*at)
        return bool(self.page.wait_for_function("() => window.tapped").json_value() == [spot])

    def follow_hint(self) -> None:
        self.press("[data-do=hint]")
        self.page.wait_for_selector(".choice.hinted")
        self.choose(".choice.hinted")

    def choose(self, selector: str) -> None:
        """A choice in the dock: a number is stepped up to, and a final one chosen only once it can be."""
        self.step_to(selector)
        self.let_rest(selector)
        self.press(selector)

    def let_rest(self, selector: str) -> None:
        if "final" in (self.page.locator(selector).get_attribute("class") or ""):
            self.pass_time()

    def pass_time(self) -> None:
        """Until a final choice can be chosen."""
        if self.hurries:
            self.page.clock.fast_forward(REST)
        self.page.wait_for_selector("#choices:not(.resting)")

    def step_to(self, selector: str) -> None:
        amount = self.page.locator(selector).get_attribute("data-amount")
        shown = self.page.locator(".amounts .choice.current")
        while amount and shown.count() and (more := int(amount) - self.shown_amount()):
            step = -1 if more < 0 else max(n for n in (1, 2, 5) if n <= more)
            self.press(f'.steps [data-step="{step}"]')

    def shown_amount(self) -> int:
        return int(self.page.locator(".amounts .choice.current").get_attribute("data-amount") or 0)

    def press(self, selector: str) -> None:
        button = self.page.locator(selector)
        if self.finger:
            button.tap()
        else:
            button.click()

    def play_on(self, *, until: int | None = None) -> str:
        """To the end, or for that many decisions."""
        state = self.wait("mine", "over")
        while state == "mine" and (until is None or self.decisions < until):
            self.play()
            state = self.wait("mine", "over")
        return state


def chosen(table: Table, seat: int) -> list[str]:
    """What a seat has done, but for what was played by itself."""
    return [event.text for event in table.decisions if event.kind == "play" and event.seat == seat]


def make_table(
    page: Page,
    game: str,
    *,
    players: int,
    bots: str = "clerk",
    others: dict[int, str] | None = None,
    name: str = "",
    first: int | None = None,
    clock: int = 0,
    ticked: tuple[str, ...] = (),
) -> None:
    """By the form: I at the first seat, bots at the rest, but for `others`: `link`, or the name of someone on
    this device. The first player is drawn, or at seat `first`; a turn has `clock` seconds, if any. `ticked`: what else
    is ticked, such as `open=yes`.
    """
    page.goto(f"/new/{game}")
    page.check(f'input[name="players"][value="{players}"]', force=True)
    for seat in range(1, players):
        other = (others or {}).get(seat)
        page.select_option(
            f'select[name="seat{seat}"]',
            f"bot:{bots}" if other is None else "link" if other == "link" else "device",
        )
        if other not in (None, "link"):
            page.fill(f'input[name="name{seat}"]', other or "")
    if name:
        page.fill("#name", name)
    page.select_option("#clock", str(clock))
    for one in ticked:
        name_of, value = one.split("=")
        page.check(f'input[name="{name_of}"][value="{value}"]')
    if first is not None:
        page.select_option('select[name="option.first"]', str(first))
    page.click(".sheet-form .end .main")
    page.wait_for_url("**/tables/*")
