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
