"""Programs as graphs of native calls: traced once, run without the cost of dispatch, and written as source."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, overload

from ..core.dtypes import DtypeLike
from ..core.trees import flatten
from ..engine.arrays.array import Array
from ..tracing.compiled import Compiled, Retrace
from ..tracing.files.graphs import load as _load
from ..tracing.graph import Graph
from ..tracing.passes.general import check_passes
from ..tracing.recording.tracer import trace as _trace
from .building import trace as diagonal_sum
from .creation import zeros
from .inference import Spec, _mapped

__all__ = ["Graph", "compile", "explain_retraces", "load", "trace"]

if TYPE_CHECKING:
    import os

P = ParamSpec("P")
R = TypeVar("R")

_Function = Callable[..., Any]


@overload
def trace(f: Callable[P, Any], /, *args: P.args, **kw: P.kwargs) -> Graph: ...
@overload
def trace(x: Array, /, offset: int = 0, axis1: int = 0, axis2: int = 1, *, dtype: DtypeLike | None = None) -> Array: ...
def trace(f: Any, /, *args: Any, **kw: Any) -> Any:
    """Run a function once and keep the native calls that it makes; or, as NumPy, sum the diagonal of a matrix.

    Parameters
    ----------
    f: a function of latticework, or a user's own that calls it.
    args, kw: its arguments: trees (see `lw.tree`) of arrays, numbers and anything else. The function computes with
        copies of the arrays, which it may write into. What is no array, a number too, is a constant of the graph.
        A spec (`lw.spec`) stands for an array of zeros; its unknown extents are dynamic in `Graph.to_onnx`, those of
        one axis are one extent, and the trace has others than 0 and 1 for them.
    x, offset, axis1, axis2, dtype: of the other form, ``lw.trace(x)``: x has at least two axes, with matrices along
        `axis1` and `axis2`; the diagonal lies `offset` above the main one; the sums are of `dtype`, by default
        as for `sum`.

    Returns
    -------
    Of a function, a graph. It can be called with arguments like these. `Graph.source` is it as Python of the framework
    alone.
    Of an array, the sums: the other axes of x.

    Raises
    ------
    TraceError: the function asks for a value, as ``if x > 0`` and ``float(x)`` do, or selects elements by a mask; or it
        changes something that it holds which no graph changes, such as a list that it appends to. The error names the
        line. It is raised by a call of the graph as well, where what the function holds is not as it was.
    Whatever the function raises.

    Notes
    -----
    Branches and loops that depend on values are written with `cond`, `switch`, `while_loop`, `fori_loop` and `scan`,
    and are branches and loops of the source; all branches are traced, and run once on the example. One that the example
    does not take, where it fails on the example's values, runs on others of the same shapes. Where the function
    looks at extents (``x.shape``), the graph is valid for these alone; else for all shapes that broadcast alike.

    What the function holds besides its arguments, in variables around it, globals, attributes and containers, is read
    and written by each call of the graph, as `compile` says.

    Examples
    --------
    >>> import latticework as lw
    >>> def scaled(x, y):
    ...     return lw.exp(x) * y + 2
    >>> graph = lw.trace(scaled, lw.asarray([0.0, 1.0]), lw.asarray([3.0, 4.0]))
    >>> graph(lw.asarray([0.0, 0.0, 0.0]), lw.asarray([1.0, 2.0, 3.0]))
    Array([3., 4., 5.], dtype=float32)
    >>> lw.trace(lw.asarray([[1, 2], [3, 4]]))
    Array(5, dtype=int32)
    """
    if not callable(f):
        return diagonal_sum(f, *args, **kw)
    unknown: dict[int, dict[int, str]] = {}
    made: list[Array] = []

    def array(spec: Spec) -> Array:
        extents = tuple([4 + axis if n is None else n for axis, n in enumerate(spec.shape)])
        made.append(zeros(extents, dtype=spec.dtype, device=spec.device))
        unknown[id(made[-1])] = {axis: f"n{axis}" for axis, n in enumerate(spec.shape) if n is None}
        return made[-1]

    if (kw or not _ARRAYS.issuperset(map(type, args))) and _has_spec((args, kw)):
        args, kw = _mapped(args, (Spec,), array), _mapped(kw, (Spec,), array)
    graph = _trace(f, args, kw)
    if unknown:
        leaves, _ = flatten((args, kw))
        found = {
            name: unknown.get(id(leaves[a.leaf]), {})
            for name, a in zip(graph.parameters, graph.arguments, strict=False)
        }
        graph.dynamic = {name: axes for name, axes in found.items() if axes}
    return graph


#: The type of arrays, as a set.
_ARRAYS = frozenset((Array,))


def _has_spec(tree: Any) -> bool:
    """Tell whether a spec is in a tree of arguments."""
    if isinstance(tree, Spec):
        return True
    parts = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, (list, tuple)) else ()
    return any(map(_has_spec, parts))


@overload
def compile(
    f: Callable[P, R],
    /,
    *,
    native: bool = False,
    fast: bool = False,
    tune: bool = False,
    simplify: Iterable[str] | None = None,
    limit: int = 64,
) -> Callable[P, R]: ...
@overload
def compile(
    f: None = None,
    /,
    *,
    native: bool = False,
    fast: bool = False,
    tune: bool = False,
    simplify: Iterable[str] | None = None,
    limit: int = 64,
) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def compile(
    f: _Function | None = None,
    /,
    *,
    native: bool = False,
    fast: bool = False,
    tune: bool = False,
    simplify: Iterable[str] | None = None,
    limit: int = 64,
) -> Any:
    """Make the function that is a function traced: it calls the framework alone.

    Parameters
    ----------
    f: a function of arrays, numbers and trees of them. Without it, a decorator with these options is returned.
    native: whether the framework's own compiler gets the source: `jax.jit`, `torch.compile`, `tf.function`. It may
        change last bits.
    fast: whether to take less time where that may change last bits. On NumPy, numba compiles the stretches of
        elementwise calls (``pip install 'latticework[fast]'``), which takes from 0.1 to 0.5 seconds for each stretch
        when it is first called. On PyTorch, calls such as `torch.addcmul` stand for two. The comments of the graph's
        source name what may differ. On other backends it changes nothing.
    tune: whether to time the ways there are when the function is first called with arguments of these dtypes and this
        magnitude (sizes within a factor of two), and to keep the fastest. Ways that may change last bits are among
        them: `fast` on PyTorch, and on NumPy where numba is installed; the framework's compiler on JAX and TensorFlow,
        and on PyTorch with `native`. ``f.tuning()`` says what was measured.
    simplify: the names of the simplifications to make, all by default (`Graph.passes` has them).
    limit: how many graphs are kept. One is made for each combination of dtypes, ranks, shapes that broadcast alike
        and other arguments that are no arrays, and for each policy (`lw.using`). Where the function looks at
        extents, one is made for each. The one that has not been used for longest goes first.

    Returns
    -------
    A function of the same arguments, with the same results. `explain_retraces` says when it was traced, and why. Its
    method `tuning` gives a list of what `tune` has measured: the `arguments`, the `seconds` of each way, and the one
    `chosen`.

    Raises
    ------
    TraceError: when it is called: the function asks for a value while it is traced, or changes something that it holds
        which no graph changes.
    BackendError: when it is called: `native` where the framework has no compiler, as NumPy.
    ModuleNotFoundError: when it is called: `fast` on NumPy where numba is not installed.
    ValueError: a name in `simplify` is no simplification.

    Notes
    -----
    What the function does besides, such as printing, is done when it is traced, which may run it a few times. Python's
    numbers are constants of the first graph. Those that have another value in a later call, as a learning rate may,
    become inputs of a second one, unless the function does with them what depends on the value: then there is a graph
    for each value. `explain_retraces` says which are inputs, and which are not and why.
    With `native`, `fast` or `tune`, numbers stay constants.

    What the function holds besides its arguments, in variables around it, globals, attributes, lists, dicts and other
    containers, is read and written by each call. Arrays, their elements and views are read when a call is made, also
    after somebody wrote into them or bound the name to another array, and are written into by the call. A name, an
    attribute or an element that the function binds to an array is bound by each call. A number, a string or None that
    the function holds is a constant of a graph; when it has changed, the function is traced again. What no graph does
    is a `TraceError` that names the line: to append to a list, to take something from a container, to count with a
    number of Python's (``self.n += 1``: hold an array), to keep an array that a branch or a step of a loop computes,
    and to ask for the value of an array that is held (``float(w)``).

    To be timed, the source is called many times, with copies of the arrays that it writes into. It is not timed where
    it writes into arrays that the function holds, and not on Dask, which computes later.

    Examples
    --------
    >>> import latticework as lw
    >>> @lw.compile
    ... def step(x, rate):
    ...     return x - rate * lw.sin(x)
    >>> step(lw.asarray([0.0, 1.0]), lw.asarray(0.5))
    Array([0.       , 0.5792645], dtype=float32)
    >>> polynomial = lw.compile(lambda x: (2 * x + 1) * x - 3, tune=True)
    >>> polynomial(lw.asarray([1.0, 2.0]))
    Array([0., 7.], dtype=float32)
    >>> print(polynomial.tuning()[0])  # doctest: +SKIP
    x float32[2]: fast of default 1.54 µs, fast 0.582 µs
    """
    if f is None:
        return lambda f: compile(f, native=native, fast=fast, tune=tune, simplify=simplify, limit=limit)
    if not callable(f):
        raise TypeError(f"compile: the first argument is the function; got {type(f).__name__}")
    names = None if simplify is None else check_passes(simplify)
    return Compiled(f, limit, names, native=native, fast=fast, tune=tune).call


def explain_retraces(f: _Function, /) -> list[Retrace]:
    """Say when a compiled function was traced, and what no graph before was valid for.

    Parameters
    ----------
    f: what `compile` made of a function.

    Returns
    -------
    One entry for each graph, the first first: `why` in words, the `graph`, the names of the Python numbers that became
    `inputs`, and the `constants`: the numbers that could not, with the reason.

    Raises
    ------
    TypeError: f is no compiled function.

    Examples
    --------
    >>> import latticework as lw
    >>> double = lw.compile(lambda x: x * 2)
    >>> _ = double(lw.asarray([1.0])), double(lw.asarray([1, 2]))
    >>> for retrace in lw.explain_retraces(double):
    ...     print(retrace.why)
    the first call
    x was of float32, and is of int32
    """
    compiled = getattr(f, "compiled", None)
    if not isinstance(compiled, Compiled):
        raise TypeError(f"explain_retraces: takes a function that lw.compile made; got {type(f).__name__}")
    return [*compiled.retraces]


def load(path: str | os.PathLike[str], /, *, limit: int = 1 << 30) -> Graph:
    """Read a graph from a file that `Graph.save` wrote.

    Nothing in the file is executed. The functions that it names are looked up among those of the backend, and what it
    says is checked. A file from elsewhere can make a graph that gives wrong numbers, takes much time or much memory
    when it is called, or fails; it can do nothing else.

    Parameters
    ----------
    path: the file.
    limit: the most bytes of arrays that the file may hold.

    Returns
    -------
    The graph, of the backend that it was traced on. It gives the same bits as the one that was saved, with the same
    versions of latticework and of the framework.

    Raises
    ------
    GraphFileError: the file is damaged or holds no graph, was written by a newer latticework, holds arrays of more
        bytes than `limit`, or names a function, a dtype or a device that is not here.
    BackendNotInstalledError: the framework is not installed.
    OSError: the file cannot be read.

    Examples
    --------
    >>> import latticework as lw
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> graph = lw.trace(lw.square, lw.asarray([1, 2, 3]))
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "square.lwg")
    ...     _ = graph.save(path)
    ...     lw.load(path)(lw.asarray([4, 5]))
    Array([16, 25], dtype=int32)
    """
    return _load(path, limit)
