"""Promotion under the dialect's rules: the common dtype of two operands."""

from __future__ import annotations

from typing import Any

from .dtypes import DType, as_dtype
from .tensor import as_tensor, dialect

__all__ = ["promote_types_of_tensorflow_inputs", "promote_types_tensorflow"]


def promote_types_tensorflow(type1: Any, type2: Any, /) -> DType:
    """Return the dtype that two dtypes promote to under the rules in force: by default each promotes to itself alone.

    Parameters
    ----------
    type1, type2: dtypes, or arguments that are read as dtypes.

    Raises
    ------
    InvalidArgumentError: the rules in force give them no common dtype.

    Examples
    --------
    >>> import latticework.frontends.tensorflow as tf
    >>> tf.promote_types_tensorflow(tf.int32, "int32")
    tf.int32
    """
    found: DType = dialect.function(_promoted)(as_dtype(type1), as_dtype(type2))
    return found


def _promoted(type1: Any, type2: Any) -> Any:
    import latticework as lw

    return lw.promote_types(type1, type2)


def promote_types_of_tensorflow_inputs(x1: Any, x2: Any, /) -> tuple[Any, Any]:
    """Return two operands as tensors of the dtype that they promote to under the rules in force.

    Parameters
    ----------
    x1, x2: tensors, or what becomes one; a Python number takes the dtype of a tensor.

    Raises
    ------
    InvalidArgumentError: the rules in force give them no common dtype.

    Examples
    --------
    >>> import latticework.frontends.tensorflow as tf
    >>> tf.promote_types_of_tensorflow_inputs(tf.constant([1.0]), 2)[1]
    <tf.Tensor: shape=(), dtype=float32, numpy=2.0>
    """
    numbers = (int, float, complex, bool)
    x1, x2 = (x if type(x) in numbers else as_tensor(x) for x in (x1, x2))
    found: tuple[Any, Any] = dialect.function(_both)(x1, x2)
    return found


def _both(x1: Any, x2: Any) -> Any:
    import latticework as lw

    return tuple(lw.promote_types_of_inputs(x1, x2))
