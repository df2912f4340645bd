"""`jax.scipy.special.expi` and `exp1`: exponential integrals, by series, and a continued fraction for large arguments.

The series and the fraction are 5.1.10, 5.1.11 and 5.1.22 of Abramowitz and Stegun, "Handbook of Mathematical
Functions".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import numpy as jnp
from ..core import as_array, dialect


def _series(x: Any, sign: float) -> Any:
    """The sum of ``(sign x)**k / (k k!)`` for k from 1."""
    term, total = jnp.ones_like(x), jnp.zeros_like(x)
    for k in range(1, 90):
        term = term * (sign * x) / k
        total = total + term / k
    return total


def _fraction(x: Any) -> Any:
    """The continued fraction of ``exp(x) E1(x)``, from its end."""
    found = jnp.zeros_like(x)
    for k in range(60, 0, -1):
        found = k / (1 + k / (x + found))
    return 1 / (x + found)


def _float(x: Any, name: str) -> Any:
    x = as_array(x, name)
    if x.dtype.kind == "c":
        raise ValueError(f"{name}: takes real arrays; got {x.dtype}")
    return x if x.dtype.kind in "fV" else x.astype(float)


def exp1(x: Any) -> Any:
    x = _float(x, "exp1")
    small = jnp.clip(x, 1e-300 if x.dtype == np.float64 else 1e-37, 1.5)
    near = -np.euler_gamma - jnp.log(small) - _series(small, -1.0)
    far = _fraction(jnp.clip(x, 1.5)) * jnp.exp(-jnp.clip(x, 1.5))
    return jnp.where(x == 0, jnp.inf, jnp.where(x < 0, jnp.nan, jnp.where(x < 1.5, near, far)))


def expi(x: Any) -> Any:
    x = _float(x, "expi")
    small = jnp.clip(x, 1e-300 if x.dtype == np.float64 else 1e-37, 40.0)
    near = np.euler_gamma + jnp.log(small) + _series(small, 1.0)
    large = jnp.clip(x, 40.0)
    total, term = jnp.ones_like(x), jnp.ones_like(x)
    for k in range(1, 25):
        term = term * k / large
        total = total + term
    found = jnp.where(x < 40, near, total * jnp.exp(large) / large)
    return jnp.where(x == 0, jnp.nan, jnp.where(x < 0, -exp1(jnp.where(x < 0, -x, 1)), found))


dialect.finish(globals(), view="jax.scipy.special")
