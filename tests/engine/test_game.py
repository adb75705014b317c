"""A game as the rest of Comptoir sees it: its options, positions, actions, scores and modes."""

from __future__ import annotations

import copy
import pickle
import random
from pathlib import Path

import pytest

from comptoir.engine.dice import dice_for
from comptoir.engine.game import Game, GameModule, get_game
from comptoir.engine.match import Match
from comptoir.errors import DataError, IllegalAction, OptionError, UnknownAction, UnknownGame


def random_match(game: Game, plies: int = 10**6) -> Match:
    match, chance = Match(game.name, seed=5), random.Random(3)
    while not match.over and match.ply < plies:
        match.play(chance.choice(match.actions()))
    return match


def test_there_is_one_of_each_game(any_game: Game) -> None:
    assert get_game(any_game.name) is any_game
    assert copy.deepcopy(any_game) is pickle.loads(pickle.dumps(any_game)) is any_game
    assert repr(any_game) == f"<game {any_game.name}>"
    with pytest.raises(UnknownGame, match="did you mean 'batavia'"):
        get_game("batavai")


def test_a_module_is_the_games_own_or_the_default() -> None:
    game = get_game("batavia")
    assert game.part("why") is game.part("why")
    own = game.own_module("why")
    assert own is not None
    assert game.part("why").why_not is own.why_not
    assert game.own_module("nothing") is None
    with pytest.raises(AttributeError, match=r"batavia: rules.py has no nothing"):
        game.part("rules").nothing  # noqa: B018  asking is what is tested
    with pytest.raises(AttributeError, match="nothing"):
        game.part("rules").nothing  # noqa: B018  and again


def test_an_evaluation_without_weights_is_the_default_one(tmp_path: Path) -> None:
    game = Game("batavia")  # one of its own: it loses its folder
    own, with_weights, without = (
        game.own_module("evaluation"),
        *(GameModule(game, "evaluation") for _ in "ab"),
    )
    assert own is not None
    assert game.components is not None  # read while its folder is there
    assert with_weights.evaluate is own.evaluate
    game.folder = tmp_path
    assert without.evaluate is not own.evaluate
    assert without.rollout_action is not own.rollout_action


def test_options_are_read_in_words(any_game: Game) -> None:
    least, most = any_game.rules.PLAYERS
    assert any_game.read_options()["players"] == str(any_game.rules.DEFAULT_PLAYERS)
    for players in range(least, most + 1):
        options = any_game.read_options(players)
        assert options["players"] == str(players)
        assert list(options) == ["players", *(option.name for option in any_game.options)]
        p = any_game.blank(options)
        assert int(p.players) == players
        for option in any_game.options:
            assert p[option.name] == option.read(options[option.name], players)[0]
    for wrong in (least - 1, most + 1, "many"):
        with pytest.raises(OptionError, match=f"is for {least} to {most} players, not {wrong!r}"):
            any_game.read_options(wrong)
    name = any_game.options[0].name
    with pytest.raises(OptionError, match=f"did you mean '{name}'"):
        any_game.read_options(**{f"{name}s": "x"})


def test_a_position_follows_from_seed_and_action(any_game: Game) -> None:
    box, options = any_game.components.box, any_game.read_options()
    first = any_game.initial_position(options, "5", box)
    expected = any_game.blank(options)
    any_game.interpreted.setup(expected, box, dice_for("5", 0))
    assert first.tobytes() == expected.tobytes() != any_game.initial_position(options, "6", box).tobytes()
    match = random_match(any_game)
    for ply, before in enumerate(match.records[:-1]):
        action, dice = match.action_at(ply + 1).index, dice_for(match.seed, ply + 1)
        unchanged, word = before.tobytes(), int(dice[0])
        after, rolled = any_game.next_position(before, box, action, dice)
        assert after.tobytes() == match.records[ply + 1].tobytes()
        assert before.tobytes() == unchanged
        assert rolled == (int(dice[0]) != word) == match.rolled[ply]
    assert True in match.rolled
    assert False in match.rolled


def test_a_position_comes_back_from_data_and_from_views(any_game: Game) -> None:
    match, box = random_match(any_game, 30), any_game.components.box
    p, plain = match.records[-1], match.position()
    assert any_game.position_from_dict(plain, box).tobytes() == p.tobytes()
    for seat in (*range(match.players), None):
        seen = any_game.position_from_view(match.view(seat), box)
        assert seen.tobytes() == any_game.seen_by(p, box, seat).tobytes()
        open_view = match.view(seat) | {"position": plain}
        assert any_game.position_from_view(open_view, box).tobytes() == seen.tobytes()
    with pytest.raises(DataError):
        any_game.position_from_dict(plain | {"ending": 7}, box)


