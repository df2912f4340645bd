"""Elements by position or condition: where, take, put, choose, nonzero, sort, search, sets."""

from __future__ import annotations

import operator
from typing import Any

import numpy

import latticework as lw

from ...engine.arrays.array import Array
from .base import as_array, cast, dialect, known, ops, tells, write
from .shaping import by_numpy, ravel


def _given(name: str, out: Any, result: Any) -> Any:
    return result if out is None else write(name, out, result)


def _to_write(name: str, x: Any) -> Any:
    if type(x) is not dialect.array:
        raise TypeError(f"{name}: takes an array to write to; got {type(x).__name__}")
    return x


# --- by condition ---------------------------------------------------------------------------------------------------


def where(condition, x=None, y=None, /):
    if x is None and y is None:
        return nonzero(condition)
    if x is None or y is None:
        raise ValueError("where: takes both x and y, or neither of them")
    condition = as_array(condition)
    if condition._array.dtype.kind != "b":
        condition = ops.astype(condition, bool)
    return ops.where(condition, x, y)


def nonzero(a):
    a = as_array(a)
    if not a.ndim:
        raise ValueError("nonzero: takes an array of one axis or more. Take np.atleast_1d(x).nonzero()")
    return tuple(ops.nonzero(a))


# fmt: off
def flatnonzero(a): return nonzero(ravel(a))[0]
def argwhere(a): return ops.argwhere(as_array(a))
def extract(condition, arr): return take(ravel(arr), nonzero(ravel(condition))[0])
# fmt: on


def compress(condition, a, axis=None, out=None):
    condition, a = as_array(condition), as_array(a)
    if condition.ndim != 1:
        raise ValueError(f"compress: the condition has one axis; got shape {condition.shape}")
    found = take(a, nonzero(condition)[0], axis)
    return found if out is None else write("compress", out, found, True, "safe")


def select(condlist, choicelist, default=0):
    if len(condlist) != len(choicelist):
        raise ValueError(f"select: as many conditions as choices; got {len(condlist)} and {len(choicelist)}")
    if not condlist:
        raise ValueError("select: takes one condition or more; got none")
    conditions = [as_array(c) for c in condlist]
    if any(c._array.dtype.kind != "b" for c in conditions):
        raise TypeError("select: the conditions are bool arrays")
    choices = [x if type(x) in (bool, int, float, complex) else as_array(x) for x in (*choicelist, default)]
    to = numpy.result_type(*[getattr(x, "dtype", x) for x in choices])
    shape = numpy.broadcast_shapes(*[getattr(x, "shape", ()) for x in (*conditions, *choices)])
    result = ops.broadcast_to(as_array(default, to), shape)
    for condition, choice in zip(conditions[::-1], choices[-2::-1], strict=True):
        result = ops.where(condition, as_array(choice, to), result)
    return result


def piecewise(x, condlist, funclist, *args, **kw):
    x = as_array(x)
    if not isinstance(condlist, (list, tuple)) or (x.ndim and not getattr(as_array(condlist[0]), "ndim", 0)):
        condlist = [condlist]
    conditions = [as_array(c, bool) for c in condlist]
    if len(funclist) == len(conditions) + 1:
        other = ~conditions[0]
        for c in conditions[1:]:
            other = other & ~c
        conditions.append(other)
    elif len(funclist) != len(conditions):
        raise ValueError(
            f"piecewise: {len(conditions)} conditions need as many functions, or one more; got {len(funclist)}"
        )
    result = ops.zeros_like(x)
    for condition, f in zip(conditions, funclist, strict=True):
        if not callable(f):
            result = ops.where(condition, as_array(f, x.dtype), result)
        else:
            selected = x[condition]
            if selected.size != 0:  # None where it is not known yet
                result[condition] = f(selected, *args, **kw)
    return result


def choose(a, choices, out=None, mode="raise"):
    parts = [as_array(c) for c in choices]
    return _given("choose", out, ops.choose(as_array(a), parts, mode))


