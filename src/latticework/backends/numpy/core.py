"""The core of the NumPy backend: dtypes, devices, casts, indexing, conversion.

A function of 0-d arrays gives a NumPy scalar. It is as good as an array, except for writing into it: `native` and
`assign` make an array of it where that matters, so that no call has to look.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np

from ...backend.arguments import LOGICAL
from ...backend.fitting import refuse_unfit
from ...backend.plain import comes_to
from ...backend.saturation import ends
from ...core.dtypes import Dtype
from ...engine.keys.reading import IndexArray, check_value

ARRAY = (np.ndarray, np.generic)
SCALAR = np.generic
NATIVE_DTYPE = np.dtype
BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
DTYPES: dict[Any, Dtype] = {
    np.dtype(native): Dtype(np.dtype(native).name)
    for native in (
        np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64,
        ml_dtypes.bfloat16, np.float16, np.float32, np.float64, np.complex64, np.complex128,
        ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2,
    )
}  # fmt: skip
#: The dtypes from ml_dtypes, which are not NumPy's own.
EXTENSIONS = frozenset(native for native in DTYPES if native.type.__module__ == "ml_dtypes")
_EXTENSIONS = frozenset(DTYPES[native] for native in EXTENSIONS)
_STORAGE = frozenset(native for native, ours in DTYPES.items() if ours.storage)

#: (function, dtype) -> its kernel, where NumPy's own function lacks the dtype.
EMULATED: dict[tuple[str, Dtype], Callable[..., Any]] = {}
#: (function, dtype) that are composed, for want of a loop.
COMPOSED: set[tuple[str, Dtype]] = set()
#: (function, dtype) -> why it is refused, and the way out.
REFUSED: dict[tuple[str, Dtype], str] = {}

#: dtype -> the class of NumPy's scalars, which indexing gives for elements.
ELEMENTS = {ours: native.type for native, ours in DTYPES.items() if native not in EXTENSIONS}
_COMPARISONS: dict[str, Callable[..., Any]] = {
    "equal": operator.eq, "not_equal": operator.ne, "less": operator.lt, "less_equal": operator.le,
    "greater": operator.gt, "greater_equal": operator.ge,
}  # fmt: skip
_ARITHMETIC: dict[str, Callable[..., Any]] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv,
}  # fmt: skip
#: (function, dtype, operands) -> a quicker callable with the same result. For elements, Python's operator takes a tenth
#: of the time of a ufunc. Not for arithmetic of integers: it warns of elements that wrap around, and a ufunc does not.
QUICKER: dict[tuple[str, Dtype, str], Callable[..., Any]] = {
    (name, dtype, "elements"): function
    for dtype in ELEMENTS
    if dtype.kind != "c"
    for name, function in (_COMPARISONS | _ARITHMETIC if dtype.kind == "f" else _COMPARISONS).items()
}

dtype_of = operator.attrgetter("dtype")


def array_class() -> type:
    """Return the class of arrays: no subclass, and nothing traces them."""
    return np.ndarray


shape_of = operator.attrgetter("shape")


def native(data: Any) -> np.ndarray:
    """Return the data as an array: a function of 0-d arrays may have made a scalar."""
    return data if isinstance(data, np.ndarray) else np.asarray(data)


def cast(dtype: Any) -> Callable[[Any], Any]:
    if dtype in _STORAGE:
        return _to_storage(dtype)
    if dtype.kind not in "iu":
        return _astype(dtype)

    def to_integer(data: Any) -> Any:
        return cast_from(data.dtype, dtype)(data)

    comes_to(to_integer, lambda data: (cast_from(data.dtype, dtype), (data,), {}))
    return to_integer


@cache
def _astype(dtype: Any) -> Callable[[Any], Any]:
    return operator.methodcaller("astype", dtype)


@cache
def cast_from(source: Any, dtype: Any) -> Callable[[Any], Any]:
    """Return the cast from one dtype to another."""
    if dtype in _STORAGE or dtype.kind not in "iu":
        return cast(dtype)
    if source in _STORAGE:
        held = _holding(source)
        whole = cast_from(held, dtype)

        def of_storage(data: Any) -> Any:
            return whole(data.astype(held))

        return of_storage
    return _astype(dtype) if source.kind in "biuc" else _of_floats(source, dtype)


@cache
def narrow(dtype: Any) -> Callable[[Any], Any]:
    limits, name = np.iinfo(dtype), str(dtype)
    low, high = int(limits.min), int(limits.max)

    def narrowed(data: Any) -> Any:
        refuse_unfit(data, low, high, name)
        return data.astype(dtype)

    return narrowed


def _holding(dtype: Any) -> Any:
    """Return a dtype of NumPy's own that holds all numbers of a storage dtype."""
    return np.dtype(np.int8 if DTYPES[dtype].kind == "i" else np.uint8 if DTYPES[dtype].kind == "u" else np.float32)


