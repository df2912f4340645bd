"""Attention: averages of values, weighted by how well queries and keys go together."""

from __future__ import annotations

import math
from typing import Any

from ...core.dtypes import bool_
from ...core.registry import functions as lw
from ...engine.arrays.array import Array
from ...engine.declare import composed, op
from ...engine.shapes.extents import Shape, as_int, broadcast_shapes, broadcasts_to, may_equal
from .. import elementwise as _e
from ..linear_algebra import matmul, matrix_transpose
from .categories import softmax
from .dropout import dropout as _dropout
from .layers import linear
from .normalization import as_before, wide

__all__ = ["multi_head_attention", "scaled_dot_product_attention"]


def _attention_shape(
    q: Shape,
    k: Shape,
    v: Shape,
    attn_mask: Shape | None = None,
    key: Shape | None = None,
    *,
    enable_gqa: bool = False,
    **_: Any,
) -> Shape:
    """Take the queries' shape, with the extent of the values along the last axis."""
    if min(map(len, (q, k, v))) < 2:
        raise ValueError(f"q, k and v must have at least two axes, (..., L, E); got {q}, {k} and {v}")
    if not may_equal(q[-1], k[-1]):
        raise ValueError(f"q and k must be equal along their last axis; got {q} and {k}")
    if not may_equal(k[-2], v[-2]):
        raise ValueError(f"k and v must be equal along the axis before the last; got {k} and {v}")
    front_k, front_v = k[:-2], v[:-2]
    if enable_gqa:
        _check_groups(q, k, v)
        front_k, front_v = (*k[:-3], q[-3]), (*v[:-3], q[-3])
    front = broadcast_shapes(q[:-2], front_k, front_v)
    scores = (*broadcast_shapes(q[:-2], front_k), q[-2], k[-2])
    if attn_mask is not None and not broadcasts_to(attn_mask, scores):
        raise ValueError(f"attn_mask must broadcast to {scores}, the scores of queries and keys; got {attn_mask}")
    return (*front, q[-2], v[-1])


def _check_groups(q: Shape, k: Shape, v: Shape) -> None:
    if min(map(len, (q, k, v))) < 3 or not may_equal(k[-3], v[-3]):
        raise ValueError(f"with enable_gqa, k and v must have equally many heads, in axis -3; got {k} and {v}")
    if None not in (q[-3], k[-3]) and (k[-3] == 0 or q[-3] % k[-3]):  # type: ignore[operator]
        raise ValueError(f"with enable_gqa, the heads of q must be a multiple of those of k; got {q} and {k}")


@op("real floating", shape=_attention_shape, attn_mask="own", key="own")
def scaled_dot_product_attention(
    q: Array,
    /,
    k: Array,
    v: Array,
    attn_mask: Array | None = None,
    *,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
    dropout: float = 0.0,
    key: Array | None = None,
) -> Array:
    """Average values for each query, weighted by the `softmax` of its products with the keys.

    Parameters
    ----------
    q: shape (..., L, E): L queries. A real floating dtype; integers are taken as the default float.
    k: shape (..., S, E): S keys. The axes in front broadcast.
    v: shape (..., S, D): a value for each key.
    attn_mask: a shape that broadcasts to (..., L, S). Of bools, True where the query sees the key; of floats, what is
        added to the scores.
    is_causal: whether query i sees the keys 0 to i alone. With a mask, both hold.
    scale: what the products are multiplied by; None for ``1 / sqrt(E)``.
    enable_gqa: whether neighbouring heads of q (axis -3) share a head of k and v.
    dropout: the probability that a weight is set to zero, as in `dropout`.
    key: a key of `lw.random.key` or `split`, to draw these by; None for no dropout, for what is not training.

    Returns
    -------
    Shape (..., L, D), and the common dtype of q, k and v. A query that sees no key gets zeros.

    Raises
    ------
    ValueError: the shapes do not fit together.

    Notes
    -----
    ``softmax(q @ k.T * scale + mask) @ v`` (Vaswani and others 2017). The layout and the mask are PyTorch's;
    `jax.nn.dot_product_attention` has the heads in axis -2, and averages all values where a query sees no key.

    Examples
    --------
    >>> import latticework as lw
    >>> q, k = lw.asarray([[1.0, 0.0]]), lw.zeros((3, 2))
    >>> v = lw.asarray([[1.0], [2.0], [6.0]])
    >>> lw.nn.scaled_dot_product_attention(q, k, v)
    Array([[3.]], dtype=float32)
    >>> lw.nn.scaled_dot_product_attention(q, k, v, lw.asarray([True, True, False]))
    Array([[1.5]], dtype=float32)
    """
    _attention_shape(q.shape, k.shape, v.shape, None if attn_mask is None else attn_mask.shape, enable_gqa=enable_gqa)
    dtype_of, heads = q, None
    if enable_gqa:
        heads = q.shape[-3]
        q, k, v = (_grouped(x, k.shape[-3]) for x in (q, k, v))
        attn_mask = attn_mask if attn_mask is None or attn_mask.ndim < 3 else _grouped_mask(attn_mask, k.shape[-4])
    factor = 1 / math.sqrt(max(q.shape[-1], 1)) if scale is None else scale
    scores = matmul(_e.multiply(wide(q), factor), matrix_transpose(wide(k)))
    seen = None
    if is_causal:
        ones = lw.ones((q.shape[-2], k.shape[-2]), dtype=bool_, device=q.device)
        seen = lw.tril(ones)
    if attn_mask is not None and attn_mask.dtype.kind == "b":
        seen = attn_mask if seen is None else _e.logical_and(seen, attn_mask)
    elif attn_mask is not None:
        scores = _e.add(scores, as_before(attn_mask, scores))
        finite = _e.greater(attn_mask, -lw.inf)
        seen = finite if seen is None else _e.logical_and(seen, finite)
    shares = softmax(scores, where=seen)
    if key is not None:
        shares = _dropout(shares, dropout, key=key)
    result = as_before(matmul(shares, wide(v)), dtype_of)
    if heads is not None:
        result = lw.reshape(result, (*result.shape[:-4], heads, *result.shape[-2:]))
    return result


