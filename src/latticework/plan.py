"""A `Plan` is what one call will do. Eager calls run it, errors and tests read it, `lw.plan` shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .dtypes import CATEGORIES, KIND_ORDER, SCALAR_KINDS, Dtype, all_dtypes, bool_, category, int64
from .errors import BackendError, PromotionError
from .promotion import Operand, operations

if TYPE_CHECKING:
    from .backends import Backend
    from .dispatch import Sig
    from .op import Op
    from .policy import Policy
    from .promotion import Rules


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
    made: the dtype that the call gives each result, which is cast to `out` where it is another.
    weak: whether the results are weak, under rules that know weak arrays.
    function: the name of the backend's function, which is another than the operation's for arithmetic on bools.
    rules: the rules that decided.
    beside: the dtype of the first array, which a Python int has to fit under some frameworks' rules.
    mode, refused: the casting mode that allowed it, and the dtype that the function does not take on this backend.
    """

    op: str
    backend: Backend
    how: str
    operands: tuple[Dtype | type, ...]
    casts: tuple[Dtype | None, ...]
    computed: Dtype
    out: tuple[Dtype, ...]
    call: Callable[..., Any]
    accumulate: Dtype | None
    made: tuple[Dtype, ...]
    weak: bool
    function: str
    rules: Rules
    beside: Dtype
    mode: str | None = None
    refused: Dtype | None = None

    def __str__(self) -> str:
        shown = [
            f"{_name(given)} as {cast}" if cast and cast != given else _name(given)
            for given, cast in zip(self.operands, self.casts, strict=True)
        ]
        via = getattr(self.call, "__qualname__", None) or getattr(self.call, "__name__", repr(self.call))
        made = f", accumulated in {self.accumulate}" if self.accumulate else ""
        cast = f", cast {self.mode} from {self.refused}" if self.mode else ""
        return (
            f"{self.op}({', '.join(shown)}) -> {'weak ' * self.weak}{', '.join(self.out)}"
            f"  [{self.how}: {via} on {self.backend.name}, computed in {self.computed}{made}{cast}]"
        )

    @property
    def sigs(self) -> tuple[Sig, ...]:
        """The signature of each result."""
        sigs = tuple(self.backend.sig(d) for d in self.out)
        return tuple(s.weakly for s in sigs) if self.weak else sigs


def _name(operand: Dtype | type) -> str:
    return str(operand) if isinstance(operand, Dtype) else f"Python {operand.__name__}"


class Call(NamedTuple):
    """What is known of a call before it is decided on.

    Attributes
    ----------
    signature: what dispatch knows of each operand.
    given: the operands as the rules take them (`Rules.result`).
    dtype: the ``dtype=`` of a function that has one, where it is given.
    in_place: whether the result goes into the first operand.
    """

    op: Op
    policy: Policy
    signature: tuple[Sig | type, ...]
    given: tuple[Any, ...]
    dtype: Dtype | None
    in_place: bool

    @property
    def operands(self) -> tuple[Dtype | type, ...]:
        """The dtypes of arrays, and the types of Python scalars."""
        return tuple(s if isinstance(s, type) else s.dtype for s in self.signature)

    @property
    def joining(self) -> tuple[Any, ...]:
        """The operands that promote together, as the rules take them."""
        return tuple(x for x, role in zip(self.given, self.op.roles(len(self.given)), strict=True) if role == "join")


class Answer(NamedTuple):
    """What the rules say of a call: the dtype to compute in, those of the results, and whether these are weak."""

    computed: Dtype
    out: tuple[Dtype, ...]
    weak: bool = False


