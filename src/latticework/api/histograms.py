"""Histograms: how often integers come, in which bins values lie, and how many lie in each.

An element lies in the bin whose edges it is between, the lower one included, and the greatest edge too. What lies in no
bin, or is nan, is counted nowhere.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import Any, Literal, NamedTuple, Never

from ..core.dtypes import float32, int64
from ..core.registry import OPS
from ..core.registry import functions as lw
from ..engine.arrays.array import Array
from ..engine.calls.translate import CHECKS
from ..engine.declare import composed, op
from ..engine.exchange.foreign import as_operand
from ..engine.plans.advice import check_bool, unexpected
from ..engine.plans.request import is_ours
from ..engine.shapes.extents import Shape, as_int, known_extent, may_equal, shape_of
from ..policy import current, unified_rules

#: The bins: their number, if of equal width, the name of an estimator of that number, or the edges.
Bins = int | str | Array | Sequence[float]
#: The ends of the range of bins of equal width; None for the least and the greatest element.
Range = tuple[float, float] | None


# --- how often integers come ------------------------------------------------------------------------------------------


def _bincount_shape(
    x: Shape, weights: Shape | None = None, *, minlength: Any = 0, length: Any = None, **_: Any
) -> Shape:
    """Return one axis of the length that is asked for, else of one that depends on the values."""
    if len(x) != 1:
        raise ValueError(f"x must have exactly one axis; got shape {x}")
    if weights is not None and not (len(weights) == 1 and may_equal(weights[0], x[0])):
        raise ValueError(f"weights must have the shape of x, {x}; got {weights}")
    least = as_int(minlength, "minlength is an int")
    wanted = None if length is None else as_int(length, "length is an int or None")
    if min(least, wanted or 0) < 0:
        raise ValueError(f"minlength and length must not be negative; got {minlength} and {length}")
    return (wanted if length is not None else least if x[0] == 0 else None,)


@op("all", out="index", shape=_bincount_shape, x="index")
def _bincount(x: Array, /, *, minlength: int = 0, length: int | None = None) -> Array:
    """Count integers."""
    ...


@op("numeric", shape=_bincount_shape, x="index")
def _weighted_bincount(x: Array, weights: Array, /, *, minlength: int = 0, length: int | None = None) -> Array:
    """Sum the weights of equal integers."""
    ...


def _check_counted(x: Array, weights: Any = None, /, **_: Any) -> Exception | None:
    """Tell a failed count that there are negative elements, or one so large that no memory has a count for it."""
    with suppress(Exception):  # values that cannot be read tell nothing
        if x.size and (least := int(lw.min(x))) < 0:
            return ValueError(f"bincount: x must not be negative; its least element is {least}")
        if x.size and (greatest := int(lw.max(x))) >= 2**57:
            return ValueError(f"bincount: there is no memory for counts up to the greatest element, {greatest}")
    return None


CHECKS["_bincount"] = CHECKS["_weighted_bincount"] = _check_counted


@composed
def bincount(
    x: Array, /, weights: Array | None = None, minlength: int = 0, *, length: int | None = None, **unknown: Never
) -> Array:
    """Count how often each of the integers 0, 1, 2, … comes, or sum the weights of equal ones.

    The length of the result depends on the values, unless `length` gives it.

    Parameters
    ----------
    x: one axis, an integer dtype or bool.
    weights: of the shape of x, a numeric dtype; None to count.
    minlength: how long the result is at least.
    length: how long the result is. Larger integers, and negative ones, are counted nowhere. With it the function works
        inside jax.jit and torch.func.vmap, as jax.numpy.bincount does with its `length`.

    Returns
    -------
    int64 counts, or sums of the dtype of the weights, one axis. Without `length` it is one longer than the greatest
    element, and on Dask not known before it is computed.

    Raises
    ------
    TypeError: x is of another dtype.
    ValueError: x has not exactly one axis, the weights have another shape, or there is a negative element and no
        `length`.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.bincount(lw.asarray([1, 3, 1]))
    Array([0, 2, 0, 1], dtype=int64)
    >>> lw.bincount(lw.asarray([1, 3, 1]), weights=lw.asarray([0.5, 1.0, 2.0]), length=3)
    Array([0. , 2.5, 0. ], dtype=float32)
    """
    if unknown:
        raise unexpected("bincount", unknown)
    x = _operand("bincount", x)
    if x.dtype.kind == "b":
        x = lw.astype(x, int64)
    try:
        if weights is None:
            return _bincount(x, minlength=minlength, length=length)
        return _weighted_bincount(x, weights, minlength=minlength, length=length)
    except Exception as error:
        text = str(error).removeprefix("bincount: in ")
        error.args = (text.replace("weighted_bincount:", "bincount:", 1),)
        raise


def _operand(name: str, x: Any) -> Array:
    return x if type(x) is Array else as_operand(OPS[name], x)


# --- in which bins values lie -----------------------------------------------------------------------------------------


def _digitize_shape(x: Any, bins: Shape, **_: Any) -> Shape:
    """Return the shape of the values, for edges along one axis."""
    if len(shape_of(bins)) != 1:
        raise ValueError(f"bins must have exactly one axis; got shape {shape_of(bins)}")
    return shape_of(x)


@op("real numeric or bool", out="index", shape=_digitize_shape)
def digitize(x: Array | float, /, bins: Array, right: bool = False) -> Array:
    """Return in which bin each value lies: 0 before the first edge, 1 between the first two, and so on.

    Parameters
    ----------
    x: the values, any shape, a real dtype.
    bins: the edges along one axis, in ascending or descending order. They join x in a common dtype.
    right: whether a bin has its right edge in it, and not its left one.

    Returns
    -------
    int64 positions from 0 to the number of edges, in the shape of x.

    Raises
    ------
    ValueError: `bins` has not exactly one axis.

    Notes
    -----
    With ascending edges, ``searchsorted(bins, x, side="left" if right else "right")``. That the edges are in order is
    not checked, as numpy.digitize does.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.digitize(lw.asarray([0.5, 1.0, 7.0]), lw.asarray([0.0, 1.0, 2.0]))
    Array([1, 2, 3], dtype=int64)
    """
    _digitize_shape(tuple(x.shape), tuple(bins.shape))  # type: ignore[union-attr]
    n = known_extent(bins.shape, 0)
    side: Literal["left", "right"] = "left" if right else "right"
    if n < 2:
        return lw.searchsorted(bins, x, side=side)
    descends = bins[-1] < bins[0]
    found = lw.searchsorted(lw.where(descends, lw.flip(bins), bins), x, side=side)
    return lw.where(descends, n - found, found)


@composed
def histogram_bin_edges(x: Array, /, bins: Bins = 10, range: Range = None, **unknown: Never) -> Array:
    """Return the edges of the bins that `histogram` counts in.

    Parameters
    ----------
    x: any shape, a real dtype.
    bins: how many bins of equal width; or the edges in ascending order, an array or a list; or NumPy's name of an
        estimator: "sqrt", "sturges", "rice", "scott", "fd", "doane" or "auto". How many bins the last four make depends
        on values, which there have to be.
    range: from where to where the bins go: two numbers. None for from the least element to the greatest, from 0 to 1
        where there are none, and half below and above an only value.

    Returns
    -------
    One axis, of one more element than there are bins; of the dtype of x, the default float for integers, or that of
    the edges given. nan where there is a nan or an infinity and no `range`, which NumPy makes an error.

    Raises
    ------
    ValueError: fewer bins than 1, edges of several axes, or a `range` that is not two numbers in ascending order.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.histogram_bin_edges(lw.asarray([0.0, 1.0, 4.0]), bins=4)
    Array([0., 1., 2., 3., 4.], dtype=float32)
    """
    if unknown:
        raise unexpected("histogram_bin_edges", unknown)
    return _edges("histogram_bin_edges", _operand("histogram_bin_edges", x), bins, range)


def _by_our_rules() -> AbstractContextManager[Any]:
    """Return a context with unified rules: others may refuse a step of a histogram, or give it another dtype."""
    return nullcontext() if is_ours(current().rules) else unified_rules()


def _edges(name: str, x: Array, bins: Any, limits: Range) -> Array:
    dtype = _edge_dtype(x)
    with _by_our_rules():
        return _edges_of(name, x, bins, limits, dtype)


def _edges_of(name: str, x: Array, bins: Any, limits: Range, dtype: Any) -> Array:
    if isinstance(bins, (list, tuple)):
        bins = lw.asarray(bins, dtype=dtype, device=x.device)
    elif not isinstance(bins, (int, str)) and not hasattr(bins, "__index__"):
        bins = _operand(name, bins)
    if isinstance(bins, Array) and bins.ndim:
        if bins.ndim != 1 or (bins.shape[0] is not None and bins.shape[0] < 2):
            raise ValueError(f"{name}: bins must be a number of bins, or two edges or more; got shape {bins.shape}")
        return bins
    if limits is not None:
        low, high = _limits(name, limits)
    if isinstance(bins, str):
        n = _estimated(name, x, bins, limits)
    else:
        n = as_int(bins, f"{name}: bins is an int, a word or edges")
    if n < 1:
        raise ValueError(f"{name}: there must be one bin or more; got bins={n}")
    if limits is None and x.size == 0:
        low, high, limits = 0.0, 1.0, (0.0, 1.0)
    if limits is not None and any(isinstance(x, Array) for x in limits):  # the result may be differentiated by them
        return lw.linspace(*limits, n + 1, dtype=dtype, device=x.device)
    if limits is not None:
        edges = [low + i * ((high - low) / n) for i in _range(n)] + [high]
        return lw.asarray(edges, dtype=dtype, device=x.device)
    work = float32 if dtype.bits == 16 else dtype
    least, most = lw.astype(lw.min(x), work), lw.astype(lw.max(x), work)
    alone = least == most
    least, most = lw.where(alone, least - 0.5, least), lw.where(alone, most + 0.5, most)
    steps = lw.asarray([float(i) for i in _range(n)], dtype=work, device=x.device)
    inner = steps * ((most - least) / n) + least
    return lw.astype(lw.concat([inner, lw.reshape(most, (1,))]), dtype, copy=False)


_range = range  # a parameter has its name


def _edge_dtype(x: Array) -> Any:
    return x.dtype if x.dtype.kind == "f" else lw.default_float_dtype()


def _limits(name: str, limits: Any) -> tuple[float, float]:
    try:
        low, high = map(float, limits)
    except (TypeError, ValueError):
        raise ValueError(f"{name}: range is two numbers; got {limits!r}") from None
    if not (math.isfinite(low) and math.isfinite(high) and low <= high):
        raise ValueError(f"{name}: range is two finite numbers in ascending order; got {limits!r}")
    return (low - 0.5, high + 0.5) if low == high else (low, high)


# --- estimators of how many bins there should be --------------------------------------------------------------------


def _estimated(name: str, x: Array, word: str, limits: Range) -> int:
    """Return how many bins an estimator makes of the values, which it looks at."""
    if word not in _WIDTHS:
        raise ValueError(f"{name}: bins is a number, edges, or one of {', '.join(map(repr, _WIDTHS))}; got {word!r}")
    whole = x.dtype.kind in "biu"
    x = lw.astype(lw.reshape(x, (-1,)), _edge_dtype(x), copy=False)
    if limits is not None:
        low, high = _limits(name, limits)
        x = x[lw.logical_and(x >= low, x <= high)]
    n = known_extent(x.shape, 0)
    if not n:
        return 1
    spread = float(lw.max(x)) - float(lw.min(x))
    width: float = _WIDTHS[word](x, n, spread)
    if not width:
        return 1
    span = spread if limits is None else high - low
    return max(math.ceil(span / (max(width, 1) if whole else width)), 1)


def _fd(x: Array, n: int, spread: float) -> float:
    low, high = lw.unstack(lw.percentile(x, [25, 75]))
    cells: float = n ** (1 / 3)
    return 2 * float(high - low) / cells


def _doane(x: Array, n: int, spread: float) -> float:
    deviation = float(lw.std(x))
    if n < 3 or not deviation:
        return 0.0
    skew = float(lw.mean(((x - lw.mean(x)) / deviation) ** 3))
    usual = math.sqrt(6 * (n - 2) / ((n + 1) * (n + 3)))
    return spread / (1 + math.log2(n) + math.log2(1 + abs(skew) / usual))


def _auto(x: Array, n: int, spread: float) -> float:
    return min(max(_fd(x, n, spread), spread / math.sqrt(n) / 2), spread / (math.log2(n) + 1))


#: NumPy's estimators of the width of a bin: of the values, how many there are, and how far they go.
_WIDTHS: dict[str, Any] = {
    "auto": _auto,
    "doane": _doane,
    "fd": _fd,
    "rice": lambda x, n, spread: spread / (2 * n ** (1 / 3)),
    "scott": lambda x, n, spread: (24 * math.sqrt(math.pi) / n) ** (1 / 3) * float(lw.std(x)),
    "sqrt": lambda x, n, spread: spread / math.sqrt(n),
    "sturges": lambda x, n, spread: spread / (math.log2(n) + 1),
}


# --- how many lie in each ---------------------------------------------------------------------------------------------


class HistogramResult(NamedTuple):
    """The result of `histogram`."""

    histogram: Array
    bin_edges: Array


class Histogram2dResult(NamedTuple):
    """The result of `histogram2d`."""

    histogram: Array
    x_edges: Array
    y_edges: Array


class HistogramddResult(NamedTuple):
    """The result of `histogramdd`."""

    histogram: Array
    bin_edges: tuple[Array, ...]


@composed
def histogram(
    x: Array,
    /,
    bins: Bins = 10,
    range: Range = None,
    density: bool = False,
    weights: Array | None = None,
    **unknown: Never,
) -> HistogramResult:
    """Count how many elements lie in each of some bins.

    Parameters
    ----------
    x: any shape, a real dtype.
    bins, range: as for `histogram_bin_edges`.
    density: whether to return the density: the counts divided by their sum and the widths of the bins.
    weights: of the shape of x, how much each element counts; None for 1 each.

    Returns
    -------
    A named tuple: `histogram`, int64 counts, or sums in the dtype of the weights, or a density in the dtype of the
    edges; and `bin_edges`. (jax.numpy's and PyTorch's counts are floats.)

    Raises
    ------
    ValueError: bins or a range that are none, or weights of another shape.

    Examples
    --------
    >>> import latticework as lw
    >>> counts, edges = lw.histogram(lw.asarray([0.0, 0.5, 1.0, 4.0]), bins=2)
    >>> counts, edges
    (Array([3, 1], dtype=int64), Array([0., 2., 4.], dtype=float32))
    """
    if unknown:
        raise unexpected("histogram", unknown)
    check_bool("histogram", "density", density)
    x = _operand("histogram", x)
    edges = _edges("histogram", x, bins, range)
    if isinstance(bins, str) or hasattr(bins, "__index__"):
        with _by_our_rules():
            if weights is None:
                return HistogramResult(_dense(_count_between(x, edges), [edges], density), edges)
            weights = as_operand(OPS["histogram"], weights)
            if weights.shape == x.shape and weights.dtype.kind == "f" and None not in x.shape:
                x = lw.astype(x, edges.dtype, copy=False)
                return HistogramResult(_dense(_sum_between(x, weights, edges), [edges], density), edges)
    return HistogramResult(_counted("histogram", [x], [edges], density, weights), edges)


@composed
def histogram2d(
    x: Array,
    /,
    y: Array,
    bins: Any = 10,
    range: Sequence[Range] | None = None,
    density: bool = False,
    weights: Array | None = None,
    **unknown: Never,
) -> Histogram2dResult:
    """Count how many points lie in each of some rectangles.

    Parameters
    ----------
    x, y: the coordinates of the points, arrays of one shape and a real dtype.
    bins: as for `histogram_bin_edges`, for both axes; or a pair, one for each.
    range: a pair of ranges, one for each axis.
    density: whether to return the density: the counts divided by their sum and the areas.
    weights: of the shape of x, how much each point counts.

    Returns
    -------
    A named tuple: `histogram`, a matrix of int64 counts, or of sums in the dtype of the weights, x along the first
    axis; `x_edges` and `y_edges`. (NumPy's counts are floats.)

    Raises
    ------
    ValueError: bins or a range that are none, or arrays of shapes that differ.

    Examples
    --------
    >>> import latticework as lw
    >>> x, y = lw.asarray([0.0, 0.1, 1.0]), lw.asarray([0.0, 1.0, 1.0])
    >>> lw.histogram2d(x, y, bins=2).histogram
    Array([[1, 1],
           [0, 1]], dtype=int64)
    """
    if unknown:
        raise unexpected("histogram2d", unknown)
    points = [_operand("histogram2d", a) for a in (x, y)]
    found, edges = _of_points("histogram2d", points, bins, range, density, weights)
    return Histogram2dResult(found, *edges)


@composed
def histogramdd(
    x: Array | Sequence[Array],
    /,
    bins: Any = 10,
    range: Sequence[Range] | None = None,
    density: bool = False,
    weights: Array | None = None,
    **unknown: Never,
) -> HistogramddResult:
    """Count how many points of any number of coordinates lie in each of some boxes.

    Parameters
    ----------
    x: a matrix with a point in each row; or a list of arrays of one shape, one for each coordinate.
    bins: as for `histogram_bin_edges`, for all axes; or a list or tuple of as many, one for each.
    range: as many ranges, one for each axis.
    density: whether to return the density: the counts divided by their sum and the volumes.
    weights: one for each point.

    Returns
    -------
    A named tuple: `histogram`, int64 counts or sums in the dtype of the weights, with an axis for each coordinate; and
    `bin_edges`, a tuple of the edges along each. (NumPy's counts are floats.)

    Raises
    ------
    ValueError: bins or a range that are none, or arrays of shapes that differ.

    Examples
    --------
    >>> import latticework as lw
    >>> points = lw.asarray([[0.0, 0.0], [0.1, 1.0], [1.0, 1.0]])
    >>> lw.histogramdd(points, bins=(2, 1)).histogram
    Array([[2],
           [1]], dtype=int64)
    """
    if unknown:
        raise unexpected("histogramdd", unknown)
    if isinstance(x, (list, tuple)):
        points = [_operand("histogramdd", a) for a in x]
    else:
        x = _operand("histogramdd", x)
        if x.ndim != 2:
            raise ValueError(f"histogramdd: takes a matrix of points, or a list of coordinates; got shape {x.shape}")
        points = list(lw.unstack(x, axis=1))
    return HistogramddResult(*_of_points("histogramdd", points, bins, range, density, weights))


def _of_points(
    name: str, points: list[Array], bins: Any, limits: Any, density: bool, weights: Array | None
) -> tuple[Array, tuple[Array, ...]]:
    check_bool(name, "density", density)
    count = len(points)
    several = isinstance(bins, (list, tuple))
    if several and len(bins) != count:
        if name == "histogram2d" and all(isinstance(b, (int, float)) for b in bins):
            several = False  # edges for both axes
        else:
            raise ValueError(f"{name}: takes bins for each of {count} coordinates; got {len(bins)}")
    if limits is not None and len(limits) != count:
        raise ValueError(f"{name}: takes a range for each of {count} coordinates; got {len(limits)}")
    chosen = bins if several else [bins] * count
    edges = tuple([_edges(name, points[i], chosen[i], None if limits is None else limits[i]) for i in _range(count)])
    return _counted(name, points, [*edges], density, weights), edges


@op("real floating", out="index", shape=lambda x, edges: (None if edges[0] is None else edges[0] - 1,))
def _count_between(x: Array, edges: Array, /) -> Array:
    """Count elements in bins of equal width."""
    n = known_extent(edges.shape, 0)
    flat = lw.reshape(x, (-1,))
    place = lw.where(flat == edges[-1], n - 1, lw.searchsorted(edges, flat, side="right"))
    return bincount(place, length=n + 1)[1:-1]


@op(
    "real floating", x="own", edges="own", shape=lambda x, weights, edges: (None if edges[0] is None else edges[0] - 1,)
)
def _sum_between(x: Array, weights: Array, edges: Array, /) -> Array:
    """Sum the weights of elements in bins of equal width."""
    n = known_extent(edges.shape, 0)
    flat = lw.reshape(x, (-1,))
    place = lw.where(flat == edges[-1], n - 1, lw.searchsorted(edges, flat, side="right"))
    return bincount(place, lw.reshape(weights, (-1,)), length=n + 1)[1:-1]


def _counted(name: str, points: list[Array], edges: list[Array], density: bool, weights: Array | None) -> Array:
    """Count the points in each box."""
    with _by_our_rules():
        return _counted_in_boxes(name, points, edges, density, weights)


def _counted_in_boxes(
    name: str, points: list[Array], edges: list[Array], density: bool, weights: Array | None
) -> Array:
    """Count the points at positions with one place more before the first bin and after the last."""
    shapes = [tuple(x.shape) for x in points] + ([] if weights is None else [tuple(weights.shape)])
    if any(len(s) != len(shapes[0]) or not all(map(may_equal, s, shapes[0])) for s in shapes):
        raise ValueError(f"{name}: arrays must have one shape; got {' and '.join(map(str, shapes))}")
    extents = [known_extent(e.shape, 0) for e in edges]
    place: Any = None
    for x, e, n in zip(points, edges, extents, strict=True):
        flat = lw.reshape(x, (-1,))
        at = lw.where(flat == e[-1], n - 1, lw.searchsorted(e, flat, side="right"))
        place = at if place is None else place * (n + 1) + at
    w = None if weights is None else lw.reshape(weights, (-1,))
    places = tuple([n + 1 for n in extents])
    found = lw.reshape(bincount(place, w, length=math.prod(places)), places)
    return _dense(found[tuple([slice(1, -1) for _ in places])], edges, density)


def _dense(found: Array, edges: list[Array], density: bool) -> Array:
    """Return counts, or the density that they make."""
    if not density:
        return found
    dtype = edges[0].dtype
    result = lw.astype(found, dtype, copy=False) / lw.sum(lw.astype(found, dtype, copy=False))
    for axis, e in enumerate(edges):
        widths = lw.diff(e)
        result = result / lw.reshape(widths, tuple(-1 if a == axis else 1 for a in _range(len(edges))))
    return result
