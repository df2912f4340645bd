"""Rules of functions of each element alone."""

from __future__ import annotations

import math
from typing import Any

from ..core.registry import functions as lw
from ..engine.arrays.array import Array
from .rules import constant, elementwise, rule
from .tape import Call


# --- arithmetic -------------------------------------------------------------------------------------------------------

elementwise("add", 1, 1)
elementwise("subtract", 1, -1)
elementwise("multiply", lambda out, x, y: y, lambda out, x, y: x)
elementwise("divide", lambda out, x, y: 1 / y, lambda out, x, y: -out / y)
elementwise("negative", -1)
elementwise("positive", 1)
elementwise("square", lambda out, x: 2 * x)
elementwise("reciprocal", lambda out, x: -out * out)
elementwise("sqrt", lambda out, x: 0.5 / out)
elementwise("exp", lambda out, x: out)
elementwise("expm1", lambda out, x: out + 1)
elementwise("log", lambda out, x: 1 / x)
elementwise("log1p", lambda out, x: 1 / (1 + x))
elementwise("log2", lambda out, x: 1 / (x * math.log(2)))
elementwise("log10", lambda out, x: 1 / (x * math.log(10)))
elementwise("sin", lambda out, x: lw.cos(x))
elementwise("cos", lambda out, x: -lw.sin(x))
elementwise("tan", lambda out, x: 1 + out * out)
elementwise("asin", lambda out, x: 1 / lw.sqrt((1 - x) * (1 + x)))
elementwise("acos", lambda out, x: -1 / lw.sqrt((1 - x) * (1 + x)))
elementwise("atan", lambda out, x: 1 / (1 + x * x))
elementwise("sinh", lambda out, x: lw.cosh(x))
elementwise("cosh", lambda out, x: lw.sinh(x))
elementwise("tanh", lambda out, x: 1 - out * out)
elementwise("asinh", lambda out, x: 1 / lw.sqrt(1 + x * x))
elementwise("acosh", lambda out, x: 1 / (lw.sqrt(x - 1) * lw.sqrt(x + 1)))
elementwise("atanh", lambda out, x: 1 / ((1 - x) * (1 + x)))
elementwise("atan2", lambda out, y, x: x / (x * x + y * y), lambda out, y, x: -y / (x * x + y * y))
elementwise("hypot", lambda out, x, y: _over(x, out), lambda out, x, y: _over(y, out))
elementwise("logaddexp", lambda out, x, y: _share(x, out), lambda out, x, y: _share(y, out))
elementwise("pow", lambda out, x, y: _of_base(x, y), lambda out, x, y: _of_exponent(out, x))
elementwise("remainder", 1, lambda out, x, y: -lw.floor(x / y))
elementwise("copysign", lambda out, x, y: lw.sign(x) * lw.sign(out), None)
constant(
    "floor", "ceil", "trunc", "round", "floor_divide", "nextafter", "signbit", "equal", "not_equal", "less",
    "less_equal", "greater", "greater_equal", "isfinite", "isinf", "isnan", "logical_and", "logical_or", "logical_xor",
    "logical_not", "rint", "heaviside",
)  # fmt: skip


def _over(x: Any, norm: Array) -> Array:
    """Return ``x / norm``, 0 where the norm is 0."""
    return lw.where(norm == 0, 0, x / lw.where(norm == 0, 1, norm))


def _share(x: Any, out: Array) -> Array:
    """Return ``exp(x - out)``: the share of x in the sum of exponentials; 0 where all of it is -inf."""
    both = lw.isinf(out)
    return lw.where(both, 0, lw.exp(lw.where(both, 0, x - lw.where(both, 0, out))))


def _of_base(x: Any, y: Any) -> Any:
    if not isinstance(y, Array):
        return 1 if y == 1 else 0 * x if y == 0 else y * x ** (y - 1)
    safe = lw.where(y == 0, 1, y)
    return lw.where(y == 0, 0, y * x ** (safe - 1))


def _of_exponent(out: Array, x: Any) -> Any:
    if not isinstance(x, Array):
        x = lw.full((), x, dtype=out.dtype, device=out.device)
    if out.dtype.kind == "c":
        return out * lw.log(lw.where(x == 0, 1, x))
    return out * lw.log(lw.where(x > 0, x, 1))
