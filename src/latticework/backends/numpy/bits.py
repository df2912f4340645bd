"""The bits of elements read as another dtype, on NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np


def reinterpret(x: Any, dtype: Any) -> Any:
    before, after = x.dtype.itemsize, np.dtype(dtype).itemsize
    if before == after:
        return x.view(dtype)
    if before > after:
        return np.ascontiguousarray(x[..., None]).view(dtype)
    return np.ascontiguousarray(x).view(dtype)[..., 0]
