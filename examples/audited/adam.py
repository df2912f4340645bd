"""One step of Adam for JAX, of Kingma and Ba, *Adam: A Method for Stochastic Optimization* (2015), algorithm 1."""

import jax
import jax.numpy as jnp


@jax.jit
def adam(t, x, gradient, m, v):
    m = 0.9 * m + 0.1 * gradient
    v = 0.999 * v + 0.001 * gradient**2
    mean = m / (1 - 0.9**t)
    variance = v / (1 - 0.999**t)
    return x - 0.001 * mean / (jnp.sqrt(variance) + 1e-8), m, v
