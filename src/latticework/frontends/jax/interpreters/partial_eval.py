"""`jax.interpreters.partial_eval`: programs traced as equations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import latticework as lw

from ....policy import current, in_force
from ..core import ALSO_ARRAYS, as_array, dialect
from ..jaxprs import Jaxpr, Var, make_jaxpr
from ..keys import KeyArray
from ..shaped import ShapeDtypeStruct
from ..tracers import ShapedArray, get_aval
from ..transformations import weakened

__all__ = [
    "PartialVal", "custom_partial_eval_rules", "dce_jaxpr", "dce_rules", "trace_to_jaxpr_dynamic",
    "trace_to_jaxpr_nounits",
]  # fmt: skip

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


def trace_to_jaxpr_nounits(
    fun: Any, pvals: Sequence[Any], instantiate: Any = False
) -> tuple[Jaxpr, list[PartialVal], list[Any]]:
    """Run a function of `jax.extend.linear_util` on arguments of which some are known.

    What depends on these alone is computed. No equations are recorded of the rest: the program that is returned has the
    results that are not known as arguments.
    """
    given = [const if aval is None else _unknown(aval) for aval, const in pvals]
    outs = [x if type(x) in ALSO_ARRAYS else as_array(x) for x in fun.call_wrapped(*given)]
    asked = instantiate if isinstance(instantiate, (list, tuple)) else [instantiate] * len(outs)
    found = [
        PartialVal.unknown(get_aval(x)) if _has_no_values(x) or wanted else PartialVal.known(x)
        for x, wanted in zip(outs, asked, strict=True)
    ]
    rest = [Var(aval, n) for n, (aval, _) in enumerate(found) if aval is not None]
    return Jaxpr([], rest, rest, []), found, []


def _unknown(aval: Any) -> Any:
    """An array without values, of a shape and dtype."""
    if getattr(aval.dtype, "name", "") == "key<fry>":
        return KeyArray(_unknown(ShapedArray((*aval.shape, 2), "uint32")))
    with in_force(current()._with(backend=f"abstract:{current().backend}")):
        made = lw.zeros(tuple(aval.shape), dtype=lw.as_dtype(aval.dtype.name))
    return weakened(dialect.wrap(made), [bool(getattr(aval, "weak_type", False))])


def _has_no_values(x: Any) -> bool:
    x = x._data if type(x) is KeyArray else x
    return bool(x._array._sig.backend.name.startswith("abstract"))


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
