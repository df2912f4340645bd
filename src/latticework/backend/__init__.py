"""Backends: the contract of one, the registry of all, and what their plug-ins share.

The plug-ins themselves are the folders of `latticework.backends`, and packages outside.
"""

from __future__ import annotations

from typing import Any

from .contract import Backend as Backend
from .facts import CONTRACT as CONTRACT
from .facts import PLUGINS as PLUGINS
from .facts import problems as problems
from .plain import standing_alone as standing_alone
from .registry import BackendInfo as BackendInfo
from .registry import backends as backends
from .registry import first_version as first_version
from .registry import get as get
from .registry import of as of
from .registry import refresh as refresh
from .registry import supported as supported
from .registry import unknown_backend as unknown_backend
from .registry import version_of as version_of


def of_namespace(xp: Any, **options: Any) -> type[Backend]:
    """Make the class of a backend of a namespace of the array API standard: see `backends.namespaces`."""
    from importlib import import_module
    from sys import _getframe

    made: type[Backend] = import_module(f"{PLUGINS}.namespaces").of_namespace(xp, **options)
    made.__module__ = _getframe(1).f_globals.get("__name__", made.__module__)
    return made
