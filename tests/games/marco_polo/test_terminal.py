"""The table as text and the log, in both languages."""

from __future__ import annotations

import io
import random

import pytest
from rich.console import Console

import comptoir
from comptoir.engine.match import Match
from comptoir.engine.notation import parse
from comptoir.engine.words import LANGUAGES, words_of
from tests.games.marco_polo.positions import GANZHOU, MARCO_POLO, PositionBuilder, played


def shown(match: Match, seat: int | None, lang: str, width: int = 80) -> str:
    """The table as a seat sees it."""
    console = Console(file=io.StringIO(), width=width)
    console.print(MARCO_POLO.terminal.draw(match.scene(seat, words_of("marco_polo", lang))))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.slow
@pytest.mark.no_cover
@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_the_table_fits_80_columns_all_through_a_match(players: int, lang: str) -> None:
    """M18: and shows every choice with what it does, to the seat that decides."""
    match, chance, words = (
        comptoir.new("marco_polo", players=players, seed=players),
        random.Random(players),
        words_of("marco_polo", lang),
    )
    while not match.over:
        if match.ply % 7 == 0:
            text = shown(match, match.turn, lang)
            assert max(len(line) for line in text.splitlines()) <= 80
            assert all(f"{n:>2} " in text for n in range(30))
            scene = match.scene(match.turn, words)
            assert MARCO_POLO.story.prompt(scene).startswith(match.names[match.turn or 0])
            assert all(MARCO_POLO.story.effect(scene, action) for action in scene.choices)
        match.play(chance.choice(match.actions()))
    assert "◈" not in "".join(line for line in shown(match, None, lang).splitlines() if " 28 " in line)


def test_a_spectator_sees_no_hand() -> None:
    """M18: the seat that decides sees its own."""
    match = comptoir.new("marco_polo", seed=3, first=0)
    assert "Hand (Anne)" in shown(match, 0, "en")
    assert "Hand (" not in shown(match, None, "en")


def test_a_step_and_a_chest_are_told() -> None:
    """M11, M14, M17: card by card, then where the camel has got to."""
    t = (
        PositionBuilder(MARCO_POLO.interpreted, players=3, first=0)
        .clear_cards()
        .space(6, "2 identical goods", chest=2)
    )
    t.give(0, "red oil", "blue oil").row(
        "green oil", "green silk", "green fruit", "green spice", "green driver"
    ).line_up(5, 3, 4)
    match = played(t, "lay red oil", "lay blue oil", "take green oil")
    assert match.story.log(1)[:5] == [
        "Anne lays a red oil. [M11]",
        "Anne lays a blue oil. [M11]",
        "Anne's camel goes on to space 6. [M11]",
        "Anne wins the chest there: 2 gold. [M14]",
        "Anne takes a green oil from the open cards. [M17]",
    ]
    assert match.story.log(1)[5].startswith("New among the open cards: ")


def test_a_card_drawn_is_told_to_its_owner_alone() -> None:
    """M17, M18: the others read that one was drawn."""
    match = comptoir.new("marco_polo", seed=3, first=0)
    match.play("draw")
    assert match.story.log(1) == match.story.log(None) == ["Anne draws a card from the pile. [M17]"]
    assert match.story.log(0)[0] != match.story.log(1)[0]


def test_the_scoring_at_ganzhou_is_told() -> None:
    """M20, M21, M22: who gets what."""
    t = (
        PositionBuilder(MARCO_POLO.interpreted, players=3, first=0)
        .clear_cards()
        .space(GANZHOU, "1 good")
        .give(0, "red oil")
    )
    t.row("green oil", "green silk", "green fruit", "green spice", "green driver").line_up(
        GANZHOU - 1, GANZHOU - 4, 4
    )
    log = played(t, "lay red oil", "draw").story.log()
    assert "Anne's camel is the first in Ganzhou and stops there. [M20]" in log
    assert log[-2:] == [
        "First scoring: 6 gold for Anne and 2 gold for Bruno. [M21]",
        "All camels on the scoring spaces go to Ganzhou. [M22]",
    ]


def test_a_shuffle_a_straggler_and_lightening_are_told() -> None:
    """M15, M17, M23: in words."""
    t = (
        PositionBuilder(MARCO_POLO.interpreted, players=3, first=0)
        .clear_cards()
        .discard("red oil")
        .pile(rest_to=1)
    )
    t.line_up(GANZHOU - 6, 20, 21)
    t.p.scored = 1
    log = played(t, "lighten", "draw").story.log(0)
    assert log == [
        "Anne lightens the load by 1 gold. [M15]",
        "Anne's camel has caught up: it goes to Ganzhou, for no gold. [M23]",
        "Anne draws a red oil from the pile. [M17]",
        "The discards are shuffled into a new pile. [M17]",
    ]


def test_the_end_is_told_with_the_last_gold() -> None:
    """M30, M40: of both camels together."""
    t = (
        PositionBuilder(MARCO_POLO.interpreted, players=2, first=0)
        .clear_cards()
        .space(29, "1 good")
        .give(0, "red oil")
    )
    t.row("green oil", "green silk", "green fruit", "green spice", "green driver").at(
        seat0=(28, 24), seat1=(25, 20)
    ).turn(0)
    t.p.scored = 1
    match = played(t, "first camel", "lay red oil")
    assert match.story.log()[0] == "Anne chooses the camel on space 28. [M40]"
    assert match.story.log()[-2:] == [
        "Anne reaches Dadu! [M30]",
        "The journey is over. Last scoring: 9 gold for Anne and 3 gold for Bruno. [M30]",
    ]


@pytest.mark.parametrize(
    ("typed", "lang", "actions"),
    [
        ("lay red oil blue oil", "en", ["lay red oil", "lay blue oil"]),
        ("l red o blue o", "en", None),
        ("poser huile rouge huile bleue", "fr", ["lay red oil", "lay blue oil"]),
        ("poser épices vertes épices v", "fr", None),
        ("prendre fruits verts", "fr", ["take green fruit"]),
        ("prendre chamelier j", "fr", ["take yellow driver"]),
        ("second chameau", "fr", ["second camel"]),
        ("delester", "fr", ["lighten"]),
    ],
)
def test_what_people_may_type(typed: str, lang: str, actions: list[str] | None) -> None:
    """M11: cards have names of two words, and several may be laid at once."""
    if actions is None:
        with pytest.raises(comptoir.UnknownAction):
            parse(MARCO_POLO, typed, lang)
    else:
        assert parse(MARCO_POLO, typed, lang) == actions
