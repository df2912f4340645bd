"""The demo's program as one writes it in PyTorch, which computes hardly anything in uint32."""

from __future__ import annotations

from typing import Any

import torch

from .program import CLASSES, COMPONENTS, HIDDEN, RATE


def learn(pixels: Any, labels: Any, *, steps: int) -> dict[str, Any]:
    """Like `program.learn`, on PyTorch's tensors."""
    held_out = torch.arange(pixels.shape[0], dtype=torch.int32) % 4 == 3
    scaled = pixels / 16
    train, test = scaled[~held_out], scaled[held_out]
    count = train.shape[0]

    mean, deviation = torch.mean(train, dim=0), torch.std(train, dim=0, correction=0)
    deviation = torch.where(deviation > 0, deviation, 1)
    train, test = (train - mean) / deviation, (test - mean) / deviation

    _, strengths, components = torch.linalg.svd(train, full_matrices=False)
    strengths, components = strengths[:COMPONENTS], components[:COMPONENTS, :]
    largest = torch.argmax(torch.abs(components), dim=1, keepdim=True)
    components = components * torch.sign(torch.take_along_dim(components, largest, dim=1))
    project = components.T / strengths * count**0.5
    features, tested = train @ project, test @ project

    truth = labels[~held_out]
    targets = (truth[:, None] == torch.arange(CLASSES, dtype=torch.int32)).to(torch.float32)
    noise = hashed(COMPONENTS * HIDDEN)
    w1 = torch.reshape(noise / 2**32 - 0.5, (COMPONENTS, HIDDEN)) / 2
    b1 = torch.zeros(HIDDEN)
    w2, b2 = torch.zeros((HIDDEN, CLASSES)), torch.zeros(CLASSES)
    for _ in range(steps):
        hidden = torch.tanh(features @ w1 + b1)
        error = (softmax(hidden @ w2 + b2) - targets) / count
        back = (error @ w2.T) * (1 - hidden * hidden)
        w2, b2 = w2 - RATE * (hidden.T @ error), b2 - RATE * torch.sum(error, dim=0)
        w1, b1 = w1 - RATE * (features.T @ back), b1 - RATE * torch.sum(back, dim=0)

    probabilities = softmax(torch.tanh(tested @ w1 + b1) @ w2 + b2)
    predicted = torch.argmax(probabilities, dim=1)
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
        "accuracy": torch.mean(correct.to(torch.float32)),
    }


def softmax(x: Any) -> Any:
    """Turn scores into probabilities along the last axis."""
    powers = torch.exp(x - torch.amax(x, dim=-1, keepdim=True))
    return powers / torch.sum(powers, dim=-1, keepdim=True)


def hashed(n: int) -> Any:
    """Like `program.hashed`, in int64, whose lower half holds the uint32."""
    h = torch.arange(1, n + 1) * 2654435761 & 0xFFFFFFFF
    h = (h ^ (h >> 15)) * 2246822519 & 0xFFFFFFFF
    return h ^ (h >> 13)
