"""Functions of the array API standard over tinygrad's Tensor: operands have one dtype, and arrays are positional.

What is not here is made of these functions by latticework. Where a function is more than the method of its name, its
comment says what tinygrad's gives.
"""

from __future__ import annotations

import operator
from math import inf, nan, pi
from typing import Any

from tinygrad import Tensor, dtypes

bool = dtypes.bool
int8, int16, int32, int64 = dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64
uint8, uint16, uint32, uint64 = dtypes.uint8, dtypes.uint16, dtypes.uint32, dtypes.uint64
bfloat16, float16, float32, float64 = dtypes.bfloat16, dtypes.float16, dtypes.float32, dtypes.float64

_METHODS = """
abs ceil copysign cosh exp floor isfinite isinf isnan log log10 log2 logical_not matmul maximum minimum reciprocal round
sin sinh sqrt square tanh trunc
"""
globals().update({name: getattr(Tensor, name) for name in _METHODS.split()})

add, subtract, multiply, divide = operator.add, operator.sub, operator.mul, operator.truediv
floor_divide, remainder, pow, negative = operator.floordiv, operator.mod, operator.pow, operator.neg
bitwise_and, bitwise_or, bitwise_xor, bitwise_invert = operator.and_, operator.or_, operator.xor, operator.invert
logical_and, logical_or, logical_xor = operator.and_, operator.or_, operator.xor
bitwise_left_shift, bitwise_right_shift = operator.lshift, operator.rshift
equal, not_equal, less, greater = operator.eq, operator.ne, operator.lt, operator.gt
where, full = Tensor.where, Tensor.full
broadcast_to, reshape, permute_dims = Tensor.expand, Tensor.reshape, Tensor.permute
_LOG_2 = 0.6931471805599453


# --- elementwise ------------------------------------------------------------------------------------------------------


def astype(x: Tensor, dtype: Any) -> Tensor:
    if x.device == "PYTHON" and x.is_floating_point() and dtypes.is_int(dtype):  # an error for inf and nan
        bits = {2: uint16, 4: uint32, 8: uint64}[x.dtype.itemsize]  # a choice of floats is moved behind the cast
        x = x.isfinite().where(x.bitcast(bits), 0).bitcast(x.dtype)
    return x.cast(dtype)


def less_equal(x: Tensor, y: Tensor) -> Tensor:  # True for nan
    return (x < y) | (x == y)


def greater_equal(x: Tensor, y: Tensor) -> Tensor:  # True for nan
    return (x > y) | (x == y)


def sign(x: Tensor) -> Tensor:  # 1 for nan
    return (x == x).where(x.sign(), x)


def log1p(x: Tensor) -> Tensor:
    u = x + 1
    return (u == inf).where(u, (u == 1).where(x, u.log() * (x / (u - 1))))


def logaddexp(x: Tensor, y: Tensor) -> Tensor:  # its interpreter rounds what is more than 65504 to inf in float16
    if x.dtype == float16:
        found = logaddexp(x.cast(float32), y.cast(float32))
        return (x.isinf() | y.isinf()).where(found, found.minimum(65504)).cast(float16)
    apart = (x == y).where(0, (x - y).abs())  # of two infinities nan
    return x.maximum(y) + log1p((-apart).exp())


def expm1(x: Tensor) -> Tensor:
    u = x.exp()
    return (x.abs() > 20).where(u - 1, (u == 1).where(x, (u - 1) * (x / u.log())))


def asinh(x: Tensor) -> Tensor:  # inf from the square root of the greatest number on
    a = x.abs()
    near = log1p(a + a * (a / (1 + (1 + a * a).sqrt())))
    return (a > 1e4).where(a.log() + _LOG_2, near).copysign(x)


def acosh(x: Tensor) -> Tensor:  # as asinh, and -inf for negative numbers
    t = x - 1
    return (x > 1e4).where(x.log() + _LOG_2, log1p(t + t.sqrt() * (x + 1).sqrt()))


