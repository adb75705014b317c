"""A table at its moments, for all who look: what is drawn of it and told, live and in a replay.

Everything is made from the views of the viewer's seat and of a spectator, so it holds nothing that they may
not know.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from comptoir.art.board import by_viewer, size_of
from comptoir.engine.actions import Action
from comptoir.engine.board_items import Card, Fact
from comptoir.engine.match import Match
from comptoir.engine.rule import Position
from comptoir.engine.scene import Scene
from comptoir.engine.schema import LazyRecordDict
from comptoir.engine.view import View
from comptoir.engine.words import LANGUAGES, Words
from comptoir.web.domain import queries
from comptoir.web.domain.archive import ArchivedMatch
from comptoir.web.domain.immutable import derived
from comptoir.web.domain.state import Table
from comptoir.web.page_words import log_words, page_words
from comptoir.web.view.log import Log, LogEntry, past_items
from comptoir.web.view.match_cache import CachedScene, MatchCache

MAX_MOMENTS = 4  # of a match, of which the views are kept: now, before the last action, and in a replay

logger = logging.getLogger(__name__)
T = TypeVar("T")


class Moment:
    """A match after some of its actions, as its viewers know it then."""

    def __init__(self, match: Match, cache: MatchCache, before: Moment | None) -> None:
        self.match, self.cache, self.game = match, cache, match.game
        self.position = match.records[match.ply]
        # what a spectator knows in words; until that is asked for, what one knew before: most is still so
        self._plain: LazyRecordDict | None = before.release_plain() if before else None
        self._scenes: dict[Any, CachedScene] = {}
        self._made: dict[Hashable, Any] = {}
        self._by_viewer = by_viewer(match.game)

    # What is known

    def scene(self, seat: int | None, words: Words, layout: str = "wide") -> CachedScene:
        """What a seat knows, to be told or drawn."""
        key = (seat, words, layout)
        scene = self._scenes.get(key)
        if scene is None:
            known = self._known(seat, words)
            same = known.words is words and known.layout == layout
            scene = self._scenes[key] = known if same else known.with_words(words, layout)
        return scene

    def _known(self, seat: int | None, words: Words) -> CachedScene:
        """The first scene of a seat; all others are its twins."""
        known = self._scenes.get(seat)
        if known is None:
            public = None if seat is None else self._known(None, words)
            if public is not None and self.game.all_open:
                known = public.as_seat(self._view(seat, public.raw_record))
            else:
                record = self.match.seen_by(seat)
                scene = self.match.scene_of(record, self._view(seat, record), words)
                known = CachedScene.of(scene, self.cache, self.game.position)
            self._scenes[seat] = known
        return known

    def _view(self, seat: int | None, record: Position) -> View:
        """A seat's view, to draw. Most of it is as before the last action, and as a spectator's: what is the
        same, or is not looked at, is not made again.
        """
        plain = self.game.position.lazy_dict(record, self._plain)
        if seat is None:
            self._plain = plain
        return self.match.view_of(self.match.ply, seat, plain)

    def release_plain(self) -> LazyRecordDict | None:
        """What a spectator knows in words, for the next moment to go on from."""
        return self._plain.release_previous() if self._plain is not None else None

    # What is drawn

    def chart(self, lang: str, layout: str) -> str:
        """What stays as it is through a match."""

        def drawn() -> str:
            return str(self.game.board.chart(self._shown(None, lang, layout)))

        return self._once(
            ("chart", lang, layout), lambda: self.cache.made(("chart", lang, layout), None, drawn), ""
        )

    def pieces(self, seat: int | None, lang: str, layout: str) -> str:
        """The pieces as a viewer sees them: on most boards as everyone does."""
        eyes, board = self.eyes(seat), self.game.board
        return self._once(
            ("pieces", eyes, lang, layout), lambda: board.pieces(self._shown(eyes, lang, layout)), ""
        )

    def eyes(self, seat: int | None) -> int | None:
        """The seat from whose view the pieces are drawn for a viewer; None: a spectator's."""
        return seat if self._by_viewer else None

    def size(self, lang: str, layout: str) -> tuple[int, int]:
        """The board's view box."""
        usual: tuple[int, int] = self.game.board.SIZE[layout]
        return self._once(
            ("size", lang, layout), lambda: size_of(self.game, self._shown(None, lang, layout)), usual
        )

    def facts(self, seat: int, viewer: int | None, lang: str) -> list[Fact]:
        """What a viewer knows of a seat, for its panel."""
        board = self.game.board
        return self._once(
            ("facts", seat, viewer, lang), lambda: list(board.facts(self._shown(viewer, lang), seat)), []
        )

    def hand(self, seat: int, lang: str) -> list[Card]:
        """What lies before a seat, for its own eyes."""
        return self._once(
            ("hand", seat, lang), lambda: self._shown(seat, lang).cached(self.game.board.hand), []
        )

    def spots(self, action: Action) -> list[str]:
        """The spots of an action, by what a spectator knows; they are the same in all languages."""
        board = self.game.board
        return self._once(
            ("spots", action.index), lambda: list(board.spots(self._shown(None, LANGUAGES[0]), action)), []
        )

    def prompt(self, seat: int, lang: str) -> str:
        """What the seat that decides is asked for."""
        prompt: str = self._shown(seat, lang).cached(self.game.story.prompt)
        return prompt

    def _shown(self, seat: int | None, lang: str, layout: str = "wide") -> CachedScene:
        return self.scene(seat, page_words(self.game.name, lang), layout)

    def _once(self, key: Hashable, draw: Callable[[], T], otherwise: T) -> T:
        """What is drawn of this moment, for all who see it alike."""
        if key not in self._made:
            self._made[key] = self.draw(draw, otherwise)
        made: T = self._made[key]
        return made

    def draw(self, draw: Callable[[], T], otherwise: T) -> T:
        return draw_or(self.match, draw, otherwise)


