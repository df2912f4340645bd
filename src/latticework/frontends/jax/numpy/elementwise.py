"""Functions of single elements: one line each where ours does the same."""

from __future__ import annotations

import math
from typing import Any

import latticework as lw

from ..core import as_array, dialect, ops, our_dtype
from ..promotion import is_weak
from .data_types import float_of
from .ufuncs import not_supported, ufunc

__all__ = [
    "abs",
    "absolute",
    "acos",
    "acosh",
    "add",
    "angle",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "around",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_count",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "cbrt",
    "ceil",
    "clip",
    "conj",
    "conjugate",
    "copysign",
    "cos",
    "cosh",
    "deg2rad",
    "degrees",
    "divide",
    "divmod",
    "equal",
    "exp",
    "exp2",
    "expm1",
    "fabs",
    "float_power",
    "floor",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "frexp",
    "gcd",
    "greater",
    "greater_equal",
    "heaviside",
    "hypot",
    "i0",
    "imag",
    "invert",
    "iscomplex",
    "isfinite",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "isreal",
    "lcm",
    "ldexp",
    "left_shift",
    "less",
    "less_equal",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logaddexp2",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "mod",
    "modf",
    "multiply",
    "nan_to_num",
    "negative",
    "nextafter",
    "not_equal",
    "positive",
    "pow",
    "power",
    "rad2deg",
    "radians",
    "real",
    "reciprocal",
    "remainder",
    "right_shift",
    "rint",
    "round",
    "sign",
    "signbit",
    "sin",
    "sinc",
    "sinh",
    "spacing",
    "sqrt",
    "square",
    "subtract",
    "tan",
    "tanh",
    "true_divide",
    "trunc",
    "unwrap",
]  # fmt: skip


# fmt: off
def abs(x: Any, /) -> Any: return ops.abs(x)
def absolute(x: Any, /) -> Any: return ops.abs(x)
def acos(x: Any, /) -> Any: return ops.acos(x)
def acosh(x: Any, /) -> Any: return ops.acosh(x)
def arccos(x: Any, /) -> Any: return ops.acos(x)
def arccosh(x: Any, /) -> Any: return ops.acosh(x)
def arcsin(x: Any, /) -> Any: return ops.asin(x)
def arcsinh(x: Any, /) -> Any: return ops.asinh(x)
def arctan(x: Any, /) -> Any: return ops.atan(x)
def arctanh(x: Any, /) -> Any: return ops.atanh(x)
def asin(x: Any, /) -> Any: return ops.asin(x)
def asinh(x: Any, /) -> Any: return ops.asinh(x)
def atan(x: Any, /) -> Any: return ops.atan(x)
def atanh(x: Any, /) -> Any: return ops.atanh(x)
def bitwise_count(x: Any, /) -> Any: return ops.bitwise_count(x)
def bitwise_invert(x: Any, /) -> Any: return ops.bitwise_invert(x)
def bitwise_not(x: Any, /) -> Any: return ops.bitwise_invert(x)
def cbrt(x: Any, /) -> Any: return ops.cbrt(x)
def ceil(x: Any, /) -> Any: return ops.ceil(x)
def conj(x: Any, /) -> Any: return ops.conj(x)
def conjugate(x: Any, /) -> Any: return ops.conj(x)
def cos(x: Any, /) -> Any: return ops.cos(x)
def cosh(x: Any, /) -> Any: return ops.cosh(x)
def deg2rad(x: Any, /) -> Any: return ops.multiply(inexact(as_array(x, "deg2rad")), math.pi / 180)
def degrees(x: Any, /) -> Any: return rad2deg(x)
def exp(x: Any, /) -> Any: return ops.exp(x)
def exp2(x: Any, /) -> Any: return ops.exp2(x)
def expm1(x: Any, /) -> Any: return ops.expm1(x)
def fabs(x: Any, /) -> Any: return ops.fabs(x)
def floor(x: Any, /) -> Any: return ops.floor(x)
def invert(x: Any, /) -> Any: return ops.bitwise_invert(x)
def isfinite(x: Any, /) -> Any: return ops.isfinite(x)
def isinf(x: Any, /) -> Any: return ops.isinf(x)
def isnan(x: Any, /) -> Any: return ops.isnan(x)
def log(x: Any, /) -> Any: return ops.log(x)
def log10(x: Any, /) -> Any: return ops.log10(x)
def log1p(x: Any, /) -> Any: return ops.log1p(x)
def log2(x: Any, /) -> Any: return ops.log2(x)
def logical_not(x: Any, /) -> Any: return ops.logical_not(x)
def positive(x: Any, /) -> Any: return ops.positive(x)
def rad2deg(x: Any, /) -> Any: return ops.multiply(inexact(as_array(x, "rad2deg")), 180 / math.pi)
def radians(x: Any, /) -> Any: return deg2rad(x)
def reciprocal(x: Any, /) -> Any: return ops.reciprocal(x)
def rint(x: Any, /) -> Any: return ops.rint(x)
def sign(x: Any, /) -> Any: return ops.sign(x)
def signbit(x: Any, /) -> Any: return ops.signbit(_real(x, "signbit"))
def sin(x: Any, /) -> Any: return ops.sin(x)
def sinc(x: Any, /) -> Any: return _as_weak(ops.sinc(inexact(as_array(x, "sinc"))), x)
def sinh(x: Any, /) -> Any: return ops.sinh(x)
def sqrt(x: Any, /) -> Any: return ops.sqrt(x)
def square(x: Any, /) -> Any: return ops.square(x)
def tan(x: Any, /) -> Any: return ops.tan(x)
def tanh(x: Any, /) -> Any: return ops.tanh(x)
def frexp(x: Any, /) -> Any: return ops.frexp(x)
def trunc(x: Any) -> Any: return ops.trunc(x)
def iscomplex(x: Any) -> Any: return _as_weak(ops.iscomplex(_number(x)), x)
def isreal(x: Any) -> Any: return _as_weak(ops.isreal(_number(x)), x)
def i0(x: Any) -> Any: return ops.i0(x)
def arctan2(x1: Any, x2: Any, /) -> Any: return _atan2(x1, x2)
def atan2(x1: Any, x2: Any, /) -> Any: return _atan2(x1, x2)
def copysign(x1: Any, x2: Any, /) -> Any: return ops.copysign(x1, x2)
def divide(x1: Any, x2: Any, /) -> Any: return ops.divide(x1, x2)
def heaviside(x1: Any, x2: Any, /) -> Any: return ops.heaviside(x1, x2)
def hypot(x1: Any, x2: Any, /) -> Any:
    if any(x.dtype.kind == "c" if hasattr(x, "dtype") else type(x) is complex for x in (x1, x2)):
        raise ValueError("hypot: takes no complex numbers; take the real part first, or the absolute value")
    return ops.hypot(x1, x2)
