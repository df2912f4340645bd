"""Creation functions: the policy's backend, or the one of the device given. Backends get dtype and device resolved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from ..array import Array
from ..backends import Backend, get, of
from ..device import Device
from ..dtypes import SCALAR_KINDS, Dtype, as_dtype, int_limits
from ..errors import BackendError
from ..op import composed, creation, op
from ..policy import current
from .data_types import _leaves

__all__ = ["asarray", "zeros"]


def asarray(
    obj: Any, /, *, dtype: Any = None, device: Any = None, copy: bool | None = None, backend: str | None = None
) -> Array:
    """An array of anything that can be one.

    Parameters
    ----------
    obj: an `Array`; a framework's own array; a Python scalar; nested sequences of scalars or 0-d arrays; whatever
        has the DLPack, buffer or NumPy array protocol.
    dtype: the result's dtype. By default an array's own; of Python scalars the default of their kind.
    device: the result's device. A `Device` of an array brings its backend with it.
    copy: True for memory of its own, False to refuse any copy, None to copy where it has to be.
    backend: the result's backend. By default an array's own, and the policy's for everything else.

    Returns
    -------
    An array that shares memory with `obj` where it can and `copy` is not True.

    Raises
    ------
    ValueError: ragged sequences; a copy that has to be made although `copy` is False.
    OverflowError: a Python int that the dtype does not hold.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.asarray([[1, 2], [3, 4]], dtype="float16")
    Array([[1., 2.],
           [3., 4.]], dtype=float16)
    """
    wanted = None if dtype is None else as_dtype(dtype)
    owner = obj._sig.backend if isinstance(obj, Array) else of(obj)
    target = _target(backend, device, owner, obj)
    if owner is None and not isinstance(obj, (list, tuple, range, *SCALAR_KINDS)):
        if hasattr(obj, "__dlpack__"):
            made = from_dlpack(obj, device=device, copy=copy) if target.name == current().backend else None
            if made is not None:
                return made if wanted in (None, made.dtype) else _cast(made, wanted, copy)
        obj, owner = _as_numpy(obj), get("numpy")
    if owner is None:
        if copy is False:
            raise ValueError(f"asarray: copy=False, but a {type(obj).__name__} has to be copied")
        obj, owner, copy = _of_scalars(obj, wanted), get("numpy"), None
    data = obj._data if isinstance(obj, Array) else obj
    return _move(data, owner, target, wanted, device, copy)


def _target(backend: str | None, device: Any, owner: Backend | None, obj: Any) -> Backend:
    """Which backend the result is of: as asked, the device's, the array's own, or the policy's."""
    if backend is not None:
        return get(backend)
    if getattr(device, "backend", None) is not None:
        return get(device.backend)
    if owner is not None and not (owner.name == "numpy" and not isinstance(obj, Array)):
        return owner
    # A plain ndarray is how data comes from outside: it goes to the backend that is set.
    return get(current().backend)


def _cast(x: Array, dtype: Dtype | None, copy: bool | None) -> Array:
    from .data_types import astype

    if dtype is None or dtype is x.dtype:
        return x
    if copy is False:
        raise ValueError(f"asarray: copy=False, but {x.dtype} has to be copied to become {dtype}")
    return astype(x, dtype)


def _move(
    data: Any, owner: Backend, target: Backend, dtype: Dtype | None, device: Any, copy: bool | None
) -> Array:
    """A native array of one backend as an `Array` of another (or the same), in a dtype, on a device."""
    made = Array()
    if owner is target:
        made._data, made._sig = owner.module.native(data), owner.sig_of(data)
        place = None if device is None else target.device(device)
        moved = _cast(made, dtype, copy)
        if place is not None and moved.device != place:
            if copy is False:
                raise ValueError(f"asarray: copy=False, but the array lies on {moved.device}, not on {place}")
            moved = moved.to_device(place)
        if copy and moved._data is made._data:
            moved._data = target.module.duplicate(made._data)
        return moved
    place = target.module.native_device(target.device(device))
    made._data = target.module.from_numpy(owner.module.to_numpy(data, None, None), place, copy)
    made._sig = target.sig_of(made._data)
    return _cast(made, dtype, copy)


