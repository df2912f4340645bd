"""The standard's table, and an error that says what to cast wherever the standard leaves a mix undefined.

It differs from ``array_api`` in knowing bfloat16 and float16, which mix with the wider floats as the wider floats do
with each other; the two together are float32, the least that holds both. A value that is written into an array has to
have its dtype already, and functions take no Python scalar in the place of an array.

Source: https://data-apis.org/array-api/2025.12/API_specification/type_promotion.html
"""

from . import Rules
from .array_api import EDGES

rules = Rules(
    "strict",
    EDGES.replace("float*    -> float32 complex*", "float* -> bfloat16 float16 complex*")
    + """
    bfloat16  -> float32
    float16   -> float32
    """,
    writes="same",
    takes_scalars=False,
    reason="the standard leaves it undefined",
    source="https://data-apis.org/array-api/2025.12/API_specification/type_promotion.html",
)
