"""The areas between points of integers, for PyTorch's ``trapezoid``: large ones wrap around, as its integers do."""

from __future__ import annotations

from typing import Any

from .core import ops
from .tensor import Tensor

__all__ = ["doubled_areas", "whole"]


def whole(y: Any, x: Any, dim: int) -> bool:
    """Return whether the areas are computed in integers: the points are integers, and there are any."""
    return _of_integers(y) and (x is None or _of_integers(x)) and y._array.shape[dim] > 0


def _of_integers(x: Any) -> bool:
    return type(x) is Tensor and x._array.ndim > 0 and x._array.dtype.kind in "iu"


def doubled_areas(y: Any, x: Any, dim: int) -> Any:
    """Twice the area between each two points along an axis, in the dtype of the points."""
    first, last = _without_ends(y, dim)
    areas = ops.add(first, last)
    if x is None:
        return areas
    first, last = _without_ends(x, dim if x._array.ndim == y._array.ndim else -1)
    widths = ops.subtract(last, first)
    if x._array.ndim == 1:
        widths = ops.reshape(widths, (-1, *(1,) * (y._array.ndim - 1 - dim % y._array.ndim)))
    return ops.multiply(widths, areas)


def _without_ends(x: Any, dim: int) -> tuple[Any, Any]:
    """The points but the last, and those but the first."""
    count = x._array.shape[dim] - 1
    return x.narrow(dim, 0, count), x.narrow(dim, 1, count)
