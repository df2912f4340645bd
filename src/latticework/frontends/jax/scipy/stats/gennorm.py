"""`jax.scipy.stats.gennorm`: the generalised normal distribution."""

from __future__ import annotations

from typing import Any

from ... import numpy as jnp
from ...core import dialect
from .. import special
from .common import floats


def logpdf(x: Any, beta: Any) -> Any:
    x, beta = floats("gennorm.logpdf", x, beta)
    return jnp.log(0.5 * beta) - special.gammaln(1 / beta) - jnp.abs(x) ** beta


def cdf(x: Any, beta: Any) -> Any:
    x, beta = floats("gennorm.cdf", x, beta)
    return 0.5 * (1 + jnp.sign(x) * special.gammainc(1 / beta, jnp.abs(x) ** beta))


def pdf(x: Any, beta: Any) -> Any:
    return jnp.exp(logpdf(x, beta))


dialect.finish(globals(), view="jax.scipy.stats.gennorm")
