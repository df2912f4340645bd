"""PyTorch's constants."""

from __future__ import annotations

import math

__all__ = ["e", "inf", "nan", "newaxis", "pi"]

e, inf, nan, pi, newaxis = math.e, math.inf, math.nan, math.pi, None
