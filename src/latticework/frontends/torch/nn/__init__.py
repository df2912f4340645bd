"""PyTorch's ``torch.nn``: modules, their parameters, and functions of `torch.nn.functional`."""

from __future__ import annotations

from typing import Any

from ...names import export as _export
from ..core import dialect
from . import attention as attention
from . import functional as functional
from . import init as init
from . import modules as modules
from . import parallel as parallel
from . import parameter as parameter
from . import utils as utils

__all__ = ["attention", "functional", "init", "modules", "parallel", "parameter", "utils"]
_export(globals(), modules)
_export(globals(), parameter, but="is_lazy")
_export(globals(), parallel, only="DataParallel")


def __getattr__(name: str) -> Any:
    raise AttributeError(f"torch.nn.{name}: latticework's dialect of torch has no such name", name=name)


dialect.finish(globals())
