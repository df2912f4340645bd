"""MLX as a backend of latticework: what its namespace does in another way than the standard."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import mlx.core as mx
import numpy as np

from latticework.backend import of_namespace

_BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
#: On a GPU, MLX has no float64.
_LACKS = () if mx.default_device().type == mx.DeviceType.cpu else ("float64",)
_INTEGRAL = (mx.bool_, mx.int8, mx.int16, mx.int32, mx.int64, mx.uint8, mx.uint16, mx.uint32, mx.uint64)

_Namespace: Any = of_namespace(mx, arrays=mx.array, lacks=_LACKS, views_bits=True)


class MlxBackend(_Namespace):
    """The backend of MLX."""

    def astype(self, data: Any, dtype: Any) -> Any:
        return data.astype(dtype)

    def scalar(self, dtype: Any) -> Any:
        if dtype == mx.uint64:  # mx.array takes no int of 2**63 or more
            return lambda value: mx.array(np.asarray(int(value), np.uint64))
        return super().scalar(dtype)

    def reinterpret(self, data: Any, dtype: Any) -> Any:
        return data.view(dtype)

    def to_numpy(self, data: Any, dtype: Any, copy: bool | None) -> np.ndarray:
        if data.dtype == mx.bfloat16:  # which has no name among buffers
            return np.array(np.asarray(data.view(mx.uint16)).view(_BFLOAT16), dtype=dtype, copy=copy)
        return np.array(np.asarray(data), dtype=dtype, copy=copy)

    def from_numpy(self, data: np.ndarray, device: Any, copy: bool | None) -> Any:
        if copy is False:
            raise ValueError("MLX copies a numpy.ndarray")
        if data.dtype == _BFLOAT16:
            return mx.array(data.view(np.uint16)).view(mx.bfloat16)
        return mx.array(data, dtype=self.native_dtypes[_named(data.dtype)])

    def error_text(self, error: Exception) -> str:
        return super().error_text(error).partition(" The following")[0]


def _named(dtype: np.dtype) -> Any:
    import latticework as lw

    return lw.Dtype(dtype.name)


BACKEND = MlxBackend
