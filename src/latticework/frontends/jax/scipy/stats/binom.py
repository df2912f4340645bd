"""`jax.scipy.stats.binom`: the binomial distribution."""

from __future__ import annotations

from typing import Any

from ... import numpy as jnp
from ...core import dialect
from .. import special
from .common import floats


def logpmf(k: Any, n: Any, p: Any, loc: Any = 0) -> Any:
    k, n, p, loc = floats("binom.logpmf", k, n, p, loc)
    y = k - loc
    ways = special.gammaln(n + 1) - special.gammaln(y + 1) - special.gammaln(n - y + 1)
    found = ways + special.xlogy(y, p) + special.xlog1py(n - y, -p)
    return jnp.where((y >= 0) & (y <= n), found, -jnp.inf)


def pmf(k: Any, n: Any, p: Any, loc: Any = 0) -> Any:
    return jnp.exp(logpmf(k, n, p, loc))


dialect.finish(globals(), view="jax.scipy.stats.binom")
