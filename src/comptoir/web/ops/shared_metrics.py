"""The folder in which the processes of one server keep their metrics, so that any of them can tell all.

Each worker has a slot, which no other has at the same time, and a file in it per kind of metric. A worker
that is started again takes up the files of one that is gone: counters go on from where they stood, and there
are never more files than workers. Files have their full size from the start: a disk that is full later cannot
stop a worker.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from comptoir.errors import OptionError
from comptoir.web import limits

PARENT = "parent"
GAUGES = tuple(f"gauge_{mode}" for mode in ("livesum", "livemax", "livemostrecent"))
METRIC_KINDS = ("counter", "histogram", *GAUGES)
VARIABLE = "COMPTOIR_METRICS"  # of a worker: the folder and its slot, such as /tmp/comptoir-x/1


class MetricsFolder:
    """The folder, as the parent of the workers sees it."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="comptoir-metrics-"))
        self._lock = _locked(self.path)
        self.started(PARENT, os.getpid())

    def take(self, slot: str) -> str:
        """Prepares the files of a slot; what the worker finds in VARIABLE."""
        try:
            for kind in METRIC_KINDS:
                file = self._file(kind, slot)
                if not file.exists():
                    file.write_bytes(bytes(limits.METRICS_FILE_BYTES))
        except OSError as error:
            raise OptionError(f"metrics: {self.path} cannot be written: {error.strerror}") from None
        return str(self.path / slot)

    def started(self, slot: str, pid: int) -> None:
        (self.path / f"{slot}.pid").write_text(str(pid), encoding="utf-8")

    def ended(self, slot: str) -> None:
        """Gauges of a worker that has ended, such as its open sockets, are dropped; counters stay."""
        (self.path / f"{slot}.pid").unlink(missing_ok=True)
        for kind in GAUGES:
            with suppress(FileNotFoundError), self._file(kind, slot).open("r+b") as file:
                file.write(bytes(limits.METRICS_FILE_BYTES))

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)

    def _file(self, kind: str, slot: str) -> Path:
        return self.path / f"{kind}_{slot}.db"


def _locked(folder: Path) -> int | None:
    """A lock on the folder, which systemd-tmpfiles respects when it removes what is old."""
    try:
        import fcntl
    except ImportError:  # Windows
        return None
    lock = os.open(folder, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_SH)
    return lock


def processes(folder: Path) -> dict[str, int]:
    """The ids of the parent and of all workers that run now, by slot."""
    found = {}
    for file in sorted(folder.glob("*.pid")):
        try:
            found[file.stem] = int(file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue  # it ends, or begins, just now
    return found
