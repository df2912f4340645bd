"""Order, sets, bins: sort, search, unique elements, histograms, closeness."""

from __future__ import annotations

import operator
from typing import Any, NamedTuple

import numpy as np

import latticework as lw

from ..core import as_array, dialect, ops, our_dtype
from ..keys import taking_keys
from ..scalars import above
from .creation import asarray, linspace
from .data_types import float_of
from .picking import _sized, flatnonzero, known

# --- sort and search ------------------------------------------------------------------------------------------------


def _check_sort(name: str, kind: Any, order: Any) -> None:
    if kind is not None:
        raise TypeError(f"{name}: 'kind' is not supported. Use stable=True or stable=False")
    if order is not None:
        raise TypeError(f"{name}: 'order' is not supported")


def _flat(a: Any, axis: Any) -> tuple[Any, int]:
    if axis is None:
        return ops.reshape(a, (a.size,)), 0
    axis = operator.index(axis)
    if not a.ndim:
        raise ValueError(f"axis {axis} is out of bounds for array of dimension 0")
    return a, axis


def sort(
    a: Any, axis: int | None = -1, *, kind: None = None, order: None = None, stable: bool = True,
    descending: bool = False,
) -> Any:  # fmt: skip
    _check_sort("sort", kind, order)
    a, axis = _flat(as_array(a, "sort"), axis)
    return ops.sort(a, axis=axis, descending=descending)


def argsort(
    a: Any, axis: int | None = -1, *, kind: None = None, order: None = None, stable: bool = True,
    descending: bool = False, dtype: Any = None,
) -> Any:  # fmt: skip
    _check_sort("argsort", kind, order)
    a, axis = _flat(as_array(a, "argsort"), axis)
    found = ops.argsort(a, axis=axis, descending=descending, stable=stable)
    return found if dtype is None else ops.astype(found, our_dtype(dtype))


def sort_complex(a: Any) -> Any:
    a = sort(a)
    return ops.astype(a, our_dtype("complex64" if a.itemsize <= 4 else "complex128")) if a.dtype.kind != "c" else a


def lexsort(keys: Any, axis: int = -1) -> Any:
    keys = [as_array(k, "lexsort") for k in keys]
    if not keys:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    if len({k.shape for k in keys}) > 1:
        raise ValueError("all keys need to be the same shape")
    if not keys[0].ndim:
        return ops.zeros((), dtype=our_dtype(int))
    found = ops.argsort(keys[0], axis=axis)
    for k in keys[1:]:
        found = ops.take_along_axis(found, ops.argsort(ops.take_along_axis(k, found, axis=axis), axis=axis), axis=axis)
    return found


def partition(a: Any, kth: int, axis: int = -1) -> Any:
    a = as_array(a, "partition")
    _check_partition("partition", a, kth, axis)
    return ops.partition(a, kth, axis)


def argpartition(a: Any, kth: int, axis: int = -1) -> Any:
    a = as_array(a, "argpartition")
    _check_partition("argpartition", a, kth, axis)
    return ops.astype(ops.argpartition(a, kth, axis), our_dtype("int32"))


def _check_partition(name: str, a: Any, kth: int, axis: int) -> None:
    if a.dtype.kind == "c":
        raise NotImplementedError(f"{name} for complex dtype is not implemented.")
    if not -a.ndim <= operator.index(axis) < a.ndim:
        raise ValueError(f"axis {axis} is out of bounds for array of dimension {a.ndim}")
    if not -a.shape[axis] <= kth < a.shape[axis]:
        raise ValueError(f"axis {kth} is out of bounds for array of dimension {a.shape[axis]}")


def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None, *, method: str = "scan") -> Any:
    a, v = as_array(a, "searchsorted"), as_array(v, "searchsorted")
    if side not in ("left", "right"):
        raise ValueError(f"{side!r} is an invalid value for keyword 'side'. Expected one of ['left', 'right'].")
    if method not in ("scan", "scan_unrolled", "sort", "compare_all"):
        raise ValueError(f"{method!r} is an invalid value for keyword 'method'.")
    if a.ndim != 1:
        raise ValueError("a should be 1-dimensional")
    more = {} if sorter is None else {"sorter": as_array(sorter)}
    return ops.searchsorted(a, v, side=side, **more)


