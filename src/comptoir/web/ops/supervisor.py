"""Several processes that serve one port, and the parent that looks after them.

A worker that ends is started again: at once if it had served for a while, else after a pause that grows.
Others are never touched because of it. The parent ends when it is asked to, or when the very first workers
cannot start at all. Workers exit when their parent is gone: else they would hold its port.

uvicorn's own supervisor stops everything when one worker cannot start, and says nothing of why it ended:
little of it would be left in a subclass.
"""

from __future__ import annotations

import logging
import multiprocessing
import signal
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from comptoir.errors import ComptoirError
from comptoir.web import limits
from comptoir.web.ops.settings import ServerSettings
from comptoir.web.ops.shared_metrics import MetricsFolder

POLL_INTERVAL = 0.5  # seconds between looks at signals and clocks
BEAT = 1.0  # seconds between a worker's signs of life
STARTING, READY = "starting", "ready"
FAILED = 3  # the exit code of a worker that could not serve; the log has its reason

logger = logging.getLogger(__name__)
_spawn = multiprocessing.get_context("spawn")


# The parent


@dataclass
class Worker:
    """A process that serves, as its parent sees it."""

    slot: str
    process: BaseProcess
    pipe: Connection
    last_heartbeat: float  # when it last gave a sign of life
    ready: float | None = None  # since when it serves
    stopping: float | None = None  # since when it is to end
    outdated: bool = False  # it is to end once another one is ready

    def listen(self, now: float) -> None:
        """Reads its signs of life."""
        try:
            while self.pipe.poll():
                self.last_heartbeat = now
                if self.pipe.recv() == READY and self.ready is None:
                    self.ready = now
        except (EOFError, OSError):
            pass  # it ends: its process says so

    def stop(self, now: float) -> None:
        self.stopping = now
        self.process.terminate()


