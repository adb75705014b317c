"""What looks after the workers of a server: none takes another with it, and exit codes mean what they say."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from comptoir.web import limits
from comptoir.web.ops import shared_metrics
from comptoir.web.ops.settings import ServerSettings
from comptoir.web.ops.shared_metrics import MetricsFolder
from comptoir.web.ops.supervisor import Supervisor
from tests.web import workers


class Scene:
    """A supervisor in this process, and somebody who acts while it runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.supervisor = Supervisor(ServerSettings(smtp_config=str(folder)), [], 2, workers.work)
        self.wrong: list[BaseException] = []

    def run(self, meanwhile: Callable[[], None], *todo: str) -> int:
        """The exit code. `in the meantime` acts in a thread; then it is told to stop."""
        for n, word in enumerate(todo):
            (self.folder / f"todo-{n}").write_text(word)

        def act() -> None:
            try:
                meanwhile()
            except BaseException as error:
                self.wrong.append(error)
            os.kill(os.getpid(), signal.SIGTERM)

        thread = threading.Thread(target=act)
        before = signal.signal(signal.SIGTERM, signal.SIG_IGN)  # should it come too late
        thread.start()
        try:
            code = self.supervisor.run()
            thread.join()
        finally:
            signal.signal(signal.SIGTERM, before)
        if self.wrong:
            raise self.wrong[0]
        return code

    @property
    def starts(self) -> list[tuple[float, int]]:
        file = self.folder / "starts"
        lines = file.read_text().splitlines() if file.exists() else []
        return [(float(when), int(pid)) for when, pid in map(str.split, lines)]

    def until(self, done: Callable[[], bool], seconds: float = 150) -> None:
        end = time.monotonic() + seconds
        while not done():
            assert time.monotonic() < end, "it does not come to pass"
            time.sleep(0.02)

    def both_ready(self) -> None:
        self.until(lambda: sum(worker.ready is not None for worker in list(self.supervisor.workers)) == 2)


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    monkeypatch.setattr(limits, "WORKER_RESTART_FIRST_SECONDS", 0.2)
    monkeypatch.setattr(limits, "WORKER_RESTART_LONGEST_SECONDS", 0.8)
    return Scene(tmp_path)


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_it_ends_with_0_when_it_is_asked_to(scene: Scene) -> None:
    assert scene.run(scene.both_ready) == 0
    assert not any(is_alive(pid) for _, pid in scene.starts)


