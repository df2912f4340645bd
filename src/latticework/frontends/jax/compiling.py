"""`jax.jit`: a function runs once for arguments of some shapes and dtypes, and from then on its program runs.

Where the backend's framework compiles functions, it does. On NumPy and PyTorch the program is a graph of latticework.
A function that asks for values, or that a transformation is taken of, runs itself.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from functools import cache, partial
from typing import Any

import latticework as lw

from ...api.transformations import _hooks
from ...backend.registry import get
from ...core.trees import Structure, flatten
from ...tracing.recording.recorder import recorder
from .axes import _AXES
from .core import as_array, dialect
from .errors import JAXIndexError, JAXTypeError
from .jaxprs import make_jaxpr, traced_once
from .shaped import ShapeDtypeStruct
from .stages import Traced
from .tracers import is_tracer
from .transformations import _callable, eval_shape, weak_flags, weakened, wraps
from .trees import DERIVATIVES, arrays_in, is_array, mapped, run


def _not_specified() -> None: ...


def jit(
    fun: Any = _not_specified, /, *, in_shardings: Any = object(), out_shardings: Any = object(),  # noqa: B008
    static_argnums: Any = None, static_argnames: Any = None, donate_argnums: Any = None, donate_argnames: Any = None,
    keep_unused: bool = False, device: Any = None, backend: str | None = None, inline: bool = False,
    compiler_options: Any = None,
) -> Any:  # fmt: skip
    if fun is _not_specified:
        return partial(jit, static_argnums=static_argnums, static_argnames=static_argnames)
    _callable(fun, "jit")
    numbers, names = _static(fun, static_argnums, static_argnames)
    programs: dict[Any, Any] = {}

    @wraps(fun)
    def call(*args: Any, **kw: Any) -> Any:
        parts = _Parts(fun, numbers, names, args, kw)
        if parts.are_plain():
            program = parts.kept_in(programs, Program)
            if program.graph is not None:
                return program(parts.leaves)
        compiled, flags = parts.kept_in(programs, _compiled)
        return weakened(run(compiled, parts.given, parts.named, "jit"), flags)

    def staged(*args: Any, **kw: Any) -> Traced:
        parts = _Parts(fun, numbers, names, *_examples(args, kw))
        closed, out = make_jaxpr(partial(fun, **parts.static_named), numbers, return_shape=True)(*args, **parts.named)
        return Traced(closed, out, getattr(fun, "__name__", "fun"), (parts.given, parts.named), partial(Program, parts))

    call.trace = staged
    call.lower = lambda *args, **kw: staged(*args, **kw).lower()
    call.eval_shape = partial(eval_shape, fun)
    call.clear_cache = programs.clear
    call._cache_size = lambda: len({key[1:] for key in programs})
    return call


def _examples(args: tuple[Any, ...], kw: dict[str, Any]) -> Any:
    """Return arguments with arrays in the places of shapes and dtypes."""
    leaves, structure = flatten((args, kw), lambda x: is_array(x) or isinstance(x, ShapeDtypeStruct))
    return structure.build(iter([
        mapped(lambda s: dialect.ops.zeros(s.shape, dtype=lw.as_dtype(s.dtype.name)), x)
        if isinstance(x, ShapeDtypeStruct) else x for x in leaves
    ]))  # fmt: skip


class _Parts:
    """A call of a function of `jit`: its static arguments, and the arrays among the others."""

    def __init__(
        self, fun: Any, numbers: Iterable[int], names: frozenset[str], args: tuple[Any, ...], kw: dict[str, Any]
    ) -> None:
        self.fun, self.count = fun, len(args)
        places = {n % len(args) for n in numbers if -len(args) <= n < len(args)}
        self.static = {i: args[i] for i in sorted(places)}
        self.static_named = {n: v for n, v in sorted(kw.items()) if n in names}
        self.given = arrays_in(tuple([x for i, x in enumerate(args) if i not in places]))
        self.named = arrays_in({n: v for n, v in kw.items() if n not in names})
        self.leaves, self.structure = flatten((self.given, self.named), is_array)

    def key(self) -> tuple[Any, ...]:
        """What a program belongs to."""
        sigs = tuple([(x._array._sig, x.shape) for x in self.leaves])
        return (*self.static.items(), *self.static_named.items(), self.count, self.structure, sigs, dialect.policy())

    def kept_in(self, programs: dict[Any, Any], make: Any) -> Any:
        """Return the program of such calls, which is made where there is none."""
        key = (make, *self.key())
        try:
            found = programs.get(key)
        except TypeError:
            raise ValueError("Non-hashable static arguments are not supported in jit") from None
        if found is None:
            found = programs[key] = make(self)
        return found

    def called(self, given: Any, named: Any) -> Any:
        """Run the function itself."""
        arrays = iter(given)
        args = [self.static[i] if i in self.static else next(arrays) for i in range(self.count)]
        return self.fun(*args, **self.static_named, **named)

    def are_plain(self) -> bool:
        """Return whether the graph of the function may run: no transformation does, and no framework compiles it."""
        if DERIVATIVES.get() or _AXES.get() or recorder.get() is not None or any(is_tracer(x) for x in self.leaves):
            return False
        backends = {x._array._sig.backend for x in self.leaves} or {get(dialect.policy().backend)}
        return len(backends) == 1 and _has_no_compiler(*backends)


@cache
def _has_no_compiler(backend: Any) -> bool:
    return not backend.adopt and not backend.lazy and getattr(_hooks(backend), "jit", None) is None


#: Errors of a function that asks for values, or does what no graph has: it runs itself.
_ASKS = (lw.errors.NoDataError, lw.errors.BackendError, NotImplementedError, JAXTypeError, JAXIndexError)


#: The most calls of a graph that runs. To write a longer one takes more time than it saves: the function itself runs.
_MOST = 500


class Program:
    """The graph of a function for arguments of some shapes and dtypes.

    Attributes
    ----------
    graph: the graph; None where there is none, because the function asks for values or makes very many calls.
    """

    def __init__(self, parts: _Parts, *, required: bool = False) -> None:
        self.out: Structure | None = None
        self.flags: list[bool] = []

        def flat(*xs: Any) -> list[Any]:
            found = parts.called(*parts.structure.build(iter([dialect.wrapped(x) for x in xs])))
            leaves, self.out = flatten(found, is_array)
            outs = [as_array(x) for x in leaves]
            self.flags = [x.weak_type for x in outs]
            return [x._array for x in outs]

        self.graph: Any = None
        try:
            self.graph = traced_once(flat, [x._array for x in parts.leaves], "jit")
        except _ASKS:
            if required:
                raise
        if self.graph is not None and len(self.graph.block.nodes) > _MOST and not required:
            self.graph = None

    def __call__(self, leaves: list[Any]) -> Any:
        assert self.out is not None
        found = run(self.graph, tuple([x._array for x in leaves]), {}, "jit")
        return self.out.build(iter(weakened([dialect.wrapped(x) for x in found], self.flags)))


def _static(fun: Any, numbers: Any, names: Any) -> tuple[tuple[int, ...], frozenset[str]]:
    """Return the positions and names of static arguments: each position has its name, and each name its position."""
    numbers = () if numbers is None else (numbers,) if isinstance(numbers, int) else tuple(numbers)
    names = () if names is None else (names,) if isinstance(names, str) else tuple(names)
    try:
        parameters = list(inspect.signature(fun).parameters)
    except (TypeError, ValueError):
        return numbers, frozenset(names)
    numbers += tuple(parameters.index(n) for n in names if n in parameters)
    names += tuple(parameters[n] for n in numbers if -len(parameters) <= n < len(parameters))
    return tuple({*numbers}), frozenset(names)


def _compiled(parts: _Parts) -> tuple[Any, list[bool]]:
    """The function as the framework compiles it, and which of its results are weak, which is known when it has run."""
    weak = weak_flags(parts.leaves)
    flags: list[bool] = []

    def dynamic(*given: Any, **named: Any) -> Any:
        result = arrays_in(parts.called(*weakened((given, named), weak)))
        flags[:] = weak_flags(result)
        return result

    return lw.jit(dynamic), flags


dialect.finish(globals(), view="jax")
