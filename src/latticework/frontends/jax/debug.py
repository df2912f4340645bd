"""`jax.debug`: printing, and calls of Python, in the middle of programs."""

from __future__ import annotations

import string
from functools import partial
from typing import Any

from .core import describe

__all__: list[str] = []


def _check(fmt: str, args: Any, kwargs: Any) -> None:
    """Raise where a format does not use all arguments."""
    used = _fields(fmt)
    unused = [x for i, x in enumerate(args) if i not in used]
    unused_names = [n for n in kwargs if n not in used]
    if unused:
        raise ValueError(f"Unused positional arguments to `jax.debug.print`: {unused}")
    if unused_names:
        raise ValueError(
            f"Unused keyword arguments to `jax.debug.print`: {unused_names}. You may be passing an f-string."
        )


def print(
    fmt: Any = None, *args: Any, ordered: bool = False, partitioned: bool = False, skip_format_check: bool = False,
    _use_logging: bool = False, **kwargs: Any,
) -> Any:  # fmt: skip
    if fmt is None:
        return partial(print, ordered=ordered, partitioned=partitioned, skip_format_check=skip_format_check)
    if not skip_format_check:
        _check(fmt, args, kwargs)

    def shown(*xs: Any, **kw: Any) -> None:
        import builtins

        builtins.print(fmt.format(*xs, **kw))  # noqa: T201 - what the function is for

    _this(shown, *args, ordered=ordered, **kwargs)
    return None


def _fields(fmt: str) -> set[Any]:
    """The names and positions that a format uses."""
    found: set[Any] = set()
    automatic = 0
    for _, name, spec, _ in string.Formatter().parse(fmt):
        if name is None:
            continue
        first = name.partition(".")[0].partition("[")[0]
        if first == "":
            found.add(automatic)
            automatic += 1
        else:
            found.add(int(first) if first.isdigit() else first)
        found |= _fields(spec) if spec and "{" in spec else set()
    return found


def callback(callback: Any = None, *args: Any, ordered: bool = False, partitioned: bool = False, **kwargs: Any) -> Any:
    if callback is None:
        return lambda f: partial(_this, f)
    if not callable(callback):
        raise TypeError(
            f"first argument to jax.debug.callback must be callable, but got an object of type {type(callback)}"
        )
    from .callbacks import called

    called(callback, args, kwargs)
    return None


_this = callback


describe(globals(), "jax.debug")
