"""Reads match files. docs/formats.md describes them for people who read, edit or write them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from comptoir.engine.game import get_game
from comptoir.engine.match import Match
from comptoir.engine.matchfile_writer import FORMAT_LINE
from comptoir.engine.names import repaired_names
from comptoir.errors import ComptoirError, MatchFileError, OptionError

NOTES = ("table", "seed_hash")  # who sat where; what was shown of the seed before the match
_COMMENTS = {
    "table": re.compile(r"^# table: (.*)$", re.MULTILINE),
    "seed_hash": re.compile(r"^# seed hash (\S+)\s*$", re.MULTILINE),
}
MAX_SEAT_DIGITS = 3  # digits; no table has so many


def load(path: str | Path) -> Match:
    """The match in a file. Raises a MatchFileError with the line, its text and the reason."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise MatchFileError(1, "", "this is not a text file in UTF-8") from None
    except OSError as error:
        raise MatchFileError(0, "", f"{path} cannot be read: {error.strerror}") from None
    return parse(text)


def parse(text: str) -> Match:
    """The match in the text of a match file."""
    lines = [(number, _without_comment(line)) for number, line in enumerate(text.splitlines(), 1)]
    lines = [(number, line) for number, line in lines if line]
    if not lines or lines[0][1] != FORMAT_LINE:
        number, line = lines[0] if lines else (1, "")
        raise MatchFileError(number, line, f"a match file starts with the line {FORMAT_LINE!r}")
    end = next((i for i, (_, line) in enumerate(lines) if line[0].isdecimal()), len(lines))
    match = _start(lines[1:end], after=lines[end - 1][0])
    match.notes = _notes_in_comments(text) | match.notes
    for number, line in lines[end:]:
        _play(match, number, line)
    return match


def _without_comment(line: str) -> str:
    """A comment starts with # at the start of a line or after a space."""
    return "" if line.startswith("#") else line.split(" #", maxsplit=1)[0].strip()


def _notes_in_comments(text: str) -> dict[str, str]:
    """Files of older versions have their notes in comments."""
    found = {key: pattern.findall(text) for key, pattern in _COMMENTS.items()}
    return {key: " ".join(values) for key, values in found.items() if values}


def _start(header: list[tuple[int, str]], after: int) -> Match:
    """The match that a header describes, with nothing played."""
    fields: dict[str, str] = {}
    names: list[str] = []
    where: dict[str, int] = {}
    for number, line in header:
        key, _, value = line.partition(" ")
        value = value.strip()
        if key == "seat":
            seat, _, name = value.partition(" ")
            if seat != str(len(names)):
                raise MatchFileError(number, line, f"seats are listed from 0 on; expected seat {len(names)}")
            names.append(name.strip())
        elif key in fields:
            raise MatchFileError(number, line, f"{key} was given before, in line {where[key]}")
        else:
            fields[key], where[key] = value, number
    for key in ("game", "rules", "seed"):
        if key not in fields:
            raise MatchFileError(after, "", f"the header has no line {key!r}")
    return _make(fields, names, where)


def _make(fields: dict[str, str], names: list[str], where: dict[str, int]) -> Match:
    name, version, seed = fields.pop("game"), fields.pop("rules"), fields.pop("seed")
    if not seed.isprintable():  # it is shown as it is, also in terminals
        raise MatchFileError(where["seed"], seed, "the seed holds a character that cannot be shown")
    notes = {key: fields.pop(key) for key in NOTES if key in fields}
    data = {
        key: _json(fields.pop(key), where[key], key) for key in ("position", "components") if key in fields
    }
    at = where["game"]
    try:
        rules, at = get_game(name).version, where["rules"]
        if version != str(rules):
            raise OptionError(
                f"rules: the match was played by version {version} of the rules of {name},"
                f" and this Comptoir plays version {rules}: replay it with the Comptoir that wrote it,"
                " or start a new match (docs/rulings.md says what has changed)"
            )
        # a position holds its own options; the lines are there for the reader
        options = {} if "position" in data else get_game(name).read_options(**fields)
        match = Match(
            name,
            seed=seed,
            names=repaired_names(names) or None,
            position=data.get("position"),
            components=data.get("components"),
            **options,
        )
        match.notes = notes
        return match
    except ComptoirError as error:
        at = next(
            (where[key] for key in where if str(error).startswith(f"{key}:") or repr(key) in str(error)), at
        )
        raise MatchFileError(at, "", str(error)) from None


def _json(text: str, line: int, key: str) -> dict[str, Any]:
    """A table in JSON, and nothing else: text would be taken for a path, and a match must not make us read
    files.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise MatchFileError(line, key, f"not valid JSON: {error}") from None
    if not isinstance(data, dict):
        raise MatchFileError(line, key, f"expected a table in JSON, such as {{…}}; found {text[:20]!r}")
    return data


def _play(match: Match, number: int, line: str) -> None:
    seat, _, action = line.partition(" ")
    action = " ".join(action.split())
    if not seat.isdecimal() or len(seat) > MAX_SEAT_DIGITS:
        raise MatchFileError(number, line, "expected a seat's number and an action, such as '0 pass'")
    if match.over:
        raise MatchFileError(number, line, "the match is over before this action")
    if int(seat) != match.turn:
        raise MatchFileError(number, line, f"it is seat {match.turn}'s decision here, not seat {seat}'s")
    try:
        match.play(action)
    except ComptoirError as error:
        raise MatchFileError(number, line, str(error)) from None
