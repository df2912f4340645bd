"""Write to many positions of an array, or read from them: scatter, gather, segments, windows.

Every function returns a new array, but for `put_along_axis`, which writes as NumPy's does. All that write bring their
positions to one axis of an array of rows, and call `_scatter`, which the backends have.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from operator import index
from typing import Any, Literal, overload

from ..backend import of
from ..core.dtypes import SCALAR_KINDS, Dtype, bool_, int_limits, uint8
from ..core.registry import OPS
from ..core.registry import functions as lw
from ..engine.arrays.array import Array, wrapped
from ..engine.declare import composed, op
from ..engine.exchange.foreign import as_operand
from ..engine.exchange.output import target, written
from ..engine.keys.native_keys import cast_into, native_value
from ..engine.shapes.extents import broadcast_shapes, may_equal, one_axis
from .creation import arange, full, ones, zeros
from .linear_algebra import extents
from .manipulation import broadcast_to, moveaxis, reshape

Reduction = Literal["replace", "sum", "multiply", "min", "max", "mean"]

# --- what the backends have -------------------------------------------------------------------------------------------


@op(out="index", indices="index", shape="same")
def _positions(indices: Array, /, *, n: int, axis: int = 0, drop: bool = False) -> Array:
    """Check positions along an axis of n elements and count all of them from the start.

    `drop`: they number segments; negative ones become n, a row that is left out later.
    """
    ...


@op("all or storage", positions="index", shape="same")
def _scatter(x: Array, positions: Array, updates: Array, /, *, reduction: str) -> Array:
    """Bring rows together with the rows of x at positions along its first axis, all of them from 0 on."""
    ...


@op("all or storage", positions="index", shape=lambda x, *_, **options: x)
def _scatter_along_axis(x: Array, positions: Array, updates: Array, /, *, axis: int, reduction: str) -> Array:
    """Bring elements together with those of x at positions along an axis, which differ from slice to slice."""
    shape, at = extents("scatter", x), extents("scatter", positions)
    places = [reshape(_count_to(n, x), _along(i, len(at))) for i, n in enumerate(at)]
    places[axis] = positions
    flat = reshape(broadcast_to(_joined(places, shape), at), (-1,))
    return reshape(_scatter(reshape(x, (-1,)), flat, reshape(updates, (-1,)), reduction=reduction), shape)


@op("all or storage", positions="index", shape=lambda x, *_, **options: x)
def _add_slices(x: Array, positions: Array, updates: Array, /, *, axis: int) -> Array:
    """Add slices to those of x at positions along an axis."""
    return moveaxis(_scatter(moveaxis(x, axis, 0), positions, moveaxis(updates, axis, 0), reduction="sum"), 0, axis)


def _segments_shape(x: tuple[Any, ...], *_: Any, count: int, **options: Any) -> tuple[Any, ...]:
    """Replace the number of rows by the number of segments."""
    return (count, *x[1:])


@op("all", positions="index", shape=_segments_shape)
def _in_segments(x: Array, positions: Array, /, *, count: int, reduction: str) -> Array:
    """Bring the rows of each segment together. Rows of segment `count` are left out."""
    rest = extents("segment", x, range(1, x.ndim))
    start = full((count + 1, *rest), _identity(x.dtype, reduction), dtype=x.dtype, device=x.device)
    return _reduced(start, positions, x, reduction, include_self=reduction != "mean")[:count]


def _windows_shape(x: tuple[Any, ...], *, window: Any, axis: Any, **_: Any) -> tuple[Any, ...]:
    """Shorten each axis that a window slides along, and put the window's axes last."""
    result = [*x]
    for n, a in zip(window, axis, strict=True):
        result[a] = None if result[a] is None else result[a] - n + 1
    return (*result, *window)


@op("all or storage", shape=_windows_shape)
def _windows(x: Array, /, *, window: tuple[int, ...], axis: tuple[int, ...]) -> Array:
    """Take all windows of some extents along some axes."""
    for n, a in zip(window, axis, strict=True):
        (extent,) = extents("sliding_window_view", x, (a,))
        first, inside = arange(extent - n + 1, device=x.device), arange(n, device=x.device)
        x = moveaxis(lw.take(x, reshape(first, (-1, 1)) + inside, axis=a), a + 1, -1)
    return x


def _slice_shape(x: tuple[Any, ...], start: Any, *, size: tuple[int, ...], **_: Any) -> tuple[Any, ...]:
    return size


@op("all or storage", start="index", shape=_slice_shape)
def _dynamic_slice(x: Array, start: Array, /, *, size: tuple[int, ...]) -> Array:
    """Take a slice that begins at positions that lie in bounds."""
    for a, n in enumerate(size):
        x = lw.take(x, start[a] + _count_to(n, x), axis=a)
    return x


def _update_shape(x: tuple[Any, ...], update: Any, start: Any, **_: Any) -> tuple[Any, ...]:
    """Keep the shape of the array; its slice has as many axes, and there is a start for each."""
    if len(update) != len(x) or start not in ((len(x),), (None,)):
        raise ValueError(f"an update has as many axes as the array, and a start for each; got {x}, {update}, {start}")
    return x


@op("all or storage", start="index", shape=_update_shape)
def _dynamic_update_slice(x: Array, update: Array, start: Array, /) -> Array:
    """Write a slice that begins at positions that lie in bounds."""
    ndim = len(x.shape)
    shape, size = extents("dynamic_update_slice", x), extents("dynamic_update_slice", update)
    places = [reshape(start[a] + _count_to(n, x), _along(a, ndim)) for a, n in enumerate(size)]
    positions = broadcast_to(_joined(places, shape), size)
    flat = _scatter(reshape(x, (-1,)), reshape(positions, (-1,)), reshape(update, (-1,)), reduction="replace")
    return reshape(flat, shape)


def _count_to(n: int, x: Array) -> Array:
    """Make the positions 0, 1, 2, ..., n - 1 on the backend and device of x."""
    return arange(n, dtype=x._sig.backend.index_dtype, device=x.device)


def _along(axis: int, ndim: int) -> tuple[int, ...]:
    return (*(1 for _ in range(axis)), -1, *(1 for _ in range(axis + 1, ndim)))


