"""A `Plan` is what one call will do. Eager calls run it, errors and tests read it, `lw.plan` shows it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from .dtypes import CATEGORIES, SCALAR_KINDS, Dtype, bool_, category
from .errors import BackendError, PromotionError
from .promotion import operations

if TYPE_CHECKING:
    from .backends import Backend
    from .dispatch import Sig
    from .op import Op
    from .policy import Policy


class Plan(NamedTuple):
    """Cast these operands, call that function, the results have these dtypes.

    Attributes
    ----------
    op: the function's name.
    how: ``"native"`` (the backend's own or one line over it), ``"detour"`` (an exact way round a dtype that
        the framework's own function lacks) or ``"composed"`` (from other functions of ours).
    casts: for each operand, the dtype that it is cast to, or None where it is passed as it is.
    computed: the dtype computed in.
    out: the dtype of each result. One, unless the function gives several arrays.
    call: the backend's function, or the composition.
    accumulate: the dtype given to the function's own `dtype` argument, for sums and products.
    """

    op: str
    backend: Backend
    how: str
    operands: tuple[Dtype | type, ...]
    casts: tuple[Dtype | None, ...]
    computed: Dtype
    out: tuple[Dtype, ...]
    call: Callable[..., Any]
    accumulate: Dtype | None = None

    def __str__(self) -> str:
        shown = [
            f"{_name(given)} as {cast}" if cast and cast != given else _name(given)
            for given, cast in zip(self.operands, self.casts, strict=True)
        ]
        via = getattr(self.call, "__qualname__", None) or getattr(self.call, "__name__", repr(self.call))
        made = f", accumulated in {self.accumulate}" if self.accumulate else ""
        return (
            f"{self.op}({', '.join(shown)}) -> {', '.join(self.out)}"
            f"  [{self.how}: {via} on {self.backend.name}, computed in {self.computed}{made}]"
        )


def _name(operand: Dtype | type) -> str:
    return str(operand) if isinstance(operand, Dtype) else f"Python {operand.__name__}"


def resolve(op: Op, policy: Policy, signature: tuple[Sig | type, ...], dtype: Dtype | None = None) -> Plan:
    """Decide everything about one call from the signatures of its operands.

    Raises
    ------
    PromotionError: the rules give the operands no common dtype.
    BackendError: operands of two backends, or a dtype that the backend has no exact way to compute.
    TypeError: the common dtype is not of the function's category.
    """
    operands = tuple(s if isinstance(s, type) else s.dtype for s in signature)
    backend = _backend_of(op, signature)
    joining = tuple(d for d, role in zip(operands, op.roles(len(operands)), strict=True) if role == "join")
    joined = _join(op, policy, joining, operands) if joining else bool_  # of logical_and, where none joins
    try:
        computed = operations.computed_in(op.accepts, joined, policy)
    except PromotionError as error:  # an integer that the rules let meet no float
        raise _refused(op, policy, (joined, float), operands, error) from None
    if computed.kind not in CATEGORIES[op.accepts]:
        raise TypeError(_wrong_category(op, operands, computed))
    accumulate = None
    if op.has_dtype:
        accumulate = dtype or operations.result("accumulate", computed, policy)
        outs: tuple[Dtype, ...] = (accumulate,)
    else:
        outs = tuple(backend.index if o == "index" else operations.result(o, computed, policy) for o in op.out)
    casts = []
    for given, role in zip(operands, op.roles(len(operands)), strict=True):
        target = {"join": computed, "index": backend.index, "bool": bool_, "own": given}[role]
        if isinstance(target, type):
            target = policy.default(SCALAR_KINDS[target])
        kind = given.kind if isinstance(given, Dtype) else SCALAR_KINDS.get(given)
        if role == "index" and kind not in ("i", "u"):
            raise TypeError(f"{op.name}: {_integers(op)} must have an integer dtype; got {_name(given)}")
        casts.append(target if isinstance(given, type) or target is not given else None)
    both = tuple(d for d in operands if isinstance(d, Dtype))
    for needed in {computed, *outs}:
        backend.sig(needed)  # refuses what the backend does not have
    call = backend.function(op.name, computed)
    how = "native" if call is None or (op.name, computed) not in backend.detours else "detour"
    if call is None:
        if op.body is None:
            raise BackendError(f"{op.name}: the {backend.name} backend does not have this function")
        call, how = op.body, "composed"
    two_arrays = len(both) == len(operands) == 2
    if how == "native" and two_arrays and any(casts) and backend.module.promotes(op.name, both, computed):
        casts = [None, None]
    return Plan(op.name, backend, how, operands, tuple(casts), computed, outs, call, accumulate)


def _integers(op: Op) -> str:
    return next(name for name, role in op.special.items() if role == "index")


def _backend_of(op: Op, signature: tuple[Sig | type, ...]) -> Backend:
    found = [*dict.fromkeys(s.backend for s in signature if not isinstance(s, type))]
    if len(found) > 1:
        a, b = found[:2]
        raise BackendError(
            f"{op.name}: arrays of two backends, {a.name} and {b.name}, in one call. "
            f"Convert one: lw.asarray(x, backend={a.name!r})"
        )
    if not signature:
        raise ValueError(f"{op.name}: takes at least one array; got none")
    if not found:
        raise TypeError(f"{op.name}: at least one operand must be an array; got {_listed(signature)}")
    backend: Backend = found[0]
    return backend


def _listed(signature: tuple[Sig | type, ...]) -> str:
    return " and ".join(f"a Python {s.__name__}" if isinstance(s, type) else str(s.dtype) for s in signature)


def _join(op: Op, policy: Policy, joining: tuple[Dtype | type, ...], operands: tuple[Dtype | type, ...]) -> Dtype:
    try:
        return policy.promote(*joining)
    except PromotionError as error:
        raise _refused(op, policy, joining, operands, error) from None


def _refused(
    op: Op,
    policy: Policy,
    joining: tuple[Dtype | type, ...],
    operands: tuple[Dtype | type, ...],
    error: PromotionError,
) -> PromotionError:
    """The rules' own error with the function's name, the cast that settles it and the line to put it in."""
    strong = [d for d in joining if isinstance(d, Dtype)]
    wide = max(strong, key=lambda d: ("buifc".index(d.kind), d.bits))
    at = next((i for i, d in enumerate(operands, 1) if d is not wide and isinstance(d, Dtype)), 1)
    name = f"x{at}" if len(operands) > 1 else "x"
    if len(set(strong)) > 1:
        way_out = f"Cast one: lw.astype({name}, lw.{wide})"
    elif scalars := [d for d in joining if not isinstance(d, Dtype)]:
        way_out = f"Cast the array first: lw.astype({name}, lw.{policy.default(SCALAR_KINDS[scalars[0]])})"
    else:
        way_out = f"Cast first: lw.astype({name}, dtype), to one of {', '.join(policy.rules.dtypes)}"
    return PromotionError(f"{op.name}: {error}. {way_out}{_caller()}")


def _caller() -> str:
    """` (file.py:12)`: the innermost line that is not ours, the one to change."""
    import sys

    frame = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "latticework":
        frame = frame.f_back  # type: ignore[assignment]
    return f" ({frame.f_code.co_filename}:{frame.f_lineno})" if frame else ""


def _wrong_category(op: Op, operands: tuple[Dtype | type, ...], computed: Dtype) -> str:
    given = " and ".join(map(_name, operands))
    promoted = f", which promote to {computed}" if len(operands) > 1 else ""
    takes = f"{op.accepts} dtypes ({', '.join(category(op.accepts))})"
    return f"{op.name.lstrip('_')}: takes {takes}; got {given}{promoted}. Cast first: lw.astype(x, dtype)"