def nextafter(x: Any, y: Any, /) -> Any: return ops.nextafter(x, y)
def float_power(x: Any, y: Any, /) -> Any:
    x, y = as_array(x, "float_power"), as_array(y, "float_power")
    weak = is_weak(x, y)
    return _as_weak(ops.pow(*_inexact(x, y)), 0.0) if weak else ops.pow(*_inexact(x, y))
def fmod(x1: Any, x2: Any, /) -> Any: return ops.fmod(x1, x2)
def ldexp(x1: Any, x2: Any, /) -> Any:
    x1, x2 = as_array(x1, "ldexp"), as_array(x2, "ldexp")
    if "c" in (x1.dtype.kind, x2.dtype.kind):
        raise ValueError(f"ldexp: takes no complex numbers; got {x1.dtype} and {x2.dtype}")
    return ops.ldexp(x1, x2)
def pow(x1: Any, x2: Any, /) -> Any: return ops.pow(x1, x2)
def power(x1: Any, x2: Any, /) -> Any: return ops.pow(x1, x2)
def remainder(x1: Any, x2: Any, /) -> Any: return ops.remainder(x1, x2)
def mod(x1: Any, x2: Any, /) -> Any: return ops.remainder(x1, x2)
def true_divide(x1: Any, x2: Any, /) -> Any: return ops.divide(x1, x2)
def bitwise_left_shift(x: Any, y: Any, /) -> Any: return ops.bitwise_left_shift(x, y)
def left_shift(x: Any, y: Any, /) -> Any: return ops.bitwise_left_shift(x, y)
def bitwise_right_shift(x1: Any, x2: Any, /) -> Any: return ops.bitwise_right_shift(x1, x2)
def right_shift(x1: Any, x2: Any, /) -> Any: return ops.bitwise_right_shift(x1, x2)
def equal(x: Any, y: Any, /) -> Any: return ops.equal(x, y)
def not_equal(x: Any, y: Any, /) -> Any: return ops.not_equal(x, y)
def greater(x: Any, y: Any, /) -> Any: return ops.greater(x, y)
def greater_equal(x: Any, y: Any, /) -> Any: return ops.greater_equal(x, y)
def less(x: Any, y: Any, /) -> Any: return ops.less(x, y)
def less_equal(x: Any, y: Any, /) -> Any: return ops.less_equal(x, y)
def floor_divide(x1: Any, x2: Any, /) -> Any: return ops.floor_divide(x1, x2)
def fmax(x1: Any, x2: Any) -> Any: return ops.fmax(x1, x2)
def fmin(x1: Any, x2: Any) -> Any: return ops.fmin(x1, x2)
def gcd(x1: Any, x2: Any) -> Any: return ops.gcd(*_integers("gcd", x1, x2))
def lcm(x1: Any, x2: Any) -> Any: return ops.lcm(*_integers("lcm", x1, x2))

