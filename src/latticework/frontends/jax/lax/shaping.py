"""Shapes, slices, reductions, sorting: with explicit dimensions, and no promotion."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

import latticework as lw

from ..core import as_array, dialect, ops, our_dtype
from ..keys import taking_keys
from ..numpy import shaping as jnp_shaping
from ..numpy.creation import asarray
from . import elementwise

_slice = slice


def _ints(values: Any) -> tuple[int, ...]:
    return tuple([operator.index(v) for v in values])


# --- shapes ---------------------------------------------------------------------------------------------------------


def reshape(operand: Any, new_sizes: Any, dimensions: Any = None, *, out_sharding: Any = None) -> Any:
    operand = as_array(operand, "reshape")
    if dimensions is not None:
        if sorted(_ints(dimensions)) != [*range(operand.ndim)]:
            raise TypeError(f"reshape dimensions must be a permutation of operand dimensions; got {dimensions}")
        operand = ops.permute_dims(operand, _ints(dimensions))
    return jnp_shaping.reshape(operand, new_sizes)


def broadcast(operand: Any, sizes: Any, *, out_sharding: Any = None) -> Any:
    operand = as_array(operand, "broadcast")
    return ops.broadcast_to(operand, (*_ints(sizes), *operand.shape))


def broadcast_in_dim(operand: Any, shape: Any, broadcast_dimensions: Any, *, out_sharding: Any = None) -> Any:
    operand = as_array(operand, "broadcast_in_dim")
    shape, places = _ints(shape), _ints(broadcast_dimensions)
    if len(places) != operand.ndim:
        raise TypeError(f"broadcast_in_dim broadcast_dimensions must have length equal to operand ndim; got {places}")
    if any(not 0 <= p < len(shape) for p in places) or any(
        n not in (1, shape[p]) for n, p in zip(operand.shape, places, strict=True)
    ):
        raise TypeError(f"broadcast_in_dim: shape {operand.shape} does not go into {shape} at dimensions {places}")
    wide = [1] * len(shape)
    for n, p in zip(operand.shape, places, strict=True):
        wide[p] = n
    return ops.broadcast_to(ops.reshape(operand, tuple(wide)), shape)


def broadcast_shapes(*shapes: Any) -> tuple[int, ...]:
    return jnp_shaping.broadcast_shapes(*shapes)


def broadcast_to_rank(x: Any, rank: int) -> Any:
    x = as_array(x, "broadcast_to_rank")
    return ops.reshape(x, (1,) * (rank - x.ndim) + x.shape)


def collapse(operand: Any, start_dimension: int, stop_dimension: int | None = None) -> Any:
    operand = as_array(operand, "collapse")
    low, high, _ = _slice(start_dimension, stop_dimension).indices(operand.ndim)
    if high < low:
        raise ValueError(
            f"Invalid dimension range passed to collapse: {operand.shape}[{start_dimension}:{stop_dimension}]"
        )
    shape = operand.shape
    return ops.reshape(operand, (*shape[:low], math.prod(shape[low:high]), *shape[high:]))


def expand_dims(array: Any, dimensions: Any) -> Any:
    places, rank = _ints(dimensions), len(jnp_shaping.shape(array)) + len(dimensions)
    if any(not -rank <= n < rank for n in places):
        raise ValueError(f"expand_dims: {places} are not axes of a result with {rank}")
    return jnp_shaping.expand_dims(array, places)


def squeeze(array: Any, dimensions: Any) -> Any:
    return jnp_shaping.squeeze(array, _ints(dimensions))


def transpose(operand: Any, permutation: Any) -> Any:
    operand = as_array(operand, "transpose")
    permutation = _ints(permutation)
    if sorted(permutation) != [*range(operand.ndim)]:
        raise TypeError(f"transpose permutation isn't a permutation of operand dimensions, got {permutation}")
    return ops.permute_dims(operand, permutation)


def rev(operand: Any, dimensions: Any) -> Any:
    operand, places = as_array(operand, "rev"), _ints(dimensions)
    if any(n >= operand.ndim for n in places):
        raise TypeError(f"rev dimensions must all be less than operand ndim; got {places} for {operand.shape}")
    return ops.flip(operand, places)


def tile(operand: Any, reps: Any) -> Any:
    operand, counts = as_array(operand, "tile"), _ints(reps)
    if len(counts) != operand.ndim:
        raise TypeError(f"reps length must be equal to the number of axes of x; got {counts} for {operand.shape}")
    return ops.tile(operand, counts)


def concatenate(operands: Any, dimension: int) -> Any:
    arrays = [as_array(x, "concatenate") for x in operands]
    if not arrays:
        raise ValueError("concatenate requires a non-empty sequences of arrays")
    if len({x.dtype for x in arrays}) > 1:
        raise TypeError(
            f"lax.concatenate requires arguments to have the same dtypes, got {[x.dtype.name for x in arrays]}"
        )
    if not 0 <= operator.index(dimension) < arrays[0].ndim:
        raise TypeError(f"concatenate dimension out of bounds: dimension {dimension} for {[x.shape for x in arrays]}.")
    return jnp_shaping.concatenate(arrays, dimension)


def split(operand: Any, sizes: Any, axis: int = 0) -> list[Any]:
    sizes = _ints(sizes)
    operand, axis = as_array(operand, "split"), operator.index(axis)
    if not -operand.ndim <= axis < operand.ndim:
        raise ValueError(f"axis {axis} is out of bounds for array of dimension {operand.ndim}")
    if sum(sizes) != operand.shape[axis]:
        raise ValueError(
            f"Sum of sizes {sum(sizes)} must be equal to dimension {axis} of the operand shape {operand.shape}"
        )
    return jnp_shaping.split(operand, [*itertools.accumulate(sizes)][:-1], axis)


def _check_scalar(value: Any) -> None:
    if np.shape(value) if isinstance(value, (list, tuple)) else getattr(value, "shape", ()):
        raise TypeError(f"full must be called with a scalar; got {value}")


def full(shape: Any, fill_value: Any, dtype: Any = None, *, sharding: Any = None) -> Any:
    from ..numpy.creation import full as jnp_full

    _check_scalar(fill_value)
    return jnp_full(shape, fill_value, dtype)


def full_like(x: Any, fill_value: Any, dtype: Any = None, shape: Any = None, sharding: Any = None) -> Any:
    from ..numpy.creation import full_like as jnp_full_like

    _check_scalar(fill_value)
    if isinstance(x, list) and dtype is not None:
        x = asarray(x)
    return jnp_full_like(x, fill_value, dtype, shape)


def iota(dtype: Any, size: int) -> Any:
    wanted = _countable(dtype)
    return ops.arange(operator.index(size), dtype=wanted)


def _countable(dtype: Any) -> Any:
    """The dtype, which has to be one of numbers."""
    wanted = our_dtype(dtype)
    if wanted.kind == "b":
        raise TypeError("iota does not accept dtype bool. Accepted dtypes are subtypes of number.")
    return wanted


def broadcasted_iota(dtype: Any, shape: Any, dimension: int, *, out_sharding: Any = None) -> Any:
    _countable(dtype)
    shape = (operator.index(shape),) if not isinstance(shape, (list, tuple)) else _ints(shape)
    one = ops.reshape(iota(dtype, shape[dimension]), tuple(-1 if i == dimension else 1 for i in range(len(shape))))
    return ops.broadcast_to(one, shape)


def stop_gradient(x: Any) -> Any:
    from ..trees import arrays_in, mapped

    return mapped(lambda leaf: ops.stop_gradient(leaf) if leaf.dtype.kind in "fcV" else leaf, arrays_in(x))


def with_sharding_constraint(x: Any, shardings: Any) -> Any:
    return x


def _place(axis: Any, operand: Any) -> int:
    """An axis from the start. JAX takes a float that is whole for one."""
    axis = int(axis) if isinstance(axis, float) and axis.is_integer() else operator.index(axis)
    if not -operand.ndim <= axis < operand.ndim:
        raise IndexError(f"axis {axis} is out of bounds for an array with {operand.ndim} axes")
    return axis % operand.ndim


# --- slices ---------------------------------------------------------------------------------------------------------


def slice(operand: Any, start_indices: Any, limit_indices: Any, strides: Any = None) -> Any:
    operand = as_array(operand, "slice")
    starts, limits = _ints(start_indices), _ints(limit_indices)
    steps = (1,) * operand.ndim if strides is None else _ints(strides)
    if not len(starts) == len(limits) == len(steps) == operand.ndim:
        raise TypeError(
            f"slice start_indices must have length equal to the number of dimensions of the operand; got {starts}"
        )
    for a, b, n in zip(starts, limits, operand.shape, strict=True):
        if a < 0 or b > n or b < a:
            raise TypeError(f"slice from {starts} to {limits} is not within the shape {operand.shape}")
    return operand[tuple(_slice(a, b, s) for a, b, s in zip(starts, limits, steps, strict=True))]


def slice_in_dim(operand: Any, start_index: Any, limit_index: Any, stride: int = 1, axis: int = 0) -> Any:
    operand = as_array(operand, "slice_in_dim")
    axis = _place(axis, operand)
    return operand[(_slice(None),) * axis + (_slice(start_index, limit_index, stride),)]


def index_in_dim(operand: Any, index: int, axis: int = 0, keepdims: bool = True) -> Any:
    operand = as_array(operand, "index_in_dim")
    axis, index = _place(axis, operand), operator.index(index)
    n = operand.shape[axis]
    if not -n <= index < n:
        raise IndexError(f"index {index} is out of bounds for axis {axis} with size {n}")
    found = slice_in_dim(operand, index % n, index % n + 1, 1, axis)
    return found if keepdims else ops.squeeze(found, axis)


def dynamic_slice(operand: Any, start_indices: Any, slice_sizes: Any, *, allow_negative_indices: Any = True) -> Any:
    operand = as_array(operand, "dynamic_slice")
    sizes = _ints(slice_sizes)
    starts = _starts("dynamic_slice", operand, start_indices, sizes)
    return ops.dynamic_slice(operand, starts, sizes)


def _starts(name: str, operand: Any, indices: Any, sizes: tuple[int, ...]) -> Any:
    """The positions of a slice, moved so that it lies in the operand."""
    indices = list(indices) if isinstance(indices, (list, tuple)) else list(ops.unstack(as_array(indices)))
    if len(indices) != operand.ndim or len(sizes) != operand.ndim:
        raise ValueError(f"{name} indices and sizes must have length equal to the rank of the operand {operand.shape}")
    if any(s > n or s < 0 for s, n in zip(sizes, operand.shape, strict=True)):
        raise TypeError(f"{name} sizes {sizes} must be less than or equal to the operand shape {operand.shape}")
    found = []
    for start, n, size in zip(indices, operand.shape, sizes, strict=True):
        if isinstance(start, int):
            start = start + n if start < 0 else start
            found.append(min(max(start, 0), n - size))
            continue
        start = ops.astype(as_array(start, name), lw.int32)
        found.append(ops.clip(ops.where(start < 0, start + n, start), 0, n - size))
    if all(isinstance(x, int) for x in found):
        return tuple(found)
    return ops.stack([ops.astype(as_array(x), lw.int32) for x in found])


def dynamic_update_slice(operand: Any, update: Any, start_indices: Any, *, allow_negative_indices: Any = True) -> Any:
    operand, update = elementwise.alike("dynamic_update_slice", operand, update)
    if operand.ndim and operand.ndim != update.ndim:
        raise TypeError(f"dynamic_update_slice update must have the same rank as operand; got {update.shape}")
    starts = _starts("dynamic_update_slice", operand, start_indices, update.shape)
    return ops.dynamic_update_slice(operand, update, starts)


def dynamic_slice_in_dim(
    operand: Any, start_index: Any, slice_size: int, axis: int = 0, *, allow_negative_indices: bool = True
) -> Any:
    operand = as_array(operand, "dynamic_slice_in_dim")
    axis = _place(axis, operand)
    starts: list[Any] = [0] * operand.ndim
    sizes = list(operand.shape)
    starts[axis], sizes[axis] = start_index, operator.index(slice_size)
    return dynamic_slice(operand, starts, sizes)


def dynamic_index_in_dim(
    operand: Any, index: Any, axis: int = 0, keepdims: bool = True, *, allow_negative_indices: bool = True
) -> Any:
    found = dynamic_slice_in_dim(operand, index, 1, axis)
    return found if keepdims else ops.squeeze(found, axis)


def dynamic_update_slice_in_dim(
    operand: Any, update: Any, start_index: Any, axis: int, *, allow_negative_indices: bool = True
) -> Any:
    operand = as_array(operand, "dynamic_update_slice_in_dim")
    starts: list[Any] = [0] * operand.ndim
    starts[_place(axis, operand)] = start_index
    return dynamic_update_slice(operand, update, starts)


def dynamic_update_index_in_dim(
    operand: Any, update: Any, index: Any, axis: int, *, allow_negative_indices: bool = True
) -> Any:
    operand, update = as_array(operand), as_array(update)
    axis = _place(axis, operand)
    update = ops.expand_dims(update, axis) if update.ndim != operand.ndim else update
    return dynamic_update_slice_in_dim(operand, update, index, axis)


def pad(operand: Any, padding_value: Any, padding_config: Any) -> Any:
    operand, value = as_array(operand, "pad"), as_array(padding_value, "pad")
    if operand.dtype != value.dtype:
        raise TypeError(f"lax.pad requires arguments to have the same dtypes, got {operand.dtype}, {value.dtype}")
    if value.ndim:
        raise ValueError(f"padding_value must be a scalar; got {value.shape}")
    if len(padding_config) != operand.ndim:
        raise ValueError("length of padding_config must equal the number of axes of operand")
    extents = [n + low + high + max(n - 1, 0) * inner for n, (low, high, inner) in zip(
        operand.shape, padding_config, strict=True)]  # fmt: skip
    if any(n < 0 for n in extents):
        raise ValueError(f"Dimension size after padding is not at least 0, got result shape {tuple(extents)}")
    for axis, (low, high, interior) in enumerate(padding_config):
        operand = _padded(operand, value, axis, low, high, interior)
    return operand


def _padded(x: Any, value: Any, axis: int, low: int, high: int, interior: int) -> Any:
    n = x.shape[axis]
    if interior and n:
        wide = ops.expand_dims(x, axis + 1)
        shape = (*wide.shape[: axis + 1], interior, *wide.shape[axis + 2 :])
        wide = ops.concat([wide, ops.broadcast_to(value, shape)], axis + 1)
        x = ops.reshape(wide, (*x.shape[:axis], n * (interior + 1), *x.shape[axis + 1 :]))
        x = x[(_slice(None),) * axis + (_slice(0, n + (n - 1) * interior),)]
    sides = [ops.broadcast_to(value, (*x.shape[:axis], max(n, 0), *x.shape[axis + 1 :])) for n in (low, high)]
    if low > 0 or high > 0:
        x = ops.concat([sides[0], x, sides[1]], axis)
    start, stop = max(-low, 0), x.shape[axis] - max(-high, 0)
    return x[(_slice(None),) * axis + (_slice(start, max(stop, start)),)] if low < 0 or high < 0 else x


# --- reductions -----------------------------------------------------------------------------------------------------


def _reduced(name: str, operand: Any, axes: Any, ours: str, **more: Any) -> Any:
    operand = as_array(operand, name)
    axes = _ints(axes)
    if any(not 0 <= n < operand.ndim for n in axes):
        raise ValueError(f"{name}: axes {axes} are not those of an array of rank {operand.ndim}")
    if not axes:
        return operand
    return getattr(ops, ours)(operand, axis=axes, **more)


def _by_bits(name: str, operand: Any, axes: Any, ours: str, join: Any, start: int) -> Any:
    """A reduction of bools, or of the bits of integers."""
    operand = as_array(operand, name)
    if operand.dtype.kind not in "biu":
        raise TypeError(f"{name} takes bools and integers; got {operand.dtype}")
    if operand.dtype.kind == "b" or not len(axes):
        return _reduced(name, operand, axes, ours)
    return reduce(operand, ops.astype(as_array(start), operand._array.dtype), join, axes)


def _own(operand: Any) -> dict[str, Any]:
    return {"dtype": as_array(operand)._array.dtype}


# fmt: off
def reduce_sum(operand: Any, axes: Any, *, out_sharding: Any = None) -> Any:
    return _reduced("reduce_sum", operand, axes, "sum", **_own(operand))
def reduce_prod(operand: Any, axes: Any) -> Any: return _reduced("reduce_prod", operand, axes, "prod", **_own(operand))
def reduce_max(operand: Any, axes: Any) -> Any: return _reduced("reduce_max", operand, axes, "max")
def reduce_min(operand: Any, axes: Any) -> Any: return _reduced("reduce_min", operand, axes, "min")
def reduce_and(operand: Any, axes: Any) -> Any:
    return _by_bits("reduce_and", operand, axes, "all", ops.bitwise_and, -1)
def reduce_or(operand: Any, axes: Any) -> Any:
    return _by_bits("reduce_or", operand, axes, "any", ops.bitwise_or, 0)
def argmax(operand: Any, axis: int, index_dtype: Any) -> Any:
    return _position("argmax", operand, axis, index_dtype)
def argmin(operand: Any, axis: int, index_dtype: Any) -> Any:
    return _position("argmin", operand, axis, index_dtype)
def cumsum(operand: Any, axis: int = 0, reverse: bool = False) -> Any:
    return _running(operand, axis, reverse, lambda x: ops.cumsum(x, axis=axis, dtype=x._array.dtype))
def cumprod(operand: Any, axis: int = 0, reverse: bool = False) -> Any:
    return _running(operand, axis, reverse, lambda x: ops.cumprod(x, axis=axis, dtype=x._array.dtype))
def cummax(operand: Any, axis: int = 0, reverse: bool = False) -> Any:
    return _running(operand, axis, reverse, lambda x: associative_scan(ops.maximum, _number("cummax", x), axis=axis))
def cummin(operand: Any, axis: int = 0, reverse: bool = False) -> Any:
    return _running(operand, axis, reverse, lambda x: associative_scan(ops.minimum, _number("cummin", x), axis=axis))
def cumlogsumexp(operand: Any, axis: int = 0, reverse: bool = False) -> Any:
    return _running(operand, axis, reverse, lambda x: ops.logcumsumexp(x, axis=axis))
# fmt: on


def _position(name: str, operand: Any, axis: int, index_dtype: Any) -> Any:
    dtype, operand = our_dtype(index_dtype), as_array(operand, name)
    if not 0 <= operator.index(axis) < operand.ndim:
        raise ValueError(f"Invalid axis {axis} for operand shape {operand.shape}")
    if dtype.kind not in "iu":
        raise TypeError(f"index_dtype must be an integer type, but got {dtype}")
    if isinstance(axis, bool):
        raise ValueError(f"{name}: an axis is an int; got {axis}")
    return ops.astype(getattr(ops, name)(operand, axis=operator.index(axis)), dtype)


def _number(name: str, operand: Any) -> Any:
    operand = as_array(operand, name)
    if operand.dtype.kind == "b":
        raise TypeError(f"{name} does not accept dtype bool. Accepted dtypes are subtypes of number.")
    return operand


def _running(operand: Any, axis: int, reverse: bool, f: Callable[[Any], Any]) -> Any:
    operand = as_array(operand)
    if not 0 <= axis < operand.ndim:
        raise ValueError(f"axis {axis} is out of bounds for array of shape {operand.shape}")
    return ops.flip(f(ops.flip(operand, axis)), axis) if reverse else f(operand)


def associative_scan(fn: Any, elems: Any, reverse: bool = False, axis: int = 0) -> Any:
    from ..trees import arrays_in, run

    return run(lw.associative_scan, (fn, arrays_in(elems)), {"reverse": reverse, "axis": axis}, "associative_scan")


def reduce(operands: Any, init_values: Any, computation: Any, dimensions: Any, out_sharding: Any = None) -> Any:
    if isinstance(operands, (list, tuple)):
        raise NotImplementedError("lax.reduce takes one array in this dialect")
    operand, init = elementwise.alike("reduce", operands, init_values)
    dimensions = _ints(dimensions)
    kept = [i for i in range(operand.ndim) if i not in dimensions]
    moved = ops.permute_dims(operand, (*dimensions, *kept))
    flat = ops.reshape(moved, (-1, *[operand.shape[i] for i in kept]))
    return computation(_folded(computation, flat), init) if flat.shape[0] else ops.broadcast_to(init, flat.shape[1:])


def _folded(f: Callable[[Any, Any], Any], x: Any) -> Any:
    """The elements along the first axis combined, in halves."""
    while x.shape[0] > 1:
        half = x.shape[0] // 2
        rest = x[2 * half :]
        x = f(x[:half], x[half : 2 * half])
        x = ops.concat([x, rest]) if rest.shape[0] else x
    return x[0]


def window_padding(shape: Any, window: Any, strides: Any, padding: Any) -> list[tuple[int, int]]:
    """The widths before and after along each axis, of a text that says what the result's shape is."""
    if not isinstance(padding, str):
        return [(int(a), int(b)) for a, b in padding]
    if padding.upper() == "VALID":
        return [(0, 0)] * len(shape)
    if padding.upper() not in ("SAME", "SAME_LOWER"):
        raise RuntimeError(f"Unrecognized padding type: expected 'VALID' or 'SAME', got {padding}.")
    found = []
    for n, k, s in zip(shape, window, strides, strict=True):
        total = max((-(-n // s) - 1) * s + k - n, 0)
        low = total // 2 if padding.upper() == "SAME" else total - total // 2
        found.append((low, total - low))
    return found


def reduce_window(
    operand: Any, init_value: Any, computation: Any, window_dimensions: Any, window_strides: Any = None,
    padding: Any = "VALID", base_dilation: Any = None, window_dilation: Any = None,
) -> Any:  # fmt: skip
    operand, init = elementwise.alike("reduce_window", operand, init_value)
    ones = (1,) * operand.ndim
    window = _ints(window_dimensions)
    if len(window) != operand.ndim:
        raise TypeError(f"reduce_window got {window} for an operand of rank {operand.ndim}")
    strides, base, spread = (ones if x is None else _ints(x) for x in (window_strides, base_dilation, window_dilation))
    wide = tuple((k - 1) * d + 1 for k, d in zip(window, spread, strict=True))
    extents = tuple((n - 1) * d + 1 for n, d in zip(operand.shape, base, strict=True))
    widths = window_padding(extents, wide, strides, padding)
    x = pad(operand, init, [(a, b, d - 1) for (a, b), d in zip(widths, base, strict=True)])
    counts = [max((n - k) // s + 1, 0) for n, k, s in zip(x.shape, wide, strides, strict=True)]
    found = ops.broadcast_to(init, tuple(counts))
    for offsets in itertools.product(*[range(k) for k in window]):
        key = tuple(
            _slice(o * d, o * d + (c - 1) * s + 1 if c else o * d, s)
            for o, d, c, s in zip(offsets, spread, counts, strides, strict=True)
        )
        found = computation(found, x[key])
    return found


# --- sorting --------------------------------------------------------------------------------------------------------


def sort(operand: Any, dimension: int = -1, is_stable: bool = True, num_keys: int = 1) -> Any:
    if not isinstance(operand, (list, tuple)):
        return ops.sort(as_array(operand, "sort"), axis=dimension)
    arrays = [as_array(x, "sort") for x in operand]
    if not 1 <= num_keys <= len(arrays):
        raise ValueError(f"num_keys={num_keys} must be between 1 and the number of operands {len(arrays)}")
    order = None
    for key in reversed(arrays[:num_keys]):
        here = key if order is None else ops.take_along_axis(key, order, axis=dimension)
        step = ops.argsort(here, axis=dimension, stable=True)
        order = step if order is None else ops.take_along_axis(order, step, axis=dimension)
    return tuple(ops.take_along_axis(x, order, axis=dimension) for x in arrays)


def sort_key_val(keys: Any, values: Any, dimension: int = -1, is_stable: bool = True) -> Any:
    return sort((keys, values), dimension, is_stable, 1)


def top_k(operand: Any, k: int, *, axis: int = -1) -> list[Any]:
    rank = len(jnp_shaping.shape(operand))
    axis = operator.index(axis) + rank if axis < 0 else operator.index(axis)
    if not 0 <= axis < rank:
        raise ValueError(f"axis {axis} is out of bounds for array of dimension {rank}")
    operand = as_array(operand, "top_k")
    if k < 0:
        raise ValueError(f"k argument to top_k must be nonnegative, got {k}")
    if k > operand.shape[axis]:
        raise ValueError(f"k argument to top_k must be no larger than size along axis; got {k} and {operand.shape}")
    order = ops.argsort(operand, axis=axis, descending=True, stable=True)
    places = slice_in_dim(order, 0, k, 1, axis)
    return [ops.take_along_axis(operand, places, axis=axis), ops.astype(places, lw.int32)]


dialect.finish(globals(), view="jax.lax", helpers="window_padding", around=taking_keys)
