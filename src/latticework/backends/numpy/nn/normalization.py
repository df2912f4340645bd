"""Norms on NumPy: part by part, each of a size that stays in the cache, with no array besides the result."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np

from ....core.dtypes import bfloat16, float16
from ..core import COMPOSED
from .blocks import parts, row_squares, row_sums

# Sums of 16 bits are made in float32.
COMPOSED.update(
    (f"nn.{name}", dtype)
    for name in ("layer_norm", "rms_norm", "group_norm", "instance_norm", "normalize", "_by_statistics", "_by_batch")
    for dtype in (bfloat16, float16)
)


def _extents(normalized_shape: Any) -> tuple[int, ...]:
    return tuple(normalized_shape) if isinstance(normalized_shape, (tuple, list)) else (normalized_shape,)


def _standardize(rows: Any, out: Any, eps: float) -> Any:
    """Write the elements minus the mean of their row, and return the factors that bring the variances to 1."""
    n = rows.dtype.type(rows.shape[1])
    np.subtract(rows, row_sums(rows) / n, out=out)
    return _factor(out, eps)


def _factor(rows: Any, eps: Any) -> Any:
    """Return the reciprocal of the root of the mean square of each row."""
    scale = row_squares(rows)
    scale /= scale.dtype.type(rows.shape[1])
    scale += scale.dtype.type(eps)
    np.sqrt(scale, out=scale)
    return np.divide(scale.dtype.type(1), scale, out=scale)


def _as_rows(x: Any, result: Any, columns: int) -> Iterator[tuple[Any, Any]]:
    """Yield parts of two arrays as rows of so many elements."""
    rows, out = (a.reshape(-1, columns) for a in (x, result))
    return ((rows[part], out[part]) for part in parts(rows, (1,)))


def layer_norm(x: Any, normalized_shape: Any, *, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
    result = np.empty(x.shape, x.dtype)
    for rows, out in _as_rows(x, result, prod(_extents(normalized_shape))):
        out *= _standardize(rows, out, eps)
        if weight is not None:
            out *= weight.reshape(-1)
        if bias is not None:
            out += bias.reshape(-1)
    return result


def rms_norm(x: Any, normalized_shape: Any, *, weight: Any = None, eps: float | None = None) -> Any:
    result = np.empty(x.shape, x.dtype)
    for rows, out in _as_rows(x, result, prod(_extents(normalized_shape))):
        np.multiply(rows, _factor(rows, np.finfo(x.dtype).eps if eps is None else eps), out=out)
        if weight is not None:
            out *= weight.reshape(-1)
    return result


def _fits(x: Any, normalized_shape: Any, *, weight: Any = None, bias: Any = None, eps: Any = None) -> bool:
    """Tell whether the shapes fit together, and x has elements."""
    wanted = _extents(normalized_shape)
    fits = all(a is None or a.shape == wanted for a in (weight, bias))
    return fits and 0 < len(wanted) < x.ndim and x.size > 0 and x.shape[-len(wanted) :] == wanted


layer_norm.when = _fits  # type: ignore[attr-defined]
rms_norm.when = _fits  # type: ignore[attr-defined]


def group_norm(x: Any, num_groups: int, *, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
    result = np.empty(x.shape, x.dtype)
    samples, channels = x.shape[:2]
    of_groups = (samples * num_groups, -1)
    rows, out = x.reshape(of_groups), result.reshape(of_groups)
    factor = _standardize(rows, out, eps)
    if weight is not None:
        factor = factor.reshape(samples, num_groups, 1) * weight.reshape(num_groups, -1)
        out = result.reshape(samples, channels, -1)
    out *= factor.reshape(*out.shape[:-1], 1)
    if bias is not None:
        out = result.reshape(samples, channels, -1)
        out += bias[:, None]
    return result


def _has_groups(x: Any, num_groups: Any, *, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> bool:
    """Tell whether the channels go into the groups, the shapes fit together, and x has elements."""
    fits = isinstance(num_groups, int) and num_groups > 0 and x.ndim > 1 and x.size > 0
    return fits and x.shape[1] % num_groups == 0 and _are_channels(x, 1, weight, bias)


group_norm.when = _has_groups  # type: ignore[attr-defined]


def instance_norm(x: Any, *, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
    return group_norm(x, x.shape[1], weight=weight, bias=bias, eps=eps)


def _has_channels(
    x: Any, *, mean: Any = None, var: Any = None, weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> bool:
    """Tell whether there are no running statistics, the shapes fit together, and x has elements."""
    return mean is None and var is None and x.ndim > 2 and x.size > 0 and _are_channels(x, 1, weight, bias)


instance_norm.when = _has_channels  # type: ignore[attr-defined]


def _along(vector: Any, x: Any, axis: int) -> Any:
    """Return a vector as an array that broadcasts with x along one axis. It is repeated along the axes after it, if the
    elements are few beside those of x: elements with elements take less time than with a number each."""
    axis %= x.ndim
    vector = vector.reshape(-1, *(1,) * (x.ndim - axis - 1))
    behind = x.shape[axis:]
    return np.broadcast_to(vector, behind).copy() if 8 * prod(behind) <= x.size else vector


def _are_channels(x: Any, axis: int, *vectors: Any) -> bool:
    return all(v is None or v.shape == (x.shape[axis],) for v in vectors)


def _by_statistics(
    x: Any, mean: Any, var: Any, *, weight: Any = None, bias: Any = None, eps: float = 1e-5, axis: int = 1
) -> Any:
    factor = np.reciprocal(np.sqrt(var + var.dtype.type(eps)))
    mean, factor = (_along(a, x, axis) for a in (mean, factor if weight is None else factor * weight))
    bias = None if bias is None else _along(bias, x, axis)
    result = np.empty(x.shape, x.dtype)
    for part in parts(x, (axis,)):
        out = np.subtract(x[part], mean, out=result[part])
        out *= factor
        if bias is not None:
            out += bias
    return result


def _has_statistics(
    x: Any, mean: Any, var: Any, *, weight: Any = None, bias: Any = None, axis: Any = 1, **_: Any
) -> bool:
    """Tell whether the shapes fit together, and x has elements."""
    fits = isinstance(axis, int) and x.size > 0 and x.ndim > 1 and -x.ndim <= axis < x.ndim
    return fits and _are_channels(x, axis, mean, var, weight, bias)


_by_statistics.when = _has_statistics  # type: ignore[attr-defined]


def _by_batch(
    x: Any, *, weight: Any = None, bias: Any = None, eps: float = 1e-5, axis: int = 1, correction: float = 1
) -> tuple[Any, Any, Any]:
    others = tuple(a for a in range(x.ndim) if a != axis % x.ndim)
    count = prod(x.shape[a] for a in others)
    mean = np.mean(x, axis=others)
    along = _along(mean, x, axis)
    letters = "abcdefghijklmnopqrstuvwxyz"[: x.ndim]
    squares = f"{letters},{letters}->{letters[axis]}"
    variance = np.zeros_like(mean)
    for part in parts(x, (axis,)):
        apart = np.subtract(x[part], along)
        variance += np.einsum(squares, apart, apart)
    variance /= variance.dtype.type(count)
    result = _by_statistics(x, mean, variance, weight=weight, bias=bias, eps=eps, axis=axis)
    if correction:
        variance *= variance.dtype.type(count / (count - correction) if count > correction else np.nan)
    return result, mean, variance


def _has_batch(x: Any, *, weight: Any = None, bias: Any = None, axis: Any = 1, **_: Any) -> bool:
    """Tell whether the shapes fit together, and x has elements."""
    fits = isinstance(axis, int) and x.size > 0 and 1 < x.ndim < 26 and -x.ndim <= axis < x.ndim
    return fits and _are_channels(x, axis, weight, bias)


_by_batch.when = _has_batch  # type: ignore[attr-defined]


def normalize(x: Any, *, p: float = 2.0, axis: Any = 1, eps: float = 1e-12) -> Any:
    axes = axis if isinstance(axis, tuple) else (axis,)
    if x.flags.c_contiguous and [a % x.ndim for a in axes] == [x.ndim - 1]:
        size = row_squares(x.reshape(-1, x.shape[-1])).reshape(*x.shape[:-1], 1)
    else:
        size = np.sum(np.square(x), axis=axes, keepdims=True)
    np.sqrt(size, out=size)
    np.maximum(size, size.dtype.type(eps), out=size)
    return np.divide(x, size)


def _has_squares(x: Any, *, p: float = 2.0, axis: Any = 1, eps: float = 1e-12) -> bool:
    """Tell whether p is 2, the axes are there, and x has elements."""
    axes = axis if isinstance(axis, tuple) else (axis,)
    there = all(isinstance(a, int) and -x.ndim <= a < x.ndim for a in axes)
    return p == 2 and there and len({a % x.ndim for a in axes}) == len(axes) > 0 and x.size > 0


normalize.when = _has_squares  # type: ignore[attr-defined]
