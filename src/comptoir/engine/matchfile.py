"""The text form of a match. docs/match-file.md describes it for people who read, edit or write such files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from comptoir.engine.game import game
from comptoir.engine.match import Match
from comptoir.errors import ComptoirError, MatchFileError, OptionError

TITLE = "comptoir match 1"
LONGEST_SEAT = 3  # digits; no table has so many


def write(match: Match) -> str:
    header = {"game": match.game.name, "rules": str(match.game.version), **match.options, "seed": match.seed}
    lines = [TITLE, *(f"{key:<10} {value}" for key, value in header.items())]
    lines += [f"{f'seat {seat}':<10} {name}" for seat, name in enumerate(match.names)]
    if match.start_position is not None:
        lines.append(f"{'position':<10} {json.dumps(match.start_position, separators=(',', ':'))}")
    if match.components is not match.game.components:
        lines.append(f"{'components':<10} {json.dumps(match.components.tables, separators=(',', ':'))}")
    lines.append("")
    lines += [f"{seat} {action}" for seat, action in match.entries]
    return "\n".join(lines) + "\n"


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
    if not lines or lines[0][1] != TITLE:
        number, line = lines[0] if lines else (1, "")
        raise MatchFileError(number, line, f"a match file starts with the line {TITLE!r}")
    end = next((i for i, (_, line) in enumerate(lines) if line[0].isdecimal()), len(lines))
    match = _start(lines[1:end], after=lines[end - 1][0])
    for number, line in lines[end:]:
        _play(match, number, line)
    return match


def _without_comment(line: str) -> str:
    """A comment starts with # at the start of a line or after a space."""
    return "" if line.startswith("#") else line.split(" #")[0].strip()


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


def _make(fields: dict[str, Any], names: list[str], where: dict[str, int]) -> Match:
    name, version, seed = fields.pop("game"), fields.pop("rules"), fields.pop("seed")
    data = {key: _json(fields.pop(key), where[key], key) for key in ("position", "components") if key in fields}
    at = where["game"]
    try:
        rules, at = game(name).version, where["rules"]
        if version != str(rules):
            raise OptionError(
                f"rules: the match was played by version {version} of the rules of {name}, and this Comptoir plays version {rules}: "
                f"replay it with the Comptoir that wrote it, or start a new match (docs/rulings.md says what has changed)"
            )
        # a position holds its own options; the lines are there for the reader
        options: dict[str, Any] = {} if "position" in data else dict(game(name).read_options(**fields))
        return Match(name, seed=seed, names=names or None, **options, **data)
    except ComptoirError as error:
        at = next((where[key] for key in where if str(error).startswith(f"{key}:") or repr(key) in str(error)), at)
        raise MatchFileError(at, "", str(error)) from None


def _json(text: str, line: int, key: str) -> dict[str, Any]:
    """A table in JSON, and nothing else: a text would be taken for a path, and a match must not make us read files."""
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
    if not seat.isdecimal() or len(seat) > LONGEST_SEAT:
        raise MatchFileError(number, line, "expected a seat's number and an action, such as '0 pass'")
    if match.over:
        raise MatchFileError(number, line, "the match is over before this action")
    if int(seat) != match.turn:
        raise MatchFileError(number, line, f"seat {match.turn} is to decide here, not seat {seat}")
    try:
        match.play(action)
    except ComptoirError as error:
        raise MatchFileError(number, line, str(error)) from None
