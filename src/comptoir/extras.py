"""The parts of Comptoir that are installed only by whoever needs them, and what is said when one is
missing.
"""

from __future__ import annotations

import importlib.metadata
import json
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from comptoir.errors import MissingExtra

NEEDED_BY = {
    "app": "the app in the browser",
    "cuda13": "device: cuda",
    "lab": "the lab",
    "learn": "learning",
    "png": "a picture as PNG",
    "postgres": "a PostgreSQL database",
    "ray": "an arena on Ray",
    "research": "this part of comptoir.research",
}


@contextmanager
def needs(extra: str, otherwise: str = "") -> Iterator[None]:
    """Around imports that an extra brings: without it, one sentence says what to install, and what can be
    done instead.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        name = (error.name or "").partition(".")[0]
        if name == "comptoir":
            raise
        raise missing(extra, name, otherwise) from None


def missing(extra: str, name: str, otherwise: str = "") -> MissingExtra:
    """What to raise where an extra's package of that name is not there."""
    alternative = f" ({otherwise})" if otherwise else ""
    what = f"{NEEDED_BY[extra]} needs {name}, which is not installed"
    return MissingExtra(f"{what}; install it with: {command(extra)}{alternative}")


def command(extra: str) -> str:
    """The command that adds an extra to this installation, from where it came: a clone, a wheel or a package
    index.
    """
    words = [sys.executable, "-m", "pip", "install", *_source(extra)]
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)


def _source(extra: str) -> list[str]:
    """What pip notes about an installation that did not come from an index (PEP 610), if that place is still
    there.
    """
    try:
        noted = json.loads(importlib.metadata.distribution("comptoir").read_text("direct_url.json") or "{}")
    except (importlib.metadata.PackageNotFoundError, ValueError):
        noted = {}
    path = url2pathname(urlsplit(noted.get("url", "")).path)
    if not path or not Path(path).exists():
        return [f"comptoir[{extra}]"]
    editable = ["-e"] if noted.get("dir_info", {}).get("editable") else []
    return [*editable, f"{path}[{extra}]"]
