"""`jax.stages`: the classes of compiled programs, which functions of `jit` are not here."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

__all__ = ["ArgInfo", "Compiled", "CompilerOptions", "Lowered", "Traced", "Wrapped"]

CompilerOptions = dict[str, Any]


@runtime_checkable
class Wrapped(Protocol):
    """A function of `jit`."""

    def __call__(self, *args: Any, **kw: Any) -> Any:
        """Run the function."""

    def lower(self, *args: Any, **kw: Any) -> Any:
        """Refused: there is no lowering in this dialect."""


class ArgInfo:
    """What is known of an argument of a lowered program."""


class Traced:
    """A program that is traced."""


class Lowered:
    """A program that is lowered."""


class Compiled:
    """A program that is compiled."""
