"""Scattering on NumPy, by the `at` of its ufuncs: a position that comes several times counts each time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...backend.arguments import check_segments
from ...engine.keys.reading import check_bounds

#: The ufunc that reduces the updates, by the name of the reduction.
UFUNCS = {"sum": np.add, "multiply": np.multiply, "min": np.minimum, "max": np.maximum}
#: The number of elements scattered at once: the copy of their positions stays in the cache.
_AT_ONCE = 1 << 16


def _positions(indices: Any, *, n: int, axis: int = 0, drop: bool = False) -> Any:
    """Positions counted from the start. `drop`: negative ones become n, which stands for none."""
    if not indices.size:
        return indices
    low, high = bounds_of(indices, n)
    if drop:
        check_segments(high, n)
        return indices if low >= 0 else np.where(indices < 0, n, indices)
    check_bounds((low, high), n, axis)
    return indices if low >= 0 else np.where(indices < 0, indices + n, indices)


def bounds_of(positions: Any, n: int) -> tuple[int, int]:
    """Return the least and the greatest position; where all lie from 0 to before n, the greatest twice.

    Read as unsigned integers, negative positions are the greatest of all: one pass tells whether all are in range.
    """
    highest = int(np.max(positions.view(np.dtype(f"u{positions.dtype.itemsize}"))))
    return (highest, highest) if highest < n else (int(positions.min()), int(positions.max()))


def _scatter(x: Any, positions: Any, updates: Any, *, reduction: str) -> Any:
    result = np.array(x, order="C")  # so that it has a flat view
    if reduction == "replace":
        result[positions] = updates
        return result
    if not updates.size:
        return result
    at, width = UFUNCS[reduction].at, updates.size // len(positions)
    if width == 1:
        at(result.reshape(-1), positions, updates.reshape(-1))
        return result
    rows, step = updates.reshape(len(positions), width), max(_AT_ONCE // width, 1)
    if width >= _WIDE and (rounds := _in_rounds(positions)) is not None:
        _reduce_in_rounds(UFUNCS[reduction], result.reshape(len(x), width), positions, rows, rounds, step)
        return result
    flat, rows, columns = result.reshape(-1), np.ascontiguousarray(rows), np.arange(width)
    for i in range(0, len(positions), step):  # NumPy's loop for one axis of positions is by far the fastest
        at(flat, (positions[i : i + step, None] * width + columns).reshape(-1), rows[i : i + step].reshape(-1))
    return result


#: The least elements of a row, and the most repetitions of a position, for rows to be reduced as a whole.
_WIDE, _ROUNDS = 32, 64


def _in_rounds(positions: Any) -> list[np.ndarray] | None:
    """List which updates are the first of their position, the second, and so on; None for too many of a position."""
    order = np.argsort(positions, kind="stable")
    ordered = positions[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    counts = np.diff(np.append(starts, len(ordered)))
    most = int(counts.max())
    return None if most > _ROUNDS else [order[starts[counts > i] + i] for i in range(most)]


def _reduce_in_rounds(
    ufunc: np.ufunc, x: np.ndarray, positions: Any, rows: np.ndarray, rounds: list[np.ndarray], step: int
) -> None:
    """Reduce rows with those of x. No position comes twice in a round."""
    for which in rounds:
        for i in range(0, len(which), step):
            part = which[i : i + step]
            at = positions[part]
            x[at] = ufunc(x[at], rows[part])


def _in_segments(x: Any, positions: Any, *, count: int, reduction: str) -> Any:
    """Reduce segment by segment: a reduction of adjacent rows takes a third of the time of the same rows one by one,
    and has the same order."""
    ufunc = UFUNCS[reduction]
    if not _is_sorted(positions):
        order = np.argsort(positions, kind="stable")
        x, positions = x[order], positions[order]
    starts = [0, *(np.flatnonzero(positions[1:] != positions[:-1]) + 1).tolist()]
    result = np.full((count, *x.shape[1:]), _START[reduction](x.dtype), x.dtype)
    reduce, dtype = ufunc.reduce, x.dtype
    for place, start, end in zip(positions[starts].tolist(), starts, [*starts[1:], len(positions)], strict=True):
        if place < count:
            reduce(x[start:end], 0, dtype, result[place])
    return np.add(result, result.dtype.type(0), out=result) if reduction == "sum" else result  # no -0.0


def _limit(dtype: Any, name: str) -> Any:
    return getattr(np.iinfo(dtype), name) if dtype.kind in "iu" else np.inf if name == "max" else -np.inf


#: The result of a reduction of no rows, by dtype.
_START: dict[str, Callable[[Any], Any]] = {
    "sum": lambda dtype: 0,
    "multiply": lambda dtype: 1,
    "min": lambda dtype: _limit(dtype, "max"),
    "max": lambda dtype: _limit(dtype, "min"),
}


def _is_sorted(positions: Any) -> bool:
    return bool(np.all(positions[1:] >= positions[:-1]))


def _are_long(x: Any, positions: Any, *, count: int, reduction: str) -> bool:
    """Tell whether rows are wide and segments have several each, of numbers in a dtype of NumPy's own."""
    wide = x.ndim > 1 and x.size >= _WIDE * len(positions) and len(positions) >= 4 * count > 0
    return wide and reduction in UFUNCS and x.dtype.kind in "iufc" and x.dtype.isbuiltin == 1


_in_segments.when = _are_long  # type: ignore[attr-defined]


def _windows(x: Any, *, window: Any, axis: Any) -> Any:
    if x.dtype.isbuiltin != 1:  # of ml_dtypes, which NumPy's protocol of views does not name
        bits = x.view(np.dtype(f"u{x.dtype.itemsize}"))
        return np.lib.stride_tricks.sliding_window_view(bits, window, axis).view(x.dtype)
    return np.lib.stride_tricks.sliding_window_view(x, window, axis)


def _dynamic_slice(x: Any, start: Any, *, size: Any) -> Any:
    return x[tuple([slice(i, i + n) for i, n in zip(start.tolist(), size, strict=True)])]


def _scatter_along_axis(x: Any, positions: Any, updates: Any, *, axis: int, reduction: str) -> Any:
    result = x.copy()
    places: list[Any] = np.ix_(*map(np.arange, positions.shape))
    result[(*places[:axis], positions, *places[axis + 1 :])] = updates
    return result


def _replaces(x: Any, positions: Any, updates: Any, *, axis: int, reduction: str) -> bool:
    """Tell whether elements are replaced: NumPy reduces them faster along one axis."""
    return reduction == "replace" and positions.size > 0


_scatter_along_axis.when = _replaces  # type: ignore[attr-defined]
