"""`jax.scipy.stats.t`: Student's t distribution."""

from __future__ import annotations

import math
from typing import Any

from ... import numpy as jnp
from ...core import dialect
from .. import special
from .common import floats


def logpdf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    x, df, loc, scale = floats("t.logpdf", x, df, loc, scale)
    z = (x - loc) / scale
    constant = special.gammaln((df + 1) / 2) - special.gammaln(df / 2) - jnp.log(df * math.pi) / 2 - jnp.log(scale)
    return constant - (df + 1) / 2 * jnp.log1p(z**2 / df)


def pdf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return jnp.exp(logpdf(x, df, loc, scale))


dialect.finish(globals(), view="jax.scipy.stats.t")
