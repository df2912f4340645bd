"""MLX: the order of JAX, but uint64 with a signed integer is float32, and float64 gives way to complex64.

Python scalars are weak, with defaults of 32 bits; an int that does not fit the array is refused by the operation,
not by these rules.

NumPy's scalars and arrays are weak too: uint8 and ``numpy.int64(1)`` are uint8. Where their kind is higher than the
array's, they count here as a Python number of that kind; MLX casts them to the array's dtype, which drops fractions.

Source: mlx/dtype.cpp (promote_types), https://github.com/ml-explore/mlx.
"""

from __future__ import annotations

from typing import ClassVar

from ..core.dtypes import Dtype
from .rules import Rules, fits


class Mlx(Rules):
    """MLX's rules for a Python int, and for NumPy's operands."""

    numpy_operands: ClassVar[str] = "weak"
    families: ClassVar[str] = "mlx"

    def takes(self, value: int, array_dtype: Dtype) -> bool:
        """Return whether an int fits int64, and the array's dtype if that is a narrower integer."""
        return fits(value, Dtype("int64")) and (
            array_dtype.kind not in "iu" or array_dtype.bits == 64 or fits(value, array_dtype)
        )


rules = Mlx(
    "mlx",
    """
    bool      -> int*
    int*      -> uint8 int8
    uint8     -> uint16 int16
    uint16    -> uint32 int32
    uint32    -> uint64 int64
    uint64    -> wide*
    int8      -> int16
    int16     -> int32
    int32     -> int64
    int64     -> wide*
    wide*     -> float*
    float*    -> bfloat16 float16
    bfloat16  -> float32
    float16   -> float32
    float32   -> float64
    float64   -> complex*
    complex*  -> complex64
    """,
    becomes={"wide*": "float32"},
    defaults={"i": "int32", "f": "float32", "c": "complex64"},
    fold="left",
    source="https://ml-explore.github.io/mlx/build/html/python/data_types.html",
    version="mlx 0.32.4",
)
