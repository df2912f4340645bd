"""Every dtype, one row each. Categories, ranges and precisions are derived from the rows, never listed.

A `Dtype` equals its name and has the hash of it, so that ``lw.float32 == "float32"``, and a dtype can be given by name
wherever one is asked for. It is no `str`: libraries tell one dtype from a sequence of them, or from the name of a
category, by `isinstance`. There is one object per name, so the package compares dtypes by identity.

A new dtype is a row here, a line in the `DTYPES` of each backend that has it, and a line in each diagram of promotion
rules that admits it. Nothing else names it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, NoReturn, final

from ..errors import nearest

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal, Protocol, TypeAlias

    import numpy as np

    _HashedInC = object
else:
    # A call that is given a dtype looks it up in dictionaries, and a `__hash__` written in Python would make each
    # look-up 30 to 50 ns slower. A weak reference takes its hash from the object that it refers to, in C. Of Python's
    # own classes no other can have the hash of a text and be no sequence.
    from _weakref import ref

    _HashedInC = ref

__all__ = ["Dtype", "DtypeLike", "FInfo", "IInfo", "category"]

# kind      b bool, i signed integer, u unsigned integer, f real floating, c complex floating, V opaque bits
# use       compute: arrays of it are computed with. storage: arrays hold it, and their elements are moved and cast.
#           rules: only promotion rules know it.
# bits      the width of the format
# stored    the bits that one element takes in an array
# exponent, fraction, bias   of a floating point format, those of a component for a complex dtype. The number of an
#           exponent field e and a fraction field m is 2**(e - bias) * (1 + m / 2**fraction).
# encoding  which codes are no numbers:
#           ieee     the highest exponent is for infinities and nan (IEEE 754)
#           fn       no infinities; the highest exponent with all bits of the fraction set is nan
#           fnuz     no infinities and no negative zero, whose code is nan
#           finite   every code is a number
#           fnu      no sign, no zero and no infinities; the highest exponent is nan
#           -        the format differs by platform, or is no floating point format
_ROWS = """
    name                kind  use      bits  stored  exponent  fraction  bias   encoding
    bool                b     compute  8     8       -         -         -      -
    int8                i     compute  8     8       -         -         -      -
    int16               i     compute  16    16      -         -         -      -
    int32               i     compute  32    32      -         -         -      -
    int64               i     compute  64    64      -         -         -      -
    uint8               u     compute  8     8       -         -         -      -
    uint16              u     compute  16    16      -         -         -      -
    uint32              u     compute  32    32      -         -         -      -
    uint64              u     compute  64    64      -         -         -      -
    bfloat16            f     compute  16    16      8         7         127    ieee
    float16             f     compute  16    16      5         10        15     ieee
    float32             f     compute  32    32      8         23        127    ieee
    float64             f     compute  64    64      11        52        1023   ieee
    complex64           c     compute  64    64      8         23        127    ieee
    complex128          c     compute  128   128     11        52        1023   ieee
    int1                i     rules    1     8       -         -         -      -
    int2                i     rules    2     8       -         -         -      -
    int3                i     rules    3     8       -         -         -      -
    int4                i     rules    4     8       -         -         -      -
    int5                i     rules    5     8       -         -         -      -
    int6                i     rules    6     8       -         -         -      -
    int7                i     rules    7     8       -         -         -      -
    uint1               u     rules    1     8       -         -         -      -
    uint2               u     rules    2     8       -         -         -      -
    uint3               u     rules    3     8       -         -         -      -
    uint4               u     rules    4     8       -         -         -      -
    uint5               u     rules    5     8       -         -         -      -
    uint6               u     rules    6     8       -         -         -      -
    uint7               u     rules    7     8       -         -         -      -
    index               u     rules    64    64      -         -         -      -
    address             u     rules    64    64      -         -         -      -
    float4_e2m1fn       f     rules    4     8       2         1         1      finite
    float4_e2m1fn_x2    f     rules    8     8       -         -         -      -
    float6_e2m3fn       f     rules    6     8       2         3         1      finite
    float6_e3m2fn       f     rules    6     8       3         2         3      finite
    float8_e3m4         f     rules    8     8       3         4         3      ieee
    float8_e4m3         f     rules    8     8       4         3         7      ieee
    float8_e4m3b11fnuz  f     rules    8     8       4         3         11     fnuz
    float8_e4m3fn       f     storage  8     8       4         3         7      fn
    float8_e4m3fnuz     f     rules    8     8       4         3         8      fnuz
    float8_e5m2         f     storage  8     8       5         2         15     ieee
    float8_e5m2fnuz     f     rules    8     8       5         2         16     fnuz
    float8_e8m0fnu      f     rules    8     8       8         0         127    fnu
    tensor_float32      f     rules    32    32      8         10        127    ieee
    longdouble          f     rules    128   128     -         -         -      -
    complex32           c     rules    32    32      5         10        15     ieee
    clongdouble         c     rules    256   256     -         -         -      -
    bits1x8             V     rules    8     8       -         -         -      -
    bits2x4             V     rules    8     8       -         -         -      -
    bits4x2             V     rules    8     8       -         -         -      -
    bits8               V     rules    8     8       -         -         -      -
    bits16              V     rules    16    16      -         -         -      -
    qint8               V     rules    8     8       -         -         -      -
    qint32              V     rules    32    32      -         -         -      -
    quint8              V     rules    8     8       -         -         -      -
    quint4x2            V     rules    8     8       -         -         -      -
    quint2x4            V     rules    8     8       -         -         -      -
