"""The plans of gradients: functions that are written once for arguments which are built alike.

A plan makes the arrays that the user's function gets, asks the framework for the gradient, and builds what is returned.
What lies in other arguments is handed on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import accumulate, count
from types import CodeType
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import finalize

from ...core.reading import Names, building
from ...core.trees import Structure
from ...policy import TABLES
from ..arrays.array import Array
from .entry import Entry, Kept
from .flat import RECORDING
from .lacking import note_lacking

if TYPE_CHECKING:
    from ...backend import Backend
    from ...core.signature import Sig
    from .flat import Result

__all__ = ["Call", "Plans", "written"]

#: A function of the arguments by position and by keyword.
Slow = Callable[[tuple[Any, ...], dict[str, Any]], Any]
_numbers = count(1)
#: The most kinds of arguments that are noted, to know whether they come again.
_MOST = 64

_TEXT = """
def call(natives, args, kw):
    if recording() is not None:
        return slow(args, kw)
    out = aux = None

    def run(natives):
        nonlocal out, aux
        {made}
        y = f({given}, **kw)
        {take}
        if type(y) is Array and y._sig is value and {shape} == ():
            return [y._data], {more}
        out, given = taken(y)
        return given, {more}

    try:
        outs, grads, more = gradient(run, natives)
    except Exception as error:
        note(name, backend, error)
        raise
    {found}
    if out is None:
        y = Array()
        y._data, = outs
        y._sig = strong
    else:
        y = out.build(outs)
    {result}
"""


class Call(NamedTuple):
    """A call of a gradient, for the plan of calls like it.

    Attributes
    ----------
    args, kw: the arguments.
    positions: which arguments it is differentiated by; `structure` is how they are built.
    arrays: the arrays in these arguments.
    backend: the backend of the arrays. Its framework has a `gradient`.
    value: the signature of what the user's function returned.
    """

    args: tuple[Any, ...]
    kw: dict[str, Any]
    positions: Sequence[int]
    structure: Structure
    arrays: Sequence[Array]
    backend: Backend
    value: Sig


class Plans:
    """The plans of a function's gradient, by the kinds of arguments.

    The first call of a kind goes the slow way, which is the reference. The second one does so too, and makes the plan:
    many a gradient is made for one call.

    Attributes
    ----------
    call: runs the plan for the arguments, or the slow way; None before there is a plan.
    """

    __slots__ = ("_entry", "_met", "call")  # a traced program holds nothing of it

    def __init__(self) -> None:
        self.call: Callable[..., Any] | None = None
        self._entry: Entry | None = None
        self._met: set[Any] = set()

    def note(self, name: str, call: Call, slow: Slow, write: Callable[[Call], Callable[..., Any]]) -> None:
        """Note a call, and make the plan where there was one of its kind before.

        Parameters
        ----------
        name: the function that is called, such as ``"grad"``.
        write: makes the plan.
        """
        key = len(call.args), call.structure, (*[x._sig for x in call.arrays],)
        if key not in self._met:
            if len(self._met) >= _MOST:
                self._met.clear()
            self._met.add(key)
            return
        if self._entry is None:
            self._entry = Entry(f"{name} {next(_numbers)}", slow, ())
            finalize(self._entry.call, TABLES.pop, self._entry.name, None)
            self.call = self._entry.call
        whole = [i for i in range(len(call.args)) if i not in call.positions]
        self._entry.keep(call.args, call.kw, Kept(write(call), None, None), whole=whole, handed=True)


def written(
    call: Call,
    name: str,
    f: Callable[..., Any],
    slow: Slow,
    *,
    single: bool,
    with_value: bool,
    taken: Callable[[Any], tuple[Result, list[Any]]],
    pair: Callable[[Any], tuple[Any, Result, list[Any]]] | None,
) -> Callable[[list[Any], tuple[Any, ...], dict[str, Any]], Any]:
    """Write the plan: a function of the native arrays, and of all arguments, that gives what the user gets.

    Parameters
    ----------
    f: the user's function.
    slow: the reference, which runs in a function that another backend records.
    single: whether the gradient is that by one argument, and no tuple.
    with_value: whether the result of `f` is returned before the gradient.
    taken: takes a result apart into its native arrays that is of another kind than before, or raises an error.
    pair: takes a pair apart of a result and what else is returned; None where `f` returns no pair.
    """
    backend, structure = call.backend, call.structure
    names = Names({
        "__name__": __name__, "Array": Array, "recording": RECORDING.get, "slow": slow, "f": f, "name": name,
        "value": call.value, "strong": backend.sig(call.value.dtype), "taken": taken, "pair": pair, "backend": backend,
        "gradient": backend.transformations.gradient, "note": note_lacking,
    })  # fmt: skip
    made, found = list[str](), list[str]()
    for lines, source in ((made, "natives"), (found, "grads")):
        lines.append(f"{''.join([f'x{i}, ' for i in _in_order(call)])}= {source}")
        for i, x in enumerate(call.arrays):
            sig = names.of(backend.sig(x.dtype), "sig")
            lines += [f"a{i} = Array()", f"a{i}._data = x{i}", f"a{i}._sig = {sig}"]
    whole = building(structure, iter([f"a{i}" for i in range(len(call.arrays))]), names, made)
    tree = building(structure, iter([f"a{i}" for i in range(len(call.arrays))]), names, found)
    parts = {position: f"{whole}[{i}]" for i, position in enumerate(call.positions)}
    given = ", ".join(parts.get(i, f"args[{i}]") for i in range(len(call.args)))
    grads = f"{tree}[0]" if single else f"tuple({tree})"
    if pair is None:
        result = f"return {'y, ' if with_value else ''}{grads}"
    else:
        result = f"return {'(y, aux.build(more))' if with_value else grads}, "
        result += grads if with_value else "aux.build(more)"
    exec(_code(_TEXT.format(
        made=f"\n{' ' * 8}".join(made), found=f"\n{' ' * 4}".join(found), given=given, result=result,
        take="pass" if pair is None else "y, aux, more = pair(y)", more="[]" if pair is None else "more",
        shape=backend.shape_text.format("y._data"),
    )), names.objects)  # fmt: skip
    plan: Callable[[list[Any], tuple[Any, ...], dict[str, Any]], Any] = names.objects["call"]
    return plan


def _in_order(call: Call) -> list[int]:
    """List the numbers of the arrays in the order in which the arguments have them: `argnums` may have another."""
    sizes = [child.size for child in call.structure.children]
    parts = {p: range(end - n, end) for p, n, end in zip(call.positions, sizes, accumulate(sizes), strict=True)}
    return [i for p in sorted(parts) for i in parts[p]]


@lru_cache(256)
def _code(text: str) -> CodeType:
    """Compile a text once: a program makes the gradients of many functions of arguments that are built alike."""
    return compile(text, "<latticework gradient>", "exec")
