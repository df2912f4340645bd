"""Elementwise functions on NumPy: ufuncs, nearly all."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import numpy as np

from ...backend.plain import NativeCall, comes_to
from ...core.dtypes import bfloat16, category, float16
from .core import EMULATED, QUICKER

# --- arithmetic --------------------------------------------------------------------------------------------------

add = np.add
subtract = np.subtract
multiply = np.multiply
divide = np.divide
floor_divide = np.floor_divide
remainder = np.remainder
pow = np.power
square = np.square
reciprocal = np.reciprocal
negative = np.negative
positive = np.positive
abs = np.abs
sign = np.sign
copysign = np.copysign
nextafter = np.nextafter
hypot = np.hypot


def _power_by(functions: dict[float, Callable[..., Any]]) -> Callable[..., Any]:
    """Make `pow` for Python scalars as exponents: for some, these functions, as in the operator of ndarray."""

    def plain(x: Any, exponent: Any, out: Any = None) -> NativeCall | None:
        function = functions.get(exponent)
        if out is not None:
            return None
        return (np.power, (x, exponent), {}) if function is None else (function, (x,), {})

    def power(x: Any, exponent: Any, out: Any = None) -> Any:
        function = functions.get(exponent)
        if function is None:
            return np.power(x, exponent, out=out)
        return function(x) if out is None else function(x, out=out)

    comes_to(power, plain)

    return power


_POWERS: dict[float, Callable[..., Any]] = {2: np.square, -1: np.reciprocal}
for _d in category("numeric"):
    if _d.kind in "iu":
        _functions: dict[float, Callable[..., Any]] = {2: np.square}
    elif _d in (
        float16,
        bfloat16,
    ):  # np.sqrt(-0.0) is -0.0, which is not the power; for wider dtypes np.power gives it too
        _functions = _POWERS
    else:
        _functions = {**_POWERS, 0.5: np.sqrt}
    QUICKER["pow", _d, "scalar"] = _power_by(_functions)

# --- exponentials, logarithms, trigonometry ----------------------------------------------------------------------

exp = np.exp
expm1 = np.expm1
log = np.log
log1p = np.log1p
log2 = np.log2
log10 = np.log10
logaddexp = np.logaddexp
sqrt = np.sqrt
sin = np.sin
cos = np.cos
tan = np.tan
asin = np.arcsin
acos = np.arccos
atan = np.arctan
atan2 = np.arctan2
sinh = np.sinh
cosh = np.cosh
tanh = np.tanh
asinh = np.arcsinh
acosh = np.arccosh
atanh = np.arctanh


def _log1p_of_complex(x: Any) -> Any:
    """np.log1p adds the one first and loses small numbers; here they are kept, where 1 + x has a size near 1."""
    x = np.asarray(x)
    moved, height = x.real + 1, x.imag
    out = np.empty_like(x)
    np.arctan2(height, moved, out=out.imag)
    np.log(np.hypot(moved, height), out=out.real)
    with np.errstate(all="ignore"):
        squared = x.real * (x.real + 2) + height * height
        np.multiply(np.log1p(squared), 0.5, out=out.real, where=np.abs(squared) < 0.5)
    return out


EMULATED.update({("log1p", dtype): _log1p_of_complex for dtype in category("complex floating")})

# --- rounding and bounds -----------------------------------------------------------------------------------------

ceil = np.ceil
floor = np.floor
trunc = np.trunc
round = np.rint


def _around(x: Any, decimals: int) -> Any:
    """np.round, with a scale that the dtype holds; numbers that the scale makes infinite stay as they are."""
    scale = x.dtype.type(10.0 ** builtins.abs(decimals))
    to, back = (np.multiply, np.divide) if decimals > 0 else (np.divide, np.multiply)
    result = to(x, scale)
    np.rint(result, out=result)
    back(result, scale, out=result)
    if result.size and not (np.isfinite(result.min()) and np.isfinite(result.max())):
        np.copyto(result, x, where=~np.isfinite(result))
    return result


maximum = np.maximum
minimum = np.minimum


def _plain_clip(x: Any, low: Any, high: Any) -> NativeCall | None:
    return (np.ndarray.clip, (x, low, high), {}) if isinstance(x, np.ndarray) else None


def _clip(x: Any, low: Any, high: Any) -> Any:
    return x.clip(low, high)  # what np.clip comes to after three more calls


comes_to(_clip, _plain_clip)


def _clip_in_two(x: Any, low: Any, high: Any) -> Any:
    return np.minimum(np.maximum(x, low), high)


EMULATED["_clip", bfloat16] = _clip_in_two  # ml_dtypes has no loop for clip
EMULATED.update({("round", dtype): np.positive for dtype in category("integral")})  # rint makes floats of them

# --- comparisons, predicates, logic, bits ------------------------------------------------------------------------

equal = np.equal
not_equal = np.not_equal
less = np.less
less_equal = np.less_equal
greater = np.greater
greater_equal = np.greater_equal
isfinite = np.isfinite
isinf = np.isinf
isnan = np.isnan
signbit = np.signbit
logical_and = np.logical_and
logical_or = np.logical_or
logical_xor = np.logical_xor
logical_not = np.logical_not
bitwise_and = np.bitwise_and
bitwise_or = np.bitwise_or
bitwise_xor = np.bitwise_xor
bitwise_invert = np.invert
bitwise_left_shift = np.left_shift
bitwise_right_shift = np.right_shift

# --- complex numbers ---------------------------------------------------------------------------------------------

conj = np.conj


def real(x: Any) -> Any:
    """Return the attribute, a view; np.real returns the same after it has checked that x has it."""
    return x.real


def imag(x: Any) -> Any:
    return x.imag


# The attribute of a real array cannot be written to.
EMULATED.update({("imag", dtype): np.zeros_like for dtype in category("real numeric")})
