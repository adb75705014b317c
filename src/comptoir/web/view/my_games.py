"""One's finished games as a page shows them: results, statistics by game and the ladder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from comptoir.engine.words import Words
from comptoir.web.domain.player_results import (
    OPPONENTS,
    WINS,
    LadderStep,
    ListedResult,
    PlayerResult,
    Statistics,
    WinRecord,
    ladder,
    next_step,
)
from comptoir.web.page_words import page_words
from comptoir.web.view.sheets import Sheet, shown, source_name

BAR = 100  # the longest bar of a picture


@dataclass(frozen=True)
class GameListItem:
    """A finished game in the list."""

    id: str
    game: str
    title: str
    names: str
    outcome: str  # won, shared or lost
    place: str
    points: str
    opponents: str
    excluded: str
    ended: float
    sheet: Sheet


def entry(listed: ListedResult, lang: str) -> GameListItem:
    result = listed.result
    words = page_words(result.game, lang)
    return GameListItem(
        id=result.table_id,
        game=result.game,
        title=words.say("game.title"),
        names=", ".join(listed.names),
        outcome="lost" if not result.won else "shared" if result.winners > 1 else "won",
        place=_place(result, words),
        points=words.say("score.points", n=result.points),
        opponents=_opponents_of(result, words),
        excluded=words.say(f"excluded.{result.excluded}") if result.excluded else "",
        ended=result.ended,
        sheet=shown(result.scores, listed.names, words),
    )


def _place(result: PlayerResult, words: Words) -> str:
    if not result.won:
        return words.say("results.place", n=result.place, m=result.players)
    return words.say("results.shared" if result.winners > 1 else "results.won", m=result.players)


def _opponents_of(result: PlayerResult, words: Words) -> str:
    if result.opponents == OPPONENTS[0] and result.level:
        return words.say("results.against", level=words.say(f"levels.{result.level}"))
    return words.say("results.with_people")


# Statistics


@dataclass(frozen=True)
class WinCounts:
    """A row of a table: who or how many, and what came of it."""

    name: str
    played: int
    won: str
    shared: str  # how many of these victories, if any
    average: str


@dataclass(frozen=True)
class Bar:
    """Where points came from: how many a game, drawn next to the others."""

    name: str
    points: str
    length: float
    minus: bool


@dataclass(frozen=True)
class StatisticsView:
    """The statistics of one game in words."""

    game: str
    title: str
    unit: str
    whole: WinCounts
    best: str
    players: list[WinCounts]
    against: list[WinCounts]
    sources: list[Bar]


def counted(game: str, found: Statistics, lang: str) -> StatisticsView:
    words = page_words(game, lang)
    return StatisticsView(
        game=game,
        title=words.say("game.title"),
        unit=words.say("score.unit"),
        whole=_count("", found.whole, words),
        best=str(found.best),
        players=[
            _count(words.say("table_page.players", n=players), tally, words)
            for players, tally in found.players.items()
        ],
        against=[_count(_opponents(who, words), tally, words) for who, tally in found.against.items()],
        sources=_bars(found, words),
    )


def _count(name: str, tally: WinRecord, words: Words) -> WinCounts:
    return WinCounts(
        name,
        tally.played,
        words.say("statistics.won_n", n=tally.won, share=words.percent(tally.share, 0)),
        words.say("statistics.shared_n", n=tally.shared) if tally.shared else "",
        words.number(tally.average, 1),
    )


def _opponents(who: str, words: Words) -> str:
    if who == OPPONENTS[1]:
        return words.say("results.with_people")
    return words.say("results.against", level=words.say(f"levels.{who}"))


def _bars(found: Statistics, words: Words) -> list[Bar]:
    """Sources of which there was nothing are left out."""
    averages = {source: n / found.whole.played for source, n in found.sources.items() if n}
    most = max(map(abs, averages.values()), default=1.0)
    return [
        Bar(source_name(source, words), _signed(words.number(n, 1)), round(BAR * abs(n) / most, 1), n < 0)
        for source, n in averages.items()
    ]


def _signed(number: str) -> str:
    return number.replace("-", "−")


# The ladder


@dataclass(frozen=True)
class Rung:
    """A step of the ladder: climbed, the next one, or later."""

    level: str
    name: str
    state: str
    note: str


@dataclass(frozen=True)
class Ladder:
    """The steps of one game, and the one to play for now."""

    game: str
    title: str
    rungs: list[Rung]
    next: Rung | None


def ladders(games: Iterable[str], wins: Mapping[str, Mapping[str, int]], lang: str) -> list[Ladder]:
    return [_ladder(game, ladder(dict(wins.get(game, {}))), lang) for game in games]


def _ladder(game: str, steps: Sequence[LadderStep], lang: str) -> Ladder:
    words, ahead = page_words(game, lang), next_step(steps)
    rungs = [_rung(step, ahead, words) for step in steps]
    coming = next((rung for rung in rungs if rung.state == "next"), None)
    return Ladder(game, words.say("game.title"), rungs, coming)


def _rung(step: LadderStep, ahead: LadderStep | None, words: Words) -> Rung:
    name = words.say(f"levels.{step.level}")
    if step.climbed:
        return Rung(step.level, name, "climbed", words.say("ladder.climbed"))
    note = words.say("ladder.wins", n=step.wins, m=WINS)
    return Rung(step.level, name, "next" if step is ahead else "later", note)
