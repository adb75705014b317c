"""What is told: how a match began, turns in a sentence each, their big moments, what is awaited and what a
choice would do.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

import pytest

import comptoir
from comptoir.engine.match import Match
from comptoir.engine.words import LANGUAGES, words_of
from tests.games.century.positions import CENTURY, PositionBuilder, box_of, tables
from tests.games.century.test_move import RING

if TYPE_CHECKING:
    from comptoir.games.century.records import Scene

STORY = CENTURY.story


def start() -> PositionBuilder:
    return PositionBuilder(CENTURY.interpreted, first=0)


def match_at(table: PositionBuilder, *actions: str) -> Match:
    """A match that begins with an arranged position, with these actions played."""
    match = comptoir.new("century", position=CENTURY.to_dict(table.p), seed=1)
    for action in actions:
        match.play(action)
    return match


def scene(match: Match, lang: str = "en") -> Scene:
    return cast("Scene", match.scene(match.turn, words_of("century", lang)))


# How it began


def test_the_opening() -> None:
    """C4, C7, C9: the first player, the tiles, the closed-port tile, and who chooses from which lots."""
    match = comptoir.new("century", seed=5, first=1, players=3)
    lines = match.story.opening()
    assert lines[0] == "Bruno plays first. [C9]"
    assert [line[:6] for line in lines[1:5]] == ["Port W", "Port X", "Port Y", "Port Z"]
    assert all(re.fullmatch(r"Port [WXYZ]: \d+ points for .* \[C4\]", line) for line in lines[1:5])
    assert lines[5:] == [
        "The closed-port tile is among the first 6 tiles of the pile. [C4]",
        "Anne is the first to choose a starting lot and a market; the others follow anticlockwise. "
        "The lots: 4 ginger · 2 ginger, 1 chili · 2 chili · 1 ginger, 1 tea. [C7]",
    ]


# A turn in a sentence


def full(t: PositionBuilder) -> PositionBuilder:
    """A turn with nearly everything: seat 0, with an extra move and an upgrade, is next to K, where seat 1's
    boat and outpost are.
    """
    t.begin("azzz").market("k", "ginger 1").built(0, 1, 2, 2, 2, but="k").bonus(0, upgrade=1)
    return t.outpost("k", 1).at(1, "k").lay("k", "G").hold(0, "YYYYYYYYRR")


SENTENCES: list[tuple[Callable[[], PositionBuilder], list[str], str, str]] = [
    (
        lambda: start().begin("kzzz").market("j", "ginger 5").hold(0, "YYYYY"),
        ["sail j", "build", "trade"],
        "Anne sails to J, builds an outpost and trades 5 ginger for 3 tea.",
        "Anne navigue vers J, construit un comptoir et échange 5 gingembres contre 3 thés.",
    ),
    (
        lambda: start().begin("kzzz").market("k", "ginger 3").outpost("k", 0).hold(0, "Y" * 9),
        ["trade", "trade", "end"],
        "Anne stays on K and trades 6 ginger for 2 cloves.",
        "Anne reste sur K et échange 6 gingembres contre 2 clous de girofle.",
    ),
    (
        lambda: full(start()),
        [
            *("sail e", "drop yellow", "sail k", "pay red", "take green", "build", "pay yellow"),
            *("bonus hold", "upgrade yellow", "trade", "trade"),
        ],
        "Anne sails to K by way of E (dropping 1 ginger on E), pays 1 chili to Bruno, picks up 1 tea there, builds an outpost (1 point) "
        "for 1 ginger, takes a bonus tile (room for 3 more cubes), upgrades 1 ginger to chili and trades 4 ginger for 2 tea.",
        "Anne navigue vers K en passant par E (en déposant 1 gingembre sur E), paie 1 piment à Bruno, y récupère 1 thé, construit un "
        "comptoir (1 point) pour 1 gingembre, prend une tuile Bonus (3 cases de cale de plus), améliore 1 gingembre en piment et échange "
        "4 gingembres contre 2 thés.",
    ),
    (
        lambda: start().begin("fkkz").hold(0, "YYR"),
        ["sail k", "pay yellow", "pay red", "end"],
        "Anne sails to K and pays 1 ginger to Bruno and 1 chili to Chloé.",
        "Anne navigue vers K et paie 1 gingembre à Bruno et 1 piment à Chloé.",
    ),
    (
        lambda: start().begin("azzz").hold(0, "YYR").lay("b", "B"),
        ["sail w", "drop yellow", "sail a", "drop red", "sail b", "take brown", "end"],
        "Anne sails to B by way of port W and A (dropping 1 ginger in port W and 1 chili on A) and picks up 1 clove there.",
        "Anne navigue vers B en passant par le port W et A (en déposant 1 gingembre au port W et 1 piment sur A) "
        "et y récupère 1 clou de girofle.",
    ),
    (
        lambda: start().begin("wzzz").close("x").owns(1, 12).tile("w", "YYGGG", 11).hold(0, "YYGGG"),
        ["claim"],
        "Anne stays in port W and claims a tile (1 of 4) for 2 ginger and 3 tea.",
        "Anne reste au port W et réclame une tuile (1 sur 4) pour 2 gingembres et 3 thés.",
    ),
    (
        lambda: start().begin("kzzz").hold(0, "Y" * 10).bonus(0, harvest=1).built(0, 1, 1, 1, 1),
        ["harvest", "discard yellow", "discard yellow", "discard red"],
        "Anne stays on K, harvests 2 ginger and 1 chili and puts back 2 ginger and 1 chili, for which the hold has no room.",
        "Anne reste sur K, récolte 2 gingembres et 1 piment et remet 2 gingembres et 1 piment dans la réserve, faute de place dans la cale.",
    ),
    (
        lambda: start().begin("kzzz"),
        ["end"],
        "Anne stays on K and does nothing.",
        "Anne reste sur K et ne fait rien.",
    ),
    (lambda: start().begin("wzzz"), ["sail a", "end"], "Anne sails to A.", "Anne navigue vers A."),
]


@pytest.mark.parametrize(("table", "actions", "english", "french"), SENTENCES)
def test_a_turn_in_a_sentence(
    table: Callable[[], PositionBuilder], actions: list[str], english: str, french: str
) -> None:
    """C7, C10, C11, C12, C13, C14, C15, C16, C17, C19, C20, C22: who, what, and what it brought; repetitions
    are added up.
    """
    match = match_at(table(), *actions)
    for lang, sentence in zip(LANGUAGES, (english, french), strict=True):
        (recap,) = match.story.recaps(1, lang)
        assert (recap.sentence, recap.seat, recap.last) == (sentence, 0, len(actions))


def test_the_setup_is_retold() -> None:
    """C7: a lot and a market; the first player's first turn is another."""
    match = comptoir.new("century", seed=5, first=0, players=2)
    for action in ("lot three", "sail c", "lot two", "sail k", "end"):
        match.play(action)
    assert [recap.sentence for recap in match.story.recaps()] == [
        "Bruno takes 2 chili and starts on market C.",
        "Anne takes 2 ginger and 1 chili and starts on market K.",
        "Anne stays on K and does nothing.",
    ]


