"""`jax.scipy.stats.truncnorm`: the normal distribution between two bounds."""

from __future__ import annotations

from typing import Any

from ... import numpy as jnp
from ...core import dialect
from .. import special
from . import norm
from .common import floats


def _mass(a: Any, b: Any) -> Any:
    """The logarithm of the mass of the normal distribution between two bounds, by the tail on their side."""
    left, right = jnp.minimum(a, -b), jnp.minimum(b, -a)
    swap = a > 0
    low, high = jnp.where(swap, -b, a), jnp.where(swap, -a, b)
    one_side = special.log_ndtr(high) + jnp.log1p(-jnp.exp(special.log_ndtr(low) - special.log_ndtr(high)))
    between = jnp.log1p(-special.ndtr(a) - special.ndtr(-b))
    del left, right
    return jnp.where((a > 0) | (b <= 0), one_side, between)


def logpdf(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    x, a, b, loc, scale = floats("truncnorm.logpdf", x, a, b, loc, scale)
    found = norm.logpdf(x, loc, scale) - _mass(a, b)
    z = (x - loc) / scale
    return jnp.where(a >= b, jnp.nan, jnp.where((z < a) | (z > b), -jnp.inf, found))


def pdf(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return jnp.exp(logpdf(x, a, b, loc, scale))


def logsf(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    x, a, b, loc, scale = floats("truncnorm.logsf", x, a, b, loc, scale)
    return logcdf(-x, -b, -a, -loc, scale)


def sf(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return jnp.exp(logsf(x, a, b, loc, scale))


def logcdf(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    x, a, b, loc, scale = floats("truncnorm.logcdf", x, a, b, loc, scale)
    z = (x - loc) / scale
    inside = jnp.clip(z, a, b)
    below, above = _mass(a, inside) - _mass(a, b), _mass(inside, b) - _mass(a, b)
    found = jnp.where(below > -0.1, jnp.log1p(-jnp.exp(above)), below)
    return jnp.where(a >= b, jnp.nan, jnp.where(z <= a, -jnp.inf, jnp.where(z >= b, 0.0, found)))


def cdf(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return jnp.exp(logcdf(x, a, b, loc, scale))


dialect.finish(globals(), view="jax.scipy.stats.truncnorm")
