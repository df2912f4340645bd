"""`jax.example_libraries.optimizers`: optimizers as three functions, of trees of arrays."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple

from .. import numpy as jnp
from .. import tree_util

__all__ = [
    "Optimizer", "OptimizerState", "adagrad", "adam", "adamax", "clip_grads", "constant", "exponential_decay",
    "inverse_time_decay", "l2_norm", "make_schedule", "momentum", "nesterov", "optimizer", "piecewise_constant",
    "polynomial_decay", "rmsprop", "rmsprop_momentum", "sgd", "sm3",
]  # fmt: skip


class OptimizerState:
    """The state of an optimizer: a list of arrays for each leaf of the parameters, and how the parameters are built."""

    def __init__(self, packed_state: Any, tree_def: Any) -> None:
        self.packed_state, self.tree_def = packed_state, tree_def


tree_util.register_pytree_node(
    OptimizerState, lambda x: ((x.packed_state,), x.tree_def), lambda tree, parts: OptimizerState(parts[0], tree)
)


class Optimizer(NamedTuple):
    """The functions of an optimizer: of parameters, of a step, a gradient and a state, and of a state."""

    init_fn: Callable[..., Any]
    update_fn: Callable[..., Any]
    params_fn: Callable[..., Any]


def optimizer(opt_maker: Callable[..., Any]) -> Callable[..., Optimizer]:
    """Make an optimizer of trees of one that is written for arrays."""

    @wraps(opt_maker)
    def made(*args: Any, **kwargs: Any) -> Optimizer:
        init, update, get_params = opt_maker(*args, **kwargs)

        def tree_init(params: Any) -> OptimizerState:
            leaves, tree = tree_util.tree_flatten(params)
            return OptimizerState([init(x) for x in leaves], tree)

        def tree_update(i: Any, gradient: Any, state: OptimizerState) -> OptimizerState:
            leaves, tree = tree_util.tree_flatten(gradient)
            if tree != state.tree_def:
                raise TypeError("the gradient is not built as the parameters are")
            return OptimizerState(
                [update(i, g, s) for g, s in zip(leaves, state.packed_state, strict=True)], state.tree_def
            )

        def tree_params(state: OptimizerState) -> Any:
            return state.tree_def.unflatten([get_params(s) for s in state.packed_state])

        return Optimizer(tree_init, tree_update, tree_params)

    return made


def constant(step_size: Any) -> Callable[..., Any]:
    """Return a schedule of one step size."""
    return lambda i: step_size


def exponential_decay(step_size: Any, decay_steps: Any, decay_rate: Any) -> Callable[..., Any]:
    """Return a schedule that decays by a rate each number of steps."""
    return lambda i: step_size * decay_rate ** (i / decay_steps)


def inverse_time_decay(step_size: Any, decay_steps: Any, decay_rate: Any, staircase: bool = False) -> Any:
    """Return a schedule that decays with the inverse of the number of steps."""
    return lambda i: step_size / (1 + decay_rate * (jnp.floor(i / decay_steps) if staircase else i / decay_steps))


def polynomial_decay(step_size: Any, decay_steps: Any, final_step_size: Any, power: float = 1.0) -> Any:
    """Return a schedule that goes to a last step size by a power."""

    def schedule(step_num: Any) -> Any:
        step_num = jnp.minimum(step_num, decay_steps)
        return (1 - step_num / decay_steps) ** power * (step_size - final_step_size) + final_step_size

    return schedule


def piecewise_constant(boundaries: Any, values: Any) -> Callable[..., Any]:
    """Return a schedule of one value between each two bounds."""
    bounds, found = jnp.array(boundaries), jnp.array(values)
    if found.shape[0] != bounds.shape[0] + 1:
        raise ValueError("boundaries length must be one shorter than values length")
    return lambda i: found[jnp.sum(i > bounds)]


def make_schedule(scalar_or_schedule: Any) -> Callable[..., Any]:
    """Return a schedule, of a number the constant one."""
    return scalar_or_schedule if callable(scalar_or_schedule) else constant(scalar_or_schedule)


def l2_norm(tree: Any) -> Any:
    """Return the norm of a tree of arrays as one vector."""
    return jnp.sqrt(sum(jnp.vdot(x, x) for x in tree_util.tree_leaves(tree)))


def clip_grads(grad_tree: Any, max_norm: Any) -> Any:
    """Return a gradient, scaled where its norm is greater than a number."""
    norm = l2_norm(grad_tree)
    return tree_util.tree_map(lambda g: jnp.where(norm < max_norm, g, g * (max_norm / norm)), grad_tree)


@optimizer
def sgd(step_size: Any) -> Any:
    """Steps along the gradient."""
    size = make_schedule(step_size)
    return (lambda x0: x0), (lambda i, g, x: x - size(i) * g), (lambda x: x)


@optimizer
def momentum(step_size: Any, mass: float) -> Any:
    """Steps along a decaying sum of gradients."""
    size = make_schedule(step_size)

    def update(i: Any, g: Any, state: Any) -> Any:
        x, velocity = state
        velocity = mass * velocity + g
        return x - size(i) * velocity, velocity

    return (lambda x0: (x0, jnp.zeros_like(x0))), update, (lambda state: state[0])


@optimizer
def nesterov(step_size: Any, mass: float) -> Any:
    """Nesterov's momentum."""
    size = make_schedule(step_size)

    def update(i: Any, g: Any, state: Any) -> Any:
        x, velocity = state
        velocity = mass * velocity + g
        return x - size(i) * (mass * velocity + g), velocity

    return (lambda x0: (x0, jnp.zeros_like(x0))), update, (lambda state: state[0])


