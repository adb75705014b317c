"""The games in OpenSpiel: its own tests, what seats may know, and its algorithms."""

from __future__ import annotations

import importlib
import pickle
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import generate_playthrough, ismcts, mcts, tabular_qlearner
from open_spiel.python.observation import INFO_STATE_OBS_TYPE, make_observation

from comptoir.engine import dice as engine_dice
from comptoir.engine import registry
from comptoir.engine.dice import dice_for
from comptoir.engine.game import Game, get_game
from comptoir.engine.mask import members, new_mask
from comptoir.engine.modes import Mode
from comptoir.engine.rule import Dice, rule
from comptoir.errors import DataError, IllegalAction, MatchOver, OptionError, UnknownAction
from comptoir.research.chance import (
    SETUP,
    SIDES,
    scripted_dice,
    with_explicit_chance,
)
from comptoir.research.openspiel import NOBODY, RECENT, Node, State
from tests import example_game
from tests.research.playing import interpreted_chance

TABLES = [
    (name, players)
    for name in registry.names()
    for players in range(get_game(name).rules.PLAYERS[0], get_game(name).rules.PLAYERS[1] + 1)
]
OPEN = [name for name in registry.names() if get_game(name).all_open]
SECRET = [name for name in registry.names() if name not in OPEN]


