"""Creation functions on NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

empty = np.empty
eye = np.eye
ones = np.ones
zeros = np.zeros
_full = np.full


def _count(n: int, first: int, step: int, *, dtype: Any, device: str) -> np.ndarray:
    return np.arange(first, first + n * step, step, dtype=dtype)


def tril(x: Any, *, k: int = 0) -> np.ndarray:
    return np.tril(_matrices(x), _clipped(k, x))


def triu(x: Any, *, k: int = 0) -> np.ndarray:
    return np.triu(_matrices(x), _clipped(k, x))


def _clipped(k: int, x: Any) -> int:
    """A diagonal as near as the first one outside: NumPy takes no ints that are too large for it."""
    return min(max(k, -x.shape[-2]), x.shape[-1])


def _matrices(x: Any) -> Any:
    if x.ndim < 2:  # NumPy would repeat a vector
        raise ValueError(f"takes arrays of at least two axes; got {x.ndim}")
    return x
