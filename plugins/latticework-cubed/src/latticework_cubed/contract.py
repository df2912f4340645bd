"""The contract of a backend on Cubed: what `of_namespace` cannot know.

An array carries its specification: the memory that a task may use, and the executor. Arrays that latticework makes have
that of Cubed's configuration; arrays of Cubed keep their own.
"""

from __future__ import annotations

from typing import Any

import cubed
import cubed.array_api as xp
import numpy as np

from latticework.backend import of_namespace

from .namespace import MENDED, part

#: Functions that latticework makes of others. A stack of arrays that were broadcast has zeros from the second on,
#: singular values have another shape, and `vecdot` takes no conjugate. Averages and places of extremes keep pairs of
#: numbers in Cubed's store, which writes a store of pairs once: the second plan with one ends in an error of zarr's.
_MADE = "argmax argmin linalg.svdvals mean stack std var vecdot"
_Namespace: Any = of_namespace(MENDED, arrays=cubed.Array, spelled=dict.fromkeys(_MADE.split()))


class CubedBackend(_Namespace):
    """The backend of Cubed."""

    backwards = False

    def part(self, data: Any, key: tuple[Any, ...]) -> Any:
        return part(data, key)

    def duplicate(self, data: Any) -> Any:
        return data  # which never changes

    def describe(self, data: Any) -> str | None:
        """Show an array without computing it."""
        return f"chunks={data.chunksize}"

    def to_numpy(self, data: Any, dtype: Any, copy: bool | None) -> np.ndarray:
        return np.array(data.compute(), dtype=dtype, copy=copy)

    def from_numpy(self, data: np.ndarray, device: Any, copy: bool | None) -> Any:
        if copy is False:
            raise ValueError("asarray: copy=False, but Cubed keeps an array of its own")
        return xp.asarray(data.copy())

    def item(self, data: Any) -> Any:
        return self.to_numpy(data, None, None).reshape(()).item()
