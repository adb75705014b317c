"""People at a table talk, each in their own language; they can mute and report; who made the table decides who
sits there.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.app import App
from tests.browser.conftest import LAPTOP, PHONE, SIDEWAYS, TABLET, Arrive
from tests.browser.player import Player, make_table
from tests.browser.test_axe import AXE, RUN
from tests.browser.test_presence import begun, seated
from tests.browser.test_sizes import faults

pytestmark = pytest.mark.browser

devices = pytest.mark.parametrize("device", [{}, PHONE], ids=["desktop", "phone"])


def say(page: Page, phrase: str) -> None:
    page.click("#talk summary")
    page.click(f"[data-phrase={phrase}]")


def write(page: Page, text: str) -> None:
    page.fill("#written", text)
    page.press("#written", "Enter")
    expect(page.locator("#written")).to_have_value("")  # it was taken


@devices
def test_table_talk(app: App, arrive: Arrive, device: dict[str, Any]) -> None:
    anne, bruno = arrive("en", **device), arrive("fr", **device)
    seated(anne, bruno, ticked=("chat=yes",))
    begun(anne, bruno)
    version = app.table(anne.url.split("/")[4]).version

    say(anne, "well_played")
    bubble = bruno.locator(".bubble.of-0")
    expect(bubble).to_contain_text(re.compile("Bien joué.!"))
    expect(bubble).to_be_in_viewport(ratio=1)
    expect(bruno.locator("#unheard")).to_have_text("1")
    expect(anne.locator(".bubble.of-0")).to_contain_text("Well played!")
    expect(anne.locator("#unheard")).to_be_hidden()

    bruno.click("#talk summary")
    expect(bruno.locator("#sayings li")).to_have_text(re.compile("Anne Bien joué.!"))
    expect(bruno.locator("#unheard")).to_be_hidden()
    write(bruno, "Merci <b>Anne</b> & à bientôt")
    anne.click("#talk summary")
    theirs = anne.locator("#sayings li.of-1")
    expect(theirs).to_contain_text("Merci <b>Anne</b> & à bientôt")
    assert anne.locator("#sayings li.of-1 b").count() == 1  # their name, and nothing of theirs

    # reported, to the host alone
    theirs.locator("summary").click()
    theirs.locator("[data-report]").click()
    expect(anne.locator("#talk-said")).to_contain_text("Reported")
    host = arrive("fr")
    host.goto("/status")
    report = host.locator(".reports li", has_text="Merci <b>Anne</b> & à bientôt").first
    expect(report).to_contain_text("Bruno")
    report.locator("button").click()
    expect(host.locator(".reports li", has_text=anne.url.split("/")[4])).to_have_count(0)

    # muted for Anne, and kept
    theirs.locator("[data-mute]").click()
    expect(theirs).to_have_count(0)
    bruno.keyboard.press("Escape")
    anne.reload()
    Player(anne, seed=1).wait("mine", "other")
    anne.click("#talk summary")
    expect(anne.locator("#muted")).to_contain_text("You have muted Bruno.")
    expect(theirs).to_have_count(0)
    anne.click("#muted button")
    expect(theirs).to_have_count(1)
    assert app.table(anne.url.split("/")[4]).version == version  # nothing has happened at the table


@devices
def test_without_chat_and_for_who_looks_on(arrive: Arrive, device: dict[str, Any]) -> None:
    anne, bruno, stranger = arrive("en", **device), arrive("fr", **device), arrive("fr", **device)
    seated(anne, bruno)
    stranger.goto(anne.url)
    for page in (anne, stranger):
        page.click("#talk summary")
    expect(anne.locator("#written")).to_have_count(0)
    expect(anne.locator("[data-phrase]")).to_have_count(12)
    expect(stranger.locator(".phrases")).to_be_hidden()
    expect(stranger.locator(".only-watching")).to_be_visible()
    anne.click("[data-phrase=hello]")
    expect(stranger.locator("#sayings li")).to_have_text(re.compile("Anne Bonjour.!"))
    often = "for (let n = 0; n < 12; n++) document.querySelector('[data-phrase=hello]').click()"
    anne.evaluate(often)
    expect(anne.locator("#talk-said")).to_contain_text("Not so fast")


@devices
def test_the_maker_decides_who_sits_there(arrive: Arrive, device: dict[str, Any]) -> None:
    anne, bruno = arrive("en", **device), arrive("fr", **device)
    make_table(
        anne,
        "century",
        players=3,
        others={1: "link", 2: "link"},
        name="Anne",
        clock=180,
        ticked=("open=yes", "no_hints=yes"),
    )
    bruno.goto("/")
    expect(bruno.locator(f'.tables a[href="/tables/{anne.url.split("/")[4]}"]')).to_be_visible()
    bruno.goto(anne.url)
    # how it is played is seen before one sits down
    for said in ("3 minutes par tour", "non", "formules toutes faites seulement", "une par personne"):
        expect(bruno.locator(".terms")).to_contain_text(said)
    expect(bruno.locator(".seating")).to_contain_text("Anne")
    bruno.fill("#my-name", "Bruno")
    bruno.locator('.seating button[formaction$="/sit"]').first.click()
    expect(bruno.locator(".seating")).to_contain_text("Bruno")
    expect(bruno.locator('button[formaction$="/sit"]')).to_have_count(0)  # one seat each
    expect(bruno.locator('button[formaction$="/close"], button[formaction$="/remove"]')).to_have_count(0)
    expect(anne.locator('.seating button[formaction$="/sit"]')).to_have_count(1)

    anne.click('button[formaction$="/remove"]')
    anne.click("#confirm-remove button[value=no]")
    expect(anne.locator(".seating")).to_contain_text("Bruno")
    anne.click('button[formaction$="/remove"]')
    anne.click("#confirm-remove button[value=yes]")
    expect(bruno.locator(".removed")).to_contain_text("ne souhaite pas")
    expect(anne.locator(".seating")).not_to_contain_text("Bruno")
    expect(bruno.locator('button[formaction$="/sit"]')).to_have_count(0)

    anne.click('button[formaction$="/close"]')
    anne.click("#confirm-close button[value=yes]")
    for page, said in ((anne, "closed it"), (bruno, "l’a fermée")):
        expect(page.locator("#notice .sheet")).to_contain_text(said)
    bruno.goto("/")
    assert bruno.locator(f'a[href="/tables/{anne.url.split("/")[4]}"]').count() == 0


def test_the_link_is_shared(arrive: Arrive) -> None:
    page = arrive("en", **PHONE)
    page.add_init_script("navigator.share = async (what) => { window.shared = what; }")
    make_table(page, "century", players=2, others={1: "link"}, name="Anne")
    expect(page.locator(".lobby .qr")).to_be_visible()
    expect(page.locator(".lobby [data-copy]")).to_be_visible()
    page.click(".lobby [data-share]")
    assert page.evaluate("window.shared.url") == page.url


def test_where_nothing_can_be_shared_there_is_no_button(arrive: Arrive) -> None:
    page = arrive("en")
    page.add_init_script("delete Navigator.prototype.share")
    make_table(page, "century", players=2, others={1: "link"}, name="Anne")
    expect(page.locator(".lobby [data-copy]")).to_be_visible()
    expect(page.locator(".lobby [data-share]")).to_be_hidden()


def test_a_rematch_and_another_begins(app: App, arrive: Arrive) -> None:
    anne, bruno = arrive("en"), arrive("fr")
    make_table(anne, "marco_polo", players=2, others={1: "link"}, name="Anne", first=0)
    bruno.goto(anne.url)
    bruno.fill("#my-name", "Bruno")
    bruno.click('.seating button[formaction$="/sit"]')
    expect(anne.locator(".seating")).to_contain_text("Bruno")
    players = begun(anne, bruno)
    assert app.table(players[0].table).turn == 0
    for page in (anne, bruno):  # bots play to the end for them
        page.click("#menu summary")
        page.click("#leave")
        page.click("#confirm-leave button[value=yes]")
    for player in players:
        player.wait("over")
    before = anne.url
    bruno.click('button[formaction$="/rematch"]')
    bruno.wait_for_url(lambda url: url != before)
    anne.locator(".go-on .main", has_text="Go to the next table").click()
    anne.wait_for_url(bruno.url)
    table = app.table(players[1].table)
    assert [held.name for held in table.seats] == ["Anne", "Bruno"]
    assert table.match is not None
    assert table.match.records[0].turn == 1
    Player(bruno, seed=1).wait("mine")


SIZES = {"desk": {}, "laptop": LAPTOP, "tablet": TABLET, "phone": PHONE, "sideways": SIDEWAYS}


def test_at_every_size_it_can_be_read_and_hit(arrive: Arrive) -> None:
    """The measure of test_sizes.py, at a table of people; and axe, with the talk open."""
    anne, bruno = arrive("en"), arrive("fr")
    seated(anne, bruno, ticked=("chat=yes",))
    state = anne.context.storage_state()
    pages = {name: arrive("fr", **size, storage_state=state) for name, size in SIZES.items()}
    for page in pages.values():
        page.goto(anne.url)
        expect(page.locator(".seating .here")).to_be_visible()
        assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")
    begun(anne, bruno)
    say(bruno, "hello")
    for name, page in pages.items():
        expect(page.locator("#seat-1 .here.seen")).to_be_visible()
        expect(page.locator(".bubble")).to_have_count(0)  # it has gone
        assert faults(page) == [], name
        page.click("#talk summary")
        expect(page.locator(".talk-sheet")).to_be_in_viewport(ratio=0.99)
        page.locator("#sayings summary").click()
        for look in ("light", "dark"):
            page.emulate_media(color_scheme=look)
            page.evaluate(AXE.read_text(encoding="utf-8"))
            assert page.evaluate(RUN) == [], (name, look)
        small = """() => [...document.querySelectorAll(".talk-sheet :is(button, input, summary)")]
          .map((one) => one.getBoundingClientRect()).filter(({ height }) => height && height < 44).length"""
        if "is_mobile" in SIZES[name]:
            assert page.evaluate(small) == 0, name
