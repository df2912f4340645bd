"""`jax.numpy.fft`: discrete Fourier transforms."""

from __future__ import annotations

import operator
from typing import Any

from ..core import as_array, dialect, ops, our_dtype
from .data_types import float_of


def _one(name: str, a: Any, n: Any, axis: Any, norm: str | None) -> Any:
    a = as_array(a, name)
    _check(name, a, norm)
    if axis is None and name in ("fft", "ifft", "rfft", "irfft"):
        return _many(f"{name}n", a, None if n is None else (n,), None, norm)
    if isinstance(axis, (tuple, list)):
        raise ValueError(f"jax.numpy.fft.{name} does not support multiple axes. Got axis = {axis}.")
    if n is not None and operator.index(n) < 1:
        raise ValueError(f"Invalid number of FFT data points ({n}) specified.")
    return getattr(ops.fft, name)(a, n=n, axis=-1 if axis is None else axis, norm=norm or "backward")


def _many(name: str, a: Any, s: Any, axes: Any, norm: str | None, *, two: bool = False) -> Any:
    a = as_array(a, name)
    _check(name, a, norm)
    if two and len(axes) != 2:
        raise ValueError(f"jax.numpy.fft.{name} only supports 2 axes. Got axes = {axes}.")
    if axes is not None and len(set(axes)) != len(axes):
        raise ValueError(f"jax.numpy.fft.{name} does not support repeated axes. Got axes {axes}.")
    if s is not None and any(n < 1 for n in s):
        raise ValueError("Shape should be non-negative.")
    if axes is None and s is not None:
        axes = tuple(range(a.ndim - len(s), a.ndim))
    if not a.ndim and not axes:  # there is nothing to transform
        return ops.astype(a, _result(a, real=name.startswith("rfft")))
    if s is None and not a.size and not name.startswith(("rfft", "irfft")):
        return ops.astype(a, _result(a, real=False))
    return getattr(ops.fft, name.replace("2", "n"))(a, s=s, axes=axes, norm=norm or "backward")


def _result(a: Any, *, real: bool) -> Any:
    """The dtype of a transform, of complex numbers or of real ones."""
    wide = our_dtype(float_of(a))
    return wide if real or wide.kind == "c" else our_dtype("complex128" if wide.bits == 64 else "complex64")


def _check(name: str, a: Any, norm: str | None) -> None:
    if norm not in (None, "backward", "ortho", "forward"):
        raise ValueError(f"jax.numpy.fft.{name}: norm must be backward, ortho or forward; got {norm!r}")
    if name.startswith(("rfft", "ihfft")) and a.dtype.kind == "c":
        raise ValueError(f"jax.numpy.fft.{name} takes real arrays; got {a.dtype}")
    if name.startswith(("rfft", "ihfft")) and a.dtype.name in ("float16", "bfloat16"):
        raise ValueError(f"jax.numpy.fft.{name} takes float32 and float64; got {a.dtype}")


# fmt: off
def fft(a: Any, n: Any = None, axis: int = -1, norm: str | None = None) -> Any: return _one("fft", a, n, axis, norm)
def ifft(a: Any, n: Any = None, axis: int = -1, norm: str | None = None) -> Any: return _one("ifft", a, n, axis, norm)
def rfft(a: Any, n: Any = None, axis: int = -1, norm: str | None = None) -> Any: return _one("rfft", a, n, axis, norm)
def irfft(a: Any, n: Any = None, axis: int = -1, norm: str | None = None) -> Any: return _one("irfft", a, n, axis, norm)
def hfft(a: Any, n: Any = None, axis: int = -1, norm: str | None = None) -> Any: return _one("hfft", a, n, axis, norm)
def ihfft(a: Any, n: Any = None, axis: int = -1, norm: str | None = None) -> Any: return _one("ihfft", a, n, axis, norm)
def fftn(a: Any, s: Any = None, axes: Any = None, norm: str | None = None) -> Any:
    return _many("fftn", a, s, axes, norm)
def ifftn(a: Any, s: Any = None, axes: Any = None, norm: str | None = None) -> Any:
    return _many("ifftn", a, s, axes, norm)
def rfftn(a: Any, s: Any = None, axes: Any = None, norm: str | None = None) -> Any:
    return _many("rfftn", a, s, axes, norm)
def irfftn(a: Any, s: Any = None, axes: Any = None, norm: str | None = None) -> Any:
    return _many("irfftn", a, s, axes, norm)
def fft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: str | None = None) -> Any:
    return _many("fft2", a, s, axes, norm, two=True)
def ifft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: str | None = None) -> Any:
    return _many("ifft2", a, s, axes, norm, two=True)
def rfft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: str | None = None) -> Any:
    return _many("rfft2", a, s, axes, norm, two=True)
def irfft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: str | None = None) -> Any:
    return _many("irfft2", a, s, axes, norm, two=True)
def fftshift(x: Any, axes: Any = None) -> Any: return ops.fft.fftshift(as_array(x, "fftshift"), axes=axes)
def ifftshift(x: Any, axes: Any = None) -> Any: return ops.fft.ifftshift(as_array(x, "ifftshift"), axes=axes)
# fmt: on


def fftfreq(n: int, d: Any = 1.0, *, dtype: Any = None, device: Any = None) -> Any:
    return _frequencies("fftfreq", n, d, dtype)


def rfftfreq(n: int, d: Any = 1.0, *, dtype: Any = None, device: Any = None) -> Any:
    return _frequencies("rfftfreq", n, d, dtype)


def _frequencies(name: str, n: Any, d: Any, dtype: Any) -> Any:
    if isinstance(n, (list, tuple)):
        raise ValueError(f"The n argument of jax.numpy.fft.{name} only takes an int. Got n = {list(n)}.")
    if isinstance(d, (list, tuple)):
        raise ValueError(f"The d argument of jax.numpy.fft.{name} only takes a single value. Got d = {list(d)}.")
    d, n = d.item() if hasattr(d, "item") else d, operator.index(n)
    wanted = our_dtype(float if dtype is None else dtype)
    if n < 1:
        return ops.zeros((0,), dtype=wanted)
    if wanted.kind == "b":
        raise TypeError(f"{name}: frequencies are numbers, and no bools")
    if wanted.kind != "f":
        found = _frequencies(name, n, d, None)
        return found if name == "rfftfreq" and wanted.kind in "iu" else ops.astype(found, wanted)
    return getattr(ops.fft, name)(n, d, dtype=wanted)


dialect.finish(globals(), view="jax.numpy.fft")
