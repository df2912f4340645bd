"""Every dtype, one row each. Categories, ranges and precisions are derived from the rows, never listed.

A `Dtype` is a `str`, so that ``lw.float32 == "float32"`` and a dtype can be given by name wherever
one is asked for. There is one object per name: dispatch compares and hashes them by identity first.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from ..errors import nearest

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Dtype", "FInfo", "IInfo", "category"]

#   name        kind  bits  exponent  fraction   (the last two: bits of a floating point format, per component)
_ROWS = """
    bool        b     8     0         0
    int8        i     8     0         0
    int16       i     16    0         0
    int32       i     32    0         0
    int64       i     64    0         0
    uint8       u     8     0         0
    uint16      u     16    0         0
    uint32      u     32    0         0
    uint64      u     64    0         0
    bfloat16    f     16    8         7
    float16     f     16    5         10
    float32     f     32    8         23
    float64     f     64    11        52
    complex64   c     64    8         23
    complex128  c     128   11        52
"""

#: Dtypes that no backend computes with, but that frameworks' promotion rules know. Formats that are not IEEE 754's
#: in the values that they keep for infinities and nan have no exponent here, and so no `finfo`. "V" is opaque bits.
_RULES_ONLY = """
    int1 i 1 0 0, int2 i 2 0 0, int3 i 3 0 0, int4 i 4 0 0, int5 i 5 0 0, int6 i 6 0 0, int7 i 7 0 0
    uint1 u 1 0 0, uint2 u 2 0 0, uint3 u 3 0 0, uint4 u 4 0 0, uint5 u 5 0 0, uint6 u 6 0 0, uint7 u 7 0 0
    index u 64 0 0, address u 64 0 0
    float4_e2m1fn f 4 0 0, float4_e2m1fn_x2 f 8 0 0, float6_e2m3fn f 6 0 0, float6_e3m2fn f 6 0 0
    float8_e3m4 f 8 0 0, float8_e4m3 f 8 0 0, float8_e4m3b11fnuz f 8 0 0, float8_e4m3fn f 8 0 0
    float8_e4m3fnuz f 8 0 0, float8_e5m2 f 8 0 0, float8_e5m2fnuz f 8 0 0, float8_e8m0fnu f 8 0 0
    tensor_float32 f 32 8 10, longdouble f 128 0 0, complex32 c 32 5 10, clongdouble c 256 0 0
    bits1x8 V 8 0 0, bits2x4 V 8 0 0, bits4x2 V 8 0 0, bits8 V 8 0 0, bits16 V 16 0 0
    qint8 V 8 0 0, qint32 V 32 0 0, quint8 V 8 0 0, quint4x2 V 8 0 0, quint2x4 V 8 0 0
"""


class Dtype(str):
    """A data type by name. ``Dtype("float32")`` is ``lw.float32``, always the same object.

    Attributes
    ----------
    kind: one of ``"b"`` (bool), ``"i"`` (signed integer), ``"u"`` (unsigned integer), ``"f"`` (real
        floating point), ``"c"`` (complex floating point).
    bits: storage of one element, in bits.

    Raises
    ------
    TypeError: for a name that is no dtype; the message has the nearest one.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.Dtype("float32") is lw.float32
    True
    >>> lw.float32 == "float32"
    True
    >>> lw.bfloat16.bits
    16
    """

    kind: str
    bits: int
    exponent: int
    fraction: int
    _all: ClassVar[dict[str, Dtype]] = {}

    __slots__ = ("bits", "exponent", "fraction", "kind")

    def __new__(cls, name: str) -> Dtype:
        try:
            return cls._all[name]
        except (KeyError, TypeError):
            raise TypeError(f"{name!r} is no dtype{nearest(name, all_dtypes)}") from None

    def __eq__(self, other: object) -> bool:
        """Equal to its name, and to a framework's own dtype of that name: ``x.dtype == torch.float32``."""
        if isinstance(other, str):
            return str.__eq__(self, other)
        if isinstance(other, type):  # NumPy's scalar types stand for their dtypes: numpy.float32
            return other.__name__ == str(self) and other.__module__.partition(".")[0] in ("numpy", "ml_dtypes")
        return _native_name(other) == str(self)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__

    def __repr__(self) -> str:
        return f"lw.{self}" if self in all_dtypes else f"lw.Dtype({str(self)!r})"

    def __reduce__(self) -> tuple[Callable[[str], Dtype], tuple[str]]:
        return Dtype, (str(self),)

    def __copy__(self) -> Dtype:
        return self

    def __deepcopy__(self, memo: object) -> Dtype:
        return self

    @classmethod
    def _declare(cls, name: str, kind: str, bits: int, exponent: int, fraction: int) -> Dtype:
        self = str.__new__(cls, name)
        self.kind, self.bits, self.exponent, self.fraction = kind, bits, exponent, fraction
        cls._all[name] = self
        return self


all_dtypes: tuple[Dtype, ...] = tuple(
    Dtype._declare(name, kind, int(bits), int(exponent), int(fraction))
    for name, kind, bits, exponent, fraction in (row.split() for row in _ROWS.strip().splitlines())
)
for _row in _RULES_ONLY.replace(",", "\n").strip().splitlines():
    _name, _kind, *_numbers = _row.split()
    Dtype._declare(_name, _kind, *map(int, _numbers))

