"""Make arrays: of values, of a shape, of ranges."""

from __future__ import annotations

import operator
from array import array as PythonArray
from typing import Any

import numpy as np

import latticework as lw

from ....core.dtypes import SCALARS
from ....engine.arrays.array import Array as OurArray
from ....engine.arrays.array import wrapped
from ....policy import current
from ...dialect import DIALECTS
from ..core import as_array, canonical, dialect, ops, our_dtype
from ..core import of_numpy as _of_numpy
from ..scalars import above
from .shaping import atleast

__all__ = ["mgrid", "ogrid"]


# --- of values ------------------------------------------------------------------------------------------------------


def array(
    object: Any, dtype: Any = None, *args: Any, copy: bool = True, order: str | None = "K", ndmin: int = 0,
    device: Any = None, out_sharding: Any = None,
) -> Any:  # fmt: skip
    if type(object) is list and dtype is None and not (args or ndmin) and order == "K" and device is None:
        found = dialect.of_numbers(object)
        if found is not None:
            return found
    if above.are_keys(object):
        return above.made_keys(object)
    del args, copy
    if order not in (None, "K", "C"):
        raise NotImplementedError("Only implemented for order='K'")
    made = _made(object, our_dtype(dtype, warn="array"))
    if device is not None:
        made = made.to_device(device)
    return atleast(made, ndmin)


def asarray(
    a: Any, dtype: Any = None, order: str | None = None, *, copy: bool | None = None, device: Any = None,
    out_sharding: Any = None,
) -> Any:  # fmt: skip
    if type(a) is dialect.array and dtype is order is device is None and not copy:
        return a
    if above.are_keys(a):
        return above.made_keys(a)
    if type(a) is list and dtype is None and order is None and device is None:
        found = dialect.of_numbers(a)
        if found is not None:
            return found
    return array(a, dtype, copy=bool(copy), order=order, device=device)


def _made(x: Any, dtype: Any) -> Any:
    """An array of anything that JAX makes one of."""
    if type(x) is dialect.array:
        return x if dtype is None else _cast(x, dtype)
    if x is None:
        raise ValueError("None is not a valid value for jnp.array")
    if isinstance(x, SCALARS) and not isinstance(x, np.generic):
        return dialect.call(lw.asarray, (x,), {} if dtype is None else {"dtype": dtype})
    if isinstance(x, np.ma.MaskedArray):
        raise ValueError("asarray: the mask of a masked array would be lost. Take x.filled(...) or x.data")
    if isinstance(x, (np.ndarray, np.generic)):
        made = dialect.wrapped(_of_numpy(x))
        return made if dtype is None else _cast(made, dtype)
    if isinstance(x, (list, tuple)):
        return _of_sequence(x, dtype)
    if type(x) is OurArray:
        return _cast(dialect.wrapped(x), dtype or our_dtype(str(x.dtype)))
    if any(type(x) is getattr(other, "array", None) for other in DIALECTS.values()):
        return _made(x._array, dtype)
    if hasattr(x, "__jax_array__"):
        return _made(x.__jax_array__(), dtype)
    if hasattr(x, "__array__") or isinstance(x, (memoryview, bytearray, range, PythonArray)):
        return _made(np.asarray(x), dtype)
    if isinstance(x, (str, bytes)):
        raise TypeError(f"Value {x!r} of type {type(x)} is not a valid JAX array type.")
    raise TypeError(f"Unexpected input type for array: {type(x)}")


def _of_sequence(x: Any, dtype: Any) -> Any:
    """An array of nested lists. Arrays in them decide the dtype with the numbers, as they do in a sum."""
    if type(x) is list and dtype is None:
        found = dialect.of_numbers(x)
        if found is not None:
            return found
    leaves = [*_leaves(x)]
    if any(leaf is None for leaf in leaves):
        raise ValueError("None is not a valid value for jnp.array")
    if all(isinstance(leaf, SCALARS) and not isinstance(leaf, np.generic) for leaf in leaves):
        found = np.asarray(x) if leaves else np.zeros(np.shape(x), "float32")
        if found.dtype == object:
            raise ValueError("setting an array element with a sequence: the lists have different lengths")
        if not leaves and dtype is None:
            dtype = our_dtype(float)
        kind = {"b": bool, "i": int, "u": int, "f": float, "c": complex}[found.dtype.kind]
        dtype = our_dtype(kind) if dtype is None else dtype
        if dtype.kind in "iu" and found.dtype.kind in "iu" and found.size and dtype.kind == "i":
            _check_fits(found, dtype)
        return dialect.call(lw.asarray, (found,), {"dtype": dtype, "backend": current().backend})
    if dtype is None:
        from .data_types import result_type

        dtype = our_dtype(result_type(*leaves))
    parts = [asarray(child, dtype=np.dtype(dialect.dtypes[dtype])) for child in x]
    return ops.stack(parts)


