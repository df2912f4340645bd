"""The bits of elements read as another dtype, on PyTorch."""

from __future__ import annotations

import torch
from torch import Tensor


def reinterpret(x: Tensor, dtype: torch.dtype) -> Tensor:
    if x.itemsize == dtype.itemsize:
        return x.view(dtype)
    if x.itemsize > dtype.itemsize:
        return x.contiguous().unsqueeze(-1).view(dtype)
    if not x.numel():
        return torch.empty(x.shape[:-1], dtype=dtype, device=x.device)
    return x.contiguous().view(dtype).squeeze(-1)
