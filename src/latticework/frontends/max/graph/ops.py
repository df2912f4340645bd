"""MAX's operations. Each adds an operation to the graph of its operands, under the graph's promotion rules."""

# fmt: off
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ....core.dtypes import int64
from ....core.registry import functions as lw
from ....engine.arrays.array import Array
from ..dtype import DType
from .value import Dim, TensorValue, constant, dtype_named, fitted, record

__all__ = [
    "abs", "acos", "add", "argmax", "argmin", "argsort", "atanh", "avg_pool2d", "band_part", "broadcast_to", "cast",
    "ceil", "chunk", "concat", "constant", "conv2d", "cos", "cumsum", "div", "equal", "erf", "exp", "flatten", "floor",
    "floor_div", "gather", "gelu", "greater", "greater_equal", "hann_window", "is_inf", "is_nan", "layer_norm", "log",
    "log1p", "logical_and", "logical_not", "logical_or", "logical_xor", "logsoftmax", "matmul", "max", "max_pool2d",
    "mean", "min", "mod", "mul", "negate", "not_equal", "outer", "pad", "permute", "pow", "prod", "range", "rebind",
    "relu", "repeat_interleave", "reshape", "rms_norm", "round", "rsqrt", "sigmoid", "silu", "sin", "slice_tensor",
    "softmax", "split", "sqrt", "squeeze", "stack", "sub", "sum", "tanh", "tile", "top_k", "transpose", "trunc",
    "unsqueeze", "where",
]


def _strong(x: Any, name: str) -> TensorValue:
    """An operand that has to be a value of a graph."""
    if not isinstance(x, TensorValue):
        raise TypeError(f"{name}: takes a value of a graph; got {type(x).__name__}. Write ops.constant")
    return x


def _one(name: str, f: Callable[..., Any], x: Any) -> Any:
    return record(name, f, (_strong(x, name),))


def _two(name: str, f: Callable[..., Any], lhs: Any, rhs: Any) -> Any:
    if not isinstance(lhs, TensorValue) and not isinstance(rhs, TensorValue):
        raise TypeError(f"{name}: at least one operand must be a value of a graph. Write ops.constant")
    for x in (lhs, rhs):
        array = hasattr(x, "__array__") or hasattr(x, "__dlpack__")
        if not array and not isinstance(x, (TensorValue, int, float)):
            raise TypeError(f"{name}: takes values of a graph, numbers and arrays; got {type(x).__name__}")
    return record(name, f, (fitted(name, lhs, rhs), fitted(name, rhs, lhs)))


# --- elementwise ----------------------------------------------------------------------------------------------------

def add(lhs, rhs): return _two("add", lw.add, lhs, rhs)
def sub(lhs, rhs): return _two("sub", lw.subtract, lhs, rhs)
def mul(lhs, rhs): return _two("mul", lw.multiply, lhs, rhs)
def div(lhs, rhs): return _two("div", lw.divide, lhs, rhs)
def floor_div(lhs, rhs): return _two("floor_div", lw.floor_divide, lhs, rhs)
def mod(lhs, rhs): return _two("mod", lw.remainder, lhs, rhs)
def pow(lhs, rhs): return _two("pow", lw.pow, lhs, rhs)
def equal(lhs, rhs): return _two("equal", lw.equal, lhs, rhs)
def not_equal(lhs, rhs): return _two("not_equal", lw.not_equal, lhs, rhs)
def greater(lhs, rhs): return _two("greater", lw.greater, lhs, rhs)
def greater_equal(lhs, rhs): return _two("greater_equal", lw.greater_equal, lhs, rhs)
def logical_and(lhs, rhs): return _two("logical_and", lw.logical_and, lhs, rhs)
def logical_or(lhs, rhs): return _two("logical_or", lw.logical_or, lhs, rhs)
def logical_xor(lhs, rhs): return _two("logical_xor", lw.logical_xor, lhs, rhs)
def logical_not(x): return _one("logical_not", lw.logical_not, x)
def abs(x): return _one("abs", lw.abs, x)
def acos(x): return _one("acos", lw.acos, x)
def atanh(x): return _one("atanh", lw.atanh, x)
def ceil(x): return _one("ceil", lw.ceil, x)
def cos(x): return _one("cos", lw.cos, x)
def erf(x): return _one("erf", lw.special.erf, x)
def exp(x): return _one("exp", lw.exp, x)
def floor(x): return _one("floor", lw.floor, x)
def is_inf(x): return _one("is_inf", lw.isinf, x)
def is_nan(x): return _one("is_nan", lw.isnan, x)
def log(x): return _one("log", lw.log, x)
def log1p(x): return _one("log1p", lw.log1p, x)
def negate(x): return _one("negate", lw.negative, x)
def relu(x): return _one("relu", lw.relu, x)
def round(x): return _one("round", lw.round, x)
def rsqrt(x): return _one("rsqrt", lw.rsqrt, x)
def sigmoid(x): return _one("sigmoid", lw.sigmoid, x)
def silu(x): return _one("silu", lw.nn.silu, x)
def sin(x): return _one("sin", lw.sin, x)
def sqrt(x): return _one("sqrt", lw.sqrt, x)
def tanh(x): return _one("tanh", lw.tanh, x)
def trunc(x): return _one("trunc", lw.trunc, x)


