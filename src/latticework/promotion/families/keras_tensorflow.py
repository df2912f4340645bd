"""Keras on TensorFlow's backend: operations follow its `result_type`, and rounding computes in floats.

A cumulative sum keeps small integers, and a variance complex numbers.

Source: keras/src/backend/tensorflow/numpy.py, https://github.com/keras-team/keras.
"""

from __future__ import annotations

from typing import Any

from ...core.dtypes import Dtype
from ..rules import Default, Operand, Result, Rules
from . import Families, Family, any_dtype, derived, group

KEPT = Family("one operand", special="kept")


def kept(rules: Rules, operands: list[Any], default: Default) -> Result:
    """Operands of one dtype keep it, whatever its width; others are joined."""
    found = rules.result(operands, default)  # refuses some dtypes even by themselves
    own = {x.dtype if isinstance(x, Operand) else x for x in operands}
    alike = own.pop() if len(own) == 1 else None
    return Result(alike, False, "same") if isinstance(alike, Dtype) else found


families = Families(
    "keras_tensorflow",
    group(
        (KEPT, "concat"),
        (KEPT._replace(name="extremum", takes="biuf"), "max min"),
        (KEPT._replace(name="sum", out="accumulate"), "sum"),
        (KEPT._replace(name="cumulative sum", results="bool -> int32"), "cumulative_sum"),
        (KEPT._replace(name="mean", promote_integer_inputs_to_float=True, takes="fc"), "mean"),
        (Family("maximum", takes="iuf"), "maximum minimum"),
        (Family("bitwise", takes="iu"), "bitwise_and bitwise_or bitwise_xor"),
        (Family("matrix product"), "matmul"),
        (KEPT._replace(name="absolute value", out="real"), "abs"),
        (Family("variance", promote_integer_inputs_to_float=True, takes="fc"), "var"),
        (Family("rounding", promote_integer_inputs_to_float=True, takes="f"), "floor ceil"),
    ),
    derived,
    any_dtype,
    "new",
    {"kept": kept},
    bools_each=True,
    free_bounds=True,
)
