"""What has changed in a part, instead of the whole of it: a board's pieces are 20 KB, of which an action
moves a few.

A patch is a list of cuts `[place, length, text]` in the old HTML, from its start to its end: at that place,
so many characters give way to that text. Places are counted in the old HTML as JavaScript counts them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import compress, count
from operator import ne

SHORT = 2000  # characters: less is not worth a patch
# where the HTML is cut up: at groups if there are some, else at items, else at every tag
SIGNS = ("<g", "<li", "<")
SOME = 12

Cut = tuple[int, int, str]


def patch(old: str, new: str) -> list[Cut] | None:
    """How the old HTML becomes the new; None where sending it whole is better."""
    if len(new) < SHORT or _has_pairs(old):
        return None
    start = _alike(old, new)
    end = _alike_at_end(old, new, min(len(old), len(new)) - start)
    gone, come = old[start : len(old) - end], new[start : len(new) - end]
    cuts = [(start + place, length, text) for place, length, text in _cuts(gone, come)]
    return cuts if sum(len(text) + 16 for _, _, text in cuts) < len(new) * 0.8 else None


def _alike(old: str, new: str) -> int:
    """How many characters both begin with: half of the rest is compared at once, then half of that."""
    known, most = 0, min(len(old), len(new))
    while known < most:
        half = (known + most + 1) // 2
        if new.startswith(old[known:half], known):
            known = half
        else:
            most = half - 1
    return known


def _alike_at_end(old: str, new: str, most: int) -> int:
    """How many characters both end with, at most so many."""
    known = 0
    while known < most:
        half = (known + most + 1) // 2
        if new.endswith(old[len(old) - half : len(old) - known], 0, len(new) - known):
            known = half
        else:
            most = half - 1
    return known


def _has_pairs(text: str) -> bool:
    """Whether there are characters that JavaScript counts as two."""
    return len(text.encode("utf-16-le", "surrogatepass")) != 2 * len(text)


def _cuts(gone: str, come: str) -> list[Cut]:
    """Piece by piece if there are as many as before; else all at once."""
    sign = next((sign for sign in SIGNS if come.count(sign) >= SOME), "<")
    old, new = gone.split(sign), come.split(sign)
    if len(old) != len(new):
        return [(0, len(gone), come)]
    cuts, place, done = [], 0, 0
    for start, end in _runs(list(compress(count(), map(ne, old, new)))):
        out = sign.join(old[start:end])
        place += sum(map(len, old[done:start])) + (start - done) * len(sign)
        cuts.append((place, len(out), sign.join(new[start:end])))
        place, done = place + len(out) + len(sign), end
    return cuts


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
