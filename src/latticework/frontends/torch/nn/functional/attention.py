"""PyTorch's attention."""

from __future__ import annotations

from math import sqrt
from typing import Any

from ...core import complete, ops
from ...sampling import next_key
from .common import alike, floats
from .dropping import dropout
from .layers import linear


def scaled_dot_product_attention(
    query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False
):
    alike("scaled_dot_product_attention", query, key, value)
    floats("scaled_dot_product_attention", query)
    if attn_mask is not None:
        if is_causal:
            raise RuntimeError("Explicit attn_mask should not be set when is_causal=True")
        if attn_mask._array.dtype.kind != "b" and attn_mask._array.dtype is not query._array.dtype:
            raise RuntimeError(f"attn_mask must be of bools or of {query.dtype}; got {attn_mask.dtype}")
    given = {"attn_mask": attn_mask, "is_causal": is_causal or None, "scale": scale, "enable_gqa": enable_gqa or None}
    options = {name: x for name, x in given.items() if x is not None}
    if dropout_p:
        options |= {"dropout": dropout_p, "key": next_key()}
    return ops.nn.scaled_dot_product_attention(query, key, value, **options)


def _projected(query, key, value, weight, bias, separate):
    """Project queries, keys and values by one joint weight, or by separate weights."""
    size = query._array.shape[-1]
    weights = separate if weight is None else tuple(weight[i * size : (i + 1) * size] for i in range(3))
    biases = (None,) * 3 if bias is None else tuple(bias[i * size : (i + 1) * size] for i in range(3))
    return tuple(linear(x, w, b) for x, w, b in zip((query, key, value), weights, biases, strict=True))


def _added(name: str, mask: Any, dtype: Any) -> Any:
    """Convert a mask to a term of the scores; a bool mask is True where keys are left out."""
    if mask is None or mask._array.dtype.kind == "f":
        return mask
    if mask._array.dtype.kind != "b":
        raise AssertionError(f"only bool and floating types of {name} are supported; got {mask.dtype}")
    zeros = ops.zeros(mask._array.shape, dtype=dtype)
    return ops.where(mask, ops.full_like(zeros, float("-inf")), zeros)


def multi_head_attention_forward(
    query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, bias_k, bias_v, add_zero_attn,
    dropout_p, out_proj_weight, out_proj_bias, training=True, key_padding_mask=None, need_weights=True, attn_mask=None,
    use_separate_proj_weight=False, q_proj_weight=None, k_proj_weight=None, v_proj_weight=None, static_k=None,
    static_v=None, average_attn_weights=True, is_causal=False,
):  # fmt: skip
    """Attend with several heads; query, key and value have the batch as their second axis, or no batch."""
    batched = query._array.ndim == 3
    if not batched:
        query, key, value = (ops.expand_dims(x, axis=1) for x in (query, key, value))
        key_padding_mask = None if key_padding_mask is None else ops.expand_dims(key_padding_mask, axis=0)
    length, batch, size = query._array.shape
    if size != embed_dim_to_check:
        raise AssertionError(f"was expecting embedding dimension of {embed_dim_to_check}, but got {size}")
    if size % num_heads:
        raise AssertionError(f"embed_dim {size} not divisible by num_heads {num_heads}")
    if is_causal and attn_mask is None:
        raise RuntimeError("Need attn_mask if specifying the is_causal hint.")
    separate = (q_proj_weight, k_proj_weight, v_proj_weight)
    weight = None if use_separate_proj_weight else in_proj_weight
    q, k, v = _projected(query, key, value, weight, in_proj_bias, separate)
    dtype, more = query.dtype, 0
    if bias_k is not None:
        k, v = (ops.concat([x, ops.tile(b, (1, batch, 1))], axis=0) for x, b in ((k, bias_k), (v, bias_v)))
        more += 1
    k, v = (_heads(x, num_heads) if s is None else _split(s, batch) for x, s in ((k, static_k), (v, static_v)))
    q = _heads(q, num_heads)
    if add_zero_attn:
        k, v = (ops.pad(x, ((0, 0), (0, 0), (0, 1), (0, 0))) for x in (k, v))
        more += 1
    added = (_added("attn_mask", attn_mask, dtype), _added("key_padding_mask", key_padding_mask, dtype))
    mask = _mask(*added, batch, num_heads, more)
    scores = ops.matmul(ops.multiply(q, 1 / sqrt(q._array.shape[-1])), ops.matrix_transpose(k))
    weights = ops.softmax(scores if mask is None else ops.add(scores, mask), -1)
    weights = dropout(weights, dropout_p, training)
    found = ops.permute_dims(ops.matmul(weights, v), (2, 0, 1, 3))
    result = linear(ops.reshape(found, (length, batch, size)), out_proj_weight, out_proj_bias)
    shown = ops.mean(weights, axis=1) if average_attn_weights else weights
    if not batched:
        result, shown = ops.squeeze(result, axis=1), ops.squeeze(shown, axis=0)
    return result, shown if need_weights else None


def _heads(x: Any, count: int) -> Any:
    """Shape (length, batch, size) as (batch, heads, length, size of a head)."""
    length, batch, size = x._array.shape
    return ops.permute_dims(ops.reshape(x, (length, batch, count, size // count)), (1, 2, 0, 3))


def _split(x: Any, batch: int) -> Any:
    """Shape (batch * heads, length, size) as (batch, heads, length, size)."""
    return ops.reshape(x, (batch, -1, *x._array.shape[1:]))


def _mask(mask: Any, padding: Any, batch: int, heads: int, more: int) -> Any:
    """Return the mask to add to the scores of shape (batch, heads, L, S). All queries see the appended keys."""
    if mask is not None and mask._array.ndim == 3:
        mask = ops.reshape(mask, (batch, heads, *mask._array.shape[1:]))
    if padding is not None:
        padding = ops.reshape(padding, (batch, 1, 1, -1))
        mask = padding if mask is None else ops.add(mask, padding)
    if mask is None or not more:
        return mask
    return ops.pad(mask, [(0, 0)] * (mask._array.ndim - 1) + [(0, more)])


complete(globals(), view="torch.nn.functional")