def add(*args: Any, out: None = None, where: None = None) -> Any: return ufunc("add", args, out, where)
def bitwise_and(*args: Any, out: None = None, where: None = None) -> Any: return ufunc("bitwise_and", args, out, where)
def bitwise_or(*args: Any, out: None = None, where: None = None) -> Any: return ufunc("bitwise_or", args, out, where)
def bitwise_xor(*args: Any, out: None = None, where: None = None) -> Any: return ufunc("bitwise_xor", args, out, where)
def logaddexp(*args: Any, out: None = None, where: None = None) -> Any:
    if len(args) == 2 and _are_complex(*args):
        return _logaddexp(*args)
    return ufunc("logaddexp", args, out, where)
def logaddexp2(*args: Any, out: None = None, where: None = None) -> Any:
    if len(args) == 2 and _are_complex(*args):
        x, y = (ops.multiply(as_array(v, "logaddexp2"), math.log(2)) for v in args)
        return ops.divide(_logaddexp(x, y), math.log(2))
    return ufunc("logaddexp2", args, out, where)
def logical_and(*args: Any, out: None = None, where: None = None) -> Any: return ufunc("logical_and", args, out, where)
def logical_or(*args: Any, out: None = None, where: None = None) -> Any: return ufunc("logical_or", args, out, where)
def logical_xor(*args: Any, out: None = None, where: None = None) -> Any: return ufunc("logical_xor", args, out, where)
def maximum(*args: Any, out: None = None, where: None = None) -> Any: return ufunc("maximum", args, out, where)
def minimum(*args: Any, out: None = None, where: None = None) -> Any: return ufunc("minimum", args, out, where)
def multiply(*args: Any, out: None = None, where: None = None) -> Any: return ufunc("multiply", args, out, where)
def subtract(*args: Any, out: None = None, where: None = None) -> Any: return ufunc("subtract", args, out, where)
def negative(*args: Any, out: None = None, where: None = None) -> Any: return ufunc("negative", args, out, where)
# fmt: on


def _are_complex(*xs: Any) -> bool:
    return any(x.dtype.kind == "c" if hasattr(x, "dtype") else type(x) is complex for x in xs)


def _logaddexp(x: Any, y: Any) -> Any:
    """Of complex numbers: the one with the larger real part comes first, and angles are between -pi and pi."""
    x, y = as_array(x, "logaddexp"), as_array(y, "logaddexp")
    first = ops.greater_equal(ops.real(x), ops.real(y))
    high, low = ops.where(first, x, y), ops.where(first, y, x)
    found = ops.add(high, ops.log1p(ops.exp(ops.subtract(low, high))))
    angles = ops.subtract(ops.remainder(ops.add(ops.imag(found), math.pi), 2 * math.pi), math.pi)
    found = ops.add(ops.real(found), ops.multiply(angles, 1j))
    return _as_weak(ops.astype(found, found._array.dtype), 0j if x.weak_type and y.weak_type else found)


def _atan2(y: Any, x: Any) -> Any:
    if not _are_complex(y, x):
        return ops.atan2(y, x)
    y, x = as_array(y, "arctan2"), as_array(x, "arctan2")
    root = ops.sqrt(ops.add(ops.square(x), ops.square(y)))
    return ops.multiply(ops.log(ops.divide(ops.add(x, ops.multiply(y, 1j)), root)), -1j)


def _integers(name: str, *xs: Any) -> list[Any]:
    arrays = [as_array(x, name) for x in xs]
    if any(x.dtype.kind not in "iu" for x in arrays):
        raise ValueError(f"Arguments to jax.numpy.{name} must be integers.")
    return arrays


def inexact(x: Any) -> Any:
    """The array, in floats where it is of integers: weak where it is."""
    if x.dtype.kind in "fcV":
        return x
    return ops.add(x, 0.0) if x.weak_type and x.dtype.kind != "b" else ops.astype(x, our_dtype(float_of(x)))


def _as_weak(found: Any, x: Any) -> Any:
    """A result, weak where the operand is."""
    from ..transformations import weakened

    return weakened(found, [as_array(x).weak_type])


def _number(x: Any) -> Any:
    """The array, of integers where it is of bools."""
    x = as_array(x)
    return ops.astype(x, lw.int8) if x.dtype.kind == "b" else x


