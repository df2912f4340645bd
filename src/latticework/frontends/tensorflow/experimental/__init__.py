"""`tf.experimental`: its NumPy."""

from __future__ import annotations

from . import numpy

__all__ = ["numpy"]