def gelu(x, approximate="none"):
    ways = {"none": "none", "tanh": "tanh", "quick": "quick"}
    if approximate not in ways:
        raise ValueError(f"gelu: approximate is one of {', '.join(ways)}; got {approximate!r}")
    if approximate == "quick":
        return mul(x, sigmoid(mul(x, 1.702)))
    return record("gelu", lw.nn.gelu, (_strong(x, "gelu"),), {"approximate": approximate})


def where(condition, x, y):
    """Choose between x and y, which promote, by a tensor of bools."""
    if _strong(condition, "where").dtype is not DType.bool:
        raise ValueError(f"where: the condition is of bools; got {condition.dtype!r}")
    return record("where", lw.where, (condition, x, y))


def softmax(value, axis=-1): return record("softmax", lw.softmax, (_strong(value, "softmax"),), {"axis": axis})
def logsoftmax(value, axis=-1):
    return record("logsoftmax", lw.nn.log_softmax, (_strong(value, "logsoftmax"),), {"axis": axis})


# --- casts and constants --------------------------------------------------------------------------------------------

def cast(x, dtype): return record("cast", _cast, (_strong(x, "cast"), dtype_named(dtype)))
def _cast(x, dtype): return lw.astype(x, dtype)


def range(start, stop, step=1, out_dim=None, *, dtype, device=None):
    return record("range", _range, (start, stop, step, dtype_named(dtype)))
def _range(start, stop, step, dtype): return lw.arange(start, stop, step, dtype=dtype)


def hann_window(window_length, device=None, periodic=True, dtype=DType.float32):
    return record("hann_window", _hann, (window_length, periodic, dtype_named(dtype)))
def _hann(n, periodic, dtype): return lw.signal.hann_window(n, periodic=periodic, dtype=dtype)


# --- reductions: they keep the axis ---------------------------------------------------------------------------------

def _along(name: str, f: Callable[..., Any], x: Any, axis: int) -> Any:
    return record(name, f, (_strong(x, name),), {"axis": axis, "keepdims": True})


def sum(x, axis=-1): return _along("sum", lw.sum, x, axis)
def prod(x, axis=-1): return _along("prod", lw.prod, x, axis)
def mean(x, axis=-1): return _along("mean", lw.mean, x, axis)


def max(x, y=None, /, axis=None):
    """The larger of two tensors, element by element; or the largest along an axis."""
    if y is not None and axis is not None:
        raise ValueError("max: takes a second tensor or an axis, not both")
    return _two("max", lw.maximum, x, y) if y is not None else _along("max", lw.max, x, -1 if axis is None else axis)


def min(x, y=None, /, axis=None):
    """The smaller of two tensors, element by element; or the smallest along an axis."""
    if y is not None and axis is not None:
        raise ValueError("min: takes a second tensor or an axis, not both")
    return _two("min", lw.minimum, x, y) if y is not None else _along("min", lw.min, x, -1 if axis is None else axis)


def _index(name: str, f: Callable[..., Array], x: Any, axis: int) -> Any:
    return record(name, lambda a: lw.astype(f(a, axis=axis, keepdims=True), int64), (_strong(x, name),))


def argmax(x, axis=-1): return _index("argmax", lw.argmax, x, axis)
def argmin(x, axis=-1): return _index("argmin", lw.argmin, x, axis)
def argsort(x, ascending=True):
    return record("argsort", _argsort, (_strong(x, "argsort"), not ascending))
