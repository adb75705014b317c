"""The command `comptoir`, as people use it."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
import time
from pathlib import Path

import pyte
import pytest

import comptoir
from comptoir.cli import COMMANDS
from comptoir.cli.play import choice_numbers
from comptoir.engine.game import get_game
from tests.conftest import Run

GOLDEN = Path(__file__).with_name("golden") / "batavia" / "all-pass.match"


def test_help_teaches_in_both_languages(run: Run) -> None:
    assert "Run comptoir without a command" in run("--help")[1]
    assert "comptoir seul ouvre les jeux" in run("--lang", "fr", "--help")[1]
    assert "--database" in run("serve", "--help")[1]
    assert "--open-bills" in run("play", "batavia", "--help")[1]


def test_every_command_explains_and_refuses_its_arguments_in_the_users_language(run: Run) -> None:
    for command in COMMANDS:
        _, english, _ = run(command, "--help")
        _, french, _ = run("--lang", "fr", command, "--help")
        assert english.startswith("usage: ")
        assert french.startswith("utilisation : ")
        assert "show this help" in english
        assert "montrer cette aide" in french
        status, _, err = run(command, "--nothing", "--lang", "fr")
        assert status == 2
        assert "inconnu : --nothing" in err or "il manque : " in err
    for given, refused in (
        (["play"], "il manque : GAME"),
        (["play", "batvia"], "pas de jeu « batvia » (vouliez-vous dire « batavia » ?)"),
        (["play", "batavia", "--players", "9"], "Batavia se joue de 3 à 5 joueurs, et non 9"),
        (["play", "batavia", "--setup", "closed"], "shuffled ou open est attendu"),
        (["play", "batavia", "--first", "7"], "une place de 0 à 4 est attendue"),
        (["play", "batavia", "--hotseat", "9"], "de 1 à 4 personnes sont attendues"),
        (["verify", "a", "--hash", "x"], "64 chiffres hexadécimaux"),
    ):
        status, _, err = run(*given, "--lang", "fr")
        assert status == 2
        assert refused in err
    few = run("simulate", "batavia", "--games", "0", "--lang", "fr")[2]
    assert "--games : un nombre à partir de 1 est attendu, et non 0" in few
    assert "un nombre est attendu, et non 'x'" in run("replay", "a", "--ply", "x", "--lang", "fr")[2]


def test_help_loads_neither_numba_nor_numpy() -> None:
    """Nothing is compiled or even loaded that a command does not need."""
    code = "import sys; from comptoir.cli import main, parser\nfrom comptoir.cli.arguments import cli_words\n"
    code += "parser(['--help'], cli_words(None, 'en')).print_help()\n"
    code += "print({'numba', 'numpy', 'rich'} & set(sys.modules))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.splitlines()[-1] == "set()"


def test_playing_with_passers_by_loads_no_numba(tmp_path: Path) -> None:
    code = "import sys; from comptoir.cli import main\nmain(['play', 'batavia', '--bots', 'passer-by'])\n"
    code += "print('numba' in sys.modules)"
    environment = os.environ | {"XDG_DATA_HOME": str(tmp_path)}
    out = subprocess.run(
        [sys.executable, "-c", code],
        input="quit\n",
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    ).stdout
    assert out.splitlines()[-1] == "False"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["play", "batvia"], "did you mean 'batavia'"),
        (["play", "batavia", "--players", "9"], "3 to 5 players"),
        (["play", "batavia", "--setup", "closed"], "setup: expected shuffled or open"),
        (["play", "batavia", "--first", "7"], "first: expected a seat"),
        (["play", "batavia", "--hotseat", "9"], "hotseat: expected 1 to 4"),
        (["play", "batavia", "--names", "A,B"], "expected 4 different names"),
        (["play", "batavia", "--resume"], "no game of batavia to resume"),
        (["play", "batavia", "--resume", "nowhere.match"], "cannot be read"),
        (["play", "batavia", "--lang", "de"], "expected en or fr"),
        (["play"], "GAME"),
        (["dance"], "invalid choice"),
        (["simulate", "batavia", "--games", "0"], "games: expected a number of at least 1"),
        (["simulate", "batavia", "--threads", "0"], "threads: expected a number of at least 1"),
        (["simulate", "batavia", "--components", "nowhere.toml"], "cannot be read"),
        (["rules"], "name a game"),
        (["rules", "batavia", "B99"], "no rule 'B99'"),
        (["rules", "catan"], "no game 'catan'"),
        (["replay", "nowhere.match"], "cannot be read"),
        (["replay", str(GOLDEN), "--ply", "9999"], "positions 0 to"),
        (["replay", str(GOLDEN), "--seat", "9"], "no seat 9"),
        (["components", "batavia", "--check", "nowhere.toml"], "cannot be read"),
    ],
)
def test_bad_input_is_answered_with_a_sentence(run: Run, arguments: list[str], error: str) -> None:
    status, _, err = run(*arguments)
    assert status == 2
    assert error in err
    assert "Traceback" not in err


# play


@pytest.mark.slow
def test_a_whole_game_is_played_by_numbers(run: Run) -> None:
    status, out, _ = run(
        "play", "batavia", "--bots", "passer-by", "--seed", "5", "--players", "3", answers="0\n1\n" * 300
    )
    assert status == 0
    sheet = out[out.index("Score sheet") :]
    assert "Tiles traded in" in sheet
    assert "wins with" in sheet or "share the victory" in sheet


def test_choices_in_words_and_commands(run: Run, tmp_path: Path) -> None:
    answers = "\n".join(
        [
            "nonsense",
            "why lay france",
            "why bid 1",
            "why",
            "rules B22",
            "rules B99",
            "help",
            "log",
            "score",
            "undo",
            "draw",
            "board",
            "save",
            "quit",
        ]
    )
    status, out, _ = run(
        "play", "batavia", "--bots", "passer-by", "--seed", "3", "--first", "3", answers=answers
    )
    assert status == 0
    for text in (
        "I do not know “nonsense”",
        "“lay france”: not now: the auction comes first: bid or pass. [B11]",
        "“bid 1” is allowed now.",
        "Ask about an action",
        "Playing needs a majority",
        "There is no rule B99.",
        "lay denmark denmark",
        "You have nothing to undo.",
        "“draw”: not now",
        "Give a file name",
        "--resume",
    ):
        assert text in out


def test_several_cards_at_once_and_undo(run: Run, tmp_path: Path) -> None:
    """All cards of a line are laid or none; each can be taken back until something is turned up."""
    saved = tmp_path / "kept.match"
    _, out, _ = run(
        "play",
        "batavia",
        "--bots",
        "passer-by",
        "--seed",
        "3",
        "--first",
        "3",
        "--hotseat",
        "4",
        answers="bid 5\n\npass\n\npass\n\npass\n\nlay denmark denmark\nundo\n"
        f"lay{' denmark' * 4}\nwhy arrive\nsave {saved}\nquit",
    )
    assert "Undone: lay denmark." in out
    assert "“lay denmark”: not now: you have no such card in hand: Denmark. [B21]" in out
    assert "there is a shop ahead under your seal" in out
    assert comptoir.load(saved).played[-2:] == ["pass", "lay denmark"]


def test_a_game_goes_on_where_it_stopped(run: Run) -> None:
    run("play", "batavia", "--bots", "passer-by", "--seed", "3", "--first", "3", answers="bid 2\nquit")
    status, out, _ = run("play", "batavia", "--resume", answers="quit")
    assert status == 0
    assert "Resuming after" in out


def test_hands_are_hidden_while_the_keyboard_is_passed(run: Run) -> None:
    _, out, _ = run(
        "play",
        "batavia",
        "--bots",
        "passer-by",
        "--seed",
        "3",
        "--first",
        "3",
        "--hotseat",
        "2",
        "--names",
        "Ann,Bob,C,D",
        answers="pass\n\npass",
    )
    assert "Hand (Ann)" in out
    assert "Hand (Bob)" in out
    assert "Hand (C)" not in out


def test_other_bills_are_shown_only_on_request(run: Run) -> None:
    assert " ? " in run("play", "batavia", "--bots", "passer-by", "--seed", "3", answers="quit")[1]
    assert (
        " ? "
        not in run("play", "batavia", "--bots", "passer-by", "--seed", "3", "--open-bills", answers="quit")[1]
    )


def test_a_match_that_cannot_be_kept_is_said(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    assert (
        "Could not save to" in run("play", "batavia", "--bots", "passer-by", "--seed", "3", answers="quit")[1]
    )


def test_numbers_of_choices() -> None:
    def numbers(*texts: str) -> dict[int, str]:
        chosen = choice_numbers([get_game("batavia").decode(text) for text in texts])
        return {number: action.text for number, action in chosen.items()}

    assert numbers("pass", "bid 3", "bid 4") == {0: "pass", 3: "bid 3", 4: "bid 4"}
    assert numbers("draw", "lay denmark") == {1: "draw", 2: "lay denmark"}
    assert numbers("pass") == {0: "pass"}


def test_a_real_terminal_of_80_columns(tmp_path: Path) -> None:
    """The table fits an ordinary terminal: nothing is cut at its edge."""
    screen = pyte.Screen(80, 60)
    stream = pyte.ByteStream(screen)
    environment = os.environ | {
        "XDG_DATA_HOME": str(tmp_path),
        "TERM": "xterm-256color",
        "COLUMNS": "80",
        "LINES": "60",
    }
    main_end, child_end = pty.openpty()
    command = [
        sys.executable,
        "-m",
        "comptoir",
        "play",
        "batavia",
        "--bots",
        "passant",
        "--seed",
        "3",
        "--first",
        "3",
        "--lang",
        "fr",
    ]
    child = subprocess.Popen(command, stdin=child_end, stdout=child_end, stderr=child_end, env=environment)
    os.close(child_end)
    deadline = time.monotonic() + 60
    try:
        while not any(line.startswith("> ") for line in screen.display):
            assert time.monotonic() < deadline, "no prompt came"
            stream.feed(os.read(main_end, 65536))
    finally:
        child.terminate()
        child.wait()
        os.close(main_end)
    text = "\n".join(screen.display)
    assert "Main (Anne)" in text
    assert "misez pour le lot ou passez" in text
    assert "…" not in text


# replay, rules, components, simulate


def test_replay_tells_the_match(run: Run) -> None:
    _, out, _ = run("replay", str(GOLDEN))
    assert "Nobody bids:" in out
    assert "Score sheet" in out
    _, out, _ = run("replay", str(GOLDEN), "--ply", "4", "--lang", "fr")
    assert "Personne ne mise" in out
    assert "Comptoirs" in out


def test_replay_goes_by_turns_or_by_actions(run: Run) -> None:
    match = comptoir.load(GOLDEN)
    recaps = match.story.recaps()
    _, told, _ = run("replay", str(GOLDEN))
    lines = told.splitlines()
    assert all(any(line.startswith(f"{nth:>4}  ") for line in lines) for nth in range(1, len(recaps) + 1))
    assert not any(line.startswith(f"{len(recaps) + 1:>4}  ") for line in lines)
    _, detail, _ = run("replay", str(GOLDEN), "--actions")
    assert len(detail) > len(told)
    assert "[B13]" in detail
    after = json.loads(run("replay", str(GOLDEN), "--turn", "3", "--json")[1])
    assert after == match.at(recaps[2].last).position()
    status, _, err = run("replay", str(GOLDEN), "--turn", "9999")
    assert (status, f"{len(recaps)} finished turns" in err) == (2, True)


@pytest.mark.slow
def test_replay_step_by_step(run: Run) -> None:
    _, out, _ = run("replay", str(GOLDEN), "--step", answers="\n\nb\nq")
    assert [line.split(" ·")[0] for line in out.splitlines() if "next turn" in line] == [
        "The start",
        *(f"After turn {n} of {len(comptoir.load(GOLDEN).story.turn_spans())}" for n in (1, 2, 1)),
    ]
    assert run("replay", str(GOLDEN), "--step", answers="\n" * 1000)[0] == 0


def test_others_turns_are_retold_and_ones_own_told_in_detail(run: Run) -> None:
    _, out, _ = run(
        "play",
        "batavia",
        "--bots",
        "passer-by",
        "--seed",
        "3",
        "--first",
        "3",
        answers="bid 15\ndraw\npass\nquit",
    )
    retold = [line for line in out.splitlines() if re.match(r"  [■●◆] (Bruno|Chloé|David) [a-z]", line)]
    assert retold, "what the bots did, in a sentence each"
    assert not any("[B" in line for line in retold)
    assert "[B16]" in out or "[B20]" in out, "my own turn with its rules"


def test_replay_as_a_seat_has_seen_it(run: Run) -> None:
    seen = json.loads(run("replay", str(GOLDEN), "--ply", "10", "--seat", "1", "--json")[1])
    assert seen == comptoir.load(GOLDEN).at(10).view(1)
    everything = json.loads(run("replay", str(GOLDEN), "--ply", "10", "--json")[1])
    assert everything == comptoir.load(GOLDEN).at(10).position()
    assert "Hand (Bruno)" in run("replay", str(GOLDEN), "--ply", "10", "--seat", "1")[1]


def test_rules_are_printed(run: Run) -> None:
    assert "majority" in run("rules", "batavia", "b22")[1]
    assert "majorité" in run("rules", "batavia", "B22", "--lang", "fr")[1]
    assert "Pirates" in run("rules", "batavia")[1]
    [rule] = json.loads(run("rules", "batavia", "B22", "--json")[1])
    assert rule["id"] == "B22"


@pytest.mark.no_cover
def test_every_rule_has_code_and_tests(run: Run) -> None:
    status, out, _ = run("rules", "--check")
    assert status == 0
    assert "each with code and tests" in out
    found = json.loads(run("rules", "batavia", "--check", "--json")[1])
    assert found["gaps"] == []


def test_a_gap_in_the_rules_is_an_error(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "conftest.py").touch()
    monkeypatch.setattr("comptoir.cli.rules.tests_folder", lambda: tmp_path)
    status, _, err = run("rules", "batavia", "--check", "--quiet")
    assert status == 1
    assert "B22 has no test that names it" in err
    monkeypatch.setattr("comptoir.cli.rules.tests_folder", lambda: None)
    assert run("rules", "--check")[0] == 2


def test_components_are_shown_exported_and_checked(run: Run, tmp_path: Path) -> None:
    assert "placeholder" in run("components", "batavia")[1]
    assert "provisoire" in run("components", "batavia", "--lang", "fr")[1]
    own = tmp_path / "own.toml"
    own.write_text(run("components", "batavia", "--export")[1], encoding="utf-8")
    assert "identical to ours" in run("components", "batavia", "--check", str(own))[1]
    own.write_text(own.read_text(encoding="utf-8").replace("seal = 2", "seal = 3"), encoding="utf-8")
    assert "differs from ours in: gold" in run("components", "batavia", "--check", str(own))[1]
    assert json.loads(run("components", "batavia", "--check", str(own), "--json")[1])["differs"] == ["gold"]
    assert json.loads(run("components", "batavia", "--json")[1])["start"]["hand"] == 10


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ("seal = 2", "seal = 300", "gold_seal: expected a whole number from 0 to 255"),
        ("seal = 2", "", "gold_seal: missing"),
        ("tea = 10, ", "", "gold_sole.tea: missing"),
        ('certainty = "placeholder"', 'certainty = "sure"', "printed.certainty: expected one of rulebook"),
        ('"england porcelain"', '"england porcelian"', "did you mean 'england porcelain'"),
        ('"england porcelain"', '"sweden pepper"', "sweden pepper is there more than once"),
        ("[gold]", "[gold", "not valid TOML"),
        ("[start]", "odd = 3\n[start]", "no such field"),
    ],
)
def test_a_wrong_component_file_is_refused_with_all_that_is_wrong(
    run: Run, tmp_path: Path, old: str, new: str, error: str
) -> None:
    text = run("components", "batavia", "--export")[1]
    assert old in text
    own = tmp_path / "own.toml"
    own.write_text(text.replace(old, new, 1), encoding="utf-8")
    status, _, err = run("components", "batavia", "--check", str(own))
    assert status == 2
    assert error in err


def test_simulate_counts_and_is_reproducible(run: Run, tmp_path: Path) -> None:
    one = json.loads(
        run(
            "simulate",
            "batavia",
            "--players",
            "3",
            "--games",
            "5000",
            "--seed",
            "4",
            "--threads",
            "1",
            "--json",
        )[1]
    )
    two = json.loads(
        run(
            "simulate",
            "batavia",
            "--players",
            "3",
            "--games",
            "5000",
            "--seed",
            "4",
            "--threads",
            "2",
            "--json",
        )[1]
    )
    other = json.loads(
        run("simulate", "batavia", "--players", "3", "--games", "5000", "--seed", "5", "--json")[1]
    )
    for figures in (one, two):
        for measured in ("seconds", "games_per_second", "decisions_per_second"):
            del figures[measured]
    assert one == two
    assert one["seats"] != other["seats"]
    assert one["games"] == sum(one["endings"].values()) == 5000
    assert sum(seat["wins"]["share"] for seat in one["seats"]) == pytest.approx(1)
    assert all(
        sum(seat["sources"].values()) == pytest.approx(seat["points"]["mean"]) for seat in one["seats"]
    )
    assert all(seat["wins"]["low"] < seat["wins"]["share"] < seat["wins"]["high"] for seat in one["seats"])


def test_simulate_prints_for_people(run: Run, tmp_path: Path) -> None:
    _, out, _ = run("simulate", "batavia", "--games", "300", "--lang", "fr")
    assert "300 parties au hasard, 4 joueurs" in out
    assert "Moyenne par origine (or)" in out
    assert "arrivée 100,00\u202f%" in out
    own = tmp_path / "own.toml"
    own.write_text(
        run("components", "batavia", "--export")[1].replace("seal = 2", "seal = 50"), encoding="utf-8"
    )
    assert "4 players" in run("simulate", "batavia", "--games", "300", "--components", str(own))[1]


def test_simulate_lets_bots_of_a_level_play(run: Run) -> None:
    by_clerks = ("simulate", "batavia", "--policy", "clerk", "--games", "6", "--threads", "1")
    assert "6 parties par des bots de niveau commis, 4 joueurs" in run(*by_clerks, "--lang", "fr")[1]
    figures = json.loads(run(*by_clerks, "--json")[1])
    assert (figures["level"], figures["games"]) == ("clerk", 6)
    assert sum(seat["wins"]["share"] for seat in figures["seats"]) == pytest.approx(1)
    assert "there is no bot 'clark'" in run("simulate", "batavia", "--policy", "clark")[2]
