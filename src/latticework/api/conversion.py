"""Conversion: an array of whatever can be one, on a backend, in a dtype, on a device."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from itertools import chain
from typing import Any, Never

from ..backend import Backend, get, of
from ..core.dtypes import SCALAR_KINDS, Dtype, DtypeLike, float64, int64, int_limits, real_of, rounded, uint64
from ..core.registry import OPS
from ..core.registry import functions as lw
from ..core.sequences import check_rectangular, element, elements, plain, shape_of
from ..core.signature import Sig
from ..engine.arrays.array import HOLDERS, Array, wrapped
from ..engine.calls.dispatch import Kernel
from ..engine.calls.kernels import finished
from ..engine.calls.observing import seeing
from ..engine.declare import conversion
from ..engine.functions.without_data import adopted, without_data
from ..engine.plans.advice import unexpected
from ..engine.plans.conversion import (
    cast_plan,
    device_for,
    move_plan,
    native_device_for,
    scalar_plan,
    sequence_plan,
    specialise_cast,
    target_of,
)
from ..engine.plans.plan import Plan
from ..policy import active, as_dtype, current, kernels_of, table
from .checked_cast import refuse_loss

#: The casts and conversions that were met before, by policy.
_CASTS, _CONVERSIONS = table("astype"), table("asarray")
_policy = active.get


def _plan_of_cast(x: Any, dtype: Any, /, **_: Any) -> Plan:
    return cast_plan(_taken("astype", x)._sig, as_dtype(dtype))._replace(shapes=(x.shape,))


def astype(x: Array, dtype: DtypeLike, /, *, copy: bool = True, device: Any = None, check: bool = False) -> Array:
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
    - to a storage dtype: rounded to the nearest, once. What is beyond the range is infinite in float8_e5m2 and nan in
      float8_e4m3fn, which has no infinities.

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
    if check:
        x = refuse_loss(_taken("astype", x), as_dtype(dtype))
    try:
        run, out = _CASTS[_policy()][x._sig][dtype]
    except (KeyError, TypeError, AttributeError):  # or what is no array, or a dtype that has no hash
        taken = without_data((_taken("astype", x),))
        if taken is not None:
            return astype(taken[0], dtype, copy=copy)
        run, out = specialise_cast(x, dtype)
    r = Array()
    r._sig = out
    if run is not None:
        r._data = run(x._data)
    elif copy:
        r._data = x._sig.backend.duplicate(x._data)
    elif out is x._sig:
        r = x
    else:
        r._data = x._data
    return r if device is None or device == r.device else r.to_device(device)


def _taken(name: str, x: Any) -> Array:
    if isinstance(x, Array):
        return x
    raise TypeError(f"{name}: takes an array; got {type(x).__name__}. Make one of it: lw.asarray(x)")


def _plan_of_conversion(
    obj: Any, /, *, dtype: Any = None, device: Any = None, copy: bool | None = None, backend: str | None = None
) -> Plan:
    wanted = None if dtype is None else as_dtype(dtype)
    if isinstance(obj, (list, tuple, range)) and (kinds := _scalar_types(obj)) is not None:
        target = target_of(backend, device, None)
        return sequence_plan(kinds, target, wanted, device)._replace(shapes=(shape_of(obj),))
    if type(obj) in SCALAR_KINDS:
        return scalar_plan(type(obj), target_of(backend, device, None), wanted, device)._replace(shapes=((),))
    x = obj if isinstance(obj, Array) else asarray(obj)
    target = target_of(backend, device, x._sig.backend if isinstance(obj, Array) else None)
    return move_plan(x._sig, target, wanted, x.device if device is None else device)._replace(shapes=(x.shape,))


def asarray(
    obj: Any,
    /,
    *surplus: Never,
    dtype: DtypeLike | None = None,
    device: Any = None,
    copy: bool | None = None,
    backend: str | None = None,
) -> Array:
    """An array of anything that can be one.

    Parameters
    ----------
    obj: an `Array`; a framework's own array; a Python scalar; nested sequences of scalars or arrays; whatever
        has the DLPack, buffer or NumPy array protocol.
    dtype: the result's dtype. By default an array's own; of Python scalars the default of their kind.
    device: the result's device. A `Device` of an array brings its backend with it.
    copy: True for memory of its own, False to refuse any copy, None to copy where it has to be. Arrays of JAX,
        TensorFlow and Dask never change, so what is made of one is either read-only, as on NumPy, or a copy, as on
        PyTorch; and what becomes one of NumPy's or PyTorch's arrays is copied. With False the memory is shared
        nevertheless, and the array of NumPy or PyTorch must not be written to any more.
    backend: the result's backend. By default an array's own, also that of an `Array` within a sequence; the
        policy's for everything else, `numpy.ndarray` included, which is how data comes from outside.

    Returns
    -------
    An array that shares memory with `obj` where it can; `obj` itself, if it is one already.

    Raises
    ------
    ValueError: ragged sequences; a copy that has to be made although `copy` is False, as of an array of JAX for
        PyTorch, which has no read-only arrays.
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
    if surplus:
        raise unexpected("asarray", {}, surplus)
    key: Any
    if device is None and copy is None and backend is None:
        key = dtype
    else:
        key = dtype, device, getattr(device, "backend", None), copy, backend
    try:
        run, sig = _CONVERSIONS[_policy()][type(obj)][key]
    except (KeyError, TypeError):  # or a dtype or device that has no hash
        run, sig = _specialise(obj, key, dtype, device, copy, backend)
    if sig is None:
        return run(obj)  # type: ignore[no-any-return]
    r = Array()
    r._data = run(obj)
    r._sig = sig
    return r


