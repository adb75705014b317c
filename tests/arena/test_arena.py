"""Runs of the arena: recorded, resumed, refused, kept, drawn; here, in processes and on a local Ray."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, cast
from xml.etree import ElementTree

import pytest

import comptoir
from comptoir.arena import Arena
from comptoir.arena.game_record import GameRecord, RunDefinition, labels, play, seat_names
from comptoir.arena.schedule import GameSpec
from comptoir.arena.standings import StandingsDict
from comptoir.arena.standings_chart import draw, save
from comptoir.arena.workers import play_all
from comptoir.bots.seated import SeatedBot
from comptoir.cli import main
from comptoir.cli.arguments import cli_words

BOTS = ["clerk", "passer-by"]


def arena(folder: Path, bots: list[str] = BOTS, **more: Any) -> Arena:
    return Arena("batavia", bots, folder=folder, **({"players": 3} | more))


def untimed(figures: Any) -> Any:
    """The figures without the times, which are measured."""
    return figures | {"bots": [row | {"milliseconds": None} for row in figures["bots"]]}


def lines(folder: Path) -> list[str]:
    return (folder / "games.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A run of twelve games that nothing has disturbed."""
    folder = tmp_path_factory.mktemp("whole")
    return folder, untimed(arena(folder).play(12, workers=1))


# What is played


def test_a_unit_gives_the_same_result_whenever_it_is_played(tmp_path: Path) -> None:
    definition = arena(tmp_path).definition
    one, other = (play(definition, GameSpec(5, (0, 1, 1))) for _ in range(2))
    assert one.actions == other.actions
    assert (one.winners, one.points, one.moves) == (other.winners, other.points, other.moves)
    assert sum(one.moves) == len(one.actions)
    assert play(definition, GameSpec(5, (1, 1, 0))).actions != one.actions


@pytest.mark.slow
def test_processes_play_the_same(tmp_path: Path, whole: tuple[Path, Any]) -> None:
    told: list[tuple[int, int]] = []
    figures = arena(tmp_path).play(12, workers=2, progress=lambda done, total: told.append((done, total)))
    assert untimed(figures) == whole[1]
    assert told == [(n, 12) for n in range(13)]


@pytest.mark.slow
@pytest.mark.skipif(
    importlib.util.find_spec("ray") is None, reason="Ray is not installed: pip install 'comptoir[ray]'"
)
def test_a_local_ray_plays_the_same(tmp_path: Path, whole: tuple[Path, Any]) -> None:
    out = command(
        tmp_path / "ray", "--games", "12", "--ray", "local", "--workers", "2", "--json"
    ).communicate(timeout=300)[0]
    assert untimed(json.loads(out)) == whole[1]


def test_another_comptoir_on_another_machine_is_refused(tmp_path: Path) -> None:
    given: dict[str, Any] = arena(tmp_path).definition.to_dict() | {"code": "other"}
    definition = RunDefinition(**given)
    with pytest.raises(comptoir.OptionError, match="another Comptoir"):
        play(definition, GameSpec(0, (0, 1, 1)))


def test_a_worker_that_dies_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        def __init__(self, *_: object) -> None: ...
        def submit(self, *_: object) -> None:
            from concurrent.futures.process import BrokenProcessPool

            raise BrokenProcessPool

        def shutdown(self, **_: object) -> None: ...

    monkeypatch.setattr("comptoir.arena.workers.ProcessPoolExecutor", Broken)
    with pytest.raises(comptoir.OptionError, match="worker process has died"):
        list(play_all(arena(tmp_path).definition, [GameSpec(0, (0, 1, 1))], workers=2))


def test_a_bot_that_loses_its_chair_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    choose = SeatedBot.choose

    def lose(chair: SeatedBot) -> str:
        if chair.spec == "clerk":
            chair.report = f"clerk, seat {chair.seat}, position {chair.match.ply}: it [is] late"
        return choose(chair)

    monkeypatch.setattr(SeatedBot, "choose", lose)
    monkeypatch.setenv("LANG", "C.UTF-8")
    assert (
        main(
            [
                "arena",
                "batavia",
                "--bots",
                "clerk,passer-by",
                "--players=3",
                "--games=6",
                "--workers=1",
                f"--out={tmp_path}",
            ]
        )
        == 0
    )
    out = capsys.readouterr().out
    assert "clerk was replaced by a passer-by in 9 of 9 seats" in out
    assert "9 × it [is] late" in out


