"""Set functions on NumPy: `numpy.unique`, with each nan distinct, and for bfloat16 the same by keys."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.dtypes import bfloat16
from .core import EMULATED
from .sorting import order_keys as _order_keys


def isin(x1: Any, x2: Any, *, invert: bool = False) -> np.ndarray:
    found: np.ndarray = np.isin(x1, x2, invert=invert)
    return found


def unique_all(x: Any) -> tuple[np.ndarray, ...]:
    values, indices, inverse, counts = np.unique(
        x, return_index=True, return_inverse=True, return_counts=True, equal_nan=False
    )
    return values, indices, inverse.reshape(x.shape), counts


def unique_counts(x: Any) -> tuple[np.ndarray, ...]:
    found: tuple[np.ndarray, ...] = np.unique(x, return_counts=True, equal_nan=False)
    return found


def unique_inverse(x: Any) -> tuple[np.ndarray, ...]:
    values, inverse = np.unique(x, return_inverse=True, equal_nan=False)
    return values, inverse.reshape(x.shape)


def unique_values(x: Any) -> np.ndarray:
    found: np.ndarray = np.unique(x, equal_nan=False)
    return found


def _isin_bfloat16(x1: Any, x2: Any, *, invert: bool = False) -> np.ndarray:
    found: np.ndarray = np.isin(_order_keys(x1), _order_keys(x2)) & ~np.isnan(x1)
    return ~found if invert else found


def _unique_all_bfloat16(x: Any) -> tuple[np.ndarray, ...]:
    flat = x.reshape(-1)
    order = _order_keys(flat).argsort(kind="stable")
    values = flat[order]
    first = np.ones(values.shape, bool)
    np.not_equal(values[1:], values[:-1], out=first[1:])
    (starts,) = first.nonzero()
    inverse = np.empty(values.shape, np.int64)
    inverse[order] = np.add.accumulate(first, dtype=np.int64) - 1
    return values[starts], order[starts], inverse.reshape(x.shape), np.diff(starts, append=values.size)


EMULATED["isin", bfloat16] = _isin_bfloat16
EMULATED["unique_all", bfloat16] = _unique_all_bfloat16
EMULATED["unique_counts", bfloat16] = lambda x: _unique_all_bfloat16(x)[::3]
EMULATED["unique_inverse", bfloat16] = lambda x: _unique_all_bfloat16(x)[::2]
EMULATED["unique_values", bfloat16] = lambda x: _unique_all_bfloat16(x)[0]
