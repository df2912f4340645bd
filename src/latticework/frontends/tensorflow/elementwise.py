"""The functions of `tf.math` that go element by element, most of which are `tf`'s too."""

from __future__ import annotations

import builtins
from typing import Any

import latticework as lw

from ...engine.array import Array
from .. import shortcuts
from .arguments import only
from .errors import invalid
from .tensor import Tensor, as_tensor, beside, dialect, of_kind, ops, pair

__all__ = [
    "abs", "acos", "acosh", "add", "add_n", "angle", "asin", "asinh", "atan", "atan2", "atanh", "betainc", "ceil",
    "clip_by_value", "complex", "conj", "cos", "cosh", "digamma", "divide", "divide_no_nan", "equal", "erf", "erfc",
    "erfcinv", "erfinv", "exp", "expm1", "floor", "floordiv", "floormod", "greater", "greater_equal", "igamma",
    "igammac", "imag", "is_finite", "is_inf", "is_nan", "less", "less_equal", "lgamma", "log", "log1p",
    "log_sigmoid", "logical_and", "logical_not", "logical_or", "logical_xor", "maximum", "minimum", "mod",
    "multiply", "multiply_no_nan", "ndtri", "negative", "nextafter", "not_equal", "polygamma", "polyval", "pow",
    "real", "realdiv", "reciprocal", "reciprocal_no_nan", "rint", "round", "rsqrt", "scalar_mul", "sigmoid", "sign",
    "sin",
    "sinh", "softplus", "softsign", "sqrt", "square", "squared_difference", "subtract", "tan", "tanh", "truediv",
    "truncatediv", "truncatemod", "xdivy", "xlog1py", "xlogy", "zeta",
]  # fmt: skip

# fmt: off
# --- of one tensor --------------------------------------------------------------------------------------------------


def abs(x: Any, name: Any = None) -> Any:
    return ops.abs(as_tensor(x))


def acos(x: Any, name: Any = None) -> Any:
    return ops.acos(as_tensor(x))


def acosh(x: Any, name: Any = None) -> Any:
    return ops.acosh(as_tensor(x))


def asin(x: Any, name: Any = None) -> Any:
    return ops.asin(as_tensor(x))


def asinh(x: Any, name: Any = None) -> Any:
    return ops.asinh(as_tensor(x))


def atan(x: Any, name: Any = None) -> Any:
    return ops.atan(as_tensor(x))


def atanh(x: Any, name: Any = None) -> Any:
    return ops.atanh(as_tensor(x))


def ceil(x: Any, name: Any = None) -> Any:
    return ops.ceil(as_tensor(x))


def cos(x: Any, name: Any = None) -> Any:
    return ops.cos(as_tensor(x))


def cosh(x: Any, name: Any = None) -> Any:
    return ops.cosh(as_tensor(x))


def erf(x: Any, name: Any = None) -> Any:
    return ops.special.erf(only(x, "f"))


def erfc(x: Any, name: Any = None) -> Any:
    return ops.special.erfc(only(x, "f"))


def erfinv(x: Any, name: Any = None) -> Any:
    return ops.special.erfinv(only(x, "f"))


def exp(x: Any, name: Any = None) -> Any:
    return ops.exp(as_tensor(x))


def expm1(x: Any, name: Any = None) -> Any:
    return ops.expm1(as_tensor(x))


def floor(x: Any, name: Any = None) -> Any:
    return ops.floor(as_tensor(x))


def is_finite(x: Any, name: Any = None) -> Any:
    return ops.isfinite(as_tensor(x))


def is_inf(x: Any, name: Any = None) -> Any:
    return ops.isinf(as_tensor(x))


def is_nan(x: Any, name: Any = None) -> Any:
    return ops.isnan(as_tensor(x))


def lgamma(x: Any, name: Any = None) -> Any:
    return ops.special.gammaln(only(x, "f"))


def log(x: Any, name: Any = None) -> Any:
    return ops.log(as_tensor(x))


def log1p(x: Any, name: Any = None) -> Any:
    return ops.log1p(as_tensor(x))


def logical_not(x: Any, name: Any = None) -> Any:
    return ops.logical_not(only(of_kind(x, "bool"), "b"))


def ndtri(x: Any, name: Any = None) -> Any:
    return ops.special.ndtri(only(x, "f"))


def negative(x: Any, name: Any = None) -> Any:
    return ops.negative(as_tensor(x))


def reciprocal(x: Any, name: Any = None) -> Any:
    return ops.reciprocal(as_tensor(x))


def rint(x: Any, name: Any = None) -> Any:
    return ops.rint(only(x, "f"))


def round(x: Any, name: Any = None) -> Any:
    return ops.round(as_tensor(x))


def rsqrt(x: Any, name: Any = None) -> Any:
    return ops.rsqrt(only(x, "fc"))


def sign(x: Any, name: Any = None) -> Any:
    return ops.sign(as_tensor(x))


def sin(x: Any, name: Any = None) -> Any:
    return ops.sin(as_tensor(x))


def sinh(x: Any, name: Any = None) -> Any:
    return ops.sinh(as_tensor(x))


def softplus(features: Any, name: Any = None) -> Any:
    return ops.nn.softplus(only(features, "f"))


def softsign(features: Any, name: Any = None) -> Any:
    return ops.nn.softsign(only(features, "f"))


def sqrt(x: Any, name: Any = None) -> Any:
    return ops.sqrt(as_tensor(x))


def square(x: Any, name: Any = None) -> Any:
    return ops.square(as_tensor(x))