# The record


def test_more_games_go_on_from_fewer(tmp_path: Path, whole: tuple[Path, Any]) -> None:
    arena(tmp_path).play(1, workers=1)
    before = lines(tmp_path)
    assert len(before) == 6
    assert untimed(arena(tmp_path).play(12, workers=1)) == whole[1]
    assert lines(tmp_path)[:6] == before
    assert len(lines(tmp_path)) == 12


@pytest.mark.parametrize("torn", ["half", "no newline", "none"])
def test_a_torn_last_line_is_played_again(tmp_path: Path, whole: tuple[Path, Any], torn: str) -> None:
    (tmp_path / "run.json").write_bytes((whole[0] / "run.json").read_bytes())
    kept, last = lines(whole[0])[:7], lines(whole[0])[7]
    end = {"half": last[: len(last) // 2], "no newline": last[:-1], "none": ""}[torn]
    (tmp_path / "games.jsonl").write_text("".join(kept) + end, encoding="utf-8")
    assert untimed(arena(tmp_path).play(12, workers=1)) == whole[1]
    assert lines(tmp_path)[:7] == kept
    assert len(lines(tmp_path)) == 12


def test_a_run_of_an_earlier_version_is_resumed(tmp_path: Path, whole: tuple[Path, Any]) -> None:
    """It said `limit` in its header, and `reports` in its lines."""
    header = (whole[0] / "run.json").read_text(encoding="utf-8").replace('"bot_timeout"', '"limit"')
    (tmp_path / "run.json").write_text(header, encoding="utf-8")
    old = [line.replace('"failures"', '"reports"') for line in lines(whole[0])[:7]]
    assert '"limit"' in header
    assert '"reports"' in old[0]
    (tmp_path / "games.jsonl").write_text("".join(old), encoding="utf-8")
    assert untimed(arena(tmp_path).play(12, workers=1)) == whole[1]
    assert lines(tmp_path)[:7] == old


def test_a_damaged_line_is_named(tmp_path: Path, whole: tuple[Path, Any]) -> None:
    (tmp_path / "games.jsonl").write_text(
        "".join([lines(whole[0])[0], "{}\n", lines(whole[0])[1]]), encoding="utf-8"
    )
    with pytest.raises(comptoir.DataError, match="line 2 is damaged"):
        arena(tmp_path).play(12, workers=1)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"bots": ["passer-by", "clerk"]}, "bots clerk,passer-by there, passer-by,clerk here"),
        ({"seed": 2}, "seed 1 there, 2 here"),
        ({"players": 4}, "players 3, setup shuffled"),
        ({"bot_timeout": 5}, "bot_timeout None there, 5 here"),
    ],
)
def test_another_run_in_the_same_folder_is_refused(
    whole: tuple[Path, Any], change: dict[str, Any], told: str
) -> None:
    before = lines(whole[0])
    with pytest.raises(comptoir.OptionError, match="holds another run") as error:
        arena(whole[0], **change).play(1, workers=1)
    assert told in str(error.value)
    assert "--fresh" in str(error.value)
    assert lines(whole[0]) == before


@pytest.mark.parametrize(
    ("key", "told"),
    [("code", "code has changed"), ("files", "files of custom bots"), ("components", "components")],
)
def test_a_run_of_bots_that_have_changed_is_refused(tmp_path: Path, key: str, told: str) -> None:
    header = {"title": "comptoir arena 1"} | arena(tmp_path).definition.to_dict() | {key: {"other": 1}}
    (tmp_path / "run.json").write_text(json.dumps(header), encoding="utf-8")
    with pytest.raises(comptoir.OptionError, match=told):
        arena(tmp_path).play(1, workers=1)


def test_a_header_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("[]", encoding="utf-8")
    with pytest.raises(comptoir.DataError, match="not the header of an arena run"):
        arena(tmp_path).play(1, workers=1)


