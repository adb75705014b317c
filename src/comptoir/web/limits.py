"""Every limit of the server in one place: how much one visitor, one table, one address may use.

`docs/limits.md` lists them all; `tests/web/test_limits.py` compares that table with this module. The end of
a name is its unit: BYTES, SECONDS, LETTERS, or RATE for a `Rate`; all others are counts. A name that begins
with ADDRESS, PERSON, TABLE or SOCKET bounds each of them.
"""

from __future__ import annotations

from typing import NamedTuple

from comptoir.engine import names


class Rate(NamedTuple):
    """How often something may happen: `burst` times at once, and `rate` times a second in the long run."""

    rate: float
    burst: float


# Bytes that arrive: connections, requests, headers, bodies, sockets

REQUEST_SECONDS = 20.0  # for a request to arrive, from its first byte, or from the connection's beginning
ANSWER_SECONDS = 60.0  # in which a client must take some more of its answer
KEEP_ALIVE_SECONDS = 10  # for which a connection without a request is kept
ADDRESS_CONNECTIONS = 256  # a class with its teacher behind one router
CONNECTIONS = 4_000  # of the process
SPARE_FILES = 200  # that the server itself may have open: the database, bots, pages

HEAD_BYTES = 16 * 1024  # of a request before its body: the request line and all headers
HEADERS = 100  # of a request
HEADER_BYTES = 8 * 1024  # of each header
COOKIE_BYTES = 4 * 1024  # of the Cookie header: ours take 200, others on the same host may have more
REQUEST_LINE_BYTES = 4 * 1024  # method, path and query
PATH_BYTES = 1_024
BODY_CHUNKS = 1_000  # of a body without a length: parsing many small ones takes long

UPLOAD_BYTES = 256 * 1024  # body of a form that has a file
FORM_BYTES = 16 * 1024  # body of any other form
API_BODY_BYTES = 16 * 1024  # JSON that programs send: a table or an action
FORM_FIELDS = 100  # of a form
FORM_FILES = 1  # of a form
FIELD_LETTERS = 4_000  # of a form's field
API_SEATS = 64  # that are read at all; each game says how many it takes

ADDRESS_RATE = Rate(20, 100)  # requests
ADDRESS_MAKING_RATE = Rate(1 / 3, 30)  # tables
ADDRESS_BRINGING_RATE = Rate(1 / 10, 10)  # match files
ADDRESS_MISSING_RATE = Rate(2, 40)  # files that do not exist
ADDRESS_REQUESTS = 4  # that are answered at once
ADDRESS_REQUESTS_WAITING = 120  # for that
ADDRESS_REFUSAL_RATE = Rate(5, 60)  # requests that are refused at once; further ones are held first
REFUSAL_SECONDS = 2.0  # for which they are
REQUESTS = 256  # answered at once, of everyone
REMEMBERED_ADDRESSES = 10_000  # whose rates are counted; and files that are known to exist

ADDRESS_SOCKETS = 100  # a class with its teacher behind one router
SOCKET_SILENCE_SECONDS = (
    180.0  # until a socket counts as dead; browsers let a hidden page speak once a minute
)
MESSAGE_BYTES = 8 * 1024  # of a WebSocket message, all fragments together
MESSAGE_FRAGMENTS = 16  # of a WebSocket message; browsers send our messages as one
SOCKET_FRAME_RATE = Rate(40, 200)  # frames of any kind, pings and fragments too
SOCKET_BYTE_RATE = Rate(16 * 1024, 64 * 1024)
SOCKET_PAUSE_RATE = Rate(1 / 10, 5)  # pauses for a socket that sends more, before it is closed
SOCKET_PAUSE_SECONDS = 0.5  # at least, for which such a socket is not read
ADDRESS_FRAME_RATE = Rate(200, 1_000)  # beyond it all sockets of the address are read more slowly
ADDRESS_BYTE_RATE = Rate(128 * 1024, 512 * 1024)
MESSAGE_LETTERS = 2_000  # of a message that is read
SOCKET_MESSAGE_RATE = Rate(20, 60)
SOCKET_PATIENCE_RATE = Rate(1, 100)  # messages beyond that, each refused, before the socket is closed
SOCKET_RELOAD_RATE = Rate(0.2, 2)  # whole pages for a client that is behind
ADDRESS_MESSAGE_RATE = Rate(60, 300)
ADDRESS_UPDATES_WAITING = 1_000  # sockets of an address that wait to be sent how their table stands
UPDATES = 1_000  # rendered at once


