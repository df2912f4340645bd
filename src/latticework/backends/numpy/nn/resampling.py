"""Resampling on NumPy: along one axis after the other, products with short matrices of weights, or copies of the
nearest elements."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from ....engine.shapes.resampling import Resize, in_order, resized, taps
from ....engine.shapes.windows import Axes, axes_of, windows
from .convolution import as_before, channels_first, combined

#: The number of elements along an axis made by one product: each comes from few elements of x, near each other.
_PIECE = 16


def _read(x: Any, size: Any, layout: str | None, options: dict[str, Any]) -> tuple[Axes, Resize]:
    axes = axes_of(x.shape, max(x.ndim - 2, 1), layout)
    return axes, resized(axes.spatial, size, **options)


def interpolate(x: Any, *, size: Any = None, layout: str | None = None, **options: Any) -> Any:
    axes, r = _read(x, size, layout, options)
    first = len(axes.batch) + (not axes.last)
    changed = [i for i, n in enumerate(axes.spatial) if n != r.out[i] or r.ratios[i] not in (None, 1.0) or _smooths(r)]
    if not changed:
        return np.array(x)
    nearest = r.mode.startswith("nearest")
    dtype = np.dtype(np.float32) if x.dtype.itemsize == 2 and not nearest else x.dtype
    result = x.astype(dtype, copy=False)
    if r.mode == "area":
        kernel = tuple([n // out for n, out in zip(axes.spatial, r.out, strict=True)])
        w = windows(axes.spatial, kernel, kernel)
        result = as_before(combined(channels_first(result, axes), w, np.add), axes)
        return (result / dtype.type(prod(kernel))).astype(x.dtype, copy=False)
    for i in in_order(axes.spatial, r):
        if i in changed:
            move = _nearest if nearest else _weighted
            result = move(result, first + i, axes.spatial[i], i, r)
    return result.astype(x.dtype, copy=False)


def _smooths(r: Resize) -> bool:
    """Return whether the mode changes an array that keeps its extents."""
    return r.mode in ("gaussian", "mitchellcubic")


def _has_taps(x: Any, *, size: Any = None, layout: str | None = None, **options: Any) -> bool:
    """Tell whether x has elements, and in area mode the extents of the result divide those of x."""
    if not x.size or x.ndim < 2:
        return False
    if options.get("mode") != "area":
        return True
    axes, r = _read(x, size, layout, options)
    return all(n % out == 0 for n, out in zip(axes.spatial, r.out, strict=True))


interpolate.when = _has_taps  # type: ignore[attr-defined]


def _nearest(x: Any, axis: int, n: int, i: int, r: Resize) -> Any:
    return np.take(x, taps(n, i, r)[0][:, 0], axis=axis, mode="clip")


def _weighted(x: Any, axis: int, n: int, i: int, r: Resize) -> Any:
    """Sum elements along an axis by their weights."""
    result = np.empty((*x.shape[:axis], r.out[i], *x.shape[axis + 1 :]), x.dtype)
    behind = prod(x.shape[axis + 1 :])
    planes, out = (a.reshape(-1, a.shape[axis], behind) for a in (x, result))
    with np.errstate(over="ignore", invalid="ignore"):
        for to, of, weights in _pieces(n, i, r, x.dtype):
            if behind == 1:
                np.matmul(planes[:, of, 0], weights, out=out[:, to, 0])
            else:
                np.matmul(weights.T, planes[:, of], out=out[:, to])
        flat = (x if x.size < result.size else result).reshape(-1)
        return result if np.isfinite(np.dot(flat, flat)) else _by_elements(x, axis, n, i, r)


@lru_cache(64)
def _pieces(n: int, i: int, r: Resize, dtype: Any) -> list[tuple[slice, slice, Any]]:
    """List parts of the result's axis, the parts of the axis of n elements that they come from, and their weights: a
    column for each element of the result."""
    places, weights = taps(n, i, r)
    assert weights is not None
    found = []
    for start in range(0, r.out[i], _PIECE):
        to = slice(start, min(start + _PIECE, r.out[i]))
        low, high = int(places[to].min()), int(places[to].max()) + 1
        matrix = np.zeros((high - low, to.stop - start))
        np.add.at(matrix, (places[to] - low, np.arange(to.stop - start)[:, None]), weights[to])
        found.append((to, slice(low, high), matrix.astype(dtype)))
    return found


def _by_elements(x: Any, axis: int, n: int, i: int, r: Resize) -> Any:
    """Like `_weighted`, for infinities and nan: there, a weight of 0 spreads them to all elements of a piece."""
    places, weights = taps(n, i, r)
    assert weights is not None
    columns = weights.astype(x.dtype).reshape(*weights.shape, *(1,) * (x.ndim - axis - 1))
    result: Any = 0
    for k in range(places.shape[1]):
        result = result + np.take(x, places[:, k], axis=axis) * columns[:, k]
    return result
