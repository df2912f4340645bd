"""`tf.signal`: Fourier and cosine transforms, frames and windows."""

from __future__ import annotations

import math
from typing import Any

from . import dtypes
from .arguments import axes as our_axes
from .arguments import extents, number, only
from .errors import invalid
from .tensor import as_tensor, dialect, of_dtype, of_kind, ops

_NARROW = "bfloat16 float16"


def _complex(x: Any, rank: int) -> Any:
    x = only(of_kind(x, dtypes.complex64), "c")
    if x.ndim < rank:
        raise invalid(f"Input must have rank of at least {rank} but got: {x.shape}")
    return x


# fmt: off
def fft(input: Any, name: Any = None) -> Any: return ops.fft.fft(_complex(input, 1))
def ifft(input: Any, name: Any = None) -> Any: return ops.fft.ifft(_complex(input, 1))
def fft2d(input: Any, name: Any = None) -> Any: return ops.fft.fftn(_complex(input, 2), axes=(-2, -1))
def ifft2d(input: Any, name: Any = None) -> Any: return ops.fft.ifftn(_complex(input, 2), axes=(-2, -1))
def fft3d(input: Any, name: Any = None) -> Any: return ops.fft.fftn(_complex(input, 3), axes=(-3, -2, -1))
def ifft3d(input: Any, name: Any = None) -> Any: return ops.fft.ifftn(_complex(input, 3), axes=(-3, -2, -1))
def rfft(input_tensor: Any, fft_length: Any = None, name: Any = None) -> Any: return _real(input_tensor, fft_length, 1)
def rfft2d(input_tensor: Any, fft_length: Any = None, name: Any = None) -> Any:
    return _real(input_tensor, fft_length, 2)
def rfft3d(input_tensor: Any, fft_length: Any = None, name: Any = None) -> Any:
    return _real(input_tensor, fft_length, 3)
def irfft(input_tensor: Any, fft_length: Any = None, name: Any = None) -> Any:
    return _inverse_real(input_tensor, fft_length, 1)
def irfft2d(input_tensor: Any, fft_length: Any = None, name: Any = None) -> Any:
    return _inverse_real(input_tensor, fft_length, 2)
def irfft3d(input_tensor: Any, fft_length: Any = None, name: Any = None) -> Any:
    return _inverse_real(input_tensor, fft_length, 3)
# fmt: on


def _lengths(x: Any, given: Any, rank: int) -> Any:
    if x.ndim < rank:
        raise ValueError(f"Shape {x.shape} must have rank at least {rank}")
    if given is None:
        return None
    found = extents(given)
    if len(found) != rank or isinstance(given, int):
        raise invalid(f"fft_length must have shape [{rank}]")
    if min(found) < 1:
        raise invalid(f"fft_length must be positive, and is {found}")
    return found


def _real(x: Any, lengths: Any, rank: int) -> Any:
    x = of_dtype(x, dtypes.float32)
    if x.dtype.name not in ("float32", "float64"):
        raise ValueError(f"RFFT takes float32 and float64, and got {x.dtype.name}")
    s = _lengths(x, lengths, rank)
    if s is None and 0 in x._array.shape[-rank:]:
        raise invalid(f"a transform of no elements is not defined: {x.shape}")
    if rank == 1:
        return ops.fft.rfft(x, n=None if s is None else s[0])
    return ops.fft.rfftn(x, s=s, axes=tuple(range(-rank, 0)))


def _inverse_real(x: Any, lengths: Any, rank: int) -> Any:
    x = of_dtype(x, dtypes.complex64)
    if x._array.dtype.kind != "c":
        raise ValueError(f"IRFFT takes complex64 and complex128, and got {x.dtype.name}")
    s = _lengths(x, lengths, rank)
    if rank == 1:
        return ops.fft.irfft(x, n=None if s is None else s[0])
    return ops.fft.irfftn(x, s=s, axes=tuple(range(-rank, 0)))


def fftshift(x: Any, axes: Any = None, name: Any = None) -> Any:
    return ops.fft.fftshift(as_tensor(x), axes=our_axes(axes))


def ifftshift(x: Any, axes: Any = None, name: Any = None) -> Any:
    return ops.fft.ifftshift(as_tensor(x), axes=our_axes(axes))


def _check_dct(type: Any, n: Any, axis: Any, norm: Any) -> None:
    if axis != -1:
        raise NotImplementedError("`axis` must be -1. Got: " + str(axis))
    if n is not None and n < 1:
        raise ValueError("`n` should be a positive integer or None")
    if type not in (1, 2, 3, 4):
        raise ValueError("Types I, II, III and IV (I)DCT are supported.")
    if norm not in (None, "ortho"):
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")
    if type == 1 and norm == "ortho":
        raise ValueError("Normalization is not supported for the Type-I DCT.")


