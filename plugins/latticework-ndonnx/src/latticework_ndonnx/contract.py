"""The contract of a backend on ndonnx: what `of_namespace` cannot know.

An array of ndonnx is a node of a graph. One that is made of numbers alone has values; an argument of a graph, and what
is computed of it, has none.
"""

from __future__ import annotations

from typing import Any

import ndonnx as ndx
import numpy as np

from latticework.backend import of_namespace
from latticework.errors import BackendError

from .functions import MENDED

# These are there and raise NotImplementedError.
_NOT_WRITTEN = "atan2 conj copysign hypot imag nextafter real signbit".split()
# Its products add logarithms, which negative numbers have not. Its logaddexp adds exponentials, which overflow.
_OTHERWISE = ["cumulative_prod", "logaddexp"]
_Namespace: Any = of_namespace(MENDED, arrays=ndx.Array, spelled=dict.fromkeys([*_NOT_WRITTEN, *_OTHERWISE]))


class NdonnxBackend(_Namespace):
    """The backend of ndonnx."""

    def duplicate(self, data: Any) -> Any:
        return data.copy()

    def has_values(self, data: Any) -> bool:
        try:
            data.unwrap_numpy()
        except ValueError:
            return False
        return True

    def asks(self, data: Any) -> bool:
        return self.has_values(data)

    def describe(self, data: Any) -> str | None:
        return None if self.has_values(data) else "a node of a graph"

    def to_numpy(self, data: Any, dtype: Any, copy: bool | None) -> np.ndarray:
        if not self.has_values(data):
            raise BackendError(
                "an array of a graph has no values: build the graph and run it, as with ndonnx.build and onnxruntime"
            )
        return np.array(data.unwrap_numpy(), dtype=dtype, copy=copy)

    def from_numpy(self, data: np.ndarray, device: Any, copy: bool | None) -> Any:
        if copy is False:
            raise ValueError("asarray: copy=False, but ndonnx copies a numpy.ndarray")
        return ndx.asarray(data)

    def item(self, data: Any) -> Any:
        return self.to_numpy(data, None, None).reshape(()).item()
