"""Trace a function: run it once on arrays that record, and make a graph of what it called."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from itertools import takewhile
from types import FunctionType
from typing import Any, NamedTuple

from ...backend import get, of
from ...core.dtypes import SCALARS
from ...core.trees import LEAF, Structure, built_call, flatten, flatten_call, is_plain_call, paths
from ...engine.arrays.array import Array, wrapped
from ...engine.arrays.number import NUMBERS
from ...engine.calls.observing import observer
from ...engine.exchange.foreign import signature_by
from ...engine.functions.flat import chosen_backend
from ...engine.functions.without_data import forgotten
from ...errors import TraceError
from ...policy import current
from ..graph import Argument, Graph, NumberArgument, first_places, same_constant
from ..nodes import Constant
from ..passes.general import simplified
from ..passes.late import Late
from ..passes.liveness import writes
from ..results import Output
from .keeping import Containers, KeepsError, Line, Surroundings, check_places, has_traced, refusal, stores_of
from .numbers import alike, another
from .recorder import Recorder, Traced, moving, recorder
from .state import Change, Held, Kept, State, Store

__all__ = ["as_ours", "parameter_names", "trace", "trace_with_numbers"]


def as_ours(leaf: Any) -> Any:
    """Wrap a leaf that is a framework's own array. Return any other leaf as it is."""
    if isinstance(leaf, (Array, *SCALARS)):
        return leaf
    owner = of(leaf)
    return leaf if owner is None else wrapped(owner.native(leaf), signature_by(owner, leaf))


def trace(
    f: Callable[..., Any], args: tuple[Any, ...], kw: dict[str, Any], passes: Iterable[str] | None = None
) -> Graph:
    """Make the graph of a function for arguments like these. Numbers are constants of the graph.

    Parameters
    ----------
    passes: the names of the simplifications to make, all by default.
    """
    return _graph(f, _run(f, *_taken_apart(args, kw)), passes)


def trace_with_numbers(
    f: Callable[..., Any],
    leaves: list[Any],
    structure: Structure,
    passes: Iterable[str] | None,
    numbers: Iterable[int],
) -> tuple[Graph, dict[int, str], tuple[Any] | None]:
    """Like `trace`, with some of the Python numbers among the arguments as inputs of the graph.

    Parameters
    ----------
    leaves, structure: the arguments, taken apart. Frameworks' own arrays are wrapped.
    numbers: the places of these numbers among the leaves.

    Returns
    -------
    The graph; why some of the numbers have to be constants, by their places; and what the function returned, where a
    call of the graph would return the same.
    """
    inputs, static = [*numbers], dict[int, str]()
    while inputs:
        try:
            run = _run(f, leaves, structure, inputs)
        except Exception as error:  # the run with plain numbers raises what the function itself raises
            static |= dict.fromkeys(inputs, f"with an input in its place the function raises {type(error).__name__}")
            break
        asked = {inputs[k]: why for k, why in run.by.asked.items()}
        if not asked:
            if _is_right(f, run):
                return _graph(f, run, passes), static, None
            static |= dict.fromkeys(inputs, "the function asks for its type, or computes otherwise in each call")
            break
        static |= asked
        inputs = [i for i in inputs if i not in asked]
    run = _run(f, leaves, structure)
    returned = _returned(run)
    return _graph(f, run, passes), static, returned


def _taken_apart(args: tuple[Any, ...], kw: dict[str, Any]) -> tuple[list[Any], Structure]:
    """Return the leaves of the arguments, with frameworks' own arrays wrapped, and their structure."""
    if recorder.get() is not None:
        raise TraceError("trace: a function is being traced already. Call the function itself: it becomes part of that")
    leaves, structure = flatten_call(args, kw)
    return [x if type(x) is Array else as_ours(x) for x in leaves], structure


class _Run(NamedTuple):
    """A function that was run once and recorded.

    Attributes
    ----------
    leaves, structure: its arguments.
    where: the places of the leaves that are arrays.
    numbers: the places of the leaves that are numbers and inputs.
    by: the recorder.
    once: whether an array that is given several times was one array for the function.
    outputs, built: what it returned.
    written: which arguments it wrote into.
    changed: the arrays that it holds and wrote into.
    held: the arrays that it holds, with the constants that stand for them.
    kept: the variables, attributes and elements that the graph looks at and binds; None for none.
    returned: the leaves of what it returned.
    """

    leaves: list[Any]
    structure: Structure
    where: list[int]
    numbers: list[int]
    by: Recorder
    once: bool
    outputs: list[Output]
    built: Structure
    written: list[int]
    changed: list[Held]
    held: list[tuple[Held, Constant]]
    kept: Kept | None
    returned: list[Any]


