"""Layers on JAX."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from .compiled import compiled

gru_cell = compiled("nn.gru_cell")
_lstm_cell = compiled("nn._lstm_cell")


@partial(jax.jit, static_argnames="padding_idx")
def embedding(indices: Any, weight: Any, *, padding_idx: int | None = None) -> jax.Array:
    """The row of padding is not learned."""
    rows = jnp.take(weight, indices, axis=0)
    padded = (indices % weight.shape[0] == padding_idx % weight.shape[0])[..., None]
    return jnp.where(padded, jax.lax.stop_gradient(rows), rows)


def _is_padded(indices: Any, weight: Any, *, padding_idx: int | None = None) -> bool:
    """Tell whether there is a row of padding."""
    return padding_idx is not None and weight.ndim == 2 and weight.shape[0] > 0


embedding.when = _is_padded
