"""One process that serves: uvicorn with our settings, from its start until it is asked to stop."""

from __future__ import annotations

import logging
import signal
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

import uvicorn

from comptoir.web.http.app import from_settings
from comptoir.web.ops import connection_limits, monitoring
from comptoir.web.ops.settings import ServerSettings
from comptoir.web.storage.store import Store

logger = logging.getLogger(__name__)


class Server(uvicorn.Server):
    """Uvicorn's server; a signal ends it, and it returns: uvicorn's own would then die of that signal."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if self.should_exit and sig == signal.SIGINT:
            self.force_exit = True
        self.should_exit = True

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        signals = [signal.SIGINT, signal.SIGTERM]
        if sys.platform == "win32":
            signals.append(signal.SIGBREAK)
        before = {sig: signal.signal(sig, self.handle_exit) for sig in signals}
        try:
            yield
        finally:
            for sig, handler in before.items():
                signal.signal(sig, handler)


def serve(
    settings: ServerSettings,
    store: Store,
    sockets: Sequence[socket.socket],
    *,
    several: bool = False,
    begun: Callable[[Server], None] = lambda server: None,
) -> bool:
    """Serves until a signal comes. True if it ended because it was asked to; the log says why, if not.

    `several`: others serve on the same sockets. `begun` is given the server before it starts.
    """
    monitoring.log_uncaught()
    made: list[Server] = []
    app = from_settings(settings, store, lambda: made[0].should_exit)
    server = Server(uvicorn.Config(app, workers=2 if several else 1, **connection_limits.uvicorn_settings()))
    made.append(server)
    begun(server)
    try:
        server.run(list(sockets))
    except SystemExit:  # uvicorn has logged why
        return server.should_exit
    except Exception:
        logger.critical("the server failed", exc_info=True)
        return False
    return server.should_exit
