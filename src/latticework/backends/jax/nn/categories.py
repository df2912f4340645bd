"""Categories on JAX."""

from __future__ import annotations

import jax

softmax = jax.nn.softmax
log_softmax = jax.nn.log_softmax
