"""The end: M30 to M32."""

from __future__ import annotations

import pytest

import comptoir
from comptoir.engine.interface import RuleSet
from comptoir.engine.match import Match
from comptoir.games.marco_polo import rules
from tests.games.marco_polo.positions import (
    BOX,
    DADU,
    GANZHOU,
    MARCO_POLO,
    PositionBuilder,
    cards_of,
    played,
    random_match,
)


def before_dadu(ruleset: RuleSet, *spaces: int) -> PositionBuilder:
    """Seat 0 stands before Dadu, which it can pay for; the others stand on `spaces`."""
    t = (
        PositionBuilder(ruleset, players=1 + len(spaces), first=0)
        .clear_cards()
        .row("green oil", "green spice", "green silk", "green fruit", "red silk")
    )
    t.give(0, "red oil", "blue oil").space(DADU, "1 good").line_up(DADU - 1, *spaces)
    t.p.scored = 1
    return t


def match_of(t: PositionBuilder) -> Match:
    """A match that starts from the table's position."""
    t.box = BOX
    return comptoir.new("marco_polo", seed=1, position=MARCO_POLO.to_dict(t.p))


def still(ruleset: RuleSet, *spaces: int, players: int = 3) -> PositionBuilder:
    """Seat 1 has all cards in hand and keeps them: it is seat 0's turn, nothing can be drawn, and nobody has
    gold.
    """
    t = PositionBuilder(ruleset, players=players, first=0).clear_cards().pile(rest_to=1)
    return t.line_up(*spaces).gold(*[0] * players)


def stuck(ruleset: RuleSet, *row: str) -> PositionBuilder:
    """Every space demands one of each colour, and each of three hands lacks some; these cards are still open.

    Nobody has gold.
    """
    t = PositionBuilder(ruleset, players=3, first=0).clear_cards().row(*row).line_up(4, 9, 3).gold(0, 0, 0)
    for space in range(1, DADU + 1):
        t.space(space, "one of each colour")
    for card in cards_of(t.p.pile):
        t.give({"blue": 0, "yellow": 0, "red": 1, "green": 1, "violet": 2}[card.split()[0]], card)
    return t


def may_step(t: PositionBuilder, seat: int) -> bool:
    """Whether a seat could make a step, if it were its turn: by what would be legal."""
    twin = object.__new__(PositionBuilder)
    twin.__dict__ = t.__dict__ | {"p": MARCO_POLO.copy(t.p)}
    return any(action.startswith(("lay", "lighten", "first", "second")) for action in twin.turn(seat).legal())


# Dadu


def test_the_game_ends_at_once_when_a_camel_reaches_dadu(ruleset: RuleSet) -> None:
    """M30: without another card, and nobody decides any more."""
    t = before_dadu(ruleset, 20, 19).lay("red oil")
    assert (rules.ENDINGS[t.p.ending], t.p.turn, t.p.phase, t.legal()) == ("dadu", -1, rules.OVER, [])
    assert t.hand(0) == ["blue oil"]
    assert t.sound()


@pytest.mark.parametrize("space", range(20, DADU))
def test_the_gold_of_the_seven_scoring_spaces(ruleset: RuleSet, space: int) -> None:
    """M30: 7 for the city, then 6 to 1 backwards; nothing before."""
    t = before_dadu(ruleset, space, GANZHOU)
    t.at(seat0=DADU - 1 if space < DADU - 1 else DADU - 2)
    t.space(DADU - 1, "1 good").lay("red oil")
    assert [row[0] for row in t.scores()] == [10, 3 + max(0, space - (DADU - 7)), 3]


def test_ganzhou_pays_nothing_at_the_end(ruleset: RuleSet) -> None:
    """M30: nor do the spaces before it."""
    t = before_dadu(ruleset, GANZHOU, 5).lay("red oil")
    assert [row[0] for row in t.scores()] == [10, 3, 3]


@pytest.mark.slow
def test_a_match_reaches_dadu(ruleset: RuleSet) -> None:
    """M30: at random, the first camel there ends the match."""
    *_, (t, action) = random_match(ruleset, "to the end")
    assert rules.ENDINGS[t.p.ending] == "dadu"
    assert list(t.p.camels[:4, 0]).count(DADU) == 1
    assert action.startswith("lay")


# Winning


def test_most_gold_wins() -> None:
    """M31: though another camel has gone further."""
    t = before_dadu(MARCO_POLO.interpreted, 25, 24)
    match = match_of(t.gold(1, 6, 3).lay("red oil"))
    assert (match.scores(), match.winners(), match.ending) == ([8, 9, 5], [1], "dadu")


