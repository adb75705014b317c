"""The cover."""

from comptoir.engine.words import Words


def cover(words: Words) -> str:
    return ""
