"""Bots at the table in the terminal."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from rich.console import Console

import comptoir
from comptoir.bots.hints import advise
from comptoir.bots.levels import LEVELS, Level, make
from comptoir.cli.arguments import cli_words
from comptoir.cli.play import TerminalGame, autosave_path
from comptoir.cli.seating import PERSON, is_slow, saved_seating, seating
from comptoir.engine.game import Game
from comptoir.engine.words import LANGUAGES
from tests.conftest import Run

STEADY = f"exec {Path(__file__).parents[2]}/examples/steady"
START = ("play", "batavia", "--seed", "3", "--first", "3")


def at_the_table(out: str) -> str:
    """The last line that says who the bots are."""
    return [line.strip() for line in out.splitlines() if "■ Bruno" in line and " · " in line][-1]


def test_bots_sit_down_in_turn(run: Run) -> None:
    status, out, _ = run(*START, "--players", "5", "--bots", f"passer-by,{STEADY}", answers="pass\nquit")
    assert status == 0
    assert (
        at_the_table(out) == "■ Bruno (passer-by) · ● Chloé (steady) · ◆ David (passer-by) · ★ Emma (steady)"
    )


def test_levels_are_named_in_french(run: Run) -> None:
    out = run(*START, "--bots", "passant", "--lang", "fr", answers="quitter")[1]
    assert at_the_table(out) == "■ Bruno (passant) · ● Chloé (passant) · ◆ David (passant)"


def test_a_whole_game_against_bots_that_think(run: Run) -> None:
    status, out, _ = run(
        "play", "batavia", "--players", "3", "--bots", "merchant:8,clerk", answers="0\n1\n" * 300
    )
    assert status == 0
    result = out[out.index("Score sheet") :]
    assert "Bruno (merchant)" in result
    assert "Chloé (clerk)" in result


def test_without_a_word_they_are_merchants() -> None:
    assert seating(4, None, None) == [PERSON, "merchant", "merchant", "merchant"]
    assert seating(3, 2, "clerk,passer-by") == [PERSON, PERSON, "clerk"]
    assert seating(3, 0, None) == [PERSON] * 3


def test_a_game_goes_on_with_the_same_bots(run: Run) -> None:
    run(*START, "--bots", f"passer-by,{STEADY}", answers="bid 2\nquit")
    assert at_the_table(run("play", "batavia", "--resume", answers="quit")[1]).startswith(
        "■ Bruno (passer-by) · ● Chloé (steady)"
    )
    assert (
        at_the_table(run("play", "batavia", "--resume", "--bots", "passer-by", answers="quit")[1]).count(
            "passer-by"
        )
        == 3
    )
    assert at_the_table(run("play", "batavia", "--resume", answers="quit")[1]).count("passer-by") == 3


def test_a_game_goes_on_with_the_same_people(run: Run) -> None:
    run(*START, "--bots", "passer-by", "--hotseat", "2", answers="bid 2\nquit")
    kept = comptoir.load(autosave_path("batavia"))
    assert saved_seating(kept) == [PERSON, PERSON, "passer-by", "passer-by"]
    assert seating(4, None, None, saved_seating(kept)) == [PERSON, PERSON, "passer-by", "passer-by"]
    assert seating(4, 3, None, saved_seating(kept)) == [PERSON, PERSON, PERSON, "passer-by"]


def test_a_bot_that_is_no_longer_there(run: Run, tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text("class MyBot:\n    def choose(self, view): return view['actions'][0]", encoding="utf-8")
    run(*START, "--bots", f"{mine}:MyBot", answers="bid 2\nquit")
    mine.unlink()
    status, _, err = run("play", "batavia", "--resume", answers="quit")
    assert status == 2
    assert "there is no file" in err
    assert "--bots seats others at the kept match" in err
    assert run("play", "batavia", "--resume", "--bots", "passer-by", answers="quit")[0] == 0


def test_a_saved_match_says_who_sat_there_and_is_a_match_file(run: Run, tmp_path: Path) -> None:
    saved = tmp_path / "saved.match"
    run(*START, "--bots", STEADY, answers=f"bid 2\nsave {saved}\nquit")
    assert saved_seating(comptoir.load(saved)) == [PERSON, STEADY, STEADY, STEADY]
    assert comptoir.load(saved).played[0] == "bid 2"
    status, _, err = run("play", "batavia", "--resume", str(saved), answers="quit")
    assert status == 2
    assert f"seats programs that would be run on this machine: {STEADY}" in err, "a file may be anybody's"
    again = run("play", "batavia", "--resume", str(saved), "--bots", STEADY, answers="quit")
    assert "Chloé (steady)" in again[1]


@pytest.mark.parametrize("line", ["", "# table: person, clerk\n", "# table: \n", "# table: ,,\n"])
def test_a_match_that_does_not_say_who_sat_there(tmp_path: Path, line: str) -> None:
    file = tmp_path / "bare.match"
    file.write_text(f"comptoir match 1\n{line}game batavia\nrules 1\nseed 3\n", encoding="utf-8")
    assert saved_seating(comptoir.load(file)) == []


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["--bots", "captian"], "did you mean 'captain'"),
        (["--bots", "nowhere.py:MyBot"], "there is no file 'nowhere.py'"),
        (["--bots", ","], "expected a list such as 'captain,clerk'"),
        (["--think-time", "0"], "think-time: expected a number above 0, found 0"),
        (["--bot-timeout", "-1"], "bot-timeout: expected a number above 0, found -1"),
    ],
)
def test_bad_bots_are_answered_with_a_sentence(run: Run, arguments: Sequence[str], error: str) -> None:
    status, _, err = run("play", "batavia", *arguments)
    assert status == 2
    assert error in err
    assert "Traceback" not in err


def test_a_bot_that_fails_is_reported_and_the_game_goes_on(run: Run, tmp_path: Path) -> None:
    """It has heard no seed but its own."""
    heard, parrot = tmp_path / "heard", tmp_path / "parrot"
    parrot.write_text(
        f'#!/bin/sh\nread -r line\nprintf "%s\\n" "$line" > {heard}\nprintf "%s\\n" "$line"\n',
        encoding="utf-8",
    )
    parrot.chmod(0o755)
    bots = f"exec {parrot},passer-by,passer-by"
    out = run("play", "batavia", "--seed", "treasure", "--first", "3", "--bots", bots, answers="pass\nquit")[
        1
    ]
    assert "Bruno: the bot failed; a passer-by (random player) takes its seat." in out
    assert "seat 1, position 1: it answered" in out.replace("\n", " ")
    assert at_the_table(out).startswith("■ Bruno (passer-by)")
    assert out.count("the bot failed") == 1
    hello = json.loads(heard.read_text(encoding="utf-8").splitlines()[0].removeprefix("hello "))
    assert hello["seed"] != "treasure"
    assert "treasure" not in heard.read_text(encoding="utf-8")


def session(seats: list[str]) -> tuple[TerminalGame, io.StringIO]:
    """A match at a terminal, and what it shows."""
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=80)
    match = comptoir.new("batavia", seed=3, first=0)
    return TerminalGame(
        match, seats, autosave_path("batavia"), cli_words("batavia", "en"), console, 5.0, 10.0
    ), out


def test_who_is_slow_is_seen_to_think(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert [spec for spec in [*LEVELS, "network:200", "merchant:20000", STEADY] if is_slow(spec)] == [
        "captain",
        "admiral",
        "merchant:20000",
        STEADY,
    ]
    for spec, name in ((STEADY, "Bruno (steady) is thinking"), ("passer-by", "")):
        table, out = session([PERSON, spec, "passer-by", "passer-by"])
        with table:
            table.wait_for(1)
        assert table.match.ply == 1
        assert (name in out.getvalue()) if name else not out.getvalue()


# hint


def test_a_hint_begins_with_what_the_captain_thinks_of(any_game: Game) -> None:
    match = comptoir.new(any_game.name, seed=5)
    seat = match.turn
    assert seat is not None
    captain = make("captain", match.game, match.components, "seed", analyses=True)
    advice = advise(match, seat, "seed")
    own = captain.choose_index(match.seen_by(seat), match.ply)
    assert own in [plan.actions[0] for plan in advice.plans]
    assert 1 <= len(advice.first_actions) <= 3
    assert all(match.game.actions[action] in match.actions() for action in advice.first_actions)
    assert all(0 <= plan.share <= 1 for plan in advice.plans)


@pytest.mark.parametrize(
    ("command", "lang", "said"),
    [("hint", "en", "% chance of winning"), ("conseil", "fr", "de chances de gagner")],
)
def test_a_hint_in_words(run: Run, command: str, lang: str, said: str) -> None:
    out = run(*START, "--bots", "passer-by", "--lang", lang, answers=f"{command}\n{command}\nquit")[1]
    told = [line for line in out.replace("\u202f", " ").splitlines() if said in line]
    assert len(told) == 2
    assert told[0] == told[1]


def test_an_admiral_gives_advice_too(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its name in the language or in English; others do not, and that is said."""
    admiral = Level("admiral", 400, trees=2, asks_network=True, without_network=400)
    monkeypatch.setitem(LEVELS, "admiral", admiral)  # as it is but for the length of its search
    asked = "conseil Amiral\nconseil admiral\nconseil\nconseil commis\nquit"
    out = run(*START, "--bots", "passer-by", "--lang", "fr", answers=asked)[1]
    assert out.count("Le plan de l'amiral :") == 2
    assert out.count("Le plan du capitaine :") == 1
    assert "commis ne donne pas de conseil ; demandez à l'un de ceux-ci : capitaine, amiral" in out


