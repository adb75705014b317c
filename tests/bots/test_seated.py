"""A bot that fails loses its chair to a passer-by, with a report, and the match goes on.

All with real programs.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import comptoir
from comptoir.bots.external import BotFailure, ExternalBot
from comptoir.bots.passer_by import PasserBy
from comptoir.bots.seated import SeatedBot
from comptoir.engine.match import Match

VIEW = comptoir.new("batavia", seed=3).view(0)
# A program that plays well until it is asked for the second time, and then does what its argument says.
PROGRAM = """
import json, os, signal, subprocess, sys, time
kind, asked = sys.argv[1], 0
def say(line):
    sys.stdout.write(line + "\\n"); sys.stdout.flush()
if kind == "ignores the end":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if kind == "child":
    child = subprocess.Popen(["sleep", "60"])
    open(sys.argv[2], "w").write(str(child.pid))
if kind == "chatty":
    sys.stderr.write("chat\\n" * 100_000)
if kind == "crash at start":
    sys.exit("no such weights")
for line in sys.stdin:
    word, view = line.split(" ", 1)
    view = json.loads(view)
    if word == "hello":
        say("hello" if kind == "rude" else "ready")
    if word != "choose":
        continue
    asked += 1
    good = 'play ' + json.dumps(view["actions"][0])
    if asked < 2:
        say(good)
    elif kind == "crash":
        raise ValueError("what now?")
    elif kind == "killed":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif kind == "illegal":
        say('play "arrive"')
    elif kind == "unknown":
        say('play "fly"')
    elif kind == "number":
        say("play 3")
    elif kind == "long":
        say('play "' + "x" * 60_000 + '"')
    elif kind == "no JSON":
        say("play " + view["actions"][0])
    elif kind == "deep":
        say("play " + "[" * 60_000)
    elif kind == "garbage":
        sys.stdout.buffer.write(b"\\xff\\xfe\\x00 what?\\n"); sys.stdout.flush()
    elif kind == "huge":
        say("play " + "x" * 200_000)
    elif kind == "twice":
        say(good + "\\n" + good)
    elif kind == "early":
        say(good); time.sleep(0.05); say(good)
    elif kind == "silence":
        time.sleep(60)
    elif kind == "late":
        time.sleep(1.3); say(good)
    elif kind == "closed output":
        os.close(1); time.sleep(60)
    elif kind == "closed input":
        os.close(0); say(good); time.sleep(60)
    else:
        say(good)
if kind == "ignores the end":
    time.sleep(60)
"""

FAULTS = {
    "crash at start": "it ended with status 1\nThe last it wrote to its standard error:\n  no such weights",
    "rude": "it answered 'hello' to 'hello', where 'ready' was awaited",
    "crash": "it ended with status 1\nThe last it wrote to its standard error:\n  Traceback",
    "killed": "it was ended by signal 11, Segmentation fault",
    "illegal": "'arrive' is not allowed: ",
    "unknown": "'fly' is no action of batavia",
    "number": "it answered '3', not an action's text",
    "long": "xxxxxxxxxx…', not an action's text",
    "no JSON": ": after 'play' comes JSON",
    "deep": "after 'play' comes JSON",
    "garbage": "it answered '\ufffd\ufffd\\x00 what?' to 'choose', where 'play' was awaited",
    "huge": "it wrote a line of more than 65536 bytes",
    "twice": "it answered more than one line",
    "silence": "it gave no answer within 1 s",
    "late": "it answered after 1.",
    "closed output": "it closed its output",
}


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "bot.py"
    path.write_text(PROGRAM, encoding="utf-8")
    return f"exec {sys.executable} -IS {path}"


@pytest.fixture(autouse=True)
def _nothing_left() -> Iterator[None]:
    """No process, zombie or pipe is left behind."""
    ExternalBot(["true"], {}, limit=1, start=1).close(None)  # the loop's own descriptors stay

    def there() -> tuple[int, set[str]]:
        children = set[str]()
        for thread in Path("/proc/self/task").iterdir():
            with suppress(FileNotFoundError):  # a thread that has ended in the meantime
                children.update((thread / "children").read_text().split())
        return len(list(Path("/proc/self/fd").iterdir())), children

    before = there()
    yield
    assert there() == before


def play_on(match: Match, chair: SeatedBot, actions: int) -> None:
    """Plays the chair's bot in every seat that it has: all others pass by."""
    others = PasserBy(match.game, match.components, "others")
    for _ in range(actions):
        if match.turn is None:
            return
        match.play(chair.choose() if match.turn == chair.seat else others.choose(match.view(match.turn)))


def position_of(report: str) -> int:
    return int(report.split("position ")[1].split(":", maxsplit=1)[0])


@pytest.mark.parametrize("kind", FAULTS)
def test_a_bot_that_fails_loses_its_chair_and_the_match_goes_on(program: str, kind: str) -> None:
    match = comptoir.new("batavia", seed=3, first=3)
    timed = kind in ("silence", "late")
    with SeatedBot(f"{program} '{kind}'", match, 0, "seed", limit=1.0 if timed else 10.0) as chair:
        play_on(match, chair, 50)
        assert match.ply == 50
        assert chair.report is not None
        assert chair.report.startswith(f"{program} '{kind}', seat 0, position ")
        assert FAULTS[kind] in chair.report
        assert match.actions_by_seat[position_of(chair.report)][0] == 0
        assert kind == "silence" or "it gave no answer" not in chair.report


