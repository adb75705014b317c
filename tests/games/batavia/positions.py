"""Batavia positions made to order, and a way to play on them in either mode."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from comptoir import testing
from comptoir.engine.game import get_game
from comptoir.games.batavia import rules

if TYPE_CHECKING:
    from comptoir.games.batavia.records import Box, Position

BATAVIA = get_game("batavia")
BOX = cast("Box", BATAVIA.components.box)
ENGLAND, DENMARK, FRANCE, NETHERLANDS, SWEDEN = range(5)
SILK = rules.GOODS.index("silk")


class PositionBuilder(testing.PositionBuilder):
    """A position of Batavia that tests arrange by hand."""

    if TYPE_CHECKING:
        p: Position
        box: Box

        def seen_by(self, viewer: int) -> Position: ...
        def imagined_by(self, viewer: int) -> Position: ...

    game = BATAVIA

    def gold(self) -> list[int]:
        return self.points()

    # Arranging. Cards go back to the pile first, so that there are always 22 of each company.

    def clear_cards(self) -> PositionBuilder:
        """All ship cards in the pile; hands, table, lot and discards empty."""
        p = self.p
        for field in (
            p.hand,
            p.seen,
            p.drawn,
            p.laid,
            p.lot,
            p.discards,
            p.hand_size,
            p.drawn_size,
            p.markers,
        ):
            field[...] = 0
        p.pile[...] = BOX.ship_cards
        p.pile_size = p.pile.sum()
        p.seals[...] = -1
        return self

    def give(self, seat: int, **cards: int) -> PositionBuilder:
        """Cards from the pile into a hand, unseen."""
        for company, n in _counts(cards):
            self._take(company, n)
            self.p.hand[seat, company] += n
            self.p.hand_size[seat] += n
            self.p.drawn[seat, company] += n
            self.p.drawn_size[seat] += n
        return self

    def laid(self, seat: int, **cards: int) -> PositionBuilder:
        """Cards from the pile onto the table in front of a seat; seals follow."""
        p = self.p
        for company, n in _counts(cards):
            self._take(company, n)
            p.laid[seat, company] += n
            p.markers[company] += n
            row = [int(x) for x in p.laid[: self.players, company]]
            alone = row.count(max(row)) == 1
            p.seals[company] = row.index(max(row)) if alone else -1
        return self

    def discard(self, **cards: int) -> PositionBuilder:
        for company, n in _counts(cards):
            self._take(company, n)
            self.p.discards[company] += n
        return self

    def lot(self, **cards: int) -> PositionBuilder:
        for company, n in _counts(cards):
            self._take(company, n)
            self.p.lot[company] += n
        return self

    def pile(self, rest_to: int | None = None, **cards: int) -> PositionBuilder:
        """The pile is down to these cards; its others go to the discards, or into a seat's hand."""
        for company, name in enumerate(rules.COMPANIES):
            rest = {name: int(self.p.pile[company]) - cards.get(name, 0)}
            if rest_to is None:
                self.discard(**rest)
            else:
                self.give(rest_to, **rest)
        return self

    def _take(self, company: int, n: int) -> None:
        assert self.p.pile[company] >= n, "not that many cards left in the pile"
        self.p.pile[company] -= n
        self.p.pile_size -= n

    def shops(self, **spaces: int) -> PositionBuilder:
        """Only these shops face up on the route (`denmark_silk=4`); all other tiles count as taken, with no
        crate.
        """
        self.p.tiles[...] = rules.NO_CRATE
        self.p.face_up = rules.SPACES
        for name, space in spaces.items():
            company, good = name.split("_")
            self.p.tiles[rules.COMPANIES.index(company), rules.GOODS.index(good)] = space
        return self

    def shop_on(self, space: int) -> tuple[str, str]:
        """The company and the good of the shop on a space."""
        company, good = np.argwhere(self.p.tiles == space)[0]
        return rules.COMPANIES[company], rules.GOODS[good]

    def stock(self, good: str, *crates: int) -> PositionBuilder:
        """A trading post with that many crates of seat 0, seat 1 and so on; five squares in all."""
        owners = [seat for seat, n in enumerate(crates) for _ in range(n)]
        for company, seat in enumerate(owners):
            self.p.tiles[company, rules.GOODS.index(good)] = rules.FIRST_CRATE + seat
            self.p.crates[seat] -= 1
        return self

    def holds(self, seat: int, **tiles: int) -> PositionBuilder:
        """A seat has shop tiles, taken earlier."""
        for company, n in _counts(tiles):
            self.p.held[seat, company] = n
        return self

    def at(self, **merchants: int) -> PositionBuilder:
        """Where merchants stand: `at(seat0=4)`."""
        for name, space in merchants.items():
            self.p.merchants[int(name.removeprefix("seat"))] = space
        return self

    def moves(self, seat: int, moved: int = 0) -> PositionBuilder:
        """The auction is over and it is this seat's move; `moved` seats have had theirs."""
        p = self.p
        p.phase, p.turn, p.moved = rules.MOVE, seat, moved
        p.first = (seat - moved) % self.players
        p.bid, p.bidder = 0, -1
        return self

    def auction(self, auctioneer: int) -> PositionBuilder:
        """An auction is about to start; nobody has bid."""
        p = self.p
        p.phase, p.first, p.turn = rules.AUCTION, auctioneer, (auctioneer + 1) % self.players
        p.bid, p.bidder = 0, -1
        p.bidding[...] = [seat < self.players for seat in range(5)]
        return self

    # Chance

    def die(self, pips: int) -> PositionBuilder:
        """The next thing rolled is a die, and it shows this."""
        return self.next_roll(6, pips - 1)

    # Longer ways to arrange a position

    def last_decision(self, seat: int) -> PositionBuilder:
        """All but this seat have moved, and it only has to `keep` a tile: that rolls no dice before the next
        auction.
        """
        self.moves(seat, moved=self.players - 1)
        self.p.held[seat, SWEDEN] = 1
        self.p.fresh = SWEDEN
        self.p.phase = rules.TRADING
        return self

    def next_auction(self, auctioneer: int, pips: int) -> PositionBuilder:
        """A round ends in which the auctioneer was first player; the die then shows `pips`."""
        return self.last_decision((auctioneer - 1) % self.players).die(pips).play("keep")

    def land(self, seat: int, space: int) -> PositionBuilder:
        """A seat moves to the shop on a space, from the space before it.

        No other ship cards are laid or in hand.
        """
        company, _ = self.shop_on(space)
        self.clear_cards().laid(seat, **{company: 1}).give(seat, **{company: 1}).moves(seat)
        self.p.merchants[seat] = space - 1
        return self.play(f"lay {company}", f"advance {company}")


random_match = PositionBuilder.random_match


def _counts(cards: dict[str, int]) -> Iterator[tuple[int, int]]:
    for name, n in cards.items():
        yield rules.COMPANIES.index(name), n


def counts(**cards: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """A row of card counts to compare with."""
    return np.array([cards.get(name, 0) for name in rules.COMPANIES], np.uint8)
