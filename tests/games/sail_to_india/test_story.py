"""What is told of a match: how it began, the log, the turns retold, prompts, and what choices would do."""

from __future__ import annotations

import random
import re
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import pytest

import comptoir
from comptoir.engine.match import Match, replay
from comptoir.engine.recap import Recap
from comptoir.engine.words import LANGUAGES, words_of
from comptoir.games.sail_to_india import rules
from comptoir.games.sail_to_india.story import opening
from tests.games.sail_to_india.positions import COMPONENTS, SAIL, PositionBuilder

if TYPE_CHECKING:
    from comptoir.games.sail_to_india.records import Scene

NAMES = ["Yusuf", "Anne", "Bo", "Chloé"]


def table(**options: Any) -> PositionBuilder:
    """Seat 0 to play."""
    return PositionBuilder(SAIL.interpreted, **options)


def match_of(arranged: PositionBuilder, *actions: str) -> Match:
    assert arranged.sound()
    match = Match(
        "sail_to_india",
        position=SAIL.to_dict(arranged.p),
        components=COMPONENTS,
        names=NAMES[: arranged.players],
        seed="told",
    )
    return replay(match, actions)


def retold(arranged: PositionBuilder, *actions: str, lang: str = "en") -> Recap:
    """The first turn that these actions, with `end turn`, make up."""
    return match_of(arranged, *actions, "end turn").story.recaps(lang=lang)[0]


def lines(arranged: PositionBuilder, *actions: str, lang: str = "en") -> list[str]:
    return match_of(arranged, *actions).story.log(lang=lang)


def effect(arranged: PositionBuilder, action: str, lang: str = "en") -> str:
    match = match_of(arranged)
    assert action in match.actions()
    return SAIL.story.effect(match.scene(match.turn, words_of("sail_to_india", lang)), SAIL.decode(action))


def prompt(arranged: PositionBuilder, lang: str = "en") -> str:
    match = match_of(arranged)
    return SAIL.story.prompt(match.scene(match.turn, words_of("sail_to_india", lang)))


# A turn in one sentence


def test_a_discovery_and_a_sale() -> None:
    """S22, S25, S27: ships are summed up, the town is `it`, and what it all brought is said."""
    arranged = table().towns(4).has(0, lisbon=1, wealth=1, vp=1, land="1a 3b", at4=2)
    turn = "sail 4-5", "sail 4-5", "anchor", "sell 1a", "sell 3b", "close sale"
    assert (
        retold(arranged, *turn).sentence
        == "Yusuf sails 2 ships to town 5, discovers it (1 VP) and sells gold and spice for 2 wealth."
    )
    french = retold(arranged, *turn, lang="fr").sentence
    assert (
        french
        == "Yusuf envoie 2 navires à la ville 5, la découvre (1 PV) et vend de l'or et des épices pour 2 richesses."
    )


def test_ships_to_several_towns_and_goods_in_several() -> None:
    """S22, S26: so many to each, the nearest first; goods by their towns."""
    arranged = table().towns(4).has(0, lisbon=3, at3=1, at2=1)
    said = retold(
        arranged,
        "sail 3-4",
        "sail 0-1",
        "sail 0-1",
        "sail 0-1",
        "anchor",
        "convert 4a",
        "convert 1b",
        "convert 1a",
    ).sentence
    assert (
        said
        == "Yusuf sails 4 ships (3 to town 1, 1 to town 4) and turns 3 ships into goods (gems and gold in town 1, gold in town 4)."
    )


def test_a_ship_that_sails_twice_is_told_once() -> None:
    """S22, S33: of two move actions in a row only where the ships have got to is said; other ships are
    counted for themselves.
    """
    assert (
        retold(table().towns(4).has(0, at1=2), "sail 1-2", "anchor", "sail 2-3", "anchor").sentence
        == "Yusuf sails a ship to town 3."
    )
    twice = "sail 1-2", "anchor", "sail 2-3", "sail 1-2", "anchor"
    assert (
        retold(table().towns(4).has(0, at1=2), *twice).sentence
        == "Yusuf sails 2 ships (1 to town 2, 1 to town 3)."
    )
    in_one = "sail 1-2", "sail 2-3", "anchor"
    assert (
        retold(table().towns(4).has(0, at1=1, at2=1), *in_one).sentence
        == "Yusuf sails 2 ships (1 to town 2, 1 to town 3)."
    )
    back = "sail 1-2", "anchor", "sail 2-1", "anchor"
    assert retold(table().towns(4).has(0, at1=1), *back).sentence == "Yusuf sails a ship out and back."
    between = "sail 1-2", "anchor", "convert 2a", "sail 1-2", "anchor"
    said = retold(table().towns(4).has(0, at1=2), *between).sentence
    assert (
        said
        == "Yusuf sails a ship to town 2, turns a ship into goods (coffee in town 2) and sails a ship to town 2."
    )


