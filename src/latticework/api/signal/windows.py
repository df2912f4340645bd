"""Windows, which frames of a signal are multiplied by, and the weights of mel bands.

All are periodic by default, as PyTorch's and TensorFlow's, for a Fourier transform of n elements. SciPy's are symmetric
by default, NumPy's and JAX's always.
"""

from __future__ import annotations

import math
import operator
from typing import Any

from ...core.dtypes import Dtype, DtypeLike, float32
from ...core.registry import functions as lw
from ...engine.arrays.array import Array
from ...engine.declare import composed
from ...policy import as_dtype, current, unified_rules
from .. import special as _special

__all__ = [
    "bartlett",
    "bartlett_window",
    "blackman",
    "blackman_window",
    "hamming",
    "hamming_window",
    "hann",
    "hann_window",
    "kaiser",
    "kaiser_window",
    "mel_weight_matrix",
]


def _real(name: str, dtype: Any) -> Dtype:
    result = current().own("f") if dtype is None else as_dtype(dtype)
    if result.kind != "f":
        raise TypeError(f"signal.{name}: dtype has to be a real floating one; got {result}")
    return result


def _count(name: str, what: str, n: Any) -> int:
    try:
        count: int = operator.index(n)
    except TypeError:
        raise TypeError(f"signal.{name}: {what} is an int; got {n!r}") from None
    if count < 0:
        raise ValueError(f"signal.{name}: {what} has to be 0 or more; got {n}")
    return count


def _places(n: int, periodic: bool, dtype: Dtype, device: Any) -> Array:
    """Count from -1 to 1 over the window, in float32 for floats of 16 bits; a periodic one lacks the last place."""
    wide = float32 if dtype.bits == 16 else dtype
    last = n if periodic else n - 1
    if n == 1:
        return lw.zeros(1, dtype=wide, device=device)
    return (
        (lw.arange(0, n, dtype=wide, device=device) * 2 - last) / last if n else lw.zeros(0, dtype=wide, device=device)
    )


def _cosine(n: int, periodic: bool, dtype: Dtype, device: Any) -> Array:
    """Compute one turn of a cosine that begins at -1, exactly at quarters of the turn."""
    return lw.sin((0.5 - lw.abs(_places(n, periodic, dtype, device))) * math.pi)


@composed
def hann(n: int, /, *, periodic: bool = True, dtype: DtypeLike | None = None, device: Any = None) -> Array:
    """Make Hann's window.

    Parameters
    ----------
    n: how many elements it has.
    periodic: whether it is one period of a window of n + 1 elements, for Fourier transforms; symmetric otherwise.
    dtype: a real floating dtype; the default float if not given.
    device: its device; a `Device` of an array brings its backend with it.

    Returns
    -------
    Shape (n,).

    Raises
    ------
    ValueError: n is negative.
    TypeError: n is no int, or the dtype is not a real floating one.

    Notes
    -----
    ``0.5 - 0.5 * cos(2 * pi * k / n)`` for k from 0 on; n - 1 for n where it is symmetric.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.signal.hann(4)
    Array([0. , 0.5, 1. , 0.5], dtype=float32)
    """
    result, n = _real("hann", dtype), _count("hann", "n", n)
    with unified_rules():
        cosine = _cosine(n, periodic, result, device)
        return lw.astype(0.5 + 0.5 * cosine, result, copy=False)


@composed
def hamming(n: int, /, *, periodic: bool = True, dtype: DtypeLike | None = None, device: Any = None) -> Array:
    """Make Hamming's window.

    Parameters
    ----------
    n: how many elements it has.
    periodic: whether it is one period of a window of n + 1 elements, for Fourier transforms; symmetric otherwise.
    dtype: a real floating dtype; the default float if not given.
    device: its device; a `Device` of an array brings its backend with it.

    Returns
    -------
    Shape (n,).

    Raises
    ------
    ValueError: n is negative.
    TypeError: n is no int, or the dtype is not a real floating one.

    Notes
    -----
    ``0.54 - 0.46 * cos(2 * pi * k / n)`` for k from 0 on; n - 1 for n where it is symmetric.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.signal.hamming(4)
    Array([0.08000001, 0.54      , 1.        , 0.54      ], dtype=float32)
    """
    result, n = _real("hamming", dtype), _count("hamming", "n", n)
    with unified_rules():
        cosine = _cosine(n, periodic, result, device)
        return lw.astype(0.54 + 0.46 * cosine, result, copy=False)


@composed
def blackman(n: int, /, *, periodic: bool = True, dtype: DtypeLike | None = None, device: Any = None) -> Array:
    """Make Blackman's window.

    Parameters
    ----------
    n: how many elements it has.
    periodic: whether it is one period of a window of n + 1 elements, for Fourier transforms; symmetric otherwise.
    dtype: a real floating dtype; the default float if not given.
    device: its device; a `Device` of an array brings its backend with it.

    Returns
    -------
    Shape (n,).

    Raises
    ------
    ValueError: n is negative.
    TypeError: n is no int, or the dtype is not a real floating one.

    Notes
    -----
    ``0.42 - 0.5 * cos(2 * pi * k / n) + 0.08 * cos(4 * pi * k / n)``; n - 1 for n where it is symmetric.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.signal.blackman(4)
    Array([0.  , 0.34, 1.  , 0.34], dtype=float32)
    """
    result, n = _real("blackman", dtype), _count("blackman", "n", n)
    with unified_rules():
        cosine = _cosine(n, periodic, result, device)
        return lw.astype((1 + cosine) * (0.34 + 0.16 * cosine), result, copy=False)


