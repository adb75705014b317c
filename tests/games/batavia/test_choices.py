"""What a choice says to a person: whole, in plain words, in both languages."""

from __future__ import annotations

import random
import re
from typing import Any

import numpy as np
import pytest

import comptoir
from comptoir.engine.choice import Choice
from comptoir.engine.match import Match
from comptoir.engine.words import LANGUAGES, words_of
from tests.games.batavia.positions import BATAVIA, PositionBuilder

TABLES = [{"players": players, "setup": setup} for players in (3, 4, 5) for setup in ("shuffled", "open")]
every_table = pytest.mark.parametrize("options", TABLES, ids=lambda o: "-".join(map(str, o.values())))


def offers(match: Match, lang: str) -> dict[str, Choice]:
    scene = match.scene(match.turn, words_of("batavia", lang))
    return {action.text: BATAVIA.story.choice(scene, action) for action in scene.choices}


def played(options: dict[str, Any], seed: int) -> Match:
    """A random match in which bids are low, so that it gets far."""
    match, chance = comptoir.new("batavia", seed=seed, **options), random.Random(seed)
    while not match.over:
        actions = match.actions()
        match.play(chance.choice(actions if len(actions) < 12 else actions[:4]))
    return match


@every_table
def test_every_choice_of_a_match_is_an_offer(options: dict[str, Any]) -> None:
    """Short, different from all others, in a group that has a title, without what only a terminal reads."""
    whole = played(options, 60)
    for number in range(whole.ply):
        match = whole.at(number)
        for lang in LANGUAGES:
            found, texts = offers(match, lang), words_of("batavia", lang).texts
            assert len({offer.label for offer in found.values()}) == len(found)
            for action, (label, effect, group, _, amount) in found.items():
                assert 0 < len(label) <= 44, label
                assert len(effect) <= 60, effect
                assert f"offers.{group}" in texts
                assert not set("{}[]|") & set(label + effect)
                assert not re.search(r"\b(england|denmark|netherlands|sweden)\b", label + effect)
                assert amount == (int(action.split()[1]) if action.startswith("bid ") else None)


@every_table
def test_offers_come_from_what_the_viewer_knows(options: dict[str, Any]) -> None:
    """B17: with the hidden cards dealt again, a seat is offered the same."""
    whole, chance = played(options, 61), np.array([9], np.uint64)
    for number in range(0, whole.ply, 7):
        match, other = whole.at(number), whole.at(number)
        world = BATAVIA.seen_by(match.records[-1], match.box, match.turn)
        BATAVIA.ruleset.imagine(world, match.box, int(world.turn), chance)
        other.replace_record(-1, world)
        assert offers(other, "en") == offers(match, "en")


def table(**options: Any) -> PositionBuilder:
    return PositionBuilder(BATAVIA.interpreted, first=0, **options)


def moving() -> PositionBuilder:
    """Seat 0 is to move, with the Danish seal, two Danish cards and one of Sweden in hand, and a Danish shop
    ahead.
    """
    return (
        table().clear_cards().shops(denmark_silk=4).laid(0, denmark=1).give(0, denmark=2, sweden=1).moves(0)
    )


def last_round(t: PositionBuilder) -> PositionBuilder:
    t.p.arrival = 3
    return t


def both(t: PositionBuilder, action: str) -> tuple[Choice, Choice]:
    match = comptoir.new("batavia", position=BATAVIA.to_dict(t.p), seed=1)
    english, french = (offers(match, lang)[action] for lang in LANGUAGES)
    assert english[2:] == french[2:]
    return english, french


def said(t: PositionBuilder, action: str) -> tuple[str, ...]:
    return tuple(text for offer in both(t, action) for text in offer[:2])


def test_bids() -> None:
    """B12, B13, B16: what is left, and who wins when there is nobody else."""
    t = table()
    assert said(t, "bid 12") == (
        *("Bid 12", "leaves you 3 bills"),
        *("Miser 12", "il vous reste 3 lettres de change"),
    )
    assert said(t, "bid 15")[1::2] == ("all your bills", "toutes vos lettres de change")
    assert said(t, "pass") == ("Pass", "leave this auction", "Passer", "quitter cette vente")
    assert both(t, "bid 12")[0][2:] == ("bid", False, 12)
    assert both(t, "pass")[0][2:] == ("pass", True, None)
    assert said(t.play("bid 4", "pass", "pass"), "pass")[1::2] == (
        "Bruno wins for 4 bills",
        "Bruno remporte la vente pour 4 lettres de change",
    )
    t = table().play("pass", "pass", "pass")
    assert said(t, "bid 1")[1::2] == (
        "wins at once; leaves you 14 bills",
        "le lot est à vous ; il vous reste 14 lettres de change",
    )
    assert said(t, "pass")[1::2] == ("nobody wins this auction", "personne ne remporte cette vente")