def test_a_discovery_among_other_voyages_names_the_town() -> None:
    """S25, S55: with the VP of the chart."""
    arranged = table().towns(4).has(0, wealth=2, vp=1, at4=1, at1=1).owns(0, "cartography")
    said = retold(arranged, "sail 4-5", "sail 1-2", "anchor", "chart").sentence
    assert said == "Yusuf sails 2 ships (1 to town 2, 1 to town 5) and discovers town 5 (2 VP)."


def test_india_is_reached() -> None:
    """S25, S70: a big moment, and so is that the last turns begin."""
    recap = retold(table().towns(11).has(0, vp=1, at11=1), "sail 11-12", "anchor")
    assert recap.sentence == "Yusuf sails a ship to town 12 and reaches India (2 VP)."
    assert [(moment.kind, moment.text) for moment in recap.highlights] == [
        ("india", "Yusuf reaches India!"),
        ("last_turns", "The last turns begin: each of the other players has one more."),
    ]
    french = retold(table().towns(11).has(0, vp=1, at11=1), "sail 11-12", "anchor", lang="fr")
    assert french.sentence == "Yusuf envoie un navire à la ville 12 et atteint les Indes (2 PV)."


def test_the_last_turns_begin_after_all_that_the_turn_brings() -> None:
    """S70: the reserves run out first, then a town is discovered; the last turns begin once the turn is over."""
    arranged = table().towns(4).has(0, wealth=5, vp=1, at4=1, lisbon=rules.MARKERS - 4)
    arranged.has(1, lisbon=rules.MARKERS)
    recap = retold(arranged, "activate", "sail 4-5", "anchor")
    assert [moment.kind for moment in recap.highlights] == ["reserves", "discovered", "last_turns"]


def test_markets_and_manufacture_in_a_sale() -> None:
    """S41, S57: which goods markets add is said; a kind that is sold as well is not."""
    arranged = table().towns(6).has(0, lisbon=1, wealth=1, land="1a 1b 2c 3d").owns(0, "manufacture")
    said = retold(arranged, "sell 1a", "sell 1b", "close sale", "appoint").sentence
    assert said == "Yusuf sells gold and gems, with spice from a market, for 4 wealth and 1 VP."


def test_two_sales_are_two() -> None:
    """S27: each with its own gain."""
    arranged = table().towns(6).has(0, wealth=1, land="1a 1b")
    said = retold(arranged, "sell 1a", "close sale", "sell 1b", "close sale").sentence
    assert said == "Yusuf sells gold for 1 wealth and sells gems for 1 wealth."


def test_technologies_buildings_and_the_press() -> None:
    """S28, S29, S52: what was paid for technologies, and the VP of the press."""
    arranged = table().towns(6).has(0, wealth=5, vp=1, at1=1)
    said = retold(arranged, "build 1sea-d", "acquire printing press").sentence
    assert (
        said
        == "Yusuf builds a church in town 1 and acquires the Printing press for 1 wealth (1 VP by the Printing press)."
    )
    arranged = table().towns(6).has(0, wealth=5, vp=1, at1=1)
    assert (
        retold(arranged, "acquire metallurgy", "acquire guild").sentence
        == "Yusuf acquires Metallurgy and the Guild for 3 wealth."
    )
    assert (
        retold(table().towns(6).has(0, wealth=1), "acquire metallurgy").sentence
        == "Yusuf acquires Metallurgy at no cost."
    )
    french = retold(table().towns(6).has(0, wealth=4), "acquire east india company", lang="fr").sentence
    assert french == "Yusuf acquiert la Compagnie des Indes orientales pour 4 richesses."


def test_speed_markers_and_banking() -> None:
    """S21, S30, S56."""
    arranged = table().towns(6).has(0, wealth=10, vp=1).owns(0, "banking")
    said = retold(arranged, "activate", "bank", "speed up").sentence
    assert said == "Yusuf activates a marker, trades 2 wealth for 1 VP and raises the ships' speed to 2."
    assert (
        retold(table().towns(6).has(0, wealth=9), "activate", "activate").sentence
        == "Yusuf activates 2 markers."
    )


