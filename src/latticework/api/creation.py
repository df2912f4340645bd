"""Creation functions: the policy's backend, or the one of the device given. Backends get dtype and device resolved."""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterable
from operator import index
from typing import Any, Literal, Never

from ..core.dtypes import (
    SCALAR_KINDS,
    Dtype,
    DtypeLike,
    category,
    float32,
    float64,
    float_limits,
    int_limits,
    real_of,
    takes,
)  # fmt: skip
from ..core.registry import OPS
from ..core.registry import functions as lw
from ..engine.arrays.array import Array
from ..engine.calls.translate import CHECKS
from ..engine.declare import _from_scalars, composed, creation, op
from ..engine.exchange.foreign import as_operand, as_operands
from ..engine.functions.without_data import without_data
from ..engine.op import how_to_call
from ..engine.plans.advice import by_whom, unexpected
from ..engine.shapes.extents import one_axis, requested_shape
from ..policy import as_dtype, current, unified_rules
from ..promotion.operands import is_numpy_scalar
from .conversion import asarray, astype, fitting
from .manipulation import broadcast_arrays, broadcast_to, reshape

# --- of one value ------------------------------------------------------------------------------------------------


@creation()
def empty(shape: int | tuple[int, ...], *, dtype: DtypeLike | None = None, device: Any = None) -> Array:
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
def zeros(shape: int | tuple[int, ...], *, dtype: DtypeLike | None = None, device: Any = None) -> Array:
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
def ones(shape: int | tuple[int, ...], *, dtype: DtypeLike | None = None, device: Any = None) -> Array:
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
    *surplus: Never,
    dtype: DtypeLike | None = None,
    device: Any = None,
    **unknown: Never,
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
    TypeError: a complex value for a real dtype; a float with a fraction for an integer dtype.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.full((2, 2), 7)
    Array([[7, 7],
           [7, 7]], dtype=int32)
    """
    if unknown or surplus:
        raise unexpected("full", unknown, surplus)
    kind = type(fill_value)
    if kind in SCALAR_KINDS:
        policy, scalar = current(), fill_value
        chosen = policy.promote(kind) if dtype is None else dtype if type(dtype) is Dtype else as_dtype(dtype)
        if isinstance(fill_value, float) and chosen.kind in "iu":
            _check_whole(fill_value, chosen)
        if SCALAR_KINDS[kind] != chosen.kind or kind is int or chosen.storage:
            scalar = fitting("full", fill_value, chosen, hint=dtype is None)
        filled = _full(shape, scalar, dtype=chosen, device=device)  # type: ignore[arg-type]
        if dtype is None and policy.rules.weak_arrays and chosen.kind != "b":
            filled._sig = filled._sig.weakly
        return filled
    # A layout on several devices is one of the whole shape.
    last = device if isinstance(fill_value, Array) and fill_value._sig.backend.beside is not None else None
    value = _filling(fill_value, dtype, device if last is None else None)
    if not isinstance(fill_value, Array) and value.ndim == 0:  # a NumPy scalar
        return _full(shape, value.item(), dtype=value.dtype, device=device)
    if not isinstance(shape, tuple):
        extents: Any = shape
        if not hasattr(extents, "__index__") and not isinstance(extents, Iterable):
            raise TypeError(
                f"full: shape must be an int or a tuple of ints; got {shape!r}. "
                f"The call is {how_to_call('full', OPS['full'].function)}"
            )
        shape = (index(extents),) if hasattr(extents, "__index__") else tuple(extents)
    return asarray(broadcast_to(value, shape), device=last, copy=True)


def _filling(fill_value: Any, dtype: Any, device: Any) -> Array:
    """Convert the value that fills an array to an array. Errors are raised in the name of `full`."""
    try:
        return asarray(fill_value, dtype=dtype, device=device)
    except (TypeError, ValueError) as error:
        raise by_whom("full", type(error)(f"full: {str(error).removeprefix('asarray: ')}")) from error


def _check_whole(value: float, dtype: Dtype) -> None:
    """Refuse a number that an integer dtype does not hold. Infinities and nan are refused later."""
    if math.isfinite(value) and not value.is_integer():
        error = TypeError(
            f"full: {value!r} would lose its fraction in {dtype}. Give an int, or a floating dtype: "
            f"lw.full(shape, {math.trunc(value)}, dtype=lw.{dtype})"
        )
        raise by_whom("full", error)


@creation()
def _full(shape: int | tuple[int, ...], fill_value: complex, *, dtype: Any = None, device: Any = None) -> Array:
    """`full`, of a Python scalar that the dtype holds."""
    ...


def _check_extents(name: str) -> None:
    """Register what is told of a shape with None in it, which only arrays without data take."""

    def check(shape: Any = (), *_: Any, **__: Any) -> Exception | None:
        extents = shape if isinstance(shape, (tuple, list)) else (shape,)
        return TypeError(f"{name.lstrip('_')}: a shape is of ints; got {shape!r}") if None in extents else None

    CHECKS[name] = check


for _name in ("empty", "eye", "ones", "zeros", "_full"):
    _check_extents(_name)


# --- like another ------------------------------------------------------------------------------------------------


def _like(name: str, x: Array, dtype: Any, device: Any) -> tuple[tuple[int, ...], dict[str, Any]]:
    """Return another array's shape, and its dtype and device where they are not given; its backend in any case."""
    x = as_operand(OPS[name], x)
    x = (without_data((x,)) or (x,))[0]
    backend = x._sig.backend
    if device is None and backend.beside is not None:
        device = backend.beside(x._data)
    place = x.device if device is None else backend.device(device)
    like = backend.like  # a framework may have more to keep than a shape
    return x.shape if like is None else like(x._data), {"dtype": x.dtype if dtype is None else dtype, "device": place}


