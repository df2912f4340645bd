"""Matrices and grids on JAX."""

from __future__ import annotations

import jax.numpy as jnp

_diag = jnp.diag