def test_a_server_none_of_whose_workers_can_start_ends_with_1(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    def wait() -> None:
        scene.until(lambda: "could not start" in caplog.text)

    assert scene.run(wait, "fail", "fail") == 1


def test_a_worker_that_cannot_start_again_harms_nobody(scene: Scene) -> None:
    """It is tried again after pauses that grow, and the healthy one goes on."""

    def meanwhile() -> None:
        scene.both_ready()
        healthy, killed = list(scene.supervisor.workers)
        for n in range(5):
            (scene.folder / f"todo-{n}").write_text("fail")
        os.kill(killed.process.pid or 0, signal.SIGKILL)
        scene.until(lambda: len(scene.starts) == 8)
        assert healthy.process.is_alive()
        scene.both_ready()
        assert healthy in scene.supervisor.workers

    assert scene.run(meanwhile) == 0
    times = [when for when, _ in scene.starts]
    pauses = [after - before for before, after in pairwise(times[2:])]
    assert len(pauses) == 5
    assert min(pauses[1:]) >= 0.4, pauses
    assert pauses[-1] >= 0.8


def test_one_that_served_for_long_is_started_again_at_once(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "WORKER_STEADY_SECONDS", 0.0)
    monkeypatch.setattr(limits, "WORKER_RESTART_FIRST_SECONDS", 500.0)
    monkeypatch.setattr(limits, "WORKER_RESTART_LONGEST_SECONDS", 500.0)

    def meanwhile() -> None:
        scene.both_ready()
        os.kill(scene.supervisor.workers[0].process.pid or 0, signal.SIGKILL)
        scene.until(lambda: len(scene.starts) == 3)

    assert scene.run(meanwhile) == 0


def test_one_without_a_sign_of_life_is_replaced(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "WORKER_SILENT_SECONDS", 30.0)

    def meanwhile() -> None:
        scene.until(lambda: len(scene.starts) == 3)
        scene.both_ready()

    assert scene.run(meanwhile, "silent") == 0


@pytest.mark.slow
def test_workers_that_do_not_end_are_killed(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "WORKER_STOP_SECONDS", 0.5)
    assert scene.run(scene.both_ready, "stay", "stay") == 0
    assert not any(is_alive(pid) for _, pid in scene.starts)


@pytest.mark.slow
def test_a_hangup_replaces_the_workers_one_after_the_other(scene: Scene) -> None:
    """There are never fewer than two that serve."""

    def meanwhile() -> None:
        scene.both_ready()
        first = {worker.process.pid for worker in scene.supervisor.workers}
        fewest = 2
        os.kill(os.getpid(), signal.SIGHUP)

        def replaced() -> bool:
            nonlocal fewest
            serving = [
                worker for worker in list(scene.supervisor.workers) if worker.ready and not worker.stopping
            ]
            fewest = min(fewest, len(serving))
            return len(serving) == 2 and not first & {worker.process.pid for worker in serving}

        scene.until(replaced)
        assert fewest == 2

    assert scene.run(meanwhile) == 0
    assert len(scene.starts) == 4


def test_workers_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    parent = subprocess.Popen([sys.executable, "-m", "tests.web.workers", str(tmp_path)])
    starts, watching, end = tmp_path / "starts", tmp_path / "watching", time.monotonic() + 150
    while not watching.exists() or len(watching.read_text().splitlines()) < 2:
        assert time.monotonic() < end
        time.sleep(0.05)
    parent.kill()
    parent.wait()
    pids = [int(line.split()[1]) for line in starts.read_text().splitlines()]
    end = time.monotonic() + 60
    while any(map(is_alive, pids)):
        assert time.monotonic() < end, "they go on without their parent"
        time.sleep(0.05)


# What workers share


def in_worker(place: str, code: str) -> str:
    """Runs some lines as a worker of that place would, with its metrics."""
    done = subprocess.run(
        [sys.executable, "-c", f"from comptoir.web.ops import monitoring as m\n{code}"],
        env=os.environ | {shared_metrics.VARIABLE: place},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@pytest.mark.slow
def test_metrics_of_all_workers_are_told_by_each() -> None:
    folder = MetricsFolder()
    try:
        first, second = folder.take("1"), folder.take("2")
        in_worker(
            first, "m.EVENTS.labels('play').inc(3); m.SOCKETS.inc(2); m.BROADCAST_SECONDS.observe(0.003)"
        )
        in_worker(second, "m.EVENTS.labels('play').inc(4); m.SOCKETS.inc(5); m.TABLES.set(1)")
        ask = "import json; print(json.dumps([m.measured(n) for n in %r]))"
        names = ["comptoir_events_total", "comptoir_sockets", "comptoir_tables_live"]
        assert json.loads(in_worker(first, ask % names)) == [7, 7, 1]
        folder.ended("1")
        assert json.loads(in_worker(second, ask % names)) == [7, 5, 1], "what it has done stays"
        in_worker(folder.take("1"), "m.EVENTS.labels('play').inc()")
        assert json.loads(in_worker(second, ask % names)) == [8, 5, 1], "another takes its place"
    finally:
        folder.remove()
    assert not folder.path.exists()


def test_gauges_that_are_asked_for_are_shared_too() -> None:
    folder = MetricsFolder()
    try:
        queue = "m.QUEUE_LENGTH.labels('bots').set_function(lambda: {}); m.refresh()"
        in_worker(folder.take("1"), queue.format(3))
        shown = in_worker(
            folder.take("2"), queue.format(4) + "; print(m.measured('comptoir_queue_length', queue='bots'))"
        )
        assert float(shown) == 7
    finally:
        folder.remove()


@pytest.mark.slow
def test_a_full_disk_does_not_stop_a_worker_that_counts(tmp_path: Path) -> None:
    """All it writes has its place already: writing to a mapped file that cannot grow would kill it."""
    folder = MetricsFolder()
    try:
        place = folder.take("1")
        sizes = {file.name: file.stat().st_blocks for file in folder.path.glob("*.db")}
        in_worker(
            place, "[m.REQUESTS.labels('GET', f'/{n}', s).inc() for n in range(80) for s in (200, 404, 429)]"
        )
        after = {file.name: file.stat().st_blocks for file in folder.path.glob("*.db")}
        assert after == sizes
        assert min(sizes.values()) * 512 >= limits.METRICS_FILE_BYTES
    finally:
        folder.remove()
