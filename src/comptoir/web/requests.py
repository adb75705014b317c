"""What a request is about: who asks, in which language; and the page that answers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse

from comptoir.engine.words import LANGUAGES
from comptoir.web.people import new_id
from comptoir.web.words import accepted, page_words

if TYPE_CHECKING:
    from comptoir.web.app import Server

LOOKS = ("", "light", "dark")
LONGEST_FIELD = 4_000

templates = Environment(
    loader=FileSystemLoader(Path(__file__).with_name("templates")),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    auto_reload=False,
    undefined=StrictUndefined,
)


@dataclass(frozen=True)
class Visitor:
    """The person behind a request. A new one gets an id with the first page."""

    id: str
    name: str
    lang: str
    look: str
    new: bool
    token: str  # for forms


def server_of(connection: HTTPConnection) -> Server:
    server: Server = connection.app.state.server
    return server


def language_of(connection: HTTPConnection) -> str:
    chosen = connection.cookies.get("lang", "")
    return chosen if chosen in LANGUAGES else accepted(connection.headers.get("accept-language", ""))


async def visitor(request: Request) -> Visitor:
    """Who asks. The same for the whole of a request."""
    if not hasattr(request.state, "visitor"):
        server = server_of(request)
        id = server.people.person_of(request)
        known = await server.ask(server.store.person, id) if id else None
        look = request.cookies.get("look", "")
        request.state.visitor = Visitor(
            id=id or new_id(),
            name=known.name if known else "",
            lang=language_of(request),
            look=look if look in LOOKS else "",
            new=id is None,
            token=server.people.form_token(id) if id else "",
        )
        if id is None:
            fresh = request.state.visitor
            request.state.visitor = Visitor(**vars(fresh) | {"token": server.people.form_token(fresh.id)})
    found: Visitor = request.state.visitor
    return found


async def page(request: Request, template: str, *, status: int = 200, game: str | None = None, **values: Any) -> HTMLResponse:
    """A page from a template, in the visitor's language; a new visitor gets their cookie with it."""
    who = await visitor(request)
    words = values.pop("words", None) or page_words(game, who.lang)
    shown = templates.get_template(template).render(
        words=words, lang=who.lang, look=who.look, visitor=who, token=who.token, path=request.url.path, status=status, **values
    )
    response = HTMLResponse(shown, status, headers={"Cache-Control": "no-store", "Vary": "Cookie, Accept-Language"})
    if who.new:
        server_of(request).people.give(response, request, who.id)
    return response


async def form(request: Request) -> dict[str, str]:
    """The fields of a form of ours. Files are left out; `answers.upload` gives them."""
    fields = await request.form(max_files=1, max_fields=100)
    request.state.files = {key: await value.read() for key, value in fields.items() if not isinstance(value, str)}
    await fields.close()
    who = await visitor(request)
    if who.new or not server_of(request).people.check_form(who.id, str(fields.get("token", ""))):
        raise HTTPException(403, page_words(None, who.lang).say("error.form"))
    texts = {key: value for key, value in fields.items() if isinstance(value, str)}
    if any(len(value) > LONGEST_FIELD for value in texts.values()):
        raise HTTPException(413, page_words(None, who.lang).say("error.long"))
    return texts
