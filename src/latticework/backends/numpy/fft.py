"""The Fourier transform extension on NumPy, which transforms float32 in float32."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...backend.arguments import check_norm
from ...backend.unsupported import refused
from .core import REFUSED


def _along_one(f: Callable[..., Any]) -> Callable[..., Any]:
    def call(x: np.ndarray, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Any:
        result = f(x, n, axis, norm)
        return result if x.size else np.zeros_like(result)  # np.fft.irfft of nothing but padding is not initialised

    call.__name__ = call.__qualname__ = f.__name__
    return call


def _along_many(f: Callable[..., Any], inverse_of_real: bool = False) -> Callable[..., Any]:
    def call(
        x: np.ndarray, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: str = "backward"
    ) -> Any:
        if axes is not None and len({a % x.ndim for a in axes}) != len(axes):
            raise ValueError(f"axes {tuple(axes)} name one axis twice")  # np.fft would transform along it twice
        if not (x.ndim if axes is None else len(axes)):
            check_norm(norm)
        if s is not None:
            if axes is None:
                raise ValueError("s is given without axes")
            if inverse_of_real and s[-1] == -1:  # np.fft would take the length of x, of which it uses half
                s = (*s[:-1], 2 * (x.shape[axes[-1]] - 1))
        result = f(x, s, axes, norm)
        result = result if x.size else np.zeros_like(result)
        return result if result.dtype.kind != "f" or inverse_of_real else result + 0j  # of a real x, along no axes

    call.__name__ = call.__qualname__ = f.__name__
    return call


fft = _along_one(np.fft.fft)
ifft = _along_one(np.fft.ifft)
rfft = _along_one(np.fft.rfft)
irfft = _along_one(np.fft.irfft)
hfft = _along_one(np.fft.hfft)
ihfft = _along_one(np.fft.ihfft)
fftn = _along_many(np.fft.fftn)
ifftn = _along_many(np.fft.ifftn)
rfftn = _along_many(np.fft.rfftn)
irfftn = _along_many(np.fft.irfftn, inverse_of_real=True)

REFUSED.update(refused("fft"))
