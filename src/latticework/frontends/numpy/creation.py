"""New arrays: of values, of a shape, of a range, and grids."""

from __future__ import annotations

import operator
from typing import Any

import numpy

import latticework as lw

from .base import as_array, cast, dialect, native, of_numpy, ops, scalar, shape_of, tells, to_numpy

_NUMBERS = {int: "i", float: "f"}


def _device(device: Any) -> dict[str, Any]:
    """NumPy knows the device "cpu" alone; the backend's others are taken too."""
    return {} if device in (None, "cpu") else {"device": device}


# --- of values ------------------------------------------------------------------------------------------------------


def array(object, dtype = None, *, copy = True, order = "K", subok = False, ndmin = 0,
          ndmax = 0, like = None):  # fmt: skip
    if type(object) is list and dtype is None and not ndmin:
        found = dialect.of_numbers(object)
        if found is not None:
            return found
    found = as_array(object, dtype)
    if copy and type(object) is dialect.array and found._array is object._array:
        found = object.copy()
    elif copy and isinstance(object, numpy.ndarray):
        found = found.copy()
    if found.ndim < ndmin:
        found = ops.reshape(found, (*(1,) * (ndmin - found.ndim), *found.shape))
    return found


def asarray(a, dtype=None, order=None, *, device=None, copy=None, like=None):
    found = as_array(a, dtype)
    if copy is False and type(a) is not dialect.array and not isinstance(a, numpy.ndarray):
        raise ValueError("asarray: a sequence cannot become an array without a copy. Leave out copy=False")
    return found.copy() if copy and type(a) is dialect.array and found._array is a._array else found


def asanyarray(a, dtype = None, order = None, *, device = None, copy = None,
               like = None):  # fmt: skip
    return asarray(a, dtype, order, copy=copy)


def ascontiguousarray(a, dtype=None, *, like=None):
    found = as_array(a, dtype)
    return found if found.ndim else ops.reshape(found, (1,))


def asfortranarray(a, dtype=None, *, like=None):
    return ascontiguousarray(a, dtype)


def asarray_chkfinite(a, dtype=None, order=None):
    found = as_array(a, dtype)
    if found._array.dtype.kind in "fc" and tells(ops.any(~ops.isfinite(found))):
        raise ValueError("asarray_chkfinite: the array has infinite values or NaN. Take asarray, or replace them")
    return found


def require(a, dtype=None, requirements=None, *, like=None):
    return as_array(a, dtype)


def copy(a, order="K", subok=False):
    return as_array(a).copy() if type(a) is dialect.array else as_array(a)


def astype(x, dtype, /, *, copy=True, device=None):
    if type(x) is not dialect.array:
        raise TypeError(f"astype: takes an array; got {type(x).__name__}. Take np.asarray(x, dtype)")
    return cast(x, dtype, copy)


def fromiter(iter, dtype, count=-1, *, like=None):
    return of_numpy(numpy.fromiter((to_scalar(v) for v in iter), native(dialect.dtype_of(dtype)), count))


def to_scalar(x):
    """Convert an array of one element to a Python scalar; return anything else as it is."""
    return x.item() if type(x) is dialect.array else x


def frombuffer(buffer, dtype=None, count=-1, offset=0, *, like=None):
    return of_numpy(numpy.frombuffer(buffer, dtype or float, count, offset).copy())


def fromstring(string, dtype=float, count=-1, *, sep, like=None):
    return of_numpy(numpy.fromstring(string, dtype, count, sep=sep))


def fromfile(file, dtype=None, count=-1, sep="", offset=0, *, like=None):
    return of_numpy(numpy.fromfile(file, dtype or float, count, sep, offset))


def fromfunction(function, shape, *, dtype=float, like=None, **kwargs):
    return function(*indices(shape, dtype), **kwargs)


def from_dlpack(x, /, *, device=None, copy=None):
    return ops.from_dlpack(x, copy=copy)


# --- of a shape -----------------------------------------------------------------------------------------------------


def zeros(shape, dtype=None, order="C", *, device=None, like=None):
    return ops.zeros(shape if type(shape) is int else shape_of(shape), dtype=dtype, **_device(device))


def ones(shape, dtype=None, order="C", *, device=None, like=None):
    return ops.ones(shape if type(shape) is int else shape_of(shape), dtype=dtype, **_device(device))


def empty(shape, dtype=None, order="C", *, device=None, like=None):
    return ops.empty(shape if type(shape) is int else shape_of(shape), dtype=dtype, **_device(device))


def full(shape, fill_value, dtype=None, order="C", *, device=None, like=None):
    if dtype is None and type(shape) is tuple and device is None and type(fill_value) in _NUMBERS:
        try:
            return dialect.made(lw.full, shape, fill_value, dtype=dialect.default(_NUMBERS[type(fill_value)]))
        except Exception:
            pass  # which is told below
    if dtype is None and scalar(fill_value) and not isinstance(fill_value, numpy.generic):
        to = dialect.default(_NUMBERS[type(fill_value)]) if type(fill_value) in _NUMBERS else None
        return ops.full(shape_of(shape), fill_value, dtype=to, **_device(device))
    value = as_array(fill_value, dtype)
    return ops.broadcast_to(value, shape_of(shape)).copy()


