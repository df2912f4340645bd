"""`tf.experimental`: its NumPy."""

from __future__ import annotations

from . import methods as _methods  # noqa: F401 - tensors find their NumPy methods there
from . import numpy

__all__ = ["numpy"]
