"""Rules of sums, products, extrema, spreads, and what runs along an axis."""

from __future__ import annotations

import math
from typing import Any

from ..core.registry import functions as lw
from ..engine.arrays.array import Array
from .rules import conj, constant, linear, rule
from .tape import Call

__all__ = ["axes_of", "count_of", "spread"]


def axes_of(x: Array, axis: Any) -> tuple[int, ...]:
    """Return the axes of a reduction, counted from the first."""
    n = x.ndim
    if axis is None:
        return tuple(range(n))
    return tuple([a % n for a in (axis if isinstance(axis, (tuple, list)) else (axis,))])


def count_of(x: Array, axis: Any) -> int:
    """Return how many elements a reduction brings together in each result."""
    return math.prod([x.shape[a] for a in axes_of(x, axis)])


def _counted(x: Array, axis: Any) -> Any:
    """Return how many elements a reduction brings together: an array of shape (), where an extent is not known."""
    axes = axes_of(x, axis)
    if None not in [x.shape[a] for a in axes]:
        return count_of(x, axis)
    return lw.max(lw.sum(lw.ones_like(lw.real(x) if x.dtype.kind == "c" else x), axis=axes))


def expanded(y: Array, x: Array, axis: Any, keepdims: bool) -> Array:
    """Give the result of a reduction of x, or its cotangent, the axes that the reduction took away."""
    if keepdims or y.ndim == 0:
        return y
    if None in x.shape:
        for a in sorted(axes_of(x, axis)):
            y = lw.expand_dims(y, axis=a)
        return y
    return lw.reshape(y, tuple([1 if a in axes_of(x, axis) else n for a, n in enumerate(x.shape)]))


def spread(g: Array, x: Array, axis: Any, keepdims: bool) -> Array:
    """Give each element of x the cotangent of the result that it went into, to be broadcast to the shape of x."""
    return expanded(g, x, axis, keepdims)


@linear("sum")
def _sum(g: Array, x: Array, /, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Array:
    return spread(g, x, axis, keepdims)


#: The greatest number of float16. The inverse of a greater count is a number of it.
_GREATEST = 65504


@linear("mean")
def _mean(g: Array, x: Array, /, axis: Any = None, keepdims: bool = False) -> Array:
    n = _counted(x, axis)
    if isinstance(n, Array):
        return spread(g / lw.maximum(n, 1), x, axis, keepdims)
    if n > _GREATEST and n > lw.finfo(g.dtype).max:
        return spread(g * (1 / n), x, axis, keepdims)
    return spread(g / max(n, 1), x, axis, keepdims)


@rule("prod")
def _prod(call: Call, g: Array) -> Any:
    x, axis, keepdims = call.args[0], call.kw.get("axis"), call.kw.get("keepdims", False)
    axes = axes_of(x, axis)
    order = (*[a for a in range(x.ndim) if a not in axes], *axes)
    moved = lw.permute_dims(x, order)
    rows = lw.reshape(moved, (*moved.shape[: x.ndim - len(axes)], count_of(x, axis)))
    others = lw.reshape(products_of_others(rows), moved.shape)
    others = lw.permute_dims(others, tuple([order.index(a) for a in range(x.ndim)]))
    return {0: spread(g, x, axis, keepdims) * conj(others)}


def products_of_others(rows: Array) -> Array:
    """Return for each element of a row the product of all others. Nothing is divided, so that zeros are right too."""
    if not rows.size:
        return rows
    one = lw.ones_like(rows[..., :1])
    before = lw.cumulative_prod(lw.concat([one, rows[..., :-1]], axis=-1), axis=-1)
    after = lw.flip(lw.cumulative_prod(lw.concat([one, lw.flip(rows[..., 1:], axis=-1)], axis=-1), axis=-1), axis=-1)
    return before * after


def _extremum(call: Call, g: Array) -> Any:
    """Equal ones share."""
    (x,), axis, keepdims = call.args, call.kw.get("axis"), call.kw.get("keepdims", False)
    hit = lw.astype(x == expanded(call.out, x, axis, keepdims), x.dtype)
    share = hit / lw.sum(hit, axis=axes_of(x, axis), keepdims=True)
    return {0: spread(g, x, axis, keepdims) * share}


rule("max")(_extremum)
rule("min")(_extremum)


@rule("var")
def _var(call: Call, g: Array) -> Any:
    return _by_spread(call, g, g * call.out)


def _by_spread(call: Call, g: Array, g_out: Array) -> Any:
    """Return the cotangents of a variance, given its own; and its own times the variance."""
    (x,), axis, keepdims = call.args, call.kw.get("axis"), call.kw.get("keepdims", False)
    correction = call.kw.get("correction", 0.0)
    n = _counted(x, axis) - correction
    over = 1 / n if isinstance(n, Array) or n else math.nan
    deviation = x - lw.mean(x, axis=axes_of(x, axis), keepdims=True)
    found: dict[Any, Any] = {0: spread(g, x, axis, keepdims) * deviation * (2 * over)}
    if "correction" in call.differentiated:
        found["correction"] = lw.sum(g_out) * over
    return found


@rule("std")
def _std(call: Call, g: Array) -> Any:
    """Of equal ones the slope is 0: the middle of those on all sides."""
    flat = call.out == 0
    half = lw.where(flat, 0, g / lw.where(flat, 1, 2 * call.out))
    return _by_spread(call, half, g * call.out / 2)


# --- along an axis ----------------------------------------------------------------------------------------------------


def _axis(x: Array, axis: int | None) -> int:
    return 0 if axis is None else axis % x.ndim


def _part(x: Array, axis: int, key: slice) -> Array:
    return x[(*[slice(None)] * axis, key)]


@linear("cumulative_sum")
def _cumulative_sum(
    g: Array, x: Array, /, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Array:
    a = _axis(x, axis)
    g = _part(g, a, slice(1, None)) if include_initial else g
    return lw.flip(lw.cumulative_sum(lw.flip(g, axis=a), axis=a), axis=a)


@rule("cumulative_prod")
def _cumulative_prod(call: Call, g: Array) -> Any:
    """The cotangent of element i is the product before it, times ``r[i] = g[i] + x[i + 1] * r[i + 1]``."""
    x, a = call.args[0], _axis(call.args[0], call.kw.get("axis"))
    g = _part(g, a, slice(1, None)) if call.kw.get("include_initial") else g
    one = lw.ones_like(_part(x, a, slice(0, 1)))
    x = lw.conj(x) if x.dtype.kind == "c" else x
    before = lw.cumulative_prod(lw.concat([one, _part(x, a, slice(0, -1))], axis=a), axis=a)
    factor = lw.concat([_part(x, a, slice(1, None)), lw.zeros_like(one)], axis=a)
    return {0: before * _recurrence(factor, g, a)}


def _recurrence(factor: Array, start: Array, axis: int) -> Array:
    """Solve ``r[i] = start[i] + factor[i] * r[i + 1]`` along an axis, in log2(n) steps."""
    n, step = start.shape[axis], 1
    while step < n:
        beyond = lw.zeros_like(_part(start, axis, slice(0, step)))
        start = start + factor * lw.concat([_part(start, axis, slice(step, None)), beyond], axis=axis)
        factor = factor * lw.concat([_part(factor, axis, slice(step, None)), beyond], axis=axis)
        step *= 2
    return start


constant("argmax", "argmin", "count_nonzero", "nonzero", "all", "any", "argsort", "argpartition", "searchsorted")
