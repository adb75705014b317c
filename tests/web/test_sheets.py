"""The score sheet on pages: every source in words, what is not known, what decided."""

from __future__ import annotations

import random

import pytest

from comptoir.engine.match import Match
from comptoir.engine.score_sheet import ScoreSheet
from comptoir.engine.words import LANGUAGES
from comptoir.web.domain.match_files import import_match
from comptoir.web.domain.perspective import EVERYTHING, SPECTATOR
from comptoir.web.domain.state import Table
from comptoir.web.page_words import page_words
from comptoir.web.view.page_parts import parts
from comptoir.web.view.presenter import TablePresenter
from comptoir.web.view.replays import frame
from comptoir.web.view.sheets import shown
from comptoir.web.view.table_view import Viewer, view_table
from tests.web.app_harness import play_on, table_of

NAMES = ["Anne", "Bruno"]


def test_what_nobody_has_is_left_out_and_what_is_hidden_is_asked() -> None:
    points: dict[str, list[int | None]] = {
        "chests": [3, -2],
        "ganzhou": [0, 0],
        "dadu": [None, 4],
        "start": [0, 1],
    }
    sheet = shown(ScoreSheet(points, {"foremost": [1, 2]}, [], None), NAMES, page_words("marco_polo", "en"))
    assert [(row.name, *row.entries) for row in sheet.rows] == [
        ("Chests on the way", "3", "−2"),
        ("Dadu", "?", "4"),
        ("First chest", "–", "1"),
        ("Total", "3 + ?", "3"),
    ]
    assert sheet.tie == ""
    assert not any(column.winner for column in sheet.columns)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_tie_break_that_decided(lang: str) -> None:
    tie_breaks = {"india": [0, 0], "wealth": [2, 5], "history": [9, 1]}
    sheet = shown(
        ScoreSheet({"markets": [7, 7]}, tie_breaks, [1], "wealth"), NAMES, page_words("sail_to_india", lang)
    )
    assert [row.entries for row in sheet.rows if row.kind == "tie-break"] == [("0", "0"), ("2", "5")]
    assert {"en": "Bruno has more wealth.", "fr": "Bruno a plus de richesses."}[lang] in sheet.tie
    assert [column.winner for column in sheet.columns] == [False, True]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", ["batavia", "century", "marco_polo", "sail_to_india"])
def test_at_the_end_of_every_game(name: str, lang: str) -> None:
    table = play_on(table_of(name, [("me", "Anne"), "clerk", "clerk"], seed="1"), 10_000, random.Random(3))
    presenter = TablePresenter(table)
    made = parts(view_table(presenter, Viewer("me", 0, lang)), presenter)["notice"]
    match = table.match
    assert match is not None
    assert match.over
    for source, row in match.score_sheet().points.items():
        assert (page_words(name, lang).say(f"sources.{source}") in made) == any(row)
    total = made[made.index('class="total"') :]
    assert all(f">{n}</td>" in total for n in match.scores())


def test_a_replay_shows_what_its_side_may_know() -> None:
    match = Match("batavia", players=3, seed="1")
    chance = random.Random(1)
    while not match.over:
        match.play(chance.choice(match.actions()))
    table, middle = import_match(match, "me", 1.0)[0], match.ply // 2
    hidden = {side: rows_of(table, middle, side) for side in (EVERYTHING, 0, SPECTATOR)}
    expected = match.at(middle).score_sheet_for(0)
    assert not any("?" in entry for row in hidden[EVERYTHING] for entry in row)
    assert any("?" in entry for row in hidden[SPECTATOR] for entry in row)
    assert hidden[0][-1] == tuple(
        f"{n}" if known else f"{n} + ?" for n, known in zip(expected.totals, expected.complete, strict=True)
    )
    assert "?" not in "".join(entry for row in rows_of(table, match.ply, SPECTATOR) for entry in row)


def rows_of(table: Table, at: int, side: int | str) -> list[tuple[str, ...]]:
    sheet = frame(TablePresenter(table), at, side, "en", "wide").sheet
    assert sheet is not None
    return [row.entries for row in sheet.rows]
