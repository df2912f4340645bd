"""`jax.nn` on any backend: activations, softmax, attention; and `jax.nn.initializers`."""

from __future__ import annotations

import math
import operator
from typing import Any

import latticework as lw

from ..core import as_array, dialect, ops, our_dtype
from ..numpy.creation import asarray
from ..numpy.data_types import float_of
from ..numpy.elementwise import clip, inexact, logaddexp, tanh
from . import initializers

__all__ = ["initializers", "tanh"]


def _inexact(x: Any) -> Any:
    """The array, in floats where it is of integers, which are strong."""
    x = as_array(x)
    return x if x.dtype.kind in "fcV" else ops.astype(x, our_dtype(float_of(x)))


def _weakly_inexact(x: Any) -> Any:
    """The array, in floats that are weak where it is of integers."""
    x = as_array(x)
    return x if x.dtype.kind in "fcV" else ops.add(x, 0.0)


# --- activations ----------------------------------------------------------------------------------------------------


def identity(x: Any) -> Any:
    return as_array(x, "identity")


def relu(x: Any) -> Any:
    x = as_array(x, "relu")
    return ops.maximum(x, 0) if x.dtype.kind in "bc" else ops.relu(x)


def relu6(x: Any) -> Any:
    x = as_array(x, "relu6")
    return ops.minimum(ops.maximum(x, 0), 6.0) if x.dtype.kind != "f" else ops.nn.relu6(x)


def sigmoid(x: Any) -> Any:
    x = as_array(x, "sigmoid")
    if x.dtype.kind in "biu":
        raise TypeError(f"sigmoid does not accept dtype {x.dtype}. Accepted dtypes are subtypes of floating.")
    return ops.reciprocal(1 + ops.exp(-x)) if x.dtype.kind == "c" else ops.sigmoid(x)


def softplus(x: Any) -> Any:
    return logaddexp(inexact(as_array(x)), 0)


def soft_sign(x: Any) -> Any:
    x = as_array(x)
    return x / (ops.abs(x) + 1)


def silu(x: Any) -> Any:
    x = as_array(x)
    return x * sigmoid(x)


def swish(x: Any) -> Any:
    return silu(x)


def log_sigmoid(x: Any) -> Any:
    return -softplus(-as_array(x))


def elu(x: Any, alpha: Any = 1.0) -> Any:
    x = _weakly_inexact(x)
    return ops.where(x > 0, x, alpha * ops.expm1(ops.where(x > 0, 0.0, x)))


def celu(x: Any, alpha: Any = 1.0) -> Any:
    x = _weakly_inexact(x)
    return ops.maximum(x, 0.0) + alpha * ops.expm1(ops.minimum(x, 0.0) / alpha)


def selu(x: Any) -> Any:
    return 1.0507009873554804934193349852946 * elu(x, 1.6732632423543772848170429916717)


def leaky_relu(x: Any, negative_slope: Any = 1e-2) -> Any:
    x = as_array(x)
    return ops.where(x >= 0, x, negative_slope * x)


def hard_tanh(x: Any) -> Any:
    x = as_array(x)
    return ops.where(x > 1, 1, ops.where(x < -1, -1, x))


def hard_sigmoid(x: Any) -> Any:
    return relu6(as_array(x) + 3.0) / 6.0


def hard_silu(x: Any) -> Any:
    x = as_array(x)
    return x * hard_sigmoid(x)


def hard_swish(x: Any) -> Any:
    return hard_silu(x)


def gelu(x: Any, approximate: bool = True) -> Any:
    x = _inexact(x)
    if approximate:
        return x * (0.5 * (1.0 + ops.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * (x**3)))))
    return ops.astype(0.5 * x * ops.special.erfc(-x * math.sqrt(0.5)), x._array.dtype)


def glu(x: Any, axis: int = -1) -> Any:
    x = as_array(x)
    if x.shape[axis] % 2:
        raise AssertionError("axis size must be divisible by 2")
    first, second = ops.array_split(x, 2, axis)
    return first * sigmoid(second)


def mish(x: Any) -> Any:
    x = as_array(x)
    return x * ops.tanh(softplus(x))