def _run(
    f: Callable[..., Any], leaves: list[Any], structure: Structure, numbers: Iterable[int] = (), *, once: bool = False,
    line: Line | None = None, stored: bool = False,
) -> _Run:  # fmt: skip
    """Run a function and record it.

    Parameters
    ----------
    numbers: the places of the leaves that are numbers and become inputs.
    once: whether an array that is given several times is one array for the function, which may write into it. Else they
        are taken for different arrays, unless the function turns out to write into one of them.
    line: the search for the line that changes something that the function holds; then nothing else is looked for.
    stored: whether this is a second run, to see what the function does after the first.
    """
    backend = chosen_backend("trace", leaves)
    if backend.name.startswith("abstract"):
        raise TraceError("trace: arrays without data have no native calls. Give arrays with data")
    target: Any = get(f"traced:{backend.name}")
    by = Recorder(backend)
    given: list[Array] = []
    where: list[int] = []
    inputs = []
    mapped = [*leaves]
    immutable = backend.facts.immutable
    for i, leaf in enumerate(leaves):
        if isinstance(leaf, Array):
            native = backend.native(leaf._data)
            box = by.take_input(native if immutable else backend.duplicate(native))
            inputs.append(box)
            first = next((k for k, j in enumerate(where) if leaves[j] is leaf), None) if once else None
            given.append(wrapped(box, target.recorded_sig(leaf._sig)) if first is None else given[first])
            where.append(i)
            mapped[i] = given[-1]
    for i in numbers:
        mapped[i] = by.take_number(leaves[i])
    new_args, new_kw = built_call(structure, mapped)
    state, containers = _state_of(f, leaves, structure), Containers(new_args, new_kw)
    tokens = recorder.set(by), observer.set(by.observe)
    kept_by: Change | None = None
    stores: list[Store] = []

    def changes() -> list[Change]:
        return [*state.changes(), *containers.changes()]

    try:
        closed = state.closed and len(where) == len(leaves)
        with Surroundings(backend, target, state, closed=closed):
            if line is None:
                result = f(*new_args, **new_kw)
            else:
                with line.following(changes):
                    result = f(*new_args, **new_kw)
            stores, bound = stores_of(changes(), by, given)
            changed = [(x, x._data.value) for x in forgotten() if isinstance(x._data, Traced)]
            if changed and moving.get():  # what it made itself, of another backend's arrays, is nothing that it holds
                changed = [(x, value) for x, value in changed if id(x) in state.arrays]
        out_leaves, built = ([result], LEAF) if type(result) is Array else flatten(result)
        outputs: list[Output] = []
        natives: list[Any] = []
        places: dict[int, int] = {}
        x: Any
        for x in out_leaves:
            out = _output(x, target, given)
            if out.sig is not None and (first := places.setdefault(id(x), len(outputs))) < len(outputs):
                out = Output(out.sig, again=first)
            outputs.append(out)
            if out.number:
                natives.append(x.value)
            elif out.sig is not None or out.argument is not None:
                natives.append(_value_of(x, by))
        written = []
        for i, (x, box) in enumerate(zip(given, inputs, strict=True)):
            data: Any = x._data
            rebound = data is not box or (not box.value.shape and by.may_rebind(box.value))
            if rebound and not any(x is y for y in given[:i]):
                written.append(i)
                natives.append(data.value)
        if changed:
            changed = [(x, v) for x, v in changed if not isinstance(v, Constant) or by.may_rebind(v)]
            natives += [value for _, value in changed]
        for k, store in enumerate(stores) if bound else ():
            if store.sig is not None:
                x = bound.pop(0)
                stores[k] = store._replace(again=places.get(id(x)))
                places.setdefault(id(x), len(outputs) + k)
                natives.append(x._data.value)
    except KeepsError as error:
        kept_by = error.change
    finally:
        observer.reset(tokens[1])
        recorder.reset(tokens[0])
    if kept_by is not None:
        if line is None:
            line = Line(kept_by.name)
            with suppress(Exception):
                _run(f, leaves, structure, numbers, once=once, line=line)
        raise refusal(kept_by, line.at)
    if (again := [s for s in stores if s.sig is None and s.argument is None]) and not stored:
        _check_settles(f, leaves, structure, state, again)
    if written and not once and len({id(leaves[i]) for i in where}) < len(where):
        return _run(f, leaves, structure, numbers, once=True)
    by.blocks[0].outputs = natives
    check_places(by)
    fixed = [(slot, x) for x in out_leaves if type(x) is Array for slot in state.slots_of(x)] if state.arrays else []
    held = [*by.held, *changed] if changed else by.held
    holding = {id(x): Held(x) for x, _ in held} if held else {}
    kept = None
    if state.holds or stores or holding:
        kept = Kept(state, [*holding.values()], stores, fixed, writes(by.blocks[0])) or None
    return _Run(
        leaves, structure, where, [*numbers], by, once, outputs, built, written,
        [holding[id(x)] for x, _ in changed] if changed else [],
        [(holding[id(x)], c) for x, c in by.held] if by.held else [], kept, out_leaves,
    )  # fmt: skip


