"""Shapes: reshape, move axes, join, split, repeat, pad."""

from __future__ import annotations

import itertools
import math
import operator
from typing import Any

import numpy as np

import latticework as lw

from ..core import as_array, dialect, ops, our_dtype
from ..keys import taking_keys
from ..scalars import above


def atleast(x: Any, ndim: int) -> Any:
    """The array with axes of extent 1 in front, up to so many."""
    return x if x.ndim >= ndim else ops.reshape(x, (1,) * (ndim - x.ndim) + x.shape)


def arrays_of(xs: Any, name: str) -> list[Any]:
    """The arrays of a sequence, or of an array along its first axis."""
    if isinstance(xs, (list, tuple)):
        return [as_array(x, name) for x in xs]
    xs = as_array(xs, name)
    return list(ops.unstack(xs, 0)) if xs.ndim else [xs]


# --- the shape itself -----------------------------------------------------------------------------------------------


def reshape(a: Any, shape: Any, order: str = "C", *, copy: bool | None = None, out_sharding: Any = None) -> Any:
    if type(shape) is tuple and order == "C" and type(a) is dialect.array:
        try:
            return ops.reshape(a, shape)
        except TypeError:
            pass  # an extent may be an array
    a = as_array(a, "reshape")
    shape = tuple(map(operator.index, shape)) if isinstance(shape, (tuple, list)) else (operator.index(shape),)
    if order == "F":
        return ops.permute_dims(
            ops.reshape(ops.permute_dims(a, tuple(range(a.ndim))[::-1]), shape[::-1]), tuple(range(len(shape)))[::-1]
        )
    if order != "C":
        ops.reshape(a, shape)  # what does not fit is told first
        raise ValueError(f"Unexpected value for 'order' argument: {order}.")
    return ops.reshape(a, shape)


def ravel(a: Any, order: str = "C", *, out_sharding: Any = None) -> Any:
    return reshape(a, (as_array(a, "ravel").size,), order)


def ndim(a: Any) -> int:
    return len(shape(a))


def shape(a: Any) -> tuple[int, ...]:
    if a is None or isinstance(a, (list, tuple)):
        return np.shape(a)
    return as_array(a, "shape").shape if not hasattr(a, "shape") else tuple(a.shape)


def size(a: Any, axis: Any = None) -> int:
    extents = shape(a)
    if axis is None:
        return math.prod(extents)
    axes = axis if isinstance(axis, tuple) else (axis,)
    if len({_check_axis(n, len(extents)) for n in axes}) < len(axes):
        raise ValueError(f"size: an axis is repeated: {axes}")
    return math.prod(extents[n] for n in axes)


def _check_axis(axis: int, ndim: int) -> int:
    if not -ndim <= operator.index(axis) < ndim:
        raise ValueError(f"axis {axis} is out of bounds for array of dimension {ndim}")
    return operator.index(axis) % ndim


def expand_dims(a: Any, axis: Any) -> Any:
    return ops.expand_dims(as_array(a, "expand_dims"), tuple(axis) if isinstance(axis, list) else axis)


def squeeze(a: Any, axis: Any = None) -> Any:
    a = as_array(a, "squeeze")
    if axis is None:
        axis = tuple(i for i, n in enumerate(a.shape) if n == 1)
    return ops.squeeze(a, tuple(axis) if isinstance(axis, list) else axis)


def broadcast_to(array: Any, shape: Any, *, out_sharding: Any = None) -> Any:
    array = as_array(array, "broadcast_to")
    shape = tuple(map(operator.index, shape)) if isinstance(shape, (tuple, list)) else (operator.index(shape),)
    if len(shape) < array.ndim:
        raise ValueError(f"an array of shape {array.shape} does not broadcast to {shape}, which has fewer axes")
    return array if array.shape == shape else ops.broadcast_to(array, shape)


def broadcast_arrays(*args: Any) -> list[Any]:
    return list(ops.broadcast_arrays(*[as_array(x, "broadcast_arrays") for x in args])) if args else []


def broadcast_shapes(*shapes: Any) -> tuple[int, ...]:
    return lw.broadcast_shapes(*[(s,) if isinstance(s, int) else tuple(map(operator.index, s)) for s in shapes])  # type: ignore[return-value]


def resize(a: Any, new_shape: Any) -> Any:
    a = as_array(a, "resize")
    if isinstance(new_shape, list):
        raise ValueError(f"resize: new_shape is a tuple; got {new_shape}")
    new_shape = tuple(new_shape) if isinstance(new_shape, tuple) else (new_shape,)
    if any(n < 0 for n in new_shape):
        raise ValueError("all elements of `new_shape` must be non-negative")
    return ops.resize(a, new_shape)


