"""PyTorch's constants."""

from __future__ import annotations

import math

__all__ = ["__version__", "e", "inf", "nan", "newaxis", "pi"]

#: The version of PyTorch whose answers these are.
__version__ = "2.13.0"

e, inf, nan, pi, newaxis = math.e, math.inf, math.nan, math.pi, None
