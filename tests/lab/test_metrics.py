"""The table of metrics: its formulas by hand, its texts, and records that earlier versions wrote."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from comptoir.engine.words import LANGUAGES
from comptoir.lab import Experiment, ExperimentLog
from comptoir.lab.match_record import MatchRecord
from comptoir.lab.metrics import METRICS
from comptoir.lab.narrator import lab_words
from comptoir.lab.sample import MatchSample

SOURCES = ("goods", "seals")
RECORD = MatchRecord(
    key="0-0-0",
    first=1,
    ending="arrival",
    stalled=False,
    decisions=40,
    choices=10,
    close=3,
    turns=20,
    free_turns=8,
    minutes=31.5,
    points=[12, 9, 12],
    winners=[0, 2],
    sources=[[10, 2], [9, 0], [4, 8]],
    halftime_points=[3, 5, 5],
    settled=0.75,
    decided=None,
    uses=[{"draw": 4}, {"draw": 1, "bid": 2}, {}],
    firsts={"draw": 1, "bid": 1},
)
OTHER = replace(
    RECORD,
    key="0-1-0",
    ending="pirates",
    stalled=True,
    close=None,
    winners=[0, 1, 2],
    uses=[{}] * 3,
    firsts={},
)
BY_HAND = {  # in the first match, and in the other
    "order.0": (0, 1 / 3),
    "order.1": (0.5, 1 / 3),
    "order.2": (0.5, 1 / 3),
    "seat.0": (0.5, 1 / 3),
    "halftime_win": (0.5, 2 / 3),
    "comeback": (0.5, 1 / 3),
    "settled": (0.75, 0.75),
    "tie": (1, 1),
    "margin": (0, 0),
    "minutes": (31.5, 31.5),
    "turns": (20, 20),
    "decisions": (40, 40),
    "choices": (0.25, 0.25),
    "close": (0.3, math.nan),
    "forced": (0.6, 0.6),
    "stalled": (0, 1),
    "ending.arrival": (1, 0),
    "ending.pirates": (0, 1),
    "source.goods": (23 / 3, 23 / 3),
    "source_edge.seals": ((2 + 8) / 2 - 0, 0),
    "use.draw": (5, 0),
    "taken.bid": (1, 0),
    "use_edge.draw": (4 / 2 - 1, 0),
    "first.draw": (0 - 1 / 3, math.nan),
}


def test_every_metric_is_what_it_says() -> None:
    sample = MatchSample([RECORD, OTHER], SOURCES)
    for key, values in BY_HAND.items():
        assert sample.column(key).tolist() == pytest.approx(values, nan_ok=True), key
    assert {key.partition(".")[0] for key in BY_HAND} == METRICS.keys() - {"decided"}
    assert "decided" not in sample.keys, "bots that do not evaluate"
    assert sample.table()["use.draw"] == [5, None], "what a match says nothing of stays empty"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_metric_has_its_texts(lang: str) -> None:
    words = lab_words("batavia", lang).texts
    assert {f"metrics.{name}" for name in METRICS} <= words.keys()
    assert {f"metrics_short.{one.name}" for one in METRICS.values() if one.in_grid} <= words.keys()


def test_records_of_earlier_versions_are_resumed(tmp_path: Path) -> None:
    made = Experiment("batavia", level="random", players=3, folder=tmp_path)
    with ExperimentLog(tmp_path, made.definition, MatchRecord):
        pass
    line = _with_keys(asdict(RECORD), {"stalled": "guard", "halftime_points": "half"})
    (tmp_path / "games.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    with ExperimentLog(tmp_path, made.definition, MatchRecord) as log:
        assert log.done == {"0-0-0": RECORD}


def _with_keys(data: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    return {names.get(key, key): value for key, value in data.items()}
