"""Conversion: an array of whatever can be one, on a backend, in a dtype, on a device."""

from __future__ import annotations

import math
from itertools import chain
from typing import Any

from ..backends import Backend, get, of
from ..core.device import Device
from ..core.dtypes import SCALAR_KINDS, Dtype, int_limits, real_of
from ..core.registry import functions as lw
from ..core.sequences import check_rectangular, element, elements, plain, shape_of
from ..engine.array import Array
from ..engine.kernels import device_for
from ..policy import as_dtype, current
from .checked_cast import refuse_loss


def astype(x: Array, dtype: Any, /, *, copy: bool = True, device: Any = None, check: bool = False) -> Array:
    """The array in another dtype.

    Parameters
    ----------
    x: any shape and dtype.
    dtype: the dtype to cast to.
    copy: whether the result has its own memory where x has the dtype already.
    device: a device of x's backend to put the result on; x's own by default.
    check: whether to refuse a cast by which an element would lose its value. That takes a few passes over x, and
        computes an array that is computed later.

    Returns
    -------
    The shape of x. On every backend alike:

    - float to integer: cut towards zero. What is beyond the integer's range is the end of the range that is nearer,
      infinities included, and nan is 0. The frameworks by themselves disagree: of -1.0 as uint8 NumPy and PyTorch
      make 255 on one processor and 0 on another, JAX 0, and TensorFlow either along one array.
    - integer to integer: the lowest bits. What does not fit wraps around.
    - anything to bool: True unless it is zero. nan is True.
    - to a floating dtype: rounded to the nearest; infinite beyond the range.

    With `check` none of these happens but rounding from float to float: an element loses its value where it is a
    float with a fraction, beyond the range or nan for an integer dtype; an integer that the dtype does not hold
    exactly; a finite number that becomes infinite; a number other than 0 and 1 for bool; and, for a complex array
    that is to become real, one with an imaginary part other than 0.

    Raises
    ------
    TypeError: a complex dtype to a real one, unless it is checked that nothing is lost: take `lw.real` or `lw.abs`.
    errors.ValueLossError: (a ValueError) with `check`, for the first element that would lose its value.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.astype(lw.asarray([1.5, -1.5]), lw.int8)
    Array([ 1, -1], dtype=int8)
    >>> lw.astype(lw.asarray([-1.0, 300.0, float("inf"), float("nan")]), lw.uint8)
    Array([  0, 255, 255,   0], dtype=uint8)
    >>> lw.astype(lw.asarray([7.0, 300.0]), lw.uint8, check=True)
    Traceback (most recent call last):
    latticework.errors.ValueLossError: astype: 1 of 2 elements would lose their value as uint8. The first is \
300.0, at index (1,): unchecked it becomes 255
    """
    if not isinstance(x, Array):
        raise TypeError(f"astype: takes an array; got {type(x).__name__}. Make one of it: lw.asarray(x)")
    target, backend = as_dtype(dtype), x._sig.backend
    if check:
        x = refuse_loss(x, target)
    if x.dtype.kind == "c" and target.kind in "iuf":
        raise TypeError(f"astype: {x.dtype} to {target} would drop the imaginary part. Take lw.real(x) or lw.abs(x)")
    sig = backend.sig(target)
    made = Array()
    made._sig = sig
    if target is x.dtype:
        made._data = backend.module.duplicate(x._data) if copy else x._data
    else:
        made._data = backend.module.cast(backend.native[target])(x._data)
    if device is not None and device != x.device:
        return made.to_device(device)
    return x if made._data is x._data and sig is x._sig else made


