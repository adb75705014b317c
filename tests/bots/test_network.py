"""A network in the search: the same every time, fair, without allocation; and files that are none."""

from __future__ import annotations

import io
import json
import tracemalloc
import zipfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from comptoir.bots.levels import LEVELS, fallback_level, make
from comptoir.bots.network import (
    BY_ROW,
    FILE,
    FORMAT,
    MAX_UNPACKED_BYTES,
    OLDEST_ARRAYS,
    Network,
    bucket_of,
    bundled_network,
    embedding_offsets,
    layout_digest,
    new_network,
    read_network,
    shapes_of,
    softmax_policy,
)
from comptoir.bots.search import (
    ROOT_VIEW,
    WORLD,
    SearchWorkspace,
    candidate_actions,
    evaluate_leaf,
    evaluation_gaps,
    query_network,
    search,
)
from comptoir.bots.searcher import Searcher
from comptoir.bots.seated import SeatedBot
from comptoir.bots.workspace import clear_tree, new_workspace, root_edges
from comptoir.cli import main
from comptoir.engine import registry
from comptoir.engine.game import Game, get_game
from comptoir.engine.interface import RuleSet, observe
from comptoir.engine.mask import members
from comptoir.engine.match import Match
from comptoir.errors import DataError, OptionError
from comptoir.testing.fixtures import ruleset_of
from tests.bots.test_fairness import is_fair
from tests.bots.test_search import decision, settings
from tests.example_game import without

BATAVIA = get_game("batavia")
ROOT = Path(__file__).parents[2]
LEARNED = [name for name in registry.built_in() if (registry.folder(name) / FILE).exists()]


def any_network(g: Game, seed: int = 1, wide: int = 16, policy: bool = False) -> Network:
    """Weights by chance."""
    chance = np.random.default_rng(seed)
    shapes = shapes_of(g, wide, 8, policy)
    arrays = {name: (chance.normal(size=shape) * 0.3).astype(np.float32) for name, shape in shapes.items()}
    return new_network(g, arrays, g.evaluation.search | {"rollout_depth": 0.0})


def desk_with(match: Match, network: Network | None, iterations: int = 64) -> SearchWorkspace:
    desk = new_workspace(match.game, iterations, network)
    clear_tree(desk)
    desk.positions[ROOT_VIEW] = match.seen_by(match.turn)
    desk.positions[WORLD] = match.records[-1]
    desk.dice[0] = 5
    return desk


def searched(match: Match, ruleset: RuleSet, network: Network, iterations: int) -> SearchWorkspace:
    g, desk = match.game, desk_with(match, network, iterations)
    run = ruleset.bind(search)
    run(desk, match.box, g.evaluation.weights, settings(g, rollout_depth=0), match.turn or 0, iterations)
    return desk


both_kinds = pytest.mark.parametrize("policy", [False, True], ids=["value alone", "actions too"])


@both_kinds
def test_interpreted_and_compiled_searches_with_a_network_are_the_same(policy: bool) -> None:
    match, network = decision(BATAVIA), any_network(BATAVIA, policy=policy)
    one, other = (
        searched(match, ruleset_of(BATAVIA, mode), network, 6) for mode in ("interpreted", "compiled")
    )
    np.testing.assert_allclose(list(root_edges(one)), list(root_edges(other)), rtol=1e-6)


def test_what_it_says_is_what_its_arrays_say() -> None:
    """Against the same sums in NumPy."""
    match, network = decision(BATAVIA), any_network(BATAVIA)
    desk, seat = desk_with(match, network), match.turn or 0
    ruleset, values, players = BATAVIA.interpreted, BATAVIA.evaluation.weights, match.players
    ruleset.bind(evaluation_gaps)(desk, match.box, values, match.records[-1])
    ruleset.bind(query_network)(desk, match.box, match.records[-1], seat)
    a, net = network.arrays, desk.net
    starts = embedding_offsets(BATAVIA.observation)
    seen = [starts[i] + bucket_of(int(n)) - 1 for i, n in enumerate(net.row) if n]
    wide = a["bias"] + a["embedding"][seen].sum(0) + net.gaps[:players] @ a["gap_weights"][:players]
    narrow = np.maximum(wide, 0) @ a["value_second"] + a["value_second_bias"]
    out = np.maximum(narrow, 0) @ a["value_head"] + a["value_bias"] + a["gap_scale"] * net.gaps
    np.testing.assert_allclose(net.out[:players], out[:players], rtol=1e-3, atol=1e-3)


