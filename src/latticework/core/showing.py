"""What notebooks show of an object, made by a module that stands above all that it shows."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["shown"]


def shown(by: str, x: Any) -> Any:
    """Return what notebooks show of an object; `notebook` is loaded when one asks.

    Parameters
    ----------
    by: the name of a function of `latticework.notebook`.
    """
    return getattr(import_module("latticework.notebook"), by)(x)