@pytest.fixture(autouse=True)
def quick_tests_interpret_the_rules(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.node.get_closest_marker("slow") is None:
        monkeypatch.setattr("comptoir.research.openspiel.with_explicit_chance", interpreted_chance)


def load(name: str, **given: Any) -> Any:
    return pyspiel.load_game(f"python_comptoir_{name}", given)


def walk(g: Any, seed: int = 1, most: int = 10**9) -> Iterator[Any]:
    """A random game: its state before each decision, as far as to the end or to that many."""
    chance = random.Random(seed)
    state = g.new_initial_state()
    while not state.is_terminal() and most > 0:
        if not state.is_chance_node():
            yield state
            most -= 1
        state.apply_action(chance.choice(state.legal_actions()))


# OpenSpiel's own tests


@pytest.mark.slow
@pytest.mark.no_cover
@pytest.mark.parametrize(("name", "players"), TABLES)
def test_openspiels_random_simulation(name: str, players: int) -> None:
    pyspiel.random_sim_test(load(name, players=players), num_sims=1, serialize=True, verbose=False)


@pytest.mark.long
@pytest.mark.parametrize("reward", ["win", "points"])
@pytest.mark.parametrize(("name", "players"), TABLES)
def test_openspiels_random_simulation_many_times(name: str, players: int, reward: str) -> None:
    pyspiel.random_sim_test(
        load(name, players=players, reward=reward), num_sims=20, serialize=True, verbose=False
    )


def same_to(seat: int, one: Any, other: Any) -> bool:
    """Whether all that a seat is told of two states is the same."""
    return all(
        getattr(one, what)(seat) == getattr(other, what)(seat)
        for what in (
            "information_state_string",
            "information_state_tensor",
            "observation_string",
            "observation_tensor",
        )
    )


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_openspiels_test_of_resampling(name: str, players: int) -> None:
    """As its ResampleInfostateTest does, which cannot be called from Python; in long games, at some
    moments.
    """
    sampler = pyspiel.UniformProbabilitySampler(0.0, 1.0)
    others = 0
    for number, state in enumerate(walk(load(name, players=players), most=400)):
        if number % 7 == 0:
            for seat in range(players):
                twin = state.resample_from_infostate(seat, sampler)
                assert same_to(seat, state, twin)
                assert twin.current_player() == state.current_player()
                assert twin.history() == state.history()
                if seat == state.current_player():
                    assert twin.legal_actions() == state.legal_actions()
                others += str(twin) != str(state)
    assert (others > 0) == (name in SECRET)


# Chance

ROLLS: list[tuple[int, int]] = []


@rule
def written_down(dice: Dice, sides: int) -> int:
    ROLLS.append((sides, engine_dice.roll(dice, sides)))
    return ROLLS[-1][1]


@pytest.mark.parametrize("name", registry.names())
def test_the_dice_in_the_open_are_those_of_the_rules(name: str) -> None:
    """The same rolls give the same bytes, and each chance node has the sides that the rules roll."""
    g = get_game(name)
    rules = Mode(g.name, g.part, {engine_dice.roll: written_down})
    state = load(name).new_initial_state()
    p, box = g.blank(state.node.tree.options), g.components.box
    rolled, chance = 0, random.Random(3)
    for number in range(60):
        ROLLS.clear()
        if number == 0:
            rules.setup(p, box, dice_for("openspiel", number))
        else:
            action = chance.choice(state.legal_actions())
            rules.play(p, box, action, dice_for("openspiel", number))
            state.apply_action(action)
        for sides, outcome in ROLLS:
            if sides > 1:
                assert state.chance_outcomes() == [(n, 1 / sides) for n in range(sides)]
                assert sides <= state.get_game().max_chance_outcomes()
                state.apply_action(outcome)
                rolled += 1
        assert not state.is_chance_node()
        assert state.node.p.tobytes() == p.tobytes()
    assert rolled >= 4


@pytest.mark.parametrize(
    "name", ["lots", *(pytest.param(name, marks=pytest.mark.slow) for name in registry.names())]
)
def test_open_chance_interpreted_and_compiled(name: str) -> None:
    with example_game.known():
        compare_modes_of_chance(get_game(name))


def compare_modes_of_chance(g: Game) -> None:
    interpreted = interpreted_chance(g)
    chance, action, p = random.Random(8), SETUP, g.blank(g.read_options())
    given: list[int] = []
    for _ in range(90):
        found = []
        for way in (interpreted, with_explicit_chance(g)):
            q, dice, mask = g.copy(p), scripted_dice(given), new_mask(len(g.actions))
            way(q, g.components.box, action, dice, mask)
            found.append((q.tobytes(), dice.tolist(), mask.tolist()))
        assert found[0] == found[1]
        if dice[SIDES]:
            given.append(chance.randrange(dice[SIDES]))
        else:
            action, given, p = chance.choice(members(mask)), [], q
    assert action != SETUP


def test_a_roll_shows_what_it_has_sides_for() -> None:
    state = load("batavia").new_initial_state()
    with pytest.raises(UnknownAction, match="the dice show 0 to 3 here, not 4"):
        state.apply_action(4)
    assert state.history() == []


# What seats may know


def dealt_anew(node: Node | None, seat: int, chance: random.Random) -> Node | None:
    """The same game, at each of its moments in another world that the seat cannot tell apart."""
    if node is None:
        return None
    before = dealt_anew(node.before, seat, chance)
    p = node.tree.game.seen_by(node.p, node.tree.box, seat)
    if node.begun:
        node.tree.game.compiled.imagine(p, node.tree.box, seat, np.array([chance.getrandbits(60)], np.uint64))
    return Node(node.tree, before, node.action, node.given, node.sides, p, node.mask, node.viewer)


def tell_apart(name: str, players: int) -> tuple[int, int]:
    """How often a seat could tell a game from the same one with its hidden part dealt again, and how often the
    two differed.
    """
    told, different = 0, 0
    chance = random.Random(5)
    for number, state in enumerate(walk(load(name, players=players), most=120)):
        if number % 9 == 0:
            for seat in range(players):
                twin = state.clone()
                twin.node = dealt_anew(state.node, seat, chance)
                told += not same_to(seat, state, twin)
                different += str(twin) != str(state)
    return told, different


@pytest.mark.slow
@pytest.mark.parametrize(("name", "players"), TABLES)
def test_strings_and_tensors_tell_nothing_that_is_hidden(name: str, players: int) -> None:
    told, different = tell_apart(name, players)
    assert told == 0
    assert (different > 0) == (name in SECRET)


@pytest.mark.slow
@pytest.mark.parametrize("name", SECRET)
def test_what_is_hidden_would_be_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Node, "view", lambda node, seat: node.p)
    assert tell_apart(name, 3)[0] > 0


@pytest.mark.parametrize("name", registry.names())
def test_at_chance_nodes_nothing_is_told_either(name: str) -> None:
    """What the dice have shown is not known before all of it has happened."""
    state = load(name).new_initial_state()
    for action in (1, 1):
        before = [
            state.information_state_string(seat) + state.observation_string(seat)
            for seat in range(state.num_players())
        ]
        twin = state.child(0)
        state.apply_action(action)
        assert str(twin) == str(state)
        for seat, text in enumerate(before):
            assert same_to(seat, state, twin)
            assert not any(state.observation_tensor(seat))
            assert "not begun" in text


