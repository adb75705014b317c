"""A batch plays by the same rules as a match, whatever its size, and whatever it is split over."""

from __future__ import annotations

import tomllib
from typing import Any

import numpy as np
import pytest

import comptoir
from comptoir.engine.game import Game, get_game
from comptoir.engine.interface import observe
from comptoir.engine.mask import as_bools, members, new_mask
from comptoir.engine.registry import names
from comptoir.engine.rule import Box, Position
from comptoir.engine.rulebook import rules_of
from comptoir.engine.scoring import new_scores
from comptoir.errors import IllegalAction, OptionError, UnknownAction
from comptoir.research import Batch, loops
from comptoir.research.cpu import new_rows
from comptoir.research.loops import POINTS, SEED_LIMIT, WIN, BatchState
from tests.research.playing import rows_of

NUMBERS = [
    (name, n)
    for name in names()
    for n in range(get_game(name).rules.PLAYERS[0], get_game(name).rules.PLAYERS[1] + 1)
]
every_number = pytest.mark.parametrize(("name", "players"), NUMBERS)
every_game = pytest.mark.parametrize("name", names())


class Beside:
    """The games of a batch, played next to it by the engine's verbs, one by one."""

    def __init__(self, batch: Batch, seed: int) -> None:
        self.game, self.box, self.options = batch.game, batch.components.box, batch.options
        self.dice = [np.array([seed + n], np.uint64) for n in range(batch.games)]
        self.positions = [self.begin(n) for n in range(batch.games)]

    def begin(self, n: int) -> Position:
        p = self.game.blank(self.options)
        self.game.compiled.setup(p, self.box, self.dice[n])
        return p

    def play(self, n: int, action: int) -> Position | None:
        """The last position, if that was the end; another game has then begun."""
        p = self.positions[n]
        self.game.compiled.play(p, self.box, action, self.dice[n])
        if p["turn"] >= 0:
            return None
        self.positions[n] = self.begin(n)
        return p


def play_to_an_end(batch: Batch) -> None:
    """Plays on until the first game has ended and begun again."""
    while not batch.terminations.any():
        batch.step(batch.sample_actions())


def everything(batch: Batch, games: int | None = None) -> list[bytes]:
    """All that a batch holds, as bytes, of its first games."""
    rows = rows_of(batch)
    return [getattr(rows, part)[:games].tobytes() for part in rows._fields if part != "results"]


# What the arrays hold


@every_number
def test_arrays_show_what_the_engine_says(name: str, players: int) -> None:
    batch = Batch(name, games=6, players=players, seed=40)
    g, box, see = batch.game, batch.components.box, batch.game.compiled.bind(observe)
    row = np.zeros(batch.layout.size, np.uint8)
    for number in range(120):
        for n in range(batch.games) if number % 10 == 0 else ():
            p = rows_of(batch).positions[n]
            see(p, box, int(p.turn), row)
            assert (
                np.flatnonzero(batch.action_masks[n]).tolist()
                == members(rows_of(batch).bits[n])
                == g.legal(p, box)
            )
            assert (
                batch.action_masks[n].tolist() == as_bools(rows_of(batch).bits[n])[: len(g.actions)].tolist()
            )
            assert batch.observations[n].tobytes() == row.tobytes()
            assert batch.current_seats[n] == p.turn >= 0
        batch.step(batch.sample_actions())


def test_observations_go_into_an_array_that_is_given() -> None:
    """Into one that fits: the loop behind it writes without looking."""
    batch = Batch("batavia", games=3, seed=1)
    expected, out = batch.observe(1), np.full_like(batch.observations, 255)
    assert batch.observe(1, out=out) is out
    assert (out == expected).all()
    shape = out.shape
    for wrong in (out[:2], out[:, :-1], out.astype(np.int16), out.tolist()):
        with pytest.raises(OptionError, match=f"out: expected an array of uint8 in the shape .{shape[0]}, "):
            batch.observe(1, out=wrong)


