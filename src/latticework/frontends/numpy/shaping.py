"""Shapes and places: reshape, transpose, join, split, repeat, pad, insert."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import update_wrapper
from itertools import pairwise
from typing import Any

import numpy
from numpy.lib.array_utils import normalize_axis_tuple

from ..calls import alias
from .base import as_array, cast, dialect, known, native, of_numpy, ops, shape_of, to_numpy, write


def by_numpy(f):
    """A function of NumPy's on arrays of the dialect: computed by NumPy, on this machine, and moved back."""

    def call(*args, **kw):
        return of_numpy(f(*to_numpy(args), **to_numpy(kw)))

    return update_wrapper(call, f)


def view_bits(x, dtype):
    """The bits of an array as another dtype, the last axis longer or shorter where the width differs."""
    old = x._array.dtype
    if old.bits == dtype.bits and "b" not in (old.kind, dtype.kind):
        return ops.bitcast(x, dtype)
    return of_numpy(to_numpy(x).view(native(dtype)))


def resized(a, new_shape):
    """Return an array of another shape and size, in which new elements are 0."""
    shape = shape_of(new_shape)
    flat = ops.reshape(a, (-1,))
    count = int(numpy.prod(shape))
    if count > a.size:
        flat = ops.concat([flat, ops.zeros((count - a.size,), dtype=a._array.dtype)])
    return ops.reshape(flat[:count], shape).copy()


# --- one array ------------------------------------------------------------------------------------------------------


def _is_itself(a, moved):
    """Return whether what a view would hold are the elements of an array in their places, on a backend without views.

    There a view cannot be written to, but the array itself can.
    """
    return moved and type(a) is dialect.array and a._array._sig.immutable


def reshape(a, /, shape, order="C", *, copy=None):
    if type(shape) is not tuple:
        shape = shape_of(shape)
    if order == "C" and copy is None:
        if type(a) is dialect.array and _is_itself(a, shape == a.shape or (shape == (-1,) and a.ndim == 1)):
            return alias(a)
        return ops.reshape(a, shape)
    return ops.reshape(as_array(a), shape_of(shape), order="F" if order in ("F", "f") else "C", copy=copy)


def ravel(a, order="C"):
    a = as_array(a)
    if _is_itself(a, a.ndim == 1):
        return alias(a)
    return ops.reshape(a, (-1,), order="F" if order in ("F", "f") else "C")


def resize(a, new_shape):
    return ops.resize(as_array(a), shape_of(new_shape))


def squeeze(a, axis=None):
    a = as_array(a)
    if axis is None and _is_itself(a, 1 not in a.shape):
        return alias(a)
    return ops.squeeze(a, axis=tuple([i for i, n in enumerate(a.shape) if n == 1]) if axis is None else axis)


def expand_dims(a, axis):
    return ops.expand_dims(as_array(a), axis=tuple(axis) if isinstance(axis, list) else axis)


def transpose(a, axes=None):
    a = as_array(a)
    if axes is None:
        axes = range(a.ndim)[::-1]
    axes = tuple([operator.index(i) for i in axes])
    if _is_itself(a, axes == tuple(range(a.ndim))):
        return alias(a)
    return ops.permute_dims(a, axes)


def permute_dims(a, axes=None):
    return transpose(a, axes)


def matrix_transpose(x, /):
    return ops.matrix_transpose(as_array(x))


def swapaxes(a, axis1, axis2):
    a = as_array(a)
    if axis1 == axis2 and _is_itself(a, -a.ndim <= axis1 < a.ndim):
        return alias(a)
    return ops.swapaxes(a, axis1, axis2)


def moveaxis(a, source, destination):
    a, source, destination = as_array(a), _axes(source), _axes(destination)
    if source == destination and type(source) is int and _is_itself(a, -a.ndim <= source < a.ndim):
        return alias(a)
    return ops.moveaxis(a, source, destination)


def _axes(axis: Any) -> Any:
    return tuple([operator.index(i) for i in axis]) if isinstance(axis, (list, tuple)) else axis


def rollaxis(a, axis, start=0):
    a = as_array(a)
    n = a.ndim
    for value, most in ((axis, n - 1), (start, n)):
        if not -n <= value <= most:
            raise numpy.exceptions.AxisError(f"rollaxis: axis {value} is out of bounds for an array of {n} axes")
    axis, start = axis % n, start + n if start < 0 else start
    if axis < start:
        start -= 1
    return a if axis == start else ops.moveaxis(a, axis, start)


