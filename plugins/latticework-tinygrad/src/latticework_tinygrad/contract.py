"""The contract of a backend on tinygrad: how elements are read and written, which `of_namespace` cannot know."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from tinygrad import Tensor, dtypes

from latticework.backend import of_namespace

from . import namespace

_BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
_Namespace: Any = of_namespace(namespace, arrays=Tensor, views_bits=True)


class TinygradBackend(_Namespace):
    """The backend of tinygrad."""

    def reinterpret(self, data: Any, dtype: Any) -> Any:
        if data.dtype.itemsize < dtype.itemsize:
            return data.bitcast(dtype)[..., 0]
        return data[..., None].bitcast(dtype) if data.dtype.itemsize > dtype.itemsize else data.bitcast(dtype)

    def to_numpy(self, data: Any, dtype: Any, copy: bool | None) -> np.ndarray:
        if data.dtype == dtypes.bfloat16:
            found = data.bitcast(dtypes.uint16).numpy().view(_BFLOAT16)
        else:
            found = data.numpy()
        return np.array(found, dtype=dtype, copy=copy)

    def from_numpy(self, data: np.ndarray, device: Any, copy: bool | None) -> Any:
        if copy is False:
            raise ValueError("asarray: copy=False, but tinygrad copies a numpy.ndarray")
        if data.dtype == _BFLOAT16:
            return Tensor(np.array(data.view(np.uint16))).bitcast(dtypes.bfloat16)
        return Tensor(np.array(data))