def test_returns_and_what_is_lost_by_them() -> None:
    """S31, S43, S51: VP of a historian and of a building alike, and a banker's wealth."""
    arranged = table().towns(6).has(0, wealth=7, vp=6, at1=1, land="1d 2a").owns(0, "geography")
    assert retold(arranged, "recall", "return 1sea").sentence == "Yusuf returns a marker to Lisbon."
    said = retold(
        arranged, "recall", "return historian", "recall", "return 1d", "recall", "return banker"
    ).sentence
    assert said == "Yusuf returns 3 markers to Lisbon (losing 2 wealth and 3 VP)."
    assert retold(arranged, "refloat 2a", "refloat 1d").sentence == "Yusuf sends 2 markers back to sea."


def test_what_is_not_kept_is_told() -> None:
    """S15: whether no marker was left, or it was given up of free will."""
    arranged = table().towns(4).has(0, at4=1)
    assert retold(arranged, "sail 4-5", "anchor", "decline").sentence.endswith(
        "discovers it (1 VP) and loses 1 VP for lack of a free marker."
    )
    arranged = table().towns(4).has(0, at4=1, lisbon=1)
    assert retold(arranged, "sail 4-5", "anchor", "decline").sentence.endswith(
        "discovers it (1 VP) and gives up 1 VP."
    )
    arranged = table().towns(6).has(0, wealth=5, land="1a")
    said = retold(arranged, "sell 1a", "close sale", "decline").sentence
    assert said == "Yusuf sells gold for 1 wealth and gives up 1 wealth."


def test_port_maintenance_is_told() -> None:
    """S53."""
    arranged = table().towns(4).has(0, lisbon=3, vp=1).owns(0, "port maintenance")
    said = retold(arranged, "sail 0-1", "sail 0-1", "sail 0-1", "anchor").sentence
    assert said == "Yusuf sails 3 ships to town 1 and gains 1 VP by Port maintenance."


@pytest.mark.parametrize(("lang", "said"), [("en", "Yusuf does nothing."), ("fr", "Yusuf ne fait rien.")])
def test_a_turn_without_anything(lang: str, said: str) -> None:
    """S20: nothing done, or nothing but to think about it."""
    assert retold(table(), lang=lang).sentence == said
    assert retold(table(), "recall", lang=lang).sentence == said


# Big moments


def test_a_discovery_is_a_moment() -> None:
    """S25: with what the new town has."""
    match = match_of(table().towns(4).has(0, vp=1, at4=1), "sail 4-5", "anchor", "end turn")
    (moment,) = match.story.recaps()[0].highlights
    assert moment.kind == "discovered"
    assert re.fullmatch(r"Yusuf discovers town 5: \w+ and \w+; an? [a-z ]+ and an? [a-z ]+\.", moment.text)


def test_empty_reserves_begin_the_last_turns() -> None:
    """S70: told once, by the turn that brought it on."""
    arranged = table().towns(6).has(1, lisbon=9).has(0, lisbon=7, wealth=1)
    match = match_of(arranged, "activate", "end turn", "end turn", "end turn", "end turn")
    kinds = [[moment.kind for moment in recap.highlights] for recap in match.story.recaps()]
    assert kinds == [["reserves", "last_turns"], [], [], ["over"]]


def test_the_end_says_who_has_won() -> None:
    """S71, S72: one winner, or a shared victory."""
    arranged = table().towns(6).has(1, lisbon=9).has(0, lisbon=7, wealth=1).has(2, wealth=1, vp=3)
    ending = "activate", "end turn", "end turn", "end turn", "end turn"
    assert (
        match_of(arranged, *ending).story.recaps()[-1].highlights[-1].text
        == "The game is over: Bo wins with 3 VP."
    )
    arranged.has(3, wealth=1, vp=3)
    assert (
        match_of(arranged, *ending).story.recaps()[-1].highlights[-1].text
        == "The game is over: Bo and Chloé share the victory with 3 VP."
    )
    french = match_of(arranged, *ending).story.recaps(lang="fr")[-1].highlights[-1].text
    assert french == "La partie est finie : Bo et Chloé se partagent la victoire avec 3 PV."


def test_the_guard_is_a_moment() -> None:
    """S74."""
    arranged = table().round(rules.LAST_ROUND).turn(3)
    assert match_of(arranged, "end turn").story.recaps()[0].highlights[0].kind == "over_guard"
    assert "200 rounds" in lines(arranged, "end turn")[-1]


# How it began


