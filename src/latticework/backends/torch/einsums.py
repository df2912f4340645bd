"""Einstein sums on PyTorch."""

from __future__ import annotations

import torch
from torch import Tensor


def _einsum(operands: list[Tensor], *, subscripts: str) -> Tensor:
    return torch.einsum(subscripts, *operands)


def _of_floats(operands: list[Tensor], *, subscripts: str) -> bool:
    """Tell whether the operands are floats or complex.

    torch.einsum makes int64 of sums of other integers, and has no unsigned ones."""
    return all(x.is_floating_point() or x.is_complex() for x in operands)


_einsum.when = _of_floats  # type: ignore[attr-defined]
