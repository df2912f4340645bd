"""What is noted and put back while a step is traced."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any

from ....errors import TraceError
from .. import sampling
from ..optim.scheduler import LRScheduler

__all__ = ["drawing", "restore", "watched"]


class Watch:
    """What a step does with objects of latticework's that are no tensors, modules or optimizers.

    Attributes
    ----------
    touched: the ids of those whose attributes it reads.
    later: the schedulers whose `step` it calls, which is done after the program.
    then: is called after that.
    """

    def __init__(self) -> None:
        self.touched: set[int] = set()
        self.later: list[Any] = []
        self.then: Callable[[], None] = lambda: None


_watch: ContextVar[Watch | None] = ContextVar("the watch over a step that is traced", default=None)


@contextmanager
def watched(others: list[Any]) -> Iterator[Watch]:
    """Note in a block what is read of objects. Schedulers are not called, but noted."""
    watch, classes = Watch(), [*map(type, others)]
    token = _watch.set(watch)
    try:
        for x, cls in zip(others, classes, strict=True):
            try:
                x.__class__ = _watching(cls)
            except TypeError:
                watch.touched.add(id(x))
        yield watch
    finally:
        _watch.reset(token)
        for x, cls in zip(others, classes, strict=True):
            if object.__getattribute__(x, "__class__") is not cls:
                object.__setattr__(x, "__class__", cls)


@cache
def _watching(cls: Any) -> Any:
    """Make the class of watched objects of a class."""

    def read(self: Any, name: str) -> Any:
        watch = _watch.get()
        if watch is not None and name not in ("step", "__class__", "__dict__"):
            watch.touched.add(id(self))
        return cls.__getattribute__(self, name)

    def step(self: Any, *args: Any, **kw: Any) -> None:
        watch = _watch.get()
        if watch is None or args or kw:
            raise TraceError("torch.compile: the step gives a scheduler an argument. Call it outside of the step")
        watch.later.append(self)
        watch.then()

    members = {"__getattribute__": read, "__slots__": ()}
    return type(cls.__name__, (cls,), members | ({"step": step} if issubclass(cls, LRScheduler) else {}))


@contextmanager
def drawing(draws: Any) -> Iterator[None]:
    token = sampling.of_thread.set(draws)
    try:
        yield
    finally:
        sampling.of_thread.reset(token)


def restore(d: Any, before: dict[Any, Any]) -> None:
    if [*d] != [*before] or any(d[n] is not x for n, x in before.items()):
        d.clear()
        d.update(before)