def _joined(places: Sequence[Array], shape: Sequence[int]) -> Array:
    """Positions along each axis as positions in the flattened array."""
    result = places[0]
    for k, n in zip(places[1:], shape[1:], strict=False):
        result = result * n + k
    return result


# --- reductions -------------------------------------------------------------------------------------------------------

#: Names of reductions, here and elsewhere -> their names here.
REDUCTIONS = {
    "replace": "replace", "sum": "sum", "add": "sum", "multiply": "multiply", "prod": "multiply", "min": "min",
    "max": "max", "mean": "mean",
}  # fmt: skip


def _reduction(name: str, reduction: str) -> str:
    try:
        return REDUCTIONS[reduction]
    except (KeyError, TypeError):
        raise ValueError(
            f"{name}: reduction is 'replace', 'sum', 'multiply', 'min', 'max' or 'mean'; got {reduction!r}"
        ) from None


def _identity(dtype: Dtype, reduction: str) -> Any:
    """Return the result of a reduction of no elements."""
    if reduction == "multiply":
        return True if dtype.kind == "b" else 1
    if reduction in ("sum", "mean", "replace"):
        return False if dtype.kind == "b" else 0
    if dtype.kind == "b":
        return reduction == "min"
    if dtype.kind in "iu":
        limits = int_limits(dtype)
        return limits.max if reduction == "min" else limits.min
    return math.inf if reduction == "min" else -math.inf


def _check_dtype(name: str, dtype: Dtype, reduction: str) -> None:
    if dtype.kind == "c" and reduction in ("min", "max"):
        raise TypeError(f"{name}: complex numbers have no order, so no 'min' or 'max'; got an array of {dtype}")
    if dtype.storage and reduction != "replace":
        raise TypeError(f"{name}: {dtype} is a dtype for storage. Cast: lw.astype(x, lw.float32)")
    if dtype.kind not in "fc" and reduction == "mean":
        raise TypeError(
            f"{name}: a mean is no {dtype}, and the array keeps its dtype. Cast it: lw.astype(x, lw.float32)"
        )


def _into(name: str, x: Array, value: Any) -> Array:
    """A value as an array of x's dtype, by the rules of assignment."""
    if type(value) not in SCALAR_KINDS and not isinstance(value, (list, tuple)):
        value = as_operand(OPS[name], value, x._sig.backend)
    if isinstance(value, Array):
        if value.dtype is x.dtype:
            return value
        sig = x._sig
        cast = cast_into(name, sig.backend, value.dtype, sig.dtype)
        if cast is None:
            raise TypeError(
                f"{name}: {value.dtype} does not go into an array of {x.dtype}, whose dtype never changes. "
                f"Cast one of them: lw.astype(updates, lw.{x.dtype})"
            )
        return wrapped(cast(value._data), sig.backend.sig(sig.dtype))
    if isinstance(value, (list, tuple)):
        return _into(name, x, lw.asarray(value, device=x.device))
    try:
        return full((), native_value(x, value), dtype=x.dtype, device=x.device)
    except (TypeError, OverflowError) as error:
        raise type(error)(f"{name}: {str(error).removeprefix('setitem: ')}") from None


def _reduced(x: Array, positions: Array, updates: Array, reduction: str, include_self: bool = True) -> Array:
    """Bring rows together with rows of x by any reduction, on bools too."""
    if x.dtype.kind == "b" and reduction != "replace":  # or, and: on integers of the same size
        word = {"sum": "max", "multiply": "min"}.get(reduction, reduction)
        bits = [lw.astype(a, uint8) for a in (x, updates)]
        return lw.astype(_reduced(bits[0], positions, bits[1], word, include_self), bool_)
    if not include_self and reduction != "replace":
        start = broadcast_to(full((), _identity(x.dtype, reduction), dtype=x.dtype, device=x.device), updates.shape)
        x = _scatter(x, positions, start, reduction="replace")
    if reduction != "mean":
        return _scatter(x, positions, updates, reduction=reduction)
    total = _scatter(x, positions, updates, reduction="sum")
    once = ones(positions.shape, dtype=total.dtype, device=x.device)
    start = full((x.shape[0],), int(include_self), dtype=total.dtype, device=x.device)
    counts = _scatter(start, positions, once, reduction="sum")
    if not include_self:
        counts = lw.where(counts == 0, ones((), dtype=counts.dtype, device=x.device), counts)
    return lw.divide(total, reshape(counts, (-1, *(1 for _ in x.shape[1:]))))


def _shaped(x: Array, shape: tuple[int, ...]) -> Array:
    return x if x.shape == shape else reshape(x, shape)


def _at_rows(x: Array, places: Sequence[Array], updates: Array, reduction: str, include_self: bool = True) -> Array:
    """Write to the rows of x at positions along its first axes, from 0 on, which broadcast together."""
    k = len(places)
    shape = extents("scatter", x)
    positions = _joined(places, shape)
    rows = reshape(x, (math.prod(shape[:k]), *shape[k:])) if k != 1 else x
    count = math.prod(extents("scatter", positions))
    changed = _reduced(
        rows, _shaped(positions, (count,)), _shaped(updates, (count, *shape[k:])), reduction, include_self
    )
    return reshape(changed, shape) if k != 1 else changed


# --- gather and scatter -----------------------------------------------------------------------------------------------


def _coordinates(name: str, x: tuple[Any, ...], indices: Array, start: int = 0, *, check: bool = True) -> list[Array]:
    """Split coordinates along the last axis into positions along each axis.

    `check`: check them, and count them from the start.
    """
    if not indices.ndim:
        raise ValueError(f"{name}: the last axis of indices has the coordinates; got indices without axes")
    (k,) = extents(name, indices, (-1,))
    if k > len(x) - start:
        raise ValueError(
            f"{name}: the last axis of indices has the coordinates along the first axes, {len(x) - start} at most for "
            f"shape {x[start:]}; got indices of shape {indices.shape}"
        )
    if not check and indices.dtype.kind in "iu" and None not in x[start : start + k]:
        return [indices[..., j] for j in range(k)]
    return [_checked(name, indices[..., j], x[start + j], start + j) for j in range(k)]