def resolve(
    op: Op,
    policy: Policy,
    signature: tuple[Sig | type, ...],
    dtype: Dtype | None = None,
    *,
    given: tuple[Any, ...] | None = None,
    in_place: bool = False,
) -> Plan:
    """Decide everything about one call from the signatures of its operands.

    `given` has the operands as the rules take them (`Rules.result`), where they look at more than a signature tells.

    Raises
    ------
    PromotionError: the rules give the operands no common dtype.
    BackendError: operands of two backends, or a dtype that the backend has no exact way to compute.
    TypeError: the common dtype is not of the function's category.
    """
    if given is None:
        given = tuple(known(s, policy) for s in signature)
    call = Call(op, policy, signature, given, dtype, in_place)
    try:
        return _resolve(call)
    except (BackendError, TypeError) as error:
        refused = getattr(error, "refused", None)
        if refused is None:
            raise by_whom(op.name, error) from None
        return _cast_instead(call, refused, error)


def _cast_instead(call: Call, refused: Dtype, error: Exception) -> Plan:
    """The plan in another dtype, where a casting mode that is on allows one; else the error, with the modes that do."""
    from . import casting

    def by(modes: tuple[str, ...]) -> Iterator[casting.Way]:
        refusals = (BackendError, TypeError)
        return casting.ways(modes, refused, call.policy, lambda target: _resolve(call, target), refusals)

    for way in by(call.policy.casting):
        cast: Plan = way.made
        return cast._replace(mode=way.mode, refused=refused)
    raise by_whom(call.op.name, type(error)(f"{error}{casting.advice(by(casting.MODES))}")) from None


def by_whom(name: str, error: Exception) -> Exception:
    """The error, with the name of the function of ours that was called where `name` is one that it is composed of."""
    import sys

    from .op import OPS

    bodies = {o.body.__code__: o.name for o in OPS.values() if o.body is not None}
    frame, called = sys._getframe(1), name
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "latticework":
        called = bodies.get(frame.f_code, called)
        frame = frame.f_back  # type: ignore[assignment]
    inner, _, rest = str(error).partition(":")
    if called in (name, inner):
        return error
    outer = called.lstrip("_")
    named = type(error)(f"{outer}:{rest}" if inner.lstrip("_") == outer else f"{outer}: in {error}")
    vars(named).update(vars(error))
    return named


def _resolve(call: Call, instead: Dtype | None = None) -> Plan:
    """As `resolve`; computed in the dtype `instead`, where a casting mode says so. An error about a dtype that the
    function or the backend does not take has that dtype as `refused`."""
    op, policy, operands = call.op, call.policy, call.operands
    backend = _backend_of(op, call.signature)
    answer = (_of_ours if is_ours(policy.rules) else _of_framework)(call, instead)
    computed = answer.computed
    # Positions are of the backend's own width where the rules ask for no narrower.
    outs = tuple(backend.index if o == "index" and d is int64 else d for o, d in zip(op.out, answer.out, strict=True))
    accumulate = outs[0] if op.has_dtype else None
    if accumulate is not None and computed.kind == "c" and accumulate.kind in "iuf":
        way_out = "Take lw.real(x) or lw.abs(x)"
        raise TypeError(f"{op.name}: {computed} to {accumulate} would drop the imaginary part. {way_out}")
    if accumulate is bool_ and is_ours(policy.rules):
        way_out = _AS_BOOL.get(op.name, "Cast the result: lw.astype(y, lw.bool)")
        raise TypeError(f"{op.name}: dtype must be a numeric one; got bool. {way_out}")
    if accumulate is not None and computed.kind == "f" and accumulate.kind in "iu":
        computed = accumulate  # cast before, as `astype` does it: the frameworks' own functions each have it their way
    casts = []
    for operand, role in zip(operands, op.roles(len(operands)), strict=True):
        target = {"join": computed, "index": backend.index, "bool": bool_, "own": operand}[role]
        if isinstance(target, type):
            target = policy.default(SCALAR_KINDS[target])
        kind = operand.kind if isinstance(operand, Dtype) else SCALAR_KINDS.get(operand)
        if role == "index" and kind not in ("i", "u"):
            raise TypeError(f"{op.name}: {_integers(op)} must have an integer dtype; got {_name(operand)}")
        casts.append(target if isinstance(operand, type) or target is not operand else None)
    both = tuple(d for d in operands if isinstance(d, Dtype))
    made = outs
    if not accumulate:
        made = tuple(backend.index if o == "index" else operations.result(o, computed, policy.default) for o in op.out)
    function = _OF_BOOLS.get(op.name, op.name) if computed.kind == "b" else op.name
    try:
        for needed in {computed, *outs, *made}:
            backend.sig(needed)  # refuses what the backend does not have
        run = backend.function(function, computed)
    except BackendError as error:
        raise _not_taken(error, computed)  # noqa: B904 - it is the same error
    how = "native" if run is None or (function, computed) not in backend.detours else "detour"
    if run is None:
        if op.body is None:
            raise BackendError(f"{op.name}: the {backend.name} backend does not have this function")
        run, how = op.body, "composed"
    if computed.kind not in CATEGORIES[op.accepts] and function == op.name:
        run, how = _beyond(op, None if how == "composed" else run, backend, computed, made[0], policy), "detour"
    joining = [d for d, role in zip(operands, op.roles(len(operands)), strict=True) if role == "join"]
    beside = next((d for d in joining if isinstance(d, Dtype)), both[0])
    two_arrays = len(both) == len(operands) == 2
    if how == "native" and two_arrays and any(casts) and backend.promotes(function, both, computed):
        casts = [None, None]
    return Plan(
        op.name, backend, how, operands, tuple(casts), computed, outs, run, accumulate, made, answer.weak,
        function, policy.rules, beside,
    )  # fmt: skip