def copyto(dst, src, casting="same_kind", where=True):
    _to_write("copyto", dst)
    if type(src) in (bool, int, float, complex):
        if not numpy.can_cast(numpy.result_type(dst.dtype, src), dst.dtype, casting):
            raise TypeError(f"copyto: a {type(src).__name__} does not go into {dst.dtype} by the rule {casting!r}")
        src = as_array(src, dst.dtype)
    src = as_array(src)
    if not numpy.can_cast(src.dtype, dst.dtype, casting):
        raise TypeError(f"copyto: {src.dtype} does not go into {dst.dtype} by the casting rule {casting!r}")
    src = ops.broadcast_to(src, dst.shape)
    dst[...] = src if where is True else ops.where(as_array(where, bool), src, dst)


def putmask(a, /, mask, values):
    _to_write("putmask", a)
    mask = as_array(mask, bool)
    if mask.size != a.size:
        raise ValueError(f"putmask: the mask has as many elements as the array; got {mask.size} and {a.size}")
    repeated = ops.resize(as_array(values), a.shape)
    a[...] = ops.where(ops.reshape(mask, a.shape), cast(repeated, a.dtype), a)


def place(arr, mask, vals):
    _to_write("place", arr)
    positions, vals = known(flatnonzero(mask)), ravel(vals)
    if not positions.size:
        return
    if not vals.size:
        raise ValueError("place: takes one value or more; got none")
    put(arr, positions, ops.resize(vals, (positions.size,)))


# --- by position ----------------------------------------------------------------------------------------------------


def _positions(indices: Any, n: int, mode: str) -> Any:
    if isinstance(indices, (list, tuple, float)):  # whose numbers NumPy casts without a look
        indices = as_array(indices, int)
    indices = as_array(indices)
    if indices._array.dtype.kind not in "biu":
        raise TypeError(f"take: positions are integers; got {indices.dtype}. Cast them: indices.astype(int)")
    indices = cast(indices, int, copy=False)
    if mode == "wrap":
        return indices % n
    return ops.clip(indices, 0, n - 1) if mode == "clip" else indices


def take(a, indices, axis=None, out=None, mode="raise"):
    a = as_array(a)
    if axis is None or not a.ndim:
        a, axis = ravel(a), 0
    at = _positions(indices, a.shape[axis], mode)
    return _given("take", out, ops.take(a, at, axis=axis))


def take_along_axis(arr, indices, axis=-1):
    arr, indices = as_array(arr), as_array(indices)
    if axis is None:
        arr, axis = ravel(arr), 0
    if indices._array.dtype.kind not in "iu":
        raise IndexError(f"take_along_axis: positions are integers; got {indices.dtype}. Cast them: i.astype(int)")
    return ops.take_along_axis(arr, indices, axis=axis)


def put(a, ind, v, mode="raise"):
    _to_write("put", a)
    at = ravel(_positions(ind, a.size, mode))
    v = ravel(v)
    if not at.size or not v.size:
        return
    flat = a.flatten()
    flat[at] = ops.resize(v, (at.size,))
    a[...] = flat.reshape(a.shape)


def put_along_axis(arr, indices, values, axis):
    _to_write("put_along_axis", arr)
    indices = as_array(indices)
    if axis is None:
        put(arr, indices, values)
        return
    values = ops.broadcast_to(cast(as_array(values), arr.dtype), indices.shape)
    arr[...] = ops.put_along_axis(arr, indices, values, axis=axis, inplace=False)


def fill_diagonal(a, val, wrap=False):
    _to_write("fill_diagonal", a)
    if a.ndim < 2:
        raise ValueError(f"fill_diagonal: takes an array of two axes or more; got shape {a.shape}")
    flat = a.flatten()
    end = None
    if a.ndim == 2:
        step = a.shape[1] + 1
        end = None if wrap else a.shape[1] * a.shape[1]
    else:
        if len(set(a.shape)) != 1:
            raise ValueError(f"fill_diagonal: all extents are the same beyond two axes; got shape {a.shape}")
        step = 1 + sum(numpy.cumprod(a.shape[:-1]).tolist())
    count = len(range(0, a.size if end is None else min(end, a.size), step))
    flat[: None if end is None else end : step] = ops.resize(as_array(val), (count,))
    a[...] = flat.reshape(a.shape)


