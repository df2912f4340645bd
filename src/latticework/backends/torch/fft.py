"""The Fourier transform extension on PyTorch."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

from ...backend.unsupported import refused
from .core import REFUSED


def _along_one(f: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    def call(x: torch.Tensor, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> torch.Tensor:
        if x.numel() or not x.ndim:
            return f(x, n, axis, norm)
        return _of_nothing(x, (axis,), lambda standin: f(standin, n, axis, norm))

    call.__name__ = call.__qualname__ = f.__name__
    return call


def _along_many(f: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    def call(
        x: torch.Tensor, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: str = "backward"
    ) -> torch.Tensor:
        if s is not None and axes is None:  # torch would take the last axes
            raise ValueError("s is given without axes")
        if x.numel():
            return f(x, s, axes, norm)
        return _of_nothing(x, range(x.ndim) if axes is None else axes, lambda standin: f(standin, s, axes, norm))

    call.__name__ = call.__qualname__ = f.__name__
    return call


def _of_nothing(x: torch.Tensor, axes: Sequence[int], f: Callable[[torch.Tensor], torch.Tensor]) -> torch.Tensor:
    """Return zeros for a stack of no transforms, which MKL refuses, or for transforms of nothing but padding.

    One transform of zeros tells the lengths, the dtype and whether the options are valid.
    """
    along = {a % x.ndim for a in axes if -x.ndim <= a < x.ndim}
    result = f(x.new_zeros([n if i in along else 1 for i, n in enumerate(x.shape)]))
    return result.new_zeros([result.shape[i] if i in along else n for i, n in enumerate(x.shape)])


fft = _along_one(torch.fft.fft)
ifft = _along_one(torch.fft.ifft)
rfft = _along_one(torch.fft.rfft)
irfft = _along_one(torch.fft.irfft)
hfft = _along_one(torch.fft.hfft)
ihfft = _along_one(torch.fft.ihfft)
fftn = _along_many(torch.fft.fftn)
ifftn = _along_many(torch.fft.ifftn)
rfftn = _along_many(torch.fft.rfftn)
irfftn = _along_many(torch.fft.irfftn)

REFUSED.update(refused("fft"))
