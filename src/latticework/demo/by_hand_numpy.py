"""The demo's program as one writes it in NumPy, with the casts that keep it in float32."""

from __future__ import annotations

from typing import Any

import numpy as np

from .program import CLASSES, COMPONENTS, HIDDEN, RATE


def learn(pixels: Any, labels: Any, *, steps: int) -> dict[str, Any]:
    """Like `program.learn`, on NumPy's arrays."""
    held_out = np.arange(pixels.shape[0], dtype=np.int32) % 4 == 3
    scaled = pixels.astype(np.float32) / 16
    train, test = scaled[~held_out], scaled[held_out]
    count = train.shape[0]

    mean, deviation = np.mean(train, axis=0), np.std(train, axis=0)
    deviation = np.where(deviation > 0, deviation, 1)
    train, test = (train - mean) / deviation, (test - mean) / deviation

    _, strengths, components = np.linalg.svd(train, full_matrices=False)
    strengths, components = strengths[:COMPONENTS], components[:COMPONENTS, :]
    largest = np.argmax(np.abs(components), axis=1, keepdims=True)
    components = components * np.sign(np.take_along_axis(components, largest, axis=1))
    project = components.T / strengths * count**0.5
    features, tested = train @ project, test @ project

    truth = labels[~held_out]
    targets = (truth[:, None] == np.arange(CLASSES, dtype=np.int32)).astype(np.float32)
    noise = hashed(COMPONENTS * HIDDEN)
    w1 = np.reshape(noise.astype(np.float32) / 2**32 - 0.5, (COMPONENTS, HIDDEN)) / 2
    b1 = np.zeros(HIDDEN, dtype=np.float32)
    w2, b2 = np.zeros((HIDDEN, CLASSES), dtype=np.float32), np.zeros(CLASSES, dtype=np.float32)
    for _ in range(steps):
        hidden = np.tanh(features @ w1 + b1)
        error = (softmax(hidden @ w2 + b2) - targets) / count
        back = (error @ w2.T) * (1 - hidden * hidden)
        w2, b2 = w2 - RATE * (hidden.T @ error), b2 - RATE * np.sum(error, axis=0)
        w1, b1 = w1 - RATE * (features.T @ back), b1 - RATE * np.sum(back, axis=0)

    probabilities = softmax(np.tanh(tested @ w1 + b1) @ w2 + b2)
    predicted = np.argmax(probabilities, axis=1)
    correct = predicted == labels[held_out]
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
        "accuracy": np.mean(correct.astype(np.float32)),
    }


def softmax(x: Any) -> Any:
    """Turn scores into probabilities along the last axis."""
    powers = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return powers / np.sum(powers, axis=-1, keepdims=True)


def hashed(n: int) -> Any:
    """Like `program.hashed`."""
    h = np.arange(1, n + 1, dtype=np.uint32) * np.uint32(2654435761)
    h = (h ^ (h >> 15)) * np.uint32(2246822519)
    return h ^ (h >> 13)