def dct(input: Any, type: Any = 2, n: Any = None, axis: Any = -1, norm: Any = None, name: Any = None) -> Any:
    _check_dct(type, n, axis, norm)
    x = _sized(only(only(input, "fc", error=TypeError), "f", _NARROW), n)
    return _fourth(x, norm) if type == 4 else ops.fft.dct(x, type=type, norm=norm)


def _fourth(x: Any, norm: Any) -> Any:
    """The cosine transform of type IV, as a product with its matrix."""
    count = x._array.shape[-1]
    steps = ops.add(ops.arange(count, dtype=x.dtype), 0.5)
    table = ops.cos(ops.multiply(ops.multiply(ops.expand_dims(steps, -1), steps), math.pi / count))
    whole = ops.multiply(ops.matmul(ops.expand_dims(x, -2), table), 2.0)
    whole = ops.squeeze(whole, -2)
    return whole if norm is None else ops.multiply(whole, math.sqrt(0.5 / count))


def _sized(x: Any, n: Any) -> Any:
    if n is None or n == x._array.shape[-1]:
        return x
    return x[..., :n] if n < x._array.shape[-1] else ops.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, n - x._array.shape[-1])])


def idct(input: Any, type: Any = 2, n: Any = None, axis: Any = -1, norm: Any = None, name: Any = None) -> Any:
    _check_dct(type, n, axis, norm)
    return dct(input, type={1: 1, 2: 3, 3: 2, 4: 4}[type], n=n, axis=axis, norm=norm)


# --- windows --------------------------------------------------------------------------------------------------------


def _window_length(window_length: Any, dtype: Any) -> tuple[int, Any]:
    dtype = dtypes.as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError(f"dtype must be a floating point type. Found {dtype!r}")
    if getattr(window_length, "ndim", 0):
        raise ValueError("window_length must be a scalar")
    return number(window_length), dtype


def _raised_cosine(length: Any, periodic: Any, dtype: Any, a: float, b: float) -> Any:
    n, dtype = _window_length(length, dtype)
    if n == 1:
        return ops.ones((1,), dtype=dtype)
    steps = n + int(bool(periodic)) * (1 - n % 2) - 1
    angle = ops.multiply(ops.arange(n, dtype=dtype), 2 * math.pi / steps) if n else ops.zeros((0,), dtype=dtype)
    return ops.subtract(a, ops.multiply(b, ops.cos(angle)))


def hann_window(window_length: Any, periodic: Any = True, dtype: Any = dtypes.float32, name: Any = None) -> Any:
    return _raised_cosine(window_length, periodic, dtype, 0.5, 0.5)


def hamming_window(window_length: Any, periodic: Any = True, dtype: Any = dtypes.float32, name: Any = None) -> Any:
    return _raised_cosine(window_length, periodic, dtype, 0.54, 0.46)


def kaiser_window(window_length: Any, beta: Any = 12.0, dtype: Any = dtypes.float32, name: Any = None) -> Any:
    n, dtype = _window_length(window_length, dtype)
    return ops.signal.kaiser(n, float(as_tensor(beta)), periodic=False, dtype=dtype)