def test_the_opening() -> None:
    """S2, S5: who begins, with what, which towns are face up, and how far India is."""
    match = Match(
        "sail_to_india", position=SAIL.to_dict(table(first=1).towns(3).p), components=COMPONENTS, names=NAMES
    )
    assert opening(cast("Scene", match.scene(None, words_of("sail_to_india", "en", rules=True)))) == [
        "Anne begins. [S5]",
        "The players start with wealth: Yusuf 4, Anne 2, Bo 2 and Chloé 3. [S5]",
        "Three towns, drawn at random, are face up. [S2]",
        "Town 1 has gold and gems; there is room for a stronghold and a church. [S2]",
        "Town 2 has coffee and sugar; there is room for a spice market and a stronghold. [S2]",
        "Town 3 has cloth and spice; there is room for a church and a gold market. [S2]",
        "9 more towns lie face down; the last, town 12, is India. [S2]",
    ]


def test_the_opening_with_three_and_for_a_first_game() -> None:
    """S2, S3: the boxed towns, which everyone has seen; the recommended ones."""
    match = comptoir.new("sail_to_india", seed="open", players=3, setup="first game")
    opening = match.story.opening(lang="fr")
    assert opening[2].endswith("conseillées pour une première partie sont face visible. [S3]")
    assert "6 autres villes sont face cachée ; les Indes sont la dernière, la ville 9. [S2]" in opening
    assert sum(line.startswith("Écartée de cette partie") for line in opening) == 3


# The log


def test_markers_that_return_are_named_by_where_they_were() -> None:
    """S31, S33: the town and what was there, or what a keeper kept; of a mixed sea, which of the ships."""
    arranged = table().towns(6).has(0, wealth=3, vp=1, at1=1, at2=1, land="1d")
    assert lines(arranged, "recall") == ["Yusuf is about to return a marker to Lisbon. [S31]"]
    assert lines(arranged, "recall", "return 1d")[1:] == [
        "Yusuf returns a marker from town 1 (church) to Lisbon. [S31]"
    ]
    assert lines(arranged, "recall", "return banker")[1:] == [
        "Yusuf returns a banker to Lisbon and loses 3 wealth. [S31]"
    ]
    assert lines(arranged, "recall", "return historian", lang="fr")[1:] == [
        "Yusuf ramène un historien à Lisbonne et perd 1 PV. [S31]"
    ]
    assert lines(arranged, "recall", "return 2sea")[1:] == [
        "Yusuf returns a ship from town 2 to Lisbon. [S31]"
    ]
    sailed = lines(arranged, "sail 1-2", "recall", "return 2sailed")
    assert sailed[-1] == "Yusuf returns to Lisbon a ship from town 2 that has sailed in this action. [S33]"
    fresh = lines(arranged, "sail 1-2", "recall", "return 2sea")
    assert fresh[-1] == "Yusuf returns to Lisbon a ship from town 2 that has not sailed in this action. [S31]"


def test_the_log_of_a_sale() -> None:
    """S27, S41: kinds, those of markets among them, and the gain; nothing is said of nothing."""
    arranged = table().towns(6).has(0, wealth=1, land="1a")
    assert lines(arranged, "sell 1a", "close sale") == [
        "Yusuf sells goods of town 1: gold. [S27]",
        "Yusuf gains 1 wealth for 1 kind of goods. [S27]",
    ]
    arranged = table().towns(6).has(0, wealth=1, vp=1, land="1a 1b 2c")
    assert lines(arranged, "sell 1a", "sell 1b", "close sale")[-1] == (
        "Yusuf gains 3 wealth and 1 VP for 3 kinds of goods, 1 of them from own markets. [S41]"
    )


def test_architecture_and_free_technologies_in_the_log() -> None:
    """S29, S54."""
    arranged = table().towns(6).has(0, wealth=2, at1=1).owns(0, "architecture")
    assert (
        lines(arranged, "sail 1-2", "anchor", "build 2sea-c")[-1]
        == "Yusuf builds a spice market in town 2, by Architecture. [S54]"
    )
    assert lines(table(), "acquire metallurgy") == ["Yusuf acquires Metallurgy at no cost. [S29]"]


# Prompts


