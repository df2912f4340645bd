"""Creation functions: the policy's backend, or the one of the device given. Backends get dtype and device resolved."""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterator
from itertools import chain
from operator import index
from typing import Any, Literal

import latticework as lw

from ..array import Array
from ..backends import Backend, get, of
from ..device import Device
from ..dtypes import SCALAR_KINDS, Dtype, as_dtype, float32, float64, float_limits, int_limits, real_of
from ..failure import CHECKS
from ..kernels import device_for
from ..op import OPS, _from_scalars, as_operand, composed, creation, op
from ..policy import current, plainly
from .data_types import astype
from .manipulation import broadcast_arrays, broadcast_to, reshape, stack

__all__ = [
    "arange",
    "asarray",
    "empty",
    "empty_like",
    "eye",
    "from_dlpack",
    "full",
    "full_like",
    "linspace",
    "meshgrid",
    "ones",
    "ones_like",
    "tril",
    "triu",
    "zeros",
    "zeros_like",
]


# --- from what there is ------------------------------------------------------------------------------------------


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
        obj = _plain(obj)
    if type(obj) in SCALAR_KINDS:
        target, chosen = _target(backend, device, None), dtype or current().promote(type(obj))
        made = Array()
        made._sig = target.sig(chosen)
        if dtype is None and current().weak_arrays and chosen.kind != "b":
            made._sig = made._sig.weakly
        made._data = target.module.native(target.module.scalar(target.native[chosen])(_fitting("asarray", obj, chosen)))
        return made.to_device(place) if made.device != (place := device_for(target, device)) else made
    import numpy as np

    kinds, arrays = _kinds(obj)
    owner = arrays[0]._sig.backend if arrays else None
    if owner and device is None and backend in (None, owner.name):
        device = arrays[0].device
    target = _target(backend, device, owner)
    if kinds is None:
        _check_rectangular(obj, _shape(obj))
        if len(arrays) == len(obj):
            together = stack(arrays)
            together._sig = together._sig.strongly  # a sequence is not weak, even of weak arrays
            return _move(together, target, dtype, device, None)
        kinds, obj = {_leaf(x) for x in _flat(obj)}, _plain(obj)
    chosen = dtype or (current().promote(*kinds) if kinds else current().default_dtype)
    get("numpy").sig(chosen)  # refuses a dtype that only promotion rules know
    if chosen.kind != "c" and any(getattr(k, "kind", SCALAR_KINDS.get(k)) == "c" for k in kinds):
        raise TypeError(f"asarray: complex numbers do not go into {chosen}. Take their real parts first")
    try:
        data = np.asarray(obj, dtype=get("numpy").native[chosen])
    except (OverflowError, ValueError):
        for value in _flat(obj):
            _fitting("asarray", value, chosen, hint=dtype is None)
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
            _check_rectangular(obj, _shape(obj))
        level, first = list(chain.from_iterable(level)), False


def _leaf(x: Any) -> Dtype | type:
    """What one element of a sequence promotes as: an array's dtype, or a Python scalar type."""
    if hasattr(x, "dtype"):
        return as_dtype(x.dtype)
    for kind in SCALAR_KINDS:
        if isinstance(x, kind):
            return kind
    raise TypeError(f"asarray: {x!r} is no number, array or sequence of them")


def _fitting(name: str, value: Any, dtype: Dtype, *, hint: bool = False) -> Any:
    """A Python scalar as one of the dtype's kind, which the dtype holds."""
    if dtype.kind == "b":
        return bool(value)
    if dtype.kind == "c":
        return value if isinstance(value, complex) else complex(_fitting(name, value, real_of(dtype)))
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


def _flat(plain: Any) -> Iterator[Any]:
    if isinstance(plain, (list, tuple, range)):
        for x in plain:
            yield from _flat(x)
    else:
        yield plain


def _plain(obj: Any) -> Any:
    """Nested lists of Python scalars."""
    if isinstance(obj, (list, tuple, range)):
        return [_plain(x) for x in obj]
    if hasattr(obj, "tolist"):
        return obj.tolist()
    return next(kind(obj) for kind in SCALAR_KINDS if isinstance(obj, kind))  # an IntEnum is an int


def _shape(obj: Any) -> tuple[int, ...]:
    if isinstance(obj, (list, tuple, range)):
        return (len(obj), *(_shape(obj[0]) if obj else ()))
    return tuple(getattr(obj, "shape", ()))


