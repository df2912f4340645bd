"""Elementwise functions on TensorFlow, and the exact ways round what its kernels lack or do otherwise."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import tensorflow as tf
from tensorflow import raw_ops as ops

from ...dtypes import Dtype, bfloat16, bool_, category, float16
from .core import BITS, DETOURS, REFLECTED, SIGNED, UNSIGNED, eager, expanded, extents, scalar

_Function = Callable[..., Any]

_COMPLEX = category("complex floating")
_FLOATS = category("real floating")
_INTEGERS = category("integral")
_SIGNED = category("signed integer")


def _detour(name: str, dtypes: Iterable[Dtype], call: _Function) -> None:
    DETOURS.update({(name, dtype): call for dtype in dtypes})


def _one(kernel: _Function) -> _Function:
    """A kernel of one operand, which it takes by keyword only."""

    def call(x: Any) -> Any:
        return kernel(x=x)

    call.__name__ = call.__qualname__ = kernel.__name__
    return call


def _two(kernel: _Function) -> _Function:
    """A kernel of two operands, of which the second may be a Python scalar."""

    def call(x1: Any, x2: Any) -> Any:
        if type(x2) is float and not x2:
            x2 = scalar(x1.dtype)(x2)  # with its sign
        try:
            return kernel(x=x1, y=x2)
        except tf.errors.UnimplementedError:
            x1, x2 = _same_shape(x1, x2)
            return kernel(x=x1, y=x2)

    call.__name__ = call.__qualname__ = kernel.__name__
    return call


def _same_shape(x1: Any, x2: Any) -> tuple[Any, Any]:
    """Both in their common shape, for the broadcasts along many axes that the kernels leave out."""
    shape = tf.broadcast_static_shape(x1.shape, x2.shape)
    return expanded(x1, shape), expanded(x2, shape)


def itself(x: Any) -> Any:
    """Tensors never change, so that one does for two."""
    return ops.Identity(input=x) if isinstance(x, tf.Variable) else x


def bits(x: Any) -> tf.Tensor:
    """The same bits as signed integers of the same width; nothing is computed."""
    return ops.Bitcast(input=x, type=BITS.get(x.dtype) or SIGNED[x.dtype])


def _filled(value: bool) -> _Function:
    return lambda x: expanded(tf.constant(value), extents(x))


# --- arithmetic --------------------------------------------------------------------------------------------------

add = _two(ops.AddV2)
subtract = _two(ops.Sub)
multiply = _two(ops.Mul)
divide = _two(ops.RealDiv)
pow = _two(ops.Pow)
square = _one(ops.Square)
reciprocal = _one(ops.Reciprocal)
negative = _one(ops.Neg)
positive = itself
abs = _one(ops.Abs)
sign = _one(ops.Sign)
maximum = _two(ops.Maximum)
minimum = _two(ops.Minimum)
equal = _two(ops.Equal)
not_equal = _two(ops.NotEqual)
less = _two(ops.Less)
less_equal = _two(ops.LessEqual)
greater = _two(ops.Greater)
greater_equal = _two(ops.GreaterEqual)
logical_and = _two(ops.LogicalAnd)
logical_or = _two(ops.LogicalOr)
logical_xor = _two(ops.NotEqual)
logical_not = _one(ops.LogicalNot)
_modulo = _two(ops.FloorMod)


def choose(condition: Any, x1: Any, x2: Any) -> tf.Tensor:
    """`where`; one of the two may be a Python scalar."""
    if not isinstance(x1, tf.Tensor):  # the kernel looks at the first for the dtype
        x1 = scalar(x2.dtype)(x1)
    return ops.SelectV2(condition=condition, t=x1, e=x2)


def _rest(x1: Any, x2: Any) -> tuple[tf.Tensor, ...]:
    """|x2|, what is left of |x1| after subtracting that as often as it goes, whether x1 and x2 differ in sign, and
    whether they do and something is left."""
    size = abs(x2)
    rest = _modulo(abs(x1), size)
    differ = _signs_differ(x1, x2)
    return size, rest, differ, logical_and(differ, not_equal(rest, 0))


def _signs_differ(x1: Any, x2: Any) -> tf.Tensor:
    """Zeros have signs too."""
    return less(bitwise_xor(bits(x1), bits(x2)), 0)


def remainder(x1: Any, x2: Any) -> tf.Tensor:
    """TensorFlow's makes 0 of what is small beside the divisor and of the other sign, and a zero of the wrong sign."""
    size, rest, _, apart = _rest(x1, x2)
    rest = choose(apart, subtract(size, rest), rest)
    return choose(less(x2, 0), negative(rest), rest)


