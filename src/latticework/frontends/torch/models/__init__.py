"""Models as functions of their parameters, for `transpile`.

A model of PyTorch itself becomes one of the dialect first (`copying`). Then its forward pass is a function of a dict of
parameters and of the inputs (`forward`), and a step of training one of the state of an optimizer as well (`training`).
"""

from __future__ import annotations

from .copying import copied, is_model
from .forward import Forward
from .training import Training

__all__ = ["Forward", "Training", "copied", "is_model"]
