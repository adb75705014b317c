"""How a match began, its turns retold, their big moments, and the score sheet: in both languages."""

from __future__ import annotations

import random
from typing import Any

import pytest

import comptoir
from comptoir.engine.interface import RuleSet
from comptoir.engine.match import Match
from comptoir.engine.recap import Recap
from comptoir.engine.words import LANGUAGES, words_of
from tests.games.marco_polo.positions import (
    DADU,
    GANZHOU,
    MARCO_POLO,
    PositionBuilder,
    cards_of,
    played,
    random_match,
)

ROW = ("green oil", "green spice", "green silk", "green fruit", "green driver")


def caravan(*hand: str, seats: tuple[int, ...] = (5, 3, 4)) -> PositionBuilder:
    """Three players; seat 0, on space 5, has these cards, and every space demands one good."""
    t = (
        PositionBuilder(MARCO_POLO.interpreted, players=3, first=0)
        .clear_cards()
        .row(*ROW)
        .give(0, *hand)
        .line_up(*seats)
    )
    for space in range(1, DADU + 1):
        t.space(space, "1 good")
    return t


def retold(t: PositionBuilder, *actions: str, seat: int | None = None) -> tuple[str, str]:
    """The turn that these actions are, in English and French."""
    match = played(t, *actions)
    english, french = (match.story.recaps(seat, lang)[0].sentence for lang in LANGUAGES)
    return english, french


# How it began


def test_the_opening_tells_who_starts_where_the_camels_stand_and_what_lies_open() -> None:
    """M3, M4: each line with its rule."""
    match = comptoir.new("marco_polo", players=3, seed=1, first=1)
    row = match.position()["row"]
    starts, camels, cards = match.story.opening()
    assert starts == "Bruno starts. [M4]"
    assert camels == "The caravan: Bruno in Ormuz, Chloé on space 1 and Anne on space 2. [M4]"
    assert cards.startswith("Open cards: ")
    assert cards.endswith(". [M3]")
    assert sum(row.values()) == 5
    assert (
        match.story.opening(0, "fr")[1]
        == "La caravane : Bruno à Ormuz, Chloé sur la case 1 et Anne sur la case 2. [M4]"
    )


def test_the_opening_for_two_names_all_four_camels() -> None:
    """M40: in the order in which they stand."""
    match = comptoir.new("marco_polo", players=2, seed=1, first=0)
    assert (
        match.story.opening()[1]
        == "The caravan: Anne in Ormuz, Bruno on space 1, Anne on space 2 and Bruno on space 3. [M4]"
    )


def test_a_match_that_begins_in_the_middle_has_no_such_beginning() -> None:
    """M4: its camels were put where they are by whoever arranged it."""
    t = (
        PositionBuilder(MARCO_POLO.interpreted, players=3, first=0)
        .clear_cards()
        .pile(rest_to=1)
        .line_up(GANZHOU, GANZHOU, 20)
    )
    t.p.scored = 1
    assert played(t).story.opening() == []


# Turns


def test_a_turn_with_a_card_only() -> None:
    """M10, M17: taken in the open, or drawn: what it is, its owner alone is told (M18)."""
    assert retold(caravan(), "take green driver") == (
        "Anne takes a green driver.",
        "Anne prend un chamelier vert.",
    )
    assert retold(caravan(), "draw", seat=1) == ("Anne draws a card.", "Anne pioche une carte.")
    match = played(caravan().pile("red spice"), "draw")
    assert [match.story.recaps(0, lang)[0].sentence for lang in LANGUAGES] == [
        "Anne draws a red spice.",
        "Anne pioche une épice rouge.",
    ]


def test_cards_laid_are_summed_up() -> None:
    """M11, M12: of several steps together, with where they led; cards alike are counted."""
    t = caravan("red oil", "red oil", "blue silk")
    assert retold(t, "lay red oil", "lay blue silk", "lay red oil", "take green oil") == (
        "Anne lays a blue silk and 2 red oil to go from space 5 to space 8 and takes a green oil.",
        "Anne pose une soie bleue et 2 huiles rouges pour aller de la case 5 à la case 8 et prend une huile verte.",
    )