def flip(m, axis=None):
    return ops.flip(as_array(m), axis=axis)


def fliplr(m):
    m = as_array(m)
    if m.ndim < 2:
        raise ValueError(f"fliplr: takes an array of two axes or more; got shape {m.shape}")
    return ops.flip(m, axis=1)


def flipud(m):
    m = as_array(m)
    if m.ndim < 1:
        raise ValueError("flipud: takes an array of one axis or more; got none")
    return ops.flip(m, axis=0)


def rot90(m, k=1, axes=(0, 1)):
    return ops.rot90(as_array(m), k, tuple(axes))


def roll(a, shift, axis=None):
    shift = tuple(shift) if isinstance(shift, list) else shift
    a, axis = as_array(a), _axes(axis)
    if type(shift) is tuple and axis is not None and type(axis) is not tuple:
        axis = (axis,) * len(shift)
    elif type(shift) is tuple and axis is None:
        shift = sum(shift)
    return ops.roll(a, shift, axis=axis)


def broadcast_to(array, shape, subok=False):
    return ops.broadcast_to(as_array(array), shape_of(shape))


def broadcast_arrays(*args, subok=False):
    arrays = [as_array(x) for x in args]
    return tuple(ops.broadcast_arrays(*arrays)) if arrays else ()


def broadcast_shapes(*args):
    return numpy.broadcast_shapes(*args)


def _at_least(f: Callable[[Any], Any], arys: tuple[Any, ...]) -> Any:
    found = tuple([f(as_array(x)) for x in arys])
    return found[0] if len(found) == 1 else found


def atleast_1d(*arys):
    return _at_least(lambda x: x if x.ndim else ops.reshape(x, (1,)), arys)


def atleast_2d(*arys):
    return _at_least(lambda x: x if x.ndim > 1 else ops.reshape(x, (1, -1)), arys)


def atleast_3d(*arys):
    def three(x):
        if x.ndim > 2:
            return x
        return x[:, :, None] if x.ndim == 2 else ops.reshape(x, (1, -1, 1))

    return _at_least(three, arys)


# fmt: off
def ndim(a): return a.ndim if type(a) is dialect.array else numpy.ndim(to_numpy(a))
def shape(a): return a.shape if type(a) is dialect.array else as_array(a).shape
# fmt: on


def size(a, axis=None):
    extents = shape(a)
    if axis is None:
        return int(numpy.prod(extents)) if extents else 1
    return int(numpy.prod([extents[i] for i in normalize_axis_tuple(axis, len(extents))]))


def trim_zeros(filt, trim="fb", axis=None):
    found = as_array(filt)
    for one in axis if isinstance(axis, (list, tuple)) else (axis,):
        found = ops.trim_zeros(found, trim, one)
    return found.tolist() if isinstance(filt, list) else found


# --- joined ---------------------------------------------------------------------------------------------------------


def _joined(arrays: Any, dtype: Any, casting: str) -> list[Any]:
    if type(arrays) is dialect.array:
        arrays = list(arrays)
    if not isinstance(arrays, (list, tuple)):
        raise TypeError(f"the arrays to join come as a sequence; got {type(arrays).__name__}")
    if not arrays:
        raise ValueError("joining needs one array or more; got none")
    made = [as_array(x) for x in arrays]
    if dtype is None:
        return made
    return [x.astype(dtype, casting=casting, copy=False) for x in made]


