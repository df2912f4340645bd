"""`jax.numpy.pad`, by the positions of the elements that each place takes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import as_array, ops
from ..scalars import above

__all__ = ["padded"]

_ARGUMENTS = {
    "constant": {"constant_values"}, "linear_ramp": {"end_values"}, "maximum": {"stat_length"},
    "mean": {"stat_length"}, "median": {"stat_length"}, "minimum": {"stat_length"}, "reflect": {"reflect_type"},
    "symmetric": {"reflect_type"}, "edge": set(), "wrap": set(), "empty": set(),
}  # fmt: skip


def padded(x: Any, pad_width: Any, mode: Any, options: dict[str, Any]) -> Any:
    """Pad an array.

    Raises
    ------
    NotImplementedError: a mode that there is not.
    ValueError: an option that the mode has not, or widths below 0.
    """
    if callable(mode):
        return _by_function(x, _widths(pad_width, x.ndim), mode, options)
    if mode not in _ARGUMENTS:
        raise NotImplementedError(f"Unimplemented padding mode '{mode}' for np.pad.")
    if unexpected := set(options) - _ARGUMENTS[mode]:
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {unexpected}")
    widths = _widths(pad_width, x.ndim)
    if any(n < 0 for pair in widths for n in pair):
        raise ValueError("index can't contain negative values")
    if mode in ("constant", "empty", "linear_ramp", "maximum", "mean", "median", "minimum"):
        return _by_values(x, widths, mode, options)
    if options.get("reflect_type", "even") not in ("even", "odd"):
        raise ValueError(f"invalid reflect_type: {options['reflect_type']}")
    for axis, (before, after) in enumerate(widths):
        if before or after:
            x = _along(x, axis, before, after, mode, odd=options.get("reflect_type") == "odd")
    return x


def _widths(pad_width: Any, ndim: int) -> list[tuple[int, int]]:
    """The widths before and after along each axis."""
    if isinstance(pad_width, dict):
        found = [(0, 0)] * ndim
        for axis, width in pad_width.items():
            found[axis] = _pair(width)
        return found
    return [(int(a), int(b)) for a, b in np.broadcast_to(_plain(pad_width), (ndim, 2))]


def _plain(x: Any) -> Any:
    return np.asarray(x if not hasattr(x, "tolist") else x.tolist())


def _pair(width: Any) -> tuple[int, int]:
    a, b = np.broadcast_to(_plain(width), (2,))
    return int(a), int(b)


def _along(x: Any, axis: int, before: int, after: int, mode: str, *, odd: bool) -> Any:
    n = x.shape[axis]
    if not n:
        raise ValueError(f"Cannot apply '{mode}' padding to empty axis")
    places = np.pad(np.arange(n), (before, after), mode=mode)
    found = ops.take(x, ops.asarray(places.astype("int32")), axis=axis)
    if not odd:
        return found
    edges = np.pad(np.arange(n, dtype="int64"), (before, after), mode=mode, reflect_type="odd")
    # An element beyond an edge is twice the edge minus the reflected element: again for each time around.
    return _odd(x, axis, before, after, mode, edges)


def _odd(x: Any, axis: int, before: int, after: int, mode: str, edges: Any) -> Any:
    del edges
    while before or after:
        n = x.shape[axis]
        most = n - 1 if mode == "reflect" else n
        take_before, take_after = (min(most, before), min(most, after)) if most else (before, after)
        off = 1 if mode == "reflect" and most else 0
        first, last = _slice(x, axis, 0, 1), _slice(x, axis, n - 1, n)
        left = 2 * first - ops.flip(_slice(x, axis, off, off + take_before), axis)
        right = 2 * last - ops.flip(_slice(x, axis, n - off - take_after, n - off), axis)
        x = ops.concat([left, x, right], axis)
        before, after = before - take_before, after - take_after
    return x


def _slice(x: Any, axis: int, start: int, stop: int) -> Any:
    return x[(slice(None),) * axis + (slice(start, stop),)]


def _by_values(x: Any, widths: list[tuple[int, int]], mode: str, options: dict[str, Any]) -> Any:
    if mode == "constant" and not options and not x.weak_type:
        same = {n for pair in widths for n in pair}
        return ops.pad(x, same.pop() if len(same) == 1 else widths)
    name = {"constant": "constant_values", "linear_ramp": "end_values"}.get(mode, "")
    for axis, (before, after) in enumerate(widths):
        if not before and not after:
            continue
        ends = _ends(x, axis, mode, options.get(name, 0), options.get("stat_length"))
        parts = []
        for side, width in enumerate((before, after)):
            shape = (*x.shape[:axis], width, *x.shape[axis + 1 :])
            if mode == "linear_ramp":
                parts.append(_ramp(x, axis, width, ends[side], at_start=not side))
            else:
                parts.append(ops.broadcast_to(ops.astype(ends[side], x._array.dtype), shape))
        x = ops.concat([parts[0], x, parts[1]], axis)
    return x


def _ends(x: Any, axis: int, mode: str, values: Any, stat_length: Any) -> list[Any]:
    """Return the padding values before and after along an axis."""
    if mode in ("constant", "linear_ramp", "empty"):
        return [_value(values, axis, side, x.ndim) for side in (0, 1)]
    from . import reductions

    f: Any = {
        "maximum": reductions.max, "minimum": reductions.min, "mean": reductions.mean, "median": reductions.median
    }[mode]  # fmt: skip
    n = x.shape[axis]
    lengths = (n, n) if stat_length is None else _widths(stat_length, x.ndim)[axis]
    parts = _slice(x, axis, 0, min(lengths[0], n)), _slice(x, axis, max(n - lengths[1], 0), n)
    found = [f(part, axis=axis, keepdims=True) for part in parts]
    return [ops.round(y) if x.dtype.kind in "iu" and mode in ("mean", "median") else y for y in found]


def _value(values: Any, axis: int, side: int, ndim: int) -> Any:
    if isinstance(values, (list, tuple)) or (hasattr(values, "ndim") and values.ndim):
        from .creation import asarray

        wide = ops.broadcast_to(asarray(values), (ndim, 2))
        return wide[axis, side]
    return as_array(values, "pad")


def _ramp(x: Any, axis: int, width: int, end: Any, *, at_start: bool) -> Any:
    from .creation import linspace

    n = x.shape[axis]
    edge = ops.squeeze(_slice(x, axis, 0, 1) if at_start else _slice(x, axis, n - 1, n), axis)
    values = linspace(ops.broadcast_to(end, edge.shape), edge, width, endpoint=False, axis=axis, dtype=x.dtype)
    return values if at_start else ops.flip(values, axis)


def _by_function(x: Any, widths: list[tuple[int, int]], f: Any, options: dict[str, Any]) -> Any:
    from .functional import apply_along_axis

    x = padded(x, widths, "constant", {})
    for axis in range(x.ndim):
        x = apply_along_axis(f, axis, x, widths[axis], axis, options)
    return x


above.padded = padded
