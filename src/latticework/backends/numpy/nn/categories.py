"""Categories on NumPy: part by part, each of a size that stays in the cache."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ....backend.arguments import check_integer
from ....core.dtypes import bfloat16, float16
from ..core import COMPOSED
from .blocks import parts, row_sums

# Sums of 16 bits are made in float32.
COMPOSED.update((f"nn.{name}", dtype) for name in ("softmax", "log_softmax") for dtype in (bfloat16, float16))


def softmax(x: Any, *, axis: Any = -1, where: Any = None) -> Any:
    check_integer(axis)
    if where is not None:
        return _softmax_where(x, axis, where)
    result = np.empty(x.shape, x.dtype)
    if not _along_rows(x, axis):
        _exponentials(x, axis, result)
        result /= np.sum(result, axis=axis, keepdims=True)
        return result
    for rows, out in _rows(x, result):
        if rows.min() > -_SMALL and rows.max() < _SMALL:
            np.exp(rows, out=out)
        else:
            _exponentials(rows, -1, out)
        out /= row_sums(out)
    return result


#: The bound below which numbers are not reduced by the greatest of a row: neither their exponentials nor the sums of
#: these overflow, and their quotients are as precise.
_SMALL = 60


def _along_rows(x: Any, axis: Any) -> bool:
    return x.ndim > 0 and axis in (-1, x.ndim - 1) and bool(x.flags.c_contiguous)


def _rows(x: Any, result: Any) -> Iterator[tuple[Any, Any]]:
    """Yield parts of two arrays as rows along their last axis."""
    rows, out = (a.reshape(-1, x.shape[-1]) for a in (x, result))
    return ((rows[part], out[part]) for part in parts(rows, (1,)))


def _exponentials(x: Any, axis: Any, out: Any) -> None:
    np.subtract(x, np.max(x, axis=axis, keepdims=True), out=out)
    np.exp(out, out=out)


def _softmax_where(x: Any, axis: Any, where: Any) -> Any:
    result = np.subtract(x, _greatest(x, axis, where))
    np.exp(result, out=result)
    np.copyto(result, 0, where=np.logical_not(where))
    total = np.sum(result, axis=axis, keepdims=True)
    np.copyto(total, 1, where=total == 0)
    result /= total
    return result


def _greatest(x: Any, axis: Any, where: Any) -> Any:
    """Return the greatest elements under the mask; inf where it has none, so that no difference overflows."""
    kept = np.broadcast_to(where, x.shape)
    greatest = np.max(x, axis=axis, keepdims=True, where=kept, initial=-np.inf)
    np.copyto(greatest, np.inf, where=~np.any(kept, axis=axis, keepdims=True))
    return greatest


def log_softmax(x: Any, *, axis: Any = -1) -> Any:
    check_integer(axis)
    result = np.empty(x.shape, x.dtype)
    if not _along_rows(x, axis):
        np.subtract(x, np.max(x, axis=axis, keepdims=True), out=result)
        result -= np.log(np.sum(np.exp(result), axis=axis, keepdims=True))
        return result
    for rows, out in _rows(x, result):
        np.subtract(rows, np.max(rows, axis=-1, keepdims=True), out=out)
        out -= np.log(row_sums(np.exp(out)))
    return result


def _has_elements(x: Any, *, axis: Any = -1, where: Any = None) -> bool:
    """Tell whether x has elements and axes."""
    return bool(x.size) and x.ndim > 0 and (where is None or where.ndim <= x.ndim)


softmax.when = _has_elements  # type: ignore[attr-defined]
log_softmax.when = _has_elements  # type: ignore[attr-defined]


def _one_hot(x: Any, like: Any, *, num_classes: int, axis: int) -> Any:
    """Write a 1 for each number into zeros: comparing it with each category reads and writes three times more."""
    inside = (x >= 0) & (x < num_classes)
    result = np.zeros((*x.shape, num_classes), like.dtype)
    rows = np.arange(x.size).reshape(x.shape)
    result.reshape(x.size, num_classes)[rows[inside], x[inside]] = 1
    return np.moveaxis(result, -1, axis)
