"""NumPy's names for what is typed daily, so that code written for it runs. Other names of the standard's functions,
and compositions of them: nothing here is known to a backend.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, isnan
from operator import index
from typing import Any, Literal, Never

from ..core.dtypes import SCALAR_KINDS, DtypeLike, float32, float64, int64
from ..core.registry import OPS
from ..core.registry import functions as lw
from ..engine.arrays.array import Array, wrapped
from ..engine.declare import alias, composed, composed_with_plan, op
from ..engine.exchange.foreign import as_operand, as_operands
from ..engine.exchange.output import written
from ..engine.plans.advice import unexpected
from ..engine.shapes.extents import one_axis
from ..policy import current, unified_rules
from . import elementwise
from .conversion import asarray, astype
from .creation import full
from .data_types import promote_types_of_inputs
from .linear_algebra import extents
from .manipulation import concat, expand_dims, flip, permute_dims, reshape

# --- other names of the standard's functions ---------------------------------------------------------------------

absolute = alias("absolute", elementwise.abs, __name__)
arccos = alias("arccos", elementwise.acos, __name__)
arccosh = alias("arccosh", elementwise.acosh, __name__)
arcsin = alias("arcsin", elementwise.asin, __name__)
arcsinh = alias("arcsinh", elementwise.asinh, __name__)
arctan = alias("arctan", elementwise.atan, __name__)
arctan2 = alias("arctan2", elementwise.atan2, __name__)
arctanh = alias("arctanh", elementwise.atanh, __name__)
invert = alias("invert", elementwise.bitwise_invert, __name__)
left_shift = alias("left_shift", elementwise.bitwise_left_shift, __name__)
right_shift = alias("right_shift", elementwise.bitwise_right_shift, __name__)
conjugate = alias("conjugate", elementwise.conj, __name__)
power = alias("power", elementwise.pow, __name__)
mod = alias("mod", elementwise.remainder, __name__)


def _taken(name: str, x: Any) -> Array:
    """An operand of a composition: an `Array`, or a framework's own."""
    return x if type(x) is Array else as_operand(OPS[name], x)


# --- shapes ------------------------------------------------------------------------------------------------------


@composed
def array(
    object: Any,
    /,
    *surplus: Never,
    dtype: DtypeLike | None = None,
    copy: bool | None = True,
    device: Any = None,
    backend: str | None = None,
    **unknown: Never,
) -> Array:
    """An array of anything that can be one, in memory of its own: `asarray` with `copy=True`.

    Parameters
    ----------
    object, dtype, device, backend: as for `asarray`.
    copy: False to refuse any copy, None to copy where it has to be.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.array([1, 2], dtype="float64")
    Array([1., 2.], dtype=float64)
    """
    if unknown or surplus:
        raise unexpected("array", unknown, surplus)
    return asarray(object, dtype=dtype, copy=copy, device=device, backend=backend)


@composed
def transpose(x: Array, /, axes: Sequence[int] | None = None, **unknown: Never) -> Array:
    """The array with its axes in another order: `permute_dims`, and in reverse order by default.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.transpose(lw.zeros((2, 3, 4))).shape
    (4, 3, 2)
    """
    if unknown:
        raise unexpected("transpose", unknown)
    x = _taken("transpose", x)
    return permute_dims(x, tuple(range(x.ndim - 1, -1, -1)) if axes is None else tuple(axes))


@composed
def swapaxes(x: Array, /, axis1: int, axis2: int, **unknown: Never) -> Array:
    """The array with two axes exchanged.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.swapaxes(lw.zeros((2, 3, 4)), 0, -1).shape
    (4, 3, 2)
    """
    if unknown:
        raise unexpected("swapaxes", unknown)
    x = _taken("swapaxes", x)
    axes = [*range(x.ndim)]
    try:
        axes[axis1], axes[axis2] = axes[axis2], axes[axis1]
    except (IndexError, TypeError):
        for axis in (axis1, axis2):
            _from_start("swapaxes", x, axis)
        raise
    return permute_dims(x, tuple(axes))


@composed
def ravel(x: Array, /, order: Literal["C", "F"] = "C", **unknown: Never) -> Array:
    """All elements along one axis. It shares memory with x where it can.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.ravel(lw.asarray([[1, 2], [3, 4]]))
    Array([1, 2, 3, 4], dtype=int32)
    """
    if unknown:
        raise unexpected("ravel", unknown)
    return reshape(x, (-1,), order=order)


