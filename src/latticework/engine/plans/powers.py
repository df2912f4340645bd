"""Powers of integers as JAX has them, with exponents that may be negative.

A negative exponent of known value is refused. In an array it gives a value: a power by squaring that looks at the
lowest six bits of each exponent. JAX calls the value implementation-defined; it is the same on every backend.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from ...core.dtypes import Dtype
from ...errors import PromotionError

if TYPE_CHECKING:
    from ...backend import Backend

__all__ = ["by_low_bits"]

_LOW_BITS = 63


@cache
def by_low_bits(backend: Backend, computed: Dtype, exponent: Dtype, rules: str) -> Callable[..., Any]:
    """Make the power of integers, from a base in the dtype computed in and exponents in a signed integer dtype.

    Raises
    ------
    PromotionError: from the function that it returns, for a negative 0-d exponent.
    """
    found: Any = [backend.function(name, exponent) for name in ("where", "less", "bitwise_and")]
    power: Any = backend.function("pow", computed)
    where, less, both = found
    make = backend.scalar(backend.native_dtypes[exponent])
    cast = backend.cast(backend.native_dtypes[computed]) if computed is not exponent else None

    def integer_power(base: Any, x2: Any) -> Any:
        if not backend.shape_of(x2) and (value := _known(x2)) is not None and value < 0:
            raise PromotionError(
                f"pow: the {rules} rules take no negative exponent {value} beside integers of {computed}. "
                f"Cast the base to a floating dtype: lw.astype(x, lw.float32)"
            )
        # the scalars are made by each call: those of a backend that traces belong to one trace
        x2 = where(less(x2, make(0)), both(x2, make(_LOW_BITS)), x2)
        return power(base, cast(x2) if cast else x2)

    def _known(x2: Any) -> int | None:
        if backend.facts.lazy:
            return None
        try:
            return operator.index(x2)
        except (TypeError, RuntimeError, ValueError):  # it is traced
            return None

    return integer_power