def test_many_cards_are_summed_up_by_what_they_show() -> None:
    """M11: six kinds would make too long a list."""
    cards = ("red oil", "blue oil", "yellow silk", "red fruit", "violet fruit", "blue spice")
    assert retold(caravan(*cards), *(f"lay {card}" for card in cards), "draw") == (
        "Anne lays 2 oil, a spice, a silk and 2 fruit to go from space 5 to space 11 and draws a card.",
        "Anne pose 2 huiles, une épice, une soie et 2 fruits pour aller de la case 5 à la case 11 et pioche une carte.",
    )


def test_lightening_alone_and_with_cards() -> None:
    """M15: the gold is named."""
    t = caravan("red oil", seats=(0, 3, 7))
    assert retold(t, "lighten", "draw") == (
        "Anne lightens the load by 1 gold to go from Ormuz to space 1 and draws a card.",
        "Anne se déleste de 1 pièce d'or pour aller d'Ormuz à la case 1 et pioche une carte.",
    )
    assert retold(t, "lay red oil", "lighten", "draw") == (
        "Anne pays a red oil and 1 gold to go from Ormuz to space 2 and draws a card.",
        "Anne paie une huile rouge et 1 pièce d'or pour aller d'Ormuz à la case 2 et pioche une carte.",
    )


def test_chests_are_told_with_their_gold() -> None:
    """M14: one, or several together."""
    t = caravan("red oil", "red silk").space(6, "1 good", 2)
    assert (
        retold(t, "lay red oil", "draw")[0]
        == "Anne lays a red oil to go from space 5 to space 6, wins a chest of 2 gold and draws a card."
    )
    t.space(7, "1 good", 1)
    assert retold(t, "lay red oil", "lay red silk", "draw") == (
        "Anne lays a red oil and a red silk to go from space 5 to space 7, wins 2 chests with 3 gold in all and draws a card.",
        "Anne pose une huile rouge et une soie rouge pour aller de la case 5 à la case 7, "
        "gagne 2 caisses avec 3 pièces d'or en tout et pioche une carte.",
    )


def test_two_camels_are_told_apart_by_where_they_go() -> None:
    """M40, M41: each once, however often the player has changed between them."""
    t = (
        PositionBuilder(MARCO_POLO.interpreted, players=2, first=0, two_players="strategic")
        .clear_cards()
        .row(*ROW)
    )
    t.give(0, "red oil", "blue silk", "red fruit").at(seat0=(5, 8), seat1=(3, 4)).turn(0)
    for space in (6, 7, 9):
        t.space(space, "1 good")
    actions = (
        "first camel",
        "lay red oil",
        "second camel",
        "lay blue silk",
        "first camel",
        "lay red fruit",
        "draw",
    )
    assert retold(t, *actions)[0] == (
        "Anne lays a red oil and a red fruit to go from space 5 to space 7, "
        "lays a blue silk to go from space 8 to space 9 and draws a card."
    )


def test_who_finds_no_card_passes() -> None:
    """M17: which is told only of whoever has not moved either."""
    t = (
        PositionBuilder(MARCO_POLO.interpreted, players=3, first=0)
        .clear_cards()
        .pile(rest_to=1)
        .line_up(4, 9, 3)
    )
    assert retold(t, "pass") == (
        "Anne passes: there is no card to draw.",
        "Anne passe : il n'y a aucune carte à piocher.",
    )
    assert (
        retold(t, "lighten", "pass")[0] == "Anne lightens the load by 1 gold to go from space 4 to space 5."
    )


# Big moments


def moment(recap: Recap) -> tuple[str, str]:
    (only,) = recap.highlights
    return only.kind, only.text


def test_ganzhou_is_a_moment_with_who_got_what() -> None:
    """M20, M21: told with the turn that brought it about."""
    t = caravan("red oil", seats=(GANZHOU - 1, GANZHOU - 4, 4))
    match = played(t, "lay red oil", "draw")
    assert (
        match.story.recaps()[0].sentence
        == f"Anne lays a red oil to go from space {GANZHOU - 1} to Ganzhou and draws a card."
    )
    assert moment(match.story.recaps()[0]) == (
        "ganzhou",
        "Anne is the first in Ganzhou. First scoring: 6 gold for Anne and 2 gold for Bruno.",
    )
    assert (
        moment(match.story.recaps(lang="fr")[0])[1]
        == "Anne arrive en tête à Ganzhou. Décompte intermédiaire : 6 pièces d'or pour Anne et 2 pièces d'or pour Bruno."
    )


