"""Functions of single elements, of operands that have one dtype: nothing is promoted here."""

from __future__ import annotations

from enum import Enum
from typing import Any

import latticework as lw

from ....core.dtypes import Dtype
from ....engine.array import Array
from ... import shortcuts
from ..core import as_array, dialect, ops, our_dtype

__all__ = [
    "RoundingMethod",
    "abs", "acos", "acosh", "add", "asin", "asinh", "atan", "atan2", "atanh", "bessel_i0e", "bessel_i1e", "betainc",
    "bitcast_convert_type", "bitwise_and", "bitwise_not", "bitwise_or", "bitwise_xor", "cbrt", "ceil", "clamp",
    "complex", "conj", "convert_element_type", "cos", "cosh", "digamma", "div", "eq", "erf", "erf_inv", "erfc",
    "exp", "exp2", "expm1", "floor", "ge", "gt", "igamma", "igammac", "imag", "integer_pow", "is_finite", "le",
    "lgamma", "log", "log1p", "logistic", "lt", "max", "min", "mul", "ne", "neg", "nextafter", "polygamma",
    "population_count", "pow", "real", "reciprocal", "rem", "round", "rsqrt", "select", "select_n", "shift_left",
    "shift_right_arithmetic", "shift_right_logical", "sign", "sin", "sinh", "sqrt", "square", "sub", "tan", "tanh",
    "zeta",
]  # fmt: skip


class RoundingMethod(Enum):
    """How halves are rounded."""

    AWAY_FROM_ZERO = 0
    TO_NEAREST_EVEN = 1


def _ours(path: str) -> Any:
    found = ops
    for part in path.split("."):
        found = getattr(found, part)
    return found


def _check_kind(name: str, x: Any, kinds: str) -> None:
    kind = x._array.dtype.kind
    if kind not in kinds:
        names = {"b": "bool", "i": "integer", "f": "floating", "c": "complexfloating"}
        shown = [name for letter, name in names.items() if letter in kinds]
        raise TypeError(f"{name} does not accept dtype {x.dtype}. Accepted dtypes are subtypes of {', '.join(shown)}.")


def one(name: str, ours: str, x: Any, kinds: str) -> Any:
    """Call one of our functions of one array, of these kinds of dtype."""
    x = as_array(x, name)
    _check_kind(name, x, kinds)
    return _ours(ours)(x)


def alike(name: str, *xs: Any) -> list[Any]:
    """Operands as arrays of one dtype, and of one rank where they have axes."""
    arrays = [as_array(x, name) for x in xs]
    if len({x.dtype for x in arrays}) > 1:
        raise TypeError(f"lax.{name} requires arguments to have the same dtypes, got {[x.dtype.name for x in arrays]}")
    if len({x.ndim for x in arrays if x.ndim}) > 1:
        raise TypeError(f"{name}: arrays must have the same number of dimensions, got {[x.shape for x in arrays]}")
    return arrays


def two(name: str, ours: str, x: Any, y: Any, kinds: str) -> Any:
    """Call one of our functions of two arrays of one dtype, of these kinds."""
    x, y = alike(name, x, y)
    _check_kind(name, x, kinds)
    return _ours(ours)(x, y)


