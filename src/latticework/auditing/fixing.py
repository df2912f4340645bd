"""The cast that settles a finding: how it is found, and how the program writes it."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import partial

from ..core.dtypes import Dtype
from . import settling
from .aligning import Aligned, in_place, operand_nodes_of, place_at
from .patching import Edit, edited
from .places import node_at, span_of
from .recording import Log, Record, Run
from .report import Fix
from .writing import Names, around, computes, makes_object, option, takes_dtype

__all__ = ["fix_of", "fix_of_call"]


def fix_of(a: Aligned, logs: Sequence[Log], last: bool) -> Fix | None:
    """Find the cast with which all runs agree on an operation, and how to write it.

    Parameters
    ----------
    last: whether the result of the operation is that of the expression at its place.
    """
    reference = next((r for r in a.records.values() if r.error is None), None)
    if reference is None or not reference.results:
        return None
    # If some runs take an array for a number, the cast is found from a run that takes it for an array.
    record = max(a.records.values(), key=lambda r: sum(isinstance(x, Dtype) for x in r.operands))
    runs = [logs[i].run for i in a.records]
    results = [*dict.fromkeys(r.results for r in a.records.values() if r.error is None)]
    known = _names(record, runs)
    node = node_at(a.place)
    takes = node is None or takes_dtype(node, known)
    settled = settling.settle(record, runs, results, in_place(a), partial(computes, known), takes)
    if settled is None:
        return None
    text, edits = _written(record, settled.cast, known, last)
    return Fix(text, str(settled.results[0]), edits, settled.without)


def fix_of_call(ends: dict[int, Record], logs: Sequence[Log]) -> Fix | None:
    """Find the dtype that the result of a dialect's function is to be cast to, and how to write it.

    Parameters
    ----------
    ends: the last operation of the call in each run that came to its end.
    """
    record = next(iter(ends.values()))
    runs = [logs[i].run for i in ends]
    known, node = _names(record, runs), node_at(place_at(record))
    for results in dict.fromkeys(r.results for r in ends.values()):
        if len(results) != 1:
            return None
        (dtype,) = results
        then = "option" if makes_object(node, known) and takes_dtype(node, known) else "result"
        cast = settling.Cast(then=then, result=dtype)
        if computes(known, dtype) and all(settling.keeps(run, cast) for run in runs):
            text, edits = _written(record, cast, known, last=True)
            return Fix(text, str(dtype), edits)
    return None


def _names(record: Record, runs: Sequence[Run]) -> Names:
    return Names(record.call.names, record.call.code.co_names, tuple(run.policy.rules.name for run in runs))


def _written(record: Record, cast: settling.Cast, known: Names, last: bool) -> tuple[str, tuple[Edit, ...]]:
    """Return a cast as text, and as edits where the source shows the operands."""
    place = place_at(record)
    call, node = record.call, node_at(place)
    alone = call.called in ("", record.op.rpartition(".")[2].lstrip("_"))
    direct = alone and record.alone  # else a function made of this and others
    edits: list[Edit | None] = []
    makes_function = isinstance(node, ast.Call) and isinstance(node.func, ast.Call)  # as grad(f)(x), which gives a tree
    if cast == settling.Cast():
        return place.expression, ()
    if node is not None and (direct or not (cast.where or makes_function)) and (last or not call.spoken):
        if cast.then:
            edits.append((option if cast.then == "option" else around)(place, node, _of(cast.result), known))
        nodes = operand_nodes_of(record, node)
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
