"""`jax.ShapeDtypeStruct`: a shape and a dtype without values."""

from __future__ import annotations

from typing import Any

import numpy as np

from .core import requested

__all__ = ["ShapeDtypeStruct"]


class ShapeDtypeStruct:
    """A shape and a dtype, which stand for an array without values.

    Parameters
    ----------
    shape: the extent of each axis.
    dtype: a dtype, or an argument that is read as one.
    weak_type: whether the dtype gives way to that of another array.
    """

    __slots__ = ("dtype", "shape", "sharding", "weak_type")

    def __init__(
        self, shape: Any, dtype: Any, *, sharding: Any = None, weak_type: bool = False, manual_axis_type: Any = None,
        is_ref: bool = False,
    ) -> None:  # fmt: skip
        if dtype is None:
            raise ValueError("ShapeDtypeStruct: dtype must be specified.")
        self.shape: tuple[int, ...] = tuple(shape)
        self.dtype: Any = dtype if getattr(dtype, "name", "") == "key<fry>" else requested(dtype)
        self.sharding, self.weak_type = sharding, weak_type

    @property
    def size(self) -> int:
        """The number of elements."""
        return int(np.prod(self.shape, dtype=int))

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __repr__(self) -> str:
        weak = ", weak_type=True" if self.weak_type else ""
        return f"ShapeDtypeStruct(shape={self.shape}, dtype={self.dtype.name}{weak})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ShapeDtypeStruct):
            return False
        return (self.shape, self.dtype, self.weak_type) == (other.shape, other.dtype, other.weak_type)

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype, self.weak_type))