def asarray(
    obj: Any, /, *, dtype: Any = None, device: Any = None, copy: bool | None = None, backend: str | None = None
) -> Array:
    """An array of anything that can be one.

    Parameters
    ----------
    obj: an `Array`; a framework's own array; a Python scalar; nested sequences of scalars or arrays; whatever
        has the DLPack, buffer or NumPy array protocol.
    dtype: the result's dtype. By default an array's own; of Python scalars the default of their kind.
    device: the result's device. A `Device` of an array brings its backend with it.
    copy: True for memory of its own, False to refuse any copy, None to copy where it has to be. JAX copies an
        ndarray, unless `backend` or `copy` says otherwise: shared memory must not be written to any more.
    backend: the result's backend. By default an array's own, also that of an `Array` within a sequence; the
        policy's for everything else, `numpy.ndarray` included, which is how data comes from outside.

    Returns
    -------
    An array that shares memory with `obj` where it can and `copy` is not True; `obj` itself, if it is one already.

    Raises
    ------
    ValueError: ragged sequences; a copy that has to be made although `copy` is False.
    OverflowError: a Python int that the dtype does not hold.
    TypeError: what is no number; complex numbers for a real dtype.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.asarray([[1, 2], [3, 4]], dtype="float16")
    Array([[1., 2.],
           [3., 4.]], dtype=float16)
    >>> lw.asarray(memoryview(b"abc"))
    Array([97, 98, 99], dtype=uint8)
    """
    wanted = None if dtype is None else as_dtype(dtype)
    if isinstance(obj, Array):
        return _move(obj, _target(backend, device, obj._sig.backend), wanted, device, copy)
    owner = of(obj)
    if owner is not None:
        given = _native(obj, owner, copy)
        target = _target(backend, device, None if owner.name == "numpy" else owner)
        return _move(given, target, wanted, device, copy, asked=backend is not None)
    if isinstance(obj, (list, tuple, range, *SCALAR_KINDS)):
        if copy is False:
            raise ValueError(f"asarray: copy=False, but a {type(obj).__name__} has to be copied")
        return _of_scalars(obj, wanted, backend, device)
    target = _target(backend, device, None)
    given = _of_protocols(obj, target, device, copy)
    return _move(given, target, wanted, device, copy)


def _target(backend: str | None, device: Any, owner: Backend | None) -> Backend:
    """Which backend the result is of: as asked, the device's, the array's own, or the policy's."""
    if backend is not None:
        return get(backend)
    if getattr(device, "backend", None) is not None:
        return get(device.backend)
    return owner or get(current().backend)


def _move(
    x: Array, target: Backend, dtype: Dtype | None, device: Any, copy: bool | None, *, asked: bool = True
) -> Array:
    """An array as one of a backend, in a dtype, on a device: x itself where nothing has to change.

    `asked`: whether to share memory even where what is written to it later may still go into the result. (JAX
    computes when it comes to it.)
    """
    owner = x._sig.backend
    if owner is not target:
        if copy is None and owner.lazy:  # into memory that nothing else writes to
            return _move(x.compute(), target, dtype, device, None)
        place = device_for(target, device)
        made = Array()
        made._sig = target.sig(x.dtype)
        made._data = _shared(x, target, place, copy) if asked and not copy else None
        if made._data is None:
            data = owner.module.to_numpy(x._data, None, False if copy is False else None)
            made._data = target.module.from_numpy(data, target.module.native_device(place), copy)
        if x.weak:
            made._sig = made._sig.weakly
        return _cast(made, dtype, copy)
    moved = _cast(x, dtype, copy)
    if device is not None and moved.device != (place := target.device(device)):
        if copy is False:
            raise ValueError(f"asarray: copy=False, but the array lies on {moved.device}, not on {place}")
        moved = moved.to_device(place)
    if copy and moved._data is x._data:
        moved = Array()
        moved._data, moved._sig = target.module.duplicate(x._data), x._sig
    return moved