# fmt: off
def abs(x: Any) -> Any: return one("abs", "abs", x, "ifc")
def acos(x: Any) -> Any: return one("acos", "acos", x, "fc")
def acosh(x: Any) -> Any: return one("acosh", "acosh", x, "fc")
def asin(x: Any) -> Any: return one("asin", "asin", x, "fc")
def asinh(x: Any) -> Any: return one("asinh", "asinh", x, "fc")
def atan(x: Any) -> Any: return one("atan", "atan", x, "fc")
def atanh(x: Any) -> Any: return one("atanh", "atanh", x, "fc")
def bessel_i0e(x: Any) -> Any: return one("bessel_i0e", "special.i0e", x, "f")
def bessel_i1e(x: Any) -> Any: return one("bessel_i1e", "special.i1e", x, "f")
def bitwise_not(x: Any) -> Any: return one("bitwise_not", "bitwise_invert", x, "biu")
def ceil(x: Any) -> Any: return one("ceil", "ceil", x, "f")
def conj(x: Any) -> Any: return one("conj", "conj", _complex(x), "c")
def cosh(x: Any) -> Any: return one("cosh", "cosh", x, "fc")
def digamma(x: Any) -> Any: return one("digamma", "special.digamma", x, "f")
def erf(x: Any) -> Any: return one("erf", "special.erf", x, "f")
def erf_inv(x: Any) -> Any: return one("erf_inv", "special.erfinv", x, "f")
def erfc(x: Any) -> Any: return one("erfc", "special.erfc", x, "f")
def floor(x: Any) -> Any: return one("floor", "floor", x, "f")
def imag(x: Any) -> Any: return one("imag", "imag", x, "c")
def is_finite(x: Any) -> Any: return one("is_finite", "isfinite", x, "f")
def lgamma(x: Any) -> Any: return one("lgamma", "special.gammaln", x, "f")
def neg(x: Any) -> Any: return one("neg", "negative", x, "iufc")
def real(x: Any) -> Any: return one("real", "real", x, "c")
def reciprocal(x: Any) -> Any: return one("reciprocal", "reciprocal", x, "fc")
def sign(x: Any) -> Any: return one("sign", "sign", x, "iufc")
def sinh(x: Any) -> Any: return one("sinh", "sinh", x, "fc")
def square(x: Any) -> Any: return one("square", "square", x, "iufc")
def cbrt(x: Any, *, accuracy: Any = None) -> Any: return one("cbrt", "cbrt", x, "f")
def cos(x: Any, *, accuracy: Any = None) -> Any: return one("cos", "cos", x, "fc")
def exp(x: Any, *, accuracy: Any = None) -> Any: return one("exp", "exp", x, "fc")
def exp2(x: Any, *, accuracy: Any = None) -> Any: return one("exp2", "exp2", x, "fc")
def expm1(x: Any, *, accuracy: Any = None) -> Any: return one("expm1", "expm1", x, "fc")
def log(x: Any, *, accuracy: Any = None) -> Any: return one("log", "log", x, "fc")
def log1p(x: Any, *, accuracy: Any = None) -> Any: return one("log1p", "log1p", x, "fc")
def logistic(x: Any, *, accuracy: Any = None) -> Any: return one("logistic", "special.expit", x, "fc")
def rsqrt(x: Any, *, accuracy: Any = None) -> Any: return one("rsqrt", "rsqrt", x, "fc")
def sin(x: Any, *, accuracy: Any = None) -> Any: return one("sin", "sin", x, "fc")
def sqrt(x: Any, *, accuracy: Any = None) -> Any: return one("sqrt", "sqrt", x, "fc")
def tan(x: Any, *, accuracy: Any = None) -> Any: return one("tan", "tan", x, "fc")
def tanh(x: Any, *, accuracy: Any = None) -> Any: return one("tanh", "tanh", x, "fc")
def add(x: Any, y: Any) -> Any: return two("add", "add", x, y, "iufc")
def atan2(x: Any, y: Any) -> Any: return two("atan2", "atan2", x, y, "f")
def bitwise_and(x: Any, y: Any) -> Any: return two("bitwise_and", "bitwise_and", x, y, "biu")
def bitwise_or(x: Any, y: Any) -> Any: return two("bitwise_or", "bitwise_or", x, y, "biu")
def bitwise_xor(x: Any, y: Any) -> Any: return two("bitwise_xor", "bitwise_xor", x, y, "biu")
def eq(x: Any, y: Any) -> Any: return two("eq", "equal", x, y, "biufc")
def ge(x: Any, y: Any) -> Any: return two("ge", "greater_equal", x, y, "biuf")
def gt(x: Any, y: Any) -> Any: return two("gt", "greater", x, y, "biuf")
def igamma(a: Any, x: Any) -> Any: return two("igamma", "special.gammainc", a, x, "f")
def igammac(a: Any, x: Any) -> Any: return two("igammac", "special.gammaincc", a, x, "f")
def le(x: Any, y: Any) -> Any: return two("le", "less_equal", x, y, "biuf")
def lt(x: Any, y: Any) -> Any: return two("lt", "less", x, y, "biuf")
def max(x: Any, y: Any) -> Any: return two("max", "maximum", x, y, "biufc")
def min(x: Any, y: Any) -> Any: return two("min", "minimum", x, y, "biufc")
def ne(x: Any, y: Any) -> Any: return two("ne", "not_equal", x, y, "biufc")
def rem(x: Any, y: Any) -> Any: return two("rem", "fmod", x, y, "iuf")
def shift_left(x: Any, y: Any) -> Any: return two("shift_left", "bitwise_left_shift", x, y, "iu")
def shift_right_arithmetic(x: Any, y: Any) -> Any:
    return two("shift_right_arithmetic", "bitwise_right_shift", x, y, "iu")
