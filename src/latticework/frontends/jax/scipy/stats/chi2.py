"""`jax.scipy.stats.chi2`: the chi-squared distribution."""

from __future__ import annotations

import math
from typing import Any

from ... import numpy as jnp
from ...core import dialect
from .. import special
from .common import floats


def logpdf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    x, df, loc, scale = floats("chi2.logpdf", x, df, loc, scale)
    y = (x - loc) / scale
    inside = x >= loc
    y = jnp.where(inside, y, 1)
    half = df / 2
    return jnp.where(
        inside,
        special.xlogy(half - 1, y) - y / 2 - special.gammaln(half) - half * math.log(2) - jnp.log(scale),
        -jnp.inf,
    )


def pdf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return jnp.exp(logpdf(x, df, loc, scale))


def cdf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    x, df, loc, scale = floats("chi2.cdf", x, df, loc, scale)
    return special.gammainc(df / 2, jnp.clip((x - loc) / scale, 0) / 2)


def logcdf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return jnp.log(cdf(x, df, loc, scale))


def sf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    x, df, loc, scale = floats("chi2.sf", x, df, loc, scale)
    return special.gammaincc(df / 2, jnp.clip((x - loc) / scale, 0) / 2)


def logsf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return jnp.log(sf(x, df, loc, scale))


dialect.finish(globals(), view="jax.scipy.stats.chi2")
