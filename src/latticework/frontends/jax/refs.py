"""`jax.new_ref`: arrays that change. Each holds an array, which is replaced where it is written to."""

from __future__ import annotations

from typing import Any

import numpy as np

from .core import as_array

__all__ = ["Ref", "freeze", "get_ref", "new_ref", "swap_ref"]


class Ref:
    """An array that changes: ``r[...]`` reads and ``r[...] = x`` writes.

    It is a leaf in trees. Functions that a framework compiles do not take it as an argument.
    """

    __slots__ = ("__weakref__", "_value")
    __hash__ = object.__hash__

    def __init__(self, value: Any) -> None:
        self._value = as_array(value, "new_ref")

    shape = property(lambda self: self._value.shape)
    dtype = property(lambda self: self._value.dtype)
    ndim = property(lambda self: self._value.ndim)
    size = property(lambda self: self._value.size)
    weak_type = property(lambda self: self._value.weak_type)

    @property
    def aval(self) -> Any:
        """Its shape and dtype."""
        from ._src.state.types import AbstractRef

        found = AbstractRef()
        found.shape, found.dtype, found.inner_aval = self.shape, self.dtype, self._value.aval  # type: ignore[attr-defined]
        return found

    def get(self) -> Any:
        """Return the array that it holds."""
        return self._value

    def set(self, value: Any) -> None:
        """Write the whole array."""
        self[...] = value

    def swap(self, value: Any, idx: Any = ...) -> Any:
        """Write, and return what was there."""
        before = self[idx]
        self[idx] = value
        return before

    def addupdate(self, value: Any, idx: Any = ...) -> None:
        """Add to what is there."""
        self[idx] = self[idx] + value

    def __getitem__(self, key: Any) -> Any:
        return self._value[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        if key is Ellipsis or key == slice(None):
            value = as_array(value)
            whole = value.shape == self.shape and value.dtype == self.dtype
            self._value = value if whole else self._value.at[...].set(value)
        else:
            self._value = self._value.at[key].set(value)

    def __len__(self) -> int:
        return len(self._value)

    def __iter__(self) -> Any:
        return iter(self._value)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(self._value, dtype=dtype)

    def __repr__(self) -> str:
        return f"Ref({np.asarray(self._value)}, dtype={self.dtype})"


def new_ref(init_val: Any, *, memory_space: Any = None, kind: Any = None) -> Ref:
    """Return an array that changes, which holds an array at first."""
    return Ref(init_val)


def freeze(ref: Ref) -> Any:
    """Return the array that one holds. It is not to be used any more."""
    return ref.get()


def get_ref(ref: Ref, idx: Any = ...) -> Any:
    """Return what one has at a key."""
    return ref[idx]


def swap_ref(ref: Ref, idx: Any, value: Any) -> Any:
    """Write at a key, and return what was there."""
    return ref.swap(value, idx)