def squareplus(x: Any, b: Any = 4) -> Any:
    x = as_array(x)
    return 0.5 * (x + ops.sqrt(ops.square(x) + b))


def sparse_plus(x: Any) -> Any:
    x = as_array(x)
    return ops.where(x <= -1.0, 0.0, ops.where(x >= 1.0, x, (x + 1.0) ** 2 / 4))


def sparse_sigmoid(x: Any) -> Any:
    return 0.5 * clip(as_array(x) + 1.0, 0.0, 2.0)


def log1mexp(x: Any) -> Any:
    x = as_array(x)
    return ops.where(x < math.log(2), ops.log(-ops.expm1(-x)), ops.log1p(-ops.exp(-x)))


# --- sums of exponentials -------------------------------------------------------------------------------------------


def _axes(axis: Any) -> Any:
    return tuple(axis) if isinstance(axis, list) else axis


def logsumexp(
    a: Any, axis: Any = None, b: Any = None, keepdims: bool = False, return_sign: bool = False, where: Any = None
) -> Any:
    a = as_array(a, "logsumexp")
    a = ops.astype(a, our_dtype(float_of(a, *([] if b is None else [as_array(b)]))))
    whole = a.dtype.kind == "c"
    if b is not None:
        b = ops.astype(as_array(b), a._array.dtype)
        a = ops.where(ops.not_equal(b, 0), a, float("-inf"))
    if where is not None:
        a = ops.where(as_array(where), a, float("-inf"))
    from ..numpy.reductions import max as extreme

    real = ops.real(a) if a.dtype.kind == "c" else a
    high = (
        extreme(real, axis, keepdims=True, initial=float("-inf"))
        if not a.size
        else ops.max(real, axis=_axes(axis), keepdims=True)
    )
    high = ops.stop_gradient(ops.where(ops.isfinite(high), high, 0))
    terms = ops.exp(a - high)
    terms = terms if b is None else terms * b
    total = ops.sum(terms, axis=_axes(axis), keepdims=True)
    sign = ops.sign(total)
    if return_sign or (b is not None and not whole):
        total = ops.abs(total)
    found = ops.log(total) + high
    if b is not None and not return_sign and a.dtype.kind != "c":
        found = ops.where(sign < 0, float("nan"), found)
    found, sign = (x if keepdims else _squeezed(x, axis) for x in (found, sign))
    return (found, sign) if return_sign else found


def _squeezed(x: Any, axis: Any) -> Any:
    return ops.squeeze(x, tuple(range(x.ndim)) if axis is None else _axes(axis))


def logmeanexp(x: Any, axis: Any = None, where: Any = None, keepdims: bool = False) -> Any:
    x = as_array(x)
    total = logsumexp(x, axis, where=where, keepdims=keepdims)
    ones = ops.ones(x.shape, dtype=total._array.dtype)
    if where is not None:
        ones = ops.where(as_array(where), ones, 0)
    return total - ops.log(ops.sum(ones, axis=_axes(axis), keepdims=keepdims))


def _along(x: Any, axis: Any) -> Any:
    """The array, which has to have the axes."""
    if isinstance(axis, list):
        raise ValueError(f"an axis is an int or a tuple of them; got {axis}")
    for n in axis if isinstance(axis, tuple) else () if axis is None else (axis,):
        if not -x.ndim <= n < x.ndim:
            raise ValueError(f"axis {n} is out of bounds for array of dimension {x.ndim}")
    return x


def softmax(x: Any, axis: Any = -1, where: Any = None) -> Any:
    x = _along(_inexact(x), axis)
    if not x.size:
        return x
    if where is None and isinstance(axis, int) and not x.weak_type:
        return ops.nn.softmax(x, axis)
    masked = x if where is None else ops.where(as_array(where), x, float("-inf"))
    high = ops.max(masked, axis=_axes(axis), keepdims=True)
    terms = ops.exp(masked - ops.stop_gradient(ops.where(ops.isfinite(high), high, 0)))
    found = terms / ops.sum(terms, axis=_axes(axis), keepdims=True)
    return found if where is None else ops.where(as_array(where), found, 0)


