"""Scaled dot-product attention for NumPy, of Vaswani et al., *Attention Is All You Need* (2017), equation 1."""

import numpy as np


def attention(q, k, v):
    scores = q @ k.T / np.sqrt(k.shape[-1])
    weights = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return weights / np.sum(weights, axis=-1, keepdims=True) @ v
