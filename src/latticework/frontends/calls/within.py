"""What a latticework function does within one call by a body: the kernels that it runs, and what it reads of arrays."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType
from typing import TYPE_CHECKING, Any, NamedTuple

from ...engine.arrays.array import Array
from ...engine.calls.observing import seeing

if TYPE_CHECKING:
    from ...engine.op import Op

__all__ = ["Inner", "Ran", "Within"]

#: Properties that read the extents of an array.
_EXTENTS = frozenset(Array.__dict__[n].fget.__code__ for n in ("shape", "size")) | {
    Array.__len__.__code__, Array.__iter__.__code__,
}  # fmt: skip
_DEVICE: CodeType = Array.__dict__["device"].fget.__code__
#: What reads or changes more of an array than a key can have.
_MORE = frozenset(
    f.__code__
    for f in (
        Array.__bool__, Array.__int__, Array.item, Array.tolist, Array.__array__, Array.__setitem__,
        Array.__dict__["data"].fget,
    )
)  # fmt: skip
#: The types of arguments of kernels that are the same in each call by a key.
_CONSTANTS = (bool, int, float, complex, str, type(None))


class Ran(NamedTuple):
    """A kernel that ran.

    Attributes
    ----------
    op: the declaration of the function.
    kernel: the kernel.
    args, kw: its arguments.
    result: what it gave.
    kept: whether it is the kernel of all calls with these signatures and numbers of these types.
    """

    op: Op
    kernel: Any
    args: tuple[Any, ...]
    kw: dict[str, Any]
    result: Any
    kept: bool


class Inner(NamedTuple):
    """The one kernel that a latticework function runs, as two runs of a body are compared.

    Attributes
    ----------
    name: the name of the kernel's function.
    dtype, weak: of the result.
    """

    name: str
    dtype: Any
    weak: bool


class Within:
    """The kernels that one latticework function runs, and what it reads of arrays.

    Attributes
    ----------
    ran: the kernels, without those that a kernel runs itself.
    extents, device: whether it reads the extents, or the device, of an array.
    more: whether it reads values, writes, or runs a kernel that runs others.
    running: whether a kernel runs now.
    """

    def __init__(self) -> None:
        self.ran: list[Ran] = []
        self.extents = self.device = self.more = self.running = False

    @contextmanager
    def seen(self) -> Iterator[None]:
        """Note the kernels that calls in this block find."""
        token = seeing.set(self.see)
        try:
            yield
        finally:
            seeing.reset(token)

    def see(self, o: Op, found: Any, kept: bool) -> Any:
        """Return a kernel, or one and the signature of its result, that notes its calls."""
        kernel, *others = found if type(found) is tuple else (found,)

        def noted(*args: Any, **kw: Any) -> Any:
            if self.running:
                self.more = True
                return kernel(*args, **kw)
            self.running = True
            try:
                result = kernel(*args, **kw)
            finally:
                self.running = False
            self.ran.append(Ran(o, kernel, args, kw, result, kept))
            return result

        return (noted, *others) if type(found) is tuple else noted

    def enters(self, code: CodeType) -> None:
        """Note what a function reads of an array, by its code."""
        if self.running:
            return
        self.extents = self.extents or code in _EXTENTS
        self.device = self.device or code is _DEVICE
        self.more = self.more or code in _MORE

    def one(
        self, result: Any, array: type, arguments: Any
    ) -> tuple[Ran, Inner, tuple[Any, ...], dict[str, Any]] | None:
        """Return the one kernel that gave a result of a dialect, and its arguments as those of the dialect.

        None if there is another number of kernels, or if what it runs does not follow from what a key has.

        Parameters
        ----------
        result: the result of the function.
        array: the class of the dialect's arrays.
        arguments: those of the function, in lists.
        """
        if len(self.ran) != 1 or self.more or type(result) is not array:
            return None
        ran, made = self.ran[0], _array_of(result)
        if not ran.kept or getattr(made, "_link", False):
            return None
        if self.device and len(made._sig.backend.devices()) > 1:
            return None
        if (ran.result._data if type(ran.result) is Array else ran.result) is not made._data:
            return None
        arrays = {id(x._array._data): x for x in _arrays(arguments, array)}
        if id(made._data) in arrays:
            return None
        fixed = ("dtype", "device") if ran.op.kind == "creation" else ()
        try:
            args = tuple([_outer(x, arrays) for x in ran.args])
            kw = {n: _outer(x, arrays) for n, x in ran.kw.items() if n not in fixed}
        except TypeError:
            return None
        return ran, Inner(ran.op.name, made._sig.dtype, made._sig.weak), args, kw


def _array_of(x: Any) -> Any:
    return x._array


def _arrays(x: Any, array: type) -> Iterator[Any]:
    if type(x) is array:
        yield x
    elif type(x) in (list, tuple):
        for child in x:
            yield from _arrays(child, array)


def _outer(x: Any, arrays: dict[int, Any]) -> Any:
    """Return the dialect's array of a native one, and a constant as it is; any other argument is a `TypeError`."""
    if id(x) in arrays:
        return arrays[id(x)]
    if type(x) in (list, tuple):
        parts = [_outer(child, arrays) for child in x]
        return x if all(map(operator.is_, parts, x)) else type(x)(parts)
    if type(x) not in _CONSTANTS:
        raise TypeError
    return x
