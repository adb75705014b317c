"""Where the games of a run are played: here, in a process on each core, or on a Ray cluster.

Results come as they are done.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from types import ModuleType
from typing import TypeVar

from comptoir.arena.game_record import GameRecord, RunDefinition, play
from comptoir.arena.schedule import GameSpec
from comptoir.errors import OptionError
from comptoir.extras import needs

Given = TypeVar("Given")  # what all tasks are given: the run's definition
Asked = TypeVar("Asked")  # one of them: a game of the run
Done = TypeVar("Done")
Task = Callable[[Given, Asked], Done]

PREFETCH = 3  # games a worker that are asked for before they are needed: none waits, and a stop loses little


def play_all(
    definition: RunDefinition, units: Iterable[GameSpec], workers: int | None = None, ray: str | None = None
) -> Iterator[GameRecord]:
    """Plays games, in any order."""
    return map_tasks(play, definition, units, workers, ray)


def map_tasks(
    task: Task[Given, Asked, Done],
    definition: Given,
    units: Iterable[Asked],
    workers: int | None = None,
    ray: str | None = None,
) -> Iterator[Done]:
    """The same for any task: a function of a module, of the run's definition and what is asked."""
    if ray is not None:
        return _on_ray(task, definition, units, ray, workers)
    if workers == 1:
        return (task(definition, unit) for unit in units)
    return in_processes(task, definition, units, workers or os.cpu_count() or 1)


def in_processes(
    task: Task[Given, Asked, Done], definition: Given, units: Iterable[Asked], workers: int
) -> Iterator[Done]:
    """Fresh processes, not forks: a fork would inherit locks of threads that it does not have."""
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _start_worker)
    try:
        yield from _keep_busy(lambda unit: pool.submit(task, definition, unit), units, PREFETCH * workers)
        pool.shutdown()
    except BrokenProcessPool:
        raise OptionError(
            "a worker process has died: is there memory enough? The same command goes on; try fewer --workers"
        ) from None
    finally:  # stopped before the end: games that have not begun are dropped
        pool.shutdown(wait=False, cancel_futures=True)
        for process in multiprocessing.active_children():
            process.terminate()


def _keep_busy(submit: Callable[[Asked], Future[Done]], units: Iterable[Asked], ahead: int) -> Iterator[Done]:
    left = iter(units)
    waiting = {submit(unit) for unit in islice(left, ahead)}
    while waiting:
        done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
        waiting |= {submit(unit) for unit in islice(left, len(done))}
        for future in done:
            yield future.result()


def _start_worker() -> None:
    """A worker ends with its parent: the parent answers Ctrl-C, and without it the game is of no use."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _on_ray(
    task: Task[Given, Asked, Done],
    definition: Given,
    units: Iterable[Asked],
    address: str,
    workers: int | None,
) -> Iterator[Done]:
    """On a cluster: the same task, its definition sent once.

    `local` starts a cluster of this machine alone.
    """
    ray = load_ray()
    here: dict[str, int | None] = (
        {"num_cpus": workers, "include_dashboard": False} if address == "local" else {}
    )
    try:
        _knock(address)
        ray.init(address=address, log_to_driver=False, logging_level="ERROR", **here)
    except (OSError, ValueError, RuntimeError, ImportError) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise OptionError(
            f"no Ray at {address!r}: {reason}. Give a cluster's HOST:PORT, or 'local' to start one here."
        ) from None
    try:
        cores = int(ray.cluster_resources().get("CPU", 1))
        there, sent, left = ray.remote(task), ray.put(definition), iter(units)
        waiting = [there.remote(sent, unit) for unit in islice(left, PREFETCH * cores)]
        while waiting:
            done, waiting = ray.wait(waiting)
            waiting += [there.remote(sent, unit) for unit in islice(left, len(done))]
            try:
                yield from ray.get(done)
            except ray.exceptions.RayTaskError as error:
                raise OptionError(f"a game failed on the cluster: {error.cause}") from None
    finally:
        ray.shutdown()


def _knock(address: str) -> None:
    """Raises an OSError if nobody answers at HOST:PORT: Ray itself would try for minutes."""
    host, _, port = address.rpartition(":")
    if host and port.isdecimal() and "/" not in host:
        socket.create_connection((host, int(port)), timeout=5).close()


def load_ray() -> ModuleType:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    with needs("ray"):
        import ray
    return ray
