"""`numpy.fft`: Fourier transforms."""

from __future__ import annotations

import warnings
from typing import Any

from .base import as_array, dialect, ops, write


def _one(name: str, a: Any, n: Any, axis: int, norm: Any, out: Any) -> Any:
    if n is not None and n < 1:
        raise ValueError(f"{name}: the number of points is at least 1; got {n}")
    return _written(name, out, getattr(ops.fft, name)(as_array(a), n=n, axis=axis, norm=norm or "backward"))


def _written(name: str, out: Any, found: Any) -> Any:
    if out is None:
        return found
    if type(out) is dialect.array and out.shape != found.shape:
        raise ValueError(f"{name}: the result has the shape {found.shape}; out has {out.shape}")
    return write(name, out, found)


def _many(name: str, a: Any, s: Any, axes: Any, norm: Any, out: Any) -> Any:
    s, axes = [None if x is None else tuple(x) for x in (s, axes)]
    a = as_array(a)
    if s is not None and axes is None:
        text = f"{name}: `axes` should not be `None` if `s` is not `None`: the last {len(s)} axes are meant"
        warnings.warn(text, DeprecationWarning, stacklevel=3)
        axes = tuple(range(-len(s), 0))
    if s is not None and axes is not None and -1 in s and len(s) == len(axes) and len(s) <= a.ndim:
        s = tuple([a.shape[i] if n == -1 else n for n, i in zip(s, axes, strict=True)])  # as long as it is
    if axes is not None and a.ndim and len({i % a.ndim for i in axes}) < len(axes) and all(i < a.ndim for i in axes):
        return _written(name, out, _one_by_one(name, a, s, axes, norm))
    return _written(name, out, getattr(ops.fft, name)(a, s=s, axes=axes, norm=norm or "backward"))


def _one_by_one(name: str, a: Any, s: Any, axes: tuple[int, ...], norm: Any) -> Any:
    """Transform along axes, of which some may be repeated: along the last one first, as NumPy does."""
    lengths = [None if n == -1 else n for n in s or (None,) * len(axes)]
    steps = [*zip(axes, lengths, strict=True)]
    last, rest = name.removesuffix("n"), ("i" if name.startswith("i") else "") + "fft"
    if name == "irfftn":  # the real transform comes last
        for axis, n in steps[:-1]:
            a = _one(rest, a, n, axis, norm, None)
        return _one(last, a, steps[-1][1], steps[-1][0], norm, None)
    a = _one(last, a, steps[-1][1], steps[-1][0], norm, None)
    for axis, n in steps[-2::-1]:
        a = _one(rest, a, n, axis, norm, None)
    return a


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
