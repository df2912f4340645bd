"""What was cast in the runs of a program, and what casts and sums may lose."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..core.dtypes import Dtype
from .aligning import operand_nodes_of, place_at
from .losses import ACCUMULATING, loss_of_cast, loss_of_sum
from .places import node_at, span_of
from .recording import Log, Record
from .report import InsertedCast, Loss

if TYPE_CHECKING:
    from ..engine.plans.plan import Plan

__all__ = ["casts_of", "own_casts", "sums_of"]


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
    nodes = operand_nodes_of(record, node_at(place))
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
