"""`jax.extend.linear_util`: functions with transformations around them, which leave something beside the result."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

__all__ = [
    "StoreException", "WrappedFun", "cache", "merge_linear_aux", "transformation", "transformation2",
    "transformation_with_aux", "transformation_with_aux2", "wrap_init",
]  # fmt: skip


class StoreException(Exception):  # noqa: N818 - JAX's name
    """What a transformation leaves is asked for before it has run, or left twice."""


class _Store:
    """Holds what a transformation leaves beside the result."""

    def __init__(self) -> None:
        self._held: list[Any] = []

    def store(self, val: Any) -> None:
        """Keep a value."""
        self._held[:] = [val]

    @property
    def val(self) -> Any:
        """The value.

        Raises
        ------
        StoreException: there is none yet.
        """
        if not self._held:
            raise StoreException("Store empty")
        return self._held[0]


class WrappedFun:
    """A function, with transformations around it.

    Parameters
    ----------
    f: the function.
    params: arguments by name that it is called with.
    """

    def __init__(self, f: Callable[..., Any], params: dict[str, Any] | None = None, debug_info: Any = None) -> None:
        self.f, self.params, self.debug_info = f, params or {}, debug_info

    @property
    def __name__(self) -> str:
        return getattr(self.f, "__name__", "<unnamed>")

    def call_wrapped(self, *args: Any, **kw: Any) -> Any:
        """Run the function."""
        return self.f(*args, **{**self.params, **kw})

    def wrap(self, f: Callable[..., Any]) -> WrappedFun:
        """Return the function with one more transformation around it."""
        return WrappedFun(f, None, self.debug_info)


def wrap_init(f: Callable[..., Any], params: dict[str, Any] | None = None, *, debug_info: Any = None) -> WrappedFun:
    """Return a function as one that takes transformations."""
    return WrappedFun(f, params, debug_info)


def transformation2(gen: Callable[..., Any]) -> Callable[..., WrappedFun]:
    """A transformation: a function of the function, fixed arguments, and the arguments of the call."""
    return lambda fun, *args: fun.wrap(partial(gen, fun.call_wrapped, *args))


def transformation_with_aux2(gen: Callable[..., Any]) -> Callable[..., tuple[WrappedFun, Callable[[], Any]]]:
    """A transformation that leaves something: it gets a store after the function."""

    def transformed(fun: WrappedFun, *args: Any, **kw: Any) -> tuple[WrappedFun, Callable[[], Any]]:
        store = _Store()
        return fun.wrap(partial(gen, fun.call_wrapped, store, *args)), lambda: store.val

    return transformed


def _driven(gen: Any, f: Callable[..., Any]) -> Any:
    """Run a generator that yields the arguments of the function, and then the result."""
    args, kwargs = next(gen)
    return gen.send(f(*args, **kwargs))


def transformation(gen: Callable[..., Any]) -> Callable[..., WrappedFun]:
    """A transformation as a generator: it yields arguments, gets the result, and yields what it makes of it."""
    return transformation2(lambda f, *args, **kw: _driven(gen(*args, **kw), f))


def transformation_with_aux(gen: Callable[..., Any]) -> Callable[..., Any]:
    """A transformation as a generator, which yields a pair at last: the result, and what it leaves."""

    def run(f: Callable[..., Any], store: _Store, *args: Any, **kw: Any) -> Any:
        result, aux = _driven(gen(*args, **kw), f)
        store.store(aux)
        return result

    return transformation_with_aux2(run)


def merge_linear_aux(aux1: Any, aux2: Any) -> tuple[bool, Any]:
    """Return which of two transformations has left something, and that."""
    try:
        return True, aux1()
    except StoreException:
        return False, aux2()


def cache(call: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    """Return the function itself."""
    return call