def _check_operands(name: str, *operands: Any) -> None:
    """Refuse lists, and under the strict rules Python scalars without an array, as functions that dispatch do."""
    alone = current().rules.name == "strict" and all(type(x) in SCALAR_KINDS for x in operands)
    for x in operands:
        if alone or isinstance(x, (list, tuple)):
            as_operand(OPS[name], x)


#: The number of axes to have at least -> the number that an array has -> where it gets those that it lacks.
_LACKING: dict[int, dict[int, tuple[int, ...]]] = {
    1: {0: (0,)},
    2: {0: (0, 1), 1: (0,)},
    3: {0: (0, 1, 2), 1: (0, 2), 2: (2,)},
}


def _raised(name: str, x: Array, ndim: int) -> Array:
    """Expand an array to at least `ndim` axes."""
    x = _taken(name, x)
    return expand_dims(x, _LACKING[ndim][x.ndim]) if x.ndim in _LACKING[ndim] else x


def _at_least(ndim: int, arrays: tuple[Array, ...]) -> Array | tuple[Array, ...]:
    """Expand arrays to at least `ndim` axes: return one array, or a tuple of several."""
    name = f"atleast_{ndim}d"
    result = tuple([_raised(name, x, ndim) for x in as_operands(OPS[name], arrays)])
    return result[0] if len(result) == 1 else result


@composed
def atleast_1d(*arrays: Array) -> Array | tuple[Array, ...]:
    """The array with one axis if it has none; a tuple of arrays for several.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.atleast_1d(lw.asarray(1))
    Array([1], dtype=int32)
    """
    return _at_least(1, arrays)


@composed
def atleast_2d(*arrays: Array) -> Array | tuple[Array, ...]:
    """The array with two axes if it has fewer: one of shape (n,) is a row. A tuple of arrays for several.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.atleast_2d(lw.asarray([1, 2]))
    Array([[1, 2]], dtype=int32)
    """
    return _at_least(2, arrays)


@composed
def atleast_3d(*arrays: Array) -> Array | tuple[Array, ...]:
    """The array with three axes if it has fewer: (1, n, 1) for n, (m, n, 1) for m and n. A tuple for several.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.atleast_3d(lw.asarray([1, 2])).shape
    (1, 2, 1)
    """
    return _at_least(3, arrays)


@composed
def flipud(x: Array, /, **unknown: Never) -> Array:
    """The rows in reverse order: `flip` along the first axis.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.flipud(lw.asarray([[1, 2], [3, 4]]))
    Array([[3, 4],
           [1, 2]], dtype=int32)
    """
    if unknown:
        raise unexpected("flipud", unknown)
    return flip(x, axis=0)


@composed
def fliplr(x: Array, /, **unknown: Never) -> Array:
    """The columns in reverse order: `flip` along the second axis.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.fliplr(lw.asarray([[1, 2], [3, 4]]))
    Array([[2, 1],
           [4, 3]], dtype=int32)
    """
    if unknown:
        raise unexpected("fliplr", unknown)
    return flip(x, axis=1)


# --- joining and splitting ---------------------------------------------------------------------------------------


@composed
def concatenate(
    arrays: Sequence[Array], /, axis: int | None = 0, *, out: Array | None = None, **unknown: Never
) -> Array:
    """Arrays one after the other along an axis that they have: `concat`.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.concatenate([lw.asarray([[1], [2]]), lw.asarray([[3], [4]])], 1)
    Array([[1, 3],
           [2, 4]], dtype=int32)
    """
    if unknown:
        raise unexpected("concatenate", unknown)
    return concat(arrays, axis=axis) if out is None else concat(arrays, axis=axis, out=out)


@composed_with_plan(shape="hstack")
def hstack(arrays: Sequence[Array], /) -> Array:
    """Arrays side by side: along the second axis, or the only one.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.hstack([lw.asarray([1, 2]), lw.asarray([3])])
    Array([1, 2, 3], dtype=int32)
    """
    result = [_raised("hstack", x, 1) for x in as_operands(OPS["hstack"], arrays, joined=True)]
    return concat(result, axis=0 if result and result[0].ndim == 1 else 1)


