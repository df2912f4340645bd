"""Activations on JAX. What is compiled as one here is one kernel."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from ....backend.slopes import own_slopes as _own_slopes
from ..compiled import compiled
from ..kinks import with_slopes as _with_slopes

relu = jax.nn.relu
elu = jax.nn.elu
selu = jax.nn.selu
celu = jax.nn.celu
sigmoid = jax.nn.sigmoid
log_sigmoid = jax.nn.log_sigmoid
silu = jax.nn.silu
mish = jax.nn.mish
softsign = jax.nn.soft_sign
squareplus = jax.nn.squareplus
hard_sigmoid = _with_slopes(jax.nn.hard_sigmoid, lambda out, x: ((x >= -3) & (x <= 3)) / 6)
hard_silu = jax.nn.hard_silu
glu = jax.nn.glu
hard_shrink = compiled("nn.hard_shrink")
soft_shrink = compiled("nn.soft_shrink")
tanh_shrink = compiled("nn.tanh_shrink")
_erf = jax.lax.erf


@jax.jit
def leaky_relu(x: Any, *, negative_slope: Any = 0.01) -> jax.Array:
    return _leaky_relu(x, negative_slope)


_leaky_relu = _with_slopes(
    jax.nn.leaky_relu, lambda out, x, slope: jnp.where(x > 0, 1, slope), lambda out, x, slope: jnp.minimum(x, 0)
)
_own_slopes(leaky_relu, jax.nn.leaky_relu)


def relu6(x: Any) -> jax.Array:
    return jax.nn.relu6(x)  # whose derivative at 0 and 6 is 0, as PyTorch's and TensorFlow's


def _is_floating(x: Any) -> bool:
    """Tell whether the array is of floats: JAX's function makes floats of integers."""
    return bool(jnp.issubdtype(x.dtype, jnp.floating))


relu6.when = _is_floating  # type: ignore[attr-defined]


_gelu = jax.jit(jax.nn.gelu, static_argnames="approximate")


def gelu(x: Any, *, approximate: bool | str = False) -> jax.Array:
    return _gelu(x, approximate=approximate in (True, "tanh"))


def _is_known(x: Any, *, approximate: bool | str = False) -> bool:
    """Tell whether the approximation is ``"none"`` or ``"tanh"``."""
    return approximate in (False, True, "none", "tanh")


gelu.when = _is_known  # type: ignore[attr-defined]


@jax.jit
def softplus(x: Any, *, beta: float | None = None, threshold: float | None = None) -> jax.Array:
    scaled = x if beta is None else x * beta
    result = jnp.logaddexp(scaled, 0.0)
    if beta is not None:
        result = result / beta
    return result if threshold is None else jnp.where(scaled > threshold, x, result)