class TablePresenter:
    """One table with all its moments. The next one, after an event, takes over its cache."""

    def __init__(self, table: Table, before: TablePresenter | None = None) -> None:
        self.table = table
        self.cache: MatchCache = before.cache if before else MatchCache()
        self._moments: dict[int, Moment] = before._moments if before else {}
        self._made: dict[Hashable, Any] = {}

    @property
    def match(self) -> Match:
        assert self.table.match is not None
        return self.table.match

    @derived
    def now(self) -> Moment:
        return self.moment(self.match.ply)

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """What is made once for all who see it alike, until the next event."""
        if key not in self._made:
            self._made[key] = make()
        made: T = self._made[key]
        return made

    def moment(self, ply: int) -> Moment:
        """The match after that many actions."""
        match, moments = self.match, self._moments
        found = moments.get(ply)
        if found is not None and found.position is match.records[ply]:
            return found
        found = Moment(match if ply == match.ply else match.at(ply), self.cache, moments.get(ply - 1))
        self._moments = dict(list(moments.items())[1 - MAX_MOMENTS :]) | {ply: found}
        return found

    def scene(self, seat: int | None, lang: str, layout: str = "wide") -> CachedScene:
        return self.now.scene(seat, page_words(self.table.game.name, lang), layout)

    def size(self, lang: str, layout: str) -> tuple[int, int]:
        """The board's view box; before the match, that for the most players."""
        if self.table.match is None or self.table.state == "closed":
            usual: tuple[int, int] = self.table.game.board.SIZE[layout]
            return usual
        return self.now.size(lang, layout)

    def last_spots(self, ply: int) -> list[str]:
        """The spots of the action after which there were so many, by what a spectator knew before it."""
        if not ply:
            return []
        return self.moment(ply - 1).spots(self.match.action_at(ply))

    def past(self) -> Match | None:
        """The match that this one goes on from, replayed once."""
        return self.cache.made("past", None, lambda: queries.prior_match(self.table))

    def log(self, seat: int | None, lang: str) -> list[LogEntry]:
        """What has happened, as a seat has seen it; only the latest part of a long match."""
        words = log_words(self.table.game.name, lang)

        def scene_at(ply: int) -> Scene:
            return self.moment(ply).scene(seat, words)

        log = self.cache.made(
            ("log", seat, lang), None, lambda: Log(seat, past_items(self.past(), seat, words))
        )
        return log.update(self.match, self.table.notes, scene_at)


def draw_or(match: Match, draw: Callable[[], T], otherwise: T) -> T:
    """What is drawn of a match. Of one that was kept under other rules, today's board may not know how."""
    if not isinstance(match, ArchivedMatch):
        return draw()
    if match.drawable:
        try:
            return draw()
        except Exception as error:
            logger.warning("a kept match of %s cannot be drawn: %s", match.game.name, type(error).__name__)
            match.drawable = False
    return otherwise
