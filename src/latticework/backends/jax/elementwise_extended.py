"""Elementwise functions beyond the standard, on JAX."""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ...backend.series import SINC_SLOPE, polynomial
from .kinks import of_extreme as _of_extreme
from .kinks import share_of as _share
from .kinks import with_slopes as _with_slopes

_LN2 = math.log(2)

exp2 = jnp.exp2
cbrt = jnp.cbrt
rsqrt = jax.lax.rsqrt
logaddexp2 = _with_slopes(
    jnp.logaddexp2, lambda out, x1, x2: _share(out, x1, x2, _LN2), lambda out, x1, x2: _share(out, x2, x1, _LN2)
)
fabs = _with_slopes(jnp.fabs, lambda out, x: jnp.sign(x))
rint = jnp.rint
frexp = jnp.frexp
fmax = _with_slopes(jnp.fmax, _of_extreme, lambda out, x1, x2: _of_extreme(out, x2, x1))
fmin = _with_slopes(jnp.fmin, _of_extreme, lambda out, x1, x2: _of_extreme(out, x2, x1))
heaviside = jnp.heaviside
deg2rad = jnp.deg2rad
rad2deg = jnp.rad2deg
bitwise_count = jnp.bitwise_count


def _of_sizes(function: Any) -> Any:
    """Compute with absolute values, unsigned: the least number of a dtype has no signed one, and JAX's loop has no end.

    JAX refuses other dtypes than integers by a ValueError, as for arguments that do not fit.
    """

    @jax.jit
    def call(x1: Any, x2: Any) -> jax.Array:
        dtype = jnp.result_type(x1, x2)
        if not jnp.issubdtype(dtype, jnp.integer):
            raise TypeError("takes integers")
        if not jnp.issubdtype(dtype, jnp.signedinteger):
            return function(x1, x2)
        unsigned = jnp.dtype(f"uint{dtype.itemsize * 8}")
        return function(*[jnp.abs(jnp.asarray(x, dtype)).astype(unsigned) for x in (x1, x2)]).astype(dtype)

    return call


gcd = _of_sizes(jnp.gcd)
lcm = _of_sizes(jnp.lcm)


@jax.jit
def sinc(x: Any) -> jax.Array:
    return _sinc(x)


@jax.custom_jvp
def _sinc(x: Any) -> jax.Array:
    """Compute sinc. JAX's second derivative cancels near 0: the series' is used there."""
    return jnp.sinc(x)


def _slope_of_sinc(x: Any) -> jax.Array:
    near = jnp.abs(x) < 0.25
    small, far = jnp.where(near, x, 0), jnp.where(near, 1, x)
    series = small * polynomial(jnp.square(small * jnp.pi), SINC_SLOPE)
    return jnp.where(near, series, (jnp.cos(far * jnp.pi) - _sinc(far)) / far)


_sinc.defjvps(lambda tangent, _, x: tangent * _slope_of_sinc(x))


@jax.jit
def ldexp(x1: Any, x2: Any) -> jax.Array:
    """Compute ldexp. JAX refuses complex numbers by a ValueError."""
    if jnp.iscomplexobj(x1):
        raise TypeError("takes no complex numbers")
    return _ldexp(x1, x2)


@jax.custom_jvp
def _ldexp(x1: Any, x2: Any) -> jax.Array:
    """Compute ldexp, with its derivative: JAX omits the power of 2 at 0."""
    return jnp.ldexp(x1, x2)


def _scaled(tangent: Any, x2: Any) -> Any:
    half = x2 // 2
    for power in (half, x2 - half):  # the whole may be beyond the range
        tangent = tangent * jnp.exp2(power.astype(tangent.dtype))
    return tangent


_ldexp.defjvps(lambda tangent, _, x1, x2: _scaled(tangent, x2), None)


@jax.jit
def polar(abs: Any, angle: Any) -> jax.Array:
    """Compute polar. There are no complex numbers of 16 bits."""
    wide = jnp.promote_types(abs.dtype, jnp.float32)
    abs, angle = jnp.asarray(abs, wide), jnp.asarray(angle, wide)
    return jax.lax.complex(*jnp.broadcast_arrays(abs * jnp.cos(angle), abs * jnp.sin(angle)))


# --- bits ---------------------------------------------------------------------------------------------------------
# JAX's own takes no complex numbers.


def reinterpret(x: Any, dtype: Any) -> Any:
    before, after = x.dtype, np.dtype(dtype)
    if before == after:
        return x
    if before.kind == "c":
        half = before.itemsize // 2
        parts = reinterpret(jnp.stack([jnp.real(x), jnp.imag(x)], axis=-1), after)
        return parts.reshape((*x.shape, before.itemsize // after.itemsize)) if after.itemsize < half else parts
    if after.kind == "c":
        half = after.itemsize // 2
        if before.itemsize < half:
            x = x.reshape((*x.shape[:-1], 2, half // before.itemsize))
        parts = reinterpret(x, np.dtype(f"f{half}"))
        return jax.lax.complex(parts[..., 0], parts[..., 1])
    return jax.lax.bitcast_convert_type(x, after)
