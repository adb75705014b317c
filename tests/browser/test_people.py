"""Several people around a table: by link, on one device, looking on, going away and coming back."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Page, WebSocket, expect

from comptoir.web.domain.evolve import evolve, from_events
from comptoir.web.domain.state import Table
from comptoir.web.page_words import page_words
from comptoir.web.storage.store import Store
from tests.browser.app import App
from tests.browser.conftest import Arrive
from tests.browser.player import LEGAL, Player, make_table

pytestmark = pytest.mark.browser

OWN = re.compile(r"<small>.*?</small>")  # what a choice leaves me with may be as much as another has
CARD = re.compile(r'class="card[^>]* data-name="([^"]*)"')


class Heard:
    """All that the server has sent to a page over its sockets: the version of each view, and all its parts as
    they were then.
    """

    def __init__(self, page: Page) -> None:
        self.views: list[tuple[int, str]] = []
        page.on("websocket", self._open)

    def _open(self, socket: WebSocket) -> None:
        parts: dict[str, str] = {}

        def hear(text: str | bytes) -> None:
            told = json.loads(text)
            if "parts" in told:
                parts.update(told["parts"])
                parts.update(
                    {name: patched(parts[name], cuts) for name, cuts in told.get("patches", {}).items()}
                )
                self.views.append((told["version"], "\n".join(parts.values())))

        socket.on("framereceived", hear)


def patched(html: str, cuts: list[tuple[int, int, str]]) -> str:
    """What becomes of a part of which only the changes were sent."""
    for place, length, text in reversed(cuts):
        html = html[:place] + text + html[place + length :]
    return html


def hand_of(table: Table, seat: int) -> set[str]:
    """What a seat holds, in words, from the whole truth."""
    assert table.match is not None
    scene = table.match.scene(seat, page_words(table.game.name, "fr"))
    return {card.name for card in table.game.board.hand(scene)}


def tables_of(app: App, id: str) -> dict[int, Table]:
    """The table after each of its events."""
    store = Store(app.database)
    events = store.events.read(id)
    store.close()
    tables = {1: from_events(id, events[:1])}
    for event in events[1:]:
        tables[event.version] = evolve(tables[event.version - 1], event)
    return tables


def sit(page: Page, link: str, name: str) -> None:
    page.goto(link)
    page.fill("#my-name", name)
    page.click('.seating button[formaction$="/sit"]')
    expect(page.locator(".seating .called i")).to_have_count(
        1 + page.locator(".seating i", has_text="commis").count()
    )


def gathered(anne: Page, bruno: Page) -> tuple[Player, Player]:
    """Anne has made a table of Batavia, Bruno has come by its link, a clerk sits with them, and the match has
    begun.
    """
    make_table(anne, "batavia", players=3, others={1: "link"}, name="Anne")
    expect(anne.locator(".lobby .hash code")).not_to_be_empty()
    sit(bruno, anne.url, "Bruno")
    expect(anne.locator(".seating")).to_contain_text("Bruno")
    anne.click('button[formaction$="/begin"]')
    players = Player(anne, seed=1), Player(bruno, seed=2)
    for player in players:
        player.wait("mine", "other")
    return players


def play_together(app: App, players: tuple[Player, ...], *, rounds: int | None = None) -> None:
    """Whoever's turn it is decides, to the end or for some rounds.

    The seats are those of the players, in order.
    """
    while rounds is None or sum(player.decisions for player in players) < rounds:
        version, turn = settled(app, players)
        if turn is None:
            break
        players[turn].wait("mine", after=version - 1)
        players[turn].play()


def settled(app: App, players: tuple[Player, ...]) -> tuple[int, int | None]:
    """How the table stands when no bot is to decide: its version, and whose turn it is."""
    people = [f"#seat-{seat}.turn" for seat in range(len(players))]
    players[0].page.wait_for_selector(", ".join([*people, "#notice[data-state=over]"]), state="attached")
    table = app.table(players[0].table)
    return (table.version, table.turn) if not table.bot else settled(app, players)


def test_two_people_and_a_bot(app: App, arrive: Arrive) -> None:
    pages = arrive("fr"), arrive("fr")
    heard = [Heard(page) for page in pages]
    players = gathered(*pages)
    play_together(app, players)
    for player in players:
        player.wait("over")
        expect(player.page.locator(".scores thead .mark")).to_have_count(3)
    moments = tables_of(app, players[0].table)
    for seat, other in ((0, 1), (1, 0)):
        assert len(heard[seat].views) > 20
        for version, shown in heard[seat].views:
            if moments[version].state == "on":
                mine = hand_of(moments[version], seat)
                assert set(CARD.findall(shown)) == mine
                theirs = hand_of(moments[version], other) - mine
                others = OWN.sub("", shown)
                assert [name for name in theirs if re.search(rf"(?<!\d){re.escape(name)}", others)] == []


def test_two_people_on_one_device(app: App, arrive: Arrive) -> None:
    page = arrive("fr")
    heard = Heard(page)
    make_table(page, "batavia", players=3, others={1: "Bruno"}, name="Anne")
    player = Player(page, seed=4)
    taken: list[str] = []
    while len(taken) < 6:
        if player.wait("curtain", "mine", "over") == "curtain":
            assert page.locator("#hand .card").count() == page.locator("#choices .choice").count() == 0
            button = page.locator("[data-take]")
            taken.append(button.inner_text())
            button.click()
            player.wait("mine")
            table = app.table(player.table)
            assert table.turn is not None
            shown = page.locator("#hand .card").evaluate_all(
                "(cards) => cards.map((card) => card.dataset.name)"
            )
            assert set(shown) == hand_of(table, table.turn)
        else:
            player.play()
    assert set(taken) == {"Je suis Anne", "Je suis Bruno"}
    for _, shown in heard.views:
        assert "data-take" not in shown or not CARD.findall(shown)


def test_reloading_a_shared_device_shows_no_hand(arrive: Arrive) -> None:
    page = arrive("fr")
    make_table(page, "batavia", players=3, others={1: "Bruno"}, name="Anne")
    player = Player(page, seed=4)
    player.wait("curtain")
    page.click("[data-take]")
    player.wait("mine")
    answer = page.reload()
    assert answer is not None
    assert not CARD.findall(answer.text())
    assert player.wait("curtain") == "curtain"


def test_spectator_sees_only_what_is_open(app: App, arrive: Arrive) -> None:
    players = gathered(arrive("fr"), arrive("fr"))
    watching = arrive("fr")
    heard = Heard(watching)
    watching.goto(players[0].page.url)
    spectator = Player(watching, seed=0)
    spectator.wait("other")
    expect(watching.locator(".watching")).to_have_text("Vous regardez.")
    play_together(app, players, rounds=6)
    spectator.wait("other", after=settled(app, players)[0] - 1)
    assert watching.locator(f"{LEGAL}, #hand .card, [data-do]").count() == 0
    assert not any(CARD.findall(shown) for _, shown in heard.views)


def test_leave_and_come_back(app: App, arrive: Arrive) -> None:
    """A bot plays in one's seat, until one takes it back."""
    players = gathered(arrive("fr"), arrive("fr"))
    anne, bruno = players
    play_together(app, players, rounds=2)
    anne.page.click("#menu summary")
    anne.page.click("#leave")
    anne.page.click("#confirm-leave button[value=yes]")
    expect(anne.page.locator(".notice.away")).to_be_visible()
    expect(players[1].page.locator("#seat-0")).to_contain_text("un bot tient la place")
    before = played_by(app, anne.table, seat=0)
    while played_by(app, anne.table, seat=0) == before:
        bruno.wait("mine")
        bruno.play()
    bruno.wait("mine")
    anne.page.click('button[formaction$="/back"]')
    expect(anne.page.locator(".notice.away")).to_have_count(0)
    expect(players[1].page.locator("#seat-0")).not_to_contain_text("un bot tient la place")
    play_together(app, players, rounds=bruno.decisions + anne.decisions + 4)
    assert not app.table(anne.table).seats[0].away


def played_by(app: App, id: str, *, seat: int) -> int:
    match = app.table(id).match
    assert match is not None
    return sum(one == seat for one, _ in match.actions_by_seat)


def test_undo_and_why_not(app: App, arrive: Arrive) -> None:
    page = arrive("fr")
    make_table(page, "batavia", players=3)
    player = Player(page, seed=6)
    asked = undone = False
    while not (asked and undone) and player.wait("mine", "over") == "mine":
        if not asked and page.locator("[data-why]").count():
            page.click(".why-not summary")
            page.locator("[data-why]").first.click()
            expect(page.locator("#answer")).not_to_be_empty()
            page.click("#answer a.rule")
            expect(page.locator("#rules-text .here")).to_be_in_viewport()
            page.click("#rules form button")
            asked = True
        elif not undone and page.locator("[data-do=undo]:enabled:not([data-far])").count():
            before = app.table(player.table).match
            page.click("[data-do=undo]")
            player.wait("mine", after=player.version)
            after = app.table(player.table).match
            assert before is not None
            assert after is not None
            undone = after.played == before.played[:-1]
            assert undone
        else:
            player.play()
    assert asked
    assert undone
