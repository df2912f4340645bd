"""Creation functions on NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np


def zeros(shape: Any, *, dtype: Any, device: str) -> np.ndarray:
    return np.zeros(shape, dtype=dtype)