def kaiser_bessel_derived_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = dtypes.float32, name: Any = None
) -> Any:
    n, dtype = _window_length(window_length, dtype)
    total = ops.cumulative_sum(kaiser_window(n // 2 + 1, beta, dtype))
    half = ops.sqrt(ops.divide(total[:-1], total[-1]))
    return ops.concat([half, ops.flip(half, axis=0)], axis=0)


def vorbis_window(window_length: Any, dtype: Any = dtypes.float32, name: Any = None) -> Any:
    n, dtype = _window_length(window_length, dtype)
    angle = ops.multiply(ops.divide(ops.add(ops.arange(n, dtype=dtype), 0.5), float(n)), math.pi)
    return ops.sin(ops.multiply(ops.square(ops.sin(angle)), math.pi / 2))


# --- frames ---------------------------------------------------------------------------------------------------------


def frame(
    signal: Any, frame_length: Any, frame_step: Any, pad_end: Any = False, pad_value: Any = 0, axis: Any = -1,
    name: Any = None,
) -> Any:  # fmt: skip
    x, length, step = as_tensor(signal), number(frame_length), number(frame_step)
    if not -x.ndim <= number(axis) < x.ndim:
        raise invalid(f"axis {axis} does not lie in the shape {x.shape}")
    if step <= 0:
        raise invalid(f"frame_step has to be positive; got {step}")
    axis = number(axis) % x.ndim
    count = x._array.shape[axis]
    if pad_end:
        frames = -(-count // step)
        lack = max(0, length + step * (frames - 1) - count)
        widths = [(0, lack if i == axis else 0) for i in range(x.ndim)]
        x = ops.pad(x, widths, constant_values=as_tensor(pad_value, like=x).numpy().item())
    else:
        frames = max(0, 1 + (count - length) // step)
    starts = ops.multiply(ops.arange(frames, dtype="int64"), step)
    picked = ops.add(ops.expand_dims(starts, -1), ops.arange(length, dtype="int64"))
    found = ops.take(x, ops.reshape(picked, (-1,)), axis=axis)
    shape = x._array.shape
    return ops.reshape(found, (*shape[:axis], frames, length, *shape[axis + 1 :]))


def overlap_and_add(signal: Any, frame_step: Any, name: Any = None) -> Any:
    x, step = as_tensor(signal), number(frame_step)
    if x.ndim < 2:
        raise ValueError("signal must have rank at least 2.")
    frames, length = x._array.shape[-2:]
    total = step * (frames - 1) + length
    starts = ops.multiply(ops.arange(frames, dtype="int64"), step)
    places = ops.reshape(ops.add(ops.expand_dims(starts, -1), ops.arange(length, dtype="int64")), (-1,))
    flat = ops.reshape(x, (*x._array.shape[:-2], frames * length))
    found = ops.segment_sum(ops.moveaxis(flat, -1, 0), places, num_segments=total)
    return ops.moveaxis(found, 0, -1)


def _next_power(n: int) -> int:
    return 1 << max(n - 1, 0).bit_length()


def stft(
    signals: Any, frame_length: Any, frame_step: Any, fft_length: Any = None, window_fn: Any = hann_window,
    pad_end: Any = False, name: Any = None,
) -> Any:  # fmt: skip
    length = number(frame_length)
    frames = frame(signals, length, frame_step, pad_end=pad_end)
    if window_fn is not None:
        frames = ops.multiply(frames, window_fn(length, dtype=frames.dtype))
    return rfft(frames, [_next_power(length) if fft_length is None else number(fft_length)])


def inverse_stft(
    stfts: Any, frame_length: Any, frame_step: Any, fft_length: Any = None, window_fn: Any = hann_window,
    name: Any = None,
) -> Any:  # fmt: skip
    length = number(frame_length)
    n = _next_power(length) if fft_length is None else number(fft_length)
    frames = irfft(stfts, [n])[..., :length]
    lack = length - frames._array.shape[-1]
    if lack > 0:
        frames = ops.pad(frames, [(0, 0)] * (frames.ndim - 1) + [(0, lack)])
    if window_fn is not None:
        frames = ops.multiply(frames, window_fn(length, dtype=frames.dtype))
    return overlap_and_add(frames, frame_step)


def inverse_stft_window_fn(frame_step: Any, forward_window_fn: Any = hann_window, name: Any = None) -> Any:
    def window(frame_length: Any, dtype: Any) -> Any:
        length, step = number(frame_length), number(frame_step)
        forward = forward_window_fn(length, dtype=dtype)
        overlaps = -(-length // step)
        squares = ops.pad(ops.square(forward), [(0, overlaps * step - length)])
        total = ops.sum(ops.reshape(squares, (overlaps, step)), axis=0, keepdims=True)
        return ops.divide(forward, ops.reshape(ops.tile(total, (overlaps, 1)), (-1,))[:length])

    return window


# --- mel ------------------------------------------------------------------------------------------------------------


def linear_to_mel_weight_matrix(
    num_mel_bins: Any = 20, num_spectrogram_bins: Any = 129, sample_rate: Any = 8000, lower_edge_hertz: Any = 125.0,
    upper_edge_hertz: Any = 3800.0, dtype: Any = dtypes.float32, name: Any = None,
) -> Any:  # fmt: skip
    if not dtypes.as_dtype(dtype).is_floating:
        raise ValueError(f"dtype must be a floating point type. Got: {dtype!r}")
    ends = (lower_edge_hertz, upper_edge_hertz, sample_rate)
    low, high, rate = (float(as_tensor(v)) for v in ends)
    if number(num_mel_bins) <= 0:
        raise ValueError(f"num_mel_bins must be positive. Got: {num_mel_bins}")
    if low < 0 or low >= high or rate <= 0 or high > rate / 2:
        raise ValueError(f"0 <= lower_edge_hertz < upper_edge_hertz <= sample_rate / 2; got {low}, {high} and {rate}")
    return ops.signal.mel_weight_matrix(
        number(num_mel_bins), number(num_spectrogram_bins), rate, low=low, high=high, dtype=dtypes.as_dtype(dtype)
    )


def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: Any, name: Any = None) -> Any:
    x = as_tensor(log_mel_spectrograms)
    if not x.ndim:
        raise invalid("log_mel_spectrograms need an axis of mel bins")
    count = x._array.shape[-1]
    if not count:
        raise ValueError("num_mel_bins must be positive. Got: 0")
    return ops.multiply(dct(x, type=2), 1.0 / math.sqrt(count * 2.0))


dialect.finish(globals(), view="tf.signal")
