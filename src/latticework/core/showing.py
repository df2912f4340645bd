"""The display of an object in notebooks, made by `notebook`, a module of a higher layer than the objects' own."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["shown"]


def shown(by: str, x: Any) -> Any:
    """Return the display of an object in notebooks; `notebook` is loaded at the first call.

    Parameters
    ----------
    by: the name of a function of `latticework.notebook`.
    """
    return getattr(import_module("latticework.notebook"), by)(x)
