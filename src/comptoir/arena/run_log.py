"""The folder of a run: what is played, and a line for each finished game.

Whatever stops a run, no finished game is lost.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Generic, Protocol, Self, TextIO, TypeVar

from comptoir.errors import DataError, OptionError

HEADER, GAMES = "run.json", "games.jsonl"


class LogHeader(Protocol):
    """What is played, as a header holds it."""

    def to_dict(self) -> dict[str, object]: ...


class LoggedGame(Protocol):
    """A finished game: a dataclass, which a line of the record holds."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def key(self) -> str: ...


Game = TypeVar("Game", bound=LoggedGame)


def short_hash(definition: LogHeader) -> str:
    return sha256(json.dumps(definition.to_dict(), sort_keys=True).encode()).hexdigest()[:10]


class RunLog(Generic[Game]):
    """The record of a run, open for more games. `done` holds those that are finished, by their keys."""

    room = "arena"
    run = "an arena run"
    old_keys: ClassVar[dict[str, str]] = {
        "limit": "bot_timeout",
        "reports": "failures",
    }  # of earlier versions

    def __init__(self, folder: Path, definition: LogHeader, kind: type[Game], fresh: bool = False) -> None:
        self.folder, self.definition, self.kind = folder, definition, kind
        self.done: dict[str, Game] = {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = (folder / GAMES).open("a+", encoding="utf-8")
            try:
                self._prepare(fresh)
            except BaseException:
                self._file.close()
                raise
        except OSError as error:
            raise OptionError(
                f"{folder} cannot be written to: {error.strerror}. Choose another folder with --out."
            ) from None

    def _prepare(self, fresh: bool) -> None:
        _lock(self._file, self.folder, self.room)
        if fresh:
            self._file.truncate(0)
            (self.folder / HEADER).unlink(missing_ok=True)
        self._check_header()
        self._read()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def add(self, played: Game) -> None:
        """A finished game, on its way to the disk at once."""
        self.done[played.key] = played
        self._file.write(json.dumps(asdict(played), separators=(",", ":")) + "\n")
        self._file.flush()

    def _renamed(self, data: dict[str, Any]) -> dict[str, Any]:
        """What an earlier version wrote, by the names of this one."""
        return {self.old_keys.get(key, key): value for key, value in data.items()}

    def _check_header(self) -> None:
        """A folder holds one run: with the games of another, its figures would mean nothing."""
        path, wanted = self.folder / HEADER, {"title": f"comptoir {self.room} 1"} | self.definition.to_dict()
        if not path.exists():
            path.write_text(json.dumps(wanted, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
            return
        try:
            found = self._renamed(json.loads(path.read_text(encoding="utf-8")))
            differs = [key for key in wanted if found[key] != wanted[key]]
        except (ValueError, KeyError, TypeError, AttributeError):
            raise DataError(
                str(path),
                [f"it is not the header of {self.run}: choose another folder, or start over with --fresh"],
            ) from None
        if differs:
            raise OptionError(
                f"{self.folder} holds another run: {_difference(differs[0], found, wanted)}. {NEXT}"
            )

    def _read(self) -> None:
        """The finished games. The last line may be torn, if the machine stopped while it was written: it is
        cut off.
        """
        self._file.seek(0)
        good = 0
        lines = self._file.read().splitlines(keepends=True)
        for number, line in enumerate(lines, 1):
            try:
                played = self.kind(**self._renamed(json.loads(line)))
                if not line.endswith("\n"):
                    raise ValueError("torn")
            except (ValueError, TypeError, AttributeError):
                if number < len(lines):
                    raise DataError(
                        str(self.folder / GAMES),
                        [f"line {number} is damaged: remove it, or start over with --fresh"],
                    ) from None
                break
            self.done[played.key] = played
            good += len(line.encode())
        self._file.seek(0, 2)
        self._file.truncate(good)


NEXT = "Choose another folder with --out, or start over with --fresh."


def _difference(key: str, found: dict[str, object], wanted: dict[str, object]) -> str:
    """What is not the same, in words."""
    if key in ("code", "files"):
        return (
            "the bots' code has changed since"
            if key == "code"
            else "the files of custom bots have changed since"
        )
    if key == "components":
        return "its components are others"
    return f"{key} {_shown(found[key])} there, {_shown(wanted[key])} here"


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {item}" for key, item in value.items())
    return ",".join(value) if isinstance(value, list) else str(value)


def _lock(file: TextIO, folder: Path, room: str) -> None:
    """One process writes; the lock goes with the process, however it ends."""
    try:
        import fcntl
    except ImportError:  # not on every system
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise OptionError(
            f"{folder}: another {room} is playing this run now."
            " Wait for it, or choose another folder with --out."
        ) from None
