"""Elementwise functions beyond the standard, on TensorFlow."""

from __future__ import annotations

import math
from typing import Any

import tensorflow as tf
from tensorflow import raw_ops as ops

from ...backend.series import SINC_SLOPE, polynomial
from ...core.dtypes import category
from . import raw_kernels as k
from .core import BITS, COMPOSED, SIGNED, broadcast_shape, custom_gradient, native, recorded
from .elementwise import divide, either, equal, multiply, several, subtract, trunc
from .fusion import fuse
from .kinks import with_slopes as _with_slopes

rsqrt = k.Rsqrt


def sinc(x: Any) -> tf.Tensor:
    """Compute sinc. The derivatives of the quotient cancel near 0: those of the series are used there."""
    return _differentiable_sinc(x) if recorded() else _sinc(x)


def _sinc(x: Any) -> tf.Tensor:
    zero = equal(x, 0)
    y = multiply(either(zero, 1, x), math.pi)
    return either(zero, 1, divide(k.Sin(y), y))


def _sinc_and_back(x: Any) -> Any:
    def back(cotangent: Any) -> tf.Tensor:
        near = k.Less(k.ComplexAbs(x, x.dtype.real_dtype) if x.dtype.is_complex else k.Abs(x), 0.25)
        small = either(near, x, k.ZerosLike(x))
        series = polynomial(k.Square(multiply(small, math.pi)), SINC_SLOPE)
        far = either(near, 1, x)
        slope = divide(subtract(k.Cos(multiply(far, math.pi)), _differentiable_sinc(far)), far)
        slope = either(near, multiply(small, series), slope)
        return multiply(cotangent, k.Conj(slope) if x.dtype.is_complex else slope)

    return _sinc(x), back


_differentiable_sinc = custom_gradient(_sinc_and_back)


@several
def _truncated_rest(x1: Any, x2: Any) -> tf.Tensor:
    """Compute the remainder of the sizes, with the sign of x1."""
    below = k.Less(k.Bitcast(x1, BITS[x1.dtype]), 0)
    rest = k.FloorMod(k.SelectV2(below, k.Neg(x1), x1), k.Abs(x2))
    return k.SelectV2(below, k.Neg(rest), rest)


def _less_quotient(out: Any, x1: Any, x2: Any) -> tf.Tensor:
    return k.Neg(trunc(k.RealDiv(x1, x2)))


fmod = _with_slopes(fuse(_truncated_rest, 2), lambda out, x1, x2: 1.0, _less_quotient)
COMPOSED.update(("fmod", dtype) for dtype in category("integral"))


@several
def divide_no_nan(x1: Any, x2: Any) -> tf.Tensor:
    return k.DivNoNan(x1, x2)


@several
def polar(abs: Any, angle: Any) -> tf.Tensor:
    """Compute polar. There are no complex numbers of 16 bits."""
    if abs.dtype not in (tf.float32, tf.float64):
        abs, angle = k.Cast(abs, tf.float32), k.Cast(angle, tf.float32)
    out = tf.complex64 if abs.dtype == tf.float32 else tf.complex128
    return k.Complex(k.Mul(abs, k.Cos(angle)), k.Mul(abs, k.Sin(angle)), out)


#: dtype -> the number of bits of the fraction, and the bias of the exponent.
_FORMATS = {tf.float16: (10, 15), tf.bfloat16: (7, 127), tf.float32: (23, 127), tf.float64: (52, 1023)}


def frexp(x: Any) -> tuple[tf.Tensor, tf.Tensor]:
    """There is no kernel: the exponent is read from the bits, after subnormal numbers are scaled by a power of 2."""
    fraction_bits, bias = _FORMATS[x.dtype]
    integer = BITS[x.dtype]
    one = tf.constant(1, integer)
    field = k.LeftShift(one, tf.constant(fraction_bits, integer)) * (2 * bias + 1)
    subnormal = k.Less(k.Abs(x), tf.constant(2.0 ** (1 - bias), x.dtype))
    scaled = k.SelectV2(subnormal, k.Mul(x, tf.constant(2.0 ** (fraction_bits + 1), x.dtype)), x)
    as_bits = k.Bitcast(scaled, integer)
    exponent = k.RightShift(k.BitwiseAnd(as_bits, field), tf.constant(fraction_bits, integer)) - (bias - 1)
    exponent = exponent - k.SelectV2(subnormal, tf.constant(fraction_bits + 1, integer), tf.constant(0, integer))
    half = k.LeftShift(one, tf.constant(fraction_bits, integer)) * (bias - 1)
    fraction = k.Bitcast(k.BitwiseOr(k.BitwiseAnd(as_bits, k.Invert(field)), half), x.dtype)
    plain = k.LogicalAnd(k.IsFinite(x), k.NotEqual(x, tf.constant(0, x.dtype)))
    exponent = k.SelectV2(plain, k.Cast(exponent, tf.int32), tf.constant(0, tf.int32))
    fraction = k.SelectV2(plain, fraction, x)
    return _scaled(x, fraction, exponent) if recorded() else fraction, exponent


def _scaled(x: Any, fraction: Any, exponent: Any) -> tf.Tensor:
    """Return the fraction, which was made of bits, with the derivative of x divided by a power of two."""

    @custom_gradient
    def of(x: Any) -> Any:
        def back(cotangent: Any) -> tf.Tensor:
            two, half = tf.constant(2, x.dtype), k.RightShift(exponent, 1)
            for power in (half, exponent - half):  # the whole may be beyond the range
                cotangent = k.RealDiv(cotangent, k.Pow(two, k.Cast(power, x.dtype)))
            return cotangent

        return tf.identity(fraction), back

    return of(x)


def _size(x: Any) -> tf.Tensor:
    """Return the absolute value of integers."""
    return x if x.dtype in SIGNED else k.Abs(x)


def gcd(x1: Any, x2: Any) -> tf.Tensor:
    """Euclid's algorithm, as long as a divisor is left anywhere. Of the least number of a dtype, which has no absolute
    value, divisors are negative."""
    shape = broadcast_shape([x for x in (x1, x2) if isinstance(x, tf.Tensor)])
    dtype = next(x.dtype for x in (x1, x2) if isinstance(x, tf.Tensor))
    a, b = (tf.broadcast_to(_size(tf.convert_to_tensor(x, dtype)), shape) for x in (x1, x2))

    def step(a: Any, b: Any) -> tuple[Any, Any]:
        zero = equal(b, 0)
        return either(zero, a, b), either(zero, b, k.FloorMod(a, either(zero, 1, b)))

    return _size(tf.while_loop(lambda _, b: tf.reduce_any(tf.not_equal(b, tf.zeros_like(b))), step, (a, b))[0])


def bitwise_count(x: Any) -> tf.Tensor:
    """Count bits of the absolute value: the kernel counts those of a negative number's complement."""
    return k.PopulationCount(_size(x))


# --- bits ---------------------------------------------------------------------------------------------------------


def reinterpret(x: Any, dtype: tf.DType) -> tf.Tensor:
    return ops.Bitcast(input=native(x), type=dtype)