def _as_weak(result: Array, x: Any, dtype: Any) -> Array:
    """Return the result, made weak if the array that it was made like is weak and no dtype was given."""
    if dtype is None and getattr(x, "weak", False):
        result._sig = result._sig.weakly
    return result


@composed
def empty_like(
    x: Array, /, *surplus: Never, dtype: DtypeLike | None = None, device: Any = None, **unknown: Never
) -> Array:
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
    if unknown or surplus:
        raise unexpected("empty_like", unknown, surplus)
    shape, more = _like("empty_like", x, dtype, device)
    return _as_weak(empty(shape, **more), x, dtype)


@composed
def zeros_like(
    x: Array, /, *surplus: Never, dtype: DtypeLike | None = None, device: Any = None, **unknown: Never
) -> Array:
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
    if unknown or surplus:
        raise unexpected("zeros_like", unknown, surplus)
    shape, more = _like("zeros_like", x, dtype, device)
    return _as_weak(zeros(shape, **more), x, dtype)


@composed
def ones_like(
    x: Array, /, *surplus: Never, dtype: DtypeLike | None = None, device: Any = None, **unknown: Never
) -> Array:
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
    if unknown or surplus:
        raise unexpected("ones_like", unknown, surplus)
    shape, more = _like("ones_like", x, dtype, device)
    return _as_weak(ones(shape, **more), x, dtype)


@composed
def full_like(
    x: Array,
    /,
    fill_value: complex | Array,
    *surplus: Never,
    dtype: DtypeLike | None = None,
    device: Any = None,
    **unknown: Never,
) -> Array:
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
    if unknown or surplus:
        raise unexpected("full_like", unknown, surplus)
    shape, more = _like("full_like", x, dtype, device)
    return _as_weak(full(shape, fill_value, **more), x, dtype)


# --- numbers in a row --------------------------------------------------------------------------------------------


