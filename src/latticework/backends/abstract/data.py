"""An array without data: a shape, a dtype and a device. A use of its values raises an error."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from ...core.dtypes import Dtype
from ...engine.plans.casting import asked_at
from ...errors import NoDataError

__all__ = ["Blank", "answers", "no_data", "value_of"]


class Blank:
    """The native array of the abstract backend.

    Attributes
    ----------
    shape: its extents, None for one that is not known.
    dtype: its latticework dtype.
    device: the device that it would lie on.
    constant: the elements as a NumPy array, where the program itself wrote them as a list, or computed them of such
        lists alone by what shapes and keys are computed with, see `computed`; else None. A list is often a key, whose
        positions have to be in bounds.
    """

    __slots__ = ("constant", "device", "dtype", "shape")

    def __init__(self, shape: tuple[int | None, ...], dtype: Dtype, device: str = "cpu", constant: Any = None) -> None:
        self.shape, self.dtype, self.device, self.constant = shape, dtype, device, constant

    def __repr__(self) -> str:
        return f"Blank({self.shape}, {self.dtype})"

    @property
    def ndim(self) -> int:
        return len(self.shape)


#: The function that gives a value where Python asks an array without data for one. None: asking is an error. Support
#: queries set a function of their own, to go every way of a branch.
answers: ContextVar[Callable[[Blank], Any] | None] = ContextVar("latticework values without data", default=None)


def value_of(data: Blank) -> Any:
    """Return the value of an array of one element, from what answers for it.

    Raises
    ------
    NoDataError: nothing does.
    """
    if data.constant is not None:
        return data.constant.item()
    answer = answers.get()
    if answer is None:
        raise no_data(
            data,
            "asks for its value, as if, while, float(x) and x.item() do",
            "Write lw.where(condition, x, y) in place of a branch",
        )
    return answer(data)


def no_data(data: Blank, asks: str, instead: str) -> NoDataError:
    """Make the error of a program that needs the elements of an array that has none."""
    at = asked_at()
    where = f" ({at[0]}:{at[1]})" if at else ""
    extents = ", ".join("?" if n is None else str(n) for n in data.shape)
    return NoDataError(
        f"{data.dtype}[{extents}] is an array without data, and the program {asks}. "
        f"{instead}, or run the program on an array with data{where}"
    )
