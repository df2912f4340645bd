"""`jax.interpreters.partial_eval`: programs traced as equations."""

from __future__ import annotations

from typing import Any

from ..jaxprs import Jaxpr, make_jaxpr
from ..shaped import ShapeDtypeStruct

__all__ = ["PartialVal", "custom_partial_eval_rules", "dce_jaxpr", "dce_rules", "trace_to_jaxpr_dynamic"]

custom_partial_eval_rules: dict[Any, Any] = {}
dce_rules: dict[Any, Any] = {}


class PartialVal(tuple):  # type: ignore[type-arg]
    """A value that is known, or its shape and dtype."""

    @classmethod
    def unknown(cls, aval: Any) -> PartialVal:
        """Return one that is not known."""
        return cls((aval, None))

    @classmethod
    def known(cls, const: Any) -> PartialVal:
        """Return one that is known."""
        return cls((None, const))


def trace_to_jaxpr_dynamic(fun: Any, in_avals: Any, **options: Any) -> tuple[Jaxpr, list[Any], list[Any]]:
    """Trace a function of `jax.extend.linear_util`: the program, the shapes and dtypes of results, the arrays held."""
    structs = [ShapeDtypeStruct(a.shape, a.dtype, weak_type=getattr(a, "weak_type", False)) for a in in_avals]
    closed = make_jaxpr(fun.call_wrapped)(*structs)
    return closed.jaxpr, closed.out_avals, closed.consts


def dce_jaxpr(jaxpr: Jaxpr, used_outputs: Any, instantiate: Any = False) -> tuple[Jaxpr, list[bool]]:
    """Return a program without the equations that the used results do not need, and which arguments it needs."""
    outs = [v for v, used in zip(jaxpr.outvars, used_outputs, strict=True) if used]
    needed = {id(v) for v in outs}
    kept = []
    for eqn in reversed(jaxpr.eqns):
        if eqn.effects or any(id(v) in needed for v in eqn.outvars):
            kept.append(eqn)
            needed |= {id(v) for v in eqn.invars}
    flags = [id(v) in needed or bool(instantiate) for v in jaxpr.invars]
    invars = [v for v, flag in zip(jaxpr.invars, flags, strict=True) if flag]
    return Jaxpr(jaxpr.constvars, invars, outs, kept[::-1]), flags
