"""The demo's program as one writes it in JAX: as NumPy's, call by call. (Either can be compiled with `jax.jit`.)"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from .program import CLASSES, COMPONENTS, HIDDEN, RATE


def learn(pixels: Any, labels: Any, *, steps: int) -> dict[str, Any]:
    """Like `program.learn`, on JAX's arrays."""
    held_out = jnp.arange(pixels.shape[0], dtype=jnp.int32) % 4 == 3
    scaled = pixels.astype(jnp.float32) / 16
    train, test = scaled[~held_out], scaled[held_out]
    count = train.shape[0]

    mean, deviation = jnp.mean(train, axis=0), jnp.std(train, axis=0)
    deviation = jnp.where(deviation > 0, deviation, 1)
    train, test = (train - mean) / deviation, (test - mean) / deviation

    _, strengths, components = jnp.linalg.svd(train, full_matrices=False)
    strengths, components = strengths[:COMPONENTS], components[:COMPONENTS, :]
    largest = jnp.argmax(jnp.abs(components), axis=1, keepdims=True)
    components = components * jnp.sign(jnp.take_along_axis(components, largest, axis=1))
    project = components.T / strengths * count**0.5
    features, tested = train @ project, test @ project

    truth = labels[~held_out]
    targets = (truth[:, None] == jnp.arange(CLASSES, dtype=jnp.int32)).astype(jnp.float32)
    noise = hashed(COMPONENTS * HIDDEN)
    w1 = jnp.reshape(noise.astype(jnp.float32) / 2**32 - 0.5, (COMPONENTS, HIDDEN)) / 2
    b1 = jnp.zeros(HIDDEN, dtype=jnp.float32)
    w2, b2 = jnp.zeros((HIDDEN, CLASSES), dtype=jnp.float32), jnp.zeros(CLASSES, dtype=jnp.float32)
    for _ in range(steps):
        hidden = jnp.tanh(features @ w1 + b1)
        error = (softmax(hidden @ w2 + b2) - targets) / count
        back = (error @ w2.T) * (1 - hidden * hidden)
        w2, b2 = w2 - RATE * (hidden.T @ error), b2 - RATE * jnp.sum(error, axis=0)
        w1, b1 = w1 - RATE * (features.T @ back), b1 - RATE * jnp.sum(back, axis=0)

    probabilities = softmax(jnp.tanh(tested @ w1 + b1) @ w2 + b2)
    predicted = jnp.argmax(probabilities, axis=1)
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
        "accuracy": jnp.mean(correct.astype(jnp.float32)),
    }


def softmax(x: Any) -> Any:
    """Turn scores into probabilities along the last axis."""
    powers = jnp.exp(x - jnp.max(x, axis=-1, keepdims=True))
    return powers / jnp.sum(powers, axis=-1, keepdims=True)


def hashed(n: int) -> Any:
    """Like `program.hashed`."""
    h = jnp.arange(1, n + 1, dtype=jnp.uint32) * jnp.uint32(2654435761)
    h = (h ^ (h >> 15)) * jnp.uint32(2246822519)
    return h ^ (h >> 13)