def _like(a: Any, dtype: Any, shape: Any) -> tuple[Any, dict[str, Any]]:
    a = as_array(a)
    to = a._array.dtype if dtype is None else dialect.dtype_of(dtype)
    return a if shape is None else ops.empty(shape_of(shape), dtype=to), {"dtype": to}


def zeros_like(a, dtype = None, order = "K", subok = True, shape = None, *,
               device = None):  # fmt: skip
    a, options = _like(a, dtype, shape)
    return ops.zeros_like(a, **options)


def ones_like(a, dtype = None, order = "K", subok = True, shape = None, *,
              device = None):  # fmt: skip
    a, options = _like(a, dtype, shape)
    return ops.ones_like(a, **options)


def empty_like(prototype, /, dtype = None, order = "K", subok = True, shape = None, *,
               device = None):  # fmt: skip
    a, options = _like(prototype, dtype, shape)
    return ops.empty_like(a, **options)


def full_like(a, fill_value, dtype = None, order = "K", subok = True, shape = None, *,
              device = None):  # fmt: skip
    a, options = _like(a, dtype, shape)
    return ops.broadcast_to(cast(as_array(fill_value), options["dtype"]), a.shape).copy()


def identity(n, dtype=None, *, like=None):
    return eye(n, dtype=dtype)


def eye(N, M = None, k = 0, dtype = float, order = "C", *, device = None,
        like = None):  # fmt: skip
    to = dialect.default("f") if dtype is None or dtype is float else dialect.dtype_of(dtype)
    if type(N) is int and (M is None or type(M) is int) and type(k) is int:
        try:
            return dialect.made(lw.eye, *((N,) if M is None else (N, M)), dtype=to, **({"k": k} if k else {}))
        except Exception:
            pass  # which is told below
    return ops.eye(operator.index(N), None if M is None else operator.index(M), k=operator.index(k), dtype=to)


def tri(N, M=None, k=0, dtype=float, *, like=None):
    return ops.tri(operator.index(N), None if M is None else operator.index(M), k, dtype=dialect.dtype_of(dtype))


def tril(m, k=0):
    return _triangle(ops.tril, m, k)


def triu(m, k=0):
    return _triangle(ops.triu, m, k)


def _triangle(f: Any, m: Any, k: int) -> Any:
    m = as_array(m)
    if m.ndim == 1:
        m = ops.broadcast_to(m, (m.size, m.size))
    return f(m, k)


def diag(v, k=0):
    return ops.diag(as_array(v), k)


def diagflat(v, k=0):
    return ops.diag(ops.reshape(as_array(v), (-1,)), k)


def vander(x, N=None, increasing=False):
    x = as_array(x)
    if x.ndim != 1:
        raise ValueError(f"vander: takes an array of one axis; got shape {x.shape}")
    n = x.size if N is None else N
    powers = cast(x, numpy.promote_types(x.dtype, int))[:, None] ** ops.arange(n)
    return powers if increasing else powers[:, ::-1]


# --- of a range -----------------------------------------------------------------------------------------------------


def arange(start_or_stop, /, stop = None, step = 1, *, dtype = None, device = None,
           like = None):  # fmt: skip
    if device is None and like is None:
        to = dialect.default("i") if dtype is None else dialect.dtype_of(dtype)
        found = dialect.counted(start_or_stop, stop, step, to)
        if found is not None:
            return found
    given = [x for x in (start_or_stop, stop, step) if x is not None]
    if dtype is None and all(type(x) in (int, float) for x in given):
        if step == 0:
            raise ZeroDivisionError("arange: the step is 0")
        return ops.arange(start_or_stop, stop, step, **_device(device))
    values = [to_numpy(x)[()] if type(x) is dialect.array else x for x in (start_or_stop, stop, step)]
    start, stop = (0, values[0]) if values[1] is None else values[:2]
    to = None if dtype is None else native(dialect.dtype_of(dtype))
    return of_numpy(numpy.arange(start, stop, 1 if values[2] is None else values[2], to))


