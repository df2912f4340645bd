"""Functions that make, cast and describe tensors: `tf.constant`, `tf.zeros`, `tf.cast`, `tf.shape`."""

from __future__ import annotations

import math
from typing import Any

import latticework as lw

from ...engine.arrays.array import wrapped
from . import behaviour, dtypes
from .arguments import extents, number, only
from .errors import invalid
from .shapes import TensorShape
from .tensor import Tensor, as_tensor, dialect, of_kind, of_plain, ops


def convert_to_tensor(value: Any, dtype: Any = None, dtype_hint: Any = None, name: Any = None) -> Any:
    if dtype is None and dtype_hint is None and (type(value) is float or type(value) is list):
        return of_plain(value)
    if dtype is None and dtype_hint is not None and not isinstance(value, Tensor):
        try:
            return as_tensor(value, dtype_hint)
        except (TypeError, ValueError):
            pass
    return as_tensor(value, dtype)


#: The dtype of Python's floats.
_FLOAT = dtypes.float32._ours


def constant(value: Any, dtype: Any = None, shape: Any = None, name: Any = "Const") -> Any:
    if dtype is None and shape is None:
        kind = type(value)
        if kind is float and not behaviour.weak():
            return dialect.of_number(value, _FLOAT)
        if kind is list:
            return of_plain(value)
    if isinstance(value, Tensor) and dtype is not None and value.dtype != dtype:
        raise TypeError(f"Expected a tensor with dtype {dtypes.as_dtype(dtype)!r}, but got dtype {value.dtype!r}.")
    found = as_tensor(value, dtype)
    if shape is None:
        return found
    wanted = extents(shape)
    count = TensorShape(wanted).num_elements()
    if found.shape.num_elements() == count:
        return ops.reshape(found, wanted)
    if found.shape.num_elements() == 1:
        return ops.broadcast_to(ops.reshape(found, ()), wanted)
    raise TypeError(
        f"Eager execution of tf.constant with unsupported shape. The tensor has {found.shape.num_elements()} elements, "
        f"but got `shape` {wanted} with {count} elements"
    )


def is_tensor(x: Any) -> Any:
    return isinstance(x, Tensor) or hasattr(x, "_read")


def is_symbolic_tensor(tensor: Any) -> Any:
    return False


def identity(input: Any, name: Any = None) -> Any:
    x = as_tensor(input)
    return dialect.call(_same, (x,), {})  # a tape takes it for another tensor


def _same(x: Any) -> Any:
    return wrapped(x._data, x._sig)


def identity_n(input: Any, name: Any = None) -> Any:
    return [identity(x) for x in input]


def stop_gradient(input: Any, name: Any = None) -> Any:
    return ops.stop_gradient(identity(input))  # a new array, which a tape tells from the one that is watched


def get_static_value(tensor: Any, partial: Any = False) -> Any:
    return tensor.numpy() if isinstance(tensor, Tensor) else tensor


def cast(x: Any, dtype: Any, name: Any = None) -> Any:
    dtype = dtypes.as_dtype(dtype)
    x = as_tensor(x)
    if x.dtype is dtype:
        return x
    if x._array.dtype.kind == "c" and not dtype.is_complex:
        x = ops.real(x)
    return ops.astype(x, dtype)


def saturate_cast(value: Any, dtype: Any, name: Any = None) -> Any:
    value, dtype = as_tensor(value), dtypes.as_dtype(dtype)
    held = value.dtype
    if dtype.is_bool or held.is_bool:
        raise TypeError("Cannot find minimum value of <dtype: 'bool'> with type <dtype: 'bool'>.")
    if dtype.is_complex:
        return cast(value, dtype)
    if held.is_complex:
        return saturate_cast(ops.real(value), dtype)
    low, high = max(float(held.min), float(dtype.min)), min(float(held.max), float(dtype.max))
    if held.is_integer:
        low, high = max(int(held.min), int(low)), min(int(held.max), int(high))
    elif dtype.is_integer and not held.is_integer:
        import math

        high = _below(high, held) if high < float(held.max) else high
        low = math.ceil(low)
    return cast(ops.clip(value, low, high), dtype)


def _below(limit: float, dtype: dtypes.DType) -> float:
    """The greatest number of a floating dtype that an integer's greatest value is not below."""
    import numpy as np

    found = dtype.as_numpy_dtype(limit)
    return float(
        found if float(found) <= limit - 1 or limit < 2**24 else np.nextafter(np.float32(found), np.float32(0))
    )


def bitcast(input: Any, type: Any, name: Any = None) -> Any:
    return ops.bitcast(only(input, "iufc"), dtypes.as_dtype(type))


