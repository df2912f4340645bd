"""The comparison of a program's runs: the operations on which they do not agree."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from ..core.dtypes import Dtype
from ..engine.plans.request import name_of
from ..errors import PromotionError
from ..policy import in_force
from ..promotion import Operand
from ..promotion.explain import explain
from . import settling
from .losses import ACCUMULATING, loss_of_cast, loss_of_sum
from .patching import Edit, edited
from .places import Place, in_order, node_at, operand_nodes, place_of, span_of
from .recording import Key, Log, Record, declared_operands
from .report import Finding, Fix, InsertedCast, Loss, Outcome
from .writing import Names, around, computes, option, takes_dtype

if TYPE_CHECKING:
    from ..engine.plans.plan import Plan

__all__ = ["casts_of", "findings_of", "own_casts", "sums_of"]


@dataclass(frozen=True)
class Aligned:
    """An operation in all runs that reached it."""

    key: Key
    records: dict[int, Record]  # by the number of the run

    @property
    def first(self) -> Record:
        return next(iter(self.records.values()))

    @property
    def place(self) -> Place:
        return place_at(self.first)


def place_at(r: Record) -> Place:
    """Return the place where an operation was called."""
    return place_of(r.call.code, r.call.instruction)


def aligned(logs: Sequence[Log]) -> list[Aligned]:
    """Align the operations of all runs in the order of the first; one that it lacks comes after its predecessor."""
    keys: list[Key] = [*logs[0].records]
    known = {*keys}
    for log in logs[1:]:
        before: Key | None = None
        for key in log.records:
            if key not in known:
                keys.insert(keys.index(before) + 1 if before else 0, key)
                known.add(key)
            before = key
    found = [Aligned(key, {}) for key in keys]
    for i, log in enumerate(logs):
        for a in found:
            r = log.records.get(a.key)
            if r is not None:
                a.records[i] = r
    return found


def findings_of(logs: Sequence[Log]) -> list[Finding]:
    """Return the operations on which not all runs agree, each once for every place and outcome."""
    found: dict[Any, Finding] = {}
    counted: dict[Any, int] = {}
    followed: dict[Any, bool] = {}
    last = [{key[:2]: r for key, r in log.records.items()} for log in logs]
    for a in aligned(logs):
        records = a.records
        if not _differs(records.values()) or _is_internal(a, [last[i][a.key[:2]] for i in records]):
            continue
        # The same place with the same dtypes, in a loop or another call, is the same finding.
        same = a.key[:3], tuple((i, r.operands, r.results, str(r.error)) for i, r in records.items())
        counted[same] = counted.get(same, 0) + 1
        if same not in found:
            followed[same] = bool(found) and _follows(a, logs)
            found[same] = _finding(a, logs, followed[same])
    return [
        Finding(f.place, f.operation, f.outcomes, f.follows, f.fix, counted[same]) for same, f in found.items()
    ]  # fmt: skip


def _differs(records: Iterable[Record]) -> bool:
    """Return whether a run refuses an operation, or the runs give different result dtypes."""
    results = set()
    for r in records:
        if r.error is not None:
            return True
        results.add(r.results)
    return len(results) > 1


def _is_internal(a: Aligned, last: Sequence[Record]) -> bool:
    """Return whether an operation is one of several in a dialect's function, the last of which gives the same."""
    refused = any(r.error is not None for r in a.records.values())
    several = a.first.call.spoken and any(r.op != a.first.op for r in last)
    return bool(several) and not (refused or _differs(last))


def _follows(a: Aligned, logs: Sequence[Log]) -> bool:
    """Return whether a difference follows from earlier operations.

    It does if runs with equal operands agree, and if all runs agree on the operands of the first one. It does not if an
    operand is an array in some runs and a number in others, as NumPy's scalars are: no operation made it so. What a
    function of an array makes, as `ones_like`, has that array's dtype.
    """
    if not a.first.operands and declared_operands(a.first.call.called):
        return True
    by_operands: dict[Any, set[Any]] = {}
    for r in a.records.values():
        by_operands.setdefault(r.operands, set()).add(None if r.error else r.results)
    if len(by_operands) == 1 or any(len(results) > 1 for results in by_operands.values()):
        return False
    mixed = any(len({isinstance(x, Dtype) for x in same}) > 1 for same in zip(*by_operands, strict=False))
    if a.first.op == "astype" or mixed:
        return False
    in_place = _in_place(a)
    again = {settling.answer(a.first, logs[i].run, in_place) for i in a.records}
    return len(again) == 1 and None not in again