@pytest.mark.parametrize(
    ("kind", "english", "french"),
    [
        ("points", "a bonus tile of 6 points", "une tuile Bonus de 6 points"),
        (
            "move",
            "a bonus tile (one more free step in every move)",
            "une tuile Bonus (un pas gratuit de plus à chaque déplacement)",
        ),
        (
            "upgrade",
            "a bonus tile (an upgrade with every outpost)",
            "une tuile Bonus (une amélioration à chaque comptoir)",
        ),
        (
            "harvest",
            "a bonus tile (1 chili more in every harvest)",
            "une tuile Bonus (1 piment de plus à chaque récolte)",
        ),
        ("hold", "a bonus tile (room for 3 more cubes)", "une tuile Bonus (3 cases de cale de plus)"),
    ],
)
def test_each_bonus_tile(kind: str, english: str, french: str) -> None:
    """C15, C21: what it is good for."""
    match = match_at(
        start().begin("kzzz").market("k", "ginger 1").built(0, 0, 1, 1, 1, but="k"), "build", f"bonus {kind}"
    )
    for lang, tile in zip(LANGUAGES, (english, french), strict=True):
        assert match.story.recaps(0, lang)[0].sentence.endswith(f" {tile}.")


def test_who_was_paid_and_has_no_room_is_told_apart() -> None:
    """C20: another seat decides, so the mover's turn has been told by then."""
    match = match_at(start().begin("fkzz").hold(0, "R").hold(1, "Y" * 10), "sail k", "pay red", "end")
    assert match.turn == 1
    assert [recap.sentence for recap in match.story.recaps()] == [
        "Anne sails to K and pays 1 chili to Bruno."
    ]
    match.play("discard yellow")
    match.play("end")
    told = match.story.recaps()[1:]
    assert [(recap.seat, recap.sentence) for recap in told] == [
        (1, "Bruno puts back 1 ginger, for which the hold has no room."),
        (1, "Bruno stays on K and does nothing."),
    ]


