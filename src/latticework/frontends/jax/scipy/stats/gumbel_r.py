"""`jax.scipy.stats.gumbel_r`: the Gumbel distribution of maxima."""

from __future__ import annotations

from typing import Any

from ... import numpy as jnp
from ...core import dialect
from .common import floats


def logpdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    x, loc, scale = floats("gumbel_r.logpdf", x, loc, scale)
    z = (x - loc) / scale
    return jnp.where(scale > 0, -(z + jnp.exp(-z)) - jnp.log(scale), jnp.nan)


def pdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return jnp.exp(logpdf(x, loc, scale))


def logcdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    x, loc, scale = floats("gumbel_r.logcdf", x, loc, scale)
    return jnp.where(scale > 0, -jnp.exp(-(x - loc) / scale), jnp.nan)


def cdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return jnp.exp(logcdf(x, loc, scale))


def ppf(p: Any, loc: Any = 0, scale: Any = 1) -> Any:
    p, loc, scale = floats("gumbel_r.ppf", p, loc, scale)
    return jnp.where((scale > 0) & (p > 0) & (p < 1), loc - scale * jnp.log(-jnp.log(p)), jnp.nan)


def sf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return 1 - cdf(x, loc, scale)


def logsf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    x, loc, scale = floats("gumbel_r.logsf", x, loc, scale)
    return jnp.where(scale > 0, jnp.log1p(-jnp.exp(-jnp.exp(-(x - loc) / scale))), jnp.nan)


dialect.finish(globals(), view="jax.scipy.stats.gumbel_r")
