"""Golden matches replay to the same bytes, in both modes; counts of play from fixed positions stay what they
are.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from comptoir.engine.game import get_game
from comptoir.engine.mask import new_mask
from comptoir.engine.matchfile import parse
from comptoir.engine.registry import names
from comptoir.testing import golden
from comptoir.testing.fixtures import ruleset_of
from tests.golden import FOLDER

FILES = sorted(FOLDER.glob("*/*.match"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_golden_match_replays(path: Path, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    g = get_game(path.parent.name)
    monkeypatch.setattr(g, "compiled_mode", ruleset_of(g, mode) if mode == "compiled" else None)
    golden.check_golden(g.name, path)


@pytest.mark.parametrize("name", names())
def test_every_ending_and_player_number_has_a_golden_match(name: str) -> None:
    g = get_game(name)
    matches = [parse(path.read_text(encoding="utf-8")) for path in FILES if path.parent.name == name]
    least, most = g.rules.PLAYERS
    assert {match.players for match in matches} == set(range(least, most + 1))
    assert {match.ending for match in matches if match.over} == set(g.rules.ENDINGS[1:])


def counts_of(name: str) -> dict[str, list[int]]:
    """From the position after k random actions (seed k), how many ways there are to play 1, 2, 3 actions
    on.
    """
    path = FOLDER / name / "counts.json"
    counts: dict[str, list[int]] = json.loads(path.read_text(encoding="utf-8"))
    return counts


@pytest.mark.slow
@pytest.mark.parametrize("name", names())
def test_counts_of_play_stay_the_same(name: str) -> None:
    g = get_game(name)
    for key, expected in counts_of(name).items():
        players, actions = map(int, key.split("/"))
        assert count_play(name, players, actions, len(expected)) == expected, f"{g.name} {key}"


def count_play(name: str, players: int, actions: int, depth: int) -> list[int]:
    g, ruleset = get_game(name), get_game(name).compiled
    box, dice, mask = g.components.box, np.array([actions], np.uint64), new_mask(len(g.actions))
    p = g.blank(g.read_options(players=players))
    ruleset.setup(p, box, dice)
    for _ in range(actions):
        if p.turn >= 0:
            ruleset.play(p, box, ruleset.random_action(p, box, mask, dice), dice)
    found = []
    for plies in range(1, depth + 1):
        positions = g.position.array(plies + 1)
        positions[plies] = p
        masks = np.zeros((plies + 1, len(mask)), np.uint64)
        found.append(int(ruleset.perft(positions, box, masks, dice.copy(), plies)))
    return found
