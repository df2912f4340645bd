"""Control flow that TensorFlow traces, of functions of lists of native arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

Natives = list[Any]


def staged() -> bool:
    """Return whether TensorFlow records the computation: inside `tf.function` and `tf.vectorized_map`."""
    return not tf.executing_eagerly()


def switch(index: Any, branches: Sequence[Callable[[], Natives]]) -> Natives:
    """Run a branch by `tf.cond` after `tf.cond`: `tf.vectorized_map` does not take `tf.switch_case`."""
    if len(branches) == 1:
        return branches[0]()
    if index.dtype == tf.bool:
        return [*tf.cond(index, lambda: tuple(branches[1]()), lambda: tuple(branches[0]()))]
    found = tf.cond(tf.equal(index, 0), lambda: tuple(branches[0]()), lambda: tuple(switch(index - 1, branches[1:])))
    return [*found]


def while_loop(condition: Callable[[Natives], Any], body: Callable[[Natives], Natives], init: Natives) -> Natives:
    found = tf.while_loop(lambda *carry: condition([*carry]), lambda *carry: tuple(body([*carry])), tuple(init))
    return [*found]


def scan(
    body: Callable[[Natives, Natives], tuple[Natives, Natives]], init: Natives, xs: Natives, length: int, reverse: bool
) -> tuple[Natives, Natives]:
    """Run a loop that writes to arrays of tensors. Their number and dtypes are known from a trace of the body."""
    counted = len(init)
    of_ys = tf.function(lambda carry, x: body([*carry], [*x])[1], autograph=False)  # traced, and not run
    traced = of_ys.get_concrete_function([_spec(x, x.shape) for x in init], [_spec(x, x.shape[1:]) for x in xs])

    def step(i: Any, *state: Any) -> tuple[Any, ...]:
        at = length - 1 - i if reverse else i
        carry, ys = body([*state[:counted]], [x[at] for x in xs])
        written = [array.write(at, y) for array, y in zip(state[counted:], ys, strict=True)]
        return (i + 1, *carry, *written)

    arrays = [tf.TensorArray(dtype, size=length) for dtype in traced.output_dtypes]
    _, *state = tf.while_loop(
        lambda i, *_: i < length, step, (tf.constant(0), *init, *arrays), maximum_iterations=length
    )
    return state[:counted], [array.stack() for array in state[counted:]]


def _spec(x: Any, shape: Any) -> Any:
    return tf.TensorSpec(shape, x.dtype)
