"""Whether a game of another package can be played at all, and what it lacks."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from comptoir.engine import mistakes, modes
from comptoir.engine.actions import Actions
from comptoir.engine.game import Game
from comptoir.engine.invariants import Invariants
from comptoir.engine.option import ChoiceOption
from comptoir.engine.rule import named_in
from comptoir.engine.words import LANGUAGES, words_of
from comptoir.errors import DataError

# What rules.py must define in addition to the functions of the interface, and words.toml in any case.
REQUIRED_NAMES = ("PLAYERS", "POSITION", "BOX", "ACTIONS", "ENDINGS", "MAX_DECISIONS", "MAX_POINTS")
REQUIRED_WORDS = tuple(f"game.{key}" for key in ("title", "credits", "about", "tagline", "players", "length"))


def check_game(game: Game) -> None:
    """Whether a game from elsewhere can be played at all. Raises a DataError that lists what it lacks."""
    missing = [
        f"rules.py lacks {name}"
        for name in (*REQUIRED_NAMES, *modes.INTERFACE)
        if not hasattr(game.rules, name) and name != "hide"
    ]
    if not hasattr(game.rules, "hide"):
        missing.append("rules.py says neither PERFECT_INFORMATION = True nor what is hidden")
    fields = ("players", "turn", "ending", *(option.name for option in game.options))
    missing += [f"the position has no field {name}" for name in fields if name not in game.position.fields]
    missing += mistakes.in_files(game.folder)
    if all(hasattr(game.rules, name) for name in REQUIRED_NAMES):
        missing += [*_wrong_facts(game), *_wrong_tables(game)]
        missing += _missing_words(game)
    if missing:
        raise DataError(game.name, missing)
    _ = game.components, game.evaluation


def _wrong_facts(game: Game) -> Iterator[str]:
    """Endings that do not begin with "not over"; and what contradicts the markers of fields."""
    endings: object = game.rules.ENDINGS
    if not isinstance(endings, tuple) or endings[:1] != ("not over",) or len(endings) < 2:
        yield (
            f"rules.py: ENDINGS must be a tuple of 'not over' and then how a match can end; found {endings!r}"
        )
    marked = [name for name, field in game.position.fields.items() if field.private or field.secret]
    own = game.own_module("rules")
    if game.all_open and marked:
        yield f"rules.py: PERFECT_INFORMATION = True, but {', '.join(marked)} is marked private or secret"
    elif hasattr(own, "hide"):
        unread = [name for name in marked if name not in named_in(game.rules.hide)]
        if unread:
            yield f"rules.py: {', '.join(unread)} is marked private or secret, and hide does not blank it"


def _wrong_tables(game: Game) -> Iterator[str]:
    """What should be a table of the engine's, and is something else."""
    for name, kind in (("ACTIONS", Actions), ("INVARIANTS", Invariants)):
        found = getattr(game.rules, name)
        if not isinstance(found, kind):
            yield f"rules.py: {name} must be {kind.__name__}(…); found {type(found).__name__}"


def _missing_words(game: Game) -> Iterator[str]:
    """What words.toml lacks: one sentence for each verb, not for each action."""
    texts = words_of(game.name, "en").texts
    sections = {key.partition(".")[0] for key in words_of(None, "en").texts.keys() ^ texts.keys()}
    yield from (f"words.toml lacks {key}" for key in REQUIRED_WORDS if key not in texts)
    table = game.action_table
    kinds: tuple[str, ...] = getattr(table, "kinds", ())  # another fault is reported already
    lacking = [kind for kind in kinds if f"actions.{kind}" not in texts]
    if lacking and len(lacking) == len(kinds):
        like = difflib.get_close_matches("actions", sections, n=1)
        meant = f"; is it the one called [{like[0]}]?" if like else ""
        yield f"words.toml lacks the section [actions]{meant}"
    for kind in lacking:
        example, others = table.decode(table.first(kind)), table.count(kind) - 1
        more = f" and {others} more" if others else ""
        yield f"words.toml: [actions] lacks {kind!r}, the verb of {example.text!r}{more}"
    needed = [f"sources.{name}" for name in game.rules.SOURCES]
    needed += [f"tie_breaks.{name}" for name in game.rules.TIE_BREAKS]
    needed += [f"endings.{name}" for name in game.rules.ENDINGS[1:]]
    for option in game.options:
        needed += [f"options.{option.name}", f"labels.{option.name}"]
        if isinstance(option, ChoiceOption):
            needed += [f"labels.{option.name}.{word}" for word in option.words]
    for section, _, key in (one.partition(".") for one in needed if one not in texts):
        yield f"words.toml: [{section}] lacks {key!r}"
    for key, entry in texts.items():
        if not entry.keys() >= set(LANGUAGES):
            yield f"words.toml: {key} is not in both languages"
