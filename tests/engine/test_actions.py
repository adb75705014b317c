"""The table of a game's actions: numbers for rules, texts for people, and each decoded."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from comptoir.engine import registry
from comptoir.engine.actions import Action, Actions
from comptoir.engine.game import get_game
from comptoir.engine.words import Words
from comptoir.errors import UnknownAction

GOODS = ("tea", "red silk")


class Voyage(NamedTuple):
    start: int
    end: int

    def __str__(self) -> str:
        return f"{self.start}-{self.end}"


TABLE = Actions(
    ("pass",),
    ("take", GOODS),
    ("sell", GOODS, range(1, 4)),
    ("sail", (Voyage(0, 1), Voyage(1, 0))),
    ("no sale",),
)


def test_texts_are_in_the_order_of_the_numbers() -> None:
    assert TABLE.texts == (
        "pass",
        *("take tea", "take red silk"),
        *("sell tea 1", "sell tea 2", "sell tea 3", "sell red silk 1", "sell red silk 2", "sell red silk 3"),
        *("sail 0-1", "sail 1-0"),
        "no sale",
    )
    assert TABLE.kinds == ("pass", "take", "sell", "sail", "no sale")
    assert len(TABLE) == len(TABLE.texts) == 12


def test_constants_for_rules_are_plain_numbers() -> None:
    firsts = [TABLE.first(kind) for kind in TABLE.kinds]
    assert firsts == [0, 1, 3, 9, 11]
    assert all(type(first) is int for first in firsts)
    assert TABLE.first("sell", "red silk") == 6
    assert TABLE.first("sell", "red silk", 2) == 7
    assert TABLE.first("sail", Voyage(1, 0)) == 10
    assert [TABLE.count(kind) for kind in TABLE.kinds] == [1, 2, 6, 2, 1]
    for unknown in (("buy",), ("take", "gold"), ("sell", "tea", 4)):
        with pytest.raises(KeyError, match=unknown[0]):
            TABLE.first(*unknown)


def test_an_action_is_decoded_by_number_and_by_text() -> None:
    assert TABLE.decode(7) is TABLE.decode("sell red silk 2")
    assert TABLE.decode(7) == Action(7, "sell", ("red silk", 2), 4, "sell red silk 2")
    assert TABLE.decode("take red silk").operand == "red silk"
    assert TABLE.decode("pass").operand is None
    assert TABLE.decode("sail 1-0").operand.end == 0
    assert str(TABLE.decode("no sale")) == "no sale"
    assert [action.index for action in TABLE] == list(range(12))
    assert all(TABLE.first(action.kind) + action.offset == action.index for action in TABLE)
    assert "sell tea 1" in TABLE
    assert "sell tea" not in TABLE


WRONG: dict[str, tuple[tuple[Any, ...], ...]] = {
    "expected at least one kind": (),
    "'take' is listed twice; give it all its operands at once": (("take", ("tea",)), ("take", ("silk",))),
    r"'take tea' is the text of two actions: number 0 \('take'\) and number 1 \('take tea'\)": (
        ("take", ("tea",)),
        ("take tea",),
    ),
    "'take tea' is the text of two actions": (("take", ("tea", "tea")),),
    "'take': expected a tuple of operands, got the text 'tea'": (("take", "tea"),),
    "'take': expected operands, got none": (("take", ()),),
    "'take  tea' cannot be written to a match file": (("take", (" tea",)),),
    "'take #1' cannot be written to a match file": (("take", ("#1",)),),
    "' ' cannot be written to a match file": ((" ",),),
}


@pytest.mark.parametrize("said", WRONG)
def test_what_cannot_be_read_back_is_refused(said: str) -> None:
    with pytest.raises(ValueError, match=f"^actions: {said}"):
        Actions(*WRONG[said])


def test_every_operand_is_said_in_the_language() -> None:
    texts = {"actions.sell": {"fr": "vendre"}, "names.tea": {"fr": "Thé"}, "actions.pass": {"fr": "passer"}}
    words = Words("fr", texts)
    assert words.action(TABLE.decode("sell tea 2")) == "vendre thé 2"
    assert words.action(TABLE.decode("pass")) == words.verb("pass") == "passer"


@pytest.mark.parametrize("name", registry.names())
def test_a_game_decodes_its_own_actions(name: str) -> None:
    game = get_game(name)
    for number, text in enumerate(game.actions):
        action = game.decode(text)
        assert game.decode(number) is action
        assert (action.index, action.text) == (number, text)
    with pytest.raises(UnknownAction, match="is no action of"):
        game.decode("nothing of the kind")
