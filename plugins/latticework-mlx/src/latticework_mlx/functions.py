"""Functions in which MLX's namespace differs from the standard: in dtypes of results, options and integers."""

from __future__ import annotations

from math import prod as prod_of
from typing import Any

import mlx.core as mx
import numpy as np

from latticework.errors import BackendError

__all__ = [
    "argmax",
    "argmin",
    "argsort",
    "expm1",
    "linalg",
    "matmul",
    "prod",
    "remainder",
    "repeat",
    "sign",
    "sort",
    "std",
    "sum",
    "var",
    "vecdot",
]

_INEXACT = (mx.float16, mx.bfloat16, mx.float32, mx.float64, mx.complex64)


def _full(shape: Any, fill_value: Any, *, dtype: Any, device: Any = None) -> mx.array:
    if dtype == mx.uint64:
        return mx.broadcast_to(mx.array(np.asarray(fill_value, np.uint64)), shape)
    return mx.full(shape, fill_value, dtype=dtype)


def expm1(x: Any) -> mx.array:
    """MLX has none of complex numbers: here of the components, without a difference of near numbers."""
    if x.dtype != mx.complex64:
        return mx.expm1(x)
    re, im = mx.real(x), mx.imag(x)
    half, less_one = mx.sin(im / 2), mx.expm1(re)
    lost = mx.isinf(re) & ~mx.isfinite(im)  # at an infinite distance no angle is left, and 0 times it is 0
    low = mx.where(lost & (re < 0), 0, mx.exp(re) * mx.sin(im))
    parts = [mx.where(lost, less_one, less_one * mx.cos(im) - 2 * half * half), mx.where(im == 0, im, low)]
    return mx.stack(parts, axis=-1).view(mx.complex64)[..., 0]


def remainder(x1: Any, x2: Any) -> mx.array:
    """MLX gives a zero the sign of the first number; the standard has that of the second."""
    found = mx.remainder(x1, x2)
    return mx.where(found == 0, mx.sign(x2) * 0, found) if found.dtype in _INEXACT else found


def sign(x: Any) -> mx.array:
    """MLX has 0 for nan, and of complex numbers zeros of either sign."""
    found = mx.sign(x)
    if x.dtype == mx.complex64:
        found = mx.where(x == 0, mx.zeros_like(x), found)
    return mx.where(x == x, found, x) if x.dtype in _INEXACT else found


def _first(name: str) -> Any:
    """MLX has no position of an extreme among no elements, and none of no rows either."""
    of_some = getattr(mx, name)

    def call(x: Any, *, axis: int | None = None, keepdims: bool = False) -> mx.array:
        if not x.ndim and axis is not None:
            raise IndexError("the array has no axes")
        if x.size or axis is None or not x.shape[axis]:
            return of_some(x, axis=axis, keepdims=keepdims).astype(mx.int64)
        return mx.sum(x, axis=axis, keepdims=keepdims).astype(mx.int64)

    call.__name__ = call.__qualname__ = name
    return call


argmax, argmin = _first("argmax"), _first("argmin")


def repeat(x: Any, repeats: Any, *, axis: int | None = None) -> mx.array:
    if isinstance(repeats, mx.array) and repeats.size != 1:
        raise BackendError(
            "repeat: the extent would depend on the values of repeats, and MLX has no such arrays. Give one int"
        )
    n = int(repeats.item() if isinstance(repeats, mx.array) else repeats)
    if n < 0:
        raise ValueError("negative repeats")
    return mx.repeat(x, n, axis)


# --- reductions: MLX has no dtype for them, and takes int32 for narrow integers ---------------------------------------


def sum(x: Any, *, axis: Any = None, dtype: Any, keepdims: bool = False) -> mx.array:
    return mx.sum(x.astype(dtype), axis=axis, keepdims=keepdims).astype(dtype)


def prod(x: Any, *, axis: Any = None, dtype: Any, keepdims: bool = False) -> mx.array:
    return mx.prod(x.astype(dtype), axis=axis, keepdims=keepdims).astype(dtype)