def _check_rectangular(obj: Any, shape: tuple[int, ...], place: str = "obj") -> None:
    found = _shape(obj)
    if len(found) != len(shape) or found[:1] != shape[:1]:
        raise ValueError(
            f"asarray: ragged sequences: {place} has shape {found} where the first of its kind has {shape}. "
            f"All parts of an array have the same shape"
        )
    if isinstance(obj, (list, tuple, range)):
        for i, x in enumerate(obj):
            _check_rectangular(x, shape[1:], f"{place}[{i}]")
    elif not (isinstance(obj, (*SCALAR_KINDS,)) or hasattr(obj, "dtype")):
        raise TypeError(f"asarray: {place} is {obj!r}, which is no number, array or sequence of them")
    elif found != shape:
        raise ValueError(f"asarray: ragged sequences: {place} has shape {found} where others have {shape}")


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


# --- of one value ------------------------------------------------------------------------------------------------


@creation()
def empty(shape: int | tuple[int, ...], *, dtype: Any = None, device: Any = None) -> Array:
    """An array whose elements are whatever lies in its memory.

    Parameters
    ----------
    shape: its shape; an int for one axis.
    dtype: its dtype; the default dtype, float32, if not given.
    device: its device; a `Device` of an array brings its backend with it.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.empty((2, 3)).shape
    (2, 3)
    """
    ...


@creation()
def zeros(shape: int | tuple[int, ...], *, dtype: Any = None, device: Any = None) -> Array:
    """An array of zeros.

    Parameters
    ----------
    shape: its shape; an int for one axis.
    dtype: its dtype; the default dtype, float32, if not given.
    device: its device; a `Device` of an array brings its backend with it.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.zeros((2, 2), dtype=lw.int8)
    Array([[0, 0],
           [0, 0]], dtype=int8)
    """
    ...


@creation()
def ones(shape: int | tuple[int, ...], *, dtype: Any = None, device: Any = None) -> Array:
    """An array of ones.

    Parameters
    ----------
    shape: its shape; an int for one axis.
    dtype: its dtype; the default dtype, float32, if not given.
    device: its device; a `Device` of an array brings its backend with it.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.ones(3, dtype=lw.complex64)
    Array([1.+0.j, 1.+0.j, 1.+0.j], dtype=complex64)
    """
    ...


@composed
def full(
    shape: int | tuple[int, ...],
    fill_value: complex | Array,
    *,
    dtype: Any = None,
    device: Any = None,
) -> Array:
    """An array whose elements all have one value.

    Parameters
    ----------
    shape: its shape; an int for one axis.
    fill_value: a Python scalar, or an array that broadcasts to `shape`.
    dtype: its dtype. If not given, the default of the scalar's kind, or the array's own.
    device: its device; a `Device` of an array brings its backend with it.

    Raises
    ------
    OverflowError: a Python int that the dtype does not hold.
    TypeError: a complex value for a real dtype.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.full((2, 2), 7)
    Array([[7, 7],
           [7, 7]], dtype=int32)
    """
    if type(fill_value) in SCALAR_KINDS:
        chosen = current().promote(type(fill_value)) if dtype is None else as_dtype(dtype)
        filled = _full(shape, _fitting("full", fill_value, chosen, hint=dtype is None), dtype=chosen, device=device)
        if dtype is None and current().weak_arrays and chosen.kind != "b":
            filled._sig = filled._sig.weakly
        return filled
    value = asarray(fill_value, dtype=dtype, device=device)
    if not isinstance(fill_value, Array) and value.ndim == 0:  # a NumPy scalar
        return _full(shape, value.item(), dtype=value.dtype, device=device)
    if not isinstance(shape, tuple):
        given: Any = shape
        shape = (index(given),) if hasattr(given, "__index__") else tuple(given)
    return asarray(broadcast_to(value, shape), copy=True)


@creation()
def _full(shape: int | tuple[int, ...], fill_value: complex, *, dtype: Any = None, device: Any = None) -> Array:
    """`full`, of a Python scalar that the dtype holds."""
    ...


# --- like another ------------------------------------------------------------------------------------------------


