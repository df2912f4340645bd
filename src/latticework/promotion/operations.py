"""The dtypes of operations beyond the join of their operands: the dtype computed in, and the dtype of the result.

A function declares which dtypes it accepts (a category of `dtypes.CATEGORIES`) and what its result is:

=============  ===========================================================================================
``same``       the dtype computed in
``bool``       comparisons and predicates
``index``      positions and counts: int64 on every backend
``int``        the default int, for the rank of a matrix
``real``       the dtype of the components, for abs of a complex array
``complex``    the complex dtype of the same precision
``accumulate`` small integers at the default width, so that a sum does not overflow (the standard's `sum`)
``int32`` …    that dtype, whatever is computed in
=============  ===========================================================================================
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.dtypes import CATEGORIES, Dtype, bool_, complex_of, int64, real_of

if TYPE_CHECKING:
    from ..policy import Policy
    from .rules import Default


#: The words of this table. Any other word for a result is the name of a dtype.
OUT = ("same", "bool", "index", "int", "real", "complex", "accumulate")


def computed_in(accepts: str, joined: Dtype, policy: Policy) -> Dtype:
    """Return the dtype that a function computes in, given the join of its operands.

    A floating function takes bools and integers as if they met a Python float: the default float under the
    unified rules, a float that holds them under the precise ones, an error under the strict ones.
    """
    if joined.storage:
        return joined  # the function takes it as it is or not at all
    kinds = CATEGORIES[accepts]
    if joined.kind not in kinds and joined.kind in "biu" and "f" in kinds and "i" not in kinds:
        return policy.promote(joined, float)
    if joined.kind not in kinds and accepts == "complex floating":
        return complex_of(joined if joined.kind == "f" else policy.promote(joined, float))
    return joined


def result(out: str, computed: Dtype, default: Default) -> Dtype:
    """Return the dtype of a result, by the words above. `default` gives the default dtype of a kind."""
    match out:
        case "bool":
            return bool_
        case "index":
            return int64
        case "int":
            return default("i")
        case "real":
            return real_of(computed)
        case "complex":
            return complex_of(computed)
        case "accumulate":
            return accumulated(computed, default)
        case "same":
            return computed
        case _:
            return Dtype(out)


def accumulated(dtype: Dtype, default: Default) -> Dtype:
    """Return the dtype for sums and products of `dtype`: the default int or uint where that is wider."""
    if dtype.kind == "b":
        return default("i")
    if dtype.kind in "iu":
        wide = default(dtype.kind)
        return wide if wide.bits > dtype.bits else dtype
    return dtype
