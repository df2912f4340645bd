"""Matrices and grids on NumPy."""

from __future__ import annotations

import numpy as np

_diag = np.diag