def known(s: Sig | type, policy: Policy) -> Any:
    """An operand as rules take it, of which no more is known than its signature."""
    if isinstance(s, type):
        return s
    return Operand(s.dtype, weak=True) if s.weak and policy.weak_arrays else s.dtype


def _beyond(
    op: Op, call: Callable[..., Any] | None, backend: Backend, computed: Dtype, made: Dtype, policy: Policy
) -> Callable[..., Any]:
    """A backend's function in a dtype that ours does not take but a framework's does: it may be able to or not.

    Compositions (None) are not tried: what they are made of takes no more than they do.
    """

    def attempt(*args: Any, **kw: Any) -> Any:
        try:
            result = call(*args, **kw)  # type: ignore[misc]
        except (ValueError, IndexError, MemoryError):
            raise  # of arguments that do not fit, in any dtype
        except Exception as error:
            raise refused() from error
        if len(op.out) == 1 and backend.dtypes.get(backend.module.dtype_of(result)) is not made:
            raise refused()
        return result

    def refused() -> BackendError:
        return BackendError(
            f"{op.name}: the {policy.rules.name} rules compute in {computed}, which the {backend.name} backend has no "
            f"{op.name} for. Cast first: lw.astype(x, dtype)"
        )

    if call is None:
        raise refused()
    attempt.__qualname__ = getattr(call, "__qualname__", op.name)
    return attempt


def is_ours(rules: Rules) -> bool:
    """Whether rules say no more than what the common dtype is. A framework's have families of operations, and
    default dtypes of their own."""
    return rules.families == "unified" and not (rules.defaults or rules.version)


def _of_ours(call: Call, instead: Dtype | None) -> Answer:
    """By rules that say what the common dtype is; all functions of one category go on from there alike."""
    op, policy = call.op, call.policy
    joining = call.joining
    try:
        joined = policy.promote(*joining) if joining else bool_  # of logical_and, where none joins
    except PromotionError as error:
        raise _refused(call, joining, error) from None
    try:
        computed = instead or operations.computed_in(op.accepts, joined, policy)
    except PromotionError as error:  # an integer that the rules let meet no float
        raise _refused(call, (joined, float), error) from None
    if computed.kind not in CATEGORIES[op.accepts]:
        raise _not_taken(TypeError(_wrong_category(op, call.operands, computed)), computed)
    return _in(call, computed)


