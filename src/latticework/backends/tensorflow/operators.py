"""`Array` beside a tensor, on the right of an operator and as an argument of TensorFlow's own functions.

TensorFlow casts its other operand to the dtype of the tensor on the left, even if fractions are lost: without this
module, ``tf.constant([1, 2]) + x`` adds [1, 2] where x has [1.5, 2.7]. Here the operators of tensors and variables
yield to an `Array`, like those of the other frameworks. TensorFlow's functions get the array's tensor, or raise an
error.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import tensorflow as tf

import latticework as lw

from ...core.dtypes import KIND_ORDER, Dtype
from ...engine.arrays.array import Array
from .core import DTYPES, cast, native

#: The operators of two operands that tensors have. `tf.Variable` has its own ones.
_OPERATORS = "add sub mul truediv floordiv mod pow matmul and or xor lt le gt ge eq ne".split()


def _yielding(operator: Callable[..., Any]) -> Callable[..., Any]:
    """Make a TensorFlow operator that returns NotImplemented beside an `Array`, so that Python tries that one's."""

    @wraps(operator)
    def call(x: Any, y: Any, *args: Any, **kw: Any) -> Any:
        if type(y) is Array:
            return NotImplemented
        return operator(x, y, *args, **kw)

    return call


for _class in (tf.Tensor, tf.Variable):
    for _name in _OPERATORS:
        setattr(_class, f"__{_name}__", _yielding(getattr(_class, f"__{_name}__")))


def _tensor(self: Array, dtype: Any = None, name: str | None = None) -> Any:
    """Return the array's tensor for a TensorFlow function: cast to another dtype only where that loses no integer or
    fraction, as from an integer to a float or from one float to another."""
    if self.backend != "tensorflow":
        return _tensor(lw.asarray(self, backend="tensorflow"), dtype, name)
    data = native(self._data)
    if dtype is None or dtype == data.dtype:
        return data
    target = DTYPES.get(dtype)
    if target is None or not _keeps(self.dtype, target):
        raise TypeError(
            f"TensorFlow asks for {dtype.name} where an array of {self.dtype} is given. Cast it: lw.astype(x, dtype)"
        )
    return cast(dtype)(data)


def _keeps(source: Dtype, target: Dtype) -> bool:
    if target.kind in "fc":
        return KIND_ORDER[source.kind] <= KIND_ORDER[target.kind] and source.kind != "b"
    return source.kind in "iu" and target.kind in "iu" and lw.promote_types(source, target) is target


Array.__tf_tensor__ = _tensor  # type: ignore[attr-defined]