def atanh(x: Tensor) -> Tensor:
    return log1p(2 * x / (1 - x)) / 2


def cos(x: Tensor) -> Tensor:  # sin(pi / 2 - x): of large numbers wrong
    return 1 - 2 * (x / 2).sin().square()


def tan(x: Tensor) -> Tensor:
    return x.sin() / cos(x)


def atan(x: Tensor) -> Tensor:  # nan for inf, and 8 digits in float64: here with a step of Newton's
    a = x.abs()
    near = (a > 1).where(a.reciprocal(), a)
    y = near.atan()
    s, c = y.sin(), cos(y)
    y = y - (s - near * c) / (c + near * s)
    return (a > 1).where(pi / 2 - y, y).copysign(x)


def atan2(y: Tensor, x: Tensor) -> Tensor:
    both = (x.abs() == y.abs()) & (x.isinf() | (x == 0))
    a = both.where(x.isinf().where(x.full_like(pi / 4), x.full_like(0)), atan((y / x).abs()))
    turned = (x.full_like(1).copysign(x) < 0).where(pi - a, a).copysign(y)
    return ((x != x) | (y != y)).where(x + y, turned)


def asin(x: Tensor) -> Tensor:  # 8 digits in float64
    return atan2(x, ((1 - x) * (1 + x)).sqrt())


def acos(x: Tensor) -> Tensor:  # 8 digits in float64
    return atan2(((1 - x) * (1 + x)).sqrt(), x)


# --- creation ---------------------------------------------------------------------------------------------------------


def asarray(x: Any, dtype: Any = None, copy: Any = None) -> Tensor:
    if isinstance(x, Tensor):
        return x if dtype is None else x.cast(dtype)
    return Tensor(x, dtype=dtype)


def arange(start: int, stop: int, step: int = 1, *, dtype: Any = None) -> Tensor:
    return Tensor.arange(start, stop, step, dtype=dtype)


def zeros(shape: Any, *, dtype: Any = None) -> Tensor:
    return Tensor.full(shape, 0, dtype=dtype)


def ones(shape: Any, *, dtype: Any = None) -> Tensor:
    return Tensor.full(shape, 1, dtype=dtype)


# --- shapes -----------------------------------------------------------------------------------------------------------


def _axes(x: Tensor, axis: Any) -> tuple[int, ...]:
    axes = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return tuple(a % x.ndim for a in axes)


def expand_dims(x: Tensor, axis: Any = 0) -> Tensor:
    axes = axis if isinstance(axis, tuple) else (axis,)
    for a in sorted(a % (x.ndim + len(axes)) for a in axes):
        x = x.unsqueeze(a)
    return x


def squeeze(x: Tensor, axis: Any) -> Tensor:  # no error for an axis of another extent than 1
    for a in sorted(_axes(x, axis), reverse=True):
        if x.shape[a] != 1:
            raise ValueError(f"only an axis of extent 1 can be left out; axis {a} has {x.shape[a]}")
        x = x.squeeze(a)
    return x


def flip(x: Tensor, axis: Any = None) -> Tensor:
    return x.flip(_axes(x, axis))


def roll(x: Tensor, shift: Any, axis: Any = None) -> Tensor:
    return x.flatten().roll(shift, 0).reshape(x.shape) if axis is None else x.roll(shift, axis)


def concat(arrays: Any, axis: int | None = 0) -> Tensor:
    return Tensor.cat(*([a.flatten() for a in arrays] if axis is None else arrays), dim=axis or 0)


def repeat(x: Tensor, repeats: Any, axis: int | None = None) -> Tensor:
    if axis is None:
        x, axis = x.flatten(), 0
    if not isinstance(repeats, Tensor):
        return x.repeat_interleave(repeats, axis)
    if repeats.ndim and repeats.shape[0] not in (1, x.shape[axis]):
        raise ValueError(f"one number of repeats for each of {x.shape[axis]} elements; got {repeats.shape[0]}")
    ends = repeats.reshape(-1).expand(x.shape[axis]).cumsum(0)
    total = ends[-1].item() if ends.shape[0] else 0
    return take(x, searchsorted(ends, Tensor.arange(total, dtype=ends.dtype), side="right"), axis)


