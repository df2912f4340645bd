"""`torch.compiler`: what programs say about code that `torch.compile` meets."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from ...errors import TraceError
from ...tracing.recording.recorder import recorder as tracer
from . import optimized
from .compiling import forget
from .nn.modules.module import Module

__all__ = [
    "allow_in_graph", "assume_constant_result", "compile", "cudagraph_mark_step_begin", "disable",
    "is_compiling", "is_dynamo_compiling", "is_exporting", "reset",
]  # fmt: skip


def compile(*args, **kwargs):
    """`torch.compile`."""
    return optimized.compile(*args, **kwargs)


def reset():
    """Forget all programs that `torch.compile` has made. Each is made anew at the next call."""
    forget()


def is_compiling() -> bool:
    """Return whether the code runs to be traced: by `torch.compile`, `lw.compile` or `lw.trace`.

    >>> import latticework.frontends.torch as torch
    >>> torch.compiler.is_compiling()
    False
    """
    return tracer.get() is not None


def is_dynamo_compiling() -> bool:
    """`is_compiling`."""
    return is_compiling()


def is_exporting() -> bool:
    """Return False: no program is exported."""
    return False


def disable(fn=None, recursive=True, *, reason=None):
    """Return a function or a module that is not compiled: a compiled function that calls it runs as it is, all of it.

    Parameters
    ----------
    fn: the function or the module. Without one, a decorator is returned.
    recursive: whether this holds for what it calls too. A function that it does not hold for is given back: no function
        is compiled without what it calls.
    reason: what the error says where the caller was compiled with ``fullgraph=True``.

    Raises
    ------
    TraceError: in a call by a function that was compiled with ``fullgraph=True``, and in `lw.trace`.

    Notes
    -----
    PyTorch compiles what comes before and after such a call.
    """
    if fn is None:
        return lambda f: disable(f, recursive, reason=reason)
    if not recursive:
        return fn
    if isinstance(fn, Module):
        module = optimized.OptimizedModule(fn)
        module.__dict__["forward"] = _disabled(fn, type(fn).__name__, reason)
        return module
    return wraps(fn)(_disabled(fn, getattr(fn, "__name__", "a function"), reason))


def _disabled(f: Callable[..., Any], name: str, reason: str | None) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        if is_compiling():
            why = f": {reason}" if reason else ""
            raise TraceError(f"torch.compiler.disable says that {name} is not compiled{why}")
        return f(*args, **kwargs)

    return call


def allow_in_graph(fn):
    """Return a function as it is: what is traced is all that a function calls."""
    return fn


def assume_constant_result(fn):
    """Return a function as it is: where it computes no arrays its result is a constant of the program anyhow."""
    return fn


def cudagraph_mark_step_begin():
    """Do nothing: no backend keeps the memory of results for the next step."""