def Assert(condition: Any, data: Any, summarize: Any = None, name: Any = None) -> Any:
    if not bool(ops.all(as_tensor(condition))):
        raise invalid(f"assertion failed: {data}")


# --- shapes ---------------------------------------------------------------------------------------------------------


def _of_type(value: Any, out_type: Any) -> Any:
    return as_tensor(value, dtypes.int32 if out_type is None else out_type)


def shape(input: Any, out_type: Any = None, name: Any = None) -> Any:
    if out_type is not None and dtypes.as_dtype(out_type).name not in ("int32", "int64"):
        raise invalid(f"the dtype {out_type} of a shape is not in the list of allowed values: int32, int64")
    return _of_type(list(as_tensor(input)._array.shape), out_type)


def shape_n(input: Any, out_type: Any = dtypes.int32, name: Any = None) -> Any:
    return [shape(x, out_type) for x in input]


def size(input: Any, out_type: Any = None, name: Any = None) -> Any:
    return _of_type(as_tensor(input).shape.num_elements(), out_type)


def rank(input: Any, name: Any = None) -> Any:
    return _of_type(as_tensor(input).ndim, None)


def ensure_shape(x: Any, shape: Any, name: Any = None) -> Any:
    x = as_tensor(x)
    if not x.shape.is_compatible_with(shape):
        raise invalid(f"Shape of tensor {x.shape} is not compatible with expected shape {TensorShape(shape)}")
    return identity(x)


# --- new tensors ----------------------------------------------------------------------------------------------------


def zeros(shape: Any, dtype: Any = dtypes.float32, name: Any = None, layout: Any = None) -> Any:
    return ops.zeros(extents(shape), dtype=dtypes.as_dtype(dtype))


def ones(shape: Any, dtype: Any = dtypes.float32, name: Any = None, layout: Any = None) -> Any:
    return ops.ones(extents(shape), dtype=dtypes.as_dtype(dtype))


def zeros_like(input: Any, dtype: Any = None, name: Any = None, layout: Any = None) -> Any:
    x = as_tensor(input)
    return ops.zeros_like(x) if dtype is None else ops.zeros_like(x, dtype=dtypes.as_dtype(dtype))


def ones_like(input: Any, dtype: Any = None, name: Any = None, layout: Any = None) -> Any:
    x = as_tensor(input)
    return ops.ones_like(x) if dtype is None else ops.ones_like(x, dtype=dtypes.as_dtype(dtype))


def fill(dims: Any, value: Any, name: Any = None, layout: Any = None) -> Any:
    if type(value) is float and type(dims) in (list, tuple) and not behaviour.weak():
        try:
            return dialect.made(lw.full, tuple(dims), value, dtype=_FLOAT)
        except Exception:
            pass  # which is told below
    value = as_tensor(value)
    if value.ndim:
        raise invalid(f"value must be a scalar, and has the shape {value.shape}")
    return ops.broadcast_to(value, extents(dims))


def eye(
    num_rows: Any, num_columns: Any = None, batch_shape: Any = None, dtype: Any = dtypes.float32, name: Any = None
) -> Any:
    if batch_shape is None and type(num_rows) is int and dtype is dtypes.float32 and num_columns is None:
        try:
            return dialect.made(lw.eye, num_rows, dtype=_FLOAT)
        except Exception:
            pass  # which is told below
    batch = () if batch_shape is None else extents(batch_shape)
    dtype = dtypes.as_dtype(dtype)
    return ops.eye(number(num_rows), number(num_columns), batch_shape=batch, dtype=dtype)


def range(start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: Any = "range") -> Any:
    if limit is None:
        start, limit = 0, start
    if dialect.is_audited and dtype is None and all(type(v) in (int, float) for v in (start, limit, delta)):
        return ops.arange(start, limit, delta)  # the rules say of which dtype
    if type(start) is int and type(limit) is int and type(delta) is int and (limit - start) * delta > 0:
        found = dialect.counted(start, limit, delta, dialect.dtype_of(dtypes.int32 if dtype is None else dtype))
        if found is not None:
            return found
    ends = [as_tensor(v) if dtype is None else _cast_end(v, dtype) for v in (start, limit, delta)]
    for v in ends:
        if v.ndim:
            raise invalid(f"start, limit and delta must be scalars; one has the shape {v.shape}")
    order = (dtypes.int32, dtypes.int64, dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)
    for v in ends:
        if v.dtype not in order:
            raise ValueError(f"range has no dtype {v.dtype!r}")
    dtype = max((v.dtype for v in ends), key=order.index) if dtype is None else dtypes.as_dtype(dtype)
    given = zip((start, limit, delta), ends, strict=True)
    first, last, step = (x if type(x) is int and v.dtype.is_integer else v.numpy().item() for x, v in given)
    if not step:
        raise invalid("Requires delta != 0: 0")
    if (step > 0 and first > last) or (step < 0 and first < last):
        raise invalid(f"Requires start <= limit when delta > 0: {first}/{last}")
    return ops.arange(first, last, step, dtype=dtype)


