"""`jax.experimental.hijax`: base classes that packages derive from. Their types are no arrays of a trace here."""

from __future__ import annotations

from typing import Any

from ..extend.core.primitives import Primitive
from ..interpreters.ad import Zero, instantiate_zeros, is_undefined_primal
from ..tracers import AbstractValue, ShapedArray, Tracer

__all__ = [
    "AbstractValue", "AvalMutableQDD", "AvalQDD", "HiPrimitive", "HiType", "MutableHiType", "ShapedArray", "Tracer",
    "Zero", "aval_method", "aval_property", "control_flow_allowed_effects", "instantiate_zeros", "is_undefined_primal",
    "register_hitype",
]  # fmt: skip


def aval_method(fun: Any = None, **options: Any) -> Any:
    """A method of the values of a type."""
    return fun


def aval_property(fget: Any = None, **options: Any) -> Any:
    """A property of the values of a type."""
    return property(fget)


class HiType(AbstractValue):
    """The base class of types of packages."""


class MutableHiType(HiType):
    """The base class of types whose values change."""


class AvalQDD:
    """A type, and what is known of its values when it is made."""

    def __init__(self, aval: Any, qdd: Any) -> None:
        self.aval, self.qdd = aval, qdd


class AvalMutableQDD:
    """A type, and what is known of its values now."""

    def __init__(self, aval: Any, mutable_qdd: Any) -> None:
        self.aval, self.mutable_qdd = aval, mutable_qdd


class HiPrimitive(Primitive):
    """The base class of primitives of such types: `bind` runs `impl`."""

    def bind(self, *args: Any, **params: Any) -> Any:
        """Compute it."""
        return self.impl(*args, **params)


class _Effects:
    """The effects that control flow may have."""

    @staticmethod
    def add_type(kind: type) -> None:
        """Allow a kind of effects."""


control_flow_allowed_effects = _Effects()


def register_hitype(kind: type, of: Any) -> None:
    """Say which type values of a class have."""