# Tables: events, notes, agreements, chat

TABLE_CHAT_MESSAGES = 50  # the latest are kept
CHAT_LETTERS = 200  # of a message that somebody writes
POSITIONS_KEPT = 150_000  # in memory by all tables in use, 1 KB each; tables nobody looks at go first
ADDRESS_UNATTENDED_BOTS = 4  # tables without people at which bots play at a time; others wait
UNATTENDED_BOTS = 20  # such tables of everyone
TABLE_NOTES = 200  # notes that a table's log keeps (pauses, hints, undos …); beyond it the oldest are dropped
PERSON_SITTINGS = 50  # times that one person may sit down at one table; then they are refused a seat there
TABLE_ARRIVALS = 500  # people and bots who sit down at one table before its match; then nobody else may
TABLE_CREATOR_ARRIVALS = 600  # the same for whoever made the table, so that strangers cannot use up all of it
PERSON_UNDOS = 1_000  # actions that one person may undo at one table; then what they play stays
PERSON_ASKS = 100  # times that one person may ask for a pause at one table, or an undo, or a stand-in: each
PERSON_LEAVES = 100  # times that one person may hand their seat at one table to a bot; coming back is free
TABLE_RETRACES = 500  # times that a learner may go back in one lesson; then they start at a new table


# People: sessions, subscriptions, results, names

NAME_LETTERS = names.MAX_NAME_LENGTH  # the same for forms, programs and match files
ZONE_LETTERS = 64  # of a time zone's name
PERSON_OPEN_TABLES = 5  # that wait for anyone who comes
PERSON_DEVICES = 12  # with push notifications; the oldest give way
PERSON_MUTES = 500  # other people who are not heard
REPORTS = 200  # that wait for the host; the oldest give way
TABLE_REPORTS = 20  # of what was written at one table; the oldest give way, and leave room for other tables
PERSON_SESSIONS = 50  # devices on which one person is signed in; then a link to a further one is refused
PERSON_SESSIONS_KNOWN = 500  # with those that were ended; they are forgotten a year after their last use
PERSON_MOVING_RATE = Rate(1 / 60, 20)  # devices signed in by a link
PERSON_RESULTS = 10_000  # finished matches in one's list; the oldest are dropped from it
ADDRESS_NAMING_RATE = Rate(1 / 3, 60)  # new people whose name is remembered
PERSON_RESULTS_COUNTED = 5_000  # in statistics, the latest
PERSON_RESULTS_EXPORTED = 500  # matches in a file, the latest
PERSON_MAKING_RATE = Rate(1 / 6, 20)  # tables; less than an address, behind which there may be many
PERSON_BRINGING_RATE = Rate(1 / 20, 6)  # match files
PERSON_SUBSCRIBING_RATE = Rate(1 / 10, 20)  # changes of push notifications
PERSON_MAILING_RATE = Rate(1 / 600, 4)  # changes of the mail address
PERSON_HOURS_RATE = Rate(1 / 60, 5)  # changes of the hours
PERSON_EXPORTING_RATE = Rate(1 / 120, 5)  # files of one's matches
PERSON_REVIEWING_RATE = Rate(1 / 60, 10)  # reviews asked for
PERSON_CHAT_RATE = Rate(1 / 2, 1)  # messages: one in two seconds …
PERSON_CHAT_MINUTE_RATE = Rate(1 / 6, 10)  # … and ten a minute
ADDRESS_CHAT_RATE = Rate(5, 40)  # messages
PERSON_MUTING_RATE = Rate(1 / 2, 10)
PERSON_REPORTING_RATE = Rate(1 / 60, 5)


