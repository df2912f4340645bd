"""Calls of an operation again, under each run: on other operands, and with an explicit cast."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ..backend import get
from ..core.dtypes import Dtype, float32, int32, int64
from ..core.registry import OPS
from ..core.registry import functions as lw
from ..derivatives.tape import value_of
from ..engine.arrays.array import Array, wrapped
from ..policy import current
from .losses import loss_of_cast
from .recording import Record, Run, in_run

__all__ = ["Cast", "Settled", "answer", "keeps", "settle"]


@dataclass(frozen=True)
class Cast:
    """A cast of some operands, of the result, or the ``dtype=`` of a call.

    Attributes
    ----------
    where: the numbers of the operands that are cast; empty for none.
    dtype: the dtype that they are cast to.
    then: ``"option"`` for a ``dtype=``, ``"result"`` for a cast of the result, empty for neither.
    result: the dtype of that option or cast.
    """

    where: tuple[int, ...] = ()
    dtype: Dtype | None = None
    then: str = ""
    result: Dtype | None = None


#: Functions in place, for statements like ``x += y``.
_IN_PLACE: dict[str, Callable[..., Any]] = {
    "add": operator.iadd, "subtract": operator.isub, "multiply": operator.imul, "divide": operator.itruediv,
    "floor_divide": operator.ifloordiv, "remainder": operator.imod, "pow": operator.ipow, "bitwise_and": operator.iand,
    "bitwise_or": operator.ior, "bitwise_xor": operator.ixor, "bitwise_left_shift": operator.ilshift,
    "bitwise_right_shift": operator.irshift, "matmul": operator.imatmul,
}  # fmt: skip


def answer(record: Record, run: Run, in_place: bool, cast: Cast | None = None) -> tuple[Dtype, ...] | None:
    """Return an operation's result dtypes under a run, on the operands of its record; None where it is refused.

    Parameters
    ----------
    record: the operation as some run did it. It may be of another run.
    in_place: whether it is a statement like ``x += y``.
    cast: an explicit cast to make first.
    """
    if record.op in ("getitem", "setitem") and record.plan is not None:  # these change no dtype
        return record.results
    with in_run(run):
        try:
            result = _again(record, in_place, cast)
            if cast is not None and cast.then == "result" and cast.result is not None:
                result = lw.astype(result, cast.result)
        except (TypeError, ValueError, ArithmeticError, LookupError, RuntimeError):
            return None
    parts = result if isinstance(result, tuple) else (result,)
    return tuple(x.dtype for x in parts if isinstance(x, Array))


def _again(record: Record, in_place: bool, cast: Cast | None) -> Any:
    """Call the function of a record again, in the policy in force."""
    p, o = record.plan, OPS[record.op]
    if p is None:
        raise TypeError("an assignment that is refused")
    option: dict[str, Any] = {"dtype": cast.result} if cast is not None and cast.then == "option" else {}
    if o.name == "asarray":
        return lw.asarray(*_scalars(p.operands), **option)
    if o.name == "astype":
        return lw.astype(_restored(record.args[0], record), option.get("dtype", p.out[0]))
    if o.kind == "creation":
        kw = {n: _restored(x, record) for n, x in record.kw.items() if n not in ("dtype", "device")}
        return _function(o)(*(_restored(x, record) for x in record.args), **kw, **{"dtype": p.out[0], **option})
    args, kw = _operands(record, cast)
    if in_place:
        return _IN_PLACE[o.name](*args)
    return _function(o)(*args, **{**kw, **option})


def _scalars(kinds: Sequence[Dtype | type]) -> tuple[Any]:
    """Return the data to make an array again: a list of one scalar of each type."""
    return ([kind(1) for kind in kinds if isinstance(kind, type)] or [1.0],)


def _function(o: Any) -> Callable[..., Any]:
    """Return the latticework function, as its module has it."""
    found: Callable[..., Any] = o.dispatcher or getattr(sys.modules[o.function.__module__], o.function.__name__)
    return found


def _operands(record: Record, cast: Cast | None) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments of a call, with lw.Arrays for native ones and the operands cast."""
    o = OPS[record.op]
    which = cast.where if cast is not None else ()

    def taken(i: int, x: Any) -> Any:
        x = _restored(x, record)
        if i not in which or not isinstance(x, Array) or cast is None or cast.dtype is None:
            return x
        return lw.astype(x, cast.dtype)

    if o.sequence:
        data = [taken(i, x) for i, x in enumerate(record.args[0])]
        leading: list[Any] = data if o.spread else [data]
        return [*leading, *(_restored(x, record) for x in record.args[1:])], {
            n: _restored(x, record) for n, x in record.kw.items()
        }
    n = len(o.operands)
    args = [taken(i, x) if i < n else _restored(x, record) for i, x in enumerate(record.args)]
    places = {name: n + i for i, name in enumerate(o.optional)}
    return args, {name: taken(places.get(name, -1), x) for name, x in record.kw.items()}


def _restored(x: Any, record: Record) -> Any:
    """Wrap native arrays without data as lw.Arrays on the backend in force."""
    if isinstance(x, (list, tuple)):
        return type(x)([_restored(y, record) for y in x])
    backend: Any = get(current().backend)
    weak, x = id(x) in record.weak_arrays and current().weak_arrays, value_of(x)
    if not isinstance(x, backend.arrays):
        return x
    sig = backend.sig(x.dtype)
    return wrapped(backend.adopt(x, x.device), sig.weakly if weak else sig)


