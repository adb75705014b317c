"""Judgements tuned on a box."""

from __future__ import annotations

import json
import random
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import comptoir
from comptoir.engine.evaluation import load_evaluation
from comptoir.engine.game import get_game
from comptoir.lab import Experiment
from comptoir.lab.tune import HillClimb, TuneResult, perturbed, tune_boxes, write
from comptoir.time_source import SystemTime
from tests.conftest import Run
from tests.example_game import without

BATAVIA = get_game("batavia")


class ManualTime(SystemTime):
    """Says these times, one after the other."""

    def __init__(self, times: Iterable[float]) -> None:
        self.times = iter(times)

    def monotonic(self) -> float:
        return next(self.times)


def climb(**more: Any) -> HillClimb:
    usual: dict[str, Any] = {
        "game": "batavia",
        "options": [BATAVIA.read_options(3)],
        "components": BATAVIA.components.tables,
        "minutes": 0,
        "games": 6,
        "workers": 1,
    }
    return HillClimb(**(usual | more))


def test_a_step_changes_a_few_figures_a_little_and_leaves_what_is_off() -> None:
    tables: dict[str, dict[str, Any]] = {
        "weights": {"a": 1.0, "b": [1.0, 2.0], "off": 0.0},
        "search": {"rollout_depth": 24},
    }
    new = perturbed(tables, ["a", "b", "off", "rollout_depth"], random.Random(3))
    assert new != tables
    for nth in range(50):
        stepped = perturbed(tables, ["a", "b", "off", "rollout_depth"], random.Random(nth))
        assert stepped["weights"]["off"] == 0
        assert 0.2 < stepped["weights"]["a"] < 5
        assert isinstance(stepped["search"]["rollout_depth"], int)


def test_a_file_of_figures_is_read_as_it_was_written(tmp_path: Path) -> None:
    tables = tomllib.loads((BATAVIA.folder / "evaluation.toml").read_text(encoding="utf-8"))
    write(tables, tmp_path / "a.toml")
    assert tomllib.loads((tmp_path / "a.toml").read_text(encoding="utf-8")) == tables


def test_a_climb_leaves_one_file_that_a_bot_can_play_with(tmp_path: Path) -> None:
    out, told = tmp_path / "tuned.toml", list[str]()
    found = climb(about={"command": "x"}).tune(out, told.append)
    assert (found.steps, len(told)) == (1, 1)
    assert [path.name for path in tmp_path.iterdir()] == ["tuned.toml"]
    assert load_evaluation(out, like=BATAVIA.evaluation).provenance == {
        "command": "x",
        "result": found.sentence,
    }
    with pytest.raises(comptoir.OptionError, match="batavia has no figure 'luck'"):
        climb(names=["luck"]).tune(out)


def test_what_wins_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first step wins and the second loses; the third is not begun."""
    duels = iter([(0.7, 0.1), (0.55, 0.1), (0.62, 0.1)])
    source = ManualTime([0.0, 1.0, 99.0])
    monkeypatch.setattr("comptoir.lab.tune.HillClimb.duel", lambda *_: next(duels))
    found = climb(minutes=1, time_source=source).tune(tmp_path / "tuned.toml")
    assert (found.steps, found.kept, found.share, found.better) == (2, 1, 0.62, True)
    assert not TuneResult("", 5, 2, 0.55, 0.06, 200).better
    start = tomllib.loads((BATAVIA.folder / "evaluation.toml").read_text(encoding="utf-8"))
    tuned = tomllib.loads((tmp_path / "tuned.toml").read_text(encoding="utf-8"))
    differs = [name for name in start["weights"] if start["weights"][name] != tuned["weights"][name]]
    assert 1 <= len(differs) <= 3


def test_each_box_is_played_by_who_was_tuned_on_it(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the report says so. What did not win is not used; what was tuned is not tuned again."""
    monkeypatch.setattr("comptoir.folders.data", lambda: tmp_path)
    tuned: list[str] = []

    def tune(self: HillClimb, out: Path) -> TuneResult:
        tables = tomllib.loads((BATAVIA.folder / "evaluation.toml").read_text(encoding="utf-8"))
        write({name: tables[name] for name in ("search", "weights")}, out)
        tuned.append(str(out))
        return TuneResult(str(out), 9, 3, 0.45 + 0.1 * len(tuned), 0.02, 200)

    monkeypatch.setattr(HillClimb, "tune", tune)
    arguments = ["lab", "batavia", "--change", "gold_seal=9", "--level", "clerk", "--players", "3"]
    more = ["--games", "3", "--workers", "1", "--tune", "2"]
    status, out, err = run(*arguments, *more, "--html", str(tmp_path / "a.html"), "--lang", "en")
    assert status == 0, err
    assert (
        "original: 3 of 9 changes to the evaluation were kept; the tuned one plays here: it won 55.0%" in out
    )
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert f"clerk with the figures of {Path(tuned[1]).name}" in page
    assert "whose evaluation was tuned on each box" in page
    status, out, _ = run(*arguments, *more, "--json", "--lang", "en")
    assert [one["path"] for one in json.loads(out)["tuned"]] == tuned
    assert len(tuned) == 2
    monkeypatch.setattr(
        "comptoir.lab.tune.saved_result", lambda path: TuneResult(str(path), 9, 0, 0.5, 0.02, 200)
    )
    made = Experiment("batavia", change=["gold_seal=9"], level="clerk", players=3).tune(2)
    assert made.definition.levels == ("clerk", "clerk")


@pytest.mark.parametrize("level", ["random", "clerk,merchant"])
def test_who_does_not_judge_cannot_be_tuned(level: str, tmp_path: Path) -> None:
    made = Experiment("batavia", change=["gold_seal=9"], level=level, folder=tmp_path)
    with pytest.raises(comptoir.OptionError, match="tune: expected one level that judges"):
        tune_boxes(made, 1)
    with pytest.raises(comptoir.OptionError, match="tune: expected minutes above 0"):
        made.tune(0)


def test_a_game_without_figures_cannot_be_tuned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bare = without("batavia", ["evaluation.toml"], tmp_path, monkeypatch)
    made = Experiment(bare.name, level="clerk", players=3, folder=tmp_path / "run")
    with pytest.raises(comptoir.OptionError, match="whose figures could be tuned"):
        tune_boxes(made, 1)
