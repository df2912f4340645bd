"""`jax.scipy.stats.poisson`: the Poisson distribution."""

from __future__ import annotations

import math
from typing import Any

from ... import numpy as jnp
from ...core import dialect
from .. import special
from .common import floats


def logpmf(k: Any, mu: Any, loc: Any = 0) -> Any:
    k, mu, loc = floats("poisson.logpmf", k, mu, loc)
    x = k - loc
    bad = (x < 0) | (jnp.round(k) != k)
    x = jnp.where(bad, 0, x)
    return jnp.where(bad, -jnp.inf, special.xlogy(x, mu) - special.gammaln(x + 1) - mu)


def pmf(k: Any, mu: Any, loc: Any = 0) -> Any:
    return jnp.exp(logpmf(k, mu, loc))


def cdf(k: Any, mu: Any, loc: Any = 0) -> Any:
    k, mu, loc = floats("poisson.cdf", k, mu, loc)
    x = k - loc
    return jnp.where(x < 0, 0.0, special.gammaincc(jnp.floor(1 + jnp.clip(x, 0)), mu))


def entropy(mu: Any, loc: Any = 0) -> Any:
    (mu, _) = floats("poisson.entropy", mu, loc)
    rows = mu.reshape(1, -1)
    ks = jnp.arange(int(jnp.max(jnp.nan_to_num(mu))) + 100 if mu.size else 1, dtype=mu.dtype).reshape(-1, 1)
    logs = logpmf(ks, rows)
    near = -jnp.sum(jnp.where(logs == -jnp.inf, 0.0, jnp.exp(logs) * logs), axis=0).reshape(mu.shape)
    series = 0.5 * jnp.log(2 * math.pi * math.e * mu) - 1 / (12 * mu) - 1 / (24 * mu**2) - 19 / (360 * mu**3)
    return jnp.where(mu == 0, 0.0, jnp.where(mu < 0, jnp.nan, jnp.where(mu > 100, series, near)))


dialect.finish(globals(), view="jax.scipy.stats.poisson")