def tan(x: Any, name: Any = None) -> Any:
    return ops.tan(as_tensor(x))


def tanh(x: Any, name: Any = None) -> Any:
    return ops.tanh(as_tensor(x))


def log_sigmoid(x: Any, name: Any = None) -> Any:
    return negative(softplus(-as_tensor(x)))


def erfcinv(x: Any, name: Any = None) -> Any:
    return -ndtri(0.5 * only(only(x, "biuf"), "f", error=TypeError)) * 0.5**0.5


# fmt: on


def digamma(x: Any, name: Any = None) -> Any:
    x = only(x, "f")
    return ops.where(ops.equal(x, 0), ops.full_like(x, float("nan")), ops.special.digamma(x))


def sigmoid(x: Any, name: Any = None) -> Any:
    x = only(x, "fc")
    if x._array.dtype.kind == "c":
        return ops.reciprocal(ops.add(ops.exp(ops.negative(x)), 1))
    return ops.nn.sigmoid(x)


# fmt: off


# --- of two tensors -------------------------------------------------------------------------------------------------

def atan2(y: Any, x: Any, name: Any = None) -> Any: return ops.atan2(*pair(y, x))
def equal(x: Any, y: Any, name: Any = None) -> Any: return ops.equal(*pair(x, y))
def floordiv(x: Any, y: Any, name: Any = None) -> Any: return ops.floor_divide(*pair(x, y))
def floormod(x: Any, y: Any, name: Any = None) -> Any: return ops.remainder(*pair(x, y))
def greater(x: Any, y: Any, name: Any = None) -> Any: return ops.greater(*pair(x, y))
def greater_equal(x: Any, y: Any, name: Any = None) -> Any: return ops.greater_equal(*pair(x, y))
def less(x: Any, y: Any, name: Any = None) -> Any: return ops.less(*pair(x, y))
def less_equal(x: Any, y: Any, name: Any = None) -> Any: return ops.less_equal(*pair(x, y))
def logical_and(x: Any, y: Any, name: Any = None) -> Any: return ops.logical_and(*_truths(x, y))
def logical_or(x: Any, y: Any, name: Any = None) -> Any: return ops.logical_or(*_truths(x, y))
def logical_xor(x: Any, y: Any, name: Any = "LogicalXor") -> Any: return ops.logical_xor(*_truths(x, y))
def maximum(x: Any, y: Any, name: Any = None) -> Any: return ops.maximum(*pair(x, y))
def minimum(x: Any, y: Any, name: Any = None) -> Any: return ops.minimum(*pair(x, y))
def mod(x: Any, y: Any, name: Any = None) -> Any: return ops.remainder(*pair(x, y))
def multiply(x: Any, y: Any, name: Any = None) -> Any: return ops.multiply(*pair(x, y))
def nextafter(x1: Any, x2: Any, name: Any = None) -> Any: return ops.nextafter(*pair(x1, x2))
def not_equal(x: Any, y: Any, name: Any = None) -> Any: return ops.not_equal(*pair(x, y))
def pow(x: Any, y: Any, name: Any = None) -> Any: return ops.pow(*pair(x, y))
def subtract(x: Any, y: Any, name: Any = None) -> Any: return ops.subtract(*pair(x, y))

def igamma(a: Any, x: Any, name: Any = None) -> Any: return ops.special.gammainc(*_same("f", a, x))
def igammac(a: Any, x: Any, name: Any = None) -> Any: return ops.special.gammaincc(*_same("f", a, x))
def polygamma(a: Any, x: Any, name: Any = None) -> Any: return ops.special.polygamma(*_same("f", a, x, but=_NARROW))
def zeta(x: Any, q: Any, name: Any = None) -> Any: return ops.special.zeta(*_same("f", x, q, but=_NARROW))
def betainc(a: Any, b: Any, x: Any, name: Any = None) -> Any:
    operands = _same("f", a, b, x, but=_NARROW)
    shapes = {v._array.shape for v in operands if v.ndim}
    if len(shapes) > 1:
        raise invalid(f"the shapes are inconsistent: {shapes}")
    return ops.special.betainc(*operands)
# fmt: on

_NARROW = "bfloat16 float16"
_INTS = "iu"


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
    """Tensors of one dtype, which has to be of these kinds. `error` makes the error for two dtypes."""
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
    if isinstance(y, Tensor) and x.dtype != y.dtype and dialect.rules() == "tensorflow":
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
def _complex_of(real: Any, imag: Any, dtype: str) -> Any:
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


def _clipped(t: Array, clip_value_min: Any, clip_value_max: Any) -> Any:
    """A short way of `clip_by_value`, see `calls.short`. The lower bound wins in TensorFlow, where they cross."""
    return shortcuts.clipped(t, clip_value_min, clip_value_max) if clip_value_min <= clip_value_max else None


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


dialect.finish(
    globals(),
    quick="abs acos acosh asin asinh atan atanh ceil cos cosh exp expm1 floor is_finite=isfinite is_inf=isinf "
    "is_nan=isnan log log1p negative sign sin sinh sqrt square tan tanh atan2 equal floordiv=floor_divide "
    "floormod=remainder greater greater_equal less less_equal logical_and logical_or logical_xor maximum minimum "
    "mod=remainder multiply nextafter not_equal pow subtract add "
    "erf=special.erf lgamma=special.gammaln softplus=nn.softplus",
    view="tf.math",
    short={"clip_by_value": _clipped},
    alone="logical_not sigmoid=nn.sigmoid",
)