def _specialise(obj: Any, key: Any, dtype: Any, device: Any, copy: bool | None, backend: str | None) -> Kernel:
    """Make what converts objects of one type, and remember it where there are few such types."""
    kind, wanted = type(obj), None if dtype is None else as_dtype(dtype)
    owner = None if kind is Array else of(obj)
    convert: Callable[[Any], Any]
    sig: Sig | None = None
    if kind is Array:

        def convert(x: Any) -> Array:
            return _move(x, target_of(backend, device, x._sig.backend), wanted, device, copy)
    elif owner is not None:
        target = target_of(backend, device, None if owner.name == "numpy" else owner)
        found, weak = owner, bool(current().weak_arrays)  # for the type and the policy of the cache entry
        cross = None if owner is target else _crossing(owner, target, wanted, device, copy)

        def convert(x: Any) -> Array:
            r = _native(x, found, copy, weak)
            return cross(r) if cross else _move(r, target, wanted, device, copy)
    elif isinstance(obj, (list, tuple, range)):
        convert = _of_sequences(wanted, device, copy, backend)
    elif isinstance(obj, (*SCALAR_KINDS,)):
        convert, sig = _of_scalars(kind, wanted, device, copy, backend)
    elif kind in HOLDERS:  # an array of a dialect
        held = HOLDERS[kind]
        return lambda x: asarray(held.array(x), dtype=dtype, device=device, copy=copy, backend=backend), None
    else:  # a class that is not cached
        target = target_of(backend, device, None)
        return lambda x: _move(_of_protocols(x, target, device, copy), target, wanted, device, copy), None
    if kind is Array or owner is not None or kind in _KEPT:
        with suppress(TypeError):
            kernels_of("asarray", current()).setdefault(kind, {})[key] = convert, sig
    return convert, sig


#: Types of Python's own whose conversions are kept.
_KEPT = frozenset((list, tuple, range, *SCALAR_KINDS))


def _move(x: Array, target: Backend, dtype: Dtype | None, device: Any, copy: bool | None) -> Array:
    """An array as one of a backend, in a dtype, on a device: x itself where nothing has to change."""
    owner = x._sig.backend
    if owner is not target and owner.takes_target and owner.recorded == target.name:
        target = owner  # an array that is differentiated by stays one
    if owner is not target:
        return _crossing(owner, target, dtype, device, copy)(x)
    taken = without_data((x,)) if copy else None
    if taken is not None:
        return _move(taken[0], taken[0]._sig.backend, dtype, device, copy)
    moved = x if dtype is None else _cast(x, dtype, copy)
    if device is not None and moved.device != (place := target.device(device)):
        if copy is False:
            raise ValueError(f"asarray: copy=False, but the array lies on {moved.device}, not on {place}")
        moved = moved.to_device(place)
    if copy and moved._data is x._data:
        moved = Array()
        moved._data, moved._sig = target.duplicate(x._data), x._sig
    return moved


