"""Activations on NumPy, in as few passes over the data as there are."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np


def sigmoid(x: Any) -> Any:
    """exp may overflow where the result is less than the least normal number."""
    with np.errstate(over="ignore"):
        result = np.exp(np.negative(x))
    result += result.dtype.type(1)
    return np.reciprocal(result)


if find_spec("scipy") is not None:

    def _erf(x: Any) -> Any:
        """SciPy's, which is imported when it is first called, and has no 16 bits."""
        from scipy.special import erf  # type: ignore[import-untyped]

        return erf(x.astype(np.float32)).astype(x.dtype) if x.dtype.itemsize == 2 else erf(x)