def _in_place(a: Aligned) -> bool:
    return isinstance(node_at(a.place), ast.AugAssign)


def _finding(a: Aligned, logs: Sequence[Log], follows: bool) -> Finding:
    place = a.place
    outcomes = tuple(_outcome(r, logs[i]) for i, r in a.records.items())
    fix = None if follows else _fix(a, logs)
    return Finding(place, _operation(a.first), outcomes, follows, fix)


def _operation(r: Record) -> str:
    """Return the name of the function that was called: of a dialect's where it does more than latticework's."""
    more = r.op == "astype" or not r.alone
    return r.call.spoken if more and r.call.spoken else r.call.called or r.op


def _outcome(r: Record, log: Log) -> Outcome:
    weak = [*(id(x) in r.weak_arrays for x in _leading(r))]
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
    operands = tuple(_as_operand(x, d, r) for x, d in zip(_leading(r), p.operands, strict=False))
    try:
        with in_force(policy):
            found = explain(operands, policy.rules, policy.default, r.op)
    except (PromotionError, TypeError, ValueError, LookupError, AttributeError):
        return ""
    return found.why if found.dtype in p.out else ""


def _leading(r: Record) -> tuple[Any, ...]:
    return tuple(r.args[0]) if r.args and isinstance(r.args[0], (list, tuple)) else r.args


def _as_operand(x: Any, dtype: Dtype | type, r: Record) -> Any:
    if not isinstance(dtype, Dtype):
        return x if type(x) is dtype else dtype
    return Operand(dtype, zero_dim=getattr(x, "shape", (1,)) == (), weak=id(x) in r.weak_arrays)


# --- the cast that settles it -----------------------------------------------------------------------------------------


def _fix(a: Aligned, logs: Sequence[Log]) -> Fix | None:
    """Find the cast with which all runs agree on this operation, and how to write it."""
    reference = next((r for r in a.records.values() if r.error is None), None)
    if reference is None or not reference.results:
        return None
    # If some runs take an array for a number, the cast is found from a run that takes it for an array.
    record = max(a.records.values(), key=lambda r: sum(isinstance(x, Dtype) for x in r.operands))
    in_place = _in_place(a)
    runs = [logs[i].run for i in a.records]
    results = [*dict.fromkeys(r.results for r in a.records.values() if r.error is None)]
    known = Names(record.call.names, record.call.code.co_names, tuple(run.policy.rules.name for run in runs))
    node = node_at(a.place)
    takes = node is None or takes_dtype(node, known)
    settled = settling.settle(record, runs, results, in_place, partial(computes, known), takes)
    if settled is None:
        return None
    text, edits = _written(record, settled.cast, known)
    return Fix(text, str(settled.results[0]), edits, settled.without)


def _written(record: Record, cast: settling.Cast, known: Names) -> tuple[str, tuple[Edit, ...]]:
    """Return a cast as text, and as edits where the source shows the operands."""
    place = place_at(record)
    call, node = record.call, node_at(place)
    alone = call.called in ("", record.op.rpartition(".")[2].lstrip("_"))
    direct = alone and record.alone  # else a function made of this and others
    edits: list[Edit | None] = []
    makes_function = isinstance(node, ast.Call) and isinstance(node.func, ast.Call)  # as grad(f)(x), which gives a tree
    if node is not None and (direct or not (cast.where or makes_function)):
        if cast.then:
            edits.append((option if cast.then == "option" else around)(place, node, _of(cast.result), known))
        nodes = _operand_nodes(record, node)
        for i in cast.where:
            operand = nodes[i] if i < len(nodes) else None
            edits.append(around(span_of(operand, place.file), operand, _of(cast.dtype), known) if operand else None)
    made = [e for e in edits if e is not None]
    if not made or len(made) < len(edits):
        return _shown(cast, record), ()
    return edited(place, made), tuple(made)


