"""JAX's transformations, of functions of lists of native arrays."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from ...backend.transposed import forward_of
from ...engine.functions.flat import DIRECTIONS, directed, in_directions

Natives = list[Any]


def _conjugated(natives: Natives) -> Natives:
    """Conjugate: JAX's cotangents are the conjugates of those of PyTorch and TensorFlow, which latticework follows."""
    return [jnp.conj(x) if jnp.iscomplexobj(x) else x for x in natives]


def vjp(run: Callable[[Natives], tuple[Natives, Natives]], primals: Natives) -> tuple[Natives, Any, Natives]:
    return _vjp(_directed(run, "reverse"), primals)


def _vjp(run: Callable[[Natives], tuple[Natives, Natives]], primals: Natives) -> tuple[Natives, Any, Natives]:
    outs, pull, aux = jax.vjp(run, primals, has_aux=True)

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
    """Compile a function; for each direction of derivatives once more, because `custom_rules` has rules of one."""
    compiled: dict[tuple[str, ...], Callable[[Natives], Natives]] = {}

    def call(natives: Natives) -> Natives:
        directions = DIRECTIONS.get()
        if directions not in compiled:
            compiled[directions] = jax.jit(partial(run))  # as another function, which JAX traces again
        return compiled[directions](natives)

    return call


def asks_for_a_value(error: Exception) -> bool:
    """Return whether an error of JAX says that a traced function asks for a value."""
    errors = jax.errors
    return isinstance(
        error,
        errors.ConcretizationTypeError | errors.TracerArrayConversionError | errors.NonConcreteBooleanIndexError,
    )


def stop_gradient(x: Any) -> Any:
    """Stop the gradient. For a user's NumPy array that JAX differentiates by, JAX returns the array itself."""
    found = jax.lax.stop_gradient(x)
    return found if isinstance(found, jax.Array) else jnp.asarray(found)


def custom_gradient(run: Callable[[Natives], tuple[Natives, Any]], natives: Natives) -> Natives:
    """Give a function a gradient. Forward derivatives are its transpose."""
    if _with_latticework():
        return custom_rules(run, natives, forward_of(run, _vjp, jnp.zeros_like))
    return _custom_reverse(run, natives)


def custom_rules(run: Callable[[Natives], tuple[Natives, Any]], natives: Natives, push: Any) -> Natives:
    """Give a function rules. JAX has those of one direction for a function: of that which it is differentiated in."""
    if _with_latticework():
        if DIRECTIONS.get()[-1:] == ("forward",):
            return _custom_forward(run, natives, push)
        run = _with_rules_around(run, push)
    return _custom_reverse(run, natives)


def _custom_reverse(run: Callable[[Natives], tuple[Natives, Any]], natives: Natives) -> Natives:
    """Give a function a gradient: JAX traces `back` with the forward pass, as a function of the cotangents."""

    @jax.custom_gradient
    def custom(natives: Natives) -> tuple[Natives, Callable[[Natives], tuple[Natives]]]:
        outs, back = run(natives)
        return outs, lambda cotangents: (_conjugated(back(_conjugated(cotangents))),)

    found: Natives = custom(natives)
    return found


def _with_rules_around(
    run: Callable[[Natives], tuple[Natives, Any]], push: Any
) -> Callable[[Natives], tuple[Natives, Any]]:
    """Give the results of a function their rules in the derivatives around this one, which differentiate the forward
    pass and `back`."""
    around = DIRECTIONS.get()[:-1]

    def ruled(natives: Natives) -> tuple[Natives, Any]:
        _, back = run(natives)
        return in_directions(around, custom_rules, run, natives, push), partial(in_directions, around, back)

    return ruled if around else run


def _custom_forward(run: Callable[[Natives], tuple[Natives, Any]], natives: Natives, push: Any) -> Natives:
    """Give a function a rule of forward derivatives. Derivatives around these have the rule of their direction."""
    around = DIRECTIONS.get()[:-1]

    @jax.custom_jvp
    def custom(natives: Natives) -> Natives:
        return run(natives)[0]

    def rule(primals: tuple[Natives], tangents: tuple[Natives]) -> tuple[Natives, Natives]:
        return in_directions(around, lambda: (custom_rules(run, *primals, push), push(*primals, *tangents)))

    custom.defjvp(rule)
    found: Natives = custom(natives)
    return found


def checkpoint(run: Callable[[Natives], Natives], natives: Natives) -> Natives:
    found: Natives = jax.checkpoint(run)(natives)
    return found


def host_call(f: Callable[[Natives], Any], natives: Natives, results: Any) -> Any:
    """Call a function of Python with the values of traced arrays; its results have the shapes and dtypes told."""
    if results is None:
        return jax.debug.callback(lambda *values: f([*values]), *natives)
    told = [jax.ShapeDtypeStruct(shape, jnp.dtype(str(dtype))) for shape, dtype in results]
    return jax.pure_callback(lambda *values: f([*values]), told, *natives, vmap_method="sequential")
