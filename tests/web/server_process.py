"""A server for tests to kill: the app as `comptoir serve` runs it, but for the limits, since all play from
one address. Or a bots' worker.

python -m tests.web.server_process DATABASE PORT     forks a server off at each line that it reads; tells its id, then how it ended
python -m tests.web.server_process DATABASE 0        the same with bots' workers

Everything is loaded before the fork, so that a server is there again at once: else the starts would take most
of the time.
"""

from __future__ import annotations

import os
import sys

import uvicorn

from comptoir.engine import registry
from comptoir.engine.game import get_game
from comptoir.engine.words import words_of
from comptoir.web.http.app import make_app
from comptoir.web.live.bot_worker import BotWorker
from comptoir.web.live.precompiler import call
from comptoir.web.page_words import page_words
from comptoir.web.storage.store import Store


def serve(database: str, port: int) -> None:
    app = make_app(Store(database), bot_delay=0.0, limits=False, prepare=False)
    uvicorn.run(app, port=port, log_config=None, access_log=False, ws_max_size=8_192, ws_ping_interval=None)


def work(database: str) -> None:
    BotWorker(Store(database).url, 2).run()


def main(database: str, port: int) -> None:
    for name in registry.names():
        _ = (
            get_game(name).components,
            get_game(name).board,
            page_words(name, "fr"),
            words_of(name, "fr"),
            words_of(name, "fr", rules=True),
        )
        if not port:
            call(name)
    for _ in sys.stdin:
        server = os.fork()
        if server == 0:
            sys.stdin.close()
            serve(database, port) if port else work(database)
            os._exit(0)
        print(server, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(server, 0)[1]), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
