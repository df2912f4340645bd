"""The functions of `tf` that move elements: reshape, join, split, pad, repeat, reverse."""

from __future__ import annotations

from typing import Any

import numpy

import latticework as lw

from ...core.dtypes import bool_, int64
from . import dtypes
from .arguments import axes, extents, number, only, our_axis
from .errors import invalid
from .shapes import TensorShape
from .tensor import Tensor, as_tensor, beside, dialect, ops, pair, plainly

_slice = slice
#: For plain tensors, which no tape watches.
_concat, _stack = plainly("concat"), plainly("stack")


def reshape(tensor: Any, shape: Any, name: Any = None) -> Any:
    return ops.reshape(as_tensor(tensor), extents(shape))


def expand_dims(input: Any, axis: Any, name: Any = None) -> Any:
    return ops.expand_dims(as_tensor(input), our_axis(axis))


def squeeze(input: Any, axis: Any = None, name: Any = None) -> Any:
    x = as_tensor(input)
    axis = axes(axis)
    if axis is None or axis == ():
        axis = tuple([i for i, n in enumerate(x._array.shape) if n == 1])
    return ops.squeeze(x, axis)


def transpose(a: Any, perm: Any = None, conjugate: Any = False, name: Any = "transpose") -> Any:
    x = as_tensor(a)
    order = tuple(reversed(range(x.ndim))) if perm is None else extents(perm)
    if sorted(n % x.ndim if x.ndim else n for n in order) != list(range(x.ndim)):
        raise invalid(f"transpose expects a permutation of {x.ndim} axes, and got {order}")
    found = ops.permute_dims(x, order)
    return ops.conj(found) if conjugate and x._array.dtype.kind == "c" else found


def broadcast_to(input: Any, shape: Any, name: Any = None) -> Any:
    x = as_tensor(input)
    wanted = extents(shape)
    skipped = len(wanted) - x.ndim
    return ops.broadcast_to(x, tuple([x._array.shape[i - skipped] if n == -1 else n for i, n in enumerate(wanted)]))


def broadcast_static_shape(shape_x: Any, shape_y: Any) -> Any:
    x, y = TensorShape(shape_x), TensorShape(shape_y)
    if x.rank is None or y.rank is None:
        return TensorShape(None)
    width = max(len(x), len(y))
    found = []
    for m, n in zip([1] * (width - len(x)) + x.as_list(), [1] * (width - len(y)) + y.as_list(), strict=True):
        if m != n and 1 not in (m, n) and None not in (m, n):
            raise ValueError(f"Incompatible shapes for broadcasting. Shapes are: {x} and {y}.")
        found.append(n if m == 1 else m if n == 1 else (m if n is None else n))
    return TensorShape(found)


def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Any:
    try:
        found = broadcast_static_shape(extents(shape_x), extents(shape_y))
    except ValueError as error:
        raise invalid(error) from None
    x = shape_x if isinstance(shape_x, Tensor) else shape_y
    return as_tensor(found.as_list(), x.dtype if isinstance(x, Tensor) else "int32")


def tile(input: Any, multiples: Any, name: Any = None) -> Any:
    x, times = as_tensor(input), extents(multiples)
    if len(times) != x.ndim:
        raise invalid(f"Expected multiples argument to be a vector of length {x.ndim} but got length {len(times)}")
    return ops.tile(x, times)


def repeat(input: Any, repeats: Any, axis: Any = None, name: Any = None) -> Any:
    x, times = as_tensor(input), as_tensor(repeats)
    axis = our_axis(axis)
    if axis is not None:
        x = x if x.ndim else ops.reshape(x, (1,))
        if not -x.ndim <= axis < x.ndim:
            raise ValueError(f"axis={axis} out of bounds: expected {-x.ndim}<=axis<{x.ndim}")
    count = x.shape.num_elements() if axis is None else x._array.shape[axis]
    if times.ndim > 1 or times.shape.num_elements() not in (1, count):
        raise ValueError(f"repeats of shape {times.shape} do not fit {count} elements")
    if times.shape.num_elements() == 1:
        return ops.repeat(x, int(ops.reshape(times, ())), axis=axis)
    return ops.repeat(x, ops.astype(times, "int64"), axis=axis)


def reverse(tensor: Any, axis: Any, name: Any = None) -> Any:
    x = as_tensor(tensor)
    found = axes(axis)
    if not isinstance(found, tuple):
        raise invalid(f"'dims' must be 1-dimensional; got {axis!r}")
    return ops.flip(x, axis=found if x.ndim else ())


