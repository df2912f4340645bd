"""Functions of single elements, of operands that have one dtype: nothing is promoted here."""

from __future__ import annotations

from enum import Enum
from typing import Any

import latticework as lw

from ....core.dtypes import Dtype
from ..core import as_array, dialect, ops, our_dtype
from ..keys import KeyArray, moved

__all__ = ["RoundingMethod"]

#: Functions that are latticework's by another name, see `renaming`.
_TABLE = """
(x) -> ours(only(NAME, 'biu', x))
    bitwise_not=bitwise_invert
(x) -> ours(only(NAME, 'c', x))
    imag real
(x) -> ours(only(NAME, 'f', x))
    bessel_i0e=special.i0e bessel_i1e=special.i1e ceil digamma=special.digamma erf=special.erf
    erf_inv=special.erfinv erfc=special.erfc floor is_finite=isfinite lgamma=special.gammaln
(x) -> ours(only(NAME, 'fc', x))
    acos acosh asin asinh atan atanh cosh reciprocal sinh
(x) -> ours(only(NAME, 'ifc', x))
    abs
(x) -> ours(only(NAME, 'iufc', x))
    neg=negative sign square
(x, *, accuracy=None) -> ours(only(NAME, 'f', x))
    cbrt
(x, *, accuracy=None) -> ours(only(NAME, 'fc', x))
    cos exp exp2 expm1 log log1p logistic=special.expit rsqrt sin sqrt tan tanh
(a, x) -> ours(*pair(NAME, 'f', a, x))
    igamma=special.gammainc igammac=special.gammaincc
(x, q) -> ours(*pair(NAME, 'f', x, q))
    zeta=special.zeta
(x, y) -> ours(*pair(NAME, 'biu', x, y))
    bitwise_and bitwise_or bitwise_xor
(x, y) -> ours(*pair(NAME, 'biuf', x, y))
    ge=greater_equal gt=greater le=less_equal lt=less
(x, y) -> ours(*pair(NAME, 'biufc', x, y))
    eq=equal max=maximum min=minimum ne=not_equal
(x, y) -> ours(*pair(NAME, 'f', x, y))
    atan2
(x, y) -> ours(*pair(NAME, 'iu', x, y))
    shift_left=bitwise_left_shift shift_right_arithmetic=bitwise_right_shift
(x, y) -> ours(*pair(NAME, 'iuf', x, y))
    rem=fmod
(x, y) -> ours(*pair(NAME, 'iufc', x, y))
    add sub=subtract
(x1, x2) -> ours(*pair(NAME, 'f', x1, x2))
    nextafter
"""


class RoundingMethod(Enum):
    """The direction in which halves are rounded."""

    AWAY_FROM_ZERO = 0
    TO_NEAREST_EVEN = 1


def _check_kind(name: str, x: Any, kinds: str) -> None:
    kind = x._array.dtype.kind
    if kind not in kinds:
        names = {"b": "bool", "i": "integer", "f": "floating", "c": "complexfloating"}
        shown = [name for letter, name in names.items() if letter in kinds]
        raise TypeError(f"{name} does not accept dtype {x.dtype}. Accepted dtypes are subtypes of {', '.join(shown)}.")


def only(name: str, kinds: str, x: Any) -> Any:
    """Return the operand as an array, of these kinds of dtype."""
    x = as_array(x, name)
    _check_kind(name, x, kinds)
    return x


def alike(name: str, *xs: Any) -> list[Any]:
    """Return operands as arrays of one dtype, and of one rank where they have axes."""
    arrays = [as_array(x, name) for x in xs]
    if len({x.dtype for x in arrays}) > 1:
        raise TypeError(f"lax.{name} requires arguments to have the same dtypes, got {[x.dtype.name for x in arrays]}")
    if len({x.ndim for x in arrays if x.ndim}) > 1:
        raise TypeError(f"{name}: arrays must have the same number of dimensions, got {[x.shape for x in arrays]}")
    return arrays


def pair(name: str, kinds: str, x: Any, y: Any) -> list[Any]:
    """Return two operands as arrays of one dtype, of these kinds."""
    arrays = alike(name, x, y)
    _check_kind(name, arrays[0], kinds)
    return arrays


# fmt: off
def conj(x: Any) -> Any: return ops.conj(only("conj", "c", _complex(x)))
# fmt: on


def _complex(x: Any) -> Any:
    """The array, as complex numbers."""
    x = as_array(x, "conj")
    wide = {"float32": "complex64", "float64": "complex128"}.get(x.dtype.name)
    return ops.astype(x, our_dtype(wide)) if wide else x


def mul(x: Any, y: Any, *, out_dtype: Any = None) -> Any:
    found = ops.multiply(*pair("mul", "iufc", x, y))
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
    if any(type(x) is KeyArray for x in cases):
        return moved(lambda *xs: select_n(which, *xs), *cases)
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


dialect.finish(globals(), _TABLE, view="jax.lax", helpers="alike only pair")
