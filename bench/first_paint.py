"""First paint on a slow phone: a home page and a table, as a person sees them who has never been there.

    python bench/first_paint.py [--json]

The server runs on this machine; the browser has a phone's window, a line of 1.6 Mbit/s with 150 ms there and back (what
Lighthouse calls a slow 4G) and a processor four times slower than this machine's. Nothing is cached. The median of five.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1]))
from tools.shots import CHROMIUM, DEVICES, FLAGS, Stage, moment, open_browser, running

RUNS = 5
BYTES = 1_600_000 / 8  # a second
DELAY = 150  # milliseconds there and back
SLOWER = 4
GAMES = ("batavia", "century", "marco_polo", "sail_to_india")
PAINTED = """() => new Promise((done) => new PerformanceObserver((seen) => {
  const first = seen.getEntriesByName("first-contentful-paint")[0];
  if (first) done(first.startTime);
}).observe({ type: "paint", buffered: true }))"""


def painted(browser: Browser, address: str, cookie: str, path: str) -> float:
    """Milliseconds from asking for the page until something of it is seen."""
    context = open_browser(browser, address, cookie, DEVICES["phone"], "fr", "light", 2)
    page = context.new_page()
    line = context.new_cdp_session(page)
    line.send("Network.enable")
    speed = {"latency": DELAY, "downloadThroughput": BYTES, "uploadThroughput": BYTES, "offline": False}
    line.send("Network.emulateNetworkConditions", speed)
    line.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    page.goto(path)
    found = float(page.evaluate(PAINTED))
    context.close()
    return found


def set_up(stage: Stage) -> None:
    for name in GAMES:
        stage.put(name, name, at=moment(0.5, 0))


def main() -> None:
    parser = argparse.ArgumentParser(description="First paint on a slow phone, in milliseconds.")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    asked = parser.parse_args()
    found: dict[str, float] = {}
    with (
        tempfile.TemporaryDirectory() as folder,
        running(Path(folder), set_up) as (address, cookie),
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for path in ("/", *(f"/tables/{name}" for name in GAMES)):
            painted(browser, address, cookie, path)  # the server makes some things once
            found[path] = statistics.median(painted(browser, address, cookie, path) for _ in range(RUNS))
            if not asked.json:
                print(f"{path:26} {found[path]:6.0f} ms", flush=True)
        browser.close()
    if asked.json:
        print(json.dumps(found))


if __name__ == "__main__":
    main()
