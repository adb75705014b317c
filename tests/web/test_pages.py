"""The pages besides the table, as a browser without scripts meets them: links, forms, and what comes back
when something is wrong.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from fastapi.routing import APIRoute
from httpx import Response
from starlette.testclient import TestClient

from comptoir.bots.levels import LEVELS
from comptoir.engine import matchfile, matchfile_writer, registry
from comptoir.engine.game import get_game
from comptoir.engine.match import seed_hash
from comptoir.engine.rulebook import rules_of
from comptoir.web.http import notification_pages
from comptoir.web.http.app import make_app
from comptoir.web.page_words import page_words
from comptoir.web.storage.store import Store
from comptoir.web.view.pictures import pictures_of
from comptoir.web.view.templating import STATIC

GOLDEN = Path(__file__).parent.parent / "golden"
MATCHES = {
    "batavia": GOLDEN / "batavia/all-pass.match",
    "century": GOLDEN / "century/own-map-2.match",
    "marco_polo": GOLDEN / "marco_polo/three-players.match",
    "sail_to_india": GOLDEN / "sail_to_india/geography.match",
}
ORIGIN = {"Origin": "http://testserver"}
TEXT = re.compile(r"<(script|style)\b.*?</\1>|<[^>]*>", re.S)


class Browser:
    """One person's browser: it keeps cookies, and sends the forms of pages it has seen."""

    def __init__(self, client: TestClient, lang: str = "en") -> None:
        self.client = TestClient(client.app, base_url="http://testserver", headers={"Accept-Language": lang})
        self.client.portal = client.portal  # the one app that is running, so that its tables are everyone's
        self.token = ""

    def get(self, path: str, **headers: str) -> Response:
        answer: Response = self.client.get(path, headers=headers)
        found = re.search(r'name="token" value="([^"]+)"', answer.text)
        self.token = found[1] if found else self.token
        return answer

    def post(self, path: str, /, **fields: str) -> Response:
        return self._send(path, fields, None)

    def upload(self, path: str, field: str, content: bytes, /, **fields: str) -> Response:
        return self._send(path, fields, {field: ("a file", content)})

    def _send(
        self, path: str, fields: dict[str, str], files: dict[str, tuple[str, bytes]] | None
    ) -> Response:
        if not self.token:
            self.get("/about")
        sent = {"token": self.token} | {key.replace("__", "."): value for key, value in fields.items()}
        answer: Response = self.client.post(
            path, data=sent, files=files, headers=ORIGIN, follow_redirects=False
        )
        return answer

    def made(self, answer: Response) -> str:
        """The id of the table or replay that a form led to."""
        assert answer.status_code == 303, said(answer)
        return answer.headers["location"].split("?")[0].split("/")[2]

    def make(self, game: str, /, *seats: str, **more: str) -> Response:
        """Sends the form that makes a table: me, then these."""
        everyone = ("me", *seats)
        fields = {f"seat{seat}": who for seat, who in enumerate(everyone)}
        return self.post(
            "/tables",
            **{"game": game, "players": str(len(everyone)), "open": "no", "clock": "0", **fields, **more},
        )


def said(answer: Response) -> str:
    """What a page says, without its marks."""
    return " ".join(unescape(TEXT.sub(" ", answer.text)).split())


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    store = Store(f"sqlite:///{tmp_path_factory.mktemp('pages') / 'comptoir.sqlite'}")
    with TestClient(make_app(store, bot_delay=1000, limits=False, prepare=False)) as client:
        yield client


@pytest.fixture
def anne(client: TestClient) -> Browser:
    return Browser(client)


@pytest.fixture
def bruno(client: TestClient) -> Browser:
    return Browser(client)


@pytest.fixture(scope="module")
def brought(client: TestClient) -> dict[str, str]:
    """The replays of a match of each game."""
    browser = Browser(client)
    upload = {name: browser.upload("/replay", "match", path.read_bytes()) for name, path in MATCHES.items()}
    return {name: browser.made(answer) for name, answer in upload.items()}