def digitize(x: Any, bins: Any, right: bool = False, *, method: str | None = None) -> Any:
    x, bins = as_array(x, "digitize"), as_array(bins, "digitize")
    if bins.ndim != 1:
        raise ValueError(f"digitize: bins must be a 1-dimensional array; got bins={bins}")
    side = "right" if not right else "left"
    if not bins.shape[0]:
        return ops.zeros(x.shape, dtype=our_dtype("int32"))
    if bool(bins[-1] >= bins[0]):
        return searchsorted(bins, x, side)
    return bins.shape[0] - searchsorted(ops.flip(bins), x, side)


# --- equality -------------------------------------------------------------------------------------------------------


def isclose(a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: bool = False) -> Any:
    a, b = as_array(a, "isclose"), as_array(b, "isclose")
    if isinstance(rtol, float) and isinstance(atol, float):
        return ops.isclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)
    close = ops.less_equal(ops.abs(a - b), atol + rtol * ops.abs(b))
    finite = ops.logical_and(ops.isfinite(a), ops.isfinite(b))
    close = ops.logical_or(ops.logical_and(finite, close), ops.equal(a, b))
    return ops.logical_or(close, ops.logical_and(ops.isnan(a), ops.isnan(b))) if equal_nan else close


def allclose(a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: bool = False) -> Any:
    return ops.all(isclose(a, b, rtol, atol, equal_nan))


def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> Any:
    if above.are_keys(a1) and above.are_keys(a2):
        a1, a2 = a1._data, a2._data
    a1, a2 = as_array(asarray(a1)), as_array(asarray(a2))
    if a1.shape != a2.shape:
        return asarray(False)
    same = ops.equal(a1, a2)
    if equal_nan:
        same = ops.logical_or(same, ops.logical_and(ops.isnan(a1), ops.isnan(a2)))
    return ops.all(same)


def array_equiv(a1: Any, a2: Any) -> Any:
    a1, a2 = as_array(asarray(a1)), as_array(asarray(a2))
    try:
        return ops.all(ops.equal(a1, a2))
    except ValueError:
        return asarray(False)


def isin(
    element: Any, test_elements: Any, assume_unique: bool = False, invert: bool = False, *, method: str = "auto"
) -> Any:
    element, test_elements = as_array(element, "isin"), as_array(test_elements, "isin")
    if method not in ("auto", "compare_all", "binary_search", "sort"):
        raise ValueError(f"isin: method is 'auto', 'compare_all', 'binary_search' or 'sort'; got {method!r}")
    return ops.isin(element, test_elements, invert=invert)


# --- sets -----------------------------------------------------------------------------------------------------------


class UniqueAll(NamedTuple):
    """The result of `unique_all`."""

    values: Any
    indices: Any
    inverse_indices: Any
    counts: Any


class UniqueCounts(NamedTuple):
    """The result of `unique_counts`."""

    values: Any
    counts: Any


class UniqueInverse(NamedTuple):
    """The result of `unique_inverse`."""

    values: Any
    inverse_indices: Any


def unique(
    ar: Any, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False,
    axis: int | None = None, *, equal_nan: bool = True, size: int | None = None, fill_value: Any = None,
    sorted: bool = True,
) -> Any:  # fmt: skip
    from ..transformations import weakened

    ar = as_array(ar, "unique")
    if size and not ar.size and fill_value is None:
        raise ValueError("unique: of no elements there is nothing to fill with: give fill_value")
    values, index, inverse, counts = [known(x) for x in ops.unique(ar, True, True, True, axis, equal_nan=equal_nan)]
    if size is not None:
        first = ops.take(values, ops.zeros((1,), dtype=lw.int32), axis=axis or 0) if values.shape[axis or 0] else 0
        fill = first if fill_value is None else as_array(fill_value)
        values = ops.moveaxis(values, axis or 0, 0)
        fill = (
            ops.moveaxis(fill, axis or 0, 0) if getattr(fill, "ndim", 0) == values.ndim and fill_value is None else fill
        )
        values = ops.moveaxis(_sized(values, size, fill), 0, axis or 0)
        index = _sized(index, size, index[:1] if index.shape[0] else 0)
        counts = _sized(counts, size, 0)
    found = [weakened(values, [ar.weak_type])]
    integer = our_dtype("int32") if not _wide() else our_dtype("int64")
    for wanted, x in ((return_index, index), (return_inverse, inverse), (return_counts, counts)):
        if wanted:
            found.append(ops.astype(x, integer))
    return found[0] if len(found) == 1 else tuple(found)


def _wide() -> bool:
    from ..core import enabled

    return enabled()


