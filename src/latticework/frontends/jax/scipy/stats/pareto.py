"""`jax.scipy.stats.pareto`: the Pareto distribution."""

from __future__ import annotations

from typing import Any

from ... import numpy as jnp
from ...core import dialect
from .common import floats


def logpdf(x: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    x, b, loc, scale = floats("pareto.logpdf", x, b, loc, scale)
    z = (x - loc) / scale
    return jnp.where(x < loc + scale, -jnp.inf, jnp.log(b) - jnp.log(scale) - (b + 1) * jnp.log(jnp.where(z > 0, z, 1)))


def pdf(x: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return jnp.exp(logpdf(x, b, loc, scale))


def cdf(x: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    x, b, loc, scale = floats("pareto.cdf", x, b, loc, scale)
    z = jnp.where(x < loc + scale, scale, x - loc)
    return jnp.where(x < loc + scale, 0.0, 1 - (scale / z) ** b)


def logcdf(x: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    x, b, loc, scale = floats("pareto.logcdf", x, b, loc, scale)
    z = jnp.where(x < loc + scale, scale, x - loc)
    return jnp.where(x < loc + scale, -jnp.inf, jnp.log1p(-((scale / z) ** b)))


def logsf(x: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    x, b, loc, scale = floats("pareto.logsf", x, b, loc, scale)
    z = jnp.where(x < loc + scale, scale, x - loc)
    return jnp.where(x < loc + scale, 0.0, b * jnp.log(scale / z))


def sf(x: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return jnp.exp(logsf(x, b, loc, scale))


def ppf(q: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    q, b, loc, scale = floats("pareto.ppf", q, b, loc, scale)
    return jnp.where((q < 0) | (q > 1) | jnp.isnan(q), jnp.nan, loc + scale * (1 - q) ** (-1 / b))


dialect.finish(globals(), view="jax.scipy.stats.pareto")
