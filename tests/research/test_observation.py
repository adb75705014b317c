"""Observations hold all that a seat may know, and nothing else."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from comptoir.engine.game import Game, get_game
from comptoir.engine.interface import RuleSet, observe
from comptoir.engine.observation import Feature, ObservationLayout, seats_of
from comptoir.engine.rule import Position
from comptoir.engine.schema import Field, Seats
from tests.research.positions import every_table, match, moments

Row = NDArray[np.uint8]
See = Callable[[Position, int], Row]  # a position and a viewer


def seen(g: Game, p: Position, viewer: int, mode: RuleSet | None = None, before: int = 0) -> Row:
    """The observation, written over a row that is full of something."""
    out = np.full(g.observation.size, before, np.uint8)
    (mode or g.compiled).bind(observe)(p, g.components.box, viewer, out)
    return out


def pieces(g: Game, p: Position, viewer: int) -> dict[str, Any]:
    split: dict[str, Any] = g.observation.split(seen(g, p, viewer))
    return split


# The row


@every_table
def test_the_whole_row_is_written_and_nothing_beyond_it(name: str, options: dict[str, Any]) -> None:
    g = get_game(name)
    write = g.compiled.bind(observe)
    for p in [*moments(g, options, range(3)), match(g, options, 3)[-1]]:
        for viewer in range(p.players):
            out = np.full(g.observation.size + 8, 77, np.uint8)
            write(p, g.components.box, viewer, out)
            assert (out[g.observation.size :] == 77).all()
            assert (
                out[:-8].tobytes()
                == seen(g, p, viewer, before=0).tobytes()
                == seen(g, p, viewer, before=255).tobytes()
            )


@every_table
def test_no_entry_is_above_its_high(name: str, options: dict[str, Any]) -> None:
    g = get_game(name)
    for p in moments(g, options, range(100, 105), most=60):
        for viewer in range(p.players):
            above = [
                g.observation.label(int(entry))
                for entry in np.flatnonzero(seen(g, p, viewer) > g.observation.high)
            ]
            assert not above


@every_table
def test_interpreted_and_compiled_give_the_same_bytes(name: str, options: dict[str, Any]) -> None:
    g = get_game(name)
    for p in moments(g, options, range(2), most=8):
        for viewer in range(p.players):
            assert seen(g, p, viewer, g.interpreted).tobytes() == seen(g, p, viewer).tobytes()


# Hidden information


def told_apart(g: Game, options: dict[str, Any], see: See, seeds: range) -> set[str]:
    """The pieces that differ between worlds which a viewer cannot tell apart: the true one, its view, and one
    that it imagines.
    """
    found: set[str] = set()
    dice = np.array([seeds.start], np.uint64)
    for p in moments(g, options, seeds):
        for viewer in range(p.players):
            true, hidden = g.observation.split(see(p, viewer)), g.seen_by(p, g.components.box, viewer)
            world = g.copy(hidden)
            g.compiled.imagine(world, g.components.box, viewer, dice)
            for other in (hidden, world):
                known = g.observation.split(see(other, viewer))
                found |= {piece for piece in true if true[piece].tobytes() != known[piece].tobytes()}
    return found


@every_table
def test_no_piece_tells_worlds_apart_that_look_the_same(name: str, options: dict[str, Any]) -> None:
    """B17, C33, M18, S73: the same bytes from the position, from its view, and from a world in which all that
    is hidden is dealt again.
    """
    g = get_game(name)
    assert told_apart(g, options, lambda p, viewer: seen(g, p, viewer), range(200, 204)) == set()


@pytest.mark.parametrize("name", ["batavia", "marco_polo"])
def test_a_look_into_the_next_hand_is_found_out(name: str) -> None:
    """The same check finds what is known to another seat only; so it can fail."""
    g = get_game(name)
    peeked = told_apart(g, {}, lambda p, viewer: seen(g, p, (viewer + 1) % int(p.players)), range(200, 203))
    assert peeked == {"hand", "drawn", "unseen"}


@pytest.mark.parametrize("name", ["century", "sail_to_india"])
def test_where_nothing_is_hidden_all_seats_know_the_same(name: str) -> None:
    """C33, S73: so in these games a look from another chair finds nothing more."""
    g = get_game(name)
    assert (
        told_apart(g, {}, lambda p, viewer: seen(g, p, (viewer + 1) % int(p.players)), range(200, 203))
        == set()
    )


# Nothing that is open is lost

UNTOLD = {  # fields that no observation shows
    "batavia": {
        "ending",
        "open_bills",
    },  # an ending is 0 while somebody decides; what pages print changes nothing (B17)
    "century": {"ending", "open_tiles", "hold_size"},  # the last is the sum of a hold
    "lots": {"ending"},
    "marco_polo": {
        "ending",
        "chests",
        "ganzhou",
        "spent",
    },  # the last three say how the gold came together: past, and of no use
    "sail_to_india": {"ending", "setup"},  # that is over once the first towns lie there (S3)
}


SECRET = {"hand", "order"}  # of which others have parts too


def another(f: Field, value: int) -> int:
    """Some other value of a cell."""
    match f.kind:
        case "set" | "counts" | "flag":
            return value ^ 1
        case "seat":
            return -1 if value >= 0 else 0
        case "enum":
            return (value + 1) % len(f.words)
        case _:
            return value + 1 if value < f.high else value - 1


def changes(g: Game, p: Position) -> Iterator[tuple[str, tuple[int, ...], Position]]:
    """Positions that differ in one cell each, of seats that play."""
    for name, f in g.position.fields.items():
        seats = [int(p.players) if isinstance(axis, Seats) else 99 for axis in f.axes]
        for cell in np.ndindex(p[name].shape):
            if all(n < most for n, most in zip(cell, seats, strict=True)):
                changed = g.copy(p)
                if cell:
                    changed[name][cell] = another(f, int(p[name][cell]))
                else:
                    changed[name] = another(f, int(p[name]))
                yield name, cell, changed


@every_table
def test_every_open_field_is_told(name: str, options: dict[str, Any]) -> None:
    """Whatever changes, the row changes: but for other hands (B17, M18) and what says nothing new."""
    g = get_game(name)
    for p in moments(g, options, range(300, 302), most=4):
        for viewer in range(p.players):
            row = seen(g, p, viewer).tobytes()
            untold = {
                (field, cell)
                for field, cell, changed in changes(g, p)
                if seen(g, changed, viewer).tobytes() == row
            }
            others = {(field, cell) for field, cell in untold if field in SECRET and cell[0] != viewer}
            assert {field for field, cell in untold - others} == UNTOLD[name]
            if SECRET & g.position.fields.keys():
                assert {cell[0] for field, cell in others} == set(range(p.players)) - {viewer}


# The viewer's chair


RENAMED = {"round": "round_number", "decides": "turn", "open_setup": "setup", "strategic": "two_players"}
OWN = {"hand", "drawn", "order"}  # of the viewer only
SEED_LIMIT = {"plays", "unseen", "tiles", "outposts"}  # made otherwise: see below


def expected(f: Field, values: NDArray[Any], viewer: int, players: int, told: Row) -> NDArray[Any]:
    """A field as a piece should tell it: seats in the viewer's order, sets and single choices spread out,
    from 0 on.
    """
    spread = told.ndim > values.ndim
    along = np.arange(told.shape[-1]) if spread else np.zeros(0, int)
    values = np.asarray(values, np.int64)
    if f.kind == "seat":
        values = np.where(values < 0, -1, (values - viewer) % players)
    if f.kind == "counts":
        values = (values[..., None] >> along & 1) + 2 * (values[..., None] >> 32 + along & 1)
    elif f.kind == "set":
        values = values[..., None] >> along & 1
    elif spread:
        values = (values[..., None] == along).astype(np.int64)
    elif f.low < 0:
        values = values + 1
    if f.axes and isinstance(f.axes[0], Seats):
        values = np.concatenate([np.roll(values[:players], -viewer, axis=0), np.zeros_like(values[players:])])
    most: NDArray[Any] = np.minimum(values, 255)
    return most


@every_table
def test_pieces_hold_their_fields_from_the_viewers_chair(name: str, options: dict[str, Any]) -> None:
    g = get_game(name)
    for p in moments(g, options, range(400, 402), most=8):
        for viewer in range(p.players):
            told = pieces(g, p, viewer)
            for piece in {*told} - SEED_LIMIT:
                field = RENAMED.get(piece, piece)
                f, values = g.position.fields[field], p[field]
                if piece in OWN:
                    f, values = dataclasses.replace(f, axes=f.axes[1:]), values[viewer]
                assert (
                    told[piece].tolist() == expected(f, values, viewer, int(p.players), told[piece]).tolist()
                ), piece
            assert told["decides"].argmax() == (int(p.turn) - viewer) % int(p.players)
            assert told["plays"].tolist() == [1] * int(p.players) + [0] * (g.position.seats - int(p.players))


@every_table
def test_seats_that_do_not_play_are_zeros(name: str, options: dict[str, Any]) -> None:
    g = get_game(name)
    chairs = seats_of(g.position.seats)
    for p in moments(g, options, range(2), most=8):
        told = pieces(g, p, int(p.turn))
        for piece in g.observation.pieces:
            for axis, words in enumerate(piece.axes):
                if words == chairs:
                    assert not np.moveaxis(told[piece.name], axis, 0)[int(p.players) :].any(), piece.name


@pytest.mark.parametrize("name", ["batavia", "marco_polo"])
def test_a_hand_is_the_viewers_own_and_the_rest_is_unseen(name: str) -> None:
    """B17, B18, M17, M18: by the words of the view, whose pile holds what others have drawn from it."""
    g = get_game(name)
    words = {piece.name: piece.axes[0] for piece in g.observation.pieces if piece.axes}
    for p in moments(g, {}, range(500, 503)):
        for viewer in range(p.players):
            view, told = g.to_dict(g.seen_by(p, g.components.box, viewer)), pieces(g, p, viewer)
            for piece, cards in (
                ("hand", view["hand"][viewer]),
                ("drawn", view["drawn"][viewer]),
                ("unseen", view["pile"]),
            ):
                assert told[piece].tolist() == [cards.get(word, 0) for word in words[piece]]


def test_a_crate_is_marked_by_whose_it_is_to_the_viewer() -> None:
    """B26: tiles taken by the seat that looks are 36, by the next one 37, and so on."""
    g = get_game("batavia")
    [tiles] = [piece for piece in g.observation.pieces if piece.name == "tiles"]
    taken = 0
    for p in moments(g, {"players": 3}, range(3)):
        plain = g.to_dict(p)["tiles"]
        for viewer in range(3):
            told = pieces(g, p, viewer)["tiles"]
            for (n, company), (m, good) in (
                (a, b) for a in enumerate(tiles.axes[0]) for b in enumerate(tiles.axes[1])
            ):
                place = plain[company][good]
                if place.startswith("crate of seat "):
                    taken += 1
                    assert told[n, m] == 36 + (int(place[-1]) - viewer) % 3
                elif place.startswith("space "):
                    assert told[n, m] == int(place[6:])
    assert taken > 20


def test_tiles_and_outposts_are_marked_by_whose_they_are_to_the_viewer() -> None:
    """C14, C33: a claimed tile is 2 to whoever has it, 3 to the seat before."""
    g = get_game("century")
    claimed = outposts = 0
    for p in moments(g, {"players": 3}, range(3)):
        plain = g.to_dict(p)
        for viewer in range(3):
            told = pieces(g, p, viewer)
            for value, place in zip(told["tiles"].tolist(), plain["tiles"].values(), strict=True):
                claimed += place.startswith("seat")
                assert value == (
                    ["pile", "port"].index(place)
                    if place in ("pile", "port")
                    else 2 + (int(place[-1]) - viewer) % 3
                )
            for row, owners in zip(told["outposts"], plain["outposts"].values(), strict=True):
                outposts += len(owners)
                assert sorted(np.flatnonzero(row).tolist()) == sorted((seat - viewer) % 3 for seat in owners)
    assert min(claimed, outposts) > 20


def test_every_action_shows(any_game: Game) -> None:
    """From one decision to the next the row is another one, from whichever chair."""
    for before, after in itertools.pairwise(match(any_game, {}, 1)[:200]):
        for viewer in range(before.players):
            assert seen(any_game, before, viewer).tobytes() != seen(any_game, after, viewer).tobytes()


# The layout


def test_pieces_cover_the_row_without_gaps(any_game: Game) -> None:
    layout = any_game.observation
    assert [layout.slices[piece.name].start for piece in layout.pieces] == [
        0,
        *(layout.slices[p.name].stop for p in layout.pieces[:-1]),
    ]
    assert (
        layout.slices[layout.pieces[-1].name].stop
        == layout.size
        == sum(piece.size for piece in layout.pieces)
    )
    assert len(layout.slices) == len(layout.pieces)
    assert all(0 < piece.high < 256 and piece.description for piece in layout.pieces)


def test_split_names_the_pieces_in_their_shapes_and_copies_nothing(any_game: Game) -> None:
    layout = any_game.observation
    rows = np.arange(6 * layout.size).astype(np.uint8).reshape(2, 3, layout.size)
    split = layout.split(rows)
    assert [(name, part.shape) for name, part in split.items()] == [
        (piece.name, (2, 3, *piece.shape)) for piece in layout.pieces
    ]
    assert (
        np.concatenate([part.reshape(2, 3, -1) for part in split.values()], axis=-1).tolist() == rows.tolist()
    )
    assert all(np.shares_memory(part, rows) for part in split.values())
    one = layout.split(rows[0, 0])
    assert one["phase"].tolist() == split["phase"][0, 0].tolist()


def test_high_brings_all_between_nought_and_one(any_game: Game) -> None:
    layout = any_game.observation
    for piece in layout.pieces:
        assert (layout.high[layout.slices[piece.name]] == piece.high).all()
    [p] = moments(any_game, {}, range(1), most=1)
    scaled = seen(any_game, p, 0) / layout.high
    assert 0 < scaled.max() <= 1


def test_a_label_names_an_entry_by_its_words() -> None:
    layout = ObservationLayout(
        (
            Feature("round", "", 9),
            Feature("hand", "", axes=(("red", "blue"),)),
            Feature("laid", "", axes=(("me", "you"), ("red", "blue"))),
        )
    )
    expected = [
        "round",
        "hand[red]",
        "hand[blue]",
        "laid[me, red]",
        "laid[me, blue]",
        "laid[you, red]",
        "laid[you, blue]",
    ]
    assert [layout.label(entry) for entry in range(layout.size)] == expected


def test_every_entry_has_a_label_of_its_own(any_game: Game) -> None:
    layout = any_game.observation
    assert len({layout.label(entry) for entry in range(layout.size)}) == layout.size
