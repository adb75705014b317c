"""A finished match as it is kept: positions, words and points, to be shown when the rules have changed.

A match is its seed and its actions, and rules make the rest of them. Other rules would make something else,
or nothing. So once a match is over, what its own rules have made is kept next to its events.
"""

from __future__ import annotations

import contextlib
import json
import re
import zlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from comptoir.engine.actions import Action
from comptoir.engine.game import get_game
from comptoir.engine.match import Match
from comptoir.engine.recap import ActionStep, Highlight, Recap
from comptoir.engine.rule import Position
from comptoir.engine.scene import Scene
from comptoir.engine.score_sheet import ScoreSheet
from comptoir.engine.story import Story
from comptoir.engine.words import LANGUAGES, Words
from comptoir.errors import ComptoirError
from comptoir.web.domain.narration import NarratedTurn, Narration, narrate
from comptoir.web.domain.people import nameless
from comptoir.web.domain.perspective import EVERYTHING
from comptoir.web.page_words import log_words

FORMAT = 1
# by language: how the match began, then the lines of each action
LogTexts = dict[str, list[list[str]]]
# by language: the turns, each in a sentence
RecapTexts = dict[str, list[dict[str, Any]]]


@dataclass(frozen=True)
class Archive:
    """What is kept of a match, as the store has it: by which rules it went, with which box; the rest."""

    rules: int
    box: str
    content: bytes


def archive_match(match: Match) -> Archive:
    """A finished match with everything open, in every language: to show it takes no rules."""
    told = {lang: narrate(match, EVERYTHING, log_words(match.game.name, lang)) for lang in LANGUAGES}
    kept = {
        "format": FORMAT,
        "game": match.game.name,
        "seed": match.seed,
        "options": match.options,
        "names": match.names,
        "start": match.start_position,
        "components": match.components.tables,
        "played": match.played,
        "turns": [None if p.turn < 0 else int(p.turn) for p in match.records],
        "positions": [match.game.to_dict(p) for p in match.records],
        "ending": match.ending,
        "scores": match.scores(),
        "sheet": match.score_sheet().to_dict(),
        "told": {lang: narration.lines for lang, narration in told.items()},
        "retold": {lang: list(map(_stored_turn, one.turns)) for lang, one in told.items()},
        "dice": {str(ply): face for ply, face in told[LANGUAGES[0]].dice.items()},
    }
    return Archive(match.rules, match.components.digest, pack(kept))


def _stored_turn(turn: NarratedTurn) -> dict[str, object]:
    recap = dict(vars(turn.recap))
    recap["moments"] = [[one.kind, one.text] for one in recap.pop("highlights")]
    return {"recap": recap, "round": turn.round}


def _read_turn(stored: dict[str, Any]) -> NarratedTurn:
    recap = dict(stored["recap"])
    recap["highlights"] = tuple(Highlight(*one) for one in recap.pop("moments"))
    return NarratedTurn(Recap(**recap), stored["round"])


def pack(kept: dict[str, object]) -> bytes:
    """Piece by piece: 5,000 positions at once would stop all other threads for a third of a second."""
    parts = (f"{_dumped(name)}:{_listed(value)}" for name, value in kept.items())
    return zlib.compress(f"{{{','.join(parts)}}}".encode())


def _listed(value: object) -> str:
    return f"[{','.join(map(_dumped, value))}]" if isinstance(value, list) else _dumped(value)


def _dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def unpack(archive: Archive) -> dict[str, Any]:
    kept: dict[str, Any] = json.loads(zlib.decompress(archive.content))
    return kept


def read_header(archive: Archive) -> dict[str, Any]:
    """What comes before the positions in a kept match: enough for its match file.

    The rest is nearly all of it. Python's JSON takes half a second for 5,000 positions, and stops all other
    threads in the meantime.
    """
    head, found, _ = zlib.decompress(archive.content).partition(b',"positions":[')
    with contextlib.suppress(ValueError):  # something else has that name: then all of it is read
        kept: dict[str, Any] = json.loads(head + b"}" if found else head)
        if "turns" in kept:
            return kept
    return unpack(archive)


# Names that are deleted


def without_names(archive: Archive, seats: Collection[int]) -> Archive:
    """The same match, in which nothing names the people who sat there."""
    kept = unpack(archive)
    renamed = _renaming(kept["names"], seats)
    changed = {key: _changed(kept[key], renamed) for key in ("names", "told", "retold") if key in kept}
    return replace(archive, content=pack(kept | changed))


