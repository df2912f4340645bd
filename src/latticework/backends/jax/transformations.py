"""JAX's transformations, of functions of lists of native arrays."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from ...backend.transposed import forward_of
from ...engine.functions.flat import DIRECTIONS, directed

Natives = list[Any]


def _conjugated(natives: Natives) -> Natives:
    """Conjugate: JAX's cotangents are the conjugates of those of PyTorch and TensorFlow, which latticework follows."""
    return [jnp.conj(x) if jnp.iscomplexobj(x) else x for x in natives]


def vjp(run: Callable[[Natives], tuple[Natives, Natives]], primals: Natives) -> tuple[Natives, Any, Natives]:
    outs, pull, aux = jax.vjp(_directed(run, "reverse"), primals, has_aux=True)

    def back(cotangents: Natives) -> Natives:
        return _conjugated(pull(_conjugated(cotangents))[0])

    return outs, back, aux


def jvp(
    run: Callable[[Natives], tuple[Natives, Natives]], primals: Natives, tangents: Natives
) -> tuple[Natives, Natives, Natives]:
    found: tuple[Natives, Natives, Natives] = jax.jvp(_directed(run, "forward"), (primals,), (tangents,), has_aux=True)
    return found


def _with_latticework() -> bool:
    """Return whether latticework is there: False in source that runs without it."""
    return True


_with_latticework.in_source = False  # type: ignore[attr-defined]  # see tracing/writing/standalone.py


def _directed(run: Callable[..., Any], direction: str) -> Callable[..., Any]:
    return directed(run, direction) if _with_latticework() else run


def vmap(
    run: Callable[[Natives], tuple[Natives, Natives]], natives: Natives, axes: list[int], size: int
) -> tuple[Natives, Natives]:
    found: tuple[Natives, Natives] = jax.vmap(run, in_axes=(axes,), out_axes=(0, None), axis_size=size)(natives)
    return found


def jit(run: Callable[[Natives], Natives]) -> Callable[[Natives], Natives]:
    """Compile a function; for forward derivatives once more, because `custom_rules` has rules of one direction."""
    compiled = jax.jit(run)
    forwards: dict[tuple[str, ...], Callable[[Natives], Natives]] = {}

    def call(natives: Natives) -> Natives:
        directions = DIRECTIONS.get()
        if directions[-1:] != ("forward",):
            return compiled(natives)
        if directions not in forwards:
            forwards[directions] = jax.jit(partial(run))  # as another function, which JAX traces again
        return forwards[directions](natives)

    return call


def asks_for_a_value(error: Exception) -> bool:
    """Return whether an error of JAX says that a traced function asks for a value."""
    return isinstance(error, jax.errors.ConcretizationTypeError | jax.errors.TracerArrayConversionError)


def stop_gradient(x: Any) -> Any:
    """Stop the gradient. For a user's NumPy array that JAX differentiates by, JAX returns the array itself."""
    found = jax.lax.stop_gradient(x)
    return found if isinstance(found, jax.Array) else jnp.asarray(found)


def custom_gradient(run: Callable[[Natives], tuple[Natives, Any]], natives: Natives) -> Natives:
    """Give a function a gradient. Forward derivatives are its transpose."""
    if _with_latticework() and DIRECTIONS.get()[-1:] == ("forward",):
        return custom_rules(run, natives, forward_of(run, vjp, jnp.zeros_like))
    return _custom_gradient(run, natives)


def _custom_gradient(run: Callable[[Natives], tuple[Natives, Any]], natives: Natives) -> Natives:
    """Give a function a gradient: JAX traces `back` with the forward pass, as a function of the cotangents."""

    @jax.custom_gradient
    def custom(natives: Natives) -> tuple[Natives, Callable[[Natives], tuple[Natives]]]:
        outs, back = run(natives)
        return outs, lambda cotangents: (_conjugated(back(_conjugated(cotangents))),)

    found: Natives = custom(natives)
    return found


def custom_rules(run: Callable[[Natives], tuple[Natives, Any]], natives: Natives, push: Any) -> Natives:
    """Give a function rules. JAX has those of one direction for a function: of that which it is differentiated in."""
    if _with_latticework() and DIRECTIONS.get()[-1:] == ("forward",):
        return _custom_forward(run, natives, push)
    return _custom_gradient(run, natives)


def _custom_forward(run: Callable[[Natives], tuple[Natives, Any]], natives: Natives, push: Any) -> Natives:
    """Give a function a rule of forward derivatives. Derivatives around these have the rule of their direction."""
    directions = DIRECTIONS.get()

    @jax.custom_jvp
    def custom(natives: Natives) -> Natives:
        return run(natives)[0]

    def rule(primals: tuple[Natives], tangents: tuple[Natives]) -> tuple[Natives, Natives]:
        token = DIRECTIONS.set(directions[:-1])
        try:
            return custom_rules(run, *primals, push), push(*primals, *tangents)
        finally:
            DIRECTIONS.reset(token)

    custom.defjvp(rule)
    found: Natives = custom(natives)
    return found


def checkpoint(run: Callable[[Natives], Natives], natives: Natives) -> Natives:
    found: Natives = jax.checkpoint(run)(natives)
    return found
