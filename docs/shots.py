"""Takes pictures of every page of the app, for a person to look at.

    python docs/shots.py [--only NAME]      writes docs/screens/PAGE-DEVICE-LANGUAGE-LOOK.png
    python docs/shots.py --readme           writes the few that the README shows to docs/img/

The server is the real one, on a database of its own, with tables that clerks have played to moments worth seeing: the same
every time, so a picture changes only when the app does.
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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from comptoir import games
from comptoir.bots.levels import make
from comptoir.engine.game import game
from comptoir.engine.match import Match
from comptoir.web.people import COOKIE, People
from comptoir.web.store import Person, Store
from comptoir.web.table import Event, Settings, Table

HERE = Path(__file__).parent
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
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True, "user_agent": PHONE_AGENT},
}
LOOKS = ("light", "dark")
LOCALES = {"fr": "fr-FR", "en": "en-GB"}
NAMES = ("Anne", "Bruno", "Chloé", "David")
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
        for name in NAMES:
            store.keep(Person(name.lower(), name, "fr", time.time()))

    def put(
        self, id: str, name: str, *, at: Callable[[Match], int] | None, sitting: int = 4, device: bool = False, open: bool = True
    ) -> None:
        """`at` says after how many actions of a finished match; None: it has not begun."""
        options = game(name).read_options(4, first="0")
        settings = Settings(name, options, f"shots {name}".replace(" ", "-"), maker="anne", open=open)
        now = time.time()
        table = Table.of(id, [Event(1, "made", None, "anne", settings.text(), now)])
        events = [Event(1, "made", None, "anne", settings.text(), now)]

        def happen(kind: str, seat: int | None = None, person: str | None = None, text: str = "") -> None:
            events.append(Event(table.number + 1, kind, seat, person, text, now))
            table.apply(events[-1])

        for seat in range(sitting):
            happen("sit", seat, "anne" if device and seat < 2 else NAMES[seat].lower(), NAMES[seat])
        if at is not None:
            happen("begin", None, "anne")
            assert table.match is not None
            played = finished(table.match)
            for seat, action in played.entries[: at(played)]:
                happen("play", seat, NAMES[seat].lower(), action)
        self.store.append(id, events, table.row())


def finished(match: Match) -> Match:
    """The match as clerks would play it."""
    match = match.at(match.number)
    clerk = make("clerk", match.game, match.components, "shots")
    while match.turn is not None:
        match.play(clerk.decide(match.hidden(match.turn), match.number))
    return match


def moment(share: float, seat: int) -> Callable[[Match], int]:
    """Some way through, when this seat has a real choice."""

    def at(match: Match) -> int:
        for number in range(round(share * match.number), match.number):
            then = match.at(number)
            if then.turn == seat and len(then.actions()) > 3:
                return number
        return match.number

    return at


def end(match: Match) -> int:
    return match.number


def set_up(store: Store) -> None:
    stage = Stage(store)
    for name in games.names():
        stage.put(f"table-{name}", name, at=moment(0.8 if name == "sail_to_india" else 0.55, 0))  # ships leave late
    stage.put("waiting", "century", at=moment(0.4, 1))
    stage.put("lobby", "sail_to_india", at=None, sitting=2)
    stage.put("curtain", "marco_polo", at=moment(0.3, 1), device=True)
    stage.put("over", "batavia", at=end)


def shots() -> list[Shot]:
    found = [Shot("home", "/"), Shot("new", "/new/century")]
    found += [Shot(f"table-{name}", f"/tables/table-{name}") for name in games.names()]
    found += [Shot(name, f"/tables/{name}") for name in ("waiting", "lobby", "curtain", "over")]
    found.append(Shot("menu", "/tables/table-batavia", lambda page: page.click("#menu summary")))
    found.append(Shot("rules-beside", "/tables/table-batavia", rules_beside))
    found += [Shot("replay", "/replay/over?at=90"), Shot("bring", "/replay")]
    found += [Shot("rules", "/rules"), *(Shot(f"rules-{name}", f"/rules/{name}") for name in games.names())]
    return [*found, Shot("about", "/about"), Shot("me", "/me"), Shot("error", "/nowhere")]


def rules_beside(page: Page) -> None:
    page.click("[data-rules]")
    page.wait_for_selector("#rules-text h2, #rules-text h1", state="attached")


# The server and the browser


@contextmanager
def running(folder: Path) -> Iterator[tuple[str, str]]:
    """The address of a server with all tables, and Anne's cookie."""
    database = f"sqlite:///{folder / 'shots.sqlite'}"
    store = Store(database)
    store.migrate()
    set_up(store)
    cookie = People(store.secret()).sign("anne")
    store.close()
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    command = [sys.executable, "-m", "comptoir", "serve", "--port", str(port), "--no-browser", "--database", database]
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


