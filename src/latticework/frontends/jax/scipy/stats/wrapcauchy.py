"""`jax.scipy.stats.wrapcauchy`: the Cauchy distribution on the circle."""

from __future__ import annotations

import math
from typing import Any

from ... import numpy as jnp
from ...core import dialect
from .common import floats


def logpdf(x: Any, c: Any) -> Any:
    x, c = floats("wrapcauchy.logpdf", x, c)
    found = jnp.log(1 - c**2) - jnp.log(2 * math.pi * (1 + c**2 - 2 * c * jnp.cos(x)))
    return jnp.where((c > 0) & (c < 1), jnp.where((x >= 0) & (x <= 2 * math.pi), found, -jnp.inf), jnp.nan)


def pdf(x: Any, c: Any) -> Any:
    return jnp.exp(logpdf(x, c))


dialect.finish(globals(), view="jax.scipy.stats.wrapcauchy")
