"""Custom bots in the arena: they play, are rated, and lose their chairs with a report if they fail."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from comptoir.arena import Arena
from tests.conftest import Run

EXAMPLES = Path(__file__).parents[2] / "examples"

# Answers well a few times, then fails in its own way.
FAILING = """
import json, sys, time
answers = 0
for line in sys.stdin:
    word, text = line.split(" ", 1)
    if word == "hello":
        print("ready", flush=True)
    elif word == "choose":
        answers += 1
        action = json.loads(text)["actions"][0]
        if answers > 2:
            if sys.argv[1] == "crash":
                sys.exit("out of ideas")
            if sys.argv[1] == "silence":
                time.sleep(60)
            if sys.argv[1] == "illegal":
                action = "bid 75"
        print("play", json.dumps(action), flush=True)
"""

REPORTS = {
    "crash": "it ended with status 1",
    "silence": "it gave no answer within 1 s",
    "illegal": "'bid 75' is not allowed",
}


@pytest.mark.slow
def test_the_examples_are_rated_like_any_other(run: Run, tmp_path: Path) -> None:
    bots = f"clerk,{EXAMPLES}/eager.py:Eager,exec {EXAMPLES}/steady"
    status, out, err = run(
        "arena",
        "batavia",
        "--bots",
        bots,
        "--players",
        "3",
        "--games",
        "6",
        "--out",
        str(tmp_path / "run"),
        "--json",
    )
    assert status == 0, err
    figures = json.loads(out)
    assert [row["reports"] for row in figures["bots"]] == [{}, {}, {}]
    assert all(row["moves"] > 50 for row in figures["bots"])
    assert sum(row["share"]["share"] for row in figures["bots"]) == pytest.approx(1)
    assert figures["bots"][0]["share"]["share"] > 0.5


@pytest.mark.parametrize("kind", REPORTS)
def test_a_bot_that_fails_is_reported_and_the_run_goes_on(tmp_path: Path, kind: str) -> None:
    program = tmp_path / "failing.py"
    program.write_text(FAILING, encoding="utf-8")
    bots = [f"exec {sys.executable} {program} {kind}", "passer-by"]
    figures = Arena(
        "batavia", bots, players=4, bot_timeout=1.0 if kind == "silence" else 10.0, folder=tmp_path / "run"
    ).play(2, workers=1)
    failing, other = figures["bots"]
    assert figures["games"] == 4
    assert sum(failing["reports"].values()) == failing["seats"] == 8
    assert all(REPORTS[kind] in reason for reason in failing["reports"])
    assert other["reports"] == {}


def test_a_table_tells_who_lost_a_chair(run: Run, tmp_path: Path) -> None:
    program = tmp_path / "failing.py"
    program.write_text(FAILING, encoding="utf-8")
    bots = f"exec {sys.executable} {program} crash,passer-by"
    status, out, _ = run(
        "arena",
        "batavia",
        "--bots",
        bots,
        "--players",
        "4",
        "--games",
        "1",
        "--out",
        str(tmp_path / "run"),
        "--workers",
        "1",
    )
    assert status == 0
    assert "it ended with status 1" in out