def test_where_there_is_one_choice_no_advice_is_needed(run: Run, tmp_path: Path) -> None:
    match = comptoir.new("batavia", seed=3, first=3)
    for action in ("bid 3", "bid 15", "pass", "pass"):
        match.play(action)
    assert match.actions() == ["pass"]
    match.save(tmp_path / "one.match")
    out = run(
        "play",
        "batavia",
        "--bots",
        "passer-by",
        "--resume",
        str(tmp_path / "one.match"),
        answers="hint\nquit",
    )[1]
    assert "You have only one choice: pass." in out


# comptoir bots


def test_bots_are_listed_in_both_languages(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for lang in LANGUAGES:
        out = run("bots", "--lang", lang)[1]
        assert max(len(line.rstrip()) for line in out.splitlines()) <= 80
        assert len(out.splitlines()) == len(LEVELS) + 10  # nothing is wrapped
        for name in LEVELS:
            assert cli_words(None, lang).say(f"levels.{name}") in out
    told = json.loads(run("bots", "--json")[1])["levels"]
    assert [(level["name"], level["iterations"]) for level in told] == [
        (level.name, level.iterations) for level in LEVELS.values()
    ]


def test_help_names_the_new_words(run: Run) -> None:
    assert "--bots" in run("play", "--help")[1]
    assert "hint" in run(*START, "--bots", "passer-by", answers="help\nquit")[1]
