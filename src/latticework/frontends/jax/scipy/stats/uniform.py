"""`jax.scipy.stats.uniform`: the uniform distribution."""

from __future__ import annotations

from typing import Any

from ... import numpy as jnp
from ...core import dialect
from .common import floats


def logpdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    x, loc, scale = floats("uniform.logpdf", x, loc, scale)
    return jnp.where((x < loc) | (x > loc + scale), -jnp.inf, -jnp.log(scale))


def pdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return jnp.exp(logpdf(x, loc, scale))


def cdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    x, loc, scale = floats("uniform.cdf", x, loc, scale)
    return jnp.clip((x - loc) / scale, 0, 1)


def ppf(q: Any, loc: Any = 0, scale: Any = 1) -> Any:
    q, loc, scale = floats("uniform.ppf", q, loc, scale)
    return jnp.where((q < 0) | (q > 1) | jnp.isnan(q), jnp.nan, q * scale + loc)


dialect.finish(globals(), view="jax.scipy.stats.uniform")
