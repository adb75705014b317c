"""What nobody may know is declared by `secret(...)`: a Lots whose order cards lie in a deck."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import numpy as np
import pytest
from rich.console import Console

import comptoir
from comptoir.defaults.field_table import shown_fields
from comptoir.engine.dice import dice_for
from comptoir.engine.game import Game, get_game
from comptoir.engine.schema import Schema, Seats, enum_of, number, optional_enum_of, private, secret
from comptoir.engine.words import words_of
from tests import example_game

GOODS = ("tea", "silk", "pepper", "indigo")
DEALT = '''
@rule
def deal_orders(p: Position, box: Box, dice: Dice) -> None:
    """L2: a random card from the deck to each seat that has none."""
    for seat in range(p.players):
        if p.order[seat] < 0:
            p.order[seat] = draw_from(p.deck, goods_in(p.deck), dice)


@rule
def whole_deck(p: Position, box: Box) -> None:
    """L2: all orders that no known seat holds."""
    for good in range(KINDS):
        p.deck[good] = box.start_orders
        for seat in range(p.players):
            p.deck[good] -= int(p.order[seat] == good)

'''
CHANGES = {
    "optional_enum_of, private, ": "optional_enum_of, private, secret, ",
    "    order=private(": "    deck=secret(number(GOODS)),\n    kitty=secret(number()),\n    order=private(",
    "    deal_orders(p, box, dice)\n": "    whole_deck(p, box)\n    p.kitty = 7\n    deal_orders(p, box, dice)\n",
}


@pytest.fixture(scope="module")
def decked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Game]:
    """Lots with its order cards in a deck, of which only what is marked says that it is hidden."""
    folder = tmp_path_factory.mktemp("secret")
    package = folder / "decked_lots"
    shutil.copytree(
        example_game.LOTS / "comptoir_lots", package, ignore=shutil.ignore_patterns("__pycache__")
    )
    text = (package / "rules.py").read_text(encoding="utf-8")
    start, rest = text.split("@rule\ndef deal_orders")
    text = start + DEALT.lstrip() + "\n@rule\ndef orders_left" + rest.split("@rule\ndef orders_left")[1]
    for old, new in CHANGES.items():
        assert old in text
        text = text.replace(old, new)
    (package / "rules.py").write_text(text, encoding="utf-8")
    example_game.metadata(folder, "decked", {"decked": package.name})
    with example_game.on_path(str(folder)):
        yield get_game("decked")


def test_nobody_sees_it_until_the_end(decked: Game) -> None:
    """Neither a seat nor a spectator; and of what is a seat's own, the others see nothing either."""
    match = comptoir.new("decked", players=4, seed=2, first=0)
    whole = match.position()
    assert sum(whole["deck"].values()) == 4
    for viewer in (0, 3, None):
        seen = match.view(viewer)["position"]
        assert set(seen["deck"].values()) == {0}
        assert seen["kitty"] == 0
        assert seen["order"] == [whole["order"][seat] if seat == viewer else None for seat in range(4)]
    while not match.over:
        match.play("pass")
    assert match.view(None)["position"]["deck"] == whole["deck"]


def test_it_is_dealt_in_imagined_worlds(decked: Game) -> None:
    """With the other hands from the deck; and the viewer cannot tell such a world from the true one."""
    match, decks = comptoir.new("decked", players=4, seed=2, first=0), set()
    p = match.records[0]
    for seed in range(60):
        world = decked.seen_by(p, match.box, 1)
        seen = world.tobytes()
        decked.interpreted.imagine(world, match.box, 1, dice_for(str(seed), 0))
        held = np.bincount(world["order"][:4], minlength=4)
        assert (held + world["deck"] == 2).all()
        assert decked.seen_by(world, match.box, 1).tobytes() == seen
        decks.add(tuple(map(int, world["deck"])))
    assert len(decks) > 5


def test_boards_and_the_terminal_leave_it_out(decked: Game) -> None:
    scene = comptoir.new("decked", players=3, seed=2).scene(0, words_of("decked", "en"))
    assert {"deck", "kitty"}.isdisjoint(shown_fields(decked))
    console = Console(width=100)
    with console.capture() as shown:
        console.print(decked.terminal.draw(scene))
    board = decked.board.chart(scene) + decked.board.pieces(scene)
    for text in (shown.get(), board):
        assert "order" in text
        assert "deck" not in text
        assert "kitty" not in text


def test_observations_have_no_piece_of_it(decked: Game) -> None:
    pieces = {piece.name for piece in decked.observation.pieces}
    assert "order" in pieces
    assert {"deck", "kitty"}.isdisjoint(pieces)


def test_compiled_it_is_the_same(decked: Game) -> None:
    match = comptoir.new("decked", players=5, seed=3, first=0)
    worlds = []
    for mode in (decked.interpreted, decked.compiled):
        p = decked.copy(match.records[0])
        mode.hide(p, match.box, 2)
        mode.imagine(p, match.box, 2, dice_for("x", 0))
        worlds.append(p.tobytes())
    assert worlds[0] == worlds[1] != match.records[0].tobytes()


def test_what_cannot_be_hidden_is_refused() -> None:
    seats = Seats(4)
    with pytest.raises(TypeError, match="secret: a hidden word is none; use optional_enum_of"):
        secret(enum_of(GOODS))
    for one, other in ((private, secret), (secret, private)):
        with pytest.raises(TypeError, match="either private or secret"):
            one(other(number(seats)))
    fields = Schema(
        deck=secret(number(GOODS)), top=secret(optional_enum_of(GOODS)), hand=number(seats)
    ).fields
    assert [name for name, field in fields.items() if field.secret] == ["deck", "top"]