def _checked(name: str, positions: Array, n: int | None, axis: int) -> Array:
    if n is None:
        raise ValueError(f"{name}: the extent of axis {axis} is not known before the array is computed")
    if positions.dtype.kind not in "iu":
        raise TypeError(f"{name}: positions are integers; got an array of {positions.dtype}")
    try:
        return _positions(positions, n=n, axis=axis)
    except IndexError as error:
        raise _out_of_bounds(name, positions, error) from None


def _out_of_bounds(name: str, positions: Array, error: IndexError) -> IndexError:
    """Return the error of positions that are out of bounds, in the name of the function that was called."""
    found = re.search(r"(index|segment) -?\d.*?(?=\. Got|$)", str(error))
    said = found[0] if found else str(error)
    return IndexError(f"{name}: {said}. Got positions in an array of shape {positions.shape}")


@composed
def gather_nd(x: Array, indices: Array, /, *, batch_dims: int = 0) -> Array:
    """Take the elements or slices of an array at coordinates along several axes.

    Parameters
    ----------
    x: at least one axis, any dtype.
    indices: integers of shape (..., k): along the last axis the coordinates along k axes of x. Negative ones count from
        the end.
    batch_dims: how many first axes x and indices have in common: the coordinates are those along the axes after them.

    Returns
    -------
    The dtype of x, in the shape of indices without the last axis, and then that of x after the axes that have
    coordinates: ``x[indices[..., 0], indices[..., 1], ...]``.

    Raises
    ------
    IndexError: a coordinate is out of bounds. Compiled by JAX, some element is taken instead.
    ValueError: more coordinates than axes, or first axes that differ.

    Notes
    -----
    TensorFlow's gather_nd, which refuses negative positions on a CPU and gives zeros on a GPU.

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.asarray([[1, 2], [3, 4]])
    >>> lw.gather_nd(x, lw.asarray([[0, 1], [-1, 0]]))
    Array([2, 3], dtype=int32)
    >>> lw.gather_nd(x, lw.asarray([[1], [0]]), batch_dims=1)
    Array([2, 3], dtype=int32)
    """
    x, indices = (as_operand(OPS["gather_nd"], a) for a in (x, indices))
    b = index(batch_dims)
    if not 0 <= b < max(indices.ndim, 1) or b > x.ndim:
        raise ValueError(
            f"gather_nd: batch_dims is the number of axes in common, before the last of indices; got {b} for shapes "
            f"{x.shape} and {indices.shape}"
        )
    if not all(map(may_equal, x.shape[:b], indices.shape[:b])):
        raise ValueError(f"gather_nd: the first {b} axes have to be equal; got shapes {x.shape} and {indices.shape}")
    places = _coordinates("gather_nd", x.shape, indices, b, check=False)
    ndim = indices.ndim - 1
    batch = [reshape(_count_to(n, x), _along(a, ndim)) for a, n in enumerate(extents("gather_nd", indices, range(b)))]
    if not (batch or places):
        return broadcast_to(x, (*indices.shape[:-1], *x.shape))
    if not places:
        return x[(*batch, ...)]
    try:
        return x[(*batch, *places)]
    except IndexError as error:
        raise _out_of_bounds("gather_nd", places[0], error) from None


@composed
def scatter_nd(
    indices: Array,
    updates: Array | complex,
    shape: tuple[int, ...],
    /,
    *,
    reduction: Reduction = "sum",
    out: Array | None = None,
) -> Array:
    """Make an array of zeros, and write elements or slices to coordinates along several of its axes.

    Parameters
    ----------
    indices: integers of shape (..., k): along the last axis the coordinates along the first k axes of the result.
        Negative ones count from the end.
    updates: what is written, in a shape that broadcasts to that of indices without its last axis and then
        ``shape[k:]``. Any dtype that the reduction takes.
    shape: the shape of the result.
    reduction: what becomes of several updates of one place: ``"sum"`` (or ``"add"``), ``"multiply"`` (``"prod"``),
        ``"min"``, ``"max"``, ``"mean"`` of them, or ``"replace"``: one of them.

    Returns
    -------
    The dtype of updates; for ``"mean"`` the default float if these are integers. Places without updates are 0.

    Raises
    ------
    IndexError: a coordinate is out of bounds. Compiled by JAX, what is beyond the end is left out instead.
    ValueError: shapes that do not fit, or another reduction.
    TypeError: complex updates for ``"min"`` or ``"max"``.

    Notes
    -----
    With ``"replace"``, the last of several updates of one place wins on NumPy and Dask. On the others it is not
    defined which does, as their own kernels leave it open. Bools have ``or`` for their sum and ``and`` for their
    product. The zeros do not take part in the reduction: `scatter` has the array to start from.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.scatter_nd(lw.asarray([[0, 1], [1, 0], [0, 1]]), lw.asarray([1, 2, 3]), (2, 2))
    Array([[0, 4],
           [2, 0]], dtype=int32)
    >>> lw.scatter_nd(lw.asarray([[2], [0], [2]]), lw.asarray([5.0, 2.0, 4.0]), (3,), reduction="min")
    Array([2., 0., 4.], dtype=float32)
    """
    word = _reduction("scatter_nd", reduction)
    indices = as_operand(OPS["scatter_nd"], indices)
    updates = as_operand(OPS["scatter_nd"], updates, indices._sig.backend)
    if word == "mean" and updates.dtype.kind in "biu":
        updates = lw.astype(updates, lw.result_type(updates, 1.0))
    _check_dtype("scatter_nd", updates.dtype, word)
    target = tuple(map(index, shape))
    places = _coordinates("scatter_nd", target, indices)
    x = zeros(target, dtype=updates.dtype, device=updates.device)
    updates = _fitting("scatter_nd", updates, (*indices.shape[:-1], *target[len(places) :]))
    if not places:
        raise ValueError(f"scatter_nd: indices have no coordinates; got shape {indices.shape}")
    result = _at_rows(x, places, updates, word, include_self=word in ("sum", "replace"))
    return result if out is None else written("scatter_nd", result, out)


def _fitting(name: str, updates: Array, shape: tuple[Any, ...]) -> Array:
    """Broadcast updates to the shape of the place that they are written to."""
    try:
        fits = broadcast_shapes(updates.shape, shape)
    except ValueError:
        fits = ()
    if len(fits) != len(shape) or not all(map(may_equal, fits, shape)):
        raise ValueError(f"{name}: updates have to broadcast to {shape}; got shape {updates.shape}")
    return updates if updates.shape == shape else broadcast_to(updates, shape)


