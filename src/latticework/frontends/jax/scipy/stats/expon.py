"""`jax.scipy.stats.expon`: the exponential distribution."""

from __future__ import annotations

from typing import Any

from ... import numpy as jnp
from ...core import dialect
from .common import floats


def logpdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    x, loc, scale = floats("expon.logpdf", x, loc, scale)
    return jnp.where(x < loc, -jnp.inf, -(jnp.log(scale) + (x - loc) / scale))


def pdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return jnp.exp(logpdf(x, loc, scale))


def cdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    x, loc, scale = floats("expon.cdf", x, loc, scale)
    y = jnp.where(x < loc, loc, x)
    return jnp.where(x < loc, 0.0, -jnp.expm1(-(y - loc) / scale))


def logcdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    x, loc, scale = floats("expon.logcdf", x, loc, scale)
    y = jnp.where(x < loc, loc, x)
    return jnp.where(x < loc, -jnp.inf, jnp.log1p(-jnp.exp(-(y - loc) / scale)))


def sf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    x, loc, scale = floats("expon.sf", x, loc, scale)
    return jnp.exp(logsf(x, loc, scale))


def logsf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    x, loc, scale = floats("expon.logsf", x, loc, scale)
    return jnp.where(x < loc, 0.0, -(x - loc) / scale)


def ppf(q: Any, loc: Any = 0, scale: Any = 1) -> Any:
    q, loc, scale = floats("expon.ppf", q, loc, scale)
    return jnp.where((q < 0) | (q > 1) | jnp.isnan(q), jnp.nan, loc - scale * jnp.log1p(-q))


dialect.finish(globals(), view="jax.scipy.stats.expon")
