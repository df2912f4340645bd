"""`jax.scipy.stats.betabinom`: the beta-binomial distribution."""

from __future__ import annotations

from typing import Any

from ... import numpy as jnp
from ...core import dialect
from .. import special
from .common import floats


def logpmf(k: Any, n: Any, a: Any, b: Any, loc: Any = 0) -> Any:
    k, n, a, b, loc = floats("betabinom.logpmf", k, n, a, b, loc)
    y = k - loc
    inside = (y >= 0) & (y <= n)
    y = jnp.where(inside, y, 0)
    ways = -jnp.log(n + 1) - special.betaln(n - y + 1, y + 1)
    found = jnp.where(inside, ways + special.betaln(y + a, n - y + b) - special.betaln(a, b), -jnp.inf)
    return jnp.where((n >= 0) & (a > 0) & (b > 0), found, jnp.nan)


def pmf(k: Any, n: Any, a: Any, b: Any, loc: Any = 0) -> Any:
    return jnp.exp(logpmf(k, n, a, b, loc))


dialect.finish(globals(), view="jax.scipy.stats.betabinom")
