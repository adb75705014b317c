"""One of several processes that serve: what it does, and how it tells its parent (ops/supervisor.py) so."""

from __future__ import annotations

import logging
import os
import shutil
import signal
import socket
import sys
import threading
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING

from comptoir.errors import ComptoirError
from comptoir.web import limits
from comptoir.web.ops import shared_metrics
from comptoir.web.ops.settings import ServerSettings
from comptoir.web.ops.supervisor import BEAT, FAILED, READY, STARTING

if TYPE_CHECKING:  # these are loaded only once the metrics know their place
    from comptoir.web.http.serving import Server
    from comptoir.web.storage.store import Store

logger = logging.getLogger(__name__)


class Lifeline(threading.Thread):
    """Tells the parent that this worker lives and whether it serves; ends the worker when the parent is
    gone.
    """

    def __init__(self, pipe: Connection, folder: Path) -> None:
        super().__init__(name="lifeline", daemon=True)
        self._pipe, self._folder = pipe, folder
        self.server: Server | None = None

    def run(self) -> None:
        try:
            while True:
                serves = self.server is not None and self.server.started
                self._pipe.send(READY if serves else STARTING)
                if self._pipe.poll(BEAT):
                    self._pipe.recv()  # it never says anything: this is its end
        except (EOFError, OSError):
            self._end()

    def _end(self) -> None:
        """As gently as on a signal, if it serves already."""
        logger.warning("the parent process is gone: this worker ends")
        shutil.rmtree(self._folder, ignore_errors=True)
        if self.server is not None:
            self.server.should_exit = True
            time.sleep(limits.WORKER_STOP_SECONDS)
        os._exit(FAILED)


def work(settings: ServerSettings, sockets: Sequence[socket.socket], place: str, pipe: Connection) -> None:
    """What a worker does, from its first moment to its last."""
    os.environ[shared_metrics.VARIABLE] = place
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent too, which then ends all
    lifeline = Lifeline(pipe, Path(place).parent)
    lifeline.start()

    def begun(server: Server) -> None:
        lifeline.server = server

    from comptoir.web.ops import monitoring

    monitoring.start_log(settings.log)
    try:
        from comptoir.web.http.serving import serve

        asked = serve(settings, _store(settings), sockets, several=True, begun=begun)
    except ComptoirError as error:
        logger.critical("a worker cannot start: %s", str(error)[: limits.LOG_REASON_LETTERS])
        asked = False
    except Exception:
        logger.critical("a worker failed", exc_info=True)
        asked = False
    sys.exit(0 if asked else FAILED)


def _store(settings: ServerSettings) -> Store:
    """The database, as soon as it lets us in. SIGTERM ends the process here."""
    from comptoir.web.storage.database import DatabaseUnreachable
    from comptoir.web.storage.retry import log_retry, start_pauses
    from comptoir.web.storage.store import Store

    pauses = start_pauses()
    while True:
        try:
            return Store(settings.database_url())
        except DatabaseUnreachable as error:
            pause = next(pauses)
            log_retry(error, pause)
        time.sleep(pause)
