"""Connectionist temporal classification on PyTorch."""

from __future__ import annotations

import torch
from torch.nn import functional


def ctc_loss(
    log_probs: torch.Tensor,
    targets: torch.Tensor,
    input_lengths: torch.Tensor,
    target_lengths: torch.Tensor,
    *,
    blank: int = 0,
    zero_infinity: bool = False,
    reduction: str = "mean",
) -> torch.Tensor:
    return functional.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity)


def _is_wide(
    log_probs: torch.Tensor,
    targets: torch.Tensor,
    input_lengths: torch.Tensor,
    target_lengths: torch.Tensor,
    *,
    blank: int = 0,
    zero_infinity: bool = False,
    reduction: str = "mean",
) -> bool:
    """Tell whether log_probs have three axes and 32 bits or more, and targets have labels."""
    return log_probs.ndim == 3 and log_probs.dtype.itemsize > 2 and targets.ndim == 2 and targets.numel() > 0


ctc_loss.when = _is_wide  # type: ignore[attr-defined]
