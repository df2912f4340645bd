"""The plug-ins: a folder for each backend, found by its name. `latticework.backend` has their contract, and finds them.

The package can be called like the public function of its name, ``lw.backends()``: as soon as a plug-in is imported,
`latticework.backends` is this package.
"""

from __future__ import annotations

import sys
from types import ModuleType

from ..backend.registry import BackendInfo, backends

__all__ = ["backends"]


class _Package(ModuleType):
    """The class of this package."""

    def __call__(self) -> tuple[BackendInfo, ...]:
        return backends()


sys.modules[__name__].__class__ = _Package
