"""One run of a program without data: what each operation was called with, what it gave, and what was refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from ..backends import get
from ..core.dtypes import Dtype
from ..core.registry import declared
from ..engine.array import Array
from ..engine.observing import observer, rescuer, tolerates
from ..engine.plan import resolve
from ..engine.without_data import restored
from ..errors import BackendError, NoDataError, PromotionError
from ..policy import Policy, block, current
from ..promotion import RULES, rules_named
from .following import NotFollowedError, followed, is_for_torch, unwrapped
from .following_torch import arrays, tensors
from .places import Call, caller

if TYPE_CHECKING:
    from ..engine.call import Call as Asked
    from ..engine.plan import Plan

__all__ = ["Key", "Record", "Run", "going_on", "in_run", "record", "run_of"]


class Run(NamedTuple):
    """A rule set on a backend, under which a program runs.

    Attributes
    ----------
    label: what reports call it: the name of the rules, or ``on torch`` for a backend under the rules in force.
    policy: what is in force in it.
    """

    label: str
    policy: Policy


def run_of(rules: Any = None, backend: str | None = None) -> Run:
    """The run under a rule set, or under the rules in force on a backend.

    Raises
    ------
    ValueError: for a name that is no rule set or no backend.
    """
    chosen = current().rules if rules is None else rules_named(rules)
    name = f"abstract:{backend}" if backend else "abstract"
    get(name)
    policy = current()._with(rules=chosen, backend=name, chosen=backend is not None, device=None)
    return Run(f"on {backend}" if backend else chosen.name, policy)


#: Where an operation is in a program: the identity of the code object, the instruction, the function of ours, and how
#: many times that was reached before.
Key = tuple[int, int, str, int]


@dataclass(slots=True)
class Record:
    """One operation of one run.

    Attributes
    ----------
    op: the function's name.
    call: where it was called.
    plan: what was done, None for an assignment that is refused.
    args, kw: what the kernel got: native arrays without data, scalars and options.
    weak_arrays: the native arrays of the run that are weak, by their identity.
    error: why it is refused, None where it is not. The results are then those of other rules.
    """

    op: str
    call: Call
    plan: Plan | None
    args: tuple[Any, ...]
    kw: dict[str, Any]
    weak_arrays: dict[int, Any]
    error: Exception | None = None

    @property
    def operands(self) -> tuple[Dtype | type, ...]:
        """The dtypes of arrays and the types of Python scalars that it was called with."""
        return () if self.plan is None else self.plan.operands

    @property
    def results(self) -> tuple[Dtype, ...]:
        return () if self.plan is None else self.plan.out

    @property
    def weak(self) -> bool:
        return self.plan is not None and self.plan.weak


class _Refused:
    """What a plan of a refused call has in the place of its function: that of other rules, and the error."""

    __slots__ = ("__qualname__", "error", "run")

    def __init__(self, run: Callable[..., Any], error: Exception) -> None:
        self.run, self.error = run, error
        self.__qualname__ = str(getattr(run, "__qualname__", "call"))

    def __call__(self, *args: Any, **kw: Any) -> Any:
        return self.run(*args, **kw)


#: The rules whose result is taken for a call that is refused: the first that answer.
_INSTEAD = ("unified", "numpy")


def going_on(call: Asked, error: Exception) -> Plan:
    """The plan of a refused call by rules that answer, so that a program runs on after the refusal.

    Raises
    ------
    The error, where no rules answer, or the backend has no such dtype.
    """
    backend = next(s.backend for s in call.signature if not isinstance(s, type))
    anyone = get("abstract")
    signature = tuple(s if isinstance(s, type) else anyone.sig(s.dtype) for s in call.signature)
    for name in _INSTEAD:
        policy = call.policy._with(rules=RULES[name])
        try:
            p = resolve(call._replace(policy=policy, signature=signature, facts=None))
            for dtype in {*p.out, *p.native_out, *(c for c in p.casts if c)}:
                backend.sig(dtype)
        except TypeError:
            continue
        if call.in_place:
            p = p._replace(out=call.dtypes[:1])  # type: ignore[arg-type]
        return p._replace(backend=backend, call=_Refused(p.call, error), rules=call.policy.rules)
    raise error


@dataclass
class Log:
    """What one run did.

    Attributes
    ----------
    records: its operations by key, in the order in which they ran.
    result: what the program returned.
    stopped: the error that ended the run, None where it ran to its end.
    last: where the last operation was called.
    weak_arrays: the native arrays that are weak, by their identity.
    """

    run: Run
    records: dict[Key, Record] = field(default_factory=dict)
    result: Any = None
    stopped: Exception | None = None
    last: Call | None = None
    weak_arrays: dict[int, Any] = field(default_factory=dict)

    def add_weak(self, x: Any) -> None:
        """Keep a weak array, ours or native, so that operations that get it know that it is weak."""
        data = x._data if isinstance(x, Array) else x
        self.weak_arrays[id(data)] = data


class _Recorder:
    """The observer of one run."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.times: dict[tuple[int, int, str], int] = {}
        self.inside = False
        self.refused: Exception | None = None

    def __call__(self, p: Plan, kernel: Callable[..., Any], args: tuple[Any, ...], kw: dict[str, Any]) -> Any:
        if type(p.call) is _Refused and self.refused is None:
            self.refused = p.call.error
        if self.inside:  # an operation that the one observed is made of
            return kernel(*args, **kw)
        call = caller()
        record = Record(p.op, call, p, args, kw, self.log.weak_arrays)
        self.log.last = call
        self.inside = True
        try:
            result = kernel(*args, **kw)
        except OverflowError as error:  # of a Python int that the dtype does not hold
            self.refused = error
            result = kernel(*[1 if type(x) is int else x for x in args], **kw)
        finally:
            self.inside = False
            record.error, self.refused = self.refused, None
            self.add(record)
        if p.weak:
            self.log.add_weak(result)
        return result

    def add(self, record: Record) -> None:
        """Add an operation under the next key of its place. An index or a key that is a list is no operation."""
        call = record.call
        if call.of_key and record.op == "asarray":
            return
        key = id(call.code), call.instruction, record.op
        n = self.times.get(key, 0)
        self.times[key] = n + 1
        self.log.records[*key, n] = record

    def assignment(self, error: Exception) -> bool:
        """Note an assignment that is refused, and go on."""
        call = caller()
        self.add(Record("setitem", call, None, (), {}, {}, error))
        return True