class Settled(NamedTuple):
    """A cast, the dtypes with it, and the runs that do not count, because they refuse the operation with every cast."""

    cast: Cast
    results: tuple[Dtype, ...]
    without: tuple[str, ...]


def settle(
    record: Record,
    runs: Sequence[Run],
    results: Sequence[tuple[Dtype, ...]],
    in_place: bool,
    computes: Callable[[Dtype], bool],
    takes_dtype: bool,
) -> Settled | None:
    """Find a cast with which an operation gives the same dtypes under all runs.

    Tried in this order: ``dtype=``, where the function has it; a cast of one operand, and of all; one to a wider dtype;
    a cast of the result; both. A cast that keeps the dtype of the first run comes before one that gives another. Runs
    that refuse the operation with every cast and without are left out, if two others remain.

    Parameters
    ----------
    record: the operation.
    results: the dtypes that runs give without a cast, those of the first run first.
    in_place: whether it is a statement like ``x += y``.
    computes: whether the framework of the program computes in a dtype. No cast to another one is tried.
    takes_dtype: whether the call takes ``dtype=`` in the source.
    """
    second: Settled | None = None
    without_cast = [answer(record, run, in_place) for run in runs]
    tried: list[tuple[Cast, list[tuple[Dtype, ...] | None]]] = [(Cast(), without_cast)]
    for cast in _candidates(record, results, in_place, takes_dtype):
        if not all(computes(d) for d in (cast.dtype, cast.result) if d is not None):
            continue
        found = [answer(record, run, in_place, cast) if keeps(run, cast) else None for run in runs]
        tried.append((cast, found))
        if None in found or len({*found}) > 1 or not found[0]:
            continue
        if found[0] == results[0]:
            return Settled(cast, found[0], ())
        second = second or Settled(cast, found[0], ())
    return second or _settled_for_some(tried, runs)


def keeps(run: Run, cast: Cast) -> bool:
    """Return whether the dtypes of a cast are dtypes under a run's rules: JAX without 64 bits makes others of them."""
    dtypes = [d for d in (cast.dtype, cast.result) if d is not None]
    try:
        return all(run.policy.rules.promote((d,), run.policy.default) is d for d in dtypes)
    except (TypeError, ValueError):
        return False


def _settled_for_some(
    tried: Sequence[tuple[Cast, list[tuple[Dtype, ...] | None]]], runs: Sequence[Run]
) -> Settled | None:
    """Return the first cast with which all runs agree, except those that refuse with every cast: none, if they do."""
    able = [i for i in range(len(runs)) if any(found[i] is not None for _, found in tried)]
    if len(able) < 2 or len(able) == len(runs):
        return None
    without = tuple(run.label for i, run in enumerate(runs) if i not in able)
    for cast, found in tried:
        answers = {found[i] for i in able}
        results = found[able[0]]
        if len(answers) == 1 and results:
            return Settled(cast, results, without)
    return None


def _candidates(
    record: Record, results: Sequence[tuple[Dtype, ...]], in_place: bool, takes_dtype: bool
) -> Iterator[Cast]:
    """Yield the casts that may settle an operation."""
    p, o = record.plan, OPS.get(record.op)
    if p is None or o is None:
        return
    makes = o.name in ("asarray", "astype") or o.kind == "creation"
    where = "option" if takes_dtype and (makes or o.has_dtype) else "result"
    several = any(len(dtypes) != 1 for dtypes in results)
    afterwards = [] if in_place or several else [Cast(then=where, result=dtype) for (dtype,) in results]
    if makes:
        yield from afterwards
        return
    if where == "option":
        yield from afterwards
    casts = [*_casts_of_operands(record, results[0], in_place)]
    yield from casts
    yield from afterwards
    for then in afterwards:
        yield from (replace(then, where=c.where, dtype=c.dtype) for c in casts)


def _casts_of_operands(record: Record, expected: tuple[Dtype, ...], in_place: bool) -> Iterator[Cast]:
    """Yield casts of one of the operands that promote together, and of all of them."""
    p, o = record.plan, OPS[record.op]
    assert p is not None
    strong = {i: d for i, d in enumerate(p.operands) if isinstance(d, Dtype)}
    roles = o.roles(len(p.operands))
    joining = [i for i, role in enumerate(roles) if role == "join" and i in strong and not (in_place and i == 0)]
    targets = [d for d in (*expected, p.computed, *strong.values()) if d.use == "compute"]
    for target in dict.fromkeys(targets):
        for which in dict.fromkeys([*((i,) for i in joining), tuple(joining)]):
            held = all(_holds(target, strong[i]) for i in which)
            if held and any(strong[i] is not target for i in which):
                yield Cast(which, target)
    for target in _WIDER:
        if target not in targets and not any(loss_of_cast(strong[i], target) for i in joining):
            yield Cast(tuple(joining), target)


def _holds(target: Dtype, source: Dtype) -> bool:
    """Return whether a cast keeps the imaginary parts of complex numbers, and numbers as such: bool has none."""
    return (source.kind != "c" or target.kind == "c") and (source.kind == "b" or target.kind != "b")


#: The dtypes to cast operands to, if that loses nothing, where no cast to their own dtypes settles it.
_WIDER = (int32, int64, float32)
