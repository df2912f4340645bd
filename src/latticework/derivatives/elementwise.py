"""Rules of functions of each element alone."""

from __future__ import annotations

import math
from typing import Any

from ..backend.series import SINC_SLOPE, polynomial
from ..core.registry import functions as lw
from ..engine.arrays.array import Array
from .rules import Scaled, constant, elementwise, rule
from .tape import Call

# --- arithmetic -------------------------------------------------------------------------------------------------------

elementwise("add", 1, 1)
elementwise("subtract", 1, -1)
elementwise("multiply", lambda out, x, y: y, lambda out, x, y: x)
elementwise("divide", lambda out, x, y: 1 / y, lambda out, x, y: -out / y)
elementwise("negative", -1)
elementwise("positive", 1)
elementwise("square", lambda out, x: Scaled(2, x))
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
elementwise("atan2", lambda out, y, x: _turned(x, y), lambda out, y, x: -_turned(y, x))
elementwise("hypot", lambda out, x, y: _over(x, out), lambda out, x, y: _over(y, out))
elementwise("logaddexp", lambda out, x, y: _share(x, y, out), lambda out, x, y: _share(y, x, out))
elementwise("pow", lambda out, x, y: _of_base(x, y), lambda out, x, y: _of_exponent(out, x))
elementwise("remainder", 1, lambda out, x, y: -lw.floor(x / y))
elementwise("copysign", lambda out, x, y: lw.sign(x) * lw.sign(out), None)
elementwise("fabs", lambda out, x: lw.sign(x))
elementwise("maximum", lambda out, x, y: _chosen(x, y, out), lambda out, x, y: _chosen(y, x, out))
elementwise("minimum", lambda out, x, y: _chosen(x, y, out), lambda out, x, y: _chosen(y, x, out))
elementwise("fmax", lambda out, x, y: _chosen(x, y, out), lambda out, x, y: _chosen(y, x, out))
elementwise("fmin", lambda out, x, y: _chosen(x, y, out), lambda out, x, y: _chosen(y, x, out))
elementwise(
    "_clip",
    lambda out, x, low, high: lw.astype(_within(x, low, high), out.dtype),
    lambda out, x, low, high: lw.astype(lw.logical_and(x < low, low < high), out.dtype),
    lambda out, x, low, high: lw.astype(lw.logical_or(high < x, high <= low), out.dtype),
)
_LN2 = math.log(2)

elementwise("nextafter", 1, None)
elementwise("heaviside", None, lambda out, x, y: lw.astype(x == 0, out.dtype))
elementwise("exp2", lambda out, x: out * _LN2)
elementwise("cbrt", lambda out, x: out / (3 * x))
elementwise("deg2rad", lambda out, x: math.pi / 180)
elementwise("rad2deg", lambda out, x: 180 / math.pi)
elementwise("fmod", 1, lambda out, x, y: -lw.trunc(x / y))
elementwise("logaddexp2", lambda out, x, y: _share(x, y, out, _LN2), lambda out, x, y: _share(y, x, out, _LN2))
elementwise("ldexp", lambda out, x, n: lw.ldexp(lw.ones_like(x), n), None)
constant(
    "floor", "ceil", "trunc", "round", "floor_divide", "signbit", "equal", "not_equal", "less",
    "less_equal", "greater", "greater_equal", "isfinite", "isinf", "isnan", "logical_and", "logical_or", "logical_xor",
    "logical_not", "rint",
)  # fmt: skip


def _over(x: Any, norm: Array) -> Array:
    """Return ``x / norm``, 0 where the norm is 0."""
    return lw.where(norm == 0, 0, x / lw.where(norm == 0, 1, norm))


def _turned(x: Array, y: Any) -> Array:
    """Return ``x / (x**2 + y**2)``, 0 where both are 0: the slope of an angle. No square leaves the range."""
    size = lw.hypot(x, y)
    return _over(_over(x, size), size)


def _within(x: Array, low: Any, high: Any) -> Array:
    """Tell which elements a clip leaves, those at a bound too. Between bounds that are equal there is none."""
    inside = lw.logical_and(low <= x, x <= high)
    if isinstance(low, Array) or isinstance(high, Array):
        return lw.logical_and(inside, low < high)
    return inside if low < high else lw.zeros_like(inside)


