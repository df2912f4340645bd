"""The dispatchers of functions of `lw.Array` that have parts of a policy of their own (`Binding`).

A dispatcher is copied with a table of kernels of its own. A call that finds none there goes to the function under the
policy with these parts, and the kernels that this leaves are kept in the table under the policy of the caller. So a
warm call does what that of the function itself does.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ...core.registry import ALIASES, functions
from ...policy import NOWHERE, TABLES, call_under, current, keep_first, kernels_of, table
from .dispatch import with_names

if TYPE_CHECKING:
    from ..exchange.binding import Binding
    from ..op import Op

__all__ = ["bound_kernel", "over_ours", "reads_policy", "table_of"]

#: The globals of dispatchers that are called besides kernels, and decide by the policy.
_DECIDING = ("as_array", "written", "again")


def table_of(name: str, binding: Binding) -> str:
    """Return the name of the table of the kernels of a function under a binding."""
    return f"{name} bound {binding.number}"


def reads_policy(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a kernel that runs a composition, whose calls follow the policy in force."""
    kernel.reads_policy = True  # type: ignore[attr-defined]
    return kernel


def bound_kernel(found: Any, binding: Binding) -> Any:
    """Return an entry of a table of kernels as it is kept for functions with parts of a policy of their own."""
    run = found[0]
    if not getattr(run, "reads_policy", False):
        return found

    def under(*args: Any, **kw: Any) -> Any:
        return call_under(binding.of(current()), run, args, kw)

    under.run = run  # type: ignore[attr-defined]
    return under, *found[1:]


def over_ours(o: Op, f: Callable[..., Any], binding: Binding) -> Callable[..., Any]:
    """Turn a dispatcher of `lw.Array` into one with parts of a policy of its own."""
    own = _Bound(ALIASES.get(o.name, o.name), binding)
    return update_wrapper(own.copy(f), getattr(f, "__wrapped__", f))


class _Bound:
    """The kernels of one function for `lw.Array`s under a binding."""

    def __init__(self, name: str, binding: Binding) -> None:
        self.function, self.binding = name, binding
        self.name = table_of(name, binding)
        self.kernels = table(self.name)
        #: The globals of the dispatchers that may compare with a first kernel.
        self.names: list[dict[str, Any]] = []

    def copy(self, f: Any) -> Any:
        """Copy a dispatcher, to look up kernels here."""
        names = {n: x for n, x in f.__globals__.items() if n not in ("call", "policy", "run")}
        own = {"kernels": self.kernels, "missed": self.missing(names["missed"])}
        own |= {n: self.under(names[n]) for n in _DECIDING if n in names}
        if "functions" in names:
            own["functions"] = _Rounding(self.under(functions.around))
        if isinstance(names.get("without"), FunctionType):
            own["without"] = self.copy(names["without"])
        call, made = with_names(f, **{**names, "first": None, "second": None, "result": None, **own})
        if made["policy"] is NOWHERE and "first" in f.__code__.co_names:
            self.names.append(made)
        return call

    def under(self, f: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that is called under the binding."""
        return lambda *args, **kw: call_under(self.binding.of(current()), f, args, kw)

    def missing(self, missed: Callable[..., Any]) -> Callable[..., Any]:
        """Return what a dispatcher calls where it finds no kernel."""

        def call(name: str, *told: Any) -> Any:
            here = current()
            inside = self.binding.of(here)
            found = call_under(inside, missed, (name, *told), {})
            self.take(TABLES.get(self.function, {}).get(inside, {}), kernels_of(self.name, here))
            self.keep_first(told)
            return bound_kernel(found, self.binding)

        return call

    def take(self, source: dict[Any, Any], target: dict[Any, Any]) -> None:
        """Take the kernels that the function has, but for those by what rules look at more closely."""
        for key, entry in [*source.items()]:
            if type(entry) is dict:
                if not isinstance(key, str):
                    self.take(entry, target.setdefault(key, {}))
            elif key not in target or getattr(target[key][0], "run", target[key][0]) is not entry[0]:
                target[key] = bound_kernel(entry, self.binding)

    def keep_first(self, operands: tuple[Any, ...]) -> None:
        """Let the dispatchers compare with the first kernel of arrays, as those of the function do."""
        found: Any = self.kernels.get(current(), {})
        sigs = [getattr(x, "_sig", None) for x in operands]
        for sig in sigs:
            found = found.get(sig) if type(found) is dict and sig is not None else None
        if type(found) is tuple and self.names:
            values = {"first": sigs[0], "second": sigs[-1], "run": found[0], "result": found[1]}
            for names in self.names:
                keep_first(names, current(), values)


class _Rounding:
    """The functions that `round` calls with decimals."""

    def __init__(self, around: Callable[..., Any]) -> None:
        self.around = around
