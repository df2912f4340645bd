"""`jax.interpreters.ad`: rules for the derivatives of primitives."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ..core import ops
from ..extend.core.primitives import JVPS
from ..transformations import jvp, linearize
from ..trees import is_array

__all__ = [
    "UndefinedPrimal", "Zero", "add_tangents", "defjvp", "defjvp2", "deflinear", "deflinear2", "instantiate_zeros",
    "is_undefined_primal", "jvp", "linearize", "primitive_jvps", "primitive_transposes", "zeros_like_aval",
]  # fmt: skip

#: The rules of primitives, by primitive: functions of primals and tangents.
primitive_jvps = JVPS
#: The transposes of linear primitives, which are kept and not asked for.
primitive_transposes: dict[Any, Callable[..., Any]] = {}


class Zero:
    """A derivative that is known to be 0, of a shape and dtype."""

    __slots__ = ("aval",)

    def __init__(self, aval: Any) -> None:
        self.aval = aval

    @staticmethod
    def from_primal_value(val: Any) -> Zero:
        """Return the derivative 0 of a value."""
        from ..tracers import get_aval

        return Zero(get_aval(val).to_tangent_aval())

    def __repr__(self) -> str:
        return f"Zero({self.aval})"


class UndefinedPrimal:
    """An argument that a linear function is transposed by."""

    __slots__ = ("aval",)

    def __init__(self, aval: Any) -> None:
        self.aval = aval


def is_undefined_primal(x: Any) -> bool:
    """Return whether a function is transposed by an argument."""
    return type(x) is UndefinedPrimal


def instantiate_zeros(tangent: Any) -> Any:
    """Return a derivative as an array."""
    return zeros_like_aval(tangent.aval) if type(tangent) is Zero else tangent


def zeros_like_aval(aval: Any) -> Any:
    """Return an array of 0, of a shape and dtype."""
    return ops.zeros(tuple(aval.shape), dtype=aval.dtype.name)


def add_tangents(x: Any, y: Any) -> Any:
    """Return the sum of two derivatives."""
    if type(x) is Zero:
        return y
    return x if type(y) is Zero else x + y


def defjvp2(primitive: Any, *jvps: Any) -> None:
    """Set a rule for each argument: a function of its tangent, the result and the primals."""

    def rule(primals: Any, tangents: Any, **params: Any) -> Any:
        out = primitive.bind(*primals, **params)
        parts = [
            f(t, out, *primals, **params)
            for f, t in zip(jvps, tangents, strict=True)
            if f is not None and (is_array(t) or type(t) is not Zero)
        ]
        total = parts[0] if parts else ops.zeros_like(out)
        for part in parts[1:]:
            total = add_tangents(total, part)
        return out, total

    JVPS[primitive] = rule


def defjvp(primitive: Any, *jvps: Any) -> None:
    """Set a rule for each argument: a function of its tangent and the primals."""
    defjvp2(primitive, *[f and (lambda t, out, *xs, _f=f, **kw: _f(t, *xs, **kw)) for f in jvps])


def deflinear2(primitive: Any, transpose_rule: Any) -> None:
    """Make a primitive linear, with its transpose."""
    primitive_transposes[primitive] = transpose_rule
    JVPS[primitive] = partial(_linear, primitive)


deflinear = deflinear2


def _linear(primitive: Any, primals: Any, tangents: Any, **params: Any) -> Any:
    return primitive.bind(*primals, **params), primitive.bind(*map(instantiate_zeros, tangents), **params)
