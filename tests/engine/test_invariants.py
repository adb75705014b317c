"""The table of what holds in every position."""

from __future__ import annotations

import pytest

from comptoir.engine.invariants import VALID, Invariants
from comptoir.games.batavia import rules as batavia
from comptoir.games.marco_polo import rules as marco_polo

TABLE = Invariants(
    {"good": ("tea", "silk")},
    players="players: expected 2 to 6",
    goods="goods: too many: {good}",
    coins="coins: seat {seat} has too few",
)


def test_invariants_are_numbered_from_1_in_their_order() -> None:
    assert [TABLE[name] for name in ("players", "goods", "coins")] == [1, 2, 3]
    assert all(type(TABLE[name]) is int for name in ("players", "goods", "coins"))
    assert len(TABLE) == 3
    with pytest.raises(KeyError):
        TABLE["cards"]


def test_a_sentence_says_where() -> None:
    assert TABLE.errors((VALID, 0)) == []
    assert TABLE.errors((TABLE["players"], 0)) == ["players: expected 2 to 6"]
    assert TABLE.errors((TABLE["goods"], 1)) == ["goods: too many: silk"]
    assert TABLE.errors((TABLE["coins"], 4)) == ["coins: seat 4 has too few"]


def test_our_games_name_their_cards() -> None:
    (said,) = batavia.INVARIANTS.errors((batavia.WRONG_CARDS, 4))
    assert said == "ship cards: not as many as the box holds: sweden"
    (said,) = batavia.INVARIANTS.errors((batavia.WRONG_HAND, 4))
    assert said == "hand_size: not the number of cards in hand: seat 4"
    (said,) = marco_polo.INVARIANTS.errors((marco_polo.WRONG_CARDS, 24))
    assert said == "cards: not as many as the box holds: violet driver"