def _crossing(
    owner: Backend, target: Backend, dtype: Dtype | None, device: Any, copy: bool | None
) -> Callable[[Array], Array]:
    """Make the function that converts arrays of one backend to another."""
    if target.adopt is not None:
        through = target.converted or adopted  # of traced arrays: the framework's own conversion
        return lambda x: through(x, target) if dtype is None else _cast(through(x, target), dtype, copy)
    if copy is None and getattr(owner.module, "compute", None):  # into memory that nothing else writes to
        return lambda x: _move(x.compute(), target, dtype, device, None)
    if copy is False:
        _check_shared(owner, target)
    place = native_device_for(target, device)
    lasting = {d: s for d, s in target.sigs.items() if d not in target.conditional_dtypes}
    share = _may_share(owner, target) if copy is None else not copy
    to_numpy, from_numpy = owner.to_numpy, target.from_numpy
    by_numpy = owner.lazy or target.lazy or "numpy" in (owner.name, target.name)  # NumPy has more dtypes than DLPack

    def cross(x: Array) -> Array:
        r = Array()
        r._sig = sig = lasting.get(x._sig.dtype) or target.sig(x._sig.dtype)
        r._data = None
        if share:
            try:
                if by_numpy:
                    r._data = from_numpy(to_numpy(x._data, None, False), place, False)
                else:
                    r._data = _exchanged(x, target, device, copy)
            except Exception:  # each framework has its own
                r._data = None
        if r._data is None:
            r._data = from_numpy(to_numpy(x._data, None, False if copy is False else None), place, copy)
        if x._sig.weak:
            r._sig = sig.weakly
        return r if dtype is None else _cast(r, dtype, copy)

    return cross


def _may_share(owner: Backend, target: Backend) -> bool:
    """Return whether arrays of two backends may share memory: not where one side could write to arrays that are
    immutable on the other. NumPy has read-only arrays, so it may share the memory of any backend."""
    one, other = owner.facts, target.facts
    return one.immutable == other.immutable or (one.immutable and other.read_only)


def _check_shared(owner: Backend, target: Backend) -> None:
    """Refuse, where a copy is forbidden, an array that could write to memory that must not change."""
    if owner.facts.immutable and not owner.lazy and not _may_share(owner, target):
        raise ValueError(
            f"asarray: copy=False, but arrays of {owner.name} never change, and {target.name} would write to their "
            f"memory, since it has no read-only arrays. Leave copy=False out to copy"
        )


class _Export:
    """An array as a producer of DLPack that hands out the memory itself, whatever a framework would rather copy."""

    def __init__(self, x: Array) -> None:
        self.x, self.__dlpack_device__ = x, x.__dlpack_device__

    def __dlpack__(self, **options: Any) -> Any:
        return self.x.__dlpack__(**{**options, "copy": False})


def _exchanged(x: Array, target: Backend, device: Any, copy: bool | None) -> Any:
    """An array through DLPack, None where that gives it another device or dtype."""
    data = target.from_dlpack(_Export(x), None, copy)
    place = device_for(target, device)
    same = target.device_of(data) == place and target.dtypes.get(target.dtype_of(data)) is x.dtype
    return data if same else None


def _cast(x: Array, dtype: Dtype, copy: bool | None) -> Array:
    if dtype is x.dtype and not x.weak:
        return x
    if dtype is x.dtype:  # a weak array is strong with a dtype given
        return astype(x, dtype, copy=False)
    if copy is False:
        raise ValueError(f"asarray: copy=False, but {x.dtype} has to be copied to become {dtype}")
    return astype(x, dtype)


def _native(obj: Any, owner: Backend, copy: bool | None, weak: bool) -> Array:
    """A framework's own array as an `Array` that holds it."""
    result = Array()
    result._data = owner.plain(obj, copy)
    result._sig = owner.sig_of(result._data)
    if getattr(obj, "weak_type", False) is True and weak:
        result._sig = result._sig.weakly
    return result


def _of_protocols(obj: Any, target: Backend, device: Any, copy: bool | None) -> Array:
    """Read an object with DLPack, the buffer protocol or NumPy's, as an `Array` of whichever backend reads it."""
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
        raise TypeError(
            f"asarray: cannot make an array of {type(obj).__name__}. Value {obj!r:.60} is {data.dtype} in NumPy"
        )
    return _native(data, get("numpy"), copy, False)


# --- Python scalars ------------------------------------------------------------------------------------------------


