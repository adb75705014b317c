"""Every limit of the server in one place: how much one visitor, one table, one address may use.

`docs/limits.md` lists them all; `tests/web/test_limits.py` compares that table with this module.
"""

from __future__ import annotations

# Bytes that arrive: connections, requests, headers, bodies, sockets


# Tables: events, notes, agreements, chat

TABLE_NOTES = 200  # notes that a table's log keeps (pauses, hints, undos …); beyond it the oldest are dropped
PERSON_SITTINGS = 50  # times that one person may sit down at one table; then they are refused a seat there
TABLE_ARRIVALS = 500  # people and bots who sit down at one table before its match; then nobody else may
TABLE_MAKER_ARRIVALS = 600  # the same for whoever made the table, so that strangers cannot use up all of it
PERSON_UNDOS = 1_000  # actions that one person may undo at one table; then what they play stays
PERSON_ASKS = 100  # times that one person may ask for a pause at one table, or an undo, or a stand-in: each
PERSON_LEAVES = 100  # times that one person may hand their seat at one table to a bot; coming back is free
TABLE_RETRACES = 500  # times that a learner may go back in one lesson; then they start at a new table


# People: sessions, subscriptions, results, names


# Notifications and mail


# Reviews, previews, uploads, downloads


# Processes, database, log
