"""What a choice says to a person: whole, in plain words, without the letters of spaces, in both languages."""

from __future__ import annotations

import random
import re
from functools import cache
from typing import Any

import pytest

import comptoir
from comptoir.engine.choice import Choice
from comptoir.engine.match import Match
from comptoir.engine.words import LANGUAGES, words_of
from comptoir.games.sail_to_india.rules import SPACES
from tests.games.sail_to_india.positions import COMPONENTS, SAIL, PositionBuilder

TABLES: list[dict[str, Any]] = [
    {"players": players, "setup": setup} for players in (3, 4) for setup in ("shuffled", "first game")
]
every_table = pytest.mark.parametrize("options", TABLES, ids=lambda o: "-".join(map(str, o.values())))
_TERMINAL = re.compile(r"\d(sea|mer|sailed|arrivé|[a-d]\b)|\d-\d|[{}\[\]_|]|None")


def offers(match: Match, lang: str) -> dict[str, Choice]:
    scene = match.scene(match.turn, words_of("sail_to_india", lang))
    return {action.text: SAIL.story.choice(scene, action) for action in scene.choices}


@cache
def played(number: int) -> Match:
    """A match at random that returns few markers, so that it gets somewhere."""
    match = comptoir.new("sail_to_india", seed=f"offer{number}", **TABLES[number])
    choice = random.Random(number)
    while match.turn is not None and match.ply < 1500:
        actions = [a for a in match.actions() if a != "recall" or choice.random() < 0.1] or match.actions()
        match.play(choice.choice(actions))
    return match


@every_table
def test_every_choice_of_a_match_is_an_offer(options: dict[str, Any]) -> None:
    """Short, different from all others, in a group that has a title, without what only a terminal reads."""
    whole = played(TABLES.index(options))
    for number in range(0, whole.ply, 3):
        match = whole.at(number)
        for lang in LANGUAGES:
            found, texts = offers(match, lang), words_of("sail_to_india", lang).texts
            assert len({offer.label for offer in found.values()}) == len(found)
            for label, effect, group, _, amount in found.values():
                assert 0 < len(label) <= 44, label
                assert len(effect) <= 60, effect
                assert f"offers.{group}" in texts
                assert not _TERMINAL.search(f"{label} {effect}")
                assert amount is None


@every_table
def test_what_gives_something_away_is_final(options: dict[str, Any]) -> None:
    """S15, S20, S55: the end of a turn, a gain given up, a chart not paid for; and nothing else."""
    whole, final = played(TABLES.index(options)), {"end turn", "decline", "no chart"}
    for number in range(0, whole.ply, 25):
        assert all(
            offer.final == (action in final) for action, offer in offers(whole.at(number), "en").items()
        )


@every_table
def test_vp_of_a_choice_are_those_that_it_brings(options: dict[str, Any]) -> None:
    """S43, S71: a building says the VP that the score then has more; a marker taken away, what it loses."""
    whole, seen = played(TABLES.index(options)), 0
    for number in range(0, whole.ply, 2):
        match = whole.at(number)
        for action, offer in offers(match, "en").items():
            if action.startswith(("build ", "refloat ")) or action.removeprefix("return ") in SPACES:
                seat, before = match.turn, match.scores()
                assert seat is not None
                after = whole.at(number)
                after.play(action)
                more = after.scores()[seat] - before[seat]
                told = re.search(r"(\d+) VP (at the end|lost)", offer.effect)
                assert more == (int(told[1]) * (1 if told[2] == "at the end" else -1) if told else 0)
                seen += 1
    assert seen


def table(**options: Any) -> PositionBuilder:
    return PositionBuilder(SAIL.interpreted, **options)


def both(arranged: PositionBuilder, action: str) -> tuple[str, ...]:
    """Label and effect in English, then in French."""
    match = comptoir.new(
        "sail_to_india", position=SAIL.to_dict(arranged.p), components=COMPONENTS, seed="offer"
    )
    english, french = (offers(match, lang)[action] for lang in LANGUAGES)
    assert english[2:] == french[2:]
    return (*english[:2], *french[:2])


def test_voyages() -> None:
    """S22, S25: where from, where to, and what there is."""
    arranged = table().towns(6).has(0, lisbon=1, wealth=2, at1=1, at6=1, land="2a")
    assert both(arranged, "sail 0-1") == (
        *("Sail from Lisbon to town 1", "goods there: gold, gems"),
        *("Naviguer de Lisbonne à la ville 1", "marchandises : or, pierres précieuses"),
    )
    assert both(arranged, "sail 1-2")[1::2] == ("goods there: sugar", "marchandises : sucre")
    assert both(arranged, "sail 6-7") == (
        *("Sail from town 6 to town 7", "discovers it: 1 VP"),
        *("Naviguer de la ville 6 à la ville 7", "la découvre : 1 PV"),
    )
    full = table().towns(6).has(0, at1=1, land="2a 2b")
    assert both(full, "sail 1-2")[1::2] == (
        "all goods there are taken",
        "toutes les marchandises y sont prises",
    )


