"""An array without data: a shape, a dtype and a device. What needs its values says so."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from ...core.dtypes import Dtype
from ...errors import NoDataError

__all__ = ["Blank", "answers", "value_of"]


class Blank:
    """The native array of the abstract backend.

    Attributes
    ----------
    shape: its extents, None for one that is not known.
    dtype: a dtype of ours.
    device: the device that it would lie on.
    """

    __slots__ = ("device", "dtype", "shape")

    def __init__(self, shape: tuple[int | None, ...], dtype: Dtype, device: str = "cpu") -> None:
        self.shape, self.dtype, self.device = shape, dtype, device

    def __repr__(self) -> str:
        return f"Blank({self.shape}, {self.dtype})"

    @property
    def ndim(self) -> int:
        return len(self.shape)


#: What answers where Python asks an array without data for a value: a function of the array. None: nobody, it is an
#: error. Support queries put in their own, to go every way of a branch.
answers: ContextVar[Callable[[Blank], Any] | None] = ContextVar("latticework values without data", default=None)


def value_of(data: Blank) -> Any:
    """The value of an array without data, from who answers for it.

    Raises
    ------
    NoDataError: where nobody does.
    """
    answer = answers.get()
    if answer is None:
        raise NoDataError(
            f"an array of shape {data.shape} and dtype {data.dtype} has no data, and the program asks for a value. "
            f"Write lw.where(condition, x, y) in place of a branch, or run it on an array with data"
        )
    return answer(data)