# --- the order of axes and elements ---------------------------------------------------------------------------------


def transpose(a: Any, axes: Any = None) -> Any:
    a = as_array(a, "transpose")
    axes = tuple(range(a.ndim))[::-1] if axes is None else tuple(operator.index(n) for n in axes)
    if sorted(n % a.ndim if -a.ndim <= n < a.ndim else n for n in axes) != [*range(a.ndim)]:
        outside = next((n for n in axes if not -a.ndim <= n < a.ndim), None)
        if outside is not None:
            raise ValueError(f"axis {outside} is out of bounds for array of dimension {a.ndim}")
        raise TypeError(f"transpose permutation isn't a permutation of operand dimensions, got {axes} for {a.shape}")
    return ops.permute_dims(a, axes)


def permute_dims(a: Any, /, axes: Any) -> Any:
    return transpose(a, tuple(axes))


def matrix_transpose(x: Any, /) -> Any:
    x = as_array(x, "matrix_transpose")
    if x.ndim < 2:
        raise ValueError(f"x must be at least two-dimensional for matrix_transpose; got ndim={x.ndim}")
    return ops.matrix_transpose(x)


def moveaxis(a: Any, source: Any, destination: Any) -> Any:
    return ops.moveaxis(as_array(a, "moveaxis"), source, destination)


def swapaxes(a: Any, axis1: int, axis2: int) -> Any:
    return ops.swapaxes(as_array(a, "swapaxes"), axis1, axis2)


def rollaxis(a: Any, axis: int, start: int = 0) -> Any:
    a = as_array(a, "rollaxis")
    start = operator.index(start)
    axis = _check_axis(axis, a.ndim)
    if not -a.ndim <= start <= a.ndim:
        raise ValueError(f"start={start} must satisfy {-a.ndim}<=start<={a.ndim}")
    start = start + a.ndim if start < 0 else start
    return ops.moveaxis(a, axis, start - 1 if start > axis else start)


def flip(m: Any, axis: Any = None) -> Any:
    return ops.flip(as_array(m, "flip"), tuple(axis) if isinstance(axis, list) else axis)


def fliplr(m: Any) -> Any:
    return flip(m, 1)


def flipud(m: Any) -> Any:
    return flip(m, 0)