def test_prompts() -> None:
    """S15, S20, S31, S34: what is awaited is said as it is."""
    assert prompt(table()) == "Yusuf, you have 2 action points: choose what to do."
    assert (
        prompt(table().play("activate", "activate")) == "Yusuf, your action points are spent: end your turn."
    )
    builder = table().towns(6).has(0, lisbon=2, wealth=5).owns(0, "architecture")
    builder.play("sail 0-1", "anchor", "activate")
    assert prompt(builder) == "Yusuf, your action points are spent: build by Architecture, or end your turn."
    banker = table().towns(6).has(0, wealth=5, land="1a").owns(0, "banking").owns(0, "geography")
    assert prompt(banker.play("activate", "activate")) == (
        "Yusuf, your action points are spent: use Banking, use Geography, or end your turn."
    )
    assert prompt(table().play("recall")) == "Yusuf, choose a marker to return to Lisbon, or go on."
    assert (
        prompt(table().has(0, lisbon=2, wealth=2).play("sail 0-1"))
        == "Yusuf, sail more ships, or drop anchor."
    )
    assert prompt(table().play("sail 0-1")) == "Yusuf, no other ship can sail: drop anchor."
    assert prompt(table().play("sail 0-1", "anchor")).startswith(
        "Yusuf, turn ships into goods, or go on (1 action point left)"
    )
    assert (
        prompt(table().play("activate", "sail 0-1", "anchor"))
        == "Yusuf, turn ships into goods, or end your turn."
    )
    discovery = table().towns(4).has(0, at4=1, lisbon=1).play("sail 4-5", "anchor")
    assert prompt(discovery, "fr").startswith("Yusuf, 1 PV demande un historien")
    at_sea = table().towns(4).has(0, at4=1).play("sail 4-5", "anchor")
    assert (
        prompt(at_sea)
        == "Yusuf, 1 VP needs a historian, and you have no marker on Lisbon: return one, or give it up."
    )
    sale = table().towns(6).has(0, wealth=5, land="1a 1b").play("sell 1a")
    assert prompt(sale).startswith("Yusuf, sell more goods")
    assert prompt(sale.play("sell 1b")) == "Yusuf, you have nothing more to sell: close the sale."
    assert prompt(sale.play("close sale"), "fr").startswith("Yusuf, 2 richesses demandent un banquier")


# What a choice would do


def test_effects_name_towns_and_things() -> None:
    """S22, S26, S28, S31: no letters of spaces, no signs that have to be learnt."""
    arranged = table().towns(6).has(0, lisbon=1, wealth=2, at1=1, at6=1, land="2a")
    assert effect(arranged, "sail 0-1") == "a ship from Lisbon to town 1"
    assert effect(arranged, "sail 6-7") == "a ship from town 6 to town 7, to discover it"
    assert (
        effect(arranged, "convert 1a")
        == "town 1: a ship becomes goods, gold, in a move action without sailing"
    )
    assert effect(arranged, "build 1sea-c") == "town 1, stronghold: with a ship, for 2 wealth"
    assert effect(arranged, "build 2a-c", "fr") == (
        "ville 2, marché aux épices : avec votre marqueur qui s'y trouve (café), pour 2 richesses"
    )
    arranged.play("recall")
    assert effect(arranged, "return 2a") == "town 2, coffee: the marker goes to Lisbon"
    assert effect(arranged, "return banker") == "the banker goes to Lisbon; 2 wealth is lost"


def test_the_effect_of_anchoring() -> None:
    """S25, S34, S53: what ports and a discovery bring, 2 VP for India."""
    assert effect(table().play("sail 0-1"), "anchor") == "the sailing is over"
    arranged = table().towns(11).has(0, lisbon=3, vp=1, at11=1).owns(0, "port maintenance")
    arranged.play("sail 0-1", "sail 0-1", "sail 0-1", "sail 11-12")
    assert (
        effect(arranged, "anchor") == "the sailing is over; discovers town 12: 2 VP; Port maintenance: 1 VP"
    )
    nine = table(players=3).towns(8).has(0, vp=1, at8=1).play("sail 8-9")
    assert effect(nine, "anchor", "fr") == "fin de la navigation ; découvre la ville 9 : 2 PV"


def test_the_effect_of_selling() -> None:
    """S27, S41, S57: a kind that is sold, or that a market sells, adds nothing; the gain is that of the
    rules.
    """
    arranged = (
        table().towns(6).has(0, lisbon=1, wealth=1, vp=1, land="1a 1b 3a 4a 3b 2c").owns(0, "manufacture")
    )
    assert effect(arranged, "sell 1a") == "town 1: gold"
    assert effect(arranged, "sell 3b") == "town 3: spice, which your market sells already: adds no kind"
    arranged.play("sell 1a")
    assert effect(arranged, "sell 4a") == "town 4: gold, sold already: adds no kind"
    arranged.play("sell 1b")
    assert effect(arranged, "close sale") == "3 kinds, 1 from your markets: 4 wealth and 1 VP"


