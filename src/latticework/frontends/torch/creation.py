"""PyTorch's functions that make tensors."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

import latticework as lw

from ...core.dtypes import SCALARS, int64
from .core import complete, default_float, dialect, ops
from .objects import place
from .tensor import Tensor, cast, shape_of

# fmt: off

def zeros(*shape, size=None, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    return _filled(ops.zeros, shape if size is None else (size,), dtype, device, requires_grad)
def ones(*shape, size=None, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    return _filled(ops.ones, shape if size is None else (size,), dtype, device, requires_grad)
def empty(
    *shape, size=None, out=None, dtype=None, layout=None, device=None, pin_memory=False,
    requires_grad=False, memory_format=None,
):
    return _filled(ops.zeros, shape if size is None else (size,), dtype, device, requires_grad)
def empty_strided(size, stride, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    return _filled(ops.zeros, (tuple(size),), dtype, device, requires_grad)
def zeros_like(input, *, dtype=None, layout=None, device=None, requires_grad=False, memory_format=None):
    return ops.zeros_like(input, dtype=dtype, device=None if device is None else place(device))
def ones_like(input, *, dtype=None, layout=None, device=None, requires_grad=False, memory_format=None):
    return ops.ones_like(input, dtype=dtype, device=None if device is None else place(device))
def empty_like(input, *, dtype=None, layout=None, device=None, requires_grad=False, memory_format=None):
    return ops.zeros_like(input, dtype=dtype, device=None if device is None else place(device))
def full_like(input, fill_value, *, dtype=None, layout=None, device=None, requires_grad=False, memory_format=None):
    return _full(input._array.shape, fill_value, dtype or input.dtype, _beside(input, device))
def full(size, fill_value, *, out=None, dtype=None, layout=None, device=None, requires_grad=False):
    if type(fill_value) is float and type(size) is tuple and dtype is None and device is None and not dialect.elsewhere:
        try:
            return dialect.made(lw.full, size, fill_value, dtype=default_float())
        except Exception:
            pass  # which is told below
    return _full(tuple(size), fill_value, dtype, place(device))
def scalar_tensor(s, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    return _full((), s, dtype or default_float(), place(device))
def from_numpy(ndarray, /): return _from_numpy(ndarray)
def from_dlpack(ext_tensor, *, device=None, copy=None):
    return ops.from_dlpack(ext_tensor, device=place(device), copy=copy)
def as_tensor(data, dtype=None, device=None): return _tensor(data, dtype, device, None)
def asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=False): return _tensor(obj, dtype, device, copy)
def bartlett_window(window_length, periodic=True, *, dtype=None, layout=None, device=None, requires_grad=False):
    return _window("bartlett", window_length, periodic, dtype, device)
def blackman_window(window_length, periodic=True, *, dtype=None, layout=None, device=None, requires_grad=False):
    return _window("blackman", window_length, periodic, dtype, device)
def hann_window(window_length, periodic=True, *, dtype=None, layout=None, device=None, requires_grad=False):
    return _window("hann", window_length, periodic, dtype, device)
def kaiser_window(
    window_length, periodic=True, beta=12.0, *, dtype=None, layout=None, device=None, requires_grad=False,
):
    return _window("kaiser", window_length, periodic, dtype, device, beta=beta)
# fmt: on


def _beside(input: Any, device: Any) -> Any:
    return input._array.device if device is None else place(device)


def _filled(make: Any, size: Any, dtype: Any, device: Any, requires_grad: bool) -> Any:
    if len(size) == 1 and type(size[0]) is not int:
        size = shape_of(size)
    for n in size:
        if type(n) is not int:
            if isinstance(n, float):
                raise TypeError(f"argument 'size' must be tuple of ints; got {size}")
            return make(tuple(int(n) for n in size), dtype, place(device))
    return make(size, dtype, place(device))


def _full(shape: tuple[int, ...], value: Any, dtype: Any, device: Any) -> Any:
    if type(value) is Tensor:
        value = value.item()
    elif isinstance(value, np.generic) and not isinstance(value, complex):
        value = int(value) if isinstance(value, np.integer) else float(value.real)
    if dtype is None and type(value) in (int, float):
        dtype = dialect.default("i") if type(value) is int else default_float()
    if dtype is None:
        return ops.full(shape, value, device=device)
    to = dialect.dtype_of(dtype)
    if isinstance(value, complex) and to.kind != "c":
        raise RuntimeError(f"value cannot be converted to {dtype} without overflow")
    if to.kind == "b":
        value = bool(value)
    elif to.kind in "iu":
        value = int(value)
    return ops.full(shape, value, dtype=to, device=device)


def tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False):
    if type(data) is list and dtype is None and device is None and not (requires_grad or dialect.elsewhere):
        found = dialect.of_numbers(data)
        if found is not None:
            return found
    return _tensor(data, dtype, device, True)


def _tensor(data: Any, dtype: Any, device: Any, copy: Any) -> Any:
    """A tensor of Python scalars, sequences of them and of tensors, tensors, or another library's array."""
    if type(data) is Tensor:
        found = data._to(dtype, device)
        return found.clone() if copy and found is data else found
    if (
        not isinstance(data, (*SCALARS, list, tuple))
        and not hasattr(data, "__array__")
        and not hasattr(data, "__dlpack__")
    ):
        if isinstance(data, (str, bytes)):
            raise TypeError(f"tensor: cannot make a tensor of {type(data).__name__}")
        if isinstance(data, Sequence):  # a deque, a range
            return _tensor(_listed(data), dtype, device, copy)
        raise RuntimeError(f"Could not infer dtype of {type(data).__name__}")
    if type(data) is list and dtype is None and device is None and not dialect.elsewhere:
        found = dialect.of_numbers(data)
        if found is not None:
            return found
    where = place(device)
    if isinstance(data, (list, tuple)) and _has_tensors(data):
        return _joined(data)._to(dtype, device)
    to = None if dtype is None else dialect.dtype_of(dtype)
    try:
        made = ops.asarray(data, device=where, copy=copy) if to is None else None
        if to is not None:
            made = _of_dtype(data, to, where, copy)
    except RuntimeError as error:
        if isinstance(data, (list, tuple)) and "overflow" not in str(error):  # their shapes do not fit
            raise ValueError(str(error)) from None
        raise
    if made is not None and not made._array.size and isinstance(data, (list, tuple)) and to is None:
        return made._to(default_float())
    return made