def test_what_a_viewer_sees_is_hidden_until_the_end(any_game: Game) -> None:
    match, box = random_match(any_game), any_game.components.box
    early, over = match.records[20], match.records[-1]
    for seat in (None, 0):
        hidden = any_game.copy(early)
        any_game.interpreted.hide(hidden, box, -1 if seat is None else seat)
        seen = any_game.seen_by(early, box, seat)
        assert seen is not early
        assert seen.tobytes() == (early if any_game.all_open else hidden).tobytes()
        assert any_game.seen_by(over, box, seat).tobytes() == over.tobytes()
    row = any_game.observe(early, box, None)
    assert row.tobytes() == any_game.observe(any_game.seen_by(early, box, None), box, 0).tobytes()
    assert row.tobytes() != any_game.observe(early, box, 1).tobytes()


def test_actions_have_numbers_and_texts(any_game: Game) -> None:
    for number, text in enumerate(any_game.actions):
        assert any_game.action_index(text) == number == any_game.decode(number).index
    with pytest.raises(UnknownAction, match=f"is no action of {any_game.name}, did you mean"):
        any_game.decode(any_game.actions[0] + "x")


def test_an_action_is_legal_or_refused_with_a_rule(any_game: Game) -> None:
    match, box = random_match(any_game), any_game.components.box
    for p in (*match.records[::9], match.records[-1]):
        legal = any_game.legal(p, box)
        assert bool(legal) == (p.turn >= 0)
        if not legal:
            continue
        assert any_game.why_not(p, box, legal[0]) is None
        other = next(number for number in range(len(any_game.actions)) if number not in legal)
        why = any_game.why_not(p, box, other)
        assert why is not None
        refusal = any_game.refusal(p, box, other, "game 3: ")
        assert isinstance(refusal, IllegalAction)
        assert (refusal.action, refusal.rule) == (any_game.actions[other], why[0])
        assert "game 3: " in str(refusal)
        for number in (-1, len(any_game.actions)):
            refusal = any_game.refusal(p, box, number, "game 3: ")
            assert isinstance(refusal, UnknownAction)
            assert f"game 3: actions of {any_game.name} are 0 to {len(any_game.actions) - 1}" in str(refusal)


def test_a_score_sheet_adds_up_to_the_scores(any_game: Game) -> None:
    match, box = random_match(any_game), any_game.components.box
    for ply in (0, 30, match.ply):
        p = match.records[ply]
        sheet, rows = any_game.score_sheet(p, box, everything=True), any_game.scores(p, box)
        assert sheet.totals == [row[0] for row in rows]
        assert len(rows) == match.players
        assert list(sheet.points) == list(any_game.rules.SOURCES)
        assert list(sheet.tie_breaks) == list(any_game.rules.TIE_BREAKS)
        for nth, numbers in enumerate(sheet.tie_breaks.values()):
            assert numbers == [row[1 + nth] for row in rows]
        assert bool(sheet.winners) == (ply == match.ply)
        if ply < match.ply:
            assert sheet.decided is None
    sheet = any_game.score_sheet(match.records[-1], box)
    assert {sheet.totals[seat] for seat in sheet.winners} == {max(sheet.totals)}


def test_a_sheet_shows_what_its_viewer_may_see() -> None:
    """Bills are hidden in Batavia, but one's own."""
    game = get_game("batavia")
    match = random_match(game, 30)
    p, box = match.records[-1], game.components.box
    for viewer in (0, None):
        sheet = game.score_sheet(p, box, viewer)
        full = game.score_sheet(p, box, viewer, everything=True)
        assert None in [points for row in sheet.points.values() for points in row]
        assert None not in [points for row in full.points.values() for points in row]
        for name, row in sheet.points.items():
            for seat, points in enumerate(row):
                visible = game.rules.score_visible(p, viewer, seat, list(sheet.points).index(name))  # type: ignore[attr-defined]
                assert points == (full.points[name][seat] if visible else None)


def test_a_game_that_stays_interpreted_compiles_nothing() -> None:
    game = Game("century")
    assert game.ruleset is game.interpreted
    game.stay_interpreted()
    assert game.compiled is game.interpreted is game.ruleset


def test_components_of_a_file_and_of_tables_are_checked(tmp_path: Path) -> None:
    game = get_game("batavia")
    assert game.read_components(None) is game.components
    text = (game.folder / "components.toml").read_text(encoding="utf-8")
    file = tmp_path / "mine.toml"
    file.write_text(text.replace("seal = 2", "seal = 4"), encoding="utf-8")
    for given in (file, str(file), game.read_components(file).tables):
        made = game.read_components(given)
        assert made.digest != game.components.digest
    file.write_text(text + "\nnonsense = 1\n", encoding="utf-8")
    with pytest.raises(DataError, match="nonsense"):
        game.read_components(file)
