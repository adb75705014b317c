"""What makes an app of the pages: the manifest by which a phone installs them, the service worker, the page
that is shown without a network, and how many tables wait.
"""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, PlainTextResponse, Response

from comptoir.engine.words import LANGUAGES
from comptoir.web.http.requests import visitor_of
from comptoir.web.http.responses import page
from comptoir.web.live.app_services import services_of
from comptoir.web.page_words import page_words
from comptoir.web.view.templating import STATIC, asset_version

# the service worker is asked for again with each visit: it must never be older than the pages
FRESH = {"Cache-Control": "no-cache", "Service-Worker-Allowed": "/"}
ICONS = "/static/icons"  # without a version: a phone that sees another address installs the app again
PAPER = "#e6dcc5"  # of the room by day, as in base.css
# Table links are sent to people: whatever fetches one for them may look at it. The pages say themselves that
# they are not to be listed.
ROBOTS = """\
User-agent: *
Disallow: /api/
Disallow: /me
Disallow: /mail/
Disallow: /new/
"""

router = APIRouter()


@router.get("/app.{lang}.webmanifest")
async def manifest(lang: str) -> Response:
    """What is installed. Browsers ask for it without a cookie, so its address has the language."""
    if lang not in LANGUAGES:
        raise HTTPException(404)
    words = page_words(None, lang)
    content = {
        "id": "/",
        "name": "Comptoir",
        "short_name": "Comptoir",
        "description": words.say("home.headline"),
        "lang": lang,
        "dir": "ltr",
        "start_url": "/",
        "scope": "/",
        "display": "standalone",
        "theme_color": PAPER,
        "background_color": PAPER,
        "categories": ["games"],
        "icons": [
            _icon("icon-192.png", 192),
            _icon("icon-512.png", 512),
            _icon("maskable-512.png", 512, purpose="maskable"),
        ],
        "screenshots": [
            _screenshot(f"table-{lang}.png", "wide", (1280, 720), words.say("app.screenshot_table")),
            _screenshot(f"phone-{lang}.png", "narrow", (390, 844), words.say("app.screenshot_phone")),
        ],
        "shortcuts": [
            {"name": words.say("home.mine"), "url": "/#mine"},
            {"name": words.say("page.rules"), "url": "/rules"},
        ],
    }
    headers = {"Cache-Control": "no-cache"}
    return JSONResponse(content, media_type="application/manifest+json", headers=headers)


def _icon(file: str, size: int, **more: str) -> dict[str, str]:
    return {"src": f"{ICONS}/{file}", "sizes": f"{size}x{size}", "type": "image/png", **more}


def _screenshot(file: str, form: str, size: tuple[int, int], label: str) -> dict[str, str]:
    picture = {"src": f"{ICONS}/{file}", "sizes": f"{size[0]}x{size[1]}", "type": "image/png"}
    return picture | {"form_factor": form, "label": label}


@router.get("/sw.js")
async def service_worker() -> Response:
    """At the root: a service worker serves the pages at and below its own address. Other
    assets make it another worker.
    """
    text = (STATIC / "sw.js").read_text(encoding="utf-8").replace("{asset_version}", asset_version(), 1)
    return Response(text, media_type="text/javascript; charset=utf-8", headers=FRESH)


@router.get("/offline")
async def offline(request: Request) -> Response:
    """Kept by the service worker, for where there is no network. It names nobody."""
    return await page(request, "offline.html")


@router.get("/me/waiting")
async def waiting(request: Request) -> Response:
    """How many tables wait for this person: the badge of the installed app."""
    visitor, server = await visitor_of(request), services_of(request)
    n = await server.in_store(server.notifier.recipients.waiting, visitor.id)
    return JSONResponse({"n": n}, headers={"Cache-Control": "no-store"})


@router.get("/robots.txt")
async def robots() -> Response:
    return PlainTextResponse(ROBOTS, headers={"Cache-Control": "public, max-age=86400"})
