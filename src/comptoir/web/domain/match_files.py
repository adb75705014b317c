"""Match files: a table written as one, and a table made from one."""

from __future__ import annotations

import dataclasses
import secrets

from comptoir.engine import matchfile, matchfile_writer
from comptoir.engine.components import Tables
from comptoir.engine.game import get_game
from comptoir.engine.match import Match, seed_hash
from comptoir.web.domain import decide
from comptoir.web.domain.archive import Archive, read_header
from comptoir.web.domain.clock import Instant
from comptoir.web.domain.evolve import evolve, from_events
from comptoir.web.domain.refusals import Refused
from comptoir.web.domain.state import Event, Table, TableSettings
from comptoir.web.domain.untrusted import match_lines

FIRST_RULES = 1  # of a table that does not say by which rules it was played, and that today's refuse


def match_text(table: Table) -> str:
    """The match file of a finished match, with the hash of its seed that was shown before it began."""
    notes = {"seed_hash": table.seed_hash}
    if table.match is not None and table.state == "over":
        return matchfile_writer.write(table.match, notes)
    if table.state != "closed" or not table.decisions:
        raise Refused("replay.not_over")
    settings, begun = table.settings, table.begun
    return matchfile_writer.compose(
        matchfile_writer.Header(
            game=settings.game,
            rules=begun.rules if begun else FIRST_RULES,
            options=settings.options,
            seed=settings.seed,
            names=[held.name for held in table.seats],
            position=settings.position,
            components=settings.components,
            notes=notes,
        ),
        [(event.seat or 0, event.text) for event in table.decisions[1:]],
    )


def archived_match_text(archive: Archive) -> str:
    """The match file of an archived match, whatever the rules are today."""
    header = read_header(archive)
    own = get_game(header["game"]).components.digest != archive.box
    return matchfile_writer.compose(
        matchfile_writer.Header(
            game=header["game"],
            rules=archive.rules,
            options=header["options"],
            seed=header["seed"],
            names=header["names"],
            position=header["start"],
            components=header["components"] if own else None,
            notes={"seed_hash": seed_hash(header["seed"])},
        ),
        zip(header["turns"], header["played"], strict=False),
    )


def read_match(content: bytes) -> Match:
    """The match in an uploaded file. Raises Refused, or a MatchFileError that names the line."""
    try:
        return matchfile.parse(match_lines(content))
    except (TypeError, RecursionError, OverflowError):
        raise Refused("replay.no_sense") from None


def import_match(match: Match, person: str, at: float) -> tuple[Table, list[Event]]:
    """A table that shows a match played elsewhere, with all its events. `at`: the time, in seconds."""
    settings = TableSettings(
        game=match.game.name,
        options=match.options,
        seed=match.seed,
        creator=person,
        components=_own_components(match),
        position=match.start_position,
        names=tuple(match.names),
    )
    made = Event(1, "made", None, person, settings.text(), at)
    table = from_events(secrets.token_urlsafe(12), [made])
    begin = decide.start(table, Instant.of(at), person)
    table = evolve(table, begin)
    plays = [
        Event(version, "play", seat, None, action, begin.at)
        for version, (seat, action) in enumerate(match.actions_by_seat, 3)
    ]
    events = [made, begin, *plays]
    # its actions have been played already, while the file was read
    return dataclasses.replace(table, match=match, version=events[-1].version), events


def _own_components(match: Match) -> Tables | None:
    return None if match.components.digest == match.game.components.digest else match.components.tables