@composed
def scatter(
    x: Array,
    indices: Array,
    updates: Array | complex,
    /,
    axis: int | None = None,
    *,
    reduction: Reduction = "replace",
    include_self: bool = True,
) -> Array:
    """Return the array with updates written to, or brought together with, its elements at some positions.

    Parameters
    ----------
    x: at least one axis, any dtype.
    indices: integers; negative ones count from the end. With an axis, positions along it, as many axes as x, and along
        the others at most the extents of x: ``x[i, indices[i, j]]`` is written ``updates[i, j]``. Without, of shape
        (..., k): along the last axis the coordinates along the first k axes of x.
    updates: what is written. It is cast to the dtype of x as in an assignment, and broadcasts to the shape of indices;
        without an axis to ``indices.shape[:-1] + x.shape[k:]``.
    axis: the axis of the positions; None for coordinates.
    reduction: ``"replace"``, ``"sum"`` (or ``"add"``), ``"multiply"`` (``"prod"``), ``"min"``, ``"max"``, ``"mean"``.
    include_self: whether the elements of x at the positions take part in the reduction.

    Returns
    -------
    The shape and dtype of x, in memory of its own.

    Raises
    ------
    IndexError: a position is out of bounds. Compiled by JAX, what is beyond the end is left out instead.
    ValueError: shapes that do not fit, or another reduction.
    TypeError: updates of a kind that does not go into x; complex for ``"min"``; integers for ``"mean"``.

    Notes
    -----
    With an axis this is ``torch.scatter`` and ``scatter_reduce``; without, TensorFlow's tensor_scatter_nd_update
    and its kin. With ``"replace"``, the last of several updates of one place wins on NumPy and Dask. On the others it
    is not defined which does. Sums are made in the dtype of x.

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.zeros((2, 3))
    >>> lw.scatter(x, lw.asarray([[0], [-1]]), 5.0, axis=1)
    Array([[5., 0., 0.],
           [0., 0., 5.]], dtype=float32)
    >>> lw.scatter(x, lw.asarray([[1], [1]]), lw.asarray([[1.0, 2, 3], [4, 5, 6]]), reduction="sum")
    Array([[0., 0., 0.],
           [5., 7., 9.]], dtype=float32)
    """
    word = _reduction("scatter", reduction)
    x, indices = (as_operand(OPS["scatter"], a) for a in (x, indices))
    _check_dtype("scatter", x.dtype, word)
    values = _into("scatter", x, updates)
    if axis is not None:
        return _scatter_along("scatter", x, indices, values, axis, word, include_self)
    places = _coordinates("scatter", x.shape, indices)
    if not places:
        raise ValueError(f"scatter: indices have no coordinates; got shape {indices.shape}")
    values = _fitting("scatter", values, (*indices.shape[:-1], *x.shape[len(places) :]))
    return _at_rows(x, places, values, word, include_self)


def _scatter_along(
    name: str, x: Array, indices: Array, updates: Array, axis: int, reduction: str, include_self: bool = True
) -> Array:
    """Write to positions along an axis, which differ from slice to slice."""
    a = one_axis(axis, x.shape)
    shape, at = extents(name, x), extents(name, indices)
    if len(at) != len(shape) or any(m > n for i, (m, n) in enumerate(zip(at, shape, strict=True)) if i != a):
        raise ValueError(
            f"{name}: indices have as many axes as x, and but for axis {a} at most its extents; got shapes {shape} and "
            f"{at}"
        )
    updates = _fitting(name, updates, at)
    positions = _checked(name, indices, shape[a], a)
    if (
        reduction != "mean"
        and (include_self or reduction == "replace")
        and (x.dtype.kind != "b" or reduction == "replace")
    ):
        return _scatter_along_axis(x, positions, updates, axis=a, reduction=reduction)
    places = [reshape(_count_to(n, x), _along(i, len(at))) for i, n in enumerate(at)]
    places[a] = positions
    flat = broadcast_to(_joined(places, shape), at)
    changed = _reduced(reshape(x, (-1,)), reshape(flat, (-1,)), reshape(updates, (-1,)), reduction, include_self)
    return reshape(changed, shape)


@overload
def put_along_axis(
    x: Array, /, indices: Array, values: Array | complex, axis: int | None = ..., *, inplace: Literal[True] = ...
) -> None: ...


@overload
def put_along_axis(
    x: Array, /, indices: Array, values: Array | complex, axis: int | None = ..., *, inplace: Literal[False]
) -> Array: ...


@composed
def put_along_axis(
    x: Array, /, indices: Array, values: Array | complex, axis: int | None = -1, *, inplace: bool = True
) -> Array | None:
    """Write values into an array, at positions along an axis that differ from slice to slice.

    Parameters
    ----------
    x: at least one axis, any dtype.
    indices: integers, as many axes as x; but for `axis`, its extents are those of x or 1. Negative ones count from the
        end. One axis, where `axis` is None.
    values: a number or an array that broadcasts to the shape of indices. It is cast to the dtype of x as in an
        assignment.
    axis: the axis of the positions; None for positions in the flattened array.
    inplace: whether the values are written into x, as NumPy does; with False, into a copy of it, as JAX does.

    Returns
    -------
    None, as NumPy's function; with ``inplace=False`` a new array of the shape and dtype of x.

    Raises
    ------
    IndexError: a position is out of bounds.
    ValueError: shapes that do not fit; a view of another array, to which frameworks without views cannot write.
    TypeError: in place, x is no `Array`. A framework's own array that never changes is a `BackendError`.

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.asarray([[10, 30, 20], [60, 40, 50]])
    >>> lw.put_along_axis(x, lw.argmax(x, axis=1, keepdims=True), 99, axis=1)
    >>> x
    Array([[10, 99, 20],
           [99, 40, 50]], dtype=int32)
    >>> lw.put_along_axis(x, lw.asarray([[0], [2]]), 1, axis=1, inplace=False)
    Array([[ 1, 99, 20],
           [99, 40,  1]], dtype=int32)
    """
    x, indices = target("put_along_axis", x, inplace), as_operand(OPS["put_along_axis"], indices)
    result = x
    if axis is None:
        if indices.ndim != 1:
            raise ValueError(
                f"put_along_axis: with axis=None, indices have one axis, of positions in the flattened array; got "
                f"shape {indices.shape}"
            )
        result, axis = reshape(x, (-1,)), 0
    a = one_axis(axis, result.shape)
    shape, at = extents("put_along_axis", result), extents("put_along_axis", indices)
    if len(at) != len(shape) or any(m not in (1, n) for i, (m, n) in enumerate(zip(at, shape, strict=True)) if i != a):
        raise ValueError(
            f"put_along_axis: indices have as many axes as x, and but for axis {a} its extents or 1; got shapes "
            f"{shape} and {at}"
        )
    updates = _into("put_along_axis", x, values)
    indices = broadcast_to(indices, tuple([m if i == a else n for i, (m, n) in enumerate(zip(at, shape, strict=True))]))
    result = _scatter_along("put_along_axis", result, indices, updates, a, "replace")
    result = result if result.shape == x.shape else reshape(result, x.shape)
    if not inplace:
        return result
    x[...] = result
    return None


