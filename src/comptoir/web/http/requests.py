"""What a request holds: who asks, in which language, with which form, file or number."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import Request

from comptoir.errors import ComptoirError
from comptoir.web.cookies import cookies_of
from comptoir.web.domain.people import Session, new_id, new_session
from comptoir.web.domain.refusals import Refused
from comptoir.web.domain.state import TableSettings
from comptoir.web.limits import (
    FIELD_LETTERS,
    FORM_FIELDS,
    FORM_FILES,
    PERSON_OPEN_TABLES,
    STORED_FREE_BYTES,
)
from comptoir.web.live.app_services import language_of, services_of
from comptoir.web.ops.fair_queue import asking
from comptoir.web.ops.request_guard import UPLOAD
from comptoir.web.page_words import page_words
from comptoir.web.storage.people_store import Person

LOOKS = ("", "light", "dark")
# as browsers encode it: they escape none of its letters
_TOKEN = re.compile(rb"(?:^|&)token=([\w-]*)(?:&|$)")
_NO_ESCAPE = re.compile(rb"%(?![0-9A-Fa-f]{2})")


class RateLimited(ComptoirError):
    """Somebody must wait before they do that again."""

    status = 429

    def __init__(self, seconds: float) -> None:
        super().__init__("too often")
        self.seconds = math.ceil(seconds)
        self.key = "guard.quota"


@dataclass(frozen=True)
class Visitor:
    """The person behind a request. A new one gets an id with the first page."""

    id: str
    name: str
    lang: str
    look: str
    new: bool
    session: Session  # on this device; of a new one, or of a cookie from before sessions, the one it is given
    token: str  # for forms


async def visitor_of(request: Request) -> Visitor:
    """Who asks. The same for the whole of a request."""
    if not hasattr(request.state, "visitor"):
        server = services_of(request)
        session = await server.sessions.of(request)
        id = session.person if session else new_id()
        known = await server.in_store(server.store.people.find, id) if session else None
        look = cookies_of(request).get("look", "")
        request.state.visitor = Visitor(
            id=id,
            name=known.name if known else "",
            lang=language_of(request),
            look=look if look in LOOKS else "",
            new=session is None,
            session=session if session and session.id else new_session(id),
            token=server.tokens.form_token(id),
        )
    found: Visitor = request.state.visitor
    return found


async def form(request: Request) -> dict[str, str]:
    """The fields of one of our forms. Files are left out; `upload` gives them.

    What is cheap to see comes first: nothing is read from somebody new, and nothing is decoded
    without the token.
    """
    visitor = await visitor_of(request)
    if visitor.new:
        raise _not_theirs(visitor)
    if request.headers.get("content-type", "").startswith(UPLOAD):
        texts = await _uploaded(request)
        _check_token(request, visitor, texts.get("token", ""))
    else:
        request.state.files = {}
        body = await request.body()
        found = _TOKEN.search(body)
        _check_token(request, visitor, found[1].decode() if found else "")
        texts = _decoded(body, visitor)
    if any(len(value) > FIELD_LETTERS for value in texts.values()):
        raise HTTPException(413, page_words(None, visitor.lang).say("error.long"))
    return texts


async def _uploaded(request: Request) -> dict[str, str]:
    fields = await request.form(max_files=FORM_FILES, max_fields=FORM_FIELDS)
    request.state.files = {
        key: await value.read() for key, value in fields.items() if not isinstance(value, str)
    }
    await fields.close()
    return {key: value for key, value in fields.items() if isinstance(value, str)}


def _decoded(body: bytes, visitor: Visitor) -> dict[str, str]:
    """A URL-encoded body. A `%` that escapes nothing takes unquote_plus long, and no browser sends one."""
    try:
        if _NO_ESCAPE.search(body):
            raise ValueError
        return dict(parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=FORM_FIELDS))
    except ValueError:
        raise HTTPException(400, page_words(None, visitor.lang).say("error.form")) from None


def _check_token(request: Request, visitor: Visitor, token: str) -> None:
    if not services_of(request).tokens.check_form(visitor.id, token):
        raise _not_theirs(visitor)


def _not_theirs(visitor: Visitor) -> HTTPException:
    return HTTPException(403, page_words(None, visitor.lang).say("error.form"))


async def quota(request: Request, what: str) -> None:
    """Raises RateLimited if this person has made or brought too many lately; the guard counts addresses."""
    visitor, buckets = await visitor_of(request), services_of(request).quotas.get(what)
    wait = 0.0 if buckets is None else buckets.wait(visitor.id)
    if wait:
        raise RateLimited(wait)


async def check_open_table_limit(
    request: Request, settings: TableSettings, seating: Sequence[object]
) -> None:
    """Refuses a further table that waits for anyone who comes, if this person has several of them."""
    server = services_of(request)
    if (
        settings.open
        and "" in seating
        and await server.in_store(server.store.tables.count_open_of, settings.creator) >= PERSON_OPEN_TABLES
    ):
        raise Refused("refuse.many_open", n=PERSON_OPEN_TABLES)


def room_to_store(request: Request, settings: TableSettings | None = None, size: int = 0) -> None:
    """Refuses what takes much room in the database, if this address has had a lot stored lately; small tables
    do not count. It is counted in memory: after a restart everyone has the whole of it again.
    """
    buckets, address = services_of(request).quotas.get("storing"), asking.get()
    size += len(settings.text()) if settings is not None else 0
    if buckets is None or size <= STORED_FREE_BYTES:
        return
    if buckets.left(address):
        raise Refused("refuse.storage")
    buckets.charge(address, size)


def upload(request: Request, field: str) -> bytes:
    """The file in a form that was read; nothing if there is none."""
    given: bytes = request.state.files.get(field, b"")
    return given


def read_number(text: str | None, fallback: int) -> int:
    """A number from a link or a form; what is none, or none that a match can have, is the fallback."""
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 7 else fallback


def back(fields: dict[str, str]) -> str:
    """The page that a form was sent from, if it is ours."""
    path = fields.get("path", "/")
    return path if path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable() else "/"


async def remember(request: Request, name: str) -> float:
    """Keeps the name under which somebody plays here. If too many new people come from their address, says
    how many seconds they must wait.
    """
    visitor, server = await visitor_of(request), services_of(request)
    known = await server.in_store(server.store.people.find, visitor.id)
    naming = server.quotas.get("naming") if known is None else None
    if naming is not None and (wait := naming.wait(asking.get())):
        return wait
    await server.in_store(
        server.store.people.save,
        Person(visitor.id, name, language_of(request), known.made if known else server.time_source.time()),
    )
    return 0.0
