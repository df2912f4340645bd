"""Trace a function: run it once on arrays that record, and make a graph of what it called."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import partial
from itertools import takewhile
from types import FunctionType
from typing import Any

from ..backends import Backend, get, of
from ..core.dtypes import SCALARS
from ..core.trees import Structure, flatten, paths
from ..engine.array import Array, wrapped
from ..engine.flat import chosen_backend
from ..engine.foreign import signature_by
from ..engine.observing import observer
from ..engine.without_data import forgotten, restored
from ..errors import TraceError
from ..policy import current, in_force
from .graph import Argument, Graph, Output, first_places
from .nodes import Constant
from .passes import simplified
from .recorder import Recorder, Traced, recorder

__all__ = ["as_ours", "trace"]


def as_ours(leaf: Any) -> Any:
    """A leaf with a framework's own array made one of ours."""
    if isinstance(leaf, (Array, *SCALARS)):
        return leaf
    owner = of(leaf)
    return leaf if owner is None else wrapped(owner.module.native(leaf), signature_by(owner, leaf))


def trace(
    f: Callable[..., Any],
    args: tuple[Any, ...],
    kw: dict[str, Any],
    passes: Iterable[str] | None = None,
    *,
    once: bool = False,
) -> Graph:
    """Make the graph of a function for arguments like these.

    Parameters
    ----------
    passes: the names of the simplifications to make, all by default.
    once: whether an array that is given several times is one for the function, which may write into it. Else they are
        taken for different ones, unless the function turns out to write into one.
    """
    if recorder.get() is not None:
        raise TraceError("trace: a function is being traced already. Call the function itself: it becomes part of that")
    leaves, structure = flatten((args, kw))
    leaves = [as_ours(x) for x in leaves]
    backend = chosen_backend("trace", leaves)
    if backend.name.startswith("abstract"):
        raise TraceError("trace: arrays without data have no native calls. Give arrays with data")
    target: Backend = get(f"traced:{backend.name}")
    by = Recorder(backend)
    policy = current()
    given: list[Array] = []
    where: list[int] = []
    inputs = []
    for i, leaf in enumerate(leaves):
        if isinstance(leaf, Array):
            box = by.take_input(_apart(backend, leaf))
            sig = target.sig(leaf.dtype)
            inputs.append(box)
            first = next((k for k, j in enumerate(where) if once and leaves[j] is leaf), None)
            given.append(wrapped(box, sig.weakly if leaf.weak else sig) if first is None else given[first])
            where.append(i)
    mapped = [*leaves]
    for i, x in zip(where, given, strict=True):
        mapped[i] = x
    new_args, new_kw = structure.build(iter(mapped))
    tokens = recorder.set(by), observer.set(by.observe)
    try:
        with in_force(policy._with(backend=target.name)), restored(f):
            result = f(*new_args, **new_kw)
            changed = [(x, x._data.value) for x in forgotten() if isinstance(x._data, Traced)]
        out_leaves, built = flatten(result)
        outputs: list[Output] = []
        natives: list[Any] = []
        for x in out_leaves:
            out = _output(x, backend, target, given)
            outputs.append(out)
            if out.sig is not None and out.argument is None:
                natives.append(_value_of(x, by))
        written = [
            i for i, (x, box) in enumerate(zip(given, inputs, strict=True))
            if (x._data is not box or by.may_rebind(box.value)) and not any(x is y for y in given[:i])
        ]  # fmt: skip
        natives += [given[i]._data.value for i in written]
        changed = [(x, value) for x, value in changed if not isinstance(value, Constant) or by.may_rebind(value)]
        natives += [value for _, value in changed]
    finally:
        observer.reset(tokens[1])
        recorder.reset(tokens[0])
    if written and not once and len({id(leaves[i]) for i in where}) < len(where):
        return trace(f, args, kw, passes, once=True)
    block = by.blocks[0]
    block.outputs = natives
    exact = backend.facts.compiles or backend.name == "tensorflow"
    arguments = [
        Argument(i, leaves[i]._sig, tuple(leaves[i].shape), exact or bool(by.looked >> k & 1))
        for k, i in enumerate(where)
    ]
    static = {i: x for i, x in enumerate(leaves) if not isinstance(x, Array)}
    name = getattr(f, "__name__", type(f).__name__)
    name = name if name.isidentifier() else "traced"
    done = simplified(block, backend, passes)
    return Graph(
        name, backend, block, arguments, partial(_parameters, f, structure, where), structure, static, outputs, built,
        written, policy, done, by.held, [x for x, _ in changed],
        first_places([leaves[i] for i in where]) if once else None,
    )  # fmt: skip


def _apart(backend: Backend, x: Array) -> Any:
    """A native array with the elements of an argument, which the trace may write into."""
    data = backend.module.native(x._data)
    return data if backend.facts.immutable else backend.module.duplicate(data)


def _output(x: Any, backend: Backend, target: Backend, given: list[Array]) -> Output:
    if not isinstance(x, Array):
        return Output(None, x)
    if x._sig.backend is not target:
        if x._sig.backend.adopt is not None:
            raise TraceError("trace: the function returns an array of another trace")
        return Output(None, x)
    for i, argument in enumerate(given):
        if x is argument:
            return Output(None, argument=i)
    sig = backend.sig(x.dtype)
    return Output(sig.weakly if x.weak else sig)


def _value_of(x: Array, by: Recorder) -> Any:
    data = x._data
    if not isinstance(data, Traced):
        raise TraceError("trace: the function returns what it has not computed in functions of latticework")
    return data.value


def _parameters(f: Callable[..., Any], structure: Structure, where: list[int]) -> list[str]:
    """Names of the arrays among the arguments: the parameters', with what leads to a part of one."""
    parameters, places = _positional(f), [*paths(structure)]
    names = []
    for i in where:
        group, _, rest = places[i][1:].partition("]")  # "[0][1]['w']": of args, the second, its part 'w'
        first, _, part = rest[1:].partition("]")
        if group == "0":
            k = int(first)
            base = parameters[k] if k < len(parameters) else f"x{k}"
        else:
            base = first.strip("'")
        words = "".join(c if c.isalnum() else " " for c in part).split()
        names.append("_".join([base, *words]))
    return names


def _positional(f: Callable[..., Any]) -> list[str]:
    """The names of the parameters of a function up to one that takes any number of arguments."""
    if type(f) is FunctionType and not f.__dict__:  # `inspect` takes a hundred times as long
        return [*f.__code__.co_varnames[: f.__code__.co_argcount]]
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        return []
    return [p.name for p in takewhile(lambda p: p.kind is not inspect.Parameter.VAR_POSITIONAL, parameters)]
