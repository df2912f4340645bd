"""PyTorch's functions that sort, search and find unique elements."""

from __future__ import annotations

from typing import Any

from .core import complete, ops
from .named import named
from .tensor import Tensor

# fmt: off

_SORT, _TOPK, _MODE, _KTHVALUE = (named(n, "values", "indices") for n in ("sort", "topk", "mode", "kthvalue"))

def argsort(input, dim=-1, descending=False, stable=False):
    return ops.argsort(input, axis=dim, descending=descending, stable=True)
def argwhere(input): return ops.argwhere(input)
def msort(input, *, out=None): return ops.sort(input, axis=0)
# fmt: on


def sort(input, *args, dim=-1, descending=False, stable=False, out=None):
    if args and isinstance(args[0], bool):
        raise TypeError("sort() received an invalid combination of arguments: dim must be int, not bool")
    dim, descending = (*args, *(dim, descending)[len(args) :]) if args else (dim, descending)
    order = ops.argsort(input, axis=dim, descending=descending, stable=True)
    return _SORT(ops.take_along_axis(input, order, dim), order)


def topk(input, k, dim=-1, largest=True, sorted=True, *, out=None):
    if input._array.ndim and not 0 <= k <= input._array.shape[input._axis(dim)]:
        raise RuntimeError("selected index k out of range")
    values, indices = ops.top_k(input, k, axis=dim, largest=largest, sorted=sorted)
    return _TOPK(values, ops.astype(indices, "int64"))


def kthvalue(input, k, dim=-1, keepdim=False, *, out=None):
    axis = input._axis(dim)
    if not 0 < k <= input._array.shape[axis]:
        raise RuntimeError("kthvalue(): selected number k out of range for dimension")
    order = ops.argsort(input, axis=axis)
    where = ops.take(order, ops.asarray([k - 1]), axis=axis)
    values = ops.take_along_axis(input, where, axis)
    return _KTHVALUE(values, where) if keepdim else _KTHVALUE(ops.squeeze(values, axis), ops.squeeze(where, axis))


def mode(input, dim=-1, keepdim=False, *, out=None):
    """The most frequent value, the smallest of several, and the last place where it is."""
    axis = input._axis(dim)
    same = ops.equal(ops.expand_dims(input, axis=axis), ops.expand_dims(input, axis=axis + 1))
    counts = ops.sum(ops.astype(same, "int64"), axis=axis)
    order = ops.argsort(input, axis=axis, stable=True)
    best = ops.argmax(ops.take_along_axis(counts, order, axis), axis=axis, keepdims=True)
    values = ops.take_along_axis(input, ops.take_along_axis(order, best, axis), axis)
    found = ops.astype(ops.equal(input, values), "int64")
    where = ops.subtract(input._array.shape[axis] - 1, ops.argmax(ops.flip(found, axis=axis), axis=axis, keepdims=True))
    values = ops.take_along_axis(input, where, axis)  # the derivative is that of the last
    return _MODE(values, where) if keepdim else _MODE(ops.squeeze(values, axis), ops.squeeze(where, axis))


def nonzero(input, *, out=None, as_tuple=False):
    if as_tuple:
        return tuple(ops.nonzero(input)) if input._array.ndim else tuple(ops.nonzero(ops.reshape(input, (1,))))
    return ops.argwhere(input)


def searchsorted(sorted_sequence, input, *, out_int32=False, right=False, side=None, sorter=None, out=None):
    if side is not None and side not in ("left", "right"):
        raise RuntimeError(f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}")
    if right and side == "left":
        raise RuntimeError(
            "torch.searchsorted(): side and right can't be set to opposites, got side of left while right was True"
        )
    way = "right" if right or side == "right" else "left"
    if type(input) is Tensor and input._array.dtype is not sorted_sequence._array.dtype:
        raise RuntimeError(
            f"torch.searchsorted(): boundary and input tensor should have same dtype, "
            f"but got {sorted_sequence.dtype} and {input.dtype}"
        )
    value = input if type(input) is Tensor else ops.full((), input, dtype=sorted_sequence.dtype)
    if sorter is not None:
        sorted_sequence = ops.take_along_axis(sorted_sequence, sorter, -1)
    shape = sorted_sequence._array.shape
    if len(shape) == 1:
        found = ops.searchsorted(sorted_sequence, value, side=way)
    else:
        if value._array.shape[:-1] != shape[:-1]:
            raise RuntimeError(
                "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of "
                "boundaries tensor and input value tensor must match"
            )
        beside = ops.expand_dims(sorted_sequence, axis=-2), ops.expand_dims(value, axis=-1)
        below = ops.less(*beside) if way == "left" else ops.less_equal(*beside)
        found = ops.sum(ops.astype(below, "int64"), axis=-1)
    return ops.astype(found, "int32" if out_int32 else "int64")


def bucketize(input, boundaries, *, out_int32=False, right=False, out=None):
    if boundaries._array.ndim != 1:
        raise RuntimeError(
            f"torch.bucketize(): boundaries tensor must be 1 dimension, but got dim({boundaries._array.ndim})"
        )
    value = input if type(input) is Tensor else ops.asarray(input)
    found = ops.searchsorted(boundaries, value, side="right" if right else "left")
    return ops.astype(found, "int32" if out_int32 else "int64")


def unique(*args, **kwargs):
    return _unique(*args, **kwargs)


def _unique(
    input: Any, sorted: Any = True, return_inverse: Any = False, return_counts: Any = False, dim: Any = None
) -> Any:
    found = ops.unique(input, return_inverse=return_inverse, return_counts=return_counts, axis=dim, equal_nan=False)
    if not return_inverse and not return_counts:
        return found
    rest = [ops.astype(x, "int64") for x in found[1:]]
    if return_inverse:
        rest[0] = ops.reshape(rest[0], input._array.shape if dim is None else (-1,))
    return (found[0], *rest)


def unique_consecutive(*args, **kwargs):
    return _consecutive(*args, **kwargs)


def _consecutive(input: Any, return_inverse: Any = False, return_counts: Any = False, dim: Any = None) -> Any:
    x = ops.reshape(input, (-1,)) if dim is None else ops.moveaxis(input, dim, 0)
    count = x._array.shape[0]
    flat = ops.reshape(x, (count, -1)) if count else ops.reshape(x, (0, 1))
    changes = ops.any(ops.not_equal(flat[1:], flat[:-1]), axis=1)
    starts = ops.concat([ops.ones((min(count, 1),), dtype="bool"), changes], axis=0)
    where = ops.nonzero(starts)[0]
    values = ops.take(x, where, axis=0)
    result = [values if dim is None else ops.moveaxis(values, 0, dim)]
    if return_inverse:
        inverse = ops.subtract(ops.cumulative_sum(ops.astype(starts, "int64"), axis=0), 1)
        result.append(ops.reshape(inverse, input._array.shape) if dim is None else inverse)
    if return_counts:
        ends = ops.concat([where, ops.asarray([count], dtype="int64")], axis=0)
        result.append(ops.diff(ends, axis=0))
    return result[0] if len(result) == 1 else tuple(result)


def unravel_index(indices, shape):
    if type(indices) is not Tensor or indices._array.dtype.kind not in "iu":
        raise TypeError("expected 'indices' to be integer dtype")
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    return tuple(ops.astype(x, "int64") for x in ops.unravel_index(indices, shape))


complete(globals(), scalars="argsort sort topk kthvalue mode msort")
