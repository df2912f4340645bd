"""Operators of each element: arithmetic, comparisons, activations, casts."""

from __future__ import annotations

import math
from functools import reduce
from operator import attrgetter
from typing import Any

import latticework as lw

from .table import Call, dtype_of, reads

__all__: list[str] = []

#: Operators that are a function of latticework, by the names of both.
_FUNCTIONS = {
    "Abs": "abs", "Acos": "acos", "Acosh": "acosh", "Asin": "asin", "Asinh": "asinh", "Atan": "atan", "Atanh": "atanh",
    "Ceil": "ceil", "Cos": "cos", "Cosh": "cosh", "Exp": "exp", "Floor": "floor", "IsNaN": "isnan", "Log": "log",
    "Neg": "negative", "Not": "logical_not", "Reciprocal": "reciprocal", "Round": "round", "Sign": "sign", "Sin": "sin",
    "Sinh": "sinh", "Sqrt": "sqrt", "Tan": "tan", "Tanh": "tanh", "BitwiseNot": "bitwise_invert", "Erf": "special.erf",
    "Relu": "nn.relu", "Sigmoid": "nn.sigmoid", "Softplus": "nn.softplus", "Softsign": "nn.softsign", "Mish": "nn.mish",
    "Add": "add", "Sub": "subtract", "Mul": "multiply", "And": "logical_and", "Or": "logical_or", "Xor": "logical_xor",
    "BitwiseAnd": "bitwise_and", "BitwiseOr": "bitwise_or", "BitwiseXor": "bitwise_xor", "Equal": "equal",
    "Less": "less", "LessOrEqual": "less_equal", "Greater": "greater", "GreaterOrEqual": "greater_equal",
    "MatMul": "matmul", "Where": "where",
}  # fmt: skip


@reads(*_FUNCTIONS)
def _named(c: Call, *arrays: Any) -> Any:
    return attrgetter(_FUNCTIONS[c.kind])(lw)(*arrays)


@reads("Identity")
def _identity(c: Call, x: Any) -> Any:
    return x


@reads("Div")
def _div(c: Call, x: Any, y: Any) -> Any:
    """Divide; ints towards zero."""
    if x.dtype.kind not in "iu":
        return x / y
    quotient = x // y
    if x.dtype.kind == "u":
        return quotient
    left = x - quotient * y
    return lw.where((left != 0) & ((x < 0) != (y < 0)), quotient + 1, quotient)


@reads("Mod")
def _mod(c: Call, x: Any, y: Any) -> Any:
    return lw.fmod(x, y) if c.get("fmod", 0) else lw.remainder(x, y)


@reads("Pow")
def _pow(c: Call, x: Any, y: Any) -> Any:
    """Raise to a power, in the dtype of the base."""
    if x.dtype is y.dtype and x.dtype.kind == "f":
        return lw.pow(x, y)
    if x.dtype.kind == "f":
        return lw.pow(x, lw.astype(y, x.dtype))
    if y.dtype.kind == "f":
        return lw.astype(lw.pow(lw.astype(x, y.dtype), y), x.dtype)
    return lw.pow(x, lw.astype(y, x.dtype))


@reads("Sum", "Mean", "Max", "Min")
def _variadic(c: Call, *arrays: Any) -> Any:
    function = {"Max": lw.maximum, "Min": lw.minimum}.get(c.kind, lw.add)
    found = reduce(function, arrays)
    return found / len(arrays) if c.kind == "Mean" else found


@reads("Clip")
def _clip(c: Call, x: Any, low: Any = None, high: Any = None) -> Any:
    """Keep within bounds: attributes before opset 11, then inputs. The upper one counts where they cross."""
    low, high = c.get("min", low), c.get("max", high)
    x = x if low is None else lw.maximum(x, low)
    return x if high is None else lw.minimum(x, high)


@reads("BitShift")
def _shift(c: Call, x: Any, y: Any) -> Any:
    left = c.get("direction") == "LEFT"
    return lw.bitwise_left_shift(x, y) if left else lw.bitwise_right_shift(x, y)


@reads("IsInf")
def _isinf(c: Call, x: Any) -> Any:
    up, down = c.get("detect_positive", 1), c.get("detect_negative", 1)
    if up and down:
        return lw.isinf(x)
    if not up and not down:
        return lw.zeros_like(x, dtype=lw.bool)
    return lw.isinf(x) & ((x > 0) if up else (x < 0))


