"""PyTorch's dtypes, their limits, the default dtype, and what dtypes promote to."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import latticework as lw

from ...core.dtypes import Dtype
from ...promotion.families.torch import can_cast as category_goes_into
from .core import complete, dialect, ops, set_default_float

__all__ = [
    "bfloat16",
    "bool",
    "cdouble",
    "cfloat",
    "complex64",
    "complex128",
    "double",
    "dtype",
    "finfo",
    "float",
    "float8_e4m3fn",
    "float8_e5m2",
    "float16",
    "float32",
    "float64",
    "half",
    "iinfo",
    "int",
    "int8",
    "int16",
    "int32",
    "int64",
    "long",
    "short",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]


class dtype:
    """A dtype of PyTorch, by name: ``torch.float32``."""

    __slots__ = ("_name", "ours")

    _name: str
    ours: Dtype
    _known: dict[str, dtype] = {}  # noqa: RUF012 - shared on purpose: one object per name

    def __new__(cls, name: str) -> dtype:
        found = cls._known.get(name)
        if found is None:
            found = cls._known[name] = object.__new__(cls)
            found._name, found.ours = name, Dtype(name)
        return found

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __reduce__(self) -> tuple[Any, ...]:
        return dtype, (self._name,)

    @property
    def is_floating_point(self) -> Any:
        """True if its numbers are real floating point numbers."""
        return Dtype(self._name).kind == "f"

    @property
    def is_complex(self) -> Any:
        """True if its numbers are complex."""
        return Dtype(self._name).kind == "c"

    @property
    def is_signed(self) -> Any:
        """True if it has negative numbers."""
        return Dtype(self._name).kind in "ifc"

    @property
    def itemsize(self) -> Any:
        """Bytes of one element."""
        return Dtype(self._name).itemsize

    def to_real(self) -> dtype:
        """The dtype of the components of complex numbers; itself for real ones."""
        return _REAL.get(self, self)

    def to_complex(self) -> dtype:
        """The complex dtype whose components are of this one."""
        return _COMPLEX.get(self, self)


_names = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 bfloat16 float16 float32 float64 complex64 complex128"
    " float8_e4m3fn float8_e5m2"
).split()
dialect.with_dtypes({Dtype(name): dtype(name) for name in _names})
# fmt: off
bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64 = (dtype(name) for name in _names[:9])
bfloat16, float16, float32, float64, complex64, complex128, float8_e4m3fn, float8_e5m2 = (dtype(n) for n in _names[9:])
float, double, half, int, long, short = float32, float64, float16, int32, int64, int16
cfloat, cdouble = complex64, complex128
# fmt: on
_COMPLEX = {bfloat16: complex64, float32: complex64, float64: complex128}
_REAL = {complex64: float32, complex128: float64}


class finfo:
    """The limits of a floating point dtype; of the default dtype where none is given.

    Attributes
    ----------
    bits, eps, max, min, tiny, smallest_normal, resolution: as NumPy has them, as Python floats.
    dtype: the dtype's name.
    """

    def __init__(self, type: Any = None) -> None:
        given = dialect.dtype_of(get_default_dtype() if type is None else type)
        if given.kind not in "fc":
            raise TypeError(f"torch.finfo() requires a floating point input type; got {given}. Use torch.iinfo()")
        info = lw.finfo(given)
        self.bits, self.eps, self.max, self.min = info.bits, info.eps, info.max, info.min
        self.tiny = self.smallest_normal = info.smallest_normal
        digits = {"bfloat16": 2, "float16": 3, "float32": 6, "float64": 15}
        self.dtype = {"complex64": "float32", "complex128": "float64"}.get(given.name, given.name)
        self.resolution = 10.0 ** -digits[self.dtype] if self.dtype in digits else 1.0

    def __repr__(self) -> str:
        shown = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        return f"finfo({', '.join(f'{name}={getattr(self, name):g}' for name in shown)}, dtype={self.dtype})"


class iinfo:
    """The limits of an integer dtype.

    Attributes
    ----------
    bits, max, min: its width and limits.
    dtype: the dtype's name.
    """

    def __init__(self, type: Any) -> None:
        given = dialect.dtype_of(type)
        if given.kind not in "iu":
            raise TypeError(f"torch.iinfo() requires an integer input type; got {given}. Use torch.finfo()")
        info = lw.iinfo(given)
        self.bits, self.max, self.min, self.dtype = info.bits, info.max, info.min, str(given)

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"


def get_default_dtype():
    """The dtype of tensors that are made of Python floats."""
    return dialect.dtypes[dialect.defaults()["default_float"]]


def set_default_dtype(d, /):
    """Set the dtype of tensors that are made of Python floats, for all threads.

    Raises
    ------
    TypeError: it is no floating point dtype.
    """
    found = dialect.dtype_of(d)
    if found.kind != "f":
        raise TypeError(f"only floating-point types are supported as the default type; got {found}")
    set_default_float(found)


@contextmanager
def _as_in_process() -> Iterator[None]:
    torch, before = sys.modules.get("torch"), dialect.defaults()["default_float"]
    theirs = before if torch is None else Dtype(str(torch.get_default_dtype()).rpartition(".")[2])
    if theirs is not before:
        set_default_float(theirs)
    try:
        yield
    finally:
        if theirs is not before:
            set_default_float(before)


dialect.as_in_process = _as_in_process


def promote_types_torch(type1, type2):
    """The dtype that two dtypes promote to under PyTorch's rules.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> torch.promote_types_torch(torch.int32, torch.float16)
    torch.float16
    """
    return ops.promote_types(type1, type2)


def promote_types_of_torch_inputs(x1, x2):
    """Two tensors, cast to the dtype that they promote to under PyTorch's rules.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> torch.promote_types_of_torch_inputs(torch.tensor([1]), torch.tensor([1.5]))
    (tensor([1.]), tensor([1.5000]))
    """
    return ops.promote_types_of_inputs(x1, x2)


# fmt: off
def promote_types(type1, type2): return ops.promote_types(_dtype(type1), _dtype(type2))
def result_type(tensor1, tensor2): return ops.result_type(tensor1, tensor2)
def can_cast(from_, to): return category_goes_into(dialect.dtype_of(_dtype(from_)), dialect.dtype_of(_dtype(to)))
def is_floating_point(input): return input._array.dtype.kind == "f"
def is_complex(input): return input._array.dtype.kind == "c"
def is_signed(input): return input._array.dtype.kind in "ifc"
# fmt: on


def _dtype(x: Any) -> Any:
    if type(x) is not dtype and type(x).__module__ != "torch":
        raise TypeError(f"expected a torch.dtype; got {type(x).__name__}")
    return x


complete(globals())