def test_a_turn_that_began_before_the_match() -> None:
    """C13: from a position in the middle of a turn; nothing is told of what came before."""
    match = match_at(start().begin("fkzz").hold(0, "RR").play("sail k", "pay red"), "end")
    assert match.story.recaps()[0].sentence == "Anne does nothing."


# Big moments


def claiming(t: PositionBuilder) -> PositionBuilder:
    return t.begin("wzzz").tile("w", "YYGGG", 11).hold(0, "YYGGG")


def moments(match: Match, lang: str = "en") -> list[tuple[str, str]]:
    return [
        (moment.kind, moment.text) for recap in match.story.recaps(lang=lang) for moment in recap.highlights
    ]


def test_a_port_closes() -> None:
    """C18: the closed-port tile must come up at the sixth draw."""
    match = match_at(claiming(start().begin().owns(1, 12, 13, 14).owns(2, 15, 16)), "claim")
    assert moments(match) == [("closes", "Port W is closed: for now no tile can be claimed there.")]
    assert match.story.log()[1:] == ["The closed-port tile comes up: port W is closed. [C18]"]


@pytest.mark.parametrize("closed", ["x", "z"])
def test_the_closed_port_moves(closed: str) -> None:
    """C18: told before the new tile, whichever port comes first."""
    match = match_at(
        start().begin("yaaa").close(closed).owns(1, 12).tile("y", "YYGGG", 11).hold(0, "YYGGG"), "claim"
    )
    assert moments(match) == [("closed_moves", f"Port Y closes, and port {closed.upper()} opens again.")]
    assert match.story.log()[1] == "The closed-port tile moves to port Y. [C18]"
    assert match.story.log()[2].startswith(f"New at port {closed.upper()}: ")


def test_nothing_new_from_an_empty_pile(monkeypatch: pytest.MonkeyPatch) -> None:
    """C26: the log says so. With the standard tiles no match comes to it."""
    monkeypatch.setattr(CENTURY.rules, "check_position", lambda p, box: [])
    t = claiming(start().begin().close("x")).empty_pile()
    assert match_at(t, "claim").story.log()[1:3] == [
        "The closed-port tile moves to port W. [C18]",
        "The pile is empty: nothing new at port X. [C17]",
    ]


def test_the_last_round_begins_and_the_game_ends() -> None:
    """C30: said once, though another has four tiles too."""
    t = claiming(start().begin().close("x").owns(0, 12, 13, 14).owns(1, 12, 15, 16)).at(1, "z")
    match = match_at(t, "claim")
    assert moments(match)[1:] == [
        ("last_round", "Anne has claimed a fourth tile: the game ends with this round.")
    ]
    for _ in range(3):
        match.play("end")
    assert moments(match)[2:] == [("over", "The game is over: the points are counted.")]
    assert (
        moments(match, "fr")[1][1] == "Anne a réclamé une quatrième tuile : la partie finit avec cette ronde."
    )


def test_round_200_begins() -> None:
    """C34: the last, without a fourth tile."""
    t = start().begin("aaaa", seat=3)
    t.p.round_number = 199
    match = match_at(t, "end")
    assert moments(match) == [
        ("round_200", "Round 200 begins: it is the last, although nobody has a fourth tile.")
    ]


def test_nothing_is_a_moment_in_most_turns() -> None:
    """C13: a harvest is not."""
    assert moments(match_at(start().begin("kzzz"), "harvest")) == []


# No raw tags, nothing unresolved


@pytest.mark.parametrize("lang", LANGUAGES)
def test_tags_stand_at_the_end_of_a_line_only(lang: str) -> None:
    """C12: 'nothing' is told without one. Recaps and moments have none at all."""
    own = {**CENTURY.components.tables, "lots": {**CENTURY.components.tables["lots"], "one": [0, 0, 0, 0]}}
    match, chance = comptoir.new("century", seed=4, players=2, components=own), random.Random(4)
    match.play("lot one")
    while match.ply < 400:
        match.play(chance.choice(match.actions()))
    lines = [*match.story.opening(lang=lang), *match.story.log(lang=lang)]
    assert any(words_of("century", lang).say("log.nothing") in line for line in lines)
    assert all(re.fullmatch(r"[^\[\]{}]+ \[C\d+\]", line) for line in lines)
    for recap in match.story.recaps(lang=lang):
        assert re.fullmatch(r"[^\[\]{}]+\.", recap.sentence)