def _to_storage(dtype: Any) -> Callable[[Any], Any]:
    """Make the cast to a storage dtype, by ml_dtypes. It rounds a float64 to float32 first: here that rounds to odd, so
    that the second rounding gives the nearest number."""
    if DTYPES[dtype].kind != "f":
        whole = cast(_holding(dtype))
        return lambda data: whole(data).astype(dtype)
    return lambda data: (to_odd(data) if data.dtype == np.float64 else data).astype(dtype)


def to_odd(data: Any) -> Any:
    """Cast float64 to float32, rounding to odd: a number between two goes to the one whose last bit is set."""
    data = np.asarray(data)
    with np.errstate(over="ignore", under="ignore"):
        nearest = np.asarray(data.astype(np.float32))
    bits = nearest.view(np.uint32)
    inexact, away = nearest != data, np.abs(nearest) > np.abs(data)
    bits -= away
    bits |= inexact
    return nearest


def _of_floats(source: Any, dtype: Any) -> Callable[[Any], Any]:
    """Make the cast of floats to integers: truncated, clamped to the range, 0 for nan.

    Within the range the hardware's conversion does this. Floats beyond it are detected by the processor's own flag for
    int32 and int64, and by the largest positive and negative numbers for the other dtypes.
    """
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    bottom, top = ends(DTYPES[source], DTYPES[dtype])

    def clamped(data: Any) -> Any:
        """Cast with floats clamped to the range, 0 for nan."""
        with np.errstate(all="ignore"):
            result = np.asarray(data.astype(dtype))
            np.copyto(result, 0, where=data != data)
            np.copyto(result, high, where=data > top)
            np.copyto(result, low, where=data < bottom)
        return result

    def by_flag(data: Any) -> Any:
        try:
            with np.errstate(invalid="raise"):
                return data.astype(dtype)
        except FloatingPointError:
            return clamped(data)

    if dtype.itemsize >= 4 and dtype.kind == "i" and source not in EXTENSIONS:
        return by_flag
    within = within_range(source, dtype)

    def by_bits(data: Any) -> Any:
        return data.astype(dtype) if within(data) else clamped(data)

    return by_bits


def within_range(source: Any, dtype: Any) -> Callable[[Any], bool]:
    """Make a function that tells whether floats, truncated, are all within the range of an integer dtype. nan is not.

    Read as integers, the bits of floats are in the order of their magnitudes, for each sign. Integers are compared
    many times as fast as floats of 16 bits, and nan costs nothing more.
    """
    signed, unsigned = np.dtype(f"i{source.itemsize}"), np.dtype(f"u{source.itemsize}")
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    with np.errstate(over="ignore"):
        numbers = np.array([float(high + 1), float(low - 1)]).astype(source)  # infinities where it holds no such number
    positive, negative = (int(bits) for bits in numbers.view(unsigned))
    negative += int(low != 0 and float(numbers[1]) == low)

    def within(data: Any) -> bool:
        """Return whether floats, truncated, are within the range, by the order of their bits."""
        return not data.size or bool(data.view(signed).max() < positive and data.view(unsigned).max() < negative)

    return within


def scalar(dtype: Any) -> Callable[[Any], Any]:
    result: Callable[[Any], Any] = dtype.type
    if dtype in EXTENSIONS and DTYPES[dtype].kind == "f":
        return lambda value: result(float(value))  # ml_dtypes takes no int beyond 64 bits
    return result