@composed_with_plan(shape="vstack")
def vstack(arrays: Sequence[Array], /) -> Array:
    """Arrays one below the other: along the first axis, those of one axis as rows.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.vstack([lw.asarray([1, 2]), lw.asarray([3, 4])])
    Array([[1, 2],
           [3, 4]], dtype=int32)
    """
    operands = as_operands(OPS["vstack"], arrays, joined=True)
    return concat([_raised("vstack", x, 2) for x in operands], axis=0)


@composed_with_plan(shape="dstack")
def dstack(arrays: Sequence[Array], /) -> Array:
    """Arrays one behind the other: along the third axis.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.dstack([lw.zeros((2, 3)), lw.ones((2, 3))]).shape
    (2, 3, 2)
    """
    operands = as_operands(OPS["dstack"], arrays, joined=True)
    return concat([_raised("dstack", x, 3) for x in operands], axis=2)


@composed_with_plan(shape="column_stack")
def column_stack(arrays: Sequence[Array], /) -> Array:
    """Arrays side by side, those of one axis as columns.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.column_stack([lw.asarray([1, 2]), lw.asarray([3, 4])])
    Array([[1, 3],
           [2, 4]], dtype=int32)
    """
    result = as_operands(OPS["column_stack"], arrays, joined=True)
    return concat([reshape(x, (-1, 1)) if x.ndim < 2 else x for x in result], axis=1)


@composed
def split(
    x: Array, /, indices_or_sections: int | Sequence[int] | Array, axis: int = 0, **unknown: Never
) -> list[Array]:
    """The parts of an array along an axis.

    Parameters
    ----------
    x: at least one axis, any dtype.
    indices_or_sections: into how many equal parts; or where each part but the first begins.
    axis: the axis to go along.

    Returns
    -------
    A list of arrays, which share memory with x.

    Raises
    ------
    ValueError: no equal parts. `array_split` gives parts of nearly equal length.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.split(lw.asarray([1, 2, 3, 4]), 2)
    [Array([1, 2], dtype=int32), Array([3, 4], dtype=int32)]
    """
    if unknown:
        raise unexpected("split", unknown)
    x = _taken("split", x)
    axis = _from_start("split", x, axis)
    if isinstance(indices_or_sections, int):
        (n,) = extents("split", x, (axis,))
        if indices_or_sections < 1 or n % indices_or_sections:
            raise ValueError(f"split: no {indices_or_sections} equal parts of {n}. Use lw.array_split")
    return _parts("split", x, indices_or_sections, axis)


@composed
def array_split(
    x: Array, /, indices_or_sections: int | Sequence[int] | Array, axis: int = 0, **unknown: Never
) -> list[Array]:
    """The parts of an array along an axis, as `split`; of a number of parts, the first may be longer by one.

    Examples
    --------
    >>> import latticework as lw
    >>> [part.shape for part in lw.array_split(lw.zeros(5), 3)]
    [(2,), (2,), (1,)]
    """
    if unknown:
        raise unexpected("array_split", unknown)
    x = _taken("array_split", x)
    return _parts("array_split", x, indices_or_sections, _from_start("array_split", x, axis))