def _of_dtype(data: Any, to: Any, where: Any, copy: Any) -> Any:
    """Python's numbers in a dtype: PyTorch cuts off what does not go into integers."""
    if isinstance(data, (bool, int, float, list, tuple)):
        try:
            return ops.asarray(data, dtype=to, device=where)
        except (TypeError, RuntimeError):
            if to.kind not in "biu":
                raise
    made = ops.asarray(data, device=where, copy=copy)
    return cast(made, to)


def _listed(data: Any) -> Any:
    """Return a sequence as a list, and sequences in it as lists."""
    return [_listed(x) if isinstance(x, Sequence) and not isinstance(x, (str, bytes)) else x for x in data]


def _has_tensors(data: Any) -> bool:
    """Return whether nested sequences contain tensors."""
    return any(type(x) is Tensor or (isinstance(x, (list, tuple)) and _has_tensors(x)) for x in data)


def _joined(data: Any) -> Any:
    """Join nested sequences with tensors of one element to a tensor, in the dtype that all elements promote to."""
    if type(data) is Tensor:
        if data._array.size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        return ops.reshape(data, ())
    if not isinstance(data, (list, tuple)):
        return _tensor(data, None, None, True)
    parts = [_joined(x) for x in data]
    dtype = parts[0].dtype
    for x in parts[1:]:
        dtype = ops.promote_types(dtype, x.dtype)
    try:
        return ops.stack([x._to(dtype) for x in parts])
    except RuntimeError as error:
        raise ValueError(str(error)) from None


def _from_numpy(array: Any) -> Any:
    if type(array).__module__ != "numpy":
        raise TypeError(f"expected np.ndarray (got {type(array).__name__})")
    return ops.asarray(array)


def frombuffer(buffer, *, dtype, count=-1, offset=0, requires_grad=False):

    return ops.asarray(np.frombuffer(buffer, np.dtype(dialect.dtype_of(dtype)), count, offset).copy())


