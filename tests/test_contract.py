"""Every game keeps the contract, for every number of players and every option, in both modes."""

from __future__ import annotations

import io
import json
import random
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import comptoir
from comptoir.cli.score_table import print_sheet
from comptoir.engine import matchfile, notation
from comptoir.engine.game import Game, get_game
from comptoir.engine.interface import RuleSet
from comptoir.engine.mask import new_mask
from comptoir.engine.match import Match, replay
from comptoir.engine.option import FlagOption
from comptoir.engine.scoring import new_scores
from comptoir.engine.words import LANGUAGES, words_of
from comptoir.testing import check_contract
from tests import contract, example_game
from tests.effort import times

# Every line that these matches come by is reached by tests of its own: traced by coverage, they take twice as long.
pytestmark = pytest.mark.no_cover

LONG = 100_000  # compiled matches of a table, in the long run
# and in every run: so many matches, or about so many decisions where matches are long
SHORT, DECISIONS = times(500), times(250_000)
SLOW = times(1_500)  # decisions of a table that the interpreter is asked for
SAVED = times(1)  # matches saved and loaded
MOMENTS = times(12)  # positions of a match that are looked at closely


@pytest.fixture(autouse=True)
def _compiled() -> Iterator[None]:
    """Matches play compiled here; that the interpreter does the same is tested for itself."""
    with example_game.known():
        for name in contract.EVERY_GAME:
            _ = get_game(name).compiled
        yield


@pytest.fixture(params=contract.EVERY_GAME)
def any_game(request: pytest.FixtureRequest) -> Game:
    with example_game.known():
        return get_game(request.param)


def length(g: Game, options: dict[str, Any]) -> int:
    """How many decisions a random match takes."""
    return int(play(g, options, g.compiled, 1)[0][0])


def play(g: Game, options: dict[str, Any], mode: RuleSet, matches: int) -> tuple[Any, ...]:
    """Random matches; their lengths, endings, results and the last positions."""
    positions = g.position.array(2)
    positions[0] = g.blank(g.read_options(**options))
    lengths, endings, results = (
        np.zeros(matches, np.int32),
        np.zeros(matches, np.uint8),
        new_scores(g, matches),
    )
    mode.playouts(
        positions,
        g.components.box,
        77,
        new_mask(len(g.actions)),
        np.zeros(1, np.uint64),
        lengths,
        endings,
        results,
        0,
    )
    return lengths, endings, results, positions


every_table = pytest.mark.parametrize(
    ("name", "options"), [pytest.param(*table[1:], id=table[0]) for table in contract.tables()]
)


