"""Fourier transforms with complex numbers as pairs, and windows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import latticework as lw

from .table import Call, dtype_of, reads

__all__: list[str] = []


def _complex(x: Any) -> Any:
    """Make complex numbers of pairs along the last axis, or of reals where it has an extent of 1."""
    x = x if x.dtype.itemsize > 2 else lw.astype(x, lw.float32)
    return x[..., 0] if x.shape[-1] == 1 else x[..., 0] + 1j * x[..., 1]


def _pairs(z: Any, dtype: Any) -> Any:
    return lw.astype(lw.stack([lw.real(z), lw.imag(z)], axis=-1), dtype)


@reads("DFT", host=(1, 2))
def _dft(c: Call, x: Any, length: Any = None, axis: Any = None) -> Any:
    """Transform along an axis, which is an attribute before opset 20, then an input."""
    if c.opset < 20:
        axis = c.get("axis", 1)
    axis = (-2 if axis is None else int(np.asarray(axis).reshape(()))) % x.ndim
    n = None if length is None else int(np.asarray(length).reshape(()))
    inverse, half, z = c.get("inverse", 0), c.get("onesided", 0), _complex(x)
    if inverse and half:
        return lw.astype(lw.expand_dims(lw.fft.irfft(z, n, axis=axis), axis=-1), x.dtype)
    if half:
        if z.dtype.kind == "c":
            raise c.refuse("of complex numbers is not one-sided")
        return _pairs(lw.fft.rfft(z, n, axis=axis), x.dtype)
    return _pairs((lw.fft.ifft if inverse else lw.fft.fft)(z, n, axis=axis), x.dtype)


@reads("STFT", host=(1, 3))
def _stft(c: Call, x: Any, step: Any, window: Any = None, length: Any = None) -> Any:
    """Transform frames of a signal of shape (batch, steps, 1 or 2)."""
    by = int(np.asarray(step).reshape(()))
    n = window.shape[0] if length is None else int(np.asarray(length).reshape(()))
    x = lw.expand_dims(x, axis=-1) if x.ndim == 2 else x
    count = 1 + (x.shape[1] - n) // by
    places = np.arange(count)[:, None] * by + np.arange(n)
    frames = lw.take(x, c.array(places), axis=1)  # (batch, frames, n, 1 or 2)
    if window is not None:
        frames = frames * lw.expand_dims(lw.astype(window, x.dtype), axis=-1)
    z = _complex(frames)
    if z.dtype.kind == "c":
        found = lw.fft.fft(z, axis=2)
        found = found[:, :, : n // 2 + 1] if c.get("onesided", 1) else found
    else:
        found = (lw.fft.rfft if c.get("onesided", 1) else lw.fft.fft)(z, axis=2)
    return _pairs(found, x.dtype)


@reads("HannWindow", "HammingWindow", "BlackmanWindow", host=(0,))
def _window(c: Call, size: Any) -> Any:
    n = int(np.asarray(size).reshape(()))
    factors = {
        "HannWindow": (0.5, 0.5), "HammingWindow": (25 / 46, 21 / 46), "BlackmanWindow": (0.42, 0.5, 0.08),
    }[c.kind]  # fmt: skip
    angle = 2 * math.pi * np.arange(n) / (n if c.get("periodic", 1) else max(n - 1, 1))
    found = sum((-1) ** k * factor * np.cos(k * angle) for k, factor in enumerate(factors))
    return c.array(found, dtype_of(c.get("output_datatype", 1), f"the result of {c.kind}"))


@reads("MelWeightMatrix", host=(0, 1, 2, 3, 4))
def _mel(c: Call, bins: Any, length: Any, rate: Any, low: Any, high: Any) -> Any:
    """Triangles of frequencies, evenly placed in mel, one column each."""
    count, n, sample = (int(np.asarray(v).reshape(())) for v in (bins, length, rate))
    first, last = (2595 * math.log10(1 + float(np.asarray(v).reshape(())) / 700) for v in (low, high))
    mel = first + np.arange(count + 2) * ((last - first) / (count + 2))
    at = ((n + 1) * (700 * (10 ** (mel / 2595) - 1)) // sample).astype(int)
    found = np.zeros((n // 2 + 1, count))
    for i, (a, b, z) in enumerate(zip(at, at[1:], at[2:], strict=False)):
        if a == b:
            found[b, i] = 1
        else:
            found[a : b + 1, i] = np.arange(b - a + 1) / (b - a)
        if z > b:
            found[b:z, i] = (z - np.arange(b, z)) / (z - b)
    return c.array(found, dtype_of(c.get("output_datatype", 1), "the result of MelWeightMatrix"))
