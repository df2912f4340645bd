"""The cache of kernels, and what decides on a kernel besides the signatures.

A kernel is kept under the policy that its plan was made by: another thread may have changed the process default since,
and kernels for the default are kept under the policy itself too.

Some rules look at more than signatures: at which arrays are 0-d, at values. A kernel goes where the dispatchers look
only if the plan is the same for all operands of these signatures. Else they never find one, and the kernel is kept
under `_CLOSER`, by what else the rules looked at. Ordinary rules pay nothing for that.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from itertools import product
from types import NoneType
from typing import TYPE_CHECKING, Any

from ...core.dtypes import Dtype
from ...core.signature import Sig
from ...errors import NoDataError
from ...policy import current
from ...promotion import Operand
from ...promotion.families import looks_at
from ..arrays.array import Array
from ..arrays.number import python_type, value_of
from ..plans.plan import Plan, resolve
from ..plans.request import Request, is_ours
from .observing import rescuer, seeing

if TYPE_CHECKING:
    from ..op import Op

__all__ = ["BY_VALUE", "call_of", "kernel_of", "signature_of"]

#: The key of the kernels that dispatchers never look up, kept by all that decided on them.
_CLOSER = "what the rules looked at besides the signatures"

#: The key of the table by values: if rules look at values, kernels are kept by the decision, and found here.
BY_VALUE = "what the rules made of values"

#: The most combinations of operands with values that are kept.
_MOST = 256

#: The most operands for which all combinations of 0-d and other arrays are gone through.
_FEW = 5

#: Stands for all ints beyond int64 that fit uint64: PyTorch has another dtype for them.
_LARGE = 2**63

Make = Callable[["Op", Plan], Any]


def signature_of(x: Any) -> Sig | type:
    """Return the key of an operand: the signature of an array, the type of anything else."""
    return x._sig if isinstance(x, Array) else python_type(x)


def call_of(o: Op, operands: tuple[Any, ...], dtype: Dtype | None = None, *, in_place: bool = False) -> Request:
    """Make a call, with the operands as the rules in force take them. It holds no operand: kernels may hold it."""
    policy = current()
    signature = tuple(map(signature_of, operands))
    needs, weak = policy.rules.needs, bool(policy.weak_arrays)
    facts: tuple[Any, ...] | None = None
    if "zero_dim" in needs or "value" in needs:
        facts = tuple(_fact(x, "value" in needs, weak) for x in operands)
    elif not is_ours(policy.rules) and (more := looks_at(policy.rules, o.name)):
        facts = tuple(_dimensions(x, "constant" in more, weak) for x in operands)
    return Request(o, policy, signature, facts, dtype, in_place)


def _fact(x: Any, value: bool, weak: bool) -> Any:
    """Return an operand as rules take it if they look at dimensions, or at values too."""
    if x is None:
        return NoneType
    if not isinstance(x, Array):
        kind = python_type(x)
        return value_of(x, "is under rules that look at it") if value else _LARGE if _is_large(x, kind) else kind
    zero_dim = x.ndim == 0
    return Operand(x.dtype, zero_dim, weak and x._sig.weak, _known(x) if value and zero_dim else None)


def _is_large(x: Any, kind: type) -> bool:
    return kind is int and bool(2**63 <= x < 2**64)


def _known(x: Array) -> Any:
    """Return the value of a 0-d array; None if the array has no data: the rules then do without its value."""
    try:
        return x.item()
    except NoDataError:
        return None


def _dimensions(x: Any, constant: bool, weak: bool) -> Any:
    """Return an operand as an operation takes it if it looks at dimensions, or at which 0-d arrays are constants."""
    if not isinstance(x, Array):
        return python_type(x)
    return Operand(x.dtype, x.ndim == 0 and (not constant or has_known_value(x)), weak and x._sig.weak)


def has_known_value(x: Array) -> bool:
    """Return whether a 0-d integer array is concrete (not a tracer)."""
    if x._sig.backend.facts.lazy or not x._sig.backend.facts.framework:
        return True  # Dask's arrays and arrays without data have a value, which is not asked for
    if x.dtype.kind not in "iu":
        return False
    try:
        operator.index(x._data)
    except (TypeError, RuntimeError, ValueError):
        return False
    return True


def kernel_of(call: Request, make: Make, kernels: dict[Any, Any], path: tuple[Any, ...], last: Any) -> Any:
    """Return the kernel that `make` makes of a call's plan, kept in `kernels` under ``path[0]``, ``path[1]``, … `last`.

    If the call is refused, and an audit gives a plan to go on with, the kernel is of that plan and is not kept.
    """
    see = seeing.get()
    try:
        found = _kept_kernel(call, make, kernels, path, last)
        if see is None:
            return found
        kept = _lookup(kernels, *path).pop(last, None) is found
        return see(call.op, found, kept)
    except TypeError as error:
        rescue = rescuer.get()
        if rescue is None:
            raise
        return make(call.op, rescue(call, error))


def _kept_kernel(call: Request, make: Make, kernels: dict[Any, Any], path: tuple[Any, ...], last: Any) -> Any:
    if call.facts is None:
        kept = _lookup(kernels, *path)
        found = kept.get(last)
        if found is None:  # else it is for a framework's own array, whose type tells the dispatcher nothing
            found = kept[last] = make(call.op, resolve(call))
        return found
    value = "value" in call.policy.rules.needs
    closer, key = _lookup(kernels, _CLOSER), (*path, last, call.facts)
    table = _lookup(kernels, BY_VALUE) if value else closer
    if key in table:
        return table[key]
    p = resolve(call)
    if value:  # there may be any number of values: they are kept as long as they are few
        decided = (*path, last, p._replace(call=_stub))
        if decided not in closer:
            closer[decided] = make(call.op, p)
        if len(table) >= _MOST:
            table.clear()
        table[key] = closer[decided]
        return closer[decided]
    kernel = make(call.op, p)
    if _always(call, p):
        _lookup(kernels, *path)[last] = kernel
    else:
        closer[key] = kernel
    return kernel


def _always(call: Request, p: Plan) -> bool:
    """Return whether the plan is the same whichever arrays are 0-d, and however large Python ints are."""
    assert call.facts is not None
    if sum(x is not NoneType for x in call.facts) > _FEW:
        return False
    large = "zero_dim" in call.policy.rules.needs
    for facts in product(*(_variants(x, large) for x in call.facts)):
        try:
            other = resolve(call._replace(facts=facts))
        except (TypeError, OverflowError):  # it is refused, or the backend lacks the dtype
            return False
        if other != p:
            return False
    return True


def _variants(x: Any, large: bool) -> tuple[Any, ...]:
    if isinstance(x, Operand):
        return x._replace(zero_dim=False), x._replace(zero_dim=True)
    return (int, _LARGE) if large and x in (int, _LARGE) else (x,)


def _stub() -> None:
    """Stand for a plan's function, which follows from the rest of the plan."""


def _lookup(kernels: dict[Any, Any], *path: Any) -> dict[Any, Any]:
    for step in path:
        kernels = kernels.setdefault(step, {})
    return kernels
