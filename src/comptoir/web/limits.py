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

# bytes of a SQLite file that is rewritten (VACUUM) right after somebody deleted themselves: nobody can write
# for up to half a second meanwhile. A larger one is rewritten at the next start.
REWRITE_AT_ONCE = 16 * 1024**2
REWRITE_EVERY = 600.0  # seconds between two rewrites: deleting oneself again and again holds up nobody
VACUUM_SECONDS = 20  # for one table of PostgreSQL after a deletion; then it is left to autovacuum
