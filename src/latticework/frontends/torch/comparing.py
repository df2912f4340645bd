"""PyTorch's comparisons, predicates and logical functions."""

from __future__ import annotations

from typing import Any

from .core import complete, ops
from .tensor import Tensor

# fmt: off
__all__ = [
    "allclose", "eq", "equal", "ge", "greater", "greater_equal", "gt", "is_nonzero", "is_same_size", "is_tensor",
    "isclose", "isfinite", "isin", "isinf", "isnan", "isneginf", "isposinf", "isreal", "le", "less", "less_equal",
    "logical_and", "logical_not", "logical_or", "logical_xor", "lt", "ne", "not_equal", "numel", "signbit",
]

def eq(input, other, *, out=None): return ops.equal(input, other)
def ge(input, other, *, out=None): return ops.greater_equal(input, other)
def greater(input, other, *, out=None): return ops.greater(input, other)
def greater_equal(input, other, *, out=None): return ops.greater_equal(input, other)
def gt(input, other, *, out=None): return ops.greater(input, other)
def le(input, other, *, out=None): return ops.less_equal(input, other)
def less(input, other, *, out=None): return ops.less(input, other)
def less_equal(input, other, *, out=None): return ops.less_equal(input, other)
def logical_and(input, other, *, out=None):
    return _check_tensors("logical_and", input, other) and ops.logical_and(input, other)
def logical_not(input, *, out=None): return ops.logical_not(input)
def logical_or(input, other, *, out=None):
    return _check_tensors("logical_or", input, other) and ops.logical_or(input, other)
def logical_xor(input, other, *, out=None):
    return _check_tensors("logical_xor", input, other) and ops.logical_xor(input, other)
def lt(input, other, *, out=None): return ops.less(input, other)
def ne(input, other, *, out=None): return ops.not_equal(input, other)
def not_equal(input, other, *, out=None): return ops.not_equal(input, other)
def isfinite(input): return ops.isfinite(input)
def isinf(input): return ops.isinf(input)
def isnan(input): return ops.isnan(input)
def isneginf(input, *, out=None): return _where_real(ops.isneginf, input, ops.zeros_like)
def isposinf(input, *, out=None): return _where_real(ops.isposinf, input, ops.zeros_like)
def isreal(input): return _where_real(ops.isreal, input, ops.ones_like)
def signbit(input, *, out=None): return ops.signbit(input)
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


complete(
    globals(),
    quick="eq=equal ge=greater_equal greater greater_equal gt=greater isfinite isinf isnan le=less_equal less"
    " less_equal logical_and logical_not logical_or logical_xor lt=less ne=not_equal not_equal",
)
