"""A learned evaluator: a small network that replaces a game's hand-written evaluation, and its file.

Its input is a seat's observation of a position. A network trained by self-play with PPO (`learn/ppo.py`) has
two heads. The policy head sees the observation of the seat to act and nothing else. The value head, which
gives each seat's chance to win, also sees the private features of the other seats: it evaluates positions of
imagined worlds, in which every hand is known. A network trained from searches has a value head alone: it
observes as the seat that searches, and sees the gaps by which the hand-written evaluation puts each seat
behind the best.

All of it is data: the search compiled for a game works with any network of that game, or with none.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import zipfile
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from comptoir.engine.components import Components
from comptoir.engine.evaluation import current_settings
from comptoir.engine.game import Game
from comptoir.engine.mask import count, pick
from comptoir.engine.observation import ObservationLayout, absolute_seat
from comptoir.engine.rule import Mask, Points, Position, rule
from comptoir.errors import DataError

Floats = NDArray[np.float32]

FILE = "network.npz"  # in a game's folder
FORMAT = 4
# formats: 1 had no policy head, 1 and 2 other names of arrays and settings, 1 to 3 one second layer for both
# heads and no features of other seats
READABLE = (1, 2, 3, 4)
OLD_ARRAYS = {"value_second": "second", "value_second_bias": "second_bias"}  # up to format 3
OLDEST_ARRAYS = {  # up to format 2
    "embedding": "table",
    "gap_weights": "judged",
    "value_head": "last",
    "value_bias": "last_bias",
}
OLD_RUN = {"plan": "config"}
EXACT = 16  # numbers of an observation up to here have a bucket each; above, eight share one
VALUE = ("embedding", "bias", "value_second", "value_second_bias", "value_head", "value_bias")
GAPS = ("gap_weights", "gap_scale")  # of a network without a policy head
POLICY = ("others_embedding", "policy_second", "policy_second_bias", "policy", "policy_bias")
BY_ROW = ("embedding", "others_embedding", "policy_second", "value_second")  # stored in 8 bits
SCALE = "_scale"  # ends the name of the array with the scales of their rows
# bytes of all arrays, unpacked: fifty times what we ship; a small file can announce terabytes
MAX_UNPACKED_BYTES = 64 * 1024**2


_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


class NetworkBuffers(NamedTuple):
    """A network's weights and activations. Without a network all arrays are empty."""

    first: NDArray[np.int32]  # for each entry of the row: where its buckets begin in the embedding
    embedding: Floats  # for each bucket above 0 of each entry: what it adds to the first layer
    bias: Floats
    gap_weights: Floats  # what each seat's gap adds to the first layer
    gap_scale: Floats  # the weight of the gaps themselves in the value logits
    private: NDArray[np.int32]  # the private entries of an observation; none where the value head is alone
    others_first: NDArray[np.int32]  # as `first`, for the private entries of every other seat
    others_embedding: Floats
    value_second: Floats
    value_second_bias: Floats
    value_head: Floats
    value_bias: Floats  # one per seat
    policy_second: Floats
    policy_second_bias: Floats
    policy: Floats
    policy_bias: Floats
    row: NDArray[np.uint8]
    other_row: NDArray[np.uint8]  # another seat's observation
    gaps: Floats  # by the evaluation: how far each seat is behind the best, in the viewer's order
    hidden: Floats  # the first layer, from the row
    open_hidden: Floats  # the same, with what the value head sees besides
    narrow: Floats
    policy_narrow: Floats
    out: Floats
    policy_probs: Floats  # softmax over the legal actions


@rule
def bucket_of(number: int) -> int:
    """The bucket of a number of an observation."""
    return number if number < EXACT else EXACT - (EXACT >> 3) + (number >> 3)


def number_of(bucket: int) -> float:
    """The number of an observation that a bucket stands for, or the middle of those that share it."""
    return float(bucket) if bucket < EXACT else 8.0 * (bucket - EXACT + (EXACT >> 3)) + 3.5


@rule
def embed_row(net: NetworkBuffers) -> None:
    """Leave in `hidden` what the row adds up to, and in `open_hidden` the same, for `add_other_seat`."""
    hidden = net.hidden
    for n in range(len(hidden)):
        hidden[n] = net.bias[n]
    for entry in range(len(net.row)):
        number = int(net.row[entry])
        if number:
            add_embedding(hidden, net.embedding[net.first[entry] + bucket_of(number) - 1], np.float32(1.0))
    for n in range(len(hidden)):
        net.open_hidden[n] = hidden[n]


