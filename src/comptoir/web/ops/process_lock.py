"""One SQLite file, one process: two would each show people only half of what happens.

The lock is the system's and ends with the process, however that ends. It lies beside the database in a file
of its own, which says who has it; SQLite's own locks are not touched, so a backup can be made meanwhile.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import BinaryIO

from comptoir.errors import OptionError

LOCKED_BYTE = 1 << 30  # Windows locks bytes, and lets nobody read them: one that the file does not have
MAX_LOCK_TEXT_BYTES = 200  # bytes of what is told


class DatabaseInUse(Exception):
    """Another process has the database. `by`: what it tells of itself."""

    def __init__(self, by: str) -> None:
        super().__init__(by)
        self.by = by


class DatabaseLock:
    """A database file, taken by this process until `release` or its end. Others are told its number, and what
    `tell` adds.
    """

    def __init__(self, database: Path) -> None:
        self._file = _opened(database.with_name(f"{database.name}.lock"))
        if not _lock(self._file):
            by = self._file.read(MAX_LOCK_TEXT_BYTES).decode("utf-8", "replace").strip()
            self._file.close()
            raise DatabaseInUse(by)
        self._file.truncate()
        self.tell(f"PID {os.getpid()}")

    def tell(self, text: str) -> None:
        self._file.write(text.encode())
        self._file.flush()

    def __enter__(self) -> DatabaseLock:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def release(self) -> None:
        self._file.close()


def _opened(path: Path) -> BinaryIO:
    try:
        return os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b")
    except OSError as error:
        raise OptionError(f"database: {path} cannot be written: {error.strerror}") from None


if sys.platform == "win32":
    import msvcrt

    def _lock(file: BinaryIO) -> bool:
        file.seek(LOCKED_BYTE)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            file.seek(0)
        return True

else:
    import fcntl

    def _lock(file: BinaryIO) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
