"""The dock: what can be chosen is seen, reached and safe from a slip, at every size; the board stays where it is."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from comptoir.engine import registry
from tests.browser.app import App
from tests.browser.conftest import LAPTOP, PHONE, SIDEWAYS, SMALL, TABLET, Arrive
from tests.browser.player import LEGAL, Player, make_table
from tests.browser.test_sizes import faults
from tools.shots import LAID_OUT

pytestmark = pytest.mark.browser

ZOOMED: dict[str, Any] = {"viewport": {"width": 683, "height": 384}}  # a laptop at 200 %

BOX = """(selector) => {
  const { x, y, width, height } = document.querySelector(selector).getBoundingClientRect();
  return [x, y, width, height].map(Math.round);
}"""

# The choices that cannot be scrolled into view within their box.
UNREACHED = """() => {
  const offers = document.querySelector(".offers").getBoundingClientRect();
  return [...document.querySelectorAll(".offers .choice")].filter((one) => one.checkVisibility()).filter((one) => {
    one.scrollIntoView({ block: "nearest", behavior: "instant" });
    const { top, bottom } = one.getBoundingClientRect();
    return top < offers.top - 4 || bottom > offers.bottom + 4;
  }).map((one) => one.textContent);
}"""

HOVERS = """() => [...document.styleSheets].flatMap(function bare(sheet) {
  if (sheet.media?.mediaText?.includes("(hover: hover)")) return [];
  return [...sheet.cssRules].flatMap((rule) =>
    rule.selectorText?.includes(":hover") ? [rule.selectorText] : rule.cssRules ? bare(rule) : []);
})"""


def begin(
    arrive: Arrive,
    game: str,
    *,
    players: int = 3,
    lang: str = "en",
    first: int | None = None,
    **settings: Any,
) -> Player:
    """A table with clerks, at my first decision."""
    page = arrive(lang, **settings)
    make_table(page, game, players=players, name="Anne", first=first)
    player = Player(page, seed=4, finger=bool(settings.get("has_touch")))
    player.wait("mine")
    return player


def focused(page: Page) -> str:
    return str(page.evaluate("`${document.activeElement.id} ${document.activeElement.className}`"))


@pytest.mark.parametrize("game", ["batavia", "sail_to_india"])
def test_enter_at_once_gives_nothing_away(app: App, arrive: Arrive, game: str) -> None:
    player = begin(arrive, game)
    page = player.page
    page.reload()
    player.wait("mine")
    before = len(app.table(player.table).decisions)
    assert "choice " not in f"{focused(page)} "
    page.keyboard.press("Enter")
    for digit in "123456789":
        assert page.locator(f'.final[aria-keyshortcuts="{digit}"]').count() == 0
    page.keyboard.press("h")  # answered after whatever Enter has done
    expect(page.locator("#answer")).not_to_be_empty()
    assert len(app.table(player.table).decisions) == before
    player.play()
    player.wait("mine")
    assert "final" not in focused(page)


@pytest.mark.parametrize("game", registry.names())
def test_a_hint_lights_what_it_names(arrive: Arrive, game: str) -> None:
    """Its plan begins with the choice that is lit, also where it continues what was advised before."""
    player = begin(arrive, game)
    for _ in range(3):
        player.press("[data-do=hint]")
        expect(player.page.locator("#answer")).to_contain_text(re.compile("The captain's plan|As planned"))
        said = player.page.inner_text("#answer")
        lit = player.page.locator(".choice.hinted b")
        named = lit.inner_text().replace("\N{NO-BREAK SPACE}", " ")
        plan = said.partition(": ")[2]
        assert plan.lower().startswith(named.lower())
        also = [one.lower() for one in player.page.locator(".choice.as-good b").all_inner_texts()]
        assert all(one.replace("\N{NO-BREAK SPACE}", " ") in said.lower() for one in also)
        player.choose(".choice.hinted")
        player.wait("mine", after=player.version)


@pytest.mark.parametrize(("game", "verb"), [("sail_to_india", "acquire"), ("marco_polo", "lay")])
def test_a_second_tap_never_ends_the_turn(app: App, arrive: Arrive, game: str, verb: str) -> None:
    """A final choice that has just come cannot be chosen for a moment: in Marco Polo a card that is laid is
    followed by cards to draw.
    """
    player = begin(arrive, game, **PHONE)
    page = player.page
    chosen = f'{LEGAL}[data-action^="{verb}"] >> nth=0'
    while not page.locator(chosen).count():  # no card in hand fits yet
        player.choose(f"{LEGAL}.final >> nth=0")
        player.wait("mine", after=player.version)
    page.clock.install()
    page.reload()
    player.wait("mine")
    page.clock.pause_at(datetime.now() + timedelta(seconds=2))  # the moment lasts as long as it is looked at
    player.press(chosen)
    player.wait("mine", after=player.version)
    while not page.locator(f"{LEGAL}.final").count():  # the space demands another card
        player.press(chosen)
        player.wait("mine", after=player.version)
    version = app.table(player.table).version
    for wait in (0, 500):  # a second tap comes within half a second
        page.clock.run_for(wait)
        assert page.locator("#choices.resting").count() == 1
        page.evaluate("document.querySelector('#choices .final').click()")
        assert page.locator("#choices.sent").count() == 0
    page.clock.run_for(200)
    assert page.locator("#choices.resting").count() == 0
    assert app.table(player.table).version == version
    page.locator("#choices .final").first.tap()
    player.wait("mine", "other", after=player.version)


def test_rules_beside_the_board_are_not_cut(arrive: Arrive) -> None:
    page = begin(arrive, "batavia").page
    page.click("[data-rules]")
    rules = page.locator("#rules-text li.rule")
    expect(rules.first).to_be_attached()
    assert (
        rules.evaluate_all("(all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1).length") == 0
    )
    assert rules.first.evaluate("(one) => getComputedStyle(one).whiteSpace") == "normal"


@pytest.mark.parametrize("held", [[PHONE, SMALL, SIDEWAYS, TABLET], [LAPTOP, ZOOMED]], ids=["touch", "desks"])
@pytest.mark.parametrize("game", registry.names())
def test_the_board_stays_while_the_dock_changes(
    arrive: Arrive, game: str, held: list[dict[str, Any]]
) -> None:
    """And every choice can be reached, is large enough, and lies within its box; at every size of a match that
    goes on. The dock is as high as it needs to be, and what is below the choices stays where it is.
    """
    player = begin(arrive, game, lang="fr", **held[0])
    page = player.page
    for settings in held:
        size = settings["viewport"]
        page.set_viewport_size(size)
        page.wait_for_function(LAID_OUT)
        board, dock = page.evaluate(BOX, ".board"), page.evaluate(BOX, ".dock")
        assert board[2] * board[3] > 0.22 * size["width"] * size["height"]
        for _ in range(4):
            assert faults(page) == [] or settings is ZOOMED
            assert page.evaluate(UNREACHED) == []
            player.play()
            player.wait("mine", "over")
            assert page.evaluate(BOX, ".board") == board
            assert sum(page.evaluate(BOX, ".dock")[1::2]) == sum(dock[1::2])


def test_a_board_that_pans_shows_what_i_have_done(arrive: Arrive) -> None:
    """In Batavia's tall layout the companies, where one lays ships, are far from the shop to which one advances."""
    player = begin(arrive, "batavia", first=0, **PHONE)
    while not any(offer.action.startswith("advance") for offer in player.offers()):
        actions = [offer.action for offer in player.offers()]
        wanted = next((action for action in actions if action.startswith(("lay", "pass"))), actions[-1])
        player.choose(f'{LEGAL}[data-action="{wanted}"]')
        player.wait("mine", after=player.version)
    page = player.page
    page.evaluate("document.querySelector('.board').scrollTo({ top: 9999, behavior: 'instant' })")
    (advance, *_) = (offer for offer in player.offers() if offer.action.startswith("advance"))
    player.choose(f'{LEGAL}[data-action="{advance.action}"]')
    player.wait("mine", after=player.version)
    expect(page.locator('#pieces .spot.last[data-spot^="space-"]').first).to_be_in_viewport(ratio=0.9)