def _check_fits(values: Any, dtype: Any) -> None:
    info = lw.iinfo(dtype)
    if int(values.min()) < info.min or int(values.max()) > info.max:
        raise OverflowError(f"Python integer out of bounds for {dtype}")


def _leaves(x: Any) -> Any:
    if isinstance(x, (list, tuple)):
        for child in x:
            yield from _leaves(child)
    else:
        yield x


def _cast(x: Any, dtype: Any) -> Any:
    """Cast the array to a latticework dtype, which makes it strong."""
    if dtype is None:
        return x
    if x._array.dtype.kind == "c" and dtype.kind not in "cb":
        x = ops.real(x)
    return ops.astype(x, dtype)


def astype(x: Any, dtype: Any, /, *, copy: bool = False, device: Any = None) -> Any:
    """`jax.numpy.astype`: a cast, which makes a weak dtype strong."""
    del copy
    x = as_array(x, "astype")
    found = _cast(x, our_dtype(float if dtype is None else dtype, warn="astype"))
    return found if device is None else found.to_device(device)


def copy(a: Any, order: str | None = None) -> Any:
    a = as_array(a, "copy")
    if order not in (None, "K"):
        raise NotImplementedError("Only implemented for order='K'")
    return array(a, copy=True, order=order)


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Any:
    return _made(x._array if isinstance(x, dialect.array) else np.from_dlpack(x), None)


def frombuffer(buffer: Any, dtype: Any = float, count: int = -1, offset: int = 0) -> Any:
    return asarray(
        np.frombuffer(buffer, dtype=canonical(dtype) if dtype is float else np.dtype(dtype), count=count, offset=offset)
    )


def fromiter(*args: Any, **kwargs: Any) -> Any:
    raise NotImplementedError("jnp.fromiter() is not implemented. Use jnp.asarray(np.fromiter(...))")


def fromfunction(function: Any, shape: Any, *, dtype: Any = float, **kwargs: Any) -> Any:
    grids = meshgrid(*[arange(n, dtype=dtype) for n in shape], indexing="ij") if shape else []
    return function(*grids, **kwargs)


# --- of a shape -----------------------------------------------------------------------------------------------------


def _shape(shape: Any) -> tuple[int, ...]:
    many = isinstance(shape, (tuple, list)) or bool(getattr(shape, "ndim", False))
    found = tuple([operator.index(n) for n in (shape if many else (shape,))])
    if any(n < 0 for n in found):
        raise TypeError(f"a shape must have every element nonnegative, got {found}")
    return found


def zeros(shape: Any, dtype: Any = None, *, device: Any = None, out_sharding: Any = None) -> Any:
    if dtype is None and device is None and type(shape) is tuple:
        return ops.zeros(shape)
    return _on(ops.zeros(_shape(shape), dtype=our_dtype(float if dtype is None else dtype, warn="zeros")), device)


def ones(shape: Any, dtype: Any = None, *, device: Any = None, out_sharding: Any = None) -> Any:
    if dtype is None and device is None and type(shape) is tuple:
        return ops.ones(shape)
    return _on(ops.ones(_shape(shape), dtype=our_dtype(float if dtype is None else dtype, warn="ones")), device)


def empty(shape: Any, dtype: Any = None, *, device: Any = None, out_sharding: Any = None) -> Any:
    return zeros(shape, dtype, device=device)


def full(shape: Any, fill_value: Any, dtype: Any = None, *, device: Any = None, out_sharding: Any = None) -> Any:
    if dtype is None and device is None and type(shape) is tuple and type(fill_value) in (int, float):
        try:
            return dialect.made(_weak, shape, fill_value, dtype=our_dtype(type(fill_value)))
        except Exception:
            pass  # which is told below
    value = as_array(fill_value, "full") if not isinstance(fill_value, (list, tuple)) else asarray(fill_value)
    weak = dtype is None and value.weak_type
    value = value if dtype is None else _cast(value, our_dtype(dtype, warn="full"))
    found = ops.broadcast_to(value, _shape(shape))
    return _on(found if weak or not found.weak_type else _cast(found, found._array.dtype), device)


def _weak(shape: tuple[int, ...], value: float, dtype: Any) -> Any:
    """Return an array of one value, which is weak as the value is."""
    made = lw.full(shape, value, dtype=dtype)
    return wrapped(made._data, made._sig.weakly)


