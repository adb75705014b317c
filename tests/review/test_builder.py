"""Reviews of recorded matches: what they come to adds up, and they are the same each time."""

from __future__ import annotations

from dataclasses import replace

import pytest

import comptoir
from comptoir import DataError, OptionError
from comptoir.engine import registry
from comptoir.engine.game import get_game
from comptoir.engine.match import Match
from comptoir.engine.matchfile import load
from comptoir.engine.words import LANGUAGES, words_of
from comptoir.review import Review, ReviewBuilder, review, serialize
from comptoir.review.mistake_kinds import MISTAKE_THRESHOLDS
from comptoir.review.model import MIN_SWING, swing
from comptoir.review.page import page
from comptoir.review.texts import ReviewNarrator
from tests.golden import FOLDER
from tests.review.sample_matches import QUICK, finished, last_turns

GOLDEN = {
    "batavia": "shared-victory",
    "century": "four-tiles-4",
    "marco_polo": "three-players",
    "sail_to_india": "india-three-players",
}


@pytest.fixture(scope="module", autouse=True)
def _compiled() -> None:
    for name in registry.names():
        _ = get_game(name).compiled


@pytest.fixture(scope="module", params=GOLDEN)
def reviewed(request: pytest.FixtureRequest) -> tuple[Match, Review]:
    match = load(FOLDER / request.param / f"{GOLDEN[request.param]}.match")
    return match, review(match, QUICK)


@pytest.mark.slow
def test_the_curve_ends_with_the_result(reviewed: tuple[Match, Review]) -> None:
    match, made = reviewed
    winners = match.winners()
    shares = [1 / len(winners) if seat in winners else 0 for seat in range(match.players)]
    assert made.chances[-1] == pytest.approx(shares, abs=1e-3)
    assert len(made.chances) == match.ply + 1
    for chances in made.chances:
        assert sum(chances) == pytest.approx(1, abs=1e-3)
        assert min(chances) >= 0


@pytest.mark.slow
def test_a_loss_has_a_name_only_where_its_whole_interval_does(reviewed: tuple[Match, Review]) -> None:
    match, made = reviewed
    for turn in made.judged_turns:
        assert 0 <= turn.sure_loss <= turn.loss <= 1
        assert (turn.kind == "") == (turn.sure_loss < min(MISTAKE_THRESHOLDS.values()))
    for seat in range(match.players):
        accuracy = made.accuracy(seat)
        assert accuracy is not None
        assert 0 <= accuracy <= 1


@pytest.mark.slow
def test_every_choice_belongs_to_one_judged_turn(reviewed: tuple[Match, Review]) -> None:
    match, made = reviewed
    for ply in range(match.ply):
        turns = [turn for turn in made.judged_turns if turn.first <= ply < turn.last]
        if len(match.at(ply).actions()) > 1:
            (turn,) = turns
            assert turn.seat == made.entries[ply].seat
            assert turn == made.turn_at(ply)
            assert turn.played.actions == tuple(match.played[turn.first : turn.last])


def test_luck_and_choices_lead_from_an_even_share_to_the_result(reviewed: tuple[Match, Review]) -> None:
    match, made = reviewed
    for seat in range(match.players):
        parts = sum(vars(made.breakdown(seat)).values())
        assert made.result is not None
        assert 1 / match.players + parts == pytest.approx(made.result[seat], abs=1e-9)


def test_turning_points_are_the_turns_that_moved_most(reviewed: tuple[Match, Review]) -> None:
    match, made = reviewed
    points = made.turning_points()
    swings = sorted(
        (swing(made.chances[first], made.chances[last]) for first, last in match.story.turn_spans())
    )
    assert sorted(point.swing for point in points) == [one for one in swings[-3:] if one >= MIN_SWING]
    assert [point.first for point in points] == sorted(point.first for point in points)
    for point in points:
        assert (point.first, point.last) in match.story.turn_spans()


@pytest.mark.slow
def test_it_is_told_in_both_languages(reviewed: tuple[Match, Review]) -> None:
    match, made = reviewed
    for lang in LANGUAGES:
        words = words_of(match.game.name, lang, packages=("bots", "review"))
        for turn in ReviewNarrator(match, made, words).turns():
            assert match.names[turn.point.seat] in turn.change
            assert turn.sentence
            assert turn.why
        html = page(match, made, words)
        assert html.startswith("<!doctype html>")
        assert 'src="http' not in html
        assert "<script" not in html