# What is awaited, what a choice would do


def market() -> PositionBuilder:
    """Seat 0 is on K, a market of YY for G."""
    return start().begin("kzzz").market("k", "ginger 1")


def crowd() -> PositionBuilder:
    """Seat 0, on F, has boats of seats 1 and 2 next to it, on K."""
    return start().begin("fkkz").market("k", "ginger 1").hold(0, "YY")


NEEDS: dict[str, Callable[[set[str]], bool]] = {
    "lot": lambda verbs: verbs == {"lot"},
    "placing": lambda verbs: verbs == {"sail"},
    "move": lambda verbs: {"sail", "end"} <= verbs,
    "sailing": lambda verbs: {"sail", "end"} <= verbs and "take" not in verbs,
    "sailing_taking": lambda verbs: {"sail", "end", "take"} <= verbs,
    "dropping": lambda verbs: {"drop", "end"} <= verbs and "take" not in verbs,
    "dropping_taking": lambda verbs: {"drop", "end", "take"} <= verbs,
    "docked": lambda verbs: "end" in verbs and not verbs & {"sail", "drop", "pay", "take"},
    "docked_taking": lambda verbs: {"end", "take"} <= verbs and not verbs & {"sail", "drop", "pay"},
    "must_pay": lambda verbs: "pay" in verbs and bool(verbs & {"sail", "drop"}),
    "must_pay_here": lambda verbs: verbs == {"pay"},
    "cannot_stop": lambda verbs: verbs <= {"sail", "drop"},
    "adrift": lambda verbs: verbs == {"sail"},
    "paying": lambda verbs: verbs == {"pay"},
    "landed": lambda verbs: {"take", "end"} <= verbs,
    "building": lambda verbs: verbs == {"pay"},
    "bonus": lambda verbs: verbs == {"bonus"},
    "market": lambda verbs: {"trade", "end"} <= verbs and "upgrade" not in verbs,
    "upgrading": lambda verbs: verbs == {"upgrade", "end"},
    "upgrading_or_trading": lambda verbs: {"upgrade", "trade", "end"} <= verbs,
    "stowing": lambda verbs: verbs == {"discard"},
}


def key_of(match: Match) -> str:
    """Which prompt is shown."""
    words, shown = words_of("century", "en"), STORY.prompt(scene(match))
    name = match.names[match.turn or 0]
    return next(
        key for key in NEEDS for n in range(40) if words.say(f"prompt.{key}", name=name, n=n) == shown
    )


@pytest.mark.slow
def test_prompts_are_true() -> None:
    """C7, C10, C11, C12, C14, C15, C16, C20, C21: what they ask for may be done, all through random
    matches.
    """
    seen = set()
    for seed in range(5):
        match, chance = comptoir.new("century", seed=seed), random.Random(seed)
        for _ in range(500):
            seen.add(key_of(match))
            assert NEEDS[key_of(match)]({action.split()[0] for action in match.actions()}), key_of(match)
            match.play(chance.choice(match.actions()))
    # rare, and shown below or in test_table
    assert seen >= set(NEEDS) - {
        "cannot_stop",
        "must_pay_here",
        "paying",
        "upgrading",
        "upgrading_or_trading",
        "docked_taking",
    }


@pytest.mark.parametrize(
    ("cubes", "tile", "said"),
    [
        ("GB", "ginger 3", "1 more upgrade."),
        ("YRGB", "ginger 3", "2 more upgrades."),
        ("YYYY", "ginger 1", "2 more upgrades before you trade."),
    ],
)
def test_the_prompt_counts_the_upgrades_that_are_possible(cubes: str, tile: str, said: str) -> None:
    """C22, C24: two tiles, but as few upgrades as the cubes allow; trades are named if there is one."""
    arranged = start().begin("kzzz").market("k", tile).built(0, 2, 2, 2, 2, but="k")
    match = match_at(arranged.bonus(0, upgrade=2).hold(0, cubes).play("build"))
    assert STORY.prompt(scene(match)).endswith(f"you may make {said}")
    ended = STORY.effect(scene(match), CENTURY.decode("end"))
    assert ended == (
        "stop trading; ends your turn" if "trade" in said else "no more upgrades; ends your turn"
    )


