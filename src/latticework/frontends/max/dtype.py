"""MAX's dtypes."""

from __future__ import annotations

from enum import Enum
from typing import Any

from ...core.dtypes import Dtype

__all__ = ["DType", "finfo"]


class DType(Enum):
    """A dtype of MAX. `index`, `address` and `tensor_float32` are those of MAX 24, which promotion rules alone know.

    Examples
    --------
    >>> from latticework.frontends.max.dtype import DType
    >>> DType.int16.is_integral(), DType.int16.size_in_bytes
    (True, 2)
    """

    bool = "bool"
    int8 = "int8"
    int16 = "int16"
    int32 = "int32"
    int64 = "int64"
    uint8 = "uint8"
    uint16 = "uint16"
    uint32 = "uint32"
    uint64 = "uint64"
    bfloat16 = "bfloat16"
    float16 = "float16"
    float32 = "float32"
    float64 = "float64"
    float4_e2m1fn = "float4_e2m1fn"
    float6_e2m3fn = "float6_e2m3fn"
    float6_e3m2fn = "float6_e3m2fn"
    float8_e4m3fn = "float8_e4m3fn"
    float8_e4m3fnuz = "float8_e4m3fnuz"
    float8_e5m2 = "float8_e5m2"
    float8_e5m2fnuz = "float8_e5m2fnuz"
    float8_e8m0fnu = "float8_e8m0fnu"
    index = "index"
    address = "address"
    tensor_float32 = "tensor_float32"

    @property
    def ours(self) -> Dtype:
        """The latticework dtype of this name."""
        return Dtype(self.value)

    @property
    def size_in_bits(self) -> int:
        """The number of bits of one element."""
        return self.ours.bits

    @property
    def size_in_bytes(self) -> int:
        """The number of bytes of one element."""
        return self.ours.itemsize

    @property
    def align(self) -> int:
        """The alignment of elements in bytes."""
        return self.ours.itemsize

    def is_integral(self) -> Any:
        """Return whether it is an integer dtype; bool is not."""
        return self.ours.kind in "iu"

    def is_signed_integral(self) -> Any:
        """Return whether it is a signed integer dtype."""
        return self.ours.kind == "i"

    def is_unsigned_integral(self) -> Any:
        """Return whether it is an unsigned integer dtype."""
        return self.ours.kind == "u"

    def is_float(self) -> Any:
        """Return whether it is a floating dtype."""
        return self.ours.kind == "f"

    def is_float8(self) -> Any:
        """Return whether it is a floating dtype of 8 bits."""
        return self.value.startswith("float8")

    def is_half(self) -> Any:
        """Return whether it is a floating dtype of 16 bits."""
        return self.value in ("float16", "bfloat16")

    @classmethod
    def from_numpy(cls, dtype: Any) -> DType:
        """The dtype of a NumPy dtype."""
        from ...policy import as_dtype

        return cls(as_dtype(dtype).name)

    def to_numpy(self) -> Any:
        """The NumPy dtype; bfloat16 and narrower floats have none.

        Raises
        ------
        ValueError: NumPy itself has no such dtype.
        """
        import numpy as np

        try:
            return np.dtype(self.value)
        except TypeError:
            raise ValueError(f"DType.{self.value}: NumPy has no such dtype") from None

    def __repr__(self) -> str:
        return self.value

    def __str__(self) -> str:
        return f"DType.{self.value}"


class finfo:
    """The limits of a floating dtype: ``bits``, ``eps``, ``max``, ``min``, ``smallest_normal``, ``tiny``."""

    def __init__(self, dtype: DType) -> None:
        from ...core.registry import functions as lw

        found = lw.finfo(dtype.ours)
        self.dtype, self.bits = dtype, found.bits
        self.eps, self.max, self.min = found.eps, found.max, found.min
        self.smallest_normal = self.tiny = found.smallest_normal
