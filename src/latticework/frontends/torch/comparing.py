"""PyTorch's comparisons, predicates and logical functions."""

from __future__ import annotations

from typing import Any

from .core import complete, ops
from .tensor import Tensor

#: Functions that are latticework's by another name, see `renaming`.
_TABLE = """
(input, other, *, out=None)
    ge=greater_equal greater greater_equal gt=greater le=less_equal less less_equal lt=less not_equal
(input, other, *, out=None) -> _check_tensors(NAME, input, other) and ours(input, other)
    logical_and logical_or logical_xor
(input, *, out=None)
    logical_not signbit
(input)
    isfinite isinf isnan
"""

# fmt: off

def eq(input, other, *, out=None): return ops.equal(input, other)
def ne(input, other, *, out=None): return ops.not_equal(input, other)
def isneginf(input, *, out=None): return _where_real(ops.isneginf, input, ops.zeros_like)
def isposinf(input, *, out=None): return _where_real(ops.isposinf, input, ops.zeros_like)
def isreal(input): return _where_real(ops.isreal, input, ops.ones_like)
def is_tensor(obj, /): return isinstance(obj, Tensor)
def numel(input): return input._array.size
def is_same_size(input, other): return input._array.shape == other._array.shape
def isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    return ops.isclose(input, other, rtol, atol, equal_nan)
def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    return bool(ops.all(ops.isclose(input, other, rtol, atol, equal_nan)))
# fmt: on


def isin(elements, test_elements, *, assume_unique=False, invert=False):
    if not any(type(x) is Tensor for x in (elements, test_elements)):
        raise TypeError("isin: one of elements and test_elements must be a Tensor")
    return ops.isin(elements, test_elements, invert=invert)


def equal(input, other):
    _check_tensors("equal", input, other)
    return input._array.shape == other._array.shape and bool(ops.all(ops.equal(input, other)))


def is_nonzero(input):
    if input._array.size != 1:
        raise RuntimeError(f"Boolean value of Tensor with {input._array.size} values is ambiguous")
    return bool(input)


def _check_tensors(name: str, *xs: Any) -> bool:
    for x in xs:
        if type(x) is not Tensor:
            raise TypeError(f"{name}(): argument must be Tensor, not {type(x).__name__}")
    return True


def _where_real(f: Any, input: Any, otherwise: Any) -> Any:
    """A predicate of real numbers; of integers, what holds for all of them."""
    return otherwise(input, dtype="bool") if input._array.dtype.kind in "biu" else f(input)


complete(globals(), _TABLE)
