"""PyTorch's functions of single elements: arithmetic, exponentials, trigonometry, rounding, bits."""

from __future__ import annotations

from math import inf as _inf
from typing import Any

import latticework as lw

from ...core.dtypes import SCALAR_KINDS
from .core import complete, dialect, ops
from .named import named
from .tensor import Tensor

#: Functions that are latticework's by another name, see `renaming`.
_TABLE = """
(input, *, out=None)
    abs absolute=abs acos acosh angle arccos=acos arccosh=acosh arcsin=asin arcsinh=asinh arctan=atan
    arctanh=atanh asin asinh atan atanh bitwise_not=bitwise_invert ceil conj_physical=conj cos cosh deg2rad
    digamma=special.digamma erf=special.erf erfc=special.erfc erfinv=special.erfinv exp exp2 expm1 fix=trunc
    floor i0=special.i0 lgamma=special.gammaln log10 log1p log2 neg=negative negative rad2deg reciprocal rsqrt
    sign sin sinc sinh sqrt square tan tanh trunc
(input)
    conj
(input, other, *, out=None) -> _both(NAME, input, other) and ours(input, other)
    arctan2=atan2 atan2 gcd hypot lcm logaddexp2 maximum minimum nextafter
(input, other, *, out=None)
    bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign floor_divide fmod
    igamma=special.gammainc igammac=special.gammaincc mul=multiply multiply remainder true_divide=divide
    xlogy=special.xlogy
(input, other, *, alpha=1, out=None) -> ours(input, other) | ours(input, _scaled(input, other, alpha))
    add sub=subtract subtract
(input, other, *, out=None) -> _both(NAME, input, other) and _first_of(ops.fmax, ops.greater_equal, input, other)
    fmax
(input, other, *, out=None) -> _both(NAME, input, other) and _first_of(ops.fmin, ops.less_equal, input, other)
    fmin
(input, exponent, *, out=None)
    float_power
(input, end, weight, *, out=None)
    lerp
"""

_FREXP = named("frexp", "mantissa", "exponent")

# fmt: off

# --- of one tensor --------------------------------------------------------------------------------------------------

def frac(input, *, out=None): return _of_floats("frac", input) and ops.subtract(input, ops.trunc(input))
def imag(input): return input.imag
def log(input, *, out=None): return ops.log(input)
def positive(input): return _positive(input)
def real(input): return input.real
def relu(input): return _relu(input)
def resolve_conj(input): return input
def resolve_neg(input): return input
def sgn(input, *, out=None): return ops.sign(input) if input._array.dtype.kind != "c" else _direction(input)
def sigmoid(input, *, out=None):
    return ops.special.expit(input) if input._array.dtype.kind != "c" else _complex_sigmoid(input)

# --- of two ---------------------------------------------------------------------------------------------------------

def heaviside(input, values, *, out=None): return _both("heaviside", input, values) and _heaviside(input, values)
def logaddexp(input, other, *, out=None): return _both("logaddexp", input, other) and _logaddexp(input, other)
def polar(abs, angle, *, out=None): return _components("polar", abs, angle) and ops.polar(abs, angle)
def pow(input, exponent, *, out=None): return _power(input, exponent)

# --- with options ---------------------------------------------------------------------------------------------------

def rsub(input, other, *, alpha=1):
    return ops.subtract(other, input if alpha == 1 else _scaled(other, input, alpha))
def div(input, other, *, rounding_mode=None, out=None): return _divide(input, other, rounding_mode)
def divide(input, other, *, rounding_mode=None, out=None): return _divide(input, other, rounding_mode)
def clamp(input, min=None, max=None, *, out=None): return _clamp(input, min, max)
def clip(input, min=None, max=None, *, out=None): return _clamp(input, min, max)
def clamp_max(input, max, *, out=None): return _clamp(input, None, max)
def clamp_min(input, min, *, out=None): return _clamp(input, min, None)
def addcmul(input, tensor1, tensor2, *, value=1, out=None): return ops.addcmul(input, tensor1, tensor2, value=value)
def complex(real, imag, *, out=None): return _complex(real, imag)
def frexp(input, *, out=None): return _FREXP(*ops.frexp(input))
def nan_to_num(input, nan=None, posinf=None, neginf=None, *, out=None):
    return ops.nan_to_num(input, nan=nan or 0.0, posinf=posinf, neginf=neginf)
