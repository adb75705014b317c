"""Records from a list of fields, and plain data both ways.

A game lists the fields of its position and of its box once. From that list come the NumPy dtype that rules
work on, the plain data that people and programs read (words instead of numbers, one list entry a seat), and
the checks on data that comes in.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, cast

import numpy as np
from numpy.typing import NDArray

from comptoir.engine.counts import how_many, kinds_in, pack
from comptoir.engine.rule import Record, Records
from comptoir.errors import DataError

MAX_MATCHED_CHARS = 60  # letters for which a like word is looked for
HINTED = 20  # errors that come with a hint
MAX_SHOWN_CHARS = 200  # letters of what was found instead

# as the record's own, which take five times as long: they look for a field of that name first
field_of = cast(Callable[[Record, str], Any], np.void.__getitem__)
bytes_of = cast(Callable[[Record], bytes], np.void.tobytes)
_own = cast("Callable[[np.void, str], NDArray[np.void] | None]", np.void.__getattribute__)


@dataclass(frozen=True)
class Seats:
    """The axis of seats: room for `most`, of which plain data lists those that play."""

    most: int


@dataclass(frozen=True)
class AtMost:
    """An axis of at most `most` entries: data may list fewer, and the rest are zeros."""

    most: int


Axis = Seats | AtMost | tuple[str, ...] | int  # one entry a seat, a word, or a plain number


@dataclass(frozen=True)
class Field:
    """One field of a record: what a cell holds, and along which axes the cells lie."""

    kind: str  # "number", "seat" (-1: nobody), "enum" (an index into `words`), "flag", "set" or "counts"
    axes: tuple[Axis, ...] = ()
    words: tuple[str, ...] = ()
    low: int = 0
    high: int = 255
    derived: bool = False  # not read: the game computes it from the fields that are
    private: bool = False  # of its first axis, the seats, each knows only its own part
    secret: bool = False  # no seat knows it before the end: what is left in a deck, say
    counter: bool = False  # counts what has passed: positions that differ in nothing else are repetitions

    @property
    def dtype(self) -> type[np.integer]:
        if self.kind == "counts":
            return np.int64
        if self.kind == "set":
            return next(kind for bits, kind in _SIGNED if self.high < bits)
        if self.kind == "seat" or self.low < 0:
            return np.int8
        return np.uint8 if self.high < 2**8 else np.uint16 if self.high < 2**16 else np.uint32

    @property
    def blank(self) -> int:
        """What stands in a cell that a viewer may not know."""
        return -1 if self.kind == "seat" or self.low < 0 else 0


# signed, so that sets mix with Python's numbers
_SIGNED = ((7, np.int8), (15, np.int16), (31, np.int32), (63, np.int64))


def number(*axes: Axis, low: int = 0, high: int = 255) -> Field:
    return Field("number", axes, low=low, high=high)


def seat_field(*axes: Axis) -> Field:
    """A seat, or -1 (None in plain data) for nobody."""
    return Field("seat", axes)


def enum_of(words: tuple[str, ...], *axes: Axis) -> Field:
    return Field("enum", axes, words=words)


def optional_enum_of(words: tuple[str, ...], *axes: Axis) -> Field:
    """A word, or -1 (None in plain data)."""
    return Field("enum", axes, words=words, low=-1)


def flag(*axes: Axis) -> Field:
    """True or false; kept as 0 and 1, since Numba has no arrays of bool inside a record."""
    return Field("flag", axes, high=1)


def set_of(words: tuple[str, ...], *axes: Axis) -> Field:
    """A set of words, 63 at most, one bit each; a list in plain data."""
    return Field("set", axes, words=words, high=len(words) - 1)


def number_set(*axes: Axis, high: int) -> Field:
    """A set of numbers from 0 to high, 62 at most, one bit each; a list in plain data."""
    return Field("set", axes, high=high)


def counts(words: tuple[str, ...], *axes: Axis) -> Field:
    """How many of each word, 0 to 3, as `engine.counts` packs them; plain data lists those that are there."""
    return Field("counts", axes, words=words, high=3)


def derived(field: Field) -> Field:
    """A field of a box that the game's `complete_box` fills from the others."""
    return replace(field, derived=True)


