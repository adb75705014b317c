"""People have no accounts: a name, and a signed cookie that holds their seats.

An id is 128 random bits. Whoever has the cookie is the person; nobody can make one without the server's
secret. Each device has a session of its own, which ends when it is not used for long, or when its person says
so.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass

from itsdangerous import BadSignature, Signer, TimestampSigner
from starlette.requests import HTTPConnection
from starlette.responses import Response

from comptoir.time_source import SYSTEM_TIME, TimeSource
from comptoir.web.cookies import cookies_of

COOKIE = "comptoir"
DAY, YEAR = 24 * 3600, 365 * 24 * 3600
# A session that nobody has used for so long is over. Who loses their last one loses their seats.
LIFETIME = 180 * DAY
COOKIE_RENEWAL_AGE = DAY  # a cookie older than that is given again
CONFIRM_SECONDS = 2 * DAY  # how long a link that confirms an address is good for
MOVE_SECONDS = 15 * 60  # how long a link that moves a person to another device is good for


def new_id() -> str:
    return secrets.token_urlsafe(16)


@dataclass(frozen=True)
class Session:
    """A device on which somebody is that person. Cookies from before there were sessions share the one
    without an id.
    """

    person: str
    id: str
    given: float = 0.0  # when its cookie was made
    due: bool = True  # whether its cookie is to be given again


def new_session(person: str) -> Session:
    return Session(person, new_id())


def is_secure(connection: HTTPConnection) -> bool:
    return connection.scope["scheme"] in ("https", "wss")


class _DatedSigner(TimestampSigner):
    """Signs with the time of a source."""

    def __init__(self, secret: bytes, salt: bytes, time_source: TimeSource) -> None:
        super().__init__(secret, salt=salt, key_derivation="hmac", digest_method=hashlib.sha256)
        self._time = time_source

    def get_timestamp(self) -> int:
        return int(self._time.time())


class IdentityTokens:
    """Signs and reads what people carry.

    Each use has its own salt, so that one cannot stand in for another.
    """

    def __init__(self, secret: bytes, time_source: TimeSource = SYSTEM_TIME) -> None:
        self._time = time_source
        self._cookie = _DatedSigner(secret, b"comptoir session", time_source)
        self._first_cookie = Signer(
            secret, salt=b"comptoir person", key_derivation="hmac", digest_method=hashlib.sha256
        )
        self._form = Signer(
            secret, salt=b"comptoir form", key_derivation="hmac", digest_method=hashlib.sha256
        )
        self._move = _DatedSigner(secret, b"comptoir move", time_source)
        self._confirm = _DatedSigner(secret, b"comptoir confirm mail", time_source)
        self._stop = Signer(
            secret, salt=b"comptoir stop mail", key_derivation="hmac", digest_method=hashlib.sha256
        )

    # The cookie

    def session_of(self, connection: HTTPConnection) -> Session | None:
        """Who asks, if it has not been ended; None for someone new, or with a cookie that is not ours."""
        return self.read(cookies_of(connection).get(COOKIE, ""))

    def sign(self, person: str, session: str = "") -> str:
        """The cookie of a session; of a new one unless it is named."""
        return self._cookie.sign(f"{person}.{session or new_id()}").decode()

    def read(self, cookie: str) -> Session | None:
        """The session of a cookie. One that was signed in the future is good: the clock was set back since,
        and a new identity in its place would cost somebody their seats. One that is too old is over, as it is
        in the browser.
        """
        found = _dated(self._cookie, cookie)
        if found is not None:
            (text, given), age = found, self._age(found[1])
            return _session(text, given, due=age > COOKIE_RENEWAL_AGE) if age <= LIFETIME else None
        person = _unsigned(self._first_cookie, cookie)
        return None if person is None else Session(person, "")

    def set_cookie(self, response: Response, connection: HTTPConnection, session: Session) -> None:
        """Makes the asker that person on this device, until it is not used for long."""
        response.set_cookie(
            COOKIE,
            self.sign(session.person, session.id),
            max_age=LIFETIME,
            httponly=True,
            samesite="lax",
            secure=is_secure(connection),
        )

    def delete_cookie(self, response: Response) -> None:
        """Makes the asker nobody on this device."""
        response.delete_cookie(COOKIE)

    # A link that moves a person to another device

    def move_token(self, session: Session) -> str:
        """Names the session that made it: once that is ended, the link is good for nothing."""
        return self._move.sign(f"{session.person}.{session.id}").decode()

    def read_move(self, token: str) -> Session | None:
        """Whose link it is; None if it is forged or older than a quarter of an hour."""
        found = _dated(self._move, token)
        return None if found is None or self._age(found[1]) > MOVE_SECONDS else _session(found[0])

    # Links in mails: they name a person, and their address by a mark that only this server can make

    def confirm_token(self, person: str, address: str) -> str:
        return self._confirm.sign(f"{person}.{self._mark(address)}").decode()

    def read_confirm(self, token: str) -> str | None:
        """Whose address it confirms; None if it is forged or older than two days."""
        found = _dated(self._confirm, token)
        return None if found is None or self._age(found[1]) > CONFIRM_SECONDS else _person(found[0])

    def stop_token(self, person: str, address: str) -> str:
        """Good for ever: old mails can be stopped too."""
        return self._stop.sign(f"{person}.{self._mark(address)}").decode()

    def read_stop(self, token: str) -> str | None:
        return _person(_unsigned(self._stop, token))

    def is_about(self, token: str, address: str) -> bool:
        """Whether a token that was read is about that address of its person's, and no other."""
        return f".{self._mark(address)}." in token

    def _mark(self, address: str) -> str:
        return self._stop.get_signature(f"mark {address}").decode()[:22]

    # On a device

    def mark(self, id: str) -> str:
        """What a browser knows a person's pages by, so that it keeps one person's only; it opens nothing."""
        return self._form.get_signature(f"mark {id}").decode()[:22]

    # Forms

    def form_token(self, id: str) -> str:
        """The token in our forms, which other sites' pages cannot know."""
        return self._form.get_signature(id).decode()

    def check_form(self, id: str, token: str) -> bool:
        return self._form.verify_signature(id, token)

    def _age(self, given: float) -> float:
        """The seconds since then; none where the clock has been set back."""
        return max(0.0, self._time.time() - given)


def _session(text: str, given: float = 0.0, *, due: bool = True) -> Session | None:
    person, dot, id = text.rpartition(".")
    return Session(person, id, given, due) if dot else None


def _person(text: str | None) -> str | None:
    return None if text is None else text.rpartition(".")[0]


def _unsigned(signer: Signer, text: str) -> str | None:
    if not text.isascii():
        return None
    try:
        return signer.unsign(text).decode()
    except BadSignature:
        return None


def _dated(signer: TimestampSigner, text: str) -> tuple[str, float] | None:
    """The signed value, and when it was signed. `unsign` itself would refuse what is younger than nothing."""
    if not text.isascii():
        return None
    try:
        signed, given = signer.unsign(text, return_timestamp=True)
        return signed.decode(), given.timestamp()
    except (BadSignature, UnicodeError):
        return None


def nameless(seat: int) -> str:
    """What stands for a name that is deleted, in every language: the seat's number."""
    return f"№ {seat + 1}"
