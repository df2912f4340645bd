"""Compositions of latticework as JAX programs: each becomes one kernel, without passes in between."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import jax

from ...backend import get
from ...core.registry import OPS
from ...engine.arrays.array import wrapped
from ...engine.op import parameters
from ...policy import current, unified_rules


def compiled(name: str) -> Callable[..., Any]:
    """Make a function from its composition, compiled for each value of its options."""

    def call(*arguments: Any, **named: Any) -> Any:
        o = OPS[name]
        count = len(o.operands)
        named.update(zip(o.by_position, arguments[count:], strict=False))
        for option, value in named.items():
            if type(value) is list:
                named[option] = tuple(value)  # an option has a hash
        return _program(name, current().gradients)(*arguments[:count], **named)

    call.__name__ = call.__qualname__ = name.rpartition(".")[2]
    call.composed = True  # type: ignore[attr-defined]
    call.of_latticework = True  # type: ignore[attr-defined]
    return call


@cache
def _program(name: str, gradients: str) -> Callable[..., Any]:
    """Return the program for one kind of slopes at kinks."""
    o = OPS[name]
    plain = o.by_position[: len(o.by_position) - o.by_name]
    backend = get("jax")

    def run(*operands: Any, **named: Any) -> Any:
        arrays = [wrapped(x, backend.sig_of(x)) for x in operands]
        more = {n: wrapped(x, backend.sig_of(x)) if n in o.optional else x for n, x in named.items()}
        assert o.body is not None
        with unified_rules("jax"):
            result = o.body(*arrays, *[more.pop(n) for n in plain if n in more], **more)
        return tuple([r._data for r in result]) if isinstance(result, tuple) else result._data

    run.__name__ = run.__qualname__ = name
    options = {*parameters(o.function)} - {*o.operands, *o.optional}
    return jax.jit(run, static_argnames=sorted(options))
