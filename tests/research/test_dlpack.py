"""Arrays for others: the struct says what it should, and memory lives as long as anyone holds it. Tried on the CPU's memory."""

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
        self.array, self.dtype, self.shape, self.strides, self.ndim = array, array.dtype, array.shape, array.strides, array.ndim

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {"data": (self.array.ctypes.data, False)}

    def copy_to_host(self) -> Any:
        return self.array.copy()


class OnCpu(OnGpu):
    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.float32, np.int32, np.uint64])
def test_others_see_the_same_memory(dtype: Any) -> None:
    array = np.arange(12).reshape(3, 4).astype(dtype)
    seen = np.from_dlpack(OnCpu(Pretended(array)))
    assert seen.dtype == dtype
    np.testing.assert_array_equal(seen, array)
    array[1, 2] = 77
    assert seen[1, 2] == 77


def test_masks_are_truths_in_words() -> None:
    """Eight actions to a word, and the last words are not full."""
    words = np.zeros((3, 16), np.uint64)
    words.view(np.uint8)[:, [0, 9, 99]] = 1
    masks = OnCpu(Pretended(words), (3, 100), np.bool_)
    seen = np.from_dlpack(masks)
    assert seen.dtype == np.bool_
    assert seen.shape == masks.to_host().shape == (3, 100)
    assert [list(np.flatnonzero(row)) for row in seen] == [[0, 9, 99]] * 3
    np.testing.assert_array_equal(masks.to_host(), seen)


def test_memory_lives_while_it_is_lent_and_no_longer() -> None:
    before = len(dlpack._lent)
    seen = np.from_dlpack(OnCpu(Pretended(np.full(1000, 5, np.int32))))
    gc.collect()
    assert len(dlpack._lent) == before + 1
    assert (seen == 5).all()
    del seen
    gc.collect()
    assert len(dlpack._lent) == before


def test_what_nobody_takes_is_forgotten() -> None:
    before = len(dlpack._lent)
    capsule = OnCpu(Pretended(np.zeros(4, np.uint8))).__dlpack__()
    assert len(dlpack._lent) == before + 1
    del capsule
    gc.collect()
    assert len(dlpack._lent) == before