@rule
def add_other_seat(net: NetworkBuffers, place: int) -> None:
    """Add the private features of `other_row`: what the seat at a place of the viewer's order observes."""
    many = len(net.private)
    for nth in range(many):
        number = int(net.other_row[net.private[nth]])
        if number:
            bucket = net.others_first[(place - 1) * many + nth] + bucket_of(number) - 1
            add_embedding(net.open_hidden, net.others_embedding[bucket], np.float32(1.0))


@rule
def value_logits(net: NetworkBuffers, p: Position) -> None:
    """Leave the value logits, one per seat in the viewer's order, in `out`."""
    players = int(p.players)
    for place in range(min(players, len(net.gap_weights))):
        add_embedding(net.open_hidden, net.gap_weights[place], net.gaps[place])
    dense_relu(net.open_hidden, net.value_second, net.value_second_bias, net.narrow)
    dense_relu(net.narrow, net.value_head, net.value_bias, net.out)
    for place in range(players * len(net.gap_scale)):
        net.out[place] += net.gap_scale[0] * net.gaps[place]


@rule
def add_embedding(out: Floats, row: Floats, times: np.float32) -> None:
    for n in range(len(out)):
        out[n] += times * row[n]


@rule
def dense_relu(layer: Floats, weights: Floats, bias: Floats, out: Floats) -> None:
    """A dense layer on the positive part of the layer below."""
    for n in range(len(out)):
        out[n] = bias[n]
    for n in range(len(layer)):
        if layer[n] > 0.0:
            add_embedding(out, weights[n], layer[n])


@rule
def has_policy_head(net: NetworkBuffers) -> bool:
    """Whether the network has a policy head, and so observes as the seat to act and needs no gaps."""
    return len(net.policy_bias) > 0


@rule
def softmax_policy(net: NetworkBuffers, mask: Mask) -> None:
    """After `embed_row` for the seat to act: leave the probability of each legal action in `policy_probs`."""
    dense_relu(net.hidden, net.policy_second, net.policy_second_bias, net.policy_narrow)
    dense_relu(net.policy_narrow, net.policy, net.policy_bias, net.policy_probs)
    many = count(mask)
    most = net.policy_probs[pick(mask, 0)]
    for nth in range(1, many):
        most = max(most, net.policy_probs[pick(mask, nth)])
    total = np.float32(0.0)
    for nth in range(many):
        action = pick(mask, nth)
        net.policy_probs[action] = math.exp(net.policy_probs[action] - most)
        total += net.policy_probs[action]
    for nth in range(many):
        net.policy_probs[pick(mask, nth)] /= total


@rule
def win_shares_from_network(net: NetworkBuffers, p: Position, viewer: int, shares: Points) -> None:
    """Leave the softmax of the value logits, by seat, in `shares`."""
    players = int(p.players)
    most = net.out[0]
    for place in range(1, players):
        most = max(most, net.out[place])
    total = 0.0
    for place in range(players):
        share = math.exp(net.out[place] - most)
        shares[absolute_seat(place, viewer, players)] = share
        total += share
    for seat in range(players):
        shares[seat] /= total


@dataclass(frozen=True)
class Network:
    """A game's network: its weights, the settings of a search with it, and the run that trained it."""

    game: str
    version: int
    layout: str  # a hash of the observation's layout
    box: str  # a hash of the components that it was trained with
    arrays: dict[str, Floats]
    search: dict[str, float]
    run: dict[str, Any] = field(default_factory=dict)

    def trained_on(self, components: Components) -> bool:
        """Whether it was trained with these components. If not, it must not be used with them."""
        return components.digest == self.box

    def save(self, path: Path) -> None:
        header = {
            "format": FORMAT,
            "game": self.game,
            "version": self.version,
            "layout": self.layout,
            "box": self.box,
            "search": self.search,
            "run": self.run,
        }
        text = np.frombuffer(json.dumps(header).encode(), np.uint8)
        with path.open("wb") as out:
            np.savez_compressed(out, allow_pickle=False, header=text, **_packed(self.arrays))


def _packed(arrays: dict[str, Floats]) -> dict[str, NDArray[np.generic]]:
    """The arrays as a file holds them: 16 bits per weight; in large ones 8 bits, and a scale for each row."""
    packed: dict[str, NDArray[np.generic]] = {}
    for name, array in arrays.items():
        with np.errstate(under="ignore"):  # what is that small is nothing
            if name not in BY_ROW:
                packed[name] = array.astype(np.float16)
                continue
            scale = (np.abs(array).max(axis=1, keepdims=True) / 127).astype(np.float16)
            steps = np.divide(array, scale, out=np.zeros_like(array), where=scale > 0)
            packed |= {name: np.rint(steps).clip(-127, 127).astype(np.int8), f"{name}{SCALE}": scale}
    return packed