@composed
def bartlett(n: int, /, *, periodic: bool = True, dtype: DtypeLike | None = None, device: Any = None) -> Array:
    """Make Bartlett's window.

    Parameters
    ----------
    n: how many elements it has.
    periodic: whether it is one period of a window of n + 1 elements, for Fourier transforms; symmetric otherwise.
    dtype: a real floating dtype; the default float if not given.
    device: its device; a `Device` of an array brings its backend with it.

    Returns
    -------
    Shape (n,).

    Raises
    ------
    ValueError: n is negative.
    TypeError: n is no int, or the dtype is not a real floating one.

    Notes
    -----
    A triangle that is 0 at its ends: ``1 - abs(2 * k / n - 1)``; n - 1 for n where it is symmetric.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.signal.bartlett(4)
    Array([0. , 0.5, 1. , 0.5], dtype=float32)
    """
    result, n = _real("bartlett", dtype), _count("bartlett", "n", n)
    with unified_rules():
        return lw.astype(1 - lw.abs(_places(n, periodic, result, device)), result, copy=False)


@composed
def kaiser(
    n: int, /, beta: float = 12.0, *, periodic: bool = True, dtype: DtypeLike | None = None, device: Any = None
) -> Array:
    """Make Kaiser's window.

    Parameters
    ----------
    n: how many elements it has.
    beta: how narrow it is, from 0 for a rectangle on; 12 by default, as in PyTorch and TensorFlow.
    periodic: whether it is one period of a window of n + 1 elements, for Fourier transforms; symmetric otherwise.
    dtype: a real floating dtype; the default float if not given.
    device: its device; a `Device` of an array brings its backend with it.

    Returns
    -------
    Shape (n,).

    Raises
    ------
    ValueError: n is negative.
    TypeError: n is no int, beta a bool (PyTorch has `periodic` in this place), or the dtype is not a real floating one.

    Notes
    -----
    ``i0(beta * sqrt(1 - (2 * k / n - 1)**2)) / i0(beta)``; n - 1 for n where it is symmetric.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.signal.kaiser(4, 2.0)
    Array([0.43867627, 0.8347614 , 1.        , 0.8347614 ], dtype=float32)
    """
    if isinstance(beta, bool):
        raise TypeError(f"signal.kaiser: beta must be a number; got {beta}. Write signal.kaiser(n, periodic={beta})")
    result, n = _real("kaiser", dtype), _count("kaiser", "n", n)
    with unified_rules():
        heights = lw.sqrt(lw.maximum(1 - lw.square(_places(n, periodic, result, device)), 0.0)) * beta
        scaled = _special.i0e(heights) * lw.exp(heights - beta)  # i0 itself leaves the range
        return lw.astype(scaled / _special.i0e(lw.full_like(heights, beta)), result, copy=False)


hann_window = hann
hamming_window = hamming
blackman_window = blackman
bartlett_window = bartlett
kaiser_window = kaiser


@composed
def mel_weight_matrix(
    n_mels: int = 20,
    n_bins: int = 129,
    rate: float = 8000.0,
    /,
    *,
    low: float = 125.0,
    high: float = 3800.0,
    dtype: DtypeLike | None = None,
    device: Any = None,
) -> Array:
    """Make the weights that turn spectra of linear frequencies into mel bands: ``spectrum @ weights``.

    Parameters
    ----------
    n_mels: how many bands.
    n_bins: how many frequencies a spectrum has, from 0 to half the rate: n_fft // 2 + 1 of `stft`.
    rate: samples per second.
    low, high: the lower end of the first band and the upper end of the last, in Hertz.
    dtype: a real floating dtype; the default float if not given.
    device: its device; a `Device` of an array brings its backend with it.

    Returns
    -------
    Shape (n_bins, n_mels).

    Raises
    ------
    ValueError: n_mels or n_bins is not positive, or not 0 <= low < high <= rate / 2.

    Notes
    -----
    Triangles of height 1 in mel, ``1127 * log(1 + f / 700)`` (HTK's), with no weight at frequency 0, as
    ``tf.signal.linear_to_mel_weight_matrix`` makes them.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.signal.mel_weight_matrix(10, 129, 8000).shape
    (129, 10)
    """
    name = "mel_weight_matrix"
    result, n_mels, n_bins = _real(name, dtype), _count(name, "n_mels", n_mels), _count(name, "n_bins", n_bins)
    if not n_mels or not n_bins:
        raise ValueError(f"signal.{name}: n_mels and n_bins have to be 1 or more; got {n_mels} and {n_bins}")
    if not 0 <= low < high <= rate / 2:
        raise ValueError(f"signal.{name}: needs 0 <= low < high <= rate / 2; got {low}, {high} and a rate of {rate}")
    wide = float32 if result.bits == 16 else result
    with unified_rules():
        bins = _mel(lw.linspace(0.0, rate / 2, n_bins, dtype=wide, device=device))[:, None]
        bounds: tuple[Any, ...] = low, high
        first, last = (_mel(f) if isinstance(f, Array) else 1127 * math.log1p(f / 700) for f in bounds)
        edges = lw.linspace(first, last, n_mels + 2, dtype=wide, device=device)
        lower, centre, upper = edges[:-2], edges[1:-1], edges[2:]
        rising, falling = (bins - lower) / (centre - lower), (upper - bins) / (upper - centre)
        weights = lw.maximum(lw.minimum(rising, falling), 0.0)
        return lw.astype(lw.where(bins > 0, weights, 0.0), result, copy=False)


def _mel(frequency: Array) -> Array:
    return lw.log1p(frequency / 700) * 1127
