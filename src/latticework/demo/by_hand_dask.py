"""The demo's program as one writes it in Dask: NumPy's, but nothing is computed until all of it is asked for."""

from __future__ import annotations

from typing import Any

import dask.array as da
import numpy as np

from .program import CLASSES, COMPONENTS, HIDDEN, RATE


def learn(pixels: Any, labels: Any, *, steps: int) -> dict[str, Any]:
    """Like `program.learn`, on Dask's arrays. The held-out rows have to be known, or no shape would be known."""
    labelled = np.arange(pixels.shape[0], dtype=np.int32) % 4 == 3
    held_out = da.from_array(labelled)
    scaled = pixels.astype(np.float32) / 16
    train, test = scaled[~labelled], scaled[labelled]
    count = train.shape[0]

    mean, deviation = da.mean(train, axis=0), da.std(train, axis=0)
    deviation = da.where(deviation > 0, deviation, 1)
    train, test = (train - mean) / deviation, (test - mean) / deviation

    _, strengths, components = da.linalg.svd(train, coerce_signs=False)
    strengths, components = strengths[:COMPONENTS], components[:COMPONENTS, :]
    largest = da.argmax(da.abs(components), axis=1, keepdims=True)
    components = components * da.sign(
        da.map_blocks(np.take_along_axis, components, largest, axis=1, chunks=(COMPONENTS, 1))
    )
    project = components.T / strengths * count**0.5
    features, tested = train @ project, test @ project

    truth = labels[~labelled]
    targets = (truth[:, None] == da.arange(CLASSES, dtype=np.int32)).astype(np.float32)
    noise = hashed(COMPONENTS * HIDDEN)
    w1 = da.reshape(noise.astype(np.float32) / 2**32 - 0.5, (COMPONENTS, HIDDEN)) / 2
    b1 = da.zeros(HIDDEN, dtype=np.float32)
    w2, b2 = da.zeros((HIDDEN, CLASSES), dtype=np.float32), da.zeros(CLASSES, dtype=np.float32)
    for _ in range(steps):
        hidden = da.tanh(features @ w1 + b1)
        error = (softmax(hidden @ w2 + b2) - targets) / count
        back = (error @ w2.T) * (1 - hidden * hidden)
        w2, b2 = w2 - RATE * (hidden.T @ error), b2 - RATE * da.sum(error, axis=0)
        w1, b1 = w1 - RATE * (features.T @ back), b1 - RATE * da.sum(back, axis=0)

    probabilities = softmax(da.tanh(tested @ w1 + b1) @ w2 + b2)
    predicted = da.argmax(probabilities, axis=1)
    correct = predicted == labels[labelled]
    return {
        "pixels": pixels,
        "labels": labels,
        "held out": held_out,
        "pixels / 16": scaled,
        "mean": mean,
        "deviation": deviation,
        "singular values": strengths,
        "components": components,
        "features": features,
        "random bits": noise,
        "hidden weights": w1,
        "output weights": w2,
        "probabilities": probabilities,
        "predicted digit": predicted,
        "correct": correct,
        "accuracy": da.mean(correct.astype(np.float32)),
    }


def softmax(x: Any) -> Any:
    """Turn scores into probabilities along the last axis."""
    powers = da.exp(x - da.max(x, axis=-1, keepdims=True))
    return powers / da.sum(powers, axis=-1, keepdims=True)


def hashed(n: int) -> Any:
    """Like `program.hashed`."""
    h = da.arange(1, n + 1, dtype=np.uint32) * np.uint32(2654435761)
    h = (h ^ (h >> 15)) * np.uint32(2246822519)
    return h ^ (h >> 13)