def floor_divide(x1: Any, x2: Any) -> tf.Tensor:
    """TensorFlow's rounds the quotient down, so that 1.0 // 0.1 is 10, though 0.1 as a float is above a tenth."""
    size, rest, differ, apart = _rest(x1, x2)
    whole = ops.Round(x=divide(subtract(abs(x1), rest), size))
    signed = choose(differ, negative(whole), whole)
    return choose(equal(x2, 0), divide(x1, x2), choose(apart, subtract(signed, 1), signed))


def _divided(kernel: _Function) -> _Function:
    """Zero for an integer divided by zero, as on NumPy, which is an error on TensorFlow."""

    def call(x1: Any, x2: Any) -> tf.Tensor:
        if eager(x1) and eager(x2):
            try:
                return kernel(x1, x2)
            except tf.errors.InvalidArgumentError as error:
                if "division by zero" not in str(error):
                    raise
        zero = equal(x2, 0)
        return choose(zero, 0, kernel(x1, choose(zero, 1, x2)))

    return call


_detour("floor_divide", _INTEGERS, _divided(_two(ops.FloorDiv)))
_detour("remainder", _INTEGERS, _divided(_modulo))


def _by_bits(function: _Function) -> _Function:
    """For what does the same to the bits whether they have a sign or not: sums and products."""
    return lambda *xs: ops.Bitcast(input=function(*map(bits, xs)), type=xs[0].dtype)


def _power(x1: tf.Tensor, x2: tf.Tensor) -> tf.Tensor:
    """Of signed integers that stand for unsigned ones of n bits. An odd number to the 2**(n - 2) is 1, an even one 0:
    so may be what is left of an exponent of 2**(n - 1) or more."""
    quarter = 2 ** (_width(x2) - 2)
    reduced = ops.BitwiseOr(x=ops.BitwiseAnd(x=x2, y=quarter - 1), y=quarter)
    return pow(x1, choose(less(x2, 0), reduced, x2))


_detour("pow", UNSIGNED, _by_bits(_power))
_detour("negative", UNSIGNED, _by_bits(negative))
_detour("abs", UNSIGNED, itself)
_detour("sign", UNSIGNED, lambda x: ops.Cast(x=not_equal(x, 0), DstT=x.dtype))


def _size(x: Any) -> tf.Tensor:
    return ops.ComplexAbs(x=x, Tout=x.dtype.real_dtype)


_detour("abs", _COMPLEX, _size)


def _signbit(x: Any) -> tf.Tensor:
    return less(bits(x), 0)


def copysign(x1: Any, x2: Any) -> tf.Tensor:
    return choose(_signs_differ(x1, x2), negative(x1), x1)


def nextafter(x1: Any, x2: Any) -> tf.Tensor:
    """TensorFlow's gives the first of two zeros."""
    return choose(equal(x1, x2), x2, ops.NextAfter(x1=x1, x2=x2))


def _nextafter_16_bits(x1: Any, x2: Any) -> tf.Tensor:
    """There is no kernel: the next float has the next bits."""
    step = tf.where(equal(greater(x2, x1), greater(x1, 0)), tf.constant(1, tf.int16), tf.constant(-1, tf.int16))
    moved = ops.Bitcast(input=add(bits(x1), step), type=x1.dtype)
    least = ops.BitwiseOr(x=ops.BitwiseAnd(x=bits(x2), y=tf.int16.min), y=1)  # the subnormal next to zero
    moved = choose(equal(x1, 0), ops.Bitcast(input=least, type=x1.dtype), moved)
    return choose(equal(x1, x2), x2, choose(isnan(x1), x1, choose(isnan(x2), x2, moved)))


_detour("nextafter", [bfloat16, float16], _nextafter_16_bits)


def hypot(x1: Any, x2: Any) -> tf.Tensor:
    """The absolute value of a complex number is computed without overflow."""
    return _size(_complex(x1, x2))


def _hypot_16_bits(x1: Any, x2: Any) -> tf.Tensor:
    """There are no complex numbers of 16 bits."""
    x1, x2 = abs(x1), abs(x2)
    large, small = maximum(x1, x2), minimum(x1, x2)
    ratio = divide(small, choose(equal(large, 0), 1, large))
    length = multiply(large, sqrt(add(square(ratio), 1)))
    return choose(logical_or(isinf(x1), isinf(x2)), math.inf, length)


_detour("hypot", [bfloat16, float16], _hypot_16_bits)

# --- exponentials, logarithms, trigonometry ----------------------------------------------------------------------

