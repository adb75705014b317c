"""Sail to India positions made to order, and a way to play on them in either mode."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, Self, cast

from comptoir import testing
from comptoir.engine.game import get_game
from comptoir.engine.interface import RuleSet
from comptoir.games.sail_to_india import rules

if TYPE_CHECKING:
    from comptoir.games.sail_to_india.records import Box, Position

SAIL = get_game("sail_to_india")

# Towns of our own, so that no test depends on what stands in for the real ones: A to F lie in the first six
# places.
TOWNS = {
    "A": (["gold", "gems"], ["stronghold", "church"]),
    "B": (["coffee", "sugar"], ["market spice", "stronghold"]),
    "C": (["cloth", "spice"], ["church", "market gold"]),
    "D": (["gold", "coffee"], ["stronghold", "church"]),
    "E": (["gems", "sugar"], ["market gold", "market gems"]),
    "F": (["cloth", "gold"], ["stronghold", "stronghold"]),
    **{card: (["gold", "spice"], ["church", "stronghold"]) for card in "GHIJKL"},
}
COMPONENTS = SAIL.components.tables | {
    "towns": {
        "certainty": "placeholder",
        "goods": {card: goods for card, (goods, _) in TOWNS.items()},
        "buildings": {card: buildings for card, (_, buildings) in TOWNS.items()},
        "recommended": ["C", "A", "B"],
    }
}
BOX = cast("Box", SAIL.read_components(COMPONENTS).box)


class PositionBuilder(testing.PositionBuilder):
    """A position of Sail to India that tests arrange by hand; it is sound after every action."""

    if TYPE_CHECKING:
        p: Position
        box: Box

        def seen_by(self, viewer: int) -> Position: ...
        def imagined_by(self, viewer: int) -> Position: ...

    game = SAIL

    def __init__(
        self, ruleset: RuleSet | None = None, seed: str = "test", *, box: Any = None, **options: Any
    ) -> None:
        super().__init__(ruleset, seed, box=BOX if box is None else box, **({"first": 0} | options))

    def play(self, *actions: str) -> Self:
        for action in actions:
            super().play(action)
            assert self.sound()
        return self

    def may(self, verb: str) -> list[str]:
        """What the legal actions of a verb are about: `may("sail")` is ["0-1"]."""
        return [action.removeprefix(f"{verb} ") for action in self.legal() if action.startswith(f"{verb} ")]

    def returns(self, *markers: str) -> PositionBuilder:
        """Returns markers to Lisbon, one after the other: `returns("3a", "banker")`."""
        for marker in markers:
            self.play("recall", f"return {marker}")
        return self

    def may_return(self) -> list[str]:
        """The markers that may return to Lisbon, if that is asked for now."""
        if "recall" not in self.legal():
            return []
        then = copy(self)
        then.p = SAIL.copy(self.p)
        return then.play("recall").may("return")

    # Arranging

    def towns(self, face_up: int = 6) -> PositionBuilder:
        """So many towns face up, in the order of the cards; if all are, seat 1 has found India.

        With three players J, K and L are boxed.
        """
        p = self.p
        if face_up == rules.last_town(p):
            p.india = p.closer = 1
            p.closing = rules.INDIA
        p.face_up = face_up
        p.row[...] = [town if town < face_up else -1 for town in range(12)]
        if self.players == 3:
            p.boxed[...] = [9, 10, 11]
        return self

    def has(self, seat: int, **markers: Any) -> PositionBuilder:
        """A seat's markers: `has(0, lisbon=2, wealth=6, vp=1, land="1a 2c", at3=1)`.

        The rest is in reserve.
        """
        p = self.p
        lisbon, wealth, vp = (markers.pop(name, 0) for name in ("lisbon", "wealth", "vp"))
        land = markers.pop("land", "").split()
        p.lisbon[seat], p.wealth[seat], p.vp[seat] = lisbon, wealth, vp
        p.land[seat] = sum(1 << rules.SPACES.index(space) for space in land)
        p.ships[seat] = 0
        for name, n in markers.items():
            p.ships[seat, int(name.removeprefix("at")) - 1] = n
        p.reserve[seat] = rules.MARKERS - (
            lisbon + keepers(wealth) + keepers(vp) + sum(markers.values()) + len(land)
        )
        return self

    def owns(self, seat: int, *technologies: str) -> PositionBuilder:
        for technology in technologies:
            self.p.technologies[rules.TECHNOLOGIES.index(technology)] = seat
            self.p.scientists[seat] -= 1
        return self

    def turn(self, seat: int, points: int = 2) -> PositionBuilder:
        self.p.turn, self.p.points = seat, points
        return self

    def speed(self, seat: int, speed: int) -> PositionBuilder:
        self.p.speed[seat] = speed
        return self

    def round(self, number: int) -> PositionBuilder:
        self.p.round_number = number
        return self

    def markers(self, seat: int) -> dict[str, int]:
        """Where a seat's nine markers are."""
        p = self.p
        return {
            "reserve": int(p.reserve[seat]),
            "lisbon": int(p.lisbon[seat]),
            "ships": int(p.ships[seat].sum()),
            "goods": sum(1 for space in self.land(seat) if space[-1] in "ab"),
            "buildings": sum(1 for space in self.land(seat) if space[-1] in "cd"),
            "bankers": keepers(int(p.wealth[seat])),
            "historians": keepers(int(p.vp[seat])),
        }

    def land(self, seat: int) -> list[str]:
        """The spaces where a seat has markers."""
        return [space for n, space in enumerate(rules.SPACES) if int(self.p.land[seat]) >> n & 1]

    def ships(self, seat: int) -> dict[int, int]:
        """How many ships a seat has in which towns."""
        return {town: int(n) for town, n in enumerate(self.p.ships[seat], 1) if n}

    def sound(self) -> bool:
        """Nothing is wrong with the position, and every seat's markers are nine."""
        super().sound()
        return all(sum(self.markers(seat).values()) == 9 for seat in range(self.players))


def keepers(amount: int) -> int:
    """The bankers or historians for an amount."""
    return -(-amount // 5)


random_match = PositionBuilder.random_match