@contextmanager
def in_run(run: Run) -> Iterator[None]:
    """Run a block under the policy of a run, going on after no refusal."""
    token = rescuer.set(None), tolerates.set(None), observer.set(None)
    try:
        with block(run.policy):
            yield
    finally:
        rescuer.reset(token[0])
        tolerates.reset(token[1])
        observer.reset(token[2])


#: What ends a run without being a mistake of the audit's.
_ENDS = (
    PromotionError, BackendError, NoDataError, NotFollowedError, TypeError, ValueError, ArithmeticError, LookupError,
    AttributeError, RuntimeError,
)  # fmt: skip


def record(run: Run, program: Callable[..., Any], args: tuple[Any, ...], kw: dict[str, Any]) -> Log:
    """Run a program without data and record its operations.

    Parameters
    ----------
    args, kw: its arguments as functions of no argument, which make arrays without data under the policy of the run.
    """
    log = Log(run)
    recorder = _Recorder(log)
    with block(run.policy), restored(program), followed(program):
        arguments, options = [make() for make in args], {n: make() for n, make in kw.items()}
        if is_for_torch(program):
            arguments, options = tensors(arguments), {n: tensors(x) for n, x in options.items()}
        tokens = observer.set(recorder), rescuer.set(going_on), tolerates.set(recorder.assignment)
        try:
            log.result = arrays(unwrapped(program)(*arguments, **options))
        except _ENDS as error:
            log.stopped = error
        finally:
            observer.reset(tokens[0])
            rescuer.reset(tokens[1])
            tolerates.reset(tokens[2])
    return log


def is_array(x: Any) -> bool:
    return isinstance(x, Array)


def declared_operands(op: str) -> tuple[str, ...]:
    """The names of the parameters of a function of ours that are operands."""
    o = declared(op)
    return () if o is None else (*o.operands, *o.optional)
