"""A `Plan` is what one call will do. Eager calls run it, errors and tests read it, `lw.plan` shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from inspect import CO_VARKEYWORDS, unwrap
from types import NoneType
from typing import TYPE_CHECKING, Any, NamedTuple

from ...backend import get
from ...backend.slopes import slopes_of
from ...core.dtypes import SCALAR_KINDS, Dtype, bool_, category, complex64, int64, takes
from ...core.registry import OPS
from ...core.showing import shown
from ...errors import BackendError, PromotionError
from ...policy import current
from ...promotion import operations
from ...promotion.families import decide, family_of
from ...promotion.rules import gives_way
from . import casting
from .advice import by_whom, refused, wrong_category
from .exact import body_to_bools, exact_body
from .halves import COMPARISONS, compared_in_complex32
from .powers import by_low_bits
from .request import Request, is_ours, name_of

if TYPE_CHECKING:
    from ...backend import Backend
    from ...core.signature import Sig
    from ...policy import Policy
    from ...promotion import Rules
    from ..op import Op


class Plan(NamedTuple):
    """The plan of a call: the casts of its operands, the function to call, and the dtypes of the results.

    Attributes
    ----------
    op: the function's name.
    how: ``"native"`` (the backend's own or one line over it), ``"emulated"`` (an exact way round a dtype that
        the framework's own function lacks) or ``"composed"`` (from other latticework functions).
    casts: for each operand, the dtype that it is cast to, or None where it is passed as it is.
    computed: the dtype computed in.
    out: the dtype of each result. One, unless the function gives several arrays.
    call: the backend's function, or the composition.
    accumulate: the dtype given to the function's own `dtype` argument, for sums and products.
    native_out: the dtype that the call gives each result. The result is cast to `out` where that differs.
    weak: whether the results are weak, under rules that know weak arrays.
    function: the name of the backend's function, which differs from the operation's for arithmetic on bools.
    rules: the rules that decided.
    array_dtype: the dtype of the first array, which a Python int has to fit under some frameworks' rules.
    device: the device of a new array.
    shapes: the shape of each result, None where the plan is not of a call on given arrays.
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
    native_out: tuple[Dtype, ...]
    weak: bool
    function: str
    rules: Rules
    array_dtype: Dtype
    mode: str | None = None
    refused: Dtype | None = None
    device: Any = None
    shapes: tuple[Any, ...] | None = None

    def __str__(self) -> str:
        shown = [name if cast is None else f"{name} as {cast}" for name, cast in self.shown_operands()]
        results = ", ".join(f"{dtype}{shape}" for dtype, shape in self.shown_results()) or "a Python value"
        return f"{self.op}({', '.join(shown)}) -> {'weak ' * self.weak}{results}  [{self.shown_facts()}]"

    def _repr_html_(self) -> str:
        """Return the plan for notebooks."""
        html: str = shown("plan_html", self)
        return html

    def shown_operands(self) -> list[tuple[str, Dtype | None]]:
        """List each operand in words, with the dtype that it is cast to, if that is another."""
        return [
            (name_of(operand), cast if cast is not operand else None)
            for operand, cast in zip(self.operands, self.casts, strict=True)
            if operand is not NoneType
        ]

    def shown_results(self) -> list[tuple[Dtype, str]]:
        """List the dtype of each result, with its shape in words if that is known."""
        if self.shapes is None or len(self.shapes) != len(self.out):
            return [(dtype, "") for dtype in self.out]
        return [(dtype, f" of shape {shape}") for dtype, shape in zip(self.out, self.shapes, strict=True)]

    @property
    def shown_how(self) -> str:
        """Say how it is computed, as `how` does; a backend's function that is made of its others is composed."""
        return "composed" if getattr(self.call, "composes", False) else self.how

    def shown_facts(self) -> str:
        """Describe the function that is called and how, its backend, and the dtype that it computes in."""
        has_operands = any(operand is not NoneType for operand in self.operands)
        via = str(getattr(self.call, "__qualname__", None) or getattr(self.call, "__name__", "cast"))
        via = via.partition(".<locals>")[0].rpartition(".")[2]
        facts = f"{self.shown_how}: {via} on {self.backend.name}"
        if self.device is not None:
            facts += f", {self.device}"
        if has_operands and self.op not in ("astype", "asarray", "getitem", "setitem"):
            facts += f", computed in {self.computed}"
        if self.accumulate and has_operands:
            facts += f", accumulated in {self.accumulate}"
        if self.mode:
            facts += f", cast {self.mode} from {self.refused}"
        return facts

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the backend by name; the function, which may be a closure, is found again."""
        name: Any = getattr(self.call, "__name__", "")
        return _unpickled, (*self._replace(backend=self.backend.name, call=name),)  # type: ignore[arg-type]

    @property
    def gives_out(self) -> bool:
        """True if the function itself gives the dtypes of the results, so that none of them is cast."""
        return all(native is out for native, out in zip(self.native_out, self.out, strict=True))

    @property
    def sigs(self) -> tuple[Sig, ...]:
        """The signature of each result."""
        sigs = tuple(self.backend.sig(d) for d in self.out)
        return tuple(s.weakly for s in sigs) if self.weak else sigs


def _unpickled(*fields: Any) -> Plan:
    """Make a plan of the fields that `Plan.__reduce__` gives."""
    p = Plan(*fields)
    backend = get(p.backend)
    return p._replace(backend=backend, call=_call_of(p, str(p.call), backend))


def _call_of(p: Plan, name: str, backend: Backend) -> Callable[..., Any]:
    """Find the function that a plan calls, by its name."""
    native = backend.native_dtypes.get(p.computed)
    found: Callable[..., Any]
    if p.op in ("getitem", "setitem"):
        found = backend.index if p.op == "getitem" else backend.assign
        return found
    if p.op in ("astype", "asarray", "from_dlpack"):
        if name in ("duplicate", "from_numpy", "from_dlpack"):
            found = getattr(backend, name)
        else:
            found = backend.cast(native) if isinstance(p.operands[0], Dtype) else backend.scalar(native)
        return found
    call = OPS[p.op].body
    if p.how in ("native", "emulated"):
        call = slopes_of(backend.function(p.function, p.computed), current())
    return call or OPS[p.op].function


class Answer(NamedTuple):
    """The rules' answer for a call: the dtype to compute in, the results' dtypes, and whether the results are weak."""

    computed: Dtype
    out: tuple[Dtype, ...]
    weak: bool = False


def resolve(call: Request) -> Plan:
    """Decide everything about one call from the signatures of its operands.

    Raises
    ------
    PromotionError: the rules give the operands no common dtype.
    BackendError: operands of two backends, or a dtype that the backend has no exact way to compute.
    TypeError: the common dtype is not of the function's category.
    """
    if call.dtype is not None and call.op.casts_first:
        return _of_cast_operand(call, call.dtype)
    try:
        return _resolve(call)
    except (BackendError, TypeError) as error:
        untaken = getattr(error, "refused", None)
        if untaken is None:
            raise by_whom(call.op.name, error) from None
        return _cast_instead(call, untaken, error)


def _of_cast_operand(call: Request, dtype: Dtype) -> Plan:
    """Make the plan of a call that casts its first operand to its `dtype` before anything else."""
    op, first = call.op, call.dtypes[0]
    if not takes(op.accepts, dtype):
        taken = ", ".join(map(str, category(op.accepts)))
        raise TypeError(f"{op.name}: dtype must be one of the {op.accepts} dtypes ({taken}); got {dtype}")
    if isinstance(first, Dtype) and first.kind == "c" != dtype.kind:
        raise TypeError(f"{op.name}: {first} to {dtype} would drop the imaginary part. Take lw.real(x) or lw.abs(x)")
    backend = _backend_of(op, call.signature)
    found = resolve(call._replace(signature=(backend.sig(dtype), *call.signature[1:]), facts=None, dtype=None))
    cast = found.casts[0] or (None if first is dtype else dtype)
    return found._replace(operands=(first, *found.operands[1:]), casts=(cast, *found.casts[1:]))


def _cast_instead(call: Request, refused: Dtype, error: Exception) -> Plan:
    """Make the plan in another dtype, if a casting mode that is on allows it; else raise, naming the modes that do."""

    def by(modes: tuple[str, ...]) -> Iterator[casting.CastCandidate]:
        refusals = (BackendError, TypeError)
        return casting.candidates(modes, refused, call.policy, lambda target: _resolve(call, target), refusals)

    for candidate in by(call.policy.casting):
        cast: Plan = candidate.result
        return cast._replace(mode=candidate.mode, refused=refused)
    raise by_whom(call.op.name, type(error)(f"{error}{casting.advice(by(casting.MODES))}")) from None


def _resolve(call: Request, instead: Dtype | None = None) -> Plan:
    """Like `resolve`, but compute in the dtype `instead`, where a casting mode says so.

    An error about a dtype that the function or the backend does not take has that dtype as `refused`.
    """
    op, policy, operands = call.op, call.policy, call.dtypes
    backend = _backend_of(op, call.signature)
    answer = _moved(call) or (_of_ours(call, instead) if is_ours(policy.rules) else _of_framework(call, instead))
    if call.in_place and instead is None and is_ours(policy.rules):
        answer = _written(call, answer)
    computed = answer.computed
    for held in _storage_dtypes(call, answer):
        if not takes(op.accepts, held):
            raise _not_taken(TypeError(wrong_category(op, operands, held)), held)
    # Positions are of the backend's own width where the rules ask for no narrower.
    outs = tuple(
        backend.index_dtype if o == "index" and d is int64 else d for o, d in zip(op.out, answer.out, strict=True)
    )
    accumulate = outs[0] if op.has_dtype else None
    if accumulate is not None and computed.kind == "c" and accumulate.kind in "iuf":
        way_out = "Take lw.real(x) or lw.abs(x)"
        raise TypeError(f"{op.name}: {computed} to {accumulate} would drop the imaginary part. {way_out}")
    if accumulate is bool_ and is_ours(policy.rules):
        way_out = _AS_BOOL.get(op.name, "Cast the result: lw.astype(y, lw.bool)")
        raise TypeError(f"{op.name}: dtype must be a numeric one; got bool. {way_out}")
    if accumulate is not None and computed.kind == "f" and accumulate.kind in "iu":
        computed = accumulate  # cast before, as `astype` does it: the frameworks' own functions differ in it
    casts: list[Dtype | None] = []
    for operand, role in zip(operands, op.roles(len(operands)), strict=True):
        if operand is NoneType:
            casts.append(None)
            continue
        target = {"join": computed, "index": backend.index_dtype, "bool": bool_, "own": operand}[role]
        if isinstance(target, type):
            target = policy.default(SCALAR_KINDS[target])
        kind = operand.kind if isinstance(operand, Dtype) else SCALAR_KINDS.get(operand)
        if role == "index" and kind not in ("i", "u"):
            raise TypeError(f"{op.name}: {_integers(op)} must have an integer dtype; got {name_of(operand)}")
        casts.append(target if isinstance(operand, type) or target is not operand else None)
    both = tuple(d for d in operands if isinstance(d, Dtype))
    native_out = outs
    if not accumulate:
        native_out = tuple(
            backend.index_dtype if o == "index" else operations.result(o, computed, policy.default) for o in op.out
        )
    if computed.use == "rules":
        if computed.name != "complex32" or op.name not in COMPARISONS:
            raise _not_taken(BackendError(_of_no_backend(op, policy.rules, computed)), computed)
        run, halves = compared_in_complex32(op.name, operands, backend)
        return Plan(
            op.name, backend, "emulated", operands, halves, complex64, outs, run, None, outs, answer.weak, op.name,
            policy.rules, both[0],
        )  # fmt: skip
    function = _OF_BOOLS.get(op.name, op.name) if computed.kind == "b" else op.name
    try:
        for needed in {computed, *outs, *native_out}:
            backend.sig(needed)  # refuses what the backend does not have
        run = _that_takes(op, slopes_of(backend.function(function, computed), policy), operands)
    except BackendError as error:
        raise _not_taken(error, computed)  # noqa: B904 - it is the same error
    how = "native" if run is None or not backend.emulates(function, computed) else "emulated"
    ints = getattr(run, "ints", None)  # of a function of the framework that has a width of its own for them
    if ints is not None:
        native_out = tuple(ints if o == "int" else d for o, d in zip(op.out, native_out, strict=True))
    if run is None:
        if op.body is None:
            raise BackendError(
                f"{op.name}: the {backend.title} backend does not have this function, and latticework does not make it "
                f"of others. Convert first: lw.asarray(x, backend='numpy')"
            )
        run, how = op.body, "composed"
    beyond = not takes(op.accepts, computed)
    body = exact_body(op.name, computed) if beyond else body_to_bools(op.name) if accumulate is bool_ else None
    if body is not None:
        run, how = body, "composed"
    elif beyond and function == op.name:
        run, how = _beyond(op, None if how == "composed" else run, backend, computed, native_out[0], policy), "emulated"
    joining = [d for d, role in zip(operands, op.roles(len(operands)), strict=True) if role == "join"]
    array_dtype = next((d for d in joining if isinstance(d, Dtype)), both[0])
    two_arrays = len(both) == len(operands) == 2
    if two_arrays and both[1].kind == "i" and computed.kind in "iu" and _by_low_bits(op, policy.rules):
        run, how, casts[1] = by_low_bits(backend, computed, both[1], policy.rules.name), "emulated", None
    arrays_alone = len(both) == len(operands) <= 2
    if how == "native" and arrays_alone and any(casts) and backend.promotes(function, both, computed):
        casts = [None] * len(casts)
    return Plan(
        op.name, backend, how, operands, tuple(casts), computed, outs, run, accumulate, native_out, answer.weak,
        function, policy.rules, array_dtype,
    )  # fmt: skip


def _of_no_backend(op: Op, rules: Rules, dtype: Dtype) -> str:
    """Write the error for a dtype that the rules answer and no `Array` ever has."""
    framework = rules.version.partition(" ")[0] or "the framework"
    wider = f"lw.{complex64}" if dtype.kind == "c" else "dtype"
    return (
        f"{op.name}: the {rules.name} rules answer {dtype}, as {framework} does; latticework has no {dtype} on any "
        f"backend. Cast an operand to a wider dtype first: lw.astype(x, {wider})"
    )


def _by_low_bits(op: Op, rules: Rules) -> bool:
    return op.name == "pow" and not is_ours(rules) and family_of(rules, op.name).low_bits


def _moved(call: Request) -> Answer | None:
    """Return the answer for a function that moves elements of one storage dtype: that dtype, under any rules."""
    stored = next((d for d in call.dtypes if isinstance(d, Dtype) and d.storage), None)
    if stored is None or not takes(call.op.accepts, stored) or not all(gives_way(x, stored) for x in call.joining):
        return None
    return _in(call, stored)


def _written(call: Request, answer: Answer) -> Answer:
    """Return the answer for a call that writes into its first operand: cast to its dtype if the rules allow it."""
    policy, target, (result,) = call.policy, call.dtypes[0], answer.out
    if result is target or not isinstance(target, Dtype):
        return answer
    return answer._replace(out=(target,)) if policy.rules.goes_into(result, target, policy.default) else answer


def _storage_dtypes(call: Request, answer: Answer) -> Iterator[Dtype]:
    """List the storage dtypes that a call would have to compute with, under any rules."""
    yield from (d for d in (answer.computed, *answer.out) if d.storage)
    roles = call.op.roles(len(call.dtypes))
    for dtype, role in zip(call.dtypes, roles, strict=True):
        if role != "join" and isinstance(dtype, Dtype) and dtype.storage:
            yield dtype


def _that_takes(op: Op, run: Callable[..., Any] | None, operands: tuple[Dtype | type, ...]) -> Any:
    """Return a backend's function, None if it has no parameter for one of the optional operands that are given.

    The composition then computes the call.
    """
    optional = operands[len(op.operands) :]
    if run is None or op.body is None or not op.optional or all(x is NoneType for x in optional):
        return run
    code = getattr(unwrap(run), "__code__", None)
    if code is None:  # a framework's own function, which has the framework's parameters
        return None
    if code.co_flags & CO_VARKEYWORDS:
        return run
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return run if all(n in names for n, x in zip(op.optional, optional, strict=True) if x is not NoneType) else None


def _beyond(
    op: Op, call: Callable[..., Any] | None, backend: Backend, computed: Dtype, made: Dtype, policy: Policy
) -> Callable[..., Any]:
    """Try a backend's function in a dtype that latticework's function does not take but a framework's does.

    Compositions (None) are not tried: their steps take no more than they do. A lazy result has the dtype that was
    expected, whatever dtype its blocks will have: the backend says which.
    """
    dtype_of_blocks = backend.dtype_of_blocks

    def attempt(*args: Any, **kw: Any) -> Any:
        try:
            result = call(*args, **kw)  # type: ignore[misc]
            later = None if dtype_of_blocks is None else dtype_of_blocks(op.name, computed, args, kw)
        except (ValueError, IndexError, MemoryError):
            raise  # of arguments that do not fit, in any dtype
        except Exception as error:
            raise lacking() from error
        if len(op.out) == 1 and (later or backend.dtypes.get(backend.dtype_of(result))) is not made:
            raise lacking()
        return result

    def lacking() -> BackendError:
        return BackendError(
            f"{op.name}: the {policy.rules.name} rules compute in {computed}, which the {backend.title} backend has no "
            f"{op.name} for. {_nearest_taken(op, backend, computed)}"
        )

    if call is None:
        raise lacking()
    attempt.__qualname__ = getattr(call, "__qualname__", op.name)
    return attempt


#: Kind of a dtype that a function does not take -> the dtypes to cast to: the first one that it takes.
_NEAREST = {"b": "int32 float32", "i": "int64 float32", "u": "int64 float32", "f": "float32 float64 int32", "c": ""}


def _nearest_taken(op: Op, backend: Backend, computed: Dtype) -> str:
    """Name the cast to a dtype that a function takes and a backend has."""
    for name in _NEAREST.get(computed.kind, "").split():
        dtype = Dtype(name)
        if takes(op.accepts, dtype) and dtype in backend.native_dtypes:
            return f"Cast first: lw.astype(x, lw.{dtype})"
    return "Take lw.real(x) or lw.abs(x) first" if computed.kind == "c" else "No dtype of the backend has it"


def _of_ours(call: Request, instead: Dtype | None) -> Answer:
    """Return the answer of rules that only say the common dtype; all functions of one category go on from it alike."""
    op, policy = call.op, call.policy
    joining = call.joining
    try:
        joined = policy.promote(*joining) if joining else bool_  # of logical_and, where none joins
    except PromotionError as error:
        raise refused(call, joining, error) from None
    try:
        computed = instead or operations.computed_in(op.accepts, joined, policy)
    except PromotionError as error:  # an integer that the rules let meet no float
        raise refused(call, (joined, float), error) from None
    if not takes(op.accepts, computed):
        raise _not_taken(TypeError(wrong_category(op, call.dtypes, computed)), computed)
    return _in(call, computed)


def _in(call: Request, computed: Dtype) -> Answer:
    """Return the answer that follows from the dtype computed in, by the function's declaration."""
    if call.op.has_dtype:
        return Answer(computed, (call.dtype or operations.result("accumulate", computed, call.policy.default),))
    return Answer(computed, tuple(operations.result(o, computed, call.policy.default) for o in call.op.out))


def _of_framework(call: Request, instead: Dtype | None) -> Answer:
    """Return the answer of a framework's rules and its families of operations."""
    op, policy = call.op, call.policy
    joining = call.joining
    try:
        found = decide(policy.rules, op.name, call.decisive, policy.default, dtype=call.dtype, in_place=call.in_place)
    except PromotionError as error:
        raise refused(call, joining or call.decisive, error) from None
    weak = found.weak and call.dtype is None
    if not joining:  # of logical_and, whose operands become bools
        return Answer(bool_, (found.result,), weak)
    if instead:
        return _in(call, instead)
    # The dtype decided on is that of the first result.
    others = (
        found.result if o == op.out[0] else operations.result(o, found.computed, policy.default) for o in op.out[1:]
    )
    return Answer(found.computed, (found.result, *others), weak)


#: The functions for the frameworks' arithmetic on bools: backends' arithmetic, as latticework's, may take no bools.
_OF_BOOLS = {
    "add": "logical_or", "multiply": "logical_and", "maximum": "logical_or", "minimum": "logical_and",
    **dict.fromkeys("abs ceil conj floor positive real round sign trunc".split(), "duplicate"),
}  # fmt: skip


_AS_BOOL = {"sum": "Take lw.any(x)", "prod": "Take lw.all(x)"}


def _not_taken(error: Exception, dtype: Dtype) -> Exception:
    error.refused = dtype  # type: ignore[attr-defined]
    return error


def _integers(op: Op) -> str:
    return next(name for name, role in op.role_of.items() if role == "index")


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
    return " and ".join(
        f"a Python {s.__name__}" if isinstance(s, type) else str(s.dtype) for s in signature if s is not NoneType
    )
