"""NumPy's arrays, scalars and dtypes in files of `torch.load`: made of what the file says, without pickle's calls.

A file has an array as a call of ``_reconstruct`` and its state: the shape, the dtype, and the bytes in C's or Fortran's
order. A dtype is its letter and size, and a state with the order of its bytes. Both come to be where the file gives the
state, so that pickle's own unpickler in Python reads these files, with another step for states.
"""

from __future__ import annotations

import pickle
import re
from math import prod
from typing import Any, ClassVar

import ml_dtypes
import numpy as np

__all__ = ["MAKERS", "InPython"]

#: The small dtypes that files name by their classes.
_SMALL = ("bfloat16", "float8_e4m3fn", "float8_e5m2")
#: What a dtype may be called: a bool, numbers, objects, texts, bytes, moments and lengths of time.
_KNOWN = re.compile(r"b1|[iu][1248]|f[248]|f16|c8|c16|c32|O8?|[US]\d{1,6}|[Mm]8")


class _Named:
    """A name that a file gives as an argument, and that it cannot call."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class _Dtype:
    """A dtype whose state is still to come."""

    __slots__ = ("name",)

    def __init__(self, kind: Any, *_: Any) -> None:
        name = kind.name if type(kind) is _Named else kind
        if type(name) is not str or not (name in _SMALL or _KNOWN.fullmatch(name)):
            raise pickle.UnpicklingError(f"load: a dtype {kind!r:.40} of NumPy's is not read, as those with fields")
        self.name = name

    def with_state(self, state: Any) -> np.dtype[Any]:
        """The dtype: its bytes are in the order of the state, and its unit of time is that of the state."""
        order, fields = (state[1], state[2:5]) if type(state) is tuple and len(state) > 4 else (None, None)
        if order not in ("<", ">", "=", "|") or fields != (None, None, None):
            raise pickle.UnpicklingError("load: a dtype of NumPy's with fields, or in parts, is not read")
        if self.name in _SMALL:
            return np.dtype(getattr(ml_dtypes, self.name))
        name = self.name
        if name[0] in "Mm" and len(state) > 8:
            unit, count = state[8][1][:2]
            name += f"[{int(count)}{unit.decode() if type(unit) is bytes else unit}]"
        return np.dtype(name).newbyteorder(order)


def _dtype(x: Any) -> np.dtype[Any]:
    if type(x) is _Dtype:
        x = x.with_state((3, "=", None, None, None))
    if not isinstance(x, np.dtype):
        raise pickle.UnpicklingError("load: what a file gives as a dtype of NumPy's is none")
    return x


class _Array:
    """An array whose state is still to come."""

    __slots__ = ()

    def __init__(self, kind: Any, *_: Any) -> None:
        if type(kind) is not _Named or kind.name != "ndarray":
            raise pickle.UnpicklingError("load: an array of another class than numpy.ndarray is not read")

    def with_state(self, state: Any) -> np.ndarray[Any, Any]:
        """The array."""
        if type(state) is not tuple or len(state) != 5:
            raise pickle.UnpicklingError("load: the state of an array of NumPy's is damaged")
        _, shape, dtype, columns, data = state
        return _filled(data, _dtype(dtype), shape, "F" if columns else "C")


def _filled(data: Any, dtype: np.dtype[Any], shape: Any, order: Any) -> np.ndarray[Any, Any]:
    if type(shape) is not tuple or any(type(n) is not int or n < 0 for n in shape) or order not in ("C", "F"):
        raise pickle.UnpicklingError(f"load: an array of shape {shape!r:.80} cannot be")
    if dtype.kind == "O":
        if type(data) is not list or len(data) != prod(shape):
            raise pickle.UnpicklingError(f"load: an array of shape {shape} has not {prod(shape)} objects")
        flat = np.empty(len(data), dtype)
        for i, x in enumerate(data):  # where one of them is a list, it stays one
            flat[i] = x
        return flat.reshape(shape, order=order)
    if type(data) is str:  # as Python 2 wrote bytes
        data = data.encode("latin1")
    if type(data) not in (bytes, bytearray) or len(data) != prod(shape) * dtype.itemsize:
        raise pickle.UnpicklingError(f"load: an array of shape {shape} has not {prod(shape)} elements of {dtype}")
    if not data:
        return np.empty(shape, dtype)
    return np.frombuffer(bytearray(data), dtype).reshape(shape, order=order)


def _scalar(dtype: Any, data: Any = b"") -> Any:
    kind = _dtype(dtype)
    if kind.kind == "O":
        raise pickle.UnpicklingError("load: an object is no scalar of NumPy's")
    return _filled(data, kind, (1,), "C")[0]


def _from_buffer(data: Any, dtype: Any, shape: Any, order: Any) -> Any:
    kind = _dtype(dtype)
    if kind.kind == "O":
        raise pickle.UnpicklingError("load: objects are in no buffer")
    return _filled(data, kind, shape, order)


#: What stands for the names of NumPy's in a file: by those of NumPy 2, and of NumPy 1 before.
MAKERS: dict[str, Any] = {
    "numpy.dtype": _Dtype, "numpy.ndarray": _Named("ndarray"),
    **{f"ml_dtypes.{name}": _Named(name) for name in _SMALL},
    **{
        f"numpy.{core}.{name}": make
        for core in ("core", "_core")
        for name, make in {
            "multiarray._reconstruct": _Array, "multiarray.scalar": _scalar, "numeric._frombuffer": _from_buffer,
        }.items()
    },
}  # fmt: skip

_Unpickler: Any = pickle._Unpickler


class InPython(_Unpickler):  # type: ignore[misc]
    """Pickle's unpickler in Python, which puts an array in the place of what waits for its state."""

    def _build(self) -> None:
        inst = self.stack[-2]
        if type(inst) not in (_Array, _Dtype):
            if isinstance(inst, (np.ndarray, np.generic, np.dtype, type)):
                raise pickle.UnpicklingError("load: a file changes what it may not. torch.save has not written it")
            self.load_build()
            return
        made = inst.with_state(self.stack.pop())
        self.stack[-1] = made
        for key in reversed(self.memo):
            if self.memo[key] is inst:
                self.memo[key] = made
                break

    dispatch: ClassVar[dict[int, Any]] = {**_Unpickler.dispatch, pickle.BUILD[0]: _build}