def unique_all(x: Any, /, *, size: int | None = None, fill_value: Any = None) -> UniqueAll:
    return UniqueAll(*unique(x, True, True, True, equal_nan=False, size=size, fill_value=fill_value))


def unique_counts(x: Any, /, *, size: int | None = None, fill_value: Any = None) -> UniqueCounts:
    return UniqueCounts(*unique(x, return_counts=True, equal_nan=False, size=size, fill_value=fill_value))


def unique_inverse(x: Any, /, *, size: int | None = None, fill_value: Any = None) -> UniqueInverse:
    return UniqueInverse(*unique(x, return_inverse=True, equal_nan=False, size=size, fill_value=fill_value))


def unique_values(x: Any, /, *, size: int | None = None, fill_value: Any = None) -> Any:
    return unique(x, equal_nan=False, size=size, fill_value=fill_value)


def _joined(ar1: Any, ar2: Any, name: str) -> tuple[Any, Any]:
    """Return both arrays flattened, in one dtype."""
    from .data_types import result_type

    ar1, ar2 = as_array(ar1, name), as_array(ar2, name)
    dtype = our_dtype(result_type(ar1, ar2))
    return tuple(ops.reshape(ops.astype(x, dtype), (-1,)) for x in (ar1, ar2))


def union1d(ar1: Any, ar2: Any, *, size: int | None = None, fill_value: Any = None) -> Any:
    return unique(ops.concat([*_joined(ar1, ar2, "union1d")]), size=size, fill_value=fill_value)


def intersect1d(
    ar1: Any, ar2: Any, assume_unique: bool = False, return_indices: bool = False, *, size: int | None = None,
    fill_value: Any = None,
) -> Any:  # fmt: skip
    a, b = _joined(ar1, ar2, "intersect1d")
    first, ind1 = unique(a, return_index=True) if not assume_unique else (a, ops.arange(a.shape[0]))
    second, ind2 = unique(b, return_index=True) if not assume_unique else (b, ops.arange(b.shape[0]))
    kept1, kept2 = known(flatnonzero(isin(first, second))), known(flatnonzero(isin(second, first)))
    if assume_unique:
        order = ops.argsort(first[kept1], axis=0)
        kept1 = kept1[order]
        kept2 = kept2[ops.argsort(second[kept2], axis=0)]
    found = [first[kept1], ind1[kept1], ind2[kept2]]
    if size is not None:
        fill = _first_or_zero(found[0]) if fill_value is None else fill_value
        found = [_sized(found[0], size, fill), _sized(found[1], size, a.shape[0]), _sized(found[2], size, b.shape[0])]
    return tuple(found) if return_indices else found[0]


def setdiff1d(
    ar1: Any, ar2: Any, assume_unique: bool = False, *, size: int | None = None, fill_value: Any = None
) -> Any:
    a, b = as_array(ar1, "setdiff1d"), as_array(ar2, "setdiff1d")
    a = ops.reshape(a, (-1,)) if assume_unique else unique(a)
    found = a[flatnonzero(isin(a, b, invert=True))]
    return found if size is None else _sized(found, size, 0 if fill_value is None else fill_value)


def setxor1d(
    ar1: Any, ar2: Any, assume_unique: bool = False, *, size: int | None = None, fill_value: Any = None
) -> Any:
    a, b = _joined(ar1, ar2, "setxor1d")
    a, b = (a, b) if assume_unique else (unique(a), unique(b))
    both = ops.concat([a[flatnonzero(isin(a, b, invert=True))], b[flatnonzero(isin(b, a, invert=True))]])
    found = ops.sort(both)
    return found if size is None else _sized(found, size, _first_or_zero(found) if fill_value is None else fill_value)


def _first_or_zero(x: Any) -> Any:
    """Return what stands after the elements where nothing is given to fill with."""
    x = known(x)
    return x[0] if x.shape[0] else 0


# --- bins -----------------------------------------------------------------------------------------------------------


def bincount(
    x: Any, weights: Any = None, minlength: int = 0, *, length: int | None = None, out_sharding: Any = None
) -> Any:
    x = as_array(x, "bincount")
    if x.dtype.kind not in "biu":
        raise TypeError(f"x argument to bincount must have an integer type; got {x.dtype}")
    if x.ndim != 1:
        raise ValueError("only 1-dimensional input supported.")
    minlength = operator.index(minlength)
    if minlength < 0:
        raise ValueError("minlength must be non-negative")
    x = ops.astype(x, lw.int32) if x.dtype.kind == "b" else x
    if length is None:
        length = max(minlength, int(ops.max(x)) + 1 if x.size else 0)
    weights = ops.astype(as_array(1), our_dtype("int32")) if weights is None else as_array(weights)
    start = ops.zeros((length,), dtype=weights._array.dtype)
    return start.at[ops.clip(x, 0, None)].add(weights, mode="drop")


