"""Takes pictures of every page of the app, for a person to look at.

    python tools/shots.py                    all of them, in docs/screens/
    python tools/shots.py --tables [--game NAME] [--size 390x844]
                                            GAME-MOMENT-SIZE-LANGUAGE-LOOK.png: a table full of players at its
                                            start, when most can be chosen, and at its end, at every size
    python tools/shots.py --pages [--only NAME]      PAGE-DEVICE-LANGUAGE-LOOK.png: the other pages
    python tools/shots.py --readme           writes the few that the README shows to docs/img/
    python tools/shots.py --app              and those that a phone shows before it installs the app

The server is the real one, on a database of its own, with tables that clerks have played to moments worth
seeing: the same every time, so a picture changes only when the app does.
"""

from __future__ import annotations

import argparse
import base64
import os
import socket
import struct
import subprocess
import sys
import tempfile
import time
import urllib.request
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import count, product
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from comptoir.bots.levels import make
from comptoir.engine import registry
from comptoir.engine.game import get_game
from comptoir.engine.match import Match
from comptoir.web.domain.evolve import evolve, from_events
from comptoir.web.domain.people import COOKIE, IdentityTokens
from comptoir.web.domain.state import Event, TableSettings
from comptoir.web.storage.people_store import Person
from comptoir.web.storage.store import Store

ROOT = Path(__file__).parents[1]
CHROMIUM = "/usr/bin/chromium"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
PHONE_AGENT = "Mozilla/5.0 (Linux; Android 14; Mobile) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Mobile Safari/537.36"
DEVICES: dict[str, dict[str, Any]] = {
    "desktop": {"viewport": {"width": 1440, "height": 900}},
    "phone": {
        "viewport": {"width": 390, "height": 844},
        "has_touch": True,
        "is_mobile": True,
        "user_agent": PHONE_AGENT,
    },
}
SIZES = {  # of windows; desks first, then what fingers touch
    "1440x900": (1440, 900),
    "1920x1080": (1920, 1080),
    "1366x768": (1366, 768),
    "390x844": (390, 844),
    "360x640": (360, 640),
    "844x390": (844, 390),
    "640x360": (640, 360),
    "820x1180": (820, 1180),
    "1024x768": (1024, 768),
}
TOUCHED = tuple(SIZES)[3:]
LOOKS = ("light", "dark")
LOCALES = {"fr": "fr-FR", "en": "en-GB"}
NAMES = ("Anne", "Bruno", "Chloé", "David", "Élise")
LARGEST = 300 * 1024  # bytes of a picture in the README
COLOURS = 256


@dataclass(frozen=True)
class Shot:
    """A page to be taken: its name, its address, and what is done there first."""

    name: str
    path: str
    prepare: Callable[[Page], None] = lambda page: None


# The tables