def arange(*args, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False, **kw):
    if len(args) == 1 and type(args[0]) is int and args[0] >= 0 and not kw and device is None and not dialect.elsewhere:
        try:
            return dialect.made(lw.arange, args[0], dtype=_of_ints(dtype))
        except Exception:
            pass  # which is told below
    start, end, step = kw.pop("start", 0), kw.pop("end", None), kw.pop("step", 1)
    if kw:
        raise TypeError(f"arange() got an unexpected keyword argument {next(iter(kw))!r}")
    if len(args) == 1 and end is None:
        end = args[0]
    elif args:
        start, end, step = (*args, *(start, end, step)[len(args) :])
    start, end, step = (x.item() if type(x) is Tensor else x for x in (start, end, step))
    if end is None:
        raise TypeError("arange() received an invalid combination of arguments: it needs an end")
    if step == 0 or (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign, or step is zero")
    if device is None and not dialect.elsewhere:
        found = dialect.counted(start, end, step, _of_ints(dtype))
        if found is not None:
            return found
    return ops.arange(start, end, step, dtype=dtype, device=place(device))


def _of_ints(dtype: Any) -> Any:
    return dialect.default("i") if dtype is None else dialect.dtype_of(dtype)


def range(start=0, end=None, step=1, *, out=None, dtype=None, layout=None, device=None, requires_grad=False):
    if end is None:
        start, end = 0, start
    dtype = default_float() if dtype is None else dtype
    return ops.arange(start, end + step / 2, step, dtype=dtype, device=place(device))


def eye(n, m=None, *, out=None, dtype=None, layout=None, device=None, requires_grad=False):
    if type(n) is int and m is None and dtype is None and device is None and n >= 0 and not dialect.elsewhere:
        return dialect.made(lw.eye, n, dtype=default_float())
    if n < 0 or (m or 0) < 0:
        raise RuntimeError(f"n must be greater or equal to 0, got {n}")
    dtype = default_float() if dtype is None else dtype
    return ops.eye(n, m, dtype=dtype, device=place(device))


def _ends(start: Any, end: Any) -> tuple[Any, Any]:
    return tuple(x.item() if type(x) is Tensor else x for x in (start, end))


def linspace(start, end, steps, *, out=None, dtype=None, layout=None, device=None, requires_grad=False):
    plain = type(start) in _NUMBERS and type(end) in _NUMBERS and type(steps) is int
    if plain and dtype is None and device is None and steps >= 0 and not dialect.elsewhere:
        try:
            return dialect.made(lw.linspace, start, end, steps, dtype=default_float())
        except Exception:
            pass  # which is told below
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    start, end = _ends(start, end)
    if dtype is not None and dialect.dtype_of(dtype).kind in "iu":
        return ops.linspace(float(start), float(end), steps, dtype="float64", device=place(device))._to(dtype)
    return ops.linspace(start, end, steps, dtype=dtype, device=place(device))


def logspace(start, end, steps, base=10.0, *, out=None, dtype=None, layout=None, device=None, requires_grad=False):
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    start, end = _ends(start, end)
    return ops.logspace(start, end, steps, base=base, dtype=dtype, device=place(device))


def sparse_coo_tensor(
    indices=(), values=(), size=None, *, dtype=None, device=None, pin_memory=False, requires_grad=False,
    check_invariants=None, is_coalesced=None,
):  # fmt: skip
    """Make the tensor that has values at positions and zeros elsewhere. Values at one position are added."""
    if not len(indices) and size is not None:
        return ops.zeros(tuple(size), dtype=dtype, device=place(device))
    indices, values = _tensor(indices, int64, device, None), _tensor(values, dtype, device, None)
    rows, inner = [*indices], tuple(values._array.shape[1:])
    outer = tuple(size)[: len(rows)] if size is not None else tuple([int(row.max()) + 1 for row in rows])
    flat = ops.zeros((prod(outer), *inner), dtype=values._array.dtype, device=values._array.device)
    if not values._array.shape[0]:
        return ops.reshape(flat, (*outer, *inner))
    where: Any = 0
    for row, extent in zip(rows, outer, strict=True):
        if not 0 <= int(row.min()) <= int(row.max()) < extent:
            raise RuntimeError(f"sparse_coo_tensor: a position is outside of the extents {outer}")
        where = ops.add(ops.multiply(where, extent), row)
    where = ops.broadcast_to(ops.reshape(where, (-1, *[1] * len(inner))), values._array.shape)
    return ops.reshape(ops.scatter(flat, where, values, axis=0, reduction="sum"), (*outer, *inner))


# --- windows --------------------------------------------------------------------------------------------------------


def _window(name: str, length: int, periodic: bool, dtype: Any, device: Any, **options: Any) -> Any:
    if length < 0:
        raise RuntimeError(f"{name}_window requires non-negative window_length, got window_length={length}")
    dtype = default_float() if dtype is None else dtype
    if dialect.dtype_of(dtype).kind != "f":
        raise RuntimeError(f"{name}_window expects floating point dtypes, got: {dtype}")
    make = getattr(ops.signal, name)
    return make(length, periodic=periodic, dtype=dtype, device=place(device), **options)


def hamming_window(
    window_length, periodic=True, alpha=0.54, beta=0.46, *, dtype=None, layout=None, device=None, requires_grad=False
):
    cosine = _window("hann", window_length, periodic, dtype, device)
    return ops.add(ops.multiply(cosine, 2 * beta), alpha - beta)


_NUMBERS = (int, float)


complete(globals())