def diagonal(a, offset=0, axis1=0, axis2=1):
    a = as_array(a)
    if a.ndim < 2:
        raise ValueError(f"diagonal: takes an array of two axes or more; got shape {a.shape}")
    return ops.diagonal(a, offset, axis1, axis2)


def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    from .reductions import sum

    return _given("trace", out, sum(diagonal(a, offset, axis1, axis2), -1, dtype))


def ix_(*args):
    arrays = [as_array(x) for x in args]
    arrays = [cast(x, int) if not x.size else x for x in arrays]
    if any(x.ndim != 1 for x in arrays):
        raise ValueError(f"ix_: takes arrays of one axis; got shapes {[x.shape for x in arrays]}")
    arrays = [by_numpy(numpy.flatnonzero)(x) if x._array.dtype.kind == "b" else x for x in arrays]
    n = len(arrays)
    return tuple([ops.reshape(x, (*(1,) * i, -1, *(1,) * (n - 1 - i))) for i, x in enumerate(arrays)])


def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    parts = [as_array(i) for i in multi_index]
    if any(p._array.dtype.kind not in "iu" for p in parts):
        raise TypeError("ravel_multi_index: the indices are integers")
    if isinstance(mode, tuple):
        return by_numpy(numpy.ravel_multi_index)(tuple(parts), dims, mode, order)
    if 0 in (dims if isinstance(dims, (list, tuple)) else (dims,)) and any(p.size for p in parts):
        raise ValueError(f"ravel_multi_index: an array of shape {dims} has no elements")
    return ops.ravel_multi_index(tuple(parts), tuple(dims) if isinstance(dims, (list, tuple)) else (dims,), mode, order)


def unravel_index(indices, shape, order="C"):
    at = as_array(indices)
    if at._array.dtype.kind not in "iu":
        raise TypeError(f"unravel_index: the indices are integers; got {at.dtype}")
    dims = tuple(shape) if isinstance(shape, (list, tuple)) else (operator.index(shape),)
    if not dims and (at.ndim or tells(at != 0)):
        raise ValueError("unravel_index: an array without dimensions has one element: 0")
    return tuple(ops.unravel_index(at, dims, order))


def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    arr = as_array(arr)
    rows = ops.moveaxis(arr, axis, -1)
    outer = rows.shape[:-1]
    if not all(outer):
        raise ValueError(f"apply_along_axis: needs a row or more; got shape {arr.shape}")
    found = [as_array(func1d(row, *args, **kwargs)) for row in ops.reshape(rows, (-1, rows.shape[-1]))]
    made = ops.stack(found)
    inner = made.shape[1:]
    made = ops.reshape(made, (*outer, *inner))
    axis = axis % arr.ndim
    at = tuple(range(len(outer), made.ndim))
    return ops.moveaxis(made, at, tuple(range(axis, axis + len(inner)))) if inner else made


def apply_over_axes(func, a, axes):
    found = as_array(a)
    n = found.ndim
    for axis in axes if isinstance(axes, (list, tuple)) else (axes,):
        axis = axis + n if axis < 0 else axis
        made = as_array(func(found, axis))
        found = made if made.ndim == n else ops.expand_dims(made, axis=axis)
        if found.ndim != n:
            raise ValueError("apply_over_axes: the function keeps the axes, or leaves out one")
    return found


# --- order ----------------------------------------------------------------------------------------------------------


def _no_fields(name: str, order: Any, kind: Any = None, stable: Any = None) -> None:
    if order is not None:
        raise ValueError(f"{name}: order names fields of records, which are not there")
    if kind is not None and stable is not None:
        raise ValueError(f"{name}: give kind or stable, not both")


