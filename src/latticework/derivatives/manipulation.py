"""Rules of what moves, repeats and cuts elements: all of it is linear."""

from __future__ import annotations

import math
from typing import Any

from ..core.registry import functions as lw
from ..engine.arrays.array import Array
from .rules import linear


@linear("broadcast_to")
def _broadcast_to(g: Array, x: Array, shape: Any) -> Array:
    return g  # and is summed to the shape of x


@linear("reshape")
def _reshape(g: Array, x: Array, shape: Any, copy: Any = None, order: Any = "C") -> Array:
    return g if g.ndim == x.ndim == 1 else lw.reshape(g, x.shape, order=order)  # of any number of elements


@linear("expand_dims")
def _expand_dims(g: Array, x: Array, axis: Any = None) -> Array:
    return lw.reshape(g, x.shape)


@linear("squeeze")
def _squeeze(g: Array, x: Array, axis: Any = None) -> Array:
    return lw.reshape(g, x.shape)


@linear("flip")
def _flip(g: Array, x: Array, axis: Any = None) -> Array:
    return lw.flip(g, axis=axis)


@linear("moveaxis")
def _moveaxis(g: Array, x: Array, source: Any, destination: Any) -> Array:
    return lw.moveaxis(g, destination, source)


@linear("permute_dims")
def _permute_dims(g: Array, x: Array, axes: Any) -> Array:
    order = [a % x.ndim for a in axes]
    return lw.permute_dims(g, tuple([order.index(a) for a in range(x.ndim)]))


@linear("matrix_transpose")
def _matrix_transpose(g: Array, x: Array) -> Array:
    return lw.matrix_transpose(g)


@linear("roll")
def _roll(g: Array, x: Array, shift: Any, axis: Any = None) -> Array:
    back = tuple([-s for s in shift]) if isinstance(shift, (tuple, list)) else -shift
    return lw.roll(g, back, axis=axis)


@linear("tile")
def _tile(g: Array, x: Array, repetitions: Any) -> Array:
    times = repetitions if isinstance(repetitions, (tuple, list)) else (repetitions,)
    n = max(len(times), x.ndim)
    times = (*[1] * (n - len(times)), *times)
    shape = (*[1] * (n - x.ndim), *x.shape)
    split = tuple([extent for pair in zip(times, shape, strict=True) for extent in pair])
    return lw.reshape(lw.sum(lw.reshape(g, split), axis=tuple(range(0, 2 * n, 2))), x.shape)


@linear("repeat")
def _repeat(g: Array, x: Array, repeats: Any, axis: int | None = None) -> Array:
    flat = lw.reshape(x, (-1,)) if axis is None else x
    a = 0 if axis is None else axis % x.ndim
    if isinstance(repeats, int):
        shape = (*flat.shape[:a], flat.shape[a], repeats, *flat.shape[a + 1 :])
        return lw.reshape(lw.sum(lw.reshape(g, shape), axis=a + 1), x.shape)
    positions = lw.repeat(lw.arange(flat.shape[a], device=x.device), repeats)
    return lw.reshape(lw.index_add(lw.zeros_like(flat), positions, g, axis=a), x.shape)


@linear("tril")
def _tril(g: Array, x: Array, k: int = 0) -> Array:
    return lw.tril(g, k=k)


@linear("triu")
def _triu(g: Array, x: Array, k: int = 0) -> Array:
    return lw.triu(g, k=k)


@linear("concat")
def _concat(g: Array, arrays: list[Array], axis: int | None = 0) -> list[Array]:
    found, start = [], 0
    a = 0 if axis is None else axis % arrays[0].ndim
    for x in arrays:
        n = math.prod(x.shape) if axis is None else x.shape[a]
        part = g[(*[slice(None)] * a, slice(start, start + n))]
        found.append(lw.reshape(part, x.shape))
        start += n
    return found


@linear("stack")
def _stack(g: Array, arrays: list[Array], axis: int = 0) -> list[Array]:
    return [*lw.unstack(g, axis=axis)]


@linear("unstack")
def _unstack(gs: tuple[Array, ...], x: Array, axis: int = 0) -> Array:
    return lw.stack([*gs], axis=axis) if gs else lw.zeros_like(x)
