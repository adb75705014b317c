"""Answers that are no page: the way to another one, a picture, a file, a link that can be given away."""

from __future__ import annotations

import hashlib
import time

import segno
from fastapi import Request
from starlette.responses import RedirectResponse, Response

from comptoir.art.parts import INK
from comptoir.web.people import YEAR
from comptoir.web.requests import language_of, server_of, visitor
from comptoir.web.store import Person

SVG = "image/svg+xml"

__all__ = ["SVG", "YEAR", "back", "download", "number", "qr", "remember", "see", "svg", "upload", "whole_link"]


def see(path: str) -> RedirectResponse:
    """What was asked for is done; here is where to look."""
    return RedirectResponse(path, 303)


def back(fields: dict[str, str]) -> str:
    """The page of ours that a form was sent from."""
    path = fields.get("path", "/")
    return path if path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable() else "/"


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


def qr(link: str) -> str:
    """A link to be read with a phone's camera, as a picture within a page."""
    return segno.make_qr(link, error="m").svg_inline(border=2, dark=INK, light="#fff", omitsize=True, svgclass="qr", lineclass=None)


def number(text: str | None, fallback: int) -> int:
    """A number from a link or a form; what is none, or none that a match can have, is the fallback."""
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 7 else fallback


def upload(request: Request, field: str) -> bytes:
    """The file in a form that was read; nothing if there is none."""
    given: bytes = request.state.files.get(field, b"")
    return given


async def remember(request: Request, name: str) -> None:
    """Keeps the name under which somebody plays here."""
    who, server = await visitor(request), server_of(request)
    known = await server.ask(server.store.person, who.id)
    await server.ask(server.store.keep, Person(who.id, name, language_of(request), known.made if known else time.time()))
