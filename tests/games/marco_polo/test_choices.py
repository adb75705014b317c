"""A choice as a person reads it: whole, plain, short, and told from what the seat knows."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

import pytest

from comptoir.engine.choice import Choice
from comptoir.engine.match import Match
from comptoir.engine.words import LANGUAGES, words_of
from comptoir.games.marco_polo.rules import DEMANDS, next_space, pile_left
from tests.games.marco_polo.positions import DADU, GANZHOU, MARCO_POLO, PositionBuilder, played
from tests.games.marco_polo.test_board import TABLES, redealt
from tests.games.marco_polo.test_story import caravan

if TYPE_CHECKING:
    from comptoir.games.marco_polo.records import Position, Scene

MAX_LABEL_CHARS, MAX_EFFECT_CHARS = 44, 60


def offers(match: Match, lang: str) -> dict[str, Choice]:
    scene = match.scene(match.turn, words_of("marco_polo", lang))
    return {action.text: MARCO_POLO.story.choice(scene, action) for action in scene.choices}


def positions(every: int = 1) -> Iterator[Match]:
    """Random matches of every table."""
    for players, two_players in TABLES:
        match = Match("marco_polo", seed=f"offers{players}", players=players, two_players=two_players)
        chance = random.Random(players)
        while not match.over:
            if match.ply % every == 0:
                yield match
            match.play(chance.choice(match.actions()))


@pytest.mark.slow
@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_choice_is_offered(lang: str) -> None:
    """M10: at every position of random matches; what ends the turn is final, unless it can be undone: a card
    that is taken turns up another, if one is left. Each group has its title.
    """
    texts, seen = words_of("marco_polo", lang).texts, set()
    for match in positions():
        made = offers(match, lang)
        finals = (
            ("draw", "pass", "take") if pile_left(cast("Position", match.records[-1])) else ("draw", "pass")
        )
        assert len({offer.label for offer in made.values()}) == len(made)
        for action, offer in made.items():
            assert 0 < len(offer.label) <= MAX_LABEL_CHARS, offer
            assert len(offer.effect) <= MAX_EFFECT_CHARS, offer
            assert not set("{}_→") & set(offer.label + offer.effect)
            assert offer.final == action.startswith(finals)
            assert offer.amount is None
            seen.add(offer.group)
    assert seen == {key.removeprefix("offers.") for key in texts if key.startswith("offers.")}


def said(table: PositionBuilder, action: str, *before: str) -> list[tuple[str, str]]:
    """What a button says, in English and French."""
    match = played(table, *before)
    return [offers(match, lang)[action][:2] for lang in LANGUAGES]


def test_cards_that_a_space_demands() -> None:
    """M11: which of them each would be; the last one takes the camel on."""
    t = caravan("red oil", "blue oil", "violet fruit").space(6, "2 identical goods")
    assert said(t, "lay red oil") == [
        ("Lay a red oil", "card 1 of 2 for space 6"),
        ("Poser une huile rouge", "carte 1 sur 2 pour la case 6"),
    ]
    assert said(t, "lay blue oil", "lay red oil") == [
        ("Lay a blue oil", "moves on to space 6"),
        ("Poser une huile bleue", "avance à la case 6"),
    ]


def test_a_step_to_a_chest() -> None:
    """M14: what the first camel there wins."""
    t = caravan("red oil", seats=(7, 3, 4))
    t.box.track_chests[8] = 2
    assert said(t, "lay red oil") == [
        ("Lay a red oil", "moves on to space 8 · wins 2 gold"),
        ("Poser une huile rouge", "avance à la case 8 · gagne 2 pièces d'or"),
    ]


def test_a_straggler_goes_further() -> None:
    """M23: to Ganzhou, from the last space before those that were scored."""
    t = caravan("red oil", seats=(10, GANZHOU, GANZHOU))
    t.p.scored = 1
    assert said(t, "lay red oil") == [
        ("Lay a red oil", "moves on to Ganzhou"),
        ("Poser une huile rouge", "avance à Ganzhou"),
    ]


def test_the_last_step() -> None:
    """M30: into Dadu."""
    t = caravan("red oil", seats=(DADU - 1, 20, 21))
    t.p.scored = 1
    assert said(t, "lay red oil") == [
        ("Lay a red oil", "moves on to Dadu · the game ends"),
        ("Poser une huile rouge", "avance à Dadu · fin de la partie"),
    ]


def test_lightening() -> None:
    """M15: where another has been."""
    assert said(caravan("red oil", seats=(0, 3, 7)), "lighten") == [
        ("Pay 1 gold instead of cards", "moves on to space 1"),
        ("Lâcher du lest (1 pièce d'or)", "avance à la case 1"),
    ]


def test_lightening_names_where_it_leads() -> None:
    """M15, M23: the prompt names the space if no card can be laid; a straggler goes to Ganzhou."""
    words = words_of("marco_polo", "en")
    match = played(caravan(seats=(0, 3, 7)))
    prompt = MARCO_POLO.story.prompt(match.scene(match.turn, words))
    assert "pay 1 gold instead of cards for space 1" in prompt
    straggler = caravan("red oil", seats=(10, GANZHOU, GANZHOU))
    straggler.p.scored = 1
    match = played(straggler)
    effect = MARCO_POLO.story.effect(match.scene(match.turn, words), MARCO_POLO.decode("lighten"))
    assert effect.startswith("to Ganzhou, for 1 of your")


def test_cards_end_the_turn() -> None:
    """M17: taken or drawn."""
    assert said(caravan(), "take green fruit") == [
        ("Take a green fruit", "ends your turn"),
        ("Prendre un fruit vert", "termine votre tour"),
    ]
    assert said(caravan().pile("red spice"), "draw") == [
        ("Draw a hidden card", "ends your turn"),
        ("Piocher une carte cachée", "termine votre tour"),
    ]


def test_camels_to_choose_from() -> None:
    """M40: where each is, and what its next space demands."""
    match = Match("marco_polo", seed=3, players=2, first=0)
    chance = random.Random(1)
    while "first camel" not in match.actions():
        match.play(chance.choice(match.actions()))
    words, scene = (
        words_of("marco_polo", "en"),
        cast("Scene", match.scene(match.turn, words_of("marco_polo", "en"))),
    )
    made = offers(match, "en")["first camel"]
    assert made.label.startswith("Move camel 1, ")
    space = int(next_space(scene.record, scene.box, 0))
    demand = DEMANDS[scene.box.track_demands[space]]
    assert made.effect == f"to space {space}: {words.say(f'brief.{demand}')}"
    assert offers(match, "fr")["first camel"].label.startswith("Avancer le chameau 1, ")


def test_offers_tell_nothing_hidden() -> None:
    """M18: with the hidden cards dealt again, a seat is offered the same."""
    for match in positions(every=13):
        viewer = match.turn or 0
        assert offers(match, "fr") == offers(redealt(match, viewer, match.ply), "fr")
