"""Cubed's namespace, with what differs from the standard in version 0.27 put right."""

from __future__ import annotations

from typing import Any

import cubed.array_api as xp
import numpy as np

from latticework.errors import BackendError

__all__ = ["MENDED"]


def take(x: Any, indices: Any, /, *, axis: int) -> Any:
    """Cubed computes the positions. It takes as many of them as the axis has elements for all elements in order."""
    places = np.asarray(indices.compute())
    n = x.shape[axis]
    key = (slice(None),) * (axis % x.ndim)
    if len(places) != n:
        return x[(*key, places)]
    if not (places != np.arange(n)).any():
        return x
    return x[(*key, np.append(places, places[-1:]))][(*key, slice(0, n))]


def reshape(x: Any, /, shape: Any, *, copy: bool | None = None) -> Any:
    """From some chunks Cubed finds no way to chunks of one extent: there the array is made one chunk, which has to fit
    into the memory that is allowed."""
    try:
        return xp.reshape(x, shape, copy=copy)
    except ValueError as error:
        if "regular chunks" not in str(error):
            raise
        return xp.reshape(x.rechunk(x.shape), shape, copy=copy)


def flip(x: Any, /, *, axis: Any = None) -> Any:
    """Cubed divides by the extent of a chunk."""
    return xp.flip(x, axis=axis) if x.size else x


def isin(x1: Any, x2: Any, /, *, invert: bool = False) -> Any:
    """Of no elements, Cubed's has no axes."""
    if x1.size and x2.size:
        return xp.isin(x1, x2, invert=invert)
    return xp.full(x1.shape, invert, dtype=xp.bool)


def _of_moments(name: str) -> Any:
    def call(x: Any, /, **options: Any) -> Any:
        """Cubed takes the first of the axes, of which a 0-d array has none."""
        return getattr(xp, name)(x if x.ndim else xp.reshape(x, (1,)), **options)

    return staticmethod(call)


def svd(x: Any, /, *, full_matrices: bool = True) -> Any:
    """Of a matrix with more rows than columns Cubed's factors have other shapes than it says; singular values of
    complex numbers have another dtype."""
    _check("svd", x)
    if full_matrices and x.shape[0] != x.shape[1]:
        raise BackendError("linalg.svd: Cubed has the reduced factors alone: full_matrices=False")
    turned = x.shape[0] > x.shape[1]
    u, s, vh = xp.linalg.svd(_adjoint(x) if turned else x, full_matrices=False)
    s = xp.real(s) if x.dtype in _COMPLEX else s
    return (_adjoint(vh), s, _adjoint(u)) if turned else (u, s, vh)


def _adjoint(x: Any) -> Any:
    turned = xp.matrix_transpose(x)
    return xp.conj(turned) if x.dtype in _COMPLEX else turned


def qr(x: Any, /, *, mode: str = "reduced") -> Any:
    _check("qr", x)
    if mode != "reduced":
        raise BackendError("linalg.qr: Cubed has the reduced factors alone: mode='reduced'")
    return xp.linalg.qr(x)


def _check(name: str, x: Any) -> None:
    if x.ndim > 2 or not x.size:
        raise BackendError(
            f"linalg.{name}: Cubed decomposes one matrix that has elements; got shape {x.shape}. Convert first: "
            f"lw.asarray(x, backend='numpy')"
        )


_COMPLEX = (xp.complex64, xp.complex128)


class _Chapter:
    """Linear algebra, with functions of this module before its own."""

    qr = staticmethod(qr)
    svd = staticmethod(svd)

    def __getattr__(self, name: str) -> Any:
        return getattr(xp.linalg, name)


class _Mended:
    """The namespace, with functions of this module before its own."""

    __name__ = xp.__name__
    linalg = _Chapter()
    take = staticmethod(take)
    reshape = staticmethod(reshape)
    flip = staticmethod(flip)
    isin = staticmethod(isin)
    var, std = _of_moments("var"), _of_moments("std")

    def __getattr__(self, name: str) -> Any:
        return getattr(xp, name)


MENDED: Any = _Mended()
