"""Layers on PyTorch."""

from __future__ import annotations

from typing import TypeAlias

import torch
from torch.nn import functional

from ..manipulation import take

Bias: TypeAlias = "torch.Tensor | None"


def linear(x: torch.Tensor, weight: torch.Tensor, *, bias: Bias = None) -> torch.Tensor:
    """Apply a linear layer. PyTorch would broadcast a bias of one element."""
    if bias is not None and bias.ndim and bias.shape != weight.shape[:-1]:
        raise ValueError("the bias has another shape")
    if bias is None or bias.ndim == 0:
        y = functional.linear(x, weight)
        return y if bias is None else y + bias
    return functional.linear(x, weight, bias)


def bilinear(x1: torch.Tensor, x2: torch.Tensor, weight: torch.Tensor, *, bias: Bias = None) -> torch.Tensor:
    return functional.bilinear(x1, x2, weight, bias)


def _need_no_broadcast(x1: torch.Tensor, x2: torch.Tensor, weight: torch.Tensor, *, bias: Bias = None) -> bool:
    """Tell whether the axes in front are the same."""
    if x1.ndim < 1 or weight.ndim != 3 or x1.shape[:-1] != x2.shape[:-1]:
        return False
    return bias is None or bias.shape == weight.shape[:1]


bilinear.when = _need_no_broadcast  # type: ignore[attr-defined]


def embedding(indices: torch.Tensor, weight: torch.Tensor, *, padding_idx: int | None = None) -> torch.Tensor:
    """Look up rows. PyTorch takes no indices from the end."""
    if padding_idx is None:
        return take(weight, indices, axis=0)
    return functional.embedding(torch.where(indices < 0, indices + weight.shape[0], indices), weight, padding_idx)


def _has_derivative(indices: torch.Tensor, weight: torch.Tensor, *, padding_idx: int | None = None) -> bool:
    """Tell whether the weight is a matrix, of floats where there is a row of padding, which has no derivative."""
    return weight.ndim == 2 and (padding_idx is None or weight.dtype.is_floating_point)


embedding.when = _has_derivative  # type: ignore[attr-defined]


def _lstm_cell(
    x: torch.Tensor,
    h: torch.Tensor,
    c: torch.Tensor,
    w_ih: torch.Tensor,
    w_hh: torch.Tensor,
    *,
    b_ih: Bias = None,
    b_hh: Bias = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.lstm_cell(x, (h, c), w_ih, w_hh, b_ih, b_hh)


def gru_cell(
    x: torch.Tensor, h: torch.Tensor, w_ih: torch.Tensor, w_hh: torch.Tensor, *, b_ih: Bias = None, b_hh: Bias = None
) -> torch.Tensor:
    return torch.gru_cell(x, h, w_ih, w_hh, b_ih, b_hh)


def _is_batch(x: torch.Tensor, *_: torch.Tensor, b_ih: Bias = None, b_hh: Bias = None) -> bool:
    """Tell whether x has one axis of samples, and there are both biases or none."""
    return x.ndim == 2 and (b_ih is None) is (b_hh is None)


_lstm_cell.when = _is_batch  # type: ignore[attr-defined]
gru_cell.when = _is_batch  # type: ignore[attr-defined]

# --- attention ----------------------------------------------------------------------------------------------------

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
