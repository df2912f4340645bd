"""Connectionist temporal classification on JAX: the recursion is a scan, of which a step is compiled once."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from ....api.nn.ctc import NOTHING
from ..compiled import compiled

ctc_loss = compiled("nn.ctc_loss")


@jax.jit
def _forward(emitted: Any, skips: Any, lengths: Any) -> jax.Array:
    def step(ways: Any, at: Any) -> tuple[Any, None]:
        t, emitted = at
        padded = jnp.pad(ways, ((0, 0), (2, 0)), constant_values=NOTHING)
        further = jnp.logaddexp(jnp.logaddexp(ways, padded[:, 1:-1]), jnp.where(skips, padded[:, :-2], NOTHING))
        further = jnp.maximum(further + emitted, NOTHING)
        return jnp.where((t < lengths)[:, None], further, ways), None

    start = jnp.where(jnp.arange(emitted.shape[2]) < 2, emitted[0], NOTHING)
    return jax.lax.scan(step, start, (jnp.arange(1, emitted.shape[0]), emitted[1:]))[0]