def _parts(name: str, x: Array, indices_or_sections: Any, axis: int) -> list[Array]:
    """The parts of an array along an axis, which is counted from the start."""
    ends: list[int | None]
    if isinstance(indices_or_sections, int):
        parts = indices_or_sections
        if parts < 1:
            raise ValueError(f"{name}: takes at least one part; got {parts}")
        (n,) = extents(name, x, (axis,))
        ends = [n // parts * (i + 1) + min(i + 1, n % parts) for i in range(parts)]
    else:
        ends = [*_places(name, indices_or_sections), None]
    before = (slice(None),) * axis
    return [x[(*before, slice(start, end))] for start, end in zip([0, *ends[:-1]], ends, strict=True)]


def _places(name: str, indices: Any) -> list[int]:
    """Return the positions where the parts of a split begin, except the first."""
    try:
        return [index(i) for i in indices]
    except TypeError:
        got = f"an array of {indices.dtype}, shape {indices.shape}" if isinstance(indices, Array) else repr(indices)
        raise TypeError(f"{name}: takes a number of parts, or ints where parts begin; got {got}") from None


def _from_start(name: str, x: Array, axis: int) -> int:
    try:
        return one_axis(axis, x.shape)
    except (TypeError, IndexError) as error:
        raise type(error)(f"{name}: {error}") from None


@composed
def pad(
    x: Array,
    /,
    pad_width: int | Sequence[int] | Sequence[Sequence[int]],
    mode: Literal["constant", "edge", "reflect", "symmetric", "wrap"] = "constant",
    *,
    constant_values: Any = 0,
    **unknown: Never,
) -> Array:
    """The array with more elements before and after it along its axes.

    Parameters
    ----------
    x: any dtype.
    pad_width: how many: an int for all places, (before, after) for all axes, or such a pair for each axis.
    mode: what they are. "constant": `constant_values`; "edge": the nearest element; "reflect": the elements in
        reverse order, without the one at the edge, and "symmetric" with it; "wrap": those at the other end.
    constant_values: of mode "constant": one for all places, or in pairs as `pad_width`.

    Returns
    -------
    The dtype of x.

    Raises
    ------
    ValueError: negative widths; widths for another number of axes; an axis without elements in another mode
        than "constant".

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.asarray([1, 2, 3])
    >>> lw.pad(x, 1)
    Array([0, 1, 2, 3, 0], dtype=int32)
    >>> lw.pad(x, (2, 0), "reflect")
    Array([3, 2, 1, 2, 3], dtype=int32)
    """
    if unknown:
        raise unexpected("pad", unknown)
    x = _taken("pad", x)
    if mode == "constant" and type(pad_width) is int and pad_width >= 0 and type(constant_values) in (int, float):
        padded = x._sig.backend.padded
        if padded is not None and x.dtype in (float32, float64) and abs(constant_values) < _FINITE:
            return wrapped(padded(x._data, pad_width, constant_values), x._sig.strongly)
    try:
        widths = [tuple(map(index, pair)) for pair in _pairs(pad_width, x.ndim)]
    except TypeError:
        raise TypeError(f"pad: widths are ints; got {pad_width!r}") from None
    if any(n < 0 for pair in widths for n in pair):
        raise ValueError(f"pad: widths must not be negative; got {pad_width}")
    if mode == "constant":
        return _pad_with(x, widths, constant_values)
    with unified_rules():  # elements are moved, and keep their dtype under any rules
        return _pad_from(x, widths, mode)


def _pad_from(x: Array, widths: list[tuple[int, ...]], mode: str) -> Array:
    """Pad with elements of the array itself."""
    for axis, (before, after) in enumerate(widths):
        if before or after:
            if _carries(x) and x.shape[axis] is None:
                _padded(1, before, after, mode, x.device)  # refuses a mode that there is not
                x = lw.concat([x, x], axis=axis)  # its extent is not known either
                continue
            (n,) = extents("pad", x, (axis,))
            if not n:
                raise ValueError(f"pad: axis {axis} has no elements for mode {mode!r}")
            x = _extended(x, _padded(n, before, after, mode, x.device), before, after, axis)
    return x if any(map(any, widths)) else x.copy()


#: From this number of elements along an axis on, its ends are joined to it: to take all of them is slower.
_LONG = 64


def _extended(x: Array, places: Array, before: int, after: int, axis: int) -> Array:
    """Put the elements at the first and the last places before and after an axis."""
    (n,) = extents("pad", x, (axis,))
    if n < _LONG or x._sig.backend.lazy:
        return lw.take(x, places, axis=axis)
    first, last = places[:before], places[before + n :]
    parts = [lw.take(x, first, axis=axis)] * bool(before) + [x] + [lw.take(x, last, axis=axis)] * bool(after)
    return concat(parts, axis=axis)


#: Less than the largest number of float32.
_FINITE = 1e38


def _carries(x: Array) -> bool:
    """Return whether an array has no data: its unknown extents are carried along, those of others are computed."""
    return x._sig.backend.adopt is not None


def _pairs(widths: Any, ndim: int) -> list[Any]:
    """Return a pair for each axis, from a value for all places, a pair for all axes, or a pair for each axis."""
    if not isinstance(widths, (tuple, list)):
        return [(widths, widths)] * ndim
    if not any(isinstance(x, (tuple, list)) for x in widths):
        widths = [widths * 2 if len(widths) == 1 else widths]
    pairs = [tuple(p) * 2 if len(p) == 1 else tuple(p) for p in widths]
    pairs = pairs * ndim if len(pairs) == 1 else pairs
    if len(pairs) != ndim or any(len(p) != 2 for p in pairs):
        raise ValueError(f"pad: takes a (before, after) pair for each of {ndim} axes; got {widths}")
    return pairs


def _pad_with(x: Array, widths: list[tuple[int, ...]], values: Any) -> Array:
    values = _pairs(values, x.ndim)
    if x._sig.backend.lazy:  # nothing is written to: joined, it keeps the chunks that it has
        with unified_rules():
            return _joined_with(x, widths, values)
    if _carries(x) and None in x.shape:
        for value in {value for pair in values for value in pair}:
            asarray(value, dtype=x.dtype)  # refuses what the dtype does not hold
        sums = [None if n is None else n + sum(pair) for n, pair in zip(x.shape, widths, strict=True)]
        return lw.empty(tuple(sums), dtype=x.dtype, device=x.device)
    own = extents("pad", x)
    shape = tuple(n + before + after for n, (before, after) in zip(own, widths, strict=True))
    first = values[0][0] if values else 0
    result = full(shape, first, dtype=x.dtype, device=x.device)
    if any(value != first for pair in values for value in pair):  # later axes decide on the corners
        for axis, ((before, after), pair) in enumerate(zip(widths, values, strict=True)):
            for value, part in zip(pair, (slice(0, before), slice(shape[axis] - after, None)), strict=True):
                result[(*(slice(None),) * axis, part)] = asarray(value, dtype=x.dtype, device=x.device)
    result[tuple(slice(before, before + n) for n, (before, _) in zip(own, widths, strict=True))] = x
    return result


def _joined_with(x: Array, widths: list[tuple[int, ...]], values: list[Any]) -> Array:
    """Like `_pad_with`, for a lazy array: pad axis by axis, so that later axes decide on the corners."""
    result = x
    for axis, (width, pair) in enumerate(zip(widths, values, strict=True)):
        if not any(width):
            continue
        before, after = extents("pad", result, range(axis)), extents("pad", result, range(axis + 1, x.ndim))
        edges = [
            full((*before, n, *after), value, dtype=x.dtype, device=x.device)
            for n, value in zip(width, pair, strict=True)
        ]
        parts = [part for part, n in zip((edges[0], result, edges[1]), (width[0], 1, width[1]), strict=True) if n]
        result = lw.concat(parts, axis=axis)
    return result if result is not x else x.copy()


def _padded(n: int, before: int, after: int, mode: str, device: Any) -> Array:
    """Return which of the n elements each place of the padded axis holds."""
    places = lw.arange(-before, n + after, dtype=int64, device=device)
    match mode:
        case "edge":
            return lw.clip(places, 0, n - 1)
        case "wrap":
            return lw.remainder(places, n)
        case "symmetric":
            places = lw.remainder(places, 2 * n)
            return lw.minimum(places, 2 * n - 1 - places)
        case "reflect":
            places = lw.remainder(places, max(2 * n - 2, 1))
            return lw.minimum(places, 2 * n - 2 - places)
    raise ValueError(f"pad: there is no mode {mode!r}; there are constant, edge, reflect, symmetric, wrap")


# --- numbers -----------------------------------------------------------------------------------------------------


@composed
def amax(
    x: Array,
    /,
    axis: int | tuple[int, ...] | None = None,
    *,
    keepdims: bool = False,
    out: Array | None = None,
    **unknown: Never,
) -> Array:
    """The greatest element: `max`.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.amax(lw.asarray([[1, 2], [3, 4]]), 0)
    Array([3, 4], dtype=int32)
    """
    if unknown:
        raise unexpected("amax", unknown)
    result = lw.max(x, axis=axis, keepdims=keepdims)
    return result if out is None else written("amax", result, out)


@composed
def amin(
    x: Array,
    /,
    axis: int | tuple[int, ...] | None = None,
    *,
    keepdims: bool = False,
    out: Array | None = None,
    **unknown: Never,
) -> Array:
    """The least element: `min`.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.amin(lw.asarray([[1, 2], [3, 4]]), 0)
    Array([1, 2], dtype=int32)
    """
    if unknown:
        raise unexpected("amin", unknown)
    result = lw.min(x, axis=axis, keepdims=keepdims)
    return result if out is None else written("amin", result, out)


@composed
def cumsum(
    x: Array, /, axis: int | None = None, *, dtype: DtypeLike | None = None, out: Array | None = None, **unknown: Never
) -> Array:
    """Sums of the elements up to each: `cumulative_sum`, of the flattened array where no axis is given.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.cumsum(lw.asarray([[1, 2], [3, 4]]))
    Array([ 1,  3,  6, 10], dtype=int32)
    """
    if unknown:
        raise unexpected("cumsum", unknown)
    result = _cumsum(x, axis, dtype=dtype)
    return result if out is None else written("cumsum", result, out)


@composed_with_plan(shape="accumulate_flat")
def _cumsum(x: Array, /, axis: int | None = None, *, dtype: Any = None) -> Array:
    """The function without `out`: frameworks' rules have dtypes of their own for it."""
    return lw.cumulative_sum(ravel(x) if axis is None else x, axis=axis or 0, dtype=dtype)


@composed
def cumprod(
    x: Array, /, axis: int | None = None, *, dtype: DtypeLike | None = None, out: Array | None = None, **unknown: Never
) -> Array:
    """Products of the elements up to each: `cumulative_prod`, of the flattened array where no axis is given.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.cumprod(lw.asarray([[1, 2], [3, 4]]))
    Array([ 1,  2,  6, 24], dtype=int32)
    """
    if unknown:
        raise unexpected("cumprod", unknown)
    result = _cumprod(x, axis, dtype=dtype)
    return result if out is None else written("cumprod", result, out)


@composed_with_plan(shape="accumulate_flat")
def _cumprod(x: Array, /, axis: int | None = None, *, dtype: Any = None) -> Array:
    """The function without `out`: frameworks' rules have dtypes of their own for it."""
    return lw.cumulative_prod(ravel(x) if axis is None else x, axis=axis or 0, dtype=dtype)


@composed
def nan_to_num(
    x: Array,
    /,
    *,
    copy: bool = True,
    nan: float = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
    **unknown: Never,
) -> Array:
    """The array with numbers in place of nan and the infinities.

    Parameters
    ----------
    x: any dtype; only floating ones have anything to replace. In complex numbers, each component is by itself.
    copy: False to write into x and return it.
    nan: what stands for nan.
    posinf, neginf: what stands for the infinities; the greatest and the least number of the dtype by default.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nan_to_num(lw.asarray([1.0, float("nan"), float("inf")]), posinf=9)
    Array([1., 0., 9.], dtype=float32)
    """
    if unknown:
        raise unexpected("nan_to_num", unknown)
    x = _taken("nan_to_num", x)
    if not copy and x.dtype.kind not in "fc":
        return x
    result = _nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)
    if copy:
        return result
    x[...] = result
    return x


