"""Elementwise functions on JAX. What is compiled as one here is one kernel: special cases cost no pass of their own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ...backend.plain import NativeCall, comes_to
from ...backend.unsupported import COMPLEX_HYPOT
from ...core.dtypes import category, float64
from .core import EMULATED, REFUSED, duplicate
from .kinks import of_clip as _of_clip
from .kinks import of_extreme as _of_extreme
from .kinks import share_of as _share
from .kinks import with_slopes as _with_slopes

# --- arithmetic --------------------------------------------------------------------------------------------------

add = jnp.add
subtract = jnp.subtract
multiply = jnp.multiply
divide = jnp.divide


@jax.jit  # by itself jnp.power would be compiled anew for every exponent that is a scalar
def pow(x1: Any, x2: Any) -> jax.Array:
    """Raise to a power. The power of 0 is 1 for all numbers, with the derivative 0 by x1; JAX's is nan at 0, and so is
    its second derivative of the power of 1."""
    dtype = jnp.result_type(x1)
    if not jnp.issubdtype(dtype, jnp.inexact):
        return jnp.power(x1, x2)
    return _guarded_power(*jnp.broadcast_arrays(x1, jnp.asarray(x2, dtype)))


def _guarded_power(x1: Any, x2: Any) -> jax.Array:
    return _power(jnp.where((x1 == 0) & (x2 == 0), 1, x1), x2)


@jax.custom_jvp
def _power(x1: Any, x2: Any) -> jax.Array:
    return jnp.power(x1, x2)


def _moved_power(primals: Any, tangents: Any) -> Any:
    """Differentiate only by operands with tangents: the logarithm of a negative base is nan."""
    (x1, x2), zero = primals, jax.custom_derivatives.SymbolicZero
    power = _power(x1, x2)
    moved = jnp.zeros_like(power)
    if type(tangents[0]) is not zero:
        moved = moved + tangents[0] * (x2 * _guarded_power(x1, x2 - 1))
    if type(tangents[1]) is not zero:
        known = x1 != 0 if jnp.iscomplexobj(x1) else x1 > 0  # the power of others has no slope by the exponent
        moved = moved + tangents[1] * (jnp.log(jnp.where(known, x1, 1)) * power)
    return power, moved


_power.defjvp(_moved_power, symbolic_zeros=True)


def _plain_power(x1: Any, x2: Any) -> NativeCall | None:
    """Return JAX's own call for a known exponent that is not 0: for that it is right."""
    return (jnp.power, (x1, x2), {}) if isinstance(x2, np.generic) and x2 != 0 else None


comes_to(pow, _plain_power)
square = jnp.square
reciprocal = jnp.reciprocal
negative = jnp.negative
positive = duplicate
abs = _with_slopes(jnp.abs, lambda out, x: jnp.sign(x))
copysign = _with_slopes(jnp.copysign, lambda out, x1, x2: jnp.sign(x1) * jnp.sign(out), None)


@jax.jit
def nextafter(x1: Any, x2: Any) -> jax.Array:
    return _next(x1, x2)


@jax.custom_jvp
def _next(x1: Any, x2: Any) -> jax.Array:
    """Compute nextafter, with the slope 1 by the first: JAX has no derivative."""
    return jnp.nextafter(x1, x2)


_next.defjvps(lambda tangent, out, x1, x2: jnp.broadcast_to(tangent, out.shape), None)


def _over(x: Any, norm: Any) -> Any:
    return jnp.where(norm == 0, 0, x / jnp.where(norm == 0, 1, norm))


#: Those of jnp.hypot are a half where both are 0, and leave the range where the squares do.
hypot = _with_slopes(jnp.hypot, lambda out, x1, x2: _over(x1, out), lambda out, x1, x2: _over(x2, out))
# Other frameworks' rules ask for complex hypot; JAX's error is a ValueError, as for an argument that does not fit.
REFUSED.update({("hypot", d): COMPLEX_HYPOT for d in category("complex floating")})


