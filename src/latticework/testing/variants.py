"""Kinds of arrays: the samples of the probe with other shapes, in other memory, and with other values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import latticework as lw

from ..core.dtypes import Dtype, float_limits, int_limits
from ..support import samples

__all__ = ["VARIANTS", "applies"]

Make = Callable[[Any, Dtype], Any]


def _asarray(values: Any, dtype: Dtype) -> Any:
    return lw.asarray(values, dtype=dtype)


def _empty(values: Any, dtype: Dtype) -> Any:
    x = np.asarray(values)
    return lw.zeros((0, *x.shape[1:]), dtype=dtype) if x.ndim else lw.asarray(values, dtype=dtype)


def _without_axes(values: Any, dtype: Dtype) -> Any:
    return lw.asarray(np.asarray(values).reshape(-1)[0].item(), dtype=dtype)


def _column(values: Any, dtype: Dtype) -> Any:
    """Of a matrix, one column or one row in turns, so that operands broadcast."""
    x = np.asarray(values)
    if x.ndim < 2:
        return lw.asarray(values, dtype=dtype)
    part = x[:, :1] if x[0, 0] == x[0, 0] and abs(x[0, 0]) >= 1 else x[:1]
    return lw.asarray(part.tolist(), dtype=dtype)


def _three_axes(values: Any, dtype: Dtype) -> Any:
    x = np.asarray(values)
    return lw.asarray([x.tolist(), x.tolist()] if x.ndim > 1 else values, dtype=dtype)


def _strided(values: Any, dtype: Dtype) -> Any:
    x = np.asarray(values)
    return lw.asarray(np.repeat(x, 2, axis=-1).tolist(), dtype=dtype)[..., ::2] if x.ndim else _asarray(values, dtype)


def _turned(values: Any, dtype: Dtype) -> Any:
    x = np.asarray(values)
    return lw.asarray(x.T.tolist(), dtype=dtype).T if x.ndim == 2 else _asarray(values, dtype)


def _reversed(values: Any, dtype: Dtype) -> Any:
    x = np.asarray(values)
    return lw.asarray(x[::-1].tolist(), dtype=dtype)[::-1] if x.ndim else _asarray(values, dtype)


def _extremes(values: Any, dtype: Dtype) -> Any:
    """Of the shape of the sample, with the values that break things in turn."""
    x = np.asarray(values)
    if dtype.kind == "b":
        return _asarray(values, dtype)
    if dtype.kind in "iu":
        limits = int_limits(dtype)
        special: list[Any] = [limits.min, limits.max, 0, 1, limits.max - 1]
    else:
        most = float_limits(dtype)
        special = [float("inf"), float("nan"), 0.0, -0.0, -float("inf"), most.max, -1.0, 0.5]
    chosen = [special[i % len(special)] for i in range(x.size)]
    return lw.reshape(lw.asarray(chosen, dtype=dtype), x.shape)


#: area -> case -> the function that makes the arrays of a call.
VARIANTS: dict[str, dict[str, Make]] = {
    "shapes": {"empty": _empty, "0-d": _without_axes, "broadcast": _column, "3-d": _three_axes},
    "views": {"strided": _strided, "transposed": _turned, "reversed": _reversed},
    "values": {"extremes": _extremes},
}

#: Families of shapes of functions of each element, or of elements in order, that take any values.
_FAMILIES = frozenset(("broadcast", "same", "reduce", "extremum", "accumulate", "arg_extremum", "sort"))
#: Of real and integral dtypes alone: components that are infinite differ from framework to framework.
_KINDS = "iuf"
_NAMES = frozenset(
    """
    abs acos acosh add all any argmax argmin argsort asin asinh atan atan2 atanh bitwise_and bitwise_invert bitwise_or
    bitwise_xor ceil clip copysign cos cosh count_nonzero cumulative_sum divide equal exp expm1 floor fmax fmin frexp
    greater greater_equal hypot isfinite isinf isnan less less_equal log log10 log1p log2 logaddexp logical_and
    logical_not logical_or logical_xor max maximum min minimum multiply negative not_equal positive reciprocal round
    sign signbit sin sinh sort sqrt square subtract tan tanh trunc where
    """.split()
)


def applies(name: str, area: str, dtype: Dtype) -> bool:
    """Tell whether a function is called with the arrays of an area."""
    if area != "values":
        return samples.declaration(name) is not None
    return name in _NAMES and dtype.kind in _KINDS
