"""Old orders of arguments, which PyTorch still takes: a factor before the tensors that it scales."""

from __future__ import annotations

from typing import Any

from ...core.dtypes import SCALAR_KINDS

__all__ = ["OLD", "reordered"]

#: Functions -> the name of the factor, and how many tensors follow it.
_SCALED = {"add": ("alpha", 1), "sub": ("alpha", 1), "addcmul": ("value", 2), "addcdiv": ("value", 2)}
#: Functions that add a product to a tensor, with a factor of each, ``beta`` and ``alpha``.
_PRODUCTS = frozenset("addmm addmv addr addbmm baddbmm".split())


#: The functions that have an old form.
OLD = _PRODUCTS | _SCALED.keys()


def reordered(name: str, args: tuple[Any, ...], kw: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments of an old form in today's order, with the factors by their names; others as they are."""
    given = "".join("n" if type(x) in SCALAR_KINDS else "t" for x in args)
    forms = {"tn" + "t" * _SCALED[name][1]} if name in _SCALED else {"nttt", "tntt", "ntntt", "tnntt"}
    if given not in forms:
        return args, kw
    factors = (_SCALED[name][0],) if name in _SCALED else ("beta", "alpha")
    numbers = [x for x in args if type(x) in SCALAR_KINDS]
    tensors = tuple([x for x in args if type(x) not in SCALAR_KINDS])
    return tensors, {**kw, **dict(zip(factors, numbers, strict=False))}