@composed
def index_add(x: Array, indices: Array, updates: Array | complex, /, axis: int = 0) -> Array:
    """Return the array with slices added to its slices at some positions along an axis.

    Parameters
    ----------
    x: at least one axis, any numeric dtype; of bools the sum is ``or``.
    indices: integers along one axis; negative ones count from the end. Of a position that comes several times, all
        slices are added.
    updates: what is added: the shape of x, with as many slices along the axis as there are indices, or what broadcasts
        to that. It is cast to the dtype of x as in an assignment.
    axis: the axis of the positions.

    Returns
    -------
    The shape and dtype of x, in memory of its own. ``torch.index_add`` without its factor `alpha`.

    Raises
    ------
    IndexError: a position is out of bounds.
    ValueError: shapes that do not fit.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.index_add(lw.zeros((3, 2)), lw.asarray([0, -1, 0]), lw.asarray([[1.0, 1], [2, 2], [3, 3]]))
    Array([[4., 4.],
           [0., 0.],
           [2., 2.]], dtype=float32)
    """
    x, indices = (as_operand(OPS["index_add"], a) for a in (x, indices))
    if indices.ndim != 1:
        raise ValueError(f"index_add: indices have one axis; got shape {indices.shape}")
    _check_dtype("index_add", x.dtype, "sum")
    a = one_axis(axis, x.shape)
    shape = x.shape
    values = _fitting("index_add", _into("index_add", x, updates), (*shape[:a], indices.shape[0], *shape[a + 1 :]))
    positions = _checked("index_add", indices, shape[a], a)
    if not a:
        return _reduced(x, positions, values, "sum")
    if x.dtype.kind != "b":
        return _add_slices(x, positions, values, axis=a)
    return moveaxis(_reduced(moveaxis(x, a, 0), positions, moveaxis(values, a, 0), "sum"), 0, a)


# --- segments ---------------------------------------------------------------------------------------------------------

#: A number of elements, of a byte each, that is beyond what processors address.
_MOST = 2**57


def _segmented(name: str, x: Array, segments: Array, num_segments: int | None, reduction: str) -> Array:
    x, segments = (as_operand(OPS[name], a) for a in (x, segments))
    if reduction == "mean" and x.dtype.kind in "biu":
        x = lw.astype(x, lw.result_type(x, 1.0))
    _check_dtype(name, x.dtype, reduction)
    if segments.dtype.kind not in "iu":
        raise TypeError(f"{name}: segments are numbered by integers; got an array of {segments.dtype}")
    m = segments.ndim
    if not m or not all(map(may_equal, segments.shape, x.shape[:m])) or m > x.ndim:
        raise ValueError(
            f"{name}: segments have the shape of the first axes of x, one or more; got shapes {x.shape} and "
            f"{segments.shape}"
        )
    n = _count(name, segments) if num_segments is None else index(num_segments)
    if n < 0:
        raise ValueError(f"{name}: num_segments must not be negative; got {n}")
    if n >= _MOST:
        raise ValueError(f"{name}: {n} segments are more than a memory can have. Number them from 0 on")
    try:
        positions = _positions(segments if m == 1 else reshape(segments, (-1,)), n=n, drop=True)
    except IndexError as error:
        raise _out_of_bounds(name, segments, error) from None
    rest = extents(name, x, range(m, x.ndim))
    rows = reshape(x, (-1, *rest)) if m > 1 else x
    return _in_segments(rows, positions, count=n, reduction=reduction)


def _count(name: str, segments: Array) -> int:
    """Read how many segments there are."""
    try:
        return max(int(lw.max(segments)) + 1, 0) if segments.size else 0
    except Exception as error:  # frameworks have errors of their own for values that are traced
        raise ValueError(
            f"{name}: num_segments has to be given where segments have no values yet, as in a compiled function"
        ) from error


@composed
def segment_sum(x: Array, segments: Array, /, num_segments: int | None = None) -> Array:
    """Add the slices of each segment.

    Parameters
    ----------
    x: at least one axis, any numeric dtype; of bools the sum is ``or``.
    segments: integers in the shape of the first axes of x, one or more, in any order: the segment that each slice is
        in. Slices with negative ones are left out.
    num_segments: how many segments there are. By default, one more than the greatest of segments, whose values have to
        be known then: it has to be given in a compiled function.

    Returns
    -------
    Shape (num_segments, ...), with the axes of x after those of segments.
    The dtype of x, in which the sums are made; 0 for a segment without slices.

    Raises
    ------
    IndexError: the number of a segment is too large. Compiled by JAX, its slices are left out instead.
    ValueError: shapes that do not fit; no `num_segments` in a compiled function.

    Notes
    -----
    ``jax.ops.segment_sum`` and TensorFlow's unsorted_segment_sum.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.segment_sum(lw.asarray([1.0, 2.0, 3.0, 4.0]), lw.asarray([0, 2, 0, -1]))
    Array([4., 0., 2.], dtype=float32)
    """
    return _segmented("segment_sum", x, segments, num_segments, "sum")


