"""Dtypes and scalar types, which are NumPy's own, and the functions that ask for them."""

from __future__ import annotations

import builtins
from typing import Any

import numpy

import latticework as lw

from .base import as_array, dialect, is_array, native, of_numpy, ops, to_numpy

_TYPES = """
    generic number integer signedinteger unsignedinteger inexact floating complexfloating character flexible bool_
    bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128 intp uintp int_
    uint intc uintc byte ubyte short ushort long ulong longlong ulonglong half single double csingle cdouble longdouble
    clongdouble object_ str_ bytes_ void datetime64 timedelta64 dtype finfo iinfo errstate ScalarType sctypeDict
    typecodes True_ False_ e pi inf nan euler_gamma newaxis little_endian dtypes exceptions printoptions
    get_printoptions set_printoptions geterr seterr geterrcall seterrcall getbufsize setbufsize
    char strings rec record recarray busdaycalendar
""".split()
for _name in _TYPES:
    globals()[_name] = getattr(numpy, _name)

__all__ = [  # noqa: PLE0604
    *_TYPES, "base_repr", "binary_repr", "broadcast", "busday_count", "busday_offset", "can_cast", "common_type",
    "datetime_as_string", "datetime_data", "is_busday", "iscomplexobj", "isdtype", "isfortran", "isnat", "isrealobj",
    "isscalar", "issubdtype", "iterable", "may_share_memory", "min_scalar_type", "mintypecode", "ndenumerate",
    "ndindex", "promote_types", "promote_types_numpy", "promote_types_of_numpy_inputs", "result_type",
    "shares_memory", "typename",
]  # fmt: skip


# fmt: off
def _dtype(x: Any) -> Any: return dialect.dtypes.get(x, x) if type(x) in (type(lw.float32), numpy.dtype) else x
def isdtype(dtype, kind): return numpy.isdtype(_dtype(dtype), kind)
def issubdtype(arg1, arg2): return builtins.bool(numpy.issubdtype(_dtype(arg1), _dtype(arg2)))
def promote_types(type1, type2, /): return numpy.promote_types(_dtype(type1), _dtype(type2))
def mintypecode(typechars, typeset="GDFgdf", default="d"): return numpy.mintypecode(typechars, typeset, default)
def typename(char): return numpy.typename(char)
def base_repr(number, base=2, padding=0): return numpy.base_repr(int(number), base, padding)
def binary_repr(num, width=None): return numpy.binary_repr(num.__index__(), width)
def iterable(y): return builtins.bool(y.ndim) if is_array(y) else builtins.bool(numpy.iterable(y))
def isfortran(a): return builtins.bool(numpy.isfortran(to_numpy(a)))
# fmt: on


def _days(weekmask: Any, holidays: Any, busdaycal: Any, out: Any) -> dict[str, Any]:
    """Return the options of business days: NumPy takes a calendar, or what it consists of."""
    days = (
        {"weekmask": weekmask, "holidays": () if holidays is None else holidays}
        if busdaycal is None
        else {"busdaycal": busdaycal}
    )
    return {**days, **({} if out is None else {"out": out})}


# fmt: off
def isnat(x, /, out=None, *, where=True, casting="same_kind", order="K", dtype=None, subok=True, signature=None):
    options = {"casting": casting, "dtype": dtype, "signature": signature}
    return of_numpy(numpy.isnat(x, **({} if out is None else {"out": out}), where=to_numpy(where), **options))
def datetime_data(dtype, /): return numpy.datetime_data(dtype)
def datetime_as_string(arr, unit=None, timezone="naive", casting="same_kind"):
    return numpy.datetime_as_string(arr, unit, timezone, casting)
def busday_count(begindates, enddates, weekmask="1111100", holidays=(), busdaycal=None, out=None):
    return of_numpy(numpy.busday_count(begindates, enddates, **_days(weekmask, holidays, busdaycal, out)))
def busday_offset(dates, offsets, roll="raise", weekmask="1111100", holidays=None, busdaycal=None, out=None):
    return numpy.busday_offset(dates, to_numpy(offsets), roll, **_days(weekmask, holidays, busdaycal, out))