def _argsort(x, descending): return lw.astype(lw.argsort(x, descending=descending), int64)


def cumsum(x, axis=-1, exclusive=False, reverse=False):
    return record("cumsum", _cumsum, (_strong(x, "cumsum"), axis, exclusive, reverse))
def _cumsum(x, axis, exclusive, reverse):
    x = lw.flip(x, axis=axis) if reverse else x
    total = lw.astype(lw.cumulative_sum(x, axis=axis, dtype=x.dtype), x.dtype)
    total = total - x if exclusive else total
    return lw.flip(total, axis=axis) if reverse else total


def top_k(input, k, axis=-1):
    """The k largest along an axis, the largest first, and where they stand."""
    return record("top_k", _top_k, (_strong(input, "top_k"), k, axis))
def _top_k(x, k, axis):
    values, indices = lw.top_k(x, k, axis=axis)
    return values, lw.astype(indices, int64)


# --- shapes ---------------------------------------------------------------------------------------------------------

def _extents(shape: Sequence[Any]) -> tuple[int, ...]:
    return tuple([int(Dim(n)) for n in shape])


def reshape(x, shape): return record("reshape", lw.reshape, (_strong(x, "reshape"), _extents(shape)))
def rebind(x, shape, message="", layout=None): return reshape(x, shape)
def permute(x, dims): return record("permute", lw.permute_dims, (_strong(x, "permute"), tuple(dims)))
def transpose(x, axis_1, axis_2): return record("transpose", lw.swapaxes, (_strong(x, "transpose"), axis_1, axis_2))
def squeeze(x, axis): return record("squeeze", lw.squeeze, (_strong(x, "squeeze"), axis))
def unsqueeze(x, axis): return record("unsqueeze", lw.expand_dims, (_strong(x, "unsqueeze"),), {"axis": axis})
def broadcast_to(x, shape, out_dims=None):
    return record("broadcast_to", lw.broadcast_to, (_strong(x, "broadcast_to"), _extents(shape)))
def tile(x, repeats): return record("tile", lw.tile, (_strong(x, "tile"), tuple(repeats)))
def slice_tensor(x, indices): return record("slice_tensor", _taken, (_strong(x, "slice_tensor"), indices))
def _taken(x, key): return x[tuple(key) if isinstance(key, list) else key]


def flatten(x, start_dim=0, end_dim=-1):
    """The axes from `start_dim` to `end_dim`, both included, as one."""
    x = _strong(x, "flatten")
    rank = len(x.shape)
    first, last = start_dim % rank, end_dim % rank
    return reshape(x, [*x.shape[:first], -1, *x.shape[last + 1 :]])


def concat(original_vals, axis=0):
    """Tensors of one dtype, one after another along an axis."""
    return record("concat", _concat, ([_strong(x, "concat") for x in original_vals], axis))
def _concat(arrays, axis): return lw.concat(arrays, axis=axis)


def stack(values, axis=0):
    """Tensors of one dtype and shape along a new axis."""
    return record("stack", _stack, ([_strong(x, "stack") for x in values], axis))
def _stack(arrays, axis): return lw.stack(arrays, axis=axis)


def split(x, split_sizes, axis=0):
    """Parts of given sizes along an axis."""
    return record("split", _split, (_strong(x, "split"), _extents(split_sizes), axis))
def _split(x, sizes, axis):
    ends = [*_running(sizes)]
    if x.shape[axis] is not None and ends[-1] != x.shape[axis]:
        raise ValueError(f"split: sizes {sizes} do not add up to {x.shape[axis]}")
    return tuple(lw.split(x, tuple(ends[:-1]), axis=axis))
def _running(sizes):
    total = 0
    for n in sizes:
        total += n
        yield total