# Reading


PAGES = (
    "/",
    "/rules",
    *(f"/rules/{name}" for name in registry.names()),
    *(f"/new/{name}" for name in registry.names()),
    "/about",
    "/me",
    "/replay",
)


@pytest.mark.parametrize("lang", ["en", "fr"])
@pytest.mark.parametrize("path", PAGES)
def test_every_page_can_be_read_in_both_languages(client: TestClient, path: str, lang: str) -> None:
    answer = Browser(client, lang).get(path)
    assert answer.status_code == 200
    assert f'<html lang="{lang}"' in answer.text
    assert " style=" not in answer.text
    assert not re.search(r"\son[a-z]+=", answer.text)
    assert not re.search(r"<script(?![^>]*\ssrc=)", answer.text)
    assert "{n" not in said(answer)


def test_a_person_without_a_cookie_gets_one(client: TestClient) -> None:
    cookie = Browser(client).get("/").headers["set-cookie"].lower()
    assert cookie.startswith("comptoir=")
    assert "httponly" in cookie
    assert "samesite=lax" in cookie


NOWHERE = (
    "/nothing",
    "/new/chess",
    "/rules/chess",
    "/rules/batavia/nothing.fr.svg",
    "/rules/batavia/start.de.svg",
    "/covers/chess.svg",
    "/covers/batavia.de.svg",
    "/tables/x",
    "/tables/x/qr.svg",
    "/replay/x",
    "/me/move/forged",
)


@pytest.mark.parametrize("path", NOWHERE)
def test_what_is_not_there_is_answered_with_a_page(anne: Browser, path: str) -> None:
    answer = anne.get(path)
    assert answer.status_code == 404
    assert "404" in said(answer)


@pytest.mark.parametrize("name", registry.names())
def test_every_rule_is_a_place_to_link_to(client: TestClient, name: str) -> None:
    for lang in ("en", "fr"):
        text = Browser(client, lang).get(f"/rules/{name}").text
        known = rules_of(name, lang)
        assert re.findall(r'<li id="([A-Z]+\d+)"', text) == list(known)
        marked = set(re.findall(r'<li id="([A-Z]+\d+)" class="rule ruling"', text))
        assert marked == {id for id, rule in known.items() if rule.is_ruling and not rule.is_example}
        ids = re.findall(r'\bid="([^"]+)"', text)
        assert len(ids) == len(set(ids))
        assert set(re.findall(r'href="#([^"]+)"', text)) <= {*ids, "main"}


@pytest.mark.parametrize("name", registry.names())
def test_the_rules_have_pictures(anne: Browser, name: str) -> None:
    shown = re.findall(r'<img src="(/rules/[^"]+)"', anne.get(f"/rules/{name}").text)
    assert len(shown) == len(pictures_of(name))
    for path in shown:
        picture = anne.get(path)
        assert picture.status_code == 200
        assert picture.headers["content-type"] == "image/svg+xml"


def test_beside_the_board_only_the_rules_are_sent(anne: Browser) -> None:
    text = anne.get("/rules/batavia?fragment=1").text
    assert text.lstrip().startswith("<article")
    assert "<html" not in text


def test_a_cover_speaks_the_visitors_language(client: TestClient) -> None:
    french = Browser(client, "fr").get("/covers/sail_to_india.svg").text
    assert french == Browser(client, "en").get("/covers/sail_to_india.fr.svg").text
    assert french != Browser(client, "en").get("/covers/sail_to_india.svg").text


@pytest.mark.parametrize("lang", ["en", "fr"])
def test_placeholders_are_named(client: TestClient, lang: str) -> None:
    shown = said(Browser(client, lang).get("/about"))
    for name in registry.names():
        for table in get_game(name).components.placeholders:
            assert page_words(name, lang).say(f"placeholders.{table}") in shown


# Oneself


def test_language_and_look_are_remembered(anne: Browser) -> None:
    assert anne.post("/lang", lang="fr", path="/about").headers["location"] == "/about"
    anne.post("/look", look="dark", path="/about")
    assert '<html lang="fr" data-look="dark"' in anne.get("/about").text


