"""Functions whose results depend on values, with a number of elements that is given: `size` and `fill_value`.

They work where values are not known: in `jax.jit` and `jax.vmap`, and on arrays without data. Names, defaults and what
stands beyond the last element are those of jax.numpy. Nothing here looks at a value.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from ..core.registry import OPS
from ..core.registry import functions as lw
from ..engine.arrays.array import Array
from ..policy import unified_rules

__all__ = ["Runs", "ascending", "pick", "places", "sized", "unique_of_size", "whole_size"]


def sized(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare what a function runs where it is given `size`: a function of its array, `size` and `fill_value`."""

    def declare(f: Callable[..., Any]) -> Callable[..., Any]:
        def run(x: Array, size: Any, fill_value: Any) -> Any:
            with unified_rules():
                return f(x, whole_size(name, size), fill_value)

        OPS[name].sized = run
        return f

    return declare


def whole_size(name: str, size: Any) -> int:
    """Return a size as an int of at least 0."""
    try:
        n = operator.index(size)
    except TypeError:
        raise TypeError(f"{name}: size must be an int; got {size!r}") from None
    if n < 0:
        raise ValueError(f"{name}: size must not be negative; got {n}")
    return n


def places(mask: Array, size: int) -> tuple[Array, Array]:
    """Return the positions of the first elements of a mask that hold, and which of them there are.

    Parameters
    ----------
    mask: bool, one axis.
    size: the number of positions. Beyond the last one they are the extent of the mask.
    """
    index: Any = mask._sig.backend.index_dtype
    count = lw.cumulative_sum(lw.astype(mask, index))
    wanted = lw.arange(1, size + 1, dtype=index, device=mask.device)
    found = lw.searchsorted(count, wanted)
    return found, lw.less(found, mask.shape[0])


def pick(name: str, x: Array, found: Array, there: Array, fill: Any, axis: int = 0) -> Array:
    """Take parts along an axis by their positions, and `fill` where there is none: by default the first part."""
    n = x.shape[axis]
    shape = (*x.shape[:axis], found.shape[0], *x.shape[axis + 1 :])
    if not n:
        if fill is None and found.shape[0]:
            raise ValueError(f"{name}: of no elements there is nothing to fill with. Give fill_value")
        return lw.full(shape, 0 if fill is None else fill, dtype=x.dtype, device=x.device)
    taken = lw.take(x, lw.minimum(found, n - 1), axis=axis)
    if not found.shape[0]:
        return taken
    filling = taken[(*(slice(None) for _ in range(axis)), slice(1))] if fill is None else lw.full_like(taken, fill)
    return lw.where(lw.reshape(there, tuple(-1 if i == axis else 1 for i in range(x.ndim))), taken, filling)


class Runs:
    """The elements of an array in ascending order, and where a distinct one begins.

    Attributes
    ----------
    order: the position of each in the flattened array.
    sorted: the elements in order.
    first: which of them differ from the one before.
    """

    def __init__(self, x: Array, *, equal_nan: bool = False) -> None:
        x = lw.ravel(x)
        self.order = ascending(x)
        self.sorted = lw.take(x, self.order)
        before, after = self.sorted[:-1], self.sorted[1:]
        differ = lw.not_equal(after, before)
        if equal_nan and x.dtype.kind in "fc":
            differ = lw.logical_and(differ, lw.logical_not(lw.logical_and(lw.isnan(after), lw.isnan(before))))
        first = lw.ones(min(1, x.shape[0]), dtype="bool", device=x.device)
        self.first = lw.concat([first, differ])

    def groups(self, shape: tuple[int, ...]) -> Array:
        """Return the number of the distinct element that each element is."""
        index: Any = self.sorted._sig.backend.index_dtype
        group = lw.subtract(lw.cumulative_sum(lw.astype(self.first, index)), 1)
        return lw.reshape(lw.take(group, lw.argsort(self.order)), shape)


def ascending(x: Array) -> Array:
    """Return the positions that sort an array of one axis: equal elements in their order, and nan last."""
    if x.dtype.kind != "c":
        return lw.argsort(x)
    order = lw.argsort(lw.imag(x))
    order = lw.take(order, lw.argsort(lw.take(lw.real(x), order)))
    return lw.take(order, lw.argsort(lw.isnan(lw.take(x, order))))


def unique_of_size(name: str, x: Array, size: int, fill_value: Any, *, equal_nan: bool = False) -> tuple[Array, ...]:
    """Return the distinct elements, the first index of each, the inverse indices and the counts."""
    runs = Runs(x, equal_nan=equal_nan)
    n = runs.order.shape[0]
    found, there = places(runs.first, size + 1)
    found, after, there = found[:-1], found[1:], there[:-1]
    values = pick(name, runs.sorted, found, there, fill_value)
    indices = pick(name, runs.order, found, there, None if n else 0)
    counts = lw.where(there, lw.subtract(after, found), lw.zeros_like(found))
    return values, indices, runs.groups(x.shape), counts
