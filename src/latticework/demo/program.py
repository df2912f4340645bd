"""Handwritten digits: standardise, PCA by SVD, a network of one hidden layer, gradients by hand.

The arrays decide which framework runs it. Nothing here names a framework, and nothing casts to keep the frameworks in
step.
"""

from __future__ import annotations

import latticework as lw
from latticework import Array

COMPONENTS, HIDDEN, CLASSES, RATE = 32, 64, 10, 1.0


def learn(pixels: Array, labels: Array, *, steps: int) -> dict[str, Array]:
    """Learn from three rows of four, and try it on the fourth.

    Parameters
    ----------
    pixels: one image in each row, of any real dtype; uint8 from 0 to 16 in the demo.
    labels: the digit of each image.
    steps: steps of gradient descent, each on all of the rows to learn from.

    Returns
    -------
    Every intermediate result of interest by name, in the order in which they arise.
    """
    held_out = lw.arange(pixels.shape[0]) % 4 == 3
    scaled = pixels / 16
    train, test = scaled[~held_out], scaled[held_out]
    count = pixels.shape[0] - pixels.shape[0] // 4  # on Dask, the shape of `train` does not tell it yet

    mean, deviation = moments(train)
    train, test = (train - mean) / deviation, (test - mean) / deviation
    strengths, components = principal_components(train)
    project = components.T / strengths * count**0.5
    features, tested = train @ project, test @ project

    # A network of one hidden layer, and the gradients of its cross entropy.
    truth = labels[~held_out]
    targets = lw.astype(truth[:, None] == lw.arange(CLASSES), features.dtype)
    noise = hashed(COMPONENTS * HIDDEN)
    w1, b1 = lw.reshape(noise / 2**32 - 0.5, (COMPONENTS, HIDDEN)) / 2, lw.zeros(HIDDEN)
    w2, b2 = lw.zeros((HIDDEN, CLASSES)), lw.zeros(CLASSES)
    for _ in range(steps):
        hidden = lw.tanh(features @ w1 + b1)
        error = (softmax(hidden @ w2 + b2) - targets) / count
        back = (error @ w2.T) * (1 - hidden * hidden)
        w2, b2 = w2 - RATE * (hidden.T @ error), b2 - RATE * lw.sum(error, axis=0)
        w1, b1 = w1 - RATE * (features.T @ back), b1 - RATE * lw.sum(back, axis=0)

    probabilities = softmax(lw.tanh(tested @ w1 + b1) @ w2 + b2)
    predicted = lw.argmax(probabilities, axis=1)
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
        "accuracy": lw.mean(lw.astype(correct, lw.float32)),
    }


def moments(x: Array) -> tuple[Array, Array]:
    """Return the mean and the deviation of each column, to standardise it.

    The outermost pixels are the same in all images: their deviation of 0 is replaced by 1, to divide by."""
    mean, deviation = lw.mean(x, axis=0), lw.std(x, axis=0)
    return mean, lw.where(deviation > 0, deviation, 1)


def principal_components(x: Array) -> tuple[Array, Array]:
    """Return the greatest singular values, and the rows that go with them.

    The sign of such a row is arbitrary: its largest entry is made positive."""
    _, strengths, components = lw.linalg.svd(x, full_matrices=False)
    strengths, components = strengths[:COMPONENTS], components[:COMPONENTS, :]
    largest = lw.argmax(lw.abs(components), axis=1, keepdims=True)
    return strengths, components * lw.sign(lw.take_along_axis(components, largest, axis=1))


def softmax(x: Array) -> Array:
    """Turn scores into probabilities along the last axis."""
    powers = lw.exp(x - lw.max(x, axis=-1, keepdims=True))
    return powers / lw.sum(powers, axis=-1, keepdims=True)


def hashed(n: int) -> Array:
    """Make bits that look random, the same on every framework: a hash of 1 to n in integers that wrap around."""
    h = lw.arange(1, n + 1, dtype=lw.uint32) * 2654435761
    h = (h ^ (h >> 15)) * 2246822519
    return h ^ (h >> 13)