def test_a_straggler_is_told_to_have_come_to_ganzhou() -> None:
    """M23: which is no big moment any more."""
    t = caravan("red oil", seats=(GANZHOU - 6, 20, 21))
    t.p.scored = 1
    match = played(t, "lay red oil", "draw")
    assert (
        match.story.recaps()[0].sentence
        == f"Anne lays a red oil to go from space {GANZHOU - 6} to Ganzhou and draws a card."
    )
    assert match.story.recaps()[0].highlights == ()


def test_dadu_is_a_moment_and_ends_the_game() -> None:
    """M30: the most gold first."""
    t = caravan("red oil", seats=(DADU - 1, 24, 27))
    t.p.scored = 1
    match = played(t, "lay red oil")
    assert match.story.recaps()[0].sentence == f"Anne lays a red oil to go from space {DADU - 1} to Dadu."
    assert moment(match.story.recaps()[0]) == (
        "dadu",
        "Anne reaches Dadu, and the game ends. Last scoring: 7 gold for Anne, 5 gold for Chloé and 2 gold for Bruno.",
    )
    assert moment(match.story.recaps(lang="fr")[0])[1].startswith(
        "Anne atteint Dadu, et la partie est finie. Décompte final : 7 pièces d'or pour Anne,"
    )


def test_a_deadlock_and_ten_rounds_of_passing_are_moments() -> None:
    """M32: nothing for anyone, where no camel is near Dadu."""
    t = (
        PositionBuilder(MARCO_POLO.interpreted, players=3, first=0)
        .clear_cards()
        .pile(rest_to=1)
        .line_up(4, 9, 3)
        .gold(0, 0, 0)
    )
    match = played(t, *["pass"] * 30)
    assert match.story.recaps()[-1].sentence == "Chloé passes: there is no card to draw."
    assert moment(match.story.recaps()[-1]) == (
        "stillness",
        "For 10 rounds everyone has passed: the game ends. Last scoring: nothing for anyone.",
    )
    kind, text = moment(played(hoarded().row("red oil"), "take red oil").story.recaps(lang="fr")[-1])
    assert (kind, text.split(" : ")[0]) == (
        "deadlock",
        "Il ne reste aucune carte à piocher, et personne ne peut avancer",
    )


def hoarded() -> PositionBuilder:
    """Only a red oil card is not in a hand yet, and nobody has one of each colour, which all spaces
    demand.
    """
    t = (
        PositionBuilder(MARCO_POLO.interpreted, players=3, first=0)
        .clear_cards()
        .line_up(4, 9, 3)
        .gold(0, 0, 0)
    )
    for space in range(1, DADU + 1):
        t.space(space, "one of each colour")
    cards = cards_of(t.p.pile)
    cards.remove("red oil")
    for card in cards:
        t.give(int(card.startswith("blue")), card)
    return t


def test_a_card_that_ends_the_game_is_told_to_its_owner_alone() -> None:
    """M18, M32: though all hands are open once it is over, the turn is retold as it was seen."""
    match = played(hoarded().discard("red oil"), "draw")
    assert match.over
    assert [match.story.recaps(seat)[0].sentence for seat in (0, 1, None)] == [
        "Anne draws a red oil.",
        *["Anne draws a card."] * 2,
    ]
    assert match.story.log(1)[0] == "Anne draws a card from the pile. [M17]"


# The score sheet


