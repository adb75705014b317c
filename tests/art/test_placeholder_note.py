"""Boards say that figures are provisional, and what is, as long as components are placeholders."""

from __future__ import annotations

import copy

import pytest

from comptoir import new
from comptoir.art.shapes import escape
from comptoir.engine.game import get_game
from comptoir.engine.words import LANGUAGES, words_of

NOTES = {"en": "Provisional figures", "fr": "Chiffres provisoires"}


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", ["century", "marco_polo"])
@pytest.mark.parametrize("layout", ["wide", "tall"])
def test_a_board_says_what_is_provisional(name: str, lang: str, layout: str) -> None:
    g, words = get_game(name), words_of(name, lang)
    match = new(name, seed=1)
    chart = g.board.chart(match.scene_at(0, None, words).with_words(words, layout))
    assert chart.count(NOTES[lang]) == 1
    assert g.components.placeholders
    for table in g.components.placeholders:
        assert escape(words.say(f"placeholders.{table}")) in chart


def test_with_the_printed_figures_nothing_is_said() -> None:
    tables = copy.deepcopy(get_game("century").components.tables)
    for table in tables.values():
        table["certainty"] = "published"
    match = new("century", seed=1, components=tables)
    scene = match.scene_at(0, None, words_of("century", "en"))
    assert NOTES["en"] not in match.game.board.chart(scene)
