"""Boxes to compare: what is changed in one, which figures two of them do not share, and whether a box can be
played at all.
"""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Iterator, Sequence
from typing import Any

from comptoir.bots.seated import SeatedBot
from comptoir.engine.components import METADATA_KEYS, Components
from comptoir.engine.game import Game
from comptoir.engine.interface import stall_progress
from comptoir.engine.match import Match
from comptoir.engine.schema import did_you_mean
from comptoir.errors import OptionError

ComponentTables = dict[str, dict[str, Any]]

PROBE_MATCHES = 4  # matches by clerks that show whether a box can be played to its end
MAX_DECISIONS = 20_000  # decisions after which a match is taken to have no end


def change(game: Game, tables: ComponentTables, changes: Sequence[str]) -> ComponentTables:
    """A copy of a box's tables with other figures: `gold_sole.pepper=20`, or `gold.sole.pepper=20`, which is
    how the component file has it.

    Raises an OptionError for a figure that is not there. Whether a value will do is the schema's to say.
    """
    changed = copy.deepcopy(tables)
    for text in changes:
        key, equals, value = (part.strip() for part in text.partition("="))
        if not (key and equals and value):
            raise OptionError(f"change: expected KEY=VALUE, such as 'gold_sole.pepper=20', found {text!r}")
        places = dict(_places(game, changed))
        if key not in places:
            raise OptionError(
                f"change: {game.name} has no figure {key!r}{did_you_mean(key, places)}"
                f" Its figures: comptoir components {game.name} --export"
            )
        holder, step = places[key]
        holder[step] = read_value(value)
    return changed


def read_value(text: str) -> Any:
    """A value as a component file has it; a word needs no quotes here."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text.strip()


def _places(game: Game, tables: ComponentTables) -> Iterator[tuple[str, tuple[Any, Any]]]:
    """Where each figure, or list of figures, is: its key, what holds it and its place there."""
    for name, table in tables.items():
        for key in (key for key in table if key not in METADATA_KEYS):
            yield from _below(f"{name}.{key}", table, key)
            if name not in game.rules.BOX.fields:
                yield from _below(f"{name}_{key}", table, key)


def _below(key: str, holder: Any, step: Any) -> Iterator[tuple[str, tuple[Any, Any]]]:
    yield key, (holder, step)
    value = holder[step]
    for part in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield from _below(f"{key}.{part}", value, part)


def values_of(game: Game, tables: ComponentTables) -> dict[str, Any]:
    """Every single figure of a box, by the key that `change` takes: `gold_sole.pepper`."""
    found = {key: holder[step] for key, (holder, step) in _places(game, tables)}
    own = tuple(f"{name}." for name in tables if name not in game.rules.BOX.fields)
    return {
        key: value
        for key, value in found.items()
        if not isinstance(value, dict | list) and not key.startswith(own)
    }


def differences(game: Game, one: ComponentTables, other: ComponentTables) -> list[tuple[str, Any, Any]]:
    """The figures in which two boxes differ: key, value in the one, value in the other."""
    before, after = values_of(game, one), values_of(game, other)
    return [
        (key, before.get(key), after.get(key))
        for key in dict.fromkeys([*before, *after])
        if before.get(key) != after.get(key)
    ]


def check_playable(game: Game, options: dict[str, Any], components: Components, what: str) -> None:
    """Raises an OptionError if a box cannot be dealt, or has no way to end but by a stall rule.

    Clerks try it: random play ends by a guard in games that people do finish.
    """
    game.compiled  # noqa: B018  asked for, so that matches use it
    guarded = 0
    for nth in range(PROBE_MATCHES):
        match = Match(game.name, seed=f"lab-{nth}", components=components.tables, **options)
        errors = game.rules.check_position(match.records[0], match.box)
        if errors or match.over or not match.actions():
            reason = errors[0] if errors else "nobody can do anything"
            raise OptionError(f"{what} cannot be dealt to {match.players} players: {reason}")
        bots = [SeatedBot("clerk", match, seat, f"lab {seat}", threads=1) for seat in range(match.players)]
        while match.turn is not None:
            match.play(bots[match.turn].choose())
            if match.ply > MAX_DECISIONS:
                raise OptionError(no_end(what, match.players))
        guarded += ended_by_guard(match)
    if guarded == PROBE_MATCHES:
        raise OptionError(
            f"{what} cannot be finished by {options['players']} players: the rule that ends a game which"
            f" nobody finishes has ended all of {PROBE_MATCHES} trial matches"
        )


def no_end(what: str, players: int) -> str:
    return f"{what} has no end: a match of {players} players was still on after {MAX_DECISIONS:,} decisions"


def ended_by_guard(match: Match) -> bool:
    """Whether a stall rule has ended a match because nobody finished it."""
    return bool(match.game.interpreted.bind(stall_progress)(match.records[-1]) >= 1)
