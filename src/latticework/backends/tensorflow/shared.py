"""Tensors that NumPy computes with: those that have values, on the CPU.

NumPy selects and counts in a fraction of the time that TensorFlow takes on a processor.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.python.eager import record

from .. import get
from .core import DTYPES, eager


def at_hand(*tensors: Any) -> bool:
    """Tell whether tensors have values in the CPU's memory."""
    return all(eager(x) and "CPU" in x.device for x in tensors)


def only_values(x: Any) -> bool:
    """Tell whether NumPy can compute: the tensor has values, and no tape records what becomes of them."""
    return at_hand(x) and not record.could_possibly_record()


def by_numpy(name: str, *tensors: Any, **options: Any) -> tf.Tensor:
    """The result of a function of the NumPy backend, on tensors at hand."""
    function: Any = get("numpy").function(name, DTYPES[tensors[0].dtype])
    with tf.device(tensors[0].device):
        return tf.convert_to_tensor(np.asarray(function(*[x.numpy() for x in tensors], **options)))