def private(field: Field) -> Field:
    """A field with one part per seat, of which each seat knows only its own.

    `hide` is derived from it: it blanks the parts of the other seats. A game that writes its own `hide` must
    blank them there. Raises a TypeError for a field that cannot be hidden in this way.
    """
    if not field.axes or not isinstance(field.axes[0], Seats):
        raise TypeError("private: the field's first axis must be that of the seats")
    return replace(_hideable(field, "private"), private=True)


def secret(field: Field) -> Field:
    """A field that no seat knows before the end of the match, such as what is left in a deck.

    `hide` is derived from it: it blanks the whole field for every viewer, and the parts of other seats where
    fields are marked `private`. A game that writes its own `hide` must blank it there. Boards and the
    terminal leave the field out; observations have no feature for it. `imagine` finds it blank and must deal
    it again: put all that the viewer has not seen into it, `deal` the other hands from there (`engine.dice`),
    and what remains is the deck. Raises a TypeError for a field that cannot be hidden in this way.
    """
    return replace(_hideable(field, "secret"), secret=True)


def counter(field: Field) -> Field:
    """A field that only counts what has passed, such as rounds.

    Positions that differ in such fields alone are the same position again: bots avoid to come back to one.
    """
    return replace(field, counter=True)


def _hideable(field: Field, marker: str) -> Field:
    if field.kind == "enum" and field.low >= 0:
        raise TypeError(f"{marker}: a hidden word is none; use optional_enum_of")
    if field.private or field.secret:
        raise TypeError(f"{marker}: a field is either private or secret, once")
    return field


class FastRecord(np.record):  # type: ignore[misc]  # final to the stubs, not to NumPy
    """A record whose memory compiled rules find at once: as the array that it is the one row of. NumPy would
    describe all its fields to them, which takes twice as long as most of what they do.
    """

    @property
    def data(self) -> memoryview:
        array = _own(self, "base")
        # what takes memory takes an array just as well
        return cast(memoryview, array) if array is not None and array.size == 1 else super().data


if TYPE_CHECKING:
    from typing_extensions import TypeVar

    R = TypeVar("R", bound=Record, default=Record)  # the type that a game's `records.pyi` gives it
else:
    from typing import TypeVar

    R = TypeVar("R")


