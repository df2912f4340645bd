"""The default: the standard's table, extended to mixed kinds, bfloat16 and float16.

An integer that meets a float keeps the float's dtype; bfloat16 with float16 is float32; a real with a
complex keeps the precision; Python scalars are weak. uint64 with a signed integer has no integer to go to
and is float64; that step is a node of its own, ``wide*``, below every float: together with a float array the
float decides, as for any other integers.

Source: the tables under "Type Promotion Rules" of the Array API standard (2025.12),
https://data-apis.org/array-api/2025.12/API_specification/type_promotion.html; for mixed kinds the order of
JAX's lattice, https://docs.jax.dev/en/latest/type_promotion.html.
"""

from . import Rules

rules = Rules(
    "unified",
    """
    bool      -> int*
    int*      -> uint8 int8
    uint8     -> uint16 int16
    uint16    -> uint32 int32
    uint32    -> uint64 int64
    int8      -> int16
    int16     -> int32
    int32     -> int64
    uint64    -> wide*
    int64     -> wide*
    wide*     -> float*
    float*    -> bfloat16 float16 complex*
    bfloat16  -> float32
    float16   -> float32
    float32   -> float64 complex64
    float64   -> complex128
    complex*  -> complex64
    complex64 -> complex128
    """,
    becomes={"wide*": "float64"},
    source="https://data-apis.org/array-api/2025.12/API_specification/type_promotion.html",
)