@composed
def segment_prod(x: Array, segments: Array, /, num_segments: int | None = None) -> Array:
    """Multiply the slices of each segment.

    Parameters
    ----------
    x: at least one axis, any numeric dtype; of bools the product is ``and``.
    segments: integers in the shape of the first axes of x, one or more, in any order: the segment that each slice is
        in. Slices with negative ones are left out.
    num_segments: how many segments there are. By default, one more than the greatest of segments, whose values have to
        be known then: it has to be given in a compiled function.

    Returns
    -------
    Shape (num_segments, ...), with the axes of x after those of segments.
    The dtype of x; 1 for a segment without slices.

    Raises
    ------
    IndexError: the number of a segment is too large. Compiled by JAX, its slices are left out instead.
    ValueError: shapes that do not fit; no `num_segments` in a compiled function.

    Notes
    -----
    ``jax.ops.segment_prod`` and TensorFlow's unsorted_segment_prod.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.segment_prod(lw.asarray([1.0, 2.0, 3.0, 4.0]), lw.asarray([0, 2, 0, -1]))
    Array([3., 1., 2.], dtype=float32)
    """
    return _segmented("segment_prod", x, segments, num_segments, "multiply")


@composed
def segment_max(x: Array, segments: Array, /, num_segments: int | None = None) -> Array:
    """Find the greatest of the slices of each segment, element by element.

    Parameters
    ----------
    x: at least one axis, a real dtype.
    segments: integers in the shape of the first axes of x, one or more, in any order: the segment that each slice is
        in. Slices with negative ones are left out.
    num_segments: how many segments there are. By default, one more than the greatest of segments, whose values have to
        be known then: it has to be given in a compiled function.

    Returns
    -------
    Shape (num_segments, ...), with the axes of x after those of segments.
    The dtype of x; for a segment without slices -inf, or the least integer.

    Raises
    ------
    IndexError: the number of a segment is too large. Compiled by JAX, its slices are left out instead.
    ValueError: shapes that do not fit; no `num_segments` in a compiled function.

    Notes
    -----
    ``jax.ops.segment_max`` and TensorFlow's unsorted_segment_max, which has the
    least finite number for a segment without slices.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.segment_max(lw.asarray([1.0, 2.0, 3.0, 4.0]), lw.asarray([0, 2, 0, -1]))
    Array([  3., -inf,   2.], dtype=float32)
    """
    return _segmented("segment_max", x, segments, num_segments, "max")


@composed
def segment_min(x: Array, segments: Array, /, num_segments: int | None = None) -> Array:
    """Find the least of the slices of each segment, element by element.

    Parameters
    ----------
    x: at least one axis, a real dtype.
    segments: integers in the shape of the first axes of x, one or more, in any order: the segment that each slice is
        in. Slices with negative ones are left out.
    num_segments: how many segments there are. By default, one more than the greatest of segments, whose values have to
        be known then: it has to be given in a compiled function.

    Returns
    -------
    Shape (num_segments, ...), with the axes of x after those of segments.
    The dtype of x; for a segment without slices inf, or the greatest integer.

    Raises
    ------
    IndexError: the number of a segment is too large. Compiled by JAX, its slices are left out instead.
    ValueError: shapes that do not fit; no `num_segments` in a compiled function.

    Notes
    -----
    ``jax.ops.segment_min`` and TensorFlow's unsorted_segment_min, which has the
    greatest finite number for a segment without slices.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.segment_min(lw.asarray([1.0, 2.0, 3.0, 4.0]), lw.asarray([0, 2, 0, -1]))
    Array([ 1., inf,  2.], dtype=float32)
    """
    return _segmented("segment_min", x, segments, num_segments, "min")


@composed
def segment_mean(x: Array, segments: Array, /, num_segments: int | None = None) -> Array:
    """Average the slices of each segment.

    Parameters
    ----------
    x: at least one axis, any numeric dtype; integers are taken as the default float.
    segments: integers in the shape of the first axes of x, one or more, in any order: the segment that each slice is
        in. Slices with negative ones are left out.
    num_segments: how many segments there are. By default, one more than the greatest of segments, whose values have to
        be known then: it has to be given in a compiled function.

    Returns
    -------
    Shape (num_segments, ...), with the axes of x after those of segments.
    The floating dtype; 0 for a segment without slices.

    Raises
    ------
    IndexError: the number of a segment is too large. Compiled by JAX, its slices are left out instead.
    ValueError: shapes that do not fit; no `num_segments` in a compiled function.

    Notes
    -----
    TensorFlow's unsorted_segment_mean.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.segment_mean(lw.asarray([1.0, 2.0, 3.0, 4.0]), lw.asarray([0, 2, 0, -1]))
    Array([2., 0., 2.], dtype=float32)
    """
    return _segmented("segment_mean", x, segments, num_segments, "mean")


# --- updates by a key -------------------------------------------------------------------------------------------------


