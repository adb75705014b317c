"""Games can be copied, pickled and sent, gone back to, and begun from a position: everywhere."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import comptoir
from comptoir.bots import Bot
from comptoir.engine.match import Match
from comptoir.engine.registry import names
from comptoir.errors import DataError, OptionError
from comptoir.research import Batch, pettingzoo
from comptoir.research.gymnasium import SeatEnv
from comptoir.research.pettingzoo import TableEnv
from tests.research.playing import ARRAYS, dealt_anew, every_table, with_hands
from tests.research.test_batch import tables_of

every_game = pytest.mark.parametrize("name", names())
copied = pytest.mark.parametrize(
    "again", [copy.deepcopy, lambda what: pickle.loads(pickle.dumps(what))], ids=["deepcopy", "pickle"]
)
Again = Callable[[Any], Any]


def chosen(mask: Any, chance: np.random.Generator) -> int:
    return int(chance.choice(np.flatnonzero(mask)))


def a_match(name: str, decisions: int, **given: Any) -> Match:
    match, chance = comptoir.new(name, seed=5, **given), np.random.default_rng(1)
    for _ in range(decisions):
        match.play(str(chance.choice(match.actions())))
    return match


# Matches


@copied
@every_game
def test_a_match_goes_on_in_a_copy_and_leaves_the_other_alone(name: str, again: Again) -> None:
    match = a_match(name, 12)
    twin = again(match)
    before, action = match.records[-1].tobytes(), match.actions()[-1]
    twin.play(action)
    assert (match.ply, match.records[-1].tobytes()) == (12, before)
    match.play(action)
    assert [p.tobytes() for p in twin.records] == [p.tobytes() for p in match.records]
    assert (twin.text(), twin.story.log(lang="fr")) == (match.text(), match.story.log(lang="fr"))
    assert twin.game is match.game


def test_a_match_goes_on_in_another_process(tmp_path: Path) -> None:
    match = a_match("marco_polo", 20)
    (tmp_path / "match").write_bytes(pickle.dumps(match))
    code = (
        "import pickle, sys; match = pickle.loads(open(sys.argv[1], 'rb').read());"
        "match.play(match.actions()[0]); print(match.records[-1].tobytes().hex())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "match")], capture_output=True, text=True, check=True
    )
    match.play(match.actions()[0])
    assert done.stdout.strip() == match.records[-1].tobytes().hex()


# Batches


def shown(batch: Batch) -> list[bytes]:
    return [getattr(batch, array).tobytes() for array in ARRAYS]


@copied
@every_table
def test_a_batch_goes_on_in_a_copy(name: str, players: int, again: Again) -> None:
    batch = Batch(name, games=5, players=players, seed=3, reward="points")
    for _ in range(30):
        batch.step(batch.sample_actions())
    twin = again(batch)
    for _ in range(40):
        assert shown(twin) == shown(batch)
        actions = batch.sample_actions()
        assert twin.sample_actions().tolist() == actions.tolist()
        batch.step(actions)
        twin.step(actions)


def test_a_copy_has_the_same_options_threads_and_components() -> None:
    tables = tables_of("batavia")
    tables["start"] = {**tables["start"], "bills": 9}
    batch = Batch("batavia", games=3, players=5, threads=2, setup="open", components=tables)
    twin = pickle.loads(pickle.dumps(batch))
    assert (twin.options, twin.components.digest, twin.backend.threads) == (
        batch.options,
        batch.components.digest,
        2,
    )
    assert shown(twin) == shown(batch)


@every_game
def test_a_batch_goes_back_to_a_snapshot(name: str) -> None:
    batch = Batch(name, games=6, seed=3)
    for _ in range(25):
        batch.step(batch.sample_actions())
    kept, before = batch.snapshot(), shown(batch)
    told = []
    for _ in range(2):
        for _ in range(20):
            batch.step(batch.sample_actions())
        told.append(shown(batch))
        batch.restore(kept)
        assert shown(batch) == before
    assert told[0] == told[1]


def test_rows_of_a_snapshot_make_many_of_one_game_with_dice_of_their_own() -> None:
    batch = Batch("century", games=64, seed=3, first=0)
    for _ in range(25):
        batch.step(batch.sample_actions())
    kept, row = batch.snapshot(), batch.observations[7].copy()
    batch.restore(kept[np.full(64, 7)])
    assert (batch.observations == row).all()
    assert len(set(batch.sample_actions().tolist())) == 1  # the same chance in all
    batch.restore(kept[np.full(64, 7)], seed=40)
    assert (batch.observations == row).all()
    assert len(set(batch.sample_actions().tolist())) > 1
    assert len(kept[3]) == 1


@pytest.mark.parametrize(
    ("other", "told"),
    [
        (Batch("century", games=3).snapshot(), "game is century, but this batch has batavia"),
        (Batch("batavia", games=3, players=3).snapshot(), "number of players is 3"),
        (Batch("batavia", games=2).snapshot(), "number of games is 2, but this batch has 3"),
    ],
)
def test_a_snapshot_of_something_else_is_refused(other: Any, told: str) -> None:
    with pytest.raises(OptionError, match=told):
        Batch("batavia", games=3).restore(other)


@every_table
def test_positions_go_in_and_out(name: str, players: int) -> None:
    """As plain data, as a match has them, and as records of another batch."""
    match = a_match(name, 15, players=players)
    batch = Batch(name, games=4, players=players, seed=3)
    before = batch.observations[3].copy()
    batch.set_positions([match.position(), match.records[3], batch.positions[3]], games=[2, 0, 1])
    assert batch.positions[2].tobytes() == match.records[-1].tobytes()
    assert batch.game.to_dict(batch.positions[0]) == match.at(3).position()
    assert (batch.observations[1] == before).all()
    assert (batch.observations[3] == before).all()
    assert batch.current_seats.tolist()[::2] == [match.at(3).turn, match.turn]
    assert np.flatnonzero(batch.action_masks[2]).tolist() == [
        match.game.action_index(text) for text in match.actions()
    ]
    for _ in range(10):
        batch.step(batch.sample_actions())


def test_what_cannot_be_played_on_is_refused_and_nothing_has_changed() -> None:
    batch = Batch("marco_polo", games=2, players=3)
    before, good = shown(batch), batch.positions[0]
    broken, over = batch.game.copy(good), comptoir.new("marco_polo", players=3, seed=1)
    broken.pile_size += 1
    while not over.over:
        over.play(over.actions()[-1])
    for positions, error, told in (
        ([good], OptionError, "expected one for each of 2 games, found 1"),
        ([good, broken], DataError, "pile_size"),
        ([good, {}], DataError, "missing"),
        ([good, comptoir.new("marco_polo", players=2).position()], OptionError, "found 2 players"),
        ([good, over.position()], OptionError, "it is over"),
    ):
        with pytest.raises(error, match=told):
            batch.set_positions(positions)
    wrong: list[Any] = [[5], [-1], ["first"], [[0]]]
    for games in wrong:
        with pytest.raises(OptionError, match="games: expected numbers from 0 to 1"):
            batch.set_positions([good], games=games)
    assert shown(batch) == before


# Environments


def play_on(env: SeatEnv, decisions: int) -> list[Any]:
    """What is told from here on."""
    chance, told = np.random.default_rng(2), list[Any]()
    for _ in range(decisions):
        known, reward, terminated, _, info = env.step(chosen(env.action_masks(), chance))
        told += [known.tobytes(), info["action_mask"].tobytes(), reward]
        if terminated:
            _, info = env.reset()
            told.append(info["seat"])
    return told


class Last(Bot):
    """Does the last of what it may."""

    def choose(self, view: Any) -> str:
        return str(view["actions"][-1])


@pytest.mark.slow
@copied
@every_game
def test_a_seat_goes_on_in_a_copy_against_the_same_bots(name: str, again: Again) -> None:
    """Also over the end of the game: the next one is dealt and seated alike."""
    env = SeatEnv(name, seat="random", bots=["clerk", Last] if name != "century" else ["passer-by"])
    env.reset(seed=7)
    play_on(env, 5)
    twin = again(env)
    assert play_on(twin, 60) == play_on(env, 60)
    assert twin.one is not env.one


def test_gymnasium_s_wrappers_are_copied_too() -> None:
    import gymnasium

    env = gymnasium.make("comptoir/MarcoPolo-v2", players=2, bots="passer-by")
    env.reset(seed=7)
    twin = copy.deepcopy(env)
    mine: Any = env.unwrapped
    action = int(np.flatnonzero(mine.action_masks())[0])
    assert (twin.step(action)[0] == env.step(action)[0]).all()


@copied
@every_game
def test_a_table_goes_on_in_a_copy(name: str, again: Again) -> None:
    env = pettingzoo.env(name)
    env.reset(seed=7)
    walk(env, 20)
    twin = again(env)
    assert twin.agent_selection == env.agent_selection
    assert walk(twin, 400) == walk(env, 400)


def walk(env: TableEnv, decisions: int) -> list[Any]:
    """What is told from here on; also through the end of a game, and into the next one."""
    chance, told = np.random.default_rng(2), list[Any]()
    for _ in range(decisions):
        if not env.agents:
            env.reset()
        known, reward, termination, _, info = env.last()
        told += [env.agent_selection, known["observation"].tobytes(), reward, sorted(info)]
        env.step(None if termination else chosen(known["action_mask"], chance))
    return told


def test_environments_go_back_to_snapshots() -> None:
    seat, table = SeatEnv("batavia", players=3, seat="random", bots="passer-by"), pettingzoo.env("batavia", 3)
    seat.reset(seed=7)
    table.reset(seed=7)
    play_on(seat, 5)
    walk(table, 15)
    kept, laid = pickle.loads(pickle.dumps((seat.snapshot(), table.snapshot())))
    # in games that do not end on the way, for what comes after is drawn from what is left of the seed
    told = play_on(seat, 3), walk(table, 10)
    known, info = seat.restore(kept)
    assert (known == seat.one.observation(seat.seat)).all()
    assert info["seat"] == seat.seat
    table.restore(laid)
    assert (play_on(seat, 3), walk(table, 10)) == told
    with pytest.raises(OptionError, match="it is of batavia with 3 players, and this is batavia with 4"):
        SeatEnv("batavia", players=4, bots="passer-by").restore(kept)


@every_game
def test_environments_begin_from_a_position_and_their_episodes_are_matches(name: str) -> None:
    match = a_match(name, 14)
    env, table = SeatEnv(name, bots="passer-by", seat=1), pettingzoo.env(name)
    env.reset(seed=9, options={"position": match.position()})
    table.reset(seed=9, options={"position": match.position()})
    assert table.one.record.tobytes() == match.records[-1].tobytes()
    play_some = env.action_masks()
    env.step(chosen(play_some, np.random.default_rng(1)))
    walk(table, 30)
    for one in (env, table):
        found = one.match()
        again = comptoir.engine.matchfile.parse(found.text())
        assert again.records[-1].tobytes() == found.records[-1].tobytes() == one.one.record.tobytes()
        assert again.start_position == match.position()


def test_what_a_reset_cannot_begin_from_is_refused() -> None:
    env, table = SeatEnv("batavia", players=3, bots="passer-by"), pettingzoo.env("batavia", 3)
    four = comptoir.new("batavia", players=4, seed=1).position()
    for reset in (env.reset, table.reset):
        with pytest.raises(OptionError, match="position: expected 3 players and somebody to decide, found 4"):
            reset(seed=1, options={"position": four})
        with pytest.raises(DataError, match="missing"):
            reset(seed=1, options={"position": {}})
    with pytest.raises(OptionError, match="a reset takes position, not 'postion'"):
        env.reset(options={"postion": four})


def test_an_episode_with_own_components_is_a_match_with_them(tmp_path: Path) -> None:
    tables = tables_of("batavia")
    tables["start"] = {**tables["start"], "bills": 9}
    env = SeatEnv("batavia", players=3, bots="passer-by", components=tables, setup="open")
    env.reset(seed=4)
    play_on(env, 3)
    env.match().save(tmp_path / "episode.match")
    match = comptoir.load(tmp_path / "episode.match")
    assert match.records[-1].tobytes() == env.one.record.tobytes()
    assert match.options["setup"] == "open"


# What spectators and all seats know


@pytest.mark.slow
@every_table
def test_every_seat_and_a_spectator_of_a_batch(name: str, players: int) -> None:
    batch = Batch(name, games=4, players=players, seed=3, threads=2)
    for _ in range(40):
        batch.step(batch.sample_actions())
    game, box = batch.game, batch.components.box
    for seat in range(players):
        rows = [game.observe(p, box, seat).tolist() for p in batch.positions]
        assert batch.observe(seat).tolist() == rows
    spectator = batch.observe(None)
    assert spectator.tolist() == [game.observe(p, box, None).tolist() for p in batch.positions]
    assert (spectator <= batch.layout.high).all()
    assert (batch.observe(batch.current_seats) == batch.observations).all()
    mixed = batch.observe([0, -1, 1, -1])
    assert (mixed[1::2] == spectator[1::2]).all()
    assert (mixed[0] == batch.observe(0)[0]).all()


@every_table
def test_a_spectator_is_told_the_same_whatever_is_hidden(name: str, players: int) -> None:
    env, dealt = pettingzoo.env(name, players), False
    env.reset(seed=3)
    for moment in range(8):
        walk(env, 9)
        told = env.spectator().tobytes()
        if not env.one.over:
            with dealt_anew(env.one, None, moment) as changed:
                assert env.spectator().tobytes() == told
                dealt |= changed
    assert dealt == (name in with_hands)


@pytest.mark.parametrize("seat", [4, -1, "first", 1.5, [0, 1], [0, 9, 0]])
def test_seats_that_do_not_exist_are_refused(seat: Any) -> None:
    with pytest.raises(OptionError, match="seat: expected a number from 0 to 3"):
        Batch("batavia", games=3, players=4).observe(seat)
    if isinstance(seat, int):
        with pytest.raises(OptionError, match=f"there is no seat {seat}"):
            SeatEnv("batavia", players=4, bots="passer-by").observation(seat)


@every_game
def test_a_custom_bot_gets_the_observation_from_its_view(name: str) -> None:
    """From plain data that hold no more than the seat may know."""
    match = a_match(name, 25)
    assert match.turn is not None
    bot = Last(match.game, match.components, "")
    view = match.view(match.turn)
    assert (bot.observation(view) == match.game.observe(match.records[-1], match.box, match.turn)).all()
    assert np.flatnonzero(bot.action_mask(view)).tolist() == [
        match.game.action_index(a) for a in view["actions"]
    ]