class Stage:
    """Puts tables into a database, as they would be after so much play. Anne is who looks."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.finished = cache(finished_match)  # of a game for that many: one match, whatever moment is wanted
        for name in NAMES:
            store.people.save(Person(name.lower(), name, "fr", time.time()))

    @property
    def cookie(self) -> str:
        """Who has it is Anne."""
        return IdentityTokens(self.store.values.secret()).sign("anne")

    def put(
        self,
        id: str,
        name: str,
        *,
        at: Callable[[Match], int] | None,
        players: int = 4,
        sitting: int | None = None,
        device: bool = False,
        open: bool = True,
    ) -> None:
        """`at` says after how many actions of a finished match; None: it has not begun."""
        options = get_game(name).read_options(players, first="0")
        settings = TableSettings(name, options, f"shots {name}".replace(" ", "-"), creator="anne", open=open)
        now = time.time()
        table = from_events(id, [Event(1, "made", None, "anne", settings.text(), now)])
        events = [Event(1, "made", None, "anne", settings.text(), now)]

        def happen(kind: str, seat: int | None = None, person: str | None = None, text: str = "") -> None:
            nonlocal table
            events.append(Event(table.version + 1, kind, seat, person, text, now))
            table = evolve(table, events[-1])

        for seat in range(players if sitting is None else sitting):
            happen("sit", seat, "anne" if device and seat < 2 else NAMES[seat].lower(), NAMES[seat])
        if at is not None:
            happen("begin", None, "anne")
            played = self.finished(name, players, settings.seed)
            for seat, action in played.actions_by_seat[: at(played)]:
                happen("play", seat, NAMES[seat].lower(), action)
        self.store.events.append(id, events, table.row())


def finished_match(name: str, players: int, seed: str) -> Match:
    """As clerks play it."""
    match = Match(name, seed=seed, players=players, first="0")
    clerk = make("clerk", match.game, match.components, "shots")
    while match.turn is not None:
        match.play(clerk.choose_index(match.seen_by(match.turn), match.ply))
    return match


def moment(share: float, seat: int) -> Callable[[Match], int]:
    """Some way through, when this seat has a real choice."""

    def at(match: Match) -> int:
        for number in range(round(share * match.ply), match.ply):
            then = match.at(number)
            if then.turn == seat and len(then.actions()) > 3:
                return number
        return match.ply

    return at


def crowded(match: Match) -> int:
    """In the second half, when Anne has most to choose from."""
    hers = [ply for ply in range(match.ply // 2, match.ply) if match.at(ply).turn == 0]
    return max(hers, key=lambda ply: len(match.at(ply).actions()))


def end(match: Match) -> int:
    return match.ply


MOMENTS = {"start": moment(0, 0), "crowded": crowded, "end": end}


def set_up_full(stage: Stage, names: Iterable[str]) -> None:
    """Tables with as many players as there can be: of each game, one a moment."""
    for name in names:
        for then, at in MOMENTS.items():
            stage.put(f"{name}-{then}", name, at=at, players=get_game(name).rules.PLAYERS[1])


def set_up(stage: Stage) -> None:
    for name in registry.names():
        # ships leave late
        stage.put(f"table-{name}", name, at=moment(0.8 if name == "sail_to_india" else 0.55, 0))
    stage.put("waiting", "century", at=moment(0.4, 1))
    stage.put("lobby", "sail_to_india", at=None, sitting=2)
    stage.put("curtain", "marco_polo", at=moment(0.3, 1), device=True)
    stage.put("over", "batavia", at=end)


def shots() -> list[Shot]:
    found = [Shot("home", "/"), Shot("new", "/new/century")]
    found += [Shot(f"table-{name}", f"/tables/table-{name}") for name in registry.names()]
    found += [Shot(name, f"/tables/{name}") for name in ("waiting", "lobby", "curtain", "over")]
    found.append(Shot("menu", "/tables/table-batavia", lambda page: page.click("#menu summary")))
    found.append(Shot("rules-beside", "/tables/table-batavia", rules_beside))
    found += [Shot("replay", "/replay/over?at=90"), Shot("bring", "/replay")]
    found += [
        Shot("rules", "/rules"),
        *(Shot(f"rules-{name}", f"/rules/{name}") for name in registry.names()),
    ]
    return [*found, Shot("about", "/about"), Shot("me", "/me"), Shot("error", "/nowhere")]


def rules_beside(page: Page) -> None:
    page.click("[data-rules]")
    page.wait_for_selector("#rules-text h2, #rules-text h1", state="attached")


# The server and the browser


@contextmanager
def running(folder: Path, *made: Callable[[Stage], None]) -> Iterator[tuple[str, str]]:
    """The address of a server with these tables, and Anne's cookie."""
    database = f"sqlite:///{folder / 'shots.sqlite'}"
    store = Store(database)
    store.migrate()
    stage = Stage(store)
    for put in made:
        put(stage)
    cookie = stage.cookie
    store.close()
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "comptoir",
        "serve",
        "--port",
        str(port),
        "--no-browser",
        "--database",
        database,
    ]
    server = subprocess.Popen(command, stderr=subprocess.DEVNULL, env=os.environ | {"NO_COLOR": "1"})
    try:
        address = f"http://127.0.0.1:{port}"
        wait_for(address, server)
        yield address, cookie
    finally:
        server.terminate()
        server.wait()


def wait_for(address: str, server: subprocess.Popen[bytes]) -> None:
    """Until it answers, and no game is still being compiled: a page would say so."""
    while server.poll() is None:
        try:
            with urllib.request.urlopen(address) as answer:
                if b"preparing" not in answer.read():
                    return
        except OSError:
            pass
        time.sleep(0.3)
    raise SystemExit("the server does not start; try `comptoir serve`")


def open_browser(
    browser: Browser,
    address: str,
    cookie: str,
    device: dict[str, Any],
    lang: str,
    look: str,
    scale: float = 1,
) -> BrowserContext:
    """A browser of Anne's that speaks her language."""
    context = browser.new_context(
        base_url=address,
        locale=LOCALES[lang],
        color_scheme="dark" if look == "dark" else "light",
        reduced_motion="reduce",
        device_scale_factor=scale,
        **device,
    )
    context.add_cookies([{"name": COOKIE, "value": cookie, "url": address}])
    return context