def chunk(x, chunks, axis=0):
    """Equal parts along an axis."""
    n = int(_strong(x, "chunk").shape[axis])
    if n % chunks:
        raise ValueError(f"chunk: {n} is not divided by {chunks}")
    return split(x, [n // chunks] * chunks, axis)


def pad(input, paddings, mode="constant", value=0):
    """Elements before and after each axis: `paddings` has two numbers for each."""
    pairs = [*zip(paddings[::2], paddings[1::2], strict=True)]
    return record("pad", _pad, (_strong(input, "pad"), pairs, mode, value))
def _pad(x, pairs, mode, value):
    return lw.pad(x, pairs, mode=mode, **({"constant_values": value} if mode == "constant" else {}))


def gather(input, indices, axis):
    """Slices at positions along an axis."""
    return record("gather", _gather, (_strong(input, "gather"), indices, axis))
def _gather(x, indices, axis):
    flat = lw.take(x, lw.reshape(indices, (-1,)), axis=axis)
    axis %= x.ndim
    return lw.reshape(flat, (*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :]))


def repeat_interleave(x, repeats, axis=None, out_dim=None):
    return record("repeat_interleave", lw.repeat, (_strong(x, "repeat_interleave"), repeats), {"axis": axis})


# --- linear algebra and layers --------------------------------------------------------------------------------------

def matmul(lhs, rhs): return _two("matmul", lw.matmul, lhs, rhs)
def outer(lhs, rhs): return _two("outer", lw.outer, lhs, rhs)


def band_part(x, num_lower=None, num_upper=None, exclude=False):
    """The elements of matrices within a band about the diagonal; with `exclude`, those outside of it."""
    return record("band_part", _band, (_strong(x, "band_part"), num_lower, num_upper, exclude))
def _band(x, lower, upper, exclude):
    rows, columns = lw.arange(x.shape[-2])[:, None], lw.arange(x.shape[-1])[None, :]
    inside = (rows - columns <= (x.shape[-2] if lower is None else lower)) & (
        columns - rows <= (x.shape[-1] if upper is None else upper)
    )
    return lw.where(~inside if exclude else inside, x, lw.zeros_like(x))


def layer_norm(input, gamma, beta, epsilon):
    """Normalise the last axis, by its mean and variance."""
    return record("layer_norm", _layer_norm, (_strong(input, "layer_norm"), gamma, beta, epsilon))
def _layer_norm(x, gamma, beta, epsilon): return lw.nn.layer_norm(x, (x.shape[-1],), gamma, beta, eps=epsilon)


def rms_norm(input, weight, epsilon, weight_offset=0.0, multiply_before_cast=False):
    """Normalise the last axis by the root of its mean square."""
    return record("rms_norm", _rms_norm, (_strong(input, "rms_norm"), weight, epsilon, weight_offset))
def _rms_norm(x, weight, epsilon, offset):
    return lw.nn.rms_norm(x, (x.shape[-1],), weight + offset if offset else weight, eps=epsilon)


def conv2d(x, filter, stride=(1, 1), dilation=(1, 1), padding=(0, 0, 0, 0), groups=1, bias=None):
    """Convolve images with the channels last, by a filter (height, width, channels in, channels out)."""
    return record("conv2d", _conv2d, (_strong(x, "conv2d"), filter, bias, stride, dilation, padding, groups))
def _conv2d(x, filter, bias, stride, dilation, padding, groups):
    weight = lw.permute_dims(filter, (3, 2, 0, 1))
    image = lw.permute_dims(x, (0, 3, 1, 2))
    top, bottom, left, right = padding
    image = lw.pad(image, [(0, 0), (0, 0), (top, bottom), (left, right)])
    result = lw.nn.conv2d(image, weight, bias, stride=tuple(stride), dilation=tuple(dilation), groups=groups)
    return lw.permute_dims(result, (0, 2, 3, 1))


def max_pool2d(input, kernel_size, stride=1, dilation=1, padding=0, ceil_mode=False):
    """The largest of each window of images with the channels last."""
    return record("max_pool2d", _pool, (_strong(input, "max_pool2d"), "max_pool2d", kernel_size, stride, padding,
                                        {"dilation": dilation, "ceil_mode": ceil_mode}))
def avg_pool2d(input, kernel_size, stride=1, dilation=1, padding=0, ceil_mode=False, count_boundary=True):
    """The mean of each window of images with the channels last."""
    if dilation not in (1, (1, 1)):
        raise ValueError("avg_pool2d: windows with gaps are not there: dilation is 1")
    return record("avg_pool2d", _pool, (_strong(input, "avg_pool2d"), "avg_pool2d", kernel_size, stride, padding,
                                        {"ceil_mode": ceil_mode, "count_include_pad": count_boundary}))
def _pool(x, name, kernel, stride, padding, options):
    image = lw.permute_dims(x, (0, 3, 1, 2))
    return lw.permute_dims(getattr(lw.nn, name)(image, kernel, stride, padding, **options), (0, 2, 3, 1))
