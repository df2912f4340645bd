"""MAX: an operation of its graph computes in the common dtype of its operands, and its result is of that dtype.

A sum of int8 stays int8, and the exponential of int8 is int8. A division of integers is float64. Only comparisons give
bools. Logical functions take bools alone, concat and stack operands of one dtype. Tensors do not change in place.

Source: the module `max.graph.ops` of the modular package, https://github.com/modular/modular.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...core.dtypes import Dtype
from ..rules import Default, Result, Rules, kind_of
from . import Families, Family, derived, group, same_dtype

if TYPE_CHECKING:
    from ...engine.op import Op

ALIKE = Family("one dtype", check_all_same_dtype=True)
LOGICAL = Family("logical", only="bool", out="bool")


def others(op: Op) -> Family:
    """Return the declared family, but computed in any dtype, which sums and real and complex results keep."""
    family = derived(op)
    out = "same" if family.out in ("accumulate", "real", "complex") else family.out
    return family._replace(promote_integer_inputs_to_float=False, takes="biufc", out=out)


def divide(rules: Rules, operands: list[Any], default: Default) -> Result:
    """Integers are divided in float64, whether or not they have a common dtype."""
    if all(kind_of(x) in "iu" for x in operands):
        return Result(Dtype("float64"))
    return rules.result(operands, default)


families = Families(
    "max",
    group(
        (LOGICAL, "logical_and logical_or logical_xor logical_not"),
        (ALIKE, "concat stack"),
        (Family("true divide", special="divide"), "divide"),
    ),
    others,
    same_dtype,
    "new",
    {"divide": divide},
)