# Notifications and mail

NOTICES_WAITING = 2_000  # in all; beyond it the person who has most waiting loses one
PUSHES_AT_ONCE = 8  # push messages being sent
UNPROVEN_PUSHES_AT_ONCE = 6  # to hosts that have not answered yet, or slowly: the rest is for those that do
SLOW_PUSHES_AT_ONCE = 2  # to hosts that were slow or silent the last time
PERSON_PUSHES_AT_ONCE = 2  # of one person's devices
HOST_PUSHES_AT_ONCE = 4  # to one push service
SLOW_PUSH_SECONDS = 3.0  # after which an answer, or none, makes its host a slow one
REMEMBERED_PUSH_HOSTS = 1_000  # whose last answer is known
PUSH_RESOLVERS = 32  # host names looked up at once; a name server may take longer than PUSH_SECONDS
MAILS_AT_ONCE = 2  # being handed to the mail server
PERSON_MAILS_AT_ONCE = 1
PERSON_PUSH_RATE = Rate(1 / 20, 60)
PERSON_MAIL_RATE = Rate(1 / 180, 20)
REPEATED_NOTICE_RATE = Rate(1 / 300, 1)  # the same kind by the same player at the same table, to one reader
TABLE_NOTICE_RATE = Rate(1 / 300, 8)  # by players at one table, to one reader: joined, asked and the like
# Mails that ask to confirm an address: by the asking address (a /48 of IPv6), to one inbox, by one address to
# one inbox, in all, and then for asking addresses that have had none lately
ADDRESS_CONFIRM_RATE = Rate(1 / 300, 12)
INBOX_CONFIRM_RATE = Rate(1 / 3_600, 4)
ADDRESS_INBOX_CONFIRM_RATE = Rate(1 / 3_600, 2)
CONFIRM_RATE = Rate(1 / 60, 60)
NEWCOMERS_CONFIRM_RATE = Rate(1 / 60, 60)
NEWCOMER_RATE = Rate(1 / 3_600, 1)  # who counts as one: an asking address without a mail in the last hour
MAIL_ADDRESS_LETTERS = 254
MAIL_SERVER_SECONDS = 15.0  # for each answer of the mail server
PUSH_ENDPOINT_LETTERS = 1_000  # those of today's services have some two hundred
PUSH_SECONDS = 10.0  # for a push service's whole answer
PUSH_ANSWER_BYTES = 16 * 1024
PUSH_RETRY_AFTER_SECONDS = 3_600.0  # that a push service may ask us to wait


# Reviews, previews, uploads, downloads

