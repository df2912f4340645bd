"""Operators that take elements by positions, write to positions, or select by values."""

from __future__ import annotations

from typing import Any

import numpy as np

import latticework as lw

from ..core.dtypes import int64
from .table import Call, reads

__all__: list[str] = []

_REDUCTIONS: dict[str, Any] = {"none": "replace", "add": "sum", "mul": "multiply", "max": "max", "min": "min"}


def _wide(indices: Any) -> Any:
    return indices if indices.dtype is int64 else lw.astype(indices, int64)


@reads("Gather")
def _gather(c: Call, x: Any, indices: Any) -> Any:
    return lw.take(x, _wide(indices), axis=c.get("axis", 0))


@reads("GatherElements")
def _gather_elements(c: Call, x: Any, indices: Any) -> Any:
    axis = c.get("axis", 0) % x.ndim
    key = [slice(None) if a == axis else slice(0, n) for a, n in enumerate(indices.shape)]
    return lw.take_along_axis(x[tuple(key)], _wide(indices), axis=axis)


@reads("GatherND")
def _gather_nd(c: Call, x: Any, indices: Any) -> Any:
    return lw.gather_nd(x, _wide(indices), batch_dims=c.get("batch_dims", 0))


@reads("Scatter", "ScatterElements")
def _scatter_elements(c: Call, x: Any, indices: Any, updates: Any) -> Any:
    return lw.scatter(
        x, _wide(indices), updates, axis=c.get("axis", 0), reduction=_REDUCTIONS[c.get("reduction", "none")]
    )


@reads("ScatterND")
def _scatter_nd(c: Call, x: Any, indices: Any, updates: Any) -> Any:
    return lw.scatter(x, _wide(indices), updates, reduction=_REDUCTIONS[c.get("reduction", "none")])


@reads("TensorScatter")
def _tensor_scatter(c: Call, past: Any, update: Any, start: Any = None) -> Any:
    """Write rows along an axis, from a place for each of the batch on, round the end where `mode` is circular."""
    axis = c.get("axis", -2) % past.ndim
    n = update.shape[axis]
    steps = lw.arange(n, dtype=int64, device=past.device)
    start = lw.zeros((past.shape[0],), dtype=int64, device=past.device) if start is None else _wide(start)
    places = lw.expand_dims(start, axis=1) + steps
    if c.get("mode", "linear") == "circular":
        places = places % past.shape[axis]
    shape = [1] * past.ndim
    shape[0], shape[axis] = past.shape[0], n
    index = lw.broadcast_to(lw.reshape(places, tuple(shape)), update.shape)
    return lw.scatter(past, index, update, axis=axis)


@reads("OneHot", host=(1,))
def _one_hot(c: Call, indices: Any, depth: Any, values: Any) -> Any:
    n = int(np.asarray(depth).reshape(-1)[0])
    axis = c.get("axis", -1)
    axis = axis + indices.ndim + 1 if axis < 0 else axis
    places = lw.astype(indices, int64)
    places = lw.where(places < 0, places + n, places)
    shape = [1] * (indices.ndim + 1)
    shape[axis] = n
    numbers = lw.reshape(lw.arange(n, dtype=int64, device=indices.device), tuple(shape))
    return lw.where(lw.expand_dims(places, axis=axis) == numbers, values[1], values[0])


@reads("NonZero")
def _nonzero(c: Call, x: Any) -> Any:
    if not x.ndim:
        x = lw.reshape(x, (1,))
        return lw.astype(lw.stack([*lw.nonzero(x)]), int64)[:0]
    return lw.astype(lw.stack([*lw.nonzero(x)]), int64)


@reads("Compress")
def _compress(c: Call, x: Any, condition: Any) -> Any:
    axis = c.get("axis")
    if axis is None:
        x, axis = lw.reshape(x, (-1,)), 0
    places = lw.nonzero(condition)[0]
    return lw.take(x, places, axis=axis)


@reads("Unique")
def _unique(c: Call, x: Any) -> Any:
    """The distinct elements or slices, with their first places, the inverse and the counts."""
    axis = c.get("axis")
    if axis is None:
        x = lw.reshape(x, (-1,))
    found, first, inverse, counts = lw.unique(x, True, True, True, axis=axis, equal_nan=False)
    inverse = lw.reshape(inverse, (-1,))
    if not c.get("sorted", 1):  # in the order of their first places
        order = lw.argsort(first)
        found = lw.take(found, order, axis=0 if axis is None else axis)
        first, counts = lw.take(first, order), lw.take(counts, order)
        inverse = lw.take(lw.argsort(order), inverse)
    return found, *(lw.astype(part, int64) for part in (first, inverse, counts))


@reads("ReverseSequence")
def _reverse_sequence(c: Call, x: Any, lengths: Any) -> Any:
    time, batch = c.get("time_axis", 0), c.get("batch_axis", 1)
    n = x.shape[time]
    places = lw.expand_dims(lw.arange(n, dtype=int64, device=x.device), axis=1)
    lengths = lw.expand_dims(_wide(lengths), axis=0)
    index = lw.where(places < lengths, lengths - 1 - places, places)
    index = index if time < batch else lw.matrix_transpose(index)
    shape = [n if a == time else x.shape[batch] if a == batch else 1 for a in range(x.ndim)]
    return lw.take_along_axis(x, lw.broadcast_to(lw.reshape(index, tuple(shape)), x.shape), axis=time)


@reads("NonMaxSuppression", host=(0, 1, 2, 3, 4))
def _non_max_suppression(
    c: Call, boxes: Any, scores: Any, most: Any = None, overlap: Any = None, least: Any = None
) -> Any:
    """Keep the boxes of the largest scores that overlap little, by class: how many depends on values."""
    count = 0 if most is None else int(np.asarray(most).reshape(-1)[0])
    limit = 0.0 if overlap is None else float(np.asarray(overlap).reshape(-1)[0])
    a, b = boxes[..., :2], boxes[..., 2:]
    if c.get("center_point_box", 0):
        a, b = a[..., ::-1], b[..., ::-1]  # x, y, width, height
        a, b = a - b / 2, a + b / 2
    low, high = np.minimum(a, b), np.maximum(a, b)
    areas = np.prod(high - low, axis=-1)
    found = []
    for i, k in np.ndindex(*scores.shape[:2]):
        kept: list[int] = []
        for j in np.argsort(-scores[i, k], kind="stable"):
            if len(kept) >= count or (least is not None and scores[i, k, j] <= np.asarray(least).reshape(-1)[0]):
                break
            shared = np.clip(np.minimum(high[i, j], high[i, kept]) - np.maximum(low[i, j], low[i, kept]), 0, None)
            common = np.prod(shared, axis=-1)
            if not np.any(common > limit * (areas[i, j] + areas[i, kept] - common)):
                kept.append(int(j))
                found.append((i, k, int(j)))
    return np.asarray(found, dtype=np.int64).reshape(-1, 3)
