"""Compare in complex32 by its two halves, in float16: PyTorch's rules answer it, and no backend computes in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...core.dtypes import Dtype, bool_, complex64, float16

if TYPE_CHECKING:
    from ...backend import Backend

__all__ = ["COMPARISONS", "compared_in_complex32"]

#: The functions whose result is no complex32 though they compute in it.
COMPARISONS = ("equal", "not_equal")


def compared_in_complex32(
    name: str, operands: tuple[Dtype | type, ...], backend: Backend
) -> tuple[Callable[..., Any], tuple[Dtype | None, ...]]:
    """Make the comparison of an array of float16 with a complex number, and the casts of its operands.

    The complex number is rounded to float16 in both its parts, as a cast to complex32 rounds it.
    """
    at = next(i for i, x in enumerate(operands) if x is not float16)
    found: Any = [
        backend.function(f, d)
        for f, d in (
            ("equal", float16), ("real", complex64), ("imag", complex64), ("logical_and", bool_), ("logical_not", bool_)
        )
    ]  # fmt: skip
    equal, real, imag, both, invert = found
    native = backend.native_dtypes[float16]
    rounded, make = backend.cast(native), backend.scalar(native)

    def compare(d1: Any, d2: Any) -> Any:
        x, number = (d1, d2) if at else (d2, d1)
        # zero is made by each call: that of a backend that traces belongs to one trace
        same = both(equal(x, rounded(real(number))), equal(rounded(imag(number)), make(0.0)))
        return same if name == "equal" else invert(same)

    return compare, tuple(complex64 if i == at else None for i in range(2))