COMPONENTS_BYTES = 64 * 1024  # of a file with a box's components
COMPONENTS_LINES = 2_000
COMPONENTS_LINE_LETTERS = 4_000
COMPONENTS_KEYS = 1_000
COMPONENTS_DEPTH = 16  # of lists in tables in lists, and of a.b.c
COMPONENTS_ERRORS = 20  # that are shown
MATCH_BYTES = 200 * 1024  # of a match file
MATCH_HEADER_LETTERS = 64 * 1024  # a line with a position or components
# The longest matches that we have seen are of passers-by, who decide by chance: 5,900 actions of Sail to
# India, 3,300 of Century. Whoever plays to win ends after a few hundred.
MATCH_ACTIONS = 8_000
PERSON_BROUGHT_BYTES = 20 * 1024**2  # of match files that one person has brought, as stored, in all
# Stored for an address: match files brought, tables with their own components or a past; 53 MB a day
ADDRESS_STORED_BYTE_RATE = Rate(640, 50 * 1024**2)
STORED_FREE_BYTES = 4 * 1024  # of a table's settings that do not count for that; usually it has 200
ADDRESS_READINGS_WAITING = 4  # uploads that wait to be read by the process for that
# For a file to be read, by the clock on the wall; on a busy machine five seconds of a processor take longer.
READING_SECONDS = 15.0
READING_CPU_SECONDS = 5
READING_MEMORY_BYTES = 1024**3
READING_ANSWER_BYTES = 16 * 1024**2  # what that process may answer
PREVIEW_SECONDS = 10.0  # for a drawing: it takes half of one
PREVIEWS_KEPT_BYTES = 24 * 1024**2  # in memory, some 250 KB each
ADDRESS_PREVIEWS_WAITING = 4
ADDRESS_PREVIEW_RATE = Rate(1 / 2, 20)
REVIEWS_WAITING = 40  # of everyone; each takes up to 5 MB in the process that makes them
ADDRESS_REVIEWS_WAITING = 2
REVIEWS_REMEMBERED = 16  # in memory, those looked at last
REVIEW_STALLED_SECONDS = 300.0  # without an answer or any work, after which its process is replaced
REVIEW_CPU_SECONDS = 900  # for one answer: the first review of a game may have to be compiled
REVIEW_LOST_SECONDS = 60.0  # without a sign of the server that makes it, after which it counts as interrupted
REVIEW_ATTEMPTS = 3  # without progress, after which a review has failed
REVIEW_MEMORY_BYTES = 2 * 1024**3
REVIEW_FILE_BYTES = 64 * 1024**2  # of compiled code, which is kept


# Processes, database, log

# bytes of a SQLite file that is rewritten (VACUUM) right after somebody deleted themselves: nobody can write
# for up to half a second in the meantime. A larger one is rewritten at the next start.
REWRITE_AT_ONCE_BYTES = 16 * 1024**2
REWRITE_EVERY_SECONDS = (
    600.0  # seconds between two rewrites: deleting oneself again and again holds up nobody
)
VACUUM_SECONDS = 20  # for one table of PostgreSQL after a deletion; then it is left to autovacuum
DATABASE_ANSWER_SECONDS = 8.0  # seconds that anyone waits for a call of PostgreSQL; then 503
DATABASE_HUNG_SECONDS = 1.0  # the same while an earlier call that was given up still hangs
DATABASE_STATEMENT_SECONDS = 6.0  # seconds that PostgreSQL works on one statement; migrations have no limit
DATABASE_CONNECT_SECONDS = 3  # seconds to open a connection to PostgreSQL, and to wait for a free one
DATABASE_SILENCE_SECONDS = 10  # seconds after which a connection that acknowledges nothing counts as dead
HEALTH_SECONDS = 2.0  # seconds that /health waits for the database; then 503
OUTAGE_LOG_SECONDS = 10.0  # seconds between lines in the log about the same outage
OUTAGE_REASON_LETTERS = 200  # characters of the reason in such a line
START_RETRY_FIRST_SECONDS = 0.5  # pause before a start that the database refused is retried; it doubles
START_RETRY_LONGEST_SECONDS = 15.0
WORKER_RESTART_FIRST_SECONDS = 1.0  # pause before a worker that failed is started again; it doubles
WORKER_RESTART_LONGEST_SECONDS = 30.0
WORKER_STEADY_SECONDS = (
    60.0  # seconds; a worker that has served for longer is started again at once when it ends
)
WORKER_SILENT_SECONDS = 60.0  # seconds without a sign of life after which a worker is killed
# for workers to end after SIGTERM; then they are killed. Docker itself waits for 10 s
WORKER_STOP_SECONDS = 8.0
METRICS_REFRESH_SECONDS = (
    2.0  # seconds between updates of the gauges that other processes of the server can read
)
METRICS_FILE_BYTES = 131_072  # bytes of shared metrics of one kind per worker, allocated at its start
LOG_REASON_LETTERS = 400  # characters of an error's text in a line of the log
LOG_FRAMES = 5  # places in the code that a line of the log names per error
LOG_CAUSES = 3  # errors that it names: the error itself and those behind it