def _state_of(f: Callable[..., Any], leaves: list[Any], structure: Structure) -> State:
    """Find the state that a function holds, and that objects among its arguments hold."""
    roots = [(f, getattr(f, "__name__", ""))]
    objects = [i for i, x in enumerate(leaves) if hasattr(x, "__dict__")]
    if objects:
        names = parameter_names(f, structure, objects)
        roots += [(leaves[i], name) for i, name in zip(objects, names, strict=True)]
    return State(roots)


def _check_settles(
    f: Callable[..., Any], leaves: list[Any], structure: Structure, state: State, stores: list[Store]
) -> None:
    """Refuse a function that binds something to another object or number each time that it runs.

    What it binds once, such as a memo or a flag, a call of the graph binds; the next call finds it bound.

    Raises
    ------
    TraceError: for such a function; it names what is bound, and the line.
    """
    bound = {store.slot.place: store.slot.get() for store in stores}
    try:
        for store in stores:
            store.slot.set(store.static)
        try:
            following = _run(f, leaves, structure, stored=True)
        except TraceError:
            raise
        except Exception:  # the function's own, which its next call raises too
            return
        for store in following.kept.stores if following.kept is not None else ():
            if store.sig is None and store.argument is None and store.slot.place in bound:
                line = Line(store.slot.name)
                with suppress(Exception):
                    _run(f, leaves, structure, line=line, stored=True)
                first = next(s.static for s in stores if s.slot.place == store.slot.place)
                raise refusal(Change(store.slot.name, store.slot, bound[store.slot.place], first), line.at)
    finally:
        state.restore()


def _is_right(f: Callable[..., Any], run: _Run) -> bool:
    """Return whether a function that was recorded with numbers as inputs computes the same with plain numbers.

    It is run with the same numbers and with others. Only this shows what a program does because of ``type(x)``.
    """
    others = [*run.leaves]
    for i, guards in zip(run.numbers, run.by.guards, strict=True):
        others[i] = another(others[i], guards)
    try:
        return all(_computes_as(run, _run(f, leaves, run.structure)) for leaves in (run.leaves, others))
    except Exception:  # with other numbers it may be one that the function itself raises
        return False


def _computes_as(run: _Run, plain: _Run) -> bool:
    """Return whether two runs call, return and write the same."""
    if run.built != plain.built or run.written != plain.written or len(run.outputs) != len(plain.outputs):
        return False
    pairs = [*zip(run.outputs, plain.outputs, strict=True)]
    given = [b.static for a, b in pairs if a.number]
    return alike(run.by.blocks[0], plain.by.blocks[0], [plain.leaves[i] for i in run.numbers], given) and all(
        a.number or (a.sig is b.sig and a.argument == b.argument and same_constant(a.static, b.static))
        for a, b in pairs
    )


