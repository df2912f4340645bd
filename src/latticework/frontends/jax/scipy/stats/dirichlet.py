"""`jax.scipy.stats.dirichlet`: the Dirichlet distribution."""

from __future__ import annotations

from typing import Any

from ... import numpy as jnp
from ...core import dialect
from .. import special
from .common import floats


def logpdf(x: Any, alpha: Any) -> Any:
    x, alpha = floats("dirichlet.logpdf", x, alpha)
    if alpha.ndim != 1:
        raise ValueError(f"`alpha` must be one-dimensional; got alpha.shape={alpha.shape}")
    if x.shape[0] not in (alpha.shape[0], alpha.shape[0] - 1):
        raise ValueError(
            "`x` must have either the same number of entries as `alpha` or one entry fewer; got "
            f"x.shape={x.shape}, alpha.shape={alpha.shape}"
        )
    if x.shape[0] != alpha.shape[0]:
        x = jnp.concatenate([x, 1 - jnp.sum(x, axis=0, keepdims=True)], axis=0)
    constant = jnp.sum(special.gammaln(alpha)) - special.gammaln(jnp.sum(alpha))
    alpha = alpha.reshape(-1, *[1] * (x.ndim - 1))
    found = jnp.sum(special.xlogy(alpha - 1, x), axis=0) - constant
    simplex = jnp.all(x > 0, axis=0) & (jnp.abs(jnp.sum(x, axis=0) - 1) < 1e-6)
    return jnp.where(simplex, found, -jnp.inf)


def pdf(x: Any, alpha: Any) -> Any:
    return jnp.exp(logpdf(x, alpha))


dialect.finish(globals(), view="jax.scipy.stats.dirichlet")