def test_a_text_gives_the_same_review_back(reviewed: tuple[Match, Review]) -> None:
    assert serialize.read(serialize.write(reviewed[1])) == reviewed[1]


def test_a_review_is_the_same_each_time_and_however_often_it_was_stopped() -> None:
    match = last_turns("batavia", 12)
    whole = review(match, QUICK)
    assert review(match, QUICK) == whole
    begun = ReviewBuilder(match, QUICK)
    for _ in range(3):
        begun.step()
    kept = serialize.read(serialize.write(begun.so_far))
    seen: list[int] = []
    assert review(match, QUICK, so_far=kept, progress=lambda now: seen.append(len(now.entries))) == whole
    assert seen[0] == 4, "it goes on from where it was"


def test_another_matchs_review_is_not_gone_on_with() -> None:
    one, other = last_turns("century", 8), last_turns("century", 8, seed=2)
    made = review(one, QUICK)
    assert ReviewBuilder(other, QUICK, so_far=made).so_far.entries == ()
    assert ReviewBuilder(one, "merchant:41", so_far=made).so_far.entries == ()


def test_what_nobody_chose_costs_nobody() -> None:
    """A thrown die is luck: what it did is no part of anyone's choices."""
    match = last_turns("marco_polo", 20)
    made = review(match, QUICK)
    for ply, entry in enumerate(made.entries):
        rolled = match.at(ply + 1).undoable_by() is None
        assert (entry.expected is not None) == rolled
        if not rolled:
            assert all(made.luck(ply, seat) == 0 for seat in range(match.players))


def test_a_win_that_was_thrown_away_is_named() -> None:
    """Batavia: to trade in wins, to keep one's outposts loses, and the match is over: one person kept."""
    whole = finished("batavia", 34)
    thrown = Match("batavia", seed=34, position=whole.at(whole.ply - 1).position())
    seat = thrown.turn
    assert seat is not None
    thrown.play("keep")
    assert thrown.over
    assert seat not in thrown.winners()
    made = review(thrown, QUICK)
    (turn,) = made.costly_turns()
    assert (turn.first, turn.kind, turn.best.actions) == (0, "blunder", ("trade in",))
    (point,) = made.turning_points()
    assert (point.seat, point.costly, point.luck) == (seat, 0, 0)
    assert (point.before, point.after) == pytest.approx((1, 0), abs=0.05)
    words = words_of("batavia", "en", packages=("bots", "review"))
    assert "Better: " in ReviewNarrator(thrown, made, words).turns()[0].why
    account = made.breakdown(seat)
    assert (account.own, account.luck, account.others) == pytest.approx((-1, 0, 0), abs=0.05)


def test_a_running_match_is_not_reviewed() -> None:
    with pytest.raises(OptionError, match="finished"):
        review(comptoir.new("batavia", seed=1), QUICK)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: "", "JSON"),
        (lambda text: "[]", "format"),
        (lambda text: text.replace('"version":2', '"version":1'), "make it anew"),
        (lambda text: text.replace('"players":', '"gamers":'), "is not valid"),
        (lambda text: text.replace('"seat":0', '"seat":9'), "is not valid"),
        (lambda text: text.replace('"result":[', '"result":[7,'), "is not valid"),
        (lambda text: "[" * 100_000, "JSON"),
        (lambda text: text + " " * serialize.MAX_BYTES, "larger"),
    ],
)
def test_a_damaged_review_is_refused_in_a_sentence(change: object, said: str) -> None:
    assert callable(change)
    text = serialize.write(review(last_turns("century", 6), QUICK))
    with pytest.raises(DataError, match=said):
        serialize.read(change(text))


def test_names_are_no_part_of_a_review() -> None:
    match = last_turns("century", 6)
    made = review(match, QUICK)
    match.names[0] = "Somebody"
    assert review(match, QUICK) == made
    assert "Somebody" not in serialize.write(replace(made, seed="s"))