def zero_dim(dtype: Any) -> Callable[[Any], Any]:
    """Make 0-d arrays, in less time than a scalar and an array of it."""
    if dtype in EXTENSIONS:
        make = scalar(dtype)
        return lambda value: np.asarray(make(value))
    array = np.array
    return lambda value: array(value, dtype)


def takes_scalar(function: str, position: int, dtype: Dtype) -> bool:
    """Return whether a function takes Python scalars as weak (NEP 50). ufuncs do, but not those of ml_dtypes, nor other
    functions: `searchsorted` copies an int8 array to int64 beside a Python scalar."""
    return dtype not in _EXTENSIONS and isinstance(getattr(np, function, None), np.ufunc)


#: ufuncs that promote dtypes like latticework.
_MIXED = frozenset("add subtract multiply divide maximum minimum".split())


def promotes(function: str, operands: tuple[Dtype, ...], computed: Dtype) -> bool:
    """Return whether NumPy's promotion gives `computed`: then the ufunc casts in small pieces, without a copy."""
    if function in LOGICAL:  # which ask each element whether it is zero
        return _EXTENSIONS.isdisjoint(operands)
    if function not in _MIXED or computed.kind not in "iufc":
        return False
    first, second = operands
    if (computed is not first and computed is not second) or first in _EXTENSIONS or second in _EXTENSIONS:
        return False
    return bool(np.promote_types(str(first), str(second)) == np.dtype(str(computed)))


def item(data: Any) -> Any:
    """Return a Python scalar, also where ml_dtypes gives a scalar of its own."""
    value = data.item()
    if isinstance(value, (bool, int, float, complex)):
        return value
    return int(value) if DTYPES[data.dtype].kind in "iu" else float(value)


# --- devices -----------------------------------------------------------------------------------------------------


def devices() -> list[str]:
    return ["cpu"]


def device_name(name: object) -> str:
    if name is None or str(name) == "cpu":
        return "cpu"
    raise ValueError(f"the numpy backend has no device {str(name)!r}; it has cpu")


def native_device(name: str) -> str:
    return name


def device_of(data: Any) -> str:
    return "cpu"


def to_device(data: Any, device: str, stream: Any) -> Any:
    if stream is not None:
        raise ValueError("to_device: the numpy backend has no streams")
    return data


# --- indexing ----------------------------------------------------------------------------------------------------

index = operator.getitem
reshape_method = np.ndarray.reshape
_LARGEST = np.iinfo(np.int64).max


def describe_index(k: Any) -> IndexArray | None:
    """Describe an index array to the reader of keys. Return None for anything else."""
    if not isinstance(k, ARRAY) or k.dtype.kind not in "biu":
        return None
    if k.dtype == bool:
        return IndexArray(k.shape, "b", k, selects=lambda: int(np.count_nonzero(k)))
    return IndexArray(k.shape, "i", k, bounds=lambda: (int(k.min()), int(k.max())) if k.size else None)


def index_array(data: Any) -> Any:
    if data.dtype == np.uint64 and data.size and data.max() > _LARGEST:  # NumPy would take 2**64 - 1 for -1
        raise IndexError("an index of 2**63 or more is out of bounds for any axis")
    return data


#: The functions that are told of arrays that are written to: those of tapes, while a function is differentiated.
WATCHING: list[Callable[[np.ndarray], None]] = []


def _tell(data: np.ndarray) -> None:
    for told in [*WATCHING]:
        told(data)


def assign_own(data: Any, key: Any, value: Any) -> Any:
    return assign(data, key, value, told=False)


def assign(data: Any, key: Any, value: Any, told: bool = True) -> Any:
    data = native(data)
    if WATCHING and told:
        _tell(data)
    if type(value) is np.ndarray:
        if value.size == 1:  # NumPy refuses an array as the value of one element
            value = value.reshape(())
        elif value.size == 0:  # where no element is selected, NumPy takes a value of any such shape
            check_value(data[key].shape, value.shape)
        elif np.may_share_memory(data, value) and not _has_array(key):
            # NumPy reads elements that it has written in x[::2] = x[:3]: along one axis, it compares directions alone.
            target = data[key]
            if target.ndim == 1 and target.strides != value.strides[-1:]:
                value = value.copy()
    try:
        data[key] = value
    except TypeError:
        row = _row(key, value)
        if row is None:
            raise
        data[key] = row
    return data


