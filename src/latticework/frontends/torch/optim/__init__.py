"""`torch.optim`: optimizers, which update parameters by their gradients, on every backend."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from ...names import export as _export
from . import adaptive, descent, lbfgs, lr_scheduler, optimizer, swa_utils
from .optimizer import Optimizer

__all__ = ["Optimizer", "lr_scheduler", "optimizer", "swa_utils"]
_export(globals(), adaptive, descent, lbfgs)


def _modules() -> None:
    """Make the module that PyTorch has for each class, which some programs import."""
    for own in "Adadelta Adagrad Adam Adamax AdamW ASGD NAdam RAdam RMSprop Rprop SGD".split():
        name = own.lower()
        module = ModuleType(f"{__name__}.{name}", f"`torch.optim.{name}`.")
        vars(module).update({"__all__": [own], own: globals()[own]})
        sys.modules[module.__name__] = globals()[name] = module


_modules()


def __getattr__(name: str) -> Any:
    raise AttributeError(f"torch.optim.{name}: latticework's dialect of torch has no such name", name=name)
