"""Permutations and choices: functions of a key. The algorithms are those of jax.random."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal, overload

from ...core.dtypes import uint32
from ...core.registry import functions as lw
from ...engine.arrays.array import Array
from ...engine.declare import composed
from ...engine.exchange.output import target
from ...errors import AxisError
from .continuous import gumbel
from .discrete import randint
from .drawing import _bits, floating, key_of, param, refuse_chances, seen, shape_of, subkeys, under_ours, unit

__all__ = ["choice", "permutation", "shuffle"]


@composed
def permutation(key: Array, x: int | Array, axis: int = 0, *, independent: bool = False) -> Array:
    """Permute an array along an axis, or the integers below a number, at random.

    Parameters
    ----------
    key: a key, uint32 of shape (2,).
    x: an array, or an int n for ``arange(n)``.
    axis: the axis along which slices are permuted.
    independent: whether each line along the axis gets a permutation of its own.

    Returns
    -------
    A new array of the shape and dtype of x, or of n integers of the default int.

    Raises
    ------
    TypeError: x is neither an int nor an array.
    ValueError, AxisError: an int below 0, an array without axes, an axis that x does not have.

    Notes
    -----
    Sorts random words, as often as makes equal words harmless. On Dask the axis becomes one block.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.random.permutation(lw.random.key(0), 5)
    Array([0, 1, 4, 3, 2], dtype=int32)
    """
    return _permuted("permutation", key, x, axis, independent)


@overload
def shuffle(key: Array, x: Any, axis: int = ..., *, inplace: Literal[True] = ...) -> None: ...


@overload
def shuffle(key: Array, x: Any, axis: int = ..., *, inplace: Literal[False]) -> Array: ...


@composed
def shuffle(key: Array, x: Any, axis: int = 0, *, inplace: bool = True) -> Array | None:
    """Permute the slices of an array along an axis at random, in place; `permutation` gives a new array.

    Parameters
    ----------
    key: a key, uint32 of shape (2,).
    x: an array, or a list of anything.
    axis: the axis along which slices are permuted; 0 of a list.
    inplace: whether x itself is permuted, as by NumPy's function; with False, a copy of an array.

    Returns
    -------
    None, as NumPy's function; with ``inplace=False`` a new array.

    Raises
    ------
    ValueError, AxisError: an array without axes, an axis that x does not have; a view of another array, to which
        frameworks without views cannot write.
    TypeError: in place, x is neither an `Array` nor a list.

    Examples
    --------
    >>> import latticework as lw
    >>> x, cards = lw.asarray([10, 20, 30, 40]), ["ace", "king", "queen"]
    >>> lw.random.shuffle(lw.random.key(0), x)
    >>> x
    Array([10, 20, 40, 30], dtype=int32)
    >>> lw.random.shuffle(lw.random.key(3), cards)
    >>> cards
    ['ace', 'queen', 'king']
    """
    key = key_of("shuffle", key)
    if type(x) is int:
        raise TypeError(f"random.shuffle: x must be an array; got {x!r}. For arange: lw.random.permutation(key, {x!r})")
    if isinstance(x, list) and inplace is True:
        shuffle_list("shuffle", x, axis, lambda n: _order(key, (n,), 0))
        return None
    x = target("random.shuffle", x, inplace) if inplace else x
    result = _permuted("shuffle", key, x, axis, False)
    if not inplace:
        return result
    x[...] = result
    return None


def shuffle_list(name: str, x: list[Any], axis: int, order: Callable[[int], Array]) -> None:
    """Permute a list in place, by an order of its positions."""
    if axis not in (0, -1):
        raise AxisError(f"random.{name}: axis {axis} is out of bounds for a list; take an array: lw.asarray(x)")
    if len(x) > 1:
        x[:] = [x[i] for i in order(len(x)).tolist()]


def _permuted(name: str, key: Any, x: Any, axis: int, independent: bool) -> Array:
    key = key_of(name, key)
    x, axis, _ = _population(name, key, x, axis)
    with under_ours():
        if independent and x.ndim > 1:
            return lw.take_along_axis(x, _order(key, x.shape, axis), axis=axis)
        return lw.take(x, _order(key, (x.shape[axis],), 0), axis=axis)


def _population(name: str, key: Any, x: Any, axis: int) -> tuple[Array, int, int]:
    """Read what is permuted or chosen from: an array, or the integers below an int. With its axis and its extent.

    `key` tells the device: a key, or a generator.
    """
    n = x.item() if isinstance(x, Array) and not x.shape and x.dtype.kind in "iu" else x
    if hasattr(n, "__index__") and not isinstance(n, Array) and not getattr(n, "shape", ()):
        if n.__index__() < 0:
            raise ValueError(f"random.{name}: x must be an int of at least 0 or an array; got {n!r}")
        x = lw.arange(n.__index__(), device=key.device)
    else:
        x = param(name, "x", x, key)
        if not isinstance(x, Array):
            raise TypeError(f"random.{name}: x must be an int or an array; got {x!r}")
        if not x.shape:
            raise ValueError(f"random.{name}: x must be an int or an array with axes; got {x.dtype} of shape ()")
    if not -x.ndim <= axis < x.ndim:
        raise AxisError(
            f"random.{name}: axis {axis} is out of bounds for array of shape {x.shape}; "
            f"axes are {-x.ndim} to {x.ndim - 1}"
        )
    axis %= x.ndim
    return x, axis, x.shape[axis]


def _order(key: Array, shape: Any, axis: int) -> Array:
    """A random order of the positions along an axis."""
    size = math.prod(shape)
    order: Array | None = None
    for _ in range(math.ceil(3 * math.log(max(1, size)) / math.log(2**32 - 1))):
        key, subkey = subkeys(key, 2)
        words = _bits(shape, subkey._data, dtype=uint32, device=key.device)
        found = lw.argsort(words, axis=axis, stable=True)
        order = found if order is None else lw.take_along_axis(order, found, axis=axis)
    if order is not None:
        return order
    return lw.argsort(_bits(shape, key._data, dtype=uint32, device=key.device), axis=axis)  # of one element or none


@composed
def choice(
    key: Array,
    x: int | Array,
    shape: int | tuple[int, ...] = (),
    replace: bool = True,
    p: Array | None = None,
    axis: int = 0,
) -> Array:
    """Choose slices of an array, or integers below a number, at random.

    Parameters
    ----------
    key: a key, uint32 of shape (2,).
    x: an array, or an int n for ``arange(n)``.
    shape: the shape of what is chosen.
    replace: whether a slice may be chosen more than once.
    p: the probability of each slice along the axis, with the sum 1 but for rounding; None for equal ones.
    axis: the axis along which slices are chosen.

    Returns
    -------
    Shape ``x.shape[:axis] + shape + x.shape[axis + 1:]`` and the dtype of x, or the default int of an int.

    Raises
    ------
    ValueError: nothing to choose from; more without replacement than there is; p of another shape, or with a nan, a
        negative number or another sum than 1. Values of p that is lazy or traced are not looked at.

    Notes
    -----
    With p and without replacement, by the largest of ``log(p) + gumbel`` (Efraimidis and Spirakis, 2006). There slices
    of probability 0 are chosen last, and it is no error that they are chosen.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.random.choice(lw.random.key(0), 10, (3,), replace=False)
    Array([0, 1, 8], dtype=int32)
    """
    return chosen(key, x, shape, replace, p, axis, checked=True)


def chosen(key: Any, x: Any, shape: Any, replace: bool, p: Any, axis: int, *, checked: bool) -> Array:
    """Like `choice`. p must have the sum 1 only if it is checked: JAX does not check it."""
    key = key_of("choice", key)
    x, axis, n = _population("choice", key, x, axis)
    extents: Any = shape_of("choice", shape)
    count = math.prod(extents)
    if count and not n:
        raise ValueError(f"random.choice: x has nothing to choose from; got shape {x.shape}, axis={axis}")
    if not replace and count > n:
        raise ValueError(f"random.choice: {count} of {n} cannot be chosen without replacement. Take replace=True")
    if p is not None:
        given, p = p, param("choice", "p", p, key)
        if not isinstance(p, Array) or p.shape != (n,):
            got = p.shape if isinstance(p, Array) else p
            raise ValueError(f"random.choice: p must have shape ({n},), the extent of x along the axis; got {got}")
        if checked and count:
            refuse_chances("random.choice", seen(p, given), p.dtype)
    with under_ours():
        positions = _positions(key, n, extents, count, replace, p)
        if len(extents) == 1:
            return lw.take(x, positions, axis=axis)
        taken = lw.take(x, lw.reshape(positions, (-1,)) if extents else positions[None], axis=axis)
        return lw.reshape(taken, (*x.shape[:axis], *extents, *x.shape[axis + 1 :]))


def _positions(key: Array, n: int, shape: Any, count: int, replace: bool, p: Array | None) -> Array:
    if not count:
        return lw.zeros(shape, dtype=lw.default_int_dtype(), device=key.device)
    if p is None and replace:
        return randint(key, shape, 0, n)
    if p is None:
        return lw.reshape(_order(key, (n,), 0)[:count], shape)
    found = floating("choice", None, p)
    p = lw.astype(p, found)
    if replace:
        total = lw.cumulative_sum(p)
        return lw.searchsorted(total, total[-1] * (1 - unit(key, shape, found)))
    scores = gumbel(key, (n,), found) + lw.log(p)
    return lw.reshape(lw.argsort(scores, descending=True, stable=True)[:count], shape)