def _in(call: Call, computed: Dtype) -> Answer:
    """What follows from the dtype computed in by the function's declaration."""
    if call.op.has_dtype:
        return Answer(computed, (call.dtype or operations.result("accumulate", computed, call.policy.default),))
    return Answer(computed, tuple(operations.result(o, computed, call.policy.default) for o in call.op.out))


def _of_framework(call: Call, instead: Dtype | None) -> Answer:
    """By a framework's rules and its families of operations."""
    from .promotion.families import decide

    op, policy = call.op, call.policy
    joining = call.joining
    try:
        found = decide(policy.rules, op.name, call.given, policy.default, dtype=call.dtype, in_place=call.in_place)
    except PromotionError as error:
        raise _refused(call, joining or call.given, error) from None
    weak = found.weak and call.dtype is None
    if not joining:  # of logical_and, whose operands become bools
        return Answer(bool_, (found.result,), weak)
    if instead:
        return _in(call, instead)
    # Where there are several results, the first is the one decided on.
    others = (
        found.result if o == op.out[0] else operations.result(o, found.computed, policy.default) for o in op.out[1:]
    )
    return Answer(found.computed, (found.result, *others), weak)


#: What the frameworks' arithmetic on bools is, for backends whose own takes none. Ours takes none either.
_OF_BOOLS = {
    "add": "logical_or", "multiply": "logical_and", "maximum": "logical_or", "minimum": "logical_and",
    **dict.fromkeys("abs ceil conj floor positive real round sign trunc".split(), "duplicate"),
}  # fmt: skip


_AS_BOOL = {"sum": "Take lw.any(x)", "prod": "Take lw.all(x)"}


def _not_taken(error: Exception, dtype: Dtype) -> Exception:
    error.refused = dtype  # type: ignore[attr-defined]
    return error


def _integers(op: Op) -> str:
    return next(name for name, role in op.special.items() if role == "index")


def _backend_of(op: Op, signature: tuple[Sig | type, ...]) -> Backend:
    found = [*dict.fromkeys(s.backend for s in signature if not isinstance(s, type))]
    if len(found) > 1:
        a, b = found[:2]
        raise BackendError(
            f"{op.name}: arrays of two backends, {a.name} and {b.name}, in one call. "
            f"Convert one: lw.asarray(x, backend={(b if a.name == 'numpy' else a).name!r})"
        )
    if not signature:
        raise ValueError(f"{op.name}: takes at least one array; got none")
    if not found:
        raise TypeError(f"{op.name}: at least one operand must be an array; got {_listed(signature)}")
    backend: Backend = found[0]
    return backend


def _listed(signature: tuple[Sig | type, ...]) -> str:
    return " and ".join(f"a Python {s.__name__}" if isinstance(s, type) else str(s.dtype) for s in signature)


def _refused(call: Call, joining: tuple[Any, ...], error: PromotionError) -> PromotionError:
    """The rules' own error with the function's name, the cast that settles it and the line to put it in."""
    name, text = call.op.name, str(error)
    if text.startswith(f"{name} of "):  # a family's own words, which begin with the function's name
        text = text.removeprefix(f"{name} of ")
        if len(joining) > 1:
            text = text.replace(" is refused under", " are refused under", 1)
    return PromotionError(f"{name}: {text}. {_way_out(call, joining)}{_caller()}")


