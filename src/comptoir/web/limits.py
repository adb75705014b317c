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
DATABASE_ANSWER = 8.0  # seconds that anyone waits for a call of PostgreSQL; then 503
DATABASE_ANSWER_HUNG = 1.0  # the same while an earlier call that was given up still hangs
DATABASE_STATEMENT = 6.0  # seconds that PostgreSQL works on one statement; migrations have no limit
DATABASE_CONNECT = 3  # seconds to open a connection to PostgreSQL, and to wait for a free one
DATABASE_SILENCE = 10  # seconds after which a connection that acknowledges nothing counts as dead
HEALTH_ANSWER = 2.0  # seconds that /health waits for the database; then 503
OUTAGE_LOG_EVERY = 10.0  # seconds between lines in the log about the same outage
OUTAGE_REASON = 200  # characters of the reason in such a line
