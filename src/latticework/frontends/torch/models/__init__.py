"""Models as functions of their parameters, for `transpile`.

A model of PyTorch itself becomes one of the dialect first (`copying`). Then its forward pass is a function of a dict of
parameters and of the inputs (`forward`).
"""

from __future__ import annotations

from .copying import copied, is_model
from .forward import Forward

__all__ = ["Forward", "copied", "is_model"]