def rot90(m: Any, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Any:
    m = as_array(m, "rot90")
    if m.ndim < 2:
        raise ValueError("rot90 requires its first argument to have ndim at least two, but got " + str(m.ndim))
    return ops.rot90(m, k, axes)


def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    shift = shift.tolist() if hasattr(shift, "tolist") else shift
    shift = tuple(shift) if isinstance(shift, list) else shift
    return ops.roll(as_array(a, "roll"), shift, axis)


# --- join and split -------------------------------------------------------------------------------------------------


def _same_kind(arrays: list[Any], dtype: Any) -> list[Any]:
    return arrays if dtype is None else [above.cast(x, our_dtype(dtype, warn="concatenate")) for x in arrays]


def concatenate(arrays: Any, axis: int | None = 0, dtype: Any = None) -> Any:
    if dtype is None and type(axis) is int and len(arrays) > 1 and type(arrays) in (list, tuple):
        rank = getattr(arrays[0], "ndim", 0)
        if rank and all(type(x) is dialect.array and x.ndim == rank for x in arrays):
            return ops.concat(arrays, axis)
    found = _same_kind(arrays_of(arrays, "concatenate"), dtype)
    if not found:
        raise ValueError("Need at least one array to concatenate.")
    if axis is None:
        found, axis = [ravel(x) for x in found], 0
    if not found[0].ndim:
        raise ValueError("Zero-dimensional arrays cannot be concatenated.")
    _check_axis(axis, found[0].ndim)
    if len({x.ndim for x in found}) > 1:
        raise TypeError(f"Cannot concatenate arrays with different numbers of dimensions: {[x.shape for x in found]}")
    return ops.concat(found, operator.index(axis)) if len(found) > 1 else found[0]


def concat(arrays: Any, /, *, axis: int | None = 0) -> Any:
    return concatenate(arrays, axis)


def stack(arrays: Any, axis: int = 0, out: None = None, dtype: Any = None) -> Any:
    found = _same_kind(arrays_of(arrays, "stack"), dtype)
    if not found:
        raise ValueError("Need at least one array to stack.")
    if out is not None:
        raise NotImplementedError("The 'out' argument to jnp.stack is not supported.")
    return ops.stack(found, axis)


def _side_by_side(name: str, rank: int, axis: int, tup: Any, dtype: Any) -> Any:
    arrays = [atleast_of(rank)(x) for x in arrays_of(tup, name)]
    along = 0 if name == "hstack" and arrays and arrays[0].ndim == 1 else axis
    return concatenate(arrays, along, dtype)


def atleast_of(rank: int) -> Any:
    return {1: atleast_1d, 2: atleast_2d, 3: atleast_3d}[rank]


def hstack(tup: Any, dtype: Any = None) -> Any:
    return _side_by_side("hstack", 1, 1, tup, dtype)


def vstack(tup: Any, dtype: Any = None) -> Any:
    return _side_by_side("vstack", 2, 0, tup, dtype)


def dstack(tup: Any, dtype: Any = None) -> Any:
    return _side_by_side("dstack", 3, 2, tup, dtype)


def column_stack(tup: Any) -> Any:
    arrays = arrays_of(tup, "column_stack")
    return concatenate([x if x.ndim > 1 else ops.expand_dims(atleast_1d(x), 1) for x in arrays], 1)


def append(arr: Any, values: Any, axis: int | None = None) -> Any:
    return concatenate([as_array(arr, "append"), as_array(values, "append")], axis)


def block(arrays: Any) -> Any:
    found, _ = _block(arrays)
    return found


def _block(arrays: Any) -> tuple[Any, int]:
    """The blocks joined, and how deep they were nested."""
    if isinstance(arrays, tuple):
        raise ValueError("jax.numpy.block does not allow tuples; use lists instead")
    if not isinstance(arrays, list):
        return as_array(arrays, "block"), 0
    if not arrays:
        raise ValueError("jax.numpy.block does not allow empty list arguments")
    parts = [_block(x) for x in arrays]
    depth = parts[0][1] + 1
    rank = max([depth, *[x.ndim for x, _ in parts]])
    return concatenate([atleast(x, rank) for x, _ in parts], -depth), depth


def _atleast(name: str, rank: int, arys: tuple[Any, ...]) -> Any:
    if len(arys) != 1:
        return [_atleast(name, rank, (x,)) for x in arys]
    x = as_array(arys[0], name)
    if rank == 3:
        if x.ndim == 1:
            return ops.reshape(x, (1, *x.shape, 1))
        return ops.reshape(x, (1, 1, 1)) if not x.ndim else ops.expand_dims(x, -1) if x.ndim == 2 else x
    return atleast(x, rank)


# fmt: off
def atleast_1d(*arys: Any) -> Any: return _atleast("atleast_1d", 1, arys)
def atleast_2d(*arys: Any) -> Any: return _atleast("atleast_2d", 2, arys)
def atleast_3d(*arys: Any) -> Any: return _atleast("atleast_3d", 3, arys)
# fmt: on


def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    return _split(ary, indices_or_sections, axis, even=False)


def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    return _split(ary, indices_or_sections, axis, even=True)


def _split(ary: Any, parts: Any, axis: int, *, even: bool) -> list[Any]:
    ary = as_array(ary, "split")
    n = ary.shape[_check_axis(operator.index(axis), ary.ndim)]
    if not isinstance(parts, (list, tuple)) and not getattr(parts, "ndim", 0):
        parts = operator.index(parts)
        if parts <= 0:
            raise ValueError("number sections must be larger than 0.")
        if n % parts and even:
            raise ValueError(f"array split does not result in an equal division: rest is {n % parts}")
    elif hasattr(parts, "tolist"):
        parts = [operator.index(n) for n in parts.tolist()]
        if any(b < a for a, b in itertools.pairwise([0, *parts, n])):
            raise ValueError(f"split: places have to ascend from 0 to {n}; got {parts}")
    return list(ops.array_split(ary, list(parts) if isinstance(parts, tuple) else parts, axis))


def hsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    ary = as_array(ary, "hsplit")
    return split(ary, indices_or_sections, 0 if ary.ndim == 1 else 1)


def vsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    return split(ary, indices_or_sections, 0)


def dsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    return split(ary, indices_or_sections, 2)


def unstack(x: Any, /, *, axis: int = 0) -> tuple[Any, ...]:
    x, axis = as_array(x, "unstack"), operator.index(axis)
    if not x.ndim:
        raise ValueError("Unstack requires arrays with rank > 0, however a scalar array was passed.")
    return tuple(ops.unstack(x, axis))


# --- more elements, or fewer ----------------------------------------------------------------------------------------


def tile(A: Any, reps: Any) -> Any:
    reps = tuple(reps) if isinstance(reps, (tuple, list)) else (operator.index(reps),)
    return ops.tile(as_array(A, "tile"), reps)


def repeat(
    a: Any, repeats: Any, axis: int | None = None, *, total_repeat_length: int | None = None, out_sharding: Any = None
) -> Any:
    a = as_array(a, "repeat")
    if not isinstance(repeats, int):
        repeats = as_array(repeats, "repeat") if not isinstance(repeats, (list, tuple)) else _array(repeats)
        if repeats.ndim == 0 or repeats.size == 1:
            repeats = int(repeats.reshape(()))
    found = ops.repeat(a, repeats, axis)
    if total_repeat_length is None:
        return found
    along = 0 if axis is None else axis % a.ndim
    return _to_length(found, total_repeat_length, along)


def _array(x: Any) -> Any:
    return above.asarray(x)


def _to_length(x: Any, length: int, axis: int) -> Any:
    """The array cut at a length, or with its last slice again and again."""
    return above.take(x, ops.minimum(ops.arange(length), x.shape[axis] - 1), axis=axis)


def pad(array: Any, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> Any:
    return above.padded(as_array(array, "pad"), pad_width, mode, kwargs)


def delete(arr: Any, obj: Any, axis: int | None = None, *, assume_unique_indices: bool = False) -> Any:
    obj = _array(obj) if isinstance(obj, (list, tuple)) else obj
    if hasattr(obj, "ndim") and obj.ndim > 1:
        obj = ravel(_array(obj))
    return ops.delete(as_array(arr, "delete"), obj, axis)


def insert(arr: Any, obj: Any, values: Any, axis: int | None = None) -> Any:
    obj = _array(obj) if isinstance(obj, (list, tuple)) else obj
    if isinstance(obj, float):
        raise ValueError(f"insert: an index is an int; got {obj}")
    arr, values = as_array(arr, "insert"), as_array(values, "insert")
    return ops.insert(arr, obj, ops.astype(values, arr._array.dtype), axis)


def trim_zeros(filt: Any, trim: str = "fb", axis: Any = None) -> Any:
    filt = as_array(filt, "trim_zeros")
    for n in axis if isinstance(axis, tuple) else (axis,):
        filt = ops.trim_zeros(filt, trim, None if n is None else _check_axis(n, filt.ndim))
    return filt


# --- diagonals and triangles ----------------------------------------------------------------------------------------


def diag(v: Any, k: int = 0) -> Any:
    v = as_array(v, "diag")
    if v.ndim not in (1, 2):
        raise ValueError("diag input must be 1d or 2d")
    return ops.diag(v, operator.index(k))


def diagflat(v: Any, k: int = 0) -> Any:
    return diag(ravel(v), k)


def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    a = as_array(a, "diagonal")
    if a.ndim < 2:
        raise ValueError("diagonal requires an array of at least two dimensions.")
    return ops.diagonal(a, operator.index(offset), axis1, axis2)


def fill_diagonal(a: Any, val: Any, wrap: bool = False, *, inplace: bool = True) -> Any:
    if inplace:
        raise NotImplementedError("jnp.fill_diagonal: JAX arrays are immutable; pass inplace=False")
    if wrap:
        raise NotImplementedError("wrap=True is not implemented, must pass wrap=False")
    a = as_array(a, "fill_diagonal")
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    if a.ndim > 2 and len(set(a.shape)) > 1:
        raise ValueError("All dimensions of input must be of equal length")
    n = min(a.shape)
    i = ops.arange(n)
    val = as_array(val, "fill_diagonal") if not isinstance(val, (list, tuple)) else _array(val)
    return a.at[(i,) * a.ndim].set(val if val.ndim == 0 else _to_length(ravel(tile(val, -(-n // val.size))), n, 0))


def tril(m: Any, k: int = 0) -> Any:
    return _triangle("tril", m, k)


def triu(m: Any, k: int = 0) -> Any:
    return _triangle("triu", m, k)


def _triangle(name: str, m: Any, k: int) -> Any:
    m = as_array(m, name)
    if m.ndim < 2:
        raise ValueError(f"Argument to jax.numpy.{name} must be at least 2D")
    return getattr(ops, name)(m, k=operator.index(k))


dialect.finish(globals(), view="jax.numpy", helpers="arrays_of atleast atleast_of", around=taking_keys)
