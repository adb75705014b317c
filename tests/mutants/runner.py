"""Runs tests against mutants inside one pytest session.

The tests are collected once. A first run notes which lines of the sources each test reaches. Then every mutant
gets a fork of this process, in which the code of one function is replaced and the tests that reach its line run
until one fails, those that have found most mutants of the function first. A rule's compiled twin is made of the same
code as the interpreted one, so only the interpreted one is tried.
"""

from __future__ import annotations

import gc
import hashlib
import importlib
import json
import os
import resource
import select
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

import coverage
import pytest
from _pytest.runner import runtestprotocol

from tests.mutants.operators import Mutant, Source
from tests.mutants.targets import ROOT, Target
from tests.real_time import Stopwatch

KILLED, SURVIVED, ENDLESS, UNREACHED, UNTRIED = "killed", "survived", "endless", "unreached", "untried"
LONGEST = 2.0  # processor seconds of a test, traced: one that takes longer is left out
GRACE = 1.0  # processor seconds that a test may take with a mutant, beyond five times its own
WALL = (
    60.0  # seconds after which a mutant that waits for something is given up; for a core it may wait longer
)
FAILED, SURVIVES = 1, 0  # how a fork ends; anything else is an error of ours


@dataclass
class Reach:
    """What one test reaches: lines by file, and the processor seconds it takes."""

    seconds: float
    lines: dict[str, list[int]]


