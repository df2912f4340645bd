"""Counting and scattering in functions of the standard, without writing to an array.

Updates are sorted by their positions. Those of one position then lie side by side: they are reduced by doubling steps,
after which the last of each run has the result of the run. Each row of the result looks its run up by bisection. Where
a namespace has no sorts, each row of the result is compared with each position.
"""

from __future__ import annotations

from math import prod
from typing import Any

from ...backend.arguments import check_segments
from ...engine.keys.reading import check_bounds
from ...errors import BackendError
from .functions import Functions, made
from .indexing import bounds

__all__: list[str] = []


@made("where")
def _positions(f: Functions, indices: Any, *, n: int, axis: int = 0, drop: bool = False) -> Any:
    """Check positions and count them from the start. `drop`: negative ones become n, which stands for none."""
    backend = f._backend
    if not prod(indices.shape):
        return indices
    known = bounds(backend, indices) if backend.asks(indices) else None
    if drop:
        if known is not None:
            check_segments(known[1], n)
        return f.where(indices < 0, backend.number(n, indices), indices)
    check_bounds(known, n, axis)
    return f.where(indices < 0, indices + n, indices)


@made("take", "where", "concat")
def _scatter(f: Functions, x: Any, positions: Any, updates: Any, *, reduction: str) -> Any:
    """Bring rows together with the rows of x at positions along its first axis."""
    m, n = positions.shape[0], x.shape[0]
    updates = f.broadcast_to(updates, (m, *x.shape[1:])) if updates.ndim < x.ndim else updates
    if not m or not prod(x.shape):
        return x
    if not (f.has("argsort") and f.has("searchsorted")):
        return _met(f, x, positions, updates, reduction)
    order = f.argsort(positions, axis=-1, descending=False, stable=True)
    places, rows = f.take(positions, order, axis=0), f.take(updates, order, axis=0)
    if reduction != "replace":
        rows = _runs(f, places, rows, _reduce(f, reduction))
    dtype = f._backend.native_dtypes[f._backend.index_dtype]
    all_rows = f._count(n, 0, 1, dtype=dtype, device=None)
    places = f._backend.cast(dtype)(places)
    last = f.searchsorted(places, all_rows, side="right") - 1
    at = f.where(last < 0, f._backend.number(0, last), last)
    met = (f.take(places, at, axis=0) == all_rows) & (last >= 0)
    met = f.reshape(met, (n, *(1 for _ in x.shape[1:])))
    found = f.take(rows, at, axis=0)
    if reduction != "replace":
        found = _reduce(f, reduction)(x, found)
    return f.where(met, found, x)


def _met(f: Functions, x: Any, positions: Any, updates: Any, reduction: str) -> Any:
    """Compare each row of x with each position."""
    backend = f._backend
    dtype = backend.native_dtypes[backend.index_dtype]
    m, n = positions.shape[0], x.shape[0]
    rows = f._count(n, 0, 1, dtype=dtype, device=None)
    met = f.reshape(backend.cast(dtype)(positions), (1, m)) == f.reshape(rows, (n, 1))
    if reduction == "replace":
        last = f.max(f.where(met, f._count(m, 0, 1, dtype=dtype, device=None), backend.number(-1, rows)), axis=1)
        found = f.take(updates, f.maximum(last, backend.number(0, last)), axis=0)
        return f.where(f.reshape(last >= 0, (n, *(1 for _ in x.shape[1:]))), found, x)
    met = f.reshape(met, (n, m, *(1 for _ in x.shape[1:])))
    if reduction in ("min", "max"):
        kept = f.where(met, f.expand_dims(updates, 0), f.expand_dims(x, 1))
        return _reduce(f, reduction)(x, getattr(f, reduction)(kept, axis=1))
    one = backend.number(0 if reduction == "sum" else 1, x)
    accumulate = f.sum if reduction == "sum" else f.prod
    found = accumulate(f.where(met, f.expand_dims(updates, 0), one), axis=1, dtype=backend.dtype_of(x))
    return _reduce(f, reduction)(x, found)


def _reduce(f: Functions, reduction: str) -> Any:
    return {"sum": f.add, "multiply": f.multiply, "min": f.minimum, "max": f.maximum}[reduction]


def _runs(f: Functions, places: Any, rows: Any, reduce: Any) -> Any:
    """Reduce each row with those before it that have its position: by steps of 1, 2, 4, … rows."""
    m, step = places.shape[0], 1
    while step < m:
        same = places[step:] == places[:-step]
        if not f._backend.facts.lazy and not f._backend.item(f.any(same)):
            break
        same = f.reshape(same, (m - step, *(1 for _ in rows.shape[1:])))
        joined = f.where(same, reduce(rows[:-step, ...], rows[step:, ...]), rows[step:, ...])
        rows = f.concat([rows[:step, ...], joined], axis=0)
        step *= 2
    return rows


@made("_scatter")
def _weighted_bincount(f: Functions, x: Any, weights: Any, *, minlength: int = 0, length: int | None = None) -> Any:
    """Sum the weights of equal integers."""
    backend = f._backend
    if length is None:
        if not backend.facts.data_dependent_shapes or backend.facts.lazy:
            raise BackendError(
                f"bincount: the length of the counts would depend on values, and the {backend.name} backend has no "
                f"such arrays. Give length=..."
            )
        known = bounds(backend, x)
        if known is not None and known[0] < 0:
            raise ValueError(f"x must not be negative; its least element is {known[0]}")
        length = max(minlength, 0 if known is None else known[1] + 1)
    start = f.zeros((length + 1,), dtype=backend.dtype_of(weights), device=None)
    none = backend.number(length, x)
    kept = f.where((x < 0) | (x >= length), none, x)
    return f._scatter(start, kept, weights, reduction="sum")[:length]


@made("_scatter")
def _bincount(f: Functions, x: Any, *, minlength: int = 0, length: int | None = None) -> Any:
    """Count integers."""
    backend = f._backend
    dtype = backend.native_dtypes[backend.index_dtype]
    return _weighted_bincount(
        f, x, f.ones(tuple(x.shape), dtype=dtype, device=None), minlength=minlength, length=length
    )
