"""Every limit of the server in one place: how much one visitor, one table, one address may use.

`docs/limits.md` lists them all; `tests/web/test_limits.py` compares that table with this module.
"""

from __future__ import annotations

# Bytes that arrive: connections, requests, headers, bodies, sockets


# Tables: events, notes, agreements, chat


# People: sessions, subscriptions, results, names


# Notifications and mail


# Reviews, previews, uploads, downloads


# Processes, database, log

START_RETRY = (
    0.5,
    15.0,
)  # seconds: first and longest pause before a start that the database refused is retried
WORKER_RESTART = (1.0, 30.0)  # seconds: first and longest pause before a worker that failed is started again
WORKER_STEADY = 60.0  # seconds; a worker that has served for longer is started again at once when it ends
WORKER_SILENT = 60.0  # seconds without a sign of life after which a worker is killed
WORKER_STOP = (
    8.0  # seconds for workers to end after SIGTERM, then they are killed; Docker itself waits for 10
)
METRICS_REFRESH = 2.0  # seconds between updates of the gauges that other processes of the server can read
METRICS_FILE = 131_072  # bytes of shared metrics of one kind per worker, allocated at its start
LOG_REASON = 400  # characters of an error's text in a line of the log
LOG_FRAMES = 5  # places in the code that a line of the log names per error
LOG_CAUSES = 3  # errors that it names: the error itself and those behind it
