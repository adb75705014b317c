"""One SQLite file, one process: two would each show people only half of what happens.

The operating system holds the lock until the process ends, however it ends. The lock is a separate file next
to the database, which names its holder; SQLite's own locks are not touched, so backups can run in parallel.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import BinaryIO

from comptoir.errors import OptionError

LOCKED_BYTE = 1 << 30  # past the file's end: Windows makes locked bytes unreadable
MAX_LOCK_TEXT_BYTES = 200


class DatabaseInUse(Exception):
    """Another process has the database. `holder`: how it describes itself."""

    def __init__(self, holder: str) -> None:
        super().__init__(holder)
        self.holder = holder


class DatabaseLock:
    """A database file, locked for this process until `release` or its end.

    The lock file names the process by its PID and whatever `add_note` adds.
    """

    def __init__(self, database: Path) -> None:
        self._file = _opened(database.with_name(f"{database.name}.lock"))
        if not _lock(self._file):
            holder = self._file.read(MAX_LOCK_TEXT_BYTES).decode("utf-8", "replace").strip()
            self._file.close()
            raise DatabaseInUse(holder)
        self._file.truncate()
        self.add_note(f"PID {os.getpid()}")

    def add_note(self, text: str) -> None:
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