class Schema(Generic[R]):
    """The fields of one kind of record."""

    def __init__(self, **fields: Field) -> None:
        taken = [name for name in fields if hasattr(np.record, name)]
        if taken:
            raise TypeError(
                f"NumPy's records already have an attribute {taken[0]!r}: choose another name for the field"
            )
        self.fields = fields
        self.dtype = _whole_words(
            [(name, f.dtype, tuple(length_of(axis) for axis in f.axes)) for name, f in fields.items()]
        )
        self._record = np.dtype((FastRecord, self.dtype))
        places = dict(self.dtype.fields or {})
        self.spans = {
            name: slice(places[name][1], places[name][1] + places[name][0].itemsize) for name in fields
        }
        self.repetition_mask = self._repetition_mask()
        # the bytes of a field, as bits of the number that a record's bytes are, the lowest first
        self.masks = {name: (1 << 8 * span.stop) - (1 << 8 * span.start) for name, span in self.spans.items()}
        self._plain = {name: _plain(f, f.axes) for name, f in fields.items()}
        self.seats = next((a.most for f in fields.values() for a in f.axes if isinstance(a, Seats)), 0)

    def _repetition_mask(self) -> NDArray[np.uint64]:
        """The words of a record with all bits set but those of counters."""
        mask = np.full(self.dtype.itemsize, 255, np.uint8)
        for name, f in self.fields.items():
            if f.counter:
                mask[self.spans[name]] = 0
        return mask.view(np.uint64)

    def repetition_key(self, record: R) -> bytes:
        """The same for two records that differ in counters alone."""
        return (np.frombuffer(bytes_of(record), np.uint64) & self.repetition_mask).tobytes()

    def array(self, length: int) -> Records:
        """Records of zeros. One row of it is what rules take."""
        return np.zeros(length, self.dtype).view(np.recarray)

    def new(self) -> R:
        return self.of_bytes(bytes(self.dtype.itemsize))

    def copy(self, record: R) -> R:
        """A twin on memory of its own, byte by byte.

        NumPy's own copy goes field by field: it takes twenty times as long, and what lies between the fields
        is then whatever was there, so that equal positions would not be equal in their bytes.
        """
        return self.of_bytes(bytes_of(record))

    def of_bytes(self, data: bytes) -> R:
        """The record whose bytes these are."""
        row: R = np.ndarray(1, self._record, bytearray(data))[0]  # `frombuffer` keeps 300 bytes more
        return row

    def to_dict(self, record: R) -> dict[str, Any]:
        """A record as JSON-able data, in words."""
        players = int(field_of(record, "players")) if "players" in self.fields else self.seats
        # all at once: one by one NumPy takes ten times as long
        cells = zip(self.fields.items(), record.item(), strict=True)
        return {
            name: self._plain[name](value.tolist() if f.axes else value, players)
            for (name, f), value in cells
        }

    def plain_field(self, record: R, name: str) -> Any:
        """One field of a record as JSON-able data, in words."""
        players = int(field_of(record, "players")) if "players" in self.fields else self.seats
        return self._plain[name](field_of(record, name).tolist(), players)

    def changed(self, old: R, new: R) -> dict[str, tuple[Any, Any]]:
        """The fields in which two records differ, as they are in both, in words."""
        was, now = old.tobytes(), new.tobytes()
        return {
            name: (self.plain_field(old, name), self.plain_field(new, name))
            for name, span in self.spans.items()
            if was[span] != now[span]
        }

    def lazy_dict(self, record: R, before: LazyRecordDict | None = None) -> LazyRecordDict:
        """As `to_dict`, each field when it is first read; `before` is of a like record."""
        return LazyRecordDict(self, record, before)

    def read(self, data: object, what: str) -> R:
        """A record from plain data. Raises a DataError that lists everything that is wrong."""
        errors: list[str] = []
        record = self.new()
        if not isinstance(data, dict):
            raise DataError(what, [f"expected a table of fields, found {_kind(data)}"])
        fields = {name: f for name, f in self.fields.items() if not f.derived}
        for name in data:
            if name not in fields:
                errors.append(f"{_cut(name)}: no such field{_hint(name, fields, errors)}")
        players = data.get("players", self.seats)
        if not isinstance(players, int) or not 0 <= players <= max(self.seats, 0):
            errors.append(f"players: expected a number up to {self.seats}, found {players!r}")
            players = self.seats
        for name, f in fields.items():
            if name not in data:
                errors.append(f"{name}: missing")
            elif f.axes:
                cells = getattr(record, name)
                cells[...] = -1 if f.kind == "seat" else 0
                _read(f, data[name], f.axes, players, cells, name, errors)
            else:
                setattr(record, name, _read_cell(f, data[name], players, name, errors))
        if errors:
            raise DataError(what, errors)
        return record


class LazyRecordDict(dict[str, Any]):
    """A record in words, field by field as they are read: whoever draws a panel reads a few of many.

    What is the same in a like record, and was read there, is not made again.
    """

    def __init__(self, schema: Schema[R], record: R, before: LazyRecordDict | None) -> None:
        super().__init__()
        self._schema, self._record, self._before = schema, record, before
        self._data = bytes_of(record)

    def release_previous(self) -> LazyRecordDict:
        """From now on without the like record: else each would keep the one before it, and so all."""
        self._before = None
        return self

    def __missing__(self, name: str) -> Any:
        before, span = self._before, self._schema.spans[name]
        if before is not None and name in before and self._data[span] == before._data[span]:
            value = before[name]
        else:
            value = self._schema.plain_field(self._record, name)
        self[name] = value
        return value


