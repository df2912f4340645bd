"""Rules of sorted and picked elements, which go from place to place. Of equal ones, one has the cotangent.

What changes at a point where elements change places is the order of equal ones alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.registry import functions as lw
from ..engine.arrays.array import Array
from .rules import rule
from .tape import Call


def _order(call: Call) -> Array:
    """Return where each element of a sorted array was."""
    return lw.argsort(call.args[0], **call.kw)


@rule("sort", lambda call, tangents: _moved(tangents[0], _order(call), _axis(call)))
def _sort(call: Call, g: Array) -> Any:
    axis = _axis(call)
    return {0: _moved(g, lw.argsort(_order(call), axis=axis), axis)}


def _axis(call: Call) -> int:
    axis: int = call.kw.get("axis", -1)
    return axis


def _moved(x: Array, places: Array, axis: int) -> Array:
    return lw.take_along_axis(x, places, axis=axis)


def _ranks(x: Array, axis: int) -> tuple[Array, Array]:
    """Return the places of the elements from the least to the greatest, and the rank of each."""
    order = lw.argsort(x, axis=axis)
    return order, lw.argsort(order, axis=axis)


def _along_partition(call: Call, tangents: Mapping[Any, Array]) -> Array:
    axis = _axis(call)
    order, _ = _ranks(call.args[0], axis)
    _, ranks = _ranks(call.out, axis)
    return _moved(tangents[0], _moved(order, ranks, axis), axis)


@rule("partition", _along_partition)
def _partition(call: Call, g: Array) -> Any:
    """A backend leaves elements beside the kth as they fall: an element is found again by its rank."""
    axis = _axis(call)
    order, _ = _ranks(call.out, axis)
    _, ranks = _ranks(call.args[0], axis)
    return {0: _moved(g, _moved(order, ranks, axis), axis)}


def _picked(g: Array, x: Array, places: Array, axis: int) -> Array:
    """Put the cotangents of picked elements where they were."""
    return lw.scatter(lw.zeros_like(x), places, g, axis % x.ndim, reduction="sum")


@rule("top_k", lambda call, tangents: (_moved(tangents[0], call.out[1], _axis(call)), None))
def _top_k(call: Call, g: tuple[Array, ...]) -> Any:
    return {0: _picked(g[0], call.args[0], call.out[1], _axis(call))}


# --- sets -------------------------------------------------------------------------------------------------------------


def _first_of(name: str) -> None:
    """State the rule of distinct elements. Of equal ones the first has the cotangent.

    It is the one whose index `unique_all` gives: ``values`` is ``x[indices]``.
    """

    def forward(call: Call, tangents: Mapping[Any, Array]) -> Any:
        t = lw.take(lw.reshape(tangents[0], (-1,)), _first(call), axis=0)
        return (t, *[None] * (len(call.out) - 1)) if isinstance(call.out, tuple) else t

    @rule(name, forward)
    def reverse(call: Call, g: Any) -> Any:
        x, values = call.args[0], g[0] if isinstance(g, tuple) else g
        flat = lw.zeros((x.size,), dtype=x.dtype, device=x.device)
        return {0: lw.reshape(lw.index_add(flat, _first(call), values), x.shape)}

    def _first(call: Call) -> Array:
        indices: Array = call.out[1] if name == "unique_all" else lw.unique_all(call.args[0]).indices
        return indices


for _name in ("unique_all", "unique_counts", "unique_inverse", "unique_values"):
    _first_of(_name)
