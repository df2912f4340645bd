"""`torch.optim`: optimizers, which update parameters by their gradients, on every backend."""

from __future__ import annotations

from typing import Any

from ...names import export as _export
from . import adaptive, descent, lbfgs, lr_scheduler, optimizer, swa_utils
from .optimizer import Optimizer

__all__ = ["Optimizer", "lr_scheduler", "optimizer", "swa_utils"]
_export(globals(), adaptive, descent, lbfgs)


def __getattr__(name: str) -> Any:
    raise AttributeError(f"torch.optim.{name}: latticework's dialect of torch has no such name", name=name)