def test_a_boat_that_can_only_pay() -> None:
    """C11, C25: on a ring, between two boats, with one cube for a third."""
    t = (
        PositionBuilder(CENTURY.interpreted, box=box_of(map=RING), first=0)
        .begin("dedf")
        .hold(0, "Y")
        .play("sail e")
    )
    match = comptoir.new("century", position=CENTURY.to_dict(t.p), components=tables(map=RING))
    assert match.actions() == ["pay yellow"]
    assert STORY.prompt(scene(match)) == "Anne, pay a cube to each boat here."


def test_a_boat_that_cannot_sail() -> None:
    """C25: it is not told to."""
    t = PositionBuilder(CENTURY.interpreted, box=box_of(map=RING), first=0).begin("edff")
    match = comptoir.new("century", position=CENTURY.to_dict(t.p), components=tables(map=RING))
    assert STORY.prompt(scene(match)) == "Anne, take an action here."


def test_upgrades_that_cannot_be_made_are_not_offered() -> None:
    """C21, C22: with brown cubes only there is nothing to upgrade, but something to trade."""
    t = (
        start()
        .begin("kzzz")
        .market("k", "cloves 1")
        .built(0, 1, 1, 1, 1, but="k")
        .bonus(0, upgrade=1)
        .hold(0, "B")
        .play("build")
    )
    assert STORY.prompt(scene(match_at(t))) == "Anne, trade, or end your turn."
    t = (
        start()
        .begin("kzzz")
        .market("k", "cloves 1")
        .built(0, 1, 1, 1, 1, but="k")
        .bonus(0, upgrade=1)
        .hold(0, "BY")
        .play("build")
    )
    assert STORY.prompt(scene(match_at(t))) == "Anne, you may make 1 more upgrade before you trade."


@pytest.mark.parametrize(
    ("table", "action", "does"),
    [
        (crowd().play("sail k"), "pay yellow", "to Bruno; your move ends here"),
        (crowd().play("sail k", "pay yellow"), "pay yellow", "to Chloé"),
        (
            start().begin("kkfz", seat=2).hold(2, "YY").play("sail k"),
            "pay yellow",
            "to Anne; your move ends here",
        ),
        (
            start().begin("fzzz").lay("k", "YRR").play("sail k"),
            "take red",
            "2 lying here; your move ends here",
        ),
        (start().begin("fzzz").lay("k", "YRR").play("sail k", "take red"), "take red", "1 lying here"),
        (market().outpost("k", 1, 2).hold(0, "YY"), "build", "an outpost here for 2 cubes; then trade: YY→G"),
        (market(), "build", "an outpost here for free; then trade: YY→G"),
        (
            market().built(0, 1, 1, 1, 1).bonus(0, harvest=1),
            "harvest",
            "2 ginger, 1 chili from the supply; ends your turn",
        ),
        (
            crowd().lay("k", "B"),
            "sail k",
            "ginger market: YY→G · 2 boats to pay if you stop · lying there: 1 clove",
        ),
        (crowd().outpost("k", 0).at(1, "z").at(2, "z"), "sail k", "ginger market, your outpost: YY→G"),
        (start().begin("azzz").close("w").owns(1, 12), "sail w", "port, closed"),
        (start().begin("azzz").tile("w", "YYGGG", 11), "sail w", "port: 11 points for 2 ginger, 3 tea"),
    ],
)
def test_what_a_choice_would_do(table: PositionBuilder, action: str, does: str) -> None:
    """C10, C11, C12, C14, C17, C18, C19, C21: by the rules."""
    assert STORY.effect(scene(match_at(table)), CENTURY.decode(action)) == does


def test_one_point_is_one_point() -> None:
    """C31: singular and plural, in both languages."""
    own = {**CENTURY.components.tables, "vp": {**CENTURY.components.tables["vp"], "points": [1] * 26}}
    match = comptoir.new("century", seed=1, components=own)
    assert "1 point for " in match.story.opening()[1]
    assert "1 point pour " in match.story.opening(lang="fr")[1]
    assert [words_of("century", lang).say("score.points", n=0) for lang in LANGUAGES] == [
        "0 points",
        "0 point",
    ]
