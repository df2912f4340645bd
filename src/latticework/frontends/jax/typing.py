"""`jax.typing`: what annotations of programs written for JAX name."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np

from .array import Array

__all__ = ["ArrayLike", "DTypeLike", "SupportsDType"]


@runtime_checkable
class SupportsDType(Protocol):
    """An object with a dtype."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype."""


#: An argument that is read as an array: an array, NumPy's arrays and scalars, Python's numbers.
ArrayLike = Array | np.ndarray | np.bool_ | np.number | bool | int | float | complex

#: An argument that is read as a dtype.
DTypeLike = str | type[Any] | np.dtype | SupportsDType
