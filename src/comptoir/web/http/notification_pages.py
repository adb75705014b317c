"""Where people choose how they are notified of their turn: on this device, by mail, or not at all.

A link of a mail that is forged, too old or another's is answered in one sentence, whoever it names.
"""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from comptoir.web.http.pages import me_page
from comptoir.web.http.requests import RateLimited, form, quota, visitor_of
from comptoir.web.http.responses import page, redirect
from comptoir.web.live.app_services import language_of, services_of
from comptoir.web.live.notifier import MailChannel
from comptoir.web.ops.fair_queue import asking
from comptoir.web.ops.mail import is_address
from comptoir.web.ops.push import BadSubscription, read_subscription
from comptoir.web.page_words import page_words
from comptoir.web.storage.recipients import Address

router = APIRouter()


# On this device


@router.get("/me/notifications")
async def notices(request: Request) -> Response:
    """Whether this device is notified, and the key that it subscribes with."""
    visitor, told = await visitor_of(request), services_of(request).notifier
    devices = await services_of(request).in_store(told.recipients.devices, visitor.id)
    here = any(one.session == visitor.session.id for one in devices)
    return _json({"key": told.push.keys.public, "on": here})


@router.post("/me/notifications")
async def subscribe(request: Request) -> Response:
    fields, visitor, server = await form(request), await visitor_of(request), services_of(request)
    await quota(request, "subscribing")
    told, words = server.notifier, page_words(None, visitor.lang)
    try:
        new = read_subscription(
            visitor.id, visitor.session.id, visitor.lang, fields, allow_private=told.push.allow_private
        )
    except BadSubscription:
        return _json({"error": words.say("notices.bad_subscription")}, 422)
    if not await server.in_store(told.recipients.subscribe, new):
        return _json({"error": words.say("notices.nothing_to_tell")}, 409)
    return _json({"on": True})


@router.post("/me/notifications/stop")
async def unsubscribe(request: Request) -> Response:
    await form(request)
    visitor, server = await visitor_of(request), services_of(request)
    await server.in_store(server.notifier.recipients.unsubscribe, visitor.id, visitor.session.id)
    return _json({"on": False})


def _json(content: dict[str, object], status: int = 200) -> JSONResponse:
    return JSONResponse(content, status, headers={"Cache-Control": "no-store"})


# By mail


def _mail(request: Request) -> MailChannel:
    found = services_of(request).notifier.mail
    if found is None:  # this server sends none
        raise HTTPException(404)
    return found


@router.post("/me/mail")
async def change_address(request: Request) -> Response:
    """Gives an address, which is then asked whether it is the giver's; or takes it away."""
    fields, visitor, server = await form(request), await visitor_of(request), services_of(request)
    mail, readers, words = _mail(request), server.notifier.recipients, page_words(None, visitor.lang)
    if "stop" in fields:
        await server.in_store(readers.forget_address, visitor.id)
        return redirect("/me#notices")
    typed = fields.get("address", "").strip()
    if not is_address(typed):
        return await me_page(request, status=422, address=typed, wrong_address=words.say("mail.bad_address"))
    known = await server.in_store(readers.address, visitor.id)
    if known is not None and known.address == typed and known.confirmed is not None:
        return redirect("/me#notices")
    await quota(request, "mailing")
    wait = mail.confirmations.wait(asking.get(), typed)
    if wait:
        raise RateLimited(wait)
    new = Address(visitor.id, typed, visitor.lang)
    if not await server.in_store(readers.set_address, new):
        said = words.say("notices.nothing_to_tell")
        return await me_page(request, status=409, address=typed, wrong_address=said)
    server.notifier.confirm(new)
    return redirect("/me#notices")


@router.get("/mail/confirm/{token}")
async def confirm(request: Request, token: str) -> Response:
    """Asks first: programs that look at mails follow their links too."""
    await _confirming(request, token)
    return await page(request, "mail.html", what="confirm", link=f"/mail/confirm/{token}")


@router.post("/mail/confirm/{token}")
async def confirmed(request: Request, token: str) -> Response:
    await form(request)
    found, readers = await _confirming(request, token), services_of(request).notifier.recipients
    if not await services_of(request).in_store(readers.confirm, found.person, found.address):
        raise _expired(request)
    return await page(request, "mail.html", what="confirmed", link="")


async def _confirming(request: Request, token: str) -> Address:
    """The address that a link is about."""
    _mail(request)
    server = services_of(request)
    person = server.tokens.read_confirm(token)
    found = None if person is None else await server.in_store(server.notifier.recipients.address, person)
    if found is None or not server.tokens.is_about(token, found.address):
        raise _expired(request)
    return found


@router.get("/mail/stop/{token}")
async def stop(request: Request, token: str) -> Response:
    _stopping(request, token)
    return await page(request, "mail.html", what="stop", link=f"/mail/stop/{token}")


@router.post("/mail/stop/{token}")
async def stopped(request: Request, token: str) -> Response:
    """By a click on the page, or by a mail program (RFC 8058): whoever has the link may. An address that was
    given since stays.
    """
    person, server = _stopping(request, token), services_of(request)
    found = await server.in_store(server.notifier.recipients.address, person)
    if found is not None and server.tokens.is_about(token, found.address):
        await server.in_store(server.notifier.recipients.forget_address, person)
    return await page(request, "mail.html", what="stopped", link="")


def _stopping(request: Request, token: str) -> str:
    person = services_of(request).tokens.read_stop(token)
    if person is None:
        raise _expired(request)
    return person


def _expired(request: Request) -> HTTPException:
    return HTTPException(404, page_words(None, language_of(request)).say("mail.expired"))
