"""Century positions made to order, and a way to play on them in either mode."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, cast

from comptoir import testing
from comptoir.engine.game import get_game
from comptoir.games.century import rules

if TYPE_CHECKING:
    from comptoir.games.century.records import Box, Position

CENTURY = get_game("century")
BOX = cast("Box", CENTURY.components.box)
LETTERS = "YRGB"
YELLOW, RED, GREEN, BROWN = range(4)


class PositionBuilder(testing.PositionBuilder):
    """A position of Century that tests arrange by hand."""

    if TYPE_CHECKING:
        p: Position
        box: Box

        def seen_by(self, viewer: int) -> Position: ...
        def imagined_by(self, viewer: int) -> Position: ...

    game = CENTURY

    def cubes(self, seat: int) -> str:
        """What a hold keeps, as letters: YYR."""
        return letters(self.p.hold[seat])

    def lying(self, space: str) -> str:
        return letters(self.p.lying[rules.SPACES.index(space)])

    # Arranging

    def begin(self, boats: str = "ahnm", seat: int = 0) -> PositionBuilder:
        """The starting lots are given out, and put back: all holds are empty.

        The boats are on these spaces; a seat's turn starts.
        """
        p = self.p
        p.hold[...], p.hold_size[...], p.lots[...] = 0, 0, 0
        for place in range(self.players):
            p.boats[place] = rules.SPACES.index(boats[place])
        p.first = 0
        return self.turn(seat)

    def turn(self, seat: int) -> PositionBuilder:
        """It is this seat's turn; it has done nothing yet."""
        p = self.p
        p.turn, p.mover, p.phase, p.moved, p.owed, p.upgrades = seat, seat, rules.MOVE, 0, 0, 0
        p.free = 1 + p.bonus[seat, rules.EXTRA_MOVE]
        return self

    def at(self, seat: int, space: str) -> PositionBuilder:
        self.p.boats[seat] = rules.SPACES.index(space)
        return self

    def hold(self, seat: int, cubes: str) -> PositionBuilder:
        """Exactly these cubes are in a hold: YYR."""
        self.p.hold[seat] = counts(cubes)
        self.p.hold_size[seat] = len(cubes)
        return self

    def lay(self, space: str, cubes: str) -> PositionBuilder:
        """These cubes lie on a space."""
        self.p.lying[rules.SPACES.index(space)] = counts(cubes)
        return self

    def market(self, space: str, tile: str) -> PositionBuilder:
        """A market tile lies on a space; what lay there goes where it was, or takes the place of another of
        its icon.
        """
        p, wanted, here = self.p, rules.MARKETS.index(tile), rules.MARKET_SPACES.index(space)
        if wanted not in p.markets:
            of_icon = [n for n in range(20) if p.markets[n] // rules.OF_AN_ICON == wanted // rules.OF_AN_ICON]
            p.markets[of_icon[0]] = wanted
        there = list(p.markets).index(wanted)
        p.markets[here], p.markets[there] = p.markets[there], p.markets[here]
        return self

    def outpost(self, space: str, *seats: int) -> PositionBuilder:
        """These seats have outposts on a market, built earlier."""
        n = rules.MARKET_SPACES.index(space)
        for seat in seats:
            self.p.outposts[n] |= 1 << seat
            self.p.built[seat, self.p.markets[n] // rules.OF_AN_ICON] += 1
        return self

    def built(
        self, seat: int, ginger: int = 0, chili: int = 0, tea: int = 0, cloves: int = 0, *, but: str = ""
    ) -> PositionBuilder:
        """So many outposts of each row of a board are on markets, on none of the spaces in `but`."""
        for icon, n in enumerate((ginger, chili, tea, cloves)):
            spaces = [
                s
                for m, s in enumerate(rules.MARKET_SPACES)
                if self.p.markets[m] // rules.OF_AN_ICON == icon and s not in but
            ]
            for space in spaces[:n]:
                self.outpost(space, seat)
        return self

    def bonus(self, seat: int, **tiles: int) -> PositionBuilder:
        """A seat has these bonus tiles; of points, those on top."""
        for kind, n in tiles.items():
            k = rules.KINDS.index(kind)
            for _ in range(n):
                if k == rules.POINTS:
                    self.p.bonus_points[seat] += self.box.bonus_pile[4 - self.p.bonus_left[k]]
                self.p.bonus_left[k] -= 1
                self.p.bonus[seat, k] += 1
        return self

    def tile(self, port: str, cubes: str, points: int) -> PositionBuilder:
        """The victory point tile with this cost and worth lies on a port; what lay there goes back to the
        pile.
        """
        p, n = self.p, rules.PORTS.index(port)
        wanted = next(t for t in range(26) if letters(BOX.vp_cost[t]) == cubes and BOX.vp_points[t] == points)
        old = p.ports[n]
        if wanted in p.ports:
            there = list(p.ports).index(wanted)
            p.ports[there], p.ports[n] = old, wanted
            return self
        if 0 <= old < rules.CLOSED:
            p.tiles[old] = rules.PILE
        p.tiles[wanted] = rules.ON_PORT
        p.ports[n] = wanted
        return self

    def draws(self, tiles: int) -> PositionBuilder:
        """So many tiles have been drawn since the setup, claimed by seat 0 and, after three, by seat 1; not the
        closed-port tile.
        """
        for nth in range(tiles):
            tile = next(t for t in range(26) if self.p.tiles[t] == rules.PILE)
            self.p.tiles[tile] = rules.FIRST_OWNER + nth // 3
            self.p.claimed[nth // 3] += 1
        return self

    def owns(self, seat: int, *points: int) -> PositionBuilder:
        """A seat has claimed tiles of this worth."""
        for worth in points:
            tile = next(t for t in range(26) if BOX.vp_points[t] == worth and self.p.tiles[t] == rules.PILE)
            self.p.tiles[tile] = rules.FIRST_OWNER + seat
            self.p.claimed[seat] += 1
        return self

    def close(self, port: str) -> PositionBuilder:
        """The closed-port tile lies on a port; the tile there goes back to the pile."""
        n = rules.PORTS.index(port)
        self.p.tiles[self.p.ports[n]] = rules.PILE
        self.p.ports[n] = rules.CLOSED
        return self

    def empty_pile(self) -> PositionBuilder:
        """Seat 1 has all that was left in the pile. (Cannot happen with the standard tiles.)"""
        for tile in range(26):
            if self.p.tiles[tile] == rules.PILE:
                self.p.tiles[tile] = rules.FIRST_OWNER + 1
                self.p.claimed[1] += 1
        return self

    def port(self, port: str) -> str | None:
        tile = int(self.p.ports[rules.PORTS.index(port)])
        return None if tile < 0 else "closed" if tile == rules.CLOSED else letters(BOX.vp_cost[tile])


random_match = PositionBuilder.random_match


def counts(cubes: str) -> list[int]:
    return [cubes.count(letter) for letter in LETTERS]


def letters(cubes: Any) -> str:
    return "".join(letter * int(n) for letter, n in zip(LETTERS, cubes, strict=True))


def sails(spaces: str) -> list[str]:
    return [f"sail {space}" for space in spaces]


def tables(**changes: Any) -> dict[str, Any]:
    """The components that come with the game, but for some entries: `tables(map={"ports": …})`."""
    own = copy.deepcopy(CENTURY.components.tables)
    for name, entries in changes.items():
        own[name] |= entries
    return own


def box_of(**changes: Any) -> Box:
    return cast("Box", CENTURY.read_components(tables(**changes)).box)