@pytest.mark.parametrize(
    ("spaces", "gold", "winners"),
    [
        ((25, 24), (2, 6, 3), [0]),  # 9 each for seats 0 and 1; seat 0 has reached Dadu
        ((25, 24), (0, 6, 7), [1]),  # 9 each for seats 1 and 2; seat 1 is nearer
        ((24, 25), (0, 7, 6), [2]),
        ((20, GANZHOU), (0, 9, 9), [1]),
        ((GANZHOU, GANZHOU), (0, 9, 9), [1, 2]),  # still tied, on Ganzhou
        ((GANZHOU, GANZHOU), (2, 9, 9), [0]),
    ],
)
def test_a_tie_goes_to_who_is_nearest_to_dadu(
    spaces: tuple[int, int], gold: tuple[int, int, int], winners: list[int]
) -> None:
    """M31: who has reached it or stands nearest; on Ganzhou together they share the victory."""
    t = before_dadu(MARCO_POLO.interpreted, *spaces)
    assert match_of(t.gold(*gold).lay("red oil")).winners() == winners


def test_with_two_players_the_foremost_camel_breaks_a_tie() -> None:
    """M31, M40: of each player's two."""
    t = (
        PositionBuilder(MARCO_POLO.interpreted, players=2, first=0)
        .clear_cards()
        .pile("red oil", rest_to=1)
        .row("red oil")
    )
    t.at(seat0=(20, 22), seat1=(21, 18))
    t.p.scored, t.p.turn, t.p.phase, t.p.ending = 1, -1, rules.OVER, rules.STILLNESS
    assert t.scores() == [[3, 22], [3, 21]]
    assert match_of(t).winners() == [0]


# The guard


@pytest.mark.parametrize("players", [2, 3, 5])
def test_ten_still_rounds_end_the_game(ruleset: RuleSet, players: int) -> None:
    """M32: all pass for ten whole rounds with nothing to draw, though one could move; the first scoring is
    not made up for.
    """
    t = PositionBuilder(ruleset, players=players, first=0).clear_cards().pile(rest_to=1).gold(*[0] * players)
    if players == 2:
        t.at(seat0=(14, 13), seat1=(3, 2)).turn(0)
    else:
        t.line_up(14, 13, 3, 2, 1)
        t.p.camels[players:] = 0
        t.p.reached[players:] = 0
    for _ in range(10 * players):
        assert t.p.turn >= 0
        t.play("pass")
    assert (rules.ENDINGS[t.p.ending], t.p.turn, t.p.scored) == ("stillness", -1, 0)
    assert {row[0] for row in t.scores()} == {0}
    assert t.sound()


def test_the_final_scoring_follows_stillness(ruleset: RuleSet) -> None:
    """M32, M30: camels before Dadu get their gold."""
    t = still(ruleset, 26, 20, 25)
    t.p.scored = 1
    t.play(*["pass"] * 30)
    assert [row[0] for row in t.scores()] == [4, 0, 3]


def test_a_move_starts_the_count_anew(ruleset: RuleSet) -> None:
    """M32: a turn with a step is not a pass, though no card can be drawn after it."""
    t = still(ruleset, 4, 9, 3)
    t.play(*["pass"] * 29)
    t.gold(0, 0, 1).play("lighten", "pass")
    assert t.p.still == 0
    t.play(*["pass"] * 29)
    assert t.p.turn >= 0
    t.play("pass")
    assert rules.ENDINGS[t.p.ending] == "stillness"


def test_a_card_drawn_starts_the_count_anew(ruleset: RuleSet) -> None:
    """M32, M17: who lays cards brings them back into play."""
    t = still(ruleset, 4, 9, 3).space(10, "1 good").play(*["pass"] * 28)
    t.lay("red oil").play("draw")
    assert t.p.still == 0
    t.play(*["pass"] * 29)
    assert t.p.turn >= 0


def test_nobody_is_made_to_pass_while_there_are_cards(ruleset: RuleSet) -> None:
    """M32, M17: with one open card the count does not begin."""
    t = (
        PositionBuilder(ruleset, players=3, first=0)
        .clear_cards()
        .row("red oil")
        .pile(rest_to=1)
        .line_up(4, 9, 3)
    )
    assert "pass" not in t.legal()
    assert t.play("take red oil").p.still == 0


def test_the_result_names_the_guard() -> None:
    """M32: as the ending of the match."""
    t = still(MARCO_POLO.interpreted, 4, 9, 3)
    match = match_of(t)
    for _ in range(30):
        match.play("pass")
    assert match.ending == "stillness"
    assert "For 10 rounds everyone has passed" in match.story.log()[-1]