def _unpacked(packed: dict[str, NDArray[np.generic]]) -> dict[str, Floats]:
    """The arrays in a file."""
    arrays = {name: array.astype(np.float32) for name, array in packed.items()}
    for name in [name for name in arrays if f"{name}{SCALE}" in arrays]:
        scale = arrays.pop(f"{name}{SCALE}")
        # compared before they are multiplied: two long columns would be broadcast to terabytes
        if arrays[name].ndim != 2 or scale.shape != (len(arrays[name]), 1):
            raise ValueError(f"{name}: {arrays[name].shape} with scales of {scale.shape}")
        arrays[name] *= scale
    return arrays


def read_network(path: Path, game: Game) -> Network:
    """The network in a file. Raises a DataError that says in a sentence why it cannot be used."""
    try:
        with path.open("rb") as file, zipfile.ZipFile(file) as found:
            if sum(member.file_size for member in found.infolist()) > MAX_UNPACKED_BYTES:
                raise _too_large(path)
            header = json.loads(_array(found, "header", "u").tobytes())
            names = {member.removesuffix(".npy") for member in found.namelist()} - {"header"}
            kinds = {name: "i" if f"{name}{SCALE}" in names else "f" for name in names}
            arrays = _unpacked({name: _array(found, name, kinds[name]) for name in names})
    except DataError:
        raise
    except OSError as error:
        if error.strerror:
            raise DataError(str(path), [f"cannot be read: {error.strerror}"]) from None
        raise _damaged(path) from None
    except Exception:  # NumPy raises what comes, the tokenizer's errors too
        raise _damaged(path) from None
    try:
        return _checked(path, game, header, arrays)
    except DataError:
        raise
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError):
        raise _damaged(path) from None


def _array(found: zipfile.ZipFile, name: str, kind: str) -> NDArray[np.generic]:
    """One array of plain numbers. Its header may announce any shape: no more is taken than is there.

    Nor is more unpacked than the directory says, which was added up before: asked for a whole member, zipfile
    would unpack it first and cut it afterwards.
    """
    with found.open(f"{name}.npy") as member:
        content = member.read(found.getinfo(member.name).file_size)
    start = io.BytesIO(content)
    read_header = _HEADERS[np.lib.format.read_magic(start)]
    shape, by_columns, dtype = read_header(start)
    if (
        dtype.kind != kind
        or dtype.itemsize > 8
        or math.prod(shape) * dtype.itemsize != len(content) - start.tell()
    ):
        raise ValueError(f"{name}: {shape} of {dtype}")
    return np.frombuffer(content, dtype, offset=start.tell()).reshape(shape, order="F" if by_columns else "C")


def _too_large(path: Path) -> DataError:
    return DataError(
        str(path), [f"it is too large for a network: at most {MAX_UNPACKED_BYTES // 1024**2} MB unpacked"]
    )


def _damaged(path: Path) -> DataError:
    return DataError(str(path), ["it is damaged, or no network: make one with comptoir train"])


def _checked(path: Path, game: Game, header: dict[str, Any], arrays: dict[str, Floats]) -> Network:
    wrong = ""
    if header["format"] not in READABLE:
        wrong = f"it is of format {header['format']}, and this Comptoir reads format {FORMAT}"
    elif header["game"] != game.name:
        wrong = f"it is a network for {header['game']}, not for {game.name}"
    elif header["version"] != game.version:
        wrong = (
            f"it was trained on version {header['version']} of the rules; these are version {game.version}"
        )
    elif header["layout"] != layout_digest(game.observation):
        wrong = "it was trained on another layout of the observation: train it again"
    if wrong:
        raise DataError(str(path), [wrong])
    if header["format"] < FORMAT:
        arrays = _current_arrays(game, arrays, header["format"])
    shapes = shapes_of(game, len(arrays["bias"]), len(arrays["value_second_bias"]), "policy" in arrays)
    if arrays.keys() != shapes.keys() or any(
        array.shape != shapes[name] or not np.isfinite(array).all() for name, array in arrays.items()
    ):
        raise _damaged(path)
    search = {name: float(figure) for name, figure in current_settings(header["search"]).items()}
    if search.keys() != game.evaluation.search.keys() or not all(map(math.isfinite, search.values())):
        raise _damaged(path)
    run = {OLD_RUN.get(name, name): value for name, value in header["run"].items()}
    return Network(game.name, game.version, header["layout"], str(header["box"]), arrays, search, run)