def _renaming(names: Sequence[str], seats: Collection[int]) -> Callable[[str], str]:
    """What puts a seat's number in place of its name. All names are looked for, the longest first:
    `Anne` is no part of `Anne 2`.
    """
    new = {name: nameless(seat) if seat in seats else name for seat, name in enumerate(names)}
    longest_first = sorted(filter(None, new), key=len, reverse=True)
    pattern = re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in longest_first))
    return lambda text: pattern.sub(lambda found: new[found[0]], text)


def _changed(data: object, change: Callable[[str], str]) -> object:
    """Plain data with every text in it changed."""
    match data:
        case str():
            return change(data)
        case list():
            return [_changed(one, change) for one in data]
        case dict():
            return {key: _changed(value, change) for key, value in data.items()}
    return data


class ArchivedMatch(Match):
    """A match that is read and not played: what it shows is what its own rules once made.

    Its pictures are drawn again from the positions, if today's game can still read those.
    """

    def __init__(self, kept: Archive) -> None:
        data = unpack(kept)
        self.game = get_game(data["game"])
        self.rules = kept.rules
        self.seed, self.options, self.start_position = data["seed"], data["options"], data["start"]
        self.names, self.notes = list(data["names"]), {}
        self._texts, self._turns, self.told = data["played"], data["turns"], data["told"]
        # older archives have neither turns nor dice
        self.retold: RecapTexts = data.get("retold", {})
        self.dice = {int(ply): face for ply, face in data.get("dice", {}).items()}
        self._played = list(range(len(self._texts)))  # today's game may not know these actions
        self.rolled = [True] * len(self._played)  # nothing is taken back any more
        self._ending, self._scores, self._sheet = data["ending"], data["scores"], read_sheet(data["sheet"])
        self._tables = data["components"]
        try:
            self.components = self.game.read_components(self._tables)
            self._positions = [self.game.position.read(one, "the position") for one in data["positions"]]
            self.drawable = True
        except ComptoirError:
            self.components = self.game.components
            self._positions = [self.game.position.new() for _ in self._turns]
            self.drawable = False  # today's game has other fields
        self.box = self.components.box

    def without_names(self, seats: Collection[int]) -> ArchivedMatch:
        """The same match, in which nothing names the people who sat there."""
        renamed, match = _renaming(self.names, seats), self.at(self.ply)
        assert isinstance(match, ArchivedMatch)
        match.told = cast(LogTexts, _changed(self.told, renamed))
        match.retold = cast(RecapTexts, _changed(self.retold, renamed))
        match.names = [renamed(name) for name in self.names]
        return match

    @property
    def turn(self) -> int | None:
        turn: int | None = self._turns[self.ply]
        return turn

    @property
    def ending(self) -> str | None:
        return self._ending if self.over else None

    @property
    def played(self) -> list[str]:
        return [self._texts[nth] for nth in self._played]

    def action_at(self, ply: int) -> Action:
        """As today's game decodes it; one that it does not know any more has its text as its kind."""
        text = self._texts[self._played[ply - 1]]
        return self.game.decode(text) if text in self.game.action_table else Action(-1, text, (), 0, text)

    @property
    def actions_by_seat(self) -> list[tuple[int, str]]:
        return list(zip(self._turns, self.played, strict=False))

    def _legal_at(self, ply: int) -> list[int]:
        return []

    def scores(self) -> list[int]:
        return list(self._scores)

    def winners(self) -> list[int]:
        return list(self._sheet.winners) if self.over else []

    def score_sheet(self) -> ScoreSheet:
        return self._sheet

    def score_sheet_for(self, seat: int | None) -> ScoreSheet:
        return self._sheet

    def seen_by(self, seat: int | None = None) -> Position:
        """The position as it is: what is kept was open to all when it was kept."""
        return self.game.copy(self._positions[-1])

    def scene_at(self, ply: int, seat: int | None, words: Words, layout: str = "wide") -> Scene:
        record = self._positions[ply]
        return self.scene_of(record, self.view_of(ply, seat, self.game.to_dict(record)), words, layout)

    @property
    def story(self) -> ArchivedStory:
        return ArchivedStory(self)

    def narration(self, lang: str) -> Narration:
        """The match as it was narrated with everything open; in older archives without turns and dice."""
        return Narration(self.told[lang], list(map(_read_turn, self.retold.get(lang, ()))), self.dice)


class ArchivedStory(Story):
    """The log as it was once told."""

    match: ArchivedMatch

    def log_lines(self, step: ActionStep[Scene]) -> list[str]:
        return self.opening_lines(step.after)

    def opening_lines(self, scene: Scene) -> list[str]:
        lines: list[str] = self.match.told[scene.words.lang][scene.view["ply"]]
        return lines


def read_sheet(plain: dict[str, Any]) -> ScoreSheet:
    """A score sheet from plain data."""
    return ScoreSheet(plain["points"], plain["tie_breaks"], plain["winners"], plain["decided"])