@composed_with_plan(shape="same")
def _nan_to_num(x: Array, /, *, nan: float, posinf: float | None, neginf: float | None) -> Array:
    if x.dtype.kind == "c":
        real, imaginary = (_nan_to_num(p, nan=nan, posinf=posinf, neginf=neginf) for p in (lw.real(x), lw.imag(x)))
        endless = [v for v in {nan, posinf or 0.0, neginf or 0.0} if not isfinite(v)]
        turned = (lw.where(lw.isfinite(imaginary), imaginary, 0.0) if endless else imaginary) * 1j
        for value in endless:  # times 1j, these would be nan in the real part
            which = lw.isnan(imaginary) if isnan(value) else imaginary == value
            turned = lw.where(which, asarray(complex(0, value), dtype=x.dtype, device=x.device), turned)
        return lw.where(lw.isfinite(x), x, astype(real, x.dtype) + turned)
    if x.dtype.kind != "f":
        return x.copy()
    return _finite(x, nan=nan, posinf=posinf, neginf=neginf)


@op("real floating", shape="same")
def _finite(x: Array, /, *, nan: float, posinf: float | None, neginf: float | None) -> Array:
    """Replace nan and infinities in real floats."""
    limits = lw.finfo(x.dtype)
    result = lw.where(lw.isnan(x), asarray(nan, dtype=x.dtype, device=x.device), x)
    for value, replacement, least in ((lw.inf, posinf, limits.max), (-lw.inf, neginf, limits.min)):
        if replacement != value:
            number = asarray(least if replacement is None else replacement, dtype=x.dtype, device=x.device)
            result = lw.where(x == value, number, result)
    return result