class Session:
    """The pytest plugin: it takes the place of pytest's own loop over the tests."""

    def __init__(self, target: Target, cache: Path, attempt: Callable[[Session], None]) -> None:
        self.target, self.cache, self._attempt = target, cache, attempt
        self.sources = {file: Source(file, (ROOT / file).read_text()) for file in target.sources()}
        self.items: dict[str, pytest.Item] = {}
        self.reach: dict[str, Reach] = {}
        self.dropped: list[str] = []
        self._by_line: dict[tuple[str, int], list[str]] = defaultdict(list)
        self._kills: dict[str, Counter[str]] = defaultdict(Counter)
        self.seconds = 0.0

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if self._is_wanted(item)]
        self.items = {item.nodeid: item for item in items}

    def _is_wanted(self, item: pytest.Item) -> bool:
        params = getattr(getattr(item, "callspec", None), "params", {})
        if params.get("mode") == "compiled" or params.get("database") == "postgresql":
            return False  # the other case runs the same code, and needs no server
        return not self.target.game or self.target.game in item.nodeid

    def pytest_runtestloop(self) -> bool:
        self._trace()
        for nodeid, reach in self.reach.items():
            for file, lines in reach.lines.items():
                for line in lines:
                    self._by_line[file, line].append(nodeid)
        functions = functions_of(self.sources)
        self._functions = functions
        gc.collect()
        gc.freeze()  # forks share what is there
        self._attempt(self)
        return True

    # Which test reaches what

    def _trace(self) -> None:
        """Fills `reach`, from the cache where neither the tests nor the sources have changed."""
        stamps = self._stamps()
        path = self.cache / f"reach-{self.target.name}.json"
        known = json.loads(path.read_text()) if path.exists() else {}
        if known.get("sources") != stamps[""]:
            known = {"sources": stamps[""], "files": {}}
        stale = [
            item
            for nodeid, item in self.items.items()
            if known["files"].get(file_of(nodeid), {}).get("stamp") != stamps[file_of(nodeid)]
        ]
        if stale:
            print(f"{self.target.name}: tracing {len(stale)} tests", file=sys.stderr, flush=True)
            found = json.loads(in_fork(lambda: json.dumps(self._traced(stale))))
            for file in {file_of(item.nodeid) for item in stale}:
                tests = {nodeid: entry for nodeid, entry in found.items() if file_of(nodeid) == file}
                known["files"][file] = {"stamp": stamps[file], "tests": tests}
            self.cache.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(known))
        for nodeid in self.items:
            seconds, lines = known["files"][file_of(nodeid)]["tests"][nodeid]
            if lines is None:
                self.dropped.append(nodeid)
            else:
                self.reach[nodeid] = Reach(seconds, lines)

    def _stamps(self) -> dict[str, str]:
        """Hashes of each test file, and of the sources with all that tests share."""
        files = {file_of(nodeid) for nodeid in self.items}
        shared = {
            path
            for file in files
            for folder in [(ROOT / file).parent, ROOT / "tests"]
            for path in folder.glob("*.py")
            if not path.name.startswith("test_")
        }
        sources = [*(ROOT / file for file in self.sources), *sorted(shared)]
        return {file: digest([ROOT / file]) for file in files} | {"": digest(sources)}

    def _traced(self, items: list[pytest.Item]) -> dict[str, Any]:
        """Runs tests under coverage: seconds and lines of each, None for one that fails or takes long."""

        def stop(*_: object) -> None:
            raise TimeoutError("too long to be run on mutants")

        signal.signal(signal.SIGPROF, stop)
        signal.signal(signal.SIGALRM, stop)  # one that was stopped may wait for a thread that never ends
        paths = {str(ROOT / file): file for file in self.sources}
        tracer = coverage.Coverage(data_file=None, config_file=False, include=list(paths))
        tracer.start()
        found: dict[str, Any] = {}
        for item, following in zip(items, [*items[1:], None], strict=True):
            tracer.switch_context(item.nodeid)
            began = time.process_time()
            signal.setitimer(signal.ITIMER_PROF, LONGEST)
            signal.setitimer(signal.ITIMER_REAL, WALL, WALL)
            passed = run_item(item, following)
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.setitimer(signal.ITIMER_PROF, 0)
            found[item.nodeid] = [round(time.process_time() - began, 4), {} if passed else None]
        tracer.stop()
        data = tracer.get_data()
        for path, file in paths.items():
            for line, contexts in data.contexts_by_lineno(path).items():
                for nodeid in contexts:
                    if nodeid and found[nodeid][1] is not None:
                        found[nodeid][1].setdefault(file, []).append(line)
        return found

    # Mutants

    def tests_for(self, mutant: Mutant) -> list[str]:
        """The tests that reach its line: those that have killed others of its function, then other cases of
        these tests, then one case of every test, the quick ones first, then the rest.
        """
        source = self.sources[mutant.file]
        lines = range(mutant.line, mutant.line + source.bytes.count(b"\n", mutant.start, mutant.end) + 1)
        found = {nodeid for line in lines for nodeid in self._by_line[mutant.file, line]}
        kills = self._kills[mutant.function]
        quick = sorted(found, key=lambda nodeid: (self.reach[nodeid].seconds, nodeid))
        cases = Counter[str]()
        order: dict[str, tuple[int, int, int]] = {}
        for nodeid in quick:
            test = test_of(nodeid)
            order[nodeid] = -kills[nodeid], -kills[test], cases[test]
            cases[test] += 1
        return sorted(quick, key=order.__getitem__)

    def tests_stamp(self, mutant: Mutant) -> str:
        """A hash of the tests that reach a mutant: a survivor is tried again when it changes."""
        files = sorted({file_of(nodeid) for nodeid in self.tests_for(mutant)})
        return digest([ROOT / file for file in files])

    def run(
        self,
        mutants: Sequence[Mutant],
        jobs: int,
        most: float,
        done: Callable[[Mutant, str, str, float], None],
        until: float,
    ) -> None:
        """Tries mutants, some at once; `done` gets each with its outcome, the test that killed it, and the
        processor seconds.
        """
        waiting, running = list(reversed(mutants)), dict[int, Attempt]()
        while waiting or running:
            if time.monotonic() > until:
                waiting.clear()
            while waiting and len(running) < jobs:
                mutant = waiting.pop()
                tests = self._within(self.tests_for(mutant), most)
                if not tests or not self._can_replace(mutant):
                    done(mutant, UNTRIED if tests else UNREACHED, "", 0.0)
                    continue
                attempt = self._start(mutant, tests)
                running[attempt.pipe] = attempt
            if not running:
                continue
            ready, _, _ = select.select(list(running), [], [], 1.0)
            late = [pipe for pipe, one in running.items() if one.late]
            for pipe in {*ready, *late}:
                attempt = running.pop(pipe)
                outcome, killer, seconds = attempt.end()
                if outcome == KILLED:
                    self._kills[attempt.mutant.function].update({killer, test_of(killer)})
                self.seconds += seconds
                done(attempt.mutant, outcome, killer, seconds)

    def _can_replace(self, mutant: Mutant) -> bool:
        """Not without the call of `super()` that made the function a closure: Python takes no such code."""
        code = self.sources[mutant.file].compiled(mutant, str(ROOT / mutant.file))
        functions = self._functions[mutant.file, mutant.function]
        return all(function.__code__.co_freevars == code.co_freevars for function in functions)

    def _within(self, tests: list[str], most: float) -> list[str]:
        """As many tests as take so many seconds together."""
        chosen: list[str] = []
        total = 0.0
        for nodeid in tests:
            total += self.reach[nodeid].seconds
            if chosen and total > most:
                break
            chosen.append(nodeid)
        return chosen

    def _start(self, mutant: Mutant, tests: list[str]) -> Attempt:
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(reading)
            status = 3
            try:
                status = self._in_child(mutant, tests, writing)
            finally:
                os._exit(status)
        os.close(writing)
        return Attempt(mutant, tests, pid, reading, Stopwatch(pid))

    def _in_child(self, mutant: Mutant, tests: list[str], pipe: int) -> int:
        os.setpgid(0, 0)
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nothing, descriptor)
        os.environ["PYTEST_DEBUG_TEMPROOT"] = folder_of(os.getpid(), make=True)
        code = self.sources[mutant.file].compiled(mutant, str(ROOT / mutant.file))
        for function in self._functions[mutant.file, mutant.function]:
            function.__code__ = code
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        items = [self.items[nodeid] for nodeid in tests]
        for number, (item, following) in enumerate(zip(items, [*items[1:], None], strict=True)):
            signal.setitimer(signal.ITIMER_PROF, GRACE + 5 * self.reach[item.nodeid].seconds)
            if not run_item(item, following):
                os.write(pipe, str(number).encode())
                return FAILED
        return SURVIVES