def test_effects_of_keeping() -> None:
    """S10, S12: what one marker keeps, and what is lost."""
    arranged = table().towns(6).has(0, lisbon=1, wealth=5, vp=5, land="1a 1b 2a 2b 3a 3b")
    arranged.play("sell 1a", "sell 1b", "sell 2a", "sell 2b", "sell 3a", "sell 3b", "close sale")
    assert effect(arranged, "appoint") == "a marker from Lisbon becomes a historian and keeps 4 VP"
    assert effect(arranged, "decline") == "4 VP are lost"
    arranged.play("appoint")
    assert effect(arranged, "appoint") == "a marker from Lisbon becomes a banker and keeps 5 wealth"
    assert effect(arranged, "decline") == "6 wealth is lost"


def test_effects_with_the_figures_of_the_box() -> None:
    """S30, S50, S54, S56: costs as they are for this seat, and technologies as an own box has them."""
    arranged = table().towns(6).has(0, wealth=4, at1=1).owns(0, "metallurgy", "architecture")
    assert effect(arranged, "speed up") == "speed 2, for 2 wealth"
    assert effect(arranged, "acquire renaissance") == "3 wealth: 3 VP at the end"
    assert effect(arranged, "acquire geography").startswith("free: ")
    arranged.play("sail 1-2", "anchor")
    assert effect(arranged, "build 2sea-d").endswith("no action point (Architecture)")
    components = COMPONENTS | {"points": COMPONENTS["points"] | {"renaissance": 7}}
    match = Match("sail_to_india", position=SAIL.to_dict(table().has(0, wealth=5).p), components=components)
    assert (
        SAIL.story.effect(match.scene(0, words_of("sail_to_india", "fr")), SAIL.decode("acquire renaissance"))
        == "4 richesses : 7 PV à la fin"
    )


# Everything, over random matches


@cache
def played(players: int) -> Match:
    """A match at random that returns few markers, so that it gets somewhere."""
    match, choice = (
        comptoir.new("sail_to_india", seed=f"story{players}", players=players),
        random.Random(players),
    )
    while match.turn is not None and match.ply < 1500:
        actions = match.actions()
        match.play(
            choice.choice(
                [action for action in actions if action != "recall" or choice.random() < 0.1] or actions
            )
        )
    return match


@pytest.mark.slow
@pytest.mark.no_cover
@pytest.mark.parametrize("players", rules.PLAYERS)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_all_is_said(players: int, lang: str) -> None:
    """S73: every turn, prompt and effect in words, without a sign left unsaid, and the same for whoever
    looks.
    """
    match, words = played(players), words_of("sail_to_india", lang)
    sentences = [recap.sentence for recap in match.story.recaps(lang=lang)]
    assert sentences == [recap.sentence for recap in match.story.recaps(seat=0, lang=lang)]
    assert all(sentence.startswith(tuple(match.names)) and sentence.endswith(".") for sentence in sentences)
    texts = sentences + [
        moment.text for recap in match.story.recaps(lang=lang) for moment in recap.highlights
    ]
    for number in range(0, match.ply, 5):
        moment = match.at(number)
        scene = moment.scene(moment.turn, words)
        texts += [SAIL.story.prompt(scene), *(SAIL.story.effect(scene, action) for action in scene.choices)]
    assert not [
        text for text in texts if re.search(r"[{}\[\]_]|\d(sea|mer|sailed|[abcd]\b)|Score|None", text)
    ]
    log = match.story.log(lang=lang) + match.story.opening(lang=lang)
    assert not [line for line in log if not re.fullmatch(r"[^\[\]{}_]+[.!] \[S\d+\]", line)]


def test_vp_are_never_points() -> None:
    """S71: one word for what wins; points are action points, or not said."""
    for key, entry in words_of("sail_to_india", "en").texts.items():
        if key in SAIL_TEXTS:
            assert not re.search(
                r"(?<!action )\bpoints?\b|\bscores?\b",
                entry["en"].replace("action {n:point|points}", ""),
                re.I,
            ), key
            french = re.sub(r"\{n:point[^}]*\}( d'action)?|points? d'action", "", entry["fr"])
            assert not re.search(r"\bpoints?\b|\bscores?\b", french, re.I), key


SAIL_TEXTS = set(words_of("sail_to_india", "en").texts) - set(words_of(None, "en").texts)