# --- casts -----------------------------------------------------------------------------------------------------------


@reads("Cast")
def _cast(c: Call, x: Any) -> Any:
    dtype = dtype_of(c.get("to"), f"the result of Cast (node {c.name!r})")
    return _as(c, x, dtype)


@reads("CastLike")
def _cast_like(c: Call, x: Any, like: Any) -> Any:
    return _as(c, x, like.dtype)


def _as(c: Call, x: Any, dtype: Any) -> Any:
    """Cast; to floats of eight bits by the nearest number that there is, unless `saturate` is 0."""
    if dtype in lw.extended_dtypes and x.dtype.kind == "f" and x.dtype not in lw.extended_dtypes:
        most = lw.finfo(dtype).max
        if c.get("saturate", 1):
            x = lw.where(lw.isnan(x), x, lw.clip(x, -most, most))
    return lw.astype(x, dtype)


@reads("BitCast")
def _bit_cast(c: Call, x: Any) -> Any:
    return lw.bitcast(x, dtype_of(c.get("to"), f"the result of BitCast (node {c.name!r})"))


# --- activations -----------------------------------------------------------------------------------------------------


@reads("PRelu")
def _prelu(c: Call, x: Any, slope: Any) -> Any:
    return lw.where(x < 0, slope * x, x)


@reads("LeakyRelu")
def _leaky_relu(c: Call, x: Any) -> Any:
    return lw.nn.leaky_relu(x, c.get("alpha", 0.01))


@reads("Elu")
def _elu(c: Call, x: Any) -> Any:
    return lw.nn.elu(x, c.get("alpha", 1.0))


@reads("Celu")
def _celu(c: Call, x: Any) -> Any:
    return lw.nn.celu(x, c.get("alpha", 1.0))


@reads("Selu")
def _selu(c: Call, x: Any) -> Any:
    alpha, gamma = c.get("alpha", 1.67326319217681884765625), c.get("gamma", 1.05070102214813232421875)
    return gamma * lw.nn.elu(x, alpha)


@reads("ThresholdedRelu")
def _thresholded_relu(c: Call, x: Any) -> Any:
    return lw.where(x > c.get("alpha", 1.0), x, 0)


@reads("HardSigmoid")
def _hard_sigmoid(c: Call, x: Any) -> Any:
    return lw.clip(c.get("alpha", 0.2) * x + c.get("beta", 0.5), 0, 1)


@reads("HardSwish")
def _hard_swish(c: Call, x: Any) -> Any:
    return x * lw.clip(x / 6 + 0.5, 0, 1)


@reads("Swish")
def _swish(c: Call, x: Any) -> Any:
    return x * lw.nn.sigmoid(c.get("alpha", 1.0) * x)


@reads("Shrink")
def _shrink(c: Call, x: Any) -> Any:
    bias, most = c.get("bias", 0.0), c.get("lambd", 0.5)
    if x.dtype.kind != "f":
        bias = int(bias)
    return lw.where(x < -most, x + bias, lw.where(x > most, x - bias, lw.zeros_like(x)))


@reads("Gelu")
def _gelu(c: Call, x: Any) -> Any:
    return lw.nn.gelu(x, approximate=c.get("approximate", "none") == "tanh")


@reads("Softmax", "LogSoftmax", "Hardmax")
def _softmax(c: Call, x: Any) -> Any:
    """Along an axis; before opset 13 along all from an axis on, which is 1."""
    axis = c.get("axis", -1 if c.opset >= 13 else 1)
    shape = x.shape
    if c.opset < 13:
        axis = axis % len(shape) if shape else 0
        x, axis = lw.reshape(x, (math.prod(shape[:axis]), math.prod(shape[axis:]))), 1
    if c.kind == "Hardmax":
        found = lw.nn.one_hot(lw.argmax(x, axis=axis), x.shape[axis], dtype=x.dtype, axis=axis)
    else:
        found = (lw.nn.softmax if c.kind == "Softmax" else lw.nn.log_softmax)(x, axis=axis)
    return lw.reshape(found, shape) if c.opset < 13 else found
