"""`jax.scipy.stats.multinomial`: the multinomial distribution."""

from __future__ import annotations

from typing import Any

from ... import numpy as jnp
from ...core import dialect
from .. import special
from .common import floats


def logpmf(x: Any, n: Any, p: Any) -> Any:
    (p,) = floats("multinomial.logpmf", p)
    x = jnp.asarray(x)
    if x.dtype.kind not in "iu" and x.dtype.kind != "b":
        x = x.astype(p.dtype)
    counts = x.astype(p.dtype)
    n = jnp.asarray(n)
    found = special.gammaln(n.astype(p.dtype) + 1) + jnp.sum(
        special.xlogy(counts, p) - special.gammaln(counts + 1), axis=-1
    )
    return jnp.where(jnp.equal(jnp.sum(x, axis=-1), n), found, -jnp.inf)


def pmf(x: Any, n: Any, p: Any) -> Any:
    return jnp.exp(logpmf(x, n, p))


dialect.finish(globals(), view="jax.scipy.stats.multinomial")
