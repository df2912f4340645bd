"""Creation functions on NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...backend.arguments import near_diagonal
from ...backend.plain import comes_to, of_diagonal

empty = np.empty
eye = np.eye
ones = np.ones
zeros = np.zeros
_full = np.full


def _count(n: int, first: int, step: int, *, dtype: Any, device: str | None) -> np.ndarray:
    return np.arange(first, first + n * step, step, dtype=dtype) if first or step != 1 else np.arange(n, dtype=dtype)


def _line(
    n: int, first: float, step: float, last: float | None = None, *, dtype: Any, device: str | None
) -> np.ndarray:
    x = np.arange(n, dtype=dtype)
    x *= step
    if first or not step > 0:  # else there is nothing to add, and no -0.0
        x += first
    if last is not None:
        x[-1] = last
    return x


def tril(x: Any, *, k: int = 0) -> np.ndarray:
    return np.tril(x, near_diagonal(x.shape, k))


def triu(x: Any, *, k: int = 0) -> np.ndarray:
    return np.triu(x, near_diagonal(x.shape, k))


comes_to(tril, of_diagonal(np.tril), np.tril)
comes_to(triu, of_diagonal(np.triu), np.triu)


# --- building -----------------------------------------------------------------------------------------------------

_diag = np.diag