def polygamma(n, input, *, out=None): return ops.special.polygamma(n, input)
def round(input, *, decimals=0, out=None):
    return ops.round(input) if decimals == 0 else _of_floats("round", input) and ops.round(input, decimals)
# fmt: on


def _both(name: str, input: Any, other: Any) -> bool:
    """Refuse numbers, which these functions do not take."""
    for x in (input, other):
        if type(x) is not Tensor:
            raise TypeError(f"{name}(): argument must be Tensor, not {type(x).__name__}")
    return True


def _of_floats(name: str, input: Any) -> bool:
    """Refuse dtypes that are not floating, which PyTorch has no kernel for here."""
    if input._array.dtype.kind != "f":
        raise NotImplementedError(
            f"{name}: PyTorch has no kernel of this function for {input.dtype}. Cast the tensor first"
        )
    return True


def _power(input: Any, exponent: Any) -> Any:
    """The power; of integers with negative exponents the integer part of it."""
    try:
        return ops.pow(input, exponent)
    except RuntimeError as error:
        if "negative" not in str(error) or type(exponent) is not Tensor:
            raise
    dtype = ops.result_type(input, exponent)
    base, power = ops.asarray(input)._to(dtype), exponent._to(dtype)
    sign = ops.subtract(1, ops.multiply(2, ops.remainder(power, 2)))
    small = ops.where(ops.equal(base, 1), 1, ops.where(ops.equal(base, -1), sign, 0))
    return ops.where(ops.less(power, 0), small, ops.pow(base, ops.clip(power, 0, None)))._to(dtype)


def _complex_sigmoid(input: Any) -> Any:
    return ops.reciprocal(ops.add(ops.exp(ops.negative(input)), 1))


def _direction(input: Any) -> Any:
    """A complex number over its absolute value; zero for zero."""
    size = ops.abs(input)
    return ops.where(ops.equal(size, 0), 0, ops.divide(input, size))


def _scaled(input: Any, other: Any, alpha: Any) -> Any:
    """The second operand times `alpha`, which may not be of a higher category than the operands."""
    kinds = [x._array.dtype.kind for x in (input, other) if type(x) is Tensor]
    if isinstance(alpha, bool) and "b" not in kinds:
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if isinstance(alpha, float) and all(k in "biu" for k in kinds):
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    dtype = ops.result_type(input, other)
    if dialect.dtype_of(dtype).kind == "b":
        return ops.logical_and(other, ops.asarray(bool(alpha)))
    return ops.multiply(other._to(dtype) if type(other) is Tensor else other, alpha)


def _divide(input: Any, other: Any, rounding_mode: Any) -> Any:
    if rounding_mode is None:
        return ops.divide(input, other)
    if rounding_mode == "floor":
        return ops.floor_divide(input, other)
    if rounding_mode != "trunc":
        raise RuntimeError(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found {rounding_mode!r}"
        )
    return _truncated(input, other)


@dialect.function
def _truncated(x: Any, y: Any) -> Any:
    import latticework as lw

    dtype = lw.result_type(x, y)
    if dtype.kind == "f":
        return lw.trunc(lw.divide(x, y))
    exact = lw.floor_divide(x, y)
    rounded_down = lw.logical_and(lw.less(exact, 0), lw.not_equal(lw.multiply(exact, y), x))
    return lw.add(exact, lw.astype(rounded_down, exact.dtype))


def _clamp(input: Any, min: Any, max: Any) -> Any:
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    if input._array._sig.dtype.kind == "f" and (min is None or max is None):  # at a bound the slope is 1
        return ops.clip(input, -_inf if min is None else min, _inf if max is None else max)
    return ops.clip(input, min, max)


