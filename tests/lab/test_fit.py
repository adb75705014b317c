"""Grids of values, and values that are searched for a wish."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

import comptoir
from comptoir.lab.fit import Target, fit, measure
from comptoir.lab.grid import Grid, ParameterRange
from tests.conftest import Run


def test_what_is_varied() -> None:
    assert ParameterRange.read("gold_seal=2..5") == ParameterRange("gold_seal", (2, 3, 4, 5))
    assert ParameterRange.read("pirates_at.4 = 20..30..5") == ParameterRange("pirates_at.4", (20, 25, 30))
    for text in (
        "gold_seal",
        "gold_seal=2",
        "gold_seal=5..2",
        "=1..2",
        "gold_seal=0..5000",
        "gold_seal=1..9..0",
    ):
        with pytest.raises(comptoir.OptionError, match="vary"):
            ParameterRange.read(text)


def test_what_is_wished() -> None:
    assert Target.read("minutes=60..90") == Target("minutes", 60, 90)
    assert Target.read("seats=1%") == Target("seats", -math.inf, 0.01)
    assert Target.read("half=..60%") == Target("half", -math.inf, 0.6)
    assert Target.read("turns=20..").shortfall(10) == 0.5
    assert Target.read("minutes=60..90").shortfall(75) == 0
    assert Target.read("unused=0").shortfall(3) == 3
    assert Target.read("minutes=60..90").text == "minutes=60..90"
    for text in ("fun=3", "minutes", "minutes=long", "minutes=1..2..3"):
        with pytest.raises(comptoir.OptionError, match="target"):
            Target.read(text)


@pytest.mark.slow
def test_a_grid_compares_each_box_with_the_one_as_it_is(tmp_path: Path) -> None:
    grid = Grid("batavia", ["gold_seal=2..8..3"], level="random", players=3, folder=tmp_path)
    results = grid.play(10, workers=1)
    assert grid.changes == [["gold_seal=2"], ["gold_seal=5"], ["gold_seal=8"]]
    assert results[0].is_same(0)
    gold = [result.metric("source.seals").boxes for result in results]
    assert len({before.value for before, _ in gold}) == 1
    assert gold[2][1].value == pytest.approx(4 * gold[0][1].value)


@pytest.mark.slow
def test_a_wish_comes_true_where_it_can(tmp_path: Path) -> None:
    """The winner's lead grows with what seals are worth: of three values, the middle one is wished for."""
    more = {"level": "random", "players": 3}
    grid = Grid("batavia", ["gold_seal=0..100..50"], folder=tmp_path / "grid", **more)
    leads = [measure("margin", result.metrics[0], 1) for result in grid.play(8, workers=1)]
    assert leads == sorted(leads)
    target = f"margin={leads[1] - 1}..{leads[1] + 1}"
    told: list[int] = []
    fitted = fit(
        "batavia",
        ["gold_seal=0..100..50"],
        [target, "guard=0"],
        trials=6,
        games=8,
        workers=1,
        folder=tmp_path / "fit",
        progress=lambda done, total: told.append(done),
        **more,
    )
    assert fitted.changes == ["gold_seal=50"]
    assert [short for _, _, short in fitted.targets] == [0, 0]
    assert fitted.result.experiment.changes == [("gold_seal", 2, 50)]
    assert told == [1, 2, 3, 4, 5, 6]


@pytest.mark.slow
def test_the_command_shows_a_grid_and_a_wish(run: Run, tmp_path: Path) -> None:
    usual = ["lab", "batavia", "--level", "random", "--players", "3", "--games", "4", "--workers", "1"]
    grid = [*usual, "--vary", "gold_seal=2..4..2", "--out", str(tmp_path / "grid")]
    page = tmp_path / "grid.html"
    status, out, err = run(*grid, "--html", str(page), "--lang", "en")
    assert status == 0, err
    assert "Half-time" in out
    assert "gold_seal=4" in page.read_text(encoding="utf-8")
    assert len(json.loads(run(*grid, "--json")[1])) == 2
    target = [
        *usual,
        "--fit",
        "--vary",
        "gold_seal=2..4..2",
        "--target",
        "guard=0",
        "--target",
        "margin=900..",
    ]
    status, out, err = run(*target, "--trials", "2", "--out", str(tmp_path / "fit"), "--lang", "en")
    assert status == 0, err
    assert "guard=..0: 0.000, as wished" in out
    assert "not as wished" in out