def test_a_sideways_phone_has_a_board_to_read(arrive: Arrive) -> None:
    page = begin(arrive, "century", **SIDEWAYS).page
    _, _, width, height = page.evaluate(BOX, ".board")
    assert width > 380
    assert height > 300
    least = page.evaluate(
        """() => Math.min(...[...document.querySelectorAll("#pieces text")]
          .map((text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a))"""
    )
    assert least >= 11


def test_five_players_are_all_in_view(arrive: Arrive) -> None:
    page = begin(arrive, "batavia", players=5, **LAPTOP).page
    for seat in range(5):
        expect(page.locator(f"#seat-{seat}")).to_be_in_viewport(ratio=1)


def test_a_bid_is_stepped_up_to(app: App, arrive: Arrive) -> None:
    player = begin(
        arrive, "batavia", first=2
    )  # who sits after the auctioneer bids first: nobody has outbid me
    page = player.page
    assert page.locator(".amounts .choice:visible").count() == 1
    least = player.shown_amount()
    most = int(page.locator(".amounts .choice").last.get_attribute("data-amount") or 0)
    assert most > least + 2
    shown = least
    for step in (2, 1, 5, 5, 5, -1):
        page.click(f'.steps [data-step="{step}"]')
        shown = min(shown + step, most)
        assert player.shown_amount() == shown
    for _ in range(most):
        page.click('.steps [data-step="-1"]')
    assert player.shown_amount() == least
    page.locator('.steps [data-step="2"]').focus()
    page.keyboard.press("Enter")
    page.click(".amounts .choice:visible")
    player.wait("mine", "other", after=player.version)
    match = app.table(player.table).match
    assert match is not None
    assert next(action for seat, action in match.actions_by_seat if seat == 0) == f"bid {least + 2}"


