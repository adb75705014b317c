"""The table as text, the log, and positions as data."""

from __future__ import annotations

import io
import random
from typing import Any

import pytest
from rich.console import Console

import comptoir
from comptoir.engine.words import LANGUAGES, words_of
from comptoir.errors import DataError
from comptoir.games.century import rules
from tests.games.century.positions import CENTURY, PositionBuilder, tables
from tests.games.century.test_move import RING


def screen(match: Any, lang: str, width: int = 80) -> str:
    """What a seat that decides sees, with prompt and choices."""
    words, story = words_of("century", lang), CENTURY.story
    scene = match.scene(match.turn, words)
    file = io.StringIO()
    console = Console(width=width, file=file)
    console.print(CENTURY.terminal.draw(scene))
    if match.turn is not None:
        console.print(story.prompt(scene))
        for action in scene.choices:
            console.print(words.action(action), story.effect(scene, action))
    return file.getvalue()


@pytest.mark.slow
@pytest.mark.no_cover
@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("components", [None, tables(map=RING)], ids=["first map", "ring"])
def test_every_decision_has_a_screen(lang: str, components: Any) -> None:
    """C33: drawn all through a random match; no line of the map is wider than 80."""
    match, chance = comptoir.new("century", seed=2, players=3, components=components), random.Random(2)
    for _ in range(250):
        text = screen(match, lang)
        assert "{" not in text
        assert all(len(line) <= 80 for line in text.splitlines())
        match.play(chance.choice(match.actions()))


def test_a_wide_map_is_a_list() -> None:
    """C8: every space with those next to it."""
    strip = [[x, y] for x in range(12) for y in (x % 2, x % 2 + 2)]
    own = tables(map={"markets": strip[:20], "ports": strip[20:]})
    match = comptoir.new("century", seed=2, players=2, components=own)
    assert "beside B C" in screen(match, "en", 120)


@pytest.mark.parametrize(
    ("position", "prompt"),
    [
        (lambda t: t, "sail to a space beside yours"),
        (lambda t: t.play("sail f"), "drop a cube to sail on"),
        (lambda t: t.hold(0, "").play("sail f"), "take an action here."),
        (lambda t: t.built(0, 1, 1, 1, 1).bonus(0, move=1).turn(0).play("sail f"), "sail on for free"),
        (lambda t: t.at(1, "f").play("sail f"), "pay a cube to each boat here"),
        (lambda t: t.at(1, "f").at(2, "f").hold(0, "Y").play("sail f"), "you cannot pay the boats here"),
        (
            lambda t: t.built(0, 2, 2, 2, 2, but="k").bonus(0, upgrade=2).play("build"),
            "you may make 2 more upgrades",
        ),
        (lambda t: t.hold(0, "Y" * 10).play("harvest"), "your hold is too full: put back 2 cubes."),
    ],
)
def test_prompts(position: Any, prompt: str) -> None:
    """C10, C11, C20, C21: what is awaited."""
    t = position(PositionBuilder(CENTURY.interpreted).begin("kzzz").market("k", "ginger 1").hold(0, "YYYY"))
    assert prompt in screen(comptoir.new("century", position=CENTURY.to_dict(t.p)), "en")


def test_the_log_of_a_claim() -> None:
    """C17, C18, C30: the tile claimed, the closed-port tile, the new tile, the last round."""
    t = (
        PositionBuilder(CENTURY.interpreted)
        .begin("waaa")
        .close("y")
        .owns(0, 12, 13, 14)
        .tile("w", "YYGGG", 11)
        .hold(0, "YYGGG")
    )
    match = comptoir.new("century", position=CENTURY.to_dict(t.p), seed=1)
    match.play("claim")
    log = match.story.log()
    assert log[0] == "Anne claims the tile of port W for 2 ginger, 3 tea. [C17]"
    assert log[1] == "The closed-port tile moves to port W. [C18]"
    assert log[2].startswith("New at port Y: ")
    assert log[3] == "Anne has a fourth tile: this is the last round. [C30]"


def test_the_log_of_a_payment() -> None:
    """C11: who pays whom."""
    t = PositionBuilder(CENTURY.interpreted).begin("fzkz").hold(0, "YR")
    match = comptoir.new("century", position=CENTURY.to_dict(t.p), seed=1)
    for action in ("sail k", "pay red"):
        match.play(action)
    assert match.story.log(lang="fr") == ["Anne navigue vers K. [C10]", "Anne paie 1 piment à Chloé. [C11]"]


NO_OUTPOSTS: dict[str, list[int]] = {space: [] for space in rules.MARKET_SPACES}
NO_BONUS = dict.fromkeys(rules.KINDS, 0)


def bad(**changes: Any) -> str:
    position = CENTURY.to_dict(PositionBuilder(CENTURY.interpreted).begin().p)
    with pytest.raises(DataError) as error:
        comptoir.new("century", position=position | changes)
    return str(error.value)


def test_positions_that_cannot_be_are_refused() -> None:
    """C1, C6, C14, C15, C20, C2, C4: with what is wrong."""
    full = dict.fromkeys(rules.CUBES, 0)
    assert "hold_size: not the number of cubes in the hold: seat 0" in bad(hold_size=[1, 0, 0, 0])
    assert "hold: more cubes than it can keep" in bad(
        hold=[full | {"red": 11}, full, full, full], hold_size=[11, 0, 0, 0]
    )
    assert "built: not the outposts" in bad(outposts=NO_OUTPOSTS | {"c": [2]})
    assert "bonus: not as many tiles as columns" in bad(
        bonus=[NO_BONUS | {"hold": 1}, NO_BONUS, NO_BONUS, NO_BONUS]
    )
    assert "claimed: not the number" in bad(claimed=[0, 0, 1, 0])
    assert "boats: on no space" in bad(boats=["a", None, "b", "c"])
    assert "markets: not five different" in bad(markets=dict.fromkeys(rules.MARKET_SPACES, "tea 1"))
    assert "bonus_left: not as many" in bad(bonus_left=dict.fromkeys(rules.KINDS, 3))
    assert "ports: not the tiles" in bad(ports=dict.fromkeys(rules.PORTS))
    assert "turn: somebody decides" in bad(turn=None)
    assert "owed: more than can be paid" in bad(phase="paying", owed=2)
    assert "outposts.c: expected a list of numbers from 0 to 3; found [7]" in bad(
        outposts=NO_OUTPOSTS | {"c": [7]}
    )
    assert "there is nothing that the seat to decide could do" in bad(phase="lot")


def test_a_closed_port_tile_that_should_have_come_up() -> None:
    """C4: after six draws it is on a port."""
    t = PositionBuilder(CENTURY.interpreted).begin().draws(6)
    with pytest.raises(DataError, match="the closed-port tile has not come up among the first six"):
        comptoir.new("century", position=CENTURY.to_dict(t.p))