def test_fresh_starts_over(tmp_path: Path, whole: tuple[Path, Any]) -> None:
    arena(tmp_path, seed=2).play(1, workers=1)
    assert untimed(arena(tmp_path).play(12, workers=1, fresh=True)) == whole[1]
    assert len(lines(tmp_path)) == 12


def test_two_arenas_do_not_write_to_one_folder(tmp_path: Path) -> None:
    def second(done: int, total: int) -> None:
        with pytest.raises(comptoir.OptionError, match="another arena is playing"):
            arena(tmp_path).play(1, workers=1)

    arena(tmp_path).play(1, workers=1, progress=second)


def test_the_folder_is_named_by_what_is_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    one, other = Arena("batavia", BOTS), Arena("batavia", BOTS, seed=2)
    assert one.folder.parent == tmp_path / "comptoir" / "arena"
    assert one.folder.name.startswith("batavia-")
    assert one.folder == Arena("batavia", BOTS).folder != other.folder


# Other components, custom bots


def test_own_components_are_part_of_the_run(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    text = (Path(comptoir.__file__).parent / "games" / "batavia" / "components.toml").read_text(
        encoding="utf-8"
    )
    own.write_text(text.replace("seal = 2", "seal = 4", 1), encoding="utf-8")
    run = arena(tmp_path / "run", components=own)
    assert run.definition.components is not None
    assert run.folder != arena(tmp_path / "other").folder
    run.play(1, workers=1, save_matches=tmp_path / "kept")
    match = comptoir.load(next((tmp_path / "kept").iterdir()))
    assert match.components.tables == run.definition.components


def test_files_of_own_bots_are_part_of_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("comptoir.arena.check", lambda spec: None)
    bot = tmp_path / "mine.py"
    bot.write_text("one")
    specs = [f"{bot}:MyBot", f"exec python3 {bot} 'a b'", "exec 'torn"]
    before = arena(tmp_path, specs).definition
    assert list(before.files) == [str(bot)]
    bot.write_text("two")
    assert arena(tmp_path, specs).definition != before


def test_names(tmp_path: Path) -> None:
    assert labels(["clerk", "captain", "clerk"]) == ["clerk", "captain", "clerk (2)"]
    assert labels(["my/own.py:Bot", "exec ../bin/bot --fast", "exec bot --fast"]) == [
        "own.py:Bot",
        "exec bot --fast",
        "exec bot --fast (2)",
    ]
    assert seat_names(["clerk", "a #b"], GameSpec(0, (0, 1, 0))) == ["clerk · 1", "a b", "clerk · 2"]
    long = "exec python a_program_of_ours.py --depth 12"
    assert seat_names([long, "clerk"], GameSpec(0, (0, 1, 0))) == [
        "exec python a_program_of_ou",
        "clerk",
        "exec python a_program_ 2",
    ]


# Match files


def test_kept_matches_are_the_matches(tmp_path: Path, whole: tuple[Path, Any]) -> None:
    """Those played now and those played before."""
    arena(tmp_path / "run").play(1, workers=1)
    arena(tmp_path / "run").play(12, workers=1, save_matches=tmp_path / "kept")
    kept = sorted((tmp_path / "kept").iterdir())
    assert len(kept) == 12
    by_key = {played.key: played for played in (GameRecord(**json.loads(line)) for line in lines(whole[0]))}
    for path in kept:
        match, played = comptoir.load(path), by_key[path.stem.split("-", 2)[2]]
        assert match.over
        assert match.winners() == played.winners
        assert match.scores() == played.points
        assert {name.split(" · ")[0] for name in match.names} == set(BOTS)


# The command


def command(folder: Path, *more: str) -> subprocess.Popen[str]:
    arguments = ["arena", "batavia", "--bots", ",".join(BOTS), "--players", "3", "--out", str(folder), *more]
    return subprocess.Popen(
        [sys.executable, "-m", "comptoir", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_games(running: subprocess.Popen[str], folder: Path, least: int) -> None:
    until = time.monotonic() + 240
    while not (folder / "games.jsonl").exists() or len(lines(folder)) < least:
        assert running.poll() is None, running.communicate()
        assert time.monotonic() < until
        time.sleep(0.02)


@pytest.mark.slow
def test_killed_in_the_middle_it_ends_with_the_same_table(tmp_path: Path) -> None:
    expected = untimed(arena(tmp_path / "whole").play(120, workers=1))
    killed = tmp_path / "killed"
    running = command(killed, "--games", "120", "--workers", "2", "--json")
    wait_for_games(running, killed, 10)
    running.kill()
    running.communicate()
    played = len(lines(killed))
    assert 10 <= played < 120
    again = command(killed, "--games", "120", "--workers", "2", "--json")
    out, err = again.communicate(timeout=300)
    assert again.returncode == 0, err
    assert untimed(json.loads(out)) == expected
    assert len(lines(killed)) == 120


@pytest.mark.slow
def test_ctrl_c_says_how_to_go_on(tmp_path: Path) -> None:
    # tests run in the background of a script would ignore it
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    running = command(tmp_path, "--games", "3000", "--workers", "2")
    signal.signal(signal.SIGINT, before)
    wait_for_games(running, tmp_path, 2)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "Traceback" not in err
    assert "of 3000 games, which are saved. Repeat the command to continue." in " ".join(err.split())
    assert out == ""


@pytest.fixture
def english(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.usefixtures("english")
def test_the_table_in_both_languages(
    whole: tuple[Path, Any], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = f"--out={whole[0]}"
    drawn = tmp_path / "run.svg"
    arguments = [
        "arena",
        "batavia",
        "--bots",
        ",".join(BOTS),
        "--players",
        "3",
        "--games",
        "12",
        folder,
        "--chart",
        str(drawn),
    ]
    assert main(arguments) == 0
    out, err = capsys.readouterr()
    assert "Batavia, 3 players: 12 games on 2 deals, all seatings rotated, seed 1" in out
    assert "% of the wins [" in out
    assert "Recorded in" in err
    assert all(len(line) <= 80 for line in out.splitlines())
    assert drawn.exists()
    assert main([*arguments, "--lang", "fr"]) == 0
    out, _ = capsys.readouterr()
    assert "12 parties en 2 donnes" in out
    assert "des victoires [" in out


@pytest.mark.usefixtures("english")
def test_three_bots_have_a_table_of_pairs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [
        "--bots",
        "clerk,passer-by,passer-by",
        "--games",
        "1",
        "--workers",
        "1",
        "--out",
        str(tmp_path),
    ]
    assert main(["arena", "batavia", "--players", "3", *arguments]) == 0
    out, _ = capsys.readouterr()
    assert "passer-by (2)" in out
    assert "of the wins that went to either bot" in out


@pytest.mark.usefixtures("english")
@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ([], "--bots"),
        (["--bots", "clerk"], "expected two or more"),
        (["--bots", ","], "bots: expected"),
        (["--bots", "clerk,merchnt"], "did you mean 'merchant'"),
        (["--bots", "clerk:9,merchant"], "expected a level that searches"),
        (["--games", "0"], "games: expected a number of at least 1"),
        (["--games", "many"], "games: expected a number of at least 1, found many"),
        (["--players", "9"], "3 to 5 players"),
        (["--workers", "0"], "workers: expected a number of at least 1"),
        (["--bot-timeout", "0"], "bot-timeout: expected a number above 0"),
        (["--chart", "a.gif"], ".svg or .png"),
        (["--chart", "nowhere/a.svg"], "no folder 'nowhere'"),
        (["--components", "nowhere.toml"], "cannot be read"),
        (["--ray", "127.0.0.1:1"], "no Ray at '127.0.0.1:1': "),
        (["--out", "/dev/null/run"], "cannot be written to"),
        (["--save-matches", "/dev/null/kept"], "cannot be written to"),
    ],
)
def test_bad_input_is_answered_with_a_sentence(
    arguments: list[str], error: str, capsys: pytest.CaptureFixture[str]
) -> None:
    bots = [] if "--bots" in arguments or not arguments else ["--bots", "clerk,passer-by"]
    try:
        status = main(["arena", "batavia", *bots, "--workers=1", *arguments])
    except SystemExit as stop:
        status = int(stop.code or 0)
    out, err = capsys.readouterr()
    assert status == 2
    assert error in " ".join(err.split())
    assert out == ""


@pytest.mark.usefixtures("english")
@pytest.mark.parametrize(
    ("module", "arguments", "told"),
    [("ray", ["--ray", "local"], "[ray]"), ("resvg_py", ["--chart", "a.png"], "[png]")],
)
def test_a_missing_extra_is_named(
    module: str,
    arguments: list[str],
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    assert main(["arena", "batavia", "--bots", "clerk,passer-by", *arguments]) == 2
    said = capsys.readouterr().err
    assert "pip install" in said
    assert told in said


def test_help_teaches(capsys: pytest.CaptureFixture[str]) -> None:
    english = ("resumes when you repeat the command", "captain,merchant,clerk")
    french = ("reprend quand on redonne la même commande", "capitaine,marchand,commis")
    for lang, (text, bots) in (("en", english), ("fr", french)):
        with pytest.raises(SystemExit):
            main(["arena", "--help", "--lang", lang])
        out = " ".join(capsys.readouterr().out.split())
        assert text in out
        assert f"comptoir arena batavia --bots {bots}" in out


# The picture


def test_the_picture_is_valid_and_holds_the_names(whole: tuple[Path, Any], tmp_path: Path) -> None:
    _, figures = whole
    figures = figures | {
        "bots": [
            row | {"bot": name}
            for row, name in zip(
                figures["bots"], ["<one> & two", "exec ./a-very-long-name-of-a-bot"], strict=True
            )
        ]
    }
    for lang in ("en", "fr"):
        svg = draw(cast(StandingsDict, figures), cli_words("batavia", lang))
        texts = " ".join(ElementTree.fromstring(svg).itertext())
        assert "<one> & two" in texts
        assert "exec ./a-very-long-…" in texts
        assert cli_words("batavia", lang).percent(figures["bots"][0]["share"]["share"], 1) in texts
    save(svg, tmp_path / "picture.png")
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


def test_a_picture_of_many_bots(whole: tuple[Path, Any]) -> None:
    row = whole[1]["bots"][0]
    figures: Any = whole[1] | {"bots": [row | {"bot": f"captain:{n}000"} for n in range(8)]}
    root = ElementTree.fromstring(draw(cast(StandingsDict, figures), cli_words("batavia", "en")))
    texts = [text for text in root.itertext() if text.strip()]
    assert texts[1] == "Batavia"  # eight names are too long for a title
    assert sum(text.startswith("captain:") for text in texts) == 8


def test_an_interval_that_reaches_very_far_does_not_squeeze_the_picture(
    whole: tuple[Path, Any],
) -> None:
    row = whole[1]["bots"][0]
    far = [
        row | {"rating": {"rating": rating, "low": low, "high": rating + 50}}
        for rating, low in ((100.0, 50.0), (-300.0, -5000.0))
    ]
    texts = list(
        ElementTree.fromstring(
            draw(cast(StandingsDict, whole[1] | {"bots": far}), cli_words("batavia", "en"))
        ).itertext()
    )
    assert "−500" in texts
    assert "−1000" not in texts


def test_a_picture_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "a.svg").mkdir()
    with pytest.raises(comptoir.OptionError, match="cannot be written"):
        save("<svg/>", tmp_path / "a.svg")


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a Unix")
def test_no_worker_outlives_a_killed_arena(tmp_path: Path) -> None:
    running = command(tmp_path, "--games", "3000", "--workers", "2")
    wait_for_games(running, tmp_path, 2)
    children = Path(f"/proc/{running.pid}/task/{running.pid}/children")
    if not children.exists():
        pytest.skip("this system does not list children")
    workers = children.read_text().split()
    assert len(workers) >= 2
    running.kill()
    running.communicate()
    until = time.monotonic() + 60
    while any(Path(f"/proc/{worker}").exists() and "Z" not in _state(worker) for worker in workers):
        assert time.monotonic() < until
        time.sleep(0.05)


def _state(process: str) -> str:
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return "Z"
