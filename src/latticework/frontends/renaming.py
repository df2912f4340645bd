"""Functions of a dialect that are a latticework function by another name, written as a table.

::

    (input, *, out=None)
        abs absolute=abs acos arccos=acos
    (x, y, name=None) -> ours(*pair(x, y))
        floordiv=floor_divide igamma=special.gammainc
    (input, other, *, alpha=1, out=None) -> ours(input, other) | _scaled(ours, input, other, alpha)
        add sub=subtract subtract

A line in parentheses is the signature of the functions in the lines below it, each written as ``name``, or as
``name=ours`` where latticework's function has another name. The line may go on in lines that begin with ``->`` or
``|``. After ``->`` stands the call that they make; by default it
is ``ours`` of the parameters that have no default. After ``|`` stands the call that they make where an option is not
its default. A call may also use ``NAME``, the framework's name as a string.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable, Iterator
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import latticework

from ..core.registry import declared
from . import calls

if TYPE_CHECKING:
    from ..engine.op import Op
    from .dialect import Dialect

__all__ = ["RENAMES", "Row", "declaration", "rename", "rows"]

#: The name of latticework's function, by the function of a table that gives its result.
RENAMES: dict[Callable[..., Any], str] = {}
#: An option of a signature and its default, which may be a tuple.
_OPTION = re.compile(r"(\w+)=(\([^()]*\)|[^,()]+)")
_HEAD = re.compile(r"\((?P<signature>.*?)\)(?:$|(?= [-|]))(?: -> (?P<call>.+?))?(?: \| (?P<otherwise>.+))?$")


class Row(NamedTuple):
    """A row of a table.

    Attributes
    ----------
    name: the framework's name.
    ours: latticework's name.
    signature: the parameters, as text.
    call: the call that the function makes, as text.
    otherwise: the call that it makes where an option is not its default; None if that is `call` too.
    """

    name: str
    ours: str
    signature: str
    call: str
    otherwise: str | None

    @property
    def plain(self) -> bool:
        """True if the call has the parameters as they are."""
        return re.fullmatch(r"ours\([\w, *]*\)", self.call) is not None

    def source(self, name: str) -> str:
        """Return the source of a function that makes the row's function. It keeps each default under ``option_``.

        Parameters
        ----------
        name: the name of the function in the source.
        """
        options = dict(_OPTION.findall(self.signature))
        signature = _OPTION.sub(r"\1=\1_", self.signature)
        lines = [f"def {name}({', '.join(['ours', 'NAME', *(f'{name}_={x}' for name, x in options.items())])}):"]
        lines += [f"    def f({signature}):"]
        if self.otherwise is not None:
            given = " or ".join([f"{name} is not {name}_" for name in options])
            lines += [f"        if {given}:", f"            return {self.otherwise}"]
        return "\n".join([*lines, f"        return {self.call}", "    return f"])

    def check(self, names: dict[str, Any]) -> None:
        """Check that all names in the calls are parameters or in the module. A test does it; an import has no time.

        Raises
        ------
        NameError: one is not.
        """
        known = {"ours", "NAME", *re.findall(r"\w+", self.signature), *names, *vars(builtins)}
        tree = ast.parse(f"{self.call}, {self.otherwise}")
        used = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
        known |= {node.id for node in used if isinstance(node.ctx, ast.Store)}
        for node in used:
            if node.id not in known:
                raise NameError(f"{names['__name__']}: the table uses {node.id!r}, which the module does not have")


def rows(table: str) -> Iterator[Row]:
    """Read a table.

    Raises
    ------
    ValueError: names stand above the first signature.
    """
    head = None
    for line in re.sub(r"\n\s*(->|\|)", r" \1", table.strip()).splitlines():
        found = _HEAD.match(line.strip())
        if found is not None:
            head = found
            continue
        if head is None:
            raise ValueError(f"names stand above the first signature: {line.strip()!r}")
        signature = head["signature"]
        parameters = [p.strip() for p in signature.partition("*")[0].split(",")]
        operands = ", ".join([p for p in parameters if p.isidentifier()])
        for word in line.split():
            name, _, ours = word.partition("=")
            yield Row(name, ours or name, signature, head["call"] or f"ours({operands})", head["otherwise"])


def rename(dialect: Dialect, names: dict[str, Any], table: str) -> dict[str, Callable[..., Any]]:
    """Add the functions of a table to a module of a dialect.

    Parameters
    ----------
    names: the module's globals. The calls of the table may use them.

    Returns
    -------
    By name, the dispatchers of the functions of one or two operands that call latticework's function with them as they
    are. A dispatcher runs the kernels of that function.
    """
    found = [*rows(table)]
    makers = {row[2:]: (f"make_{i}", row) for i, row in enumerate(found)}
    made: dict[str, Any] = {}
    exec("\n".join([row.source(maker) for maker, row in makers.values()]), names, made)
    plain: dict[str, Callable[..., Any]] = {}
    for row in found:
        ours = attrgetter(row.ours)(dialect.ops) if "ours(" in row.call else None
        f = made[makers[row[2:]][0]](ours, row.name)
        f.__name__ = f.__qualname__ = row.name
        names[row.name] = f
        if "ours(" in row.call:
            RENAMES[f] = row.ours
        o = declared(row.ours)
        if o is None or not row.plain or o.optional or o.array_options:
            continue
        dispatcher = calls.FAST.get(o.dispatched)
        if dispatcher is not None:
            plain[row.name] = partial(dispatcher, calls.DialectKernels(*declaration(row.ours), dialect))
    return plain


def declaration(name: str) -> tuple[Op, Callable[..., Any]]:
    """Return the declaration of a latticework function, and the function."""
    o = declared(name)
    assert o is not None, name
    return o, attrgetter(o.name)(latticework)
