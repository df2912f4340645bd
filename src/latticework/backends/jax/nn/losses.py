"""Losses on JAX, each as one program."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ....api.nn.ctc import NOTHING
from ....engine.keys.reading import check_bounds
from ..compiled import compiled


def _with_targets_in_bounds(loss: Callable[..., Any]) -> Callable[..., Any]:
    """Make a loss that checks category numbers where they have values: in a JAX program, numbers out of bounds give
    nan."""

    @wraps(loss)
    def checked(x: Any, target: Any, *, axis: int | None = None, ignore_index: int = -100, **options: Any) -> Any:
        numbers = target.dtype.kind in "iu" and target.ndim == x.ndim - 1
        if numbers and target.size and not isinstance(target, jax.core.Tracer):
            found = np.asarray(target)
            place = min(1, x.ndim - 1) if axis is None else axis
            if -x.ndim <= place < x.ndim:
                counted = found[found != ignore_index]
                check_bounds((int(counted.min()), int(counted.max())) if counted.size else None, x.shape[place], place)
        return loss(x, target, axis=axis, ignore_index=ignore_index, **options)

    return checked


binary_cross_entropy = compiled("nn.binary_cross_entropy")
binary_cross_entropy_with_logits = compiled("nn.binary_cross_entropy_with_logits")
cosine_embedding_loss = compiled("nn.cosine_embedding_loss")
cosine_similarity = compiled("nn.cosine_similarity")
cross_entropy = _with_targets_in_bounds(compiled("nn.cross_entropy"))
gaussian_nll_loss = compiled("nn.gaussian_nll_loss")
hinge_embedding_loss = compiled("nn.hinge_embedding_loss")
huber_loss = compiled("nn.huber_loss")
kl_div = compiled("nn.kl_div")
l1_loss = compiled("nn.l1_loss")
margin_ranking_loss = compiled("nn.margin_ranking_loss")
mse_loss = compiled("nn.mse_loss")
nll_loss = _with_targets_in_bounds(compiled("nn.nll_loss"))
pairwise_distance = compiled("nn.pairwise_distance")
poisson_nll_loss = compiled("nn.poisson_nll_loss")
smooth_l1_loss = compiled("nn.smooth_l1_loss")
triplet_margin_loss = compiled("nn.triplet_margin_loss")

# --- ctc ----------------------------------------------------------------------------------------------------------
# The recursion is a scan, of which a step is compiled once.

ctc_loss = compiled("nn.ctc_loss")


@jax.jit
def _forward(emitted: Any, skips: Any, lengths: Any) -> jax.Array:
    def step(ways: Any, at: Any) -> tuple[Any, None]:
        t, emitted = at
        padded = jnp.pad(ways, ((0, 0), (2, 0)), constant_values=NOTHING)
        further = jnp.logaddexp(jnp.logaddexp(ways, padded[:, 1:-1]), jnp.where(skips, padded[:, :-2], NOTHING))
        further = jnp.maximum(further + emitted, NOTHING)
        return jnp.where((t < lengths)[:, None], further, ways), None

    start = jnp.where(jnp.arange(emitted.shape[2]) < 2, emitted[0], NOTHING)
    return jax.lax.scan(step, start, (jnp.arange(1, emitted.shape[0]), emitted[1:]))[0]


# --- categories ---------------------------------------------------------------------------------------------------

_softmax = jax.jit(jax.nn.softmax, static_argnames="axis")  # which by itself is a kernel for each step
_log_softmax = jax.jit(jax.nn.log_softmax, static_argnames="axis")


def softmax(x: jax.Array, *, axis: Any = -1, where: jax.Array | None = None) -> jax.Array:
    _check_mask(x, where)
    return _softmax(x, axis=axis, where=where)


def log_softmax(x: jax.Array, *, axis: Any = -1, where: jax.Array | None = None) -> jax.Array:
    _check_mask(x, where)
    return _log_softmax(x, axis=axis, where=where)


def _check_mask(x: jax.Array, where: jax.Array | None) -> None:
    """JAX broadcasts x to the shape of a mask with more axes."""
    if where is not None and jnp.broadcast_shapes(x.shape, where.shape) != x.shape:
        raise ValueError("where must broadcast to the shape of x")


@partial(jax.jit, static_argnames=("num_classes", "axis"))
def _one_hot(x: jax.Array, like: jax.Array, *, num_classes: int, axis: int) -> jax.Array:
    categories = jnp.arange(num_classes, dtype=x.dtype).reshape(num_classes, *(1,) * (x.ndim - axis))
    return (jnp.expand_dims(x, axis) == categories).astype(like.dtype)
