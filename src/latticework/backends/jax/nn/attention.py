"""Attention on JAX."""

from __future__ import annotations

from typing import Any

import jax

from .compiled import compiled

_composed = compiled("nn.scaled_dot_product_attention")


def scaled_dot_product_attention(
    q: Any,
    k: Any,
    v: Any,
    *,
    attn_mask: Any = None,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> jax.Array:
    """JAX's has the heads in axis -2, takes one axis of batches, and averages all values where a query sees none."""
    options = {"is_causal": is_causal, "scale": scale}
    if attn_mask is not None:
        return _composed(q, k, v, attn_mask=attn_mask, enable_gqa=enable_gqa, **options)
    heads = q.shape[-3] == k.shape[-3] == v.shape[-3] if q.ndim == k.ndim == v.ndim == 4 else False
    if (not heads and not enable_gqa) or not (q.size and k.size) or q.shape[0] != k.shape[0] or q.ndim != 4:
        return _composed(q, k, v, enable_gqa=enable_gqa, **options)
    swapped = [x.swapaxes(1, 2) for x in (q, k, v)]
    return jax.nn.dot_product_attention(*swapped, **options).swapaxes(1, 2)
