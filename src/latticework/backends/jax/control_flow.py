"""Control flow that JAX traces, of functions of lists of native arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

Natives = list[Any]


def staged() -> bool:
    """Return whether JAX records the computation to compile it: inside `jax.jit`, and where JAX makes a loop."""
    return isinstance(jax.lax.full((), False), jax.core.Tracer)


def switch(index: Any, branches: Sequence[Callable[[], Natives]]) -> Natives:
    """Run one of several branches by a number, or of two by a bool. Outside traces no other branch is computed."""
    if not isinstance(index, jax.core.Tracer):
        return branches[int(index)]()
    if index.dtype == bool:
        chosen: Natives = jax.lax.cond(index, branches[1], branches[0])
        return chosen
    found: Natives = jax.lax.switch(index, [lambda branch=branch: branch() for branch in branches])
    return found


def while_loop(condition: Callable[[Natives], Any], body: Callable[[Natives], Natives], init: Natives) -> Natives:
    found: Natives = jax.lax.while_loop(condition, body, init)
    return found


def scan(
    body: Callable[[Natives, Natives], tuple[Natives, Natives]], init: Natives, xs: Natives, length: int, reverse: bool
) -> tuple[Natives, Natives]:
    found: tuple[Natives, Natives] = jax.lax.scan(
        body, init, [jnp.asarray(x) for x in xs], length=length, reverse=reverse
    )
    return found
