"""The functions of `tf` and `tf.math` that go along axes: reductions, cumulative sums, positions, segments."""

from __future__ import annotations

from typing import Any

from . import dtypes
from .arguments import axes, number, only, our_axis
from .errors import invalid
from .tensor import as_tensor, dialect, of_kind, ops


def _reduced(f: Any, x: Any, axis: Any, keepdims: Any) -> Any:
    if axis is None and not keepdims:
        return f(x)
    return f(x, axis=axes(axis), keepdims=bool(keepdims))


# fmt: off
def reduce_sum(input_tensor: Any, axis: Any = None, keepdims: Any = False, name: Any = None) -> Any:
    return _reduced(ops.sum, as_tensor(input_tensor), axis, keepdims)
def reduce_prod(input_tensor: Any, axis: Any = None, keepdims: Any = False, name: Any = None) -> Any:
    return _reduced(ops.prod, as_tensor(input_tensor), axis, keepdims)
def reduce_all(input_tensor: Any, axis: Any = None, keepdims: Any = False, name: Any = None) -> Any:
    return _reduced(ops.all, _truth(input_tensor, axis), axis, keepdims)
def reduce_any(input_tensor: Any, axis: Any = None, keepdims: Any = False, name: Any = None) -> Any:
    return _reduced(ops.any, _truth(input_tensor, axis), axis, keepdims)
# fmt: on


def _truth(x: Any, axis: Any) -> Any:
    """A bool tensor. TensorFlow's error for another depends on how the axes are given."""
    return only(of_kind(x, "bool"), "b", error=ValueError if isinstance(axis, (list, tuple)) else invalid)


def reduce_max(input_tensor: Any, axis: Any = None, keepdims: Any = False, name: Any = None) -> Any:
    return _extremum(ops.max, input_tensor, axis, keepdims, least=True)


def reduce_min(input_tensor: Any, axis: Any = None, keepdims: Any = False, name: Any = None) -> Any:
    return _extremum(ops.min, input_tensor, axis, keepdims, least=False)


def _extremum(f: Any, x: Any, axis: Any, keepdims: Any, *, least: bool) -> Any:
    """The greatest or the least element; of none, the least or greatest value that the dtype has."""
    x = only(x, "iuf")
    if 0 not in x._array.shape:
        return _reduced(f, x, axis, keepdims)
    kind, limits = x._array.dtype.kind, x.dtype
    value = (float("-inf") if least else float("inf")) if kind == "f" else int(limits.min if least else limits.max)
    return ops.full_like(_reduced(ops.sum, x, axis, keepdims), value)


def reduce_mean(input_tensor: Any, axis: Any = None, keepdims: Any = False, name: Any = None) -> Any:
    x = as_tensor(input_tensor)
    if x._array.dtype.kind not in "iu":
        return _reduced(ops.mean, x, axis, keepdims)
    signed = x._array.dtype.kind == "i"  # the sum has 64 bits, and the quotient is without its fraction
    total = _reduced(ops.sum, ops.astype(x, "int64" if signed else "uint64"), axis, keepdims)
    count = _size(x) // max(_size(total), 1)
    if count:
        whole = ops.subtract(total, ops.fmod(total, count)) if signed else total
        total = ops.floor_divide(whole, count)
    return ops.astype(total, x._array.dtype)


def _size(x: Any) -> int:
    found = 1
    for n in x._array.shape:
        found *= n
    return found


def reduce_variance(input_tensor: Any, axis: Any = None, keepdims: Any = False, name: Any = None) -> Any:
    x = as_tensor(input_tensor)
    only(only(x, "iufc"), "fc", error=TypeError)
    return _reduced(ops.var, x, axis, keepdims)


def reduce_std(input_tensor: Any, axis: Any = None, keepdims: Any = False, name: Any = None) -> Any:
    x = as_tensor(input_tensor)
    only(only(x, "iufc"), "fc", error=TypeError)
    return _reduced(ops.std, x, axis, keepdims)


