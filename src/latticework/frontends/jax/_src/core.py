"""`jax.core`: shapes and dtypes without values."""

from __future__ import annotations

from ..core import __getattr__ as _of_core
from ..extend.core import get_opaque_trace_state
from ..tracers import AbstractValue, ShapedArray, Tracer, get_aval

__all__ = ["AbstractValue", "ShapedArray", "Tracer", "get_aval", "get_opaque_trace_state", "trace_state_clean"]


def trace_state_clean() -> bool:
    """Return whether no transformation is running."""
    from ..axes import _AXES
    from ..trees import DERIVATIVES

    return not DERIVATIVES.get() and not _AXES.get()


def __getattr__(name: str) -> object:
    found: object = _of_core(name)
    return found
