"""How a table is played, for whoever thinks of sitting down there."""

from __future__ import annotations

from comptoir.bots.levels import LEVELS, fallback_level, levels_of
from comptoir.engine.option import ChoiceOption, FirstSeatOption, Option
from comptoir.engine.words import Words
from comptoir.web.domain.state import Table
from comptoir.web.view.clock_text import clock_line


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
        if "pilot" in levels_of(table.game):
            told.append((words.say("terms.bots"), words.say("terms.no_network")))
    return told


def effective_level(table: Table, level: str) -> str:
    """A bot's level; or the one in its place, where it asks a network that does not know the components."""
    if table.outdated or not LEVELS[level].fallback:
        return level
    match, game = table.match, table.game
    components = match.components if match else game.read_components(table.settings.components)
    return fallback_level(level, game, components) or level


def level_label(table: Table, level: str, words: Words) -> str:
    """What a bot's level is called, after the one that plays for it, if any does."""
    said, plays = words.say(f"levels.{level}"), effective_level(table, level)
    return (
        said if plays == level else words.say("terms.plays_for", level=words.say(f"levels.{plays}"), bot=said)
    )


def _matters(option: Option, players: int) -> bool:
    """Some options are for some numbers of players only."""
    return not isinstance(option, ChoiceOption) or not option.players or players in option.players


def _chosen(option: Option, value: str, words: Words) -> str:
    if isinstance(option, ChoiceOption):
        return words.say(f"labels.{option.name}.{value}")
    if isinstance(option, FirstSeatOption):
        return words.say("new.draw") if value == "draw" else words.say("new.seat", n=int(value) + 1)
    return words.say(f"terms.{value}")
