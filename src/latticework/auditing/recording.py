"""The record of one run of a program without data: the arguments and results of each operation, and the refusals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from ..backend import get
from ..core.dtypes import Dtype, float32, int32
from ..core.registry import declared
from ..engine.arrays.array import Array
from ..engine.calls.observing import observer, rescuer, tolerates
from ..engine.functions.without_data import restored
from ..engine.plans.plan import resolve
from ..errors import BackendError, NoDataError, PromotionError
from ..policy import Policy, block, current
from ..promotion import RULES, rules_named
from .following import NotFollowedError, followed
from .places import CallSite, caller

if TYPE_CHECKING:
    from types import FrameType

    from ..engine.plans.plan import Plan
    from ..engine.plans.request import Request

__all__ = ["Key", "Record", "Run", "going_on", "in_run", "record", "run_of"]


class Run(NamedTuple):
    """A rule set on a backend, under which a program runs.

    Attributes
    ----------
    label: its name in reports: that of the rules, or ``on torch`` for a backend under the rules in force.
    policy: the policy in force in it.
    """

    label: str
    policy: Policy


def run_of(rules: Any = None, backend: str | None = None) -> Run:
    """Make the run under a rule set, or under the rules in force on a backend.

    Raises
    ------
    ValueError: for a name that is no rule set or no backend.
    """
    chosen = current().rules if rules is None else rules_named(rules)
    name = f"abstract:{backend}" if backend else "abstract"
    get(name)
    policy = current()._with(rules=chosen, backend=name, chosen=backend is not None, device=None)
    return Run(f"on {backend}" if backend else chosen.name, policy)


#: The position of an operation in a program: the identity of the code object, the instruction, the latticework
#: function, and how many times it was reached before.
Key = tuple[int, int, str, int]


@dataclass(slots=True)
class Record:
    """An operation of a run.

    Attributes
    ----------
    op: the function's name.
    call: where it was called.
    plan: its plan; None for an assignment that is refused.
    args, kw: the arguments of the kernel: native arrays without data, scalars and options.
    weak_arrays: the native arrays of the run that are weak, by their identity.
    beside: the functions that ran at its place, without those that make arrays or change no dtype.
    error: the error where it is refused, else None. The results of a refused one are those of other rules.
    made: what the kernel returned, of native arrays without data.
    number: which call of its place it is a part of, where that is a call of a dialect's function.
    """

    op: str
    call: CallSite
    plan: Plan | None
    args: tuple[Any, ...]
    kw: dict[str, Any]
    weak_arrays: dict[int, Any]
    beside: set[str]
    error: Exception | None = None
    made: Any = None
    number: int = 0

    @property
    def alone(self) -> bool:
        """Whether the expression at its place calls this function alone, with its operands."""
        return len(self.beside) < 2

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
    """The function in the plan of a refused call: the function under other rules, with the error."""

    __slots__ = ("__qualname__", "error", "run")

    def __init__(self, run: Callable[..., Any], error: Exception) -> None:
        self.run, self.error = run, error
        self.__qualname__ = str(getattr(run, "__qualname__", "call"))

    def __call__(self, *args: Any, **kw: Any) -> Any:
        return self.run(*args, **kw)


#: The rules and defaults whose result replaces that of a refused call: the first that have one.
_INSTEAD: tuple[dict[str, Any], ...] = (
    {"rules": "unified"}, {"rules": "numpy"}, {"rules": "unified", "default_int": int32, "default_float": float32},
)  # fmt: skip


def going_on(call: Request, error: Exception) -> Plan:
    """Make the plan of a refused call by other rules, so that a program runs on after the refusal.

    Raises
    ------
    The error, where no rules answer, or the backend has no such dtype.
    """
    backend = next(s.backend for s in call.signature if not isinstance(s, type))
    anyone = get("abstract")
    signature = tuple(s if isinstance(s, type) else anyone.sig(s.dtype) for s in call.signature)
    for fields in _INSTEAD:
        policy = call.policy._with(**(fields | {"rules": RULES[fields["rules"]]}))
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
    """The log of one run.

    Attributes
    ----------
    records: its operations by key, in the order in which they ran.
    result: what the program returned.
    stopped: the error that ended the run, None where it ran to its end.
    last: the call of the last operation.
    weak_arrays: the native arrays that are weak, by their identity.
    """

    run: Run
    records: dict[Key, Record] = field(default_factory=dict)
    result: Any = None
    stopped: Exception | None = None
    last: CallSite | None = None
    weak_arrays: dict[int, Any] = field(default_factory=dict)

    def add_weak(self, x: Any) -> None:
        """Keep a weak lw.Array or native array, so that operations that get it know that it is weak."""
        data = x._data if isinstance(x, Array) else x
        self.weak_arrays[id(data)] = data


class _Recorder:
    """The observer of one run."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.times: dict[tuple[int, int, str], int] = {}
        self.at: dict[tuple[int, int], set[str]] = {}
        self.speaking: dict[tuple[int, int], tuple[FrameType | None, int]] = {}
        self.inside = False
        self.refused: Exception | None = None

    def __call__(self, p: Plan, kernel: Callable[..., Any], args: tuple[Any, ...], kw: dict[str, Any]) -> Any:
        if type(p.call) is _Refused and self.refused is None:
            self.refused = p.call.error
        if self.inside:  # an operation inside the observed one
            return kernel(*args, **kw)
        call = caller()
        number, call = self.number(call), call._replace(frame=None)
        record = Record(p.op, call, p, args, kw, self.log.weak_arrays, self.beside(call, p.op), number=number)
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
        record.made = result._data if isinstance(result, Array) else result
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
        number, call = self.number(call), call._replace(frame=None)
        self.add(Record("setitem", call, None, (), {}, {}, set(), error, number=number))
        return True

    def number(self, call: CallSite) -> int:
        """Return how many calls of a dialect's function there were at a place, with this one. Frames are kept for that
        one by one: two that live at once are not the same."""
        place = id(call.code), call.instruction
        frame, number = self.speaking.get(place, (None, 0))
        if call.frame is not frame:
            number += 1
            self.speaking[place] = call.frame, number
        return number

    def beside(self, call: CallSite, op: str) -> set[str]:
        """Return the functions that ran at a place, with this one."""
        found = self.at.setdefault((id(call.code), call.instruction), set())
        if op not in _ASIDE:
            found.add(op)
        return found


#: Functions that make arrays, or change no dtype.
_ASIDE = frozenset("asarray astype getitem setitem reshape squeeze expand_dims broadcast_to permute_dims".split())


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


#: The errors that end a run and are no mistake of the audit.
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
    with restored(program), followed(program, run.policy) as call:
        arguments, options = [call.given(make()) for make in args], {n: call.given(make()) for n, make in kw.items()}
        tokens = observer.set(recorder), rescuer.set(going_on), tolerates.set(recorder.assignment)
        try:
            log.result = call.result(call.program(*arguments, **options))
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
    """Return the names of a latticework function's parameters that are operands."""
    o = declared(op)
    return () if o is None else (*o.operands, *o.optional)
