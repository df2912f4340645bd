"""A signal: its spectrogram, the notes that are in it, a filter, and what is left without outliers."""

import latticework.frontends.numpy as np

RATE = 800


def signal(seconds=2.0):
    """Two notes with noise and some wrong samples, as 16-bit integers."""
    rng = np.random.RandomState(3)
    t = np.arange(0, seconds, 1 / RATE)
    wave = np.where(t < seconds / 2, np.sin(2 * np.pi * 50 * t), 0.5 * np.sin(2 * np.pi * 120 * t))
    wave = wave + 0.05 * rng.standard_normal(t.size)
    wave[rng.choice(t.size, 5, replace=False)] = np.nan
    samples = np.nan_to_num(wave * 12000, nan=32000)
    return t, np.clip(samples, -32768, 32767).astype(np.int16)


def spectrogram(x, size=128, step=64):
    """The power (frames, frequencies) of windows of a signal."""
    starts = np.arange(0, len(x) - size + 1, step)
    frames = x[starts[:, None] + np.arange(size)] * np.hanning(size)
    return np.abs(np.fft.rfft(frames, axis=-1)) ** 2, np.fft.rfftfreq(size, 1 / RATE)


def repaired(t, samples):
    """The signal with its outliers interpolated, between -1 and 1."""
    x = samples / 32768
    low, high = np.percentile(x, [0.5, 99.5])
    good = np.logical_and(x >= low * 1.2, x <= high * 1.2)
    return np.interp(t, t[good], x[good]), np.flatnonzero(~good)


def main():
    t, samples = signal()
    x, wrong = repaired(t, samples)
    power, frequencies = spectrogram(x)
    notes = frequencies[power.argmax(axis=1)]
    values, counts = np.unique(notes, return_counts=True)
    kernel = np.ones(5) / 5
    smooth = np.convolve(x, kernel, mode="same")
    db = 10 * np.log10(np.maximum(power, 1e-10))
    with np.errstate(divide="ignore"):
        share = power.sum(axis=0) / power.sum()
    return {
        "wrong": wrong.tolist(),
        "notes": values[counts > 2].tolist(),
        "loudness": [float(db.max()), float(np.median(db))],
        "energy": float(np.sum(x**2)),
        "smooth": smooth[100:104].tolist(),
        "share": float(share[frequencies < 100].sum()),
        "correlation": float(np.corrcoef(x[:-1], x[1:])[0, 1]),
        "spread": np.quantile(x, [0.1, 0.5, 0.9]).tolist(),
        "histogram": np.histogram(x, bins=6)[0].tolist(),
        "dtypes": [str(a.dtype) for a in (samples, x, power, notes, counts)],
    }


if __name__ == "__main__":
    print(main())
