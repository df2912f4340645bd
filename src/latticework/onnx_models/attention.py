"""Attention, and the rotation of its queries and keys."""

from __future__ import annotations

import math
from typing import Any

import latticework as lw

from ..core.dtypes import int64
from .table import Call, dtype_of, reads

__all__: list[str] = []


def _heads(x: Any, count: Any) -> Any:
    """Return an array of shape (batch, heads, steps, size), also of one that has the heads in its last axis."""
    if x.ndim == 4:
        return x
    return lw.permute_dims(lw.reshape(x, (*x.shape[:2], count, -1)), (0, 2, 1, 3))


def _bias(c: Call, mask: Any, dtype: Any, rows: int, columns: int, before: Any, filled: Any, device: Any) -> Any:
    """Return what is added to the products: 0 where a query looks at a key, -inf where it does not; None for nothing.

    Parameters
    ----------
    before: how many keys precede the queries, a number or one for each of the batch.
    filled: how many keys there are, for each of the batch, or None for all.
    """
    found = None
    if mask is not None:
        short = columns - mask.shape[-1]
        if mask.dtype is lw.bool:
            mask = lw.where(mask, 0.0, -math.inf)
        mask = lw.astype(mask, dtype)
        if short > 0:
            mask = lw.pad(mask, [(0, 0)] * (mask.ndim - 1) + [(0, short)], constant_values=-math.inf)
        found = mask
    i = lw.expand_dims(lw.arange(rows, dtype=int64, device=device), axis=1)
    j = lw.arange(columns, dtype=int64, device=device)
    at = i + (before if isinstance(before, int) else lw.reshape(before, (-1, 1, 1, 1)))
    left, right = c.get("left_window_size", -1), c.get("right_window_size", -1)
    conditions = [j <= at] if c.get("is_causal", 0) else []
    conditions += [at - j <= left] if left >= 0 else []
    conditions += [j - at <= right] if right >= 0 else []
    if filled is not None:
        conditions.append(j < lw.reshape(filled, (-1, 1, 1, 1)))
    for holds in conditions:
        part = lw.astype(lw.where(holds, 0.0, -math.inf), dtype)
        found = part if found is None else found + part
    return found


@reads("Attention")
def _attention(
    c: Call, q: Any, k: Any, v: Any, mask: Any = None, past_k: Any = None, past_v: Any = None, filled: Any = None
) -> Any:
    flat, dtype = q.ndim == 3, q.dtype
    q = _heads(q, c.get("q_num_heads"))
    k, v = _heads(k, c.get("kv_num_heads")), _heads(v, c.get("kv_num_heads"))
    before: Any = 0
    if past_k is not None:
        before = past_k.shape[2]
        k, v = lw.concat([past_k, k], axis=2), lw.concat([past_v, v], axis=2)
    elif filled is not None:
        before = lw.reshape(filled, (-1,)) - q.shape[2]
    present = k, v
    groups = q.shape[1] // k.shape[1]
    if groups > 1:
        k, v = lw.repeat(k, groups, axis=1), lw.repeat(v, groups, axis=1)
    scale = math.sqrt(c.get("scale", 0) or 1 / math.sqrt(q.shape[-1]))
    scores = (q * scale) @ lw.matrix_transpose(k * scale)
    mode, cap, shown = c.get("qk_matmul_output_mode", 0), c.get("softcap", 0.0), scores
    if cap:
        scores = cap * lw.tanh(scores / cap)
    if mode == 1:
        shown = scores
    bias = _bias(c, mask, dtype, q.shape[2], k.shape[2], before, filled, q.device)
    if bias is not None:
        scores = scores + bias
    if mode == 2:
        shown = scores
    if "softmax_precision" in c.attributes:
        scores = lw.astype(scores, dtype_of(c.get("softmax_precision"), "the softmax of Attention"))
    if bias is None:
        weights = lw.nn.softmax(scores, axis=-1)
    else:  # a query that looks at no key has zeros
        empty = lw.max(bias, axis=-1, keepdims=True) == -math.inf
        weights = lw.where(empty, 0, lw.nn.softmax(lw.where(empty, 0, scores), axis=-1))
    weights = lw.astype(weights, dtype)
    y = weights @ v
    if flat:
        y = lw.permute_dims(y, (0, 2, 1, 3))
        y = lw.reshape(y, (*y.shape[:2], y.shape[2] * y.shape[3]))
    return y, *present, weights if mode == 3 else shown


@reads("RotaryEmbedding")
def _rotary(c: Call, x: Any, cos: Any, sin: Any, places: Any = None) -> Any:
    """Turn pairs of elements by the angles of their places."""
    shape, flat = x.shape, x.ndim == 3
    if flat:
        x = lw.reshape(x, (*shape[:2], c.get("num_heads"), -1))
    else:
        x = lw.permute_dims(x, (0, 2, 1, 3))
    n = c.get("rotary_embedding_dim", 0) or x.shape[-1]
    if places is not None:
        cos, sin = lw.take(cos, places, axis=0), lw.take(sin, places, axis=0)
    cos, sin = lw.expand_dims(cos, axis=2), lw.expand_dims(sin, axis=2)
    turned, rest = x[..., :n], x[..., n:]
    if c.get("interleaved", 0):
        a, b = turned[..., 0::2], turned[..., 1::2]
        turned = lw.reshape(lw.stack([cos * a - sin * b, sin * a + cos * b], axis=-1), turned.shape)
    else:
        a, b = turned[..., : n // 2], turned[..., n // 2 :]
        turned = lw.concat([cos * a - sin * b, sin * a + cos * b], axis=-1)
    y = lw.concat([turned, rest], axis=-1)
    return lw.reshape(y, shape) if flat else lw.permute_dims(y, (0, 2, 1, 3))