def test_what_it_says_of_actions_is_what_its_arrays_say() -> None:
    """It sees with the eyes of the seat that decides, whoever searches; and shares 1 among what may be done."""
    match, network = decision(BATAVIA), any_network(BATAVIA, policy=True)
    desk, decider = desk_with(match, network), match.turn or 0
    ruleset, a, net = BATAVIA.interpreted, network.arrays, desk.net
    ruleset.bind(candidate_actions)(match.records[-1], match.box, desk.mask)
    other = (decider + 1) % match.players
    ruleset.bind(evaluate_leaf)(desk, match.box, BATAVIA.evaluation.weights, match.records[-1], other)
    row = np.zeros(BATAVIA.observation.size, np.uint8)
    ruleset.bind(observe)(match.records[-1], match.box, decider, row)
    assert net.row.tolist() == row.tolist()
    ruleset.bind(softmax_policy)(net, desk.mask)
    allowed = members(desk.mask)
    said = np.exp((np.maximum(net.policy_narrow, 0) @ a["policy"] + a["policy_bias"])[allowed])
    assert len(allowed) > 1
    np.testing.assert_allclose(net.policy_probs[allowed], said / said.sum(), rtol=1e-3)


def test_what_promises_most_is_tried_first() -> None:
    match, network = decision(BATAVIA), any_network(BATAVIA, policy=True)
    liked = match.game.action_index(match.actions()[1])
    arrays = network.arrays | {"policy_bias": np.zeros_like(network.arrays["policy_bias"])}
    arrays["policy_bias"][liked] = 50
    desk = searched(match, BATAVIA.interpreted, replace(network, arrays=arrays), 3)
    assert max(root_edges(desk), key=lambda edge: edge[1])[:2] == (liked, 3)


def test_a_network_that_says_nothing_is_the_judgement() -> None:
    match = decision(BATAVIA)
    silent = {name: np.zeros_like(array) for name, array in any_network(BATAVIA).arrays.items()}
    silent["gap_scale"][:] = 1
    shares = []
    for network in (None, replace(any_network(BATAVIA), arrays=silent)):
        desk = desk_with(match, network)
        run = BATAVIA.interpreted.bind(evaluate_leaf)
        run(desk, match.box, BATAVIA.evaluation.weights, match.records[-1], match.turn or 0)
        shares.append(desk.shares.copy())
    np.testing.assert_allclose(shares[0], shares[1], atol=1e-6)


@both_kinds
def test_a_search_with_a_network_is_fair_and_always_the_same(policy: bool) -> None:
    """Batavia's hands are hidden: dealt again, the choice stays."""
    network = any_network(BATAVIA, policy=policy)

    def seated(match: Match, seat: int) -> SeatedBot:
        chair = SeatedBot("clerk", match, seat, "seed")
        chair.bot = Searcher(BATAVIA, match.components, "seed", 100, trees=2, network=network)
        return chair

    assert is_fair(BATAVIA, seated)


@both_kinds
def test_no_allocation_while_a_network_is_asked(policy: bool) -> None:
    from numba.core import runtime

    memory: Any = runtime
    match = decision(BATAVIA)
    desk = desk_with(match, any_network(BATAVIA, policy=policy), 2000)
    given = (desk, match.box, BATAVIA.evaluation.weights, settings(BATAVIA, rollout_depth=0), match.turn or 0)
    run = BATAVIA.compiled.bind(search)

    def handed_out(iterations: int) -> int:
        run(*given, iterations)
        before = memory.rtsys.get_allocation_stats().alloc
        run(*given, iterations)
        return int(memory.rtsys.get_allocation_stats().alloc - before)

    memory._nrt_python.memsys_enable_stats()
    assert handed_out(500) == handed_out(1)


