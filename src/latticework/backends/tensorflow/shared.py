"""Tensors that NumPy computes with: those that have values, on the CPU.

NumPy selects and counts in a fraction of the time that TensorFlow takes on a processor.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.python.eager import record

from ...backend import get, standing_alone
from .core import DTYPES, eager


def at_hand(*tensors: Any) -> bool:
    """Tell whether tensors have values in the CPU's memory."""
    return all(eager(x) and "CPU" in x.device for x in tensors)


def numpy_computes(*tensors: Any) -> bool:
    """Tell whether NumPy can compute in TensorFlow's place: the tensors have values, and the program does not become
    source that runs without latticework."""
    return not standing_alone.get() and at_hand(*tensors)


def only_values(x: Any) -> bool:
    """Tell whether NumPy can compute in TensorFlow's place, and no tape records the computation."""
    return numpy_computes(x) and not record.could_possibly_record()


numpy_computes.in_source = only_values.in_source = False  # type: ignore[attr-defined]  # see tracing/writing/standalone.py


def by_numpy(name: str, *tensors: Any, **options: Any) -> tf.Tensor:
    """Call a function of the NumPy backend with tensors at hand."""
    function: Any = get("numpy").function(name, DTYPES[tensors[0].dtype])
    with tf.device(tensors[0].device):
        return tf.convert_to_tensor(np.asarray(function(*[x.numpy() for x in tensors], **options)))
