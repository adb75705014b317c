"""Custom bots: a Python class, in a separate process, and any program."""

from __future__ import annotations

from pathlib import Path

import pytest

import comptoir
from comptoir.bots.levels import check
from comptoir.bots.seated import SeatedBot, hello
from comptoir.engine.game import Game

EXAMPLES = Path(__file__).parents[2] / "examples"
EXAMPLE_BOTS = (f"{EXAMPLES}/eager.py:Eager", f"exec {EXAMPLES}/steady")


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    return tmp_path / "mine.py"


def choose(mine: Path, source: str, limit: float = 10.0) -> tuple[str, str]:
    """The first choice of a class MyBot, and the report."""
    mine.write_text(source, encoding="utf-8")
    match = comptoir.new("batavia", seed=3, first=3)
    with SeatedBot(f"{mine}:MyBot", match, 0, "its seed", limit=limit) as chair:
        action = chair.choose()
    return action, chair.report or ""


@pytest.mark.slow
def test_the_examples_play_whole_matches_of_every_game(any_game: Game) -> None:
    match = comptoir.new(any_game.name, seed=5, players=any_game.rules.PLAYERS[0])
    specs = [*EXAMPLE_BOTS, "passer-by"][: match.players]
    for spec in specs:
        check(spec)
    chairs = [SeatedBot(spec, match, seat, f"{seat}") for seat, spec in enumerate(specs)]
    while match.turn is not None:
        match.play(chairs[match.turn].choose())
    for chair in chairs:
        chair.close()
        assert chair.report is None


def test_what_a_bot_is_told_first_has_nothing_of_the_deal(any_game: Game) -> None:
    one, other = comptoir.new(any_game.name, seed="one"), comptoir.new(any_game.name, seed="other")
    assert one.position() != other.position()
    assert hello(one, 1, "its seed") == hello(other, 1, "its seed")


def test_a_bot_has_its_game_its_components_and_its_seed(mine: Path) -> None:
    source = """
from comptoir.bots import Bot
class MyBot(Bot):
    def choose(self, view):
        assert self.seed == "its seed" and self.game.name == view["game"] == "batavia"
        assert self.components.tables["gold"]["seal"] == 2
        return "bid 2"
"""
    assert choose(mine, source) == ("bid 2", "")


def test_a_bot_may_work_on_records(mine: Path) -> None:
    source = """
from comptoir.bots import Bot
class MyBot(Bot):
    def choose_index(self, view, number):
        return self.game.legal(view, self.components.box)[2]
"""
    assert choose(mine, source) == ("bid 2", "")


def test_any_class_with_choose_will_do_and_may_import_its_neighbours(mine: Path) -> None:
    mine.with_name("wisdom.py").write_text("BID = 'bid 2'", encoding="utf-8")
    source = """
import wisdom
from dataclasses import dataclass
@dataclass
class MyBot:
    bid: str = wisdom.BID
    def choose(self, view):
        return self.bid
"""
    assert choose(mine, source) == ("bid 2", "")


def test_what_it_prints_does_not_disturb(mine: Path) -> None:
    source = """
import os
print("loading")
class MyBot:
    def choose(self, view):
        print("thinking")
        os.system("echo deeply")
        return "bid 2"
"""
    assert choose(mine, source) == ("bid 2", "")


def test_its_exception_is_in_the_report(mine: Path) -> None:
    source = """
class MyBot:
    def choose(self, view):
        print("what is a bid?")
        return view["bids"]
"""
    action, report = choose(mine, source)
    assert action in comptoir.new("batavia", seed=3, first=3).actions()
    assert "it ended with status 1" in report
    assert "what is a bid?" in report
    assert report.endswith("KeyError: 'bids'")


@pytest.mark.parametrize("answer", ["3", "None", "[]"])
def test_an_answer_that_is_no_text(mine: Path, answer: str) -> None:
    assert (
        "not an action's text"
        in choose(mine, f"class MyBot:\n    def choose(self, view): return {answer}")[1]
    )


def test_an_endless_loop(mine: Path) -> None:
    _, report = choose(mine, "class MyBot:\n    def choose(self, view):\n        while True: pass", limit=0.2)
    assert "it gave no answer within 0.2 s" in report


def test_it_cannot_reach_the_match(mine: Path) -> None:
    """What it changes in its memory it changes in its own."""
    source = """
from comptoir.bots import Bot
from comptoir.engine.match import Match
class MyBot(Bot):
    def choose(self, view):
        import gc
        assert not [thing for thing in gc.get_objects() if isinstance(thing, Match)]
        self.components.box.gold_seal = 99
        return "bid 2"
"""
    match = comptoir.new("batavia")
    assert choose(mine, source) == ("bid 2", "")
    assert match.box["gold_seal"] == 2


def test_own_components_are_told(mine: Path) -> None:
    mine.write_text("class MyBot:\n    def choose(self, view): return 'bid 2'", encoding="utf-8")
    match = comptoir.new("batavia", seed=3)
    tables = {**match.components.tables, "gold": {**match.components.tables["gold"], "seal": 7}}
    own = comptoir.new("batavia", seed=3, first=3, components=tables)
    source = """
from comptoir.bots import Bot
class MyBot(Bot):
    def choose(self, view):
        return f"bid {self.components.box.gold_seal}"
"""
    mine.write_text(source, encoding="utf-8")
    with SeatedBot(f"{mine}:MyBot", own, 0, "seed") as chair:
        assert chair.choose() == "bid 7"