@every_game
def test_shapes_and_types(name: str) -> None:
    batch = Batch(name, games=3)
    g = batch.game
    assert batch.players == g.rules.DEFAULT_PLAYERS
    assert (batch.observations.shape, batch.observations.dtype.name) == ((3, g.observation.size), "uint8")
    assert (batch.action_masks.shape, batch.action_masks.dtype.name) == ((3, len(g.actions)), "bool")
    assert (batch.current_seats.shape, batch.current_seats.dtype.name) == ((3,), "int8")
    assert (batch.rewards.shape, batch.rewards.dtype.name) == ((3, batch.players), "float32")
    assert (batch.terminations.shape, batch.terminations.dtype.name) == ((3,), "bool")
    assert repr(batch) == f"<batch of 3 games of {name}, {batch.players} players, on cpu>"
    arrays = [batch.observations, batch.action_masks, batch.current_seats, batch.rewards, batch.terminations]
    before = [id(array) for array in arrays]
    batch.step(batch.sample_actions())
    batch.reset(9)
    assert [
        id(array)
        for array in (
            batch.observations,
            batch.action_masks,
            batch.current_seats,
            batch.rewards,
            batch.terminations,
        )
    ] == before


# Playing


@every_number
@pytest.mark.parametrize("reward", ["win", "points"])
def test_a_batch_plays_as_the_verbs_do_and_begins_anew(name: str, players: int, reward: str) -> None:
    """The same positions at every step, and at every end what the engine says about who has won."""
    batch = Batch(name, games=3, players=players, seed=7, reward=reward)
    beside, ends = Beside(batch, 7), 0
    while ends < 2:
        actions = batch.sample_actions()
        batch.step(actions)
        for n, action in enumerate(actions):
            last = beside.play(n, int(action))
            assert rows_of(batch).positions[n].tobytes() == beside.positions[n].tobytes()
            assert batch.terminations[n] == (last is not None)
            if last is None:
                assert not batch.rewards[n].any()
            else:
                ends += 1
                assert batch.rewards[n].tolist() == pytest.approx(
                    rewards_of(batch.game, last, beside.box, reward)
                )
                assert batch.current_seats[n] >= 0
                assert batch.action_masks[n].any()


def rewards_of(g: Game, p: Position, box: Box, reward: str) -> list[float]:
    rows = np.array([g.scores(p, box)], np.int64)
    if reward == "points":
        return [float(points) for points in rows[0, :, 0]]
    players = rows.shape[1]
    wins = [row == max(rows.tolist()[0]) for row in rows.tolist()[0]]
    return [(players * won / sum(wins) - 1) / (players - 1) for won in wins]


@every_game
def test_the_winners_are_those_of_a_match(name: str) -> None:
    """A match that is taken on from a position of the batch ends with the same winners."""
    batch = Batch(name, games=40, seed=11)
    for _ in range(100_000):
        before, actions = rows_of(batch).positions.copy(), batch.sample_actions()
        batch.step(actions)
        for n in np.flatnonzero(batch.terminations):
            match = comptoir.new(name, position=batch.game.to_dict(before[n]))
            match.play(int(actions[n]))
            assert match.over
            winners = match.winners()
            assert np.flatnonzero(batch.rewards[n] == batch.rewards[n].max()).tolist() == winners
            assert batch.rewards[n].sum() == pytest.approx(0, abs=1e-6)
            assert batch.rewards[n].max() == pytest.approx(
                (batch.players - len(winners)) / (len(winners) * (batch.players - 1))
            )
            return
    pytest.fail("no game has ended")


def test_ties_share_and_nothing_is_won_or_lost_in_all() -> None:
    """B46: of two winners among four each gets a third, and the others lose a third each."""
    batch = Batch("batavia", games=400, players=4, seed=1)
    kinds = set()
    for _ in range(300):
        batch.step(batch.sample_actions())
        ended = batch.rewards[batch.terminations]
        assert ended.sum(1) == pytest.approx(0, abs=1e-6)
        kinds |= {tuple(sorted((3 * row).round().astype(int).tolist())) for row in ended}  # in thirds
    assert (
        {(-1, -1, -1, 3), (-1, -1, 1, 1)}
        <= kinds
        <= {(-1, -1, -1, 3), (-1, -1, 1, 1), (-1, 0, 0, 0), (0, 0, 0, 0)}
    )


def test_rewards_and_ends_are_of_the_last_action_only() -> None:
    batch = Batch("marco_polo", games=2, players=2, seed=3)
    play_to_an_end(batch)
    assert batch.rewards[batch.terminations].any()
    batch.step(batch.sample_actions())
    assert not batch.terminations.any()
    assert not batch.rewards.any()
    play_to_an_end(batch)
    batch.reset(5)
    assert not batch.terminations.any()
    assert not batch.rewards.any()


# The same seed