def _as_numpy(obj: Any) -> Any:
    import numpy as np

    try:
        data = np.asarray(obj)
    except Exception as error:
        raise TypeError(f"asarray: cannot make an array of {type(obj).__name__}: {error}") from error
    if data.dtype.kind not in "biufcV" or data.dtype == object:
        raise TypeError(f"asarray: cannot make an array of {type(obj).__name__}; NumPy reads it as {data.dtype}")
    return data


def _of_scalars(obj: Any, dtype: Dtype | None) -> Any:
    """Python scalars, 0-d arrays and nested sequences of them as a NumPy array of the dtype decided on."""
    import numpy as np

    native = get("numpy").native
    if isinstance(obj, range):
        obj = list(obj)
    _check_rectangular(obj, _shape(obj))
    chosen = current().promote(*_leaves([obj])) if dtype is None else dtype
    plain = _plain(obj)
    if chosen.kind in "iu":
        _check_range(plain, chosen, given=dtype is not None)
    if chosen.kind != "c" and any(_kind(x) == "c" for x in _flat(plain)):
        raise TypeError(f"asarray: complex numbers do not go into {chosen}. Take their real parts first")
    if chosen.kind in "iu" and any(_kind(x) == "f" for x in _flat(plain)):
        return np.asarray(plain).astype(native[chosen])
    return np.asarray(plain, dtype=native[chosen])


def _kind(x: Any) -> str:
    return SCALAR_KINDS.get(type(x), "")


def _flat(plain: Any) -> Any:
    if isinstance(plain, list):
        for x in plain:
            yield from _flat(x)
    else:
        yield plain


def _plain(obj: Any) -> Any:
    """Nested lists of Python scalars."""
    if isinstance(obj, (list, tuple)):
        return [_plain(x) for x in obj]
    if isinstance(obj, Array):
        return obj.tolist()
    return obj if type(obj) in SCALAR_KINDS else obj.tolist() if hasattr(obj, "tolist") else obj


def _shape(obj: Any) -> tuple[int, ...]:
    if isinstance(obj, (list, tuple)):
        return (len(obj), *(_shape(obj[0]) if obj else ()))
    return tuple(getattr(obj, "shape", ()))


def _check_rectangular(obj: Any, shape: tuple[int, ...], place: str = "obj") -> None:
    found = _shape(obj)
    if len(found) != len(shape) or found[:1] != shape[:1]:
        raise ValueError(
            f"asarray: ragged sequences: {place} has shape {found} where the first of its kind has {shape}. "
            f"All parts of an array have the same length"
        )
    if isinstance(obj, (list, tuple)):
        for i, x in enumerate(obj):
            _check_rectangular(x, shape[1:], f"{place}[{i}]")
    elif not (type(obj) in SCALAR_KINDS or hasattr(obj, "dtype")):
        raise TypeError(f"asarray: {place} is {obj!r}, which is no number, array or sequence of them")


def _check_range(plain: Any, dtype: Dtype, *, given: bool) -> None:
    limits = int_limits(dtype)
    for x in _flat(plain):
        if isinstance(x, int) and not limits.min <= x <= limits.max:
            way_out = "Give a wider dtype" if given else "Give the dtype: lw.asarray(obj, dtype=lw.int64)"
            raise OverflowError(
                f"asarray: Python int {x} does not fit {dtype}, which holds {limits.min} to {limits.max}. {way_out}"
            )


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Array:
    """An array of whatever has the DLPack protocol, without a copy where that is possible.

    Parameters
    ----------
    x: an object with `__dlpack__` and `__dlpack_device__`.
    device: the device of the result. One that comes from an array decides the backend as well.
    copy: True for memory of its own, False to refuse any copy.

    Returns
    -------
    An array of the current backend, which shares memory with x unless it is copied.

    Raises
    ------
    BufferError: the dtype or device cannot be exchanged, or not without a copy.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.from_dlpack(lw.asarray([1.0, 2.0]))
    Array([1., 2.], dtype=float32)
    """
    if isinstance(x, Array):
        target = get(device.backend) if getattr(device, "backend", None) else x._sig.backend
    else:
        target = get(getattr(device, "backend", None) or current().backend)
    place = None if device is None else str(target.device(device))
    if not hasattr(x, "__dlpack__"):
        raise TypeError(f"from_dlpack: {type(x).__name__} has no __dlpack__. Use lw.asarray")
    made = Array()
    made._data = target.module.from_dlpack(x, place, copy)
    made._sig = target.sig_of(made._data)
    return made


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