def sub(x: Any, y: Any) -> Any: return two("sub", "subtract", x, y, "iufc")
# fmt: on


def _complex(x: Any) -> Any:
    """The array, as complex numbers."""
    x = as_array(x, "conj")
    return ops.add(x, 0j) if x.dtype.name in ("float32", "float64") else x


def mul(x: Any, y: Any, *, out_dtype: Any = None) -> Any:
    found = two("mul", "multiply", x, y, "iufc")
    return found if out_dtype is None else ops.astype(found, our_dtype(out_dtype))


def div(x: Any, y: Any) -> Any:
    x, y = alike("div", x, y)
    _check_kind("div", x, "iufc")
    if x.dtype.kind in "iu":  # towards 0
        return ops.floor_divide(ops.subtract(x, ops.fmod(x, y)), y)
    return ops.divide(x, y)


def pow(x: Any, y: Any) -> Any:
    x, y = as_array(x, "pow"), as_array(y, "pow")
    _check_kind("pow", x, "fc" if y.dtype.kind not in "iu" else "iufc")
    if y.dtype.kind in "biu" and x.dtype.kind not in "biu":
        return ops.pow(x, ops.astype(y, x._array.dtype))
    return ops.pow(*alike("pow", x, y))


def integer_pow(x: Any, y: int) -> Any:
    x, y = as_array(x, "integer_pow"), _static(y)
    return ops.pow(x, y) if y >= 0 or x.dtype.kind not in "iu" else _negative_power(x)


def _static(y: Any) -> int:
    """An exponent, which is a number and no array."""
    if type(y) is dialect.array:
        raise TypeError("integer_pow: the exponent is an int, and no array")
    return int(y)


def _negative_power(x: Any) -> Any:
    raise TypeError(f"Integers cannot be raised to negative powers, got {x.dtype}")


def nextafter(x1: Any, x2: Any) -> Any:
    return two("nextafter", "nextafter", x1, x2, "f")


def zeta(x: Any, q: Any) -> Any:
    return two("zeta", "special.zeta", x, q, "f")


def polygamma(m: Any, x: Any) -> Any:
    m, x = alike("polygamma", m, x)
    return ops.special.polygamma(m, x)


def betainc(a: Any, b: Any, x: Any) -> Any:
    return ops.special.betainc(*alike("betainc", a, b, x))


def complex(x: Any, y: Any) -> Any:
    x, y = alike("complex", x, y)
    _check_kind("complex", x, "f")
    wide = Dtype("complex128" if x.dtype.itemsize == 8 else "complex64")
    return ops.add(ops.astype(x, wide), ops.multiply(ops.astype(y, wide), 1j))


def round(x: Any, rounding_method: Any = RoundingMethod.AWAY_FROM_ZERO) -> Any:
    x = as_array(x, "round")
    _check_kind("round", x, "f")
    if getattr(rounding_method, "value", rounding_method) == 1:
        return ops.round(x)
    whole = ops.trunc(x)
    return ops.where(ops.abs(x - whole) >= 0.5, whole + ops.sign(x), whole)


