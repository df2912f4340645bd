"""Blocks in which calls are recorded for derivatives, or are not."""

from __future__ import annotations

from contextlib import ContextDecorator
from contextvars import ContextVar, Token
from functools import wraps
from inspect import isgeneratorfunction
from typing import Any

from .recording import is_enabled, restore_enabled, set_enabled

__all__ = [
    "enable_grad", "inference_mode", "is_grad_enabled", "is_inference_mode_enabled", "no_grad", "set_grad_enabled",
]  # fmt: skip

_inference: ContextVar[bool] = ContextVar("whether inference mode is on", default=False)


class _Mode(ContextDecorator):
    """A block, or a decorator of functions, in which calls are recorded or not."""

    mode = True

    def __new__(cls, *args: Any) -> Any:
        made = object.__new__(cls)
        if args and callable(args[0]):  # the decorator without parentheses
            cls.__init__(made)
            return made(args[0])
        return made

    def __init__(self) -> None:
        self._before: list[tuple[bool, bool]] = []

    def __call__(self, f: Any) -> Any:
        if not isgeneratorfunction(f):
            return super().__call__(f)

        @wraps(f)
        def steps(*args: Any, **kw: Any) -> Any:
            """Run each step of a generator in the block, and what comes between two steps outside."""
            run = f(*args, **kw)
            send, given = run.send, None
            try:
                while True:
                    with self:
                        found = send(given)
                    try:
                        send, given = run.send, (yield found)
                    except GeneratorExit:
                        run.close()
                        raise
                    except BaseException as error:
                        send, given = run.throw, error
            except StopIteration as end:
                return end.value

        return steps

    def __enter__(self) -> None:
        self._before.append(set_enabled(self.mode))

    def __exit__(self, *exception: object) -> None:
        restore_enabled(self._before.pop())


class no_grad(_Mode):
    """A block in which no call is recorded: what is computed in it requires no gradient."""

    mode = False


class enable_grad(_Mode):
    """A block in which calls are recorded, inside of a block in which none are."""


class set_grad_enabled(_Mode):
    """Say whether calls are recorded: from now on, or in a block."""

    def __init__(self, mode: bool) -> None:
        super().__init__()
        self.mode = bool(mode)
        self._outside = set_enabled(self.mode)

    def __call__(self, f: Any) -> Any:
        restore_enabled(self._outside)
        return super().__call__(f)

    def __enter__(self) -> None:
        set_enabled(self.mode)

    def __exit__(self, *exception: object) -> None:
        restore_enabled(self._outside)


class inference_mode(_Mode):
    """A block in which no call is recorded. Tensors that are made in it are like others here."""

    def __init__(self, mode: bool = True) -> None:
        super().__init__()
        self._inference = bool(mode)
        self._tokens: list[Token[bool]] = []

    def __enter__(self) -> None:
        self._tokens.append(_inference.set(self._inference))
        self._before.append(set_enabled(not self._inference and is_enabled()))

    def __exit__(self, *exception: object) -> None:
        restore_enabled(self._before.pop())
        _inference.reset(self._tokens.pop())


def is_grad_enabled():
    """Return whether calls are recorded."""
    return is_enabled()


def is_inference_mode_enabled():
    """Return whether inference mode is on."""
    return _inference.get()
