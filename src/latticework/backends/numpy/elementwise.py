"""Elementwise functions on NumPy: ufuncs, nearly all."""

from __future__ import annotations

import numpy as np

abs = np.abs
add = np.add
subtract = np.subtract
multiply = np.multiply
divide = np.divide
cos = np.cos
equal = np.equal