def device_of(size: str) -> dict[str, Any]:
    width, height = SIZES[size]
    return (DEVICES["phone"] if size in TOUCHED else {}) | {"viewport": {"width": width, "height": height}}


def lay_out(page: Page, size: str) -> None:
    """Until the table is laid out again for a window of this size, and its board with it."""
    width, height = SIZES[size]
    page.set_viewport_size({"width": width, "height": height})
    page.wait_for_selector("#table[data-version]", state="attached")
    page.wait_for_function(LAID_OUT)


# As table.js has it: the page itself may not have heard yet that its window is another one.
TALL = "(max-width: 760px) or (max-aspect-ratio: 4/5) or ((max-height: 540px) and (min-aspect-ratio: 1/1))"
# Two frames: in the first one the page may still be scrolling to what matters.
LAID_OUT = """() => document.fonts.ready.then(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() =>
  done([document.getElementById("table"), document.getElementById("chart")].every((one) => one.dataset.layout === (matchMedia(TALL).matches ? "tall" : "wide")))))))""".replace(
    "TALL", f"'{TALL}'"
)


def take(page: Page, shot: Shot) -> bytes:
    page.goto(shot.path)
    if shot.path.startswith("/tables/"):
        page.wait_for_selector("#table[data-version]")
    shot.prepare(page)
    page.evaluate("document.fonts.ready.then(() => true)")
    return page.screenshot(animations="disabled")


# Pictures for the README


