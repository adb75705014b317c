"""HEAD is answered wherever GET is, with the same headers and no body; OPTIONS says what a place answers to.

Plain ASGI, around whatever makes the answer: so compression and all else is as for GET.
"""

from __future__ import annotations

from collections.abc import Sequence

from starlette.responses import Response
from starlette.routing import BaseRoute, Match, Mount
from starlette.types import ASGIApp, Message, Receive, Scope, Send

CHECKED_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


class Methods:
    """The middleware. `routes`: where the app answers, and to what."""

    def __init__(self, app: ASGIApp, *, routes: Sequence[BaseRoute]) -> None:
        self.app, self._routes = app, routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        method = scope["method"] if scope["type"] == "http" else ""
        if method == "OPTIONS" and (allowed := self._allowed(scope)):
            answer = Response(status_code=204, headers={"Allow": ", ".join(sorted(allowed))})
            await answer(scope, receive, send)
        elif method == "HEAD":
            await self.app({**scope, "method": "GET"}, receive, _without_body(send))
        else:
            await self.app(scope, receive, send)

    def _allowed(self, scope: Scope) -> set[str]:
        """What the place of a request answers to; nothing if there is no such place."""
        found = {method for method in CHECKED_METHODS if self._answers({**scope, "method": method})}
        return found and found | ({"HEAD", "OPTIONS"} if "GET" in found else {"OPTIONS"})

    def _answers(self, scope: Scope) -> bool:
        return any(
            route.matches(scope)[0] is Match.FULL
            for route in self._routes
            if scope["method"] == "GET" or not isinstance(route, Mount)  # a folder of files
        )


def _without_body(send: Send) -> Send:
    async def headers_only(message: Message) -> None:
        if message["type"] == "http.response.body":
            message = {**message, "body": b""}
        await send(message)

    return headers_only
