"""The elementwise functions of `tf.math`. Most of them are in `tf` too."""

from __future__ import annotations

import builtins
from typing import Any

import latticework as lw

from .arguments import only
from .errors import invalid
from .tensor import Tensor, as_tensor, beside, dialect, of_kind, ops, pair

#: Functions that are latticework's by another name, see `renaming`.
_TABLE = """
(x, name=None) -> ours(as_tensor(x))
    abs acos acosh asin asinh atan atanh ceil cos cosh exp expm1 floor is_finite=isfinite is_inf=isinf
    is_nan=isnan log log1p reciprocal round sign sin sinh sqrt square tan
(x, name=None) -> ours(only(x, 'f'))
    erf=special.erf erfc=special.erfc erfinv=special.erfinv lgamma=special.gammaln rint
(x, y, name=None) -> ours(*pair(x, y))
    equal floordiv=floor_divide floormod=remainder greater greater_equal less less_equal maximum minimum
    mod=remainder multiply not_equal pow
"""

# --- of one tensor --------------------------------------------------------------------------------------------------


def logical_not(x: Any, name: Any = None) -> Any:
    return ops.logical_not(only(of_kind(x, "bool"), "b"))


def ndtri(x: Any, name: Any = None) -> Any:
    return ops.special.ndtri(only(x, "f"))


def negative(x: Any, name: Any = None) -> Any:
    return ops.negative(as_tensor(x))


def rsqrt(x: Any, name: Any = None) -> Any:
    return ops.rsqrt(only(x, "fc"))


def softplus(features: Any, name: Any = None) -> Any:
    return ops.nn.softplus(only(features, "f"))


def softsign(features: Any, name: Any = None) -> Any:
    return ops.nn.softsign(only(features, "f"))


def tanh(x: Any, name: Any = None) -> Any:
    return ops.tanh(as_tensor(x))


def log_sigmoid(x: Any, name: Any = None) -> Any:
    return negative(softplus(-as_tensor(x)))


def erfcinv(x: Any, name: Any = None) -> Any:
    return -ndtri(0.5 * only(only(x, "biuf"), "f", error=TypeError)) * 0.5**0.5


def digamma(x: Any, name: Any = None) -> Any:
    x = only(x, "f")
    return ops.where(ops.equal(x, 0), ops.full_like(x, float("nan")), ops.special.digamma(x))


def sigmoid(x: Any, name: Any = None) -> Any:
    x = only(x, "fc")
    if x._array.dtype.kind == "c":
        return ops.reciprocal(ops.add(ops.exp(ops.negative(x)), 1))
    return ops.nn.sigmoid(x)


# --- of two tensors -------------------------------------------------------------------------------------------------


def atan2(y: Any, x: Any, name: Any = None) -> Any:
    return ops.atan2(*pair(y, x))


def logical_and(x: Any, y: Any, name: Any = None) -> Any:
    return ops.logical_and(*_truths(x, y))


def logical_or(x: Any, y: Any, name: Any = None) -> Any:
    return ops.logical_or(*_truths(x, y))


def logical_xor(x: Any, y: Any, name: Any = "LogicalXor") -> Any:
    return ops.logical_xor(*_truths(x, y))


def nextafter(x1: Any, x2: Any, name: Any = None) -> Any:
    return ops.nextafter(*pair(x1, x2))


def subtract(x: Any, y: Any, name: Any = None) -> Any:
    return ops.subtract(*pair(x, y))


def igamma(a: Any, x: Any, name: Any = None) -> Any:
    return ops.special.gammainc(*_same("f", a, x))


def igammac(a: Any, x: Any, name: Any = None) -> Any:
    return ops.special.gammaincc(*_same("f", a, x))


def polygamma(a: Any, x: Any, name: Any = None) -> Any:
    return ops.special.polygamma(*_same("f", a, x, but=_NARROW))


def zeta(x: Any, q: Any, name: Any = None) -> Any:
    return ops.special.zeta(*_same("f", x, q, but=_NARROW))


def betainc(a: Any, b: Any, x: Any, name: Any = None) -> Any:
    operands = _same("f", a, b, x, but=_NARROW)
    shapes = {v._array.shape for v in operands if v.ndim}
    if len(shapes) > 1:
        raise invalid(f"the shapes are inconsistent: {shapes}")
    return ops.special.betainc(*operands)