def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
    if isinstance(bins, str):
        raise NotImplementedError("string values for `bins` not implemented.")
    a, bins = as_array(a, "histogram_bin_edges"), as_array(bins, "histogram_bin_edges")
    dtype = float_of(a)
    if bins.ndim == 1:
        return ops.astype(bins, our_dtype(dtype))
    low, high = (ops.min(a), ops.max(a)) if range is None else (as_array(range[0]), as_array(range[1]))
    low, high = ops.astype(low, our_dtype(dtype)), ops.astype(high, our_dtype(dtype))
    same = ops.equal(low, high)
    low, high = ops.where(same, low - 0.5, low), ops.where(same, high + 0.5, high)
    return linspace(low, high, int(bins) + 1, dtype=dtype)


def histogram(
    a: Any, bins: Any = 10, range: Any = None, weights: Any = None, density: bool | None = None
) -> tuple[Any, Any]:
    counts, (edges,) = _histogram([as_array(a, "histogram")], [bins], [range], weights, density, weighted=True)
    return counts, edges


def histogram2d(
    x: Any, y: Any, bins: Any = 10, range: Any = None, weights: Any = None, density: bool | None = None
) -> tuple[Any, Any, Any]:
    many = isinstance(bins, (list, tuple)) and len(bins) == 2
    each = list(bins) if many else [bins, bins]
    ranges = [None, None] if range is None else list(range)
    counts, (first, second) = _histogram([as_array(x), as_array(y)], each, ranges, weights, density)
    return counts, first, second


def histogramdd(
    sample: Any, bins: Any = 10, range: Any = None, weights: Any = None, density: bool | None = None
) -> tuple[Any, list[Any]]:
    sample = as_array(sample, "histogramdd")
    columns = list(ops.unstack(sample, 1))
    each = list(bins) if isinstance(bins, (list, tuple)) else [bins] * len(columns)
    if len(each) != len(columns):
        raise ValueError("should be a bin for each dimension.")
    ranges = [None] * len(columns) if range is None else list(range)
    if len(ranges) != len(columns) or any(r is not None and np.size(r) != 2 for r in ranges):
        raise ValueError(f"histogramdd: range is a pair or None for each of {len(columns)} columns; got {range}")
    return _histogram(columns, each, ranges, weights, density)


def _histogram(
    columns: list[Any], bins: list[Any], ranges: list[Any], weights: Any, density: Any, *, weighted: bool = False
) -> tuple[Any, list[Any]]:
    """Return the number of rows in each bin, and the edges of the bins."""
    edges = [histogram_bin_edges(c, b, r) for c, b, r in zip(columns, bins, ranges, strict=True)]
    flat = [ops.reshape(c, (-1,)) for c in columns]
    counts = [e.shape[0] - 1 for e in edges]
    place: Any = ops.zeros(flat[0].shape, dtype=lw.int32)
    inside: Any = None
    for c, e, n in zip(flat, edges, counts, strict=True):
        c = ops.astype(c, e._array.dtype)
        at = ops.astype(searchsorted(e, c, side="right"), lw.int32) - 1
        at = ops.where(ops.equal(c, e[-1]), n - 1, at)
        within = ops.logical_and(c >= e[0], c <= e[-1])
        inside = within if inside is None else ops.logical_and(inside, within)
        place = place * n + at
    size = 1
    for n in counts:
        size *= n
    dtype = edges[0]._array.dtype
    if weights is None:
        weights = ops.ones(flat[0].shape, dtype=dtype if weighted else our_dtype(int))
    else:
        weights = ops.reshape(as_array(weights), (-1,))
        weights = ops.astype(weights, our_dtype(float_of(weights)))
    total = ops.zeros((size,), dtype=weights._array.dtype).at[ops.where(inside, place, size)].add(weights, mode="drop")
    found = ops.reshape(total, tuple(counts))
    if density:
        areas = ops.diff(edges[0])
        for e in edges[1:]:
            areas = ops.expand_dims(areas, -1) * ops.diff(e)
        found = found / (areas * ops.sum(found))
    return found, edges


dialect.finish(globals(), view="jax.numpy", around=taking_keys)
