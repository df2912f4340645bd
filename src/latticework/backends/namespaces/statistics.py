"""Averages, variances and the places of extremes, for namespaces that lack them: of sums, extremes and comparisons."""

from __future__ import annotations

from math import prod
from typing import Any

from .functions import Function, Functions, made

__all__: list[str] = []


@made("sum", "divide")
def mean(f: Functions, x: Any, *, axis: Any = None, keepdims: bool = False) -> Any:
    backend = f._backend
    dtype = backend.dtype_of(x)
    total = f.sum(x, axis=axis, dtype=_wide(f, x), keepdims=keepdims)
    return backend.astype(f.divide(total, backend.number(_count(x, axis), total)), dtype)


@made("sum", "divide", "mean")
def var(f: Functions, x: Any, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Any:
    backend = f._backend
    dtype = backend.dtype_of(x)
    wide = backend.astype(x, _wide(f, x))
    apart = wide - f.mean(wide, axis=axis, keepdims=True)
    if backend.dtypes[dtype].kind == "c":
        real, imag = f.real(apart), f.imag(apart)
        squares, dtype = real * real + imag * imag, backend.dtype_of(f.real(x))
    else:
        squares = apart * apart
    total = f.sum(squares, axis=axis, dtype=backend.dtype_of(squares), keepdims=keepdims)
    return backend.astype(f.divide(total, backend.number(max(_count(x, axis) - correction, 0), total)), dtype)


@made("var", "sqrt")
def std(f: Functions, x: Any, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Any:
    backend = f._backend
    wide = backend.astype(x, _wide(f, x))
    found = f.sqrt(f.var(wide, axis=axis, correction=correction, keepdims=keepdims))
    kind = backend.dtypes[backend.dtype_of(x)].kind
    return backend.astype(found, backend.dtype_of(f.real(x) if kind == "c" else x))


def _wide(f: Functions, x: Any) -> Any:
    """Return the dtype that is added up in: the widest of its kind that the backend has."""
    own = f._backend.dtypes[f._backend.dtype_of(x)]
    return max(
        (n for n, d in f._backend.dtypes.items() if d.kind == own.kind and d.bits >= own.bits),
        key=lambda n: f._backend.dtypes[n].bits,
    )


def _count(x: Any, axis: Any) -> int:
    """Return of how many elements a result is made."""
    axes = range(x.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    return prod([x.shape[k] for k in axes])


def _place_of(extreme: str) -> Function:
    def place(f: Functions, x: Any, *, axis: int | None = None, keepdims: bool = False) -> Any:
        """The first place of a nan, or of the extreme."""
        if axis is None:
            found = place(f, f.reshape(x, (-1,)), axis=0)
            return f.reshape(found, (1,) * x.ndim) if keepdims else found
        backend = f._backend
        axis %= x.ndim
        if not (n := x.shape[axis]):
            raise ValueError("an axis without elements has no extreme")
        if backend.dtypes[backend.dtype_of(x)].kind == "b":
            x = backend.astype(x, next(k for k, d in backend.dtypes.items() if str(d) == "uint8"))
        dtype = backend.native_dtypes[backend.index_dtype]
        along = f.reshape(f._count(n, 0, 1, dtype=dtype, device=None), (n, *(1 for _ in x.shape[axis + 1 :])))
        met = (x == getattr(f, extreme)(x, axis=axis, keepdims=True)) | (x != x)  # nothing is equal to nan
        return f.min(f.where(met, along, backend.number(n, along)), axis=axis, keepdims=keepdims)

    return place


made("max", "min", "where", name="argmax")(_place_of("max"))
made("max", "min", "where", name="argmin")(_place_of("min"))