def tril(x: Tensor, *, k: int = 0) -> Tensor:
    return x.tril(k)


def triu(x: Tensor, *, k: int = 0) -> Tensor:
    return x.triu(k)


# --- reductions -------------------------------------------------------------------------------------------------------


def _reduction(name: str) -> Any:
    def reduction(x: Tensor, axis: Any = None, keepdims: Any = False) -> Tensor:
        return getattr(x, name)(axis=axis, keepdim=keepdims)

    return reduction


globals().update({name: _reduction(name) for name in "all any mean".split()})


def _extreme(name: str) -> Any:
    """An extreme, nan where there is one: tinygrad's passes nan by."""

    def call(x: Tensor, axis: Any = None, keepdims: Any = False) -> Tensor:
        found = getattr(x, name)(axis, keepdims)
        return (x != x).any(axis, keepdims).where(nan, found) if x.is_floating_point() else found

    return call


max, min = _extreme("max"), _extreme("min")


def _first(name: str) -> Any:
    """The place of the first nan, or of the first extreme: tinygrad's gives another for nan."""

    def call(x: Tensor, axis: int | None = None, keepdims: Any = False) -> Tensor:
        if x.dtype == float16:  # its interpreter ends in "UOp verification failed"
            x = x.cast(float32)
        if axis is None:
            found = call(x.flatten(), 0)
            return found.reshape((1,) * x.ndim) if keepdims else found
        none, n = x != x, x.shape[axis]
        hit = none.any(axis, True).where(none, x == getattr(x, name)(axis, True))
        places = Tensor.arange(n).reshape(n, *[1] * (x.ndim - 1 - axis % x.ndim))
        return hit.where(places, n).min(axis, keepdims)

    return call


argmax, argmin = _first("max"), _first("min")


def sum(x: Tensor, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Tensor:
    return x.sum(axis, keepdims, dtype=dtype)


def prod(x: Tensor, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Tensor:
    return x.prod(axis, keepdims, dtype=dtype)


def var(x: Tensor, axis: Any = None, correction: float = 0.0, keepdims: Any = False) -> Tensor:
    return x.var(axis, keepdims, correction)


def std(x: Tensor, axis: Any = None, correction: float = 0.0, keepdims: Any = False) -> Tensor:
    return x.std(axis, keepdims, correction)


def cumulative_sum(x: Tensor, axis: Any = None, dtype: Any = None) -> Tensor:
    return x.cumsum(axis or 0).cast(dtype)


def cumulative_prod(x: Tensor, axis: Any = None, dtype: Any = None) -> Tensor:
    return x.cumprod(axis or 0).cast(dtype)


# --- order and positions ----------------------------------------------------------------------------------------------


def sort(x: Tensor, axis: int = -1, descending: Any = False, stable: Any = True) -> Tensor:
    return x.sort(axis, descending)[0]


def argsort(x: Tensor, axis: int = -1, descending: Any = False, stable: Any = True) -> Tensor:
    return x.sort(axis, descending)[1]


def take(x: Tensor, indices: Tensor, axis: int = 0) -> Tensor:
    return x[(slice(None),) * (axis % x.ndim) + (indices,)]


def take_along_axis(x: Tensor, indices: Tensor, axis: int = -1) -> Tensor:
    return x.gather(axis, indices)


def searchsorted(x1: Tensor, x2: Tensor, *, side: str = "left") -> Tensor:
    x2 = x2.unsqueeze(-1)
    return ((x1 < x2) if side == "left" else (x1 <= x2)).sum(-1)


def nonzero(x: Tensor) -> tuple[Tensor, ...]:
    if not x.ndim:
        raise ValueError("x must have at least one axis")
    places = x.nonzero()
    return tuple(places[:, i] for i in range(x.ndim))