@jax.jit
def sign(x: Any) -> jax.Array:
    """Compute the sign. JAX gives -0.0 for -0.0, and no derivative for complex numbers."""
    found = _unit(x) if jnp.iscomplexobj(x) else jnp.sign(x)
    return jnp.where(x == 0, jnp.zeros_like(x), found)


@jax.custom_jvp
def _unit(x: Any) -> jax.Array:
    return jnp.sign(x)


@_unit.defjvp
def _(primals: Any, tangents: Any) -> Any:
    (x,), (moved,) = primals, tangents
    zero, unit = x == 0, _unit(x)
    along = jnp.real(jnp.conj(unit) * moved)  # which changes the absolute value alone
    return unit, jnp.where(zero, 0, (moved - unit * along) / jnp.abs(jnp.where(zero, 1, x)))


@jax.jit
def floor_divide(x1: Any, x2: Any) -> jax.Array:
    """Divide and round down. JAX gives a quotient that is rounded to zero a wrong sign."""
    quotient = jnp.floor_divide(x1, x2)
    return jnp.where(quotient == 0, jnp.copysign(quotient, x1 / x2), quotient)


@jax.jit
def remainder(x1: Any, x2: Any) -> jax.Array:
    """Compute the remainder. JAX gives a zero the sign of the dividend."""
    return _with_sign_of(jnp.remainder(x1, x2), x2)


@jax.custom_jvp
def _with_sign_of(rest: Any, x2: Any) -> jax.Array:
    """Give a remainder the sign of x2. Only a zero can have the other sign, and that changes no derivative."""
    rest, x2 = jnp.broadcast_arrays(rest, x2)
    return jnp.where(jnp.signbit(rest) == jnp.signbit(x2), rest, -rest)


@_with_sign_of.defjvp
def _(primals: Any, tangents: Any) -> Any:
    return _with_sign_of(*primals), jnp.broadcast_to(tangents[0], primals[0].shape)


@jax.jit
def _floor_divide_integers(x1: Any, x2: Any) -> jax.Array:
    """Divide integers and round down, with 0 for a division by zero, like NumPy."""
    return jnp.where(x2 == 0, 0, jnp.floor_divide(x1, jnp.where(x2 == 0, 1, x2)))


def _power_integers(x1: Any, x2: Any) -> jax.Array:
    """Refuse negative powers: JAX returns an arbitrary number, unless the exponent is known at compile time."""
    if not isinstance(x2, jax.core.Tracer) and 0 not in jnp.shape(x1) and (np.asarray(x2) < 0).any():
        raise ValueError("integers have no negative powers. Cast one to a floating dtype: lw.astype(x, lw.float32)")
    return _squarings(x1, x2)


@jax.jit
def _squarings(x1: Any, x2: Any) -> jax.Array:
    """Raise by all bits of the exponent; jnp.power reads six of them, which makes 1 of 2**64."""

    def step(state: tuple[Any, ...]) -> tuple[Any, ...]:
        result, base, exponent = state
        return jnp.where(exponent & 1 == 1, result * base, result), base * base, exponent >> 1

    x1, x2 = jnp.broadcast_arrays(x1, x2)
    return jax.lax.while_loop(lambda state: (state[2] > 0).any(), step, (jnp.ones_like(x1), x1, x2))[0]


for _d in category("integral"):
    EMULATED["floor_divide", _d] = _floor_divide_integers
    EMULATED["remainder", _d] = jnp.remainder
    EMULATED["pow", _d] = _power_integers if _d.kind == "i" else _squarings
    EMULATED["sign", _d] = jnp.sign

# --- exponentials, logarithms, trigonometry ----------------------------------------------------------------------

