"""Elementwise functions beyond the standard, on JAX."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

exp2 = jnp.exp2
cbrt = jnp.cbrt
rsqrt = jax.lax.rsqrt
logaddexp2 = jnp.logaddexp2
fabs = jnp.fabs
rint = jnp.rint
frexp = jnp.frexp
ldexp = jnp.ldexp
gcd = jnp.gcd
lcm = jnp.lcm
fmax = jnp.fmax
fmin = jnp.fmin
heaviside = jnp.heaviside
deg2rad = jnp.deg2rad
rad2deg = jnp.rad2deg
sinc = jnp.sinc
bitwise_count = jnp.bitwise_count


@jax.jit
def polar(abs: Any, angle: Any) -> jax.Array:
    """There are no complex numbers of 16 bits."""
    wide = jnp.promote_types(abs.dtype, jnp.float32)
    abs, angle = jnp.asarray(abs, wide), jnp.asarray(angle, wide)
    return jax.lax.complex(*jnp.broadcast_arrays(abs * jnp.cos(angle), abs * jnp.sin(angle)))