@composed_with_plan(shape="broadcast")
def isclose(
    x1: Array | complex,
    x2: Array | complex,
    /,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = False,
) -> Array:
    """Return whether the elements of each pair are nearly equal: ``abs(x1 - x2) <= atol + rtol * abs(x2)``.

    Parameters
    ----------
    x1, x2: numeric or bool dtypes and shapes that broadcast together. Integers are compared as float64.
    rtol, atol: how far apart they may be, relative to x2 and besides.
    equal_nan: whether nan is close to nan.

    Returns
    -------
    A bool array. An infinity is close to itself alone.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.isclose(lw.asarray([1.0, 2.0]), lw.asarray([1.000001, 2.1]))
    Array([ True, False], dtype=bool)
    """
    _check_operands("isclose", x1, x2)
    x1, x2 = promote_types_of_inputs(x1, x2)
    if x1.dtype.kind in "biu":
        x1, x2 = astype(x1, float64), astype(x2, float64)
    return _isclose(x1, x2, rtol=rtol, atol=atol, equal_nan=equal_nan)


@op("floating", out="bool", shape="broadcast")
def _isclose(x1: Array, x2: Array, /, *, rtol: float, atol: float, equal_nan: bool) -> Array:
    """Compare floats of one dtype.

    Of an infinity and a number, the difference is infinite and so is the bound: the equality decides instead.
    """
    near = lw.logical_and(lw.abs(x1 - x2) <= lw.abs(x2) * rtol + atol, lw.isfinite(x2))
    close = lw.logical_or(near, x1 == x2)
    return lw.logical_or(close, lw.logical_and(lw.isnan(x1), lw.isnan(x2))) if equal_nan else close


