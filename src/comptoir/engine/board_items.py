"""What a game's `board.py` returns in addition to its drawing: a seat's cards, and facts about it."""

from __future__ import annotations

from typing import NamedTuple


class Card(NamedTuple):
    """Something that lies before a seat: a card, a tile, some cubes.

    `spot` is named as on the board, so a choice lights it too.
    """

    id: str
    name: str
    body: str
    spot: str = ""
    size: tuple[int, int] = (64, 92)


class Fact(NamedTuple):
    """One thing known of a seat.

    `name` is read out, and shown where there is no icon; an icon is drawn in a box of 30 by 20. Where a
    name is not enough, `more` explains it in a sentence.
    """

    name: str
    value: str
    icon: str = ""
    lit: bool = False
    more: str = ""
    named: str = ""  # in words wherever there is room: "before" the value (purse 6) or "after" it (4 cards)
