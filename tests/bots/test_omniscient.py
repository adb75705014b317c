"""The bots that see what nobody may see, by which bench/omniscient.py measures luck: that they see it, and that no
page and no command offers them.
"""

from __future__ import annotations

import random
import sys

import numpy as np
import pytest

from comptoir.bots.levels import LEVELS, read
from comptoir.engine import modes
from comptoir.engine.dice import first_word
from comptoir.engine.game import get_game
from comptoir.engine.interface import imagine, play
from comptoir.engine.match import Match
from comptoir.errors import OptionError
from tests.scripts import script


@pytest.mark.parametrize("name", ["batavia", "century", "marco_polo", "sail_to_india"])
def test_fate_is_what_the_match_turns_up(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Played in a search with the match's words, the same actions lead to the same positions; and the searcher's own
    dice stay as they were.
    """
    omniscient = script("bench/omniscient.py")
    monkeypatch.setitem(sys.modules, "omniscient", omniscient)
    game, chance = get_game(name), random.Random(4)
    match = Match(name, seed="fate")
    for _ in range(30):
        match.play(chance.choice(match.actions()))
    foreseen = modes.Mode(name, game.part, instead=omniscient.fated(game))
    dice = np.zeros(omniscient.TO_COME + 64, np.uint64)
    dice[omniscient.OWN], dice[omniscient.STEPS] = 5, 7
    dice[omniscient.TO_COME :] = [first_word(match.seed, match.ply + 1 + step) for step in range(64)]
    world = game.copy(match.records[-1])
    foreseen.bind(imagine)(world, match.box, match.turn or 0, dice)
    for _ in range(60):
        if match.turn is None:
            break
        action = chance.choice(match.actions())
        match.play(action)
        foreseen.bind(play)(world, match.box, game.action_index(action), dice)
        assert world.tobytes() == match.records[-1].tobytes()
    assert dice[omniscient.OWN] == 5


def test_nobody_can_sit_down_to_play_against_one() -> None:
    assert not {"hands", "fate"} & set(LEVELS)
    with pytest.raises(OptionError):
        read("captain that sees fate")
