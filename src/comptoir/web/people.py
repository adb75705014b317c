"""People have no accounts: a name, and a signed cookie that holds their seats.

An id is 128 random bits. Whoever has the cookie is the person; nobody can make one without the server's secret.
"""

from __future__ import annotations

import hashlib
import secrets
import unicodedata

from itsdangerous import BadSignature, Signer, TimestampSigner
from starlette.requests import HTTPConnection
from starlette.responses import Response

from comptoir.errors import OptionError

COOKIE = "comptoir"
YEAR = 365 * 24 * 3600
MOVE_SECONDS = 15 * 60  # how long a link that moves a person to another device is good for
LONGEST_NAME = 24
_JOINERS = "\u200c\u200d"  # invisible, but some scripts are not written without them
_BLANKS = "\u115f\u1160\u2800\u3164\uffa0"  # letters by law, empty to the eye


def new_id() -> str:
    return secrets.token_urlsafe(16)


class People:
    """Signs and reads what people carry. Each use has its own salt, so that one cannot stand in for another."""

    def __init__(self, secret: bytes) -> None:
        self._cookie = Signer(secret, salt=b"comptoir person", key_derivation="hmac", digest_method=hashlib.sha256)
        self._form = Signer(secret, salt=b"comptoir form", key_derivation="hmac", digest_method=hashlib.sha256)
        self._move = TimestampSigner(secret, salt=b"comptoir move", key_derivation="hmac", digest_method=hashlib.sha256)

    # The cookie

    def person_of(self, connection: HTTPConnection) -> str | None:
        """Who asks; None for someone new, or with a cookie that is not ours."""
        return self.read(connection.cookies.get(COOKIE, ""))

    def sign(self, id: str) -> str:
        return self._cookie.sign(id).decode()

    def read(self, cookie: str) -> str | None:
        return _unsigned(self._cookie, cookie)

    def give(self, response: Response, connection: HTTPConnection, id: str) -> None:
        """Makes the asker that person for a year, on this device."""
        secure = connection.scope["scheme"] in ("https", "wss")
        response.set_cookie(COOKIE, self.sign(id), max_age=YEAR, httponly=True, samesite="lax", secure=secure)

    # A link that moves a person to another device

    def move_token(self, id: str) -> str:
        return self._move.sign(id).decode()

    def read_move(self, token: str) -> str | None:
        """Whom the link moves; None if it is forged or older than a quarter of an hour."""
        return _unsigned(self._move, token, max_age=MOVE_SECONDS)

    # Forms

    def form_token(self, id: str) -> str:
        """What a form of ours carries, and a page of others cannot know."""
        return self._form.get_signature(id).decode()

    def check_form(self, id: str, token: str) -> bool:
        return token.isascii() and self._form.verify_signature(id, token)


def _unsigned(signer: Signer, text: str, **limits: int) -> str | None:
    if not text.isascii():
        return None
    try:
        return signer.unsign(text, **limits).decode()
    except BadSignature:
        return None


def clean_name(text: str) -> str:
    """A name as it is shown: 1 to 24 characters, none of which can disturb the text around it."""
    name = " ".join(unicodedata.normalize("NFC", text).split())
    for letter in name:
        if letter == "#":
            raise OptionError("name: # starts a comment in match files; leave it out")
        if (unicodedata.category(letter)[0] == "C" and letter not in _JOINERS) or letter in _BLANKS:
            raise OptionError(f"name: the character U+{ord(letter):04X} cannot be shown; leave it out")
    if not any(unicodedata.category(letter)[0] in "LNPS" for letter in name):
        raise OptionError("name: expected at least one letter, digit or sign")
    if len(name) > LONGEST_NAME:
        raise OptionError(f"name: expected at most {LONGEST_NAME} characters, found {len(name)}")
    return name
