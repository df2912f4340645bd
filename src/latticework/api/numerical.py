"""Numerical functions along an axis: interpolation, integrals and differences of samples, convolutions, angles."""

from __future__ import annotations

import math
from typing import Any, Literal, Never

from ..core.registry import OPS
from ..core.registry import functions as lw
from ..engine.arrays.array import Array
from ..engine.declare import composed, op
from ..engine.exchange.foreign import as_operand
from ..engine.plans.advice import unexpected
from ..engine.shapes.extents import (
    Extent,
    Shape,
    check_word,
    known_extent,
    may_equal,
    one_axis,
    replace_axis,
    shape_of,
    size_of,
    sum_of,
)

_MODES = ("full", "same", "valid")
Mode = Literal["full", "same", "valid"]


def _along(axis: int, *parts: slice) -> tuple[slice, ...]:
    """A key that takes parts along an axis counted from the start."""
    return (*(slice(None),) * axis, *parts)


_BUT_FIRST, _BUT_LAST = slice(1, None), slice(None, -1)


# --- interpolation ----------------------------------------------------------------------------------------------------


def _interp_shape(x: Any, xp: Shape, fp: Shape, **_: Any) -> Shape:
    """Return the shape of the places, between samples along one axis."""
    xp, fp = shape_of(xp), shape_of(fp)
    if len(xp) != 1 or len(fp) != 1 or not may_equal(xp[0], fp[0]):
        raise ValueError(f"xp and fp must have one axis of the same extent; got shapes {xp} and {fp}")
    if xp[0] == 0:
        raise ValueError("xp and fp must have an element; got none")
    return shape_of(x)


@op("floating", shape=_interp_shape)
def interp(
    x: Array | float,
    /,
    xp: Array,
    fp: Array,
    left: complex | None = None,
    right: complex | None = None,
    period: float | None = None,
) -> Array:
    """Interpolate between samples of a function linearly.

    Parameters
    ----------
    x: the places to find the function at, any shape, a real floating dtype; integers are taken as the default float.
    xp: the places of the samples along one axis, in ascending order unless there is a `period`. That they are in order
        is not checked.
    fp: the samples there, which may be complex.
    left, right: what comes before the first sample and after the last; None for the first sample, and the last.
    period: the period of the function, where it has one. `left` and `right` count for nothing then.

    Returns
    -------
    The shape of x, and the common dtype of x, xp and fp.

    Raises
    ------
    ValueError: `xp` and `fp` have not one axis of the same extent, or no elements; or `period` is 0.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.interp(lw.asarray([0.5, 1.5, 3.0]), lw.asarray([0.0, 1.0, 2.0]), lw.asarray([0.0, 10.0, 20.0]))
    Array([ 5., 15., 20.], dtype=float32)
    """
    _interp_shape(tuple(x.shape), tuple(xp.shape), tuple(fp.shape))  # type: ignore[union-attr]
    places: Any = x
    result: Array
    if places.dtype.kind == "c":
        places, xp = lw.real(places), lw.real(xp)
    if period is not None:
        if not period:
            raise ValueError("interp: period must not be 0")
        period = abs(period)
        places, xp, fp = _unrolled(places, xp, fp, period)
    n = known_extent(xp.shape, 0)
    low = lw.minimum(lw.maximum(lw.searchsorted(xp, places, side="right") - 1, 0), max(n - 2, 0))
    x0, f0 = _picked(xp, low), _picked(fp, low)
    if n == 1:
        result = f0 + (places - places)  # nan stays
    else:
        high = low + 1
        width = _picked(xp, high) - x0
        part = (places - x0) / lw.where(width == 0, 1, width)
        result = lw.where(places >= xp[-1], fp[-1], f0 + part * (_picked(fp, high) - f0))
    if period is not None:
        return result
    result = lw.where(places < xp[0], fp[0] if left is None else left, result)
    return lw.where(places > xp[-1], fp[-1] if right is None else right, result)


def _picked(x: Array, places: Array) -> Array:
    return lw.take(x, places, axis=0)


def _unrolled(x: Array, xp: Array, fp: Array, period: float) -> tuple[Array, Array, Array]:
    """Bring everything into one period, with a sample more at each end."""
    x, xp = x % period, xp % period
    order = lw.argsort(xp)
    xp, fp = lw.take(xp, order), lw.take(fp, order)
    xp = lw.concat([xp[-1:] - period, xp, xp[:1] + period])
    return x, xp, lw.concat([fp[-1:], fp, fp[:1]])


