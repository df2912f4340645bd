"""Types of parameters that the stubs of several dialects name. `tools/stubs.py` writes the stubs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, SupportsIndex, TypeAlias, runtime_checkable

import numpy as np

__all__ = [
    "ArrayLike", "Axes", "HasDtype", "Int", "Nested", "Number", "NumpyArray", "NumpyDtype", "Shape", "SupportsArray",
]  # fmt: skip


@runtime_checkable
class SupportsArray(Protocol):
    """An array of any framework."""

    def __array__(self, *args: Any, **kw: Any) -> Any:
        """Return a NumPy array of the same values."""


@runtime_checkable
class HasDtype(Protocol):
    """An object with a dtype, which may stand for it."""

    @property
    def dtype(self) -> Any:
        """The dtype."""


#: A Python number: a checker takes an int, a float and a bool as a complex too.
Number: TypeAlias = complex
Nested: TypeAlias = list[Any] | tuple[Any, ...] | range
#: An array, or a number or nested list that becomes one. A string is none.
ArrayLike: TypeAlias = SupportsArray | Number | Nested
#: An int, or an array of one integer.
Int: TypeAlias = SupportsIndex
Shape: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
Axes: TypeAlias = SupportsIndex | Sequence[SupportsIndex] | None
NumpyDtype: TypeAlias = np.dtype[Any]
NumpyArray: TypeAlias = np.ndarray[Any, Any]
