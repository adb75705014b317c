"""A choice as a person reads it: whole, plain, short, and told from what the seat knows."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

import comptoir
from comptoir.engine.choice import Choice
from comptoir.engine.match import Match
from comptoir.engine.words import LANGUAGES, words_of
from comptoir.games.century import rules
from tests.games.century.positions import BOX, CENTURY, PositionBuilder, letters
from tests.games.century.test_story import crowd, market, match_at, start

MAX_LABEL_CHARS, MAX_EFFECT_CHARS = 44, 60
TOKENS = ("→G", "YY", "{", "}", "_")


def offers(match: Match, lang: str) -> dict[str, Choice]:
    scene = match.scene(match.turn, words_of("century", lang))
    return {action.text: CENTURY.story.choice(scene, action) for action in scene.choices}


def positions() -> Iterator[Match]:
    """Random matches of every table."""
    for players in (2, 3, 4):
        match, chance = comptoir.new("century", seed=players, players=players), random.Random(players)
        while match.ply < 700 and not match.over:
            yield match
            match.play(chance.choice(match.actions()))


def check(match: Match, lang: str) -> set[str]:
    """Of every legal action; the groups seen."""
    texts, made = words_of("century", lang).texts, offers(match, lang)
    assert len({offer.label for offer in made.values()}) == len(made)
    for action, offer in made.items():
        assert 0 < len(offer.label) <= MAX_LABEL_CHARS, offer
        assert len(offer.effect) <= MAX_EFFECT_CHARS, offer
        assert f"offers.{offer.group}" in texts
        assert offer.amount is None
        assert offer.final == (action == "end")
        assert not any(token in offer.label + offer.effect for token in TOKENS), offer
    return {offer.group for offer in made.values()}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_choice_is_offered(lang: str) -> None:
    """C13: at every position of random matches; each group has its title."""
    seen = set()
    for match in positions():
        seen |= check(match, lang)
    titles = {key.removeprefix("offers.") for key in words_of("century", lang).texts if key[:7] == "offers."}
    assert seen == titles


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("tile", range(24))
def test_every_market_fits_on_a_button(tile: int, lang: str) -> None:
    """C16: the longest trades too, from afar and on the spot."""
    name, cost = rules.MARKETS[tile], letters(BOX.trades[tile, rules.PAYS])
    check(match_at(start().begin("kzzz").market("k", name).outpost("k", 0).hold(0, cost)), lang)
    afar = match_at(start().begin("fkkk").market("k", name).outpost("k", 0).lay("k", "YRGB").hold(0, "YYY"))
    assert "sail k" in afar.actions()
    check(afar, lang)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_tile_fits_on_a_button(lang: str) -> None:
    """C4, C17: whatever it costs, its worth and its whole cost are said."""
    words = words_of("century", lang)
    for tile in range(26):
        cost, points = letters(BOX.vp_cost[tile]), int(BOX.vp_points[tile])
        t = start().begin("wzzz").tile("w", cost, points).hold(0, cost).owns(0, 11, 12, 13)
        made = offers(match_at(t), lang)["claim"]
        assert made.label.endswith(words.say("score.points", n=points))
        assert made.effect.count(",") == len(set(cost)) - 1


EXAMPLES: list[tuple[PositionBuilder, str, tuple[str, str, str], tuple[str, str, str]]] = [
    (
        market().hold(0, "YYYY").outpost("k", 0),
        "trade",
        ("act", "Trade 2 ginger", "for 1 tea"),
        ("act", "Échanger 2 gingembres", "contre 1 thé"),
    ),
    (
        market(),
        "build",
        ("act", "Build an outpost on K", "free"),
        ("act", "Construire un comptoir sur K", "gratuit"),
    ),
    (
        market().built(0, 1, 2, 2, 2, but="k").bonus(0, harvest=1).outpost("k", 1, 2).hold(0, "YY"),
        "build",
        ("act", "Build an outpost on K", "for 2 cubes · 1 point · a bonus tile"),
        ("act", "Construire un comptoir sur K", "pour 2 cubes · 1 point · une tuile Bonus"),
    ),
    (
        crowd().lay("k", "B"),
        "sail k",
        ("sail", "Sail to K", "2 cubes to pay · 1 cube to pick up · 2 ginger → 1 tea"),
        ("sail", "Naviguer vers K", "2 cubes à payer · 1 cube à récupérer · 2 gingembres → 1 thé"),
    ),
    (
        crowd().outpost("k", 0).at(1, "z").at(2, "z"),
        "sail k",
        ("sail", "Sail to K", "your outpost · 2 ginger → 1 tea"),
        ("sail", "Naviguer vers K", "votre comptoir · 2 gingembres → 1 thé"),
    ),
    (
        start().begin("azzz").tile("w", "YYGGG", 11),
        "sail w",
        ("sail", "Sail to port W", "11 points for 2 ginger, 3 tea"),
        ("sail", "Naviguer vers le port W", "11 points pour 2 gingembres, 3 thés"),
    ),
    (
        start().begin("azzz").close("w").owns(1, 12),
        "sail w",
        ("sail", "Sail to port W", "closed"),
        ("sail", "Naviguer vers le port W", "fermé"),
    ),
    (
        start().begin("azzz").hold(0, "YB").play("sail b"),
        "drop brown",
        ("drop", "Drop 1 clove", "to sail one space further"),
        ("drop", "Déposer 1 girofle", "pour naviguer une tuile plus loin"),
    ),
    (
        crowd().play("sail k"),
        "pay yellow",
        ("pay", "Pay 1 ginger", "to Bruno; your move ends here"),
        ("pay", "Payer 1 gingembre", "à Bruno ; votre déplacement finit ici"),
    ),
    (
        market().outpost("k", 1, 2).hold(0, "YY").play("build"),
        "pay yellow",
        ("pay", "Pay 1 ginger", "for the outpost"),
        ("pay", "Payer 1 gingembre", "pour le comptoir"),
    ),
    (
        start().begin("fzzz").lay("k", "YRR").play("sail k"),
        "take red",
        ("take", "Pick up 1 chili", "2 lying here; your move ends here"),
        ("take", "Récupérer 1 piment", "2 ici ; votre déplacement finit ici"),
    ),
    (
        start().begin("wzzz").tile("w", "YYGGG", 11).hold(0, "YYGGG").owns(0, 12, 13, 14),
        "claim",
        ("act", "Claim tile 4 of 4: 11 points", "for 2 ginger, 3 tea · last round"),
        ("act", "Réclamer la tuile 4 sur 4 : 11 points", "pour 2 gingembres, 3 thés · dernière ronde"),
    ),
    (
        market(),
        "harvest",
        ("act", "Harvest 2 ginger", "ends your turn"),
        ("act", "Récolter 2 gingembres", "termine votre tour"),
    ),
    (
        market().hold(0, "Y" * 9),
        "harvest",
        ("act", "Harvest 2 ginger", "1 too many for the hold · ends your turn"),
        ("act", "Récolter 2 gingembres", "1 de trop pour la cale · termine votre tour"),
    ),
    (
        market(),
        "end",
        ("end", "End your turn", "without an action"),
        ("end", "Finir votre tour", "sans faire d'action"),
    ),
    (
        market().hold(0, "YYYY").outpost("k", 0).play("trade"),
        "end",
        ("end", "End your turn", ""),
        ("end", "Finir votre tour", ""),
    ),
]


@pytest.mark.parametrize(("table", "action", "english", "french"), EXAMPLES)
def test_what_a_button_says(
    table: PositionBuilder, action: str, english: tuple[str, str, str], french: tuple[str, str, str]
) -> None:
    """C10, C11, C12, C14, C15, C16, C17, C18, C19, C20, C30: what is done, and what comes of it."""
    match = match_at(table)
    for lang, said in zip(LANGUAGES, (english, french), strict=True):
        made = offers(match, lang)[action]
        assert (made.group, made.label, made.effect) == said


def test_upgrading() -> None:
    """C21, C22: and what is left undone by ending the turn."""
    match = match_at(market().built(0, 1, 1, 1, 1, but="k").bonus(0, upgrade=1).hold(0, "YR").play("build"))
    english, french = (offers(match, lang) for lang in LANGUAGES)
    assert english["upgrade yellow"].label == "Upgrade 1 ginger to chili"
    assert french["upgrade red"].label == "Améliorer 1 piment en thé"
    assert (english["end"].effect, french["end"].effect) == ("without upgrading", "sans améliorer de cube")


def test_bonus_tiles_say_what_they_are_worth() -> None:
    """C15, C21, C31: at the end too."""
    match = match_at(market().built(0, 0, 1, 1, 1, but="k"), "build")
    english, french = (
        {action.split()[1]: (offer.label, offer.effect) for action, offer in offers(match, lang).items()}
        for lang in LANGUAGES
    )
    assert english == {
        "points": ("Take the points tile", "6 points"),
        "move": ("Take the movement tile", "one more free step in every move"),
        "upgrade": ("Take the upgrade tile", "upgrade a cube with every outpost you build · 2 points"),
        "harvest": ("Take the harvest tile", "1 chili more in every harvest · 1 point"),
        "hold": ("Take the hold tile", "room for 3 more cubes"),
    }
    assert french == {
        "points": ("Prendre la tuile Bonus PV", "6 points"),
        "move": ("Prendre la tuile Déplacement", "un pas gratuit de plus à chaque déplacement"),
        "upgrade": (
            "Prendre la tuile Amélioration",
            "un cube amélioré à chaque comptoir construit · 2 points",
        ),
        "harvest": ("Prendre la tuile Récolte", "1 piment de plus à chaque récolte · 1 point"),
        "hold": ("Prendre la tuile Cale", "3 cases de cale de plus"),
    }


def test_the_start() -> None:
    """C7: the cubes of a lot, then a market with its trade."""
    match = comptoir.new("century", seed=5, first=0, players=2)
    assert [offer.label for offer in offers(match, "en").values()][:2] == [
        "Start with 4 ginger",
        "Start with 2 ginger and 1 chili",
    ]
    assert offers(match, "fr")["lot two"].label == "Commencer avec 2 gingembres et 1 piment"
    match.play("lot one")
    placed = offers(match, "en")["sail a"]
    assert (placed.label, placed.group) == ("Start on market A", "place")
    assert " → " in placed.effect


def test_offers_tell_nothing_hidden() -> None:
    """C17, C33: whoever has claimed which tiles, what a seat is offered is the same."""
    one = start().begin("wzzz").tile("w", "YYGGG", 11).hold(0, "YYGGG").owns(1, 20, 12).owns(2, 13, 15)
    other = start().begin("wzzz").tile("w", "YYGGG", 11).hold(0, "YYGGG").owns(1, 13, 15).owns(2, 20, 12)
    assert offers(match_at(one), "en") == offers(match_at(other), "en")