def _cast_end(v: Any, dtype: Any) -> Any:
    return cast(v, dtype) if isinstance(v, Tensor) else as_tensor(v, dtype)


def linspace(start: Any, stop: Any, num: Any, name: Any = None, axis: Any = 0) -> Any:
    start = as_tensor(start)
    stop = as_tensor(stop, like=start)
    if start._array.dtype.kind in "iu":
        start, stop = cast(start, dtypes.float64), cast(stop, dtypes.float64)
    if start.dtype != stop.dtype:
        raise invalid(f"start is of {start.dtype.name} and stop of {stop.dtype.name}")
    count = number(num)
    return ops.linspace(start, stop, max(count, 0), dtype=start.dtype, axis=number(axis))


def meshgrid(*args: Any, **kwargs: Any) -> Any:
    indexing = kwargs.pop("indexing", "xy")
    kwargs.pop("name", None)
    if kwargs:
        raise TypeError(f"'{next(iter(kwargs))}' is an invalid keyword argument for this function")
    if indexing not in ("xy", "ij"):
        raise ValueError(f"Argument `indexing` parameter must be either 'xy' or 'ij'; got {indexing!r}.")
    found = [ops.reshape(as_tensor(x), (-1,)) for x in args]
    if found and found[0].dtype == "bool":
        found = [cast(x, dtypes.bool) for x in found]
    for x in found:
        if x.dtype != found[0].dtype:
            raise invalid(f"the tensors are of {found[0].dtype.name} and {x.dtype.name}, and all need the same")
    return list(ops.meshgrid(*found, indexing=indexing)) if found else []


def one_hot(
    indices: Any, depth: Any, on_value: Any = None, off_value: Any = None, axis: Any = None, dtype: Any = None,
    name: Any = None,
) -> Any:  # fmt: skip
    indices = of_kind(indices, dtypes.int64)
    if str(indices._array.dtype) not in ("uint8", "int8", "int32", "int64"):
        raise invalid(f"the dtype {indices.dtype.name} of indices is not in the list of allowed values")
    values = [v for v in (on_value, off_value) if v is not None]
    first = dtypes.as_dtype(dtype) if dtype is not None else as_tensor(values[0]).dtype if values else dtypes.float32
    if dtype is not None:
        for v in values:
            if as_tensor(v, like=ops.zeros((), dtype=first)).dtype != first:
                raise TypeError(f"dtype {as_tensor(v).dtype!r} of on_value or off_value does not match dtype {first!r}")
    on = as_tensor(1 if on_value is None else on_value, like=ops.zeros((), dtype=first))
    off = as_tensor(0 if off_value is None else off_value, like=ops.zeros((), dtype=first))
    if on.dtype != off.dtype:
        raise TypeError(f"dtypes of on_value and off_value do not match: {on.dtype!r} and {off.dtype!r}")
    wide = ops.astype(indices, "int64")
    hot = ops.equal(ops.expand_dims(wide, -1), ops.arange(number(depth), dtype=dtypes.int64))
    found = ops.where(hot, on, off)
    return found if axis in (None, -1) else ops.moveaxis(found, -1, number(axis))


def sequence_mask(lengths: Any, maxlen: Any = None, dtype: Any = dtypes.bool, name: Any = None) -> Any:
    lengths = as_tensor(lengths)
    longest = (int(ops.max(lengths)) if lengths.shape.num_elements() else 0) if maxlen is None else number(maxlen)
    steps = ops.arange(max(longest, 0), dtype=lengths.dtype)
    found = ops.less(steps, ops.expand_dims(lengths, -1))
    return cast(found, dtype)


def unravel_index(indices: Any, dims: Any, name: Any = None) -> Any:
    indices = only(as_tensor(indices), "i", "int8 int16")
    shape = extents(dims)
    count = math.prod(shape)
    if indices.shape.num_elements() and bool(ops.any(ops.greater_equal(indices, count))):
        raise invalid(f"an index does not lie among the {count} elements of the shape {shape}")
    found = ops.unravel_index(indices, shape=shape)
    return ops.stack([ops.astype(x, indices._array.dtype) for x in found])


# --- fast paths over `lw.Array` ---------------------------------------------------------------------------------------


dialect.finish(globals(), view="tf")