def var(x: Any, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> mx.array:
    """MLX subtracts whole numbers alone from the number of elements."""
    if correction == int(correction):
        return mx.var(x, axis=axis, ddof=int(correction), keepdims=keepdims)
    axes = range(x.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    n = prod_of(x.shape[k] for k in axes)
    found = mx.var(x, axis=axis, keepdims=keepdims)
    return found * n / mx.array(max(n - correction, 0), dtype=found.dtype)


def std(x: Any, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> mx.array:
    if correction == int(correction):
        return mx.std(x, axis=axis, ddof=int(correction), keepdims=keepdims)
    return mx.sqrt(var(x, axis=axis, correction=correction, keepdims=keepdims))


# --- sorting: MLX's sorts are stable, and ascending -------------------------------------------------------------------


def sort(x: Any, *, axis: int = -1, descending: bool = False, stable: bool = True) -> mx.array:
    return mx.flip(mx.sort(mx.flip(x, axis), axis), axis) if descending else mx.sort(x, axis)


def argsort(x: Any, *, axis: int = -1, descending: bool = False, stable: bool = True) -> mx.array:
    if not x.ndim:
        raise IndexError("the array has no axes")
    if not descending:
        return mx.argsort(x, axis).astype(mx.int64)
    return x.shape[axis] - 1 - mx.flip(mx.argsort(mx.flip(x, axis), axis).astype(mx.int64), axis)


# --- products: MLX has none of integers -------------------------------------------------------------------------------


def matmul(x1: Any, x2: Any) -> mx.array:
    if not x1.ndim or not x2.ndim:
        raise ValueError("a 0-d operand")
    if x1.dtype in _INEXACT:
        return mx.matmul(x1, x2)
    a = x1 if x1.ndim > 1 else x1[None, :]
    b = x2 if x2.ndim > 1 else x2[:, None]
    if a.shape[-1] != b.shape[-2]:
        raise ValueError(f"{a.shape[-1]} columns and {b.shape[-2]} rows")
    out = mx.sum(a[..., :, :, None] * b[..., None, :, :], axis=-2).astype(x1.dtype)
    out = out if x1.ndim > 1 else out[..., 0, :]
    return out if x2.ndim > 1 else out[..., 0]


def vecdot(x1: Any, x2: Any, *, axis: int = -1) -> mx.array:
    if x1.shape[axis] != x2.shape[axis]:
        raise ValueError(f"{x1.shape[axis]} and {x2.shape[axis]} elements along the axis")
    first = mx.conj(x1) if x1.dtype == mx.complex64 else x1
    return mx.sum(first * x2, axis=axis).astype(x1.dtype)


# --- linear algebra, on the CPU: MLX has no kernels for GPUs ----------------------------------------------------------


def _on_the_cpu(f: Any) -> Any:
    def call(*arrays: Any) -> Any:
        return f(*arrays, stream=mx.cpu)

    call.__name__ = call.__qualname__ = f.__name__
    return staticmethod(call)


class linalg:
    """Functions of the chapter."""

    @staticmethod
    def cholesky(x: Any, *, upper: bool = False) -> mx.array:
        return mx.linalg.cholesky(x, upper=upper, stream=mx.cpu)

    @staticmethod
    def qr(x: Any, *, mode: str = "reduced") -> tuple[mx.array, mx.array]:
        if mode != "reduced":
            raise BackendError("linalg.qr: MLX has the reduced factors alone: mode='reduced'")
        return tuple(mx.linalg.qr(x, stream=mx.cpu))

    @staticmethod
    def svd(x: Any, *, full_matrices: bool = True) -> tuple[mx.array, mx.array, mx.array]:
        u, s, vh = mx.linalg.svd(x, stream=mx.cpu)
        return (u, s, vh) if full_matrices else (u[..., : s.shape[-1]], s, vh[..., : s.shape[-1], :])

    det = _on_the_cpu(mx.linalg.det)
    eig = _on_the_cpu(mx.linalg.eig)
    eigh = _on_the_cpu(mx.linalg.eigh)
    eigvals = _on_the_cpu(mx.linalg.eigvals)
    eigvalsh = _on_the_cpu(mx.linalg.eigvalsh)
    inv = _on_the_cpu(mx.linalg.inv)
    slogdet = _on_the_cpu(mx.linalg.slogdet)
    solve = _on_the_cpu(mx.linalg.solve)