@pytest.mark.parametrize(
    ("game", "spot"), [("batavia", "pile"), ("marco_polo", "space-9"), ("sail_to_india", "sea-6")]
)
def test_a_place_where_nothing_can_be_done_says_why(arrive: Arrive, game: str, spot: str) -> None:
    player = begin(arrive, game, lang="fr")
    place = player.page.locator(f'#pieces .spot:not(.may)[data-spot="{spot}"]').first
    place.dispatch_event("click")
    expect(player.page.locator("#answer")).not_to_be_empty()
    player.page.keyboard.press("Escape")
    expect(player.page.locator("#answer")).to_be_empty()


def test_nothing_hovers_where_nothing_can(arrive: Arrive) -> None:
    """At a table, and on the other pages."""
    page = begin(arrive, "century", **PHONE).page
    for path in (page.url, "/", "/new/century", "/rules/century"):
        page.goto(path)
        assert page.evaluate(HOVERS) == []


def test_a_chip_opens_whichever_is_open(arrive: Arrive) -> None:
    """The chip of a seat is hit all over, also while another one's facts are shown below."""
    page = begin(arrive, "century", **PHONE).page
    for seat in (2, 0, 1):
        page.locator(f"#seat-{seat}").tap(position={"x": 40, "y": 40})
        expect(page.locator("#explained .called")).to_have_text(page.inner_text(f"#seat-{seat} .called"))


@pytest.mark.parametrize("size", [PHONE, SMALL], ids=["390x844", "360x640"])
def test_nothing_lies_over_the_log_of_a_phone(arrive: Arrive, size: dict[str, Any]) -> None:
    """Opened, it ends below the top of the page, and the chips do not cover its first lines."""
    player = begin(arrive, "batavia", first=0, **size)
    player.play_on(until=4)
    page = player.page
    board = page.evaluate(BOX, ".board")
    page.tap("#show-log")
    x, y, width, height = page.evaluate(BOX, "#log")
    assert page.evaluate("document.querySelector('#log').scrollHeight") > height, "a long log"
    assert y >= sum(page.evaluate(BOX, ".top")[1::2]) - 1
    covering = "([x, y]) => !document.elementFromPoint(x, y).closest('#log')"
    covered = [
        place for place in (y + 6, y + 30, y + height - 6) if page.evaluate(covering, [x + width / 2, place])
    ]
    assert not covered
    assert page.evaluate(BOX, ".board") == board, "the board stays"


