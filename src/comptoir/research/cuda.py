"""The games of a batch on an NVIDIA GPU: the same loops as on the CPU, one thread per game.

Arrays stay on the GPU; PyTorch and JAX take them without a copy (dlpack.py). The kernels are in kernels.py.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
import warnings
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import DTypeLike, NDArray

from comptoir.engine.components import Components
from comptoir.engine.game import Game
from comptoir.engine.rule import Records
from comptoir.errors import OptionError
from comptoir.extras import missing
from comptoir.research.backend import DeviceArray, Outputs, Playouts, State
from comptoir.research.cpu import new_results
from comptoir.research.dlpack import OnGpu

if TYPE_CHECKING:
    from numba.cuda.cudadrv.devicearray import DeviceNDArray

NONE_ILLEGAL = 2**32 - 1
MAX_KNOWN_ARRAYS = 64
WORD = 4  # bytes of a word of the memory


@cache
def cuda() -> ModuleType:
    """The module numba.cuda. Raises an OptionError or MissingExtra that says why it cannot be used."""
    if not hasattr(np, "row_stack"):
        np.row_stack = np.vstack  # numba-cuda 0.30 still names what NumPy 2.5 dropped
    try:
        found = importlib.import_module("numba.cuda")
    except Exception as problem:  # without a GPU's software this raises all kinds
        raise OptionError(
            f"device: cuda needs numba-cuda, which cannot be imported here ({problem})"
        ) from None
    if not found.is_available():
        lines = str(found.cuda_error() or "no GPU was found").splitlines()
        raise OptionError(
            f"device: cuda cannot be used here: {next(line.strip() for line in lines if line.strip())}"
        )
    simulated = importlib.import_module("numba").config.ENABLE_CUDASIM
    # the CUDA support in Numba itself is no longer maintained
    if not simulated and importlib.util.find_spec("numba_cuda") is None:
        raise missing("cuda13", "numba-cuda", otherwise="or cuda12 for an older driver")
    return found


def new_array(games: int, shape: tuple[int, ...], dtype: DTypeLike) -> DeviceNDArray:
    """An array on the GPU for a number of games. Raises an OptionError if there is not enough memory."""
    gpu = cuda()
    needed, free = math.prod(shape) * np.dtype(dtype).itemsize, gpu.current_context().get_memory_info().free
    if needed > free:
        raise OptionError(
            f"games: {games:,} need {needed / 2**30:,.1f} GiB more on the GPU,"
            f" and {free / 2**30:,.1f} are free there"
        )
    made: DeviceNDArray = gpu.device_array(shape, dtype)
    return made


class GpuBackend:
    """The games of a batch on a GPU; see `Backend`. Only `pop_illegal` waits for the GPU."""

    bots = None

    def __init__(self, game: Game, games: int, start: Records, components: Components) -> None:
        gpu = cuda()
        from comptoir.research import kernels

        self.game, self.games, self.layout = game, games, kernels.MemoryLayout(game)
        self.players = int(start[0].players)
        blocks, threads = -(-games // self.layout.threads), self.layout.threads
        self.rows = blocks * threads  # whole blocks, even if the last one is not full
        self.memory = new_array(games, (kernels.memory_words(self.layout, self.rows),), np.uint32)
        self._illegal = self.memory[-1:]
        self._start, self._box, self._values = (
            gpu.to_device(np.asarray(record).reshape(1))
            for record in (start[0], components.box, game.evaluation.weights)
        )
        self._known_arrays: dict[tuple[int, str, tuple[int, ...]], DeviceNDArray] = {}  # of the caller
        made, shared = kernels.kernels_of(game), self.layout.shared
        # Numba warns of grids that leave a GPU idle, but the caller chooses the size
        with warnings.catch_warnings(action="ignore"):
            self._reset, self._step = (
                made.reset[blocks, threads, 0, shared],
                made.step[blocks, threads, 0, shared],
            )
            self._refresh, self._observe = (
                made.refresh[blocks, threads, 0, shared],
                made.observe[blocks, threads, 0, shared],
            )
            self._sample = made.sample[blocks, threads]
        self._playouts = made.random, made.heuristic
        section = self.section
        self.outputs = Outputs(
            section("observations", np.uint8, self.layout.observation),
            section("action_masks", np.bool_, self.layout.actions),
            section("current_seats", np.int8),
            section("rewards", np.float32, self.players),
            section("terminations", np.bool_),
        )

    def section(self, name: str, dtype: DTypeLike, *row: int) -> OnGpu:
        """A section of the memory, as an array of the shape games × row."""
        return OnGpu(self.memory, self.rows * self.layout.offsets[name], (self.games, *row), dtype)

    def export_state(self) -> State:
        return {name: np.asarray(self.section(name, *row)) for name, row in self._state_rows().items()} | {
            "seat_shifts": np.zeros(self.games, np.uint8),
            "bot_dice": np.zeros((self.games, 1), np.uint64),
        }

    def _state_rows(self) -> dict[str, tuple[type[np.generic], *tuple[int, ...]]]:
        """The type and shape of a row of each section that is state."""
        return {
            "positions": (np.uint8, self.layout.position),
            "dice": (np.uint64, 1),
            "sampling_dice": (np.uint64, 1),
            "rewards": (np.float32, self.players),
            "terminations": (np.uint8,),
        }

    def load_state(self, state: State, games: NDArray[np.int64], reward_kind: int) -> None:
        for name, (dtype, *row) in self._state_rows().items():
            if name in state:
                array = np.array(self.section(name, dtype, *row))
                array[games] = state[name]
                data = array.tobytes()
                words = np.frombuffer(data + bytes(-len(data) % WORD), np.uint32)
                first = self.rows * self.layout.offsets[name] // WORD
                self.memory[first : first + len(words)].copy_to_device(words)
        self._refresh(self.memory, self.games, self._start, self._box)

    def observe(self, seats: DeviceArray, out: DeviceArray | None) -> DeviceArray:
        shape = self.games, self.layout.observation
        given = cuda().to_device(seats) if isinstance(seats, np.ndarray) else self.checked("seat", seats)
        found = (
            new_array(self.games, shape, np.uint8) if out is None else self.checked("out", out, shape, "|u1")
        )
        self._observe(self.memory, self.games, self._start, self._box, given, found)
        return OnGpu(found, 0, shape, np.uint8) if out is None else out

    def reset(self, seed: int, reward_kind: int) -> None:
        self._illegal.copy_to_device(np.full(1, NONE_ILLEGAL, np.uint32))
        self._reset(self.memory, self.games, self._start, self._box, seed)

    def step(self, actions: DeviceArray, reward_kind: int) -> None:
        checked = self.checked("actions", actions)
        self._step(self.memory, self.games, self._start, self._box, checked, reward_kind)

    def sample_actions(self, out: DeviceArray | None) -> DeviceArray:
        if out is None:
            out = OnGpu(cuda().device_array(self.games, np.int64), 0, (self.games,), np.int64)
        self._sample(self.memory, self.games, self.checked("out", out))
        return out

    def checked(
        self, what: str, given: DeviceArray, shape: tuple[int, ...] = (), *types: str
    ) -> DeviceNDArray:
        """The caller's array as Numba's: one number per game, unless another shape and other types are given.
        Raises an OptionError if it is anything else.

        Arrays are cached: Numba takes as long to find an array's address as to start a kernel, and programs
        pass the same few arrays again and again.
        """
        interface = getattr(given, "__cuda_array_interface__", None)
        if interface is None:
            raise OptionError(
                f"{what}: expected an array on the GPU, such as a PyTorch tensor,"
                f" found {type(given).__name__}"
            )
        shape, types = shape or (self.games,), types or ("<i4", "<i8")
        if interface["shape"] != shape or interface["typestr"] not in types or interface.get("strides"):
            kind, kinds = np.dtype(interface["typestr"]), " or ".join(str(np.dtype(kind)) for kind in types)
            numbers = " × ".join(f"{many:,}" for many in shape)
            raise OptionError(
                f"{what}: expected {numbers} of {kinds} one after the other,"
                f" found {kind} in the shape {interface['shape']}"
            )
        key = interface["data"][0], interface["typestr"], shape
        if key not in self._known_arrays:
            if len(self._known_arrays) == MAX_KNOWN_ARRAYS:
                self._known_arrays.clear()
            self._known_arrays[key] = cuda().from_cuda_array_interface(interface)
        return self._known_arrays[key]

    def pop_illegal(self) -> int | None:
        found = int(self._illegal.copy_to_host()[0])
        if found == NONE_ILLEGAL:
            return None
        self._illegal.copy_to_device(np.full(1, NONE_ILLEGAL, np.uint32))
        return found

    def playouts(self, heuristic: bool, seed: int, games: int, by_source: bool) -> Playouts:
        from comptoir.research.kernels import PLAYOUT_BLOCKS, PLAYOUT_THREADS

        shapes = (
            ((games,), np.int32),
            ((games,), np.uint8),
            ((games, *new_results(self.game, 1, by_source).shape[1:]), np.int64),
        )
        found = [new_array(games, shape, dtype) for shape, dtype in shapes]
        blocks = min(
            -(-games // PLAYOUT_THREADS), PLAYOUT_BLOCKS * cuda().get_current_device().MULTIPROCESSOR_COUNT
        )
        with warnings.catch_warnings(action="ignore"):  # as above
            self._playouts[heuristic][blocks, PLAYOUT_THREADS](
                self._start, self._box, self._values, seed, *found, int(by_source)
            )
        return Playouts(*(OnGpu(array, 0, array.shape, array.dtype) for array in found))