def _current_arrays(game: Game, arrays: dict[str, Floats], form: int) -> dict[str, Floats]:
    """The arrays of an earlier format as those of the present one, which evaluates the same.

    Its policy networks had weights for gaps that no training had touched: they are left out.
    """
    old = OLD_ARRAYS | (OLDEST_ARRAYS if form < FORMAT - 1 else {})
    renamed = {was: name for name, was in old.items()}
    arrays = {renamed.get(name, name): array for name, array in arrays.items()}
    biases, scale = np.split(arrays["value_bias"], [game.position.seats])
    arrays |= {"value_bias": biases, "gap_scale": scale}
    if "policy" in arrays:
        for name in GAPS:
            del arrays[name]
        arrays |= {
            "policy_second": arrays["value_second"].copy(),
            "policy_second_bias": arrays["value_second_bias"].copy(),
            "others_embedding": np.zeros((others_size(game), len(arrays["bias"])), np.float32),
        }
    return arrays


def layout_digest(layout: ObservationLayout) -> str:
    """A hash that identifies a layout of an observation."""
    text = repr([(piece.name, piece.high, piece.axes) for piece in layout.pieces])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def embedding_offsets(layout: ObservationLayout) -> NDArray[np.int32]:
    """Where each entry's buckets begin in the embedding; and, last, how many there are in all."""
    steps = [bucket_of(int(high)) for high in layout.high]
    return np.concatenate([[0], np.cumsum(steps)]).astype(np.int32)


def others_offsets(game: Game) -> NDArray[np.int32]:
    """The same for the private entries of the other seats, first those of the seat after the viewer."""
    layout = game.observation
    steps = [bucket_of(int(layout.high[entry])) for entry in layout.private_entries]
    return np.concatenate([[0], np.cumsum(steps * (game.position.seats - 1))]).astype(np.int32)


def others_size(game: Game) -> int:
    """How many buckets the private entries of all other seats have."""
    return int(others_offsets(game)[-1])


def shapes_of(game: Game, width: int, second_width: int, policy: bool = False) -> dict[str, tuple[int, ...]]:
    """The shapes of a network's arrays, by the widths of its two layers; with or without a policy head."""
    seats, actions = game.position.seats, len(game.actions)
    shared: dict[str, tuple[int, ...]] = {
        "embedding": (int(embedding_offsets(game.observation)[-1]), width),
        "bias": (width,),
        "value_second": (width, second_width),
        "value_second_bias": (second_width,),
        "value_head": (second_width, seats),
        "value_bias": (seats,),
    }
    if not policy:
        return shared | {"gap_weights": (seats, width), "gap_scale": (1,)}
    return shared | {
        "others_embedding": (others_size(game), width),
        "policy_second": (width, second_width),
        "policy_second_bias": (second_width,),
        "policy": (second_width, actions),
        "policy_bias": (actions,),
    }


def new_network(game: Game, arrays: dict[str, Floats], search: dict[str, float], **run: object) -> Network:
    """A network for a game with its own components, from arrays."""
    assert arrays.keys() == shapes_of(game, 0, 0, "policy" in arrays).keys()
    mark = layout_digest(game.observation)
    return Network(game.name, game.version, mark, game.components.digest, arrays, search, run)


def new_network_buffers(game: Game, network: Network | None) -> NetworkBuffers:
    """The weights, and the activations of one search."""
    seats, given = game.position.seats, network.arrays if network else {}
    shapes = shapes_of(game, 0, 0, policy=True) | shapes_of(game, 0, 0)
    arrays = {
        name: np.ascontiguousarray(given.get(name, np.zeros(tuple(0 for _ in shape), np.float32)))
        for name, shape in shapes.items()
    }
    size = game.observation.size if network else 0
    private = game.observation.private_entries if "policy" in given else np.zeros(0, np.int32)
    return NetworkBuffers(
        first=embedding_offsets(game.observation)[:-1].copy(),
        private=private.copy(),
        others_first=others_offsets(game)[:-1].copy(),
        row=np.zeros(size, np.uint8),
        other_row=np.zeros(size, np.uint8),
        gaps=np.zeros(seats, np.float32),
        hidden=np.zeros(len(arrays["bias"]), np.float32),
        open_hidden=np.zeros(len(arrays["bias"]), np.float32),
        narrow=np.zeros(len(arrays["value_second_bias"]), np.float32),
        policy_narrow=np.zeros(len(arrays["policy_second_bias"]), np.float32),
        out=np.zeros(seats, np.float32),
        policy_probs=np.zeros(len(arrays["policy_bias"]), np.float32),
        **arrays,
    )


@cache
def bundled_network(game: Game) -> Network | None:
    """The network shipped with a game, if there is one that fits.

    One that does not fit counts as none: a game that was copied from another's folder, or whose rules have
    changed, can still be played.
    """
    try:
        return read_network(game.folder / FILE, game)
    except DataError:
        return None
