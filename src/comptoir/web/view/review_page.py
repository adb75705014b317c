"""A review as its page shows it: the curve, the players, where the match turned, and any of its turns."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from comptoir.art.board import board_svg
from comptoir.art.shapes import seat_mark
from comptoir.engine.board_items import Card
from comptoir.engine.match import Match
from comptoir.review import Review
from comptoir.review.analysis import JUDGES
from comptoir.review.curve import curve
from comptoir.review.page import MISTAKE_KINDS, judged_by
from comptoir.review.texts import ReviewNarrator, TurningPointText, TurnText
from comptoir.web.page_words import page_words
from comptoir.web.view.pictures import with_fonts


@dataclass(frozen=True)
class PlayerRow:
    """What a review says of a player."""

    seat: int
    mark: str
    name: str
    accuracy: str
    numbers: tuple[int, ...]  # of inaccuracies, mistakes, blunders
    changes: tuple[str, ...]  # start, luck, own choices, others' choices
    result: str


@dataclass(frozen=True)
class CostlyTurnItem:
    """A turn whose loss has a name, in a list. `number`: which turn of the match."""

    turn: TurnText
    mark: str
    head: str
    number: int


@dataclass(frozen=True)
class ReviewTexts:
    """A review in one language."""

    judged_by: str
    legend: str
    players: tuple[PlayerRow, ...]
    turns: tuple[TurningPointText, ...]
    costly_turns: tuple[CostlyTurnItem, ...]  # of all seats; the page shows the visitor's first


@dataclass(frozen=True)
class PlanView:
    """What could be done in a turn, with its bar."""

    label: str
    share: str
    width: float  # of its bar, up to 100
    taken: bool


@dataclass(frozen=True)
class MomentView:
    """One turn, looked at closely: as its seat knew then."""

    ply: int
    seat: int
    mark: str
    name: str
    head: str
    number: int  # of the turn in the match
    sentence: str
    plans: tuple[PlanView, ...]
    hand: list[Card]
    before: int | None  # the turns before and after it that cost something
    after: int | None


class LocalisedReview:
    """A review, told once in each language."""

    def __init__(self, match: Match, review: Review) -> None:
        self.match, self.review = match, review
        self._told: dict[tuple[str, tuple[str, ...]], ReviewTexts] = {}
        self._lock = threading.Lock()

    @property
    def deep(self) -> bool:
        return self.review.level == JUDGES[True]

    def of(self, match: Match) -> LocalisedReview:
        """The same with the match as it is now: a player may have had their name deleted."""
        self.match = match
        return self

    def told(self, lang: str) -> ReviewTexts:
        key = lang, tuple(self.match.names)
        with self._lock:
            if key not in self._told:
                self._told[key] = self._tell(lang)
            return self._told[key]

    def _tell(self, lang: str) -> ReviewTexts:
        teller = self._teller(lang)
        return ReviewTexts(
            judged_by=judged_by(self.review, teller.words),
            legend=teller.legend(),
            players=tuple(self._player(seat, teller) for seat in range(self.match.players)),
            turns=tuple(teller.turns()),
            costly_turns=tuple(
                CostlyTurnItem(one, seat_mark(one.seat), teller.head(one), self.review.turn_number(one.ply))
                for one in teller.costly_turns()
            ),
        )

    def _teller(self, lang: str) -> ReviewNarrator:
        return ReviewNarrator(self.match, self.review, page_words(self.match.game.name, lang))

    def _player(self, seat: int, teller: ReviewNarrator) -> PlayerRow:
        review = self.review
        accuracy, account, result = review.accuracy(seat), review.breakdown(seat), review.result
        assert result is not None
        return PlayerRow(
            seat=seat,
            mark=seat_mark(seat),
            name=self.match.names[seat],
            accuracy="–" if accuracy is None else teller.words.percent(accuracy, 1),
            numbers=tuple(review.count(seat, kind) for kind in MISTAKE_KINDS),
            changes=tuple(map(teller.signed, (account.deal, account.luck, account.own, account.others))),
            result=teller.share(result[seat]),
        )

    def curve(self, lang: str, layout: str, at: int | None) -> str:
        """The drawing, whose numbers lead to what is said of each turning point."""
        words = page_words(self.match.game.name, lang)
        return curve(self.review, words, layout, at, link=lambda number: f"#turn-{number}")

    def moment(self, at: int, lang: str) -> MomentView:
        """The turn that the action after `at` others belongs to."""
        teller = self._teller(lang)
        told, costly = teller.judged(at), [turn.first for turn in self.review.costly_turns()]
        name = self.match.names[told.seat]
        scene = self.match.scene_at(told.ply, told.seat, teller.words)
        return MomentView(
            ply=told.ply,
            seat=told.seat,
            mark=seat_mark(told.seat),
            name=name,
            head=teller.head(told) if told.kind else name,
            number=self.review.turn_number(told.ply),
            sentence=told.sentence,
            plans=tuple(
                PlanView(one.label, teller.share(one.share), round(100 * one.share, 1), one.taken)
                for one in told.plans
            ),
            hand=self.match.game.board.hand(scene),
            before=max((one for one in costly if one < told.ply), default=None),
            after=min((one for one in costly if one > told.ply), default=None),
        )


def board_at(match: Match, at: int, lang: str, layout: str) -> str:
    """The board as everyone saw it after `at` actions, as a picture that stands alone."""
    then, words = match.at(at), page_words(match.game.name, lang)
    return with_fonts(board_svg(match.game, then.scene(None, words, layout)))
