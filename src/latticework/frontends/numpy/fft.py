"""`numpy.fft`: Fourier transforms."""

from __future__ import annotations

from typing import Any

from .base import as_array, dialect, ops, write

__all__ = [
    "fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifft2", "ifftn", "ifftshift", "ihfft", "irfft",
    "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn",
]  # fmt: skip


def _one(name: str, a: Any, n: Any, axis: int, norm: Any, out: Any) -> Any:
    if n is not None and n < 1:
        raise ValueError(f"{name}: the number of points is at least 1; got {n}")
    found = getattr(ops.fft, name)(as_array(a), n=n, axis=axis, norm=norm or "backward")
    return found if out is None else write(name, out, found)


def _many(name: str, a: Any, s: Any, axes: Any, norm: Any, out: Any) -> Any:
    s, axes = [None if x is None else tuple(x) for x in (s, axes)]
    found = getattr(ops.fft, name)(as_array(a), s=s, axes=axes, norm=norm or "backward")
    return found if out is None else write(name, out, found)


# fmt: off
def fft(a, n=None, axis=-1, norm=None, out=None): return _one("fft", a, n, axis, norm, out)
def ifft(a, n=None, axis=-1, norm=None, out=None): return _one("ifft", a, n, axis, norm, out)
def rfft(a, n=None, axis=-1, norm=None, out=None): return _one("rfft", a, n, axis, norm, out)
def irfft(a, n=None, axis=-1, norm=None, out=None): return _one("irfft", a, n, axis, norm, out)
def hfft(a, n=None, axis=-1, norm=None, out=None): return _one("hfft", a, n, axis, norm, out)
def ihfft(a, n=None, axis=-1, norm=None, out=None): return _one("ihfft", a, n, axis, norm, out)
def fftn(a, s=None, axes=None, norm=None, out=None): return _many("fftn", a, s, axes, norm, out)
def ifftn(a, s=None, axes=None, norm=None, out=None): return _many("ifftn", a, s, axes, norm, out)
def rfftn(a, s=None, axes=None, norm=None, out=None): return _many("rfftn", a, s, axes, norm, out)
def irfftn(a, s=None, axes=None, norm=None, out=None): return _many("irfftn", a, s, axes, norm, out)
def fft2(a, s=None, axes=(-2, -1), norm=None, out=None): return _many("fftn", a, s, axes, norm, out)
def ifft2(a, s=None, axes=(-2, -1), norm=None, out=None): return _many("ifftn", a, s, axes, norm, out)
def rfft2(a, s=None, axes=(-2, -1), norm=None, out=None): return _many("rfftn", a, s, axes, norm, out)
def irfft2(a, s=None, axes=(-2, -1), norm=None, out=None): return _many("irfftn", a, s, axes, norm, out)
def fftshift(x, axes=None): return ops.fft.fftshift(as_array(x), axes)
def ifftshift(x, axes=None): return ops.fft.ifftshift(as_array(x), axes)
def fftfreq(n, d=1.0, device=None): return _frequencies("fftfreq", n, d)
def rfftfreq(n, d=1.0, device=None): return _frequencies("rfftfreq", n, d)
# fmt: on


def _frequencies(name: str, n: Any, d: Any) -> Any:
    if type(n) is not int and not hasattr(n, "__index__"):
        raise ValueError(f"{name}: n is an integer; got {type(n).__name__}")
    return getattr(ops.fft, name)(n.__index__(), float(d))


dialect.finish(globals())
