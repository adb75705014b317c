"""Bots that are not compiled yet: a clerk plays for them, interpreted, while another process compiles."""

from __future__ import annotations

import itertools
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from comptoir.bots import Bot, background_compiler, earlier_views
from comptoir.bots.background_compiler import CLERK, SEARCH, BackgroundCompiler
from comptoir.bots.clerk import INTERPRETED_LOOK_AHEADS, WORLDS, Clerk
from comptoir.bots.hints import quick_advice
from comptoir.bots.passer_by import PasserBy
from comptoir.bots.seated import SeatedBot
from comptoir.cli.arguments import cli_words
from comptoir.cli.play import TerminalGame
from comptoir.engine.components import Components
from comptoir.engine.game import Game, get_game
from comptoir.engine.match import Match
from comptoir.engine.precompile import CompileTarget

FOR_EVER, AT_ONCE = "import signal; signal.pause()", ""


@pytest.fixture
def compiling(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Nothing is compiled, and nothing is by the other process either: it runs this code."""
    code = [FOR_EVER]
    monkeypatch.setenv("COMPTOIR_CACHE", str(tmp_path))
    monkeypatch.setattr(background_compiler, "command", lambda game, *works: [sys.executable, "-c", code[0]])
    return code


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The levels that were asked for, compiled; passers-by sit there."""
    asked: list[str] = []

    def make(spec: str, game: Game, components: Components, seed: str, **_: object) -> Bot:
        asked.append(spec)
        return PasserBy(game, components, seed)

    monkeypatch.setattr(background_compiler, "make", make)
    return asked


def be_compiled(game: Game, work: CompileTarget) -> None:
    work.mark(game).parent.mkdir(exist_ok=True)
    work.mark(game).touch()


@pytest.mark.slow
def test_a_clerk_decides_until_the_level_is_compiled(
    any_game: Game, compiling: list[str], made: list[str]
) -> None:
    match = Match(any_game.name, seed="beside")
    with BackgroundCompiler(any_game, ["captain", "passer-by", "exec ./bot"]) as compiler:
        assert compiler.is_ready("passer-by")
        assert not compiler.is_ready("captain")
        chairs = [SeatedBot("captain", match, seat, "a", compiler=compiler) for seat in range(match.players)]
        for _ in range(5):
            assert match.turn is not None
            match.play(chairs[match.turn].choose())
        assert all(chair.is_compiling for chair in chairs)
        assert not made
        be_compiled(any_game, SEARCH)
        assert not any(chair.is_compiling for chair in chairs)
        assert match.turn is not None
        match.play(chairs[match.turn].choose())
        assert made == ["captain"]
        assert not any(chair.report for chair in chairs)


def test_if_compiling_beside_comes_to_nothing_it_is_done_here(compiling: list[str]) -> None:
    compiling[0] = AT_ONCE
    with BackgroundCompiler(get_game("batavia"), ["clerk"]) as compiler:
        assert compiler.process is not None
        compiler.process.wait()
        assert not CLERK.is_ready(compiler.game)
        assert compiler.is_ready("clerk")


def test_what_is_compiled_needs_no_process(compiling: list[str]) -> None:
    be_compiled(get_game("batavia"), CLERK)
    with BackgroundCompiler(get_game("batavia"), ["clerk", "passer-by"]) as compiler:
        assert compiler.process is None


@pytest.mark.slow
@pytest.mark.parametrize("effort", [None, INTERPRETED_LOOK_AHEADS])
def test_an_interpreted_clerk_chooses_as_the_compiled_one(any_game: Game, effort: int | None) -> None:
    """With the same effort."""
    match, chance = Match(any_game.name, seed="clerks"), np.random.default_rng(5)
    for ply in range(41):
        if ply % 20 == 0:
            clerks = [
                Clerk(any_game, match.components, "1", interpreted=way, look_aheads=effort)
                for way in (True, False)
            ]
            asked = match.seen_by(match.turn), match.ply, earlier_views(match, match.turn or 0)
            one, other = (clerk.analyse(*asked) for clerk in clerks)
            assert [estimate.action for estimate in one] == [estimate.action for estimate in other]
            assert [estimate.visits for estimate in one] == [estimate.visits for estimate in other]
            assert np.allclose([estimate.share for estimate in one], [estimate.share for estimate in other])
        match.play(match.actions()[int(chance.integers(len(match.actions())))])


@pytest.mark.parametrize(
    ("actions_tried", "worlds"), [(0.5, 1), (1, 1), (1.9, 1), (2, 2), (8, 8), (100, WORLDS)]
)
def test_a_clerks_effort_is_a_number_of_actions_tried(
    monkeypatch: pytest.MonkeyPatch, actions_tried: float, worlds: int
) -> None:
    """So that it decides the same however slow the machine is: here every call of a rule takes a minute."""
    minutes = itertools.count()
    for name in ("time", "monotonic", "perf_counter"):
        monkeypatch.setattr(time, name, lambda: 60.0 * next(minutes))
    match = Match("batavia", seed="hurry")
    view, legal = match.seen_by(match.turn), len(match.actions())
    clerk = Clerk(match.game, match.components, "1", interpreted=True, look_aheads=int(actions_tried * legal))
    assert {estimate.visits for estimate in clerk.analyse(view, 0)} == {worlds}


def test_until_the_captain_is_compiled_a_clerk_advises(any_game: Game) -> None:
    match = Match(any_game.name, seed="hurry")
    assert match.turn is not None
    (action,) = quick_advice(match, match.turn, "1").first_actions
    quick = Clerk(any_game, match.components, "1", interpreted=True, look_aheads=INTERPRETED_LOOK_AHEADS)
    estimates = quick.analyse(match.seen_by(match.turn), match.ply)
    assert action == estimates[0].action
    expected = min(WORLDS, max(1, INTERPRETED_LOOK_AHEADS // len(match.actions())))
    assert {estimate.visits for estimate in estimates} == {expected}
    assert {any_game.actions[estimate.action] for estimate in estimates} <= set(match.actions())


def test_people_are_told_once_that_clerks_play_and_once_that_they_do_no_more(
    compiling: list[str], made: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from rich.console import Console

    game, match = get_game("batavia"), Match("batavia", seed="3", players=3, first=1)
    with BackgroundCompiler(game, ["captain"]) as compiler:
        console, words = Console(width=120), cli_words("batavia", "en")
        seats = ["person", "captain", "captain"]
        played = TerminalGame(match, seats, tmp_path / "kept", words, console, 1, 1, compiler)
        said = []
        for decision in range(24):
            if decision == 3:
                be_compiled(game, SEARCH)
            assert match.turn is not None
            if match.turn in played.seated:
                played.wait_for(match.turn)
            else:
                match.play(match.actions()[-1])
            said.append(capsys.readouterr().out)
    told = [line for text in said for line in text.splitlines() if "clerks" in line or "Compiled" in line]
    assert told == [
        "Compiling Batavia for this machine (only once). Until it is done, clerks play for the bots.",
        "Compiled. From now on, the bots play at their own levels.",
    ]