def test_dropping_anchor() -> None:
    """S25, S34, S53: what it brings, or that it is all."""
    assert both(table().play("sail 0-1"), "anchor") == (
        *("Drop anchor", "ends this voyage"),
        *("Jeter l'ancre", "termine la navigation"),
    )
    arranged = table().towns(11).has(0, lisbon=3, vp=1, at11=1).owns(0, "port maintenance")
    arranged.play("sail 0-1", "sail 0-1", "sail 0-1", "sail 11-12")
    assert both(arranged, "anchor")[1::2] == (
        "discovers town 12: 2 VP; Port maintenance: 1 VP",
        "découvre la ville 12 : 2 PV ; Maintenance portuaire : 1 PV",
    )


def test_what_is_asked_for_comes_first_and_what_ends_it_last() -> None:
    """S22, S26, S27: a second tap in the same place sails or sells once more, it does not end that."""
    listed = [
        key.removeprefix("offers.")
        for key in words_of("sail_to_india", "en").texts
        if key.startswith("offers.")
    ]

    def order(arranged: PositionBuilder) -> list[str]:
        match = comptoir.new("sail_to_india", position=SAIL.to_dict(arranged.p), seed=1)
        found = offers(match, "en")
        return sorted(found, key=lambda action: listed.index(found[action].group))

    arranged = table().towns(6).has(0, lisbon=2, wealth=9, at1=1)
    assert order(arranged)[0] == "activate"
    arranged.play("sail 0-1")
    assert order(arranged)[0].startswith("sail ")
    assert order(arranged)[-2:] == ["anchor", "recall"]
    arranged.play("anchor")
    assert order(arranged)[0].startswith("convert ")
    sale = table().towns(6).has(0, wealth=5, land="1a 1b 3a").play("sell 1a")
    assert order(sale)[0].startswith("sell ")
    assert order(sale)[-2:] == ["close sale", "recall"]


def test_goods() -> None:
    """S26, S27, S41: a ship becomes goods; what the sale would bring, and what adds nothing to it."""
    arranged = table().towns(6).has(0, at1=1)
    assert both(arranged, "convert 1b") == (
        *("Convert a ship into gems, town 1", "1 action point, without sailing"),
        *("Convertir un navire en pierres, ville 1", "1 point d'action, sans naviguer"),
    )
    arranged.play("sail 1-2", "anchor")
    assert both(arranged, "convert 2a")[1::2] == ("free", "gratuit")
    arranged = table().towns(6).has(0, lisbon=1, wealth=1, vp=1, land="1a 1b 3a 4a 3b 2c")
    assert both(arranged, "sell 1a") == (
        *("Sell gold, town 1", "2 kinds in the sale: 2 wealth"),
        *("Vendre de l'or, ville 1", "2 sortes vendues : 2 richesses"),
    )
    assert both(arranged, "sell 3b")[1::2] == ("1 kind in the sale: 1 wealth", "1 sorte vendue : 1 richesse")
    arranged.play("sell 1a")
    assert both(arranged, "sell 4a")[1::2] == (
        "sold already: the marker just returns",
        "sorte déjà vendue : le marqueur rentre, sans gain",
    )
    assert both(arranged, "sell 3b")[1::2] == (
        "your market sells it: the marker just returns",
        "votre marché en vend déjà : le marqueur rentre, sans gain",
    )
    assert both(arranged.play("sell 1b"), "close sale") == (
        *("Close the sale", "3 kinds, 1 from your markets: 3 wealth and 1 VP"),
        *("Conclure la vente", "3 sortes, dont 1 de vos marchés : 3 richesses et 1 PV"),
    )


def test_building() -> None:
    """S28, S43, S54, S60: one way needs no more words; of several, each says what with."""
    arranged = table().towns(6).has(0, wealth=2, at3=1)
    assert both(arranged, "build 3sea-d") == (
        *("Build a gold market, town 3", "2 wealth; 1 VP at the end; with a ship"),
        *("Bâtir un marché (or), ville 3", "2 richesses ; 1 PV à la fin ; avec un navire"),
    )
    arranged = table().towns(6).has(0, wealth=2, at3=1, land="3a 3c").owns(0, "guild")
    assert both(arranged, "build 3sea-d")[::2] == (
        "Build a gold market, town 3 (ship)",
        "Bâtir un marché (or), ville 3 (navire)",
    )
    assert both(arranged, "build 3a-d") == (
        *("Build a gold market, town 3 (cloth)", "2 wealth; 3 VP at the end; with your goods there"),
        *("Bâtir un marché (or), ville 3 (tissus)", "2 richesses ; 3 PV à la fin ; avec votre marchandise"),
    )
    assert both(arranged, "build 3c-d") == (
        *("Build a gold market, town 3 (church)", "2 wealth; 1 VP at the end; moves your other building"),
        *(
            "Bâtir un marché (or), ville 3 (église)",
            "2 richesses ; 1 PV à la fin ; déplace votre autre bâtiment",
        ),
    )
    free = table().towns(6).has(0, wealth=4, at1=1).owns(0, "architecture").play("sail 1-2", "anchor")
    assert both(free.turn(0, points=0), "build 2sea-d")[1::2] == (
        "2 wealth, no action point; 1 VP at the end",
        "2 richesses, sans point d'action ; 1 PV à la fin",
    )


