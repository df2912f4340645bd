"""`transpile`: a function written for one framework as plain source of another."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, suppress
from types import FunctionType, MethodType
from typing import Any

from ..backend import get, of, standing_alone, unknown_backend
from ..backend.facts import all_facts
from ..core.dtypes import SCALARS, float64
from ..core.registry import functions as lw
from ..core.trees import Structure, flatten
from ..engine.arrays.array import Array
from ..engine.plans.casting import asked_at
from ..errors import TraceError
from ..settings import using
from ..tracing.graph import Graph
from ..tracing.models import PASSES, ModelGraph
from ..tracing.nodes import Location
from ..tracing.recording.recorder import moving
from ..tracing.recording.tracer import as_ours, trace
from ..tracing.writing.standalone import TooLargeError
from . import dialect_named, dialect_names
from .array import DialectArray
from .dialect import Dialect
from .naming import PREFIX
from .redirecting import frameworks_of, named_itself, speaks_ours, with_dialects

__all__ = ["transpile"]


def transpile(f: Callable[..., Any], /, *args: Any, to: str, **kw: Any) -> Graph:
    """Write a function, or a model of PyTorch, as plain source of another framework.

    The function may be written in a dialect (`latticework.frontends`), in latticework, or for a framework that has a
    dialect: then the dialect takes the framework's place in it, and in the functions of its own module that it calls.
    If the function calls only methods, the arguments tell the framework. It runs once, on copies of the arguments on
    the other framework, and its computation there is the source. Its dtypes are the dtypes that its author saw: the
    promotion rules are the dialect's, and JAX's 64-bit switch and PyTorch's default dtype are as in the process.

    Of a model, a module of PyTorch or of its dialect, the source has its parameters as an argument: a dict by their
    names. Each class of modules becomes a function, and calls of modules that are alike, one after the other, a loop.
    With ``train=True`` it is a step of training: the loss, its gradients by the framework's own means, and the
    optimizer's step.

    Parameters
    ----------
    f: a function, or a model.
    args, kw: arguments for it: trees (see `lw.tree`) of arrays of any framework, of a dialect or of latticework,
        numbers and anything else. Anything but an array is a constant of the source. With ``train=True``, which a
        model takes, `kw` has also ``loss``, a function of the model's result and of the targets; ``optimizer``, of
        PyTorch or of its dialect, for parameters of the model; and ``targets``, a tuple.
    to: the framework of the source: ``"numpy"``, ``"torch"``, ``"jax"``, ``"tensorflow"``.

    Returns
    -------
    A graph, as `lw.trace` returns. ``source`` is its text, and ``function`` is the function that the source defines. It
    takes the other framework's own arrays, for the arrays among the arguments in their order.
    Of a model, a `latticework.tracing.models.ModelGraph`. ``function`` is ``forward(params, *inputs)``; in training
    mode it returns a pair, of the result and of the buffers that have changed, where there are any. With
    ``train=True`` it is ``step(params, state, *inputs, *targets)``, which returns the loss, and both dicts as they
    are after the step. ``params`` and ``state`` are those of the model and of the optimizer, ``save_parameters(path)``
    and ``write(folder)`` write files.

    Raises
    ------
    BackendError: the framework does not exist, or lacks a dtype or function that the program needs.
    TraceError: the function asks for a value, as ``if x > 0`` does, draws random numbers from a state, or calls a
        function without source of the framework alone. Of a model, also: it has hooks, or replaces an attribute in each
        call; the optimizer has an update that depends on values, or parameters of others. Also any error that the
        function raises.
    TypeError: ``train=True`` without a loss or an optimizer.

    Notes
    -----
    The process is left as it was: JAX's 64-bit switch is not turned on. Source of JAX with dtypes of 64 bits needs it
    on when it runs. Arrays that the function holds are constants of the source, with the values that they have now. The
    source is valid for arguments of these dtypes and, where the function looks at extents, of these shapes. Random
    numbers are drawn by latticework's generator of a key; a draw from a state, as by ``torch.rand``, is an error. Where
    two frameworks' functions differ in values, such as at edges, the source computes the dialect's values on that
    framework.

    Examples
    --------
    >>> import numpy as np
    >>> import latticework as lw
    >>> import latticework.frontends.torch as torch
    >>> def score(x, w):
    ...     return torch.softmax(x @ w, dim=-1).clamp(min=0.25)
    >>> graph = lw.transpile(score, torch.ones(2, 3), torch.eye(3), to="numpy")
    >>> graph.function(np.ones((2, 3), "float32"), np.eye(3, dtype="float32")).shape
    (2, 3)
    >>> graph = lw.transpile(torch.nn.Linear(3, 2), torch.ones(4, 3), to="numpy")
    >>> for line in graph.source.splitlines()[-2:]:
    ...     print(line)
    def forward(params, x):
        return (x @ params["weight"].mT) + params["bias"]
    """
    if to not in all_facts() or not all_facts()[to].framework:
        raise unknown_backend(to)
    if _may_be_model(f):
        return _of_model(f, args, kw, to)
    leaves, structure = flatten((args, kw), lambda x: isinstance(x, DialectArray))
    frameworks = frameworks_of(f)
    given = _frameworks_given(leaves)
    if not frameworks and len(given) == 1 and isinstance(f, (FunctionType, MethodType)) and not speaks_ours(f):
        frameworks = given  # a function of methods alone: the arguments tell the dialect
    speaks = dialect_named(frameworks[0]) if len(frameworks) == 1 and frameworks != ("max",) else None
    in_process = [name for name in frameworks if name != "max" and (name in given or named_itself(f, name))]
    return _traced_on(with_dialects(f, frameworks), leaves, structure, to, speaks, in_process)


def _traced_on(
    f: Callable[..., Any], leaves: list[Any], structure: Structure, to: str, speaks: Dialect | None,
    in_process: Sequence[str], passes: Iterable[str] | None = None, finish: Callable[[Graph], Graph] = lambda g: g,
) -> Graph:  # fmt: skip
    """Trace a function on another framework.

    Parameters
    ----------
    leaves, structure: its arguments.
    speaks: the dialect of the arrays that it takes; None for latticework's.
    in_process: the frameworks whose dtypes are as in the process.
    finish: makes the graph whose source is checked of the one that was traced.
    """
    with ExitStack() as blocks:
        for name in in_process:
            blocks.enter_context(dialect_named(name).as_in_process())
        blocks.enter_context(using(backend=to, x64=False))
        blocks.enter_context(get(to).with_all_dtypes())
        moved = [_moved(x, to, speaks) for x in leaves]
        args, kw = structure.build(iter(moved))
        tokens = moving.set(True), standing_alone.set(True)
        try:
            graph = trace(f, args, kw, passes)
            if graph.backend != to:
                raise TraceError(f"transpile: the function computes on {graph.backend}, and not on {to}")
            graph = finish(graph)
            graph.all_dtypes = True
            _check_source(graph)
        finally:
            standing_alone.reset(tokens[1])
            moving.reset(tokens[0])
    return graph


def _of_model(model: Any, args: tuple[Any, ...], kw: dict[str, Any], to: str) -> ModelGraph:
    """Write a model of PyTorch or of its dialect as source of another framework."""
    from .torch.models import Forward, Training

    at = asked_at()
    asked = Location(*at) if at is not None else None
    speaks = dialect_named("torch")
    train = kw.pop("train", False) is True
    targets: tuple[Any, ...] = ()
    program: Any
    if train:
        loss, optimizer = kw.pop("loss", None), kw.pop("optimizer", None)
        targets = tuple(kw.pop("targets", ()))
        if not callable(loss) or optimizer is None:
            raise TypeError("transpile: train=True needs loss=, a function, and optimizer=")
        program = Training(model, loss, optimizer)
    else:
        program = Forward(model)
    real = [] if program.model is model else ["torch"]
    given, structure = flatten((args, kw, targets), _is_array)
    given = [x.detach() if isinstance(x, DialectArray) else x for x in given]  # type: ignore[attr-defined]
    with ExitStack() as blocks:
        for name in real:
            blocks.enter_context(dialect_named(name).as_in_process())
        ours = structure.build(iter([_moved(x, "numpy", speaks) for x in given]))
        changing = program.run_once(*ours) if train else program.changed_buffers(*ours[:2])
    args, kw, targets = structure.build(iter(given))
    if train and float64 not in get(to).native_dtypes:
        program.without_float64()
    dicts = (program.parameters, program.state) if train else (program.parameters,)
    leaves, structure = flatten(((*dicts, *args, *targets), kw), _is_array)
    with get(to).with_all_dtypes():
        natives = [{n: lw.asarray(x._array, backend=to).data for n, x in d.items()} for d in dicts]
    function = program.function(changing, len(args), len(targets)) if train else program.function(changing)
    made = _traced_on(
        function,
        leaves,
        structure,
        to,
        speaks,
        real,
        PASSES,
        lambda g: ModelGraph.of(g, natives[0], natives[1] if train else None, asked),
    )
    assert isinstance(made, ModelGraph)
    return made


def _is_array(x: Any) -> bool:
    return isinstance(x, DialectArray)


def _may_be_model(f: Any) -> bool:
    """Return whether an object is a module, of PyTorch or of its dialect."""
    if isinstance(f, (FunctionType, MethodType)) or not ("torch" in sys.modules or f"{PREFIX}torch" in sys.modules):
        return False
    from .torch.models import is_model

    return is_model(f)


def _frameworks_given(leaves: list[Any]) -> tuple[str, ...]:
    """The frameworks with a dialect whose own arrays are among the arguments; NumPy where it is the only one."""
    owners = {of(x) for x in leaves if not isinstance(x, (Array, DialectArray, *SCALARS))} - {None}
    found = [name for name in dialect_names() if any(owner is not None and owner.name == name for owner in owners)]
    return tuple(found if len(found) == 1 else [name for name in found if name != "numpy"])


def _check_source(graph: Graph) -> None:
    """Write the source, so that a graph without source fails now. Large arrays fail when the text is requested."""
    with suppress(TooLargeError):
        _ = graph.source


def _moved(x: Any, to: str, speaks: Dialect | None) -> Any:
    """An argument with its elements on another framework: an array of the dialect that the function speaks."""
    if isinstance(x, DialectArray):
        return x.dialect.wrapped(lw.asarray(x._array, backend=to))
    if isinstance(x, SCALARS) and of(x) is None:
        return x
    array = as_ours(x)
    if not isinstance(array, Array):
        return x
    array = lw.asarray(array, backend=to, dtype=array.dtype if array.dtype in get(to).native_dtypes else None)
    return speaks.wrapped(array) if speaks is not None else array