def _whole_words(fields: list[tuple[str, type[np.integer], tuple[int, ...]]]) -> np.dtype[np.void]:
    """A record's dtype, its length filled up to whole 64-bit words: a search tells positions apart word by
    word.
    """
    dtype = np.dtype(fields, align=True)
    parts = dict(dtype.fields or {})
    places = {
        "names": list(parts),
        "formats": [part[0] for part in parts.values()],
        "offsets": [part[1] for part in parts.values()],
    }
    return np.dtype({**places, "itemsize": -(-dtype.itemsize // 8) * 8}, align=True)  # type: ignore[call-overload, no-any-return]


def did_you_mean(given: str, known: Iterable[object]) -> str:
    """A hint for a mistyped word, to stand at the end of an error. Very long words get no hint."""
    if len(given) > MAX_MATCHED_CHARS:
        return ""
    close = difflib.get_close_matches(given.lower(), [str(k) for k in known], n=1, cutoff=0.6)
    return f", did you mean {close[0]!r}?" if close else ""


def _hint(given: object, known: Iterable[object], errors: list[str]) -> str:
    """A hint for the first errors of many: to look for what is close takes a while."""
    return did_you_mean(str(given), known) if len(errors) < HINTED else ""


def _cut(given: object) -> str:
    """The value found, as an error shows it: shortened if long."""
    text = str(given)
    return text if len(text) <= MAX_SHOWN_CHARS else f"{text[:MAX_SHOWN_CHARS]}…"


def length_of(axis: Axis) -> int:
    """How many cells lie along an axis."""
    return axis.most if isinstance(axis, Seats | AtMost) else axis if isinstance(axis, int) else len(axis)


Plain = Callable[[Any, int], Any]  # a value out of a record, and the number of players, into plain data


def _plain(f: Field, axes: tuple[Axis, ...]) -> Plain:
    """How a field's values along these axes become plain data: found out once, and asked for after every
    action.
    """
    if not axes:
        cell = _plain_cell(f)
        return lambda value, players: cell(value)
    axis, rest = axes[0], axes[1:]
    if f.kind == "number" and not rest:  # these are what they look like
        if isinstance(axis, tuple):
            return lambda value, players: dict(zip(axis, value, strict=True))
        return (
            (lambda value, players: value[:players])
            if isinstance(axis, Seats)
            else lambda value, players: value
        )
    part = _plain(f, rest)
    if isinstance(axis, tuple):
        return lambda value, players: {
            key: part(cell, players) for key, cell in zip(axis, value, strict=True)
        }
    if isinstance(axis, Seats):
        return lambda value, players: [part(cell, players) for cell in value[:players]]
    return lambda value, players: [part(cell, players) for cell in value]


def _set_bits(bits: int) -> Iterator[int]:
    """The places of the bits that are set, from the lowest on."""
    while bits:
        yield (bits & -bits).bit_length() - 1
        bits &= bits - 1


def _plain_cell(f: Field) -> Callable[[int], Any]:
    words = f.words
    match f.kind:
        case "seat":
            return lambda value: None if value < 0 else value
        case "enum":
            return lambda value: None if value < 0 else words[value]
        case "flag":
            return bool
        case "set":
            members = words or range(f.high + 1)
            return lambda value: [member for n, member in enumerate(members) if value >> n & 1]
        case "counts":
            return lambda value: {words[kind]: how_many(value, kind) for kind in _set_bits(kinds_in(value))}
        case _:
            return lambda value: value


def _read(
    f: Field,
    data: object,
    axes: tuple[Axis, ...],
    players: int,
    out: NDArray[np.integer],
    where: str,
    errors: list[str],
) -> None:
    for i, key, part in _entries(data, axes[0], players, where, errors):
        if len(axes) > 1:
            _read(f, part, axes[1:], players, out[i], f"{where}.{key}", errors)
        else:
            out[i] = _read_cell(f, part, players, f"{where}.{key}", errors)


def _entries(
    data: object, axis: Axis, players: int, where: str, errors: list[str]
) -> Iterator[tuple[int, str, object]]:
    """The parts of a value along an axis, with their index and name; says what is missing or too much."""
    if isinstance(axis, tuple):
        if not isinstance(data, dict):
            errors.append(f"{where}: expected a value for each of {', '.join(axis)}, found {_kind(data)}")
            return
        for key in data:
            if key not in axis:
                errors.append(f"{where}.{_cut(key)}: no such entry{_hint(key, axis, errors)}")
        for i, key in enumerate(axis):
            if key in data:
                yield i, key, data[key]
            else:
                errors.append(f"{where}.{key}: missing")
        return
    length = players if isinstance(axis, Seats) else length_of(axis)
    if (
        not isinstance(data, list)
        or len(data) > length
        or (len(data) < length and not isinstance(axis, AtMost))
    ):
        found = f"{len(data)} entries" if isinstance(data, list) else _kind(data)
        at_most = "at most " if isinstance(axis, AtMost) else ""
        errors.append(f"{where}: expected a list of {at_most}{length} entries, found {found}")
        return
    for i, part in enumerate(data):
        yield i, str(i), part


def _read_cell(f: Field, value: object, players: int, where: str, errors: list[str]) -> int:
    match f.kind:
        case "flag" if isinstance(value, bool):
            return int(value)
        case "seat" if value is None:
            return -1
        case "enum" if value is None and f.low < 0:
            return -1
        case "seat" if type(value) is int and 0 <= value < players:
            return value
        case "enum" if isinstance(value, str) and value in f.words:
            return f.words.index(value)
        case "number" if type(value) is int and f.low <= value <= f.high:
            return value
        case "set" if isinstance(value, list) and all(_is_member(f, member) for member in value):
            return sum({1 << (f.words.index(member) if f.words else member) for member in value})
        case "counts":
            return _read_counts(f, value, where, errors)
    expected = {
        "flag": "true or false",
        "seat": f"a seat from 0 to {players - 1} or nothing",
        "number": f"a whole number from {f.low} to {f.high}",
        "set": f"a list of numbers from 0 to {f.high}",
    }.get(f.kind)
    if f.words:
        hint = _hint(value, f.words, errors) if isinstance(value, str) else ""
        expected = "a list out of " if f.kind == "set" else "one of "
        expected += f"{', '.join(f.words[:8])}{', …' if len(f.words) > 8 else ''}{hint}"
    errors.append(f"{where}: expected {expected}; found {_cut(repr(value))}")
    return 0


def _is_member(f: Field, member: object) -> bool:
    return member in f.words if f.words else type(member) is int and 0 <= member <= f.high


def _read_counts(f: Field, value: object, where: str, errors: list[str]) -> int:
    """Counts of words, packed; a word that is not there counts 0."""
    if not isinstance(value, dict):
        errors.append(f"{where}: expected a table of counts, found {_kind(value)}")
        return 0
    packed = 0
    for name, n in value.items():
        if name not in f.words:
            errors.append(f"{where}.{_cut(name)}: no such entry{_hint(name, f.words, errors)}")
        elif type(n) is not int or not 0 <= n <= f.high:
            found = _cut(repr(n))
            errors.append(f"{where}.{name}: expected a whole number from 0 to {f.high}; found {found}")
        else:
            packed |= pack(f.words.index(name), n)
    return packed


def _kind(value: object) -> str:
    return {
        dict: "a table",
        list: "a list",
        str: "text",
        int: "a number",
        float: "a number",
        bool: "true or false",
    }.get(type(value), "nothing")