def _of_scalars(kind: type, dtype: Dtype | None, device: Any, copy: bool | None, backend: str | None) -> Kernel:
    """Make the kernel that converts Python scalars of one type to 0-d arrays."""
    _check_copied(kind, copy)
    requested, kind = kind, next(k for k in SCALAR_KINDS if issubclass(kind, k))  # an IntEnum is an int
    p = scalar_plan(kind, target_of(backend, device, None), dtype, device)
    target, place, (out,) = p.backend, p.device, p.sigs
    make = target.observed(target.zero_dim(target.native_dtypes[out.dtype]), p)
    fits = _range(requested, out.dtype)
    moves = native_device_for(target, device) is not None

    def checked(value: Any) -> Any:
        return make(value if value in fits else fitting("asarray", kind(value), out.dtype))

    run = make if fits is None else checked

    def whole(value: Any) -> Array:
        result = wrapped(run(value), out)
        return result.to_device(place) if moves else result

    def again() -> Callable[[Any], Array]:
        return finished(*_of_scalars(requested, dtype, device, copy, backend))

    kept: Callable[[Any], Array] = target.guarded(whole, again, [out.dtype], False)
    return (kept, None) if moves or kept is not whole else (run, out)


class _Integers:
    """A range for a subclass of int: `in` compares those with every number of a `range`, one after the other."""

    def __init__(self, numbers: range) -> None:
        self.numbers = numbers

    def __contains__(self, value: object) -> bool:
        return isinstance(value, int) and int(value) in self.numbers


def _range(kind: type, dtype: Dtype) -> Any:
    """The Python scalars of a type that a dtype takes as they are; None for all."""
    base = next(k for k in SCALAR_KINDS if issubclass(kind, k))
    if base is int and dtype.kind in "iu":
        limits = int_limits(dtype)
        numbers = range(limits.min, limits.max + 1)
        return numbers if kind is int else _Integers(numbers)
    return None if SCALAR_KINDS[base] == dtype.kind else ()


def _of_sequences(dtype: Dtype | None, device: Any, copy: bool | None, backend: str | None) -> Callable[[Any], Array]:
    """Make the function that converts nested sequences. NumPy parses them, straight to the resulting dtype."""
    _check_copied(list, copy)
    see = seeing.get()  # in force for as long as the policy that this is kept under
    found: dict[frozenset[Any], tuple[Any, Any, Sig, Any, Dtype, bool]] = {}

    def convert(obj: Any) -> Array:
        kinds = _scalar_types(obj)
        if kinds is None:
            return _with_arrays(obj, dtype, device, backend)
        if kinds not in found:
            p = sequence_plan(kinds, target_of(backend, device, None), dtype, device)
            resolved = p.out[0]
            parsed = get("numpy").native_dtypes[resolved]
            place = native_device_for(p.backend, device)
            take = p.backend.observed(p.backend.take_numpy, p)
            found[kinds] = parsed, take, p.sigs[0], place, resolved, resolved in p.backend.conditional_dtypes
        parsed, take, out, place, resolved, conditional = found[kinds]
        r = Array()
        r._sig = out.backend.sig(resolved) if conditional and not out.weak else out
        if see is None:
            r._data = take(_parsed(obj, parsed, resolved, hint=dtype is None), place)
        else:
            kernel = see(OPS["asarray"], lambda x: take(_parsed(x, parsed, resolved, hint=dtype is None), place), True)
            r._data = kernel(obj)
        return r

    return convert


def _check_copied(kind: type, copy: bool | None) -> None:
    if copy is False:
        raise ValueError(f"asarray: copy=False, but a {kind.__name__} has to be copied")


def _parsed(obj: Any, native: Any, dtype: Dtype, *, hint: bool) -> Any:
    """Make a NumPy array of nested sequences of Python scalars, or raise the error of a scalar that does not fit."""
    import numpy as np

    if dtype.storage:
        return _parsed_wide(obj, native, dtype)
    try:
        return np.asarray(obj, dtype=native)
    except (OverflowError, ValueError):
        for value in elements(obj):
            fitting("asarray", value, dtype, hint=hint)
        raise


def _parsed_wide(obj: Any, native: Any, dtype: Dtype) -> Any:
    """Like `_parsed`, for a storage dtype: parse in the widest dtype of its kind and cast, to round once."""
    numpy, widest = get("numpy"), {"i": int64, "u": uint64, "f": float64}[dtype.kind]
    for value in elements(obj) if dtype.kind in "iu" else ():
        fitting("asarray", value, dtype)
    return numpy.cast(native)(_parsed(obj, numpy.native_dtypes[widest], widest, hint=False))


def _scalar_types(obj: Any) -> frozenset[Any] | None:
    """The types of Python scalars in nested sequences, None where there is anything else.

    It goes a level of nesting at a time, with all loops in C, in less time than the parsing after it takes.
    """
    level = obj
    while True:
        types = frozenset(map(type, level))
        if types <= SCALAR_KINDS.keys():
            return types
        if not types <= _SEQUENCES:
            return None
        if len(set(map(len, level))) > 1:
            check_rectangular(obj, shape_of(obj))
        level = [*chain.from_iterable(level)]