def roll(input: Any, shift: Any, axis: Any, name: Any = None) -> Any:
    steps, along = axes(shift), axes(axis)
    if isinstance(steps, tuple) != isinstance(along, tuple) or (isinstance(steps, tuple) and len(steps) != len(along)):
        raise invalid(f"shift and axis must have the same size; got {shift!r} and {axis!r}")
    return ops.roll(as_tensor(input), steps, axis=along)


_MODES = {"CONSTANT": "constant", "REFLECT": "reflect", "SYMMETRIC": "symmetric"}


def pad(tensor: Any, paddings: Any, mode: Any = "CONSTANT", constant_values: Any = 0, name: Any = None) -> Any:
    x = as_tensor(tensor)
    pads = _pairs(paddings)
    if pads is None or len(pads) != x.ndim:
        widths = as_tensor(paddings)
        if widths._array.shape != (x.ndim, 2):
            raise invalid(f"paddings has to be of shape ({x.ndim}, 2), and is of {widths.shape}")
        pads = [tuple(row) for row in widths._array.tolist()]
    mode = _MODES.get(str(mode).upper())
    if mode is None:
        raise ValueError("Value of argument `mode` expected to be one of CONSTANT, REFLECT, or SYMMETRIC.")
    limits = [n - (mode == "reflect") for n in x._array.shape]
    if mode != "constant" and any(max(p) > n for p, n in zip(pads, limits, strict=True)):
        raise invalid(f"paddings must be no greater than the extents {limits}, and are {pads}")
    if min((n for p in pads for n in p), default=0) < 0:
        raise invalid(f"Paddings must be non-negative: {pads}")
    if mode == "constant":
        if type(constant_values) is int and not constant_values:
            return ops.pad(x, pads, mode=mode)
        value = beside(constant_values, x)
        if value.dtype != x.dtype:
            raise invalid(f"constant_values is of {value.dtype.name}, and the tensor of {x.dtype.name}")
        return ops.pad(x, pads, mode=mode, constant_values=value.numpy().item())
    return ops.pad(x, pads, mode=mode)


def _pairs(paddings: Any) -> Any:
    """Return the widths where they are pairs of ints in lists or tuples; else None."""
    plain = isinstance(paddings, (list, tuple)) and all(isinstance(row, (list, tuple)) for row in paddings)
    if plain and all(len(row) == 2 and type(row[0]) is int and type(row[1]) is int for row in paddings):
        return [tuple(row) for row in paddings]
    return None


# --- join and split -------------------------------------------------------------------------------------------------


def _values(values: Any) -> list[Any]:
    """Convert values to tensors, of the dtype of the first tensor among them."""
    listed = list(values) if isinstance(values, (list, tuple)) else [as_tensor(values)[i] for i in range(len(values))]
    first = next((v for v in listed if isinstance(v, Tensor)), None)
    if first is None:
        first = as_tensor(listed[0]) if listed else None
    return [as_tensor(v, like=first) for v in listed]


def concat(values: Any, axis: Any, name: Any = "concat") -> Any:
    if not isinstance(values, (list, tuple)):
        return as_tensor(values)
    if type(axis) is int and len(values) > 1 and all(type(v) is Tensor for v in values):
        return _concat(values, axis)
    if len(values) == 1:
        return as_tensor(values[0])
    found = _values(values)
    for x in found:
        if x.ndim != found[0].ndim or not x.ndim:
            raise invalid(f"concat takes tensors of one rank of at least 1, and got the shapes "
                          f"{[str(v.shape) for v in found]}")  # fmt: skip
    return ops.concat(found, axis=our_axis(axis))


def stack(values: Any, axis: Any = 0, name: Any = "stack") -> Any:
    if type(axis) is int and isinstance(values, (list, tuple)) and values and all(type(v) is Tensor for v in values):
        return _stack(values, axis)
    return ops.stack(_values(values), axis=number(axis))


def unstack(value: Any, num: Any = None, axis: Any = 0, name: Any = "unstack") -> Any:
    x, axis = as_tensor(value), number(axis)
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(f"Argument `axis` = {axis} not in range [{-x.ndim}, {x.ndim})")
    if num is not None and num != x._array.shape[axis]:
        raise invalid(f"Input shape axis {axis} must equal {num}, got shape {x.shape}")
    return list(ops.unstack(x, axis=axis))


