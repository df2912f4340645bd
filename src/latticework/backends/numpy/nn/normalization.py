"""Norms on NumPy, with no array besides the result."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....core.dtypes import bfloat16, float16
from ..core import COMPOSED

COMPOSED.update(("nn.layer_norm", dtype) for dtype in (bfloat16, float16))


def layer_norm(x: Any, normalized_shape: Any, *, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
    axes = tuple(range(-len(normalized_shape), 0)) if isinstance(normalized_shape, (tuple, list)) else (-1,)
    result = np.subtract(x, np.mean(x, axis=axes, keepdims=True))
    flat = result.reshape(*result.shape[: result.ndim - len(axes)], -1)
    scale = np.einsum("...i,...i->...", flat, flat)
    scale /= scale.dtype.type(flat.shape[-1])
    scale += scale.dtype.type(eps)
    result /= np.sqrt(scale).reshape(*flat.shape[:-1], *(1,) * len(axes))
    if weight is not None:
        result *= weight
    if bias is not None:
        result += bias
    return result


def _fits(x: Any, normalized_shape: Any, *, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> bool:
    """Tell whether the shapes fit together, and x has elements."""
    wanted = tuple(normalized_shape) if isinstance(normalized_shape, (tuple, list)) else (normalized_shape,)
    fits = all(a is None or a.shape == wanted for a in (weight, bias))
    return fits and 0 < len(wanted) < x.ndim and x.size > 0 and x.shape[-len(wanted) :] == wanted


layer_norm.when = _fits  # type: ignore[attr-defined]
