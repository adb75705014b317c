"""Whole matches, byte by byte on the sockets: whatever a seat or a spectator cannot know, they are sent the same.

A recorded match is played at a table that sockets watch from its start to its end. Then it is played again in a
world in which everything is dealt otherwise that one viewer cannot know, at every moment; what that viewer's
socket gets at each step is compared.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from comptoir.engine import matchfile
from comptoir.engine.match import Match
from comptoir.engine.rule import Position
from comptoir.web.domain import decide
from comptoir.web.domain.evolve import evolve
from comptoir.web.domain.state import Event, Table
from tests.golden import FOLDER
from tests.manual_time import AT, ManualTime
from tests.web.app_harness import NOW, AppHarness, Client, Socket, in_app, table_of
from tests.web.test_hidden import SECRETIVE, compiled, still, unlike  # noqa: F401

pytestmark = pytest.mark.no_cover

UNDONE = 0.1  # of actions that can be taken back: so many are, and played again
MATCHES = (
    "batavia/arrival-with-tiles",
    "century/own-map-2",
    "marco_polo/three-players",
    "sail_to_india/first-game-three-players",
)
MORE = (
    "batavia/two-companies-sunk-three-players",
    "batavia/open-setup",
    "batavia/tied-seals",
    "century/closed-port-3",
    "century/two-hold-tiles-4",
    "marco_polo/two-players-strategic",
    "marco_polo/reshuffle-for-a-draw",
    "marco_polo/stragglers",
    "sail_to_india/empty-reserves",
)


@pytest.fixture
def database(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'comptoir.sqlite'}"


class Steps:
    """A table at each step of a match, from its beginning to the last position before its end."""

    def __init__(self, match: Match, people: list[Client], chance: random.Random) -> None:
        components = match.components.tables if match.components is not match.game.components else None
        start = table_of(
            match.game.name,
            [one.sits for one in people],
            seed=match.seed,
            options=match.options,
            components=components,
            creator=people[0].id,
            open=True,
        )
        self.tables = [start]
        for seat, action in match.actions_by_seat[:-1]:
            self._play(seat, action)
            doer = self.last.seats[seat].person
            if doer and self.last.may_undo(doer) and chance.random() < UNDONE:
                self._happen(decide.undo(self.last, NOW, doer))
                self._play(seat, action)

    @property
    def last(self) -> Table:
        return self.tables[-1]

    def _play(self, seat: int, action: str) -> None:
        table = self.last
        assert table.turn == seat
        self._happen(Event(table.version + 1, "play", seat, table.seats[seat].person, action, AT))

    def _happen(self, event: Event) -> None:
        self.tables.append(evolve(self.last, event))

    def redealt(self, viewer: int | None, seed: int) -> Iterator[Table]:
        """The same steps, with all dealt otherwise that a viewer (None: a spectator) cannot know."""
        worlds: dict[int, Position] = {}
        for table in self.tables:
            assert table.match is not None
            other = dataclasses.replace(table, match=table.match.at(table.match.ply))
            assert other.match is not None
            records = other.match.records
            assert isinstance(records, list)  # the match's own, of this copy alone
            for ply, p in enumerate(table.match.records):
                if id(p) not in worlds:
                    world = table.game.seen_by(p, table.match.box, viewer)
                    dice = np.array([seed * 100_000 + ply], np.uint64)
                    table.game.ruleset.imagine(world, table.match.box, -1 if viewer is None else viewer, dice)
                    worlds[id(p)] = world
                records[ply] = worlds[id(p)]
            yield other


async def watched(
    made: AppHarness, steps: list[Table], eyes: list[tuple[int | None, Client]]
) -> list[list[str]]:
    """All that each of some sockets gets at each step, by viewer.

    But for who else has a page open: that comes when it is noticed, and has nothing to do with the match.
    """
    live = made.put(steps[0])
    sockets = [await who.socket(live.table.id) for _, who in eyes]
    for step, table in enumerate(steps):
        if step:
            live.replace_table(table)
            live.notify_watchers()
        for (seat, _), socket in zip(eyes, sockets, strict=True):
            await socket.until(table.version)
            await ask_why(table, seat, socket, step)
            await socket.receive_all()
    got = [[text for text in socket.got if not text.startswith('{"here":')] for socket in sockets]
    for socket in sockets:
        await socket.close()
    return got


async def ask_why(table: Table, seat: int | None, socket: Socket, step: int) -> None:
    """Also what is answered, when this seat is to decide, about what it may not do."""
    if seat is not None and table.turn == seat and step % 5 == 0:
        for action in unlike(table, 2)[:2]:
            await socket.ask("why", action=action)


async def same_match(made: AppHarness, recorded: str, *seats: int) -> None:
    """To these seats, and to a spectator."""
    match = matchfile.load(FOLDER / f"{recorded}.match")
    people = [made.person(f"P{n}") for n in range(len(match.names))]
    steps = Steps(match, people, random.Random(3))
    eyes: list[tuple[int | None, Client]] = [(seat, people[seat]) for seat in seats]
    eyes.append((None, made.person("S")))
    real = await watched(made, steps.tables, eyes)
    differed = False
    for (viewer, who), sent in zip(eyes, real, strict=True):
        worlds = list(steps.redealt(viewer, 7))
        differed |= any(is_other(one, two) for one, two in zip(steps.tables, worlds, strict=True))
        (other,) = await watched(made, worlds, [(viewer, who)])
        assert len(sent) >= len(steps.tables)
        assert other == sent, first_difference(sent, other)
        everything = "".join(sent)
        assert not [one.id for one in people if one is not who and one.id in everything]
    assert differed == (match.game.name in SECRETIVE)


def is_other(table: Table, world: Table) -> bool:
    assert table.match is not None
    assert world.match is not None
    return table.match.records[-1].tobytes() != world.match.records[-1].tobytes()


def first_difference(one: list[str], two: list[str]) -> str:
    """Where two lists of messages come apart; short, since a message may have 100 KB."""
    for n, (left, right) in enumerate(zip(one, two, strict=False)):
        if left != right:
            at = next(n for n, (a, b) in enumerate(zip(left, right, strict=False)) if a != b)
            return f"message {n}: {left[at - 100 : at + 60]!r} and {right[at - 100 : at + 60]!r}"
    return f"{len(one)} messages and {len(two)}"


@pytest.mark.slow
@pytest.mark.parametrize("recorded", MATCHES)
def test_a_whole_match_is_sent_the_same_whatever_cannot_be_known(recorded: str, database: str) -> None:
    in_app(database, lambda made: same_match(made, recorded, 0), time_source=ManualTime(AT + 5))


@pytest.mark.long
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("recorded", MORE)
def test_many_whole_matches_are_sent_the_same(recorded: str, seat: int, database: str) -> None:
    in_app(database, lambda made: same_match(made, recorded, seat), time_source=ManualTime(AT + 5))


@pytest.mark.parametrize("recorded", [one for one in MATCHES if one.startswith(SECRETIVE)])
def test_a_leak_would_be_seen(recorded: str, database: str) -> None:
    """What one seat cannot know is another's hand: that one's socket gets something else."""

    async def work(made: AppHarness) -> None:
        match = matchfile.load(FOLDER / f"{recorded}.match")
        people = [made.person(f"P{n}") for n in range(len(match.names))]
        steps = Steps(match, people, random.Random(3))
        eye: tuple[int | None, Client] = (1, people[1])
        (real,) = await watched(made, steps.tables[:40], [eye])
        (other,) = await watched(made, list(steps.redealt(0, 7))[:40], [eye])
        assert real != other

    in_app(database, work, time_source=ManualTime(AT + 5))
