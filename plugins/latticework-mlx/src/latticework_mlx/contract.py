"""The contract of a backend on MLX: what `of_namespace` cannot know."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import mlx.core as mx
import numpy as np

import latticework as lw
from latticework.backend import of_namespace

_BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
#: On a GPU, MLX has no float64.
_LACKS = () if mx.default_device().type == mx.DeviceType.cpu else ("float64",)
_NO_COMPLEX = "MLX's linear algebra takes real numbers"
#: Functions that are composed of others in complex64, and functions that are refused.
_COMPOSED = "linalg.pinv linalg.matrix_rank".split()
_REFUSED = "cholesky det eig eigvals inv qr slogdet solve".split()


def _by_numpy(f: Callable[..., Any]) -> Callable[..., Any]:
    """Compute in NumPy: MLX's own kernel of float64, which the CPU alone has, gives the digits of float32."""

    def call(*arrays: Any) -> Any:
        with np.errstate(all="ignore"):
            return mx.array(np.asarray(f(*map(np.asarray, arrays))), dtype=mx.float64)

    call.__name__ = call.__qualname__ = f"numpy.{f.__name__}"
    return call


# Its moveaxis takes one axis alone.
_Namespace: Any = of_namespace(mx, arrays=mx.array, lacks=_LACKS, views_bits=True, spelled={"moveaxis": None})


class MlxBackend(_Namespace):
    """The backend of MLX."""

    emulated = {(f.__name__, lw.float64): _by_numpy(f) for f in (np.exp, np.sin, np.cos, np.logaddexp)}
    composed = frozenset(
        [(name, lw.complex64) for name in _COMPOSED] + [("tensordot", d) for d in lw.all_dtypes if d.kind in "iu"]
    )
    refused = {(f"linalg.{name}", lw.complex64): _NO_COMPLEX for name in _REFUSED}

    def astype(self, data: Any, dtype: Any) -> Any:
        return data.astype(dtype)

    def scalar(self, dtype: Any) -> Any:
        if dtype == mx.uint64:  # mx.array takes no int of 2**63 or more
            return lambda value: mx.array(np.asarray(int(value), np.uint64))
        return super().scalar(dtype)

    def reinterpret(self, data: Any, dtype: Any) -> Any:
        if data.dtype.size < dtype.size:
            return data.view(dtype)[..., 0]
        return data[..., None].view(dtype) if data.dtype.size > dtype.size else data.view(dtype)

    def to_numpy(self, data: Any, dtype: Any, copy: bool | None) -> np.ndarray:
        if data.dtype == mx.bfloat16:  # which has no name among buffers
            return np.array(np.asarray(data.view(mx.uint16)).view(_BFLOAT16), dtype=dtype, copy=copy)
        return np.array(np.asarray(data), dtype=dtype, copy=copy)

    def from_numpy(self, data: np.ndarray, device: Any, copy: bool | None) -> Any:
        if copy is False:
            raise ValueError("asarray: copy=False, but MLX copies a numpy.ndarray")
        if data.dtype == _BFLOAT16:
            return mx.array(data.view(np.uint16)).view(mx.bfloat16)
        return mx.array(data, dtype=self.native_dtypes[lw.Dtype(data.dtype.name)])

    def error_text(self, error: Exception) -> str:
        return super().error_text(error).partition(" The following")[0]
