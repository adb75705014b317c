"""The end: M30 to M32."""

from __future__ import annotations

import pytest

import comptoir
from comptoir.engine.match import Match
from comptoir.engine.modes import Mode
from comptoir.games.marco_polo import rules
from tests.games.marco_polo.table import DADU, GANZHOU, MARCO_POLO, Table, random_match


def before_dadu(verbs: Mode, *spaces: int) -> Table:
    """Seat 0 stands before Dadu, which it can pay for; the others stand on `spaces`."""
    t = (
        Table(verbs, players=1 + len(spaces), first=0)
        .clear_cards()
        .row("green oil", "green spice", "green silk", "green fruit", "red silk")
    )
    t.give(0, "red oil", "blue oil").space(DADU, "1 good").line_up(DADU - 1, *spaces)
    t.p.scored = 1
    return t


def match_of(t: Table) -> Match:
    """A match that starts from the table's position."""
    t.box = MARCO_POLO.components.box
    return comptoir.new("marco_polo", seed=1, position=MARCO_POLO.plain(t.p))


def still(verbs: Mode, *spaces: int, players: int = 3) -> Table:
    """Seat 1 has all cards in hand and keeps them: it is seat 0's turn, nothing can be drawn, and nobody has gold."""
    t = Table(verbs, players=players, first=0).clear_cards().pile(rest_to=1)
    t.line_up(*spaces)
    t.p.gold[...] = 0
    return t


# Dadu


def test_the_game_ends_at_once_when_a_camel_reaches_dadu(verbs: Mode) -> None:
    """M30: without another card, and nobody decides any more."""
    t = before_dadu(verbs, 20, 19).lay("red oil")
    assert (rules.ENDINGS[t.p.ending], t.p.turn, t.p.phase, t.legal()) == ("dadu", -1, rules.OVER, [])
    assert t.hand(0) == ["blue oil"]
    assert t.sound()


@pytest.mark.parametrize("space", range(20, DADU))
def test_the_gold_of_the_seven_scoring_spaces(verbs: Mode, space: int) -> None:
    """M30: 7 for the city, then 6 to 1 backwards; nothing before."""
    t = before_dadu(verbs, space, GANZHOU)
    t.at(seat0=DADU - 1 if space < DADU - 1 else DADU - 2)
    t.space(DADU - 1, "1 good").p.gold[:3] = 3
    t.lay("red oil")
    assert [row[0] for row in t.scores()] == [10, 3 + max(0, space - (DADU - 7)), 3]


def test_ganzhou_pays_nothing_at_the_end(verbs: Mode) -> None:
    """M30: nor do the spaces before it."""
    t = before_dadu(verbs, GANZHOU, 5).lay("red oil")
    assert [row[0] for row in t.scores()] == [10, 3, 3]


def test_a_match_reaches_dadu(verbs: Mode) -> None:
    """M30: at random, the first camel there ends the match."""
    *_, (t, action) = random_match(verbs, "to the end")
    assert rules.ENDINGS[t.p.ending] == "dadu"
    assert list(t.p.camels[:4, 0]).count(DADU) == 1
    assert action.startswith("lay")


# Winning


def test_most_gold_wins() -> None:
    """M31: though another camel has gone further."""
    t = before_dadu(MARCO_POLO.interpreted, 25, 24)
    t.p.gold[:3] = [1, 6, 3]
    match = match_of(t.lay("red oil"))
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
def test_a_tie_goes_to_who_is_nearest_to_dadu(spaces: tuple[int, int], gold: tuple[int, int, int], winners: list[int]) -> None:
    """M31: who has reached it or stands nearest; on Ganzhou together they share the victory."""
    t = before_dadu(MARCO_POLO.interpreted, *spaces)
    t.p.gold[:3] = gold
    assert match_of(t.lay("red oil")).winners() == winners


def test_with_two_players_the_foremost_camel_breaks_a_tie() -> None:
    """M31, M40: of each player's two."""
    t = Table(MARCO_POLO.interpreted, players=2, first=0).clear_cards().pile("red oil", rest_to=1).row("red oil")
    t.at(seat0=(20, 22), seat1=(21, 18))
    t.p.scored, t.p.turn, t.p.phase, t.p.ending = 1, -1, rules.OVER, rules.STILLNESS
    assert t.scores() == [[3, 22], [3, 21]]
    assert match_of(t).winners() == [0]


# The guard


@pytest.mark.parametrize("players", [2, 3, 5])
def test_ten_still_rounds_end_the_game(verbs: Mode, players: int) -> None:
    """M32: every player passes for ten whole rounds with nothing to draw; the final scoring follows, and the first is not made up for."""
    t = Table(verbs, players=players, first=0).clear_cards().pile(rest_to=1)
    t.p.gold[...] = 0
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


def test_the_final_scoring_follows_stillness(verbs: Mode) -> None:
    """M32, M30: camels before Dadu get their gold."""
    t = still(verbs, 26, 20, 25)
    t.p.scored = 1
    t.play(*["pass"] * 30)
    assert [row[0] for row in t.scores()] == [4, 0, 3]


def test_a_move_starts_the_count_anew(verbs: Mode) -> None:
    """M32: a turn with a step is not a pass, though no card can be drawn after it."""
    t = still(verbs, 4, 9, 3)
    t.play(*["pass"] * 29)
    t.p.gold[2] = 1
    t.play("lighten", "pass")
    assert t.p.still == 0
    t.play(*["pass"] * 29)
    assert t.p.turn >= 0
    t.play("pass")
    assert rules.ENDINGS[t.p.ending] == "stillness"


def test_a_card_drawn_starts_the_count_anew(verbs: Mode) -> None:
    """M32, M17: who lays cards brings them back into play."""
    t = still(verbs, 4, 9, 3).space(10, "1 good").play(*["pass"] * 28)
    t.lay("red oil").play("draw")
    assert t.p.still == 0
    t.play(*["pass"] * 29)
    assert t.p.turn >= 0


def test_nobody_is_made_to_pass_while_there_are_cards(verbs: Mode) -> None:
    """M32, M17: with one open card the count does not begin."""
    t = Table(verbs, players=3, first=0).clear_cards().row("red oil").pile(rest_to=1).line_up(4, 9, 3)
    assert "pass" not in t.legal()
    assert t.play("take red oil").p.still == 0


def test_the_result_names_the_guard() -> None:
    """M32: as the ending of the match."""
    t = still(MARCO_POLO.interpreted, 4, 9, 3)
    match = match_of(t)
    for _ in range(30):
        match.play("pass")
    assert match.ending == "stillness"
    assert "ten rounds" in match.log()[-1]