def reduce_euclidean_norm(input_tensor: Any, axis: Any = None, keepdims: Any = False, name: Any = None) -> Any:
    x = only(input_tensor, "iufc")
    wide = x if x._array.dtype.kind in "fc" else ops.astype(x, "float64")
    found = ops.linalg.vector_norm(wide, axis=axes(axis), keepdims=bool(keepdims))
    return ops.astype(found, x._array.dtype)


def reduce_logsumexp(input_tensor: Any, axis: Any = None, keepdims: Any = False, name: Any = None) -> Any:
    return _reduced(ops.logsumexp, only(input_tensor, "f"), axis, keepdims)


def count_nonzero(
    input: Any, axis: Any = None, keepdims: Any = None, dtype: Any = dtypes.int64, name: Any = None
) -> Any:
    found = ops.count_nonzero(as_tensor(input), axis=axes(axis), keepdims=bool(keepdims))
    return ops.astype(found, dtype)


def zero_fraction(value: Any, name: Any = None) -> Any:
    x = as_tensor(value)
    zeros = ops.sum(ops.astype(ops.equal(x, ops.zeros_like(x)), "float32"))
    return ops.divide(zeros, float(_size(x))) if _size(x) else ops.full_like(zeros, float("nan"))


# --- positions ------------------------------------------------------------------------------------------------------


def argmax(input: Any, axis: Any = None, output_type: Any = dtypes.int64, name: Any = None) -> Any:
    return _position(ops.argmax, input, axis, output_type, "int16 uint16 int32 int64")


def argmin(input: Any, axis: Any = None, output_type: Any = dtypes.int64, name: Any = None) -> Any:
    return _position(ops.argmin, input, axis, output_type)


def _position(f: Any, x: Any, axis: Any, output_type: Any, wanted: str = "int32 int64") -> Any:
    if output_type is not dtypes.int64 and dtypes.as_dtype(output_type).name not in wanted.split():
        raise invalid(f"the dtype {output_type} of positions is not in the list of allowed values: {wanted}")
    found = f(as_tensor(x), axis=0 if axis is None else our_axis(axis))
    return found if output_type is dtypes.int64 else ops.astype(found, output_type)


def _direction(direction: Any) -> bool:
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(f"Argument `direction` should be one of 'ASCENDING' or 'DESCENDING'. Received: {direction!r}")
    return bool(direction == "DESCENDING")


def sort(values: Any, axis: Any = -1, direction: Any = "ASCENDING", name: Any = None) -> Any:
    return ops.sort(as_tensor(values), axis=our_axis(axis), descending=_direction(direction))


def argsort(values: Any, axis: Any = -1, direction: Any = "ASCENDING", stable: Any = False, name: Any = None) -> Any:
    return ops.argsort(as_tensor(values), axis=our_axis(axis), descending=_direction(direction))


def top_k(input: Any, k: Any = 1, sorted: Any = True, index_type: Any = dtypes.int32, name: Any = None) -> Any:
    x, k = only(input, "iuf"), number(k)
    if dtypes.as_dtype(index_type).name not in ("int16", "int32", "int64"):
        raise invalid(f"the dtype {index_type} of positions is not in the list of allowed values")
    if not x.ndim or not 0 <= k <= x._array.shape[-1]:
        raise invalid(f"input must have at least k={k} columns, and has the shape {x.shape}")
    positions = ops.argsort(x, axis=-1, descending=True)[..., :k]
    values = ops.take_along_axis(x, positions, axis=-1)
    return TopKV2(values, ops.astype(positions, index_type))


class TopKV2(tuple):  # type: ignore[type-arg]
    """The greatest values, `values`, and where they were, `indices`."""

    __slots__ = ()
    _fields = ("values", "indices")

    def __new__(cls, values: Any, indices: Any) -> TopKV2:
        return super().__new__(cls, (values, indices))

    @property
    def values(self) -> Any:
        """The values."""
        return self[0]

    @property
    def indices(self) -> Any:
        """The positions."""
        return self[1]


