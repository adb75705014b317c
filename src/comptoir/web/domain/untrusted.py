"""What strangers send, bounded before anything reads it: parsers and checks take their time with what is
deep or long.

The bounds are far above what our own files have: a component file has some 100 lines of up to 340 letters, a
match's header a line of some 10 KB.
"""

from __future__ import annotations

import json
import tomllib
from itertools import accumulate

from comptoir.engine.components import Tables
from comptoir.engine.game import get_game
from comptoir.errors import DataError
from comptoir.web.domain.refusals import Refused
from comptoir.web.limits import (
    COMPONENTS_BYTES,
    COMPONENTS_DEPTH,
    COMPONENTS_ERRORS,
    COMPONENTS_KEYS,
    COMPONENTS_LINE_LETTERS,
    COMPONENTS_LINES,
    MATCH_ACTIONS,
    MATCH_BYTES,
    MATCH_HEADER_LETTERS,
)

_OPENING, _CLOSING = "[{", "]}"


def read_components(game: str, content: bytes) -> Tables:
    """The components in a file, checked. Raises Refused, or a DataError that lists what is wrong."""
    if len(content) > COMPONENTS_BYTES:
        raise Refused("new.too_large", n=COMPONENTS_BYTES // 1024)
    text = _text(content, Refused("new.not_text"))
    _bound_toml(text)
    try:
        tables = tomllib.loads(text)
        # a table keeps them so; dates and infinities have no place in a box
        json.dumps(tables, allow_nan=False)
        get_game(game).read_components(tables)
    except DataError as error:
        left = len(error.errors) - COMPONENTS_ERRORS
        more = [f"… and {left} more"] if left > 0 else []
        raise DataError(error.what, [*error.errors[:COMPONENTS_ERRORS], *more]) from None
    except (ValueError, TypeError, RecursionError) as error:
        raise Refused("new.not_toml", reason=str(error)[:200]) from None
    return tables


def _bound_toml(text: str) -> None:
    lines = text.splitlines()
    if (
        len(lines) > COMPONENTS_LINES
        or any(len(line) > COMPONENTS_LINE_LETTERS for line in lines)
        or sum("=" in line for line in lines) > COMPONENTS_KEYS
        or text.count("=") > COMPONENTS_LINES
        or any(_key(line).count(".") > COMPONENTS_DEPTH for line in lines)
        or depth(text) > COMPONENTS_DEPTH
    ):
        raise Refused("new.too_much")


def _key(line: str) -> str:
    """What comes before a value, or a table's own name."""
    return line.split("=", 1)[0]


def depth(text: str) -> int:
    """How deep lists and tables lie in each other, at most. Brackets in texts count too."""
    steps = (1 if letter in _OPENING else -1 for letter in text if letter in _OPENING + _CLOSING)
    return max(accumulate(steps), default=0)


def match_lines(content: bytes) -> str:
    """The text of a match file, once it is known not to be too long or too deep."""
    if len(content) > MATCH_BYTES:
        raise Refused("replay.too_large", n=MATCH_BYTES // 1024)
    text = _text(content, Refused("replay.not_text"))
    lines = text.splitlines()
    actions = [line for line in lines if line[:1].isdecimal()]
    headers = [line for line in lines if not line[:1].isdecimal()]
    if len(actions) > MATCH_ACTIONS:
        raise Refused("replay.too_long", n=MATCH_ACTIONS)
    if (
        len(headers) > COMPONENTS_LINES
        or any(len(line) > MATCH_HEADER_LETTERS or depth(line) > COMPONENTS_DEPTH for line in headers)
        or any(len(line) > COMPONENTS_LINE_LETTERS for line in actions)
    ):
        raise Refused("replay.no_sense")
    return text


def _text(content: bytes, refused: Refused) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise refused from None
