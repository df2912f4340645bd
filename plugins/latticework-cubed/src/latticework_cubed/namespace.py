"""Cubed's namespace, with what differs from the standard in version 0.27 put right."""

from __future__ import annotations

from typing import Any

import cubed.array_api as xp
import numpy as np

from latticework.errors import BackendError

from . import empties

__all__ = ["MENDED", "part"]


def take(x: Any, indices: Any, /, *, axis: int) -> Any:
    """Cubed computes the positions. It takes as many of them as the axis has elements for all elements in order."""
    places = np.asarray(indices.compute())
    n = x.shape[axis]
    shape = [len(places) if i == axis % x.ndim else k for i, k in enumerate(x.shape)]
    if 0 in shape:
        return empties.none(shape, x)
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


def part(x: Any, key: tuple[Any, ...]) -> Any:
    """Read by a key of ints and slices. Cubed's chunks of a part without elements have fewer axes than it, and those of
    a part with steps do not fit where it starts or ends inside of a chunk: there it is read from the first place to the
    last one, and then by steps."""
    axes = iter(x.shape)
    near: list[Any] = []
    steps: list[Any] = []
    shape: list[int] = []
    for k in key:
        if k is None:
            steps.append(None)
            shape.append(1)
            continue
        n = next(axes)
        if not isinstance(k, slice):
            near.append(k)
            continue
        span = range(n)[k]
        shape.append(len(span))
        near.append(slice(span.start, span[-1] + 1) if span else slice(0, 0))
        steps.append(slice(None, None, span.step))
    if 0 in shape:
        return empties.none(shape, x)
    if all(s is None or s.step == 1 for s in steps):
        return x[key]
    return x[tuple(near)][tuple(steps)]


def repeat(x: Any, repeats: Any, /, *, axis: int | None = None) -> Any:
    if getattr(repeats, "size", 1) != 1:
        raise BackendError(
            "repeat: the extent would depend on the values of repeats, and Cubed has no such arrays. Give one int"
        )
    n = int(repeats.compute()) if hasattr(repeats, "compute") else int(repeats)
    if n < 0:
        raise ValueError("negative repeats")
    return xp.repeat(x, n, axis=axis)


def tensordot(x1: Any, x2: Any, /, *, axes: Any = 2) -> Any:
    """Cubed counts axes from the start alone: of others the result has another shape."""
    if not isinstance(axes, int):
        first, second = axes
        axes = tuple(k % x1.ndim for k in first), tuple(k % x2.ndim for k in second)
    return xp.tensordot(x1, x2, axes=axes)


# --- decompositions ---------------------------------------------------------------------------------------------------


def svd(x: Any, /, *, full_matrices: bool = True) -> Any:
    """Cubed decomposes rows in chunks, where there are more of them than columns. A matrix of one chunk it decomposes
    where there are not; of others its factors have other shapes than it says. Singular values of complex numbers have
    another dtype."""
    _check("svd", x)
    if full_matrices and x.shape[0] != x.shape[1]:
        raise BackendError("linalg.svd: Cubed has the reduced factors alone: full_matrices=False")
    tall = x.shape[0] > x.shape[1]
    x = _in_rows(x) if tall else x
    if x.numblocks[0] > 1 and tall:
        u, s, vh = xp.linalg.svd(x, full_matrices=False)
    elif tall:  # there it has no factors of one chunk
        u, s, vh = xp.linalg.svd(_one_chunk(_adjoint(x)), full_matrices=False)
        u, vh = _adjoint(vh), _adjoint(u)
    else:
        u, s, vh = xp.linalg.svd(_one_chunk(x), full_matrices=False)
    return u, xp.real(s) if x.dtype in _COMPLEX else s, vh


def _one_chunk(x: Any) -> Any:
    return x.rechunk(x.shape) if max(x.numblocks) > 1 else x


def _in_rows(x: Any) -> Any:
    """Of a chunk with fewer rows than columns Cubed's factors are other numbers."""
    m, n = x.shape
    rows = next(k for k in range(max(x.chunksize[0], n), m + 1) if m % k == 0 or m % k >= n)
    return x.rechunk((rows, n)) if x.chunksize != (rows, n) else x


def _adjoint(x: Any) -> Any:
    turned = xp.matrix_transpose(x)
    return xp.conj(turned) if x.dtype in _COMPLEX else turned


def qr(x: Any, /, *, mode: str = "reduced") -> Any:
    _check("qr", x)
    if mode != "reduced":
        raise BackendError("linalg.qr: Cubed has the reduced factors alone: mode='reduced'")
    m, n = x.shape
    if m < n:  # its factors have other shapes than it says: the columns of a square, and what they make of the others
        q, r = xp.linalg.qr(_one_chunk(x[:, :m]))
        return q, xp.concat([r, xp.matmul(_adjoint(q), x[:, m:])], axis=1)
    return xp.linalg.qr(_in_rows(x))


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
    repeat = staticmethod(repeat)
    tensordot = staticmethod(tensordot)

    def __getattr__(self, name: str) -> Any:
        return empties.guarded(name, getattr(xp, name))


MENDED: Any = _Mended()