def test_a_draw_ends_the_move() -> None:
    """B18, B20: with as many cards as there are."""
    assert said(moving(), "draw") == (
        *("Draw 2 cards", "ends your turn"),
        *("Piocher 2 cartes", "termine votre tour"),
    )
    assert both(moving(), "draw")[0].final
    assert said(moving().pile(rest_to=1), "draw")[::2] == ("Draw nothing", "Ne rien piocher")


def test_laying_says_what_becomes_of_the_seal() -> None:
    """B23, B25: kept, taken, tied, or how many ships it takes."""
    assert said(moving(), "lay denmark") == (
        *("Lay a Danish ship", "keeps the seal: shop 4, silk"),
        *("Poser un navire danois", "garde le sceau : échoppe 4, soie"),
    )
    assert said(moving(), "lay sweden")[1::2] == ("takes the seal", "prend le sceau")
    assert said(moving().laid(1, sweden=1), "lay sweden")[1::2] == (
        "a tie: Bruno loses the seal",
        "égalité : Bruno perd le sceau",
    )
    assert said(moving().laid(1, sweden=3), "lay sweden")[1::2] == (
        "you have 1, too few for the seal",
        "vous en avez 1, trop peu pour le sceau",
    )
    assert said(moving().laid(1, france=2).give(0, france=4), "lay france")[1::2] == (
        "3 needed for the seal, you have 4",
        "sceau : il en faut 3, vous en avez 4",
    )


def test_the_ship_that_calls_the_pirates_says_so() -> None:
    """B30: at 25 laid ships of all players."""
    t = moving().laid(1, england=11).laid(2, france=11)
    assert said(t, "lay sweden")[1] == "takes the seal"
    assert said(t.play("lay denmark"), "lay sweden")[1::2] == (
        "takes the seal; pirates strike",
        "prend le sceau ; attaque pirate",
    )


def test_a_shop_and_the_arrival_tile() -> None:
    """B25, B26, B40: where to, what for."""
    assert said(moving().play("lay denmark"), "advance denmark") == (
        *("Advance to shop 4", "Denmark: your first crate of silk"),
        *("Avancer à l'échoppe 4", "Danemark : votre première caisse de soie"),
    )
    assert said(moving().stock("silk", 1).play("lay denmark"), "advance denmark")[1::2] == (
        "Denmark: a crate of silk (you have 1 there)",
        "Danemark : une caisse de soie (vous en avez 1)",
    )
    assert said(moving().shops().play("lay denmark"), "arrive") == (
        *("Go to the arrival tile", "4 gold; the game ends with this round"),
        *("Aller à la tuile d'arrivée", "4 pièces d'or ; la partie finit avec cette manche"),
    )


def test_tiles_traded_in_or_kept() -> None:
    """B28: the gold now, and what waiting can bring: nothing in the last round, or with a full set."""
    t = moving().holds(0, sweden=2, france=1).play("lay denmark", "advance denmark")
    assert said(t, "trade in") == (
        *("Trade in 3 shop tiles", "6 gold"),
        *("Échanger 3 échoppes", "6 pièces d'or"),
    )
    assert said(t, "keep") == (
        *("Keep your shop tiles", "one more company would make it 10 gold"),
        *("Garder vos échoppes", "une compagnie de plus : 10 pièces d'or"),
    )
    assert not both(t, "keep")[0].final
    assert both(last_round(t), "keep")[0][1:] == ("tiles are worth nothing at the end", "tiles", True, None)
    t = moving().holds(0, england=1, sweden=2, france=1, netherlands=1).play("lay denmark", "advance denmark")
    assert said(t, "keep")[1::2] == (
        "a full set must be traded in now or never",
        "une série complète s'échange maintenant ou jamais",
    )
    assert both(t, "keep")[0].final