def in_top_k(targets: Any, predictions: Any, k: Any, name: Any = None) -> Any:
    targets, predictions = only(targets, "i", "int8 int16"), as_tensor(predictions, dtypes.float32)
    if predictions.ndim != 2 or targets.ndim != 1 or targets._array.shape != predictions._array.shape[:1]:
        raise invalid(f"predictions need a row for each target: {predictions.shape} and {targets.shape}")
    own = ops.take_along_axis(predictions, ops.expand_dims(targets, -1), axis=-1)
    greater = ops.sum(ops.astype(ops.greater(predictions, own), "int32"), axis=-1)
    return ops.logical_and(ops.less(greater, number(k)), ops.all(ops.isfinite(own), axis=-1))


def searchsorted(
    sorted_sequence: Any, values: Any, side: Any = "left", out_type: Any = dtypes.int32, name: Any = None
) -> Any:
    x = as_tensor(sorted_sequence)
    values = as_tensor(values, like=x)
    if x._array.shape[:-1] != values._array.shape[:-1] or not x.ndim:
        raise invalid(f"leading dims of sorted_sequence and values have to match: {x.shape} and {values.shape}")
    width, count = x._array.shape[-1], values._array.shape[-1]
    rows = ops.reshape(x, (-1, width)) if width else x
    if x.ndim == 1:
        return ops.astype(ops.searchsorted(x, values, side=side), out_type)
    wanted = ops.reshape(values, (-1, count))
    found = [ops.searchsorted(rows[i], wanted[i], side=side) for i in range(rows._array.shape[0])]
    return ops.astype(ops.reshape(ops.stack(found), values._array.shape), out_type)


class _Unique(tuple):  # type: ignore[type-arg]
    """Distinct values `y`, where each element is among them, `idx`, and how often each occurs, `count`."""

    __slots__ = ()
    y = property(lambda self: self[0])
    idx = property(lambda self: self[1])
    count = property(lambda self: self[2])


def _unique(x: Any, out_idx: Any) -> list[Any]:
    """Distinct values in the order in which they come first."""
    x = as_tensor(x)
    if x.ndim != 1:
        raise invalid(f"unique expects a 1D vector, and got the shape {x.shape}")
    values, first, inverse, counts = ops.unique(x, return_index=True, return_inverse=True, return_counts=True)
    order = ops.argsort(ops.astype(first, "int64"))
    rank = ops.argsort(order)
    inverse = ops.reshape(inverse, x._array.shape)
    taken = [ops.take(values, order, axis=0), ops.take(rank, inverse, axis=0), ops.take(counts, order, axis=0)]
    return [taken[0], ops.astype(taken[1], out_idx), ops.astype(taken[2], out_idx)]


def unique(x: Any, out_idx: Any = dtypes.int32, name: Any = None) -> Any:
    return _Unique(_unique(x, out_idx)[:2])


def unique_with_counts(x: Any, out_idx: Any = dtypes.int32, name: Any = None) -> Any:
    return _Unique(_unique(x, out_idx))


