"""The kernels of a function of lw that are kept for calls with other arrays than `lw.Array`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...policy import TABLES, Policy, keep_first, kernels_of, table
from .bound import bound_kernel, table_of

if TYPE_CHECKING:
    from ..exchange.binding import Binding
    from ..op import Op

__all__ = ["KernelCache"]


class KernelCache:
    """The kernels of one function for one kind of arrays.

    A call that finds no kernel here is made with `lw.Array`. If that call leaves a kernel in the tables of `dispatch`,
    the kernel is kept here as well.

    Attributes
    ----------
    op: the declaration of the function.
    function: the function.
    name: the name of the table of kernels.
    kernels: the table: by policy, by the key of each operand, and by the form of the options.
    names: the globals of each dispatcher that reads this table.
    """

    def __init__(self, o: Op, f: Callable[..., Any], name: str, binding: Binding | None = None) -> None:
        self.op, self.function, self.binding = o, f, binding
        self.name = name if binding is None else table_of(name, binding)
        self.kernels = table(self.name)
        self.names: list[dict[str, Any]] = []

    def path(self, keys: list[Any], last: Any) -> list[Any]:
        """Return the steps to a kernel: the keys of the operands, and the form of the options, if there are any."""
        path = [tuple(keys)] if self.op.sequence or len(self.op.operands) > 3 else keys
        return path if last is None else [*path, last]

    def place(self, policy: Policy, path: list[Any]) -> dict[Any, Any]:
        """Return the dict in which the last step of a path is looked up."""
        place = kernels_of(self.name, policy)
        for step in path[:-1]:
            place = place.setdefault(step, {})
        return place

    def keep(
        self, policy: Policy, inside: Policy, keys: list[Any], signatures: list[Any], last: Any, suffix: str = ""
    ) -> None:
        """Keep the kernel that a call with `lw.Array` has left, if there is one.

        Parameters
        ----------
        policy, inside: the policy of the caller, and the policy inside the call.
        keys, signatures: the keys of the operands here, and in that call.
        last: the form of the options.
        suffix: ``"="`` for a kernel that writes in place.
        """
        found: Any = TABLES.get(f"{self.op.name}{suffix}", {}).get(inside, {})
        for step in self.path(signatures, last):
            found = found.get(step)
            if found is None:
                return
        if self.binding is not None:
            found = bound_kernel(found, self.binding)
        path = self.path(keys, last)
        self.place(policy, path)[path[-1]] = found
        if type(found) is tuple and not any(isinstance(key, type) for key in keys):
            values = {"first": keys[0], "second": keys[-1], "run": found[0], "result": found[1]} if keys else {}
            for names in self.dispatchers() if keys else ():
                keep_first(names, policy, values)

    def dispatchers(self) -> list[dict[str, Any]]:
        """Return the globals of the dispatchers that may compare with a first kernel."""
        return self.names