@optimizer
def adagrad(step_size: Any, momentum: float = 0.9) -> Any:
    """Duchi, Hazan and Singer's optimizer, "Adaptive Subgradient Methods" (2011)."""
    size = make_schedule(step_size)

    def update(i: Any, g: Any, state: Any) -> Any:
        x, total, mean = state
        total = total + jnp.square(g)
        scaled = jnp.where(total > 0, 1.0 / jnp.sqrt(jnp.where(total > 0, total, 1.0)), 0.0)
        mean = (1.0 - momentum) * (g * scaled) + momentum * mean
        return x - size(i) * mean, total, mean

    return (lambda x0: (x0, jnp.zeros_like(x0), jnp.zeros_like(x0))), update, (lambda state: state[0])


@optimizer
def rmsprop(step_size: Any, gamma: float = 0.9, eps: float = 1e-8) -> Any:
    """Steps scaled by a decaying mean of squared gradients."""
    size = make_schedule(step_size)

    def update(i: Any, g: Any, state: Any) -> Any:
        x, mean = state
        mean = mean * gamma + jnp.square(g) * (1.0 - gamma)
        return x - size(i) * g / jnp.sqrt(mean + eps), mean

    return (lambda x0: (x0, jnp.zeros_like(x0))), update, (lambda state: state[0])


@optimizer
def rmsprop_momentum(step_size: Any, gamma: float = 0.9, eps: float = 1e-8, momentum: float = 0.9) -> Any:
    """`rmsprop` with momentum."""
    size = make_schedule(step_size)

    def update(i: Any, g: Any, state: Any) -> Any:
        x, mean, velocity = state
        mean = mean * gamma + jnp.square(g) * (1.0 - gamma)
        velocity = momentum * velocity + size(i) * g / jnp.sqrt(mean + eps)
        return x - velocity, mean, velocity

    return (lambda x0: (x0, jnp.zeros_like(x0), jnp.zeros_like(x0))), update, (lambda state: state[0])


@optimizer
def adam(step_size: Any, b1: float = 0.9, b2: float = 0.999, eps: float = 1e-8) -> Any:
    """Kingma and Ba's optimizer, "Adam: A Method for Stochastic Optimization" (2015)."""
    size = make_schedule(step_size)

    def update(i: Any, g: Any, state: Any) -> Any:
        x, mean, square = state
        mean, square = (1 - b1) * g + b1 * mean, (1 - b2) * jnp.square(g) + b2 * square
        first, second = (
            mean / (1 - jnp.asarray(b1, mean.dtype) ** (i + 1)),
            square / (1 - jnp.asarray(b2, mean.dtype) ** (i + 1)),
        )
        return x - size(i) * first / (jnp.sqrt(second) + eps), mean, square

    return (lambda x0: (x0, jnp.zeros_like(x0), jnp.zeros_like(x0))), update, (lambda state: state[0])


@optimizer
def adamax(step_size: Any, b1: float = 0.9, b2: float = 0.999, eps: float = 1e-8) -> Any:
    """`adam` with the greatest gradient in the place of the mean square."""
    size = make_schedule(step_size)

    def update(i: Any, g: Any, state: Any) -> Any:
        x, mean, most = state
        mean, most = (1 - b1) * g + b1 * mean, jnp.maximum(b2 * most, jnp.abs(g))
        return x - size(i) / (1 - jnp.asarray(b1, mean.dtype) ** (i + 1)) * mean / (most + eps), mean, most

    return (lambda x0: (x0, jnp.zeros_like(x0), jnp.zeros_like(x0))), update, (lambda state: state[0])


@optimizer
def sm3(step_size: Any, momentum: float = 0.9) -> Any:
    """Anil, Gupta, Koren and Singer's optimizer, "Memory-Efficient Adaptive Optimization" (2019)."""
    size = make_schedule(step_size)

    def init(x0: Any) -> Any:
        return x0, jnp.zeros_like(x0), [jnp.zeros(n, x0.dtype) for n in jnp.shape(x0)]

    def update(i: Any, g: Any, state: Any) -> Any:
        x, mean, covers = state
        total: Any = jnp.zeros_like(g) if not covers else None
        for axis, cover in enumerate(covers):
            spread = cover.reshape([-1 if a == axis else 1 for a in range(g.ndim)])
            total = spread if total is None else jnp.minimum(total, spread)
        total = total + jnp.square(g)
        scaled = jnp.where(total > 0, 1.0 / jnp.sqrt(jnp.where(total > 0, total, 1.0)), 0.0)
        mean = (1.0 - momentum) * (g * scaled) + momentum * mean
        covers = [jnp.max(total, axis=tuple(a for a in range(g.ndim) if a != axis)) for axis in range(g.ndim)]
        return x - size(i) * mean, mean, covers

    return init, update, (lambda state: state[0])