def bincount(
    arr: Any, weights: Any = None, minlength: Any = None, maxlength: Any = None, dtype: Any = dtypes.int32,
    name: Any = None, axis: Any = None, binary_output: Any = False,
) -> Any:  # fmt: skip
    if axis not in (None, 0, -1):
        raise ValueError(f"Unsupported value for argument axis={axis}. Only 0 and -1 are supported.")
    if weights is None and dtypes.as_dtype(dtype).name not in ("int32", "int64", "float32", "float64"):
        raise invalid(f"the dtype {dtype} of counts is not in the list of allowed values")
    x = ops.reshape(ops.astype(as_tensor(arr), "int64"), (-1,))
    if _size(x) and bool(ops.any(ops.less(x, 0))):
        raise invalid("Input arr must be non-negative!")
    top = int(ops.max(x)) + 1 if _size(x) else 0
    length = max(top, number(minlength) or 0)
    length = length if maxlength is None else min(length, number(maxlength))
    if axis is not None and axis != 0:
        raise NotImplementedError("tf.math.bincount by rows is not part of this dialect: give axis=None")
    weights = ops.ones_like(x, dtype=dtype) if weights is None else ops.reshape(as_tensor(weights), (-1,))
    inside = ops.less(x, length)
    kept = ops.where(inside, x, ops.full_like(x, length))
    found = ops.segment_sum(weights, kept, num_segments=length + 1)[:length]
    return ops.astype(ops.not_equal(found, 0), found._array.dtype) if binary_output else found


def confusion_matrix(
    labels: Any, predictions: Any, num_classes: Any = None, weights: Any = None, dtype: Any = dtypes.int32,
    name: Any = None,
) -> Any:  # fmt: skip
    labels, predictions = (as_tensor(x) for x in (labels, predictions))
    for x in (labels, predictions):
        if x._array.dtype.kind in "if" and bool(ops.any(ops.less(x, 0))):
            raise invalid("the classes of labels and predictions must not be negative")
    labels, predictions = ops.astype(labels, "int64"), ops.astype(predictions, "int64")
    count = number(num_classes) or int(ops.maximum(ops.max(labels), ops.max(predictions))) + 1
    cells = ops.add(ops.multiply(labels, count), predictions)
    values = ops.ones_like(cells, dtype=dtype) if weights is None else ops.astype(as_tensor(weights), dtype)
    return ops.reshape(ops.segment_sum(values, cells, num_segments=count * count), (count, count))


def is_non_decreasing(x: Any, name: Any = None) -> Any:
    x = ops.reshape(only(only(x, "iufc", error=TypeError), "iuf"), (-1,))
    return ops.all(ops.less_equal(x[:-1], x[1:]))


def is_strictly_increasing(x: Any, name: Any = None) -> Any:
    x = ops.reshape(only(only(x, "iufc", error=TypeError), "iuf"), (-1,))
    return ops.all(ops.less(x[:-1], x[1:]))


def invert_permutation(x: Any, name: Any = None) -> Any:
    x = only(of_kind(x, dtypes.int32), "i", "int8 int16")
    if x.ndim != 1:
        raise invalid(f"invert_permutation expects a 1D vector, and got the shape {x.shape}")
    order = ops.argsort(x)
    if _size(x) and not bool(ops.all(ops.equal(ops.take(x, order), ops.arange(_size(x), dtype=x.dtype)))):
        raise invalid(f"each of 0 to {_size(x) - 1} has to occur once")
    return ops.astype(order, x._array.dtype)


# --- cumulative -----------------------------------------------------------------------------------------------------


def _cumulative(f: Any, x: Any, axis: Any, exclusive: Any, reverse: Any, start: Any) -> Any:
    axis = our_axis(axis)
    x = ops.flip(x, axis=axis) if reverse else x
    found = f(x, axis=axis)
    if exclusive:
        along = ops.moveaxis(found, axis, 0)
        first = ops.full_like(along[:1], start)
        found = ops.moveaxis(ops.concat([first, along[:-1]], axis=0), 0, axis)
    return ops.flip(found, axis=axis) if reverse else found


def cumsum(x: Any, axis: Any = 0, exclusive: Any = False, reverse: Any = False, name: Any = None) -> Any:
    return _cumulative(ops.cumulative_sum, only(x, "iufc"), axis, exclusive, reverse, 0)


def cumprod(x: Any, axis: Any = 0, exclusive: Any = False, reverse: Any = False, name: Any = None) -> Any:
    return _cumulative(ops.cumulative_prod, only(x, "iufc"), axis, exclusive, reverse, 1)


