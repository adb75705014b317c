"""What has changed in a part, instead of the whole of it: a board's pieces are 20 KB, of which an action moves a few.

A patch is a list of cuts `[place, length, text]` in the old HTML, from its start to its end: at that place, so many characters
give way to that text. Places are counted in the old HTML as JavaScript counts them.
"""

from __future__ import annotations

from functools import lru_cache

SHORT = 2000  # characters: less is not worth a patch

Cut = tuple[int, int, str]


@lru_cache(512)
def patch(old: str, new: str) -> list[Cut] | None:
    """How the old HTML becomes the new; None where sending it whole is better. Several people are sent the same."""
    if len(new) < SHORT or _has_pairs(old):
        return None
    cuts = _cuts(old.split("<"), new.split("<"))
    return cuts if sum(len(text) + 16 for _, _, text in cuts) < len(new) * 0.8 else None


def _has_pairs(text: str) -> bool:
    """Whether there are characters that JavaScript counts as two."""
    return len(text.encode("utf-16-le", "surrogatepass")) != 2 * len(text)


def _cuts(old: list[str], new: list[str]) -> list[Cut]:
    """Tag by tag if there are as many as before; else all between the first and the last that differ."""
    if len(old) != len(new):
        start = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
        end = 0
        while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
            end += 1
        gone, come = "<".join(old[start : len(old) - end]), "<".join(new[start : len(new) - end])
        return [_cut(len("<".join(old[:start])) + bool(start), gone, come, start == len(old) - end, start == len(new) - end)]
    cuts, place, i = [], 0, 0
    while i < len(old):
        start = i
        while i < len(old) and old[i] != new[i]:
            i += 1
        if i > start:
            gone = "<".join(old[start:i])
            cuts.append((place, len(gone), "<".join(new[start:i])))
            place += len(gone) + 1
        else:
            place += len(old[i]) + 1
            i += 1
    return cuts


def _cut(place: int, gone: str, come: str, nothing_gone: bool, nothing_come: bool) -> Cut:
    """The tags between; where there are none on one side, the sign that starts the next tag goes or comes with them."""
    if nothing_gone:
        return place, 0, f"{come}<"
    return place, len(gone) + nothing_come, come


def apply(old: str, cuts: list[Cut]) -> str:
    """The new HTML, as the page makes it."""
    for place, length, text in reversed(cuts):
        old = old[:place] + text + old[place + length :]
    return old