@every_table
def test_random_matches_keep_every_promise(name: str, options: dict[str, Any]) -> None:
    """Compiled: thousands of matches."""
    g = get_game(name)
    matches = min(SHORT, DECISIONS // length(g, options))
    check_contract(g, options, g.compiled, seed=10**6, matches=matches)


@pytest.mark.long
@every_table
def test_a_hundred_thousand_matches_keep_every_promise(name: str, options: dict[str, Any]) -> None:
    check_contract(name, options, seed=10**9, matches=LONG)


@every_table
def test_interpreted_matches_keep_every_promise(name: str, options: dict[str, Any]) -> None:
    """Without looks: played on from imagined worlds, which may take long, both modes do the same."""
    g = get_game(name)
    check_contract(g, options, g.interpreted, seed=10**6, matches=2, decisions_each=times(15), looks=0)


@every_table
def test_interpreted_and_compiled_give_the_same_bytes(name: str, options: dict[str, Any]) -> None:
    g = get_game(name)
    matches = max(1, SLOW // length(g, options))
    one, other = play(g, options, g.interpreted, matches), play(g, options, g.compiled, matches)
    assert [part.tobytes() for part in one] == [part.tobytes() for part in other]


def random_match(name: str, options: dict[str, Any], seed: int) -> Match:
    match, chance = comptoir.new(name, seed=seed, **options), random.Random(seed)
    while not match.over:
        match.play(chance.choice(match.actions()))
    return match


@every_table
def test_every_illegal_action_is_refused_by_a_rule_and_changes_nothing(
    name: str, options: dict[str, Any]
) -> None:
    g = get_game(name)
    match, chance = comptoir.new(name, seed=5, **options), random.Random(5)
    every = 1 + length(g, options) // MOMENTS
    while not match.over:
        before, legal = match.records[-1].tobytes(), match.actions()
        for action in g.actions if match.ply % every == 0 else ():
            if action in legal:
                assert match.why_not(action) is None
                continue
            with pytest.raises(comptoir.IllegalAction) as refused:
                match.play(action)
            assert refused.value.rule in known_rules(name)
            assert match.why_not(action, "fr") is not None
        assert match.records[-1].tobytes() == before
        match.play(chance.choice(legal))
    with pytest.raises(comptoir.MatchOver):
        match.play(g.actions[0])


def known_rules(name: str) -> set[str]:
    from comptoir.engine.rulebook import rules_of

    return set(rules_of(name, "en"))


@every_table
def test_matches_survive_saving_and_loading(name: str, options: dict[str, Any]) -> None:
    for seed in range(SAVED):
        match = random_match(name, options, seed)
        again = matchfile.parse(match.text())
        assert again.text() == match.text()
        assert again.records[-1].tobytes() == match.records[-1].tobytes()
        assert (again.scores(), again.winners(), again.ending) == (
            match.scores(),
            match.winners(),
            match.ending,
        )
        assert match.winners()


@every_table
def test_positions_survive_as_plain_data_and_can_be_played_on(name: str, options: dict[str, Any]) -> None:
    match = random_match(name, options, 3)
    for number in range(0, match.ply + 1, 1 + match.ply // MOMENTS):
        then = match.at(number)
        data = json.loads(json.dumps(then.position()))
        again = comptoir.new(name, seed=match.seed, position=data)
        assert again.records[-1].tobytes() == then.records[-1].tobytes()
        assert again.actions() == then.actions()


@every_table
def test_replaying_gives_the_same_bytes_at_every_number(name: str, options: dict[str, Any]) -> None:
    match = random_match(name, options, 11)
    again = replay(comptoir.new(name, seed=11, **options), match.played)
    assert [p.tobytes() for p in again.records] == [p.tobytes() for p in match.records]


@every_table
def test_undo_takes_back_until_something_was_turned_up(name: str, options: dict[str, Any]) -> None:
    match, chance, undone = comptoir.new(name, seed=2, **options), random.Random(2), 0
    while not match.over:
        before, mover = match.records[-1].tobytes(), match.turn
        match.play(action := chance.choice(match.actions()))
        if match.undoable_by() is None:
            with pytest.raises(comptoir.CannotUndo):
                match.undo()
        else:
            assert match.undoable_by() == mover
            assert match.undo() == action
            assert match.records[-1].tobytes() == before
            match.play(action)
            undone += 1
    assert undone


@every_table
def test_a_view_and_a_log_hold_only_what_the_seat_knows(name: str, options: dict[str, Any]) -> None:
    """Re-deals what a seat cannot know, and compares all that it is told: view, choices, reasons, the score
    sheet, the last action and the last turn.
    """
    g, match = get_game(name), random_match(name, options, 8)
    chance = np.array([99], np.uint64)
    for number in range(0, match.ply, 1 + match.ply // MOMENTS):
        then = match.at(number)
        for seat in [None, *range(then.players)]:
            other = then.at(number)
            world = g.seen_by(then.records[-1], then.box, seat)
            g.ruleset.imagine(world, then.box, -1 if seat is None else seat, chance)
            other.replace_record(-1, world)
            assert other.view(seat) == then.view(seat)
            last = max(0, number - 1)
            assert other.story.log(seat, since=last) == then.story.log(seat, since=last)
            assert other.story.recaps(seat, since=last) == then.story.recaps(seat, since=last)
            assert other.story.opening(seat) == then.story.opening(seat)
            assert other.score_sheet_for(seat) == then.score_sheet_for(seat)
            if seat == then.turn:
                assert [other.why_not(a) for a in g.actions] == [then.why_not(a) for a in g.actions]
                assert told_of_choices(other) == told_of_choices(then)


def told_of_choices(match: Match) -> list[str]:
    """What the seat that decides is asked, and what it is told that each choice would do."""
    scene = match.scene(match.turn, words_of(match.game.name, "en"))
    return [
        match.game.story.prompt(scene),
        *(match.game.story.effect(scene, action) for action in scene.choices),
    ]


@every_table
def test_a_log_tells_every_action_in_both_languages(name: str, options: dict[str, Any]) -> None:
    match = random_match(name, options, 4)
    for lang in LANGUAGES:
        for seat in (None, 0):
            log = match.story.log(seat, lang)
            assert len(log) >= match.ply
            assert all(LOG_LINE.fullmatch(line) for line in (*log, *match.story.opening(seat, lang))), (
                "a rule's number stands only at the end"
            )


LOG_LINE = re.compile(r"[^\[\]{}]+( \[[A-Z]+\d+\])?")
SENTENCE = re.compile(r"[^\[\]{}]+[.!]")


@every_table
def test_every_finished_turn_is_retold_in_a_sentence(name: str, options: dict[str, Any]) -> None:
    """The turns follow one another without a gap; the last one ends the match, and says so."""
    match = random_match(name, options, 4)
    for lang in LANGUAGES:
        for seat in (None, 0):
            recaps = match.story.recaps(seat, lang)
            assert [recap.first for recap in recaps] == [0, *(recap.last for recap in recaps[:-1])]
            assert recaps[-1].last == match.ply
            assert all(SENTENCE.fullmatch(recap.sentence) for recap in recaps)
            assert all(SENTENCE.fullmatch(moment.text) for recap in recaps for moment in recap.highlights)
            assert recaps[-1].highlights, "the end of a match is a big moment"


@every_table
def test_a_score_sheet_says_who_won_and_why(name: str, options: dict[str, Any]) -> None:
    match = random_match(name, options, 9)
    sheet = match.score_sheet()
    assert (sheet.totals, sheet.winners, all(sheet.complete)) == (match.scores(), match.winners(), True)
    assert match.score_sheet_for(None) == sheet, "nothing is hidden at the end"
    half = match.at(match.ply // 2)
    assert half.score_sheet().winners == []
    assert half.score_sheet().totals == half.scores()
    for seat in (None, 0):
        told, truth = half.score_sheet_for(seat), half.score_sheet()
        assert all(
            a in (None, b)
            for source in truth.points
            for a, b in zip(told.points[source], truth.points[source], strict=True)
        )


def test_sources_and_tie_breaks_have_words(any_game: Game) -> None:
    for lang in LANGUAGES:
        words = words_of(any_game.name, lang)
        assert all(words.say(f"sources.{source}") for source in any_game.rules.SOURCES)
        for tie_break in any_game.rules.TIE_BREAKS:
            assert words.say(f"tie_breaks.{tie_break}")
            assert "Anne" in words.say(f"decided.{tie_break}", name="Anne", n=1)
        assert words.say("score.unit")
        assert len({words.say("score.points", n=n) for n in (1, 2)}) == 2


def test_action_texts_are_unique_and_read_back(any_game: Game) -> None:
    assert len(set(any_game.actions)) == len(any_game.actions)
    for lang in LANGUAGES:
        words = words_of(any_game.name, lang)
        assert len({words.action(action) for action in any_game.action_table}) == len(any_game.actions)
        for number, action in enumerate(any_game.action_table):
            assert any_game.action_index(action.text) == action.index == number
            assert any_game.decode(action.text) is any_game.decode(number) is action
            assert notation.parse(any_game, words.action(action), lang) == [action.text]
            assert notation.parse(any_game, action.text, lang) == [action.text]


def test_options_that_do_not_exist_or_fit_are_refused(any_game: Game) -> None:
    least, most = any_game.rules.PLAYERS
    wrong: tuple[Any, ...] = (least - 1, most + 1, -1, "many", 0, 2.5)
    for players in wrong:
        with pytest.raises(comptoir.OptionError, match=f"{least} to {most} players"):
            comptoir.new(any_game.name, players=players)
    with pytest.raises(comptoir.OptionError, match="no option 'colour'"):
        comptoir.new(any_game.name, colour="blue")
    for option in any_game.options:
        nonsense: dict[str, Any] = {option.name: "nonsense"}
        with pytest.raises(comptoir.OptionError, match=option.name):
            comptoir.new(any_game.name, **nonsense)
        if isinstance(option, FlagOption):
            on: dict[str, Any] = {option.name: True}
            comptoir.new(any_game.name, **on)


def test_a_position_is_small(any_game: Game) -> None:
    assert any_game.position.dtype.itemsize <= (256 if any_game.name == "batavia" else 384)


def test_words_are_there_in_both_languages(any_game: Game) -> None:
    """Every text has both, with the same values in it."""
    import string

    from comptoir.engine.rulebook import rules_of

    def values(text: str) -> set[str]:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name}

    known = rules_of(any_game.name, "en")
    for key, entry in words_of(any_game.name, "en").texts.items():
        assert set(entry) - {"rule"} == set(LANGUAGES), key
        assert "rule" not in entry or entry["rule"] in known, key
        assert values(entry["en"]) == values(entry["fr"]), key


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_terminal_shows_every_moment_within_80_columns(any_game: Game, lang: str) -> None:
    """The table, the sentence that says what is awaited, and what each choice would do."""
    words, least = words_of(any_game.name, lang), any_game.rules.PLAYERS[0]
    match = random_match(any_game.name, {"players": least}, 6)
    for number in [*range(0, match.ply, 1 + match.ply // MOMENTS), match.ply]:
        then, screen = match.at(number), io.StringIO()
        console = Console(width=80, file=screen)
        for seat in (None, then.turn):
            console.print(any_game.terminal.draw(then.scene(seat, words)))
            print_sheet(then.score_sheet_for(seat), then.names, console, words)
        if then.turn is not None:
            scene = then.scene(then.turn, words)
            assert any_game.story.prompt(scene)
            assert all(isinstance(any_game.story.effect(scene, action), str) for action in scene.choices)
        assert all(then.names[seat] in screen.getvalue() for seat in range(then.players))
        assert max(len(line) for line in screen.getvalue().splitlines()) <= 80
        assert "…" not in screen.getvalue()
