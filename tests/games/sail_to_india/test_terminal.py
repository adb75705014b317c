"""The table as text."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from comptoir.engine.match import Match
from comptoir.engine.words import LANGUAGES, words_of
from tests.games.sail_to_india.positions import COMPONENTS, SAIL, PositionBuilder


def drawn(arranged: PositionBuilder, lang: str = "en", width: int = 80) -> list[str]:
    """The lines of the table in a terminal of the usual width."""
    match = Match("sail_to_india", position=SAIL.to_dict(arranged.p), components=COMPONENTS)
    out = StringIO()
    console = Console(width=width, file=out)
    console.print(SAIL.terminal.draw(match.scene(None, words_of("sail_to_india", lang))))
    return [line.rstrip() for line in out.getvalue().splitlines()]


def test_the_vp_of_a_seat_are_those_of_the_rules() -> None:
    """S40, S42, S58, S59, S71: the column of VP is what the score sheet sums to, and the next one the History
    card's part of it.
    """
    arranged = (
        PositionBuilder(SAIL.interpreted)
        .towns(6)
        .has(0, vp=4, land="1c 1d")
        .owns(0, "renaissance", "evangelisation")
    )
    lines = drawn(arranged)
    header, row = next((line, lines[n + 1]) for n, line in enumerate(lines) if "Seat" in line)
    assert header.split() == ["Seat", "VP", "History", "Wealth", "Speed", "Lisbon", "Reserve", "Scientists"]
    assert row.split()[-7:-5] == [str(arranged.points()[0]), "4"] == ["12", "4"]


def test_the_coast() -> None:
    """S2, S22: who lies where; of the face-down towns only the next, the last, and how many lie between."""
    lines = drawn(PositionBuilder(SAIL.interpreted).towns(6).has(1, lisbon=5, at2=2, land="1a"))
    (one,) = (line for line in lines if line.startswith("│  1 "))
    assert all(cell in one for cell in ("■ gold", "□ gems", "□ stronghold"))
    assert next(line for line in lines if line.startswith("│  2 ")).rstrip(" │").endswith("■■")
    assert any("Lisbon" in line and "■×5" in line for line in lines)
    assert [line[2:7].strip() for line in lines if "▒▒" in line] == ["7", "8–11", "12"]
    assert any("12" in line and "India" in line for line in lines)


@pytest.mark.parametrize(("players", "last"), [(3, 9), (4, 12)])
def test_the_last_town_is_india(players: int, last: int) -> None:
    """S2: the ninth with three players, and then the towns out of the game are shown."""
    lines = drawn(PositionBuilder(SAIL.interpreted, players=players).towns(3), "fr")
    assert any(line.startswith(f"│ {last:>2} ") and "les Indes" in line for line in lines)
    assert any("Hors de cette partie" in line for line in lines) == (players == 3)


def test_last_turns_and_the_end_are_shown() -> None:
    """S70: while they last, and not before or after."""
    arranged = PositionBuilder(SAIL.interpreted).towns(6)
    assert "last turns!" not in drawn(arranged)[0]
    arranged.has(1, lisbon=9).has(0, lisbon=7, wealth=1).play("activate")
    assert "last turns!" in drawn(arranged)[0]
    arranged.play("end turn", "end turn", "end turn", "end turn")
    assert "last turns!" not in drawn(arranged)[0]
    assert "action point" not in drawn(arranged)[0]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("players", [3, 4])
def test_it_fits_in_eighty_columns(lang: str, players: int) -> None:
    """As wide as the usual terminal, and not a line more than with all the room there is, but for the boxed
    towns.
    """
    arranged = PositionBuilder(SAIL.interpreted, players=players).towns(6)
    narrow, wide = (drawn(arranged, lang, width) for width in (80, 200))
    assert all(len(line) <= 80 for line in narrow)
    assert len(narrow) - len(wide) <= (2 if players == 3 else 0)