class At:
    """The elements of an array at a key, to be read or replaced. `at` makes it; each method but `get` gives an array.

    ``lw.at(x)[key]`` is the same as ``lw.at(x, key)``.
    """

    __slots__ = ("_key", "_x")

    def __init__(self, x: Array, key: Any = None, has_key: bool = False) -> None:
        self._x, self._key = x, (key,) if has_key else ()

    def __getitem__(self, key: Any) -> At:
        if self._key:
            raise TypeError("at: the key is given already")
        return At(self._x, key, True)

    def __repr__(self) -> str:
        return f"at({self._x!r}{''.join(f', {k!r}' for k in self._key)})"

    @property
    def _index(self) -> Any:
        if not self._key:
            raise TypeError("at: takes a key: lw.at(x, key).add(y) or lw.at(x)[key].add(y)")
        return self._key[0]

    def get(self) -> Array:
        """Return the elements: ``x[key]``."""
        return self._x[self._index]

    def set(self, values: Any, /) -> Array:
        """Return the array with other elements: ``x[key] = values`` on a copy."""
        key = self._index
        if (places := self._rows()) is not None:
            return self._scattered(places, values, "replace")
        result = lw.asarray(self._x, copy=True)
        result[key] = values
        return result

    def add(self, values: Any, /) -> Array:
        """Return the array with values added; of bools the sum is ``or``."""
        return self._changed(values, "sum", lambda x, y: x | y if x.dtype.kind == "b" else x + y)

    def subtract(self, values: Any, /) -> Array:
        """Return the array with values subtracted."""
        if self._x.dtype.kind == "b":
            raise TypeError("at: bools are not subtracted. Use lw.at(x, key).apply, or cast: lw.astype(x, lw.int8)")
        _check_dtype("at", self._x.dtype, "sum")
        return self.add(lw.negative(_into("at", self._x, values)))

    def multiply(self, values: Any, /) -> Array:
        """Return the array with values multiplied in; of bools the product is ``and``."""
        return self._changed(values, "multiply", lambda x, y: x & y if x.dtype.kind == "b" else x * y)

    def divide(self, values: Any, /) -> Array:
        """Return the array with elements divided by values; of several for one element, by their product."""
        if self._x.dtype.kind not in "fc":
            raise TypeError(
                f"at: a quotient is no {self._x.dtype}, and the array keeps its dtype. Cast: lw.astype(x, lw.float32)"
            )
        return self._by_product(values, lw.divide)

    def power(self, values: Any, /) -> Array:
        """Return the array with elements raised to values; of several for one element, to their product."""
        return self._by_product(values, lw.pow)

    def pow(self, values: Any, /) -> Array:
        """Return the array with elements raised to values: `power` by its name in the standard."""
        return self.power(values)

    def min(self, values: Any, /) -> Array:
        """Return the array with the smaller of each element and its values; nan where one of them is."""
        return self._changed(values, "min", lambda x, y: x & y if x.dtype.kind == "b" else lw.minimum(x, y))

    def max(self, values: Any, /) -> Array:
        """Return the array with the greater of each element and its values; nan where one of them is."""
        return self._changed(values, "max", lambda x, y: x | y if x.dtype.kind == "b" else lw.maximum(x, y))

    def apply(self, f: Callable[[Array], Any], /) -> Array:
        """Return the array with a function of its elements in their place, which is called once with all of them.

        An element that the key has several times is changed once; JAX and the `at` of NumPy's ufuncs change it as often
        as it comes.
        """
        return self.set(f(self.get()))

    def _changed(self, values: Any, reduction: str, once: Callable[[Array, Array], Array]) -> Array:
        x, key = self._x, self._index
        _check_dtype("at", x.dtype, reduction)
        values = _into("at", x, values)
        if not _repeats(key):
            return self.set(once(x[key], values))
        if (places := self._rows()) is not None:
            return self._scattered(places, values, reduction)
        size = math.prod(extents("at", x))
        where = reshape(_count_to(size, x), x.shape)[key]
        updates = reshape(_fitting("at", values, where.shape), (-1,))
        return reshape(_reduced(reshape(x, (size,)), reshape(where, (-1,)), updates, reduction), x.shape)

    def _by_product(self, values: Any, f: Callable[[Array, Array], Array]) -> Array:
        x, key = self._x, self._index
        _check_dtype("at", x.dtype, "sum")
        values = _into("at", x, values)
        if not _repeats(key):
            return self.set(f(x[key], values))
        return f(x, At(ones(x.shape, dtype=x.dtype, device=x.device), key, True).multiply(values))

    def _rows(self) -> list[Array] | None:
        """Return positions along the first axes, if the key has nothing but integer arrays for these; else None."""
        x, key = self._x, self._index
        keys = [*key] if isinstance(key, tuple) else [key]
        while keys and (keys[-1] is Ellipsis or (type(keys[-1]) is slice and keys[-1] == slice(None))):
            del keys[-1]
        if not _repeats(key) or not 0 < len(keys) <= x.ndim:
            return None
        if not all(isinstance(k, Array) and k.dtype.kind in "iu" and k._sig.backend is x._sig.backend for k in keys):
            return None
        return [_checked("at", k, n, a) for a, (k, n) in enumerate(zip(keys, x.shape, strict=False))]

    def _scattered(self, places: list[Array], values: Any, reduction: str) -> Array:
        x = self._x
        shape = (*broadcast_shapes(*[k.shape for k in places]), *x.shape[len(places) :])
        return _at_rows(x, places, _fitting("at", _into("at", x, values), shape), reduction)


def _repeats(key: Any) -> bool:
    """Return whether a key may select an element several times: it has integers in an array or a list."""
    for k in key if isinstance(key, tuple) else (key,):
        if isinstance(k, Array):
            if k.ndim and k.dtype.kind in "iu":
                return True
        elif (isinstance(k, (list, range)) or _is_array(k)) and lw.asarray(k).dtype.kind != "b":
            return True
    return False


def _is_array(k: Any) -> bool:
    """Return whether k is a framework's array, with axes."""
    return of(k) is not None and len(getattr(k, "shape", ())) > 0


@composed
def at(x: Array, /, *key: Any) -> At:
    """Select the elements of an array at a key, to replace them in a new array, or to add to them.

    Parameters
    ----------
    x: any shape and dtype.
    key: what square brackets take: ints, slices, arrays of positions or bools, or a tuple of these. It may be given in
        square brackets after the call instead.

    Returns
    -------
    An object whose methods give new arrays of the shape and dtype of x: `set`, `add`, `subtract`, `multiply`,
    `divide`, `power` (or `pow`), `min`, `max` take values that broadcast to ``x[key]`` and go into the dtype of x,
    `apply` takes a function; `get` gives ``x[key]``.

    Raises
    ------
    IndexError: a key that is out of bounds. Compiled by JAX, what is beyond the end is left out instead.
    TypeError: values of a kind that does not go into x; quotients of integers.
    ValueError: values that do not broadcast.

    Notes
    -----
    As ``x.at[key]`` of JAX and ``at(x, key)`` of array-api-extra. Where an element comes several times, all values are
    added, multiplied or compared. With `set` the last one wins on NumPy and Dask, and on the others it is not defined
    which does. A key with slices beside positions costs an array of positions of the size of x.

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.zeros(3)
    >>> lw.at(x, lw.asarray([0, 2, 0])).add(1)
    Array([2., 0., 1.], dtype=float32)
    >>> lw.at(x)[1:].set(lw.asarray([5, 7]))
    Array([0., 5., 7.], dtype=float32)
    """
    x = as_operand(OPS["at"], x)
    if len(key) > 1:
        raise TypeError(f"at: takes one key, a tuple for several axes: lw.at(x, (i, j)); got {len(key)}")
    return At(x, key[0], True) if key else At(x)


