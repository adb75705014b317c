"""Batavia's cover."""

from __future__ import annotations

from comptoir.engine.words import Words


def cover(words: Words) -> str:
    return ""
