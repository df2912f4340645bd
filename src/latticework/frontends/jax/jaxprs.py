"""`jax.make_jaxpr`: a program as equations. They are latticework's calls of the backend, under latticework's names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial, wraps
from typing import Any

import numpy as np

import latticework as lw

from ...core.trees import flatten
from ...policy import current, in_force
from ...tracing.nodes import Block, Constant, Value, values_in
from ...tracing.recording.recorder import recorder
from .core import as_array, dialect, ops
from .shaped import ShapeDtypeStruct
from .tracers import ShapedArray, is_tracer, short
from .trees import arrays_in, is_array, run

__all__ = [
    "ClosedJaxpr", "DropVar", "Jaxpr", "JaxprEqn", "Literal", "Var", "eval_jaxpr", "jaxpr_as_fun", "jaxprs_in_params",
    "make_jaxpr", "subjaxprs",
]  # fmt: skip


class Var:
    """An array of a program, without its values."""

    __slots__ = ("aval", "number")

    def __init__(self, aval: ShapedArray, number: int = 0) -> None:
        self.aval, self.number = aval, number

    @property
    def name(self) -> str:
        """Its name in the text of the program: a, b, ..., z, ba, bb, ..."""
        text, n = "", self.number
        while True:
            text, n = chr(97 + n % 26) + text, n // 26
            if not n:
                return text

    def __repr__(self) -> str:
        return f"Var({self.name}):{short(self.aval.shape, self.aval.dtype)}"


class DropVar(Var):
    """A result that nothing uses."""

    name = "_"


class Literal:
    """A number in a program."""

    __slots__ = ("aval", "val")

    def __init__(self, val: Any, aval: Any = None) -> None:
        self.val = val
        self.aval = aval if aval is not None else ShapedArray((), np.asarray(val).dtype, weak_type=True)

    def __repr__(self) -> str:
        return f"{self.val}"


class Primitive:
    """The name of what an equation computes."""

    __slots__ = ("multiple_results", "name")

    def __init__(self, name: str, multiple_results: bool = False) -> None:
        self.name, self.multiple_results = name, multiple_results

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Primitive) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return self.name


class JaxprEqn:
    """One call: what is computed, of what, and what comes of it.

    Attributes
    ----------
    primitive: an object whose `name` is that of latticework's function.
    invars: the arrays and numbers that it takes.
    outvars: the arrays that it gives.
    params: what else it takes: other arguments by position as ``arg1``, and those by name.
    """

    effects: frozenset[Any] = frozenset()

    def __init__(self, primitive: Primitive, invars: list[Any], outvars: list[Var], params: dict[str, Any]) -> None:
        self.primitive, self.invars, self.outvars, self.params = primitive, invars, outvars, params

    def __repr__(self) -> str:
        made = " ".join(f"{v.name}:{short(v.aval.shape, v.aval.dtype)}" for v in self.outvars)
        shown = ", ".join(f"{n}={v}" for n, v in self.params.items())
        taken = " ".join(v.name if isinstance(v, Var) else str(v) for v in self.invars)
        return f"{made} = {self.primitive}{f'[{shown}]' if shown else ''} {taken}".rstrip()


class Jaxpr:
    """A program: its arguments, its equations and its results.

    Attributes
    ----------
    constvars: the arrays that it holds.
    invars: its arguments.
    outvars: its results.
    eqns: its equations in their order.
    graph: the graph of latticework, which computes it.
    """

    effects: frozenset[Any] = frozenset()

    def __init__(
        self, constvars: Sequence[Var], invars: Sequence[Var], outvars: Sequence[Any], eqns: Sequence[JaxprEqn],
        graph: Any = None,
    ) -> None:  # fmt: skip
        self.constvars, self.invars, self.outvars, self.eqns = [*constvars], [*invars], [*outvars], [*eqns]
        self.graph = graph

    def __repr__(self) -> str:
        def told(variables: Any) -> str:
            return " ".join(f"{v.name}:{short(v.aval.shape, v.aval.dtype)}" for v in variables)

        lines = "".join(f"\n    {eqn}" for eqn in self.eqns)
        outs = ", ".join(v.name if isinstance(v, Var) else str(v) for v in self.outvars)
        outs += "," * (len(self.outvars) == 1)
        return f"{{ lambda {told(self.constvars)}; {told(self.invars)}. let{lines}\n  in ({outs}) }}"

    def replace(self, **fields: Any) -> Jaxpr:
        """Return one with other fields."""
        own = {n: getattr(self, n) for n in ("constvars", "invars", "outvars", "eqns", "graph")}
        return Jaxpr(**{**own, **{n: v for n, v in fields.items() if n in own}})


class ClosedJaxpr:
    """A program and the arrays that it holds.

    Attributes
    ----------
    jaxpr: the program.
    consts: the arrays.
    in_avals, out_avals: the shapes and dtypes of its arguments and results.
    eqns: its equations.
    """

    effects: frozenset[Any] = frozenset()

    def __init__(self, jaxpr: Jaxpr, consts: Sequence[Any] = ()) -> None:
        self.jaxpr, self.consts = jaxpr, [*consts]

    literals = property(lambda self: self.consts)
    eqns = property(lambda self: self.jaxpr.eqns)
    in_avals = property(lambda self: [v.aval for v in self.jaxpr.invars])
    out_avals = property(lambda self: [v.aval for v in self.jaxpr.outvars])

    def __repr__(self) -> str:
        return repr(self.jaxpr)

    __str__ = __repr__


def make_jaxpr(
    fun: Any, static_argnums: Any = (), axis_env: Any = None, return_shape: bool = False
) -> Callable[..., Any]:
    """Make the function that gives a function's program, as equations, for arguments of some shapes and dtypes.

    The equations are the calls that latticework makes on the backend in force, under latticework's names. They compute
    what the function computes; JAX's own primitives, and their number, are others.
    """
    if not callable(fun):
        raise TypeError(f"Expected a callable value, got {fun!r}")
    numbers = (static_argnums,) if isinstance(static_argnums, int) else tuple(static_argnums)

    @wraps(fun)
    def call(*args: Any, **kw: Any) -> Any:
        static = {n % len(args): args[n] for n in numbers if args}
        given = tuple([x for i, x in enumerate(args) if i not in static])
        leaves, structure = flatten((given, kw), lambda x: is_array(x) or isinstance(x, ShapeDtypeStruct))
        built: list[Any] = []

        def flat(*xs: Any) -> Any:
            rest, named = structure.build(iter([_weak_as(dialect.wrap(x), y) for x, y in zip(xs, arrays, strict=True)]))
            dynamic = iter(rest)
            found = arrays_in(fun(*[static[i] if i in static else next(dynamic) for i in range(len(args))], **named))
            outs, out = flatten(found, is_array)
            built[:] = [out, [ShapeDtypeStruct(o.shape, o.dtype, weak_type=o.weak_type) for o in outs]]
            return [o._array for o in outs]

        with _outside():
            arrays = [_example(x) for x in leaves]
            graph = traced_once(flat, [x._array for x in arrays], "make_jaxpr")
        closed = _closed(graph, arrays, built[1])
        return (closed, built[0].build(iter(built[1]))) if return_shape else closed

    return call


@contextmanager
def _outside() -> Iterator[None]:
    """A block in which no program is traced or inferred: another one can be, of arrays that have values."""
    kind, _, inside = current().backend.partition(":")
    if kind not in ("abstract", "traced"):
        yield
        return
    token = recorder.set(None)
    try:
        with in_force(current()._with(backend=inside or "numpy")):
            yield
    finally:
        recorder.reset(token)


def traced_once(f: Callable[..., Any], arrays: Sequence[Any], name: str) -> Any:
    """Return the graph of a function that runs once, for what it does besides too: what it holds is a constant.

    By its method `lw.trace` does not see what the function holds, which it would read and write in each call.
    """
    return run(partial(lw.trace, f.__call__), tuple(arrays), {}, name)  # type: ignore[operator]


def _weak_as(x: Any, like: Any) -> Any:
    from .numpy.creation import _weakened

    return _weakened(x) if like.weak_type and not x.weak_type else x


def _example(x: Any) -> Any:
    if isinstance(x, ShapeDtypeStruct) or (hasattr(x, "shape") and hasattr(x, "dtype") and not hasattr(x, "__array__")):
        return ops.zeros(tuple(x.shape), dtype=lw.as_dtype(np.dtype(x.dtype).name))
    x = as_array(x, "make_jaxpr")
    if not is_tracer(x):
        return x
    return _weak_as(ops.zeros(x.shape, dtype=x._array.dtype), x)


def _of_block(block: Block, variables: dict[int, Var], constants: dict[int, tuple[Var, Any]]) -> Jaxpr:
    """Return a block of a graph as a program. `variables` and `constants` get what it has, by the value's id."""

    def variable(value: Value) -> Var:
        if id(value) not in variables:
            var = variables[id(value)] = Var(ShapedArray(value.shape, dialect.dtypes[value.dtype]), len(variables))
            if isinstance(value, Constant):
                constants[id(value)] = var, value.native
        return variables[id(value)]

    invars = [variable(v) for v in block.inputs]
    eqns = []
    for node in block.nodes:
        params = {f"arg{i}": x for i, x in enumerate(node.args) if not values_in(x)}
        params |= {n: x for n, x in node.kwargs.items() if not values_in(x)}
        if node.blocks:
            params["jaxprs"] = tuple([_of_block(b, variables, constants) for b in node.blocks])
        made = [variable(v) for v in node.results]
        eqns.append(JaxprEqn(Primitive(node.name, len(made) != 1), [variable(v) for v in node.operands], made, params))
    results = [variable(v) for v in values_in(block.outputs)]
    return Jaxpr([], invars, results, eqns)