exp = jnp.exp
expm1 = jnp.expm1
log = jnp.log
log1p = jnp.log1p
log2 = jnp.log2
log10 = jnp.log10
logaddexp = _with_slopes(jnp.logaddexp, _share, lambda out, x1, x2: _share(out, x2, x1))
sqrt = jnp.sqrt
sin = jnp.sin
cos = jnp.cos
tan = jnp.tan
asin = jnp.asin
acos = jnp.acos
atan = jnp.atan


def _turned(x: Any, y: Any) -> Any:
    size = hypot(x, y)
    return _over(_over(x, size), size)


#: Those of jnp.atan2 are nan where both are 0, and leave the range where the squares do.
atan2 = _with_slopes(jnp.atan2, lambda out, x1, x2: _turned(x2, x1), lambda out, x1, x2: -_turned(x1, x2))
sinh = jnp.sinh
cosh = jnp.cosh
tanh = jnp.tanh
asinh = jnp.asinh
acosh = jnp.acosh
atanh = jnp.atanh

# --- rounding and bounds -----------------------------------------------------------------------------------------

ceil = jnp.ceil
floor = jnp.floor
trunc = jnp.trunc
round = jnp.round
# Beside nan the slope is 1 by both: that of JAX is 0.
maximum = _with_slopes(jnp.maximum, _of_extreme, lambda out, x1, x2: _of_extreme(out, x2, x1))
minimum = _with_slopes(jnp.minimum, _of_extreme, lambda out, x1, x2: _of_extreme(out, x2, x1))


@jax.jit
def _clip_natively(x: Any, low: Any, high: Any) -> jax.Array:
    return jnp.minimum(jnp.maximum(x, low), high)


_clip = _with_slopes(
    _clip_natively,
    _of_clip,
    lambda out, x, low, high: (x < low) & (low < high),
    lambda out, x, low, high: (high < x) | (high <= low),
)


# --- comparisons, predicates, logic, bits ------------------------------------------------------------------------

equal = jnp.equal
not_equal = jnp.not_equal
less = jnp.less
less_equal = jnp.less_equal
greater = jnp.greater
greater_equal = jnp.greater_equal
isfinite = jnp.isfinite
isinf = jnp.isinf
isnan = jnp.isnan
signbit = jnp.signbit
logical_and = jnp.logical_and
logical_or = jnp.logical_or
logical_xor = jnp.logical_xor
logical_not = jnp.logical_not
bitwise_and = jnp.bitwise_and
bitwise_or = jnp.bitwise_or
bitwise_xor = jnp.bitwise_xor
bitwise_invert = jnp.bitwise_invert
bitwise_left_shift = jnp.left_shift
bitwise_right_shift = jnp.right_shift

# --- complex numbers ---------------------------------------------------------------------------------------------

real = jnp.real
imag = jnp.imag
conj = jnp.conj


@jax.jit
def _abs_complex(x: Any) -> jax.Array:
    """Return the absolute value: infinite where a component is, even if the other is nan."""
    return jnp.where(jnp.isinf(x), jnp.asarray(jnp.inf, x.real.dtype), jnp.abs(x))


Parts = tuple[jax.Array, jax.Array]


def _mended(f: Callable[[Any], jax.Array], mend: Callable[..., Parts]) -> Callable[[Any], jax.Array]:
    """Make a function of complex numbers right where infinities and nan meet: JAX returns nan for both parts.

    `mend` gets the real and imaginary parts of the operand and of JAX's result.
    """

    def call(x: Any) -> jax.Array:
        result = f(x)
        return jax.lax.complex(*mend(x.real, x.imag, result.real, result.imag))

    call.__name__ = call.__qualname__ = f.__name__
    return jax.jit(call)


def _exp(re: Any, im: Any, a: Any, b: Any, low: float = 0.0) -> Parts:
    odd = ~jnp.isfinite(im)
    a = jnp.where(odd & (re == -jnp.inf), low, jnp.where(odd & (re == jnp.inf), jnp.inf, a))
    return a, jnp.where(odd & (re == -jnp.inf), 0.0, b)


