"""Workers that serve nothing, for tests of what looks after them; and a parent of such workers to be killed.

python -m tests.web.workers FOLDER     two of them; their ids and that of the parent are in the folder
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from types import SimpleNamespace

from comptoir.web.http.worker_process import Lifeline
from comptoir.web.ops.settings import ServerSettings
from comptoir.web.ops.supervisor import FAILED, READY, Supervisor


def work(settings: ServerSettings, sockets: Sequence[socket.socket], place: str, pipe: Connection) -> None:
    """Does what the next of the folder's files says, one file per worker: serve, fail, hang, stay."""
    folder = Path(settings.smtp_config)
    with (folder / "starts").open("a") as starts:
        starts.write(f"{time.monotonic()} {os.getpid()}\n")
    todo = _next(folder)
    if todo == "fail":
        sys.exit(FAILED)
    while todo == "silent":
        time.sleep(0.05)
    if todo == "stay":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    pipe.send(READY)
    server = SimpleNamespace(started=True, should_exit=False)
    lifeline = Lifeline(pipe, Path(place).parent)
    lifeline.server = server  # type: ignore[assignment]
    lifeline.start()
    with (folder / "watching").open("a") as watching:  # from now on it ends with its parent
        watching.write(f"{os.getpid()}\n")
    while not server.should_exit:
        time.sleep(0.05)


def _next(folder: Path) -> str:
    """The first word in the folder, which is taken out; `serve` if there is none."""
    for file in sorted(folder.glob("todo-*")):
        try:
            todo = file.read_text()
            file.unlink()
        except FileNotFoundError:  # another worker was quicker
            continue
        return todo
    return "serve"


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    (folder / "parent").write_text(str(os.getpid()))
    sys.exit(Supervisor(ServerSettings(smtp_config=str(folder)), [], 2, work).run())
