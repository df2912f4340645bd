"""`jax.scipy.stats.multivariate_normal`: the normal distribution of vectors."""

from __future__ import annotations

import math
from typing import Any

from ... import numpy as jnp
from ...core import dialect
from ..linalg import solve_triangular
from .common import floats


def logpdf(x: Any, mean: Any, cov: Any, allow_singular: Any = None) -> Any:
    if allow_singular is not None:
        raise NotImplementedError("allow_singular argument of multivariate_normal.logpdf")
    x, mean, cov = floats("multivariate_normal.logpdf", x, mean, cov)
    if not mean.shape:
        return -((x - mean) ** 2 / cov + math.log(2 * math.pi) + jnp.log(cov)) / 2
    n = mean.shape[-1]
    if not cov.shape:
        y = x - mean
        return -jnp.sum(y**2, axis=-1) / cov / 2 - n / 2 * (math.log(2 * math.pi) + jnp.log(cov))
    if cov.ndim < 2 or cov.shape[-2:] != (n, n):
        raise ValueError("multivariate_normal.logpdf got incompatible shapes")
    lower = jnp.linalg.cholesky(cov)
    y = solve_triangular(lower, (x - mean)[..., None], lower=True)[..., 0]
    half = jnp.sum(jnp.log(jnp.diagonal(lower, axis1=-2, axis2=-1)), axis=-1)
    return -jnp.sum(y**2, axis=-1) / 2 - n / 2 * math.log(2 * math.pi) - half


def pdf(x: Any, mean: Any, cov: Any) -> Any:
    return jnp.exp(logpdf(x, mean, cov))


dialect.finish(globals(), view="jax.scipy.stats.multivariate_normal")
