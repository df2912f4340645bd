"""Categories on NumPy, with one array besides the result."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....core.dtypes import bfloat16, float16
from ..core import COMPOSED

# Sums of 16 bits are made in float32.
COMPOSED.update((f"nn.{name}", dtype) for name in ("softmax", "log_softmax") for dtype in (bfloat16, float16))


def softmax(x: Any, *, axis: Any = -1, where: Any = None) -> Any:
    greatest = np.max(x, axis=axis, keepdims=True) if where is None else _greatest(x, axis, where)
    result = np.subtract(x, greatest)
    np.exp(result, out=result)
    if where is None:
        result /= np.sum(result, axis=axis, keepdims=True)
        return result
    np.copyto(result, 0, where=np.logical_not(where))
    total = np.sum(result, axis=axis, keepdims=True)
    np.copyto(total, 1, where=total == 0)
    result /= total
    return result


def _greatest(x: Any, axis: Any, where: Any) -> Any:
    """The greatest of those that the mask leaves: of none a number, so that no difference overflows."""
    kept = np.broadcast_to(where, x.shape)
    greatest = np.max(x, axis=axis, keepdims=True, where=kept, initial=-np.inf)
    np.copyto(greatest, np.inf, where=~np.any(kept, axis=axis, keepdims=True))
    return greatest


def log_softmax(x: Any, *, axis: Any = -1) -> Any:
    result = np.subtract(x, np.max(x, axis=axis, keepdims=True))
    result -= np.log(np.sum(np.exp(result), axis=axis, keepdims=True))
    return result


def _has_elements(x: Any, *, axis: Any = -1, where: Any = None) -> bool:
    """Tell whether x has elements and axes."""
    return bool(x.size) and x.ndim > 0 and (where is None or where.ndim <= x.ndim)


softmax.when = _has_elements  # type: ignore[attr-defined]
log_softmax.when = _has_elements  # type: ignore[attr-defined]
