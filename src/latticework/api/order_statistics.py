"""Order statistics: medians, quantiles and percentiles, by all of NumPy's methods, and the range of the elements.

The reduced axes are brought together as one, which is partitioned or sorted. Where the quantiles are Python numbers, it
is found before anything is computed which positions they lie at, and nothing else of the sorted array is looked at.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Never

from ..backend import of
from ..core.dtypes import SCALARS, float16, float32, float64, int64
from ..core.registry import OPS
from ..core.registry import functions as lw
from ..engine.arrays.array import Array
from ..engine.declare import composed, op
from ..engine.exchange.foreign import as_operand
from ..engine.plans.advice import unexpected
from ..engine.shapes.extents import Shape, all_or_some, check_word, drop_axes, known_extent, size_of
from . import elementwise, searching

Axes = int | tuple[int, ...] | None
#: The requested quantiles: one, or several in nested sequences or an array.
Requested = Array | float | Sequence[Any]

# --- where quantiles lie --------------------------------------------------------------------------------------------

#: Methods that interpolate between elements -> alpha and beta of Hyndman and Fan (1996).
_ALPHA_BETA = {
    "interpolated_inverted_cdf": (0, 1),
    "hazen": (1 / 2, 1 / 2),
    "weibull": (0, 0),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
}
#: All methods, by NumPy's names.
METHODS = (
    "linear", "lower", "higher", "midpoint", "nearest", "inverted_cdf", "averaged_inverted_cdf", "closest_observation",
    *_ALPHA_BETA,
)  # fmt: skip


class _Numbers(NamedTuple):
    """The functions that compute the place of a quantile: Python's for numbers, or latticework's for arrays."""

    floor: Callable[[Any], Any]
    round: Callable[[Any], Any]
    where: Callable[[Any, Any, Any], Any]


_PYTHON = _Numbers(math.floor, round, lambda condition, x1, x2: x1 if condition else x2)
_ARRAYS = _Numbers(elementwise.floor, elementwise.round, searching.where)


def _place(method: str, n: Any, q: Any, f: _Numbers) -> tuple[Any, Any]:
    """Return the position of a quantile among n sorted elements, from 0 on, and the weight of the element after it.

    None for the weight means that the element at the position is the quantile. Positions may lie outside of 0 to n - 1.
    """
    if method in ("lower", "higher", "nearest"):
        at = (n - 1) * q
        if method == "nearest":
            return f.round(at), None
        return (f.floor(at) if method == "lower" else -f.floor(-at)), None
    if method in ("inverted_cdf", "closest_observation"):
        at = n * q - (1 if method == "inverted_cdf" else 1.5)
        before = f.floor(at)
        exact = at == before if method == "inverted_cdf" else (at == before) & (before % 2 == 1)
        return f.where(exact, before, before + 1), None
    if method in ("averaged_inverted_cdf", "midpoint"):
        at = n * q - 1 if method == "averaged_inverted_cdf" else (n - 1) * q
        before = f.floor(at)
        exact, weight = (0.5, 1.0) if method == "averaged_inverted_cdf" else (0.0, 0.5)
        return before, f.where(at == before, exact, weight)
    alpha, beta = _ALPHA_BETA.get(method, (1, 1))
    at = (n - 1) * q if method == "linear" else n * q + (alpha + q * (1 - alpha - beta)) - 1
    before = f.floor(at)
    return before, at - before


# --- one axis for all that are reduced --------------------------------------------------------------------------------


def _together(x: Array, axes: tuple[int, ...]) -> Array:
    """Bring the reduced axes together as the last one."""
    kept = [a for a in range(x.ndim) if a not in axes]
    if [*kept, *axes] != [*range(x.ndim)]:
        x = lw.permute_dims(x, (*kept, *axes))
    if len(axes) == 1:
        return x
    if not kept:
        return lw.reshape(x, (-1,))
    shape = x.shape[: len(kept)]
    return lw.reshape(x, (*shape, _or_rest(size_of(x.shape[len(kept) :]))))


def _or_rest(extent: int | None) -> int:
    return -1 if extent is None else extent


# --- the functions in common ------------------------------------------------------------------------------------------


def _quantile_shape(
    x: Shape, at: Shape | None = None, *, q: Any = None, axis: Any, method: Any, keepdims: bool, **_: Any
) -> Shape:
    """Put the shape of the quantiles in front of what is left of the array."""
    check_word(METHODS, "method", method)
    return (*(_nested_shape(q) if at is None else at), *drop_axes(x, all_or_some(axis, x), keepdims))


def _nested_shape(q: Any) -> tuple[int, ...]:
    return (len(q), *_nested_shape(q[0])) if isinstance(q, tuple) else ()


def _flat(q: Any) -> list[float]:
    return [number for part in q for number in _flat(part)] if isinstance(q, tuple) else [q]


@op("real floating", shape=_quantile_shape, at="own")
def _quantile(
    x: Array, /, at: Array | None = None, *, q: Any = None, axis: Any, method: str, keepdims: bool, skips_nan: bool
) -> Array:
    """Compute quantiles: at Python numbers `q` in nested tuples, or at those in an array."""
    shape = _quantile_shape(tuple(x.shape), None if at is None else at.shape, q=q, axis=axis, method=method,
                            keepdims=keepdims)  # fmt: skip
    axes = all_or_some(axis, x.shape)
    y = _together(x, axes) if axes else lw.expand_dims(x, axis=-1)
    n = known_extent(y.shape, y.ndim - 1)
    front = _nested_shape(q) if at is None else tuple(at.shape)
    if not n:
        extents = tuple(map(_or_rest, shape))
        nothing = lw.reshape(lw.sum(y, axis=-1) + lw.nan, (*(1,) * len(front), *extents[len(front) :]))
        return lw.broadcast_to(nothing, extents) if front else nothing
    known = None if at is not None else n if not skips_nan else _how_many_numbers(y)
    if known:
        result = _at_numbers(y, known, _flat(q), method, single=not front, skips_nan=skips_nan)
    else:
        result = _at_array(y, n, q if at is None else at, method, skips_nan)
    if front or at is not None:
        result = lw.moveaxis(result, -1, 0)
    return result if result.shape == shape else lw.reshape(result, tuple(map(_or_rest, shape)))


def _how_many_numbers(y: Array) -> int | None:
    """Count the elements of a single slice that are not nan; None without values, or if each count compiles anew."""
    backend = y._sig.backend
    if y.ndim > 1 or backend.lazy or backend.facts.compiles or backend.adopt is not None:
        return None
    try:
        return int(lw.count_nonzero(lw.logical_not(lw.isnan(y))))
    except Exception:  # each framework that traces has an error of its own
        return None


def _at_numbers(y: Array, n: int, numbers: list[float], method: str, *, single: bool, skips_nan: bool = False) -> Array:
    """Compute quantiles at Python numbers, along a last axis of their own unless there is a single one.

    With `skips_nan`, n counts the elements that are no nan.
    """
    places = [_place(method, n, q, _PYTHON) for q in numbers]
    low = [min(max(int(p), 0), n - 1) for p, _ in places]
    high = [min(max(int(p) + 1, 0), n - 1) for p, _ in places]
    weights = [w or 0.0 for _, w in places]
    between = any(w and i < j for w, i, j in zip(weights, low, high, strict=True))
    y = lw.partition(y, sorted({*low, *(high if between else ()), *(() if skips_nan else (n - 1,))}))
    last = y[..., -1] if single else y[..., -1:]  # nan where there is one
    if single:
        (i,), (j,), (w,) = low, high, weights
        result = _between(y[..., i], y[..., j], 1 - w, w) if between else y[..., i]
    else:
        result = _elements(y, low)
        if between:
            rest, weight = ([f(w) for w in weights] for f in (lambda w: 1 - w, float))
            result = _between(result, _elements(y, high), _beside(y, rest), _beside(y, weight))
    return result if skips_nan else lw.where(lw.isnan(last), last, result)


def _elements(y: Array, places: list[int]) -> Array:
    return lw.take(y, lw.asarray(places, dtype=int64, device=y.device), axis=-1)


def _beside(y: Array, numbers: list[float]) -> Array:
    return lw.asarray(numbers, dtype=y.dtype, device=y.device)


def _between(low: Array, high: Array, rest: Any, weight: Any) -> Array:
    """Return the weighted mean of two elements; of equal ones, infinities among them, the element."""
    return lw.where(low == high, low, low * rest + high * weight)


def _at_array(y: Array, n: int, q: Any, method: str, skips_nan: bool) -> Array:
    """Compute quantiles along a last axis of their own, at places that depend on values: on those of an array of
    quantiles, or on how many elements of a slice are numbers."""
    dtype = float64 if y.dtype is float64 else float32
    if isinstance(q, Array):
        q = lw.reshape(lw.astype(q, dtype), (-1,))
        within = lw.logical_and(q >= 0, q <= 1)
    else:
        q, within = lw.asarray(_flat(q), dtype=dtype, device=y.device), None
    y = lw.sort(y, stable=False)
    if y.dtype is float16:  # on some processors NumPy's sort makes signalling nan, which the product would warn of
        y = lw.where(lw.isnan(y), lw.nan, y)
    count: Any = n
    if skips_nan:
        count = lw.astype(lw.count_nonzero(lw.logical_not(lw.isnan(y)), axis=-1, keepdims=True), dtype)
    place, weight = _place(method, count, q, _ARRAYS)
    top = lw.maximum(count - 1, 0) if skips_nan else n - 1

    def at(position: Array) -> Array:
        index = lw.astype(lw.minimum(lw.maximum(position, 0), top), int64)
        return lw.take_along_axis(y, index, axis=-1) if skips_nan else lw.take(y, index, axis=-1)

    result = at(place)
    if weight is not None:
        weight = lw.astype(weight, y.dtype)
        high = at(place + 1)
        if within is None:
            high = lw.where(weight == 0, result, high)  # an infinity of weight 0 does not count
        else:  # the slope by q is that after the position, and of the last position that before it
            finite = lw.isfinite(result) & lw.isfinite(high)
            high = lw.where((weight == 0) & lw.logical_not(finite), result, high)
            if method == "linear":
                before = at(place - 1)
                last = (place == top) & (weight == 0) & lw.isfinite(before) & finite
                result, weight = lw.where(last, before, result), lw.where(last, weight + 1, weight)
        result = _between(result, high, 1 - weight, weight)
    if not skips_nan:  # where they are skipped, the first of a slice of nothing else is nan
        result = lw.where(lw.isnan(y[..., -1:]), lw.nan, result)
    return result if within is None else lw.where(within, result, lw.nan)


def _called(name: str, x: Any, q: Any, scale: float, **options: Any) -> Array:
    """Call the function in common, with the name of the public one in its errors."""
    x = x if type(x) is Array else as_operand(OPS[name], x)
    try:
        if isinstance(q, Array) or (of(q) is not None and getattr(q, "shape", ()) != ()):
            at = q if isinstance(q, Array) else as_operand(OPS[name], q)
            return _quantile(x, lw.divide(at, scale) if scale != 1 else at, **options)
        if isinstance(q, (list, tuple)) and _has_derivatives(q):
            return _called(name, x, _joined(q, x), scale, **options)
        return _quantile(x, q=_numbers(name, q, scale), **options)
    except Exception as error:
        prefix, colon, text = str(error).removeprefix(f"{name}: in ").partition(":")
        if prefix.startswith("quantile"):
            error.args = (f"{name}{prefix.removeprefix('quantile')}{colon}{text}",)
        raise


def _has_derivatives(q: Any) -> bool:
    """Return whether nested sequences hold a floating array whose framework differentiates."""
    if isinstance(q, (list, tuple)):
        return any(map(_has_derivatives, q))
    return isinstance(q, Array) and q.dtype.kind == "f" and q._sig.backend.facts.gradients


def _joined(q: Any, x: Array) -> Array:
    """Arrays and numbers in nested sequences as one array."""
    if isinstance(q, (list, tuple)):
        parts = [_joined(part, x) for part in q]
        return lw.stack([lw.astype(part, lw.result_type(*parts)) for part in parts])
    return q if isinstance(q, Array) else lw.asarray(q, dtype=x.dtype if x.dtype.kind == "f" else None, device=x.device)


def _numbers(name: str, q: Any, scale: float) -> Any:
    """Return quantiles that are Python numbers in nested sequences as nested tuples of floats from 0 to 1."""
    if isinstance(q, (list, tuple, range)):
        parts = tuple([_numbers(name, part, scale) for part in q])
        if len({_nested_shape(part) for part in parts}) > 1:
            raise ValueError(f"{name}: q must be a number or rectangular nested lists of numbers; got {q!r}")
        return parts
    if not isinstance(q, SCALARS) and not hasattr(q, "__float__"):
        raise TypeError(f"{name}: q must be a number, a list of numbers or an array; got {type(q).__name__} {q!r}")
    number = float(q)
    if not 0 <= number <= scale:
        raise ValueError(f"{name}: q must be from 0 to {scale:g}; got {q!r}")
    return number / scale


# --- the public ones --------------------------------------------------------------------------------------------------


@op("real floating", shape="reduce")
def median(x: Array, /, axis: Axes = None, *, keepdims: bool = False) -> Array:
    """Return the element in the middle of the sorted ones, or the mean of the two in the middle.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers and bools are taken as the default float.
    axis: the axis or axes to reduce; None for all of them.
    keepdims: whether those axes stay, with extent 1.

    Returns
    -------
    The dtype of x, the default float for integers. nan of no elements, and where there is a nan.

    Notes
    -----
    As numpy.median and jax.numpy.median. torch.median is the lower of the two elements in the middle: that is
    ``quantile(x, 0.5, method="lower")``.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.median(lw.asarray([[3.0, 1.0, 2.0], [4.0, 8.0, 0.0]]), axis=1)
    Array([2., 4.], dtype=float32)
    >>> lw.median(lw.asarray([4, 1, 2, 3]))
    Array(2.5, dtype=float32)
    """
    return _quantile(x, q=0.5, axis=axis, method="linear", keepdims=keepdims, skips_nan=False)


@op("real floating", shape="reduce")
def nanmedian(x: Array, /, axis: Axes = None, *, keepdims: bool = False) -> Array:
    """Return the median of the elements that are not nan: see `median`.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers and bools are taken as the default float.
    axis: the axis or axes to reduce; None for all of them.
    keepdims: whether those axes stay, with extent 1.

    Returns
    -------
    The dtype of x, the default float for integers. nan where all elements are nan, without a warning.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nanmedian(lw.asarray([[3.0, lw.nan, 2.0], [4.0, 8.0, 0.0]]), axis=1)
    Array([2.5, 4. ], dtype=float32)
    """
    return _quantile(x, q=0.5, axis=axis, method="linear", keepdims=keepdims, skips_nan=True)


@composed
def quantile(
    x: Array, /, q: Requested, axis: Axes = None, *, method: str = "linear", keepdims: bool = False, **unknown: Never
) -> Array:
    """Return the values that parts of the elements do not exceed.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers and bools are taken as the default float.
    q: which parts, from 0 to 1: a number, a list of numbers, or an array of the backend of x. Numbers are faster, as
        they tell which elements are needed.
    axis: the axis or axes to reduce; None for all of them.
    method: how a quantile between two elements is found, by NumPy's names: "linear", "lower", "higher", "midpoint",
        "nearest", "inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf",
        "hazen", "weibull", "median_unbiased" or "normal_unbiased".
    keepdims: whether those axes stay, with extent 1.

    Returns
    -------
    The dtype of x, the default float for integers, whatever the method. The shape of q comes first, and then that of x
    without the reduced axes. nan of no elements, where there is a nan, and where an element of an array q is not from
    0 to 1.

    Raises
    ------
    ValueError: a number q is not from 0 to 1, or `method` is no name of a method.
    AxisError: `axis` is out of bounds.

    Notes
    -----
    The methods are those of Hyndman and Fan, "Sample Quantiles in Statistical Packages" (1996), and NumPy's older
    ones. torch.quantile and jax.numpy.quantile have "linear", "lower", "higher", "midpoint" and "nearest".

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.asarray([1.0, 2.0, 3.0, 4.0])
    >>> lw.quantile(x, 0.25)
    Array(1.75, dtype=float32)
    >>> lw.quantile(x, [0.25, 0.5], method="inverted_cdf")
    Array([1., 2.], dtype=float32)
    """
    if unknown:
        raise unexpected("quantile", unknown)
    return _called("quantile", x, q, 1, axis=axis, method=method, keepdims=keepdims, skips_nan=False)


@composed
def percentile(
    x: Array, /, q: Requested, axis: Axes = None, *, method: str = "linear", keepdims: bool = False, **unknown: Never
) -> Array:
    """Return the values that so many percent of the elements do not exceed: `quantile` of a hundredth of q.

    Parameters
    ----------
    x, axis, method, keepdims: as for `quantile`.
    q: how many percent, from 0 to 100: a number, a list of numbers, or an array of the backend of x.

    Returns
    -------
    As `quantile`.

    Raises
    ------
    ValueError: a number q is not from 0 to 100, or `method` is no name of a method.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.percentile(lw.asarray([1.0, 2.0, 3.0, 4.0]), 25)
    Array(1.75, dtype=float32)
    """
    if unknown:
        raise unexpected("percentile", unknown)
    return _called("percentile", x, q, 100, axis=axis, method=method, keepdims=keepdims, skips_nan=False)


@composed
def nanquantile(
    x: Array, /, q: Requested, axis: Axes = None, *, method: str = "linear", keepdims: bool = False, **unknown: Never
) -> Array:
    """Return the quantiles of the elements that are not nan: see `quantile`.

    Parameters
    ----------
    x, q, axis, method, keepdims: as for `quantile`.

    Returns
    -------
    As `quantile`; nan where all elements are nan, without a warning.

    Raises
    ------
    ValueError: a number q is not from 0 to 1, or `method` is no name of a method.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nanquantile(lw.asarray([1.0, lw.nan, 3.0]), 0.25)
    Array(1.5, dtype=float32)
    """
    if unknown:
        raise unexpected("nanquantile", unknown)
    return _called("nanquantile", x, q, 1, axis=axis, method=method, keepdims=keepdims, skips_nan=True)


@composed
def nanpercentile(
    x: Array, /, q: Requested, axis: Axes = None, *, method: str = "linear", keepdims: bool = False, **unknown: Never
) -> Array:
    """Return the percentiles of the elements that are not nan: see `percentile`.

    Parameters
    ----------
    x, q, axis, method, keepdims: as for `percentile`.

    Returns
    -------
    As `percentile`; nan where all elements are nan, without a warning.

    Raises
    ------
    ValueError: a number q is not from 0 to 100, or `method` is no name of a method.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nanpercentile(lw.asarray([1.0, lw.nan, 3.0]), 25)
    Array(1.5, dtype=float32)
    """
    if unknown:
        raise unexpected("nanpercentile", unknown)
    return _called("nanpercentile", x, q, 100, axis=axis, method=method, keepdims=keepdims, skips_nan=True)


@op("real numeric", shape="extremum")
def ptp(x: Array, /, axis: Axes = None, *, keepdims: bool = False) -> Array:
    """Return the distance from the least element to the greatest ("peak to peak").

    Parameters
    ----------
    x: any shape, a real numeric dtype.
    axis: the axis or axes to reduce; None for all of them, () for none.
    keepdims: whether those axes stay, with extent 1.

    Returns
    -------
    The dtype of x. Integers wrap around at the ends of their range, as differences do.

    Raises
    ------
    ValueError: there are no elements to choose from.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.ptp(lw.asarray([[1, 3], [5, 2]]), axis=1)
    Array([2, 3], dtype=int32)
    """
    return lw.max(x, axis=axis, keepdims=keepdims) - lw.min(x, axis=axis, keepdims=keepdims)