def _way_out(call: Call, joining: tuple[Any, ...]) -> str:
    """What settles a refusal: a cast of one operand that was tried."""
    from .promotion.explain import cast, settling

    op, policy = call.op, call.policy
    places = [i for i, role in enumerate(op.roles(len(call.given))) if role == "join"]
    given = call.joining if places else call.given
    places = places or [*range(len(given))]
    strong = {i: x if isinstance(x, Dtype) else x.dtype for i, x in enumerate(given) if isinstance(x, (Dtype, Operand))}
    scalars = {i: x if isinstance(x, type) else type(x) for i, x in enumerate(given) if i not in strong}

    def attempt(operands: Sequence[Any], default: Any) -> None:
        if is_ours(policy.rules):
            computed = operations.computed_in(op.accepts, policy.promote(*operands), policy)
            if computed.kind not in CATEGORIES[op.accepts]:
                raise PromotionError(op.accepts)
        else:
            from .promotion.families import decide

            decide(policy.rules, op.name, operands, default, dtype=call.dtype, in_place=call.in_place)

    def settles(target: Dtype, *which: int) -> bool:
        if any(i in strong and strong[i].kind == "c" != target.kind for i in which):
            return False  # the cast would drop imaginary parts
        try:
            attempt([cast(x, target) if n in which else x for n, x in enumerate(given)], policy.default)
        except (PromotionError, TypeError):
            return False
        return True

    def named(i: int) -> str:
        if op.sequence:
            return f"x{i + 1}" if len(given) > 1 else "x"
        return op.operands[places[i]]

    if not strong:
        return "Give an array in place of a Python scalar: lw.asarray(value, dtype=dtype)"
    wide = max(strong.values(), key=lambda d: (KIND_ORDER.get(d.kind, 0), d.bits))
    if len({*strong.values()}) == 1 and not scalars:  # of one dtype, the rules do not take it
        defaults = [policy.default(kind) for kind in "if" if KIND_ORDER[kind] >= KIND_ORDER.get(wide.kind, 9)]
        wider = [d for d in policy.rules.dtypes if d in all_dtypes and d.kind == wide.kind and d.bits > wide.bits]
        target = next((d for d in (*wider, *defaults) if settles(d, *strong)), None)
        if target is not None:
            casts = ", ".join(dict.fromkeys(f"lw.astype({named(i)}, lw.{target})" for i in strong))
            return f"{'Cast first' if len(strong) == 1 else 'Cast each'}: {casts}"
    likely = [(i, wide) for i, d in strong.items() if d is not wide]
    highest = max(scalars.values(), key=lambda s: KIND_ORDER[SCALAR_KINDS[s]], default=None)
    if highest is not None and len(strong) == 1:
        kinds = dict.fromkeys((SCALAR_KINDS[highest], "f"))  # a float also for an int that is divided by
        likely = [(i, policy.default(kind)) for kind in kinds for i in strong]
    found = next(((i, target) for i, target in likely if settles(target, i)), None)
    found = found or settling(policy.rules, given, policy.default, attempt)
    if found is not None and found[1] in all_dtypes:
        first = "Cast the array first" if scalars else "Cast first"
        return f"{first if len(strong) == 1 else 'Cast one'}: lw.astype({named(found[0])}, lw.{found[1]})"
    if scalars:
        i, scalar = next(iter(scalars.items()))
        as_array = wide if KIND_ORDER[SCALAR_KINDS[scalar]] <= KIND_ORDER.get(wide.kind, 0) else policy.default("f")
        if settles(as_array, i):
            return f"Give an array in place of the Python {scalar.__name__}: lw.asarray(value, dtype=lw.{as_array})"
    known = [d for d in policy.rules.dtypes if d in all_dtypes]
    return f"These rules take {', '.join(known)} alone" if {*strong.values()} - {*known} else _NO_WAY_OUT


_NO_WAY_OUT = "No cast of one operand settles it; other rules may take it: lw.using(rules='unified')"


def _caller() -> str:
    """` (file.py:12)`: the innermost line that is not ours, the one to change."""
    from .casting import asked_at

    at = asked_at()
    return f" ({at[0]}:{at[1]})" if at else ""


def _wrong_category(op: Op, operands: tuple[Dtype | type, ...], computed: Dtype) -> str:
    given = " and ".join(map(_name, operands))
    promoted = f", which promote to {computed}" if len(operands) > 1 else ""
    takes = f"{op.accepts} dtypes ({', '.join(category(op.accepts))})"
    return f"{op.name.lstrip('_')}: takes {takes}; got {given}{promoted}. Cast first: lw.astype(x, dtype)"
