"""The cover."""

from __future__ import annotations

from comptoir.art.parts import paper
from comptoir.engine.words import Words


def cover(words: Words) -> str:
    return paper(640, 440)