_NARROW = "bfloat16 float16"


def _truths(x: Any, y: Any) -> tuple[Any, Any]:
    """Two bool tensors, or what becomes one."""
    if isinstance(x, Tensor) and isinstance(y, Tensor):
        return x, y
    for v in (x, y):
        if type(v) in (int, float, builtins.complex):
            raise TypeError(f"Cannot convert {v!r} to a tensor of dtype bool")
    try:
        return of_kind(x, "bool"), of_kind(y, "bool")
    except TypeError:  # both are looked at again then, in their order
        return as_tensor(x, "bool"), as_tensor(y, "bool")


def _same(kinds: str, *operands: Any, but: str = "", error: Any = invalid) -> list[Any]:
    """Convert operands to tensors of one dtype, of these kinds. `error` makes the error for two dtypes."""
    first = next((x for x in operands if isinstance(x, Tensor)), None)
    first = as_tensor(operands[0]) if first is None else first
    found = [x if x is first else beside(x, first) for x in operands]
    for x in found:
        if x._array.dtype is not found[0]._array.dtype:
            raise error(
                f"the operands are of {found[0].dtype.name} and {x.dtype.name}, and TensorFlow promotes nothing"
            )
    for x in found:
        only(x, kinds, but)
    return found


def add(x: Any, y: Any, name: Any = None) -> Any:
    x = as_tensor(x)
    return ops.add(x, y if type(y) in (int, float) else as_tensor(y, like=x))


def truediv(x: Any, y: Any, name: Any = None) -> Any:
    x = as_tensor(x)
    y = y if type(y) in (int, float) else as_tensor(y, like=x)
    if isinstance(y, Tensor) and x.dtype != y.dtype and dialect.promotes_nothing:
        raise TypeError(f"`x` and `y` must have the same dtype, got {x.dtype!r} != {y.dtype!r}.")
    return ops.divide(x, y)


def divide(x: Any, y: Any, name: Any = None) -> Any:
    if not hasattr(x, "dtype") and not hasattr(y, "dtype"):
        x = as_tensor(x)
        y = as_tensor(y, like=x)
    return x / y


def realdiv(x: Any, y: Any, name: Any = None) -> Any:
    return ops.divide(*_same("fc", x, y))


def divide_no_nan(x: Any, y: Any, name: Any = None) -> Any:
    x, y = _same("biufc", x, y, error=TypeError)
    if only(x, "iufc", error=TypeError)._array.dtype.kind in "iu":
        x, y = _as_divided(x), _as_divided(y)
    return ops.divide_no_nan(x, y)


def _as_divided(x: Any) -> Any:
    """An integer tensor as the float that a division makes of it."""
    return ops.astype(x, "float32" if x._array.dtype.bits <= 16 else "float64")


def multiply_no_nan(x: Any, y: Any, name: Any = None) -> Any:
    x, y = _same("fc", x, y, error=ValueError)
    return ops.where(ops.equal(y, 0), ops.zeros_like(y), ops.multiply(x, y))


def xdivy(x: Any, y: Any, name: Any = None) -> Any:
    x, y = _same("fc", x, y)
    return ops.where(ops.equal(x, 0), ops.zeros_like(x), ops.divide(x, y))


def xlogy(x: Any, y: Any, name: Any = None) -> Any:
    x, y = _same("fc", x, y)
    if x._array.dtype.kind == "c":
        return ops.where(ops.equal(x, 0), ops.zeros_like(x), ops.multiply(x, ops.log(y)))
    return ops.special.xlogy(x, y)


def xlog1py(x: Any, y: Any, name: Any = None) -> Any:
    x, y = _same("fc", x, y)
    if x._array.dtype.kind == "c":
        return ops.where(ops.equal(x, 0), ops.zeros_like(x), ops.multiply(x, ops.log1p(y)))
    return ops.special.xlog1py(x, y)


def reciprocal_no_nan(x: Any, name: Any = None) -> Any:
    x = only(x, "fc", error=TypeError if as_tensor(x).dtype == "bool" else invalid)
    return ops.divide_no_nan(ops.ones_like(x), x)


def squared_difference(x: Any, y: Any, name: Any = None) -> Any:
    difference = only(subtract(*pair(x, y)), "ifc", "int8 int16")
    complex_ones = difference._array.dtype.kind == "c"
    return ops.multiply(difference, ops.conj(difference) if complex_ones else difference)