def _first_of(f: Any, before: Any, input: Any, other: Any) -> Any:
    """The greatest or the least of two. Of equal ones the first has the whole slope, as in PyTorch."""
    if "f" not in (input._array.dtype.kind, other._array.dtype.kind):
        return f(input, other)
    return ops.where(ops.logical_or(before(input, other), ops.isnan(other)), input, other)


def _heaviside(input: Any, values: Any) -> Any:
    if input._array.dtype is values._array.dtype and input._array.dtype.kind in "biu":
        positive = ops.astype(ops.greater(input, 0), input._array.dtype)
        return ops.where(ops.equal(input, 0), values, positive)
    return ops.heaviside(input, values)


def _logaddexp(input: Any, other: Any) -> Any:
    if "c" not in (input._array.dtype.kind, other._array.dtype.kind):
        return ops.logaddexp(input, other)
    dtype = ops.result_type(input, other)
    input, other = input._to(dtype), other._to(dtype)
    most = ops.maximum(ops.real(input), ops.real(other))
    total = ops.add(ops.exp(ops.subtract(input, most)), ops.exp(ops.subtract(other, most)))
    return ops.add(ops.log(total), most)


def _components(name: str, x: Any, y: Any) -> bool:
    """Check the components of complex numbers: floats of one dtype that has a complex one."""
    dtype = x._array.dtype
    if dtype is not y._array.dtype or dtype.kind != "f" or dtype.name == "bfloat16":
        raise RuntimeError(
            f"{name}: expected Half, Float or Double tensors of one dtype but got {x.dtype} and {y.dtype}"
        )
    if name == "polar" and dtype.name == "float16":
        raise NotImplementedError(
            f"{name}: PyTorch has no kernel of this function for {x.dtype}. Cast the tensors first"
        )
    return True


def _complex(real: Any, imag: Any) -> Any:
    _components("complex", real, imag)
    return ops.add(real, ops.multiply(imag, 1j))


def _positive(input: Any) -> Any:
    if input._array.dtype.kind == "b":
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


def _relu(input: Any) -> Any:
    if input._array.dtype.kind == "b":
        raise RuntimeError("Boolean inputs not supported for relu")
    return ops.nn.relu(input)


def logit(input, eps=None, *, out=None):
    if eps is not None:
        input = ops.clip(input, eps, 1 - eps)
    return ops.special.logit(input)


def ldexp(input, other, *, out=None):
    if input._array.dtype.kind == "f" and type(other) is Tensor and other._array.dtype.kind == "b":
        raise NotImplementedError("ldexp: PyTorch has no kernel of this function for bool exponents. Cast them first")
    base = ops.full((), 2.0, dtype=input.dtype) if input._array.dtype.kind in "fc" else 2.0
    return ops.multiply(input, ops.pow(base, other))


def addcdiv(input, tensor1, tensor2, *, value=1, out=None):
    kinds = [x._array.dtype.kind for x in (tensor1, tensor2)]
    if all(kind in "biu" for kind in kinds):
        raise RuntimeError("Integer division with addcdiv is no longer supported. Cast one of them to a float")
    quotient = ops.divide(tensor1, tensor2)
    return ops.add(input, quotient if value == 1 else ops.multiply(quotient, value))


def mvlgamma(input, p, *, out=None):
    from math import log, pi

    total = ops.special.gammaln(input)
    for i in range(1, p):
        total = ops.add(total, ops.special.gammaln(ops.subtract(input, i / 2)))
    return ops.add(total, p * (p - 1) / 4 * log(pi))


def _clamped(input: Any, min: Any = None, max: Any = None) -> Any:
    """A short way of `clamp`, see `calls.short`: floats, and Python numbers."""
    if input._sig.dtype.kind != "f" or type(min) not in SCALAR_KINDS:
        return None
    if max is None:
        found = lw.clip(input, min, _inf)
    elif type(max) in SCALAR_KINDS:
        found = lw.clip(input, min, max)
    else:
        return None
    return found if found._sig is input._sig else None


complete(globals(), _TABLE)
