"""No precision is lost, as in NumPy: an integer that meets a float goes to a float that holds it exactly.

int64 and uint64 are exceptions, as in NumPy: no float holds them, and they go to float64. bfloat16 has 8 significant
bits, so it holds the 8-bit integers and no wider ones.

Source: the safe casts of NumPy, https://numpy.org/doc/stable/reference/arrays.promotion.html. Three pairs have
both an integer and a float as least upper bounds; NumPy takes the integer.
"""

from . import Rules

rules = Rules(
    "precise",
    """
    bool      -> uint8 int8
    uint8     -> uint16 int16 float16 bfloat16
    uint16    -> uint32 int32 float32
    uint32    -> uint64 int64
    uint64    -> float64
    int8      -> int16 float16 bfloat16
    int16     -> int32 float32
    int32     -> int64
    int64     -> float64
    bfloat16  -> float32
    float16   -> float32
    float32   -> float64 complex64
    float64   -> complex128
    complex64 -> complex128
    """,
    exceptions="""
    int8 uint8   -> int16
    int8 uint16  -> int32
    int16 uint16 -> int32
    """,
    weak="kind",
    fold="kind",
    source="https://numpy.org/doc/stable/reference/arrays.promotion.html",
)