@composed
def arange(
    start: float,
    /,
    stop: float | None = None,
    step: float = 1,
    *,
    dtype: DtypeLike | None = None,
    device: Any = None,
    **unknown: Never,
) -> Array:
    """Numbers at equal steps, up to but without the last.

    Parameters
    ----------
    start: the first number; with one argument only, 0 is, and this is where it stops.
    stop: where it stops.
    step: from one number to the next; not 0.
    dtype: a numeric dtype. If not given, the default int, or the default float if a float is among them.
    device: its device; a `Device` of an array brings its backend with it.

    Returns
    -------
    ``ceil((stop - start) / step)`` numbers on one axis, none if that is negative. Each is
    ``start + i * step``, in the dtype; in float32 for the 16-bit dtypes, which do not hold every i.

    Raises
    ------
    ValueError: a step of 0.
    OverflowError: integers that the dtype does not hold.
    TypeError: fractions for an integer dtype; a bool dtype.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.arange(4)
    Array([0, 1, 2, 3], dtype=int32)
    >>> lw.arange(1, 0, -0.25)
    Array([1.  , 0.75, 0.5 , 0.25], dtype=float32)
    """
    if unknown:
        raise unexpected("arange", unknown)
    first, last = (0, start) if stop is None else (start, stop)
    if type(first) is int and type(last) is int and type(step) is int and step:
        low, high, chosen = _ints() if dtype is None else _BOUNDS.get(dtype, _NONE) if type(dtype) is Dtype else _NONE
        n = max(0, -((first - last) // step))
        if low <= first <= high and low <= first + (n - 1) * step <= high:
            return _count(n, first, step if n > 1 else 1, dtype=chosen, device=device)
        if type(dtype) is Dtype and dtype in _LARGEST:
            return _floats(n, first, step, dtype, device)
    chosen = _from_scalars(OPS["arange"], [start, stop, step]) if dtype is None else as_dtype(dtype)
    ends: tuple[Any, ...] = first, step
    first, last, step = _number("arange", first), _number("arange", last), _number("arange", step)
    if chosen.kind == "b" and dtype is None:
        chosen = current().own("i")
    if chosen.kind == "c":
        return astype(arange(ends[0], last, ends[1], dtype=real_of(chosen), device=device), chosen)
    if not takes("real numeric", chosen):
        raise TypeError(f"arange: takes a numeric dtype; got {chosen}{_cast_after(chosen)}")
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
        a, b = ends
        if (isinstance(a, Array) and a.dtype.kind == "f") or (isinstance(b, Array) and b.dtype.kind == "f"):
            return _steps(n, a, b, chosen, device)
        return _floats(n, first, step, chosen, device)
    for end in (first, first + (n - 1) * step) if n else ():
        fitting("arange", end, chosen, hint=dtype is None)
    return _count(n, int(first), int(step) if n > 1 else 1, dtype=chosen, device=device)


def _ints() -> tuple[int, int, Dtype]:
    """Return the dtype of Python ints, and the least and the greatest number that it holds; none for a float dtype."""
    chosen = current().promote(int, int)
    return _BOUNDS.get(chosen) or (1, 0, chosen)


#: An entry like those of `_BOUNDS`, with an empty range, for a dtype that holds no integers.
_NONE: tuple[int, int, Dtype] = (1, 0, float32)

#: integer dtype -> its least and greatest number, and itself
_BOUNDS = {d: (int_limits(d).min, int_limits(d).max, d) for d in category("integral")}


def _cast_after(dtype: Dtype) -> str:
    """The way out for a storage dtype, in which nothing is computed."""
    return f", a storage dtype. Cast the result: lw.astype(x, lw.{dtype})" if dtype.storage else ""


def _number(name: str, value: Any) -> Any:
    """Return a Python scalar or a 0-d array as a Python scalar."""
    if type(value) in _REAL:
        return value
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


@creation(shape="arange")
def _count(n: int, first: int, step: int, *, dtype: Any = None, device: Any = None) -> Array:
    """Make n integers that the dtype holds; for a floating dtype 0, 1, …, n - 1."""
    ...


@creation(shape="arange")
def _line(
    n: int, first: float, step: float, last: float | None = None, *, dtype: Any = None, device: Any = None
) -> Array:
    """Like `_floats`, for real numbers: the dtype holds all of them and their steps."""
    return _computed(n, first, step, last, dtype, device)


#: The dtypes that `_line` takes, and their largest number.
_LARGEST = {d: float_limits(d).max for d in (float32, float64)}


def _floats(n: int, first: complex, step: complex, dtype: Dtype, device: Any, last: complex | None = None) -> Array:
    """``first + i * step`` for n values of i, the last of them `last` if that is not None."""
    largest = _LARGEST.get(dtype)
    if largest is not None and abs(first) + abs(step) * n <= largest:
        return _line(n, first, step, last, dtype=dtype, device=device)  # type: ignore[arg-type]
    return _computed(n, first, step, last, dtype, device)


def _steps(n: int, first: Any, step: Any, dtype: Dtype, device: Any) -> Array:
    """Like `_floats`, for 0-d arrays, by which the result may be differentiated."""
    work = float32 if dtype.bits == 16 else dtype
    place = device if device is not None else next(x.device for x in (first, step) if isinstance(x, Array))
    first, step = (lw.asarray(x, dtype=work, device=place) for x in (first, step))
    with unified_rules():
        return astype(first + _count(n, 0, 1, dtype=work, device=place) * step, dtype, copy=False)


def _computed(n: int, first: complex, step: complex, last: complex | None, dtype: Dtype, device: Any) -> Array:
    """Like `_floats`, by functions that every backend has."""
    work = float32 if dtype.bits == 16 else dtype  # i is no float16 from 2048 on
    x = astype(_count(n, 0, 1, dtype=real_of(work), device=device), work, copy=False)
    kind: type[complex] = complex if work.kind == "c" else float
    # If i * step would overflow although the sum does not, everything is halved first, which is exact.
    scale = 2 if n and max(abs(step.real), abs(step.imag)) * (n - 1) > float_limits(work).max else 1
    with unified_rules():
        x *= kind(step / scale)
        x += kind(first / scale)
        if scale != 1:
            x *= kind(scale)
    x = astype(x, dtype, copy=False)
    if last is not None:
        x[-1] = last
    return x


#: Types of Python's real numbers.
_REAL = frozenset((int, float))


@composed
def linspace(
    start: complex | Array,
    stop: complex | Array,
    num: int,
    *surplus: Never,
    dtype: DtypeLike | None = None,
    device: Any = None,
    endpoint: bool = True,
    axis: int = 0,
    **unknown: Never,
) -> Array:
    """A given number of values at equal distances.

    Parameters
    ----------
    start: the first value, or an array of first values.
    stop: the last one, or an array of them, which broadcasts with `start`; without `endpoint`, the one that would come
        after the last.
    num: how many values.
    dtype: the default float if not given, or the default complex dtype if `start` or `stop` is complex. Values
        for an integer dtype are computed in float64 and rounded down.
    device: its device; a `Device` of an array brings its backend with it.
    endpoint: whether `stop` is among the values.
    axis: where the axis of the values comes to lie among those of `start` and `stop`. These may be arrays beyond the
        standard, as in NumPy and JAX; their dtype, or the default float for integers, is the result's then.

    Returns
    -------
    `num` values on one axis, ``start + i * step`` in the dtype; in float32 for the 16-bit dtypes. Of arrays, the other
    axes are those that they broadcast to.

    Raises
    ------
    AxisError: an axis that the result does not have.
    ValueError: a negative `num`; shapes that do not broadcast.
    TypeError: complex values for a real dtype; a bool dtype.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.linspace(0, 1, 5)
    Array([0.  , 0.25, 0.5 , 0.75, 1.  ], dtype=float32)
    >>> lw.linspace(0, 1j, 2, endpoint=False)
    Array([0.+0.j , 0.+0.5j], dtype=complex64)
    >>> lw.linspace(lw.asarray([0, 10]), lw.asarray([1, 20]), 3, axis=1)
    Array([[ 0. ,  0.5,  1. ],
           [10. , 15. , 20. ]], dtype=float32)
    """
    if unknown or surplus:
        raise unexpected("linspace", unknown, surplus)
    if not (type(start) in _REAL and type(stop) in _REAL) and (_is_array(start) or _is_array(stop)):
        return _lines(start, stop, num, dtype, device, endpoint, axis)
    if axis not in (0, -1):
        one_axis(axis, (None,))
    first: Any
    last: Any
    if dtype is None and type(start) in _REAL and type(stop) in _REAL:
        chosen, first, last = current().promote(type(start), type(stop), float), start, stop
    else:
        chosen = _from_scalars(OPS["linspace"], [start, stop, 0.0]) if dtype is None else as_dtype(dtype)
        first, last = _number("linspace", start), _number("linspace", stop)
    if not hasattr(num, "__index__"):
        raise TypeError(f"linspace: num is an int; got {num!r}")
    n = index(num)
    if n < 0:
        raise ValueError(f"linspace: num must not be negative; got {n}")
    if chosen.storage:
        raise TypeError(f"linspace: takes a numeric dtype; got {chosen}{_cast_after(chosen)}")
    if chosen.kind == "b" or (chosen.kind != "c" and isinstance(first + last, complex)):
        raise TypeError(f"linspace: values from {first} to {last} do not go into {chosen}")
    if chosen.kind in "iu":
        values = linspace(first, last, n, dtype=float64, device=device, endpoint=endpoint)
        return astype(lw.floor(values), chosen)
    parts = n - 1 if endpoint else n
    step = (last - first) / parts if parts > 0 else 0.0
    if not cmath.isfinite(step):  # the range itself overflows
        step = last / parts - first / parts
    return _floats(n, first, step, chosen, device, last if endpoint and n > 1 else None)


def _is_array(x: Any) -> bool:
    """Tell whether x is an array: one of no axes may be differentiated by, or have no value yet. NumPy's scalars are
    numbers."""
    return isinstance(x, Array) or (hasattr(x, "shape") and not is_numpy_scalar(x))


def _lines(start: Any, stop: Any, num: int, dtype: Any, device: Any, endpoint: bool, axis: int) -> Array:
    """`linspace` between the elements of arrays, by functions that every backend has."""
    first, last = as_operands(OPS["linspace"], (start, stop), joined=True)
    chosen = lw.result_type(first, last, 1.0) if dtype is None else as_dtype(dtype)
    if not hasattr(num, "__index__"):
        raise TypeError(f"linspace: num is an int; got {num!r}")
    n = index(num)
    if n < 0:
        raise ValueError(f"linspace: num must not be negative; got {n}")
    if chosen.storage or chosen.kind == "b" or (chosen.kind != "c" and "c" in (first.dtype.kind, last.dtype.kind)):
        raise TypeError(f"linspace: values of {first.dtype} and {last.dtype} do not go into {chosen}")
    work = float64 if chosen.kind in "iu" else float32 if chosen.bits == 16 else chosen
    first, last = lw.broadcast_arrays(*[lw.astype(x, work, copy=False) for x in (first, last)])
    place = one_axis(axis, (None, *first.shape))
    i = lw.reshape(arange(n, dtype=real_of(work), device=first.device), (-1, *(1 for _ in first.shape)))
    parts = n - 1 if endpoint else n
    with unified_rules():
        # Halves are exact, and their differences and products do not overflow if the ends are finite.
        half, other = first * 0.5, last * 0.5
        step = (other - half) / parts if parts > 0 else lw.zeros_like(first)
        values = (half + lw.astype(i, work, copy=False) * step) * 2.0
        if endpoint and n > 1:
            values = lw.where(i == n - 1, last, values)
        values = astype(lw.floor(values) if chosen.kind in "iu" else values, chosen, copy=False)
    values = lw.moveaxis(values, 0, place)
    return values if device is None else lw.asarray(values, device=device)


# --- matrices ----------------------------------------------------------------------------------------------------


@creation(shape="eye")
def eye(
    n_rows: int,
    n_cols: int | None = None,
    /,
    *,
    k: int = 0,
    batch_shape: tuple[int, ...] = (),
    dtype: DtypeLike | None = None,
    device: Any = None,
) -> Array:
    """A matrix of zeros with ones on a diagonal, or a stack of such matrices.

    Parameters
    ----------
    n_rows, n_cols: the shape of the matrix; as many columns as rows by default.
    k: which diagonal: above the main one if positive, below if negative. None at all if it lies outside.
    batch_shape: how many of them: these axes come before those of the matrix. Not in the standard; as in ``tf.eye``.
    dtype: its dtype; the default dtype, float32, if not given.
    device: its device; a `Device` of an array brings its backend with it.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.eye(2, 3, k=1, dtype=lw.int8)
    Array([[0, 1, 0],
           [0, 0, 1]], dtype=int8)
    >>> lw.eye(2, batch_shape=(3,)).shape
    (3, 2, 2)
    """
    one = eye(n_rows, n_cols, k=k, dtype=dtype, device=device)
    stack: tuple[Any, ...] = (*requested_shape(batch_shape), *one.shape)
    return lw.asarray(lw.broadcast_to(one, stack), copy=True)


@op("all or storage", shape="matrices")
def tril(x: Array, /, k: int = 0) -> Array:
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


@op("all or storage", shape="matrices")
def triu(x: Array, /, k: int = 0) -> Array:
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
def meshgrid(*arrays: Array, indexing: Literal["xy", "ij"] = "xy", **unknown: Never) -> tuple[Array, ...]:
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
    if unknown:
        raise unexpected("meshgrid", unknown)
    operands = as_operands(OPS["meshgrid"], arrays)
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: indexing must be 'xy' or 'ij'; got {indexing!r}")
    for x in operands:
        if x.ndim > 1:
            raise ValueError(f"meshgrid: takes arrays of one axis; got shape {x.shape}")
    places = [*range(len(operands))]
    if indexing == "xy" and len(operands) > 1:
        places[:2] = 1, 0
    alone = [
        reshape(x, tuple(x.size if axis == place else 1 for axis in range(len(operands))))
        for place, x in zip(places, operands, strict=True)
    ]
    return tuple([asarray(x, copy=True) for x in broadcast_arrays(*alone)])
