"""The Array API standard's table and nothing else: what it leaves undefined is refused.

Thirteen dtypes. Kinds do not mix, but for real with complex floating; uint64 has no common dtype with the
signed integers. A Python int mixes with integers and floats, a Python float with floats, a Python complex
with floats, a Python bool with bool.

Source: https://data-apis.org/array-api/2025.12/API_specification/type_promotion.html
"""

from . import Rules

EDGES = """
    bool*     -> bool
    int*      -> uint8 int8 float*
    uint8     -> uint16 int16
    uint16    -> uint32 int32
    uint32    -> uint64 int64
    int8      -> int16
    int16     -> int32
    int32     -> int64
    float*    -> float32 complex*
    float32   -> float64 complex64
    float64   -> complex128
    complex*  -> complex64
    complex64 -> complex128
"""

rules = Rules(
    "array_api",
    EDGES,
    writes="promote",
    reason="the standard leaves it undefined",
    source="https://data-apis.org/array-api/2025.12/API_specification/type_promotion.html",
)
