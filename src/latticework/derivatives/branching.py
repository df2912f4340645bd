"""Branches and loops of a function that is differentiated while it is traced: their conditions have no values yet.

All branches run, and the results of one are taken. What the others compute may have slopes that are infinite or nan, so
that no cotangent of 0 passes through them: it is cut off where it leaves the branch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from ..core.registry import functions as lw
from ..engine.arrays.array import wrapped
from ..errors import TraceError
from .tape import conditions

if TYPE_CHECKING:
    from ..backend import Backend

__all__ = ["ControlFlow"]

Natives = list[Any]


class ControlFlow:
    """The control flow of the values of tapes, where a condition is not known.

    Parameters
    ----------
    inside: the backend of the values.
    """

    def __init__(self, inside: Backend) -> None:
        self.inside = inside

    @staticmethod
    def staged() -> bool:
        return False

    def switch(self, index: Any, branches: Sequence[Callable[[], Natives]]) -> Natives:
        number = wrapped(index, self.inside.sig_of(index))
        chosen: list[Any] = []
        for k, branch in enumerate(branches):
            taken = number == k if number.dtype.kind != "b" else number if k else lw.logical_not(number)
            token = conditions.set((*conditions.get(), taken._data))
            try:
                row = [wrapped(x, self.inside.sig_of(x)) for x in branch()]
            finally:
                conditions.reset(token)
            chosen = [lw.where(taken, y, x) for x, y in zip(chosen, row, strict=True)] if k else row
        return [x._data for x in chosen]

    def while_loop(self, *_: Any) -> NoReturn:
        raise TraceError(
            "the number of steps of a loop depends on values, and the loop is differentiated while it is traced: its "
            "steps cannot be recorded. Take lw.fori_loop with Python's bounds, and lw.where for the steps that are too "
            "many; or take the derivative without lw.trace and lw.compile"
        )