def test_the_report_ends_with_the_last_lines_of_standard_error(program: str) -> None:
    match = comptoir.new("batavia", seed=3, first=3)
    with SeatedBot(f"{program} crash", match, 0, "seed") as chair:
        play_on(match, chair, 50)
    assert chair.report is not None
    assert chair.report.endswith("\n  ValueError: what now?")


def test_a_line_before_it_was_asked(program: str) -> None:
    match = comptoir.new("batavia", seed=3, first=3)
    with SeatedBot(f"{program} early", match, 0, "seed") as chair:
        while sum(seat == 0 for seat, _ in match.actions_by_seat) < 2:
            play_on(match, chair, 1)
        for _ in range(500):  # until the second line of an answer is there
            if chair.program is None or chair.program.unread:
                break
            time.sleep(0.01)
        play_on(match, chair, 50)
    assert chair.report is not None
    assert "it wrote a line before it was asked" in chair.report


def test_a_program_that_no_longer_listens(program: str) -> None:
    match = comptoir.new("batavia", seed=3, first=3)
    with SeatedBot(f"{program} 'closed input'", match, 0, "seed") as chair:
        play_on(match, chair, 50)
    assert chair.report is not None
    assert "it closed its input" in chair.report


def test_what_cannot_be_started(tmp_path: Path) -> None:
    match = comptoir.new("batavia", seed=3, first=3)
    with SeatedBot(f"exec {tmp_path}/nothing", match, 0, "seed") as chair:
        assert chair.choose() in match.actions()
    assert chair.report is not None
    assert "it could not be started: No such file or directory" in chair.report


def test_a_bot_of_ours_is_watched_too(monkeypatch: pytest.MonkeyPatch) -> None:
    match = comptoir.new("batavia", seed=3, first=3)
    with SeatedBot("clerk", match, 0, "seed") as chair:
        monkeypatch.setattr("comptoir.bots.clerk.Clerk.choose_index", lambda *_: 1 // 0)
        assert chair.choose() in match.actions()
    assert (
        chair.report
        == "clerk, seat 0, position 0: it crashed: ZeroDivisionError: integer division or modulo by zero"
    )


def test_the_passer_by_plays_as_one_that_sat_there_from_the_start(tmp_path: Path) -> None:
    """The same seed and view, the same choice: what the lost bot did has no say in it."""
    match = comptoir.new("batavia", seed=3, first=3)
    with SeatedBot(f"exec {tmp_path}/nothing", match, 0, "seed") as chair:
        assert chair.choose() == PasserBy(match.game, match.components, "seed").choose(match.view(0))


def test_a_program_that_ends_before_what_it_has_started() -> None:
    """Its output is still held by another, but nobody will answer."""
    match = comptoir.new("batavia", seed=3, first=3)
    with SeatedBot("exec sh -c 'sleep 60 & exit 3'", match, 0, "seed") as chair:
        assert chair.choose() in match.actions()
    assert chair.report is not None
    assert "it ended with status 3" in chair.report


def test_a_silent_start() -> None:
    match = comptoir.new("batavia", seed=3, first=3)
    with SeatedBot("exec sleep 60", match, 0, "seed", start=0.1) as chair:
        assert chair.choose() in match.actions()
    assert chair.report == "exec sleep 60, seat 0, position 0: it gave no answer within 0.1 s"


@pytest.mark.parametrize("kind", ["good", "chatty", "ignores the end"])
def test_a_whole_match(program: str, kind: str) -> None:
    """Much on standard error does no harm, and whoever does not go is ended."""
    match = comptoir.new("batavia", seed=3, players=3)
    with SeatedBot(f"{program} '{kind}'", match, 0, "seed") as chair:
        play_on(match, chair, 10_000)
        assert match.over
    assert chair.report is None


def test_a_program_is_asked_while_another_loop_runs(program: str) -> None:
    """As in a notebook, or on a server."""
    match = comptoir.new("batavia", seed=3, first=3)

    async def ask() -> str:
        with SeatedBot(f"{program} good", match, 0, "seed") as chair:
            action = chair.choose()
            assert chair.report is None
            return action

    assert asyncio.run(ask()) in match.actions()


def test_what_a_program_has_started_ends_with_it(program: str, tmp_path: Path) -> None:
    match = comptoir.new("batavia", seed=3, first=3)
    file = tmp_path / "child"
    with SeatedBot(f"{program} child {file}", match, 0, "seed") as chair:
        chair.choose()
        child = int(file.read_text())
        os.kill(child, 0)
    assert chair.report is None
    for _ in range(200):  # whoever adopts it may take a moment to bury it
        state = Path(f"/proc/{child}/stat")
        if not state.exists() or state.read_text().split(") ")[1].startswith("Z"):
            return
        time.sleep(0.01)
    pytest.fail("the child is still there")


def test_more_than_a_pipe_holds() -> None:
    """A long message goes through in parts; to one that does not listen, the time runs out."""
    code = "import sys; line = input(); print(\"ready\"); input(); print('play \"' + str(len(line)) + '\"', flush=True); input()"
    much = {"text": "x" * 1_000_000}
    outside = ExternalBot([sys.executable, "-ISc", code], much, limit=10, start=10)
    try:
        assert int(outside.choose(VIEW)) > 1_000_000
    finally:
        outside.close(None)
    outside = ExternalBot(["sleep", "60"], much, limit=10, start=0.1)
    with pytest.raises(BotFailure, match=r"no answer within 0\.1 s"):
        outside.choose(VIEW)
    outside.kill()
    outside = ExternalBot(["sh", "-c", "sleep 0.1; echo ready; sleep 60"], much, limit=10, start=10)
    with pytest.raises(BotFailure, match="before it had heard all"):
        outside.choose(VIEW)
    outside.kill()