def log_softmax(x: Any, axis: Any = -1, where: Any = None) -> Any:
    x = _along(_inexact(x), axis)
    if not x.size:
        return x
    masked = x if where is None else ops.where(as_array(where), x, float("-inf"))
    high = ops.max(masked, axis=_axes(axis), keepdims=True)
    moved = masked - ops.stop_gradient(ops.where(ops.isfinite(high), high, 0))
    found = moved - ops.log(ops.sum(ops.exp(moved), axis=_axes(axis), keepdims=True))
    return found if where is None else ops.where(as_array(where), found, float("-inf"))


def standardize(
    x: Any, axis: Any = -1, mean: Any = None, variance: Any = None, epsilon: Any = 1e-5, where: Any = None, *,
    algorithm: str = "fast",
) -> Any:  # fmt: skip
    from ..numpy.reductions import mean as mean_of

    x = as_array(x)
    if mean is None:
        mean = mean_of(x, axis, keepdims=True, where=where)
    if variance is None:
        if algorithm not in ("fast", "stable"):
            raise ValueError(f"Unknown algorithm {algorithm!r} for standardize")
        squares = ops.square(x) if algorithm == "fast" else ops.square(x - mean)
        variance = mean_of(squares, axis, keepdims=True, where=where)
        variance = variance - ops.square(mean) if algorithm == "fast" else variance
    return (x - mean) * ops.rsqrt(variance + epsilon)


def one_hot(x: Any, num_classes: Any, *, dtype: Any = None, axis: Any = -1) -> Any:
    x = asarray(x)
    dtype = our_dtype(float if dtype is None else dtype)
    axis = operator.index(axis) % (x.ndim + 1)
    shape = tuple(-1 if i == axis else 1 for i in range(x.ndim + 1))
    places = ops.reshape(ops.arange(operator.index(num_classes), dtype=x._array.dtype), shape)
    return ops.astype(ops.equal(ops.expand_dims(x, axis), places), dtype)


# --- attention ------------------------------------------------------------------------------------------------------


def dot_product_attention(
    query: Any, key: Any, value: Any, bias: Any = None, mask: Any = None, *, scale: Any = None,
    is_causal: bool = False, query_seq_lengths: Any = None, key_value_seq_lengths: Any = None,
    local_window_size: Any = None, implementation: Any = None, return_residual: bool = False,
) -> Any:  # fmt: skip
    if query_seq_lengths is not None or key_value_seq_lengths is not None or local_window_size is not None:
        raise NotImplementedError("dot_product_attention: lengths and windows are not there in this dialect")
    if return_residual:
        raise NotImplementedError("dot_product_attention: return_residual is not there in this dialect")
    q, k, v = (asarray(x) for x in (query, key, value))
    if any(x.ndim not in (3, 4) or x.dtype != q.dtype for x in (q, k, v)):
        raise ValueError("dot_product_attention: query, key and value have 3 or 4 axes and one dtype")
    rank = q.ndim
    q, k, v = (x if x.ndim == 4 else ops.expand_dims(x, 0) for x in (q, k, v))
    heads = q.shape[2]
    k, v = (x if x.shape[2] == heads else ops.repeat(x, heads // x.shape[2], 2) for x in (k, v))
    scores = ops.einsum("btnh,bsnh->bnts", q, k) * (1.0 / math.sqrt(q.shape[-1]) if scale is None else scale)
    if bias is not None:
        scores = scores + as_array(bias)
    far = -0.7 * float(lw.finfo(scores._array.dtype).max)
    if is_causal:
        rows, columns = ops.arange(scores.shape[-2]), ops.arange(scores.shape[-1])
        scores = ops.where(ops.expand_dims(rows, 1) >= columns, scores, far)
    if mask is not None:
        mask = as_array(mask)
        if any(m not in (1, n) for m, n in zip(mask.shape[::-1], scores.shape[::-1], strict=False)):
            raise TypeError(f"dot_product_attention: a mask of shape {mask.shape} does not fit {scores.shape}")
        scores = ops.where(mask, scores, far)
    found = ops.einsum("bnts,bsnh->btnh", ops.astype(softmax(scores), v._array.dtype), v)
    return found if rank == 4 else ops.squeeze(found, 0)


dialect.finish(globals(), view="jax.nn")
