"""Arrays on a GPU that PyTorch, JAX and others take as they are, without a copy.

DLPack (https://dmlc.github.io/dlpack) is a struct in C that says where an array lies; Numba's arrays do not offer it themselves.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

CUDA = 2  # the kind of device
CODES = {"i": 0, "u": 1, "f": 2, "b": 6}  # kinds of numbers


class _Device(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("id", ctypes.c_int32)]


class _Type(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", _Device),
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
_lent: dict[int, Any] = {}  # what others hold, by the address of its struct: it lives until they give it back


def _take_back(managed: Any) -> None:
    _lent.pop(ctypes.addressof(managed.contents), None)


_give_back = _Deleter(_take_back)


_python = ctypes.pythonapi
_python.PyCapsule_New.restype = ctypes.py_object
_python.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_python.PyCapsule_IsValid.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
_python.PyCapsule_GetPointer.restype = ctypes.c_void_p
_python.PyCapsule_GetPointer.argtypes = [ctypes.c_void_p, ctypes.c_char_p]


def _forget(capsule: int) -> None:
    """A capsule is gone; if nobody took what was in it, that is too."""
    if _python.PyCapsule_IsValid(capsule, b"dltensor"):
        _lent.pop(_python.PyCapsule_GetPointer(capsule, b"dltensor"), None)


_drop = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(_forget)


class OnGpu:
    """An array on a GPU: a part of one of Numba's, of the same memory."""

    def __init__(self, array: Any, shape: tuple[int, ...] | None = None, dtype: Any = None) -> None:
        """`shape` may be narrower than the array's in its last axis, once it is seen as `dtype`."""
        self._array = array
        self.dtype = np.dtype(dtype or array.dtype)
        row = array.strides[0] if array.ndim > 1 else self.dtype.itemsize
        self.shape = shape or tuple(array.shape)
        self.strides = (row, self.dtype.itemsize)[-len(self.shape) :] if len(self.shape) < 3 else tuple(array.strides)

    def __repr__(self) -> str:
        return f"<{self.dtype} array of {' × '.join(map(str, self.shape))} on the GPU>"

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def _address(self) -> int:
        return int(self._array.__cuda_array_interface__["data"][0])

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {"shape": self.shape, "strides": self.strides, "typestr": self.dtype.str, "data": (self._address, False), "version": 3}

    def __dlpack_device__(self) -> tuple[int, int]:
        return CUDA, 0

    def __dlpack__(self, **_: Any) -> Any:
        """The array for somebody else. All of ours is done in the order of the default stream, as theirs is unless they say otherwise."""
        axes = len(self.shape)
        shape = (ctypes.c_int64 * axes)(*self.shape)
        strides = (ctypes.c_int64 * axes)(*(stride // self.dtype.itemsize for stride in self.strides))
        kind = _Type(CODES[self.dtype.kind], 8 * self.dtype.itemsize, 1)
        tensor = _Tensor(self._address, _Device(*self.__dlpack_device__()), axes, kind, shape, strides, 0)
        managed = _Managed(tensor, None, _give_back)
        _lent[ctypes.addressof(managed)] = managed, shape, strides, self._array
        return _python.PyCapsule_New(ctypes.addressof(managed), b"dltensor", ctypes.cast(_drop, ctypes.c_void_p))

    def to_host(self) -> np.ndarray[Any, Any]:
        """A copy on the CPU."""
        whole: np.ndarray[Any, Any] = self._array.copy_to_host().view(self.dtype)
        return whole[..., : self.shape[-1]] if len(self.shape) > 1 else whole
