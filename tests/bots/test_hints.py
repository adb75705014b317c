"""What a hint says: the captain's choice first, then others by what they are worth."""

from __future__ import annotations

import random
from typing import Any

import pytest

import comptoir
from comptoir.bots import earlier_views, hints
from comptoir.bots.levels import make
from comptoir.bots.searcher import ActionEstimate, Searcher
from comptoir.engine import registry
from comptoir.engine.recap import ActionStep
from comptoir.engine.scene import Scene
from comptoir.engine.words import LANGUAGES, words_of
from comptoir.engine.worlds import imagined_match


class Sure(Searcher):
    """A captain that has these estimates of whatever it sees."""

    def __init__(self, estimates: list[ActionEstimate]) -> None:
        self.held = estimates

    def analyse(self, *_: Any) -> list[ActionEstimate]:
        return self.held


def test_advice_falls_from_the_choice_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """By visits it comes unsorted; what looks better than the choice, yet was tried less, is left out."""
    chosen, better, worst, next_best = (
        ActionEstimate(3, 0.26, 900),
        ActionEstimate(1, 0.31, 40),
        ActionEstimate(0, 0.12, 30),
        ActionEstimate(2, 0.24, 20),
    )
    hardly = ActionEstimate(4, 0.2, 2)
    captain = Sure([chosen, better, worst, next_best, hardly])
    monkeypatch.setattr(hints, "make", lambda *_, **__: captain)
    match = comptoir.new("batavia", players=3, seed=1)
    assert match.turn is not None
    assert hints.hints(match, match.turn, "seed") == [chosen, next_best, worst]


def test_a_hint_says_what_its_line_of_play_comes_to() -> None:
    match = comptoir.new("century", players=2, seed=1, first=0)
    line = tuple(match.game.action_index(action) for action in ("lot one", "sail d"))
    assert match.turn == 1  # lots are chosen from the last player on
    told = {
        lang: hints.reason(
            match, 1, ActionEstimate(line[0], 0.5, 100, line), words_of("century", lang, packages=("bots",))
        )
        for lang in LANGUAGES
    }
    assert told["en"] == "Expected line: Bruno takes 4 ginger and starts on market D."
    assert told["fr"] == "Ce qu'il prévoit : Bruno prend 4 gingembres et part du marché D."


def test_without_a_line_a_hint_says_what_the_action_does() -> None:
    match = comptoir.new("batavia", players=3, seed=1, first=0)
    bid = match.game.action_index("bid 3")
    words = words_of("batavia", "en", packages=("bots",))
    for line in ((), (bid,)):
        assert hints.reason(match, 0, ActionEstimate(bid, 0.5, 100, line), words) == "Leaves you 12 bills."


def test_what_chance_brings_is_not_foretold() -> None:
    """Marco Polo: the card that would be drawn is in an imagined world only."""
    match = comptoir.new("marco_polo", players=3, seed=1, first=0)
    words = words_of("marco_polo", "en", packages=("bots",))
    draw = match.game.action_index("draw")
    lay = next(action for action in match.actions() if action.startswith("lay"))
    first = match.game.action_index(lay)
    said = hints.reason(match, 0, ActionEstimate(first, 0.5, 100, (first, draw)), words)
    offer = match.game.story.choice(match.scene(0, words), match.game.decode(lay))
    assert said == f"{offer.effect[:1].upper()}{offer.effect[1:]}."
    assert hints.reason(match, 0, ActionEstimate(draw, 0.5, 100, (draw,)), words) == "Ends your turn."


def test_a_line_that_comes_to_nothing_is_not_told() -> None:
    """Sail to India: a turn that only ends does nothing, and the hint says what its action is for."""
    match, chance = comptoir.new("sail_to_india", players=3, seed=1), random.Random(1)
    words = words_of("sail_to_india", "en", packages=("bots",))
    while "anchor" not in match.actions():
        match.play(chance.choice(match.actions()))
    assert match.turn is not None
    anchor, end = match.game.action_index("anchor"), match.game.action_index("end turn")
    said = hints.reason(match, match.turn, ActionEstimate(anchor, 0.5, 100, (anchor, end)), words)
    assert "does nothing" not in said


@pytest.mark.slow
@pytest.mark.parametrize("name", registry.names())
def test_a_line_may_begin_and_break_off_anywhere_in_a_turn(name: str) -> None:
    """Before the step that a dropped cube or a laid card is for, too."""
    words, alone = words_of(name, "en"), set()
    for seed in range(3):
        match, chance = comptoir.new(name, players=3, seed=seed), random.Random(seed)
        steps: list[ActionStep[Scene]] = []
        while not match.over and match.ply < 150:
            seat, before = match.turn, match.scene(match.turn, words)
            match.play(action := chance.choice(match.actions()))
            steps = [] if steps and steps[-1].before.record.turn != seat else steps[-3:]
            steps.append(ActionStep(before, match.action_at(match.ply), match.scene(seat, words)))
            for start in range(len(steps)):
                sentence, _ = match.game.story.recap(steps[start:])
                assert sentence.endswith(".")
            alone.add(action.split()[0])
    assert len(alone) > 3


@pytest.mark.parametrize("name", registry.names())
def test_the_captains_line_is_legal_and_begins_with_its_choice(name: str) -> None:
    match, chance = comptoir.new(name, seed=3), random.Random(3)
    lines = 0
    for _ in range(40):
        if match.over:
            break
        assert match.turn is not None
        if len(match.actions()) > 1 and chance.random() < 0.2:
            best = make("merchant", match.game, match.components, "seed").analyse(  # type: ignore[attr-defined]
                match.seen_by(match.turn), match.ply, earlier_views(match, match.turn)
            )[0]
            assert best.line[0] == best.action
            trial, lines = imagined_match(match, match.turn, "test"), lines + (len(best.line) > 1)
            for action in best.line[:-1]:
                trial.play(action)
                assert trial.turn == match.turn
            trial.play(best.line[-1])
        match.play(chance.choice(match.actions()))
    assert lines


def test_a_hint_says_how_many_points_its_line_gains() -> None:
    """Those that the seat sees on its own score sheet, and nothing where there are none."""
    match, chance = comptoir.new("century", players=2, seed=3), random.Random(3)
    words = words_of("century", "en", packages=("bots",))
    told = {0: "", 1: ""}
    while not match.over and not all(told.values()):
        seat = match.turn
        assert seat is not None
        first = chance.choice(match.actions())
        twin = match.at(match.ply)
        twin.play(first)
        if twin.turn == seat:
            second = chance.choice(twin.actions())
            before = match.score_sheet_for(seat).totals[seat]
            twin.play(second)
            gain = twin.score_sheet_for(seat).totals[seat] - before
            said = hints.expected_line(match, seat, [first, second], words)
            if said and twin.undoable_by() is not None:
                assert ("That gains" in said) == (gain > 0)
                assert gain <= 0 or f"That gains {words.say('score.points', n=gain)}." in said
                told[int(gain > 0)] = said
        match.play(first)
    assert all(told.values())