@dataclass
class Attempt:
    """A mutant that is being tried, in a process of its own."""

    mutant: Mutant
    tests: list[str]
    pid: int
    pipe: int
    watch: Stopwatch

    @property
    def late(self) -> bool:
        return self.watch.seconds > WALL

    def end(self) -> tuple[str, str, float]:
        """The outcome, the test that failed, and the processor seconds."""
        if self.late:
            os.killpg(self.pid, signal.SIGKILL)
        number = os.read(self.pipe, 16)
        os.close(self.pipe)
        _, status, used = os.wait4(self.pid, 0)
        shutil.rmtree(folder_of(self.pid), ignore_errors=True)
        seconds = used.ru_utime + used.ru_stime
        if os.WIFSIGNALED(status):
            return ENDLESS, "", seconds
        if os.WEXITSTATUS(status) == FAILED:
            return KILLED, self.tests[int(number)], seconds
        if os.WEXITSTATUS(status) == SURVIVES:
            return SURVIVED, "", seconds
        raise RuntimeError(f"could not try {self.mutant}")


def run_item(item: pytest.Item, following: pytest.Item | None) -> bool:
    """Whether a test passes (or skips itself)."""
    return not any(report.failed for report in runtestprotocol(item, log=False, nextitem=following))


def functions_of(sources: Iterable[str]) -> dict[tuple[str, str], list[FunctionType]]:
    """The functions of source files that exist in this process, by file and qualified name: however they are
    wrapped, and the twins made of them.
    """
    for file in sources:
        importlib.import_module(file.removeprefix("src/").removesuffix(".py").replace("/", "."))
    paths = {str(ROOT / file): file for file in sources}
    found: dict[tuple[str, str], list[FunctionType]] = defaultdict(list)
    for thing in gc.get_objects():
        if type(thing) is FunctionType and thing.__code__.co_filename in paths:
            found[paths[thing.__code__.co_filename], thing.__code__.co_qualname].append(thing)
    return found


def in_fork(make: Callable[[], str]) -> str:
    """What a function makes in a process of its own, in which tests may leave what they like."""
    with tempfile.NamedTemporaryFile("r") as file:
        pid = os.fork()
        if pid == 0:
            try:
                os.environ["PYTEST_DEBUG_TEMPROOT"] = folder_of(os.getpid(), make=True)
                Path(file.name).write_text(make())
            except BaseException as error:
                print(repr(error), file=sys.stderr, flush=True)
                os._exit(1)
            os._exit(0)
        _, status = os.waitpid(pid, 0)
        shutil.rmtree(folder_of(pid), ignore_errors=True)
        if status:
            raise RuntimeError("tracing the tests failed")
        return file.read()


def folder_of(pid: int, make: bool = False) -> str:
    """Where the tests of one fork keep their files."""
    path = Path(tempfile.gettempdir()) / f"mutants-{pid}"
    if make:
        path.mkdir(exist_ok=True)
    return str(path)


def file_of(nodeid: str) -> str:
    return nodeid.partition("::")[0]


def test_of(nodeid: str) -> str:
    """A test without its parameters."""
    return nodeid.partition("[")[0]


def digest(paths: Iterable[Path]) -> str:
    whole = hashlib.sha256()
    for path in paths:
        whole.update(digest_of(path))
    return whole.hexdigest()[:16]


@cache
def digest_of(path: Path) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest()


def session(target: Target, cache: Path, attempt: Callable[[Session], None]) -> Session:
    """Collects the tests of a target and hands the session to `attempt`."""
    from comptoir.engine import modes

    modes.Compiled = modes.Mode  # type: ignore[assignment, misc]
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    plugin = Session(target, cache, attempt)
    off = [f"-pno:{name}" for name in ("cacheprovider", "xdist")]
    tests = [str(ROOT / test) for test in target.tests]
    status = pytest.main(
        [
            "-q",
            "--no-header",
            "--no-summary",
            "--tb=native",
            "--assert=plain",
            "--rootdir",
            str(ROOT),
            *off,
            *tests,
        ],
        plugins=[plugin],
    )
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        raise SystemExit(f"{target.name}: pytest ended with {status}")
    return plugin
