"""Layers on JAX, each as one program."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax

from ....backend import standing_alone
from ..compiled import compiled

gru_cell = compiled("nn.gru_cell")
_lstm_cell = compiled("nn._lstm_cell")

# --- attention ----------------------------------------------------------------------------------------------------

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
    dropout: float = 0.0,
) -> jax.Array:
    """JAX's has the heads in axis -2, takes values as long as the keys, computes the shares of float64 in float32, and
    averages all values where a query sees none."""
    if attn_mask is not None:
        return _composed(q, k, v, attn_mask=attn_mask, is_causal=is_causal, scale=scale, enable_gqa=enable_gqa)
    if not _is_usual(q, k, v, enable_gqa):
        return _composed(q, k, v, is_causal=is_causal, scale=scale, enable_gqa=enable_gqa)
    return _with_heads_last(q, k, v, is_causal=is_causal, scale=scale)


def _is_usual(q: Any, k: Any, v: Any, enable_gqa: bool) -> bool:
    """Return whether JAX's own function takes these arrays, and computes them in their dtype."""
    usual = q.ndim == k.ndim == v.ndim == 4 and k.shape == v.shape and q.shape[0] == k.shape[0]
    heads = enable_gqa or q.shape[1] == k.shape[1]
    return usual and heads and q.dtype.itemsize < 8 and 0 not in (q.size, k.size)


def _has_source(q: Any, k: Any, v: Any, *, attn_mask: Any = None, enable_gqa: bool = False, **_: Any) -> bool:
    """Tell whether the call may be made: in source that runs without latticework, JAX's own function has to take it."""
    return not standing_alone.get() or (attn_mask is None and _is_usual(q, k, v, enable_gqa))


scaled_dot_product_attention.when = _has_source  # type: ignore[attr-defined]


@partial(jax.jit, static_argnames=("is_causal", "scale"))
def _with_heads_last(q: Any, k: Any, v: Any, *, is_causal: bool, scale: float | None) -> jax.Array:
    heads_last = [x.swapaxes(1, 2) for x in (q, k, v)]
    return jax.nn.dot_product_attention(*heads_last, is_causal=is_causal, scale=scale).swapaxes(1, 2)


# --- normalization ------------------------------------------------------------------------------------------------

layer_norm = compiled("nn.layer_norm")
rms_norm = compiled("nn.rms_norm")
group_norm = compiled("nn.group_norm")
instance_norm = compiled("nn.instance_norm")
local_response_norm = compiled("nn.local_response_norm")
normalize = compiled("nn.normalize")
standardize = compiled("nn.standardize")
_by_statistics = compiled("nn._by_statistics")
_by_batch = compiled("nn._by_batch")