@every_game
def test_the_same_seed_gives_the_same_bytes_on_any_number_of_threads(name: str) -> None:
    one, three = (Batch(name, games=50, seed=5, threads=threads) for threads in (1, 3))
    for _ in range(150):
        actions = one.sample_actions()
        assert three.sample_actions().tolist() == actions.tolist()
        one.step(actions)
        three.step(actions)
        assert everything(one) == everything(three)


@every_game
def test_a_game_depends_on_the_seed_and_its_number_only(name: str) -> None:
    """Game 30 of a batch with seed 5 is game 0 of one with seed 35, whatever is played next to it; more
    threads than games do no harm.
    """
    many, few = Batch(name, games=40, seed=5), Batch(name, games=10, seed=35, threads=16)
    for _ in range(150):
        many.step(many.sample_actions())
        few.step(few.sample_actions())
    rows, others = rows_of(many), rows_of(few)
    for part in (
        "positions",
        "dice",
        "sampling_dice",
        "bits",
        "observations",
        "current_seats",
        "rewards",
        "terminations",
    ):
        assert getattr(rows, part)[30:].tobytes() == getattr(others, part).tobytes()


def test_reset_begins_the_same_games_again() -> None:
    batch = Batch("batavia", games=5, seed=5)
    before = everything(batch)
    for _ in range(30):
        batch.step(batch.sample_actions())
    assert everything(batch) != before
    batch.reset(5)
    assert everything(batch) == before
    batch.reset(6)
    assert everything(batch) != before


def test_choosing_leaves_the_games_alone() -> None:
    """Who chooses rolls dice of its own, so a game is the same whether its actions were chosen here or
    given.
    """
    batch, other = Batch("batavia", games=5, seed=5), Batch("batavia", games=5, seed=5)
    actions = [batch.sample_actions() for _ in range(3)]
    batch.step(actions[0])
    other.step(actions[0])
    assert rows_of(batch).positions.tobytes() == rows_of(other).positions.tobytes()
    assert rows_of(batch).dice.tobytes() == rows_of(other).dice.tobytes()
    assert len({tuple(row.tolist()) for row in actions}) == 3


def test_a_seed_of_numpys_is_a_number_like_any() -> None:
    """Though 250 + 9 would not fit in its byte."""
    plain, small = Batch("batavia", games=10, seed=250), Batch("batavia", games=10, seed=np.uint8(250))  # type: ignore[arg-type]
    assert (rows_of(plain).dice == rows_of(small).dice).all()
    played = [
        batch.playouts(games=5, seed=seed).lengths.tolist()  # type: ignore[arg-type]
        for batch, seed in ((plain, 255), (small, np.uint8(255)))
    ]
    assert played[0] == played[1]


def test_choices_are_legal_and_all_are_chosen() -> None:
    batch = Batch("batavia", games=2_000, seed=5, first=0)
    actions = batch.sample_actions()
    assert batch.action_masks[np.arange(2_000), actions].all()
    # the first decision is the same in all: pass or bid
    assert set(actions.tolist()) == set(np.flatnonzero(batch.action_masks[0]).tolist())
    room = np.zeros(2_000, np.int32)
    assert batch.sample_actions(room) is room
    assert batch.action_masks[np.arange(2_000), room].all()


@every_game
def test_interpreted_loops_give_the_same_bytes(name: str) -> None:
    g = get_game(name)
    for players in range(g.rules.PLAYERS[0], g.rules.PLAYERS[1] + 1):
        told = [played_by(g, players, mode) for mode in ("interpreted", "compiled")]
        assert told[0] == told[1]


def played_by(g: Game, players: int, mode: str) -> list[bytes]:
    """Two games stepped and chosen for in one mode; the first of them ends at once and begins again."""
    ruleset = g.interpreted if mode == "interpreted" else g.compiled
    rows, start = new_rows(g, 2), g.position.array(1)
    start[0] = g.blank(g.read_options(players))
    box, chosen = g.components.box, np.zeros(2, np.int64)
    reset, step, choose = (
        ruleset.bind(part) for part in (loops.reset_some, loops.step_some, loops.sample_some)
    )
    reset(rows, 0, 2, start, box, 17)
    shown = [row_bytes(rows)]
    put_before_end(g, rows, players)
    for number in range(30):
        choose(rows, 0, 2, chosen)
        if number == 0:
            chosen[0] = last_action(g, rows.positions[0])
        assert step(rows, 0, 2, start, box, chosen, WIN if players % 2 else POINTS) == -1
        assert rows.terminations[0] == (number == 0)
        shown.append(row_bytes(rows))
    return shown