# --- integrals --------------------------------------------------------------------------------------------------------


def _trapezoid_shape(y: Shape, x: Shape | None = None, *, axis: Any = -1, **_: Any) -> Shape:
    """Drop the axis of the samples."""
    a = _sample_axis(y, x, axis)
    return replace_axis(y, a)


def _cumulative_shape(y: Shape, x: Shape | None = None, *, axis: Any = -1, initial: Any = None, **_: Any) -> Shape:
    """Shorten the axis of the samples by one, unless an initial value comes first."""
    a = _sample_axis(y, x, axis)
    n = y[a]
    if n == 0:
        raise ValueError(f"takes one sample or more along axis {a}; got shape {y}")
    return y if initial is not None else replace_axis(y, a, None if n is None else n - 1)


def _sample_axis(y: Shape, x: Shape | None, axis: Any) -> int:
    a = one_axis(axis, y)
    fits = x is None or (len(x) == 1 and may_equal(x[0], y[a])) or (len(x) == len(y) and all(map(may_equal, x, y)))
    if not fits:
        raise ValueError(f"x must have the shape of y, {y}, or its {y[a]} elements along axis {a}; got {x}")
    return a


def _areas(y: Array, x: Array | None, dx: float, axis: int) -> Array:
    """The areas between neighbouring samples."""
    a = axis % y.ndim
    total = y[_along(a, _BUT_FIRST)] + y[_along(a, _BUT_LAST)]
    if x is None:
        return total * (dx / 2)
    if x.ndim == 1:
        return total * lw.reshape(lw.diff(x) / 2, (-1, *(1,) * (y.ndim - a - 1)))
    return total * (lw.diff(x, axis=a) / 2)


@op("floating", shape=_trapezoid_shape)
def trapezoid(y: Array, /, x: Array | None = None, dx: float = 1.0, axis: int = -1) -> Array:
    """Integrate samples of a function along an axis by the trapezoidal rule.

    Parameters
    ----------
    y: the samples, at least one axis, a floating dtype; integers are taken as the default float.
    x: the places of the samples, of the shape of y or one axis; None for places `dx` apart.
    dx: the distance between neighbouring samples where there is no x.
    axis: the axis of the samples.

    Returns
    -------
    The shape of y without the axis, and the common dtype.

    Raises
    ------
    AxisError: `axis` is out of bounds.
    ValueError: x has another shape.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.trapezoid(lw.asarray([1.0, 2.0, 3.0]))
    Array(4., dtype=float32)
    >>> lw.trapezoid(lw.asarray([1.0, 2.0, 3.0]), lw.asarray([4.0, 6.0, 8.0]))
    Array(8., dtype=float32)
    """
    _trapezoid_shape(tuple(y.shape), None if x is None else tuple(x.shape), axis=axis)
    a = axis % y.ndim
    if x is None and (y.shape[a] or 0) > 1:
        ends = y[_along(a, slice(None, 1))] + y[_along(a, slice(-1, None))]
        return (lw.sum(y[_along(a, slice(1, -1))], axis=a) + lw.squeeze(ends, axis=a) * 0.5) * dx
    return lw.sum(_areas(y, x, dx, axis), axis=axis)


@op("floating", shape=_cumulative_shape)
def cumulative_trapezoid(
    y: Array, /, x: Array | None = None, dx: float = 1.0, axis: int = -1, initial: float | None = None
) -> Array:
    """Integrate samples of a function up to each place along an axis by the trapezoidal rule.

    Parameters
    ----------
    y: the samples, at least one along the axis, a floating dtype; integers are taken as the default float.
    x: the places of the samples, of the shape of y or one axis; None for places `dx` apart.
    dx: the distance between neighbouring samples where there is no x.
    axis: the axis of the samples.
    initial: a number that comes first, mostly 0; None for nothing.

    Returns
    -------
    The shape of y, shorter by 1 along the axis without `initial`, and the common dtype.

    Raises
    ------
    AxisError: `axis` is out of bounds.
    ValueError: x has another shape, or there are no samples.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.cumulative_trapezoid(lw.asarray([1.0, 2.0, 3.0]), initial=0)
    Array([0. , 1.5, 4. ], dtype=float32)
    """
    _cumulative_shape(tuple(y.shape), None if x is None else tuple(x.shape), axis=axis, initial=initial)
    result = lw.cumulative_sum(_areas(y, x, dx, axis), axis=axis)
    if initial is None:
        return result
    first = lw.full_like(y[_along(axis % y.ndim, slice(None, 1))], initial, dtype=result.dtype)
    return lw.concat([first, result], axis=axis)


