"""What is compiled, when, and where it is kept."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from types import FunctionType
from typing import Any, cast

import pytest

from comptoir.bots import search
from comptoir.bots.background_compiler import CLERK, SEARCH, work_for
from comptoir.engine import cache, dice, numba_backend, playout
from comptoir.engine.game import Game, get_game
from comptoir.engine.modes import Compiled, Mode
from comptoir.engine.precompile import MATCH_TARGET, CompileTarget
from comptoir.engine.simulate import PLAYOUTS_TARGET
from comptoir.research.chance import scripted_roll

BATAVIA = get_game("batavia")


def mode_of(g: Game) -> Mode:
    return Mode(g.name, g.part)


@pytest.fixture
def _no_memory() -> Iterator[None]:
    """What functions are made of is looked at once a process; here it changes."""
    cache.forget_sources()
    yield
    cache.forget_sources()


@pytest.mark.usefixtures("_no_memory")
@pytest.mark.parametrize(
    ("module", "name", "value"),
    [(dice, "WORD", 7), (playout, "pick", dice.roll), (BATAVIA.rules, "PLAYERS", None)],
)
def test_a_change_of_what_a_function_uses_leads_to_another_folder(
    module: Any, name: str, value: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numba itself would not notice one in another file. What it does not use (here: PLAYERS) matters not."""
    before = mode_of(BATAVIA).fingerprint(playout.playouts)
    cache.forget_sources()
    monkeypatch.setattr(module, name, value)
    assert (mode_of(BATAVIA).fingerprint(playout.playouts) != before) == (name != "PLAYERS")


def test_rules_that_stand_in_for_others_are_kept_apart() -> None:
    other = Mode(BATAVIA.name, BATAVIA.part, {dice.roll: scripted_roll})
    assert other.fingerprint(playout.playouts) != mode_of(BATAVIA).fingerprint(playout.playouts)


def test_the_search_can_change_and_the_rules_stay_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    rules, bots = MATCH_TARGET.mark(BATAVIA), SEARCH.mark(BATAVIA)
    cache.forget_sources()
    monkeypatch.setattr(search, "DECISION_COST", 0.5)
    assert MATCH_TARGET.mark(BATAVIA) == rules
    assert SEARCH.mark(BATAVIA) != bots
    cache.forget_sources()


def test_another_process_finds_what_was_compiled(any_game: Game) -> None:
    """Nothing in a fingerprint is of one process only, such as an address in memory."""
    code = (
        "from comptoir.engine.game import get_game; from comptoir.bots.background_compiler import SEARCH;"
        f"print(SEARCH.mark(get_game({any_game.name!r})).name)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == SEARCH.mark(any_game).name


def test_no_thread_gets_a_function_before_those_it_calls(any_game: Game) -> None:
    """A second thread that asks while the first is still at it waits until all is done."""
    early: list[Any] = []

    class Asked(Mode):
        def _made_part(self, twin: FunctionType) -> FunctionType:
            if twin.__name__ == "playouts" and not early:
                second = Thread(target=lambda: early.append(self.bind(playout.playouts)))
                early.append(second)
                second.start()
                second.join(0.2)
                assert len(early) == 1
            return twin

    mode = Asked(any_game.name, any_game.part)
    made = mode.bind(playout.playouts)
    early[0].join()
    assert early[1] is made
    assert made.__globals__["playout"] is mode.bind(playout.playout)


def test_no_work_has_more_compiled_than_it_needs(any_game: Game) -> None:
    def modules(work: CompileTarget) -> set[str]:
        reached = any_game.interpreted.reachable(*work.functions)
        return {function.__module__.rpartition(".")[2] for function in reached}

    def names(work: CompileTarget) -> set[str]:
        return {function.__name__ for function in any_game.interpreted.reachable(*work.functions)}

    for work in (MATCH_TARGET, PLAYOUTS_TARGET):
        assert not modules(work) & {"evaluation", "observation", "search"}
    assert "search" not in names(CLERK)
    assert "evaluate" in names(CLERK)
    assert "search" in names(SEARCH)


@pytest.mark.parametrize(
    ("spec", "work"),
    [
        ("passer-by", MATCH_TARGET),
        ("exec ./bot", MATCH_TARGET),
        ("clerk", CLERK),
        ("captain:7", SEARCH),
        ("admiral", SEARCH),
    ],
)
def test_a_bot_needs_what_it_calls(spec: str, work: CompileTarget) -> None:
    assert work_for(spec) is work


def plus_two(n: int) -> int:
    return n + 2


def test_what_was_compiled_is_found_from_another_copy_of_the_project(tmp_path: Path) -> None:
    """By what is compiled, not by where its source stands or how old it is."""
    made = []
    for copy in ("one", "other"):
        source = tmp_path / copy / "rules.py"
        source.parent.mkdir()
        source.write_text("def twice(n):\n    return 2 * n\n")
        room: dict[str, Any] = {}
        exec(compile(source.read_text(), str(source), "exec"), room)
        entry: Any = numba_backend.entry(room["twice"], tmp_path / "twice-1234", "batavia")
        made.append(entry)
        assert made[-1](4) == 8
    assert not made[0].stats.cache_hits
    assert made[1].stats.cache_hits


def test_compiling_is_told_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """And not at all when everything is there."""
    numba_backend.ANNOUNCED.discard("batavia")
    try:
        for nth in (1, 1, 2):
            assert numba_backend.entry(cast(FunctionType, plus_two), tmp_path / str(nth), "batavia")(3) == 5
        assert [record.getMessage() for record in caplog.records] == [
            "Compiling Batavia for this machine. This happens once and takes up to half a minute."
        ]
    finally:
        numba_backend.ANNOUNCED.add("batavia")


def test_where_nothing_can_be_written_all_is_compiled_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("COMPTOIR_CACHE", str(tmp_path / "file"))
    assert cache.folder("batavia", "play", "0") is None
    assert not MATCH_TARGET.is_ready(BATAVIA)
    assert callable(Compiled(BATAVIA.name, BATAVIA.part).bind(plus_two))


def test_only_the_newest_of_a_function_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMPTOIR_CACHE", str(tmp_path))
    for nth in range(cache.VERSIONS_KEPT + 3):
        assert cache.folder("batavia", "play", str(nth)) is not None
    cache.folder("batavia", "playouts", "0")
    assert len(list((tmp_path / "batavia").glob("play-*"))) == cache.VERSIONS_KEPT
    assert (tmp_path / "batavia" / "playouts-0").is_dir()
