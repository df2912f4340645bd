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
    """Make the class of a backend of a namespace of the array API standard.

    A plug-in names the class as ``BACKEND``, or derives its own from it and overrides methods of `Backend`. A module of
    functions over the arrays of a framework is a namespace too: docs/backends.md lists what it needs to have.

    Parameters
    ----------
    xp: the namespace.
    options: any of these.

        - ``arrays``: the class of its arrays, or several; by default that of ``xp.asarray(False)``.
        - ``dtypes``: its dtypes and latticework's; by default those of the standard's names, bfloat16 and float16.
        - ``lacks``: names of dtypes that it has by name and not in use.
        - ``spelled``: latticework's name of a function and the namespace's, as ``{"atan2": "arctan2"}``; None for a
          function of the same name that does something else.
        - ``devices``: names of devices, the default first, and what its creation functions take as ``device``. By
          default one device, ``cpu``, and creation functions are called without a device.
        - ``views_bits``: whether the class that the plug-in derives has a `reinterpret`.

    Raises
    ------
    TypeError: for an option that there is not.

    Examples
    --------
    >>> import array_api_strict
    >>> from latticework.backend import of_namespace
    >>> of_namespace(array_api_strict, spelled={"isin": None}).arrays.__name__
    'Array'
    """
    from importlib import import_module
    from sys import _getframe

    made: type[Backend] = import_module(f"{PLUGINS}.namespaces").of_namespace(xp, **options)
    made.__module__ = _getframe(1).f_globals.get("__name__", made.__module__)
    return made
