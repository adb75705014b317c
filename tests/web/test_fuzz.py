"""Nonsense of all kinds: over the interface for machines, the sockets and the forms.

Nothing fails, nothing leaks, nothing breaks.
"""

from __future__ import annotations

import asyncio
import json
import logging
import random
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import httpx
import pytest
import schemathesis
import uvicorn
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.specs.openapi import checks as openapi_checks

from comptoir.engine.game import get_game
from comptoir.engine.registry import names
from comptoir.web.domain.people import COOKIE, new_id
from comptoir.web.http.app import make_app
from comptoir.web.live.open_table import OpenTable
from comptoir.web.live.sockets import UNREADABLE
from comptoir.web.storage.store import Store
from comptoir.web.view.table_view import Viewer
from tests.web.app_harness import (
    PATIENCE,
    AppHarness,
    Client,
    Socket,
    SocketClosed,
    play_on,
    running_app,
    table_of,
)
from tests.web.conftest import free_port
from tests.web.test_hidden import first_message, redealt
from tests.web.test_socket import consistent

QUICK = settings(
    deadline=None, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
)
Given = st.DataObject

text = st.text(max_size=40) | st.sampled_from(
    ["", "\x00", "\ud800", "💣", "<script>", "../..", "9" * 5_000, "٣", "-1", "1e9", "{n}", "%s"]
)
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.integers(-3, 9) | st.floats() | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=4,
)


@pytest.fixture
def lite(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'comptoir.sqlite'}"


