"""`jax.stages`: the programs of functions of `jit`, before they run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

from ...core.trees import flatten
from .shaped import ShapeDtypeStruct
from .trees import is_array, mapped

__all__ = ["ArgInfo", "Compiled", "CompilerOptions", "Lowered", "Traced", "Wrapped"]

CompilerOptions = dict[str, Any]


@runtime_checkable
class Wrapped(Protocol):
    """A function of `jit`."""

    def __call__(self, *args: Any, **kw: Any) -> Any:
        """Run the function."""

    def lower(self, *args: Any, **kw: Any) -> Any:
        """Return its program for such arguments."""


class ArgInfo:
    """What is known of an argument of a program.

    Attributes
    ----------
    shape, dtype: of the array.
    donated: always False.
    """

    donated = False

    def __init__(self, x: Any) -> None:
        self.shape, self.dtype = x.shape, x.dtype

    def __repr__(self) -> str:
        return f"ArgInfo(shape={self.shape}, dtype={self.dtype})"


class Traced:
    """The program of a function, as equations.

    Attributes
    ----------
    jaxpr: the equations, see `jax.make_jaxpr`.
    out_info: the shapes and dtypes of the results, a tree.
    fun_name: the name of the function.
    """

    def __init__(self, jaxpr: Any, out_info: Any, fun_name: str, args: Any, program: Callable[..., Any]) -> None:
        self.jaxpr, self.out_info, self.fun_name = jaxpr, out_info, fun_name
        self._args, self._program = args, program

    def lower(self, *, lowering_platforms: Any = None) -> Lowered:
        """Return the program as calls of the backend."""
        return Lowered(self)


class Lowered:
    """The program of a function, as calls of the backend: a graph of latticework.

    Attributes
    ----------
    graph: the graph; its `source` is the program as Python.
    args_info: what is known of the arguments: their tuple, and the dict of those by name.
    out_info: the shapes and dtypes of the results, a tree.
    """

    def __init__(self, traced: Traced) -> None:
        self._program = traced._program(required=True)
        self.graph = self._program.graph
        self.args_info, self.out_info = mapped(ArgInfo, traced._args), traced.out_info
        self._taken = _taken(traced._args)

    @property
    def in_tree(self) -> Any:
        """How the arguments are built."""
        return self._taken[0]

    def as_text(self, dialect: str | None = None, *, debug_info: bool = False) -> str:
        """Return the program as Python of the backend's framework. There is no text of XLA."""
        text: str = self.graph.source
        return text

    def compile(self, compiler_options: CompilerOptions | None = None) -> Compiled:
        """Return the program as a function."""
        return Compiled(self)


class Compiled:
    """The program of a function for arguments of some shapes and dtypes, as a function."""

    def __init__(self, lowered: Lowered) -> None:
        self.args_info, self.out_info, self.graph = lowered.args_info, lowered.out_info, lowered.graph
        self._program, self._taken = lowered._program, lowered._taken

    @property
    def in_tree(self) -> Any:
        """How the arguments are built."""
        return self._taken[0]

    def __call__(self, *args: Any, **kw: Any) -> Any:
        """Run it.

        Raises
        ------
        TypeError: the arguments are not built as those that it was made for, or are of other shapes or dtypes.
        """
        from .trees import arrays_in

        given = arrays_in((args, kw))
        structure, specs = _taken(given)
        if structure != self._taken[0]:
            raise TypeError(
                f"Function compiled with input pytree does not match the input pytree it was called with: "
                f"{self._taken[0]} and {structure}"
            )
        if specs != self._taken[1]:
            raise TypeError(
                f"Argument types differ from the types for which this computation was compiled: {self._taken[1]} and "
                f"{specs}"
            )
        return self._program(flatten(given, is_array)[0])


def _taken(args: Any) -> tuple[Any, list[ShapeDtypeStruct]]:
    """How arguments are built, and their shapes and dtypes."""
    leaves, structure = flatten(args, is_array)
    return structure, [ShapeDtypeStruct(x.shape, x.dtype) for x in leaves]