def _share(x: Any, other: Any, out: Array, factor: float = 1.0) -> Array:
    """Return the share of x in a sum of two exponentials of `factor` times x and the other. It is found from their
    difference: the rounding of a large sum is more than that. Two equal infinities have a half each; of another
    infinite sum the share is 1 or 0."""
    infinite = lw.isinf(out)
    away = lw.where(infinite, 0, x) - lw.where(infinite, 0, other)
    whole = lw.astype(lw.logical_and(x == out, out > 0), out.dtype)
    whole = lw.where(lw.equal(x, other), 0.5, whole)
    return lw.where(infinite, whole, lw.nn.sigmoid(away if factor == 1 else away * factor))


def _chosen(x: Any, other: Any, out: Array) -> Array:
    """Return the slope of a greatest or least one of two: equal ones share."""
    mine = lw.astype(lw.logical_or(x == out, lw.isnan(out)), out.dtype)
    return mine - 0.5 * lw.astype(x == other, out.dtype) * mine


def _of_base(x: Any, y: Any) -> Any:
    if not isinstance(y, Array):
        return 0 * x if y == 0 else 1 if y == 1 else Scaled(y, x if y == 2 else x ** (y - 1))
    flat = lw.logical_and(y == 0, x == 0)  # where the power of x is infinite, and its factor 0
    return lw.where(flat, 0, y * x ** lw.where(flat, 0, y - 1))


def _of_exponent(out: Array, x: Any) -> Any:
    if not isinstance(x, Array):
        x = lw.full((), x, dtype=out.dtype, device=out.device)
    if out.dtype.kind == "c":
        return out * lw.log(lw.where(x == 0, 1, x))
    return out * lw.log(lw.where(x > 0, x, 1))


elementwise("sinc", lambda out, x: _slope_of_sinc(x))


def _slope_of_sinc(x: Array) -> Array:
    """Return the slope by its series near 0, where the quotient cancels."""
    near = lw.abs(x) < 0.25
    small, far = lw.where(near, x, 0), lw.where(near, 1, x)
    series = small * polynomial((small * math.pi) ** 2, SINC_SLOPE)
    return lw.where(near, series, (lw.cos(far * math.pi) - lw.sinc(far)) / far)


# --- complex numbers --------------------------------------------------------------------------------------------------


def _by_parts(name: str, reverse: Any, forward: Any) -> None:
    """State the rule of a function of one complex operand that is no holomorphic one."""
    rule(name, lambda call, tangents: forward(call, tangents[0]))(lambda call, g: {0: reverse(call, g)})


_by_parts("real", lambda call, g: g, lambda call, t: lw.real(t))
_by_parts("imag", lambda call, g: lw.astype(g, call.args[0].dtype) * 1j, lambda call, t: lw.imag(t))
_by_parts("conj", lambda call, g: lw.conj(g), lambda call, t: lw.conj(t))


def _of_abs(call: Call, g: Array) -> Array:
    return g * lw.sign(call.args[0])


def _along_abs(call: Call, t: Array) -> Array:
    x = call.args[0]
    return lw.real(lw.conj(lw.sign(x)) * t) if x.dtype.kind == "c" else lw.sign(x) * t


_by_parts("abs", _of_abs, _along_abs)


def _of_sign(call: Call, g: Array) -> Any:
    """Of ``z / |z|``: what is across the direction of z, over its size. 0 for real numbers, and at 0."""
    x = call.args[0]
    if x.dtype.kind != "c":
        return None
    size = lw.abs(x)
    zero = size == 0
    across = lw.imag(lw.conj(call.out) * g) / lw.where(zero, 1, size)
    return lw.where(zero, 0, across * 1j * call.out)


rule("sign")(lambda call, g: {0: _of_sign(call, g)})
rule("polar")(
    lambda call, g: {
        0: lw.real(lw.conj(_direction(call)) * g),
        1: lw.imag(lw.conj(_direction(call)) * g) * call.args[0],
    }
)


def _direction(call: Call) -> Array:
    r, angle = call.args
    return lw.polar(lw.ones_like(r), angle)


# --- several results --------------------------------------------------------------------------------------------------

rule("frexp")(lambda call, g: {0: lw.ldexp(g[0], -call.out[1])})
rule("modf")(lambda call, g: {0: g[0]})