def open_browser(browser: Browser, address: str, cookie: str, device: str, lang: str, look: str, scale: float = 1) -> BrowserContext:
    context = browser.new_context(
        base_url=address,
        locale=LOCALES[lang],
        color_scheme="dark" if look == "dark" else "light",
        reduced_motion="reduce",
        device_scale_factor=scale,
        **DEVICES[device],
    )
    context.add_cookies([{"name": COOKIE, "value": cookie, "url": address}])
    return context


def take(page: Page, shot: Shot) -> bytes:
    page.goto(shot.path)
    if shot.path.startswith("/tables/"):
        page.wait_for_selector("#table[data-number]")
    shot.prepare(page)
    page.evaluate("document.fonts.ready.then(() => true)")
    return page.screenshot(animations="disabled")


# Pictures for the README


def smaller(page: Page, picture: bytes) -> bytes:
    """The same picture with 256 colours of its own."""
    pixels = np.frombuffer(base64.b64decode(page.evaluate(PIXELS, base64.b64encode(picture).decode())), np.uint8)
    width, height = struct.unpack(">II", picture[16:24])
    colours, which = np.unique(pixels.reshape(-1, 4)[:, :3], axis=0, return_inverse=True)
    palette, nearest = reduced(colours.astype(np.float32), np.bincount(which.ravel()))
    rows = nearest[which.ravel()].astype(np.uint8).reshape(height, width)
    data = b"".join(b"\0" + row.tobytes() for row in rows)
    head = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"PLTE", palette.tobytes()), (b"IDAT", zlib.compress(data, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(kind, data) for kind, data in chunks)


def reduced(colours: np.ndarray[Any, Any], weights: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """A palette, and which of its colours stands for each: k-means, from the most frequent ones on."""
    weights = np.sqrt(weights).astype(np.float32)  # rare colours count too: they are the small signs
    palette = colours[np.argsort(-weights, kind="stable")[:COLOURS]]
    for _ in range(12):
        nearest = np.concatenate([((part[:, None] - palette) ** 2).sum(2).argmin(1) for part in np.array_split(colours, 64)])
        total = np.bincount(nearest, weights, len(palette))
        sums = np.stack([np.bincount(nearest, weights * colours[:, channel], len(palette)) for channel in range(3)], 1)
        palette = np.where(total[:, None] > 0, sums / np.maximum(total, 1)[:, None], palette).astype(np.float32)
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
    folder = HERE / "img"
    plain = browser.new_page()
    by_name = {shot.name: shot for shot in shots()}
    wanted = [(name, name, "desktop", 1) for name in ("home", *(f"table-{name}" for name in games.names()))]
    for name, file, device, scale in [*wanted, ("table-century", "phone", "phone", 2)]:
        context = open_browser(browser, address, cookie, device, "en", "dark", scale)
        picture = smaller(plain, take(context.new_page(), by_name[name]))
        context.close()
        if len(picture) > LARGEST:
            raise SystemExit(f"{file}.png: {len(picture) // 1024} KB are too much for a README")
        (folder / f"{file}.png").write_bytes(picture)
        print(f"{folder / file}.png  {len(picture) // 1024} KB")


def for_looking(browser: Browser, address: str, cookie: str, only: str) -> None:
    folder = HERE / "screens"
    folder.mkdir(exist_ok=True)
    chosen = [shot for shot in shots() if shot.name.startswith(only)]
    if not chosen:
        raise SystemExit(f"no page is called {only!r}; pages: {', '.join(shot.name for shot in shots())}")
    for device in DEVICES:
        for lang in LOCALES:
            for look in LOOKS:
                context = open_browser(browser, address, cookie, device, lang, look)
                page = context.new_page()
                for shot in chosen:
                    file = folder / f"{shot.name}-{device}-{lang}-{look}.png"
                    file.write_bytes(take(page, shot))
                    print(file)
                context.close()


def main() -> None:
    parser = argparse.ArgumentParser(description="Pictures of every page of the app.")
    parser.add_argument("--only", default="", metavar="NAME", help="only pages whose name starts so")
    parser.add_argument("--readme", action="store_true", help="the few that the README shows")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as (address, cookie), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        if asked.readme:
            for_readme(browser, address, cookie)
        else:
            for_looking(browser, address, cookie, asked.only)
        browser.close()


if __name__ == "__main__":
    main()
