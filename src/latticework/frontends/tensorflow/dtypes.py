"""`tf.dtypes`: TensorFlow's dtype objects. They stand for latticework's, and compare with names and NumPy's dtypes."""

from __future__ import annotations

from typing import Any

from ...core.dtypes import Dtype
from ...policy import as_dtype as our_dtype

__all__ = [
    "DType",
    "as_dtype",
    "bfloat16",
    "bool",
    "complex64",
    "complex128",
    "double",
    "float16",
    "float32",
    "float64",
    "half",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]  # fmt: skip

_ENUMS = {
    "float32": 1, "float64": 2, "int32": 3, "uint8": 4, "int16": 5, "int8": 6, "complex64": 8, "int64": 9, "bool": 10,
    "bfloat16": 14, "uint16": 17, "complex128": 18, "float16": 19, "uint32": 22, "uint64": 23, "float8_e5m2": 24,
    "float8_e4m3fn": 25,
}  # fmt: skip


class DType:
    """A dtype as TensorFlow has it: ``tf.float32``, equal to its name and to NumPy's dtype.

    Attributes
    ----------
    name: its name.
    """

    __slots__ = ("_ours", "name")

    def __init__(self, name: str) -> None:
        self.name, self._ours = name, Dtype(name)

    def __repr__(self) -> str:
        return f"tf.{self.name}"

    def __str__(self) -> str:
        return f"<dtype: {self.name!r}>"

    def __hash__(self) -> int:
        return hash(self.name)

    def __eq__(self, other: object) -> Any:
        if type(other) is DType:
            return self is other
        if other is None:
            return False
        try:
            return our_dtype(other) is self._ours
        except TypeError:
            return False

    def __ne__(self, other: object) -> Any:
        return not self == other

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return as_dtype, (self.name,)

    @property
    def as_numpy_dtype(self) -> Any:
        """NumPy's scalar type of it."""
        import ml_dtypes
        import numpy as np

        return np.dtype(getattr(ml_dtypes, self.name, self.name)).type

    @property
    def as_datatype_enum(self) -> int:
        """Its number in TensorFlow's files."""
        return _ENUMS[self.name]

    @property
    def base_dtype(self) -> DType:
        """Itself: there are no references."""
        return self

    @property
    def real_dtype(self) -> DType:
        """The dtype of the parts of a complex number; its own, if it is not complex."""
        return {"complex64": float32, "complex128": float64}.get(self.name, self)

    @property
    def is_floating(self) -> Any:
        """True if it is a real floating dtype."""
        return self._ours.kind == "f"

    @property
    def is_integer(self) -> Any:
        """True if it is an integer dtype."""
        return self._ours.kind in "iu"

    @property
    def is_unsigned(self) -> Any:
        """True if it is an unsigned integer dtype."""
        return self._ours.kind == "u"

    @property
    def is_complex(self) -> Any:
        """True if it is a complex dtype."""
        return self._ours.kind == "c"

    @property
    def is_bool(self) -> Any:
        """True if it is bool."""
        return self._ours.kind == "b"

    @property
    def is_quantized(self) -> Any:
        """False: there are no quantized dtypes."""
        return False

    @property
    def is_numpy_compatible(self) -> Any:
        """True: NumPy has each of them, with the package ml_dtypes."""
        return True

    @property
    def size(self) -> int:
        """The bytes of one element."""
        return self._ours.itemsize

    @property
    def min(self) -> Any:
        """The least finite value of it."""
        return self._limit("min")

    @property
    def max(self) -> Any:
        """The greatest finite value of it."""
        return self._limit("max")

    @property
    def limits(self) -> tuple[int, Any]:
        """The range of pixel values: from 0 to 1, or from 0 to the greatest integer."""
        return 0, (self.max if self.is_integer else 1)

    def _limit(self, end: str) -> Any:
        import ml_dtypes
        import numpy as np

        if self.is_bool or self.is_complex:
            raise TypeError(f"{self!r} has no {end}: it is of no real numbers")
        if self.is_integer:
            return getattr(np.iinfo(self.as_numpy_dtype), end)
        return getattr(ml_dtypes.finfo(self.as_numpy_dtype), end)

    def is_compatible_with(self, other: Any) -> Any:
        """Return whether other is the same dtype."""
        return self is as_dtype(other)


bool = DType("bool")
int8, int16, int32, int64 = (DType(n) for n in "int8 int16 int32 int64".split())
uint8, uint16, uint32, uint64 = (DType(n) for n in "uint8 uint16 uint32 uint64".split())
bfloat16, float16, float32, float64 = (DType(n) for n in "bfloat16 float16 float32 float64".split())
complex64, complex128 = DType("complex64"), DType("complex128")
half, double = float16, float64

_ALL = (
    bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, bfloat16, float16, float32, float64, complex64,
    complex128,
)  # fmt: skip

#: TensorFlow's dtype objects, by latticework's dtype.
DTYPES: dict[Dtype, DType] = {d._ours: d for d in _ALL} | {Dtype(n): DType(n) for n in ("float8_e4m3fn", "float8_e5m2")}


#: The dtypes by their numbers in graph files.
_NUMBERS = {
    1: "float32", 2: "float64", 3: "int32", 4: "uint8", 5: "int16", 6: "int8", 8: "complex64", 9: "int64", 10: "bool",
    14: "bfloat16", 17: "uint16", 18: "complex128", 19: "float16", 22: "uint32", 23: "uint64",
}  # fmt: skip


def as_dtype(type_value: Any) -> DType:
    """Return the dtype that an object stands for: one of TensorFlow's, of NumPy's, a name, ``float`` or ``bool``.

    Raises
    ------
    TypeError: the object stands for no dtype.
    """
    if type(type_value) is DType:
        return type_value
    if type(type_value) is int:
        type_value = _NUMBERS.get(type_value, type_value)
    if hasattr(type_value, "_array"):
        raise TypeError(f"Cannot convert the argument `type_value`: {type_value!r} to a TensorFlow DType.")
    names = {"half": "float16", "float": "float32", "double": "float64"}
    if isinstance(type_value, str):
        type_value = names.get(type_value, type_value)
    try:
        if type_value is not int and type_value is not complex:
            return DTYPES[our_dtype(type_value)]
    except (TypeError, KeyError):
        pass
    raise TypeError(f"Cannot convert the argument `type_value`: {type_value!r} to a TensorFlow DType.")