def sort(a, axis=-1, kind=None, order=None, *, stable=None):
    _no_fields("sort", order, kind, stable)
    a = as_array(a)
    if axis is None:
        a, axis = ravel(a), -1
    return ops.sort(a, axis=axis)


def argsort(a, axis=-1, kind=None, order=None, *, stable=None):
    _no_fields("argsort", order, kind, stable)
    a = as_array(a)
    if axis is None:
        a, axis = ravel(a), -1
    return ops.argsort(a, axis=axis)


def _kth(kth: Any) -> Any:
    if isinstance(kth, (list, tuple)) or getattr(kth, "ndim", False):
        return tuple([operator.index(k) for k in kth])
    return operator.index(kth)


def partition(a, kth, axis=-1, kind="introselect", order=None):
    _no_fields("partition", order)
    a, kth = as_array(a), _kth(kth)
    if axis is None:
        a, axis = ravel(a), -1
    if type(kth) is tuple:  # sorted is parted at each of them
        return ops.sort(a, axis=axis)
    return ops.partition(a, kth, axis=axis)


def argpartition(a, kth, axis=-1, kind="introselect", order=None):
    _no_fields("argpartition", order)
    a, kth = as_array(a), _kth(kth)
    if axis is None:
        a, axis = ravel(a), -1
    if type(kth) is tuple:
        return ops.argsort(a, axis=axis)
    return ops.argpartition(a, kth, axis=axis)


def lexsort(keys, axis=-1):
    return ops.lexsort([as_array(k) for k in keys], axis=axis)


def sort_complex(a):
    a = as_array(a)
    if a._array.dtype.kind != "c":
        narrow = a.dtype.char in "bhBH"
        a = cast(a, "F" if narrow else "D")
    return ops.sort(a)


def searchsorted(a, v, side="left", sorter=None):
    side = {"l": "left", "r": "right"}.get(side, side)
    options = {} if sorter is None else {"sorter": as_array(sorter)}
    return ops.searchsorted(as_array(a), as_array(v), side=side, **options)


# --- sets -----------------------------------------------------------------------------------------------------------


def unique(ar, return_index = False, return_inverse = False, return_counts = False,
           axis = None, *, equal_nan = True, sorted = True):  # fmt: skip
    return ops.unique(as_array(ar), return_index, return_inverse, return_counts, axis, equal_nan=equal_nan)


# fmt: off
def unique_values(x): return ops.unique_values(as_array(x))
def unique_counts(x): return ops.unique_counts(as_array(x))
def unique_inverse(x): return ops.unique_inverse(as_array(x))
def unique_all(x): return ops.unique_all(as_array(x))
def union1d(ar1, ar2): return unique(ops.concat([ravel(ar1), ravel(ar2)]))
def setdiff1d(ar1, ar2, assume_unique=False): return ops.setdiff1d(as_array(ar1), as_array(ar2), assume_unique)
def setxor1d(ar1, ar2, assume_unique=False): return ops.setxor1d(as_array(ar1), as_array(ar2), assume_unique)
# fmt: on


def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    if return_indices:
        return tuple(by_numpy(numpy.intersect1d)(as_array(ar1), as_array(ar2), assume_unique, return_indices))
    return ops.intersect1d(as_array(ar1), as_array(ar2), assume_unique)


def isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    return ops.isin(as_array(element), as_array(test_elements), invert=invert)


# --- fast paths over `lw.Array` ---------------------------------------------------------------------------------------


def _unique(a: Array) -> Any:
    kind = a.dtype.kind
    if kind in "iu":
        return lw.unique_values(a)
    if kind != "f" or a.backend != "numpy":
        return None
    found = lw.unique_values(a)  # which has NaN at its end, each by itself
    data = found._data
    return None if len(data) and data[-1] != data[-1] else found


dialect.finish(globals(), view="numpy")
