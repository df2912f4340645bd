"""Elementwise functions: one line each where latticework's function does the same."""

from __future__ import annotations

import math
from typing import Any

import latticework as lw

from ..core import as_array, dialect, ops, our_dtype
from ..promotion import is_weak
from .data_types import float_of
from .ufuncs import not_supported, ufunc

#: Functions that are latticework's by another name, see `renaming`.
_TABLE = """
(x, /)
    abs absolute=abs acos acosh arccos=acos arccosh=acosh arcsin=asin arcsinh=asinh arctan=atan arctanh=atanh
    asin asinh atan atanh bitwise_count bitwise_invert bitwise_not=bitwise_invert cbrt ceil conj conjugate=conj
    cos cosh exp exp2 expm1 fabs floor invert=bitwise_invert isfinite isinf isnan log log10 log1p log2
    logical_not positive reciprocal rint sign sin sinh sqrt square tan frexp
(x)
    trunc i0=special.i0
(x1, x2, /)
    copysign divide heaviside fmod pow power=pow mod=remainder true_divide=divide bitwise_right_shift
    right_shift=bitwise_right_shift
(x, y, /)
    nextafter bitwise_left_shift left_shift=bitwise_left_shift equal not_equal greater greater_equal less
    less_equal
(x1, x2)
    fmax fmin
(*args, out=None, where=None) -> ours(*args) | ufunc(NAME, args, out, where)
    add bitwise_and bitwise_or bitwise_xor logical_and logical_or logical_xor maximum minimum multiply subtract
    negative
"""


# fmt: off
def deg2rad(x: Any, /) -> Any: return ops.multiply(inexact(as_array(x, "deg2rad")), math.pi / 180)
def degrees(x: Any, /) -> Any: return rad2deg(x)
def rad2deg(x: Any, /) -> Any: return ops.multiply(inexact(as_array(x, "rad2deg")), 180 / math.pi)
def radians(x: Any, /) -> Any: return deg2rad(x)
def signbit(x: Any, /) -> Any: return ops.signbit(_real(x, "signbit"))
def sinc(x: Any, /) -> Any: return _as_weak(ops.sinc(inexact(as_array(x, "sinc"))), x)
def tanh(x: Any, /) -> Any: return ops.tanh(x)
def iscomplex(x: Any) -> Any: return _as_weak(ops.iscomplex(_number(x)), x)
def isreal(x: Any) -> Any: return _as_weak(ops.isreal(_number(x)), x)
def arctan2(x1: Any, x2: Any, /) -> Any: return _atan2(x1, x2)
def atan2(x1: Any, x2: Any, /) -> Any: return _atan2(x1, x2)
def hypot(x1: Any, x2: Any, /) -> Any:
    if any(x.dtype.kind == "c" if hasattr(x, "dtype") else type(x) is complex for x in (x1, x2)):
        raise ValueError("hypot: takes no complex numbers; take the real part first, or the absolute value")
    return ops.hypot(x1, x2)
def float_power(x: Any, y: Any, /) -> Any:
    x, y = as_array(x, "float_power"), as_array(y, "float_power")
    weak = is_weak(x, y)
    return _as_weak(ops.pow(*_inexact(x, y)), 0.0) if weak else ops.pow(*_inexact(x, y))
def ldexp(x1: Any, x2: Any, /) -> Any:
    x1, x2 = as_array(x1, "ldexp"), as_array(x2, "ldexp")
    if "c" in (x1.dtype.kind, x2.dtype.kind):
        raise ValueError(f"ldexp: takes no complex numbers; got {x1.dtype} and {x2.dtype}")
    return ops.ldexp(x1, x2)
def remainder(x1: Any, x2: Any, /) -> Any: return ops.remainder(x1, x2)
def floor_divide(x1: Any, x2: Any, /) -> Any: return ops.floor_divide(x1, x2)
def gcd(x1: Any, x2: Any) -> Any: return ops.gcd(*_integers("gcd", x1, x2))
def lcm(x1: Any, x2: Any) -> Any: return ops.lcm(*_integers("lcm", x1, x2))

def logaddexp(*args: Any, out: None = None, where: None = None) -> Any:
    if len(args) == 2 and _are_complex(*args):
        return _logaddexp(*args)
    return ufunc("logaddexp", args, out, where)
def logaddexp2(*args: Any, out: None = None, where: None = None) -> Any:
    if len(args) == 2 and _are_complex(*args):
        x, y = (ops.multiply(as_array(v, "logaddexp2"), math.log(2)) for v in args)
        return ops.divide(_logaddexp(x, y), math.log(2))
    return ufunc("logaddexp2", args, out, where)
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
        arr = ops.maximum(min, arr)
    if max is not None:
        arr = ops.minimum(max, arr)
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


dialect.finish(globals(), _TABLE, view="jax.numpy", helpers="inexact")