def split(value: Any, num_or_size_splits: Any, axis: Any = 0, num: Any = None, name: Any = "split") -> Any:
    x, axis = as_tensor(value), number(axis)
    if not -x.ndim <= axis < x.ndim:
        raise invalid(f"-input rank(-{x.ndim}) <= split_dim < input rank ({x.ndim}), but got {axis}")
    length = x._array.shape[axis]
    if isinstance(num_or_size_splits, int) or getattr(num_or_size_splits, "ndim", 1) == 0:
        count = number(num_or_size_splits)
        if count < 1 or length % count:
            raise invalid(f"Number of ways to split should evenly divide the split dimension, and {length} is not "
                          f"divisible by {count}")  # fmt: skip
        sizes = [length // count] * count
    else:
        sizes = list(extents(num_or_size_splits))
        if -1 in sizes:
            sizes[sizes.index(-1)] = length - sum(sizes) - 1
        if sum(sizes) != length or min(sizes, default=0) < 0:
            raise invalid(f"the sizes {sizes} do not add up to the extent {length}")
    return ops.split(x, [sum(sizes[: i + 1]) for i in range(len(sizes) - 1)], axis=axis)


def slice(input_: Any, begin: Any, size: Any, name: Any = None) -> Any:
    x, first, counts = as_tensor(input_), extents(begin), extents(size)
    if len(first) != x.ndim or len(counts) != x.ndim:
        raise invalid(f"Expected begin and size arguments to be 1-D tensors of size {x.ndim}")
    ends = [n if c == -1 else b + c for b, c, n in zip(first, counts, x._array.shape, strict=True)]
    for b, e, n in zip(first, ends, x._array.shape, strict=True):
        if not 0 <= b <= n or not b <= e <= n:
            raise invalid(f"Expected begin in [0, {n}] and size in [0, {n - b}], but got {b} and {e - b}")
    return x[tuple([_slice(b, e) for b, e in zip(first, ends, strict=True)])]


def strided_slice(
    input_: Any, begin: Any, end: Any, strides: Any = None, begin_mask: Any = 0, end_mask: Any = 0,
    ellipsis_mask: Any = 0, new_axis_mask: Any = 0, shrink_axis_mask: Any = 0, var: Any = None, name: Any = None,
) -> Any:  # fmt: skip
    x = as_tensor(input_)
    first, last = (tuple(as_tensor(v)._array.tolist()) for v in (begin, end))
    steps = (1,) * len(first) if strides is None else tuple(as_tensor(strides)._array.tolist())
    key: list[Any] = []
    for i, (b, e, s) in enumerate(zip(first, last, steps, strict=True)):
        bit = 1 << i
        if ellipsis_mask & bit:
            key.append(Ellipsis)
        elif new_axis_mask & bit:
            key.append(None)
        elif shrink_axis_mask & bit:
            key.append(b)
        else:
            key.append(_slice(None if begin_mask & bit else b, None if end_mask & bit else e, s))
    return x[tuple(key)]


# --- choose ---------------------------------------------------------------------------------------------------------


def where(condition: Any, x: Any = None, y: Any = None, name: Any = None) -> Any:
    if type(x) is type(y) is type(condition) is Tensor and condition._array.dtype is bool_:
        return ops.where(condition, x, y)
    condition = as_tensor(condition)
    if x is None and y is None:
        return ops.astype(ops.argwhere(condition), "int64")
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    if condition._array.dtype.kind != "b":
        raise invalid(f"the condition has to be a bool tensor, and is a {condition.dtype.name} one")
    x, y = pair(x, y)
    return ops.where(condition, x, y)


def boolean_mask(tensor: Any, mask: Any, axis: Any = None, name: Any = "boolean_mask") -> Any:
    x, mask = as_tensor(tensor), as_tensor(mask)
    axis = 0 if axis is None else number(axis)
    if not mask.ndim:
        raise ValueError("mask cannot be scalar.")
    if axis < 0:
        axis += x.ndim
    if x._array.shape[axis : axis + mask.ndim] != mask._array.shape:
        raise ValueError(f"Shapes {x.shape[axis:]} and {mask.shape} are incompatible")
    return ops.compress(_flat(mask), _merged(x, axis, mask.ndim), axis=axis)


def _flat(x: Any) -> Any:
    return ops.reshape(x, (-1,))


def _merged(x: Any, axis: int, count: int) -> Any:
    shape = x._array.shape
    total = 1
    for n in shape[axis : axis + count]:
        total *= n
    return ops.reshape(x, (*shape[:axis], total, *shape[axis + count :]))


def _positions(x: Any) -> Any:
    x = as_tensor(x)
    if str(x._array.dtype) not in ("int16", "int32", "int64"):
        raise invalid(f"the dtype {x.dtype.name} of indices is not in the list of allowed values: int16, int32, int64")
    return x


def gather(
    params: Any, indices: Any, validate_indices: Any = None, axis: Any = None, batch_dims: Any = 0, name: Any = None
) -> Any:
    x, indices = as_tensor(params), _positions(indices)
    batch = number(batch_dims)
    batch = batch + indices.ndim if batch < 0 else batch
    axis = batch if axis is None else number(axis)
    if not -x.ndim <= axis < x.ndim:
        raise invalid(f"params must be at least {axis + 1} dimensional, and is of shape {x.shape}")
    axis %= x.ndim
    length = x._array.shape[axis]
    if indices.shape.num_elements() and (bool(ops.min(indices) < 0) or bool(ops.max(indices) >= length)):
        raise invalid(f"an index is not in [0, {length})")
    if not batch:
        return ops.take(x, indices, axis=axis)
    return _gather_of_batches(x, indices, axis, batch)


def _gather_of_batches(x: Any, indices: Any, axis: int, batch: int) -> Any:
    """Take from each batch by its own indices."""
    head = x._array.shape[:batch]
    if indices._array.shape[:batch] != head:
        raise invalid(f"params {x.shape} and indices {indices.shape} differ in the first {batch} axes")
    rest = indices._array.shape[batch:]
    moved = ops.moveaxis(x, axis, batch)
    tail = moved._array.shape[batch + 1 :]
    flat = ops.reshape(indices, (*head, -1) + (1,) * len(tail))
    flat = ops.broadcast_to(flat, (*flat._array.shape[: batch + 1], *tail))
    found = ops.reshape(ops.take_along_axis(moved, flat, axis=batch), (*head, *rest, *tail))
    between = axis - batch
    order = list(range(found.ndim))
    first, taken, after = order[:batch], order[batch : batch + len(rest)], order[batch + len(rest) :]
    return ops.permute_dims(found, (*first, *after[:between], *taken, *after[between:]))


def gather_nd(params: Any, indices: Any, batch_dims: Any = 0, name: Any = None, bad_indices_policy: Any = "") -> Any:
    x, indices = as_tensor(params), as_tensor(indices)
    batch = number(batch_dims)
    if batch < 0 or (batch and batch >= indices.ndim):
        raise ValueError(f"`batch_dims` = {batch} must be between 0 and the rank of `indices`, {indices.ndim}")
    if indices.dtype.name not in ("int16", "int32", "int64"):
        raise invalid(f"the dtype {indices.dtype.name} of indices is not in the list of allowed values")
    depth = indices._array.shape[-1] if indices.ndim else 0
    if depth > x.ndim - batch:
        raise invalid(f"index innermost dimension length must be <= params rank; saw: {depth} vs. {x.ndim - batch}")
    lengths = as_tensor(list(x._array.shape[batch : batch + depth]), indices.dtype)
    if depth and indices.shape.num_elements() and not bool(
        ops.all(ops.logical_and(ops.greater_equal(indices, 0), ops.less(indices, lengths)))
    ):  # fmt: skip
        raise invalid(f"an index does not lie in the shape {x.shape}")
    return ops.gather_nd(x, indices, batch_dims=batch)


# --- scatter --------------------------------------------------------------------------------------------------------


def scatter_nd(indices: Any, updates: Any, shape: Any, bad_indices_policy: Any = "", name: Any = None) -> Any:
    indices, updates, shape = as_tensor(indices), as_tensor(updates), extents(shape)
    _check_scatter(indices, updates, shape)
    return ops.scatter_nd(indices, updates, shape)


def _check_scatter(indices: Any, updates: Any, shape: tuple[int, ...]) -> None:
    if str(indices._array.dtype) not in ("int16", "int32", "int64"):
        raise invalid(f"the dtype {indices.dtype.name} of indices is not in the list of allowed values")
    depth = indices._array.shape[-1] if indices.ndim else 1
    wanted = (*indices._array.shape[:-1], *shape[depth:])
    if depth > len(shape) or updates._array.shape != wanted:
        raise invalid(f"updates of shape {updates.shape} do not fit indices of {indices.shape} and a shape of {shape}; "
                      f"they need {wanted}")  # fmt: skip
    lengths = as_tensor(list(shape[:depth]), indices.dtype)
    inside = ops.logical_and(ops.greater_equal(indices, 0), ops.less(indices, lengths))
    if indices.shape.num_elements() and not bool(ops.all(inside)):
        raise invalid(f"an index does not lie in the shape {shape}")


@dialect.function
def _scattered(x: Any, indices: Any, updates: Any, how: str) -> Any:
    """Write or combine updates at positions of several axes: by position in a flat array."""
    import latticework as lw

    depth = indices.shape[-1]
    flat = lw.zeros(indices.shape[:-1], dtype="int64", device=x.device)
    for i in range(depth):
        flat = flat * x.shape[i] + lw.astype(indices[..., i], "int64")
    rows = lw.reshape(x, (_product(x.shape[:depth]), *x.shape[depth:]))
    values = lw.reshape(updates, (_product(flat.shape), *x.shape[depth:]))
    places = lw.broadcast_to(lw.reshape(flat, (-1,) + (1,) * (values.ndim - 1)), values.shape)
    found = lw.scatter(rows, places, values, axis=0, reduction=how)  # type: ignore[arg-type]
    return lw.reshape(found, x.shape)


def _product(shape: Any) -> int:
    found = 1
    for n in shape:
        found *= n
    return found


def _updated(tensor: Any, indices: Any, updates: Any, how: str, *, subtract: bool = False) -> Any:
    x = as_tensor(tensor)
    indices, updates = as_tensor(indices), beside(updates, x)
    if updates.dtype != x.dtype:
        raise invalid(f"updates are of {updates.dtype.name}, and the tensor of {x.dtype.name}")
    if how != "replace":
        only(x, "iuf" if how in ("max", "min") else "iufc")
    if subtract:
        updates = ops.subtract(ops.zeros_like(updates), updates)
    _check_scatter(indices, updates, x._array.shape)
    return _scattered(x, indices, updates, how)


# fmt: off
def tensor_scatter_nd_update(tensor: Any, indices: Any, updates: Any, name: Any = None) -> Any:
    return _updated(tensor, indices, updates, "replace")
def tensor_scatter_nd_add(
    tensor: Any, indices: Any, updates: Any, bad_indices_policy: Any = "", name: Any = None,
) -> Any:
    return _updated(tensor, indices, updates, "sum")
def tensor_scatter_nd_sub(
    tensor: Any, indices: Any, updates: Any, bad_indices_policy: Any = "", name: Any = None,
) -> Any:
    return _updated(tensor, indices, updates, "sum", subtract=True)
def tensor_scatter_nd_max(
    tensor: Any, indices: Any, updates: Any, bad_indices_policy: Any = "", name: Any = None,
) -> Any:
    return _updated(tensor, indices, updates, "max")
def tensor_scatter_nd_min(
    tensor: Any, indices: Any, updates: Any, bad_indices_policy: Any = "", name: Any = None,
) -> Any:
    return _updated(tensor, indices, updates, "min")
# fmt: on


def dynamic_partition(data: Any, partitions: Any, num_partitions: Any, name: Any = None) -> Any:
    x, parts, count = as_tensor(data), as_tensor(partitions, dtypes.int32), number(num_partitions)
    if count < 1:
        raise invalid(f"num_partitions of {count} must be at least 1")
    if parts.shape.num_elements() and not bool(ops.all(ops.logical_and(parts >= 0, parts < count))):
        raise invalid(f"partitions have to lie in [0, {count})")
    if x._array.shape[: parts.ndim] != parts._array.shape:
        raise invalid(f"data.shape = {x.shape} must start with partitions.shape = {parts.shape}")
    rows = _merged(x, 0, parts.ndim) if parts.ndim else ops.expand_dims(x, 0)
    return [ops.compress(ops.equal(_flat(parts), i), rows, axis=0) for i in range(count)]


def dynamic_stitch(indices: Any, data: Any, name: Any = None) -> Any:
    places = [as_tensor(i) for i in indices]
    values = _values(data)
    tails = [x._array.shape[i.ndim :] for i, x in zip(places, values, strict=True)]
    if any(t != tails[0] for t in tails):
        raise invalid(f"the data have to agree after the axes of their indices; got {tails}")
    flat = ops.concat([_flat(i) for i in places], axis=0)
    rows = ops.concat([ops.reshape(x, (-1, *tails[0])) if _product(tails[0]) else x for x in values], axis=0)
    count = int(ops.max(flat)) + 1 if flat.shape.num_elements() else 0
    start = ops.zeros((count, *tails[0]), dtype=rows.dtype)
    return _scattered(start, ops.expand_dims(flat, -1), rows, "replace")


def reverse_sequence(
    input: Any, seq_lengths: Any, seq_axis: Any = None, batch_axis: Any = None, name: Any = None
) -> Any:
    x, lengths = as_tensor(input), as_tensor(seq_lengths)
    if seq_axis is None:
        raise TypeError("Expected int for argument 'seq_dim' not None.")
    along, batch = number(seq_axis), number(batch_axis) or 0
    if along == batch:
        raise invalid(f"batch_dim == seq_dim == {along}")
    moved = ops.moveaxis(x, (batch, along), (0, 1))
    count = moved._array.shape[1]
    if bool(ops.any(ops.greater(lengths, count))):
        raise invalid(f"seq_lengths are at most {count}")
    steps = ops.arange(count, dtype="int64")
    ends = ops.expand_dims(ops.astype(lengths, "int64"), -1)
    picked = ops.where(ops.less(steps, ends), ops.subtract(ops.subtract(ends, steps), 1), steps)
    return ops.moveaxis(_gather_of_batches(moved, picked, 1, 1), (0, 1), (batch, along))


def space_to_batch(input: Any, block_shape: Any, paddings: Any, name: Any = None) -> Any:
    x, block = as_tensor(input), _blocks(block_shape)
    pads = [(0, 0), *[tuple(r) for r in as_tensor(paddings)._array.tolist()]]
    x = ops.pad(x, pads + [(0, 0)] * (x.ndim - len(pads)))
    shape = x._array.shape
    m = len(block)
    if any(n % b for n, b in zip(shape[1:], block, strict=False)):
        raise invalid(f"padded_shape[...]={shape[1 : m + 1]} is not divisible by block_shape={block}")
    cut = ops.reshape(
        x, (shape[0], *[k for n, b in zip(shape[1:], block, strict=False) for k in (n // b, b)], *shape[m + 1 :])
    )
    order = [2 * i + 2 for i in range(m)] + [0] + [2 * i + 1 for i in range(m)] + list(range(2 * m + 1, cut.ndim))
    moved = ops.permute_dims(cut, tuple(order))
    return ops.reshape(moved, (shape[0] * _product(block), *moved._array.shape[m + 1 :]))


def batch_to_space(input: Any, block_shape: Any, crops: Any, name: Any = None) -> Any:
    x, block = as_tensor(input), _blocks(block_shape)
    shape, m = x._array.shape, len(block)
    if shape[0] % _product(block):
        raise invalid(f"Input batch dimension ({shape[0]}) is not divisible by product of block sizes")
    cut = ops.reshape(x, (*block, shape[0] // _product(block), *shape[1:]))
    order = [m] + [k for i in range(m) for k in (m + 1 + i, i)] + list(range(2 * m + 1, cut.ndim))
    whole = ops.reshape(
        ops.permute_dims(cut, tuple(order)),
        (shape[0] // _product(block), *[n * b for n, b in zip(shape[1:], block, strict=False)], *shape[m + 1 :]),
    )
    ends = as_tensor(crops)._array.tolist()
    cuts = [_slice(a, n - b) for (a, b), n in zip(ends, whole._array.shape[1:], strict=False)]
    return whole[(_slice(None), *cuts)]


def _blocks(block_shape: Any) -> tuple[int, ...]:
    return (block_shape, block_shape) if isinstance(block_shape, int) else extents(block_shape)


# --- fast paths over `lw.Array` ---------------------------------------------------------------------------------------


def _sizes(x: Any) -> bool:
    return type(x) in (list, tuple) and all(type(n) is int and n >= 0 for n in x)


def _gathered(params: Any, indices: Any, *, axis: Any = 0) -> Any:
    positions = indices._array
    sig, data = positions._sig, positions._data
    if sig.backend.name != "numpy" or sig.dtype not in _POSITIONS or type(axis) is not int:
        return None
    if not data.size or numpy.minimum.reduce(data, axis=None) < 0:
        return None
    return indices, axis  # positions beyond the end are refused


_POSITIONS = (int64, lw.int32, lw.int16)


dialect.finish(globals(), view="tf")
