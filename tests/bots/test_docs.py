"""What docs/bots.md and docs/bot-protocol.md show is what happens."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import comptoir
from comptoir.bots.external import MAX_LINE_BYTES, ExternalBot, Pipes
from comptoir.bots.levels import LEVELS
from comptoir.bots.passer_by import PasserBy
from comptoir.bots.seated import SeatedBot
from comptoir.engine.words import words_of

ROOT = Path(__file__).parents[2]
TEXT = "".join((ROOT / "docs" / page).read_text(encoding="utf-8") for page in ("bots.md", "bot-protocol.md"))


def blocks(start: str) -> list[str]:
    return [block for block in re.findall(r"```\w*\n(.*?)```", TEXT, re.DOTALL) if block.startswith(start)]


def test_the_ten_lines_are_a_bot_and_the_example_too(tmp_path: Path) -> None:
    [source] = blocks("from comptoir.bots")
    assert len(source.splitlines()) <= 10
    (tmp_path / "mine.py").write_text(source, encoding="utf-8")
    for spec in (f"{tmp_path}/mine.py:Eager", f"{ROOT}/examples/eager.py:Eager"):
        match = comptoir.new("batavia", players=3, seed=7, first=2)
        with SeatedBot(spec, match, 0, "seed") as chair:
            assert chair.choose() == "bid 15"
        assert chair.report is None


def test_the_transcript_is_what_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    exchange, send = ExternalBot.exchange, Pipes.send

    async def hear(self: ExternalBot, message: bytes, limit: float) -> bytes:
        answer = await exchange(self, message, limit)
        said.append(f"← {answer.decode().rstrip()}")
        return answer

    def hear_us(self: Pipes, message: bytes) -> None:
        said.append(f"→ {message.decode().rstrip()}")
        send(self, message)

    monkeypatch.setattr(ExternalBot, "exchange", hear)
    monkeypatch.setattr(Pipes, "send", hear_us)
    match = comptoir.new("batavia", players=3, seed=7, first=2)
    others = PasserBy(match.game, match.components, "others")
    with SeatedBot(f"exec {ROOT}/examples/steady", match, 0, "x1") as chair:
        while match.turn is not None:
            match.play(chair.choose() if match.turn == 0 else others.choose(match.view(match.turn)))
    [transcript] = blocks("→ hello")
    shown = transcript.splitlines()
    for line, pattern in zip([*said[:4], said[-1]], shown, strict=True):
        assert re.fullmatch(".*".join(re.escape(part) for part in pattern.split("…")), line), line
    assert len(max(said, key=len)) < MAX_LINE_BYTES


def test_the_levels_are_those_there_are() -> None:
    english, french = words_of(None, "en", packages=("bots",)), words_of(None, "fr", packages=("bots",))
    row = r"^\| `(\S+)` \| `(\S+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$"
    rows: list[Any] = re.findall(row, TEXT, re.MULTILINE)
    assert [row[0] for row in rows] == list(LEVELS)

    def amount(iterations: int, trees: int) -> str:
        return f"{english.number(iterations)}{f' in {trees} trees' * (trees > 1)}" if iterations else "–"

    for name, french_name, iterations, without_network, character in rows:
        level = LEVELS[name]
        assert french_name == french.say(f"levels.{name}")
        assert iterations == amount(level.iterations, level.trees)
        assert without_network == amount(level.without_network or level.iterations, level.trees)
        said = english.say(f"bots.{name}").rstrip(".")
        assert character == said[0].lower() + said[1:]
