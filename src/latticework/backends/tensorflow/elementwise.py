"""Elementwise functions on TensorFlow, and the exact ways round what its kernels lack or do otherwise."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import tensorflow as tf

from ...core.dtypes import Dtype, bfloat16, bool_, category, float16
from . import raw_kernels as k
from .core import (
    BITS,
    EMULATED,
    REFLECTED,
    SIGNED,
    UNSIGNED,
    broadcast_shape,
    custom_gradient,
    eager,
    expanded,
    extents,
    flat,
    recorded,
    reshaped,
    scalar,
)
from .kinks import of_extreme as _of_extreme
from .kinks import with_slopes as _with_slopes

_Function = Callable[..., Any]

_COMPLEX = category("complex floating")
_INTEGERS = category("integral")
_SIGNED = category("signed integer")


def _emulate(name: str, dtypes: Iterable[Dtype], call: _Function) -> None:
    EMULATED.update({(name, dtype): call for dtype in dtypes})


def _two(kernel: _Function) -> _Function:
    """Make a function of two operands from a kernel. The second operand may be a Python scalar."""

    def call(x1: Any, x2: Any) -> Any:
        if type(x2) is float and not x2:
            x2 = scalar(x1.dtype)(x2)  # with its sign
        try:
            return kernel(x1, x2)
        except tf.errors.UnimplementedError:
            return _flattened(kernel, x1, x2)

    call.__name__ = call.__qualname__ = kernel.__name__
    return call


def several(function: _Function) -> _Function:
    """Make a function that has several kernels, or more than two operands."""

    def call(*xs: Any) -> Any:
        try:
            return function(*xs)
        except tf.errors.UnimplementedError:
            return _flattened(function, *xs)

    call.__name__ = call.__qualname__ = function.__name__
    call.__doc__ = function.__doc__
    return call


def _flattened(function: _Function, *xs: Any) -> tf.Tensor:
    """Call along one axis: the kernels lack some broadcasts along many axes (https://github.com/tensorflow/tensorflow/issues/1519)."""
    shape = broadcast_shape([x for x in xs if isinstance(x, tf.Tensor)])
    return reshaped(function(*[flat(expanded(x, shape)) if isinstance(x, tf.Tensor) else x for x in xs]), shape)


def itself(x: Any) -> Any:
    """Return x itself: tensors never change, so that no copy is needed."""
    return k.Identity(x) if isinstance(x, tf.Variable) else x


def bits(x: Any) -> tf.Tensor:
    """View x as signed integers of the same width; nothing is computed."""
    return k.Bitcast(x, BITS.get(x.dtype) or SIGNED[x.dtype])


def _filled(value: bool) -> _Function:
    return lambda x: expanded(tf.constant(value), extents(x))


# --- arithmetic --------------------------------------------------------------------------------------------------

add = _two(k.AddV2)
subtract = _two(k.Sub)
multiply = _two(k.Mul)
divide = _two(k.RealDiv)
_raised = _two(k.Pow)


def pow(x1: Any, x2: Any) -> tf.Tensor:
    """Raise to a power. The power of 0 is 1 for all numbers, with the derivative 0 by x1; the kernel's is nan at 0, and
    so is its second derivative of the power of 1."""
    if type(x2) is int or type(x2) is float:
        if not x2:
            return k.OnesLike(x1)
        whole = x2 > 0 and x2 % 1 == 0 and not x1.dtype.is_integer
        return _differentiable_whole_power(x1, x2) if whole and recorded() else _raised(x1, x2)
    if not recorded() or x1.dtype.is_integer:
        return _raised(x1, x2)
    if x1.shape != x2.shape:
        shape = broadcast_shape([x1, x2])
        x1, x2 = expanded(x1, shape), expanded(x2, shape)
    return _differentiable_power(either(logical_and(equal(x1, 0), equal(x2, 0)), 1, x1), x2)


def _conj(x: Any) -> tf.Tensor:
    return k.Conj(x) if x.dtype.is_complex else x


def _differentiable_whole_power(x1: Any, n: float) -> tf.Tensor:
    @custom_gradient
    def raised(x: Any) -> Any:
        return _raised(x, n), lambda cotangent: multiply(cotangent, _conj(multiply(pow(x, n - 1), n)))

    return raised(x1)


def _power_and_back(x1: Any, x2: Any) -> Any:
    """Return the power and its gradient, for operands of one shape. Like the kernel's, the derivative by x2 is 0 where
    a real x1 is not positive."""

    def back(cotangent: Any) -> tuple[tf.Tensor, tf.Tensor]:
        by_1 = multiply(x2, pow(x1, subtract(x2, 1)))
        positive = not_equal(x1, 0) if x1.dtype.is_complex else greater(x1, 0)
        by_2 = multiply(_differentiable_power(x1, x2), k.Log(either(positive, x1, 1)))
        return multiply(cotangent, _conj(by_1)), multiply(cotangent, _conj(by_2))

    return _raised(x1, x2), back


_differentiable_power = custom_gradient(_power_and_back)


square = k.Square
reciprocal = k.Reciprocal
negative = k.Neg
positive = itself
abs = k.Abs
sign = k.Sign
_greater_one = _two(k.Maximum)  # of equal ones, the first has all of the derivative
_lesser_one = _two(k.Minimum)
maximum = _with_slopes(_greater_one, _of_extreme, lambda out, x1, x2: _of_extreme(out, x2, x1))
minimum = _with_slopes(_lesser_one, _of_extreme, lambda out, x1, x2: _of_extreme(out, x2, x1))
equal = _two(k.Equal)
not_equal = _two(k.NotEqual)
less = _two(k.Less)
less_equal = _two(k.LessEqual)
greater = _two(k.Greater)
greater_equal = _two(k.GreaterEqual)
logical_and = _two(k.LogicalAnd)
logical_or = _two(k.LogicalOr)
logical_xor = _two(k.NotEqual)
logical_not = k.LogicalNot


def either(condition: Any, x1: Any, x2: Any) -> tf.Tensor:
    """`where`; one of the two may be a Python scalar."""
    if not isinstance(x1, tf.Tensor):  # the kernel looks at the first for the dtype
        x1 = scalar(x2.dtype)(x1)
    return k.SelectV2(condition, x1, x2)


def _rest(x1: Any, x2: Any) -> tuple[tf.Tensor, ...]:
    """Return |x1|, |x2|, the remainder of |x1| by |x2|, whether x1 and x2 differ in sign, zeros included, and whether
    they do and the remainder is not 0."""
    whole = k.SelectV2(signbit(x1), k.Neg(x1), x1)  # at zero k.Abs has no gradient
    size, as_bits = k.Abs(x2), BITS[x1.dtype]
    rest = k.FloorMod(whole, size)
    differ = k.Less(k.BitwiseXor(k.Bitcast(x1, as_bits), k.Bitcast(x2, as_bits)), 0)
    return whole, size, rest, differ, k.LogicalAnd(differ, k.NotEqual(rest, 0))


@several
def _remainder(x1: Any, x2: Any) -> tf.Tensor:
    """Compute the remainder. TensorFlow's is 0 for a dividend that is small and of the other sign, and zeros have the
    wrong sign."""
    _, size, rest, differ, apart = _rest(x1, x2)
    rest = k.SelectV2(differ, k.Sub(k.SelectV2(apart, size, 0), rest), rest)  # 0 - 0 has the gradient of -rest
    return k.SelectV2(k.Less(x2, 0), k.Neg(rest), rest)


remainder = _with_slopes(_remainder, lambda out, x1, x2: 1.0, lambda out, x1, x2: k.Neg(k.Floor(k.RealDiv(x1, x2))))


@several
def _floor_divide(x1: Any, x2: Any) -> tf.Tensor:
    """Divide and round down. TensorFlow rounds down the rounded quotient, so that 1.0 // 0.1 is 10, though 0.1 as a
    float is above a tenth, and -1e-38 // 2 is -0.0 (https://github.com/tensorflow/tensorflow/issues/56130)."""
    amount, size, rest, differ, apart = _rest(x1, x2)
    whole = k.Round(k.RealDiv(k.Sub(amount, rest), size))
    signed = k.SelectV2(differ, k.Neg(whole), whole)
    return k.SelectV2(k.Equal(x2, 0), k.RealDiv(x1, x2), k.SelectV2(apart, k.Sub(signed, 1), signed))


floor_divide = _with_slopes(_floor_divide, None, None)


def _divided(kernel: _Function, by_minus_one: _Function) -> _Function:
    """Make a division with 0 for an integer divided by zero, as on NumPy; on TensorFlow it is an error
    (https://github.com/tensorflow/tensorflow/issues/54856)."""

    def call(x1: Any, x2: Any) -> tf.Tensor:
        if eager(x1) and eager(x2):
            try:
                return kernel(x1, x2)
            except tf.errors.InvalidArgumentError as error:
                if "division by zero" not in str(error):
                    raise
        zero = equal(x2, 0)
        divisor = either(zero, 1, x2)
        if x1.dtype != tf.int16:
            return either(zero, 0, kernel(x1, divisor))
        # Compiled by XLA, the least int16 divided by -1 ends the process; otherwise it wraps around, as others do.
        minus_one = equal(x2, -1)
        result = either(minus_one, by_minus_one(x1), kernel(x1, either(minus_one, 1, divisor)))
        return either(zero, 0, result)

    return call


_emulate("floor_divide", _INTEGERS, _divided(_two(k.FloorDiv), k.Neg))
_emulate("remainder", _INTEGERS, _divided(_two(k.FloorMod), k.ZerosLike))


def by_bits(function: _Function) -> _Function:
    """Make an unsigned function of a signed one with the same result bits: sums and products."""
    return lambda *xs: k.Bitcast(function(*map(bits, xs)), xs[0].dtype)


def _power(x1: tf.Tensor, x2: tf.Tensor) -> tf.Tensor:
    """Raise signed integers that stand for unsigned ones of n bits. An odd number to the 2**(n - 2) is 1, an even one
    0: an exponent of 2**(n - 1) or more is reduced by that."""
    quarter = 2 ** (_width(x2) - 2)
    reduced = k.BitwiseOr(k.BitwiseAnd(x2, quarter - 1), quarter)
    return pow(x1, either(less(x2, 0), reduced, x2))


_emulate("pow", UNSIGNED, by_bits(_power))
_emulate("negative", UNSIGNED, by_bits(negative))
_emulate("abs", UNSIGNED, itself)
_emulate("sign", UNSIGNED, lambda x: k.Cast(not_equal(x, 0), x.dtype))


def _size(x: Any) -> tf.Tensor:
    return k.ComplexAbs(x, Tout=x.dtype.real_dtype)


_emulate("abs", _COMPLEX, _size)


def _unit(x: Any) -> tf.Tensor:
    """Compute the complex sign: the kernel's derivative is 0, like that of the sign of real numbers."""
    return _differentiable_unit(x) if recorded() else k.Sign(x)


def _unit_and_back(x: Any) -> Any:
    def back(cotangent: Any) -> tf.Tensor:
        size, unit = _size(x), _differentiable_unit(x)
        zero = equal(size, 0)
        length = either(zero, 1, size)
        along = _real(multiply(k.Conj(unit), cotangent))  # which changes the absolute value alone
        across = subtract(cotangent, multiply(unit, _complex(along, k.ZerosLike(along))))
        return either(zero, k.ZerosLike(x), divide(across, _complex(length, k.ZerosLike(length))))

    return k.Sign(x), back


_differentiable_unit = custom_gradient(_unit_and_back)


_emulate("sign", _COMPLEX, _unit)


def signbit(x: Any) -> tf.Tensor:
    return less(bits(x), 0)


@several
def _signed_like(x1: Any, x2: Any) -> tf.Tensor:
    as_bits = BITS[x1.dtype]
    differ = k.Less(k.BitwiseXor(k.Bitcast(x1, as_bits), k.Bitcast(x2, as_bits)), 0)
    return k.SelectV2(differ, k.Neg(x1), x1)


copysign = _with_slopes(_signed_like, lambda out, x1, x2: k.Mul(k.Sign(x1), k.Sign(out)), None)


@several
def _next(x1: Any, x2: Any) -> tf.Tensor:
    """TensorFlow's gives the first of two zeros."""
    return k.SelectV2(k.Equal(x1, x2), x2, k.NextAfter(x1, x2))


nextafter = _with_slopes(_next, lambda out, x1, x2: 1.0, None)


@several
def _nextafter_16_bits(x1: Any, x2: Any) -> tf.Tensor:
    """There is no kernel: the next float has the next bits."""
    step = tf.where(equal(greater(x2, x1), greater(x1, 0)), tf.constant(1, tf.int16), tf.constant(-1, tf.int16))
    moved = k.Bitcast(add(bits(x1), step), x1.dtype)
    least = k.BitwiseOr(k.BitwiseAnd(bits(x2), tf.int16.min), 1)  # the subnormal next to zero
    moved = either(equal(x1, 0), k.Bitcast(least, x1.dtype), moved)
    return either(equal(x1, x2), x2, either(isnan(x1), x1, either(isnan(x2), x2, moved)))


_emulate("nextafter", [bfloat16, float16], _nextafter_16_bits)


@several
def _length(x1: Any, x2: Any) -> tf.Tensor:
    """Compute hypot as the absolute value of a complex number, which does not overflow."""
    return k.ComplexAbs(_complex(x1, x2), x1.dtype)


def _over(x: Any, size: Any) -> tf.Tensor:
    """Return ``x / size``, 0 where the size is 0."""
    zero = k.Equal(size, 0)
    return either(zero, 0, divide(x, either(zero, 1, size)))


#: Those of the kernel leave the range where the squares do.
hypot = _with_slopes(_length, lambda out, x1, x2: _over(x1, out), lambda out, x1, x2: _over(x2, out), smooth=True)


@several
def _hypot_16_bits(x1: Any, x2: Any) -> tf.Tensor:
    """Compute hypot for 16 bits, which have no complex numbers."""
    x1, x2 = abs(x1), abs(x2)
    first = greater_equal(x1, x2)  # for equal operands a maximum has all derivatives by x1, and so has a minimum
    large, small = k.SelectV2(first, x1, x2), k.SelectV2(first, x2, x1)
    ratio = divide(small, either(equal(large, 0), 1, large))
    length = multiply(large, sqrt(add(square(ratio), 1)))
    return either(logical_or(isinf(x1), isinf(x2)), math.inf, length)


_emulate("hypot", [bfloat16, float16], _hypot_16_bits)

# --- exponentials, logarithms, trigonometry ----------------------------------------------------------------------

exp = k.Exp
expm1 = k.Expm1
log = k.Log
log1p = k.Log1p
sqrt = k.Sqrt
sin = k.Sin
cos = k.Cos
tan = k.Tan
asin = k.Asin
acos = k.Acos
atan = k.Atan
sinh = k.Sinh
cosh = k.Cosh
tanh = k.Tanh
asinh = k.Asinh
acosh = k.Acosh
atanh = k.Atanh


def _turned(x: Any, y: Any) -> tf.Tensor:
    """Return ``x / (x**2 + y**2)``, 0 where both are 0."""
    size = (_hypot_16_bits if x.dtype.size == 2 else hypot)(x, y)
    return _over(_over(x, size), size)


#: Those of the kernel are nan where both are 0, and leave the range where the squares do.
atan2 = _with_slopes(
    _two(k.Atan2), lambda out, x1, x2: _turned(x2, x1), lambda out, x1, x2: k.Neg(_turned(x1, x2)), smooth=True
)


def _to_base(base: int) -> _Function:
    """There are no kernels for other bases than e. The quotient is made whole where the power is exact, so that the
    logarithm of 1000 to the base 10 is not a little less than 3."""

    def call(x: Any) -> tf.Tensor:
        found = k.Mul(k.Log(x), 1 / math.log(base))
        whole = k.Round(found)
        exact = k.LogicalAnd(k.Equal(k.Pow(scalar(x.dtype)(base), whole), x), k.IsFinite(found))
        return k.AddV2(found, k.StopGradient(k.SelectV2(exact, k.Sub(whole, found), 0)))

    return call


log2 = _to_base(2)
log10 = _to_base(10)


def _log_complex(x: Any) -> tf.Tensor:
    """TensorFlow's makes a nan of what has squares beyond the range (https://github.com/tensorflow/tensorflow/issues/118034)."""
    return _complex(k.Log(_size(x)), atan2(_imag(x), _real(x)))


def _expm1_complex(x: Any) -> tf.Tensor:
    """TensorFlow's has a nan for a real component where e**x is beyond the range, and cancels elsewhere."""
    a, b = _real(x), _imag(x)
    less_one = expm1(a)
    real = subtract(multiply(less_one, cos(b)), multiply(square(sin(multiply(b, 0.5))), 2))
    imag = either(equal(b, 0), b, multiply(exp(a), sin(b)))
    # At an infinite distance no angle is left, and 0 times it is 0.
    lost = logical_and(isinf(a), logical_not(isfinite(b)))
    real = either(lost, less_one, real)
    imag = either(logical_and(lost, less(a, 0)), 0, imag)
    return _complex(real, imag)


def _log1p_complex(x: Any) -> tf.Tensor:
    """From the real log1p, which is exact near 0; TensorFlow's angle is off by some bits of it where x is large, and
    infinities are nan (https://github.com/tensorflow/tensorflow/issues/80850)."""
    a, b = _real(x), _imag(x)
    near = less(maximum(abs(a), abs(b)), 0.5)
    small = multiply(log1p(either(near, add(multiply(a, add(a, 2)), square(b)), 0)), 0.5)
    return _complex(either(near, small, log(hypot(add(a, 1), b))), atan2(b, add(a, 1)))


def _complex_to_base(base: int) -> _Function:
    def call(x: Any) -> tf.Tensor:
        natural = _log_complex(x)
        scale = 1 / math.log(base)
        return _complex(multiply(_real(natural), scale), multiply(_imag(natural), scale))

    return call


_emulate("log", _COMPLEX, _log_complex)
_emulate("expm1", _COMPLEX, _expm1_complex)
_emulate("log1p", _COMPLEX, _log1p_complex)
_emulate("log2", _COMPLEX, _complex_to_base(2))
_emulate("log10", _COMPLEX, _complex_to_base(10))


@several
def logaddexp(x1: Any, x2: Any) -> tf.Tensor:
    """Compute logaddexp, with a gradient of a half for each where x1 == x2: the maximum's is x1's, and the other term's
    takes a half of it, since -|x1 - x2| is made by a choice. Two equal infinities are averaged: a product with a half
    would have the tangent nan, which is an infinity times the tangent of the half."""
    apart = k.Sub(x1, x2)
    below = k.SelectV2(k.GreaterEqual(apart, 0), k.Neg(apart), apart)
    same = k.IsNan(apart)  # of two infinities
    zeros = k.ZerosLike(apart)
    below = k.SelectV2(same, zeros, below)
    average = k.Mean(k.Pack([k.AddV2(x1, zeros), k.AddV2(x2, zeros)], 0), 0)
    return k.AddV2(k.SelectV2(same, average, k.Maximum(x1, x2)), k.Log1p(k.Exp(below)))


# --- rounding and bounds -----------------------------------------------------------------------------------------

ceil = k.Ceil
floor = k.Floor
round = k.Round


def trunc(x: Any) -> tf.Tensor:
    return k.SelectV2(k.Less(x, 0), k.Ceil(x), k.Floor(x))


def _clip(x: Any, low: Any, high: Any) -> tf.Tensor:
    return _lesser_one(_greater_one(x, low), high)


for _name in ("ceil", "floor", "round", "trunc"):
    _emulate(_name, _INTEGERS, itself)
_emulate("round", _COMPLEX, lambda x: _complex(k.Round(_real(x)), k.Round(_imag(x))))

# --- comparisons, predicates, logic, bits ------------------------------------------------------------------------

isfinite = k.IsFinite
isinf = k.IsInf
isnan = k.IsNan
bitwise_and = _two(k.BitwiseAnd)
bitwise_or = _two(k.BitwiseOr)
bitwise_xor = _two(k.BitwiseXor)
bitwise_invert = k.Invert

_emulate("isfinite", [bool_, *_INTEGERS], _filled(True))
_emulate("isinf", [bool_, *_INTEGERS], _filled(False))
_emulate("isnan", [bool_, *_INTEGERS], _filled(False))
_emulate("isfinite", _COMPLEX, lambda x: logical_and(isfinite(_real(x)), isfinite(_imag(x))))
_emulate("isinf", _COMPLEX, lambda x: logical_or(isinf(_real(x)), isinf(_imag(x))))
_emulate("isnan", _COMPLEX, lambda x: not_equal(x, x))
_emulate("signbit", _SIGNED, lambda x: less(x, 0))
_emulate("signbit", UNSIGNED, _filled(False))

# Bools have kernels for logic alone; False < True is logic too.
_emulate("less", [bool_], lambda x1, x2: logical_and(logical_not(x1), x2))
_emulate("less_equal", [bool_], lambda x1, x2: logical_or(logical_not(x1), x2))
_emulate("greater", [bool_], lambda x1, x2: logical_and(x1, logical_not(x2)))
_emulate("greater_equal", [bool_], lambda x1, x2: logical_or(x1, logical_not(x2)))
_emulate("_clip", [bool_], lambda x, low, high: logical_and(logical_or(x, low), high))
_emulate("bitwise_and", [bool_], logical_and)
_emulate("bitwise_or", [bool_], logical_or)
_emulate("bitwise_xor", [bool_], logical_xor)
_emulate("bitwise_invert", [bool_], logical_not)

_UNSIGNED_OF = {signed: unsigned for unsigned, signed in SIGNED.items()}


def _width(x: Any) -> int:
    return int(x.dtype.size) * 8


@several
def bitwise_left_shift(x1: Any, x2: Any) -> tf.Tensor:
    """TensorFlow takes a shift by the width or more for one by a bit less, and a negative one for none
    (https://github.com/tensorflow/tensorflow/issues/72709)."""
    if isinstance(x2, int):
        return k.LeftShift(x1, x2) if 0 <= x2 < _width(x1) else k.ZerosLike(x1)
    # A negative shift counts as a large one.
    shift = x2 if x2.dtype in SIGNED else k.Bitcast(x2, _UNSIGNED_OF[x2.dtype])
    return k.SelectV2(k.Less(shift, _width(x1)), k.LeftShift(x1, x2), 0)


@several
def bitwise_right_shift(x1: Any, x2: Any) -> tf.Tensor:
    last = int(x1.dtype.size) * 8 - 1
    if isinstance(x2, int):
        return k.RightShift(x1, x2 if 0 <= x2 <= last else last)
    shift = k.Minimum(k.Bitcast(x2, _UNSIGNED_OF[x2.dtype]), last)
    return k.RightShift(x1, k.Bitcast(shift, x2.dtype))


@several
def _unsigned_right_shift(x1: Any, x2: Any) -> tf.Tensor:
    return k.SelectV2(k.Less(x2, _width(x1)), k.RightShift(x1, x2), 0)


_emulate("bitwise_right_shift", UNSIGNED, _unsigned_right_shift)

# --- complex numbers ---------------------------------------------------------------------------------------------


def _real(x: Any) -> tf.Tensor:
    return k.Real(x, x.dtype.real_dtype)


def _imag(x: Any) -> tf.Tensor:
    return k.Imag(x, x.dtype.real_dtype)


def _complex(real: Any, imag: Any) -> tf.Tensor:
    return k.Complex(real, imag, tf.complex64 if real.dtype == tf.float32 else tf.complex128)


real, imag = _real, _imag
conj = k.Conj

_REALS = category("real numeric")
_emulate("real", _REALS, itself)
_emulate("imag", _REALS, k.ZerosLike)
_emulate("conj", _REALS, itself)

# A Python scalar is taken by the second operand's place alone.
REFLECTED.update(
    add=add, multiply=multiply, maximum=maximum, minimum=minimum, equal=equal, not_equal=not_equal, less=greater,
    less_equal=greater_equal, greater=less, greater_equal=less_equal, bitwise_and=bitwise_and, bitwise_or=bitwise_or,
    bitwise_xor=bitwise_xor,
)  # fmt: skip