def test_paper_is_dimmed_in_the_dark_wherever_it_is_drawn(arrive: Arrive) -> None:
    """In the copy that a <use> draws no ancestor is found: a rule that names one leaves that piece bright."""
    page = begin(arrive, "batavia", color_scheme="dark", **LAPTOP).page
    dimming = page.evaluate("""() => [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules])
      .map((rule) => rule.selectorText ?? "").filter((selector) => selector.includes('[fill="#'))""")
    assert len(dimming) >= 5
    assert not [selector for selector in dimming if " " in selector.replace(", ", ",")]
    bills = page.locator("#hand rect").last.evaluate("(one) => getComputedStyle(one).fill")
    assert all(int(part) < 235 for part in re.findall(r"\d+", bills))


def test_the_board_follows_where_i_can_go(arrive: Arrive) -> None:
    """Century opens on the lots, below the map; then the islands next to the boat matter, not the harvest there."""
    player = begin(arrive, "century", **PHONE)
    for _ in range(2):  # a lot, and where the boat starts
        player.follow_hint()
        player.wait("mine", after=player.version)
    assert player.page.evaluate("""() => {
      const pane = document.querySelector(".board").getBoundingClientRect();
      const boxes = [...document.querySelectorAll("#pieces .spot.may[data-spot^=space]")].map((one) => one.getBoundingClientRect());
      return boxes.length > 1 && boxes.every((box) => box.top >= pane.top && box.bottom <= pane.bottom);
    }""")


def test_a_tap_says_what_lies_before_me(arrive: Arrive) -> None:
    page = begin(arrive, "century", **PHONE).page
    page.tap("#hand #hold")
    expect(page.locator("#answer")).to_contain_text("Hold")


def test_sideways_a_hint_does_not_lie_over_the_choices(arrive: Arrive) -> None:
    page = begin(arrive, "century", **SIDEWAYS).page
    page.tap("[data-do=hint]")
    page.wait_for_selector(".choice.hinted")
    says, dock = (page.evaluate(BOX, part) for part in (".answer-box", ".dock"))
    assert says[0] + says[2] <= dock[0]


def test_the_log_of_a_phone_can_be_read_in_the_dark(arrive: Arrive) -> None:
    page = begin(arrive, "century", color_scheme="dark", **PHONE).page
    page.tap("#show-log")
    lightness = """(one) => ["color", "backgroundColor"].map((name) => {
      const [red, green, blue] = getComputedStyle(one)[name].match(/[\\d.]+/g).map(Number);
      return 0.3 * red + 0.6 * green + 0.1 * blue;
    })"""
    text, ground = page.locator("#show-log").evaluate(lightness)
    assert text - ground > 120


# Whether the last line of an answer, to its end, is what lies uppermost there.
ANSWER_ON_TOP = """() => {
  const range = document.createRange();
  range.selectNodeContents(document.getElementById("answer"));
  const { right, bottom } = [...range.getClientRects()].at(-1);
  return [...range.getClientRects()].at(0).top >= 0
    && document.elementFromPoint(right - 4, bottom - 4)?.closest(".answer-box") !== null;
}"""


@pytest.mark.parametrize("size", [PHONE, SMALL, SIDEWAYS, TABLET, LAPTOP], ids=str)
def test_a_hint_can_be_read_to_its_end(arrive: Arrive, size: dict[str, Any]) -> None:
    player = begin(arrive, "sail_to_india", **size)
    player.press("[data-do=hint]")
    player.page.wait_for_selector(".choice.hinted")
    assert player.page.evaluate(ANSWER_ON_TOP)