def test_the_same_building_twice_in_a_town() -> None:
    """S28: by where it lies, not by a letter."""
    arranged = table().towns(6).has(0, wealth=2, at6=1)
    assert both(arranged, "build 6sea-c")[::2] == (
        "Build a stronghold, town 6 (left)",
        "Bâtir une place forte, ville 6 (à gauche)",
    )
    assert both(arranged, "build 6sea-d")[0] == "Build a stronghold, town 6 (right)"


def test_technologies_and_markers() -> None:
    """S21, S29, S30, S56: what they cost, what they are good for."""
    arranged = table().towns(6).has(0, lisbon=1, wealth=4).owns(0, "metallurgy", "banking")
    assert both(arranged, "acquire renaissance") == (
        *("Acquire the Renaissance", "3 wealth: 3 VP at the end"),
        *("Acquérir le Renouveau", "3 richesses : 3 PV à la fin"),
    )
    assert both(arranged, "speed up") == (
        *("Raise your speed to 2", "2 wealth"),
        *("Passer à la vitesse 2", "2 richesses"),
    )
    assert both(arranged, "activate") == (
        *("Activate a marker", "from reserve to Lisbon, for 1 wealth"),
        *("Activer un marqueur", "de la réserve à Lisbonne, pour 1 richesse"),
    )
    assert both(arranged, "bank") == (
        *("Trade 2 wealth for 1 VP", "Banking, once a turn"),
        *("Échanger 2 richesses contre 1 PV", "Système bancaire, une fois par tour"),
    )
    assert both(arranged, "end turn") == (
        *("End turn", "gives up 2 action points"),
        *("Finir le tour", "abandonne 2 points d'action"),
    )


def test_markers_that_return_or_go_to_sea_again() -> None:
    """S31, S33, S43, S51: which one, and what is lost with it."""
    arranged = table().towns(6).has(0, wealth=2, vp=3, at2=2, land="1a 2c 1d").owns(0, "geography")
    assert both(arranged, "refloat 1a") == (
        *("Back to sea: gold, town 1", "a ship again, by Geography"),
        *("Reprendre la mer : or, ville 1", "redevient navire, par la Géographie"),
    )
    assert both(arranged, "refloat 1d")[1::2] == (
        "a ship again; 2 VP lost",
        "redevient navire ; 2 PV perdus",
    )
    arranged.play("sail 2-3", "recall")
    assert both(arranged, "return 2c") == (
        *("Return: spice market, town 2", "1 VP lost"),
        *("Ramener : marché épices, ville 2", "1 PV perdu"),
    )
    assert both(arranged, "return 2sea")[::2] == ("Return: a ship, town 2", "Ramener : un navire, ville 2")
    assert both(arranged, "return banker") == (
        *("Return: a banker", "loses 2 wealth"),
        *("Ramener : un banquier", "perd 2 richesses"),
    )
    assert both(arranged, "return historian")[1::2] == ("loses 3 VP", "perd 3 PV")


def test_gains_and_charts() -> None:
    """S10, S12, S15, S55: kept by a marker or given up; a chart that is paid for or not."""
    arranged = table().towns(6).has(0, lisbon=1, wealth=5, vp=5, land="1a 1b 2a 2b 3a 3b")
    arranged.play("sell 1a", "sell 1b", "sell 2a", "sell 2b", "sell 3a", "sell 3b", "close sale")
    assert both(arranged, "appoint") == (
        *("Appoint a historian", "a marker from Lisbon keeps 4 VP"),
        *("Nommer un historien", "un marqueur de Lisbonne garde 4 PV"),
    )
    assert both(arranged, "decline") == (
        *("Give up 4 VP", "lost for good"),
        *("Renoncer à 4 PV", "perdu pour de bon"),
    )
    chart = table().towns(6).has(0, wealth=1, vp=1, at6=1).owns(0, "cartography").play("sail 6-7", "anchor")
    assert both(chart, "chart") == (
        *("Pay for a chart", "1 VP more for 1 wealth"),
        *("Payer une carte", "1 PV de plus pour 1 richesse"),
    )
    assert both(chart, "no chart") == (
        *("Do without a chart", "keep the wealth"),
        *("Se passer de carte", "garder vos richesses"),
    )