@pytest.mark.parametrize(
    "path", ["https://elsewhere.example", "//elsewhere.example", "/\\elsewhere.example", "about", "/\tx"]
)
def test_no_form_leads_elsewhere(anne: Browser, path: str) -> None:
    assert anne.post("/lang", lang="en", path=path).headers["location"] == "/"


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/lang", {"lang": "de"}),
        ("/lang", {}),
        ("/look", {"look": "pink"}),
        ("/me", {"name": ""}),
        ("/me", {"name": "a#b"}),
        ("/me", {"name": "x" * 25}),
        ("/me", {}),
        ("/play", {"game": "chess"}),
        ("/play", {"game": "batavia", "level": "god"}),
        ("/tables", {"game": ""}),
        ("/invite", {"game": "chess"}),
    ],
)
def test_bad_input_is_answered_with_a_sentence(anne: Browser, path: str, fields: dict[str, str]) -> None:
    answer = anne.post(path, **fields)
    assert answer.status_code == 422
    assert len(said(answer)) > 20


def test_a_form_needs_its_token(anne: Browser, bruno: Browser) -> None:
    bruno.get("/")
    anne.get("/")
    anne.token = bruno.token
    assert anne.post("/me", name="Mallory").status_code == 403


def test_a_name_is_kept_and_escaped(anne: Browser) -> None:
    anne.post("/me", name="<b>&'\"")
    text = anne.get("/me").text
    assert "&lt;b&gt;" in text
    assert "<b>&" not in text


def test_a_person_moves_to_another_device(anne: Browser, bruno: Browser) -> None:
    anne.post("/me", name="Anne")
    link = re.search(r'value="http://testserver(/me/move/[^"]+)"', anne.get("/me").text)
    assert link
    assert "Anne" in said(bruno.get(link[1]))
    assert "Anne" not in said(bruno.get("/me"))  # looking at the link has changed nothing
    assert bruno.post(link[1]).status_code == 303
    assert "Anne" in said(bruno.get("/me"))


# Making tables


def test_one_click_and_the_match_is_on(anne: Browser) -> None:
    id = anne.made(anne.post("/play", game="century", level="passer-by"))
    answer = anne.get(f"/tables/{id}")
    assert answer.status_code == 200
    assert 'id="pieces"' in answer.text
    assert "Traveller" in said(answer)
    assert f"/tables/{id}" in anne.get("/").text
    assert anne.client.cookies["level"] == "passer-by"
    assert 'value="passer-by" checked' in anne.get("/").text


@pytest.mark.parametrize("name", registry.names())
def test_the_form_makes_what_it_says(anne: Browser, bruno: Browser, name: str) -> None:
    answer = anne.make(name, "link", "bot:clerk", name="Anne", open="yes", clock="60")
    id = anne.made(answer)
    shown = said(anne.get(f"/tables/{id}"))
    assert "Anne" in shown
    assert "Fernão" in shown
    assert f"/tables/{id}" in bruno.get("/").text  # it is open


def test_a_table_by_link_is_not_listed(anne: Browser, bruno: Browser) -> None:
    id = anne.made(anne.make("batavia", "link", "link"))
    assert id not in bruno.get("/").text
    assert bruno.get(f"/tables/{id}").status_code == 200


def test_several_people_on_one_device(anne: Browser) -> None:
    id = anne.made(anne.make("batavia", "device", "device", name="Anne", name1="Bruno", name2="Chloé"))
    shown = said(anne.get(f"/tables/{id}"))
    assert "Bruno" in shown
    assert "Chloé" in shown


