"""What has changed in a part, instead of the whole of it: a board's pieces are 20 KB, of which an action
moves a few.

A patch is a list of cuts `[place, length, text]` in the old HTML, from its start to its end: at that place,
so many characters give way to that text. Places are counted in the old HTML as JavaScript counts them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import compress, count
from operator import ne

SHORT = 2000  # characters: less is not worth a patch
# where the HTML is cut up: at groups if there are some, else at items, else at every tag
SIGNS = ("<g", "<li", "<")
SOME = 12

Cut = tuple[int, int, str]


@lru_cache(512)
def patch(old: str, new: str) -> list[Cut] | None:
    """How the old HTML becomes the new; None where sending it whole is better.

    Several people are sent the same.
    """
    if len(new) < SHORT or _has_pairs(old):
        return None
    sign = next((sign for sign in SIGNS if new.count(sign) >= SOME), "<")
    cuts = _cuts(_split(old, sign), _split(new, sign), sign)
    return cuts if sum(len(text) + 16 for _, _, text in cuts) < len(new) * 0.8 else None


@lru_cache(512)
def _split(html: str, sign: str) -> list[str]:
    """What stands between the signs; the new HTML is the next time's old."""
    return html.split(sign)


def _has_pairs(text: str) -> bool:
    """Whether there are characters that JavaScript counts as two."""
    return len(text.encode("utf-16-le", "surrogatepass")) != 2 * len(text)


def _cuts(old: list[str], new: list[str], sign: str) -> list[Cut]:
    """Piece by piece if there are as many as before; else all between the first and the last that differ."""
    if len(old) != len(new):
        start = next(compress(count(), map(ne, old, new)), min(len(old), len(new)))
        end = next(compress(count(), map(ne, reversed(old), reversed(new))), len(old))
        end = min(end, len(old) - start, len(new) - start)
        return [_cut(old, new, start, end, sign)]
    cuts, place, done = [], 0, 0
    for start, end in _runs(list(compress(count(), map(ne, old, new)))):
        gone = sign.join(old[start:end])
        place += sum(map(len, old[done:start])) + (start - done) * len(sign)
        cuts.append((place, len(gone), sign.join(new[start:end])))
        place, done = place + len(gone) + len(sign), end
    return cuts


def _runs(numbers: list[int]) -> Iterator[tuple[int, int]]:
    """Numbers in order as runs of those that follow on each other, each from its first to after its last."""
    start = 0
    for i, number in enumerate(numbers):
        if i + 1 == len(numbers) or numbers[i + 1] != number + 1:
            yield numbers[start], number + 1
            start = i + 1


def _cut(old: list[str], new: list[str], start: int, end: int, sign: str) -> Cut:
    """All but the first `start` and the last `end` pieces.

    Where none are left on one side, the next one's sign goes or comes with them.
    """
    gone, come = sign.join(old[start : len(old) - end]), sign.join(new[start : len(new) - end])
    place = len(sign.join(old[:start])) + (len(sign) if start else 0)
    if start == len(old) - end:
        return place, 0, f"{come}{sign}"
    return place, len(gone) + (len(sign) if start == len(new) - end else 0), come


def apply(old: str, cuts: list[Cut]) -> str:
    """The new HTML, as the page makes it."""
    for place, length, text in reversed(cuts):
        old = old[:place] + text + old[place + length :]
    return old