def clamp(min: Any, x: Any, max: Any) -> Any:
    min, x, max = (as_array(v, "clamp") for v in (min, x, max))
    if not min.dtype == x.dtype == max.dtype:
        raise TypeError(f"clamp requires arguments to have the same dtypes, got {min.dtype}, {x.dtype} and {max.dtype}")
    for bound, name in ((min, "min"), (max, "max")):
        if bound.ndim and bound.shape != x.shape:
            raise TypeError(f"clamp requires {name}.shape == operand.shape or {name}.shape == (), got {bound.shape}")
    return ops.minimum(ops.maximum(x, min), max)


def select(pred: Any, on_true: Any, on_false: Any) -> Any:
    return select_n(pred, on_false, on_true)


def select_n(which: Any, *cases: Any) -> Any:
    which = as_array(which, "select")
    if which.dtype.kind != "b" and which.dtype.name != "int32":
        raise TypeError(f"select `which` must be boolean or int32 type, got {which.dtype}.")
    arrays = [as_array(x, "select") for x in cases]
    if len({x.shape for x in arrays}) > 1:
        raise TypeError(f"select cases must have the same shapes, got {[x.shape for x in arrays]}.")
    if len({x.dtype for x in arrays}) > 1:
        raise TypeError(f"lax.select requires arguments to have the same dtypes, got {[x.dtype.name for x in arrays]}")
    if which.ndim and which.shape != arrays[0].shape:
        raise TypeError(f"select `which` must be scalar or have the same shape as cases, got {which.shape}.")
    if which.dtype.kind == "b":
        if len(arrays) != 2:
            raise TypeError(f"select with boolean `which` takes two cases, got {len(arrays)}")
        return ops.where(which, arrays[1], arrays[0])
    found = arrays[0]
    for i, x in enumerate(arrays[1:], 1):
        found = ops.where(ops.greater_equal(which, i), x, found)
    return found


def shift_right_logical(x: Any, y: Any) -> Any:
    x, y = alike("shift_right_logical", x, y)
    _check_kind("shift_right_logical", x, "iu")
    own = x._array.dtype
    if own.kind == "u":
        return ops.bitwise_right_shift(x, y)
    unsigned = lw.as_dtype(f"u{own.name}")
    return ops.bitcast(ops.bitwise_right_shift(ops.bitcast(x, unsigned), ops.bitcast(y, unsigned)), own)


def population_count(x: Any) -> Any:
    from ..transformations import weakened

    x = as_array(x, "population_count")
    _check_kind("population_count", x, "iu")
    own = x._array.dtype
    found = ops.bitwise_count(x if own.kind == "u" else ops.bitcast(x, lw.as_dtype(f"u{own.name}")))
    return weakened(ops.astype(found, own), [x.weak_type])


def convert_element_type(operand: Any, new_dtype: Any) -> Any:
    from ..numpy.creation import _cast

    return _cast(as_array(operand, "convert_element_type"), our_dtype(new_dtype))


def bitcast_convert_type(operand: Any, new_dtype: Any) -> Any:
    operand = as_array(operand, "bitcast_convert_type")
    return ops.bitcast(operand, our_dtype(new_dtype))


# --- short ways over arrays of ours -----------------------------------------------------------------------------------


def _selected(pred: Array, on_true: Any, on_false: Any) -> Any:
    x, y = on_true._array, on_false._array
    sig, shape = x._sig, x._data.shape
    if pred._sig.dtype.kind != "b" or y._sig is not sig or sig.weak:
        return None
    return lw.where(pred, x, y) if pred._data.shape == shape == y._data.shape else None


dialect.finish(globals(), view="jax.lax", short={
    "select": _selected, "rsqrt": shortcuts.of_floats(lw.rsqrt),
}, casts="convert_element_type")  # fmt: skip