@pytest.mark.parametrize("name", OPEN)
def test_in_open_games_nothing_is_hidden(name: str) -> None:
    for state in walk(load(name), most=50):
        for seat in range(state.num_players()):
            assert (
                state.node.tree.game.seen_by(state.node.p, state.node.tree.box, seat).tobytes()
                == state.node.p.tobytes()
            )
    assert load(name).get_type().information == pyspiel.GameType.Information.PERFECT_INFORMATION


@pytest.mark.parametrize("name", registry.names())
def test_an_information_state_forgets_nothing(name: str) -> None:
    """Each begins with those that the seat had before, and tells all that the seat sees now."""
    views: dict[str, bytes] = {}
    for seed in (1, 2):
        last: dict[int, str] = {}
        for state in walk(load(name), seed, most=60):
            for seat in range(state.num_players()):
                text = state.information_state_string(seat)
                assert text.startswith(last.get(seat, ""))
                last[seat] = text
                view = state.node.view(seat).tobytes()
                assert views.setdefault(text, view) == view


def test_an_information_state_in_words() -> None:
    state = load("marco_polo", players=2, first=0).new_initial_state()
    while state.is_chance_node():
        state.apply_action(0)
    state.apply_action(state.string_to_action("draw"))
    while state.is_chance_node():
        assert state.information_state_string(1).endswith("\n0 draw")
        state.apply_action(0)
    mine, theirs = (state.information_state_string(seat).splitlines() for seat in (0, 1))
    assert (mine[0], theirs[0]) == ("seat 0", "seat 1")
    assert mine[1].startswith("setup; ")
    assert "hand.0" in mine[2]
    assert "hand.0" not in theirs[2]
    assert "hand_size.0" in theirs[2]


@pytest.mark.parametrize("name", registry.names())
def test_tensors_and_their_pieces(name: str) -> None:
    g = load(name)
    now, ever = make_observation(g), make_observation(g, INFO_STATE_OBS_TYPE)
    layout = get_game(name).observation
    assert g.observation_tensor_size() == layout.size
    assert list(now.dict) == [piece.name for piece in layout.pieces]
    played: list[tuple[int, int]] = []
    for state in walk(g, most=40):
        deeds = [deed for deed in state.full_history() if deed.player >= 0]
        played = [(deed.player, deed.action) for deed in deeds][::-1]
        for seat in range(g.num_players()):
            now.set_from(state, seat)
            ever.set_from(state, seat)
            row = np.zeros(layout.size, np.uint8)
            state.node.tree.observe(state.node.p, seat, row)
            assert np.array_equal(now.tensor, row / layout.high.astype(np.float32))
            assert now.tensor.tolist() == state.observation_tensor(seat)
            assert ever.tensor.tolist() == state.information_state_tensor(seat)
            assert all(np.array_equal(ever.dict[piece], now.dict[piece]) for piece in now.dict)
            for nth in range(RECENT):
                who, what = (
                    np.flatnonzero(ever.dict["recent_seats"][nth]),
                    np.flatnonzero(ever.dict["recent_actions"][nth]),
                )
                expected = (
                    [((played[nth][0] - seat) % g.num_players(), played[nth][1])] if nth < len(played) else []
                )
                assert [*zip(who.tolist(), what.tolist(), strict=True)] == expected
    assert len(played) > RECENT


@pytest.mark.parametrize(
    "kind",
    [
        {"public_info": False, "perfect_recall": True},
        {"public_info": False, "private_info": pyspiel.PrivateInfoType.NONE},
        {"private_info": pyspiel.PrivateInfoType.ALL_PLAYERS},
    ],
)
def test_other_kinds_of_observers_are_refused(kind: dict[str, Any]) -> None:
    given = {
        "perfect_recall": False,
        "public_info": True,
        "private_info": pyspiel.PrivateInfoType.SINGLE_PLAYER,
    } | kind
    with pytest.raises(OptionError, match="observers show what one player knows"):
        load("batavia").make_py_observer(pyspiel.IIGObservationType(**given))
    with pytest.raises(OptionError, match="no parameters; leave out depth"):
        load("batavia").make_py_observer(None, {"depth": 3})


def observer(name: str, public: bool, private: Any, recall: bool = False) -> Any:
    kind = pyspiel.IIGObservationType(public_info=public, private_info=private, perfect_recall=recall)
    return make_observation(load(name, players=3), kind)