# --- windows and slices -----------------------------------------------------------------------------------------------


@composed
def sliding_window_view(
    x: Array, /, window_shape: int | tuple[int, ...], axis: int | tuple[int, ...] | None = None
) -> Array:
    """Take all windows of some extents that slide along some axes.

    Parameters
    ----------
    x: any shape and dtype.
    window_shape: the extent of the windows along each axis.
    axis: the axis or axes to slide along, one for each extent; None for all of x. An axis may come several times.

    Returns
    -------
    The dtype of x. Each axis becomes ``n - window + 1`` long, and the axes of the windows come after all the axes of x.
    On NumPy, PyTorch and Dask it shares the memory of x, and is not to be written to; on the others it is a copy.

    Raises
    ------
    ValueError: a window longer than its axis, or negative; not as many windows as axes.
    AxisError: an axis that x does not have.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.sliding_window_view(lw.asarray([1, 2, 3, 4]), 3)
    Array([[1, 2, 3],
           [2, 3, 4]], dtype=int32)
    """
    x = as_operand(OPS["sliding_window_view"], x)
    window = tuple(map(index, window_shape)) if isinstance(window_shape, Sequence) else (index(window_shape),)
    each = (axis,) if isinstance(axis, int) else axis
    axes = tuple(range(x.ndim)) if each is None else tuple([one_axis(a, x.shape) for a in each])
    if len(axes) != len(window):
        raise ValueError(f"sliding_window_view: takes a window for each axis; got {window} for axes {axes}")
    left: list[Any] = [*x.shape]
    for n, a in zip(window, axes, strict=True):
        if n < 0 or (left[a] is not None and n > left[a]):
            raise ValueError(
                f"sliding_window_view: windows must not be negative, nor longer than their axis; got {window} along "
                f"axes {axes} of shape {x.shape}"
            )
        left[a] = None if left[a] is None else left[a] - n + 1
    return _windows(x, window=window, axis=axes) if window else x


def _starts(name: str, x: Array, start: Any, size: tuple[int, ...]) -> tuple[int, ...] | Array:
    """Return where a slice begins, moved into bounds: ints, or an array if any start is in an array."""
    shape = extents(name, x)
    count = start.shape[0] if isinstance(start, Array) and start.ndim == 1 else len(start)
    if (
        len(size) != len(shape)
        or count != len(shape)
        or any(not 0 <= n <= m for n, m in zip(size, shape, strict=False))
    ):
        raise ValueError(
            f"{name}: takes a start and an extent for each axis, of 0 to the axis's own; got {count} starts and "
            f"extents {size} for shape {shape}"
        )
    last = [m - n for m, n in zip(shape, size, strict=True)]
    if not isinstance(start, Array) and all(hasattr(i, "__index__") and not isinstance(i, Array) for i in start):
        found = [index(i) for i in start]
        return tuple([min(max(i + m if i < 0 else i, 0), n) for i, m, n in zip(found, shape, last, strict=True)])
    if not isinstance(start, Array):
        parts = [i if isinstance(i, Array) else lw.asarray(i, backend=x.backend, device=x.device) for i in start]
        start = lw.stack([lw.astype(i, x._sig.backend.index_dtype) for i in parts])
    if start.dtype.kind not in "iu":
        raise TypeError(f"{name}: starts are integers; got an array of {start.dtype}")
    start = lw.astype(start, x._sig.backend.index_dtype)
    ends, lasts = (lw.asarray([*a], dtype=start.dtype, backend=x.backend, device=x.device) for a in (shape, last))
    return lw.clip(lw.where(start < 0, start + ends, start), lw.zeros_like(lasts), lasts)


@composed
def dynamic_slice(x: Array, start: Sequence[Any] | Array, size: tuple[int, ...], /) -> Array:
    """Take a slice of fixed extents that begins at positions which may be traced.

    Parameters
    ----------
    x: at least one axis, any dtype.
    start: where the slice begins along each axis: ints, integer arrays without axes, or one array of them. Negative
        ones count from the end. A slice that would go beyond the end is moved until it lies within, as in JAX.
    size: the extents of the slice, one for each axis.

    Returns
    -------
    Shape `size`, the dtype of x.

    Raises
    ------
    ValueError: not one start and one extent for each axis; an extent that is longer than the axis, or negative.

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.asarray([[1, 2, 3], [4, 5, 6]])
    >>> lw.dynamic_slice(x, (lw.asarray(0), lw.asarray(1)), (2, 2))
    Array([[2, 3],
           [5, 6]], dtype=int32)
    """
    x = as_operand(OPS["dynamic_slice"], x)
    extent = tuple(map(index, size))
    first = _starts("dynamic_slice", x, start, extent)
    if isinstance(first, Array):
        return _dynamic_slice(x, first, size=extent)
    return x[tuple([slice(i, i + n) for i, n in zip(first, extent, strict=True)])]


@composed
def dynamic_update_slice(x: Array, update: Array, start: Sequence[Any] | Array, /) -> Array:
    """Return the array with a slice replaced that begins at positions which may be traced.

    Parameters
    ----------
    x: at least one axis, any dtype.
    update: the new slice: as many axes as x. It is cast to the dtype of x as in an assignment.
    start: where the slice begins along each axis: ints, integer arrays without axes, or one array of them. Negative
        ones count from the end. A slice that would go beyond the end is moved until it lies within, as in JAX.

    Returns
    -------
    The shape and dtype of x, in memory of its own.

    Raises
    ------
    ValueError: not one start for each axis; a slice that is longer than an axis.
    TypeError: an update that does not go into the dtype of x.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.dynamic_update_slice(lw.zeros(4), lw.ones(2), (lw.asarray(3),))
    Array([0., 0., 1., 1.], dtype=float32)
    """
    x = as_operand(OPS["dynamic_update_slice"], x)
    update = _into("dynamic_update_slice", x, update)
    size = extents("dynamic_update_slice", update)
    first = _starts("dynamic_update_slice", x, start, size)
    if isinstance(first, Array):
        return _dynamic_update_slice(x, update, first)
    return At(x, tuple([slice(i, i + n) for i, n in zip(first, size, strict=True)]), True).set(update)
