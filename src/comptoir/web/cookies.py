"""Our cookies, read without `http.cookies`.

Its unquoting takes quadratic time on Pythons before 3.11.10 and 3.12.6 (CVE-2024-7592), and Starlette's
`request.cookies`, which FastAPI evaluates for every request, calls it. So the guard takes the Cookie header
out of each request before anything else can parse it; `cookies_of` gives what was in it. Ours are plain
letters that nobody quotes.
"""

from __future__ import annotations

from starlette.requests import HTTPConnection
from starlette.types import Scope

from comptoir.web.limits import COOKIE_BYTES

OURS = frozenset(("comptoir", "lang", "look", "level"))

_KEY = "comptoir.cookies"  # in the scope


class TooManyCookies(Exception):
    """The Cookie header is longer than COOKIE_BYTES."""


def take_cookies(scope: Scope) -> dict[str, str]:
    """Move the cookies of a request out of its headers; those that are not ours are dropped.

    Raises TooManyCookies if there is more than ours could ever need; the header is gone all the same.
    """
    if _KEY not in scope:
        given = [value for name, value in scope["headers"] if name == b"cookie"]
        scope[_KEY] = {}
        if given:
            scope["headers"] = [pair for pair in scope["headers"] if pair[0] != b"cookie"]
        if sum(map(len, given)) > COOKIE_BYTES:
            raise TooManyCookies
        scope[_KEY] = _read(b";".join(given))
    found: dict[str, str] = scope[_KEY]
    return found


def cookies_of(connection: HTTPConnection) -> dict[str, str]:
    """Our cookies in a request or socket that the guard has let in."""
    return take_cookies(connection.scope)


def _read(header: bytes) -> dict[str, str]:
    pairs = (part.partition("=") for part in header.decode("latin-1").split(";"))
    return {name.strip(): value.strip() for name, _, value in pairs if name.strip() in OURS}
