"""A network that learns a spiral: parameters in a dict, `value_and_grad`, momentum by `tree.map`, weight decay."""

from functools import partial

import latticework.frontends.jax as jax
import latticework.frontends.jax.numpy as jnp
from latticework.frontends.jax import nn, random, tree


def spiral(key, n=60):
    """Points of two arms, and which arm each is of."""
    noise, order = random.split(key)
    t = jnp.linspace(0.3, 3.0, n)
    arms = jnp.arange(2).repeat(n // 2)
    angle = t * 2.0 + arms * jnp.pi
    points = jnp.stack([t * jnp.cos(angle), t * jnp.sin(angle)], axis=-1)
    points = points + 0.05 * random.normal(noise, points.shape)
    places = random.permutation(order, n)
    return points[places], arms[places]


def init(key, sizes=(2, 16, 16, 2)):
    """Weights and biases of each layer."""
    draw = nn.initializers.he_normal()
    keys = random.split(key, len(sizes) - 1)
    return [{"w": draw(k, (a, b)), "b": jnp.zeros(b)} for k, a, b in zip(keys, sizes[:-1], sizes[1:])]


def predict(params, x):
    """The scores of both arms."""
    for layer in params[:-1]:
        x = nn.silu(x @ layer["w"] + layer["b"])
    return x @ params[-1]["w"] + params[-1]["b"]


def loss(params, x, y, decay):
    """Cross-entropy, and a small price for large weights."""
    scores = predict(params, x)
    likelihood = jnp.take_along_axis(nn.log_softmax(scores), y[:, None], axis=-1)
    weights = tree.reduce(lambda total, p: total + jnp.sum(p**2), params, 0.0)
    return -likelihood.mean() + decay * weights


@partial(jax.jit, static_argnames="rate")
def step(params, momentum, x, y, rate=0.1):
    """One step of descent with momentum."""
    value, gradient = jax.value_and_grad(loss)(params, x, y, 1e-4)
    momentum = tree.map(lambda m, g: 0.9 * m + g, momentum, gradient)
    return tree.map(lambda p, m: p - rate * m, params, momentum), momentum, value


def main():
    """The loss on the way, the accuracy, and the curvature along a direction."""
    data, weights = random.split(random.PRNGKey(3))
    x, y = spiral(data)
    params = init(weights)
    momentum = tree.map(jnp.zeros_like, params)
    losses = []
    for _ in range(25):
        params, momentum, value = step(params, momentum, x, y, rate=0.05)
        losses.append(float(value))
    accuracy = jnp.mean(jnp.argmax(predict(params, x), axis=-1) == y)
    slope = jax.grad(lambda scale: loss(tree.map(lambda p: p * scale, params), x, y, 0.0))
    return {"losses": losses[::6], "accuracy": float(accuracy), "slope": float(slope(1.0))}


if __name__ == "__main__":
    print(main())
