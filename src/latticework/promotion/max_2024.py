"""MAX as published in 2024: a lattice after JAX's, in which a higher precision is below a rarer format.

float16 promotes to bfloat16, and float32 to tensor_float32, so that one gets those only by asking for them. uint64
with a signed integer is float16. index and address are word-size unsigned integers that become uint64.

Four cells of the published table are not symmetric, all with index and address; they are kept as published, and
contradict the prose, by which nothing promotes to these two.

Source: the page `max.graph.type_promotion` of MAX 24's Mojo API, https://docs.modular.com.
"""

from __future__ import annotations

from ..core.dtypes import Dtype
from .rules import Rules

rules = Rules(
    "max-2024",
    """
    bool           -> uint8 int8
    uint8          -> uint16 int16
    uint16         -> uint32 int32
    uint32         -> uint64 int64
    uint64         -> float16
    index          -> uint64
    address        -> uint64
    int8           -> int16
    int16          -> int32
    int32          -> int64
    int64          -> float16
    float16        -> bfloat16
    bfloat16       -> float32
    float32        -> tensor_float32
    tensor_float32 -> float64
    """,
    exceptions="""
    bool index,address => int64
    int8 index         => index
    int8 address       => address
    """,
    fold="left",
    reason="only tensors of these dtypes promote",
    source="https://docs.modular.com/mojo/max/graph/type_promotion",
    version="MAX 24",
)


def implicit_cast_type(lhs: Dtype | str, rhs: Dtype | str) -> Dtype:
    """Return the dtype that a binary operation on these two computes in. The name is the published one.

    Raises
    ------
    PromotionError: (a TypeError) where one of them is no dtype of the table.

    Examples
    --------
    >>> from latticework.promotion.max_2024 import implicit_cast_type
    >>> implicit_cast_type("bfloat16", "float16")
    lw.bfloat16
    """
    return rules.promote((Dtype(lhs), Dtype(rhs)))
