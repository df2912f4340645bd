"""Windows, frames and short-time Fourier transforms against SciPy's, PyTorch's and TensorFlow's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.signal
from cases import crossed
from support import check, dtypes, frames, values, wide

import latticework as lw

signal: Any = lw.signal
FULL = [lw.float32, lw.float64]
WINDOWS = "hann hamming blackman bartlett".split()


@pytest.mark.parametrize("name", [*WINDOWS, "kaiser"])
def test_windows(backend: str, name: str) -> None:
    f, reference = getattr(signal, name), getattr(scipy.signal.windows, name)
    more = (6.5,) if name == "kaiser" else ()
    for n, (dtype, periodic) in crossed([7, 8, 1, 0], [(d, p) for d in dtypes("real floating") for p in (True, False)]):
        expected = reference(n, *more, sym=not periodic)
        check(f(n, *more, periodic=periodic, dtype=dtype), expected, dtype, ulps=8, scale=1)
    assert f(4).dtype is lw.float32
    assert getattr(signal, f"{name}_window") is f


def test_wide_kaiser_windows_stay_in_the_range(backend: str) -> None:
    expected = scipy.signal.windows.kaiser(64, 300.0, sym=False)
    check(signal.kaiser(64, 300.0, dtype=lw.float32), expected, lw.float32, ulps=256, scale=1)


def test_windows_refuse_what_is_none() -> None:
    with pytest.raises(ValueError, match=r"signal\.hann: n has to be 0 or more; got -1"):
        signal.hann(-1)
    with pytest.raises(TypeError, match=r"signal\.hann: n is an int; got 4\.5"):
        signal.hann(4.5)
    with pytest.raises(TypeError, match=r"signal\.kaiser: dtype has to be a real floating one; got int32"):
        signal.kaiser(4, dtype=lw.int32)


def test_mel_weights_are_those_of_tensorflow(backend: str) -> None:
    tf = pytest.importorskip("tensorflow")
    for args, options in (((20, 129, 8000), {}), ((8, 33, 16000.0), {"low": 20.0, "high": 7000.0})):
        expected = tf.signal.linear_to_mel_weight_matrix(*args, *options.values() or (125.0, 3800.0)).numpy()
        check(signal.mel_weight_matrix(*args, **options), expected, lw.float32, ulps=64, scale=8)
    with pytest.raises(ValueError, match=r"needs 0 <= low < high <= rate / 2; got 125\.0, 3800\.0 and a rate of 4000"):
        signal.mel_weight_matrix(20, 129, 4000)


def test_frames(backend: str) -> None:
    cases = [((9,), 4, 2, -1), ((2, 9), 3, 3, 1), ((7, 2), 3, 5, 0), ((2, 3), 4, 1, -1), ((2, 6, 2), 2, 1, 1)]
    for (shape, length, step, axis), dtype in crossed(cases, lw.all_dtypes, "signal.frame"):
        x = values(dtype, shape)
        a = axis % len(shape)
        starts = range(0, shape[a] - length + 1, step)
        parts = [np.take(x, range(i, i + length), axis=a) for i in starts]
        empty = np.empty((*shape[:a], 0, length, *shape[a + 1 :]), x.dtype)
        check(signal.frame(lw.asarray(x), length, step, axis=axis), np.stack(parts, a) if parts else empty, dtype)


def test_frames_share_no_memory_with_the_signal() -> None:
    x = np.arange(6.0)
    frames = signal.frame(lw.asarray(x), 3, 3)
    frames[0, 0] = 7.0
    assert x[0] == 0


def test_frames_laid_over_each_other(backend: str) -> None:
    cases = [((5, 4), 2), ((2, 3, 4), 4), ((2, 3), 5), ((4, 5), 2), ((3, 1), 1), ((0, 4), 2)]
    for (shape, step), dtype in crossed(cases, dtypes("numeric"), "signal.overlap_add"):
        x = values(dtype, shape, low=-2, high=2)
        *others, count, length = shape
        expected = np.zeros((*others, max((count - 1) * step + length, 0) if count else 0), wide(x).dtype)
        for i in range(count):
            expected[..., i * step : i * step + length] += wide(x)[..., i, :]
        check(signal.overlap_add(lw.asarray(x), step), expected, dtype, scale=8)


#: Options of torch.stft and of ours.
STFT: list[dict[str, Any]] = [
    {}, {"hop_length": 3}, {"win_length": 5, "hop_length": 2}, {"center": False}, {"pad_mode": "constant"},
    {"pad_mode": "replicate", "normalized": True}, {"pad_mode": "circular", "onesided": False},
]  # fmt: skip


def native_stft(x: np.ndarray, window: np.ndarray | None, options: dict[str, Any]) -> np.ndarray:
    import torch

    ones = np.ones(options.get("win_length", 8))
    window = ones if window is None else window
    flat = torch.asarray(x.reshape(-1, x.shape[-1]))
    options = {"onesided": True, **options}
    result = torch.stft(flat, 8, window=torch.asarray(window), return_complex=True, **options).numpy()
    return result.reshape(*x.shape[:-1], *result.shape[1:])


def test_short_time_fourier_transforms_are_those_of_torch(backend: str) -> None:
    pytest.importorskip("torch")
    cases = [(shape, options) for options in STFT for shape in ((20,), (2, 2, 17))]
    for (shape, options), dtype in crossed(cases, FULL, "signal.stft"):
        x = values(dtype, shape)
        out = lw.complex64 if dtype is lw.float32 else lw.complex128
        window = scipy.signal.windows.hann(options.get("win_length", 8), sym=False)
        result = signal.stft(lw.asarray(x), 8, window=lw.asarray(window, dtype=dtype), **options)
        check(result, native_stft(wide(x), window, options), out, ulps=32, scale=16)
    x = values(lw.float32, (20,))
    check(signal.stft(lw.asarray(x), 8), native_stft(wide(x), None, {}), lw.complex64, ulps=32, scale=16)
    x = values(lw.complex64, (20,))
    expected = native_stft(wide(x), None, {"onesided": False})
    check(signal.stft(lw.asarray(x), 8, onesided=False), expected, lw.complex64, ulps=32, scale=16)


def test_the_way_back_is_exact(backend: str) -> None:
    cases = [((32,), {}), ((2, 2, 32), {"hop_length": 4}), ((32,), {"normalized": True}), ((32,), {"onesided": False})]
    for (shape, options), dtype in crossed(cases, FULL, "signal.istft"):
        x = values(dtype, shape)
        window = signal.hamming(8, dtype=dtype)
        y = signal.istft(signal.stft(lw.asarray(x), 8, window=window, **options), 8, window=window, **options)
        check(y, x, dtype, ulps=16, scale=8)
    x = values(lw.float32, (19,))
    spectra = signal.stft(lw.asarray(x), 8, 4, center=False)
    check(signal.istft(spectra, 8, 4, center=False, length=20), [*x[:16], 0, 0, 0, 0], lw.float32, ulps=16, scale=8)


def test_the_way_back_is_that_of_torch(backend: str) -> None:
    torch = pytest.importorskip("torch")
    for length, dtype in crossed([None, 15, 18], [lw.complex64, lw.complex128], "signal.istft"):
        x = values(dtype, (5, 6)).astype(np.complex128)
        window = scipy.signal.windows.hamming(6, sym=False)
        real = lw.float32 if dtype is lw.complex64 else lw.float64
        # The imaginary parts at frequency 0 and at the last one do not count, and libraries differ in reading them.
        x[[0, -1]] = x[[0, -1]].real
        expected = torch.istft(torch.asarray(x), 8, 3, 6, torch.asarray(window), length=length).numpy()
        ours = lw.asarray(window, dtype=real)
        result = signal.istft(lw.asarray(x, dtype=dtype), 8, 3, 6, ours, length=length)
        check(result, expected, real, ulps=64, scale=8)


def test_convolution_by_fourier_transforms(backend: str) -> None:
    cases = [((7,), (3,), "full"), ((7,), (4,), "same"), ((3,), (7,), "valid"), ((4, 5), (3, 2), "full"),
             ((4, 5), (3, 2), "same"), ((4, 5), (3, 2), "valid")]  # fmt: skip
    for (s1, s2, mode), dtype in crossed(cases, [*FULL, lw.complex64, lw.complex128], "signal.fftconvolve"):
        x1, x2 = values(dtype, s1), values(dtype, s2, seed=1)
        expected = scipy.signal.fftconvolve(wide(x1), wide(x2), mode)
        check(signal.fftconvolve(lw.asarray(x1), lw.asarray(x2), mode=mode), expected, dtype, ulps=32, scale=32)


def test_convolutions_are_transformed_at_fast_extents(backend: str) -> None:
    from latticework.api.signal import spectra

    for n in (*range(1, 300), 1009, 101011, 2**20 + 1):
        assert spectra._fast(n) == scipy.fft.next_fast_len(n, real=True)
    x = values(lw.float64, (97,))  # 101 elements of the result, and transforms of 108
    found = signal.fftconvolve(lw.asarray(x), lw.asarray(x[:5]))
    check(found, np.convolve(x, x[:5]), lw.float64, ulps=32, scale=32)


def test_what_does_not_fit_is_refused_in_one_form(backend: str) -> None:
    x = lw.ones(20)
    with pytest.raises(ValueError, match=r"signal\.stft: window must have shape \(8,\); got \(9,\)"):
        signal.stft(x, 8, win_length=8, window=lw.ones(9))
    with pytest.raises(ValueError, match=r"signal\.stft: pad_mode='reflect' needs more than .* 4; got shape \(3,\)"):
        signal.stft(x[:3], 8)
    with pytest.raises(ValueError, match=r"signal\.stft: the signal is shorter than n_fft, 8; got shape \(3,\)"):
        signal.stft(x[:3], 8, center=False)
    with pytest.raises(ValueError, match=r"signal\.stft: .*one-sided.*onesided=False"):
        signal.stft(lw.ones(20, dtype=lw.complex64), 8)
    with pytest.raises(ValueError, match=r"signal\.istft: n_fft=8 has 5 frequencies; got shape \(4, 3\)"):
        signal.istft(lw.ones((4, 3), dtype=lw.complex64), 8)
    with pytest.raises(ValueError, match=r"signal\.frame: step has to be 1 or more; got 0"):
        signal.frame(x, 4, 0)
    with pytest.raises(ValueError, match=r"signal\.fftconvolve: takes two arrays of as many axes"):
        signal.fftconvolve(x, lw.ones((2, 2)))


#: Composition -> the call, and how many functions of ours it enters on NumPy at its simplest, itself among them.
STEPS: dict[str, tuple[Callable[[lw.Array], Any], int]] = {
    "frame": (lambda x: signal.frame(x, 4, 2), 1),
    "overlap_add": (lambda x: signal.overlap_add(x[None], 20), 6),
    "overlap_add of halves": (lambda x: signal.overlap_add(lw.reshape(x, (5, 4)), 2), 10),
    "stft": (lambda x: signal.stft(x, 4, center=False), 4),
    "stft with a window": (lambda x: signal.stft(x, 4, window=x[:4], center=False), 5),
    "ndtr": (lw.special.ndtr, 1),
    "log_ndtr": (lw.special.log_ndtr, 1),
}


@pytest.mark.parametrize("name", STEPS)
def test_compositions_are_few_calls(name: str) -> None:
    """Options that are not used cost no call: no padding, no window."""
    f, steps = STEPS[name]
    with lw.using(backend="numpy"):
        x = lw.ones(20)
        f(x)
        called = [line for line in frames(lambda: f(x)) if line.endswith((":call",)) and "dispatch" in line]
    assert len(called) <= steps, called


def test_shapes_are_known_without_data() -> None:
    x = lw.spec((None, 64), "float32")
    assert str(lw.infer(lambda x: signal.stft(x, 16), x)) == "complex64[?, 9, 17]"
    assert str(lw.infer(lambda x: signal.frame(x, 4, 2, axis=0), x)) == "float32[?, 4, 64]"


def test_gradients_of_spectra_agree_with_torch() -> None:
    torch = pytest.importorskip("torch")
    jax = pytest.importorskip("jax")
    x = values(lw.float32, (2, 2, 20))

    def power(x: Any) -> Any:
        return lw.sum(
            lw.square(lw.abs(signal.stft(lw.asarray(x), 8, window=signal.hann(8, device=lw.asarray(x).device))))
        )

    leaf = torch.tensor(x, requires_grad=True)
    power(leaf).data.backward()
    found = jax.grad(lambda x: power(x).data)(jax.numpy.asarray(x))
    np.testing.assert_allclose(found, leaf.grad.numpy(), rtol=1e-4, atol=1e-4)