def _like(name: str, x: Array, dtype: Any, device: Any) -> tuple[tuple[int, ...], dict[str, Any]]:
    """The shape, and the dtype and device where they are not given, of another array; its backend in any case."""
    x = as_operand(OPS[name], x)
    place = x.device if device is None else x._sig.backend.device(device)
    like = getattr(x._sig.backend.module, "like", None)  # of a framework that has more to keep than a shape
    return x.shape if like is None else like(x._data), {"dtype": x.dtype if dtype is None else dtype, "device": place}


def _as_weak(made: Array, x: Any, dtype: Any) -> Array:
    """An array that is weak if the one that it was made like is, and no dtype was given."""
    if dtype is None and getattr(x, "weak", False):
        made._sig = made._sig.weakly
    return made


@composed
def empty_like(x: Array, /, *, dtype: Any = None, device: Any = None) -> Array:
    """An array of the shape of another, whose elements are whatever lies in its memory.

    Parameters
    ----------
    x: the other array, whose backend is the result's.
    dtype, device: of the result; those of x by default.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.empty_like(lw.asarray([1, 2])).dtype
    lw.int32
    """
    shape, more = _like("empty_like", x, dtype, device)
    return _as_weak(empty(shape, **more), x, dtype)


@composed
def zeros_like(x: Array, /, *, dtype: Any = None, device: Any = None) -> Array:
    """An array of zeros of the shape of another.

    Parameters
    ----------
    x: the other array, whose backend is the result's.
    dtype, device: of the result; those of x by default.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.zeros_like(lw.asarray([1, 2]))
    Array([0, 0], dtype=int32)
    """
    shape, more = _like("zeros_like", x, dtype, device)
    return _as_weak(zeros(shape, **more), x, dtype)


@composed
def ones_like(x: Array, /, *, dtype: Any = None, device: Any = None) -> Array:
    """An array of ones of the shape of another.

    Parameters
    ----------
    x: the other array, whose backend is the result's.
    dtype, device: of the result; those of x by default.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.ones_like(lw.asarray([5, 6]), dtype=lw.bool)
    Array([ True,  True], dtype=bool)
    """
    shape, more = _like("ones_like", x, dtype, device)
    return _as_weak(ones(shape, **more), x, dtype)


@composed
def full_like(x: Array, /, fill_value: complex | Array, *, dtype: Any = None, device: Any = None) -> Array:
    """An array of the shape of another, whose elements all have one value.

    Parameters
    ----------
    x: the other array, whose backend is the result's.
    fill_value: a Python scalar, or an array that broadcasts to the shape of x.
    dtype, device: of the result; those of x by default.

    Raises
    ------
    OverflowError: a Python int that the dtype does not hold.
    TypeError: a complex value for a real dtype.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.full_like(lw.asarray([1.0, 2.0]), 7)
    Array([7., 7.], dtype=float32)
    """
    shape, more = _like("full_like", x, dtype, device)
    return _as_weak(full(shape, fill_value, **more), x, dtype)


# --- numbers in a row --------------------------------------------------------------------------------------------