# --- differences ------------------------------------------------------------------------------------------------------


def _gradient_shape(f: Shape, places: Shape | None = None, *, axis: Any, edge_order: Any, **_: Any) -> Shape:
    """Keep the shape, and check that there are samples enough along the axis."""
    a = one_axis(axis, f)
    if edge_order not in (1, 2):
        raise ValueError(f"edge_order is 1 or 2; got {edge_order!r}")
    n = f[a]
    if n is not None and n <= edge_order:
        raise ValueError(f"takes {edge_order + 1} samples or more along axis {a}; got shape {f}")
    if places is not None and not (len(places) == 1 and may_equal(places[0], n)):
        raise ValueError(f"places along axis {a} must be {n}; got shape {places}")
    return f


@op("floating", shape=_gradient_shape)
def _gradient(f: Array, /, places: Array | None = None, *, axis: int, edge_order: int, distance: float = 1.0) -> Array:
    """Differences along one axis: of second order inside, and one-sided at the edges."""
    _gradient_shape(tuple(f.shape), None if places is None else tuple(places.shape), axis=axis, edge_order=edge_order)
    a = axis % f.ndim

    def at(start: int, stop: int | None) -> Array:
        return f[_along(a, slice(start, stop))]

    if places is None:
        inside = (at(2, None) - at(0, -2)) * (0.5 / distance)
        left, right = (at(1, 2) - at(0, 1)) / distance, (at(-1, None) - at(-2, -1)) / distance
        if edge_order == 2:
            left = (at(0, 1) * -1.5 + at(1, 2) * 2 - at(2, 3) * 0.5) / distance
            right = (at(-3, -2) * 0.5 - at(-2, -1) * 2 + at(-1, None) * 1.5) / distance
        return lw.concat([left, inside, right], axis=a)
    steps = lw.reshape(lw.diff(places), (*(1,) * a, -1, *(1,) * (f.ndim - a - 1)))

    def step(start: int, stop: int | None) -> Array:
        return steps[_along(a, slice(start, stop))]

    slopes = (at(1, None) - at(0, -1)) / steps
    before, after = step(0, -1), step(1, None)

    def slope(start: int, stop: int | None) -> Array:
        return slopes[_along(a, slice(start, stop))]

    inside = (slope(0, -1) * after + slope(1, None) * before) / (before + after)
    left, right = slope(0, 1), slope(-1, None)
    if edge_order == 2:
        h1, h2 = step(0, 1), step(1, 2)
        left = left + (left - slope(1, 2)) * h1 / (h1 + h2)
        h1, h2 = step(-2, -1), step(-1, None)
        right = right + (right - slope(-2, -1)) * h2 / (h1 + h2)
    return lw.concat([left, inside, right], axis=a)