int8, int16, int32, int64 = (Dtype(f"int{n}") for n in (8, 16, 32, 64))
uint8, uint16, uint32, uint64 = (Dtype(f"uint{n}") for n in (8, 16, 32, 64))
bfloat16, float16, float32, float64 = map(Dtype, ("bfloat16", "float16", "float32", "float64"))
complex64, complex128 = map(Dtype, ("complex64", "complex128"))
bool_ = Dtype("bool")

#: The dtype categories, in the standard's words, and the kinds that each admits.
CATEGORIES: dict[str, str] = {
    "all": "biufc",
    "bool": "b",
    "signed integer": "i",
    "unsigned integer": "u",
    "integral": "iu",
    "integral or bool": "biu",
    "real floating": "f",
    "complex floating": "c",
    "floating": "fc",
    "real numeric": "iuf",
    "real numeric or bool": "biuf",
    "numeric": "iufc",
}


def category(name: str) -> tuple[Dtype, ...]:
    """The dtypes of a category, in the order of the rows."""
    kinds = CATEGORIES[name]
    return tuple(d for d in all_dtypes if d.kind in kinds)


all_numeric_dtypes = category("numeric")
all_int_dtypes = category("integral")
all_uint_dtypes = category("unsigned integer")
all_float_dtypes = category("real floating")
all_complex_dtypes = category("complex floating")

_COMPLEX_OF = {float64: complex128, Dtype("longdouble"): Dtype("clongdouble")}
_REAL_OF = {complex64: float32, complex128: float64}
_REAL_OF |= {Dtype("complex32"): float16, Dtype("clongdouble"): Dtype("longdouble")}


def complex_of(dtype: Dtype) -> Dtype:
    """The complex dtype that holds a real floating one: complex128 for float64, else complex64."""
    return dtype if dtype.kind == "c" else _COMPLEX_OF.get(dtype, complex64)


def real_of(dtype: Dtype) -> Dtype:
    """The dtype of the components of a complex dtype; a real dtype is its own."""
    return _REAL_OF.get(dtype, dtype)


def _native_name(dtype: object) -> str | None:
    """The name of a framework's own dtype object; None for anything else."""
    if "dtype" in type(dtype).__name__.lower():  # numpy's Float32DType and dtype[bfloat16], torch's dtype, TF's DType
        return str(getattr(dtype, "name", dtype)).rpartition(".")[2]
    return None


class FInfo(NamedTuple):
    """What `finfo` returns: numbers are Python floats, whatever the dtype."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: Any


class IInfo(NamedTuple):
    """What `iinfo` returns: numbers are Python ints."""

    bits: int
    max: int
    min: int
    dtype: Any


def float_limits(dtype: Dtype) -> FInfo:
    """Limits of a floating dtype, from its exponent and fraction bits (IEEE 754, section 3.3).

    A complex dtype has those of its components. `bits` counts one component, as the standard says.
    """
    real = real_of(dtype)
    if not real.exponent:
        raise TypeError(f"finfo: {dtype} is known to promotion rules only")
    top = 2 ** (real.exponent - 1)  # the exponent field is biased by top - 1
    largest = math.ldexp(2.0 - 2.0**-real.fraction, top - 1)
    return FInfo(real.bits, 2.0**-real.fraction, largest, -largest, math.ldexp(1.0, 2 - top), real)


def int_limits(dtype: Dtype) -> IInfo:
    """Limits of an integer dtype."""
    if dtype.kind == "u":
        return IInfo(dtype.bits, 2**dtype.bits - 1, 0, dtype)
    half = 2 ** (dtype.bits - 1)
    return IInfo(dtype.bits, half - 1, -half, dtype)


#: Kinds from narrow to wide: what `scalar kind <= array kind` means for a weak Python scalar.
KIND_ORDER = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}

#: The kind of each Python scalar type. bool is first where isinstance would find int.
SCALAR_KINDS: dict[type, str] = {bool: "b", int: "i", float: "f", complex: "c"}
SCALARS = tuple(SCALAR_KINDS)


def plain_scalar(value: Any) -> bool | int | float | complex:
    """A scalar of a subclass of Python's own, such as an enum's member, as Python's own."""
    to: Any = next(kind for kind in SCALARS if isinstance(value, kind))
    plain: bool | int | float | complex = to(value)
    return plain


def as_dtype(dtype: object) -> Dtype:
    """A dtype of ours from ours, a name, or any framework's own dtype. It asks no policy, so `float` is no dtype."""
    if type(dtype) is Dtype:
        return dtype
    if isinstance(dtype, str):
        return Dtype(dtype)
    # An array or NumPy scalar has its dtype's name; a dtype, or a framework's scalar class, has its own somewhere:
    # numpy.dtype, numpy.float32, torch.float32, tf.float32, jax.numpy.float32.
    native = dtype if isinstance(dtype, type) else getattr(dtype, "dtype", dtype)
    named = isinstance(native, type) or not callable(native)  # a function may be called "index"
    for name in (getattr(native, "name", None), getattr(native, "__name__", None), str(native)) if named else ():
        if isinstance(name, str) and (found := Dtype._all.get(name.rpartition(".")[2])) is not None:
            return found
    hint = nearest(native, all_dtypes) or "."
    raise TypeError(f"{dtype!r} is no dtype{hint} Give a name, a dtype of latticework or a framework's own")
