"""Paddle: arithmetic takes bools and complex numbers, a mean of integers is an integer, and sums stay narrow.

`where` has no tier of 0-d arrays: each array counts by its dtype alone. `concat` wants operands of one dtype, and
logical functions want operands that have a common one. A dtype for which the CPU has no kernel is no rule of promotion:
these families say what the operands become.

Source: paddle/phi/infermeta and python/paddle/tensor/math.py, https://github.com/PaddlePaddle/Paddle.
"""

from __future__ import annotations

from typing import Any

from ...core.dtypes import complex64, float32, int32, int64
from ..rules import Default, Operand, Result, Rules, is_strong, kind_of
from . import Families, Family, derived, group, same_dtype

_SMALL = "uint8 -> uint8; int8 -> int8; int16 -> int16"

ARITHMETIC = Family("arithmetic")


def product(rules: Rules, operands: list[Any], default: Default) -> Result:
    """The join; but float32 takes int32 and int64 on its right, as in no other operation."""
    dtypes = [x.dtype if isinstance(x, Operand) else x for x in operands]
    if dtypes[0] is float32 and any(dtypes[1] is d for d in (int32, int64)):
        return Result(float32)
    return rules.result(operands, default)


def quotient(rules: Rules, operands: list[Any], default: Default) -> Result:
    """The dtype complex64 for 0-d arrays and a Python complex, however wide the arrays, else the join."""
    found = rules.result(operands, default)
    arrays = [x for x in operands if is_strong(x)]
    alone = bool(arrays) and all(isinstance(x, Operand) and x.zero_dim for x in arrays)
    return Result(complex64) if alone and any(kind_of(x) == "c" for x in operands if not is_strong(x)) else found


families = Families(
    "paddle",
    group(
        (ARITHMETIC, "add subtract multiply maximum minimum negative remainder"),
        (Family("absolute value", out="real"), "abs"),
        (
            Family(
                "true divide",
                promote_integer_inputs_to_float=True,
                takes="bfc",
                computes="bool -> bool",
                special="quotient",
            ),
            "divide",
        ),
        (Family("power"), "pow"),
        (Family("comparison", out="bool"), "equal not_equal less less_equal greater greater_equal"),
        (Family("logical", out="bool"), "logical_and logical_or logical_xor"),
        (Family("where", zero_dim=False), "where"),
        (Family("one dtype", check_all_same_dtype=True), "concat"),
        (
            Family("arc tangent", promote_integer_inputs_to_float=True, takes="f", computes="int32,int64 -> float64"),
            "atan2",
        ),
        (Family("sum", results=f"bool,int32 -> int64; {_SMALL}"), "sum"),
        (Family("product", results="bool,uint8,int8,int16 -> int64"), "prod"),
        (Family("cumulative sum", results="bool,uint8,int8,int16,int32 -> int64"), "cumulative_sum"),
        (Family("mean"), "mean"),
        (Family("matrix product", special="product"), "matmul"),
    ),
    derived,
    same_dtype,
    "new",
    {"product": product, "quotient": quotient},
)
