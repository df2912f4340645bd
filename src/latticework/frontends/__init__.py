"""Dialects: NumPy, JAX, PyTorch, TensorFlow and MAX spoken on any backend.

``import latticework.frontends.torch as torch`` at the head of a program written for PyTorch, and it runs on the backend
in force, with the names, arguments, dtypes and errors that it has there.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .dialect import Dialect

__all__ = ["dialect_named", "dialect_names"]

_NAMES = ("numpy", "jax", "torch", "tensorflow", "max")


def dialect_names() -> tuple[str, ...]:
    """The names of all dialects. Loads none."""
    return _NAMES


def dialect_named(name: str) -> Dialect:
    """The dialect of a framework, loaded if it has to be."""
    if name not in _NAMES:
        raise ValueError(f"there is no dialect {name!r}. There are {', '.join(_NAMES)}")
    import_module(f"{__name__}.{name}")
    from .dialect import DIALECTS

    return DIALECTS[name]


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name in _NAMES:
            return import_module(f"{__name__}.{name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *_NAMES])