def _shared(x: Array, target: Backend, place: Device, copy: bool | None) -> Any:
    """The same memory as a native array of another backend, or what that made of it if `copy` is not False; None
    where it cannot."""
    owner = x._sig.backend
    lazy = owner.lazy or target.lazy
    try:
        if lazy or "numpy" in (owner.name, target.name):  # whose own way has more dtypes than DLPack
            data = owner.module.to_numpy(x._data, None, False)
            return target.module.from_numpy(data, target.module.native_device(place), False)
        data = target.module.from_dlpack(x, None, copy)
    except Exception:  # each framework has its own
        return None
    same = target.module.device_of(data) == place and target.dtypes.get(target.module.dtype_of(data)) is x.dtype
    return data if same else None


def _cast(x: Array, dtype: Dtype | None, copy: bool | None) -> Array:
    if dtype is None or (dtype is x.dtype and not x.weak):
        return x
    if dtype is x.dtype:  # what was weak is not with a dtype given
        return astype(x, dtype, copy=False)
    if copy is False:
        raise ValueError(f"asarray: copy=False, but {x.dtype} has to be copied to become {dtype}")
    return astype(x, dtype)


def _native(obj: Any, owner: Backend, copy: bool | None) -> Array:
    """A framework's own array as an `Array` that holds it."""
    made = Array()
    made._data = owner.module.plain(obj, copy)
    made._sig = owner.sig_of(made._data)
    if getattr(obj, "weak_type", False) is True and current().weak_arrays:
        made._sig = made._sig.weakly
    return made


def _of_protocols(obj: Any, target: Backend, device: Any, copy: bool | None) -> Array:
    """What has DLPack, the buffer protocol or NumPy's own, as an `Array` of whichever backend reads it."""
    import numpy as np

    if hasattr(obj, "__dlpack__"):
        try:
            return _exchange(obj, target, device, copy)
        except (BufferError, RuntimeError, TypeError, ValueError):
            if copy is False or not hasattr(obj, "__array__"):
                raise
    try:
        data = np.asarray(memoryview(obj) if isinstance(obj, bytes) else obj)
    except Exception as error:
        raise TypeError(f"asarray: cannot make an array of {type(obj).__name__}: {error}") from error
    if data.dtype.kind not in "biufcV":
        raise TypeError(f"asarray: cannot make an array of {type(obj).__name__}; NumPy reads it as {data.dtype}")
    return _native(data, get("numpy"), copy)


# Python scalars. NumPy parses them, straight to the dtype that is decided on before, from the types alone.


def _of_scalars(obj: Any, dtype: Dtype | None, backend: str | None, device: Any) -> Array:
    if not isinstance(obj, (list, tuple, range)):
        obj = plain(obj)
    if type(obj) in SCALAR_KINDS:
        target, chosen = _target(backend, device, None), dtype or current().promote(type(obj))
        made = Array()
        made._sig = target.sig(chosen)
        if dtype is None and current().weak_arrays and chosen.kind != "b":
            made._sig = made._sig.weakly
        made._data = target.module.native(target.module.scalar(target.native[chosen])(fitting("asarray", obj, chosen)))
        return made.to_device(place) if made.device != (place := device_for(target, device)) else made
    import numpy as np

    kinds, arrays = _kinds(obj)
    owner = arrays[0]._sig.backend if arrays else None
    if owner and device is None and backend in (None, owner.name):
        device = arrays[0].device
    target = _target(backend, device, owner)
    if kinds is None:
        check_rectangular(obj, shape_of(obj))
        if len(arrays) == len(obj):
            together = lw.stack(arrays)
            together._sig = together._sig.strongly  # a sequence is not weak, even of weak arrays
            return _move(together, target, dtype, device, None)
        kinds, obj = {element(x) for x in elements(obj)}, plain(obj)
    chosen = dtype or (current().promote(*kinds) if kinds else current().default_dtype)
    get("numpy").sig(chosen)  # refuses a dtype that only promotion rules know
    if chosen.kind != "c" and any(getattr(k, "kind", SCALAR_KINDS.get(k)) == "c" for k in kinds):
        raise TypeError(f"asarray: complex numbers do not go into {chosen}. Take their real parts first")
    try:
        data = np.asarray(obj, dtype=get("numpy").native[chosen])
    except (OverflowError, ValueError):
        for value in elements(obj):
            fitting("asarray", value, chosen, hint=dtype is None)
        raise
    made = Array()
    made._data, made._sig = data, get("numpy").sig(chosen)
    if dtype is None and kinds <= SCALAR_KINDS.keys() and chosen.kind != "b" and current().weak_arrays == "sequence":
        made._sig = made._sig.weakly
    return _move(made, target, None, device, None)