def _graph(f: Callable[..., Any], run: _Run, passes: Iterable[str] | None) -> Graph:
    """Make the graph of a function that was recorded."""
    by, leaves, block = run.by, run.leaves, run.by.blocks[0]
    backend = by.backend
    where = run.where
    exact = backend.facts.fixed_extents
    arguments = [
        Argument(i, leaves[i]._sig, by.inputs[k].shape, exact or bool(by.looked >> k & 1)) for k, i in enumerate(where)
    ]
    numbers = [NumberArgument(i, type(leaves[i]), tuple(by.guards[k])) for k, i in enumerate(run.numbers)]
    static = {}
    if len(where) < len(leaves):
        static = {i: x for i, x in enumerate(leaves) if not isinstance(x, Array) and i not in run.numbers}
    name = getattr(f, "__name__", type(f).__name__)
    name = name if name.isidentifier() else "traced"
    # With constants it computes, and may warn of what it computes: then the trace is where that belongs.
    done = simplified(block, backend, passes) if by.constants else Late(block, backend, passes)
    graph = Graph(
        name, backend, block, arguments, partial(parameter_names, f, run.structure, [*where, *run.numbers]),
        run.structure, static, run.outputs, run.built, run.written, current(), done, run.held, run.changed,
        first_places([leaves[i] for i in where]) if run.once else None, numbers, run.kept,
    )  # fmt: skip
    graph.again, graph.traced = partial(_run, f, structure=run.structure), f
    return graph


def _returned(run: _Run) -> tuple[Any] | None:
    """Return what a recorded function returned, where it is what a call of its graph returns; else None.

    So it is on NumPy where the function neither writes nor binds anything, has no branches or loops, and returns arrays
    with memory of their own.
    """
    by = run.by
    if by.backend.name != "numpy" or run.written or run.changed or (run.kept is not None and run.kept.stores):
        return None
    for node in by.blocks[0].nodes:
        if node.blocks or node.writes is not None:
            return None
    found: list[Any] = []
    for x, out in zip(run.returned, run.outputs, strict=True):
        if out.again is not None:
            found.append(found[out.again])
        elif out.sig is not None:
            data = x._data.native
            if type(data) is not by.array or data.base is not None or not data.shape or x._data.value.element:
                return None
            if isinstance(x._data.value, Constant) or any(x._data.value is v for v in by.inputs):
                return None
            found.append(wrapped(data, out.sig))
        elif out.argument is not None:
            found.append(run.leaves[run.where[out.argument]])
        elif out.number:
            return None
        else:
            found.append(out.static)
    return (run.built.build(iter(found)),)


def _output(x: Any, target: Any, given: list[Array]) -> Output:
    if type(x) in NUMBERS:
        return Output(None, x.native, number=x.recorder.recording)
    if type(x) is not Array:
        if not isinstance(x, (*SCALARS, str, type(None))) and has_traced(x, ""):
            raise TraceError(
                f"the function is being traced, and returns an object of class {type(x).__name__} that holds an array "
                "which it computes. Its graph makes arrays, and tuples, lists and dicts of them: return these"
            )
        return Output(None, x)
    if x._sig.backend is not target:
        if x._sig.backend.adopt is not None:
            raise TraceError("trace: the function returns an array of another trace")
        return Output(None, x)
    for i, argument in enumerate(given):
        if x is argument:
            return Output(None, argument=i)
    return Output(target.framework_sig(x._sig))


def _value_of(x: Array, by: Recorder) -> Any:
    data = x._data
    if not isinstance(data, Traced):
        raise TraceError("trace: the function returns what it has not computed in functions of latticework")
    return data.value


def parameter_names(f: Callable[..., Any], structure: Structure, where: list[int]) -> list[str]:
    """Name some leaves of the arguments: by the parameter, and the path to a part of it."""
    parameters = _positional(f)
    if is_plain_call(structure):
        return [parameters[i] if i < len(parameters) else f"x{i}" for i in where]
    places = [*paths(structure)]
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
    """List the names of a function's parameters, up to a parameter that takes any number of arguments."""
    if type(f) is FunctionType and not f.__dict__:  # `inspect` takes a hundred times as long
        return [*f.__code__.co_varnames[: f.__code__.co_argcount]]
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        return []
    return [p.name for p in takewhile(lambda p: p.kind is not inspect.Parameter.VAR_POSITIONAL, parameters)]