@composed
def arange(
    start: float, /, stop: float | None = None, step: float = 1, *, dtype: Any = None, device: Any = None
) -> Array:
    """Numbers at equal steps, up to but without the last.

    Parameters
    ----------
    start: the first number; with one argument only, 0 is, and this is where it stops.
    stop: where it stops.
    step: from one number to the next; not 0.
    dtype: a real numeric dtype. If not given, the default int, or the default float if a float is among them.
    device: its device; a `Device` of an array brings its backend with it.

    Returns
    -------
    ``ceil((stop - start) / step)`` numbers on one axis, none if that is negative. Each is
    ``start + i * step``, in the dtype; in float32 for the 16-bit dtypes, which do not hold every i.

    Raises
    ------
    ValueError: a step of 0.
    OverflowError: integers that the dtype does not hold.
    TypeError: fractions for an integer dtype; a bool or complex dtype.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.arange(4)
    Array([0, 1, 2, 3], dtype=int32)
    >>> lw.arange(1, 0, -0.25)
    Array([1.  , 0.75, 0.5 , 0.25], dtype=float32)
    """
    first, last = (0, start) if stop is None else (start, stop)
    chosen = _from_scalars(OPS["arange"], [start, stop, step]) if dtype is None else as_dtype(dtype)
    first, last, step = (_number("arange", x) for x in (first, last, step))
    if chosen.kind == "b" and dtype is None:
        chosen = current().own("i")
    if chosen.kind not in "iuf":
        raise TypeError(f"arange: takes a real numeric dtype; got {chosen}")
    if step == 0:
        raise ValueError("arange: the step must not be 0")
    if chosen.kind in "iu":
        first, last, step = (_whole("arange", x, chosen) for x in (first, last, step))
    if isinstance(first, int) and isinstance(last, int) and isinstance(step, int):
        n = max(0, -((first - last) // step))
    elif math.isfinite(last - first):
        n = max(0, math.ceil((last - first) / step))
    else:
        raise ValueError(f"arange: there is no end from {first} to {last}")
    if chosen.kind == "f":
        return _floats(n, first, step, chosen, device)
    for end in (first, first + (n - 1) * step) if n else ():
        _fitting("arange", end, chosen, hint=dtype is None)
    return _count(n, int(first), int(step) if n > 1 else 1, dtype=chosen, device=device)


def _number(name: str, value: Any) -> Any:
    """A Python scalar of one, or of a 0-d array."""
    if hasattr(value, "dtype"):
        value = value.item()
    if not isinstance(value, (*SCALAR_KINDS,)) or (name == "arange" and isinstance(value, complex)):
        raise TypeError(f"{name}: takes numbers; got {value!r}")
    kind: Any = next(k for k in (int, float, complex) if isinstance(value, k))
    return kind(value)


def _whole(name: str, value: float, dtype: Dtype) -> int:
    if value != value // 1:
        raise TypeError(f"{name}: {value} is no integer, as {dtype} needs. Cast the result: lw.astype(x, lw.{dtype})")
    return int(value)


@creation()
def _count(n: int, first: int, step: int, *, dtype: Any = None, device: Any = None) -> Array:
    """n integers, all of which the dtype holds; for a floating dtype 0, 1, …, n - 1."""
    ...


def _floats(n: int, first: complex, step: complex, dtype: Dtype, device: Any) -> Array:
    """``first + i * step`` for n values of i."""
    work = float32 if dtype.bits == 16 else dtype  # i is no float16 from 2048 on
    x = astype(_count(n, 0, 1, dtype=real_of(work), device=device), work, copy=False)
    kind: type[complex] = complex if work.kind == "c" else float
    # Where i * step would overflow although the sum does not, everything is halved first, which is exact.
    scale = 2 if n and max(abs(step.real), abs(step.imag)) * (n - 1) > float_limits(work).max else 1
    with plainly():
        x *= kind(step / scale)
        x += kind(first / scale)
        if scale != 1:
            x *= kind(scale)
    return astype(x, dtype, copy=False)


@composed
def linspace(
    start: complex, stop: complex, /, num: int, *, dtype: Any = None, device: Any = None, endpoint: bool = True
) -> Array:
    """A given number of values at equal distances.

    Parameters
    ----------
    start: the first value.
    stop: the last one; without `endpoint`, the one that would come after the last.
    num: how many values.
    dtype: the default float if not given, or the default complex dtype if `start` or `stop` is complex. Values
        for an integer dtype are computed in float64 and rounded down.
    device: its device; a `Device` of an array brings its backend with it.
    endpoint: whether `stop` is among the values.

    Returns
    -------
    `num` values on one axis, ``start + i * step`` in the dtype; in float32 for the 16-bit dtypes.

    Raises
    ------
    ValueError: a negative `num`.
    TypeError: complex values for a real dtype; a bool dtype.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.linspace(0, 1, 5)
    Array([0.  , 0.25, 0.5 , 0.75, 1.  ], dtype=float32)
    >>> lw.linspace(0, 1j, 2, endpoint=False)
    Array([0.+0.j , 0.+0.5j], dtype=complex64)
    """
    chosen = _from_scalars(OPS["linspace"], [start, stop, 0.0]) if dtype is None else as_dtype(dtype)
    first, last, n = _number("linspace", start), _number("linspace", stop), index(num)
    if n < 0:
        raise ValueError(f"linspace: num must not be negative; got {n}")
    if chosen.kind == "b" or (chosen.kind != "c" and isinstance(first + last, complex)):
        raise TypeError(f"linspace: values from {first} to {last} do not go into {chosen}")
    if chosen.kind in "iu":
        values = linspace(first, last, n, dtype=float64, device=device, endpoint=endpoint)
        return astype(lw.floor(values), chosen)
    parts = n - 1 if endpoint else n
    step = (last - first) / parts if parts > 0 else 0.0
    if not cmath.isfinite(step):  # the range itself overflows
        step = last / parts - first / parts
    x = _floats(n, first, step, chosen, device)
    if endpoint and n > 1:
        x[-1] = last
    return x


# --- matrices ----------------------------------------------------------------------------------------------------


@creation()
def eye(n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: Any = None, device: Any = None) -> Array:
    """A matrix of zeros with ones on a diagonal.

    Parameters
    ----------
    n_rows, n_cols: its shape; as many columns as rows by default.
    k: which diagonal: above the main one if positive, below if negative. None at all if it lies outside.
    dtype: its dtype; the default dtype, float32, if not given.
    device: its device; a `Device` of an array brings its backend with it.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.eye(2, 3, k=1, dtype=lw.int8)
    Array([[0, 1, 0],
           [0, 0, 1]], dtype=int8)
    """
    ...


@op("all")
def tril(x: Array, /, *, k: int = 0) -> Array:
    """The matrices with zeros above a diagonal.

    Parameters
    ----------
    x: at least two axes, any dtype. The last two are those of the matrices.
    k: which diagonal: above the main one if positive, below if negative.

    Returns
    -------
    The shape and dtype of x.

    Raises
    ------
    ValueError: fewer than two axes.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.tril(lw.asarray([[1, 2], [3, 4]]))
    Array([[1, 0],
           [3, 4]], dtype=int32)
    """
    ...


@op("all")
def triu(x: Array, /, *, k: int = 0) -> Array:
    """The matrices with zeros below a diagonal.

    Parameters
    ----------
    x: at least two axes, any dtype. The last two are those of the matrices.
    k: which diagonal: above the main one if positive, below if negative.

    Returns
    -------
    The shape and dtype of x.

    Raises
    ------
    ValueError: fewer than two axes.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.triu(lw.asarray([[1, 2], [3, 4]]))
    Array([[1, 2],
           [0, 4]], dtype=int32)
    """
    ...


@composed
def meshgrid(*arrays: Array, indexing: Literal["xy", "ij"] = "xy") -> tuple[Array, ...]:
    """Coordinates of the points of a grid, from the coordinates along each of its axes.

    Parameters
    ----------
    arrays: of one axis, or none for one point; any dtypes.
    indexing: "ij" for a result with the axes in the order of the arrays; "xy" with the first two exchanged, as
        the rows and columns of a picture are.

    Returns
    -------
    As many arrays as were given, each with its own dtype and as many axes as there are arrays.

    Raises
    ------
    ValueError: an array of several axes; another word for `indexing`.

    Examples
    --------
    >>> import latticework as lw
    >>> x, y = lw.meshgrid(lw.asarray([1, 2, 3]), lw.asarray([10, 20]))
    >>> y
    Array([[10, 10, 10],
           [20, 20, 20]], dtype=int32)
    """
    given = [as_operand(OPS["meshgrid"], x) for x in arrays]
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: indexing must be 'xy' or 'ij'; got {indexing!r}")
    for x in given:
        if x.ndim > 1:
            raise ValueError(f"meshgrid: takes arrays of one axis; got shape {x.shape}")
    places = [*range(len(given))]
    if indexing == "xy" and len(given) > 1:
        places[:2] = 1, 0
    alone = [
        reshape(x, tuple(x.size if axis == place else 1 for axis in range(len(given))))
        for place, x in zip(places, given, strict=True)
    ]
    return tuple([asarray(x, copy=True) for x in broadcast_arrays(*alone)])


# --- what is wrong with a shape, once a call has failed ------------------------------------------------------------


def _check_shape(name: str) -> None:
    """Register what is found wrong with the shape of what was to be made: every framework says it differently."""
    shown = name.lstrip("_")

    def check(shape: Any = (), *more: Any, **options: Any) -> Exception | None:
        given: Any = shape if isinstance(shape, (tuple, list)) else (shape,)
        if name == "eye":
            columns = more[0] if more else options.get("n_cols")
            given = (shape, shape if columns is None else columns)
        for n in given:
            if n is not None and not hasattr(n, "__index__"):
                return TypeError(f"{shown}: a shape is of ints; got {shape!r}")
            if n is not None and index(n) < 0:
                return ValueError(f"{shown}: a shape has no negative extents; got {given}")
        return None

    CHECKS[name] = check


for _name in ("zeros", "ones", "empty", "_full", "eye"):
    _check_shape(_name)