"""


class _Name(str):
    """A text that weak references can refer to."""

    __slots__ = ("__weakref__",)


@final
class Dtype(_HashedInC):
    """A data type by name. ``Dtype("float32")`` is ``lw.float32``, always the same object, which never changes.

    A dtype equals its name and the frameworks' own dtypes of that name. It has the hash of its name, so a dictionary
    with dtypes as keys takes names, and one with names takes dtypes. It is sorted, formatted and added to text as its
    name is, and pickled as one. It is no `str`: ``str(d)``, or ``d.name``, is the text, which `str.join`, `getattr`
    and `json.dumps` have to be given.

    NumPy takes it wherever it takes a dtype: ``np.zeros(3, dtype=lw.bfloat16)``.

    Attributes
    ----------
    name: its name.
    kind: one of ``"b"`` (bool), ``"i"`` (signed integer), ``"u"`` (unsigned integer), ``"f"`` (real
        floating point), ``"c"`` (complex floating point).
    bits: the width of its format. One element takes `itemsize` bytes in an array.
    itemsize: bytes of one element.
    use: ``"compute"``; ``"storage"`` of a dtype that arrays hold and nothing is computed in; ``"rules"`` of one that
        only promotion rules know.
    storage: whether it is a storage dtype.

    Raises
    ------
    TypeError: for a name that is no dtype; the message has the nearest one.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.Dtype("float32") is lw.float32
    True
    >>> lw.float32 == "float32", {"float32": 4}[lw.float32]
    (True, 4)
    >>> lw.bfloat16.bits
    16
    >>> "-".join(str(d) for d in (lw.int8, lw.float16)), "to " + lw.int8, f"{lw.int8:>6}"
    ('int8-float16', 'to int8', '  int8')
    """

    name: str
    kind: str
    use: str
    bits: int
    itemsize: int
    exponent: int
    fraction: int
    bias: int
    encoding: str
    storage: bool
    _all: ClassVar[dict[str, Dtype]] = {}

    __slots__ = (
        "_name", "bias", "bits", "encoding", "exponent", "fraction", "itemsize", "kind", "name", "storage", "use",
    )  # fmt: skip

    def __new__(cls, name: str | Dtype) -> Dtype:
        if type(name) is Dtype:
            return name
        try:
            return cls._all[name]
        except (KeyError, TypeError):
            raise TypeError(f"{name!r} is no dtype{nearest(name, all_dtypes)}") from None

    def __init__(self, name: str | Dtype) -> None:
        """Do nothing: `__new__` returns a dtype that is complete."""

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"lw.{self}.{name}: a dtype never changes")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"lw.{self}.{name}: a dtype never changes")

    def __call__(self, *args: Any, **kw: Any) -> NoReturn:
        """Refuse the call, which NumPy's scalar types take: ``numpy.float32(1.5)``."""
        raise TypeError(
            f"lw.{self}(...): a dtype makes no array. Use lw.asarray(obj, dtype=lw.{self}), "
            f"or lw.astype(x, lw.{self}) for an array"
        )

    # --- as its name ------------------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        """Equal to its name, and to a framework's own dtype of that name: ``x.dtype == torch.float32``.

        Python's bool is one dtype, and equal to it. Python's int, float and complex are none: as ``dtype=float`` they
        mean the default of their kind, which `using` changes, and so no dtype is equal to them.
        """
        if type(other) is Dtype:
            return self is other  # there is one object per name
        if isinstance(other, str):
            return self.name == other
        if other is bool:
            return self.name == "bool"
        return _native_name(other) == self.name

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = _HashedInC.__hash__

    def __lt__(self, other: object) -> bool:
        return self.name < other.__str__() if isinstance(other, (Dtype, str)) else NotImplemented

    def __le__(self, other: object) -> bool:
        return self.name <= other.__str__() if isinstance(other, (Dtype, str)) else NotImplemented

    def __gt__(self, other: object) -> bool:
        return self.name > other.__str__() if isinstance(other, (Dtype, str)) else NotImplemented

    def __ge__(self, other: object) -> bool:
        return self.name >= other.__str__() if isinstance(other, (Dtype, str)) else NotImplemented

    def __add__(self, other: object) -> str:
        return self.name + other if isinstance(other, str) else NotImplemented

    def __radd__(self, other: object) -> str:
        return other + self.name if isinstance(other, str) else NotImplemented

    def __str__(self) -> str:
        return self.name

    def __format__(self, spec: str) -> str:
        return format(self.name, spec)

    def __repr__(self) -> str:
        return f"lw.{self}" if self.use != "rules" else f"lw.Dtype({self.name!r})"

    # --- as NumPy's own dtype ---------------------------------------------------------------------------------------

    @property
    def __numpy_dtype__(self) -> Any:
        """NumPy's own dtype, which NumPy asks for from 2.4 on; ml_dtypes has those that NumPy itself lacks."""
        import ml_dtypes
        import numpy as np

        try:
            return np.dtype(getattr(ml_dtypes, self.name, self.name))
        except TypeError:
            raise AttributeError(f"lw.{self}: NumPy has no dtype of this name") from None

    @property
    def dtype(self) -> Any:
        """NumPy's own dtype, for NumPy before 2.4, which asks for it here. For later ones there is no such attribute:
        what has a dtype may be taken for an array."""
        import numpy as np

        if (*map(int, np.__version__.split(".")[:2]),) >= (2, 4):
            raise AttributeError(f"lw.{self}: a dtype has no dtype")
        return self.__numpy_dtype__

    # --- one object -------------------------------------------------------------------------------------------------

    def __reduce__(self) -> tuple[Callable[[str], Dtype], tuple[str]]:
        return Dtype, (self.name,)

    def __copy__(self) -> Dtype:
        return self

    def __deepcopy__(self, memo: object) -> Dtype:
        return self

    @classmethod
    def _declare(cls, row: dict[str, str]) -> None:
        name = _Name(row["name"])  # a weak reference does not keep what it refers to
        self: Dtype = _HashedInC.__new__(cls, name)  # type: ignore[call-arg]
        use, parts = row["use"], ("exponent", "fraction", "bias")
        values = {"_name": name, "name": row["name"], "kind": row["kind"], "use": use, "encoding": row["encoding"]}
        numbers = {"bits": int(row["bits"]), "itemsize": int(row["stored"]) // 8, "storage": use == "storage"}
        for attribute, value in (values | numbers | {part: _number(row[part]) for part in parts}).items():
            object.__setattr__(self, attribute, value)
        cls._all[self.name] = self


def _number(cell: str) -> int:
    return 0 if cell == "-" else int(cell)


_columns, *_cells = (line.split() for line in _ROWS.strip().splitlines())
for _row in _cells:
    Dtype._declare(dict(zip(_columns, _row, strict=True)))

#: The dtypes that arrays are computed with.
all_dtypes: tuple[Dtype, ...] = tuple(d for d in Dtype._all.values() if d.use == "compute")
#: The storage dtypes: arrays hold them, and their elements are moved and cast. Nothing is computed in them.
extended_dtypes: tuple[Dtype, ...] = tuple(d for d in Dtype._all.values() if d.use == "storage")

if TYPE_CHECKING:

    class _HasItemsize(Protocol):
        @property
        def itemsize(self) -> int: ...

    class _HasDtype(Protocol):
        @property
        def dtype(self) -> Any: ...

    class _HasNumpyDtype(Protocol):
        @property
        def as_numpy_dtype(self) -> Any: ...

    # fmt: off
    #: The names of the dtypes that arrays have, and of those that promotion rules alone know.
    DtypeName: TypeAlias = Literal[
        "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bfloat16", "float16",
        "float32", "float64", "complex64", "complex128", "float8_e4m3fn", "float8_e5m2",
    ]
    RulesName: TypeAlias = Literal[
        "int1", "int2", "int3", "int4", "int5", "int6", "int7", "uint1", "uint2", "uint3", "uint4", "uint5", "uint6",
        "uint7", "index", "address", "float4_e2m1fn", "float4_e2m1fn_x2", "float6_e2m3fn", "float6_e3m2fn",
        "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu",
        "tensor_float32", "longdouble", "complex32", "clongdouble", "bits1x8", "bits2x4", "bits4x2", "bits8", "bits16",
        "qint8", "qint32", "quint8", "quint4x2", "quint2x4",
    ]
    #: The names of the categories that are no dtypes as well.
    CategoryName: TypeAlias = Literal[
        "all", "all or storage", "storage", "signed integer", "unsigned integer", "integral", "integral or bool",
        "real floating", "complex floating", "floating", "real numeric", "real numeric or bool", "numeric",
    ]
    #: A dtype, its name, a class of Python's numbers, or a framework's dtype object: NumPy's and PyTorch's have an
    #: `itemsize`, TensorFlow's has `as_numpy_dtype`, JAX's has a `dtype`. Any other string is an error: `as_dtype`
    #: takes a name that a program has read.
    DtypeLike: TypeAlias = (
        type[bool | int | float | complex | np.generic] | Dtype | DtypeName | _HasItemsize | _HasDtype | _HasNumpyDtype
    )
    AnyDtype: TypeAlias = DtypeLike | RulesName
    DtypeKind: TypeAlias = AnyDtype | CategoryName
    # fmt: on
else:
    DtypeLike = AnyDtype = DtypeKind = Any

int8, int16, int32, int64 = (Dtype(f"int{n}") for n in (8, 16, 32, 64))
uint8, uint16, uint32, uint64 = (Dtype(f"uint{n}") for n in (8, 16, 32, 64))
bfloat16, float16, float32, float64 = map(Dtype, ("bfloat16", "float16", "float32", "float64"))
complex64, complex128 = map(Dtype, ("complex64", "complex128"))
bool_ = Dtype("bool")

#: The dtype categories, in the standard's words, and the kinds that each admits. A function of a category takes storage
#: dtypes only where "s" is among them.
CATEGORIES: dict[str, str] = {
    "all": "biufc",
    "all or storage": "biufcs",
    "storage": "s",
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
    """List the dtypes of a category, in the order of the rows."""
    kinds = CATEGORIES[name]
    return tuple(d for d in all_dtypes if d.kind in kinds) + (extended_dtypes if "s" in kinds else ())


def takes(name: str, dtype: Dtype) -> bool:
    """Tell whether a function of a category takes a dtype."""
    kinds = CATEGORIES[name]
    return "s" in kinds if dtype.storage else dtype.kind in kinds


def holding(dtype: Dtype) -> Dtype:
    """Find the narrowest dtype of the same kind that is computed in and that holds all numbers of a storage dtype."""
    wide = [d for d in all_dtypes if d.kind == dtype.kind and d.bits > dtype.bits]
    enough = [d for d in wide if d.exponent >= dtype.exponent and d.fraction >= dtype.fraction]
    return min(enough or wide, key=lambda d: (d.bits, d.exponent))


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
    if isinstance(dtype, type):  # scalar types stand for their dtypes: NumPy's, and classes that have one besides
        of_numpy = dtype.__module__.partition(".")[0] in ("numpy", "ml_dtypes")
        return dtype.__name__ if of_numpy else _native_name(getattr(dtype, "dtype", None))
    if "dtype" in type(dtype).__name__.lower():  # numpy's Float32DType and dtype[bfloat16], torch's dtype, TF's DType
        return str(getattr(dtype, "name", dtype)).rpartition(".")[2]
    return None


class FInfo(NamedTuple):
    """The result of `finfo`. Numbers are Python floats, whatever the dtype."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: Any


class IInfo(NamedTuple):
    """The result of `iinfo`. Numbers are Python ints."""

    bits: int
    max: int
    min: int
    dtype: Any


def float_limits(dtype: Dtype) -> FInfo:
    """Limits of a floating dtype, derived from its format.

    A complex dtype has those of its components. `bits` counts one component, as the standard says.
    """
    real = real_of(dtype)
    if not real.exponent:
        raise TypeError(f"finfo: {dtype} has no floating point format that is the same on every platform")
    eps, unsigned = 2.0**-real.fraction, real.encoding == "fnu"
    highest = 2**real.exponent - 1 - real.bias - (real.encoding in ("ieee", "fnu"))
    largest = math.ldexp(2.0 - eps * (2 if real.encoding == "fn" else 1), highest)
    smallest = math.ldexp(1.0, (0 if unsigned else 1) - real.bias)
    return FInfo(real.bits, eps, largest, smallest if unsigned else -largest, smallest, real)


def rounded(value: float, dtype: Dtype) -> float:
    """Round a number to the nearest of a real floating dtype, to the even one of two that are equally near.

    What is beyond the largest becomes an infinity, or nan in a format without infinities. In one that has neither, it
    becomes the largest.
    """
    limits = float_limits(dtype)
    beyond = {"ieee": math.inf, "finite": limits.max}.get(dtype.encoding, math.nan)
    if value == 0 or not math.isfinite(value):
        return math.copysign(beyond, value) if math.isinf(value) else value
    lowest = math.frexp(limits.smallest_normal)[1]
    step = math.ldexp(limits.eps, max(math.frexp(value)[1], lowest) - 1)  # from one number to the next
    nearest_one = math.copysign(round(abs(value) / step) * step, value)
    if abs(nearest_one) <= limits.max:
        return nearest_one
    return math.copysign(beyond, value)


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
    """Convert a scalar of a subclass, such as an enum's member, to Python's own class."""
    to: Any = next(kind for kind in SCALARS if isinstance(value, kind))
    plain: bool | int | float | complex = to(value)
    return plain


#: Functions that know dtypes of frameworks by other names than latticework's: each gives the dtype or None.
OTHER_NAMES: list[Callable[[object], Dtype | None]] = []


def as_dtype(dtype: object) -> Dtype:
    """Return the lw dtype for an lw dtype, a name, or a framework's dtype. It asks no policy: `float` is no dtype."""
    if type(dtype) is Dtype:
        return dtype
    if isinstance(dtype, str):
        return Dtype(dtype)
    # An array or NumPy scalar has its dtype's name; a dtype, or a framework's scalar class, has its own somewhere:
    # numpy.dtype, numpy.float32, torch.float32, tf.float32, jax.numpy.float32.
    native = dtype if isinstance(dtype, type) else getattr(dtype, "dtype", dtype)
    if type(native) is Dtype:
        return native
    named = isinstance(native, type) or not callable(native)  # a function may be called "index"
    for name in (getattr(native, "name", None), getattr(native, "__name__", None), str(native)) if named else ():
        if isinstance(name, str) and (found := Dtype._all.get(name.rpartition(".")[2])) is not None:
            return found
    for ask in OTHER_NAMES:
        if (found := ask(native)) is not None:
            return found
    hint = nearest(native, all_dtypes) or "."
    raise TypeError(f"{dtype!r} is no dtype{hint} Give a name, a dtype of latticework or a framework's own")
