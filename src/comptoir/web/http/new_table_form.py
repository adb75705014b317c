"""The form that makes a table: what it offers, what was asked for, and what is wrong with that."""

from __future__ import annotations

import re
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from comptoir.bots.levels import LEVELS, current_level
from comptoir.engine.components import Tables
from comptoir.engine.game import Game
from comptoir.engine.names import clean_name
from comptoir.engine.option import ChoiceOption, FirstSeatOption, FlagOption, Option
from comptoir.engine.words import Words
from comptoir.errors import DataError, OptionError
from comptoir.web.domain.clock import CLOCKS
from comptoir.web.domain.refusals import Refused
from comptoir.web.domain.state import TableSettings
from comptoir.web.http.requests import Visitor

DEFAULT_LEVEL = "merchant"
Seating = list[str | tuple[str, str]]
ReadComponents = Callable[[str, bytes], Awaitable[Tables]]


@dataclass
class TableForm:
    """The form as it is shown: with what was typed, and an error next to each field that is wrong."""

    game: Game
    fields: dict[str, str]
    errors: dict[str, list[str]] = field(default_factory=dict)

    @property
    def counts(self) -> range:
        least, most = self.game.rules.PLAYERS
        return range(least, most + 1)

    def value(self, name: str) -> str:
        return self.fields.get(name, "")

    def control(self, option: Option) -> str:
        """Which control the page shows for an option."""
        match option:
            case FlagOption():
                return "switch"
            case FirstSeatOption():
                return "seat"
            case ChoiceOption():
                return "words"

    def help(self, option: Option, words: Words) -> str:
        """What an option is about.

        The text names the words of a match file; here they are called as the form calls them.
        """
        text = words.say(f"options.{option.name}")
        for word in option.words if isinstance(option, ChoiceOption) else ():
            label = _capital(words.say(f"labels.{option.name}.{word}"))
            # only where it begins a clause of its own: in "long or short: fewer cards" it stays as it is
            text = label.join(re.split(rf"(?:^|(?<=[.;]\s)){re.escape(word)}(?=\s?:)", text))
        return _capital(text) + "."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def blank(game: Game, visitor: Visitor, level: str) -> TableForm:
    """The form as it is first shown: I, and bots on all other seats."""
    fields = {"players": str(game.rules.DEFAULT_PLAYERS), "name": visitor.name, "open": "no", "clock": "0"}
    fields |= {f"seat{seat}": "me" if seat == 0 else f"bot:{level}" for seat in range(game.rules.PLAYERS[1])}
    fields |= {f"option.{option.name}": option.default for option in game.options}
    return TableForm(game, fields)


def own_name(text: str, words: Words) -> str:
    """A name as it was typed, or the one that a person without a name plays under."""
    return clean_name(text) if text.strip() else words.say("people.me")


async def read(
    form: TableForm, upload: bytes | None, visitor: Visitor, words: Words, read_components: ReadComponents
) -> tuple[TableSettings, Seating] | None:
    """The table that a form asks for; None if something is wrong, and then the form says what."""
    reading = _Reading(form, words)
    options = reading.options()
    seating = reading.seating(int(options["players"]) if options else 0, visitor)
    components = await reading.components(upload, read_components)
    clock = reading.one_of("clock", [str(seconds) for seconds in CLOCKS])
    open = reading.one_of("open", ["yes", "no"])
    if form.errors or options is None:
        return None
    settings = TableSettings(
        game=form.game.name,
        options=options,
        seed=secrets.token_hex(16),
        creator=visitor.id,
        open=open == "yes",
        clock=int(clock),
        components=components,
        no_hints=form.value("no_hints") == "yes",
        chat=form.value("chat") == "yes",
        multiple_seats=form.value("multiple_seats") == "yes",
    )
    return settings, seating


class _Reading:
    """Reads field by field; what is wrong is noted and the reading goes on, so that all errors come back at
    once.
    """

    def __init__(self, form: TableForm, words: Words) -> None:
        self.form, self.words = form, words

    def _wrong(self, name: str, *said: str) -> None:
        self.form.errors.setdefault(name, []).extend(said)

    def one_of(self, name: str, allowed: list[str]) -> str:
        value = self.form.value(name)
        if value not in allowed:
            self._wrong(name, self.words.say("new.choose"))
            return allowed[0]
        return value

    def options(self) -> dict[str, str] | None:
        game, fields = self.form.game, self.form.fields
        given: dict[str, Any] = {}
        for option in game.options:
            # a switch that is off is not sent
            missing = "no" if isinstance(option, FlagOption) else option.default
            given[option.name] = fields.get(f"option.{option.name}", missing)
        if self.form.value("players") not in {str(n) for n in self.form.counts}:
            self._wrong("players", self.words.say("new.choose"))
            return None
        try:
            return game.read_options(self.form.value("players"), **given)
        except OptionError as error:
            self._wrong("options", str(error))
            return None

    def seating(self, players: int, visitor: Visitor) -> Seating:
        return [self._seat(seat, visitor) for seat in range(players)]

    def _seat(self, seat: int, visitor: Visitor) -> str | tuple[str, str]:
        name = f"seat{seat}"
        sitter = self.form.value(name)
        if sitter == "link":
            return ""
        if sitter in ("me", "device"):
            return visitor.id, self._name(name, "name" if sitter == "me" else f"name{seat}", visitor)
        level = current_level(sitter.removeprefix("bot:"))
        if level in LEVELS and sitter.startswith("bot:"):
            return level
        self._wrong(name, self.words.say("new.choose"))
        return ""

    def _name(self, seat: str, typed: str, visitor: Visitor) -> str:
        """My own name may be left out; that of somebody next to me may not."""
        text = self.form.value(typed)
        if typed != "name" and not text.strip():
            self._wrong(seat, self.words.say("new.whose_name"))
            return ""
        try:
            return own_name(text or visitor.name, self.words)
        except OptionError:
            self._wrong(seat if typed != "name" else "name", self.words.say("people.bad_name"))
            return ""

    async def components(self, upload: bytes | None, read: ReadComponents) -> Tables | None:
        if not upload:
            return None
        try:
            return await read(self.form.game.name, upload)
        except DataError as error:
            self._wrong("components", *error.errors)
        except Refused as error:
            self._wrong("components", self.words.say(error.key, **error.values))
        return None