@pytest.mark.parametrize(
    ("fields", "kept"),
    [
        ({"players": "9"}, "Anne"),
        ({"players": "x"}, "Anne"),
        ({"seat1": "bot:god"}, "Anne"),
        ({"seat1": "device"}, "Anne"),
        ({"seat1": "device", "name1": "a#b"}, "a#b"),
        ({"name": "x" * 30}, "x" * 30),
        ({"clock": "7"}, "Anne"),
        ({"open": "perhaps"}, "Anne"),
        ({"option__setup": "upside down"}, "Anne"),
        ({"option__first": "7"}, "Anne"),
        ({"option__open_bills": "maybe"}, "Anne"),
    ],
)
def test_a_wrong_form_comes_back_with_what_was_typed(
    anne: Browser, fields: dict[str, str], kept: str
) -> None:
    answer = anne.make("batavia", "link", "link", **{"name": "Anne", "option__open_bills": "yes", **fields})
    assert answer.status_code == 422
    assert 'class="wrong"' in answer.text
    assert f'value="{kept}"' in answer.text
    assert answer.text.count('<option value="link" selected>') >= 1


def test_own_components_are_used(anne: Browser) -> None:
    ours = anne.get("/rules/batavia/components.toml")
    assert ours.headers["content-disposition"].startswith("attachment")
    own = ours.text.encode()
    fields = {
        "game": "batavia",
        "players": "3",
        "seat0": "me",
        "seat1": "link",
        "seat2": "link",
        "open": "no",
        "clock": "0",
    }
    assert anne.upload("/tables", "components", own, **fields).status_code == 303


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"not toml", "not valid TOML"),
        (b"\xff\xfe", "not a UTF-8 text file"),
        (b"x = 1", "x"),
        (b"[ship_cards]\ncertainty = 'perhaps'", "certainty"),
        (b"[pirates]\ncertainty = 'rulebook'\nnote = 1979-05-27", "TOML"),
        (b"[pirates]\ncertainty = 'rulebook'\nthreshold = inf", "TOML"),
        (b"a = " + b"[" * 3000 + b"]" * 3000, ""),
        (b"#" * (65 * 1024), "too large"),
    ],
)
def test_wrong_components_are_explained(anne: Browser, content: bytes, error: str) -> None:
    fields = {
        "game": "batavia",
        "players": "3",
        "seat0": "me",
        "seat1": "link",
        "seat2": "link",
        "open": "no",
        "clock": "0",
    }
    answer = anne.upload("/tables", "components", content, **fields)
    assert answer.status_code == 422
    assert error in said(answer)


# At a table, by forms


def test_sitting_rising_and_beginning(anne: Browser, bruno: Browser) -> None:
    id = anne.made(anne.make("batavia", "link", "link"))
    assert bruno.post(f"/tables/{id}/sit", seat="1", name="Bruno").status_code == 303
    assert "Bruno" in said(anne.get(f"/tables/{id}"))
    assert "Bruno" in said(bruno.get("/me"))  # the name is remembered
    assert bruno.post(f"/tables/{id}/stand-up", seat="1").status_code == 303
    assert bruno.post(f"/tables/{id}/sit", seat="1").status_code == 303
    assert anne.post(f"/tables/{id}/begin").status_code == 409
    assert anne.post(f"/tables/{id}/bot", seat="2", level="clerk").status_code == 303
    assert bruno.post(f"/tables/{id}/begin").status_code == 303
    assert 'id="pieces"' in anne.get(f"/tables/{id}").text
    assert anne.post(f"/tables/{id}/leave", seat="0").status_code == 303
    assert anne.post(f"/tables/{id}/back", seat="0").status_code == 303


@pytest.mark.parametrize(
    ("what", "fields", "status"),
    [
        ("sit", {"seat": "0"}, 409),
        ("sit", {"seat": "7"}, 409),
        ("sit", {"seat": "x"}, 409),
        ("sit", {}, 409),
        ("sit", {"seat": "1", "name": "a#b"}, 422),
        ("stand-up", {"seat": "0"}, 403),
        ("bot", {"seat": "1", "level": "clerk"}, 403),
        ("bot", {"seat": "1", "level": "god"}, 422),
        ("begin", {}, 403),
        ("leave", {"seat": "0"}, 409),
        ("back", {"seat": "0"}, 409),
        ("rematch", {}, 409),
    ],
)
def test_what_may_not_be_done_is_refused_with_a_sentence(
    anne: Browser, bruno: Browser, what: str, fields: dict[str, str], status: int
) -> None:
    id = anne.made(anne.make("batavia", "link", "link"))
    answer = bruno.post(f"/tables/{id}/{what}", **fields)
    assert answer.status_code == status
    assert len(said(answer)) > 20


