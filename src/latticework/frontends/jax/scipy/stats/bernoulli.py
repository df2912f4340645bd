"""`jax.scipy.stats.bernoulli`: the Bernoulli distribution."""

from __future__ import annotations

from typing import Any

from ... import numpy as jnp
from ...core import dialect
from .. import special
from .common import floats


def logpmf(k: Any, p: Any, loc: Any = 0) -> Any:
    k, p, loc = floats("bernoulli.logpmf", k, p, loc)
    x = k - loc
    found = special.xlogy(x, p) + special.xlog1py(1 - x, -p)
    return jnp.where((x < 0) | (x > 1), -jnp.inf, found)


def pmf(k: Any, p: Any, loc: Any = 0) -> Any:
    return jnp.exp(logpmf(k, p, loc))


def cdf(k: Any, p: Any) -> Any:
    k, p = floats("bernoulli.cdf", k, p)
    return jnp.where(
        jnp.isnan(k) | jnp.isnan(p) | (p < 0) | (p > 1),
        jnp.nan,
        jnp.where(k < 0, 0.0, jnp.where(k < 1, 1 - p, 1.0 + jnp.zeros_like(p))),
    )


def ppf(q: Any, p: Any) -> Any:
    q, p = floats("bernoulli.ppf", q, p)
    bad = jnp.isnan(q) | jnp.isnan(p) | (p < 0) | (p > 1) | (q < 0) | (q > 1)
    return jnp.where(bad, jnp.nan, jnp.where(q <= 1 - p, jnp.zeros_like(q), 1.0))


dialect.finish(globals(), view="jax.scipy.stats.bernoulli")
