"""Categories on JAX."""

from __future__ import annotations

import jax

softmax = jax.jit(jax.nn.softmax, static_argnames="axis")  # which by itself is a kernel for each step
log_softmax = jax.jit(jax.nn.log_softmax, static_argnames="axis")
