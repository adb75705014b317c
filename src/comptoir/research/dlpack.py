"""Arrays on a GPU that PyTorch, JAX and others take as they are, without a copy.

DLPack (https://dmlc.github.io/dlpack) is a struct in C that says where an array lies; Numba's arrays do not
offer it themselves.
"""

from __future__ import annotations

import ctypes
import importlib
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

if TYPE_CHECKING:
    from typing_extensions import CapsuleType

CUDA = 2  # the kind of device
# streams that need no wait: the default one, or a caller that asks for no synchronisation
DONE_IN_ORDER = (None, -1, 1)
CODES = {"i": 0, "u": 1, "f": 2, "b": 6}  # kinds of numbers


class _DLDevice(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("id", ctypes.c_int32)]


class _Type(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", _DLDevice),
        ("axes", ctypes.c_int32),
        ("type", _Type),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("offset", ctypes.c_uint64),
    ]


class _Managed(ctypes.Structure):
    pass


_Deleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Managed))
_Managed._fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", _Deleter)]
_lent: dict[
    int, tuple[object, ...]
] = {}  # what others hold, by the address of its struct: it lives until they give it back


def _take_back(managed: ctypes._Pointer[_Managed]) -> None:
    _lent.pop(ctypes.addressof(managed.contents), None)


_give_back = _Deleter(_take_back)


_python = ctypes.pythonapi
_python.PyCapsule_New.restype = ctypes.py_object
_python.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_python.PyCapsule_IsValid.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
_python.PyCapsule_GetPointer.restype = ctypes.c_void_p
_python.PyCapsule_GetPointer.argtypes = [ctypes.c_void_p, ctypes.c_char_p]


def lent_arrays() -> int:
    """How many arrays other libraries hold now."""
    return len(_lent)


def _forget(capsule: int) -> None:
    """Called when a capsule is deleted: if nobody took its array, the array goes too."""
    if _python.PyCapsule_IsValid(capsule, b"dltensor"):
        _lent.pop(_python.PyCapsule_GetPointer(capsule, b"dltensor"), None)


_drop = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(_forget)


class GpuMemory(Protocol):
    """What is used of Numba's array on a GPU."""

    dtype: np.dtype[np.generic]

    @property
    def __cuda_array_interface__(self) -> Mapping[str, Any]: ...
    def reshape(self, *shape: int) -> Self: ...
    def __getitem__(self, part: slice) -> Self: ...
    def copy_to_host(self) -> NDArray[np.generic]: ...


class OnGpu:
    """An array on a GPU, row after row, in the memory of a Numba array from some byte on."""

    def __init__(self, memory: GpuMemory, first: int, shape: tuple[int, ...], dtype: DTypeLike) -> None:
        self._memory, self._first = memory, first
        self.shape, self.dtype = shape, np.dtype(dtype)

    def __repr__(self) -> str:
        return f"<{self.dtype} array of {' × '.join(map(str, self.shape))} on the GPU>"

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def _address(self) -> int:
        return int(self._memory.__cuda_array_interface__["data"][0]) + self._first

    @property
    def __cuda_array_interface__(self) -> dict[str, object]:
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self._address, False), "version": 3}

    def __dlpack_device__(self) -> tuple[int, int]:
        return CUDA, 0

    def __dlpack__(self, *, stream: int | None = None, **_: object) -> CapsuleType:
        """The array for another library.

        Our work is done in the default stream; a library that works in another stream waits until it is done.
        """
        if stream not in DONE_IN_ORDER:
            gpu = importlib.import_module("numba.cuda")
            done = gpu.event(timing=False)
            done.record()
            done.wait(gpu.external_stream(stream))
        axes = len(self.shape)
        shape = (ctypes.c_int64 * axes)(*self.shape)
        kind = _Type(CODES[self.dtype.kind], 8 * self.dtype.itemsize, 1)
        # no strides: row after row
        tensor = _Tensor(self._address, _DLDevice(*self.__dlpack_device__()), axes, kind, shape, None, 0)
        managed = _Managed(tensor, None, _give_back)
        _lent[ctypes.addressof(managed)] = managed, shape, self._memory
        capsule: CapsuleType = _python.PyCapsule_New(
            ctypes.addressof(managed), b"dltensor", ctypes.cast(_drop, ctypes.c_void_p)
        )
        return capsule

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[np.generic]:
        """A copy on the CPU: `np.asarray(batch.rewards)`."""
        if copy is False:
            raise ValueError("an array on a GPU cannot be seen from the CPU without a copy")
        size, itemsize = math.prod(self.shape) * self.dtype.itemsize, self._memory.dtype.itemsize
        words = slice(self._first // itemsize, -(-(self._first + size) // itemsize))
        found: NDArray[np.generic] = (
            self._memory.reshape(-1)[words]
            .copy_to_host()
            .view(np.uint8)[:size]
            .view(self.dtype)
            .reshape(self.shape)
        )
        return found.astype(dtype or self.dtype, copy=False)