def cumulative_logsumexp(x: Any, axis: Any = 0, exclusive: Any = False, reverse: Any = False, name: Any = None) -> Any:
    x = only(x, "f")
    least = x.dtype.min if exclusive else 0
    return _cumulative(ops.logcumsumexp, x, axis, exclusive, reverse, float(least))


# --- norms ----------------------------------------------------------------------------------------------------------


def l2_normalize(x: Any, axis: Any = None, epsilon: Any = 1e-12, name: Any = None, dim: Any = None) -> Any:
    x = as_tensor(x)
    axis = axes(dim if axis is None else axis)
    if x._array.dtype.kind == "c":
        squared = ops.add(ops.square(ops.real(x)), ops.square(ops.imag(x)))
        total = ops.sum(squared, axis=axis, keepdims=True)
        return ops.multiply(x, ops.astype(ops.rsqrt(ops.maximum(total, epsilon)), x._array.dtype))
    total = only(ops.sum(ops.square(x), axis=axis, keepdims=True), "f", error=TypeError)
    return ops.multiply(x, ops.rsqrt(ops.maximum(total, epsilon)))


def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: Any = None) -> Any:
    t = as_tensor(t)
    from .arguments import axes as read

    total = ops.sum(ops.multiply(t, t), axis=read(axes), keepdims=True)
    positive = ops.greater(total, 0)
    length = ops.where(positive, ops.sqrt(ops.where(positive, total, ops.ones_like(total))), total)
    return ops.divide(ops.multiply(t, clip_norm), ops.maximum(length, clip_norm))


def global_norm(t_list: Any, name: Any = None) -> Any:
    if not isinstance(t_list, (list, tuple)):
        raise TypeError(f"`t_list` should be a sequence of tensors. Received {type(t_list)}.")
    squares = [ops.sum(ops.square(as_tensor(t))) for t in t_list if t is not None]
    return ops.sqrt(ops.sum(ops.stack(squares)))


def clip_by_global_norm(t_list: Any, clip_norm: Any, use_norm: Any = None, name: Any = None) -> Any:
    if not isinstance(t_list, (list, tuple)):
        raise TypeError(f"`t_list` should be a sequence of tensors. Received {type(t_list)}.")
    norm = global_norm(t_list) if use_norm is None else as_tensor(use_norm)
    limit = as_tensor(clip_norm, like=norm)
    factor = ops.multiply(limit, ops.minimum(ops.divide(1.0, norm), ops.divide(ops.ones_like(limit), limit)))
    factor = ops.where(ops.isfinite(norm), factor, ops.full_like(factor, float("nan")))
    return [None if t is None else ops.multiply(as_tensor(t), factor) for t in t_list], norm


# --- segments -------------------------------------------------------------------------------------------------------


def _segments(f: Any, data: Any, ids: Any, count: int | None, kinds: str, missing: Any = None) -> Any:
    data, ids = only(data, kinds), only(ids, "i")
    rows = ids._array.shape
    if count is None:
        if len(rows) != 1 or data._array.shape[:1] != rows:
            raise invalid(f"segment_ids are of shape {ids.shape}, and the data of {data.shape}: one id for each row")
        if rows[0] and bool(ops.any(ops.less(ops.diff(ids), 0))):
            raise invalid("segment ids are not increasing")
        count = int(ids[-1]) + 1 if rows[0] else 0
    elif data._array.shape[: len(rows)] != rows:
        raise invalid(f"data.shape = {data.shape} does not start with segment_ids.shape = {ids.shape}")
    elif _size(ids) and bool(ops.any(ops.greater_equal(ids, count))):
        raise invalid(f"segment_ids have to be less than num_segments, {count}")
    flat = ops.reshape(ids, (-1,))
    values = ops.reshape(data, (_size(ids), *data._array.shape[len(rows) :]))
    kept = ops.where(ops.less(flat, 0), ops.full_like(flat, count), flat)
    found = f(values, kept, num_segments=count + 1)[:count]
    if missing is None:
        return found
    hit = ops.segment_sum(ops.ones_like(kept), kept, num_segments=count + 1)[:count]
    hit = ops.reshape(ops.greater(hit, 0), (count,) + (1,) * (found.ndim - 1))
    return ops.where(hit, found, ops.full_like(found, missing(data.dtype)))


