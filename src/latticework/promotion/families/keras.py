"""Keras: most operations cut each operand to 32 bits before they join, and rounding computes in floats.

uint64 and int8 are float32 by `result_type`, and int32 in an addition: uint64 is uint32 before it meets the int8. The
families listed here are the same on Keras's NumPy and JAX backends; a reduction keeps 64 bits on NumPy, and is listed
with 32. `keras_tensorflow` has TensorFlow's backend. On PyTorch's, operations follow PyTorch's own kernels.

Source: keras/src/backend/numpy/numpy.py and the like, https://github.com/keras-team/keras.
"""

from __future__ import annotations

from typing import Any

from ...core.dtypes import Dtype, int8, int32
from ..rules import Default, Operand, Result, Rules
from . import Families, Family, any_dtype, derived, group

CUT = Family("arithmetic", special="cut")


def cut(rules: Rules, operands: list[Any], default: Default) -> Result:
    """The join of the operands, each cut to 32 bits."""
    squashed: dict[Dtype, Dtype] = getattr(rules, "squashed", {})
    return rules.result([_narrow(x, squashed) for x in operands], default)


def product(rules: Rules, operands: list[Any], default: Default) -> Result:
    """The dtype int32 for int8 with int8, else the join of the operands, each cut to 32 bits."""
    found = cut(rules, operands, default)
    alike = all((x if type(x) is Dtype else getattr(x, "dtype", None)) is int8 for x in operands)
    return Result(int32) if alike else found


def _narrow(x: Any, squashed: dict[Dtype, Dtype]) -> Any:
    if type(x) is Dtype:
        return squashed.get(x, x)
    return x._replace(dtype=squashed.get(x.dtype, x.dtype)) if isinstance(x, Operand) else x


families = Families(
    "keras",
    group(
        (CUT, "add multiply maximum minimum where"),
        (CUT._replace(name="subtract", takes="iufc"), "subtract"),
        (CUT._replace(name="power"), "pow"),
        (CUT._replace(name="floor divide", takes="biuf"), "floor_divide"),
        (CUT._replace(name="remainder", takes="biuf"), "remainder"),
        (CUT._replace(name="bitwise", takes="biu"), "bitwise_and bitwise_or bitwise_xor"),
        (Family("matrix product", special="product"), "matmul tensordot"),
        (Family("cumulative sum", results="bool -> int32"), "cumulative_sum"),
        (Family("absolute value", out="real"), "abs"),
        (Family("variance", promote_integer_inputs_to_float=True, takes="fc"), "var"),
        (Family("rounding", promote_integer_inputs_to_float=True, takes="f"), "floor ceil"),
        (Family("extremum"), "max min"),
    ),
    derived,
    any_dtype,
    "new",
    {"cut": cut, "product": product},
    bools_each=True,
    free_bounds=True,
)