def _grouped(x: Array, groups: int) -> Array:
    """Heads (..., H, L, E) as groups of heads, (..., groups, H // groups, L, E)."""
    return lw.reshape(x, (*x.shape[:-3], groups, x.shape[-3] // groups, *x.shape[-2:]))


def _grouped_mask(mask: Array, groups: int) -> Array:
    return lw.expand_dims(mask, axis=-3) if mask.shape[-3] == 1 else _grouped(mask, groups)


@composed
def multi_head_attention(
    q: Array,
    /,
    k: Array,
    v: Array,
    num_heads: int,
    w_q: Array,
    w_k: Array,
    w_v: Array,
    w_out: Array,
    b_q: Array | None = None,
    b_k: Array | None = None,
    b_v: Array | None = None,
    b_out: Array | None = None,
    *,
    attn_mask: Array | None = None,
    is_causal: bool = False,
    scale: float | None = None,
    dropout: float = 0.0,
    key: Array | None = None,
) -> Array:
    """Attend with several heads: project, split into heads, attend, join the heads, and project again.

    Parameters
    ----------
    q: shape (..., L, E). A real floating dtype; integers are taken as the default float.
    k: shape (..., S, E_k).
    v: shape (..., S, E_v).
    num_heads: how many heads H there are.
    w_q, w_k, w_v: shapes (H*D, E), (H*D, E_k) and (H*D_v, E_v), as in `linear`.
    w_out: shape (M, H*D_v).
    b_q, b_k, b_v, b_out: the biases, each of as many elements as its weight has rows; None for none.
    attn_mask: a shape that broadcasts to (..., H, L, S), as in `scaled_dot_product_attention`.
    is_causal, scale, dropout, key: as there.

    Returns
    -------
    Shape (..., L, M), and the common dtype of all arrays but the mask.

    Raises
    ------
    ValueError: the shapes do not fit together, or the rows of a weight do not go into so many heads.

    Notes
    -----
    ``concat(heads) @ w_out.T + b_out`` (Vaswani and others 2017). PyTorch's in_proj_weight is
    ``concat([w_q, w_k, w_v])``; its sequences come first, unless ``batch_first=True``.

    Examples
    --------
    >>> import latticework as lw
    >>> x, w = lw.asarray([[1.0, 2.0], [3.0, 4.0]]), lw.eye(2)
    >>> lw.nn.multi_head_attention(x, lw.zeros((2, 2)), x, 2, w, w, w, w)
    Array([[2., 3.],
           [2., 3.]], dtype=float32)
    """
    count = as_int(num_heads, "nn.multi_head_attention: num_heads is an int")
    queries = _heads(linear(q, w_q, b_q), count, "w_q")
    keys = _heads(linear(k, w_k, b_k), count, "w_k")
    values = _heads(linear(v, w_v, b_v), count, "w_v")
    y = scaled_dot_product_attention(
        queries, keys, values, attn_mask, is_causal=is_causal, scale=scale, dropout=dropout, key=key
    )
    y = lw.moveaxis(y, -3, -2)
    return linear(lw.reshape(y, (*y.shape[:-2], y.shape[-2] * y.shape[-1])), w_out, b_out)


def _heads(x: Array, count: int, name: str) -> Array:
    """Split the last axis into heads, (..., H, L, D)."""
    n = x.shape[-1]
    if count < 1 or n % count:
        raise ValueError(f"nn.multi_head_attention: the rows of {name} must go into {count} heads; got {n}")
    return lw.moveaxis(lw.reshape(x, (*x.shape[:-1], count, n // count)), -2, -3)
