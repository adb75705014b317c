"""Experiments: what is changed, played, recorded, told and refused."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import comptoir
from comptoir.bots.searcher import ActionEstimate
from comptoir.engine.game import get_game
from comptoir.games.batavia.rules import GOODS
from comptoir.lab import Experiment, Result
from comptoir.lab.boxes import change, differences, values_of
from comptoir.lab.match_record import MatchSpec, play
from comptoir.lab.narrator import Narrator, lab_words
from comptoir.lab.sample import MatchSample
from comptoir.lab.skill import skill_of
from comptoir.lab.tension import BotEstimate, decided_at
from tests import example_game
from tests.conftest import Run

PEPPER = ["gold_sole.pepper=20"]


def experiment(folder: Path, **more: Any) -> Experiment:
    usual: dict[str, Any] = {"change": PEPPER, "level": "random", "players": 3, "folder": folder}
    return Experiment("batavia", **(usual | more))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """Thirty deals that nothing has disturbed."""
    return experiment(tmp_path_factory.mktemp("whole")).play(30, workers=1)


# What is changed


@pytest.mark.parametrize("key", ["gold_sole.pepper", "gold.sole.pepper"])
def test_a_change_is_named_as_in_the_box_or_as_in_the_file(key: str) -> None:
    batavia = get_game("batavia")
    ours = batavia.components.tables
    changed = change(batavia, ours, [f"{key}=20"])
    assert differences(batavia, ours, changed) == [("gold_sole.pepper", 16, 20)]
    assert ours["gold"]["sole"]["pepper"] == 16


@pytest.mark.slow
def test_every_figure_of_every_game_can_be_changed() -> None:
    for name in ("batavia", "century", "marco_polo", "sail_to_india"):
        game = get_game(name)
        for key, value in values_of(game, game.components.tables).items():
            text = json.dumps(value)
            assert (
                differences(
                    game, game.components.tables, change(game, game.components.tables, [f"{key}={text}"])
                )
                == []
            )


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (["gold_sole.peper=20"], "no figure 'gold_sole.peper', did you mean 'gold_sole.pepper'?"),
        (["gold_sole.pepper"], "expected KEY=VALUE"),
        (["gold_sole.pepper=300"], "gold_sole.pepper: expected a whole number from 0 to 255; found 300"),
        (["gold_sole.pepper=much"], "gold_sole.pepper: expected a whole number from 0 to 255; found 'much'"),
        (["gold_set=[1, 2]"], "gold_set: expected a list of 6 entries, found 2 entries"),
    ],
)
def test_a_bad_change_gets_the_schemas_own_sentence(changes: list[str], told: str, tmp_path: Path) -> None:
    with pytest.raises(comptoir.ComptoirError) as error:
        experiment(tmp_path, change=changes)
    assert told in str(error.value)


@pytest.mark.slow
def test_a_box_that_nobody_can_finish_is_told_and_stops(tmp_path: Path) -> None:
    """In Century, tiles that cost more than a hold can keep: every match would go on to round 200."""
    made = Experiment("century", change=[f"vp_cost={[[10] * 4] * 26}"], players=2, folder=tmp_path)
    with pytest.raises(comptoir.OptionError, match="the changed box cannot be finished by 2 players"):
        made.play(5, workers=1)
    assert not (tmp_path / "games.jsonl").exists()


def test_a_box_that_cannot_be_dealt_is_told_and_stops(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = experiment(tmp_path)
    monkeypatch.setitem(vars(made.game.rules), "check_position", lambda p, box: ["a hand is short"])
    with pytest.raises(comptoir.OptionError, match="the box cannot be dealt to 3 players: a hand is short"):
        made.play(5, workers=1)


# What is played


@pytest.mark.slow
def test_boxes_have_the_same_deals_until_the_change_matters(whole: Result, tmp_path: Path) -> None:
    """Random players do not see the change: every match takes the same course, and only gold differs."""
    before, after = whole.match_records[0]
    assert [one.uses for one in before] == [one.uses for one in after]
    assert [one.points for one in before] != [one.points for one in after]
    assert whole.metric("use.pepper").difference.value == 0  # type: ignore[union-attr]
    for key in ("order.0", "margin", "source.tea", "use.tea"):
        assert whole.metric(key).difference.pairing_gain > 3, key  # type: ignore[union-attr]
    apart = experiment(tmp_path / "apart", paired=False).play(4, workers=1)
    assert [one.uses for one in apart.match_records[0][0]] != [one.uses for one in apart.match_records[0][1]]


def test_what_is_noted_of_a_match_is_so(whole: Result) -> None:
    for trial in whole.match_records[0][0]:
        assert trial.points == [sum(sources) for sources in trial.sources]
        assert max(trial.points) == trial.points[trial.winners[0]]
        assert trial.choices <= trial.decisions
        assert trial.free_turns <= trial.turns <= trial.decisions
        assert 0 <= trial.settled <= 1
        crates = sum(seat.get(good, 0) for seat in trial.uses for good in GOODS)
        assert crates <= sum(
            n for seat in trial.uses for name, n in seat.items() if name.startswith("advance")
        )
        assert trial.uses[trial.firsts["draw"]]["draw"] > 0
    assert sum(one.boxes[0].value for one in whole.metrics[0] if one.name == "order") == pytest.approx(1)


@pytest.mark.parametrize("name", ["batavia", "century", "marco_polo", "sail_to_india"])
def test_every_game_tells_its_components_in_both_languages(name: str, tmp_path: Path) -> None:
    """What a match uses is among what can be used, and has words."""
    made = Experiment(name, level="clerk", folder=tmp_path)
    trials = [play(made.definition, MatchSpec(0, deal, 0)) for deal in range(2)]
    known = Result(made, [[MatchSample(trials, made.game.rules.SOURCES)]]).components
    assert {used for trial in trials for seat in trial.uses for used in seat} <= set(known)
    assert all(1 < trial.minutes < 200 for trial in trials)
    for lang in ("en", "fr"):
        narrator = Narrator(lab_words(name, lang))
        said = [narrator.component(component) for component in known]
        assert len(set(said)) == len(known)
        assert not any("{" in text for text in said)


def test_an_outside_game_needs_nothing_for_it(tmp_path: Path) -> None:
    with example_game.known():
        result = Experiment("lots", level="random", folder=tmp_path).play(4, workers=1)
        assert result.metric("use.bid").boxes[0].value > 0
        assert "<h1>" in result.html("fr")


def test_the_same_box_twice_is_no_difference(tmp_path: Path) -> None:
    tables = get_game("batavia").components.tables
    result = experiment(tmp_path, change=[], components=[tables, tables], level="clerk").play(8, workers=1)
    assert result.is_same(0)
    assert not any(one.difference.significant for one in result.metrics[0] if one.difference)
    assert result.findings("en") == [
        "Every match came out the same: on these deals, the change affected nobody."
    ]


def test_each_box_may_have_bots_of_its_own(tmp_path: Path) -> None:
    made = experiment(tmp_path, change=["gold_seal=3"], level="passant,commis")
    assert made.definition.levels == ("passer-by", "clerk")
    result = made.play(4, workers=1)
    assert "passant → commis" in result.html("fr")
    assert result.metric("use.draw").difference.value < 0  # type: ignore[union-attr]
    with pytest.raises(comptoir.OptionError, match="one for each of 2 boxes"):
        experiment(tmp_path, level="clerk,clerk,clerk")


@pytest.mark.slow
def test_a_change_that_matters_is_found(tmp_path: Path) -> None:
    result = experiment(tmp_path, change=["gold_seal=20"]).play(40, workers=1)
    assert result.metric("source.seals").difference.significant  # type: ignore[union-attr]
    assert any(sentence.startswith("Seals, gold per player") for sentence in result.findings("en"))
    assert any(sentence.startswith("Sceaux, or par joueur") for sentence in result.findings("fr"))


def test_skill_and_luck_are_told(whole: Result, tmp_path: Path) -> None:
    told = Result(whole.experiment, whole.samples)
    told.skill = skill_of(experiment(tmp_path), 12, ("clerk", "passer-by"), workers=1)
    box = told.skill[0][0]
    assert told.to_dict()["tables"][0]["skill"][0]["wins"]["value"] == box.wins.value
    assert told.to_dict()["tables"][0]["skill"][0]["luck"]["high"] == box.luck.high
    page = told.html("fr")
    assert "<h3>Habileté et hasard</h3>" in page
    assert "tient à la donne et à la place" in page


def test_close_calls_and_when_it_is_decided_are_what_the_bots_think(tmp_path: Path, whole: Result) -> None:
    """Clerks and searches judge; random players do not, and nothing is told of it."""
    for level in ("clerk", "merchant:40"):
        result = experiment(tmp_path / level[:5], change=[], level=level).play(4, workers=1)
        for trial in result.match_records[0][0]:
            assert 0 < trial.close < trial.choices  # type: ignore[operator]
            assert 0 <= trial.decided <= 1  # type: ignore[operator]
        close, decided = result.metric("close").boxes[0], result.metric("decided").boxes[0]
        assert 0 < close.low < close.value < close.high < 1
        assert decided.deals == 4
        page = result.html("en")
        assert "are close calls: the game is still open" in page
        assert "the winner's chances stay above 50" in page.replace("’", "'")
        assert "close" in result.columns()
    assert whole.match_records[0][0][0].close is None
    assert "close calls" not in whole.html("en")
    assert "close" not in whole.columns()


@pytest.mark.parametrize("name", ["captain:8", "admiral:8x2"])
def test_a_level_with_a_network_is_the_same_on_all_boxes(tmp_path: Path, name: str) -> None:
    """A box that is compared with a changed one is not played with a network that only fits the first."""
    alone = Experiment("century", level=name, players=2, folder=tmp_path / "alone")
    assert (alone.definition.levels, alone.replaced) == ((name,), {})
    changed = Experiment("century", level=name, change=["vp_points.0=12"], players=2, folder=tmp_path / "two")
    other = name.replace("captain", "search").replace("admiral", "search")
    assert (changed.definition.levels, changed.replaced) == ((other,), {name: other})
    for experiment_ in (alone, changed):
        played = experiment_.play(2, workers=1)
        assert all(match.close is not None for match in played.match_records[0][0])


def test_the_number_of_deals_goes_by_the_iterations(tmp_path: Path) -> None:
    deals = {"random": 2_000, "clerk": 1_000, "merchant": 300, "captain": 40, "search:50000x8": 10}
    for level, number in deals.items():
        assert experiment(tmp_path, level=level).default_deals == number  # a changed box: no network fits


def test_which_calls_are_close() -> None:
    def call(*opinions: tuple[float, int]) -> BotEstimate:
        return BotEstimate.of(
            0, 0, [ActionEstimate(nth, share, n) for nth, (share, n) in enumerate(opinions)]
        )

    assert call((0.4, 100), (0.385, 50)).is_close
    assert not call((0.4, 100), (0.375, 50)).is_close
    assert not call((0.4, 100), (0.4, 5)).is_close, "five tries are no opinion"
    assert call((0.4, 8), (0.39, 8)).is_close, "a clerk looks at all of them alike"
    assert not call((0.97, 100), (0.96, 50)).is_close, "a game that is won"
    assert not call((0.4, 100)).is_close


def test_a_game_is_decided_when_the_winner_stays_ahead() -> None:
    turns = [3, 6, 9, 12]
    shares = {0: 0.6, 4: 0.4, 7: 0.55, 10: 0.7}
    thoughts = [BotEstimate(ply, 1, share, None) for ply, share in shares.items()]
    assert decided_at(thoughts, [1], turns) == 0.5, "after two turns, before the decision at ply 7"
    assert decided_at(thoughts, [0], turns) == 1, "the winner never thought so"
    assert decided_at([*thoughts, BotEstimate(11, 1, 0.3, None)], [1], turns) == 1
    assert decided_at(thoughts[2:], [0, 1], turns) == 0.5


# Recorded, on several processes, on a cluster


@pytest.mark.slow
def test_a_stopped_experiment_goes_on(tmp_path: Path, whole: Result) -> None:
    made = experiment(tmp_path)

    def stop(done: int, total: int) -> None:
        if done == 7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        made.play(30, workers=1, progress=stop)
    assert len((tmp_path / "games.jsonl").read_text().splitlines()) == 7
    told: list[int] = []
    result = experiment(tmp_path).play(30, workers=1, progress=lambda done, total: told.append(done))
    assert told[0] == 7
    assert result.to_dict() == whole.to_dict()
    with pytest.raises(comptoir.OptionError, match="holds another run: its components are others"):
        experiment(tmp_path, change=["gold_sole.pepper=21"]).play(1, workers=1)


@pytest.mark.slow
def test_processes_give_the_same_figures(tmp_path: Path, whole: Result) -> None:
    assert experiment(tmp_path).play(30, workers=2).to_dict() == whole.to_dict()


@pytest.mark.long  # half a minute, for the way to Ray that the arena takes too
@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="Ray is not installed")
def test_a_local_ray_gives_the_same_figures(tmp_path: Path, whole: Result) -> None:
    arguments = [
        "lab",
        "batavia",
        "--change",
        *PEPPER,
        "--level",
        "random",
        "--players",
        "3",
        "--games",
        "30",
    ]
    where = ["--out", str(tmp_path), "--ray", "local", "--workers", "2", "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "comptoir", *arguments, *where], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == json.loads(json.dumps(whole.to_dict()))


def test_until_it_is_sure_enough(tmp_path: Path) -> None:
    result = experiment(tmp_path, change=[]).play(precision=0.12, workers=1)
    assert result.max_half_width <= 0.12
    assert 50 <= result.deals <= 200


# As data


def test_a_row_a_match(whole: Result, tmp_path: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(whole.csv())))
    assert len(rows) == 60
    assert {row["box"] for row in rows} == {"A", "B"}
    columns = whole.columns()
    assert {len(column) for column in columns.values()} == {60}
    parquet = pytest.importorskip("pyarrow.parquet")
    (tmp_path / "matches.parquet").write_bytes(whole.parquet())
    read = parquet.read_table(tmp_path / "matches.parquet").to_pydict()
    assert read["use.pepper"] == columns["use.pepper"]
    assert read["minutes"] == columns["minutes"]


def test_the_command_plays_tells_and_writes(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = ["lab", "batavia", "--change", *PEPPER, "--level", "random", "--players", "3,4"]
    more = ["--games", "12", "--workers", "1", "--out", "run", "--html", "a.html", "--csv", "a.csv"]
    status, out, err = run(*arguments, *more, "--lang", "fr")
    assert status == 0, err
    assert "gold_sole.pepper: 16 → 20" in out
    assert "Comptoir du poivre, or par joueur" in out
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert '<html lang="fr">' in page
    assert "http" not in page.replace("http://www.w3.org", "")
    assert len(page) < 300_000
    status, out, _ = run(*arguments, *more, "--json", "--lang", "en")
    data = json.loads(out)
    assert [table["options"]["players"] for table in data["tables"]] == ["3", "4"]
    assert data["changes"] == [{"key": "gold_sole.pepper", "before": 16, "after": 20}]


@pytest.mark.parametrize(
    ("given", "refused"),
    [
        (["--precision", "2"], "such as 1% or 0.01; found 2"),
        (["--players", "3,9"], "Batavia is for 3 to 5 players, not 9"),
        (["--html", "no/where.html"], "there is no folder 'no'"),
        (["--level", "clark"], "did you mean 'clerk'?"),
        (["--change", "x=1"], "has no figure 'x'"),
        (["--components", "a", "b", "--change", "x=1"], "expected one file to change, or several to compare"),
        (["--components", "a", "b", "c"], "expected one file to change, or two to compare"),
        (["--vary", "gold_seal=1"], "expected KEY=LOW..HIGH"),
        (["--vary", "gold_seal=1..200"], "200 boxes are too many"),
        (["--vary", "gold_seal=300..301"], "expected a whole number from 0 to 255; found 300"),
        (["--fit", "--vary", "gold_seal=1..3"], "one wish at least"),
        (["--tune", "1", "--vary", "gold_seal=1..3"], "tune: expected one change"),
        (["--skill", "4", "--skill-bots", "clerk"], "expected two bots, the better first"),
        (["--fit", "--vary", "gold_seal=1..3", "--target", "fun=1"], "target: expected NAME=LOW..HIGH"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(run: Run, given: list[str], refused: str) -> None:
    status, _, err = run("lab", "batavia", *given, "--lang", "en")
    assert status == 2
    assert refused in err
    assert "Traceback" not in err
