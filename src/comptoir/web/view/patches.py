"""What has changed in a part, instead of the whole of it: a board's pieces are 20 KB, of which an action
moves a few.

A patch is a list of cuts `[place, length, text]` in the old HTML, from its start to its end: at that place,
so many characters give way to that text. Places are counted in the old HTML as JavaScript counts them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import compress, count
from operator import ne
from typing import Self

SHORT = 2000  # characters: less is not worth a patch
# where the HTML is cut up: at groups if there are some, else at items, else at every tag
SIGNS = ("<g", "<li", "<")
SOME = 12

LONG = 300  # characters: what a cut and what it replaces have in common at their ends is looked for

Cut = tuple[int, int, str]


class Text(str):
    """HTML that is sent as changes to what was sent before. It is cut up once, for the change to it and for
    the one from it.
    """

    parts: Sequence[str] | None = None  # what it was put together from, if that is known
    _pieces: tuple[str, list[str]] = "", []
    _pairs: bool | None = None

    @classmethod
    def of(cls, parts: Sequence[str], whole: str | None = None) -> Self:
        """Parts as one text; `whole`: the text, if that is known already."""
        made = cls("".join(parts) if whole is None else whole)
        made.parts = parts
        return made

    def pieces(self, sign: str) -> list[str]:
        if self._pieces[0] != sign:
            self._pieces = sign, self.split(sign)
        return self._pieces[1]

    @property
    def sign(self) -> str:
        return self._pieces[0] or next((sign for sign in SIGNS if self.count(sign) >= SOME), SIGNS[-1])

    @property
    def has_pairs(self) -> bool:
        """Whether there are characters that JavaScript counts as two."""
        if self._pairs is None:
            self._pairs = _has_pairs(self)
        return self._pairs

    @has_pairs.setter
    def has_pairs(self, known: bool) -> None:
        self._pairs = known


def patch(old: str, new: str) -> list[Cut] | None:
    """How the old HTML becomes the new; None where sending it whole is better."""
    before, after = _text(old), _text(new)
    if len(after) < SHORT or before.has_pairs:
        return None
    cuts = _cuts(before, after)
    after.has_pairs = _has_pairs("".join(text for _, _, text in cuts))
    return cuts if sum(len(text) + 16 for _, _, text in cuts) < len(new) * 0.8 else None


def _text(html: str) -> Text:
    return html if isinstance(html, Text) else Text(html)


def _has_pairs(text: str) -> bool:
    return len(text.encode("utf-16-le", "surrogatepass")) != 2 * len(text)


def _cuts(before: Text, after: Text) -> list[Cut]:
    """By the parts of both, and by its pieces what is long of a changed one."""
    if before.parts is None or after.parts is None:
        return _cuts_by_sign(before, after)
    cuts: list[Cut] = []
    for place, gone, come in _changes(before.parts, after.parts, ""):
        if len(come) < LONG:
            cuts.append((place, len(gone), come))
        elif len(come) < SHORT:
            cuts.append(_trimmed(place, gone, come))
        else:
            cuts += ((place + start, length, text) for start, length, text in _cuts_by_sign(gone, come))
    return cuts


def _cuts_by_sign(before: str, after: str) -> list[Cut]:
    """By the pieces of both."""
    before, after = _text(before), _text(after)
    sign = after.sign
    return [
        (place, len(gone), come) if len(come) < LONG else _trimmed(place, gone, come)
        for place, gone, come in _changes(before.pieces(sign), after.pieces(sign), sign)
    ]


def _changes(old: Sequence[str], new: Sequence[str], sign: str) -> Iterator[tuple[int, str, str]]:
    """What gives way to what, at which places: piece by piece if there are as many as before; else all from
    the first change to the last.
    """
    if len(old) == len(new):
        changes = [(*run, *run) for run in _runs(list(compress(count(), map(ne, old, new))))]
    else:
        changes = [_between(old, new)]
    place, done = 0, 0
    for start, end, new_start, new_end in changes:
        place += sum(map(len, old[done:start])) + (start - done) * len(sign)
        yield place, sign.join(old[start:end]), sign.join(new[new_start:new_end])
        done = start


def _between(old: Sequence[str], new: Sequence[str]) -> tuple[int, int, int, int]:
    """Where the pieces differ, in both: all but those alike at the start and at the end."""
    most = min(len(old), len(new)) - 1  # something is left in both, so that it can be joined
    start = next(compress(count(), map(ne, old[:most], new)), most)
    end = next(compress(count(), map(ne, old[: start - most - 1 : -1], new[::-1])), most - start)
    return start, len(old) - end, start, len(new) - end


def _trimmed(place: int, gone: str, come: str) -> Cut:
    """A cut without what its two texts have in common at their ends."""
    most = min(len(gone), len(come))
    start = _alike(gone, come, most)
    end = _alike_at_end(gone, come, most - start)
    return place + start, len(gone) - start - end, come[start : len(come) - end]


def _alike(old: str, new: str, most: int) -> int:
    """How many characters both begin with: half of the rest is compared at once, then half of that."""
    known = 0
    while known < most:
        half = (known + most + 1) // 2
        if new.startswith(old[known:half], known):
            known = half
        else:
            most = half - 1
    return known


def _alike_at_end(old: str, new: str, most: int) -> int:
    """How many characters both end with, at most so many."""
    known, old_end, new_end = 0, len(old), len(new)
    while known < most:
        half = (known + most + 1) // 2
        if new.endswith(old[old_end - half : old_end - known], 0, new_end - known):
            known = half
        else:
            most = half - 1
    return known


def _runs(numbers: list[int]) -> Iterator[tuple[int, int]]:
    """Numbers in order as runs of those that follow on each other, each from its first to after its last."""
    start = 0
    for i, number in enumerate(numbers):
        if i + 1 == len(numbers) or numbers[i + 1] != number + 1:
            yield numbers[start], number + 1
            start = i + 1


def apply(old: str, cuts: list[Cut]) -> str:
    """The new HTML, as the page makes it."""
    for place, length, text in reversed(cuts):
        old = old[:place] + text + old[place + length :]
    return old
