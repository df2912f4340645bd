"""JAX's transformations, of functions of lists of native arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from ...engine.functions.flat import DIRECTIONS

Natives = list[Any]


def _conjugated(natives: Natives) -> Natives:
    """Conjugate: JAX's cotangents are the conjugates of those of PyTorch and TensorFlow, which latticework follows."""
    return [jnp.conj(x) if jnp.iscomplexobj(x) else x for x in natives]


def vjp(run: Callable[[Natives], tuple[Natives, Natives]], primals: Natives) -> tuple[Natives, Any, Natives]:
    outs, pull, aux = jax.vjp(run, primals, has_aux=True)

    def back(cotangents: Natives) -> Natives:
        return _conjugated(pull(_conjugated(cotangents))[0])

    return outs, back, aux


def jvp(
    run: Callable[[Natives], tuple[Natives, Natives]], primals: Natives, tangents: Natives
) -> tuple[Natives, Natives, Natives]:
    found: tuple[Natives, Natives, Natives] = jax.jvp(run, (primals,), (tangents,), has_aux=True)
    return found


def vmap(
    run: Callable[[Natives], tuple[Natives, Natives]], natives: Natives, axes: list[int], size: int
) -> tuple[Natives, Natives]:
    found: tuple[Natives, Natives] = jax.vmap(run, in_axes=(axes,), out_axes=(0, None), axis_size=size)(natives)
    return found


def jit(run: Callable[[Natives], Natives]) -> Callable[[Natives], Natives]:
    return jax.jit(run)


def asks_for_a_value(error: Exception) -> bool:
    """Return whether an error of JAX says that a traced function asks for a value."""
    return isinstance(error, jax.errors.ConcretizationTypeError | jax.errors.TracerArrayConversionError)


def stop_gradient(x: Any) -> Any:
    """Stop the gradient. For a user's NumPy array that JAX differentiates by, JAX returns the array itself."""
    found = jax.lax.stop_gradient(x)
    return found if isinstance(found, jax.Array) else jnp.asarray(found)


def custom_gradient(run: Callable[[Natives], tuple[Natives, Any]], natives: Natives) -> Natives:
    """Give a function a gradient: JAX traces `back` with the forward pass, as a function of the cotangents."""

    @jax.custom_gradient
    def custom(natives: Natives) -> tuple[Natives, Callable[[Natives], tuple[Natives]]]:
        outs, back = run(natives)
        return outs, lambda cotangents: (_conjugated(back(_conjugated(cotangents))),)

    found: Natives = custom(natives)
    return found


def custom_rules(run: Callable[[Natives], tuple[Natives, Any]], natives: Natives, push: Any) -> Natives:
    """Give a function rules. JAX has those of one direction for a function: of that which it is differentiated in."""
    directions = DIRECTIONS.get()
    if directions[-1:] != ("forward",):
        return custom_gradient(run, natives)

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
