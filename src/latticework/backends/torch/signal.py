"""Signals on PyTorch."""

from __future__ import annotations

import torch

from ...backend.arguments import check_axis
from ...core.dtypes import bfloat16, category, float16
from .core import COMPOSED, UNSIGNED

COMPOSED.update(("signal.frame", dtype) for dtype in (*UNSIGNED, *category("storage")))


def frame(x: torch.Tensor, length: int, step: int, *, axis: int = -1) -> torch.Tensor:
    """Copy a strided view, in which frames that overlap share memory."""
    if length < 1 or step < 1:
        raise ValueError("length and step have to be 1 or more")
    check_axis(x.ndim, axis)
    axis %= x.ndim
    if x.shape[axis] < length:
        return x.new_empty((*x.shape[:axis], 0, length, *x.shape[axis + 1 :]))
    return x.unfold(axis, length, step).movedim(-1, axis + 1).clone(memory_format=torch.contiguous_format)


def stft(
    x: torch.Tensor,
    window: torch.Tensor | None = None,
    *,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool = True,
) -> torch.Tensor:
    if window is None:  # without one, torch warns
        window = torch.ones(win_length or n_fft, dtype=x.dtype, device=x.device)
    length = window.shape[0] if win_length is None else win_length
    hop = max(n_fft // 4, 1) if hop_length is None else hop_length
    return torch.stft(x, n_fft, hop, length, window, center, pad_mode, normalized, onesided, return_complex=True)


def _of_few_axes(x: torch.Tensor, window: torch.Tensor | None = None, *, onesided: bool = True, **_: object) -> bool:
    """Tell whether the signal has elements, one or two axes, and is real where half of the spectrum is requested."""
    return x.ndim < 3 and x.numel() > 0 and not (onesided and x.is_complex())


stft.when = _of_few_axes  # type: ignore[attr-defined]

COMPOSED.update(("signal.stft", dtype) for dtype in (bfloat16, float16))  # of transforms, which refuse these
