"""Rules of Fourier transforms, which are linear.

The transpose of a transform, for cotangents that are complex numbers, is the inverse transform but for the factor: it
has that of the transform itself. So it is the inverse with the other `norm`. What a transform padded is cut off, and
what it cut off has the cotangent 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ..core.registry import functions as lw
from ..engine.arrays.array import Array
from .reductions import axes_of
from .rules import linear

_Norm = Literal["backward", "ortho", "forward"]
_Several = Sequence[int] | None

_OTHER: dict[_Norm, _Norm] = {"backward": "forward", "forward": "backward", "ortho": "ortho"}


def _resized(g: Array, x: Array, axes: Sequence[int]) -> Array:
    """Cut g, or pad it with zeros, to the extents of x along some axes."""
    for a in axes:
        missing = x.shape[a] - g.shape[a]
        if missing < 0:
            g = g[(*[slice(None)] * a, slice(x.shape[a]))]
        elif missing:
            shape = (*g.shape[:a], missing, *g.shape[a + 1 :])
            g = lw.concat([g, lw.zeros(shape, dtype=g.dtype, device=g.device)], axis=a)
    return g


def _half_weighted(g: Array, axis: int, n: int, inner: float) -> Array:
    """Multiply the elements that stand for two of n frequencies: all in the half but the first and the middle one."""
    k = lw.arange(g.shape[axis], device=g.device)
    one = lw.ones((), dtype=lw.finfo(g.dtype).dtype, device=g.device)
    weights = lw.where(lw.logical_or(k == 0, 2 * k == n), one, inner)
    return g * lw.reshape(weights, (-1, *[1] * (g.ndim - axis - 1)))


# --- along one axis ---------------------------------------------------------------------------------------------------


def _along_one(name: str, inverse: str) -> None:
    @linear(f"fft.{name}")
    def transpose(g: Array, x: Array, /, n: int | None = None, axis: int = -1, norm: _Norm = "backward") -> Array:
        found = getattr(lw.fft, inverse)(g, axis=axis, norm=_OTHER[norm])
        return _resized(found, x, (axis % x.ndim,))


_along_one("fft", "ifft")
_along_one("ifft", "fft")


def _of_real(name: str, inverse: str) -> None:
    """State the rule of a transform of real numbers to a half of the frequencies.

    The inverse adds up both halves: of an element that stands for two, half is taken.
    """

    @linear(f"fft.{name}")
    def transpose(g: Array, x: Array, /, n: int | None = None, axis: int = -1, norm: _Norm = "backward") -> Array:
        a = axis % x.ndim
        n = x.shape[a] if n is None else n
        found = getattr(lw.fft, inverse)(_half_weighted(g, a, n, 0.5), n=n, axis=a, norm=_OTHER[norm])
        return _resized(found, x, (a,))


_of_real("rfft", "irfft")
_of_real("ihfft", "hfft")


def _to_real(name: str, inverse: str) -> None:
    """State the rule of a transform of a half of the frequencies, of which most are used twice, to real numbers."""

    @linear(f"fft.{name}")
    def transpose(g: Array, x: Array, /, n: int | None = None, axis: int = -1, norm: _Norm = "backward") -> Array:
        a = axis % x.ndim
        found = getattr(lw.fft, inverse)(g, axis=a, norm=_OTHER[norm])
        return _resized(_half_weighted(found, a, g.shape[a], 2.0), x, (a,))


_to_real("irfft", "rfft")
_to_real("hfft", "ihfft")


# --- along several axes -----------------------------------------------------------------------------------------------


def _along_many(name: str, inverse: str) -> None:
    @linear(f"fft.{name}")
    def transpose(g: Array, x: Array, /, s: _Several = None, axes: _Several = None, norm: _Norm = "backward") -> Array:
        found = getattr(lw.fft, inverse)(g, axes=axes, norm=_OTHER[norm])
        return _resized(found, x, axes_of(x, axes))


_along_many("fftn", "ifftn")
_along_many("ifftn", "fftn")


@linear("fft.rfftn")
def _rfftn(g: Array, x: Array, /, s: _Several = None, axes: _Several = None, norm: _Norm = "backward") -> Array:
    along = axes_of(x, axes)
    last = along[-1]
    n = x.shape[last] if s is None or s[-1] == -1 else s[-1]
    sizes = (*[g.shape[a] for a in along[:-1]], n)
    found = lw.fft.irfftn(_half_weighted(g, last, n, 0.5), s=sizes, axes=along, norm=_OTHER[norm])
    return _resized(found, x, along)


@linear("fft.irfftn")
def _irfftn(g: Array, x: Array, /, s: _Several = None, axes: _Several = None, norm: _Norm = "backward") -> Array:
    along = axes_of(x, axes)
    found = lw.fft.rfftn(g, axes=along, norm=_OTHER[norm])
    return _resized(_half_weighted(found, along[-1], g.shape[along[-1]], 2.0), x, along)
