"""`jax.scipy.stats.logistic`: the logistic distribution."""

from __future__ import annotations

from typing import Any

from ... import numpy as jnp
from ...core import dialect
from .. import special
from .common import floats


def logpdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    x, loc, scale = floats("logistic.logpdf", x, loc, scale)
    z = (x - loc) / scale
    return -z - 2 * jnp.log1p(jnp.exp(-z)) - jnp.log(scale)


def pdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return jnp.exp(logpdf(x, loc, scale))


def ppf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    x, loc, scale = floats("logistic.ppf", x, loc, scale)
    return special.logit(x) * scale + loc


def sf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    x, loc, scale = floats("logistic.sf", x, loc, scale)
    return special.expit(-(x - loc) / scale)


def isf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    x, loc, scale = floats("logistic.isf", x, loc, scale)
    return -special.logit(x) * scale + loc


def cdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    x, loc, scale = floats("logistic.cdf", x, loc, scale)
    return special.expit((x - loc) / scale)


dialect.finish(globals(), view="jax.scipy.stats.logistic")
