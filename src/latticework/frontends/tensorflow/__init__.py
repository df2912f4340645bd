"""TensorFlow's dialect: ``import latticework.frontends.tensorflow as tf``.

A program written for TensorFlow runs on the backend in force, with the names, arguments, dtypes and errors that it has
there. Tensors promote nothing unless `tf.experimental.numpy.experimental_enable_numpy_behavior` switches that.
"""

from __future__ import annotations

from typing import Any as _Any

from ..names import export as _export
from . import (  # noqa: F401
    autodiff,
    bitwise,
    control,
    conversion,
    data,
    dtypes,
    elementwise,
    errors,
    experimental,
    image,
    initializers,
    linalg,
    math,
    nest,
    nn,
    printing,
    promoting,
    random,
    reductions,
    shaping,
    signal,
)
from .module import Module, name_scope
from .shapes import TensorShape, TensorSpec
from .slices import IndexedSlices
from .taping import GradientTape, UnconnectedGradients
from .tensor import Tensor
from .tensor_array import TensorArray
from .variables import Variable, VariableAggregation, VariableSynchronization

#: The public submodules.
SUBMODULES = (
    "autodiff", "bitwise", "data", "data.experimental", "dtypes", "errors", "experimental", "experimental.numpy",
    "image", "linalg", "math", "nest", "nn",
    "random", "signal",
)  # fmt: skip

newaxis = None
__version__ = "2.21.0"

__all__ = [
    "GradientTape", "IndexedSlices", "Module", "Tensor", "TensorArray", "TensorShape", "TensorSpec",
    "UnconnectedGradients", "Variable", "VariableAggregation", "VariableSynchronization", "name_scope", "newaxis",
]  # fmt: skip
_export(globals(), dtypes, control, conversion, initializers, shaping, promoting, printing)
_export(globals(), linalg, only="eig eigvals einsum matmul norm tensordot")
#: Functions of `tf.math`, and some that it lacks.
_OF_ELEMENTS_AND_AXES = """
    abs acos acosh add add_n asin asinh atan atan2 atanh clip_by_value complex cos cosh divide equal exp floor
    greater greater_equal less less_equal logical_and logical_not logical_or maximum minimum multiply negative
    not_equal pow realdiv round scalar_mul sigmoid sign sin sinh sqrt square subtract tan tanh truediv
    truncatediv truncatemod
    argmax argmin argsort clip_by_global_norm clip_by_norm cumsum reduce_all reduce_any reduce_logsumexp
    reduce_max reduce_mean reduce_min reduce_prod reduce_sum searchsorted sort unique unique_with_counts
"""
_export(globals(), elementwise, reductions, only=_OF_ELEMENTS_AND_AXES)


def __getattr__(name: str) -> _Any:
    from .coverage import absence

    raise AttributeError(absence(name), name=name)