@composed
def allclose(
    x1: Array | complex,
    x2: Array | complex,
    /,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = False,
    **unknown: Never,
) -> bool:
    """Return whether all elements are nearly equal, in pairs: see `isclose`.

    Returns
    -------
    A Python bool, True where there are no elements.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.allclose(lw.asarray([1.0, 2.0]), lw.asarray([1.000001, 2.0]))
    True
    """
    if unknown:
        raise unexpected("allclose", unknown)
    return bool(lw.all(isclose(x1, x2, rtol, atol, equal_nan)))


@composed
def array_equal(x1: Array, x2: Array, /, equal_nan: bool = False, **unknown: Never) -> bool:
    """Return whether two arrays have the same shape and equal elements.

    Parameters
    ----------
    x1, x2: any dtypes that promote to a common one, in which they are compared.
    equal_nan: whether nan equals nan.

    Returns
    -------
    A Python bool.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.array_equal(lw.asarray([1, 2]), lw.asarray([1.0, 2.0]))
    True
    """
    if unknown:
        raise unexpected("array_equal", unknown)
    x1, x2 = as_operands(OPS["array_equal"], (x1, x2), joined=True)
    if None in (*x1.shape, *x2.shape):
        x1, x2 = x1.compute(), x2.compute()
    if x1.shape != x2.shape:
        return False
    equal = x1 == x2
    if equal_nan and "b" not in (x1.dtype.kind, x2.dtype.kind):
        equal = lw.logical_or(equal, lw.logical_and(lw.isnan(x1), lw.isnan(x2)))
    return bool(lw.all(equal))


# --- products ----------------------------------------------------------------------------------------------------


@composed
def dot(x1: Array, x2: Array, /, out: Array | None = None, **unknown: Never) -> Array:
    """Sum of products over the last axis of x1 and the last but one of x2, or its only one.

    Parameters
    ----------
    x1, x2: numeric dtypes. The matrix product for two axes each, the plain product if one has none.

    Returns
    -------
    The common dtype. Its shape is that of x1 without the axis summed over, and then that of x2 without it.

    Raises
    ------
    ValueError: shapes that do not fit.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.dot(lw.asarray([1, 2]), lw.asarray([3, 4]))
    Array(11, dtype=int32)
    """
    if unknown:
        raise unexpected("dot", unknown)
    if out is not None:
        return written("dot", dot(x1, x2), out)
    x1, x2 = as_operands(OPS["dot"], (x1, x2), joined=True)
    if not x1.ndim or not x2.ndim:
        return x1 * x2
    if x2.ndim <= 2:
        return lw.matmul(x1, x2)
    return lw.tensordot(x1, x2, axes=((x1.ndim - 1,), (x2.ndim - 2,)))