exp = _one(ops.Exp)
expm1 = _one(ops.Expm1)
log = _one(ops.Log)
log1p = _one(ops.Log1p)
sqrt = _one(ops.Sqrt)
sin = _one(ops.Sin)
cos = _one(ops.Cos)
tan = _one(ops.Tan)
asin = _one(ops.Asin)
acos = _one(ops.Acos)
atan = _one(ops.Atan)
sinh = _one(ops.Sinh)
cosh = _one(ops.Cosh)
tanh = _one(ops.Tanh)
asinh = _one(ops.Asinh)
acosh = _one(ops.Acosh)
atanh = _one(ops.Atanh)


def atan2(x1: Any, x2: Any) -> tf.Tensor:
    return ops.Atan2(y=x1, x=x2)


def _to_base(base: int) -> _Function:
    """There are no kernels for other bases than e. The quotient is made whole where the power is exact, so that the
    logarithm of 1000 to the base 10 is not a little less than 3."""

    def call(x: Any) -> tf.Tensor:
        found = multiply(ops.Log(x=x), 1 / math.log(base))
        whole = ops.Round(x=found)
        exact = logical_and(equal(ops.Pow(x=scalar(x.dtype)(base), y=whole), x), isfinite(found))
        return add(found, ops.StopGradient(input=choose(exact, subtract(whole, found), 0)))

    return call


log2 = _to_base(2)
log10 = _to_base(10)


def _log_complex(x: Any) -> tf.Tensor:
    """TensorFlow's makes a nan of what has squares beyond the range."""
    return _complex(ops.Log(x=_size(x)), atan2(_imag(x), _real(x)))


def _expm1_complex(x: Any) -> tf.Tensor:
    """TensorFlow's has a nan for a real component where e**x is beyond the range, and cancels elsewhere."""
    a, b = _real(x), _imag(x)
    less_one = expm1(a)
    real = subtract(multiply(less_one, cos(b)), multiply(square(sin(multiply(b, 0.5))), 2))
    imag = choose(equal(b, 0), b, multiply(exp(a), sin(b)))
    # No angle is left of what is infinitely far away, and 0 times it is 0.
    lost = logical_and(isinf(a), logical_not(isfinite(b)))
    real = choose(lost, less_one, real)
    imag = choose(logical_and(lost, less(a, 0)), 0, imag)
    return _complex(real, imag)


def _log1p_complex(x: Any) -> tf.Tensor:
    """From the real log1p, which is exact near 0; TensorFlow's angle is off by some bits of float32 where x is large."""
    a, b = _real(x), _imag(x)
    near = less(maximum(abs(a), abs(b)), 0.5)
    small = multiply(log1p(choose(near, add(multiply(a, add(a, 2)), square(b)), 0)), 0.5)
    return _complex(choose(near, small, log(hypot(add(a, 1), b))), atan2(b, add(a, 1)))


def _complex_to_base(base: int) -> _Function:
    def call(x: Any) -> tf.Tensor:
        natural = _log_complex(x)
        scale = 1 / math.log(base)
        return _complex(multiply(_real(natural), scale), multiply(_imag(natural), scale))

    return call


_detour("log", _COMPLEX, _log_complex)
_detour("expm1", _COMPLEX, _expm1_complex)
_detour("log1p", _COMPLEX, _log1p_complex)
_detour("log2", _COMPLEX, _complex_to_base(2))
_detour("log10", _COMPLEX, _complex_to_base(10))


def logaddexp(x1: Any, x2: Any) -> tf.Tensor:
    larger = maximum(x1, x2)
    # Of two infinities the difference is no number.
    distance = choose(equal(x1, x2), 0, abs(subtract(x1, x2)))
    return add(larger, log1p(exp(negative(distance))))


# --- rounding and bounds -----------------------------------------------------------------------------------------

ceil = _one(ops.Ceil)
floor = _one(ops.Floor)
round = _one(ops.Round)


def trunc(x: Any) -> tf.Tensor:
    return choose(less(x, 0), ceil(x), floor(x))


def _clip(x: Any, low: Any, high: Any) -> tf.Tensor:
    return minimum(maximum(x, low), high)


for _name in ("ceil", "floor", "round", "trunc"):
    _detour(_name, _INTEGERS, itself)
_detour("round", _COMPLEX, lambda x: _complex(ops.Round(x=_real(x)), ops.Round(x=_imag(x))))

# --- comparisons, predicates, logic, bits ------------------------------------------------------------------------

