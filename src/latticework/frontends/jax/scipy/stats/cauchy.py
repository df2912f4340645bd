"""`jax.scipy.stats.cauchy`: the Cauchy distribution."""

from __future__ import annotations

import math
from typing import Any

from ... import numpy as jnp
from ...core import dialect
from .common import floats


def logpdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    x, loc, scale = floats("cauchy.logpdf", x, loc, scale)
    return -(jnp.log(math.pi * scale) + jnp.log1p(((x - loc) / scale) ** 2))


def pdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return jnp.exp(logpdf(x, loc, scale))


def cdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    x, loc, scale = floats("cauchy.cdf", x, loc, scale)
    return 0.5 + jnp.arctan((x - loc) / scale) / math.pi


def logcdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return jnp.log(cdf(x, loc, scale))


def sf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    x, loc, scale = floats("cauchy.sf", x, loc, scale)
    return cdf(-x, -loc, scale)


def logsf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    x, loc, scale = floats("cauchy.logsf", x, loc, scale)
    return logcdf(-x, -loc, scale)


def isf(q: Any, loc: Any = 0, scale: Any = 1) -> Any:
    q, loc, scale = floats("cauchy.isf", q, loc, scale)
    return jnp.tan(math.pi * (0.5 - q)) * scale + loc


def ppf(q: Any, loc: Any = 0, scale: Any = 1) -> Any:
    q, loc, scale = floats("cauchy.ppf", q, loc, scale)
    return jnp.tan(math.pi * (q - 0.5)) * scale + loc


dialect.finish(globals(), view="jax.scipy.stats.cauchy")
