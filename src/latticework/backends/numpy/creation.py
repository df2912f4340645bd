"""Creation functions on NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arguments import near_diagonal

empty = np.empty
eye = np.eye
ones = np.ones
zeros = np.zeros
_full = np.full


def _count(n: int, first: int, step: int, *, dtype: Any, device: str | None) -> np.ndarray:
    return np.arange(first, first + n * step, step, dtype=dtype)


def tril(x: Any, *, k: int = 0) -> np.ndarray:
    return np.tril(x, near_diagonal(x.shape, k))


def triu(x: Any, *, k: int = 0) -> np.ndarray:
    return np.triu(x, near_diagonal(x.shape, k))