# Nobody can do anything any more


def test_the_game_ends_at_once_when_nobody_can_move_or_draw(ruleset: RuleSet) -> None:
    """M32: with the last card drawn, nobody is asked to pass for nothing; the last scoring follows, and the
    first is not made up for.
    """
    t = stuck(ruleset, "red oil").play("take red oil")
    assert (rules.ENDINGS[t.p.ending], t.p.turn, t.p.scored) == ("deadlock", -1, 0)
    assert [row[0] for row in t.scores()] == [0, 0, 0]
    assert t.sound()


def test_the_last_scoring_follows_a_deadlock(ruleset: RuleSet) -> None:
    """M32, M30: camels before Dadu get their gold.

    Nobody has been on space 28, the next of all three, so gold is no help.
    """
    t = stuck(ruleset, "red oil").line_up(26, 27, 25).gold(0, 1, 2)
    t.p.scored = 1
    assert [row[0] for row in t.play("take red oil").scores()] == [4, 1 + 5, 2 + 3]
    assert rules.ENDINGS[t.p.ending] == "deadlock"


def test_while_there_is_a_card_nobody_is_stuck_for_good(ruleset: RuleSet) -> None:
    """M32, M17: a card still open may change all."""
    t = stuck(ruleset, "red oil", "blue oil").play("take red oil")
    assert t.p.turn == 1
    assert rules.ENDINGS[t.play("take blue oil").p.ending] == "deadlock"


def test_while_somebody_can_lay_cards_all_pass_as_they_like(ruleset: RuleSet) -> None:
    """M32, M16: seat 2 could move; whether it does is its own affair, and nobody is told."""
    t = stuck(ruleset, "red oil").space(5, "1 good").space(10, "3 of one colour").play("take red oil")
    assert t.p.turn == 1
    t.play("pass", "pass", "pass")
    assert (t.p.turn, t.p.still) == (1, 3)


def test_while_somebody_can_lighten_nobody_is_stuck_for_good(ruleset: RuleSet) -> None:
    """M32, M15: with the last gold spent, and nowhere to go, it is over as soon as the turn ends."""
    t = stuck(ruleset, "red oil").gold(0, 0, 1).play("take red oil", "pass")
    assert t.legal() == ["lighten", "pass"]
    t.play("lighten")
    assert (t.legal(), t.p.turn) == (["pass"], 2)
    assert rules.ENDINGS[t.play("pass").p.ending] == "deadlock"


@pytest.mark.parametrize(("second", "ending"), [(10, "deadlock"), (5, "not over")])
def test_with_two_players_either_camel_may_go_on(ruleset: RuleSet, second: int, ending: str) -> None:
    """M32, M40: only when neither can is a player stuck; space 6 demands what seat 0 has."""
    t = (
        PositionBuilder(ruleset, players=2, first=0)
        .clear_cards()
        .row("red oil")
        .at(seat0=(20, second), seat1=(3, 4))
        .turn(0)
        .gold(0, 0)
    )
    for space in range(1, DADU + 1):
        t.space(space, "one of each colour")
    for card in cards_of(t.p.pile):
        t.give(int(card.startswith(("violet", "green"))), card)
    t.space(6, "1 good").play("take red oil")
    assert rules.ENDINGS[t.p.ending] == ending


@pytest.mark.slow
def test_random_matches_end_as_soon_as_nobody_can_do_anything(ruleset: RuleSet, mode: str) -> None:
    """M32: and not before. By what each seat could do if it were its turn, in matches of five, whose hands
    are soon full.
    """
    deadlocks = 0
    for n in range(60 if mode == "compiled" else 8):
        for t, _ in random_match(ruleset, f"stuck {n}", players=5):
            ended = rules.ENDINGS[t.p.ending] == "deadlock"
            if ended or (t.p.phase == rules.TURN and not rules.any_card(t.p) and not t.p.lightened):
                assert ended != any(may_step(t, seat) for seat in range(5))
            deadlocks += ended
    assert deadlocks or mode == "interpreted"


def test_a_deadlock_is_named_and_told() -> None:
    """M32: as the ending of the match, with what it brought."""
    t = stuck(MARCO_POLO.interpreted, "red oil")
    match = played(t, "take red oil")
    assert match.ending == "deadlock"
    assert (
        match.story.log()[-1]
        == "No card is left to draw, and nobody can move: the game ends. Last scoring: nothing for anyone. [M32]"
    )