def _zero(dtype: Any) -> int:
    return 0


def _least(dtype: Any) -> Any:
    return dtype.min.item() if hasattr(dtype.min, "item") else dtype.min


def _greatest(dtype: Any) -> Any:
    return dtype.max.item() if hasattr(dtype.max, "item") else dtype.max


# fmt: off
def segment_sum(data: Any, segment_ids: Any, name: Any = None) -> Any:
    return _segments(ops.segment_sum, data, segment_ids, None, "iufc")
def segment_prod(data: Any, segment_ids: Any, name: Any = None) -> Any:
    return _segments(ops.segment_prod, data, segment_ids, None, "iufc")
def segment_max(data: Any, segment_ids: Any, name: Any = None) -> Any:
    return _segments(ops.segment_max, data, segment_ids, None, "iuf", _zero)
def segment_min(data: Any, segment_ids: Any, name: Any = None) -> Any:
    return _segments(ops.segment_min, data, segment_ids, None, "iuf", _zero)
def unsorted_segment_sum(data: Any, segment_ids: Any, num_segments: Any, name: Any = None) -> Any:
    return _segments(ops.segment_sum, data, segment_ids, number(num_segments), "iufc")
def unsorted_segment_prod(data: Any, segment_ids: Any, num_segments: Any, name: Any = None) -> Any:
    return _segments(ops.segment_prod, data, segment_ids, number(num_segments), "iufc")
def unsorted_segment_max(data: Any, segment_ids: Any, num_segments: Any, name: Any = None) -> Any:
    return _segments(ops.segment_max, data, segment_ids, number(num_segments), "iuf", _least)
def unsorted_segment_min(data: Any, segment_ids: Any, num_segments: Any, name: Any = None) -> Any:
    return _segments(ops.segment_min, data, segment_ids, number(num_segments), "iuf", _greatest)
# fmt: on


def segment_mean(data: Any, segment_ids: Any, name: Any = None) -> Any:
    total = segment_sum(data, segment_ids)
    return _mean(total, segment_ids, total._array.shape[0], whole=True)


def unsorted_segment_mean(data: Any, segment_ids: Any, num_segments: Any, name: Any = None) -> Any:
    total = unsorted_segment_sum(only(data, "iuf"), segment_ids, num_segments)
    return _mean(total, segment_ids, number(num_segments))


def unsorted_segment_sqrt_n(data: Any, segment_ids: Any, num_segments: Any, name: Any = None) -> Any:
    total = unsorted_segment_sum(only(data, "iuf"), segment_ids, num_segments)
    return _mean(total, segment_ids, number(num_segments), root=True)


def _mean(total: Any, ids: Any, count: int, *, root: bool = False, whole: bool = False) -> Any:
    """Divide sums by segment by the size of each segment, or by its square root. `whole`: integers stay integers."""
    ids = as_tensor(ids)
    ones = ops.ones_like(ids, dtype=total._array.dtype)
    counts = _segments(ops.segment_sum, ones, ids, count, "iufc")
    counts = ops.where(ops.equal(counts, 0), ops.ones_like(counts), counts)
    counts = ops.reshape(counts, (count,) + (1,) * (total.ndim - 1))
    if root:
        counts = ops.sqrt(counts)
    divided = ops.floor_divide if whole and total._array.dtype.kind in "iu" else ops.divide
    return divided(total, counts)


_ALONG = "reduce_sum=sum reduce_prod=prod reduce_max=max reduce_min=min reduce_mean=mean reduce_all=all reduce_any=any"
dialect.finish(globals(), view="tf.math", helpers="global_norm")
