"""What happens where an array with data meets one without: it is taken without its data too."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from ..backends import get
from ..policy import current
from .array import Array, wrapped

if TYPE_CHECKING:
    from ..backends import Backend
    from ..core.signature import Sig

__all__ = ["adopted", "forget_data", "restored", "without_data"]


def adopted(x: Array, target: Backend) -> Array:
    """An array as one of a backend of arrays without data."""
    if x._sig.backend is target or target.adopt is None:
        return x
    sig = target.sig(x.dtype)
    return wrapped(target.adopt(x, str(x.device)), sig.weakly if x.weak else sig)


def without_data(operands: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """The operands with arrays of other backends beside one without data as such arrays; None where there are none."""
    target = next((x._sig.backend for x in operands if isinstance(x, Array) and x._sig.backend.adopt), None)
    if target is None or all(x._sig.backend is target for x in operands if isinstance(x, Array)):
        return None
    return tuple(adopted(x, target) if isinstance(x, Array) else x for x in operands)


#: The arrays whose data was forgotten, with what they held.
_forgotten: ContextVar[list[tuple[Array, Any, Sig]] | None] = ContextVar("latticework forgotten data", default=None)


def forget_data(x: Array) -> None:
    """Before it is written to: make an array with data one without, where a program runs without data.

    So a program that writes into arrays that it holds, as running statistics are, leaves them as they were: `restored`
    brings the data back.
    """
    forgotten = _forgotten.get()
    target = get(current().backend) if forgotten is not None else None
    if forgotten is None or target is None or x._sig.backend is target:
        return
    forgotten.append((x, x._data, x._sig))
    blank = adopted(x, target)
    x._data, x._sig = blank._data, blank._sig


@contextmanager
def restored() -> Iterator[None]:
    """Bring back, at the end of a block, the data of arrays that were written to without it."""
    forgotten: list[tuple[Array, Any, Sig]] = []
    token = _forgotten.set(forgotten)
    try:
        yield
    finally:
        _forgotten.reset(token)
        for x, data, sig in reversed(forgotten):
            x._data, x._sig = data, sig
