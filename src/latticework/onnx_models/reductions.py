"""Reductions, running sums, and the places of the largest elements."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import latticework as lw

from ..core.dtypes import float64, int64
from .table import Call, reads

__all__: list[str] = []


def _axes(c: Call, x: Any, axes: Any) -> tuple[int, ...] | None:
    """Return the axes, which are an attribute or an input; None where the array stays as it is."""
    axes = c.get("axes", axes)
    if axes is None or not len(axes):
        return None if c.get("noop_with_empty_axes", 0) else tuple(range(x.ndim))
    return tuple([int(a) % x.ndim for a in np.asarray(axes).reshape(-1)])


def _extremum(x: Any, axes: tuple[int, ...], keep: bool, largest: bool) -> Any:
    """Return the largest or the least; of no elements the least or the largest that the dtype has."""
    kind = x.dtype.kind
    if kind == "b":
        return (lw.any if largest else lw.all)(x, axis=axes, keepdims=keep)
    if math.prod(x.shape[a] for a in axes):
        return (lw.max if largest else lw.min)(x, axis=axes, keepdims=keep)
    if kind == "f":
        bound = -math.inf if largest else math.inf
    else:
        bound = lw.iinfo(x.dtype).min if largest else lw.iinfo(x.dtype).max
    shape = [1 if i in axes else n for i, n in enumerate(x.shape) if keep or i not in axes]
    return lw.full(tuple(shape), bound, dtype=x.dtype, device=x.device)


@reads("ReduceSum", "ReduceMean", "ReduceProd", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2", "ReduceLogSum",
       "ReduceLogSumExp", "ReduceSumSquare", host=(1,))  # fmt: skip
def _reduce(c: Call, x: Any, axes: Any = None) -> Any:
    kind, keep = c.kind.removeprefix("Reduce"), bool(c.get("keepdims", 1))
    axes = _axes(c, x, axes)
    if axes is None:  # what is computed of each element stays
        elements = {"L1": lw.abs, "L2": lw.abs, "SumSquare": lw.square, "LogSum": lw.log}
        return elements[kind](x) if kind in elements else x
    if kind in ("Max", "Min"):
        return _extremum(x, axes, keep, kind == "Max")
    if kind in ("Sum", "Prod"):
        return (lw.sum if kind == "Sum" else lw.prod)(x, axis=axes, keepdims=keep, dtype=x.dtype)
    if kind == "L1":
        return lw.sum(lw.abs(x), axis=axes, keepdims=keep, dtype=x.dtype)
    if kind == "SumSquare":
        return lw.sum(x * x, axis=axes, keepdims=keep, dtype=x.dtype)
    y = x if x.dtype.kind == "f" else lw.astype(x, float64)
    if kind == "Mean":
        found = lw.mean(y, axis=axes, keepdims=keep)
    elif kind == "L2":
        found = lw.sqrt(lw.sum(y * y, axis=axes, keepdims=keep))
    elif kind == "LogSum":
        found = lw.log(lw.sum(y, axis=axes, keepdims=keep))
    elif math.prod(x.shape[a] for a in axes):
        found = lw.logsumexp(y, axis=axes, keepdims=keep)
    else:
        found = lw.log(lw.sum(y, axis=axes, keepdims=keep))
    return lw.astype(found, x.dtype)


@reads("ArgMax", "ArgMin")
def _place(c: Call, x: Any) -> Any:
    axis, keep = c.get("axis", 0), bool(c.get("keepdims", 1))
    function = lw.argmax if c.kind == "ArgMax" else lw.argmin
    if c.get("select_last_index", 0):
        found = x.shape[axis] - 1 - function(lw.flip(x, axis=axis), axis=axis, keepdims=keep)
    else:
        found = function(x, axis=axis, keepdims=keep)
    return lw.astype(found, int64)


@reads("CumSum", "CumProd", host=(1,))
def _running(c: Call, x: Any, axis: Any) -> Any:
    axis = int(np.asarray(axis).reshape(())) % x.ndim
    product = c.kind == "CumProd"
    function = lw.cumulative_prod if product else lw.cumulative_sum
    if c.get("reverse", 0):
        x = lw.flip(x, axis=axis)
    if c.get("exclusive", 0):
        front, rest = [slice(None)] * x.ndim, [slice(None)] * x.ndim
        front[axis], rest[axis] = slice(0, 1), slice(0, -1)
        first = x[tuple(front)]
        x = lw.concat([lw.ones_like(first) if product else lw.zeros_like(first), x[tuple(rest)]], axis=axis)
    found = function(x, axis=axis, dtype=x.dtype)
    return lw.flip(found, axis=axis) if c.get("reverse", 0) else found


@reads("TopK", host=(1,))
def _top_k(c: Call, x: Any, k: Any = None) -> Any:
    k = int(np.asarray(c.get("k") if k is None else k).reshape(()))
    found, places = lw.top_k(x, k, axis=c.get("axis", -1), largest=bool(c.get("largest", 1)))
    return found, lw.astype(places, int64)