_SEQUENCES = frozenset((list, tuple, range))


def _with_arrays(obj: Any, dtype: Dtype | None, device: Any, backend: str | None) -> Array:
    """An array of nested sequences that hold arrays, NumPy scalars or what else has a dtype."""
    check_rectangular(obj, shape_of(obj))
    obj = _tracers_taken(obj)
    inside = [x for x in elements(obj) if isinstance(x, Array)]
    owner = inside[0]._sig.backend if inside else None
    if owner and device is None and backend in (None, owner.name):
        device = inside[0].device
    target = target_of(backend, device, owner)
    if inside and all(isinstance(x, Array) for x in obj):
        together = lw.stack(inside)
        together._sig = together._sig.strongly  # a sequence is not weak, even of weak arrays
        return _move(together, target, dtype, device, None)
    p = sequence_plan(frozenset(element(x) for x in elements(obj)), get("numpy"), dtype, None)
    owners = {x._sig.backend for x in inside}
    recorded = [x for x in inside if x._sig.backend.adopt]
    if recorded or (len(owners) == 1 and get("numpy") not in owners):
        # there is no data to put together, or the framework's derivatives have to see the calls
        together = _stacked(obj, p.out[0], (recorded or inside)[0])
        together._sig = together._sig.strongly
        return _move(together, target, None, device, None)
    r = Array()
    r._data, r._sig = _parsed(plain(obj), get("numpy").native_dtypes[p.out[0]], p.out[0], hint=dtype is None), p.sigs[0]
    return _move(r, target, None, device, None)


def _tracers_taken(obj: Any) -> Any:
    """Exchange a framework's tracers in nested sequences for `Array`s: they have no values that could be read.

    The namespace of native arrays leaves the tracers of Python numbers as they are.
    """
    if type(obj) in _SEQUENCES:
        return [_tracers_taken(x) for x in obj]
    owner = None if isinstance(obj, Array) or type(obj) in SCALAR_KINDS else of(obj)
    return obj if owner is None or type(obj) is owner.array_class() or owner.name == "numpy" else asarray(obj)


def _stacked(obj: Any, dtype: Dtype, beside: Array) -> Array:
    """Make an array of nested sequences by calls, which are recorded and differentiated, on the backend of an array."""
    backend, device = beside._sig.backend, beside.device
    if isinstance(obj, Array):
        return _cast(obj, dtype, None) if backend.adopt else _move(obj, backend, dtype, device, None)
    if type(obj) not in _SEQUENCES or _scalar_types(obj) is not None:
        return asarray(obj, dtype=dtype, device=device, backend=backend.name)
    stacked: Array = lw.stack([_stacked(x, dtype, beside) for x in obj])
    return stacked


def fitting(name: str, value: Any, dtype: Dtype, *, hint: bool = False) -> Any:
    """Convert a Python scalar to the dtype's kind; refuse it if the dtype does not hold it."""
    if dtype.kind == "b":
        return bool(value)
    if dtype.kind == "c":
        return value if isinstance(value, complex) else complex(fitting(name, value, real_of(dtype)))
    if isinstance(value, complex):
        raise TypeError(f"{name}: complex numbers do not go into {dtype}. Take their real parts first")
    if dtype.kind == "f":
        try:
            return rounded(float(value), dtype) if dtype.storage else float(value)
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


def _plan_of_exchange(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Plan:
    return _plan_of_conversion(x, device=device, copy=copy)._replace(op="from_dlpack")


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
    target = target_of(None, device, x._sig.backend if isinstance(x, Array) else None)
    if isinstance(x, Array):
        moved = _move(x, target, None, device, copy)
        result = Array()
        result._data, result._sig = moved._data, moved._sig
        return result
    if (owner := of(x)) is not None:  # latticework's own way, for more dtypes than DLPack has
        return _move(_native(x, owner, copy, bool(current().weak_arrays)), target, None, device, copy)
    return _exchange(x, target, device, copy)


def _exchange(x: Any, target: Backend, device: Any, copy: bool | None) -> Array:
    if copy is None and target.facts.immutable:  # whoever exports it may write to it
        copy = True
    result = Array()
    result._data = target.from_dlpack(x, None if device is None else str(target.device(device)), copy)
    result._sig = target.sig_of(result._data)
    return result


# Not as decorators, by which type checkers would have to go through every module to tell the types.
conversion(_plan_of_cast)(astype)
conversion(_plan_of_conversion)(asarray)
conversion(_plan_of_exchange)(from_dlpack)