@pytest.fixture(autouse=True)
def _no_failures(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Whatever comes in, nothing of ours is logged as a failure."""
    yield
    assert not [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]


def in_an_app(lite: str, work: Callable[[AppHarness], Coroutine[Any, Any, None]]) -> None:
    async def run() -> None:
        async with asyncio.timeout(2 * PATIENCE), running_app(lite) as made:
            made.server.previews.png_worker.limit = PATIENCE  # on a busy machine there would be no picture
            await work(made)

    asyncio.run(run())


# The interface for machines


class Served:
    """The app on a port, in a thread."""

    def __init__(self, database: str) -> None:
        self.port = free_port()
        self.app = make_app(Store(database), bot_delay=0.2, limits=False, prepare=False)
        self._server = uvicorn.Server(
            uvicorn.Config(self.app, port=self.port, log_config=None, access_log=False)
        )
        self._thread = threading.Thread(target=self._server.run)
        self._thread.start()
        while not self._server.started:
            time.sleep(0.01)
        self.person = new_id()
        self.headers = {
            "Origin": self.address,
            "Cookie": f"{COOKIE}={self.app.state.server.tokens.sign(self.person)}",
        }
        self.ids = [
            self.make(name, seats)
            for name in names()
            for seats in (["me", "passer-by", "passer-by"], ["me", "free", "free"])
        ]

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def make(self, name: str, seats: list[str]) -> str:
        made = httpx.post(
            f"{self.address}/api/tables", headers=self.headers, json={"game": name, "seats": seats}
        )
        return str(made.json()["id"])

    def seeds(self) -> list[str]:
        lives: list[OpenTable] = list(self.app.state.server.tables.in_use.values())
        return [live.table.settings.seed for live in lives if live.table.state != "over"]

    def close(self) -> None:
        self._server.should_exit = True
        self._thread.join()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    server = Served(f"sqlite:///{tmp_path_factory.mktemp('served') / 'comptoir.sqlite'}")
    yield server
    server.close()


KEPT = [
    schemathesis.checks.not_a_server_error,
    openapi_checks.status_code_conformance,
    openapi_checks.content_type_conformance,
    openapi_checks.response_schema_conformance,
    openapi_checks.unsupported_method,
]


@pytest.mark.slow
@pytest.mark.parametrize("mode", list(schemathesis.GenerationMode), ids=str)
def test_the_interface_keeps_what_its_description_says(
    served: Served, mode: schemathesis.GenerationMode
) -> None:
    """Whatever is sent, fitting the description or not: an answer that it describes, and never a failure."""
    described = schemathesis.openapi.from_url(f"{served.address}/api/openapi.json")
    tried = 0
    for found in described.get_all_operations():
        operation: Any = found.ok()  # type: ignore[union-attr]
        if mode.is_negative and not (operation.body or operation.path_parameters):
            continue
        send = given(case=operation.as_strategy(generation_mode=mode))(lambda case: sent(served, case))
        settings(QUICK, max_examples=40)(send)()
        tried += 1
    assert tried >= 4


def sent(served: Served, case: Any) -> None:
    """Now and then about a table that there is, and an action that might be allowed."""
    if "id" in (case.path_parameters or {}) and random.random() < 0.6:
        case.path_parameters["id"] = random.choice(served.ids)
        live = served.app.state.server.tables.in_use.get(case.path_parameters["id"])
        if isinstance(case.body, dict) and live is not None and live.table.match is not None:
            actions = [*live.table.match.actions(), *live.table.game.actions]
            case.body |= {"version": live.table.version, "action": random.choice(actions)}
    response = case.call_and_validate(headers=served.headers, checks=KEPT, timeout=60)
    assert not [seed for seed in served.seeds() if seed in response.text]


# Sockets


async def crowd(made: AppHarness, name: str) -> tuple[list[OpenTable], list[Socket]]:
    """Two tables, and everyone who could be at one: seated, at a shared device, looking on, from the other
    table, without a cookie.
    """
    anne, bruno, pair, stranger = (made.person(name) for name in ("Anne", "Bruno", "Pair", "Stranger"))
    first = await made.make(name, anne.sits, bruno.sits, "passer-by", open=True, chat=True)
    second = await made.make(name, (pair.id, "Claire"), (pair.id, "David"), anne.sits)
    unknown = made.person()
    unknown.cookies = {}
    pairs = [
        (anne, first),
        (bruno, first),
        (stranger, first),
        (unknown, first),
        (pair, first),
        (pair, second),
        (anne, second),
        (bruno, second),
    ]
    return [first, second], [await caller.socket(live.table.id) for caller, live in pairs]


TALKING = ("phrase", "chat", "mute", "unmute", "report")


class Noise:
    """Messages that a page could send, more or less; what fits no message is Hypothesis's."""

    def __init__(self, odd: list[Any], chance: random.Random) -> None:
        self.odd, self.chance = odd, chance

    def message(self, lives: list[OpenTable]) -> str:
        if self.chance.random() < 0.15:
            return json.dumps(self.chance.choice(self.odd))
        live = self.chance.choice(lives)
        version, match = live.table.version, live.table.match
        assert match is not None
        asked = {
            "type": self._either(
                "play", "play", "play", "undo", "why", "take_device", "layout", "ping", *TALKING
            ),
            "version": self._either(version, version, version, version - 1, version + 1),
            "action": self._either(*live.table.game.actions[:9], *match.actions()),
            "seat": self._either(live.table.turn, live.table.turn, 0, 1, 2),
            "layout": self._either("wide", "tall"),
            "spot": self._either("lot", "pile", "nowhere"),
            "verb": self._either("Bid", "Lay", "nothing"),
            "phrase": self._either("hello", "wow", "nothing"),
            "text": self._either("Well played", "x" * 201, "\u202e"),
            "n": self._either(1, 2, 3),
            "id": self.chance.randrange(99),
        }
        for key in self.chance.sample(sorted(asked), self.chance.choice([0, 0, 1, 2])):
            del asked[key]
        return json.dumps(asked)

    def _either(self, *sense: Any) -> Any:
        return self.chance.choice(sense if self.chance.random() < 0.85 else self.odd)


async def nothing_leaked(live: OpenTable, sockets: list[Socket], ids: dict[Socket, str | None]) -> None:
    """No text that anybody got holds the seed or another's id; and what they see now is so whatever they may
    not know.
    """
    table = live.table
    for socket in sockets:
        got = "".join(socket.got)
        if table.state != "over":
            assert table.settings.seed not in got
        assert not [person for person in table.people if person != ids[socket] and person in got]
    for person in (*table.people, None):
        seats = table.seats_of(person)
        viewer = Viewer(person, None, "en")
        if len(seats) <= 1:
            other = redealt(table, seats[0] if seats else None, 7)
            one, two = (json.loads(first_message(each, viewer)) for each in (table, other))
            assert one | {"now": 0} == two | {"now": 0}


@settings(QUICK, max_examples=12)
@given(
    name=st.sampled_from(names()),
    odd=st.lists(plain, min_size=8, max_size=16),
    chance=st.randoms(use_true_random=True),
)
def anything_over_sockets(lite: str, name: str, odd: list[Any], chance: random.Random) -> None:
    async def work(made: AppHarness) -> None:
        noise = Noise(odd, chance)
        lives, sockets = await crowd(made, name)
        ids = {socket: socket_person(made, socket) for socket in sockets}
        for _ in range(40):
            chance.choice(sockets).send_raw(noise.message(lives))
            if chance.random() < 0.5:
                await made.settle()
        for socket in sockets:
            socket.send_raw('{"type": "ping"}')
            while (await socket.receive()) != {"pong": 1}:
                pass
        for live in lives:
            async with live.lock:
                await nothing_leaked(live, sockets, ids)
                await consistent(made, live)

    in_an_app(lite, work)


def socket_person(made: AppHarness, socket: Socket) -> str | None:
    """Who the server takes this socket for."""
    watchers: list[Any] = [watcher for live in made.tables.in_use.values() for watcher in live.watchers]
    eyes = (
        watcher.viewer
        for watcher in watchers
        if watcher.websocket.scope["headers"] is socket.scope["headers"]
    )
    person: str | None = next(eyes).person
    return person


def test_anything_over_sockets(lite: str) -> None:
    anything_over_sockets(lite)


@settings(QUICK, max_examples=10)
@given(pieces=st.lists(st.binary(max_size=60) | text, min_size=1, max_size=20))
def raw_noise(lite: str, pieces: list[bytes | str]) -> None:
    async def work(made: AppHarness) -> None:
        live = await made.make("batavia", made.person("A").sits, made.person("B").sits, made.person("C").sits)
        before = live.table.version
        socket = await made.person().socket(live.table.id)
        for piece in pieces:
            socket.send_bytes(piece) if isinstance(piece, bytes) else socket.send_raw(piece)
        bytes_sent = any(isinstance(piece, bytes) for piece in pieces)
        with pytest.raises(SocketClosed) if bytes_sent else nullcontext() as hung:
            for _ in pieces:
                while "here" in (heard := await socket.receive()):
                    pass
                assert heard["type"] == "error"
        assert hung is None or hung.value.code == UNREADABLE
        assert live.table.version == before
        await consistent(made, live)

    in_an_app(lite, work)


def test_raw_noise_over_sockets(lite: str) -> None:
    raw_noise(lite)


# Forms and pages

PATHS = (
    *("/play", "/tables", "/replay", "/me", "/lang", "/look", "/me/move/{text}"),
    *(f"/tables/{{id}}/{what}" for what in ("sit", "stand-up", "bot", "begin", "leave", "back", "rematch")),
    *("/tables/{id}/remove", "/tables/{id}/close", "/status/reports"),
    "/me/hours",
    *("/replay/{id}/continue", "/replay/{id}/review"),
    *("/me/notifications", "/me/notifications/stop", "/me/mail", "/mail/confirm/{text}", "/mail/stop/{text}"),
    *("/me/games/delete", "/me/games/{id}/delete", "/me/games/{text}/delete"),
)
READ = (
    "/tables/{id}",
    "/replay/{id}",
    "/replay/{id}/match.txt",
    *("/replay/{id}/review", "/replay/{id}/board.svg"),
    "/tables/{id}/qr.svg",
    "/new/{game}",
    "/rules/{game}",
    "/covers/{text}.svg",
    *("/me/notifications", "/sw.js", "/mail/confirm/{text}", "/mail/stop/{text}"),
    *("/previews/tables/{id}.fr.png", "/previews/replays/{id}.en.png", "/previews/tables/{text}.fr.png"),
    *("/previews/games/{text}.fr.png", "/previews/home.{text}.png", "/app.{text}.webmanifest"),
    *("/me/waiting", "/offline", "/robots.txt"),
    *("/me/games", "/me/games.zip", "/me/statistics", "/api/me/results", "/tables/{id}/board.svg"),
    *("/me/delete", "/me/deleted"),
)
FIELDS = (
    "game",
    "level",
    "seat",
    "name",
    "players",
    "clock",
    "open",
    "at",
    "lang",
    "look",
    "path",
    "seat0",
    "seat1",
    "seat2",
    "option.first",
    *("endpoint", "p256dh", "auth", "address", "stop"),
    *("opponents", "page", "v"),
    *("chat", "multiple_seats", "table", "n"),
)
SENSE = (
    "batavia",
    "merchant",
    "0",
    "1",
    "2",
    "3",
    "me",
    "device",
    "link",
    "bot:clerk",
    "yes",
    "no",
    "fr",
    "dark",
    "/",
    "Anne",
    *("bots", "people"),
    *("https://push.example.org/1", "anne@example.org", "B" + "A" * 86, "A" * 22),
)


def address(data: Given, ids: list[str], path: str) -> str:
    word = data.draw(text).encode("utf-8", "replace").decode()
    return path.format(
        id=data.draw(st.sampled_from(ids)),
        game=data.draw(st.sampled_from(names())),
        text=httpx.QueryParams({"": word}),
    )


def fields(data: Given) -> dict[str, str]:
    value = st.sampled_from(SENSE) | text.map(lambda word: word.encode("utf-8", "replace").decode())
    return data.draw(
        st.dictionaries(st.sampled_from(FIELDS) | st.text("abc.[]", max_size=5), value, max_size=12)
    )


@settings(QUICK, max_examples=12)
@given(data=st.data())
def anything_by_form(lite: str, data: Given) -> None:
    async def work(made: AppHarness) -> None:
        anne, stranger = made.person("Anne"), made.person("Stranger")
        waiting = await made.make("batavia", anne.sits, "", "clerk", open=True)
        going = await made.make("marco_polo", anne.sits, stranger.sits)
        over = made.put(play_on(table_of("marco_polo", [anne.sits, stranger.sits]), 10_000, random.Random(1)))
        ids = [waiting.table.id, going.table.id, "nosuch"]
        for _ in range(12):
            caller = data.draw(st.sampled_from([anne, stranger]))
            path = address(data, [*ids, over.table.id], data.draw(st.sampled_from(PATHS)))
            sent = fields(data) | ({"token": caller.token} if data.draw(st.integers(0, 9)) else {})
            answers = (
                [await caller.ask("POST", path, data=sent)]
                if "rematch" not in path or over.table.id not in path
                else []
            )
            query = {key: value for key, value in fields(data).items() if data.draw(st.booleans())}
            answers.append(
                await caller.get(
                    address(data, [*ids, over.table.id], data.draw(st.sampled_from(READ))), params=query
                )
            )
            for answer in answers:
                assert answer.status_code < 500, (path, sent)
                assert "Traceback" not in answer.text
                for live in (waiting, going):
                    assert live.table.settings.seed not in answer.text
        for live in (waiting, going):
            await consistent(made, live)

    in_an_app(lite, work)


@pytest.mark.slow
def test_anything_by_form(lite: str) -> None:
    anything_by_form(lite)


@pytest.mark.slow
@pytest.mark.parametrize(
    "body", [b"", b"\xff\xfe", b"a=b&" * 200, b"--x\r\n", b"%", b"token=%ff%fe&seat=%00"]
)
@pytest.mark.parametrize(
    "kind",
    [
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "multipart/form-data; boundary=x",
        "text/plain",
        "",
    ],
)
def test_bodies_that_are_no_form(lite: str, body: bytes, kind: str) -> None:
    async def work(made: AppHarness) -> None:
        anne = made.person("Anne")
        for path in ("/play", "/tables", "/replay", "/api/tables"):
            answer = await anne.ask("POST", path, content=body, headers={"Content-Type": kind})
            assert 400 <= answer.status_code < 500

    in_an_app(lite, work)


# Files


def damaged(data: Given, whole: str) -> bytes:
    """A match file in which something was changed."""
    lines = whole.splitlines()
    for _ in range(data.draw(st.integers(0, 3))):
        at = data.draw(st.integers(0, len(lines) - 1))
        change = data.draw(st.integers(0, 4))
        if change == 0:
            del lines[at : at + data.draw(st.integers(1, 3))]
        elif change == 1:
            lines.insert(at, data.draw(st.sampled_from(HEADERS) | text))
        elif change == 2:
            lines[at] = lines[at].partition(" ")[0] + " " + data.draw(text | plain.map(json.dumps))
        elif change == 3:
            lines.insert(at, data.draw(st.sampled_from(lines)))
        else:
            lines[at] = data.draw(text) + lines[at]
        lines = lines or ["comptoir match 1"]
    return "\n".join(lines).encode("utf-8", "surrogatepass")


HEADERS = (
    *(
        "names Anne",
        "self 3",
        "game_name x",
        "seed",
        "seed 1 2",
        "players 99999",
        f"players {'9' * 5_000}",
        f"{'9' * 5_000} pass",
        "9 pass",
    ),
    *(
        "position {}",
        "position " + "[" * 9_000,
        "position [1]",
        f"position {'9' * 5_000}",
        "position NaN",
        "components {}",
        "components 3",
    ),
    *(
        "components [[]]",
        'position {"players": 3}',
        "rules 2",
        "first 7",
        "players",
        "seat 0",
        "seat 9 Z",
        "class x",
        "options y",
    ),
)


def match_text(name: str, decisions: int, **more: Any) -> str:
    match = play_on(
        table_of(name, [("a", "Anne"), ("b", "Bruno"), ("c", "Chloé")], **more),
        decisions,
        random.Random(decisions),
    ).match
    assert match is not None
    return match.text()


def matches() -> list[str]:
    """One of each game, and one that starts in the middle."""
    middle = play_on(table_of("batavia", ["clerk"] * 3), 9, random.Random(4)).match
    assert middle is not None
    return [*(match_text(name, 10) for name in names()), match_text("batavia", 5, position=middle.position())]


async def brought(caller: Client, content: bytes) -> httpx.Response:
    return await caller.ask(
        "POST", "/replay", data={"token": caller.token}, files={"match": ("a.match", content)}
    )


@settings(QUICK, max_examples=10)
@given(data=st.data())
def any_match_file(lite: str, wholes: list[str], data: Given) -> None:
    async def work(made: AppHarness) -> None:
        caller = made.person("Anne")
        for _ in range(12):
            answer = await brought(caller, damaged(data, data.draw(st.sampled_from(wholes))))
            assert answer.status_code in (303, 422)
            if answer.status_code == 303:
                for at in ("0", "5", ""):
                    assert (
                        await caller.get(f"{answer.headers['location'].partition('?')[0]}?at={at}")
                    ).status_code == 200

    in_an_app(lite, work)


@pytest.mark.slow
def test_any_match_file(lite: str) -> None:
    any_match_file(lite, matches())


def test_match_files_with_odd_lines(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        caller = made.person("Anne")
        title, *rest = match_text("batavia", 10).splitlines()
        for line in HEADERS:
            for where in (0, len(rest)):
                answer = await brought(
                    caller, "\n".join([title, *rest[:where], line, *rest[where:]]).encode()
                )
                assert answer.status_code in (303, 422), line

    in_an_app(lite, work)


@settings(QUICK, max_examples=6)
@given(data=st.data())
def any_components(lite: str, data: Given) -> None:
    async def work(made: AppHarness) -> None:
        caller = made.person("Anne")
        for _ in range(8):
            name = data.draw(st.sampled_from(names()))
            lines = (get_game(name).folder / "components.toml").read_text(encoding="utf-8").splitlines()
            for _ in range(data.draw(st.integers(0, 3))):
                at = data.draw(st.integers(0, len(lines) - 1))
                lines[at] = data.draw(st.sampled_from(TOML) | text | st.just(lines[at - 1]))
            sent = {"token": caller.token, "game": name, "players": "3", "clock": "0", "open": "no"}
            sent |= {f"seat{seat}": "link" for seat in range(3)}
            content = "\n".join(lines).encode("utf-8", "surrogatepass")
            answer = await caller.ask(
                "POST", "/tables", data=sent, files={"components": ("own.toml", content)}
            )
            assert answer.status_code in (303, 422)

    in_an_app(lite, work)


TOML = (
    "a = 1",
    "[x]",
    "a = 1979-05-27",
    "a = nan",
    "a = inf",
    f"a = 0x{'f' * 5_000}",
    f"a = {'9' * 5_000}",
    "a = " + "[" * 900,
    "a.b.c = []",
    "[[a]]",
)


@pytest.mark.slow
def test_any_components(lite: str) -> None:
    any_components(lite)