def _closed(graph: Any, arguments: list[Any], outs: list[Any]) -> ClosedJaxpr:
    """Return a graph as a program of equations."""
    variables: dict[int, Var] = {}
    constants: dict[int, tuple[Var, Any]] = {}
    jaxpr = _of_block(graph.block, variables, constants)
    for var, x in zip(jaxpr.invars, arguments, strict=False):
        var.aval = ShapedArray(x.shape, x.dtype, weak_type=x.weak_type)
    for var, told in zip(jaxpr.outvars, outs, strict=False):
        var.aval = ShapedArray(told.shape, told.dtype, weak_type=told.weak_type)
    jaxpr.constvars, jaxpr.graph = [v for v, _ in constants.values()], graph
    return ClosedJaxpr(jaxpr, [c for _, c in constants.values()])


def eval_jaxpr(jaxpr: Jaxpr, consts: Sequence[Any], *args: Any, propagate_source_info: bool = True) -> list[Any]:
    """Compute a program: the list of its results."""
    if jaxpr.graph is None:
        raise NotImplementedError("eval_jaxpr: a program that make_jaxpr did not make has no graph to run")
    arrays = [as_array(x)._array for x in args]
    without = next((x._sig.backend for x in arrays if x._sig.backend.name.startswith("abstract")), None)
    if without is None:
        return [dialect.wrap(x) for x in run(jaxpr.graph, tuple(arrays), {}, "eval_jaxpr")]
    with lw.using(backend=without.name):
        avals = [v.aval for v in jaxpr.outvars]
        return [dialect.wrap(lw.zeros(aval.shape, dtype=lw.as_dtype(aval.dtype.name))) for aval in avals]


def jaxpr_as_fun(closed_jaxpr: ClosedJaxpr, *args: Any) -> Any:
    """Return the function of a program; with arguments, what it gives of them."""
    if args:
        return eval_jaxpr(closed_jaxpr.jaxpr, closed_jaxpr.consts, *args)
    return lambda *xs: eval_jaxpr(closed_jaxpr.jaxpr, closed_jaxpr.consts, *xs)


def jaxprs_in_params(params: dict[str, Any]) -> Iterator[Jaxpr]:
    """Yield the programs among the parameters of an equation."""
    for value in params.values():
        for x in value if isinstance(value, (tuple, list)) else (value,):
            if isinstance(x, (Jaxpr, ClosedJaxpr)):
                yield x.jaxpr if isinstance(x, ClosedJaxpr) else x


def subjaxprs(jaxpr: Jaxpr) -> Iterator[Jaxpr]:
    """Yield the programs inside of the equations of one."""
    for eqn in jaxpr.eqns:
        yield from jaxprs_in_params(eqn.params)
