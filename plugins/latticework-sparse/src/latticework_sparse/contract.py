"""The contract of a backend on pydata/sparse: what `of_namespace` cannot know.

An array keeps the elements that differ from its fill value. A function whose result has no such value, as a sum along
an axis at each of its steps, is refused: it would store every element. Arrays become dense by name alone, as NumPy's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import sparse

import latticework as lw
from latticework.backend import of_namespace
from latticework.errors import BackendError

#: Functions whose results have no element that is most of them. Whatever is composed of them is refused with them.
_DENSE = """
argsort cumulative_prod cumulative_sum fft.fft fft.fftn fft.hfft fft.ifft fft.ifftn fft.ihfft fft.irfft fft.irfftn
fft.rfft fft.rfftn linalg.cholesky linalg.det linalg.eig linalg.eigh linalg.eigvals linalg.eigvalsh linalg.inv
linalg.lu_factor linalg.pinv linalg.qr linalg.schur linalg.slogdet linalg.solve linalg.svd linalg.svdvals
random._binomial random._bits random._gamma random._gauss random._poisson random._source random._unit
unique_all unique_inverse
""".split()
_WHY = (
    "a result would store every element, and the sparse backend has none that does. Convert first: "
    "lw.asarray(x, backend='numpy')"
)

_Namespace: Any = of_namespace(sparse, arrays=sparse.COO)


class SparseBackend(_Namespace):
    """The backend of pydata/sparse."""

    refused = {(name, d): _WHY for name in _DENSE for d in lw.all_dtypes} | {
        (name, lw.float16): "sparse has no products of float16. Cast first: lw.astype(x, lw.float32)"
        for name in ("matmul", "tensordot", "vecdot")
    }

    def duplicate(self, data: Any) -> Any:
        return data.copy()

    def astype(self, data: Any, dtype: Any, /) -> Any:
        """Cast the elements that are stored, and the fill value."""
        with np.errstate(all="ignore"):
            stored, fill = data.data.astype(dtype), np.asarray(data.fill_value).astype(dtype)[()]
        options = {"has_duplicates": False, "sorted": True, "prune": True}
        return sparse.COO(data.coords, stored, shape=data.shape, fill_value=fill, **options)

    def scalar(self, dtype: Any) -> Callable[[Any], Any]:
        return lambda value: sparse.full((), value, dtype=dtype)

    def item(self, data: Any) -> Any:
        return data.todense().reshape(-1)[0].item()

    def to_numpy(self, data: Any, dtype: Any, copy: bool | None) -> np.ndarray:
        return np.array(np.asarray(data.todense()), dtype=dtype, copy=copy)

    def from_numpy(self, data: np.ndarray, device: Any, copy: bool | None) -> Any:
        if copy is False:
            raise ValueError("asarray: copy=False, but a sparse array keeps other memory than a numpy.ndarray")
        return sparse.COO.from_numpy(data)

    def describe(self, data: Any) -> str | None:
        """Show a large array by what it stores: its elements are not written out."""
        return None if data.size <= 1000 else f"nnz={data.nnz}, fill_value={data.fill_value}"

    def error_class(self, error: Exception) -> type[Exception] | None:
        fill = isinstance(error, ValueError) and "fill" in str(error)
        return BackendError if fill or isinstance(error, NotImplementedError) else super().error_class(error)