@composed
def gradient(
    f: Array,
    /,
    *spacing: Array | float,
    axis: int | tuple[int, ...] | None = None,
    edge_order: int = 1,
    **unknown: Never,
) -> Array | tuple[Array, ...]:
    """Return the derivatives of a sampled function along its axes, by differences.

    Parameters
    ----------
    f: the samples, a floating dtype; integers are taken as the default float.
    spacing: nothing for samples 1 apart; a number, the distance for all axes; or for each axis a number, or an array of
        the places of its samples.
    axis: the axis or axes to go along; None for all of them.
    edge_order: whether differences at the edges are of first or second order. Those inside are of second order.

    Returns
    -------
    An array of the shape of f for a single axis, else a tuple of one for each axis, as numpy.gradient. The dtype is
    that of f, joined with that of an array of places.

    Raises
    ------
    ValueError: too few samples along an axis, or a number of spacings that is not that of the axes.
    AxisError: `axis` is out of bounds.

    Notes
    -----
    Inside, with the distances h1 before and h2 after a sample, the mean of the two slopes weighted by the distance
    on the other side.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.gradient(lw.asarray([1.0, 2.0, 4.0, 7.0]))
    Array([1. , 1.5, 2.5, 3. ], dtype=float32)
    >>> lw.gradient(lw.asarray([1.0, 2.0, 4.0]), lw.asarray([0.0, 1.0, 3.0]))
    Array([1., 1., 1.], dtype=float32)
    """
    if unknown:
        raise unexpected("gradient", unknown)
    f = f if type(f) is Array else as_operand(OPS["gradient"], f)
    axes = tuple(range(f.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    given = spacing * len(axes) if len(spacing) == 1 and not getattr(spacing[0], "shape", ()) else spacing
    if given and len(given) != len(axes):
        raise ValueError(f"gradient: takes a spacing for each of {len(axes)} axes; got {len(given)}")
    found = []
    distances: tuple[Any, ...] = given or (1.0,) * len(axes)
    for a, h in zip(axes, distances, strict=True):
        if isinstance(h, (list, tuple)):
            h = lw.asarray(h, device=f.device)
        places = h if getattr(h, "shape", ()) else None
        options: dict[str, Any] = {"axis": a, "edge_order": edge_order}
        if places is None and isinstance(h, Array) and h.dtype.kind == "f":  # the result may be differentiated by it
            slopes = _gradient(f, distance=1.0, **options)
            found.append(slopes / lw.astype(h, lw.real(slopes).dtype))
        elif places is None:
            found.append(_gradient(f, distance=float(h), **options))
        else:
            found.append(_gradient(f, places, **options))
    return found[0] if len(found) == 1 else tuple(found)


def _ediff1d_shape(x: Shape, to_end: Any = None, to_begin: Any = None, **_: Any) -> Shape:
    """Return one axis: a difference less than elements, and what comes before and after."""
    n = size_of(x)
    inner: Extent = None if n is None else max(n - 1, 0)
    return (sum_of(inner, *[1 if p == () else size_of(shape_of(p)) for p in (to_begin, to_end) if p is not None]),)


@op("numeric", shape=_ediff1d_shape)
def ediff1d(x: Array, /, to_end: Array | None = None, to_begin: Array | None = None) -> Array:
    """Return the differences of neighbouring elements of a flattened array.

    Parameters
    ----------
    x: any shape, a numeric dtype.
    to_end, to_begin: what to put after and before the differences, any shapes. Dtypes are joined.

    Returns
    -------
    One axis, of the common dtype.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.ediff1d(lw.asarray([1, 2, 4, 7]), to_begin=lw.asarray(0))
    Array([0, 1, 2, 3], dtype=int32)
    """
    flat = lw.reshape(x, (-1,))
    result = flat[1:] - flat[:-1]
    if to_end is None and to_begin is None:
        return result
    parts = [None if p is None else lw.reshape(p, (-1,)) for p in (to_begin, to_end)]
    return lw.concat([p for p in (parts[0], result, parts[1]) if p is not None])


@op("real floating", shape="sort")
def unwrap(x: Array, /, discont: float | None = None, axis: int = -1, *, period: float = 2 * math.pi) -> Array:
    """Add periods to angles along an axis, so that neighbours are no more than half a period apart.

    Parameters
    ----------
    x: at least one axis, a real floating dtype; integers are taken as the default float.
    discont: from which distance on neighbours are brought together; None, and anything less, for half a period.
    axis: the axis to go along.
    period: the period.

    Returns
    -------
    The shape of x and its dtype, the default float for integers.

    Raises
    ------
    AxisError: `axis` is out of bounds, as any is for a 0-d array.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.unwrap(lw.asarray([0.0, 3.0, 0.0, 3.0]), period=4)
    Array([ 0., -1.,  0., -1.], dtype=float32)
    """
    a = one_axis(axis, x.shape)
    steps = lw.diff(x, axis=a)
    half = period / 2
    moved = (steps + half) % period - half
    moved = lw.where(lw.logical_and(moved == -half, steps > 0), half, moved)
    correction = lw.where(lw.abs(steps) < (half if discont is None else discont), 0, moved - steps)
    rest = x[_along(a, _BUT_FIRST)] + lw.cumulative_sum(correction, axis=a)
    return lw.concat([x[_along(a, slice(None, 1))], rest], axis=a)


# --- convolutions -----------------------------------------------------------------------------------------------------


def _convolve_shape(x1: Shape, x2: Shape, *, mode: Any = "full", **_: Any) -> Shape:
    """Return one axis, of the places where the arrays overlap at all, in part or wholly."""
    check_word(_MODES, "mode", mode)
    if len(x1) != 1 or len(x2) != 1:
        raise ValueError(f"takes two arrays of one axis; got shapes {x1} and {x2}")
    if 0 in (x1[0], x2[0]):
        raise ValueError(f"takes arrays with elements; got shapes {x1} and {x2}")
    if x1[0] is None or x2[0] is None:
        return (None,)
    n, k = max(x1[0], x2[0]), min(x1[0], x2[0])
    return ({"full": n + k - 1, "same": n, "valid": n - k + 1}[mode],)


def _correlate_shape(x1: Shape, x2: Shape, *, mode: Any = "valid", **_: Any) -> Shape:
    """Return the shape of a convolution."""
    return _convolve_shape(x1, x2, mode=mode)


#: The number of products that a step of a convolution makes at once; one element of x2 may need more.
_AT_ONCE = 1 << 22


@op("numeric", shape=_convolve_shape)
def convolve(x1: Array, x2: Array, /, mode: Mode = "full") -> Array:
    """Return the convolution of two sequences.

    Parameters
    ----------
    x1, x2: one axis with elements each, a numeric dtype.
    mode: "full": at each place where they overlap; "valid": where the shorter one lies wholly within the longer one;
        "same": as many places as the longer one has, in the middle.

    Returns
    -------
    One axis, of the common dtype. Integers wrap around at the ends of its range.

    Raises
    ------
    ValueError: an array has not one axis, or no elements; or `mode` is none of these.

    Notes
    -----
    result[i] = sum(x1[j] * x2[i - j]), as numpy.convolve. (torch.nn.functional.conv1d is a correlation.)

    Examples
    --------
    >>> import latticework as lw
    >>> lw.convolve(lw.asarray([1, 2, 3]), lw.asarray([1, 10]))
    Array([ 1, 12, 23, 30], dtype=int32)
    """
    _convolve_shape(tuple(x1.shape), tuple(x2.shape), mode=mode)
    n, k = known_extent(x1.shape, 0), known_extent(x2.shape, 0)
    if n < k:
        x1, x2, n, k = x2, x1, k, n
    before, after = {"full": (k - 1, k - 1), "same": (k // 2, (k - 1) // 2), "valid": (0, 0)}[mode]
    padded = lw.pad(x1, (before, after)) if before else x1
    count = known_extent(padded.shape, 0) - k + 1
    taps, step = lw.flip(x2), max(_AT_ONCE // max(count, 1), 1)
    result: Array | None = None
    for start in range(0, k, step):
        some = min(step, k - start)
        places = lw.expand_dims(lw.arange(count, device=x1.device), axis=1) + lw.arange(
            start, start + some, device=x1.device
        )
        part = lw.matmul(lw.take(padded, places, axis=0), taps[start : start + some])
        result = part if result is None else result + part
    assert result is not None
    return result


@op("numeric", shape=_correlate_shape)
def correlate(x1: Array, x2: Array, /, mode: Mode = "valid") -> Array:
    """Return the cross-correlation of two sequences.

    Parameters
    ----------
    x1, x2: one axis with elements each, a numeric dtype.
    mode: as for `convolve`.

    Returns
    -------
    One axis, of the common dtype. Integers wrap around at the ends of its range.

    Raises
    ------
    ValueError: an array has not one axis, or no elements; or `mode` is none of these.

    Notes
    -----
    result[i] = sum(x1[i + j] * conj(x2[j])), as numpy.correlate. Exchanging the operands turns the result round.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.correlate(lw.asarray([1, 2, 3]), lw.asarray([0, 1, 10]), mode="same")
    Array([21, 32,  3], dtype=int32)
    """
    _correlate_shape(tuple(x1.shape), tuple(x2.shape), mode=mode)
    turned = mode == "same" and known_extent(x1.shape, 0) < known_extent(x2.shape, 0)  # the middle of an even number
    if turned:
        x1, x2 = x2, x1
    result = convolve(x1, lw.flip(lw.conj(x2) if x2.dtype.kind == "c" else x2), mode)
    return result if not turned else lw.flip(lw.conj(result) if result.dtype.kind == "c" else result)
