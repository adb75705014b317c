"""Where everything stands on the derived board: the same all match long, in every language.

From above: the title; what belongs to nobody, single values as figures, then tables of what has a value per
word, then lists; then what belongs to seats, with as many seats side by side as there is room for. A field is
a row, its values stand side by side, and above them what they are of.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby

from comptoir.defaults.concern import operands_of, position_words
from comptoir.defaults.field_table import Key, Line, label_of, lines_of, shown_fields
from comptoir.engine.game import Game
from comptoir.engine.words import LANGUAGES, words_of

# Sizes of letters: at least 11 pixels in the smallest window
LABEL, LISTED, VALUE = 12.5, 14.0, 15.0
LETTER = 0.54  # the width of a letter, as a part of its size
NAME, NARROW_NAME = 7.6, 6.4  # the width of a letter of a seat's name, and of a small one
# Heights
TITLE = 50  # of the title, where it has a row of its own
FIGURE = 46  # of a single value with its name
WORDS, SEATS = 22, 32  # of the rows with the words, and with the seats, that stand above others
LEADING = 17  # from a line of text to the next
GAP = 13  # between parts
# Widths
NARROW = 100  # of a seat's column in which its name is smaller
MARKED = 26  # of a seat's mark before what is listed
TITLED = 150  # of a title that stands next to the figures
# Letters, at most
SHORT_TITLE = 12  # of such a title
FIGURE_NAME = 26  # of a figure's name, for which room is made


@dataclass(frozen=True)
class Measure:
    """A layout: its width, what is left free at its edges, and the columns of names and of figures."""

    width: float
    margin: float
    names: float
    figure: float
    row: float  # the height of a row
    chosen: float  # the height of a row that choices may be about: a finger needs 40
    word: int  # letters of a word above a column, at most
    column: float  # the width of a column, at most
    lines: int  # of a list, at most

    @property
    def room(self) -> float:
        """Next to the names."""
        return self.width - 2 * self.margin - self.names


MEASURES = {
    "wide": Measure(
        width=1000, margin=24, names=168, figure=150, row=26, chosen=31, word=12, column=150, lines=4
    ),
    "tall": Measure(
        width=390, margin=12, names=88, figure=116, row=30, chosen=40, word=7, column=100, lines=8
    ),
}


@dataclass(frozen=True)
class Slot:
    """A place for a value, around its middle."""

    line: Line
    seat: int | None
    column: str | None
    x: float
    y: float
    width: float
    height: float
    lines: int = 1  # of text

    @property
    def key(self) -> Key:
        return self.line.key(self.seat, self.column)


@dataclass(frozen=True)
class Label:
    """The name of a row, of a figure or of what is listed, from its left end; in at most so many letters."""

    line: Line
    x: float
    y: float
    letters: int
    lines: int
    centred: bool = False


@dataclass(frozen=True)
class Heading:
    """The word that a column is of."""

    word: str
    x: float
    y: float
    letters: int


@dataclass(frozen=True)
class Head:
    """The name of a seat, above what it has, on a panel of its own."""

    seat: int
    x: float
    y: float
    width: float
    height: float  # of the panel
    letters: int


@dataclass
class Plan:
    """A board of a game for that many players."""

    width: float
    height: float = 0
    slots: list[Slot] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)
    headings: list[Heading] = field(default_factory=list)
    heads: list[Head] = field(default_factory=list)
    rules: list[tuple[float, float, float]] = field(default_factory=list)  # lines between rows: from, to, y
    by_key: dict[Key, Slot] = field(default_factory=dict)

    def slot_of(self, key: Key) -> Slot | None:
        """Where a cell stands: on its own, or in a list."""
        return next((self.by_key[key[:n]] for n in range(len(key), 0, -1) if key[:n] in self.by_key), None)


@cache
def plan_of(game: Game, players: int, layout: str) -> Plan:
    return _Planner(game, players, MEASURES[layout]).plan()


@cache
def chosen_fields(game: Game) -> frozenset[str]:
    """The fields whose words actions name: each of their cells may be chosen."""
    said = [operands_of(action) for action in game.action_table]
    named = {word for word in position_words(game) if any(f" {word} " in one for one in said)}
    return frozenset(
        line.field
        for line in lines_of(game)
        if named & {*line.columns, *line.words, *shown_fields(game)[line.field].words}
    )


class _Planner:
    def __init__(self, game: Game, players: int, measure: Measure) -> None:
        self.game, self.players, self.measure = game, players, measure
        self.words = [words_of(game.name, lang) for lang in LANGUAGES]
        self.made, self.y = Plan(measure.width), 0.0

    def plan(self) -> Plan:
        lines = lines_of(self.game)
        figures = [one for one in lines if not (one.by_seat or one.columns or one.listed)]
        beside = bool(figures) and self._title_letters() <= SHORT_TITLE and self.measure.names > TITLED
        self.y = self.measure.margin / 2 if beside else TITLE
        self._figures(figures, self.measure.margin + (self.measure.names if beside else 0))
        for columns, found in _grouped(one for one in lines if one.columns and not one.by_seat):
            self._table(columns, found)
        self._lists([one for one in lines if one.listed and not one.by_seat])
        self._seats([one for one in lines if one.by_seat and not one.listed])
        self._lists([one for one in lines if one.listed and one.by_seat])
        self.made.height = math.ceil(self.y + self.measure.margin - GAP)
        self.made.by_key = {slot.key: slot for slot in self.made.slots}
        return self.made

    # How much room words take

    def _title_letters(self) -> int:
        return max(len(words.say("game.title")) for words in self.words)

    def _longest(self, said: Sequence[str]) -> int:
        """Letters of the longest of these words of the game, in any language."""
        return max((len(words.name(one)) for words in self.words for one in said), default=0)

    def _label_letters(self, line: Line) -> int:
        return max(len(label_of(line, words)) for words in self.words)

    def _height(self, line: Line) -> float:
        two = self._label_letters(line) > letters(self.measure.names - 8, LABEL)
        chosen = line.field in chosen_fields(self.game)
        return self.measure.chosen if two or chosen else self.measure.row

    def _column(self, columns: Sequence[str], line_fields: Sequence[Line]) -> float:
        """The width that a column of these needs: its word, and what may stand in it."""
        fields = shown_fields(self.game)
        held = [word for one in line_fields for word in fields[one.field].words if word not in columns]
        most = min(max(self._longest(columns), self._longest(held)), self.measure.word)
        seats = any(fields[one.field].kind == "seat" for one in line_fields)
        chosen = any(one.field in chosen_fields(self.game) for one in line_fields)
        return max(most * LETTER * LABEL + 6, 56 if seats else 40 if chosen else 32)

    # What belongs to nobody

    def _figures(self, lines: list[Line], left: float) -> None:
        """Single values, each below its name, side by side."""
        if not lines:
            return
        room = self.measure.width - self.measure.margin - left
        longest = min(max(map(self._label_letters, lines)), FIGURE_NAME)
        need = max(self.measure.figure, longest * LETTER * LABEL + 14)
        across = max(1, min(len(lines), int(room / need)))
        across = math.ceil(len(lines) / math.ceil(len(lines) / across))  # rows about as long as each other
        width = min(room / across, 1.2 * need)
        for n, line in enumerate(lines):
            x, y = left + (n % across) * width, self.y + (n // across) * FIGURE
            self.made.labels.append(Label(line, x, y + 15, letters(width - 12, LABEL), 1))
            self._slot(line, None, None, x - 8 + width / 2, y + FIGURE / 2 - 1, width - 4, FIGURE - 3)
        self.y += math.ceil(len(lines) / across) * FIGURE + GAP

    def _table(self, columns: tuple[str, ...], lines: list[Line]) -> None:
        m = self.measure
        need = self._column(columns, lines)
        at_once = max(1, int(m.room / need))
        width = min(m.room / min(at_once, len(columns)), max(need, m.column))
        for start in range(0, len(columns), at_once):
            part = columns[start : start + at_once]
            self._words(part, m.margin + m.names, width)
            for line in lines:
                height = self._row(line, m.names + width * len(part))
                for n, column in enumerate(part):
                    x = m.margin + m.names + width * (n + 0.5)
                    self._slot(line, None, column, x, self.y + height / 2, width - 4, height - 4)
                self.y += height
            self.y += GAP

    def _words(self, columns: Sequence[str], left: float, width: float) -> None:
        for n, word in enumerate(columns):
            x = left + width * (n + 0.5)
            self.made.headings.append(Heading(word, x, self.y + 16, letters(width - 4, LABEL)))
        self.y += WORDS if left == self.measure.margin + self.measure.names else 0

    def _row(self, line: Line, across: float) -> float:
        """The name of a row, and the line above it; its height."""
        m, height = self.measure, self._height(line)
        self.made.rules.append((m.margin, m.margin + across, self.y))
        middle = self.y + height / 2
        self.made.labels.append(Label(line, m.margin, middle, letters(m.names - 8, LABEL), 2, centred=True))
        return height

    # Lists

    def _lists(self, lines: list[Line]) -> None:
        """What has too many values for columns: what is there, one after the other. There is room for half of
        what could be there, unless it always is.
        """
        m = self.measure
        left = m.margin + m.names
        for line in lines:
            self.made.rules.append((m.margin, m.width - m.margin, self.y))
            name = Label(line, m.margin, self.y + m.row / 2, letters(m.names - 8, LABEL), 2, centred=True)
            self.made.labels.append(name)
            for seat in range(self.players) if line.by_seat else (None,):
                marked = 0 if seat is None else MARKED
                width = m.room - marked
                fit = letters(width, LISTED)
                many = max(1, min(m.lines, math.ceil(self._list_letters(line) / fit)))
                height = max(m.row, many * LEADING + 12)
                if seat is not None:
                    self.made.heads.append(Head(seat, left, self.y, 0, height, 0))
                x, y = left + marked + width / 2, self.y + height / 2
                self._slot(line, seat, None, x, y, width, height - 2, many)
                self.y += height
            self.y += GAP / 2
        self.y += GAP / 2 if lines else 0

    def _list_letters(self, line: Line) -> int:
        """Letters that a list may well have."""
        one = shown_fields(self.game)[line.field]
        axes = [axis for axis in one.axes[line.by_seat :] if isinstance(axis, tuple)]
        names = [word for axis in axes for word in axis]
        cells = 1
        for axis in axes:
            cells *= len(axis)
        cells *= 1 if axes or not one.axes[line.by_seat :] else 8
        if one.kind in ("set", "counts"):
            names, cells = list(one.words), cells * (len(one.words) or one.high + 1)
        most = cells * (min(self._longest(names or ["10"]), 10) + 4)
        return most if one.kind == "enum" and one.low >= 0 else most // 2

    # What belongs to seats

    def _seats(self, lines: list[Line]) -> None:
        """Tables whose columns are seats: as many side by side as fit, for all rows that allow as many."""
        m = self.measure
        parts = _grouped(lines)
        need = {
            columns: self._column(columns, found) * len(columns) + 10 if columns else self._single(found)
            for columns, found in parts
        }
        fits = {columns: max(1, min(self.players, int(m.room / need[columns]))) for columns, _ in parts}
        for at_once, together in groupby(parts, key=lambda part: fits[part[0]]):
            tables = list(together)
            bands = math.ceil(self.players / at_once)
            across = math.ceil(self.players / bands)
            widest = max(need[columns] for columns, _ in tables)
            width = min(m.room / across, max(2 * widest, 2 * m.column))
            for start in range(0, self.players, across):
                self._band(tables, range(start, min(start + across, self.players)), width)

    def _single(self, lines: list[Line]) -> float:
        fields = shown_fields(self.game)
        held = self._longest([word for one in lines for word in fields[one.field].words])
        return max(62, min(held, 12) * LETTER * VALUE + 12)

    def _band(self, tables: list[tuple[tuple[str, ...], list[Line]]], seats: range, width: float) -> None:
        """Some seats side by side."""
        m, top = self.measure, self.y
        self.y += SEATS
        for columns, lines in tables:
            each = (width - 10) / len(columns) if columns else 0
            # where one seat's words do not fit next to each other, they are on as many rows as it takes
            at_once = (
                max(1, min(len(columns), int((width - 10) / self._column(columns, lines)))) if columns else 1
            )
            for first in range(0, max(1, len(columns)), at_once):
                part = columns[first : first + at_once]
                if part:
                    each = (width - 10) / at_once
                    for n in range(len(seats)):
                        self._words(part, m.margin + m.names + width * n + 3, each)
                    self.y += WORDS
                for line in lines:
                    height = self._row(line, m.names + width * len(seats) - 4)
                    for n, seat in enumerate(seats):
                        left = m.margin + m.names + width * n + 3
                        self._seat_slots(line, seat, part, left, each or width - 10, height)
                    self.y += height
        for n, seat in enumerate(seats):
            x = m.margin + m.names + width * n
            fit = int((width - 30) / (NARROW_NAME if width < NARROW else NAME))
            self.made.heads.append(Head(seat, x, top, width - 4, self.y - top + 4, fit))
        self.y += GAP + 4

    def _seat_slots(
        self, line: Line, seat: int, part: Sequence[str], left: float, each: float, height: float
    ) -> None:
        for n, column in enumerate(part or (None,)):
            x = left + each * (n + 0.5)
            self._slot(line, seat, column, x, self.y + height / 2, each - 4, height - 4)

    def _slot(
        self,
        line: Line,
        seat: int | None,
        column: str | None,
        x: float,
        y: float,
        width: float,
        height: float,
        lines: int = 1,
    ) -> None:
        self.made.slots.append(Slot(line, seat, column, x, y, width, height, lines))


def letters(width: float, size: float) -> int:
    """How many letters of a size fit."""
    return max(2, int(width / (LETTER * size)))


def _grouped(lines: Iterator[Line] | list[Line]) -> list[tuple[tuple[str, ...], list[Line]]]:
    """Lines that have the same columns, those first that have none."""
    found: dict[tuple[str, ...], list[Line]] = {}
    for line in lines:
        found.setdefault(line.columns, []).append(line)
    return sorted(found.items(), key=lambda one: bool(one[0]))
