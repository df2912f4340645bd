"""`jax.scipy.stats.geom`: the geometric distribution."""

from __future__ import annotations

from typing import Any

from ... import numpy as jnp
from ...core import dialect
from .. import special
from .common import floats


def logpmf(k: Any, p: Any, loc: Any = 0) -> Any:
    k, p, loc = floats("geom.logpmf", k, p, loc)
    x = k - loc
    return jnp.where(x <= 0, -jnp.inf, special.xlog1py(x - 1, -p) + jnp.log(p))


def pmf(k: Any, p: Any, loc: Any = 0) -> Any:
    return jnp.exp(logpmf(k, p, loc))


dialect.finish(globals(), view="jax.scipy.stats.geom")