def _log(re: Any, im: Any, a: Any, b: Any) -> Parts:
    return jnp.where(jnp.isinf(re) | jnp.isinf(im), jnp.inf, a), b


def _sinh(re: Any, im: Any, a: Any, b: Any) -> Parts:
    return jnp.where(~jnp.isfinite(im) & ((re == 0) | jnp.isinf(re)), re, a), b


def _cosh(re: Any, im: Any, a: Any, b: Any) -> Parts:
    odd = ~jnp.isfinite(im)
    return jnp.where(odd & jnp.isinf(re), jnp.inf, a), jnp.where(odd & (re == 0), re, b)


def _tanh(re: Any, im: Any, a: Any, b: Any) -> Parts:
    finite = jnp.isfinite(im)
    return jnp.where(~finite & (re == 0), re, a), jnp.where(finite & jnp.isinf(re), jnp.copysign(0.0, im), b)


def _signed(x: Any, like: Any) -> Any:
    """Give x the sign of `like`: on a branch cut the sign of a zero tells the side, and XLA does not look at it."""
    return jnp.where(jnp.signbit(x) == jnp.signbit(like), x, -x)


def _sqrt(re: Any, im: Any, a: Any, b: Any) -> Parts:
    odd = jnp.isnan(im)
    return jnp.where(odd & (re == jnp.inf), jnp.inf, a), jnp.where(odd & (re == -jnp.inf), jnp.inf, _signed(b, im))


def _asin(re: Any, im: Any, a: Any, b: Any) -> Parts:
    return a, _signed(b, im)


def _acos(re: Any, im: Any, a: Any, b: Any) -> Parts:
    return jnp.where(jnp.isnan(im) & (re == 0), jnp.pi / 2, a), _signed(b, -im)


def _acosh(re: Any, im: Any, a: Any, b: Any) -> Parts:
    return a, jnp.where(jnp.isnan(im) & (re == 0), jnp.pi / 2, _signed(b, im))


def _asinh(re: Any, im: Any, a: Any, b: Any) -> Parts:
    return _signed(a, re), jnp.where(jnp.isnan(re) & (im == 0), im, b)


def _atanh(re: Any, im: Any, a: Any, b: Any) -> Parts:
    exact = (re == 0) | jnp.isinf(re)
    odd = jnp.isnan(im) | (jnp.isnan(re) & ~jnp.isinf(im))
    return jnp.where(jnp.isnan(im) & exact, jnp.copysign(0.0, re), a), jnp.where(odd, jnp.nan, b)


_MENDED: dict[Callable[[Any], jax.Array], Callable[..., Parts]] = {
    exp: _exp, expm1: partial(_exp, low=-1.0), log: _log, log1p: _log, sinh: _sinh, cosh: _cosh, tanh: _tanh,
    sqrt: _sqrt, asin: _asin, acos: _acos, acosh: _acosh, asinh: _asinh, atanh: _atanh,
}  # fmt: skip
for _d in category("complex floating"):
    EMULATED["abs", _d] = _abs_complex
    EMULATED.update({(f.__name__, _d): _mended(f, mend) for f, mend in _MENDED.items()})


@jax.jit
def _log1p_float64(x: Any) -> jax.Array:
    """XLA's loses 7 bits of float64 for elements from -0.42 to -0.35, where the logarithm of `1 + x` loses none."""
    lost = (x > -0.5) & (x < -0.3)
    return jnp.where(lost, jnp.log(1 + jnp.where(lost, x, 0)), jnp.log1p(jnp.where(lost, 0, x)))


@jax.jit
def _atanh_float64(x: Any) -> jax.Array:
    """XLA's is made of its own log1p."""
    return 0.5 * (_log1p_float64(x) - _log1p_float64(-x))


EMULATED["log1p", float64] = _log1p_float64
EMULATED["atanh", float64] = _atanh_float64