def smaller(page: Page, picture: bytes) -> bytes:
    """The same picture with 256 colours of its own."""
    pixels = np.frombuffer(
        base64.b64decode(page.evaluate(PIXELS, base64.b64encode(picture).decode())), np.uint8
    )
    width, height = struct.unpack(">II", picture[16:24])
    colours, which = np.unique(pixels.reshape(-1, 4)[:, :3], axis=0, return_inverse=True)
    palette, nearest = reduced(colours.astype(np.float32), np.bincount(which.ravel()))
    rows = nearest[which.ravel()].astype(np.uint8).reshape(height, width)
    data = b"".join(b"\0" + row.tobytes() for row in rows)
    head = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    chunks = (
        (b"IHDR", head),
        (b"PLTE", palette.tobytes()),
        (b"IDAT", zlib.compress(data, 9)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(kind, data) for kind, data in chunks)


def reduced(
    colours: np.ndarray[Any, Any], weights: np.ndarray[Any, Any]
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """A palette, and which of its colours stands for each: k-means, from the most frequent ones on."""
    weights = np.sqrt(weights).astype(np.float32)  # rare colours count too: they are the small signs
    palette = colours[np.argsort(-weights, kind="stable")[:COLOURS]]
    for _ in range(12):
        nearest = np.concatenate(
            [((part[:, None] - palette) ** 2).sum(2).argmin(1) for part in np.array_split(colours, 64)]
        )
        total = np.bincount(nearest, weights, len(palette))
        sums = np.stack(
            [np.bincount(nearest, weights * colours[:, channel], len(palette)) for channel in range(3)], 1
        )
        palette = np.where(total[:, None] > 0, sums / np.maximum(total, 1)[:, None], palette).astype(
            np.float32
        )
    return palette.round().astype(np.uint8), nearest


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


PIXELS = """async (png) => {
  const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  const pen = canvas.getContext("2d");
  pen.drawImage(bitmap, 0, 0);
  const bytes = new Uint8Array(pen.getImageData(0, 0, bitmap.width, bitmap.height).data.buffer);
  let text = "";
  for (let at = 0; at < bytes.length; at += 32768) text += String.fromCharCode(...bytes.subarray(at, at + 32768));
  return btoa(text);
}"""


def for_readme(browser: Browser, address: str, cookie: str) -> None:
    folder = ROOT / "docs/img"
    plain = browser.new_page()
    by_name = {shot.name: shot for shot in shots()}
    wanted = [
        (name, name, "desktop", 1) for name in ("home", *(f"table-{name}" for name in registry.names()))
    ]
    for name, file, device, scale in [*wanted, ("table-century", "phone", "phone", 2)]:
        context = open_browser(browser, address, cookie, DEVICES[device], "en", "dark", scale)
        if name == "home":
            context.clear_cookies()  # as who comes for the first time sees it
        picture = smaller(plain, take(context.new_page(), by_name[name]))
        context.close()
        if len(picture) > LARGEST:
            raise SystemExit(f"{file}.png: {len(picture) // 1024} KB are too much for a README")
        (folder / f"{file}.png").write_bytes(picture)
        print(f"{folder / file}.png  {len(picture) // 1024} KB")


def for_app(browser: Browser, address: str, cookie: str) -> None:
    """A table on a desk and one on a phone, in each language, as the manifest names them."""
    folder = ROOT / "src/comptoir/web/static/icons"
    desk = {"viewport": {"width": 1280, "height": 720}}
    wanted = (("table", "table-batavia", desk), ("phone", "table-century", DEVICES["phone"]))
    plain = browser.new_page()
    for (file, name, device), lang in product(wanted, LOCALES):
        context = open_browser(browser, address, cookie, device, lang, "light")
        picture = smaller(plain, take(context.new_page(), Shot(name, f"/tables/{name}")))
        context.close()
        (folder / f"{file}-{lang}.png").write_bytes(picture)
        print(f"{folder / file}-{lang}.png  {len(picture) // 1024} KB")


def of_pages(browser: Browser, address: str, cookie: str, only: str) -> None:
    chosen = [shot for shot in shots() if shot.name.startswith(only)]
    if not chosen:
        raise SystemExit(f"no page is called {only!r}; pages: {', '.join(shot.name for shot in shots())}")
    for device, lang, look in product(DEVICES, LOCALES, LOOKS):
        context = open_browser(browser, address, cookie, DEVICES[device], lang, look)
        page = context.new_page()
        for shot in chosen:
            keep(f"{shot.name}-{device}-{lang}-{look}", take(page, shot))
        context.close()


def of_tables(browser: Browser, address: str, cookie: str, names: list[str], sizes: list[str]) -> None:
    """Each table is loaded once a language and a kind of device; then the window changes, and the light."""
    total, done = len(names) * len(MOMENTS) * len(sizes) * len(LOCALES) * len(LOOKS), count(1)
    kinds = [[size for size in sizes if (size in TOUCHED) == touched] for touched in (False, True)]
    for same, lang in product(filter(None, kinds), LOCALES):
        context = open_browser(browser, address, cookie, device_of(same[0]), lang, "light")
        page = context.new_page()
        for name, then in product(names, MOMENTS):
            page.goto(f"/tables/{name}-{then}")
            for look, size in product(LOOKS, same):
                page.emulate_media(color_scheme="dark" if look == "dark" else "light")
                lay_out(page, size)
                picture = page.screenshot(animations="disabled")
                keep(f"{name}-{then}-{size}-{lang}-{look}", picture, f"{next(done)}/{total}  ")
        context.close()


def keep(name: str, picture: bytes, progress: str = "") -> None:
    file = ROOT / "docs/screens" / f"{name}.png"
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(picture)
    print(f"{progress}{file}", flush=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Pictures of every page of the app.")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--tables", action="store_true", help="only tables, at every size")
    what.add_argument("--pages", action="store_true", help="only the other pages")
    what.add_argument("--readme", action="store_true", help="the few that the README shows")
    what.add_argument(
        "--app", action="store_true", help="those that a phone shows before it installs the app"
    )
    parser.add_argument("--game", action="append", choices=registry.names(), help="only tables of this game")
    parser.add_argument("--size", action="append", choices=list(SIZES), help="only tables at this size")
    parser.add_argument("--only", default="", metavar="NAME", help="only pages whose name starts so")
    return parser.parse_args()


def main() -> None:
    asked = arguments()
    names, sizes = asked.game or registry.names(), asked.size or list(SIZES)
    tables = asked.tables or not (asked.pages or asked.readme or asked.app)
    made = [] if asked.tables else [set_up]
    if tables:
        made.append(lambda stage: set_up_full(stage, names))
    with (
        tempfile.TemporaryDirectory() as folder,
        running(Path(folder), *made) as (address, cookie),
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        if asked.readme:
            for_readme(browser, address, cookie)
        if asked.app:
            for_app(browser, address, cookie)
        if tables:
            of_tables(browser, address, cookie, list(names), sizes)
        if not (asked.tables or asked.readme or asked.app):
            of_pages(browser, address, cookie, asked.only)
        browser.close()


if __name__ == "__main__":
    main()
