"""A match as a programmer uses it, and its file."""

from __future__ import annotations

import copy
import pickle
import random
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import comptoir
from comptoir.engine import registry
from comptoir.engine.match import Match, replay, seed_hash
from comptoir.engine.matchfile import parse
from comptoir.engine.words import words_of

SOME = Path(__file__).parents[1] / "golden" / "batavia" / "all-pass.match"
SVG = "{http://www.w3.org/2000/svg}"


def test_refusals_carry_the_rule_and_change_nothing() -> None:
    match = comptoir.new("batavia", seed=7, first=0)
    with pytest.raises(comptoir.IllegalAction) as refused:
        match.play("draw")
    assert (refused.value.rule, refused.value.action) == ("B11", "draw")
    with pytest.raises(comptoir.UnknownAction, match="did you mean 'lay denmark'"):
        match.play("lay danmark")
    assert match.ply == 0


def test_a_seed_fixes_the_match_and_none_is_random() -> None:
    assert comptoir.new("batavia", seed=7).position() == comptoir.new("batavia", seed="7").position()
    assert comptoir.new("batavia").position() != comptoir.new("batavia").position()


@pytest.mark.parametrize("seed", ["two words", "", "a#b", " x"])
def test_a_seed_is_one_word(seed: str) -> None:
    with pytest.raises(comptoir.OptionError, match="seed"):
        comptoir.new("batavia", seed=seed)


def test_names_are_different_and_as_many_as_players() -> None:
    assert comptoir.new("batavia", players=3, names=["A", "B b", "C"]).names == ["A", "B b", "C"]
    for names in (["A", "B"], ["A", "A", "B"], ["A", "", "B"]):
        with pytest.raises(comptoir.OptionError, match="names"):
            comptoir.new("batavia", players=3, names=names)


def test_seats_that_are_not_there_have_no_view() -> None:
    with pytest.raises(comptoir.OptionError, match="no seat 4"):
        comptoir.new("batavia", players=4).view(4)


def test_a_position_is_refused_with_what_is_wrong() -> None:
    data = comptoir.new("batavia", seed=1).position()
    data["bills"][0] += 1
    with pytest.raises(comptoir.DataError, match="bills: not as many as all started with"):
        comptoir.new("batavia", position=data)
    with pytest.raises(comptoir.OptionError, match="leave out players"):
        comptoir.new("batavia", position=data | {"bills": [15] * 4}, players=4)


def test_at_gives_a_match_of_its_own() -> None:
    match = comptoir.load(SOME)
    early = match.at(10)
    early.play(early.actions()[0])
    assert (early.ply, early.over) == (11, False)
    assert match.text() == comptoir.load(SOME).text()
    with pytest.raises(comptoir.OptionError, match=f"0 to {match.ply}"):
        match.at(match.ply + 1)


def test_nothing_to_undo_at_the_start() -> None:
    with pytest.raises(comptoir.CannotUndo, match="nothing has been played"):
        comptoir.new("batavia").undo()


def test_a_match_shows_itself() -> None:
    match = comptoir.new("batavia", seed=1, first=0)
    assert repr(match) == "<match of batavia, 4 players, 0 actions, Bruno to decide>"
    assert "over" in repr(comptoir.load(SOME))


