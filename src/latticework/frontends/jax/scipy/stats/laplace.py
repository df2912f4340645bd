"""`jax.scipy.stats.laplace`: the Laplace distribution."""

from __future__ import annotations

from typing import Any

from ... import numpy as jnp
from ...core import dialect
from .common import floats


def logpdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    x, loc, scale = floats("laplace.logpdf", x, loc, scale)
    return -(jnp.abs((x - loc) / scale) + jnp.log(2 * scale))


def pdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return jnp.exp(logpdf(x, loc, scale))


def cdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    x, loc, scale = floats("laplace.cdf", x, loc, scale)
    z = (x - loc) / scale
    return jnp.where(z <= 0, 0.5 * jnp.exp(z), 1 - 0.5 * jnp.exp(-z))


dialect.finish(globals(), view="jax.scipy.stats.laplace")
