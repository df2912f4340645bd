"""The comparison of a program's runs: the operations on which they do not agree."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ..core.dtypes import Dtype
from ..engine.plans.request import name_of
from ..errors import PromotionError
from ..policy import in_force
from ..promotion import Operand
from ..promotion.explain import explain
from . import settling
from .aligning import Aligned, aligned, in_place, leading
from .fixing import fix_of, fix_of_call
from .recording import Key, Log, Record, declared_operands
from .report import Finding, Outcome

__all__ = ["findings_of"]


def findings_of(logs: Sequence[Log]) -> list[Finding]:
    """Return the operations on which not all runs agree, each once for every place and outcome.

    A call of a dialect's function that comes to several operations is one, whose result is that of the last. Of those
    that a run refuses in it, the first is a finding of its own.
    """
    found: dict[Any, Finding] = {}
    counted: dict[Any, int] = {}
    used = [_uses(log) for log in logs]
    operations = aligned(logs)
    calls = _calls(operations, logs)
    for a in operations:
        call = calls.get(a.key)
        made: list[tuple[Any, Callable[[], Finding]]] = []
        if call is None:
            if _differs(a.records.values()) and not _is_cast(a.records, used):
                made.append((_outcomes_of(a), partial(_finding, a, logs, bool(found))))
        else:
            if a is call.refused:
                made.append((_outcomes_of(a), partial(_finding, a, logs, bool(found), last=False)))
            if a is call.members[0] and call.differs and not _is_cast(call.ends, used):
                made.append((call.outcomes, partial(_finding_of_call, call, logs, bool(found))))
        # The same place with the same dtypes, in a loop or another call, is the same finding.
        for same, make in made:
            counted[same] = counted.get(same, 0) + 1
            if same not in found:
                found[same] = make()
    return [replace(f, times=counted[same]) for same, f in found.items()]


def _outcomes_of(a: Aligned) -> tuple[Any, ...]:
    """Return the place of an operation with its dtypes and refusals in each run."""
    return a.key[:3], tuple((i, r.operands, r.results, str(r.error)) for i, r in a.records.items())


@dataclass(frozen=True)
class _Call:
    """A call of a dialect's function that comes to several operations.

    Attributes
    ----------
    members: its operations.
    ends: the last operation in each run that came to its end without a refusal.
    """

    members: list[Aligned]
    ends: dict[int, Record]

    @property
    def refused(self) -> Aligned | None:
        """The first operation that a run refuses."""
        return next((a for a in self.members if any(r.error is not None for r in a.records.values())), None)

    @property
    def outcomes(self) -> tuple[Any, ...]:
        """The place of the call with its dtypes in each run."""
        return self.members[0].key[:2], tuple((i, r.results) for i, r in self.ends.items())

    @property
    def differs(self) -> bool:
        """Whether the runs give different result dtypes."""
        return len({r.results for r in self.ends.values()}) > 1


def _calls(operations: Iterable[Aligned], logs: Sequence[Log]) -> dict[Key, _Call]:
    """Return the calls of dialects' functions that come to several operations, by the keys of these."""
    members: dict[Any, list[Aligned]] = {}
    for a in operations:
        if a.first.call.spoken:
            members.setdefault((*a.key[:2], a.first.number), []).append(a)
    ends: dict[Any, dict[int, Record]] = {}
    for i, log in enumerate(logs):
        for key, r in log.records.items():
            ends.setdefault((*key[:2], r.number), {})[i] = r
        if log.stopped is not None and log.records:
            key, r = next(reversed(log.records.items()))
            ends[*key[:2], r.number].pop(i)
    found: dict[Key, _Call] = {}
    for call, several in members.items():
        if len({a.first.op for a in several}) > 1:
            refused = {i for a in several for i, r in a.records.items() if r.error is not None}
            agreed = {i: r for i, r in ends[call].items() if i not in refused}
            found |= dict.fromkeys([a.key for a in several], _Call(several, agreed))
    return found


def _differs(records: Iterable[Record]) -> bool:
    """Return whether a run refuses an operation, or the runs give different result dtypes."""
    results = set()
    for r in records:
        if r.error is not None:
            return True
        results.add(r.results)
    return len(results) > 1


def _uses(log: Log) -> dict[int, list[Record]]:
    """Return the operations that take each array of a run, by the identity of the native array."""
    found: dict[int, list[Record]] = {}
    for r in log.records.values():
        for x in (*leading(r), *r.args[1:], *r.kw.values()):
            found.setdefault(id(x), []).append(r)
    return found


