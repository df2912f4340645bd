"""Frames of signals, their short-time Fourier transforms, and convolution by Fourier transforms."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal

from ...core.dtypes import int64
from ...core.registry import functions as lw
from ...engine.arrays.array import Array
from ...engine.declare import op
from ...engine.shapes.extents import Extent, Shape, as_int, check_word, may_equal, one_axis, replace_axis
from ..linear_algebra import extents

__all__ = ["fftconvolve", "frame", "istft", "overlap_add", "stft"]

PadMode = Literal["reflect", "constant", "replicate", "circular"]
#: The names of PyTorch for what NumPy calls otherwise.
_PADDING: dict[str, Any] = {"reflect": "reflect", "constant": "constant", "replicate": "edge", "circular": "wrap"}
_MODES = ("full", "same", "valid")


def _positive(value: Any, what: str) -> int:
    number = as_int(value, f"{what} is an int")
    if number < 1:
        raise ValueError(f"{what} has to be 1 or more; got {number}")
    return number


# --- frames ---------------------------------------------------------------------------------------------------------


def _frames_of(extent: Extent, length: int, step: int) -> Extent:
    return None if extent is None else max((extent - length) // step + 1, 0)


def _frame_shape(x: Shape, *, length: Any, step: Any, axis: Any = -1, **_: Any) -> Shape:
    """Replace one axis by those of the frames and of their elements."""
    length, step, a = _positive(length, "length"), _positive(step, "step"), one_axis(axis, x)
    return replace_axis(x, a, _frames_of(x[a], length, step), length)


@op("all", shape=_frame_shape)
def frame(x: Array, length: int, step: int, /, *, axis: int = -1) -> Array:
    """Cut an axis into frames, which overlap where the step is less than the length.

    Parameters
    ----------
    x: at least one axis, any dtype.
    length: how many elements a frame has.
    step: how far the next frame begins after a frame.
    axis: the axis to cut.

    Returns
    -------
    The dtype of x. In place of the axis are two: of the frames, ``(n - length) // step + 1`` of n elements, and of the
    elements of a frame. What does not fill a frame is left out.

    Raises
    ------
    ValueError: the length or the step is not positive.
    AxisError: the axis is out of bounds.

    Notes
    -----
    As ``tf.signal.frame``; ``torch.Tensor.unfold`` puts the elements of a frame last. On NumPy and PyTorch the
    windows are a view that is copied once; elsewhere elements are taken by their positions.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.signal.frame(lw.asarray([1, 2, 3, 4, 5]), 3, 2)
    Array([[1, 2, 3],
           [3, 4, 5]], dtype=int32)
    """
    _frame_shape(x.shape, length=length, step=step, axis=axis)
    axis = axis % x.ndim
    count = _frames_of(extents("signal.frame", x, (axis,))[0], length, step) or 0
    starts = lw.arange(0, count * step, step, dtype=int64, device=x.device)
    positions = starts[:, None] + lw.arange(0, length, dtype=int64, device=x.device)
    return lw.take(x, positions, axis=axis)


def _overlap_shape(x: Shape, *, step: Any, **_: Any) -> Shape:
    """Replace the last two axes by one of all frames laid over each other."""
    step = _positive(step, "step")
    if len(x) < 2:
        raise ValueError(f"takes an axis of frames and one of their elements; got shape {x}")
    *others, count, length = x
    if count is None or length is None:
        return (*others, None)
    return (*others, (count - 1) * step + length if count else 0)


@op("numeric", shape=_overlap_shape)
def overlap_add(x: Array, step: int, /) -> Array:
    """Add frames to a signal, each `step` elements after the one before: the transpose of `frame`.

    Parameters
    ----------
    x: shape (..., frames, length), a numeric dtype.
    step: how far the next frame begins after a frame.

    Returns
    -------
    Shape (..., (frames - 1) * step + length), and the dtype of x.

    Raises
    ------
    ValueError: fewer than two axes, or the step is not positive.

    Notes
    -----
    As ``tf.signal.overlap_and_add``. Frames are cut into parts of one step, and the rows of parts are shifted against
    each other by a reshape, so that one sum adds them.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.signal.overlap_add(lw.asarray([[1, 2, 3], [10, 20, 30]]), 2)
    Array([ 1,  2, 13, 20, 30], dtype=int32)
    """
    _overlap_shape(x.shape, step=step)
    *others, count, length = extents("signal.overlap_add", x)
    if not count or not length:
        return lw.zeros((*others, (count - 1) * step + length if count else 0), dtype=x.dtype, device=x.device)
    parts = -(-length // step)
    none = [(0, 0)] * len(others)
    x = lw.pad(x, [*none, (0, 0), (0, parts * step - length)]) if parts * step != length else x
    x = lw.swapaxes(lw.reshape(x, (*others, count, parts, step)), -2, -3)
    if parts > 1:
        x = lw.pad(x, [*none, (0, 0), (0, parts), (0, 0)])
        x = lw.reshape(x, (*others, parts * (count + parts), step))[..., : parts * (count + parts - 1), :]
        x = lw.reshape(x, (*others, parts, count + parts - 1, step))
    total = lw.sum(x, axis=-3, dtype=x.dtype)
    return lw.reshape(total, (*others, (count + parts - 1) * step))[..., : (count - 1) * step + length]


# --- short-time Fourier transforms ------------------------------------------------------------------------------------


def _settings(n_fft: Any, hop_length: Any, win_length: Any, window: Any) -> tuple[int, int, int]:
    n_fft = _positive(n_fft, "n_fft")
    hop = n_fft // 4 if hop_length is None else hop_length
    hop = _positive(max(hop, 1) if hop_length is None else hop, "hop_length")
    given = window[0] if win_length is None and isinstance(window, tuple) and len(window) == 1 else n_fft
    length = _positive((n_fft if given is None else given) if win_length is None else win_length, "win_length")
    if length > n_fft:
        raise ValueError(f"the window must not be longer than n_fft, {n_fft}; got {length}")
    if window is not None and not (len(window) == 1 and may_equal(window[0], length)):
        raise ValueError(f"window must have shape ({length},); got {window}")
    return n_fft, hop, length


def _stft_shape(
    x: Shape,
    window: Any = None,
    *,
    n_fft: Any,
    hop_length: Any = None,
    win_length: Any = None,
    center: Any = True,
    pad_mode: Any = "reflect",
    onesided: Any = True,
    **_: Any,
) -> Shape:
    """Replace the last axis by those of frequencies and of frames."""
    if not x:
        raise ValueError("x must have at least one axis")
    n_fft, hop, _length = _settings(n_fft, hop_length, win_length, window)
    check_word(tuple(_PADDING), "pad_mode", pad_mode)
    n = x[-1]
    if n is not None:
        if center and pad_mode in ("reflect", "circular") and n <= n_fft // 2 - (pad_mode == "circular"):
            raise ValueError(
                f"pad_mode={pad_mode!r} needs more than n_fft // 2 elements, {n_fft // 2}; got shape {x}. "
                "Take pad_mode='constant'"
            )
        n += 2 * (n_fft // 2) if center else 0
        if n < n_fft:
            raise ValueError(f"the signal is shorter than n_fft, {n_fft}; got shape {x}")
    return (*x[:-1], n_fft // 2 + 1 if onesided else n_fft, _frames_of(n, n_fft, hop))


def _centred(window: Array | None, n_fft: int) -> Array | None:
    """Pad a window with zeros on both sides, to n_fft elements."""
    if window is None:
        return None
    missing = n_fft - extents("signal.stft", window)[0]
    return lw.pad(window, (missing // 2, missing - missing // 2)) if missing else window


def _window_of(like: Array, window: Array | None, n_fft: int, win_length: int | None) -> Array | None:
    if window is None and win_length is not None and win_length != n_fft:
        window = lw.ones(win_length, dtype=like.dtype, device=like.device)
    return _centred(window, n_fft)


@op("floating", out="complex", shape=_stft_shape)
def stft(
    x: Array,
    /,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Array | None = None,
    *,
    center: bool = True,
    pad_mode: PadMode = "reflect",
    normalized: bool = False,
    onesided: bool = True,
) -> Array:
    """Compute Fourier transforms of the frames of a signal.

    Parameters
    ----------
    x: shape (..., n), float32, float64 or complex; integers are taken as the default float.
    n_fft: how many elements a frame has.
    hop_length: how far the next frame begins after a frame; n_fft // 4 by default.
    win_length: how many elements the window has; those of the window, or n_fft, by default. A window that is shorter
        than n_fft is in the middle of the frame, with zeros around it.
    window: shape (win_length,); ones by default. See `hann`.
    center: whether the middle of frame t is element ``t * hop_length``, for which the signal is padded.
    pad_mode: ``"reflect"``, ``"constant"`` (zeros), ``"replicate"`` or ``"circular"``, as `pad` has them; the last two
        are called "edge" and "wrap" there.
    normalized: whether to divide by the root of n_fft.
    onesided: whether to give the n_fft // 2 + 1 frequencies from 0 on that determine the others; of a complex signal or
        window False.

    Returns
    -------
    Shape (..., frequencies, frames), and the complex dtype of x's precision.

    Raises
    ------
    ValueError: the signal is too short for a frame or for the padding; the window does not fit; onesided of a complex
        signal.

    Notes
    -----
    The conventions are torch.stft's, where x has two axes at most. SciPy, JAX and TensorFlow scale and pad otherwise:
    ``tf.signal.stft`` is ``center=False`` with the last two axes exchanged.

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.sin(lw.arange(64) / 4)
    >>> lw.signal.stft(x, 16, window=lw.signal.hann(16)).shape
    (9, 17)
    """
    if onesided and (x.dtype.kind == "c"):
        raise ValueError("signal.stft: a complex signal or window has no one-sided spectrum. Take onesided=False")
    of_window = None if window is None else window.shape
    _stft_shape(
        x.shape, of_window, n_fft=n_fft, hop_length=hop_length, win_length=win_length, center=center, pad_mode=pad_mode
    )
    hop = max(n_fft // 4, 1) if hop_length is None else hop_length
    if center:
        half = n_fft // 2
        x = lw.pad(x, [*[(0, 0)] * (x.ndim - 1), (half, half)], mode=_PADDING[pad_mode])
    window = _window_of(x, window, n_fft, win_length)
    frames = frame(x, n_fft, hop)
    frames = frames if window is None else frames * window
    transform = lw.fft.rfft if onesided else lw.fft.fft
    return lw.swapaxes(transform(frames, norm="ortho" if normalized else "backward"), -1, -2)


def _istft_shape(
    x: Shape,
    window: Any = None,
    *,
    n_fft: Any,
    hop_length: Any = None,
    win_length: Any = None,
    center: Any = True,
    onesided: Any = True,
    length: Any = None,
    **_: Any,
) -> Shape:
    """Replace the axes of frequencies and frames by that of the signal."""
    n_fft, hop, _length = _settings(n_fft, hop_length, win_length, window)
    if len(x) < 2:
        raise ValueError(f"takes axes of frequencies and of frames; got shape {x}")
    *others, bins, count = x
    expected = n_fft // 2 + 1 if onesided else n_fft
    if not may_equal(bins, expected):
        raise ValueError(f"n_fft={n_fft} has {expected} frequencies; got shape {x}")
    if count == 0:
        raise ValueError(f"needs 1 frame or more; got shape {x}")
    if length is not None:
        return (*others, as_int(length, "length is an int"))
    if count is None:
        return (*others, None)
    return (*others, max((count - 1) * hop + (n_fft - 2 * (n_fft // 2) if center else n_fft), 0))


@op("complex floating", out="real", shape=_istft_shape)
def istft(
    x: Array,
    /,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Array | None = None,
    *,
    center: bool = True,
    normalized: bool = False,
    onesided: bool = True,
    length: int | None = None,
) -> Array:
    """Compute the signal of short-time Fourier transforms: the inverse of `stft` of real signals.

    Parameters
    ----------
    x: shape (..., frequencies, frames), complex64 or complex128.
    n_fft, hop_length, win_length, window, center, normalized, onesided: as for `stft`.
    length: how many elements the signal has: it is cut or padded with zeros. By default what the frames tell, so that
        up to hop_length - 1 elements at the end may be lost.

    Returns
    -------
    Shape (..., length), and the real dtype of x's precision.

    Raises
    ------
    ValueError: the number of frequencies is not that of n_fft, or the window does not fit.

    Notes
    -----
    The sum of the windowed frames over the sum of the squared windows, which is the least squares solution of D. W.
    Griffin and J. S. Lim, IEEE Transactions on Acoustics, Speech, and Signal Processing 32 (1984). Where the squares
    add up to less than 1e-11 the result is the sum itself, close to 0; torch.istft raises an error there. The signal
    is real: of a complex one, transform the real and the imaginary part.

    Examples
    --------
    >>> import latticework as lw
    >>> x, window = lw.sin(lw.arange(64) / 4), lw.signal.hann(16)
    >>> y = lw.signal.istft(lw.signal.stft(x, 16, window=window), 16, window=window)
    >>> bool(lw.allclose(x, y, atol=1e-5))
    True
    """
    of_window = None if window is None else window.shape
    _istft_shape(x.shape, of_window, n_fft=n_fft, hop_length=hop_length, win_length=win_length, onesided=onesided)
    hop = max(n_fft // 4, 1) if hop_length is None else hop_length
    norm: Any = "ortho" if normalized else "backward"
    spectra = lw.swapaxes(x, -1, -2)
    frames = lw.fft.irfft(spectra, n=n_fft, norm=norm) if onesided else lw.real(lw.fft.ifft(spectra, norm=norm))
    count = extents("signal.istft", x, (x.ndim - 1,))[0]
    window = _window_of(frames, None if window is None else lw.real(window), n_fft, win_length)
    window = lw.ones(n_fft, dtype=frames.dtype, device=frames.device) if window is None else window
    signal = overlap_add(frames * window, hop)
    weight = overlap_add(lw.broadcast_to(lw.square(window), (count, n_fft)), hop)
    signal = signal / lw.where(weight > 1e-11, weight, 1.0)
    total = (count - 1) * hop + n_fft
    start = n_fft // 2 if center else 0
    end = total - start if length is None else min(start + length, total)
    signal = signal[..., start:end]
    missing = 0 if length is None else length - max(end - start, 0)
    return lw.pad(signal, [*[(0, 0)] * (x.ndim - 2), (0, missing)]) if missing else signal


# --- convolution ------------------------------------------------------------------------------------------------------


def _convolved(m: Extent, n: Extent, mode: str) -> Extent:
    if m is None or n is None:
        return m if mode == "same" else None
    return m + n - 1 if mode == "full" else m if mode == "same" else abs(m - n) + 1


def _fftconvolve_shape(x1: Shape, x2: Shape, *, mode: Any = "full", **_: Any) -> Shape:
    """Convolve along every axis."""
    check_word(_MODES, "mode", mode)
    if len(x1) != len(x2):
        raise ValueError(f"takes two arrays of as many axes; got shapes {x1} and {x2}")
    if 0 in (*x1, *x2):
        raise ValueError(f"takes arrays with elements; got shapes {x1} and {x2}")
    known = [(m, n) for m, n in zip(x1, x2, strict=True) if m is not None and n is not None]
    if mode == "valid" and not (all(m >= n for m, n in known) or all(m <= n for m, n in known)):
        raise ValueError(
            f"mode='valid' needs one array that is as long as the other along each axis; got {x1} and {x2}"
        )
    return tuple(_convolved(m, n, mode) for m, n in zip(x1, x2, strict=True))


@op("floating", shape=_fftconvolve_shape)
def fftconvolve(x1: Array, x2: Array, /, mode: Literal["full", "same", "valid"] = "full") -> Array:
    """Convolve two arrays along all axes, by Fourier transforms.

    Parameters
    ----------
    x1, x2: as many axes, float32, float64 or complex; integers are taken as the default float.
    mode: ``"full"`` for all places where the two overlap, ``"same"`` for those of x1's shape in the middle, ``"valid"``
        for those where one covers the other.

    Returns
    -------
    The common dtype of the two. Along an axis ``m + n - 1``, m, or ``abs(m - n) + 1`` elements by the mode.

    Raises
    ------
    ValueError: another number of axes; no elements; "valid" where neither covers the other.

    Notes
    -----
    As ``scipy.signal.fftconvolve``. The error is relative to the largest elements. The transforms are of the next
    extents without prime factors above 5, which all frameworks transform in the least time.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.round(lw.signal.fftconvolve(lw.asarray([1.0, 2.0, 3.0]), lw.asarray([1.0, 1.0])))
    Array([1., 3., 5., 3.], dtype=float32)
    """
    _fftconvolve_shape(x1.shape, x2.shape, mode=mode)
    first, second = (extents("signal.fftconvolve", x) for x in (x1, x2))
    if not first:
        return x1 * x2
    axes = tuple(range(len(first)))
    full = [m + n - 1 for m, n in zip(first, second, strict=True)]
    fast = [_fast(n) for n in full]
    if x1.dtype.kind == "c":
        product = lw.fft.fftn(x1, s=fast, axes=axes) * lw.fft.fftn(x2, s=fast, axes=axes)
        result = lw.fft.ifftn(product, s=fast, axes=axes)
    else:
        product = lw.fft.rfftn(x1, s=fast, axes=axes) * lw.fft.rfftn(x2, s=fast, axes=axes)
        result = lw.fft.irfftn(product, s=fast, axes=axes)
    sizes = [_convolved(m, n, mode) or 0 for m, n in zip(first, second, strict=True)]
    starts = [(n - size) // 2 for n, size in zip(full, sizes, strict=True)]
    return result[tuple(slice(start, start + size) for start, size in zip(starts, sizes, strict=True))]


@lru_cache(256)
def _fast(n: int) -> int:
    """The least number from n on without prime factors above 5."""
    best = 1 << (n - 1).bit_length()
    five = 1
    while five < best:
        three = five
        while three < best:
            best = min(best, three << max((-(-n // three) - 1).bit_length(), 0))
            three *= 3
        five *= 5
    return best
