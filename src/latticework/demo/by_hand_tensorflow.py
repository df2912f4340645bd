"""The demo's program as one writes it in TensorFlow, call by call. (Either can be compiled with `tf.function`.)"""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from .program import CLASSES, COMPONENTS, HIDDEN, RATE


def learn(pixels: Any, labels: Any, *, steps: int) -> dict[str, Any]:
    """Like `program.learn`, on TensorFlow's tensors."""
    held_out = tf.range(pixels.shape[0]) % 4 == 3
    scaled = tf.cast(pixels, tf.float32) / 16
    train, test = scaled[~held_out], scaled[held_out]
    count = train.shape[0]

    mean, deviation = tf.reduce_mean(train, axis=0), tf.math.reduce_std(train, axis=0)
    deviation = tf.where(deviation > 0, deviation, 1)
    train, test = (train - mean) / deviation, (test - mean) / deviation

    strengths, _, rows = tf.linalg.svd(train)
    strengths, components = strengths[:COMPONENTS], tf.transpose(rows)[:COMPONENTS, :]
    largest = tf.argmax(tf.abs(components), axis=1)[:, None]
    components = components * tf.sign(tf.gather(components, largest, axis=1, batch_dims=1))
    project = tf.transpose(components) / strengths * count**0.5
    features, tested = train @ project, test @ project

    truth = labels[~held_out]
    targets = tf.cast(truth[:, None] == tf.range(CLASSES, dtype=tf.int64), tf.float32)
    noise = hashed(COMPONENTS * HIDDEN)
    w1 = tf.reshape(tf.cast(noise, tf.float32) / 2**32 - 0.5, (COMPONENTS, HIDDEN)) / 2
    b1 = tf.zeros(HIDDEN)
    w2, b2 = tf.zeros((HIDDEN, CLASSES)), tf.zeros(CLASSES)
    for _ in range(steps):
        hidden = tf.tanh(features @ w1 + b1)
        error = (softmax(hidden @ w2 + b2) - targets) / count
        back = tf.matmul(error, w2, transpose_b=True) * (1 - hidden * hidden)
        w2 = w2 - RATE * tf.matmul(hidden, error, transpose_a=True)
        b2 = b2 - RATE * tf.reduce_sum(error, axis=0)
        w1 = w1 - RATE * tf.matmul(features, back, transpose_a=True)
        b1 = b1 - RATE * tf.reduce_sum(back, axis=0)

    probabilities = softmax(tf.tanh(tested @ w1 + b1) @ w2 + b2)
    predicted = tf.argmax(probabilities, axis=1)
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
        "accuracy": tf.reduce_mean(tf.cast(correct, tf.float32)),
    }


def softmax(x: Any) -> Any:
    """Turn scores into probabilities along the last axis, in the steps of the other programs."""
    powers = tf.exp(x - tf.reduce_max(x, axis=-1, keepdims=True))
    return powers / tf.reduce_sum(powers, axis=-1, keepdims=True)


def hashed(n: int) -> Any:
    """Like `program.hashed`. TensorFlow's integers wrap around; its shifts are functions of their own."""
    h = tf.cast(tf.range(1, n + 1), tf.uint32) * tf.constant(2654435761, tf.uint32)
    h = tf.bitwise.bitwise_xor(h, tf.bitwise.right_shift(h, tf.constant(15, tf.uint32)))
    h = h * tf.constant(2246822519, tf.uint32)
    return tf.bitwise.bitwise_xor(h, tf.bitwise.right_shift(h, tf.constant(13, tf.uint32)))
