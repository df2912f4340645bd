"""Attention on PyTorch."""

from __future__ import annotations

from typing import TypeAlias

import torch
from torch.nn import functional

Mask: TypeAlias = "torch.Tensor | None"


def scaled_dot_product_attention(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    *,
    attn_mask: Mask = None,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
    dropout: float = 0.0,
) -> torch.Tensor:
    if attn_mask is not None and attn_mask.dtype not in (torch.bool, q.dtype):
        attn_mask = attn_mask.to(q.dtype)
    return functional.scaled_dot_product_attention(
        q, k, v, attn_mask, is_causal=is_causal, scale=scale, enable_gqa=enable_gqa
    )


def _is_usual(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    *,
    attn_mask: Mask = None,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
    dropout: float = 0.0,
) -> bool:
    """Tell whether q, k and v have the same axes in front, there are elements, and no mask besides `is_causal`."""
    if (attn_mask is not None and is_causal) or not (q.numel() and k.numel() and v.numel()):
        return False
    if enable_gqa:
        return q.ndim == k.ndim == v.ndim == 4 and q.shape[0] == k.shape[0] == v.shape[0]
    return q.shape[:-2] == k.shape[:-2] == v.shape[:-2] and q.ndim > 2


scaled_dot_product_attention.when = _is_usual  # type: ignore[attr-defined]