@pytest.mark.parametrize("name", SECRET)
def test_what_is_public_tells_nothing_of_hands_and_what_is_private_the_rest(name: str) -> None:
    """Worlds that a spectator cannot tell apart have the same public observation; with the private ones each
    seat's own is told apart as its whole observation is.
    """
    nobody, one = pyspiel.PrivateInfoType.NONE, pyspiel.PrivateInfoType.SINGLE_PLAYER
    public, private = observer(name, True, nobody), observer(name, False, one)
    sampler, seen = pyspiel.UniformProbabilitySampler(0.0, 1.0), 0
    for number, state in enumerate(walk(load(name, players=3), most=200)):
        if number % 20:
            continue
        texts = {public.string_from(state, seat) for seat in range(3)}
        assert len(texts) == 1
        public.set_from(state, 0)
        tensor = public.tensor.copy()
        for viewer in range(3):
            twin = state.resample_from_infostate(viewer, sampler)
            assert public.string_from(twin, 1) in texts
            public.set_from(twin, 2)
            assert (public.tensor == tensor).all()
            assert private.string_from(twin, viewer) == private.string_from(state, viewer)
            for seat in range(3):
                same = private.string_from(twin, seat) == private.string_from(state, seat)
                assert same == (twin.observation_string(seat) == state.observation_string(seat))
                seen += not same
    assert seen > 5


def test_with_recall_what_is_public_is_all_that_a_spectator_has_seen() -> None:
    seen = observer("batavia", True, pyspiel.PrivateInfoType.NONE, recall=True)
    *_, state = walk(load("batavia", players=3), most=120)
    text = seen.string_from(state, 0)
    dealt, known = text.splitlines()[0], state.information_state_string(0).splitlines()[1]
    assert dealt.startswith("setup")
    assert "hand." not in dealt
    assert "hand.0" in known
    twin = state.resample_from_infostate(0, pyspiel.UniformProbabilitySampler(0.0, 1.0))
    assert seen.string_from(twin, 1) == text


@pytest.mark.slow
@pytest.mark.parametrize("name", SECRET)
def test_openspiel_writes_playthroughs(name: str) -> None:
    text = generate_playthrough.playthrough(f"python_comptoir_{name}(players=3)", [], seed=1)
    assert "PublicObservationString() = " in text
    assert "PrivateObservationString(2) = " in text
    assert text.rstrip().splitlines()[-1].startswith("Returns() = ")


def test_own_components_are_played_with(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    figures = (get_game("batavia").folder / "components.toml").read_text(encoding="utf-8")
    own.write_text(figures.replace("bills = 15", "bills = 9").replace("england = 22", "england = 40"))
    g = pyspiel.load_game("python_comptoir_batavia", {"players": 3, "components": str(own)})
    assert g.max_chance_outcomes() == 128
    state = g.new_initial_state()
    while state.is_chance_node():
        state.apply_action(0)
    assert "bills: [9, 9, 9]" in str(state)
    again, twin = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(g, state))
    assert (str(again), str(twin)) == (str(g), str(state))
    assert str(pickle.loads(pickle.dumps(state.node)).tree.components) == str(own)
    with pytest.raises(DataError, match="cannot be read"):
        pyspiel.load_game("python_comptoir_batavia", {"components": str(tmp_path / "none.toml")})


# Imagined worlds


@pytest.mark.parametrize("name", SECRET)
def test_in_imagined_worlds_who_knows_the_same_may_do_the_same(name: str) -> None:
    """What a search of information sets goes by.

    The others know what they hold there, not what they held in truth.
    """
    sampler = pyspiel.UniformProbabilitySampler(0.0, 1.0)
    known: dict[str, list[int]] = {}
    for number, state in enumerate(walk(load(name, players=3), most=150)):
        if number % 5 == 0:
            viewer, decides = (state.current_player() + 1) % 3, state.current_player()
            for _ in range(4):
                twin = state.resample_from_infostate(viewer, sampler)
                text = twin.information_state_string(decides)
                assert known.setdefault(text, twin.legal_actions()) == twin.legal_actions()
                again = twin.resample_from_infostate(decides, sampler)
                assert same_to(decides, twin, again)
                assert again.legal_actions() == twin.legal_actions()
    assert len(known) > 50


