"""`jax.extend.core`: programs as equations, and primitives of packages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...errors import JaxRuntimeError
from ...jaxprs import (
    ClosedJaxpr,
    DropVar,
    Jaxpr,
    JaxprEqn,
    Literal,
    Var,
    jaxpr_as_fun,
    jaxprs_in_params,
    subjaxprs,
)
from ...tracers import concrete_or_error, is_tracer, mapped_aval, unmapped_aval, valid_jaxtype
from ...trees import DERIVATIVES
from . import primitives
from .primitives import Primitive

__all__ = [
    "ClosedJaxpr", "DropVar", "Effect", "Jaxpr", "JaxprEqn", "JaxprTypeError", "Literal", "Primitive", "TraceTag",
    "Var", "concrete_or_error", "find_top_trace", "get_opaque_trace_state", "jaxpr_as_fun", "jaxprs_in_params",
    "mapped_aval", "no_effects", "primitives", "subjaxprs", "unmapped_aval", "valid_jaxtype",
]  # fmt: skip


class Effect:
    """What a program does besides computing its results."""


class JaxprTypeError(TypeError):
    """The parts of a program do not fit together."""


class TraceTag:
    """A mark of a transformation."""


no_effects: frozenset[Any] = frozenset()


class _State:
    """Which transformations are running. Two are equal where they are the same ones."""

    def __init__(self) -> None:
        from ...axes import _AXES

        self._key = (DERIVATIVES.get(), tuple([id(axis) for axis in _AXES.get()]))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _State) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


def get_opaque_trace_state(convention: str = "") -> Any:
    """Return an object that is equal to another made under the same transformations."""
    return _State()


class _TopTrace:
    """The innermost transformation of some arrays: it runs the rules that a function brings along."""

    @staticmethod
    def process_custom_vjp_call(*args: Any, **kw: Any) -> Any:
        """Refused: the rules of functions are `jax.custom_vjp`'s."""
        raise JaxRuntimeError("find_top_trace: a transformation has no methods here; use jax.custom_vjp")


def find_top_trace(xs: Any) -> Any:
    """Return the innermost transformation of some arrays."""
    return _TopTrace() if any(is_tracer(x) for x in xs) else _TopTrace


del Callable