def test_the_tables_link_as_a_picture(anne: Browser) -> None:
    id = anne.made(anne.make("batavia", "link", "link"))
    answer = anne.get(f"/tables/{id}/qr.svg")
    assert answer.headers["content-type"] == "image/svg+xml"
    assert answer.text.startswith("<svg xmlns")


# Replays


@pytest.mark.slow
@pytest.mark.parametrize("lang", ["en", "fr"])
@pytest.mark.parametrize("name", registry.names())
def test_a_match_that_was_brought_is_shown_from_all_sides(
    client: TestClient, brought: dict[str, str], name: str, lang: str
) -> None:
    browser, id = Browser(client, lang), brought[name]
    match = matchfile.load(MATCHES[name])
    for at in (0, match.ply // 2, match.ply):
        for side in ("all", "", *map(str, range(match.players))):
            answer = browser.get(f"/replay/{id}?at={at}&seat={side}")
            assert answer.status_code == 200
            assert f'data-at="{at}" data-end="{match.ply}"' in answer.text
            ids = re.findall(
                r'\sid="([^"]+)"', re.sub(r'<svg id="(chart|pieces)".*?</svg>', "", answer.text, flags=re.S)
            )
            assert len(ids) == len(set(ids))


def test_the_log_leads_to_every_moment(anne: Browser, brought: dict[str, str]) -> None:
    text = anne.get(f"/replay/{brought['batavia']}?at=5&seat=all").text
    match = matchfile.load(MATCHES["batavia"])
    led_to = re.findall(r'<a (?:class="sentence-of-turn" )?data-at="(\d+)" href="/replay', text)
    assert {int(n) for n in led_to} == set(range(match.ply + 1))
    assert text.count('class="sentence-of-turn"') == len(match.story.recaps())
    first = next(recap.first for recap in match.story.recaps() if recap.last >= 5)
    assert re.findall(r'<li class="turn[^"]* now" data-first="(\d+)"', text) == [str(first)]
    assert re.findall(r'<li class="now"><a data-at="(\d+)"', text)[0] == "5"
    assert "[B" not in said(anne.get(f"/replay/{brought['batavia']}?at=5&seat=all"))


def test_a_script_gets_the_parts_alone(anne: Browser, brought: dict[str, str]) -> None:
    text = anne.get(f"/replay/{brought['batavia']}?at=5&layout=tall", **{"X-Part": "1"}).text
    assert "<html" not in text
    assert 'id="chart"' not in text
    assert all(f'id="{part}"' in text for part in ("pieces", "steps", "seats"))
    assert 'id="told"' not in text  # the log is the same at every moment


@pytest.mark.parametrize(
    "query", ["at=-1", "at=x", "at=99999999999999999999", "at=1e3", "layout=round", "at="]
)
def test_a_moment_that_does_not_exist_is_the_last(anne: Browser, brought: dict[str, str], query: str) -> None:
    end = matchfile.load(MATCHES["batavia"]).ply
    assert f'data-at="{end}"' in anne.get(f"/replay/{brought['batavia']}?{query}").text


@pytest.mark.parametrize("side", ["7", "x", "-1", "None"])
def test_a_side_that_does_not_exist_is_refused(anne: Browser, brought: dict[str, str], side: str) -> None:
    assert anne.get(f"/replay/{brought['batavia']}?seat={side}").status_code == 403


@pytest.mark.parametrize("name", registry.names())
def test_a_match_file_makes_the_round_trip(anne: Browser, brought: dict[str, str], name: str) -> None:
    file = anne.get(f"/replay/{brought[name]}/match.txt")
    match = matchfile.load(MATCHES[name])
    assert file.text == matchfile_writer.write(match, {"seed_hash": seed_hash(match.seed)})
    assert matchfile.parse(file.text).text() == file.text
    assert anne.made(anne.upload("/replay", "match", file.content))


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"", "Choose a file"),
        (b"\xff\xfe", "not a UTF-8 text file"),
        (b"hello", "line 1"),
        (b"comptoir match 1\ngame chess\nrules 1\nseed 1\n", "chess"),
        (b"comptoir match 1\ngame batavia\nrules 99\nseed 1\n", "version"),
        (MATCHES["batavia"].read_bytes() + b"\n0 fly\n", "line"),
        (b"comptoir match 1\ngame batavia\nrules 1\nplayers 3\nseed 1\nposition [1\n", "JSON"),
        (b"comptoir match 1\ngame batavia\nrules 1\nplayers 3\nseed 1\nposition " + b"[" * 9000 + b"\n", ""),
        (b"comptoir match 1\ngame batavia\nrules 1\nplayers 3\nseed 1\nposition {}\n", "position"),
        (b"comptoir match 1\n" + b"#" * (201 * 1024), "too large"),
    ],
)
def test_a_wrong_match_file_is_explained(anne: Browser, content: bytes, error: str) -> None:
    answer = anne.upload("/replay", "match", content)
    assert answer.status_code == 422
    assert error in said(answer)