@pytest.mark.slow
@pytest.mark.parametrize("name", SECRET)
def test_in_imagined_worlds_there_is_nothing_of_the_truth(name: str) -> None:
    """Dealt again, whatever the viewer does not know, the game gives the same worlds, and in them the others
    know the same.
    """
    chance = random.Random(7)
    for number, state in enumerate(walk(load(name, players=3), most=100)):
        if number % 9 == 0:
            for viewer in range(3):
                twin = state.clone()
                twin.node = dealt_anew(state.node, viewer, chance)
                one, other = (
                    world.resample_from_infostate(viewer, random.Random(number).random)
                    for world in (state, twin)
                )
                assert str(one) == str(other)
                assert all(same_to(seat, one, other) for seat in range(3))


@pytest.mark.parametrize("name", SECRET)
def test_an_imagined_world_is_kept_and_played_on(name: str) -> None:
    state = list(walk(load(name), most=50))[-1]
    twin = state.resample_from_infostate(0, random.Random(1).random)
    same = state.resample_from_infostate(0, random.Random(1).random)
    assert str(twin) == str(same) != str(state)
    _, kept = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(twin.get_game(), twin))
    for other in (twin.clone(), kept, pickle.loads(pickle.dumps(twin))):
        assert str(other) == str(twin)
        assert other.history() == twin.history()
        assert all(same_to(seat, other, twin) for seat in range(twin.num_players()))
    chance = random.Random(2)
    while not twin.is_terminal():
        action = chance.choice(twin.legal_actions())
        twin.apply_action(action)
        kept.apply_action(action)
    assert str(kept) == str(twin)
    assert any(twin.returns())
    assert str(twin.resample_from_infostate(0, chance.random)) == str(twin)


def test_no_world_is_imagined_while_dice_roll() -> None:
    with pytest.raises(OptionError, match="not at a chance node"):
        load("batavia").new_initial_state().resample_from_infostate(0, random.random)


# States and games


@pytest.mark.parametrize("reward", ["win", "points"])
@pytest.mark.parametrize("name", registry.names())
def test_returns(name: str, reward: str) -> None:
    g = load(name, reward=reward)
    for state in walk(g, seed=4):
        assert not any(state.returns())
    assert state.is_terminal()
    assert state.returns() == state.rewards()
    with pytest.raises(MatchOver):
        state.apply_action(0)
    rows = get_game(name).scores(state.node.p, state.node.tree.box)
    if reward == "points":
        assert state.returns() == [row[0] for row in rows]
        assert g.get_type().utility == pyspiel.GameType.Utility.GENERAL_SUM
    else:
        assert sum(state.returns()) == pytest.approx(0)
        assert [share > 0 for share in state.returns()] == [row == max(rows) for row in rows]
        assert g.get_type().utility == pyspiel.GameType.Utility.ZERO_SUM


def test_actions_are_the_games_own_words() -> None:
    state = load("batavia", players=3, first=2).new_initial_state()
    while state.is_chance_node():
        state.apply_action(0)
    assert state.action_to_string(state.legal_actions()[0]) in get_game("batavia").actions
    assert state.string_to_action("bid 3") == get_game("batavia").action_index("bid 3")
    assert state.action_to_string(pyspiel.PlayerId.CHANCE, 3) == "roll 3"
    assert load("batavia").action_to_string(0, state.string_to_action("bid 3")) == "bid 3"
    with pytest.raises(UnknownAction, match="actions of batavia are 0 to 89, not 900"):
        state.action_to_string(0, 900)


def test_actions_that_are_not_legal_are_refused() -> None:
    state = load("batavia").new_initial_state()
    while state.is_chance_node():
        state.apply_action(0)
    before = str(state), state.history()
    with pytest.raises(IllegalAction, match="B"):
        state.apply_action(get_game("batavia").action_index("draw"))
    with pytest.raises(UnknownAction, match="actions of batavia are 0 to 89, not 90"):
        state.apply_action(90)
    assert (str(state), state.history()) == before


def test_every_option_is_a_parameter() -> None:
    g = pyspiel.load_game("python_comptoir_sail_to_india(players=4,setup=first game,first=0)")
    assert not g.new_initial_state().is_chance_node()  # there is nothing to roll for
    assert pyspiel.load_game(str(g)) == g
    for name in registry.names():
        assert set(load(name).get_parameters()) == {
            "players",
            "reward",
            "components",
            *(option.name for option in get_game(name).options),
        }


