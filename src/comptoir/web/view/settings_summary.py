"""How a table is played, for whoever thinks of sitting down there."""

from __future__ import annotations

from comptoir.bots.levels import LEVELS, fallback_level
from comptoir.engine.components import Components
from comptoir.engine.option import ChoiceOption, FirstSeatOption, Option
from comptoir.engine.words import Words
from comptoir.web.domain.state import Table
from comptoir.web.view.clock_text import clock_line

TRAINED = next(name for name, level in LEVELS.items() if level.asks_network)  # the first that asks a network


def settings_summary(table: Table, words: Words) -> list[tuple[str, str]]:
    """What it was made with, each with its name: the game's options, time, hints, talk, who may sit."""
    settings = table.settings
    told = [
        (words.say(f"labels.{option.name}"), _chosen(option, settings.options[option.name], words))
        for option in table.game.options
        if option.name in settings.options and _matters(option, table.players)
    ]
    told.append((words.say("terms.time"), clock_line(settings.clock, words)))
    told.append((words.say("terms.hints"), words.say("terms.no" if settings.no_hints else "terms.yes")))
    told.append((words.say("terms.talk"), words.say("terms.chat" if settings.chat else "terms.phrases")))
    if settings.open:
        several = words.say("terms.several" if settings.multiple_seats else "terms.one_each")
        told.append((words.say("terms.seats"), several))
    if settings.components is not None:
        told.append((words.say("terms.components"), words.say("terms.own")))
    if not table.outdated and fallback_level(TRAINED, table.game, _components(table)):
        told.append((words.say("terms.bots"), words.say("terms.untrained")))
    return told


def _components(table: Table) -> Components:
    return table.match.components if table.match else table.game.read_components(table.settings.components)


def is_untrained(table: Table, level: str) -> bool:
    """Whether a level asks a network, and there is none for the components of this table."""
    if table.outdated or not LEVELS[level].asks_network:
        return False
    return fallback_level(level, table.game, _components(table)) is not None


def level_label(table: Table, level: str, words: Words) -> str:
    """What a bot's level is called, and whether it has to do without what it has learnt."""
    said = words.say(f"levels.{level}")
    return words.say("terms.untrained_level", level=said) if is_untrained(table, level) else said


def _matters(option: Option, players: int) -> bool:
    """Some options are for some numbers of players only."""
    return not isinstance(option, ChoiceOption) or not option.players or players in option.players


def _chosen(option: Option, value: str, words: Words) -> str:
    if isinstance(option, ChoiceOption):
        return words.say(f"labels.{option.name}.{value}")
    if isinstance(option, FirstSeatOption):
        return words.say("new.draw") if value == "draw" else words.say("new.seat", n=int(value) + 1)
    return words.say(f"terms.{value}")