def test_going_on_from_a_moment(anne: Browser, brought: dict[str, str]) -> None:
    for name, id in brought.items():
        table = anne.made(anne.post(f"/replay/{id}/continue", at="10", seat="1", level="passer-by"))
        assert anne.get(f"/tables/{table}").status_code == 200, name


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"at": "5", "seat": "9", "level": "clerk"}, 422),
        ({"at": "5", "seat": "x", "level": "clerk"}, 422),
        ({"at": "5", "seat": "0", "level": "god"}, 422),
        ({"at": "99999", "seat": "0", "level": "clerk"}, 422),
        ({"at": "x", "seat": "0", "level": "clerk"}, 422),
        ({}, 422),
    ],
)
def test_going_on_from_nowhere_is_refused(
    anne: Browser, brought: dict[str, str], fields: dict[str, str], status: int
) -> None:
    assert anne.post(f"/replay/{brought['batavia']}/continue", **fields).status_code == status


def test_nothing_is_left_to_play_at_the_end(anne: Browser, brought: dict[str, str]) -> None:
    end = matchfile.load(MATCHES["batavia"]).ply
    assert (
        anne.post(f"/replay/{brought['batavia']}/continue", at=str(end), seat="0", level="clerk").status_code
        == 409
    )


# A running match keeps its secrets


def seated(anne: Browser, bruno: Browser, *, open: str = "no") -> str:
    id = anne.made(anne.make("batavia", "link", "bot:passer-by", name="Anne", open=open))
    bruno.post(f"/tables/{id}/sit", seat="1", name="Bruno")
    assert anne.post(f"/tables/{id}/begin").status_code == 303
    return id


def test_a_running_match_is_seen_again_only_from_ones_own_seat(
    client: TestClient, anne: Browser, bruno: Browser
) -> None:
    id = seated(anne, bruno)
    chloe = Browser(client)
    assert anne.get(f"/replay/{id}").status_code == 200
    assert anne.get(f"/replay/{id}?seat=0").status_code == 200
    for side in ("1", "2", "all", ""):
        assert anne.get(f"/replay/{id}?seat={side}").status_code == 403
    for side in ("0", "1", "all", ""):
        assert chloe.get(f"/replay/{id}?seat={side}").status_code == 403
    assert chloe.get(f"/replay/{id}").status_code == 403
    for browser in (anne, bruno, chloe):
        assert browser.get(f"/replay/{id}/match.txt").status_code == 409
        assert browser.post(f"/replay/{id}/continue", at="0", seat="0", level="clerk").status_code == 409
        assert browser.client.get(f"/api/replays/{id}").status_code == 409