def truncatediv(x: Any, y: Any, name: Any = None) -> Any:
    x, y = _same("iuf", x, y)
    if x._array.dtype.kind == "f":
        return ops.trunc(ops.divide(x, y))
    return (
        ops.floor_divide(ops.subtract(x, ops.fmod(x, y)), y) if x._array.dtype.kind == "i" else ops.floor_divide(x, y)
    )


def truncatemod(x: Any, y: Any, name: Any = None) -> Any:
    return ops.fmod(*_same("if", *pair(x, y), but="int8 int16"))


# --- complex numbers ------------------------------------------------------------------------------------------------


def complex(real: Any, imag: Any, name: Any = None) -> Any:
    real = as_tensor(real)
    imag = as_tensor(imag)
    if real._array.dtype is not imag._array.dtype or str(real._array.dtype) not in ("float32", "float64"):
        raise TypeError(
            f"The `real` and `imag` components have incorrect types: {real.dtype.name} {imag.dtype.name}. They must be "
            "consistent, and one of [tf.float32, tf.float64]"
        )
    dtype = "complex64" if real.dtype == "float32" else "complex128"
    return _complex_of(real, imag, dtype)


@dialect.function
def _complex_of(real: Any, imag: Any, dtype: Any) -> Any:
    """Put the parts together."""
    return lw.astype(real, dtype) + lw.multiply(lw.astype(imag, dtype), 1j)


def real(input: Any, name: Any = None) -> Any:
    input = as_tensor(input)
    return ops.real(input) if input._array.dtype.kind == "c" else only(input, "iuf", error=TypeError)


def imag(input: Any, name: Any = None) -> Any:
    input = as_tensor(input)
    return ops.imag(input) if input._array.dtype.kind == "c" else ops.zeros_like(input)


def conj(x: Any, name: Any = None) -> Any:
    x = as_tensor(x)
    if x._array.dtype.kind == "c":
        return ops.conj(x)
    if x._array.dtype.kind == "b":
        raise TypeError("Expected numeric or variant tensor, got dtype tf.bool")
    return x


def angle(input: Any, name: Any = None) -> Any:
    input = as_tensor(input)
    if input._array.dtype.kind == "c":
        return ops.angle(input)
    only(input, "iuf", error=TypeError)
    return ops.where(ops.less(input, 0), ops.full_like(input, 3.141592653589793), ops.zeros_like(input))


# --- of several -----------------------------------------------------------------------------------------------------


def add_n(inputs: Any, name: Any = None) -> Any:
    inputs = [*inputs] if isinstance(inputs, Tensor) else inputs
    if not isinstance(inputs, (list, tuple)) or not inputs:
        raise ValueError("Inputs must be an iterable of at least one `Tensor`/`IndexedSlices` with the same dtype and "
                         "shape.")  # fmt: skip
    total = as_tensor(inputs[0])
    for x in inputs[1:]:
        x = as_tensor(x, like=total)
        if x.shape != total.shape:
            raise invalid(f"the inputs are of shapes {total.shape} and {x.shape}; all need the same")
        total = ops.add(total, x)
    return total


def scalar_mul(scalar: Any, x: Any, name: Any = None) -> Any:
    x = as_tensor(x)
    scalar = as_tensor(scalar, like=x)
    if scalar.ndim:
        raise ValueError(f"The input scalar must be a 0-D value. Received shape {scalar.shape}.")
    return ops.multiply(scalar, x)


def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: Any = None) -> Any:
    t = as_tensor(t)
    low = ops.minimum(*pair(t, clip_value_max))
    if low.shape != t.shape:
        raise invalid(f"the limit does not fit the shape {t.shape}")
    found = ops.maximum(*pair(low, clip_value_min))
    if found.shape != t.shape:
        raise invalid(f"the limit does not fit the shape {t.shape}")
    return found


def polyval(coeffs: Any, x: Any, name: Any = None) -> Any:
    if not isinstance(coeffs, list):
        raise ValueError(f"Argument coeffs must be list type. Received type {type(coeffs)}.")
    x = as_tensor(x)
    if not coeffs:
        return ops.zeros_like(x)
    found = as_tensor(coeffs[0])
    for c in coeffs[1:]:
        found = ops.add(as_tensor(c), ops.multiply(found, x))
    return found


dialect.finish(globals(), _TABLE, view="tf.math")