def test_parameters() -> None:
    g = pyspiel.load_game(
        "python_comptoir_batavia(players=5,setup=open,first=2,open_bills=True,reward=points)"
    )
    options = g.new_initial_state().node.tree.options
    assert options == {"players": "5", "setup": "open", "first": "2", "open_bills": "yes"}
    assert (g.num_players(), g.min_utility(), g.max_utility()) == (
        5,
        0,
        get_game("batavia").rules.MAX_POINTS,
    )
    assert pyspiel.load_game(str(g)).new_initial_state().node.tree.options == options
    assert load("batavia").new_initial_state().node.tree.options["first"] == "draw"
    assert g.max_chance_nodes_in_history() > g.max_game_length() == get_game("batavia").rules.MAX_DECISIONS


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"players": 9}, "batavia is for 3 to 5 players, not 9"),
        ({"setup": "opem"}, "did you mean 'open'"),
        ({"first": 4}, "expected a seat from 0 to 3, or draw; found 4"),
        ({"reward": "fame"}, "reward: expected win or points, found 'fame'"),
    ],
)
def test_parameters_that_do_not_fit_are_refused(given: dict[str, Any], says: str) -> None:
    with pytest.raises(OptionError, match=says):
        load("batavia", **given)


def test_copies_share_and_do_not_disturb() -> None:
    state = list(walk(load("marco_polo"), most=20))[-1]
    twin = state.clone()
    assert twin.node is state.node
    twin.apply_action(twin.legal_actions()[0])
    assert len(twin.history()) == len(state.history()) + 1
    assert twin.node.before is state.node
    assert state.node.viewer == NOBODY


@pytest.mark.slow
def test_python_ends_well() -> None:
    """OpenSpiel holds on to what makes a game until after Python's end."""
    program = (
        "import comptoir.research.openspiel, pyspiel; print(pyspiel.load_game('python_comptoir_century'))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("python_comptoir_century(")


def test_without_openspiel_the_import_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    monkeypatch.delitem(sys.modules, "comptoir.research.openspiel")
    with pytest.raises(ImportError, match=r"pip install .*\[research\]"):
        importlib.import_module("comptoir.research.openspiel")


# Its algorithms


def play(g: Any, choose: Callable[[State], int]) -> Any:
    """A game in which seat 0 chooses and the others do as they like."""
    chance = random.Random(6)
    state = g.new_initial_state()
    while not state.is_terminal():
        state.apply_action(
            choose(state) if state.current_player() == 0 else chance.choice(state.legal_actions())
        )
    return state


@pytest.mark.slow
@pytest.mark.parametrize("name", SECRET)
def test_its_search_of_information_sets_plays_a_game(name: str) -> None:
    g, chance = load(name, players=3), np.random.RandomState(1)
    bot = ismcts.ISMCTSBot(
        g, mcts.RandomRolloutEvaluator(1, chance), uct_c=2.0, max_simulations=3, random_state=chance
    )
    assert any(play(g, bot.step).returns())


@pytest.mark.slow
@pytest.mark.parametrize("name", OPEN)
def test_its_tree_search_plays_open_games(name: str) -> None:
    """The first decisions of one: a random rollout is a thousand decisions long."""
    g, chance = load(name), np.random.RandomState(1)
    bot = mcts.MCTSBot(
        g, 2.0, max_simulations=2, evaluator=mcts.RandomRolloutEvaluator(1, chance), random_state=chance
    )
    for state in walk(g, most=4):
        assert bot.step(state) in state.legal_actions()


@pytest.mark.parametrize("name", SECRET)
def test_its_q_learner_learns(name: str) -> None:
    np.random.seed(1)  # the learner has no dice of its own
    g = load(name, players=3)
    env = rl_environment.Environment(g, chance_event_sampler=rl_environment.ChanceEventSampler(seed=1))
    learners = [
        tabular_qlearner.QLearner(player_id=seat, num_actions=g.num_distinct_actions()) for seat in range(3)
    ]
    for _ in range(3):
        step = env.reset()
        while not step.last():
            step = env.step([learners[step.observations["current_player"]].step(step).action])
        for learner in learners:
            learner.step(step)
    assert all(
        any(value for values in learner._q_values.values() for value in values.values())
        for learner in learners
    )