def is_busday(dates, weekmask="1111100", holidays=None, busdaycal=None, out=None):
    return of_numpy(numpy.is_busday(dates, **_days(weekmask, holidays, busdaycal, out)))
# fmt: on


def promote_types_numpy(type1, type2, /):
    """The dtype that two dtypes promote to under NumPy's rules, as NumPy's dtype object.

    Raises
    ------
    TypeError: of two dtypes that NumPy gives no common one.

    Examples
    --------
    >>> import latticework.frontends.numpy as np
    >>> np.promote_types_numpy(np.int32, np.float16)
    dtype('float64')
    """
    return native(lw.promote_types(dialect.dtype_of(type1), dialect.dtype_of(type2), rules="numpy"))


def promote_types_of_numpy_inputs(x1, x2, /):
    """Two operands, arrays or Python scalars, as arrays of the dtype that NumPy gives them.

    Parameters
    ----------
    x1, x2: arrays of any shapes, what NumPy makes arrays of, or Python scalars.

    Returns
    -------
    The two as arrays of one dtype; shapes are kept.

    Raises
    ------
    OverflowError: a Python int that does not fit the dtype of an array of integers.

    Examples
    --------
    >>> import latticework.frontends.numpy as np
    >>> np.promote_types_of_numpy_inputs(np.array([1, 2], dtype=np.int8), 0.5)
    (array([1., 2.]), np.float64(0.5))
    """
    x1, x2 = [x if type(x) in (builtins.bool, int, float, complex) else as_array(x) for x in (x1, x2)]
    first, second = dialect.call(lw.promote_types_of_inputs, (x1, x2), {})
    return first, second


def result_type(*arrays_and_dtypes):
    return numpy.result_type(*[x.dtype if is_array(x) else _dtype(x) for x in arrays_and_dtypes])


def can_cast(from_, to, casting="safe"):
    return builtins.bool(numpy.can_cast(from_.dtype if is_array(from_) else _dtype(from_), _dtype(to), casting))


def min_scalar_type(a, /):
    return numpy.min_scalar_type(to_numpy(a))


def common_type(*arrays):
    return numpy.common_type(*[numpy.empty(0, as_array(a).dtype) for a in arrays])


def isscalar(element):
    return not element.ndim if is_array(element) else builtins.bool(numpy.isscalar(element))


def _kind(x: Any) -> str:
    return str(x._array.dtype.kind) if is_array(x) else str(numpy.asarray(to_numpy(x)).dtype.kind)


# fmt: off
def iscomplexobj(x): return _kind(x) == "c"
def isrealobj(x): return _kind(x) != "c"
# fmt: on


def shares_memory(a, b, /, max_work=-1):
    return builtins.bool(numpy.shares_memory(to_numpy(a), to_numpy(b)))


def may_share_memory(a, b, /, max_work=0):
    return builtins.bool(numpy.may_share_memory(to_numpy(a), to_numpy(b)))


class ndindex(numpy.ndindex):  # type: ignore[misc]
    """The indices of all elements of a shape, in order."""


class ndenumerate:
    """The indices and elements of an array, in order."""

    def __init__(self, arr):
        self._pairs = zip(numpy.ndindex(*as_array(arr).shape), as_array(arr).flat, strict=True)

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._pairs)


class broadcast:
    """The broadcast of arrays: its shape, and their elements side by side."""

    def __init__(self, *arrays):
        if len(arrays) > 64:
            raise ValueError(f"broadcast: takes 64 arrays or fewer; got {len(arrays)}")
        made = [as_array(a) for a in arrays]
        self.shape = numpy.broadcast_shapes(*[a.shape for a in made])
        self.ndim = self.nd = len(self.shape)
        self.size = int(numpy.prod(self.shape))
        self._arrays = [ops.broadcast_to(a, self.shape) for a in made]
        self.numiter = len(made)

    def __iter__(self):
        return zip(*[a.flat for a in self._arrays], strict=True)


dialect.finish(globals(), view="numpy")
