"""The functions that the source of a graph becomes: their code, what they look at before they run, and compilers."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache, partial, wraps
from itertools import count
from types import CodeType
from typing import TYPE_CHECKING, Any

from ..engine.functions.entry import OtherShapes
from ..errors import BackendError, TraceError
from .recording.state import Held, Kept
from .writing.source import Body

if TYPE_CHECKING:
    from ..backend import Backend
    from .graph import Argument

__all__ = [
    "TELL", "StaleError", "code_of", "compiler_of", "following", "given", "looking", "of_shapes", "telling",
    "with_lines_at_hand",
]  # fmt: skip

_numbers = count(1)


class StaleError(TraceError):
    """The error for a traced function that does not hold what it held when it was traced."""


@lru_cache(512)
def code_of(text: str, name: str) -> CodeType:
    """Compile the text of a graph's function once: many graphs of one program differ in what their names stand for."""
    file = f"<latticework {name} {next(_numbers)}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    return compile(text, file, "exec")


#: The name of the function that the text of a graph's function calls when it fails.
TELL = "__tell"


def telling(body: Body) -> str:
    """Return the text of a source whose function reports errors in latticework's words, at no cost without an error."""
    head = f"def {body.name}("
    begin = 0 if body.text.startswith(head) else body.text.rindex(f"\n{head}") + 1
    first, *lines = body.text[begin:].rstrip("\n").split("\n")
    parameters = first[len(head) : first.rindex(")")]
    inside = [f"    {line}" if line else line for line in lines]
    caught = [
        "    except Exception as __error:",
        f"        {TELL}({', '.join(filter(None, ['__error', parameters]))})",
    ]
    return body.text[:begin] + "\n".join([first, "    try:", *inside, *caught, "        raise", ""])


def following(run: Callable[..., Any], held: list[tuple[str, Held]], namespace: dict[str, Any]) -> Callable[..., Any]:
    """Wrap a function to read the arrays that the program holds at each call.

    Where the framework's arrays are immutable, a write into an lw.Array gives it another native array.

    Parameters
    ----------
    run: the function of the source.
    held: the names of the arrays in its namespace, and the arrays.
    """
    backend = held[0][1].array._sig.backend
    native = backend.native
    element = _is_scalar if backend.name == "numpy" else _is_none

    def call(*args: Any) -> Any:
        for name, h in held:
            data = h.array._data
            if data is not namespace[name] and (element(data) or native(data) is not namespace[name]):
                namespace[name] = data if element(data) else native(data)
        return run(*args)

    return call


def given(run: Callable[..., Any], held: list[Held]) -> Callable[..., Any]:
    """Wrap a function to get the arrays that the program holds, after the arguments."""
    native = held[0].array._sig.backend.native
    return lambda *args: run(*args, *[native(h.array._data) for h in held])


def _is_scalar(data: Any) -> bool:
    """Return whether the data of an array of the NumPy backend is a NumPy scalar, which stays a scalar."""
    return not hasattr(data, "__setitem__")


def _is_none(data: Any) -> bool:
    return False


def looking(run: Callable[..., Any], kept: Kept, name: str) -> Callable[..., Any]:
    """Wrap a function to check first that the program holds what it held when it was traced.

    Raises
    ------
    StaleError: the program holds something else.
    """
    check = kept.check

    def call(*args: Any) -> Any:
        if not check() and (why := kept.differs()):
            raise StaleError(f"{name}: the graph is not valid for this call: {why}. Trace the function again")
        return run(*args)

    return call


def of_shapes(f: Callable[..., Any], arguments: Sequence[Argument]) -> Callable[..., Any]:
    """Wrap a function to refuse arrays of other shapes than these. It runs when it is compiled, once for a shape."""
    shapes = [argument.shape for argument in arguments]

    @wraps(f)
    def run(*args: Any) -> Any:
        if [tuple(x.shape) for x in args[: len(shapes)]] != shapes:  # after them, arrays that the program holds
            raise OtherShapes
        return f(*args)

    return run


def compiler_of(backend: Backend) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a framework's own compiler for functions of its arrays.

    Raises
    ------
    BackendError: the framework has no compiler.
    """
    if backend.name == "jax":
        import jax

        jit: Callable[..., Any] = jax.jit
        return jit
    if backend.name == "torch":
        import torch

        return partial(torch.compile, fullgraph=True)
    if backend.name == "tensorflow":
        import tensorflow as tf

        return partial(tf.function, autograph=False)
    raise BackendError(f"compile: {backend.name} has no compiler of its own. Leave out native=True")


def with_lines_at_hand(function: Callable[..., Any], data: Sequence[Any]) -> Any:
    """Call a function under an empty profiler.

    TensorFlow notes the line of each eager call. CPython 3.11 finds it by going through the function's table of lines
    from its start, so that calls in a function of thousands of lines take several times as long. Once the function was
    profiled, CPython keeps the table in a form where look-ups are fast.
    """
    before = sys.getprofile()
    if before is None:
        sys.setprofile(lambda *_: None)
    try:
        return function(*data)
    finally:
        sys.setprofile(before)
