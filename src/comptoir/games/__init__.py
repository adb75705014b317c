"""The games: one folder each, and nothing about one game anywhere else."""

from __future__ import annotations

from pathlib import Path


def names() -> list[str]:
    """The games there are, found by their folders."""
    return sorted(path.parent.name for path in Path(__file__).parent.glob("*/components.toml"))


def folder(name: str) -> Path:
    return Path(__file__).parent / name
