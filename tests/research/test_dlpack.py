"""Arrays for others: the struct says what it should, and memory lives as long as anyone holds it.

Tried on the CPU's memory.
"""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

from comptoir.research import dlpack
from comptoir.research.dlpack import OnGpu


class Pretended:
    """As Numba's arrays on a GPU, in the CPU's memory."""

    def __init__(self, array: Any) -> None:
        self.array, self.dtype, self.shape = array, array.dtype, array.shape

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {"data": (self.array.ctypes.data, False)}

    def reshape(self, *shape: int) -> Any:
        return Pretended(self.array.reshape(*shape))

    def __getitem__(self, part: slice) -> Any:
        return Pretended(self.array[part])

    def copy_to_host(self) -> Any:
        return self.array.copy()


class OnCpu(OnGpu):
    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


def whole(array: Any) -> OnCpu:
    return OnCpu(Pretended(array), 0, array.shape, array.dtype)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.float32, np.int32, np.uint64])
def test_others_see_the_same_memory(dtype: Any) -> None:
    array = np.arange(12).reshape(3, 4).astype(dtype)
    seen = np.from_dlpack(whole(array))
    assert seen.dtype == dtype
    np.testing.assert_array_equal(seen, array)
    array[1, 2] = 77
    assert seen[1, 2] == 77


def test_a_part_of_the_memory() -> None:
    """Masks as a batch has them: truths in the midst of words."""
    words = np.zeros(100, np.uint32)
    words.view(np.uint8)[40:340] = np.arange(300) % 7 == 0
    masks = OnCpu(Pretended(words), 40, (3, 100), np.bool_)
    seen = np.from_dlpack(masks)
    assert seen.dtype == np.bool_
    assert [list(np.flatnonzero(row)[:2]) for row in seen] == [[0, 7], [5, 12], [3, 10]]
    np.testing.assert_array_equal(np.asarray(masks), seen)
    assert np.asarray(masks, np.float32).dtype == np.float32
    with pytest.raises(ValueError, match="without a copy"):
        np.asarray(masks, copy=False)
    assert repr(masks) == "<bool array of 3 × 100 on the GPU>"
    assert len(masks) == 3


def test_memory_lives_while_it_is_lent_and_no_longer() -> None:
    before = dlpack.lent_arrays()
    seen = np.from_dlpack(whole(np.full(1000, 5, np.int32)))
    gc.collect()
    assert dlpack.lent_arrays() == before + 1
    assert (seen == 5).all()
    del seen
    gc.collect()
    assert dlpack.lent_arrays() == before


def test_what_nobody_takes_is_forgotten() -> None:
    before = dlpack.lent_arrays()
    capsule = whole(np.zeros(4, np.uint8)).__dlpack__()
    assert dlpack.lent_arrays() == before + 1
    del capsule
    gc.collect()
    assert dlpack.lent_arrays() == before
