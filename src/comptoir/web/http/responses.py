"""What answers a request: a page, the way to another one, a picture, a file, a link to be given away."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from functools import lru_cache

import segno
from fastapi import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from comptoir.art.shapes import INK
from comptoir.web.domain.people import YEAR, is_secure
from comptoir.web.http.requests import visitor_of
from comptoir.web.live.app_services import services_of
from comptoir.web.page_words import page_words
from comptoir.web.view.templating import templates

SVG = "image/svg+xml"
MASK = 3  # of QR codes


async def page(
    request: Request,
    template: str,
    *,
    status: int = 200,
    game: str | None = None,
    by: Callable[..., Awaitable[str]] | None = None,
    **values: object,
) -> HTMLResponse:
    """A page from a template, in the visitor's language; a new visitor gets their cookie with it, others
    theirs again. `by` makes a long one off the event loop.
    """
    visitor = await visitor_of(request)
    words = values.pop("words", None) or page_words(game, visitor.lang)
    mark = services_of(request).tokens.mark(visitor.id)
    values |= {
        "words": words,
        "lang": visitor.lang,
        "look": visitor.look,
        "visitor": visitor,
        "token": visitor.token,
        "mark": mark,
        "origin": whole_link(request, ""),
        "path": request.url.path,
        "status": status,
    }
    render = templates.get_template(template).render
    shown = render(values) if by is None else await by(render, values)
    headers = {"Cache-Control": "no-store", "Vary": "Cookie, Accept-Language", "X-Person": mark}
    response = HTMLResponse(shown, status, headers=headers)
    if visitor.session.due:
        services_of(request).tokens.set_cookie(response, request, visitor.session)
    return response


def redirect(path: str) -> RedirectResponse:
    """A redirect after a successful form."""
    return RedirectResponse(path, 303)


def prefer(response: Response, request: Request, what: str, value: str) -> None:
    """Lets this browser remember what somebody has chosen."""
    response.set_cookie(what, value, max_age=YEAR, samesite="lax", secure=is_secure(request))


def svg(text: str) -> Response:
    """A picture that stays as it is for as long as this version runs; the browser asks again once an hour."""
    tag = hashlib.sha256(text.encode()).hexdigest()[:16]
    headers = {"Cache-Control": "public, max-age=3600", "ETag": f'"{tag}"'}
    return Response(text, media_type=SVG, headers=headers)


def download(text: str, file: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{file}"', "Cache-Control": "no-store"}
    return Response(text, media_type="text/plain; charset=utf-8", headers=headers)


def whole_link(request: Request, path: str) -> str:
    """A link that can be sent to somebody."""
    return f"{request.url.scheme}://{request.url.netloc}{path}"


@lru_cache(256)
def qr(link: str) -> str:
    """A link to be read with a phone's camera, as a picture within a page.

    Cameras read any mask; comparing all eight takes four times as long, while everyone waits.
    """
    return segno.make_qr(link, error="m", mask=MASK).svg_inline(
        border=2, dark=INK, light="#fff", omitsize=True, svgclass="qr", lineclass=None
    )
