"""tf.experimental.numpy: the rules of the installed NumPy, for tensors of TensorFlow's dtypes.

They hold without `experimental_enable_numpy_behavior`, and in its modes "off" and "legacy", unless it was called with
``prefer_float32``.

Source: https://www.tensorflow.org/guide/tf_numpy; tensorflow/python/ops/numpy_ops/np_dtypes.py.
"""

from __future__ import annotations

from typing import ClassVar

from ..core.dtypes import Dtype, bool_, uint64
from .numpy import NumPy, make


class TensorFlowNumPy(NumPy):
    """The rules of tf.experimental.numpy for a Python int."""

    families: ClassVar[str] = "tensorflow_numpy"

    def takes(self, value: int, array_dtype: Dtype) -> bool:
        """Return whether an int is taken: any int wraps around, but a negative one beside uint64 does not."""
        return value < 2**64 if array_dtype is bool_ else not (array_dtype is uint64 and value < 0)


rules = make(
    "tensorflow-numpy",
    TensorFlowNumPy,
    source="https://www.tensorflow.org/guide/tf_numpy",
    version="tensorflow 2.21.0",
)
