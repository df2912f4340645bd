"""Rules of choosing and scattering elements by positions."""

from __future__ import annotations

from typing import Any

from ..core.registry import functions as lw
from ..engine.arrays.array import Array
from .rules import constant, linear, rule
from .tape import Call


@linear("take")
def _take(g: Array, x: Array, indices: Array, axis: int | None = None) -> Array:
    a = 0 if axis is None else axis % x.ndim
    n = indices.ndim
    rows = lw.reshape(g, (*g.shape[:a], -1, *g.shape[a + n :]))
    return lw.index_add(lw.zeros_like(x), lw.reshape(indices, (-1,)), rows, axis=a)


@linear("take_along_axis")
def _take_along_axis(g: Array, x: Array, indices: Array, axis: int = -1) -> Array:
    a = axis % x.ndim
    along = (*g.shape[:a], indices.shape[a], *g.shape[a + 1 :])
    start = lw.zeros((*g.shape[:a], x.shape[a], *g.shape[a + 1 :]), dtype=g.dtype, device=x.device)
    return lw.scatter(start, lw.broadcast_to(indices, along), g, a, reduction="sum")


@rule("where")
def _chosen(call: Call, g: Array) -> Any:
    condition = call.args[0]
    found: dict[Any, Any] = {}
    if 1 in call.differentiated:
        found[1] = lw.where(condition, g, 0)
    if 2 in call.differentiated:
        found[2] = lw.where(condition, 0, g)
    return found


# --- scattering -------------------------------------------------------------------------------------------------------


def _at(y: Array, positions: Array) -> Array:
    return lw.take(y, positions, axis=0)


def _like_rows(mask: Array, rows: Array) -> Array:
    return lw.reshape(mask, (*mask.shape, *[1] * (rows.ndim - mask.ndim)))


@rule("_scatter")
def _scatter(call: Call, g: Array) -> Any:
    (x, positions, updates), reduction = call.args, call.kw["reduction"]
    found = _REDUCTIONS[reduction](call.out, g, x, positions, lw.reshape(updates, (-1, *x.shape[1:])))
    return {0: found[0], 2: found[1] if updates.ndim == x.ndim else lw.reshape(found[1], updates.shape)}


def _added(out: Array, g: Array, x: Array, positions: Array, updates: Array) -> tuple[Array, Array]:
    return g, _at(g, positions)


def _replaced(out: Array, g: Array, x: Array, positions: Array, updates: Array) -> tuple[Array, Array]:
    """Of a position that comes twice, the last update is written."""
    order = _order(positions)
    first = lw.full((x.shape[0],), -1, dtype=order.dtype, device=x.device)
    written = lw.index_add(first, positions, lw.zeros_like(order))
    written[positions] = order
    stays, counts = written == -1, _at(written, positions) == order
    return lw.where(_like_rows(stays, g), g, 0), lw.where(_like_rows(counts, updates), _at(g, positions), 0)


def _order(positions: Array) -> Array:
    """Return the numbers 0, 1, 2 and so on, as many as positions; on Dask their number may not be known yet."""
    extent: Any = positions.shape[0]
    if extent is None:
        return lw.cumulative_sum(lw.ones_like(positions)) - 1
    return lw.arange(extent, device=positions.device)


def _multiplied(out: Array, g: Array, x: Array, positions: Array, updates: Array) -> tuple[Array, Array]:
    """Each factor's cotangent is the product of the others: of those that are not zero, where it is the only zero."""
    zero, zeros = x == 0, updates == 0
    dtype = x.dtype
    count = lw.index_add(lw.astype(zero, dtype), positions, lw.astype(zeros, dtype))
    product = lw.scatter(
        lw.where(zero, 1, x), lw.reshape(positions, (-1, 1)), lw.where(zeros, 1, updates), reduction="multiply"
    )

    def others(product: Array, count: Array, own: Array, is_zero: Array) -> Array:
        alone = lw.where(is_zero, product, product / lw.where(is_zero, 1, own))
        return lw.where(count == lw.astype(is_zero, dtype), alone, 0)

    by_x = others(product, count, x, zero)
    by_updates = others(_at(product, positions), _at(count, positions), updates, zeros)
    if dtype.kind == "c":
        by_x, by_updates = lw.conj(by_x), lw.conj(by_updates)
    return g * by_x, _at(g, positions) * by_updates


def _greatest(out: Array, g: Array, x: Array, positions: Array, updates: Array) -> tuple[Array, Array]:
    """Equal ones share."""
    hit, hits = lw.astype(x == out, x.dtype), lw.astype(updates == _at(out, positions), x.dtype)
    share = g / lw.maximum(lw.index_add(hit, positions, hits), 1)
    return share * hit, _at(share, positions) * hits


_REDUCTIONS = {"sum": _added, "replace": _replaced, "multiply": _multiplied, "min": _greatest, "max": _greatest}


constant("_positions", "_count_between", "isin", "_bincount")


@rule("_weighted_bincount")
def _weighted_bincount(call: Call, g: Array) -> Any:
    return {1: lw.take(g, call.args[0], axis=0)}
