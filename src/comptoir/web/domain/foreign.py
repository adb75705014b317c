"""What strangers send, bounded before anything reads it: parsers and checks take their time with what is
deep or long.

The bounds are far above what our own files have: a component file has some 100 lines of up to 340 letters, a
match's header a line of some 10 KB.
"""

from __future__ import annotations

import json
import tomllib
from itertools import accumulate
from typing import Any

from comptoir.engine.game import get_game
from comptoir.errors import DataError
from comptoir.web.domain.table import Refused

LARGEST_COMPONENTS = 64 * 1024
LINES, LONGEST_LINE, KEYS = 2_000, 4_000, 1_000
DEPTH = 16  # of lists in tables in lists, and of a.b.c
TOLD = 20  # errors that are told; who has mended them is told of the next

LARGEST_MATCH = 200 * 1024
LONGEST_HEADER = 64 * 1024  # a line with a position or components
# The longest matches that we have seen are of passers-by, who decide by chance: 5,900 actions of Sail to
# India, 3,300 of Century. Whoever plays to win ends after a few hundred.
ACTIONS = 8_000

_OPENING, _CLOSING = "[{", "]}"


def read_components(game: str, content: bytes) -> dict[str, Any]:
    """The components in a file, checked. Raises Refused, or a DataError that lists what is wrong."""
    if len(content) > LARGEST_COMPONENTS:
        raise Refused("new.too_large", n=LARGEST_COMPONENTS // 1024)
    text = _text(content, Refused("new.not_text"))
    _bound_toml(text)
    try:
        tables = tomllib.loads(text)
        # a table keeps them so; dates and infinities have no place in a box
        json.dumps(tables, allow_nan=False)
        get_game(game).read_components(tables)
    except DataError as error:
        left = len(error.errors) - TOLD
        more = [f"… and {left} more"] if left > 0 else []
        raise DataError(error.what, [*error.errors[:TOLD], *more]) from None
    except (ValueError, TypeError, RecursionError) as error:
        raise Refused("new.not_toml", reason=str(error)[:200]) from None
    return tables


def _bound_toml(text: str) -> None:
    lines = text.splitlines()
    if (
        len(lines) > LINES
        or any(len(line) > LONGEST_LINE for line in lines)
        or sum("=" in line for line in lines) > KEYS
        or text.count("=") > LINES
        or any(_key(line).count(".") > DEPTH for line in lines)
        or depth(text) > DEPTH
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
    if len(content) > LARGEST_MATCH:
        raise Refused("replay.too_large", n=LARGEST_MATCH // 1024)
    text = _text(content, Refused("replay.not_text"))
    lines = text.splitlines()
    actions = [line for line in lines if line[:1].isdecimal()]
    headers = [line for line in lines if not line[:1].isdecimal()]
    if len(actions) > ACTIONS:
        raise Refused("replay.too_long", n=ACTIONS)
    if (
        len(headers) > LINES
        or any(len(line) > LONGEST_HEADER or depth(line) > DEPTH for line in headers)
        or any(len(line) > LONGEST_LINE for line in actions)
    ):
        raise Refused("replay.no_sense")
    return text


def _text(content: bytes, refused: Refused) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise refused from None
