"""A mel spectrogram: how loud a sound is at each moment, in bands as wide as the ear hears them.

Run it on any framework: ``python examples/mel_spectrogram.py --backend dask`` (or numpy, torch, jax, tensorflow).
"""

import argparse

import latticework as lw


def chirp(rate, seconds, low, high):
    """A tone that rises from one frequency to another, and fades in and out."""
    t = lw.arange(int(rate * seconds)) / rate
    return lw.sin(2 * lw.pi * (low + (high - low) * t / (2 * seconds)) * t) * lw.sin(lw.pi * t / seconds)


def mel_spectrogram(x, rate, size=512, hop=256, bands=20):
    """The power in each band, in decibels below the loudest, of shape (frames, bands)."""
    spectra = lw.signal.stft(x, size, hop, window=lw.signal.hann(size))
    filters = lw.signal.mel_weight_matrix(bands, size // 2 + 1, rate, low=0, high=rate / 2)
    power = lw.abs(spectra.T) ** 2 @ filters
    decibels = 10 * lw.log10(lw.maximum(power, 1e-10))
    return lw.maximum(decibels - lw.max(decibels), -60)


def main(rate=8000, seconds=1.0):
    """Draw the spectrogram of a rising tone in characters."""
    sound = chirp(rate, seconds, 200, 3000)
    spectrogram = mel_spectrogram(sound, rate)
    loudest = lw.argmax(spectrogram, axis=1)

    frames, bands = spectrogram.shape
    print(f"{frames} frames, {bands} bands, on {sound.backend}")
    shades = lw.astype((spectrogram + 60) / 60 * 4.99, lw.int32)
    for band in lw.to_numpy(lw.flip(shades.T, axis=0)):
        print("".join(" .:*#"[shade] for shade in band))
    print(f"the loudest band rises from {int(loudest[0])} to {int(loudest[-1])}")
    return {"spectrogram": spectrogram, "loudest": loudest}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", default="numpy", help="numpy, torch, jax, tensorflow or dask")
    lw.set_backend(parser.parse_args().backend)
    main()
