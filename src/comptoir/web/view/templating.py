"""The templates of pages and of their parts."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from comptoir.art.board import STYLE
from comptoir.engine import registry
from comptoir.web.domain.lesson import lesson_of

STATIC = Path(__file__).parents[1] / "static"


@cache
def asset_version() -> str:
    """A name for scripts, styles and fonts as they are now: with another of them it is another.

    It is part of their addresses, and scripts find each other next to themselves, so a browser may keep them
    all permanently.
    """
    digest = hashlib.sha256()
    for file in (*sorted(path for path in STATIC.rglob("*") if path.is_file()), STYLE):
        digest.update(file.name.encode() + hashlib.sha256(file.read_bytes()).digest())
    return f"v{digest.hexdigest()[:12]}"


templates = Environment(
    loader=FileSystemLoader(Path(__file__).with_name("templates")),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    auto_reload=False,
    undefined=StrictUndefined,
)
templates.globals["game_names"] = registry.names
templates.globals["lesson_of"] = lesson_of
templates.globals["static"] = f"/static/{asset_version()}"
