"""`jax.scipy.stats.vonmises`: the von Mises distribution."""

from __future__ import annotations

import math
from typing import Any

from ... import numpy as jnp
from ...core import dialect
from .. import special
from .common import floats


def logpdf(x: Any, kappa: Any) -> Any:
    x, kappa = floats("vonmises.logpdf", x, kappa)
    found = kappa * (jnp.cos(x) - 1) - jnp.log(2 * math.pi * special.i0e(kappa))
    return jnp.where(kappa > 0, found, jnp.nan)


def pdf(x: Any, kappa: Any) -> Any:
    return jnp.exp(logpdf(x, kappa))


dialect.finish(globals(), view="jax.scipy.stats.vonmises")
