"""MLX: arithmetic takes bools and complex numbers throughout, and a cumulative sum keeps its dtype.

Floating functions make float32 of bools and integers. A matrix product takes floats and complex numbers alone; bools
are shifted as uint8. A sum of small integers is int32 or uint32. Arrays do not change in place.

Source: mlx/ops.cpp, https://github.com/ml-explore/mlx.
"""

from __future__ import annotations

from . import Families, Family, any_dtype, derived, group

ARITHMETIC = Family("arithmetic")


families = Families(
    "mlx",
    group(
        (ARITHMETIC, "add subtract multiply floor_divide pow maximum minimum max min sign square"),
        (Family("remainder", takes="biuf"), "remainder"),
        (Family("absolute value", out="real"), "abs"),
        (Family("log of sums", promote_integer_inputs_to_float=True, takes="fc"), "logaddexp"),
        (Family("rounding", takes="biuf"), "floor ceil"),
        (Family("cumulative sum", results="bool -> int32"), "cumulative_sum cumulative_prod"),
        (Family("matrix product", takes="fc", reason="only inexact types are supported"), "matmul tensordot"),
        (Family("shift", takes="iu", computes="bool -> uint8"), "bitwise_left_shift bitwise_right_shift"),
    ),
    derived,
    any_dtype,
    "new",
    bools_each=True,
    free_bounds=True,
)