def _real(x: Any, name: str) -> Any:
    x = _number(x)
    if x.dtype.kind == "c":
        raise ValueError(f"{name} is not well defined for complex inputs")
    return x


def _inexact(*xs: Any) -> list[Any]:
    """Integers in the floating dtype that they promote to, in which JAX computes."""
    arrays = [as_array(x) for x in xs]
    dtype = our_dtype(float_of(*arrays))
    return [x if x.weak_type and x.dtype.kind in "fc" else ops.astype(x, dtype) for x in arrays]


def angle(z: Any, deg: bool = False) -> Any:
    return ops.angle(z, deg)


def around(a: Any, decimals: int = 0, out: None = None) -> Any:
    return round(a, decimals, out)


def round(a: Any, decimals: int = 0, out: None = None) -> Any:
    not_supported("round", out=out)
    a = as_array(a, "round")
    if a.dtype.kind == "b":
        raise ValueError("round: bools are not rounded")
    if decimals < 0 and a.dtype.kind in "iu":
        raise NotImplementedError("integer np.round not implemented for decimals < 0")
    if not decimals and a.dtype.kind in "iu":
        return a
    return ops.round(a, decimals)


def clip(arr: Any = None, /, min: Any = None, max: Any = None) -> Any:
    if arr is None:
        raise ValueError("At least one array must be provided to clip.")
    arr = as_array(arr, "clip")
    bounds = [as_array(x) for x in (min, max) if isinstance(x, complex) or hasattr(x, "dtype")]
    if any(x.dtype.kind == "c" for x in (arr, *bounds)):
        raise ValueError("Clip received a complex value either through the input or the min/max keywords.")
    if min is not None:
        arr = maximum(min, arr)
    if max is not None:
        arr = minimum(max, arr)
    return arr


def divmod(x1: Any, x2: Any, /) -> Any:
    return floor_divide(x1, x2), remainder(x1, x2)


def real(val: Any, /) -> Any:
    val = as_array(val, "real")
    return ops.real(val) if val.dtype.kind == "c" else val


def imag(val: Any, /) -> Any:
    val = as_array(val, "imag")
    return ops.imag(val) if val.dtype.kind == "c" else ops.zeros_like(val)


def isneginf(x: Any, /, out: None = None) -> Any:
    not_supported("isneginf", out=out)
    return ops.isneginf(_real(x, "isneginf"))


def isposinf(x: Any, /, out: None = None) -> Any:
    not_supported("isposinf", out=out)
    return ops.isposinf(_real(x, "isposinf"))


def modf(x: Any, /, out: None = None) -> Any:
    not_supported("modf", out=out)
    return ops.modf(x)


def nan_to_num(x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    del copy
    return ops.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)


def spacing(x: Any, /) -> Any:
    x = as_array(x, "spacing")
    if x.dtype.kind == "c":
        raise ValueError("spacing is not defined for complex inputs.")
    x = ops.astype(x, our_dtype(float_of(x)))
    return ops.subtract(ops.nextafter(x, ops.copysign(float("inf"), x)), x)


def unwrap(p: Any, discont: Any = None, axis: int = -1, period: Any = 6.283185307179586) -> Any:
    p = as_array(p, "unwrap")
    if p.dtype.kind == "c":
        raise ValueError(f"unwrap: takes no complex numbers; got {p.dtype}")
    return ops.unwrap(p, discont, axis, period=period)


# What runs our kernel at once, where it is called with arrays alone.
_QUICK = """
    abs absolute=abs acos acosh arccos=acos arccosh=acosh arcsin=asin arcsinh=asinh arctan=atan arctanh=atanh asin
    asinh atan atanh bitwise_count bitwise_invert bitwise_not=bitwise_invert cbrt ceil conj conjugate=conj cos
    cosh deg2rad degrees=rad2deg exp exp2 expm1 fabs floor invert=bitwise_invert isfinite isinf isnan log log10
    log1p log2 logical_not positive rad2deg radians=deg2rad reciprocal rint sign signbit sin sinc sinh sqrt square
    tan tanh trunc iscomplex isreal i0=special.i0 arctan2=atan2 atan2 copysign divide heaviside hypot nextafter
    fmod ldexp pow power=pow remainder mod=remainder true_divide=divide bitwise_left_shift
    left_shift=bitwise_left_shift bitwise_right_shift right_shift=bitwise_right_shift equal not_equal greater
    greater_equal less less_equal floor_divide fmax fmin gcd lcm add bitwise_and bitwise_or bitwise_xor logaddexp
    logaddexp2 logical_and logical_or logical_xor maximum minimum multiply subtract negative
"""
dialect.finish(globals(), quick=_QUICK, view="jax.numpy")
