"""Functions in which pydata/sparse differs from the standard: positions, which it takes as NumPy's, and fill values."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import sparse

from latticework.errors import BackendError

__all__ = [
    "argmax", "argmin", "broadcast_to", "concat", "matmul", "nonzero", "repeat", "searchsorted", "sort", "stack",
    "take", "tensordot", "unique_counts", "unique_values", "where",
]  # fmt: skip

_COO = sparse.COO
_UFUNCS = {"sum": np.add, "multiply": np.multiply, "min": np.minimum, "max": np.maximum}


def _full(shape: Any, fill_value: Any, *, dtype: Any, device: Any = None) -> Any:
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    return sparse.full(shape, fill_value, dtype=dtype)


def _count(n: int, first: int, step: int, *, dtype: Any, device: Any = None) -> Any:
    return _COO.from_numpy((first + step * np.arange(n)).astype(dtype))


# --- positions --------------------------------------------------------------------------------------------------------


def take(x: Any, indices: Any, *, axis: int | None = None) -> Any:
    if axis is None and x.ndim != 1:
        raise ValueError("axis is needed for an array of more axes than one")
    if not x.ndim:
        raise IndexError("the array has no axes")
    axis = (axis or 0) % x.ndim
    n, places = x.shape[axis], np.asarray(indices.todense()).astype(np.int64).reshape(-1)
    if places.size and not -n <= places.min() <= places.max() < n:
        wrong = next(int(p) for p in places if not -n <= p < n)
        raise IndexError(f"index {wrong} is out of bounds for axis {axis} of extent {n}")
    if not places.size:
        return sparse.full((*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :]), x.fill_value, dtype=x.dtype)
    found = x[(slice(None),) * axis + (np.where(places < 0, places + n, places),)]
    return found.reshape((*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :]))


def nonzero(x: Any) -> tuple[Any, ...]:
    if not x.ndim:
        raise ValueError("x must have at least one axis")
    if x.fill_value and x.size:
        raise BackendError(
            "nonzero: the fill value is not zero, and the result would have the positions of most elements. Convert "
            "first: lw.asarray(x, backend='numpy')"
        )
    kept = np.nonzero(x.data)[0]
    return tuple([_COO.from_numpy(np.asarray(c[kept], np.int64)) for c in x.coords])


def searchsorted(x1: Any, x2: Any, *, side: str = "left", sorter: Any = None) -> Any:
    """The fill value of the result is the place of that of x2. Of rows, the elements before each place are counted: nan
    is behind all others."""
    if x1.ndim != 1:
        a, b = x1[..., None, :], x2[..., :, None]
        before = a < b if side == "left" else a <= b
        if x2.dtype.kind in "fc":
            none = b != b
            before = before | (none & (a == a) if side == "left" else none)
        return sparse.sum(before, axis=-1, dtype=np.int64)
    ordered = x1.todense() if sorter is None else x1.todense()[sorter.todense()]
    data = np.searchsorted(ordered, x2.data, side=side)
    fill = np.searchsorted(ordered, x2.fill_value, side=side)
    return _COO(x2.coords, np.asarray(data, np.int64), shape=x2.shape, fill_value=np.int64(fill), sorted=True)


def sort(x: Any, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Any:
    """Elements that are equal cannot be told apart: each order of them is a stable one."""
    if not x.ndim:
        raise IndexError("the array has no axes")
    return sparse.sort(x, axis=axis, descending=descending)


def _first(name: str) -> Any:
    of_some = getattr(sparse, name)

    def call(x: Any, *, axis: int | None = None, keepdims: bool = False) -> Any:
        if not x.ndim:
            if axis is not None:
                raise IndexError("the array has no axes")
            return sparse.full((), 0, dtype=np.int64)
        axes = range(x.ndim) if axis is None else (axis % x.ndim,)
        kept = tuple(1 if i in axes else n for i, n in enumerate(x.shape))
        rest = tuple(n for i, n in enumerate(x.shape) if i not in axes)
        # It has none of an array that stores nothing, and none of no rows, of some elements each.
        nothing = not x.nnz if x.size else axis is not None and x.shape[axis]
        found = sparse.zeros(kept, dtype=np.int64) if nothing else of_some(x, axis=axis, keepdims=True)
        return found.reshape(kept if keepdims else rest)  # without keepdims, it drops other axes of one element as well

    call.__name__ = call.__qualname__ = name
    return call


argmax, argmin = _first("argmax"), _first("argmin")


def _scatter(x: Any, positions: Any, updates: Any, *, reduction: str) -> Any:
    """Only the rows that are written to are made dense."""
    places = np.asarray(positions.todense())
    rows, at = np.unique(places, return_inverse=True)
    if not rows.size or not x.size:
        return x
    block = x[rows].todense()
    new = np.broadcast_to(updates.todense(), (len(places), *x.shape[1:]))
    with np.errstate(all="ignore"):
        if reduction == "replace":
            block[at] = new
        else:
            _UFUNCS[reduction].at(block, at, new)
    kept = ~np.isin(x.coords[0], rows)
    stored = np.nonzero(_differs(block, x.fill_value))
    coords = np.concatenate([x.coords[:, kept], np.stack([rows[stored[0]], *stored[1:]])], axis=1)
    return _COO(coords, np.concatenate([x.data[kept], block[stored]]), shape=x.shape, fill_value=x.fill_value)


def _differs(values: Any, fill: Any) -> Any:
    return (values != fill) & ~((values != values) & (fill != fill))


# --- fill values ------------------------------------------------------------------------------------------------------


def _alike(arrays: Any) -> list[Any]:
    """Give all arrays the fill value of the largest: the others store the elements that they did not."""
    fill = max(arrays, key=lambda x: x.size).fill_value
    return [x if repr(x.fill_value) == repr(fill) else _COO.from_numpy(x.todense(), fill_value=fill) for x in arrays]


def concat(arrays: Any, *, axis: int | None = 0) -> Any:
    if axis is None:
        arrays, axis = [x.reshape((-1,)) for x in arrays], 0
    return sparse.concatenate(_alike(arrays), axis=axis)


def stack(arrays: Any, *, axis: int = 0) -> Any:
    return sparse.stack(_alike(arrays), axis=axis)


def broadcast_to(x: Any, shape: Any) -> Any:
    shape = tuple(shape)
    if np.broadcast_shapes(x.shape, shape) != shape:
        raise ValueError(f"an array of shape {x.shape} does not broadcast to {shape}")
    return sparse.broadcast_to(x, shape)


def matmul(x1: Any, x2: Any) -> Any:
    """sparse has no products of stacks that are empty."""
    if x1.ndim < 2 or x2.ndim < 2 or (x1.size and x2.size):
        return sparse.matmul(x1, x2)
    if x1.shape[-1] != x2.shape[-2]:
        raise ValueError(f"{x1.shape[-1]} columns and {x2.shape[-2]} rows")
    stack = np.broadcast_shapes(x1.shape[:-2], x2.shape[:-2])
    return sparse.zeros((*stack, x1.shape[-2], x2.shape[-1]), dtype=x1.dtype)


def where(condition: Any, x1: Any, x2: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sparse.where(condition, x1, x2)


def repeat(x: Any, repeats: Any, *, axis: int | None = None) -> Any:
    if axis is None:
        x, axis = x.reshape((-1,)), 0
    times = np.asarray(repeats.todense() if isinstance(repeats, _COO) else repeats)
    if (times < 0).any():
        raise ValueError("negative repeats")
    times = times.reshape(-1) if times.size != 1 else int(times.reshape(-1)[0])
    return take(x, _COO.from_numpy(np.repeat(np.arange(x.shape[axis]), times)), axis=axis)


# --- sets: of few values, whose order is NumPy's ----------------------------------------------------------------------


def tensordot(x1: Any, x2: Any, *, axes: Any = 2) -> Any:
    """A number without axes has its value as fill value, which products do not take."""
    if x1.ndim and x2.ndim:
        return sparse.tensordot(x1, x2, axes=axes)
    if axes if isinstance(axes, int) else len(axes[0]):
        raise ValueError(f"cannot sum over axes of arrays of shapes {x1.shape} and {x2.shape}")
    return x1 * x2


def unique_counts(x: Any) -> tuple[Any, Any]:
    """The fill value is one of the values, as often as elements are not stored."""
    values, at = np.unique(np.append(x.data, x.fill_value), return_inverse=True)
    times = np.append(np.ones(len(x.data), np.int64), x.size - x.nnz)
    counts = np.zeros(len(values), np.int64)
    np.add.at(counts, at, times)
    return _COO.from_numpy(values[counts > 0]), _COO.from_numpy(counts[counts > 0])


def unique_values(x: Any) -> Any:
    return unique_counts(x)[0]