def test_an_open_match_is_seen_again_as_spectators_see_it(
    client: TestClient, anne: Browser, bruno: Browser
) -> None:
    id = seated(anne, bruno, open="yes")
    chloe = Browser(client)
    assert chloe.get(f"/replay/{id}").status_code == 200
    assert chloe.get(f"/replay/{id}?seat=").status_code == 200
    assert 'class="hand"' not in chloe.get(f"/replay/{id}").text
    for side in ("0", "1", "all"):
        assert chloe.get(f"/replay/{id}?seat={side}").status_code == 403


def test_who_shares_a_device_looks_into_no_hand(anne: Browser) -> None:
    id = anne.made(anne.make("batavia", "device", "bot:passer-by", name="Anne", name1="Bruno"))
    assert 'class="hand"' not in anne.get(f"/replay/{id}").text
    assert anne.get(f"/replay/{id}?seat=0").status_code == 403


def test_the_seed_of_a_running_match_is_nowhere(client: TestClient, anne: Browser, bruno: Browser) -> None:
    id = seated(anne, bruno, open="yes")
    server = client.app.state.server  # type: ignore[attr-defined]
    seed = server.tables.in_use[id].table.settings.seed
    for browser in (anne, bruno, Browser(client)):
        for path in (f"/tables/{id}", f"/replay/{id}", "/", "/me", f"/api/tables/{id}"):
            assert seed not in browser.get(path).text


def test_a_match_that_has_not_begun_cannot_be_seen_again(anne: Browser) -> None:
    id = anne.made(anne.make("batavia", "link", "link"))
    assert anne.get(f"/replay/{id}").status_code == 409


def test_once_it_is_over_everything_is_open_and_one_plays_again(
    client: TestClient, anne: Browser, bruno: Browser
) -> None:
    id = anne.made(anne.make("marco_polo", "device", name="Anne", name1="Bruno"))
    live = client.app.state.server.tables.in_use[id]  # type: ignore[attr-defined]
    assert anne.post(f"/tables/{id}/rematch").status_code == 409
    while live.table.turn is not None:
        action = live.table.match.actions()[0]
        assert (
            api(
                anne, f"/api/tables/{id}/actions", {"version": live.table.version, "action": action}
            ).status_code
            == 200
        )
    table = live.table
    for side in ("all", "", "0", "1"):
        assert bruno.get(f"/replay/{id}?seat={side}").status_code == 200
    text = bruno.get(f"/replay/{id}/match.txt").text
    assert matchfile.parse(text).played == table.match.played
    assert f"seed_hash  {table.seed_hash}\n" in text
    assert bruno.post(f"/tables/{id}/rematch").status_code == 403
    new = anne.made(anne.post(f"/tables/{id}/rematch"))
    assert new != id
    assert anne.made(anne.post(f"/tables/{id}/rematch")) == new
    assert "Bruno" in said(anne.get(f"/tables/{new}"))


# For machines


def test_games_as_data(anne: Browser) -> None:
    known = anne.get("/api/games").json()
    assert [one["name"] for one in known] == registry.names()
    assert known[0]["title"]["fr"]


def api(browser: Browser, path: str, body: object) -> Response:
    answer: Response = browser.client.post(path, json=body, headers=ORIGIN)
    return answer