def test_gold_is_told_by_where_it_came_from(ruleset: RuleSet) -> None:
    """M2, M14, M15, M21, M30: the start, a chest, lightening, the first scoring, and the last places as they
    stand.
    """
    t = (
        PositionBuilder(ruleset, players=3, first=0)
        .clear_cards()
        .row(*ROW)
        .give(0, "red oil", "blue oil", "red silk")
    )
    t.space(GANZHOU - 1, "1 good", 2).space(GANZHOU, "1 good").line_up(GANZHOU - 2, GANZHOU - 4, GANZHOU - 6)
    t.lay("red oil", "blue oil").play("draw").play("draw", "lighten", "draw")
    assert t.sheet() == {
        "start": [3, 3, 3],
        "chests": [2, 0, 0],
        "ganzhou": [6, 2, 0],
        "lightening": [0, 0, -1],
        "dadu": [0, 0, 0],
    }
    t.at(seat0=DADU - 1, seat1=DADU - 6)
    assert t.sheet()["dadu"] == [6, 1, 0]
    assert [row[0] for row in t.scores()] == [3 + 2 + 6 + 6, 3 + 2 + 1, 3 - 1]


@pytest.mark.parametrize(
    "options", [{"players": 2}, {"players": 2, "two_players": "strategic"}, {"players": 3}, {"players": 5}]
)
def test_a_sheet_adds_up_to_the_gold_in_every_position(
    ruleset: RuleSet, mode: str, options: dict[str, Any]
) -> None:
    """M14, M15, M21, M30: and with the last places to the scores."""
    for n, (t, _) in enumerate(random_match(ruleset, "sheet", **options)):
        if mode == "compiled" or n % 10 == 0 or t.p.turn < 0:
            sheet = t.sheet()
            assert [sum(seat) for seat in zip(*sheet.values(), strict=True)] == [row[0] for row in t.scores()]
            now = [sum(seat) for *seat, _ in zip(*sheet.values(), strict=True)]
            assert now == [int(gold) for gold in t.p.gold[: t.players]]


@pytest.mark.parametrize("field", ["gold", "chests", "ganzhou", "spent"])
def test_gold_that_does_not_add_up_is_refused(field: str) -> None:
    """M2, M14, M15, M21: in a position that comes in as data."""
    t = caravan()
    t.p[field][1] += 1
    with pytest.raises(
        comptoir.DataError, match=r"gold: not what a seat began with, got from chests .* seat 1"
    ):
        played(t)


def test_gold_of_a_scoring_that_has_not_been_is_refused() -> None:
    """M21: in a position that comes in as data."""
    t = caravan()
    t.p.gold[1] += 2
    t.p.ganzhou[1] += 2
    with pytest.raises(
        comptoir.DataError, match="ganzhou: no gold of the first scoring before it has taken place: seat 1"
    ):
        played(t)


def test_the_foremost_camel_decides_and_is_told_to() -> None:
    """M31: in both languages, of one winner or several."""
    t = caravan("red oil", seats=(DADU - 1, 25, 24)).gold(0, 6, 7)
    t.p.scored = 1
    sheet = played(t, "lay red oil").score_sheet()
    assert (sheet.totals, sheet.winners, sheet.decided) == ([7, 9, 9], [1], "foremost")
    said = [words_of("marco_polo", lang) for lang in LANGUAGES]
    assert [words.say("decided.foremost", name="Bruno", n=1) for words in said] == [
        "Bruno has the foremost camel.",
        "Bruno a le chameau le plus avancé.",
    ]
    assert (
        said[0].say("decided.foremost", name="Anne & Bruno", n=2) == "Anne & Bruno have the foremost camels."
    )


def finished(players: int, seed: int) -> Match:
    match, chance = comptoir.new("marco_polo", players=players, seed=seed), random.Random(seed)
    while not match.over:
        match.play(chance.choice(match.actions()))
    return match


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_every_turn_of_a_match_is_retold_in_a_sentence(players: int) -> None:
    """M10: beginning with who it was, without a rule's number; and all seats read the same, but for their own
    cards (M18).
    """
    match = finished(players, players)
    for lang in LANGUAGES:
        by_seat = [match.story.recaps(seat, lang) for seat in (None, 0)]
        for spectator, own in zip(*by_seat, strict=True):
            assert spectator.seat is not None
            assert spectator.sentence.startswith(f"{match.names[spectator.seat]} ")
            assert spectator.sentence.endswith(".")
            assert "[" not in spectator.sentence
            assert spectator.sentence == own.sentence or spectator.seat == 0
        kinds = [moment.kind for recap in by_seat[0] for moment in recap.highlights]
        assert kinds[-1] == match.ending
