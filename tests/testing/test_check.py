"""comptoir check, and the checks that it makes besides the contract."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from comptoir.engine.game import Game, get_game
from comptoir.testing import BrokenPromise, check_boards, check_golden, check_leaks, golden
from comptoir.testing.matches import random_match
from tests import contract, example_game
from tests.conftest import Run
from tests.golden import FOLDER
from tests.testing.stalls import SEEN, installed, package

FEW = ("--players", "3", "--matches", "2")  # interpreted: nothing is compiled for these games


def change(folder: Path, file: str, text: str) -> None:
    (folder / file).write_text(text, encoding="utf-8")


# The command


def test_a_sound_game(run: Run, tmp_path: Path) -> None:
    with installed(tmp_path, "sound_stall"):
        status, out, err = run("check", "sound_stall", *FEW)
    assert status == 0, out + err
    assert "sound_stall-3: 2 random matches keep the contract, nothing hidden is shown, what is drawn" in out
    assert "no golden matches" in out
    assert "sound_stall: every promise is kept." in out


def test_a_game_that_forgets_what_was_seen_fails_with_a_sentence(run: Run, tmp_path: Path) -> None:
    with installed(tmp_path, "stall_unseen", (SEEN, "")):
        status, out, _ = run("check", "stall_unseen", *FEW)
        assert status == 1
        first = out.splitlines()[0]
        assert "stall_unseen breaks a promise: in every imagined world somebody can act (players: 3" in first
        again = first.rpartition("To see it again: comptoir ")[2].split()
        assert again[:2] == ["check", "stall_unseen"]
        assert run(*again)[1].splitlines()[0] == first
        _, french, _ = run("--lang", "fr", *again)
        assert "dans tout monde imaginé, quelqu'un peut agir" in french
        status, out, _ = run(*again, "--json")
    assert status == 1
    found = json.loads(out)
    assert (found["ok"], found["games"][0]["ok"]) == (False, False)
    broken = next(check for check in found["games"][0]["checks"] if not check["ok"])
    assert (broken["check"], broken["promise"]) == ("contract", "imagines_decides")
    assert f"--seed {broken['seed']}" in broken["again"]


def test_a_broken_game_is_compiled_before_it_fails(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compiling tries no promise. (Here its rules stay interpreted.)"""
    monkeypatch.setattr(Game, "compiled", property(lambda game: game.interpreted))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with installed(tmp_path, "stall_compiled", (SEEN, "")):
        status, out, err = run("check", "stall_compiled", "--matches", "6", "--players", "4")
    assert status == 1
    assert "Compiling" in err
    assert "stall_compiled breaks a promise: in every imagined world somebody can act (players: 4" in out
    assert "stall_compiled: 1 check has failed." in out


def test_a_game_that_is_not_there_or_cannot_be_loaded(run: Run, tmp_path: Path) -> None:
    status, _, err = run("check", "batvia")
    assert status == 2
    assert "there is no game 'batvia' (did you mean 'batavia'?)" in err
    package(tmp_path, "stall_unplayable", ("def tally", "def talley"))
    with example_game.on_path(str(tmp_path)):
        status, out, _ = run("check", "stall_unplayable")
        assert status == 1
        assert "stall_unplayable cannot be used: rules.py lacks tally" in out