def test_a_program_plays(anne: Browser) -> None:
    made = api(anne, "/api/tables", {"game": "batavia", "seats": ["me", "me", "me"], "name": "Anne"})
    assert made.status_code == 201
    made = api(
        anne,
        "/api/tables",
        {"game": "batavia", "seats": ["me", "passer-by", "passer-by"], "options": {"first": "2"}},
    )
    id = made.json()["id"]
    seen = anne.get(f"/api/tables/{id}").json()
    assert (seen["seat"], seen["turn"], seen["state"]) == (0, 0, "on")
    action = seen["view"]["actions"][0]
    late = api(anne, f"/api/tables/{id}/actions", {"version": 1, "action": action})
    assert (late.status_code, late.json()["version"]) == (409, seen["version"])
    assert (
        api(anne, f"/api/tables/{id}/actions", {"version": seen["version"], "action": "fly"}).status_code
        == 400
    )
    assert (
        api(anne, f"/api/tables/{id}/actions", {"version": seen["version"], "action": "arrive"}).status_code
        == 409
    )
    done = api(anne, f"/api/tables/{id}/actions", {"version": seen["version"], "action": action})
    assert (done.status_code, done.json()["version"]) == (200, seen["version"] + 1)
    again = api(anne, f"/api/tables/{id}/actions", {"version": seen["version"], "action": action})
    assert again.status_code == 409


def test_a_program_sees_what_is_its_own(anne: Browser, bruno: Browser) -> None:
    id = seated(anne, bruno)
    mine, theirs = anne.get(f"/api/tables/{id}").json(), bruno.get(f"/api/tables/{id}").json()
    assert mine["view"]["position"]["hand"] != theirs["view"]["position"]["hand"]
    assert (mine["seat"], theirs["seat"]) == (0, 1)


def test_a_replay_as_data(anne: Browser, brought: dict[str, str]) -> None:
    told = anne.get(f"/api/replays/{brought['batavia']}").json()
    match = matchfile.load(MATCHES["batavia"])
    assert told["actions"] == match.played
    assert told["seed"] == match.seed


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 422),
        ([], 422),
        ({"game": "chess", "seats": ["me", "free"]}, 400),
        ({"game": "batavia", "seats": []}, 422),
        ({"game": "batavia", "seats": ["me"]}, 400),
        ({"game": "batavia", "seats": ["me", *["free"] * 99]}, 422),
        ({"game": "batavia", "seats": ["me", "free"]}, 400),
        ({"game": "batavia", "seats": ["me", "god", "free"]}, 400),
        ({"game": "batavia", "seats": ["me", "free", "free"], "clock": 7}, 400),
        ({"game": "batavia", "seats": ["me", "free", "free"], "name": "a#b"}, 400),
        ({"game": "batavia", "seats": ["me", "free", "free"], "options": {"first": "9"}}, 400),
        ({"game": "batavia", "seats": ["me", "free", "free"], "options": {"players": "3"}}, 400),
        ({"game": "batavia", "seats": ["me", "free", "free"], "options": {"self": "3"}}, 400),
        ({"game": "batavia", "seats": ["me", "free", "free"], "more": 1}, 422),
    ],
)
def test_a_wrong_wish_is_answered_with_a_sentence(anne: Browser, body: object, status: int) -> None:
    answer = api(anne, "/api/tables", body)
    assert answer.status_code == status
    assert answer.json()["error"]


@pytest.mark.parametrize("name", registry.names())
def test_the_same_levels_are_offered_in_all_games(client: TestClient, name: str) -> None:
    """Where a network comes with the game, the form says what components of one's own do to them."""
    form = client.get(f"/new/{name}", headers={"accept-language": "en"}).text
    assert set(re.findall(r'value="bot:([a-z-]+)"', form)) == set(LEVELS)
    told = page_words(name, "en").say("new.components_bots") in html.unescape(form)
    assert told == (get_game(name).folder / "network.npz").exists()


def test_switching_notifications_on_drops_nothing_that_was_kept() -> None:
    """Other forms of one's own page may make somebody another person, or change what all pages say."""
    script = (STATIC / "sw.js").read_text(encoding="utf-8")
    found = re.search(r"const CHANGES = /(.*)/;", script)
    assert found is not None
    changes = re.compile(found[1].replace(r"\/", "/"))
    posted = {route.path for route in notification_pages.router.routes if isinstance(route, APIRoute)}
    own = {path for path in posted if path.startswith("/me/notifications")}
    assert own
    assert not [path for path in own if changes.search(path)]
    assert all(changes.search(path) for path in ("/lang", "/me", "/me/delete", "/me/move/x"))