@dataclass
class Supervisor:
    """Keeps `number` workers running. `target` is what a worker does: `http.worker_process.work`."""

    settings: ServerSettings
    sockets: Sequence[socket.socket]
    number: int
    target: Callable[..., None]
    clock: Callable[[], float] = time.monotonic
    workers: list[Worker] = field(default_factory=list)
    _signals: list[int] = field(default_factory=list)
    _starts: list[float] = field(default_factory=list)  # when further workers are to be started
    _failures: int = 0  # of workers, in a row
    _served: bool = False  # some worker has been ready

    def run(self) -> int:
        """Until it is asked to stop. The exit code: 0 if it was, 1 if no worker could start."""
        self._folder = MetricsFolder()
        before = {sign: signal.signal(sign, self._note) for sign in _handled()}
        try:
            for _ in range(self.number):
                self._start()
            while not self._is_asked_to_stop():
                if not self._wait_for_news():
                    logger.critical("the server ends: a worker could not start, and none has before")
                    return 1
            return 0
        finally:
            self._stop_all()
            for sign, handler in before.items():
                signal.signal(sign, handler)
            self._folder.remove()

    def _note(self, sign: int, _: object) -> None:
        self._signals.append(sign)

    def _is_asked_to_stop(self) -> bool:
        """Follows the signals that have come."""
        while self._signals:
            if self._signals.pop(0) != getattr(signal, "SIGHUP", None):
                return True
            logger.info("workers are replaced, one after the other")
            for worker in self.workers:
                worker.outdated = True
        return False

    def _wait_for_news(self) -> bool:
        """Waits for news and acts on it; False if the server cannot start at all."""
        wait([*(worker.process.sentinel for worker in self.workers), *self._pipes()], POLL_INTERVAL)
        now = self.clock()
        for worker in list(self.workers):
            worker.listen(now)
            self._served = self._served or worker.ready is not None
            if not worker.process.is_alive():
                if not self._follow(worker, now):
                    return False
            elif now - worker.last_heartbeat > limits.WORKER_SILENT_SECONDS:
                self._kill(worker, "gives no sign of life")
            elif worker.stopping is not None and now - worker.stopping > limits.WORKER_STOP_SECONDS:
                self._kill(worker, "does not end")
        self._start_due(now)
        self._replace(now)
        return True

    def _pipes(self) -> list[Connection]:
        """Of those that run: the pipe of one that has ended is always ready to be read."""
        return [worker.pipe for worker in self.workers if worker.process.is_alive()]

    def _follow(self, worker: Worker, now: float) -> bool:
        """A worker has ended: another one takes its place. False if it could not start, and none has."""
        self._forget(worker)
        code = worker.process.exitcode or 0
        if worker.stopping is not None or self._signals:  # Ctrl-C reaches all processes
            return True
        if code > 0 and not self._served:
            return False
        steady = worker.ready is not None and now - worker.ready > limits.WORKER_STEADY_SECONDS
        self._failures = 0 if steady else self._failures + 1
        self._start_later(f"worker {worker.slot} ended with {_exit_text(code)}", now)
        return True

    def _start_later(self, why: str, now: float) -> None:
        """At once after a long run, else after a pause that doubles with each failure."""
        first, longest = limits.WORKER_RESTART_FIRST_SECONDS, limits.WORKER_RESTART_LONGEST_SECONDS
        pause = min(first * 2 ** min(self._failures - 1, 30), longest) if self._failures else 0.0
        logger.error("%s; another one is started in %.0f s", why, pause)
        self._starts.append(now + pause)

    def _start_due(self, now: float) -> None:
        due = [when for when in self._starts if when <= now]
        self._starts = [when for when in self._starts if when > now]
        for _ in due:
            try:
                self._start()
            except (OSError, ComptoirError) as error:  # as when there is no memory left for a process
                self._failures += 1
                self._start_later(f"a worker cannot be started: {error}", now)

    def _replace(self, now: float) -> None:
        """A new worker is started for each outdated one, which ends when the new one is ready."""
        outdated = [worker for worker in self.workers if worker.outdated and worker.stopping is None]
        fresh = [worker for worker in self.workers if not worker.outdated]
        if not outdated or self._starts or not all(worker.ready is not None for worker in fresh):
            return
        if len(outdated) + len(fresh) > self.number:
            outdated[0].stop(now)
        else:
            self._starts.append(now)

    def _start(self) -> None:
        slot = self._free_slot()
        ours, theirs = _spawn.Pipe()
        process = _spawn.Process(
            target=self.target,
            args=(self.settings, list(self.sockets), self._folder.take(slot), theirs),
            name=f"worker {slot}",
        )
        process.start()
        theirs.close()
        self._folder.started(slot, process.pid or 0)
        self.workers.append(Worker(slot, process, ours, self.clock()))

    def _free_slot(self) -> str:
        taken = {worker.slot for worker in self.workers}
        return next(str(n) for n in range(1, len(taken) + 2) if str(n) not in taken)

    def _forget(self, worker: Worker) -> None:
        worker.process.join()
        worker.pipe.close()
        self.workers.remove(worker)
        self._folder.ended(worker.slot)

    def _kill(self, worker: Worker, why: str) -> None:
        logger.error("worker %s %s and is killed", worker.slot, why)
        worker.process.kill()
        worker.process.join()

    def _stop_all(self) -> None:
        """All are asked to exit; a worker that takes too long is killed, and everyone at a further signal."""
        self._signals.clear()
        for worker in self.workers:
            worker.stop(self.clock())
        end = self.clock() + limits.WORKER_STOP_SECONDS
        while (left := self._pipes()) and self.clock() < end and not self._signals:
            wait([worker.process.sentinel for worker in self.workers if worker.pipe in left], POLL_INTERVAL)
        for worker in self.workers:
            if worker.process.is_alive():
                self._kill(worker, "does not end")


def _handled() -> Iterator[signal.Signals]:
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"):
        if hasattr(signal, name):
            yield getattr(signal, name)


def _exit_text(code: int) -> str:
    """An exit code as people know it."""
    return signal.Signals(-code).name if code < 0 else f"code {code}"