def put_before_end(g: Game, rows: BatchState, players: int) -> None:
    """The first of the games is put where one more action ends it."""
    batch = Batch(g.name, games=1, players=players, seed=23)
    before = g.copy(rows_of(batch).positions[0])
    while not batch.terminations[0]:
        before = g.copy(rows_of(batch).positions[0])
        batch.step(batch.sample_actions())
    rows.positions[0] = before
    rows.bits[0] = 0
    g.compiled.legal(before, g.components.box, rows.bits[0])


def last_action(g: Game, p: Position) -> int:
    for action in g.legal(p, g.components.box):
        after = g.copy(p)
        g.compiled.play(after, g.components.box, action, np.zeros(1, np.uint64))
        if after["turn"] < 0:
            return action
    raise AssertionError("no action ends this game")


def row_bytes(rows: BatchState) -> bytes:
    return b"".join(part.tobytes() for part in rows)


# What cannot be done


def illegal(batch: Batch, n: int) -> int:
    return int(np.flatnonzero(~batch.action_masks[n])[-1])


@every_number
@pytest.mark.parametrize("threads", [1, 2])
def test_an_illegal_action_is_refused_by_a_rule_and_only_that_game_waits(
    name: str, players: int, threads: int
) -> None:
    batch, twin = (Batch(name, games=6, players=players, seed=3, threads=threads) for _ in range(2))
    for _ in range(40):
        batch.step(batch.sample_actions())
        twin.step(twin.sample_actions())
    actions = batch.sample_actions()
    waits = [part[2].tobytes() for part in rows_of(batch)]
    twin.step(twin.sample_actions())
    actions[2] = illegal(batch, 2)
    with pytest.raises(IllegalAction, match="game 2: ") as refused:
        batch.step(actions)
    assert refused.value.rule in rules_of(name, "en")
    assert refused.value.action == batch.game.actions[actions[2]]
    assert [part[2].tobytes() for part in rows_of(batch)] == waits
    for n in (0, 1, 3, 4, 5):
        assert [part[n].tobytes() for part in rows_of(batch)] == [part[n].tobytes() for part in rows_of(twin)]


def test_the_first_of_several_is_named() -> None:
    for threads in (1, 3):
        batch = Batch("batavia", games=9, threads=threads)
        with pytest.raises(IllegalAction, match="game 4: "):
            batch.step([0, 0, 0, 0, 2, 0, 0, 2, 0])


@every_game
def test_an_unknown_action_is_refused_with_what_there_is(name: str) -> None:
    batch = Batch(name, games=3)
    many = len(batch.game.actions)
    before = everything(batch)
    for action in (-1, many, 64 * len(new_mask(many)), 2**40, 2**32, -(2**63)):
        with pytest.raises(
            UnknownAction, match=f"game 0: actions of {batch.game.name} are 0 to {many - 1}, not {action}"
        ):
            batch.step([action] * 3)
    assert everything(batch) == before


@pytest.mark.parametrize(
    "actions",
    [
        [1, 1],
        [[1, 1, 1]],
        [1.0, 1.0, 1.0],
        [True, True, True],
        ["pass", "pass", "pass"],
        None,
        1,
        [2**70, 1, 1],
    ],
)
def test_actions_that_are_none_are_refused_in_a_sentence(actions: Any) -> None:
    batch = Batch("batavia", games=3)
    before = everything(batch)
    with pytest.raises(OptionError, match="actions: expected 3 whole numbers, found "):
        batch.step(actions)
    assert everything(batch) == before


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.int64, np.uint64])
def test_actions_may_come_in_any_whole_numbers_and_any_stride(dtype: Any) -> None:
    batch, other = Batch("batavia", games=3), Batch("batavia", games=3)
    batch.step(np.zeros(6, dtype)[::2])
    other.step([0, 0, 0])
    assert everything(batch) == everything(other)


