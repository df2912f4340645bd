"""`jax.scipy.stats.nbinom`: the negative binomial distribution."""

from __future__ import annotations

from typing import Any

from ... import numpy as jnp
from ...core import dialect
from .. import special
from .common import floats


def logpmf(k: Any, n: Any, p: Any, loc: Any = 0) -> Any:
    k, n, p, loc = floats("nbinom.logpmf", k, n, p, loc)
    y = k - loc
    ways = special.gammaln(y + n) - special.gammaln(n) - special.gammaln(y + 1)
    return jnp.where(y < 0, -jnp.inf, ways + n * jnp.log(p) + special.xlog1py(y, -p))


def pmf(k: Any, n: Any, p: Any, loc: Any = 0) -> Any:
    return jnp.exp(logpmf(k, n, p, loc))


dialect.finish(globals(), view="jax.scipy.stats.nbinom")