isfinite = _one(ops.IsFinite)
isinf = _one(ops.IsInf)
isnan = _one(ops.IsNan)
signbit = _signbit
bitwise_and = _two(ops.BitwiseAnd)
bitwise_or = _two(ops.BitwiseOr)
bitwise_xor = _two(ops.BitwiseXor)
bitwise_invert = _one(ops.Invert)

_detour("isfinite", [bool_, *_INTEGERS], _filled(True))
_detour("isinf", [bool_, *_INTEGERS], _filled(False))
_detour("isnan", [bool_, *_INTEGERS], _filled(False))
_detour("isfinite", _COMPLEX, lambda x: logical_and(isfinite(_real(x)), isfinite(_imag(x))))
_detour("isinf", _COMPLEX, lambda x: logical_or(isinf(_real(x)), isinf(_imag(x))))
_detour("isnan", _COMPLEX, lambda x: not_equal(x, x))
_detour("signbit", _SIGNED, lambda x: less(x, 0))
_detour("signbit", UNSIGNED, _filled(False))

# The truth values have kernels for logic alone, which False < True is too.
_detour("less", [bool_], lambda x1, x2: logical_and(logical_not(x1), x2))
_detour("less_equal", [bool_], lambda x1, x2: logical_or(logical_not(x1), x2))
_detour("greater", [bool_], lambda x1, x2: logical_and(x1, logical_not(x2)))
_detour("greater_equal", [bool_], lambda x1, x2: logical_or(x1, logical_not(x2)))
_detour("maximum", [bool_], logical_or)
_detour("minimum", [bool_], logical_and)
_detour("_clip", [bool_], lambda x, low, high: logical_and(logical_or(x, low), high))
_detour("bitwise_and", [bool_], logical_and)
_detour("bitwise_or", [bool_], logical_or)
_detour("bitwise_xor", [bool_], logical_xor)
_detour("bitwise_invert", [bool_], logical_not)

_left = _two(ops.LeftShift)
_right = _two(ops.RightShift)
_UNSIGNED_OF = {signed: unsigned for unsigned, signed in SIGNED.items()}


def _width(x: Any) -> int:
    return int(x.dtype.size) * 8


def bitwise_left_shift(x1: Any, x2: Any) -> tf.Tensor:
    """TensorFlow takes a shift by the width or more for one by a bit less, and a negative one for none."""
    if isinstance(x2, int):
        return _left(x1, x2) if 0 <= x2 < _width(x1) else ops.ZerosLike(x=x1)
    return choose(less(_unsigned(x2), _width(x1)), _left(x1, x2), 0)


def bitwise_right_shift(x1: Any, x2: Any) -> tf.Tensor:
    if isinstance(x2, int):
        x2 = x2 if 0 <= x2 < _width(x1) else _width(x1) - 1
        return _right(x1, x2)
    shift = minimum(_unsigned(x2), _width(x1) - 1)
    return _right(x1, ops.Bitcast(input=shift, type=x2.dtype))


def _unsigned_right_shift(x1: Any, x2: Any) -> tf.Tensor:
    return choose(less(x2, _width(x1)), _right(x1, x2), 0)


def _unsigned(x: Any) -> tf.Tensor:
    """A negative shift is one by a great deal."""
    return x if x.dtype in SIGNED else ops.Bitcast(input=x, type=_UNSIGNED_OF[x.dtype])


_detour("bitwise_right_shift", UNSIGNED, _unsigned_right_shift)

# --- complex numbers ---------------------------------------------------------------------------------------------


def _real(x: Any) -> tf.Tensor:
    return ops.Real(input=x, Tout=x.dtype.real_dtype)


def _imag(x: Any) -> tf.Tensor:
    return ops.Imag(input=x, Tout=x.dtype.real_dtype)


def _complex(real: Any, imag: Any) -> tf.Tensor:
    return ops.Complex(real=real, imag=imag, Tout=tf.complex64 if real.dtype == tf.float32 else tf.complex128)


real, imag = _real, _imag


def conj(x: Any) -> tf.Tensor:
    return ops.Conj(input=x)


_REALS = category("real numeric")
_detour("real", _REALS, itself)
_detour("imag", _REALS, lambda x: ops.ZerosLike(x=x))
_detour("conj", _REALS, itself)

# A Python scalar is taken by the second operand's place alone.
REFLECTED.update(
    add=add, multiply=multiply, maximum=maximum, minimum=minimum, equal=equal, not_equal=not_equal, less=greater,
    less_equal=greater_equal, greater=less, greater_equal=less_equal, bitwise_and=bitwise_and, bitwise_or=bitwise_or,
    bitwise_xor=bitwise_xor,
)  # fmt: skip