def concatenate(arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind"):
    if type(arrays) in (list, tuple) and out is None and dtype is None and axis is not None:
        return ops.concat(arrays) if axis == 0 else ops.concat(arrays, axis=axis)
    parts = _joined(arrays, dtype, casting)
    found = ops.concat(parts, axis=None if axis is None else operator.index(axis))
    return found if out is None else write("concatenate", out, found, True, casting)


def concat(arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind"):
    return concatenate(arrays, axis, out, dtype=dtype, casting=casting)


def stack(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    if type(arrays) in (list, tuple) and out is None and dtype is None:
        return ops.stack(arrays) if axis == 0 else ops.stack(arrays, axis=axis)
    found = ops.stack(_joined(arrays, dtype, casting), axis=axis)
    return found if out is None else write("stack", out, found, True, casting)


def vstack(tup, *, dtype=None, casting="same_kind"):
    return ops.concat([atleast_2d(x) for x in _joined(tup, dtype, casting)], axis=0)


def hstack(tup, *, dtype=None, casting="same_kind"):
    parts = [atleast_1d(x) for x in _joined(tup, dtype, casting)]
    return ops.concat(parts, axis=0 if parts[0].ndim == 1 else 1)


def dstack(tup):
    return ops.concat([atleast_3d(x) for x in _joined(tup, None, "")], axis=2)


def column_stack(tup):
    parts = _joined(tup, None, "")
    return ops.concat([x if x.ndim > 1 else ops.reshape(x, (-1, 1)) for x in parts], axis=1)


def block(arrays):
    given = _arrays_in(arrays)
    found = ops.block(given)
    return found.copy() if found is given or not isinstance(arrays, (list, tuple)) else found


def _arrays_in(x: Any) -> Any:
    if isinstance(x, tuple):
        raise TypeError("block: takes lists of arrays, no tuples")
    if isinstance(x, list):
        if not x:
            raise ValueError("block: a list is empty")
        return [_arrays_in(v) for v in x]
    return as_array(x)


def append(arr, values, axis=None):
    arr, values = as_array(arr), as_array(values)
    if axis is None:
        arr, values, axis = ravel(arr), ravel(values), 0
    return ops.concat([arr, values], axis=axis)


# --- apart ----------------------------------------------------------------------------------------------------------


def _sections(x: Any) -> Any:
    if isinstance(x, (list, tuple)) or getattr(x, "ndim", False):
        return [operator.index(i) for i in x]
    return operator.index(x)


def split(ary, indices_or_sections, axis=0):
    sections = _sections(indices_or_sections)
    ary = as_array(ary)
    if type(sections) is int and ary.shape[axis] % sections:
        raise ValueError(f"split: {ary.shape[axis]} elements are not {sections} equal parts. Take np.array_split")
    return array_split(ary, sections, axis)


def array_split(ary, indices_or_sections, axis=0):
    sections = _sections(indices_or_sections)
    ary = as_array(ary)
    if type(sections) is int:
        if sections <= 0:
            raise ValueError(f"array_split: takes one part or more; got {sections}")
        small, more = divmod(ary.shape[axis], sections)
        ends = numpy.cumsum([small + (i < more) for i in range(sections)]).tolist()
        sections = ends[:-1]
    bounds = [0, *sections, ary.shape[axis]]
    before = (slice(None),) * (axis % ary.ndim)
    return [ary[(*before, slice(i, j))] for i, j in pairwise(bounds)]


def hsplit(ary, indices_or_sections):
    ary = as_array(ary)
    if not ary.ndim:
        raise ValueError("hsplit: takes an array of one axis or more; got none")
    return split(ary, indices_or_sections, 1 if ary.ndim > 1 else 0)


def vsplit(ary, indices_or_sections):
    ary = as_array(ary)
    if ary.ndim < 2:
        raise ValueError(f"vsplit: takes an array of two axes or more; got shape {ary.shape}")
    return split(ary, indices_or_sections, 0)


def dsplit(ary, indices_or_sections):
    ary = as_array(ary)
    if ary.ndim < 3:
        raise ValueError(f"dsplit: takes an array of three axes or more; got shape {ary.shape}")
    return split(ary, indices_or_sections, 2)


def unstack(x, /, *, axis=0):
    x = as_array(x)
    if not x.ndim:
        raise ValueError("unstack: takes an array of one axis or more; got none")
    return tuple(ops.unstack(x, axis=axis))


# --- more and fewer -------------------------------------------------------------------------------------------------


def repeat(a, repeats, axis=None):
    a = as_array(a)
    if axis is None:
        a, axis = ravel(a), 0
    if type(repeats) is not int:
        counts = as_array(repeats)
        repeats = operator.index(counts.reshape(-1)[0]) if counts.size == 1 else counts
    if type(repeats) is not int and repeats._array.dtype.kind not in "biu":
        raise TypeError(f"repeat: the counts are integers; got {repeats.dtype}. Cast them: counts.astype(int)")
    return ops.repeat(a, repeats, axis=axis)


def tile(A, reps):
    reps = (
        tuple([operator.index(n) for n in reps])
        if isinstance(reps, (list, tuple)) or getattr(reps, "ndim", False)
        else (operator.index(reps),)
    )
    return ops.tile(as_array(A), reps)


def delete(arr, obj, axis=None):
    arr = as_array(arr)
    if isinstance(obj, (list, dialect.array)):
        obj = _of_positions("delete", as_array(obj or numpy.empty(0, int)) if isinstance(obj, list) else obj)
    return ops.delete(arr, obj, axis)


def _of_positions(name: str, obj: Any) -> Any:
    """Return positions along one axis: positions with several axes are flattened."""
    if obj._array.dtype.kind not in "biu":
        raise IndexError(f"{name}: positions are integers or bools; got {obj.dtype}. Cast them: obj.astype(int)")
    return obj if obj.ndim < 2 or obj._array.dtype.kind == "b" else ops.reshape(obj, (-1,))


def insert(arr, obj, values, axis=None):
    arr, values = as_array(arr), as_array(values)
    if isinstance(obj, (list, tuple)):
        obj = as_array(obj or numpy.empty(0, int))
    if isinstance(obj, dialect.array):
        if obj._array.dtype.kind not in "biu":
            raise IndexError(f"insert: positions are integers or bools; got {obj.dtype}. Cast them: obj.astype(int)")
        if obj._array.dtype.kind == "b" and obj.ndim == 1:
            obj = known(ops.nonzero(obj)[0])
    return ops.insert(arr, obj, cast(values, arr.dtype, copy=False), axis)


def pad(array, pad_width, mode="constant", **kwargs):
    array = as_array(array)
    width = to_numpy(pad_width)
    widths = [*width.values()] if isinstance(width, dict) else [width]
    if any(numpy.asarray(w).dtype.kind not in "iu" for w in widths):
        raise TypeError("pad: the widths are integers")
    pairs = (
        [tuple(map(int, p)) for p in numpy.broadcast_to(width, (array.ndim, 2))]
        if not isinstance(width, dict)
        else [_pair(width.get(i, width.get(i - array.ndim, 0))) for i in range(array.ndim)]
    )
    if any(n < 0 for p in pairs for n in p):
        raise ValueError(f"pad: the widths are at least 0; got {pad_width!r}")
    allowed = _PAD_OPTIONS.get(mode) if isinstance(mode, str) else ()
    if allowed is None:
        raise ValueError(f"pad: there is no mode {mode!r}. There are {', '.join(_PAD_OPTIONS)}")
    if isinstance(mode, str) and kwargs.keys() - {*allowed}:
        raise ValueError(f"pad: the mode {mode!r} takes {', '.join(allowed) or 'no options'}; got {', '.join(kwargs)}")
    value = kwargs.get("constant_values", 0)
    if mode == "constant" and numpy.ndim(to_numpy(value)) == 0:
        if array._array.dtype.kind in "biu":  # it becomes one of the array's dtype
            value = int(to_numpy(value).real if numpy.iscomplexobj(to_numpy(value)) else to_numpy(value))
        given = pad_width if type(pad_width) is int else pairs  # one number takes less time to read
        return ops.pad(array, given, mode, constant_values=to_numpy(value))
    if mode in ("edge", "wrap") or (mode in ("reflect", "symmetric") and kwargs.get("reflect_type", "even") == "even"):
        return ops.pad(array, pairs, mode)
    return of_numpy(numpy.pad(to_numpy(array), pairs, mode, **to_numpy(kwargs)))


def _pair(n: Any) -> tuple[int, int]:
    return (int(n), int(n)) if numpy.ndim(n) == 0 else (int(n[0]), int(n[-1]))


_PAD_OPTIONS: dict[str, tuple[str, ...]] = {
    "constant": ("constant_values",), "edge": (), "empty": (), "linear_ramp": ("end_values",),
    "maximum": ("stat_length",), "mean": ("stat_length",), "median": ("stat_length",), "minimum": ("stat_length",),
    "reflect": ("reflect_type",), "symmetric": ("reflect_type",), "wrap": (),
}  # fmt: skip


def packbits(a, /, axis=None, bitorder="big"):
    return by_numpy(numpy.packbits)(as_array(a), axis, bitorder)


def unpackbits(a, /, axis=None, count=None, bitorder="big"):
    return by_numpy(numpy.unpackbits)(as_array(a), axis, count, bitorder)


dialect.finish(globals(), view="numpy", helpers="by_numpy resized view_bits")
