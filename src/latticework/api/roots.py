"""Roots of sums, whose derivative is infinite at 0: that of a length or a deviation of zeros is taken for 0."""

from __future__ import annotations

from ..core.registry import functions as lw
from ..engine.arrays.array import Array

__all__ = ["power_of_sizes", "root_of_sum"]


def _may_be_differentiated(x: Array) -> bool:
    backend = x._sig.backend
    target = getattr(backend, "target", None)
    return bool(backend.facts.gradients or (target and target.facts.gradients))


def root_of_sum(total: Array, exponent: float) -> Array:
    """``total ** exponent`` of numbers from 0 on, with the derivative 0 at 0.

    The sum is 0 where all of its terms are. Each term has the derivative 0 there, and 0 times infinity would be nan.

    Examples
    --------
    >>> import latticework as lw
    >>> from latticework.api.roots import root_of_sum
    >>> with lw.using(backend="torch"):
    ...     x = lw.asarray([0.0, 0.0])
    >>> lw.grad(lambda x: root_of_sum(lw.sum(x * x), 0.5))(x), lw.grad(lambda x: lw.sum(x * x) ** 0.5)(x)
    (Array([0., 0.], dtype=float32), Array([nan, nan], dtype=float32))
    """
    if exponent < 0 or not _may_be_differentiated(total):
        return lw.sqrt(total) if exponent == 0.5 else total**exponent
    zero = total == 0
    safe = lw.where(zero, 1, total)
    return lw.where(zero, 0, lw.sqrt(safe) if exponent == 0.5 else safe**exponent)


def power_of_sizes(sizes: Array, exponent: float) -> Array:
    """``sizes ** exponent`` of numbers from 0 on, as the terms of a norm, with the derivative 0 at 0 also where the
    exponent is less than 1.

    Examples
    --------
    >>> import latticework as lw
    >>> from latticework.api.roots import power_of_sizes
    >>> power_of_sizes(lw.asarray([0.0, 4.0]), 0.5)
    Array([0., 2.], dtype=float32)
    """
    return root_of_sum(sizes, exponent) if 0 < exponent < 1 else sizes**exponent
