"""examples/lots: a small game from another package, on what is plain. Its rules, and everywhere it is played."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import comptoir
from comptoir.engine import registry, rulebook
from comptoir.engine.choice import Choice
from comptoir.engine.dice import dice_for
from comptoir.engine.game import Game, get_game
from comptoir.engine.interface import evaluate
from comptoir.engine.match import Match, replay
from comptoir.engine.scoring import new_points
from comptoir.research import Batch
from comptoir.web.page_words import page_words
from tests import example_game
from tests.conftest import Run
from tests.web.app_harness import AppHarness, in_app

TESTS = Path(__file__).parents[1]
MAX_LINES = 320


@pytest.fixture(autouse=True)
def _known() -> Iterator[None]:
    with example_game.known():
        yield


@pytest.fixture
def lots() -> Game:
    return get_game("lots")


def begun(players: int = 3, **position: Any) -> Match:
    """A match from its start, seat 0 first, with some of the position as a test wants it."""
    match = comptoir.new("lots", players=players, seed=1, first=0)
    if not position:
        return match
    start = match.position()
    for held in position.get("goods", []):
        start["cargo"] = {good: n - held[good] for good, n in start["cargo"].items()}
    return comptoir.new("lots", seed=1, position=start | position)


def test_its_actions_are_offered_in_their_own_words(lots: Game) -> None:
    """Grouped by kind; a bid is a number that can be counted up to."""
    scene = begun().scene(0, page_words("lots", "fr"))
    offers = {action.text: lots.story.choice(scene, action) for action in scene.choices}
    assert offers["pass"] == Choice("Passer", "vous ne misez plus pour ce lot", "pass")
    assert offers["bid 3"] == Choice("Miser 3", "", "bid", amount=3)


# Its rules


def test_the_box_and_the_start() -> None:
    """L1, L2, L3: nine of each good, twenty coins, an order each; three goods lie open."""
    start = begun(6).position()
    assert start["coins"] == [20] * 6
    assert sum(start["lot"].values()) == 3
    assert {good: start["cargo"][good] + start["lot"][good] for good in start["lot"]} == {
        "tea": 9,
        "silk": 9,
        "pepper": 9,
        "indigo": 9,
    }
    assert all(start["order"].count(good) <= 2 for good in start["lot"])
    assert None not in start["order"]


def test_an_order_is_a_secret() -> None:
    """L2: others see neither it nor what it is worth, until the end."""
    match = begun(goods=[{"tea": 1, "silk": 1, "pepper": 1, "indigo": 1}] * 3)
    own = match.position()["order"]
    assert match.view(1)["position"]["order"] == [None, own[1], None]
    assert match.view(None)["position"]["order"] == [None] * 3
    assert match.score_sheet_for(1).points["orders"] == [None, 2, None]
    while not match.over:
        match.play("pass")
    assert match.view(1)["position"]["order"] == own
    assert match.score_sheet_for(1).points["orders"] == [2, 2, 2]


def test_any_orders_that_fit_are_imagined(lots: Game) -> None:
    """L2: in turn every good, never a third of one."""
    match, seen = begun(6), set()
    for seed in range(200):
        world = lots.seen_by(match.records[0], match.box, 0)
        lots.interpreted.imagine(world, match.box, 0, dice_for(str(seed), 0))
        assert lots.rules.violated_invariant(world, match.box) == (0, 0)
        seen |= {int(good) for good in world["order"][1:]}
    assert seen == {0, 1, 2, 3}


def test_bids_rise_and_who_passes_is_out() -> None:
    """L4: more than the last bid, up to what one has."""
    match = begun(coins=[5, 20, 8])
    assert match.actions() == ["pass", *(f"bid {n}" for n in range(1, 6))]
    replay(match, ["bid 5", "bid 6"])
    assert match.actions() == ["pass", "bid 7", "bid 8"]
    refusal = match.why_not("bid 6")
    assert refusal == ("L4", "you cannot do this now")
    replay(match, ["pass", "pass"])
    assert match.position()["sold"] == 1


def test_the_highest_bid_takes_the_lot() -> None:
    """L5: at once when the others are out; and the next player begins."""
    match = begun()
    lot = match.position()["lot"]
    now = replay(match, ["bid 3", "pass", "pass"]).position()
    assert now["goods"][0] == lot
    assert (now["coins"], now["turn"], now["bid"], now["bidder"]) == ([17, 20, 20], 1, 0, None)


def test_the_last_one_may_still_bid() -> None:
    """L4, L5: when all others have passed without a bid."""
    match = replay(begun(), ["pass", "pass", "bid 1"])
    assert match.position()["coins"] == [20, 20, 19]


def test_a_lot_that_nobody_wants_goes_overboard() -> None:
    """L6: it is nowhere any more."""
    match = replay(begun(), ["pass"] * 3)
    now = match.position()
    assert sum(now["cargo"].values()) + sum(now["lot"].values()) == 36 - 3
    assert now["coins"] == [20] * 3


def test_points() -> None:
    """L7, L8: coins, goods, orders and sets after eight lots; a tie is shared."""
    goods = [dict.fromkeys(("tea", "silk", "pepper", "indigo"), n) for n in (2, 0, 0)]
    goods[0]["tea"] = 3
    match = begun(goods=goods, order=["tea", "silk", "silk"], coins=[1, 9, 9], sold=7)
    replay(match, ["pass"] * 3)
    sheet = match.score_sheet()
    assert {source: row[0] for source, row in sheet.points.items()} == {
        "coins": 1,
        "goods": 27,
        "orders": 6,
        "sets": 8,
    }
    assert (match.ending, match.winners()) == ("sold out", [0])
    tied = replay(begun(sold=7), ["pass"] * 3)
    assert tied.winners() == [0, 1, 2]


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"cargo": {"tea": 200, "silk": 9, "pepper": 9, "indigo": 9}}, "goods: too many"),
        ({"cargo": {"tea": 0, "silk": 0, "pepper": 0, "indigo": 1}}, "cargo: too little"),
        ({"order": ["tea", "tea", "tea"]}, "order: too many"),
    ],
)
def test_a_position_that_cannot_be_is_refused(wrong: dict[str, Any], told: str) -> None:
    """L1, L2, L3: by the invariants of rules.py."""
    with pytest.raises(comptoir.DataError, match=told):
        begun(**wrong)


def test_a_box_with_too_little_cargo_is_refused(lots: Game) -> None:
    """L1, L3: for eight lots of three."""
    tables = lots.components.tables
    with pytest.raises(comptoir.DataError, match="fewer goods than the lots need"):
        lots.read_components({**tables, "cargo": {**tables["cargo"], "tea": 0, "silk": 0}})


def test_every_rule_has_code_and_a_test() -> None:
    assert rulebook.gaps("lots", rulebook.check("lots", TESTS)) == []


def test_it_is_small() -> None:
    folder = registry.folder("lots")
    assert (
        sum(len(path.read_text().splitlines()) for path in folder.glob("*.*") if path.suffix != ".pyi")
        < MAX_LINES
    )


# Where it is played


def test_in_the_terminal(run: Run) -> None:
    status, out, err = run(
        "play", "lots", "--players", "6", "--bots", "passer-by", "--seed", "5", answers="bid 3\npass\n" * 100
    )
    assert (status, err) == (0, "")
    assert "this lot" in out
    assert "The game is over (all lots are sold)" in out


def test_asking_why_in_the_terminal(run: Run) -> None:
    _, out, _ = run("play", "lots", "--seed", "5", "--hotseat", answers="\nwhy bid 40\nquit")
    assert "not now: you cannot do this now. [L4]" in out


def test_in_the_arena(run: Run, tmp_path: Path) -> None:
    arguments = ["--players", "3", "--games", "6", "--workers", "1", "--out", str(tmp_path), "--json"]
    status, out, _ = run("arena", "lots", "--bots", "clerk,passer-by", *arguments)
    assert status == 0
    assert '"clerk"' in out


def test_in_a_batch() -> None:
    batch = Batch("lots", games=32, players=6, seed=3)
    for _ in range(200):
        batch.step(batch.sample_actions())
    assert (batch.observations <= batch.layout.high).all()
    played = batch.playouts("heuristic", games=50)
    assert (played.endings == 1).all()


def test_points_now_are_its_judgement(lots: Game) -> None:
    """Interpreted and compiled."""
    match = replay(begun(5), ["bid 4", "pass", "pass", "bid 9", "pass", "pass"])
    for mode in (lots.interpreted, lots.compiled):
        points = new_points(lots)
        spread = mode.bind(evaluate)(match.records[-1], match.box, lots.evaluation.weights, points)
        assert points[:5].tolist() == match.scores()
        assert spread > 1.0


def test_on_the_pages(tmp_path: Path) -> None:
    """Home, rules, about, the form, and a table whose person plays by the socket."""

    async def visit(harness: AppHarness) -> None:
        anne = harness.person("Anne")
        for path in (
            "/",
            "/rules",
            "/rules/lots",
            "/about",
            "/new/lots",
            "/covers/lots.fr.svg",
            "/api/games",
        ):
            answer = await anne.get(path)
            assert answer.status_code == 200
            assert "Lots" in answer.text
        assert 'id="L4"' in (await anne.get("/rules/lots")).text
        live = await harness.make("lots", anne.sits, *["passer-by"] * 5)
        socket = await anne.socket(live.table.id)
        while "Anne, choose an action." not in socket.parts.get("sentence", ""):
            await socket.view()
        assert "order" in socket.parts["hand"]
        await socket.ask("play", action="pass", version=live.table.version)
        assert live.table.match is not None
        assert (0, "pass") in live.table.match.actions_by_seat

    in_app(f"sqlite:///{tmp_path / 'comptoir.sqlite'}", visit)


def test_as_a_program() -> None:
    """By its entry point, in a process of its own."""
    command = [sys.executable, "-m", "comptoir", "rules", "lots", "L6", "--lang", "fr"]
    done = subprocess.run(command, env=example_game.environment(), capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "jeté à la mer" in done.stdout


def test_an_observation_holds_the_viewers_order_and_nobody_elses(lots: Game) -> None:
    match = begun(3, order=["tea", "silk", "silk"])
    rows = []
    for viewer in range(3):
        out = np.zeros(lots.observation.size, np.uint8)
        lots.interpreted.bind(comptoir.engine.interface.observe)(match.records[0], match.box, viewer, out)
        rows.append(lots.observation.split(out)["order"].tolist())
    assert rows == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0]]
