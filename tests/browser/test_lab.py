"""A report of the lab in a real browser: at a desk and on a phone, by day and by night, in both languages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from comptoir.lab import Experiment, Result
from comptoir.lab.grid import Grid
from comptoir.lab.report import grid_page
from tests.browser.conftest import PHONE
from tests.browser.test_axe import AXE, RUN

pytestmark = pytest.mark.browser

DESK: dict[str, Any] = {"viewport": {"width": 1440, "height": 900}}
SMALLEST = """() => Math.min(...[...document.querySelectorAll("body *")]
  .filter(one => [...one.childNodes].some(node => node.nodeType === 3 && node.textContent.trim()))
  .map(one => parseFloat(getComputedStyle(one).fontSize)))"""


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Result:
    made = Experiment(
        "batavia", change=["gold_seal=9"], level="random", players=3, folder=tmp_path_factory.mktemp("lab")
    )
    return made.play(24, workers=1)


@pytest.mark.parametrize(
    ("lang", "size", "scheme"), [("en", DESK, "light"), ("fr", DESK, "dark"), ("fr", PHONE, "light")]
)
def test_a_report_is_readable(
    chromium: Browser, result: Result, tmp_path: Path, lang: str, size: dict[str, Any], scheme: Any
) -> None:
    path = tmp_path / "report.html"
    path.write_text(result.html(lang), encoding="utf-8")
    with chromium.new_context(**size, color_scheme=scheme, offline=True) as context:
        page = context.new_page()
        page.goto(path.as_uri())
        page.locator("summary").click()
        assert page.evaluate("document.documentElement.scrollWidth") <= size["viewport"]["width"]
        assert page.evaluate(SMALLEST) >= 11
        assert page.locator(".plot svg[role=img]").count() > 40
        assert page.locator("table tr.found").count() >= 1
        page.add_script_tag(path=AXE)
        assert page.evaluate(RUN) == []


def test_the_page_of_a_grid_is_readable(chromium: Browser, tmp_path: Path) -> None:
    grid = Grid("batavia", ["gold_seal=2..8..6"], level="random", players=3, folder=tmp_path / "run")
    path = tmp_path / "grid.html"
    path.write_text(grid_page(grid.play(12, workers=1), grid.changes, "fr"), encoding="utf-8")
    with chromium.new_context(**PHONE, offline=True) as context:
        page = context.new_page()
        page.goto(path.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert page.get_by_role("row").count() == 4
        page.add_script_tag(path=AXE)
        assert page.evaluate(RUN) == []