def test_own_components_travel_with_the_match(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    text = comptoir.new("batavia").game.folder.joinpath("components.toml").read_text(encoding="utf-8")
    own.write_text(text.replace("bills = 15", "bills = 9"), encoding="utf-8")
    match = comptoir.new("batavia", seed=1, components=own)
    assert match.position()["bills"] == [9, 9, 9, 9]
    match.save(tmp_path / "own.match")
    own.unlink()
    assert comptoir.load(tmp_path / "own.match").position()["bills"] == [9, 9, 9, 9]


# Match files


def lines() -> list[str]:
    return SOME.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(
    ("line", "new", "error"),
    [
        (0, "something else", "starts with the line"),
        (2, "game       batvia", "did you mean 'batavia'"),
        (3, "rules      0", "version 0 of the rules of batavia"),
        (4, "players    7", "3 to 5 players"),
        (5, "setup      upside-down", "setup: expected shuffled or open"),
        (5, "set-up     open", "no option 'set-up'"),
        (8, "players    4", "given before, in line 5"),
        (8, "", "no line 'seed'"),
        (9, "seat 1     Anne", "expected seat 0"),
        (14, "3 pass", "it is seat 2's decision here, not seat 3's"),
        (14, "2 draw", "the auction comes first: bid or pass (B11)"),
        (14, "2 fly", "no action of batavia"),
    ],
)
def test_a_damaged_file_is_refused_with_the_line_and_the_reason(line: int, new: str, error: str) -> None:
    text = lines()
    text[line] = new
    with pytest.raises(comptoir.MatchFileError) as refused:
        parse("\n".join(text))
    assert error in str(refused.value)
    if new:
        assert refused.value.line == line + 1


def test_actions_after_the_end_are_refused() -> None:
    text = lines()
    with pytest.raises(comptoir.MatchFileError, match="over before this action"):
        parse("\n".join([*text, "0 pass"]))


def test_a_file_that_is_no_text_or_is_not_there_is_refused(tmp_path: Path) -> None:
    bad = tmp_path / "bad.match"
    bad.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(comptoir.MatchFileError, match="UTF-8"):
        comptoir.load(bad)
    with pytest.raises(comptoir.MatchFileError, match="cannot be read"):
        comptoir.load(tmp_path / "none.match")
    with pytest.raises(comptoir.MatchFileError, match="starts with the line"):
        parse("")


@settings(max_examples=60, deadline=None)
@given(st.randoms(use_true_random=False))
def test_whatever_happens_to_a_file_is_answered_with_a_line(chance: random.Random) -> None:
    """Characters lost, doubled or replaced: the file is a match all the same, or refused with its line."""
    text = "\n".join(lines()[:60])
    for _ in range(chance.randint(1, 3)):
        place = chance.randrange(len(text))
        text = (
            text[:place] + chance.choice(["", "\n", " ", "#", "9", "é", text[place] * 2]) + text[place + 1 :]
        )
    line = 1
    try:
        parse(text)
    except comptoir.MatchFileError as error:
        line = error.line
    assert 1 <= line <= len(text.splitlines()) + 1


def test_comments_and_blank_lines_do_not_count() -> None:
    text = lines()
    text[14] = "  2   pass   # he has enough cards\n\n# and so has she"
    assert parse("\n".join(text)).text() == comptoir.load(SOME).text()


@pytest.mark.parametrize("name", registry.names())
def test_a_notebook_shows_the_board(name: str) -> None:
    match = comptoir.new(name, seed=7)
    picture = ElementTree.fromstring(match._repr_svg_())
    assert picture.tag == f"{SVG}svg"
    assert picture.findtext(f"{SVG}title") == words_of(name, "en").say("game.title")
    assert picture.find(f".//{SVG}g[@class='piece']") is not None


# What it knows of itself


def played_out() -> Match:
    """A whole random match."""
    match, chance = comptoir.new("batavia", seed=7, players=3, first=0), random.Random(1)
    while not match.over:
        match.play(chance.choice(match.actions()))
    return match


def test_what_a_match_says_is_of_the_last_position() -> None:
    match = played_out()
    replayed = comptoir.new("batavia", seed=7, players=3, first=0)
    for ply, action in enumerate(match.played):
        p = replayed.records[-1]
        assert (replayed.ply, replayed.turn, replayed.turn) == (ply, int(p.turn), int(p.turn))
        assert replayed.position()["turn"] == replayed.turn
        assert (replayed.ending, replayed.winners()) == (None, [])
        assert len(replayed.rolled) == ply
        replayed.play(action)
        assert replayed.action_at(ply + 1) == match.game.decode(match.game.action_index(action))
    assert match.text() == replayed.text() == replay(match.at(0), match.played).text()
    assert (match.turn, match.ending) == (None, match.position()["ending"])


def test_points_are_those_of_now_and_winners_have_most() -> None:
    match = played_out()
    sheet = match.score_sheet()
    assert match.scores() == sheet.totals
    assert match.winners() == sheet.winners == [sheet.totals.index(max(sheet.totals))]
    early = match.at(60)
    assert early.scores() == early.score_sheet().totals != match.scores()
    assert all(early.score_sheet().complete)
    for seat in (0, 1, 2):
        known = early.score_sheet_for(seat)
        assert known == early.game.score_sheet(early.seen_by(seat), early.box, seat)
        assert not all(known.complete)


def test_a_tie_is_won_by_whoever_has_the_tie_break() -> None:
    """Not by the points alone."""
    match = played_out()
    scores, last = [(3, 1), (3, 2), (1, 9)], match.records[-1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(match.game, "scores", lambda p, box: scores if p is last else scores[1:] + scores[:1])
        assert (match.scores(), match.winners()) == ([3, 3, 1], [1])


def test_a_view_has_the_actions_of_whoever_decides() -> None:
    match = played_out().at(60)
    for seat in (0, 1, 2, None):
        view = match.view(seat)
        assert (view["ply"], view["seat"]) == (60, seat)
        assert view["actions"] == (match.actions() if seat == match.turn else [])
        assert view["position"] == match.game.to_dict(match.seen_by(seat))
        assert (
            match.seen_by(seat).tobytes() == match.game.seen_by(match.records[60], match.box, seat).tobytes()
        )
        assert match.view_at(40, seat) == match.at(40).view(seat)


@pytest.mark.parametrize("seat", [-1, 3])
def test_a_seat_that_is_not_there_is_refused(seat: int) -> None:
    match = comptoir.new("batavia", players=3)
    words = words_of("batavia", "en")
    for ask in (match.view, match.seen_by, match.score_sheet_for, lambda seat: match.scene(seat, words)):
        with pytest.raises(comptoir.OptionError, match=f"no seat {seat}: seats are 0 to 2"):
            ask(seat)


def test_why_an_action_is_refused() -> None:
    match = comptoir.new("batavia", seed=7, first=0)
    assert match.why_not(match.actions()[0]) is None
    with pytest.raises(comptoir.IllegalAction) as refused:
        match.play("draw")
    rule, sentence = match.why_not("draw") or ("", "")
    assert rule == refused.value.rule
    assert sentence in str(refused.value)
    assert match.why_not("draw", "fr") not in (None, (rule, sentence))
    assert match.why_not("bid 3") is None
    match.play("bid 4")
    assert match.why_not("bid 3") is not None
    with pytest.raises(comptoir.MatchOver):
        played_out().why_not("pass")


def test_what_turned_nothing_up_can_be_taken_back() -> None:
    match = played_out()
    for ply in range(match.ply + 1):
        now = match.at(ply)
        for back in (1, 2, 3):
            taken_back = match.rolled[max(0, ply - back) : ply]
            may = ply >= back and not any(taken_back)
            assert now.undoable_by(back) == (int(match.records[ply - back].turn) if may else None)
        if ply == 0:
            continue
        if match.rolled[ply - 1]:
            with pytest.raises(comptoir.CannotUndo, match="turned something up"):
                now.undo()
        else:
            assert now.undo() == match.played[ply - 1]
            assert now.text() == match.at(ply - 1).text()
            assert now.position() == match.at(ply - 1).position()
            assert now.rolled == match.rolled[: ply - 1]
    assert any(match.rolled)


def test_only_positions_there_were_are_gone_back_to() -> None:
    match = played_out()
    for ply in (0, match.ply):
        assert (match.at(ply).ply, len(match.at(ply).records)) == (ply, ply + 1)
    for ply in (-1, match.ply + 1):
        with pytest.raises(comptoir.OptionError, match=f"0 to {match.ply}, not {ply}"):
            match.at(ply)


def test_turns_end_where_the_game_says() -> None:
    """Whichever was asked about last."""
    match = played_out()
    order = random.Random(2).sample(range(1, match.ply + 1), match.ply)
    found = {ply: (match.ended_turn(ply), match.ended_turn(ply)) for ply in order}
    ends = {ply: match.game.ends_turn(match.records[ply - 1], match.records[ply]) for ply in order}
    assert found == {ply: (end, end) for ply, end in ends.items()}
    assert len(set(ends.values())) == 2


def test_a_copy_goes_on_by_itself() -> None:
    match = played_out().at(60)
    for twin in (copy.deepcopy(match), pickle.loads(pickle.dumps(match))):
        assert twin.text() == match.text()
        assert [p.tobytes() for p in twin.records] == [p.tobytes() for p in match.records]
        twin.play(twin.actions()[0])
        assert (twin.ply, match.ply) == (61, 60)


def test_a_position_brings_its_options() -> None:
    match = comptoir.new("batavia", seed=3, players=3, first=2, open_bills="yes")
    again = comptoir.new("batavia", position=match.position())
    assert again.options == match.options
    assert again.records[0].tobytes() == match.records[0].tobytes()


def test_another_world_stands_in_for_a_position() -> None:
    match = comptoir.new("batavia", seed=3, players=3)
    other = comptoir.new("batavia", seed=4, players=3).records[0]
    match.replace_record(0, other)
    assert match.records[0] is other


def test_a_story_is_of_the_match() -> None:
    match = comptoir.new("batavia", seed=3, players=3)
    assert match.story.match is match


def test_nobody_guesses_a_seed() -> None:
    """128 bits."""
    seeds = {comptoir.new("batavia").seed for _ in range(3)}
    assert len(seeds) == 3
    assert {len(seed) for seed in seeds} == {32}
    assert seed_hash("7") != seed_hash("8")
    assert len(seed_hash("7")) == 64
