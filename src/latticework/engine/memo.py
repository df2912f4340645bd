"""Where kernels are kept, and what else than signatures decides which kernel a call gets.

A kernel is kept under the policy that its plan was made by: another thread may have changed the process default since,
and what is kept for that lies under the policy itself too.

Some rules look at more than signatures: at which arrays have no dimensions, at values. A kernel goes where the
dispatchers look only if the plan is the same for all operands of these signatures. Else they never find one, and it is
kept under `_CLOSER` with what else was looked at. Ordinary rules pay nothing for that.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from itertools import product
from types import NoneType
from typing import TYPE_CHECKING, Any

from ..core.dtypes import Dtype
from ..core.signature import Sig
from ..errors import NoDataError
from ..policy import current
from ..promotion import Operand
from ..promotion.families import looks_at
from .array import Array
from .call import Call, is_ours
from .number import python_type, value_of
from .observing import rescuer
from .plan import Plan, resolve

if TYPE_CHECKING:
    from .op import Op

__all__ = ["BY_VALUE", "call_of", "kernel_of", "signature_of"]

#: What kernels are kept under that dispatchers never look for, with all that decided on them.
_CLOSER = "what the rules looked at besides the signatures"

#: Where values are looked at, the kernels are kept by what was decided, and found here by the values.
BY_VALUE = "what the rules made of values"

#: How many combinations of operands with values are kept.
_MOST = 256

#: Operands beyond which the ways that they may have dimensions or none are not gone through.
_FEW = 3

#: Stands for all ints that are beyond int64 and not beyond uint64: PyTorch has another dtype for them.
_LARGE = 2**63

Make = Callable[["Op", Plan], Any]


def signature_of(x: Any) -> Sig | type:
    """What dispatch knows of an operand: the signature of an array, the type of anything else."""
    return x._sig if isinstance(x, Array) else python_type(x)


def call_of(o: Op, operands: tuple[Any, ...], dtype: Dtype | None = None, *, in_place: bool = False) -> Call:
    """One call, with the operands as the rules in force take them. It holds no operand: kernels may hold on to it."""
    policy = current()
    signature = tuple(map(signature_of, operands))
    needs, weak = policy.rules.needs, bool(policy.weak_arrays)
    facts: tuple[Any, ...] | None = None
    if "zero_dim" in needs or "value" in needs:
        facts = tuple(_fact(x, "value" in needs, weak) for x in operands)
    elif not is_ours(policy.rules) and (more := looks_at(policy.rules, o.name)):
        facts = tuple(_dimensions(x, "constant" in more, weak) for x in operands)
    return Call(o, policy, signature, facts, dtype, in_place)


def _fact(x: Any, value: bool, weak: bool) -> Any:
    """An operand as rules take it that look at dimensions, or at values too."""
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
    """The value of an array without dimensions; None of one without data, whose value the rules then do without."""
    try:
        return x.item()
    except NoDataError:
        return None


def _dimensions(x: Any, constant: bool, weak: bool) -> Any:
    """An operand as an operation takes it that looks at dimensions, or at which arrays without them are constants."""
    if not isinstance(x, Array):
        return python_type(x)
    return Operand(x.dtype, x.ndim == 0 and (not constant or has_known_value(x)), weak and x._sig.weak)


def has_known_value(x: Array) -> bool:
    """Whether an integer array without dimensions is no argument of a function that is being traced."""
    if x._sig.backend.facts.lazy or not x._sig.backend.facts.framework:
        return True  # Dask's arrays and those without data: they have a value, which is not asked for
    if x.dtype.kind not in "iu":
        return False
    try:
        operator.index(x._data)
    except (TypeError, RuntimeError, ValueError):
        return False
    return True


def kernel_of(call: Call, make: Make, kernels: dict[Any, Any], path: tuple[Any, ...], last: Any) -> Any:
    """The kernel that `make` makes of a call's plan, kept in `kernels`: under ``path[0]``, ``path[1]``, … `last`.

    Where the call is refused, and an audit says how to go on, the kernel is of that plan and is not kept.
    """
    try:
        return _kept_kernel(call, make, kernels, path, last)
    except TypeError as error:
        rescue = rescuer.get()
        if rescue is None:
            raise
        return make(call.op, rescue(call, error))


def _kept_kernel(call: Call, make: Make, kernels: dict[Any, Any], path: tuple[Any, ...], last: Any) -> Any:
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
    if value:  # of which there may be any number: they are kept for as long as they are few
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


def _always(call: Call, p: Plan) -> bool:
    """Whether the plan is the same whichever arrays have dimensions, and however large Python ints are."""
    assert call.facts is not None
    if len(call.facts) > _FEW:
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
    """In the place of a plan's function, which follows from the rest."""


def _lookup(kernels: dict[Any, Any], *path: Any) -> dict[Any, Any]:
    for step in path:
        kernels = kernels.setdefault(step, {})
    return kernels