def linspace(start, stop, num = 50, endpoint = True, retstep = False, dtype = None,
             axis = 0, *, device = None):  # fmt: skip
    if type(start) in _NUMBERS and type(stop) in _NUMBERS and dtype is None and not retstep and not axis:
        try:
            return dialect.made(lw.linspace, start, stop, num, dtype=dialect.default("f"), endpoint=bool(endpoint))
        except Exception:
            pass  # which is told below
    num = operator.index(num)
    if num < 0:
        raise ValueError(f"linspace: the number of samples is at least 0; got {num}")
    to = numpy.result_type(*[x if type(x) in (int, float, complex) else as_array(x).dtype for x in (start, stop)], 0.0)
    start, stop = as_array(start, to), as_array(stop, to)
    span = stop - start
    parts = num - 1 if endpoint else num
    count = cast(ops.reshape(ops.arange(num), (num, *(1,) * span.ndim)), to)
    step = span / parts if parts > 0 else span * numpy.nan
    found = start + (count * step if parts > 0 else count * span)
    if endpoint and num > 1:
        found[-1] = stop
    if axis != 0:
        found = ops.moveaxis(found, 0, axis)
    if dtype is not None and native(dialect.dtype_of(dtype)).kind in "iu" and found._array.dtype.kind == "f":
        found = ops.floor(found)
    found = found if dtype is None else cast(found, dtype)
    return (found, step) if retstep else found


def logspace(start, stop, num = 50, endpoint = True, base = 10.0, dtype = None,
             axis = 0):  # fmt: skip
    if not scalar(base) and as_array(base).ndim:  # it takes part in the shape of the ends
        base = as_array(base)
        shape = numpy.broadcast_shapes(*[as_array(x).shape for x in (start, stop, base)])
        start, stop, base = [ops.broadcast_to(as_array(x), shape) for x in (start, stop, base)]
        base = ops.expand_dims(base, axis=axis)
    found = ops.pow(base if scalar(base) else as_array(base), linspace(start, stop, num, endpoint, axis=axis))
    return found if dtype is None else cast(found, dtype)


def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    start, stop = as_array(start), as_array(stop)
    if tells(ops.any((start == 0) | (stop == 0))):
        raise ValueError("geomspace: goes between numbers other than 0")
    found = of_numpy(numpy.geomspace(to_numpy(start), to_numpy(stop), num, endpoint, None, axis))
    return found if dtype is None else cast(found, dtype)


def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: indexing is 'xy' or 'ij'; got {indexing!r}")
    arrays = [ops.reshape(as_array(x), (-1,)) for x in xi]
    n = len(arrays)
    grids = [ops.reshape(x, (*(1,) * i, -1, *(1,) * (n - 1 - i))) for i, x in enumerate(arrays)]
    if indexing == "xy" and n > 1:
        grids = [ops.moveaxis(x, (0, 1), (1, 0)) for x in grids]
    if not sparse:
        shape = numpy.broadcast_shapes(*[x.shape for x in grids]) if n else ()
        grids = [ops.broadcast_to(x, shape) for x in grids]
    return tuple([x.copy() if copy else x for x in grids])


def indices(dimensions, dtype=int, sparse=False):
    shape = shape_of(dimensions)
    to = dialect.dtype_of(dtype)
    rows = [
        ops.reshape(ops.arange(n, dtype=to), (*(1,) * i, -1, *(1,) * (len(shape) - 1 - i))) for i, n in enumerate(shape)
    ]
    if sparse:
        return tuple(rows)
    if not rows:
        return ops.empty((0,), dtype=to)
    return ops.stack([ops.broadcast_to(x, shape) for x in rows])


def diag_indices(n, ndim=2):
    return (ops.arange(n),) * ndim


def diag_indices_from(arr):
    arr = as_array(arr)
    if arr.ndim < 2 or len(set(arr.shape)) != 1:
        raise ValueError(f"diag_indices_from: takes an array of two axes or more, all of one extent; got {arr.shape}")
    return diag_indices(arr.shape[0], arr.ndim)


def tril_indices(n, k=0, m=None):
    return tuple(ops.nonzero(tri(n, m, k, bool)))


def triu_indices(n, k=0, m=None):
    return tuple(ops.nonzero(~tri(n, m, k - 1, bool)))


def _of_matrix(f: Any, arr: Any, k: int) -> Any:
    arr = as_array(arr)
    if arr.ndim != 2:
        raise ValueError(f"{f.__name__}_from: takes an array of two axes; got shape {arr.shape}")
    return f(arr.shape[0], k, arr.shape[1])


def tril_indices_from(arr, k=0):
    return _of_matrix(tril_indices, arr, k)


def triu_indices_from(arr, k=0):
    return _of_matrix(triu_indices, arr, k)


def mask_indices(n, mask_func, k=0):
    return tuple(ops.nonzero(ops.not_equal(mask_func(ops.ones((n, n), dtype=dialect.dtype_of(int)), k), 0)))


# --- windows: few numbers, which NumPy makes -------------------------------------------------------------------------


# fmt: off
def bartlett(M): return of_numpy(numpy.bartlett(M))
def blackman(M): return of_numpy(numpy.blackman(M))
def hamming(M): return of_numpy(numpy.hamming(M))
def hanning(M): return of_numpy(numpy.hanning(M))
def kaiser(M, beta): return of_numpy(numpy.kaiser(M, to_numpy(beta)))
# fmt: on

dialect.finish(globals(), view="numpy", helpers="to_scalar")