@pytest.mark.parametrize(
    "out", [np.zeros(2, np.int64), np.zeros(3, np.int8), np.zeros(3), np.zeros((3, 1), np.int64)]
)
def test_choosing_into_too_little_room_is_refused(out: Any) -> None:
    with pytest.raises(OptionError, match="out: expected room for 3 of int32 or int64"):
        Batch("batavia", games=3).sample_actions(out)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"games": 0}, "games: expected a number from 1, found 0"),
    ({"games": 2.5}, "games: expected a number from 1, found 2.5"),
    ({"games": "many"}, "games: expected a number from 1, found 'many'"),
    ({"threads": 0}, "threads: expected a number from 1, found 0"),
    ({"threads": None}, "threads: expected a number from 1, found None"),
    ({"seed": -1}, "seed: expected a number from 0 to "),
    ({"seed": SEED_LIMIT}, "seed: expected a number from 0 to "),
    ({"seed": "abc"}, "seed: expected a number from 0 to .* found 'abc'"),
    ({"seed": 1.5}, "seed: expected a number from 0 to .* found 1.5"),
    ({"reward": "gold"}, "reward: expected win or points, found 'gold'"),
    ({"device": "tpu"}, "device: "),
    ({"players": 2}, "batavia is for 3 to 5 players, not 2"),
    ({"setup": "closed"}, "setup: expected shuffled or open, found 'closed'"),
    ({"colour": "red"}, "batavia has no option 'colour'"),
]


@pytest.mark.parametrize(("options", "sentence"), WRONG)
def test_wrong_options_are_refused_in_a_sentence(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(OptionError, match=sentence):
        Batch("batavia", **{"games": 2, **options})


def test_an_unknown_game_is_refused() -> None:
    with pytest.raises(comptoir.UnknownGame, match="batavia"):
        Batch("bataviaa")


def test_options_and_own_components_are_played_with() -> None:
    batch = Batch("batavia", games=2, players=3, setup="open", first=1)
    assert {(int(p.setup), int(p.first), int(p.face_up)) for p in rows_of(batch).positions} == {(1, 1, 35)}
    own = batch.game.components.box["start_bills"]
    tables = tables_of("batavia")
    tables["start"] = {**tables["start"], "bills": int(own) - 5}
    batch = Batch("batavia", games=2, players=3, components=tables)
    assert batch.layout.split(batch.observations)["bills"][:, :3].tolist() == [[own - 5] * 3] * 2


def tables_of(name: str) -> dict[str, Any]:
    return tomllib.loads((get_game(name).folder / "components.toml").read_text(encoding="utf-8"))


# Whole games


@every_number
def test_random_playouts_are_the_engines(name: str, players: int) -> None:
    g, many = get_game(name), 12
    batch = Batch(name, games=2, players=players, seed=9, threads=2)
    before = everything(batch)
    found = batch.playouts("random", games=many, seed=77)
    positions, mask, dice = g.position.array(2), new_mask(len(g.actions)), np.zeros(1, np.uint64)
    positions[0] = g.blank(g.read_options(players))
    lengths, endings, results = np.zeros(many, np.int32), np.zeros(many, np.uint8), new_scores(g, many)
    g.compiled.playouts(positions, g.components.box, 77, mask, dice, lengths, endings, results, 0)
    assert found.lengths.tolist() == lengths.tolist()
    assert found.endings.tolist() == endings.tolist()
    assert found.scores.tolist() == results.tolist()
    assert everything(batch) == before


@every_number
def test_heuristic_playouts_end_and_do_not_depend_on_threads(name: str, players: int) -> None:
    one, three = (
        Batch(name, games=6, players=players, threads=threads).playouts("heuristic", seed=4)
        for threads in (1, 3)
    )
    assert (one.lengths > 0).all()
    assert (one.endings > 0).all()
    assert one.scores[:, :players, 0].any()
    for part in ("lengths", "endings", "scores"):
        assert getattr(one, part).tobytes() == getattr(three, part).tobytes()


def test_points_by_source_add_up() -> None:
    batch = Batch("batavia", games=20)
    sources = len(batch.game.rules.SOURCES)
    for policy in ("random", "heuristic"):
        whole, apart = (batch.playouts(policy, seed=4, by_source=apart).scores for apart in (False, True))
        assert (apart[:, :, :sources].sum(2) == whole[:, :, 0]).all()
        assert (apart[:, :, sources:] == whole[:, :, 1:]).all()


def test_habits_beat_chance() -> None:
    """So heuristic playouts do follow the rollout policy: Century's games then take a third of the time."""
    batch = Batch("century", games=10)
    assert batch.playouts("heuristic").lengths.mean() < batch.playouts("random").lengths.mean() * 0.6


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"policy": "best"}, "policy: expected random or heuristic, found 'best'"),
        ({"games": 0}, "games: expected a number from 1, found 0"),
        ({"seed": -3}, "seed: expected a number from 0 to "),
    ],
)
def test_wrong_playouts_are_refused_in_a_sentence(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(OptionError, match=sentence):
        Batch("batavia", games=2).playouts(**given)