def _is_cast(records: dict[int, Record], used: Sequence[dict[int, list[Record]]]) -> bool:
    """Return whether the program casts the result of an operation to one dtype in all runs, and uses it otherwise
    where it has that dtype alone."""
    targets: set[Any] = set()
    as_it_is: set[Any] = set()
    for i, r in records.items():
        if r.error is not None:
            return False
        uses = used[i].get(id(r.made), [])
        targets.update(u.results for u in uses if u.op == "astype")
        if not uses or any(u.op != "astype" for u in uses):
            as_it_is.add(r.results)
    return len(targets) == 1 and as_it_is <= targets


def _follows(a: Aligned, logs: Sequence[Log]) -> bool:
    """Return whether a difference follows from earlier operations.

    It does if runs with equal operands give one dtype or refuse it, and if all runs agree on the operands of the first
    one. It does not if an operand is an array in some runs and a number in others, as NumPy's scalars are: no operation
    made it so. What a function of an array makes, as `ones_like`, has that array's dtype.
    """
    if not a.first.operands and declared_operands(a.first.call.called):
        return True
    by_operands: dict[Any, set[Any]] = {}
    for r in a.records.values():
        by_operands.setdefault(r.operands, set()).add(None if r.error else r.results)
    if len(by_operands) == 1 or any(len(results - {None}) > 1 for results in by_operands.values()):
        return False
    mixed = any(len({isinstance(x, Dtype) for x in same}) > 1 for same in zip(*by_operands, strict=False))
    if a.first.op == "astype" or mixed:
        return False
    again = {settling.answer(a.first, logs[i].run, in_place(a)) for i in a.records}
    return len(again) == 1 and None not in again


def _finding(a: Aligned, logs: Sequence[Log], later: bool, *, last: bool = True) -> Finding:
    """Make the finding of an operation.

    Parameters
    ----------
    later: whether there are findings before it.
    last: whether its result is that of the expression.
    """
    outcomes = tuple(_outcome(r, logs[i]) for i, r in a.records.items())
    follows = later and _follows(a, logs)
    return Finding(a.place, _operation(a.first), outcomes, follows, None if follows else fix_of(a, logs, last))


def _finding_of_call(call: _Call, logs: Sequence[Log], later: bool) -> Finding:
    """Make the finding of a call of a dialect's function. It follows if all of its operations do that differ."""
    outcomes = tuple(replace(_outcome(r, logs[i]), operands=()) for i, r in call.ends.items())
    differing = [a for a in call.members if _differs(a.records.values())]
    follows = later and all(_follows(a, logs) for a in differing)
    first = call.members[0]
    fix = None if follows else fix_of_call(call.ends, logs)
    return Finding(first.place, first.first.call.spoken, outcomes, follows, fix)


def _operation(r: Record) -> str:
    """Return the name of the function that was called: of a dialect's where it does more than latticework's."""
    more = r.op == "astype" or not r.alone
    return r.call.spoken if more and r.call.spoken else r.call.called or r.op


def _outcome(r: Record, log: Log) -> Outcome:
    weak = [*(id(x) in r.weak_arrays for x in leading(r))]
    named = zip(r.operands, [*weak, *[False] * len(r.operands)], strict=False)
    operands = tuple(f"{'weak ' * w}{name_of(x)}" for x, w in named if x is not type(None))
    if r.error is not None:
        return Outcome(log.run.label, operands, (), False, _plain_error(r.error), "")
    return Outcome(log.run.label, operands, tuple(map(str, r.results)), r.weak, "", _why(r, log))


def _plain_error(error: Exception) -> str:
    """Return the text of an error without the place at its end, which the report shows."""
    text, bracket, end = str(error).rpartition(" (")
    return text if bracket and end.endswith(")") and ":" in end else str(error)


#: The reasons for the dtype of an array that is made of no array.
_WHY = {
    "asarray": "the default dtype of the highest kind of Python scalar in it",
    "astype": "the dtype that a Python type stands for",
    "": "the default dtype of its kind",
}  # fmt: skip


def _why(r: Record, log: Log) -> str:
    """Return the rule that decided, in words; empty where none is known."""
    p, policy = r.plan, log.run.policy
    if p is None or not p.operands or r.op in _WHY:
        return _WHY.get(r.op, _WHY[""])
    operands = tuple(_as_operand(x, d, r) for x, d in zip(leading(r), p.operands, strict=False))
    try:
        with in_force(policy):
            found = explain(operands, policy.rules, policy.default, r.op)
    except (PromotionError, TypeError, ValueError, LookupError, AttributeError):
        return ""
    return found.why if found.dtype in p.out else ""


def _as_operand(x: Any, dtype: Dtype | type, r: Record) -> Any:
    if not isinstance(dtype, Dtype):
        return x if type(x) is dtype else dtype
    return Operand(dtype, zero_dim=getattr(x, "shape", (1,)) == (), weak=id(x) in r.weak_arrays)