# Files


def saved(path: Path, network: Network) -> Path:
    network.save(path)
    return path


@both_kinds
def test_a_network_is_read_as_it_was_saved(tmp_path: Path, policy: bool) -> None:
    network = any_network(BATAVIA, policy=policy)
    found = read_network(saved(tmp_path / FILE, network), BATAVIA)
    assert (found.box, found.search, found.layout) == (network.box, network.search, network.layout)
    assert found.arrays.keys() == network.arrays.keys()
    for name, array in network.arrays.items():
        step = np.abs(array).max(axis=1, keepdims=True) / 127 if name in BY_ROW else 2e-3
        assert (np.abs(found.arrays[name] - array) <= 0.51 * step + 2e-3).all()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"game": "century"}, "it is a network for century, not for batavia"),
        ({"version": 77}, "it was trained on version 77 of the rules"),
        ({"layout": "other"}, "another layout of the observation"),
        ({"search": {}}, "it is damaged"),
        ({"arrays": {"policy": np.zeros((8, 3), np.float32)}}, "it is damaged"),
        ({"arrays": {"embedding": np.zeros((3, 16), np.float32)}}, "it is damaged"),
        ({"arrays": {"bias": np.full(16, np.nan, np.float32)}}, "it is damaged"),
    ],
)
def test_what_does_not_fit_is_told_in_a_sentence(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    network = any_network(BATAVIA, policy=True)
    if "arrays" in change:
        change = {"arrays": network.arrays | change["arrays"]}
    with pytest.raises(DataError, match=said):
        read_network(saved(tmp_path / FILE, replace(network, **change)), BATAVIA)


@pytest.mark.parametrize("cut", [0, 10, 2000])
def test_a_damaged_file_is_told_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], cut: int
) -> None:
    whole = saved(tmp_path / FILE, any_network(BATAVIA)).read_bytes()
    (tmp_path / FILE).write_bytes(whole[:cut])
    with pytest.raises(DataError, match="it is damaged, or no network"):
        read_network(tmp_path / FILE, BATAVIA)
    bots = f"captain@{tmp_path / FILE},clerk"
    assert main(["arena", "batavia", "--bots", bots, "--games", "4"]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_bytes_that_were_changed_never_end_in_a_stack_trace(tmp_path: Path) -> None:
    whole = bytearray(saved(tmp_path / FILE, any_network(BATAVIA)).read_bytes())
    chance = np.random.default_rng(3)
    for _ in range(60):
        other = bytearray(whole)
        for place in chance.integers(0, len(whole), 3):
            other[place] ^= int(chance.integers(1, 256))
        (tmp_path / FILE).write_bytes(other)
        with suppress(DataError):
            read_network(tmp_path / FILE, BATAVIA)


def packed(path: Path, **members: bytes) -> Path:
    """A file of a network in which some members are others."""
    whole = saved(path, any_network(BATAVIA)).read_bytes()
    with (
        zipfile.ZipFile(io.BytesIO(whole)) as source,
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out,
    ):
        for name in source.namelist():
            out.writestr(name, members.get(name.removesuffix(".npy"), source.read(name)))
    return path


def npy(shape: str, dtype: str, content: bytes) -> bytes:
    """A member that announces a shape and a type, whatever it holds."""
    text = f"{{'descr': {dtype}, 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode() + content


@pytest.mark.parametrize(
    "member",
    [
        npy("(1000000000000, 16)", "'<f2'", b"\0" * 64),  # terabytes, announced
        npy("(2**70,)", "'<f2'", b""),
        npy("(-1, 16)", "'<f2'", b"\0" * 64),
        npy("(2,)", "'|O'", b"cos\nsystem\n(S'false'\ntR."),  # a pickle
        npy("(2,)", "[('a', '<f2'), ('b', '|O')]", b"\0" * 64),
        npy("(1,)", "'|S64'", b"\0" * 64),
        npy("(1,)", "'|V64'", b"\0" * 64),
        npy("(4,)", "'<c16'", b"\0" * 64),
        npy("(8,)", "'<i8'", b"\0" * 64),
        npy("()", "'<f8'", b"\0" * 8),
        npy("(" * 80, "'<f2'", b""),
        b"\x93NUMPY\x09\x00",
        b"",
    ],
)
def test_a_member_that_is_no_array_of_numbers_is_refused(tmp_path: Path, member: bytes) -> None:
    """Before memory is taken for it, and nothing in it is run."""
    for name in ("bias", "embedding", "embedding_scale", "header"):
        with pytest.raises(DataError, match="it is damaged, or no network"):
            read_network(packed(tmp_path / FILE, **{name: member}), BATAVIA)


def test_a_scale_that_does_not_fit_is_refused_before_it_is_multiplied(tmp_path: Path) -> None:
    column = npy("(1000000,)", "'|i1'", b"\0" * 1_000_000)
    scale = npy("(1000000, 1)", "'<f2'", b"\0" * 2_000_000)
    for changed in ({"embedding": column, "embedding_scale": scale}, {"embedding_scale": scale}):
        with pytest.raises(DataError, match="it is damaged, or no network"):
            read_network(packed(tmp_path / FILE, **changed), BATAVIA)


def test_a_file_that_unpacks_to_too_much_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    path = packed(tmp_path / FILE, embedding=bytes(MAX_UNPACKED_BYTES))
    assert path.stat().st_size < 200_000
    tracemalloc.start()
    with pytest.raises(DataError, match="too large for a network: at most 64 MB"):
        read_network(path, BATAVIA)
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert taken < 2_000_000


def test_a_directory_that_lies_about_a_member_gains_nothing(tmp_path: Path) -> None:
    """The size that is added up is also the most that is unpacked."""
    path = packed(tmp_path / FILE, embedding=bytes(MAX_UNPACKED_BYTES))
    real, small = MAX_UNPACKED_BYTES.to_bytes(4, "little"), (1000).to_bytes(4, "little")
    path.write_bytes(path.read_bytes().replace(real, small))
    tracemalloc.start()
    with pytest.raises(DataError, match="it is damaged, or no network"):
        read_network(path, BATAVIA)
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert taken < 2_000_000


@pytest.mark.parametrize("figure", ["x", None, float("inf"), float("nan"), 10**400, [1]])
def test_figures_that_are_no_numbers_are_told_in_a_sentence(tmp_path: Path, figure: Any) -> None:
    network = any_network(BATAVIA)
    with pytest.raises(DataError, match="it is damaged"):
        read_network(
            saved(tmp_path / FILE, replace(network, search=network.search | {"rollout_depth": figure})),
            BATAVIA,
        )


# The levels


@pytest.mark.parametrize("name", LEARNED)
def test_what_is_shipped_fits_and_says_which_run_made_it(name: str) -> None:
    g = get_game(name)
    network = bundled_network(g)
    assert network is not None
    assert (g.folder / FILE).stat().st_size <= 2_000_000
    assert network.trained_on(g.components)
    assert network.layout == layout_digest(g.observation)
    assert network.run["config"]["game"] == name
    assert json.dumps(network.run)
    for spec in ("captain", "network:200"):
        bot = make(spec, g, g.components, "1")
        assert isinstance(bot, Searcher)
        assert bot.network is network
        assert bot.iterations == 200
    assert fallback_level("admiral", g, g.components) is None


def header_of(path: Path) -> dict[str, Any]:
    with np.load(path) as file:
        header: dict[str, Any] = json.loads(file["header"].tobytes())
    return header


STORED = [*(registry.folder(name) / FILE for name in LEARNED), *(ROOT / "bench" / "networks").glob("*.npz")]


def test_the_networks_in_the_wheel_are_small() -> None:
    assert sum((registry.folder(name) / FILE).stat().st_size for name in LEARNED) < 4_000_000


@pytest.mark.parametrize("path", [path for path in STORED if header_of(path)["format"] < FORMAT])
def test_networks_of_earlier_formats_are_read(path: Path) -> None:
    """Their arrays, and the settings of their search, had other names."""
    header = header_of(path)
    with np.load(path) as file:
        stored = {name: file[name].astype(np.float32) for name in file.files if name != "header"}
    assert {"patience", "explore", "trust", "sharpness"} == header["search"].keys()
    g = get_game(header["game"])
    network = read_network(path, g)
    renamed = {was: name for name, was in OLDEST_ARRAYS.items()}
    found, policy = dict(network.arrays), "policy" in stored
    second, second_bias = stored.pop("second"), stored.pop("second_bias")
    for head in ("value", "policy")[: 1 + policy]:  # both heads stood on the same layer
        np.testing.assert_array_equal(found.pop(f"{head}_second"), second)
        np.testing.assert_array_equal(found.pop(f"{head}_second_bias"), second_bias)
    biases = stored.pop("last_bias")
    np.testing.assert_array_equal(found.pop("value_bias"), biases[:-1])
    gaps = stored.pop("judged")
    if policy:
        assert not found.pop("others_embedding").any()
        assert not biases[-1]
        assert not found.keys() & {"gap_weights", "gap_scale"}, "training had not touched them"
    else:
        np.testing.assert_array_equal(found.pop("gap_scale"), biases[-1:])
        np.testing.assert_array_equal(found.pop("gap_weights"), gaps)
    assert found.keys() == {renamed.get(name, name) for name in stored}
    for name, array in found.items():
        np.testing.assert_array_equal(array, stored[OLDEST_ARRAYS.get(name, name)])
    assert network.search == {
        "rollout_depth": header["search"]["patience"],
        "c_puct": header["search"]["explore"],
        "prior_visits": header["search"]["trust"],
        "prior_temperature": header["search"]["sharpness"],
    }
    assert network.run == {"config": header["run"].pop("plan")} | header["run"]


def test_a_game_made_from_anothers_folder_has_no_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its name is another, so the file that was copied with the rest does not fit."""
    g = without("century", ["why.py"], tmp_path, monkeypatch)
    assert (g.folder / FILE).exists()
    instead = fallback_level("admiral", g, g.components)
    assert instead is not None
    assert instead.iterations == LEVELS["admiral"].without_network


def test_own_components_are_played_by_the_judgement() -> None:
    g = get_game("sail_to_india")
    tables = json.loads(json.dumps(g.components.tables))
    name, key = next(
        (name, key)
        for name, embedding in tables.items()
        for key, figure in embedding.items()
        if isinstance(figure, int) and _fits(g, name, key, figure + 1)
    )
    tables[name][key] += 1
    other = g.read_components(tables)
    for spec, iterations, trees in (("captain", 5_000, 1), ("admiral", 50_000, 8), ("captain:70", 70, 1)):
        instead = fallback_level(spec, g, other)
        assert instead is not None
        assert (instead.iterations, instead.trees) == (iterations, trees)
        bot = make(spec, g, other, "1")
        assert isinstance(bot, Searcher)
        assert bot.network is None
        assert (bot.iterations, len(bot.workspaces)) == (iterations, trees)
    reason = "no network was trained on these components of sail_to_india"
    with pytest.raises(OptionError, match=reason):
        fallback_level("network:200", g, other)
    with pytest.raises(OptionError, match=reason):
        make("network:200", g, other, "1")


def _fits(g: Game, name: str, key: str, figure: int) -> bool:
    tables = json.loads(json.dumps(g.components.tables))
    tables[name][key] = figure
    try:
        g.read_components(tables)
    except DataError:
        return False
    return True


def test_a_level_that_has_no_network_says_who_plays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("comptoir.bots.levels.bundled_network", lambda game: None)
    bots = "captain:8,clerk"
    main(["arena", "batavia", "--bots", bots, "--games", "4", "--workers", "1", "--lang", "fr", "--fresh"])
    told = capsys.readouterr().err.replace("\n", " ")
    assert "captain:8 cherche avec la seule évaluation, 8 itérations" in told
