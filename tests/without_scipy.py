"""A plugin of pytest with which latticework runs as where SciPy is not installed: ``pytest -p without_scipy``.

The tests themselves take SciPy for a reference as before.
"""

from __future__ import annotations

import builtins
import importlib.util
import sys
from typing import Any

import pytest

_find, _import = importlib.util.find_spec, builtins.__import__


def _ours(name: object) -> bool:
    return str(name).partition(".")[0] == "latticework"


def _find_but_scipy(name: str, *rest: Any) -> Any:
    asks = sys._getframe(1).f_globals.get("__name__")
    return None if name.partition(".")[0] == "scipy" and _ours(asks) else _find(name, *rest)


def _import_but_scipy(name: str, importer: Any = None, *rest: Any, **more: Any) -> Any:
    if name.partition(".")[0] == "scipy" and _ours((importer or {}).get("__name__")):
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    return _import(name, importer, *rest, **more)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests() -> None:
    """Hide SciPy before conftest.py imports latticework. To import this module, as the search for examples does, hides
    nothing."""
    importlib.util.find_spec = _find_but_scipy
    builtins.__import__ = _import_but_scipy
