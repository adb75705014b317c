"""The decisions of a run as a Parquet file: each with what its seat could know, and how the match came out."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

import comptoir
from comptoir.arena import Arena
from comptoir.arena.dataset import dataset_card_path, results_of
from comptoir.arena.standings import StandingsDict
from comptoir.engine.game import get_game
from tests.conftest import Run


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, StandingsDict]:
    """A small run, its decisions and its matches."""
    folder = tmp_path_factory.mktemp("data")
    arena = Arena("marco_polo", ["passer-by", "passer-by"], players=2, folder=folder / "run")
    figures = arena.play(4, workers=1, parquet=folder / "decisions.parquet", save_matches=folder / "matches")
    return folder, figures


def test_a_row_is_a_decision_as_its_match_has_it(made: tuple[Path, StandingsDict]) -> None:
    folder, figures = made
    game, table = get_game("marco_polo"), pq.read_table(folder / "decisions.parquet")
    rows = table.to_pylist()
    matches = {path.stem.split("-", 2)[2]: comptoir.load(path) for path in (folder / "matches").iterdir()}
    assert len(matches) == figures["games"]
    assert {row["match"] for row in rows} == matches.keys()
    assert len(rows) == sum(match.ply for match in matches.values())
    for row in rows[::7]:
        match = matches[row["match"]].at(row["ply"])
        assert row["seat"] == match.turn
        assert game.actions[row["action"]] == matches[row["match"]].played[row["ply"]]
        assert row["observation"] == game.observe(match.records[-1], match.box, match.turn).tolist()
        assert np.flatnonzero(row["action_mask"]).tolist() == game.legal(match.records[-1], match.box)
        whole = matches[row["match"]]
        assert row["points"] == whole.scores()[row["seat"]]
        assert (row["result"] > 0) == (whole.winners() == [row["seat"]])
        assert row["bot"].startswith("passer-by")


def test_a_row_holds_nothing_that_its_seat_may_not_know(made: tuple[Path, StandingsDict]) -> None:
    """Whatever is hidden is dealt again: the observation of the row stays the same."""
    folder, _ = made
    game, dealt = get_game("marco_polo"), 0
    rows = {
        (row["match"], row["ply"]): row for row in pq.read_table(folder / "decisions.parquet").to_pylist()
    }
    for path in (folder / "matches").iterdir():
        match = comptoir.load(path)
        for ply in range(0, match.ply, 9):
            p, seat = match.records[ply], int(match.records[ply]["turn"])
            world = game.seen_by(p, match.box, seat)
            game.ruleset.imagine(world, match.box, seat, np.array([ply], np.uint64))
            dealt += world.tobytes() != p.tobytes()
            row = rows[path.stem.split("-", 2)[2], ply]
            assert row["observation"] == game.observe(world, match.box, seat).tolist()
            assert np.flatnonzero(row["action_mask"]).tolist() == game.legal(world, match.box)
    assert dealt > 5


def test_the_card_says_how_it_was_made(made: tuple[Path, StandingsDict]) -> None:
    folder, figures = made
    card = dataset_card_path(folder / "decisions.parquet").read_text(encoding="utf-8")
    rows = pq.read_metadata(folder / "decisions.parquet").num_rows
    assert f"{figures['games']:,} matches, {rows:,} decisions" in card
    assert "comptoir arena marco_polo --players 2 " in card
    assert "placeholders: track" in card
    assert all(f"| `{piece.name}` |" in card for piece in get_game("marco_polo").observation.pieces)
    about = json.loads(pq.read_schema(folder / "decisions.parquet").metadata[b"comptoir"])
    assert (about["rules"], about["seed"], about["bots"]) == (2, "1", ["passer-by", "passer-by"])


def test_the_command_of_the_card_makes_the_same_file(
    made: tuple[Path, StandingsDict], tmp_path: Path, run: Run
) -> None:
    folder, _ = made
    lines = dataset_card_path(folder / "decisions.parquet").read_text(encoding="utf-8").splitlines()
    command = shlex.split(next(line for line in lines if line.startswith("comptoir arena")))[1:]
    target = tmp_path / command[-1]
    status, _, told = run(*command[:-1], str(target), "--workers", "1")
    assert status == 0
    assert f"dataset card to {dataset_card_path(target)}" in told.replace("\n", "")
    assert pq.read_table(target).equals(pq.read_table(folder / "decisions.parquet"))


def test_the_card_tells_of_own_components(tmp_path: Path) -> None:
    own, folder = tmp_path / "own.toml", get_game("marco_polo").folder
    figures = (folder / "components.toml").read_text(encoding="utf-8")
    own.write_text(figures.replace("gold = 3", "gold = 4"), encoding="utf-8")
    bots = ["passer-by", "passer-by"]
    arena = Arena("marco_polo", bots, players=2, folder=tmp_path / "run", components=own)
    arena.play(1, workers=1, parquet=tmp_path / "decisions.parquet")
    assert "--components OWN.toml" in dataset_card_path(tmp_path / "decisions.parquet").read_text(
        encoding="utf-8"
    )
    about = json.loads(pq.read_schema(tmp_path / "decisions.parquet").metadata[b"comptoir"])
    assert about["own"]["start"]["gold"] == 4


def test_results_are_a_batch_s_rewards() -> None:
    assert results_of([2], 4) == pytest.approx([-1 / 3, -1 / 3, 1, -1 / 3])
    assert results_of([0, 1], 3) == pytest.approx([0.25, 0.25, -0.5])
    assert results_of([0, 1], 2) == [0, 0]


@pytest.mark.parametrize(
    ("path", "told"),
    [("decisions.csv", "ends in .parquet"), ("nowhere/decisions.parquet", "there is no folder")],
)
def test_what_would_fail_in_the_end_is_refused_at_once(path: str, told: str, tmp_path: Path) -> None:
    arena = Arena("marco_polo", ["passer-by", "passer-by"], players=2, folder=tmp_path / "run")
    with pytest.raises(comptoir.OptionError, match=told):
        arena.play(4, workers=1, parquet=tmp_path / path)
    assert not (tmp_path / "run" / "games.jsonl").exists()


def test_without_pyarrow_we_say_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    arena = Arena("marco_polo", ["passer-by", "passer-by"], players=2, folder=tmp_path / "run")
    with pytest.raises(comptoir.MissingExtra, match=r"pip install .*\[lab\]"):
        arena.play(4, workers=1, parquet=tmp_path / "decisions.parquet")
