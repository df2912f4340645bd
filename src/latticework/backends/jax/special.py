"""Special functions on JAX, floats of 16 bits in float32.

`beta`, `betaln` and `log_ndtr` are composed: its own are good to 6 digits in float64."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import jax
import jax.numpy as jnp
import jax.scipy.special as native

from ...backend.series import I1, polynomial
from ...core.dtypes import float64
from .compiled import compiled
from .core import COMPOSED


def _wide(function: Callable[..., jax.Array]) -> Callable[..., jax.Array]:
    """Make a function in float32 for 16 bits: most functions take no such floats, or compute in them."""

    @jax.jit
    @wraps(function)
    def call(*operands: Any) -> jax.Array:
        dtype = operands[0].dtype
        narrow = dtype.itemsize == 2
        return function(*[x.astype(jnp.float32) if narrow else x for x in operands]).astype(dtype)

    return call


erf = native.erf
erfc = native.erfc
erfinv = _wide(native.erfinv)
ndtr = _wide(native.ndtr)
ndtri = _wide(native.ndtri)
gamma = _wide(native.gamma)
gammaln = _wide(native.gammaln)
digamma = _wide(native.digamma)
gammainc = _wide(native.gammainc)
gammaincc = _wide(native.gammaincc)
betainc = _wide(native.betainc)
expit = native.expit
logit = native.logit
entr = native.entr
rel_entr = compiled("special.rel_entr")  # its own are infinite for nan, and nan for infinities
kl_div = compiled("special.kl_div")
i0e = _wide(native.i0e)
i1e = _wide(native.i1e)


@_wide
def zeta(x: Any, q: Any) -> jax.Array:
    return _zeta(x, q)


def _zeta(x: Any, q: Any) -> jax.Array:
    """Compute zeta. JAX's adds ten terms and then takes q for positive: below -10 it is wrong by any factor.

    Below 0, where x is an integer, the terms are those of q's fraction and, up to the sign, those between two others.
    """
    below = (q < 0) & (q != jnp.floor(q)) & (x == jnp.floor(x))
    safe = jnp.where(below, q, -0.5)
    fraction = safe - jnp.floor(safe)
    between = native.zeta(x, 1 - fraction) - native.zeta(x, 1 - safe)
    shifted = native.zeta(x, fraction) + jnp.where(x % 2 == 0, between, -between)
    return jnp.where(below, shifted, native.zeta(x, jnp.where(below, 1, q)))


@_wide
def i0(x: Any) -> jax.Array:
    return _i0(x)


@jax.custom_jvp
def _i0(x: Any) -> jax.Array:
    """Compute i0: JAX's derivative at 0 is 1, and not 0."""
    return native.i0(x)


@_wide
def i1(x: Any) -> jax.Array:
    return _i1(x)


@jax.custom_jvp
def _i1(x: Any) -> jax.Array:
    """Compute i1: JAX's derivative cancels near 0, and its second one at 0 is 1."""
    return native.i1(x)


def _slope_of_i1(x: Any) -> jax.Array:
    near = jnp.abs(x) < 1
    far = jnp.where(near, 1, x)
    return _i0(x) - jnp.where(near, polynomial(jnp.where(near, x, 0) ** 2, I1), _i1(far) / far)


_i0.defjvps(lambda tangent, _, x: tangent * _i1(x))
_i1.defjvps(lambda tangent, _, x: tangent * _slope_of_i1(x))


@jax.jit
def xlogy(x: Any, y: Any) -> jax.Array:
    """Compute xlogy. The derivative by y of 0 times an infinite logarithm is 0; JAX's is nan."""
    return native.xlogy(x, jnp.where((x == 0) & ((y <= 0) | (y == jnp.inf)), 1, y))


@jax.jit
def xlog1py(x: Any, y: Any) -> jax.Array:
    """Like `xlogy`: the derivative by y of 0 times an infinite logarithm is 0."""
    return native.xlog1py(x, jnp.where((x == 0) & ((y <= -1) | (y == jnp.inf)), 0, y))


@_wide
def polygamma(n: Any, x: Any) -> jax.Array:
    """Compute polygamma: JAX's takes integers for n, and has the values of its zeta."""
    order = n.astype(jnp.int32)
    below = (x < 0) & (order > 0)
    upper = jnp.where(below, order, 1)
    factor = jnp.where(order % 2 == 0, -1, 1) * native.gamma(upper + 1.0).astype(x.dtype)
    negative = factor * _zeta((upper + 1).astype(x.dtype), jnp.where(below, x, 1))
    found = jnp.where(below, negative, native.polygamma(order, jnp.where(below, 1, x)))
    return jnp.where((n >= 0) & (order == n), found, jnp.nan)


for _f in (zeta, polygamma, gammainc, gammaincc, betainc):
    _f.iterates = True  # type: ignore[attr-defined]

COMPOSED.add(("special.erfinv", float64))  # its own is one for float32