def test_golden_matches_are_replayed_and_blessed(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "golden"
    with installed(tmp_path, "golden_stall") as g:
        match = random_match(g, {"players": 2}, 1)
        golden.record(match, folder / "whole.match", "a whole match")
        given = ("check", "golden_stall", "--players", "2", "--matches", "1", "--golden", str(folder))
        assert "1 golden match comes out as recorded" in run(*given)[1]
        text = (folder / "whole.match").read_text(encoding="utf-8")
        assert "# a whole match" in text
        change(folder, "whole.match", text.replace("#= scores ", "#= scores 9"))
        status, out, _ = run(*given)
        assert status == 1
        assert "a recorded match comes out as it did: whole.match: found #= scores" in out
        assert "1 golden match blessed" in run(*given, "--bless")[1]
        assert run(*given)[0] == 0


# Golden matches


def test_a_golden_match_that_says_nothing_or_cannot_be_played(tmp_path: Path) -> None:
    whole = FOLDER / "batavia" / "all-pass.match"
    text = whole.read_text(encoding="utf-8")
    check_golden("batavia", whole)
    for changed, said in (
        ("\n".join(line for line in text.splitlines() if not line.startswith("#=")), "nothing says"),
        (text.replace("#= ending arrival\n", ""), "ending arrival"),
        (text.replace(" pass", " advance england", 1), "line "),
    ):
        change(tmp_path, "all-pass.match", changed)
        with pytest.raises(BrokenPromise, match=said):
            check_golden("batavia", tmp_path / "all-pass.match")


# Leaks


@pytest.mark.parametrize("name", contract.EVERY_GAME)
def test_no_game_leaks(name: str) -> None:
    with example_game.known():
        check_leaks(name, {"players": 3}, number=3, most=60)


def test_a_game_that_hides_nothing_and_does_not_say_so(tmp_path: Path) -> None:
    nothing = (
        "                p.hand[seat, good] = p.seen[seat, good]",
        "                p.hand[seat, good] *= 1",
    )
    pile = ("        p.pile[good] = 0", "        pass")
    with (
        installed(tmp_path, "stall_of_glass", nothing, pile) as g,
        pytest.raises(BrokenPromise) as broken,
    ):
        check_leaks(g, {"players": 3})
    assert broken.value.promise == "hides_something"


def test_an_observation_that_tells(tmp_path: Path) -> None:
    """The row for programs is made from the true position: it must leave out what the viewer cannot know."""
    package(tmp_path, "observant")
    change(tmp_path / "comptoir_observant", "observation.py", OBSERVATION)
    with example_game.on_path(str(tmp_path)), pytest.raises(BrokenPromise, match="observation") as broken:
        check_leaks(get_game("observant"), {"players": 2})
    assert broken.value.promise == "leaks"
    assert broken.value.viewer is not None


OBSERVATION = """
from comptoir.engine.observation import Feature
from comptoir.engine.rule import rule
from comptoir_observant.rules import GOODS

FEATURES = (Feature("pile", "what nobody may look at", 40, (GOODS,)),)


@rule
def observe(p, box, viewer, out):
    for good in range(len(GOODS)):
        out[good] = p.pile[good]
"""


# Boards


@pytest.mark.parametrize("name", contract.EVERY_GAME)
def test_every_game_is_drawn_as_pages_need_it(name: str) -> None:
    with example_game.known():
        check_boards(name, number=3, most=60)


DRAWN = {  # what a board's pieces are, and what is wrong with them
    '<g id="a"></g><g id="a"></g>': "the id 'a' is there twice",
    "<g>": "the board is no XML",
    '<use href="#x"/>': "nothing has the id 'x'",
    '<g style="fill:red"></g>': "'style=' is not allowed",
    '<text font-size="10" x="0" y="0">tiny</text>': "the text 'tiny' is 10 px, less than 11",
    '<g transform="scale(.5)"><text font-size="20">half</text></g>': "the text 'half' is 10 px",
    '<g data-spot="A B"><rect class="ring" width="50" height="50"/></g>': "'A B' is no name",
    '<g data-spot="a"><rect class="ring" width="50" height="30"/></g>': "the spot 'a' is smaller than 40",
}


@pytest.mark.parametrize("body", DRAWN)
def test_what_is_wrong_with_a_board_is_said(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with example_game.known():
        g = get_game("lots")
        monkeypatch.setitem(vars(g.board), "pieces", lambda scene: body)
        monkeypatch.setitem(vars(g.board), "spots", lambda scene, action: [])
        with pytest.raises(BrokenPromise) as broken:
            check_boards(g, number=2)
    assert broken.value.promise == "board"
    assert DRAWN[body] in str(broken.value)


def test_a_spot_that_is_not_there_and_a_chart_that_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    with example_game.known():
        g = get_game("lots")
        with monkeypatch.context() as patched:
            patched.setitem(vars(g.board), "spots", lambda scene, action: ["nowhere"])
            with pytest.raises(BrokenPromise, match="no such spot"):
                check_boards(g, number=2)
        monkeypatch.setitem(vars(g.board), "chart", lambda scene: f"<g>{scene.view['ply']}</g>")
        with pytest.raises(BrokenPromise, match="the chart has changed"):
            check_boards(g, number=2)


# In tests of an author


def test_the_example_tests_itself_with_our_fixtures() -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(example_game.LOTS)]
    done = subprocess.run(
        command, capture_output=True, text=True, env=example_game.environment(), cwd=example_game.LOTS
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "7 passed" in done.stdout, "one in both modes, and one for each number of players"


def test_fixtures_say_what_they_lack(tmp_path: Path) -> None:
    change(tmp_path, "conftest.py", 'pytest_plugins = ["comptoir.testing.fixtures"]\n')
    change(tmp_path, "test_game.py", "def test_game(game): pass\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
    done = subprocess.run(
        command, capture_output=True, text=True, env=example_game.environment(), cwd=tmp_path
    )
    assert done.returncode != 0
    assert "comptoir_game is not set" in done.stdout + done.stderr
