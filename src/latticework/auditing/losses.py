"""Losses of precision or range in casts, and sums of integers that may wrap around: from the widths of the dtypes."""

from __future__ import annotations

from ..core.dtypes import Dtype, float_limits, int_limits, real_of

__all__ = ["ACCUMULATING", "loss_of_cast", "loss_of_sum"]

#: The functions that add or multiply the elements of an array.
ACCUMULATING = frozenset(
    "sum prod cumulative_sum cumulative_prod nansum nanprod nancumsum nancumprod matmul vecdot tensordot dot".split()
)


def digits(dtype: Dtype) -> int:
    """Count the binary digits that a dtype keeps: those of the largest integer, or of a float's significand."""
    if dtype.kind == "b":
        return 1
    if dtype.kind in "iu":
        return int_limits(dtype).max.bit_length()
    return dtype.fraction + 1


def _largest(dtype: Dtype) -> float:
    if dtype.kind == "b":
        return 1
    return int_limits(dtype).max if dtype.kind in "iu" else float(float_limits(_real(dtype)).max)


def _real(dtype: Dtype) -> Dtype:
    return real_of(dtype) if dtype.kind == "c" else dtype


def loss_of_cast(source: Dtype, target: Dtype) -> str:
    """Say what a cast may lose; empty where the target holds every value of the source.

    A value may lose its sign (signed to unsigned), its imaginary part (complex to real), its range (the target's
    largest number is smaller) and its precision (the target keeps fewer binary digits).
    """
    if source is target or "V" in (source.kind, target.kind):
        return ""
    lost = []
    if source.kind == "c" != target.kind:
        lost.append("imaginary parts are dropped")
    if target.kind == "b":
        return "all numbers but 0 become True"
    if source.kind in "ifc" and target.kind == "u":
        lost.append("negative numbers are lost")
    if _largest(source) > _largest(target):
        beyond = "become infinite" if target.kind in "fc" else "wrap around" if source.kind in "iu" else "are cut off"
        lost.append(f"numbers beyond {_largest(target):.6g} {beyond}")
    if target.kind in "iu" and source.kind in "fc":
        lost.append("fractions are cut off")
    elif digits(source) > digits(target):
        kept = digits(target)
        what = f"integers beyond 2**{kept}" if source.kind in "iu" else "numbers"
        lost.append(f"{what} are rounded to {kept} of {digits(source)} binary digits")
    return ", ".join(lost)


def loss_of_sum(op: str, operand: Dtype, result: Dtype, terms: int | None) -> str:
    """Say what a sum or product of integers may lose; empty where no result is too large.

    Parameters
    ----------
    op: the function.
    operand, result: the dtypes of the elements and of the result. For a result of 64 bits nothing is said, because no
        dtype holds more.
    terms: the most elements that go into one result; None where that is not known.
    """
    if op not in ACCUMULATING or operand.kind not in "biu" or result.kind not in "iu" or result.bits >= 64:
        return ""
    most, limit = int(_largest(operand)), int_limits(result).max
    if "prod" in op:
        enough = 1 if most < 2 else limit.bit_length() // most.bit_length()
    elif op in ("matmul", "vecdot", "tensordot", "dot"):
        enough = limit // most**2
    else:
        enough = limit // most
    if terms is not None and terms <= enough:
        return ""
    of = "elements" if terms is None else f"{terms} elements"
    return f"{of} of {operand} may be more than {result} holds, which wraps around beyond {limit}"