def _row(key: Any, value: Any) -> np.ndarray | None:
    """Return the last axis of a value whose other axes have extent 1. NumPy broadcasts a value without such axes to the
    places of a mask, and refuses one with them; to the places of other keys it broadcasts both."""
    masked = isinstance(key, np.ndarray) and key.dtype == bool
    if not masked or not isinstance(value, np.ndarray) or value.shape[:-1] != (1,) * (value.ndim - 1):
        return None
    return value.reshape(value.shape[-1:])


def _has_array(key: Any) -> bool:
    return any(isinstance(k, np.ndarray) for k in key) if type(key) is tuple else isinstance(key, np.ndarray)


def overwrite(data: Any, value: Any) -> Any:
    """Write all of `value` into `data`, which keeps its shape and dtype."""
    data = native(data)
    if np.shape(value) != data.shape:
        raise ValueError(f"operands could not be broadcast together: {np.shape(value)} into {data.shape}")
    if WATCHING:
        _tell(data)
    data[...] = value
    return data


def in_place(call: Callable[..., Any]) -> Callable[[Any, Any], Any] | None:
    """Return `call` as one that writes into its first operand; None where it cannot."""
    if call is np.matmul or not (isinstance(call, np.ufunc) or call in QUICKER.values()):
        return None

    def write(target: Any, other: Any) -> Any:
        target = native(target)
        if WATCHING:
            _tell(target)
        return call(target, other, out=target)

    def write_integers_whole(target: Any, other: Any) -> Any:
        """Write all powers or none: np.power stops at a negative exponent, after it has written elements."""
        target = native(target)
        if target.dtype.kind == "i":
            return overwrite(target, call(target, other))
        if WATCHING:
            _tell(target)
        return call(target, other, out=target)

    return write_integers_whole if call is np.power else write


# --- conversion --------------------------------------------------------------------------------------------------


def to_numpy(data: Any, dtype: Any, copy: bool | None) -> np.ndarray:
    return np.array(data if type(data) is np.ndarray else np.asarray(data), dtype=dtype, copy=copy)


def take_numpy(data: np.ndarray, device: str | None) -> np.ndarray:
    return data


def from_numpy(data: np.ndarray, device: str | None, copy: bool | None) -> np.ndarray:
    return np.array(data, copy=copy)


def duplicate(data: Any) -> Any:
    return np.array(native(data), copy=True)


def dlpack(data: Any, **options: Any) -> Any:
    if data.dtype in EXTENSIONS:
        raise BufferError(
            f"NumPy exports no {data.dtype} through DLPack. Use lw.asarray(x, backend=...), which converts it"
        )
    return data.__dlpack__(**options)


def from_dlpack(x: Any, device: str | None, copy: bool | None) -> np.ndarray:
    try:
        return np.from_dlpack(x, device=device, copy=copy)
    except RuntimeError as error:  # of a dtype or device that NumPy does not have
        raise BufferError(str(error)) from error


def error_text(error: Exception) -> str:
    """Return the text of an error, and for read-only memory, such as that of JAX's arrays, what to do."""
    text = str(error).split("\n")[0]
    return (
        f"{text}: its elements share memory, or it shows memory that must not change. Take a copy first: x = x.copy()"
        * ("read-only" in text)
        or text
    )


def plain(x: Any, copy: bool | None) -> Any:
    """Return an array of NumPy's own class and byte order, as `DTYPES` has it."""
    if isinstance(x, np.generic) or (type(x) is np.ndarray and x.dtype.isnative):
        return x
    if isinstance(x, np.ma.MaskedArray):
        raise TypeError("asarray: the mask of a masked array would be lost. Take x.filled(...) or x.data")
    if copy is False and not x.dtype.isnative:
        raise ValueError(f"asarray: copy=False, but an array of {x.dtype.str} has to be copied to turn its bytes round")
    return np.asarray(x, dtype=x.dtype.newbyteorder("="))
