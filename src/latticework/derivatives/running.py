"""Rules of running extremes, running sums of exponentials, and convolutions of sequences."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ..core.registry import functions as lw
from ..engine.arrays.array import Array
from .reductions import _axis, _part, _recurrence
from .rules import bilinear, conj, rule
from .tape import Call


def _sources(call: Call) -> tuple[Array, int]:
    """Return the position of the element that each result is, the last one of equal elements, as in PyTorch; and the
    axis. From the first nan on it is that of the nan."""
    x, a = call.args[0], _axis(call.args[0], call.kw.get("axis"))
    here = lw.logical_or(x == call.out, lw.isnan(x))
    n = x.shape[a]
    positions = lw.reshape(lw.arange(n, device=x.device), (-1, *[1] * (x.ndim - a - 1)))
    return lw.cummax(lw.where(here, positions, 0), axis=a), a


def _extremes(call: Call, g: Array) -> Any:
    sources, a = _sources(call)
    return {0: lw.scatter(lw.zeros_like(call.args[0]), sources, g, a, reduction="sum")}


def _along_extremes(call: Call, tangents: Mapping[Any, Array]) -> Array:
    sources, a = _sources(call)
    return lw.take_along_axis(tangents[0], sources, axis=a)


rule("cummax", _along_extremes)(_extremes)
rule("cummin", _along_extremes)(_extremes)


@rule("logcumsumexp")
def _logcumsumexp(call: Call, g: Array) -> Any:
    """The cotangent of x[i] is ``exp(x[i] - y[i]) * r[i]`` with ``r[i] = g[i] + exp(y[i] - y[i + 1]) * r[i + 1]``, of
    the results y. No exponential is above 1."""
    x, y = call.args[0], call.out
    a = _axis(x, call.kw.get("axis"))
    beyond = lw.concat([_part(y, a, slice(1, None)), lw.full_like(_part(y, a, slice(0, 1)), math.inf)], axis=a)
    one = lw.ones_like(_part(x, a, slice(0, 1)))
    own = lw.concat([one, _quotient(_part(x, a, slice(1, None)), _part(y, a, slice(1, None)))], axis=a)
    return {0: own * _recurrence(_quotient(y, beyond), g, a)}


def _quotient(x: Array, y: Array) -> Array:
    """Compute ``exp(x - y)``: 1 for two infinities with the same sign, but 0 for -infinity."""
    same = x == y
    away = lw.where(same, 0.0, x) - lw.where(same, 0.0, y)
    return lw.where(lw.logical_and(same, x == -math.inf), 0.0, lw.exp(away))


# --- convolutions -----------------------------------------------------------------------------------------------------


def _whole(g: Array, x1: Array, x2: Array, mode: Any) -> Array:
    """Return the cotangent of all sums of products, of which a mode leaves out the first and last."""
    less = min(x1.size, x2.size) - 1
    if mode == "full" or less == 0:
        return g
    before = less if mode == "valid" else less // 2
    return lw.pad(g, ((before, less - before if mode == "same" else less),))


def _convolve_1(g: Array, x1: Array, x2: Array, /, mode: Any = "full") -> Array:
    return lw.convolve(_whole(g, x1, x2, mode), conj(lw.flip(x2)), mode="valid")


def _convolve_2(g: Array, x1: Array, x2: Array, /, mode: Any = "full") -> Array:
    return lw.convolve(_whole(g, x1, x2, mode), conj(lw.flip(x1)), mode="valid")


bilinear("convolve", _convolve_1, _convolve_2)
