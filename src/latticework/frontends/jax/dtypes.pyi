"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"

from builtins import BaseException as _BaseException, Exception as _Exception, ValueError as _ValueError, bool as _bool
from latticework.frontends.parameter_types import HasDtype as _HasDtype, NumpyDtype as _NumpyDtype
from numpy.typing import DTypeLike as _DTypeLike
from typing import Any as _Any, ClassVar as _ClassVar

_extended = extended
__all__ = ["TypePromotionError", "bfloat16", "canonicalize_dtype", "extended", "finfo", "float0", "iinfo", "prng_key", "result_type"]

class TypePromotionError(_ValueError):
    ...
class extended:
    T: _Any
    __abs__: _Any
    __add__: _Any
    __and__: _Any
    __array__: _Any
    __array_interface__: _Any
    __array_namespace__: _Any
    __array_priority__: _Any
    __array_struct__: _Any
    __array_wrap__: _Any
    __bool__: _Any
    __copy__: _Any
    __deepcopy__: _Any
    __divmod__: _Any
    __eq__: _Any
    __float__: _Any
    __floordiv__: _Any
    __ge__: _Any
    __getitem__: _Any
    __gt__: _Any
    __hash__: _ClassVar[None]
    __int__: _Any
    __invert__: _Any
    __le__: _Any
    __lshift__: _Any
    __lt__: _Any
    __mod__: _Any
    __mul__: _Any
    __ne__: _Any
    __neg__: _Any
    __or__: _Any
    __pos__: _Any
    __pow__: _Any
    __radd__: _Any
    __rand__: _Any
    __rdivmod__: _Any
    __rfloordiv__: _Any
    __rlshift__: _Any
    __rmod__: _Any
    __rmul__: _Any
    __ror__: _Any
    __rpow__: _Any
    __rrshift__: _Any
    __rshift__: _Any
    __rsub__: _Any
    __rtruediv__: _Any
    __rxor__: _Any
    __setstate__: _Any
    __sub__: _Any
    __truediv__: _Any
    __xor__: _Any
    all: _Any
    any: _Any
    argmax: _Any
    argmin: _Any
    argsort: _Any
    astype: _Any
    base: _Any
    byteswap: _Any
    choose: _Any
    clip: _Any
    compress: _Any
    conj: _Any
    conjugate: _Any
    copy: _Any
    cumprod: _Any
    cumsum: _Any
    data: _Any
    device: _Any
    diagonal: _Any
    dtype: _Any
    dump: _Any
    dumps: _Any
    fill: _Any
    flags: _Any
    flat: _Any
    flatten: _Any
    getfield: _Any
    imag: _Any
    item: _Any
    itemsize: _Any
    max: _Any
    mean: _Any
    min: _Any
    nbytes: _Any
    ndim: _Any
    nonzero: _Any
    prod: _Any
    put: _Any
    ravel: _Any
    real: _Any
    repeat: _Any
    reshape: _Any
    resize: _Any
    round: _Any
    searchsorted: _Any
    setfield: _Any
    setflags: _Any
    shape: _Any
    size: _Any
    sort: _Any
    squeeze: _Any
    std: _Any
    strides: _Any
    sum: _Any
    swapaxes: _Any
    take: _Any
    to_device: _Any
    tobytes: _Any
    tofile: _Any
    tolist: _Any
    trace: _Any
    transpose: _Any
    var: _Any
    view: _Any
class prng_key(_extended):
    ...

from ml_dtypes import bfloat16 as bfloat16
def canonicalize_dtype(dtype: _DTypeLike | _HasDtype, allow_extended_dtype: _bool = ...) -> _NumpyDtype: ...

def finfo(dtype: _DTypeLike | _HasDtype) -> _Any: ...
float0: _Any
def iinfo(int_type: _Any) -> _Any: ...

def result_type(*args: _Any, return_weak_type_flag: _bool = ...) -> _NumpyDtype: ...