def zeros_like(a: Any, dtype: Any = None, shape: Any = None, *, device: Any = None, out_sharding: Any = None) -> Any:
    return _like(a, 0, dtype, shape, device, "zeros_like")


def ones_like(a: Any, dtype: Any = None, shape: Any = None, *, device: Any = None, out_sharding: Any = None) -> Any:
    return _like(a, 1, dtype, shape, device, "ones_like")


def empty_like(prototype: Any, dtype: Any = None, shape: Any = None, *, device: Any = None) -> Any:
    return _like(prototype, 0, dtype, shape, device, "empty_like")


def full_like(
    a: Any, fill_value: Any, dtype: Any = None, shape: Any = None, *, device: Any = None, out_sharding: Any = None
) -> Any:
    return _like(a, fill_value, dtype, shape, device, "full_like")


def _like(a: Any, value: Any, dtype: Any, shape: Any, device: Any, name: str) -> Any:
    if type(a) is dialect.array and dtype is None and shape is None and device is None and name != "full_like":
        return (ops.ones_like if value else ops.zeros_like)(a)
    if hasattr(a, "dtype") and hasattr(a, "shape") and not isinstance(a, dialect.array):
        own, weak, extents = a.dtype, getattr(a, "weak_type", False), a.shape
    else:
        a = as_array(a, name)
        own, weak, extents = a.dtype, a.weak_type, a.shape
    wanted = our_dtype(own if dtype is None else dtype, warn=name if dtype is not None else "")
    if isinstance(value, complex) and wanted.kind in "iuf":
        raise TypeError(f"{name}: {value} is no value of {wanted}")
    value = as_array(value, name) if not isinstance(value, (list, tuple)) else asarray(value)
    found = ops.broadcast_to(_cast(value, wanted), extents if shape is None else _shape(shape))
    return _on(_weakened(found) if weak and dtype is None else found, device)


def _weakened(x: Any) -> Any:
    """The array with a weak dtype."""
    ours = x._array
    return dialect.wrapped(wrapped(ours._data, ours._sig.weakly))


def _on(x: Any, device: Any) -> Any:
    return x if device is None else x.to_device(device)


# --- ranges ---------------------------------------------------------------------------------------------------------


def arange(
    start: Any, stop: Any = None, step: Any = None, dtype: Any = None, *, device: Any = None, out_sharding: Any = None
) -> Any:
    if device is None:
        found = dialect.counted(
            start, stop, 1 if step is None else step, our_dtype(int if dtype is None else dtype, warn="arange")
        )
        if found is not None:
            return found
    from .data_types import result_type

    given = [x for x in (start, stop, step) if x is not None]
    if start is None:
        raise TypeError("arange: start is a number, and not None")
    if any(getattr(x, "ndim", 0) for x in given):
        raise ValueError("jax.numpy.arange: arguments must be scalars")
    wanted = our_dtype(result_type(*given) if dtype is None else dtype, warn="arange" if dtype is not None else "")
    if wanted.kind == "c" or any(isinstance(x, complex) for x in given):
        raise ValueError("arange: takes no complex numbers")
    values = [x.item() if hasattr(x, "item") else x for x in (start, stop, step)]
    start, stop = (0, values[0]) if stop is None else values[:2]
    found = ops.arange(start, stop, 1 if values[2] is None else values[2], dtype=wanted)
    return _on(found, device)


def linspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False, dtype: Any = None,
    axis: int = 0, *, device: Any = None,
) -> Any:  # fmt: skip
    from .data_types import float_of

    num = num.__index__()
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    start, stop = as_array(start, "linspace"), as_array(stop, "linspace")
    wide = our_dtype(float_of(start, stop))
    wanted = our_dtype(dtype, warn="linspace") or wide
    start, stop = _cast(start, wide), _cast(stop, wide)
    start, stop = ops.broadcast_arrays(start, stop)
    div = num - 1 if endpoint else num
    step = (stop - start) / div if div > 0 else full((), float("nan"), dtype=wide)
    found = _weighted(start, stop, num, div, axis)
    if wanted.kind in "iu" and wide.kind == "f":
        found = ops.floor(found)
    found = _on(_cast(found, wanted), device)
    return (found, step) if retstep else found


def _weighted(start: Any, stop: Any, num: int, div: int, axis: int) -> Any:
    """The weighted means of two ends: JAX's way to compute evenly spaced numbers, whose rounding this has too."""
    if num < 2:
        return ops.linspace(start, stop, num, dtype=start._array.dtype, axis=axis)
    start, stop = ops.expand_dims(start, axis), ops.expand_dims(stop, axis)
    shape = [1] * start.ndim
    shape[axis] = div
    weights = ops.reshape(ops.arange(div, dtype=ops.real(start)._array.dtype), tuple(shape)) / div
    found = start * (1 - weights) + stop * weights
    return found if div == num else ops.concat([found, stop], axis=axis)


def logspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: Any = 10.0, dtype: Any = None, axis: int = 0
) -> Any:
    from .data_types import float_of

    base = as_array(base, "logspace")
    wide = our_dtype(float_of(as_array(start), as_array(stop), base))
    values = linspace(start, stop, num, endpoint, axis=axis)
    return _cast(ops.pow(_cast(base, wide), _cast(values, wide)), our_dtype(dtype, warn="logspace") or wide)


def geomspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0) -> Any:
    from .data_types import float_of

    start, stop = as_array(start, "geomspace"), as_array(stop, "geomspace")
    wide = our_dtype(float_of(start, stop))
    found = ops.geomspace(_cast(start, wide), _cast(stop, wide), num, endpoint, axis=axis)
    return _cast(found, our_dtype(dtype, warn="geomspace") or wide)


def meshgrid(*xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> Any:
    if indexing not in ("xy", "ij"):
        raise ValueError(f"Valid values for indexing are 'xy' and 'ij', got {indexing}")
    arrays = [as_array(x, "meshgrid") for x in xi]
    if not copy:
        raise ValueError("jax.numpy.meshgrid only supports copy=True")
    if any(x.ndim != 1 for x in arrays):
        raise ValueError(f"Arguments to jax.numpy.meshgrid must be 1D, got shapes {[x.shape for x in arrays]}")
    order = [1, 0, *range(2, len(arrays))] if indexing == "xy" and len(arrays) > 1 else [*range(len(arrays))]
    extents = [0] * len(arrays)
    for i, place in enumerate(order[: len(arrays)]):
        extents[place] = arrays[i].size
    found = []
    for i, x in enumerate(arrays):
        shape = [1] * len(arrays)
        shape[order[i]] = x.size
        one = ops.reshape(x, tuple(shape))
        found.append(one if sparse else ops.broadcast_to(one, tuple(extents)))
    return found


def indices(dimensions: Any, dtype: Any = None, sparse: bool = False) -> Any:
    dtype = int if dtype is None else dtype
    dimensions = tuple(int(n) for n in dimensions)
    parts = []
    for i, n in enumerate(dimensions):
        shape = [1] * len(dimensions)
        shape[i] = n
        one = ops.reshape(arange(n, dtype=dtype), tuple(shape))
        parts.append(one if sparse else ops.broadcast_to(one, dimensions))
    if sparse:
        return tuple(parts)
    return ops.stack(parts) if parts else zeros((0,), dtype)


class _Grid:
    """``mgrid[0:3, 0:2]``: a slice along each axis, with a complex step for a number of points."""

    def __init__(self, *, sparse: bool) -> None:
        self.sparse = sparse

    def __getitem__(self, key: Any) -> Any:
        keys = key if isinstance(key, tuple) else (key,)
        values = [_ranged(k) for k in keys]
        if not isinstance(key, tuple):
            return values[0]
        found = meshgrid(*values, indexing="ij", sparse=self.sparse)
        return found if self.sparse else ops.stack(found)


def _ranged(k: slice) -> Any:
    start = 0 if k.start is None else k.start
    if isinstance(k.step, complex):
        return linspace(start, k.stop, int(abs(k.step)))
    return arange(start, k.stop, k.step)


mgrid, ogrid = _Grid(sparse=False), _Grid(sparse=True)


# --- matrices -------------------------------------------------------------------------------------------------------


def eye(N: Any, M: Any = None, k: Any = 0, dtype: Any = None, *, device: Any = None) -> Any:
    if type(N) is int and (M is None or type(M) is int) and type(k) is int and device is None and dtype is None:
        try:
            to = our_dtype(float)
            return dialect.made(lw.eye, *((N,) if M is None else (N, M)), dtype=to, **({"k": k} if k else {}))
        except Exception:
            pass  # which is told below
    return _on(
        ops.eye(
            int(N),
            None if M is None else int(M),
            k=int(k),
            dtype=our_dtype(float if dtype is None else dtype, warn="eye"),
        ),
        device,
    )


def identity(n: Any, dtype: Any = None) -> Any:
    return eye(n, dtype=dtype)


def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> Any:
    return ops.tri(N, M, k, dtype=our_dtype(np.float32 if dtype is None else dtype, warn="tri"))


dialect.finish(globals(), view="jax.numpy")

above.asarray, above.cast = asarray, _cast