def _of(dtype: Dtype | None) -> Dtype:
    assert dtype is not None
    return dtype


def _shown(cast: settling.Cast, record: Record) -> str:
    """Return a cast in words, for an expression that the source does not show."""
    said = [f"lw.astype(x{i + 1}, lw.{cast.dtype})" for i in cast.where]
    if cast.then == "option":
        said.append(f"dtype=lw.{cast.result}")
    elif cast.then:
        said.append(f"lw.astype(result, lw.{cast.result})")
    return f"{record.call.called or record.op} with {' and '.join(said)}"


def _operand_nodes(record: Record, node: Any) -> list[Any]:
    """List the syntax nodes of an operation's operands, in order; None for one that the source does not show."""
    call, names = record.call, declared_operands(record.op)
    nodes = operand_nodes(node, record.op, names, call.names)
    held = [call.held.get(id(x), "") for x in record.args[: len(names)]]
    return in_order(nodes, held) if any(held) and isinstance(node, ast.Call) else nodes


# --- what was cast, and what may be lost ------------------------------------------------------------------------------


def casts_of(logs: Sequence[Log]) -> list[InsertedCast]:
    """Return the casts of arrays that latticework inserts, each once with the runs that have it."""
    found: dict[Any, list[str]] = {}
    records: dict[Any, Record] = {}
    of_plan: dict[int, list[tuple[int, Dtype, Dtype]]] = {}
    for log in logs:
        for key, r in log.records.items():
            if r.plan is None or r.op in ("astype", "asarray"):
                continue
            casts = of_plan.get(id(r.plan))
            if casts is None:
                casts = of_plan[id(r.plan)] = _casts_of_plan(r.plan)
            for cast in casts:
                which = (*key[:3], *cast)
                records.setdefault(which, r)
                labels = found.setdefault(which, [])
                if log.run.label not in labels:
                    labels.append(log.run.label)
    return [_inserted(cast, records[cast], tuple(labels)) for cast, labels in found.items()]


def _casts_of_plan(p: Plan) -> list[tuple[int, Dtype, Dtype]]:
    """Return the casts of arrays in a plan: the number of the operand, and the dtypes."""
    pairs = enumerate(zip(p.operands, p.casts, strict=True))
    return [(i, a, b) for i, (a, b) in pairs if isinstance(a, Dtype) and b is not None and a is not b]


def _inserted(cast: Any, record: Record, runs: tuple[str, ...]) -> InsertedCast:
    _, _, op, i, source, target = cast
    place = place_at(record)
    nodes = _operand_nodes(record, node_at(place))
    operand = span_of(nodes[i], place.file).expression if i < len(nodes) and nodes[i] is not None else ""
    return InsertedCast(place, op, operand, str(source), str(target), runs, loss_of_cast(source, target))


def own_casts(log: Log) -> int:
    """Count the casts that the program itself made."""
    return sum(r.op == "astype" for r in log.records.values())


def sums_of(logs: Sequence[Log]) -> list[Loss]:
    """Return the sums and products of integers that may wrap around, each once with the runs in which they may."""
    found: dict[Any, list[str]] = {}
    records: dict[Any, Record] = {}
    for log in logs:
        for key, r in log.records.items():
            first = r.operands[0] if r.op in ACCUMULATING and r.results and r.operands else None
            if not isinstance(first, Dtype):
                continue
            loss = loss_of_sum(r.op, first, r.results[0], _terms(r))
            if loss:
                labels = found.setdefault((*key[:3], loss), [])
                records.setdefault((*key[:3], loss), r)
                if log.run.label not in labels:
                    labels.append(log.run.label)
    return [Loss(place_at(records[k]), k[2], tuple(labels), k[3]) for k, labels in found.items()]


def _terms(r: Record) -> int | None:
    """Return the most elements that go into one result: all along the axes of the first operand. None if not known."""
    shape = getattr(r.args[0], "shape", None) if r.args else None
    if shape is None or None in shape:
        return None
    axis = r.kw.get("axis")
    if r.op in ("matmul", "vecdot", "dot") and shape:
        return int(shape[-1])
    axes = range(len(shape)) if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
    extents: list[int] = [shape[n] for n in axes if -len(shape) <= n < len(shape)]
    return math.prod(extents)
