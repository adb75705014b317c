"""Experiments and simulations on a device: games played whole, and what is told of them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import comptoir
from comptoir.engine.game import get_game
from comptoir.lab import Experiment, Result
from comptoir.lab.fit import fit
from comptoir.lab.match_record import MatchRecord
from comptoir.lab.sample import BulkSample, MatchSample
from comptoir.research.bulk import BulkGames
from tests.conftest import Run
from tests.research.playing import why_no_gpu

PEPPER = ["gold_sole.pepper=20"]
MEASURED = ("seconds", "games_per_second", "decisions_per_second")


def experiment(**more: Any) -> Experiment:
    usual: dict[str, Any] = {"change": PEPPER, "level": "heuristic", "players": 3, "device": "cpu"}
    return Experiment("batavia", **(usual | more))


@pytest.fixture(scope="module")
def whole() -> Result:
    return experiment().play(2_000, workers=1)


def test_all_games_at_once_say_what_each_alone_would() -> None:
    """Ties, and games that all have won, too."""
    game, rng = get_game("batavia"), np.random.default_rng(3)
    sheets = rng.integers(0, 3, (300, 3, len(game.rules.SOURCES)))
    sheets[:20] = 1
    points = sheets.sum(2)
    won = points == points.max(1, keepdims=True)
    games = BulkGames(
        firsts=rng.integers(0, 3, 300).astype(np.int8),
        lengths=rng.integers(50, 90, 300).astype(np.int32),
        endings=np.full(300, game.rules.ENDINGS.index("arrival"), np.uint8),
        sheets=sheets,
        shares=won / won.sum(1, keepdims=True),
    )
    sample = BulkSample(game, [games])
    recorded = MatchSample([record_of(games, nth) for nth in range(300)], game.rules.SOURCES)
    assert {"order.2", "tie", "margin", "decisions", "ending.arrival", "source.tea"} <= set(sample.keys)
    for key in sample.keys:
        assert sample.column(key) == pytest.approx(recorded.column(key)), key


def record_of(games: BulkGames, nth: int) -> MatchRecord:
    """The same game as if it had been noted; what playing it whole does not tell is made up."""
    sheet = games.sheets[nth]
    return MatchRecord(
        key="0-0-0",
        first=int(games.firsts[nth]),
        ending="arrival",
        stalled=False,
        decisions=int(games.lengths[nth]),
        choices=1,
        close=None,
        turns=1,
        free_turns=1,
        minutes=1.0,
        points=sheet.sum(1).tolist(),
        winners=np.flatnonzero(games.shares[nth]).tolist(),
        sources=sheet.tolist(),
        halftime_points=[0, 0, 0],
        settled=0.0,
        decided=None,
        uses=[{}, {}, {}],
        firsts={},
    )


def test_thousands_of_deals_are_compared_in_a_moment(whole: Result) -> None:
    assert whole.deals == 2_000
    assert whole.metric("source.pepper").difference.significant  # type: ignore[union-attr]
    assert sum(one.boxes[0].value for one in whole.metrics[0] if one.name == "order") == pytest.approx(1)
    assert not any(one.name in ("use", "halftime_win", "minutes") for one in whole.metrics[0])
    assert not whole.is_same(0)
    columns = whole.columns()
    assert {len(column) for column in columns.values()} == {4_000}
    assert len(whole.records()) == 4_000
    assert {"deal", "box", "points.2", "order.0", "source.tea"} <= columns.keys()


def test_threads_give_the_same_figures_and_deals_of_their_own_give_others(whole: Result) -> None:
    assert experiment().play(2_000, workers=2).to_dict() == whole.to_dict()
    apart = experiment(paired=False).play(500)
    one, other = apart.samples[0]
    assert one.column("decisions").tolist() != other.column("decisions").tolist()


def test_until_it_is_sure_enough() -> None:
    assert experiment(change=[]).play(precision=0.004).max_half_width <= 0.004


def test_the_page_says_what_was_left_out(whole: Result) -> None:
    page = whole.html("en")
    assert "Metrics that need the course of a match are missing" in page
    assert "by the clerk's rollout policy" in page.replace("’", "'")
    assert "<h3>Components</h3>" not in page
    assert "parties finissent par" in experiment(change=[], level="random").play(200).html("fr")


@pytest.mark.parametrize(
    ("given", "refused"),
    [
        (["--level", "merchant"], "level: with --device expected random or heuristic, found 'merchant'"),
        (["--level", "heuristic", "--tune", "1"], "not with --tune, --skill or --ray"),
        (["--level", "heuristic", "--skill", "4"], "not with --tune, --skill or --ray"),
    ],
)
def test_what_needs_bots_is_refused_in_a_sentence(run: Run, given: list[str], refused: str) -> None:
    status, _, err = run("lab", "batavia", "--device", "cpu", *given, "--lang", "en")
    assert (status, refused in err) == (2, True), err


def test_a_wish_may_be_for_what_is_known() -> None:
    more: dict[str, Any] = {"level": "heuristic", "players": 3, "device": "cpu", "games": 400, "trials": 2}
    fitted = fit("batavia", ["gold_seal=1..3"], ["seats=20%"], **more)
    assert fitted.targets[0][2] == 0
    with pytest.raises(comptoir.OptionError, match="with --device only seats, tie, margin, decisions"):
        fit("batavia", ["gold_seal=1..3"], ["minutes=1..90"], **more)


def test_the_commands_tell_and_record_nothing(run: Run) -> None:
    arguments = [
        "lab",
        "batavia",
        "--change",
        *PEPPER,
        "--level",
        "heuristic",
        "--device",
        "cpu",
        "--games",
        "500",
    ]
    status, out, err = run(*arguments, "--lang", "fr")
    assert status == 0, err
    assert "500 donnes avec chaque boîte, selon les habitudes du commis" in out
    assert "Enregistré" not in err
    grid = run("lab", "batavia", "--vary", "gold_seal=1..2", *arguments[4:], "--lang", "en")[1]
    assert "Half-time" not in grid


def test_random_games_are_those_of_simulate(run: Run) -> None:
    command = ("simulate", "batavia", "--games", "3000", "--seed", "4", "--json")
    plain, whole = (json.loads(run(*command, *more)[1]) for more in ((), ("--device", "cpu")))
    assert (whole.pop("device"), whole.pop("policy")) == ("cpu", "random")
    for figures in (plain, whole):
        for name in MEASURED:
            del figures[name]
    assert plain == whole
    out = run(
        "simulate", "batavia", "--policy", "heuristic", "--device", "cpu", "--games", "300", "--lang", "en"
    )[1]
    assert "300 games by the clerk's rollout policy" in out


@pytest.mark.skipif(not why_no_gpu(), reason="there is a GPU here")
@pytest.mark.parametrize("command", ["simulate", "lab"])
def test_without_a_gpu_one_sentence_says_so(run: Run, command: str) -> None:
    level = "--policy" if command == "simulate" else "--level"
    status, _, err = run(command, "batavia", level, "heuristic", "--device", "cuda", "--lang", "en")
    assert status == 2
    assert "device: cuda " in err
    assert "Traceback" not in err
