"""Positions of Marco Polo Expedition made to order, and a way to play on them in either mode."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

from comptoir import testing
from comptoir.engine.counts import add, how_many, subtract, total
from comptoir.engine.game import get_game
from comptoir.engine.interface import RuleSet
from comptoir.engine.match import Match, replay
from comptoir.games.marco_polo import rules

if TYPE_CHECKING:
    from comptoir.games.marco_polo.records import Box, Position

MARCO_POLO = get_game("marco_polo")
BOX = cast("Box", MARCO_POLO.components.box)
GANZHOU, DADU = int(BOX.cities_ganzhou), int(BOX.cities_dadu)
FIRST_SCORED = GANZHOU - 5  # the first of the six scoring spaces before Ganzhou


class PositionBuilder(testing.PositionBuilder):
    """A position and a track that tests arrange by hand.

    Cards go back to the pile first, so that there are always 55.
    """

    if TYPE_CHECKING:
        p: Position
        box: Box

        def seen_by(self, viewer: int) -> Position: ...
        def imagined_by(self, viewer: int) -> Position: ...

    game = MARCO_POLO

    def __init__(
        self, ruleset: RuleSet | None = None, seed: str = "test", *, box: Any = None, **options: Any
    ) -> None:
        super().__init__(ruleset, seed, box=rules.BOX.copy(BOX) if box is None else box, **options)

    def lays(self) -> set[str]:
        """The cards that may be laid now."""
        return {action.removeprefix("lay ") for action in self.legal() if action.startswith("lay ")}

    def takes(self) -> set[str]:
        """The open cards that may be taken now."""
        return {action.removeprefix("take ") for action in self.legal() if action.startswith("take ")}

    def lay(self, *cards: str) -> PositionBuilder:
        return self.play(*(f"lay {card}" for card in cards))

    # The track

    def space(self, space: int, demand: str, chest: int = 0) -> PositionBuilder:
        """What a space demands, and the chest that stands on it."""
        self.box.track_demands[space] = rules.DEMANDS.index(demand)
        self.box.track_chests[space] = chest
        return self

    def at(self, **camels: int | tuple[int, int]) -> PositionBuilder:
        """Where camels stand, having come through every space before: `at(seat0=4, seat1=7)`, or
        `at(seat0=(4, 9))` for two.
        """
        for name, spaces in camels.items():
            seat = int(name.removeprefix("seat"))
            both = spaces if isinstance(spaces, tuple) else (spaces, -1)
            self.p.camels[seat] = both
            self.p.reached[seat] = (1 << (max(both) + 1)) - 1
        return self

    def line_up(self, *spaces: int) -> PositionBuilder:
        """One camel a seat, and it is the turn of seat 0."""
        self.at(**{f"seat{seat}": space for seat, space in enumerate(spaces)})
        return self.turn(0)

    def turn(self, seat: int) -> PositionBuilder:
        """It is a seat's turn, which has not begun."""
        p = self.p
        p.turn, p.phase, p.moving, p.lightened, p.paid, p.still = (
            seat,
            rules.TURN,
            -(self.players == 2),
            0,
            0,
            0,
        )
        p.stopped[...] = 0
        return self

    def gold(self, *each: int) -> PositionBuilder:
        """Each seat's gold, from the first on: more than at the start came from chests, less was spent."""
        for seat, gold in enumerate(each):
            more = gold - int(self.box.start_gold)
            self.p.gold[seat], self.p.chests[seat], self.p.spent[seat], self.p.ganzhou[seat] = (
                gold,
                max(0, more),
                max(0, -more),
                0,
            )
        return self

    def reached(self, seat: int) -> set[int]:
        return {space for space in range(rules.MAX_STEPS) if int(self.p.reached[seat]) >> space & 1}

    # Cards

    def clear_cards(self) -> PositionBuilder:
        """All cards in the pile; hands, row and discards empty."""
        p = self.p
        for field in (p.hand, p.hand_size, p.seen, p.drawn, p.drawn_size):
            field[...] = 0
        p.row = p.discards = p.paid = p.row_size = 0
        p.pile = rules.all_cards(self.box)
        p.pile_size = total(p.pile)
        return self

    def _take(self, card: str) -> int:
        kind = rules.CARDS.index(card)
        assert how_many(self.p.pile, kind), f"no {card} left in the pile"
        self.p.pile = subtract(self.p.pile, 1 << kind)
        self.p.pile_size -= 1
        return 1 << kind

    def give(self, seat: int, *cards: str) -> PositionBuilder:
        """Cards from the pile into a hand, unseen."""
        p = self.p
        for card in cards:
            one = self._take(card)
            p.hand[seat], p.drawn[seat] = add(p.hand[seat], one), add(p.drawn[seat], one)
            p.hand_size[seat] += 1
            p.drawn_size[seat] += 1
        return self

    def row(self, *cards: str) -> PositionBuilder:
        for card in cards:
            self.p.row = add(self.p.row, self._take(card))
            self.p.row_size += 1
        return self

    def discard(self, *cards: str) -> PositionBuilder:
        for card in cards:
            self.p.discards = add(self.p.discards, self._take(card))
        return self

    def paid(self, *cards: str) -> PositionBuilder:
        """Cards from the pile that are already laid for the next step."""
        for card in cards:
            self.p.paid = add(self.p.paid, self._take(card))
        return self

    def pile(self, *cards: str, rest_to: int | None = None) -> PositionBuilder:
        """The pile is down to these cards; its others go to the discards, or into a seat's hand."""
        rest = Counter(cards_of(self.p.pile)) - Counter(cards)
        assert Counter(cards_of(self.p.pile)) >= Counter(cards), "not all of these are in the pile"
        return self.discard(*rest.elements()) if rest_to is None else self.give(rest_to, *rest.elements())

    def hand(self, seat: int) -> list[str]:
        return cards_of(self.p.hand[seat])


def played(table: PositionBuilder, *actions: str) -> Match:
    """A match that starts from a table arranged by hand, with its track, and continues with these actions."""
    tables = MARCO_POLO.components.tables
    demands = [rules.DEMANDS[demand] for demand in table.box.track_demands[: DADU + 1]]
    track = tables["track"] | {
        "demands": demands,
        "chests": [int(chest) for chest in table.box.track_chests[: DADU + 1]],
    }
    match = Match(
        "marco_polo", seed=1, position=MARCO_POLO.to_dict(table.p), components=tables | {"track": track}
    )
    return replay(match, actions)


def cards_of(counts: int) -> list[str]:
    """Packed counts as a list of cards, in the order of their kinds."""
    return [card for kind, card in enumerate(rules.CARDS) for _ in range(how_many(int(counts), kind))]


def random_match(ruleset: RuleSet, seed: str, **options: Any) -> Iterator[tuple[PositionBuilder, str]]:
    """A match played at random: the table after each action, with the action; first at its start, with
    none.
    """
    for table in PositionBuilder.random_match(ruleset, seed, **options):
        yield table, table.last