def _kinds(obj: Any) -> tuple[set[Any] | None, list[Array]]:
    """The types of Python scalars in nested sequences, None where there is anything else; and arrays at the top.

    A level of nesting at a time, with all loops in C: it takes less time than the parsing after it.
    """
    level, first = obj, True
    while True:
        types = set(map(type, level))
        if types <= SCALAR_KINDS.keys():
            return types, []
        if not types <= {list, tuple, range}:
            return None, [x for x in level if isinstance(x, Array)] if first else []
        if len(set(map(len, level))) > 1:
            check_rectangular(obj, shape_of(obj))
        level, first = list(chain.from_iterable(level)), False


def fitting(name: str, value: Any, dtype: Dtype, *, hint: bool = False) -> Any:
    """A Python scalar as one of the dtype's kind, which the dtype holds."""
    if dtype.kind == "b":
        return bool(value)
    if dtype.kind == "c":
        return value if isinstance(value, complex) else complex(fitting(name, value, real_of(dtype)))
    if isinstance(value, complex):
        raise TypeError(f"{name}: complex numbers do not go into {dtype}. Take their real parts first")
    if dtype.kind == "f":
        try:
            return float(value)
        except OverflowError as error:
            raise OverflowError(f"{name}: Python {error}") from None
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{name}: {value} does not go into {dtype}")
    limits = int_limits(dtype)
    if not limits.min <= int(value) <= limits.max:
        way_out = f"Give the dtype: lw.{name}(..., dtype=lw.int64)" if hint else "Give a wider dtype"
        raise OverflowError(
            f"{name}: Python {type(value).__name__} {value} does not fit {dtype}, "
            f"which holds {limits.min} to {limits.max}. {way_out}"
        )
    return int(value)


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Array:
    """An array of whatever has the DLPack protocol, without a copy where that is possible.

    Parameters
    ----------
    x: an object with `__dlpack__` and `__dlpack_device__`.
    device: the device of the result. One that comes from an array decides the backend as well.
    copy: True for memory of its own, False to refuse any copy.

    Returns
    -------
    An array of the current backend, or of x's own if x is an `Array`. It shares memory with x unless it is copied.

    Raises
    ------
    BufferError: the dtype or device cannot be exchanged.
    ValueError: not without a copy, although `copy` is False.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.from_dlpack(lw.asarray([1.0, 2.0]))
    Array([1., 2.], dtype=float32)
    """
    if not hasattr(x, "__dlpack__"):
        raise TypeError(f"from_dlpack: {type(x).__name__} has no __dlpack__. Use lw.asarray")
    target = _target(None, device, x._sig.backend if isinstance(x, Array) else None)
    if isinstance(x, Array):
        moved = _move(x, target, None, device, copy)
        made = Array()
        made._data, made._sig = moved._data, moved._sig
        return made
    if (owner := of(x)) is not None:  # a way of our own, for more dtypes than DLPack has
        return _move(_native(x, owner, copy), target, None, device, copy)
    return _exchange(x, target, device, copy)


def _exchange(x: Any, target: Backend, device: Any, copy: bool | None) -> Array:
    made = Array()
    made._data = target.module.from_dlpack(x, None if device is None else str(target.device(device)), copy)
    made._sig = target.sig_of(made._data)
    return made
