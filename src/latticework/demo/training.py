"""The demo's second program: a convolutional network that learns to read digits, with `value_and_grad` and Adam.

Nothing here says which framework runs it. `examples/convolutional_network.py` is the same program by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import latticework as lw
from latticework import Array

#: The parameters of a network: a pair of weights and bias for each layer. They are trees of arrays, as Adam's state is.
Params = dict[str, tuple[Array, Array]]
State = tuple[Array, Params, Params]


def learn(pixels: Array, labels: Array, *, epochs: int, lazy: bool = False) -> tuple[Params, Array]:
    """Learn from three images of four.

    Parameters
    ----------
    pixels: an image of 8 by 8 pixels from 0 to 16 in each row.
    labels: the digit of each image.
    epochs: how often to go through the images.
    lazy: whether the framework computes later, as Dask: then each step is computed before the next.

    Returns
    -------
    The parameters, and the mean loss of each epoch.
    """
    learnt = lw.asarray([i for i in range(pixels.shape[0]) if i % 4 != 3])  # positions: a mask hides how many there are
    step = computed(train_step) if lazy else train_step
    return train(lw.random.key(0), as_images(pixels)[learnt], labels[learnt], epochs, step=step)


def accuracy(params: Params, pixels: Array, labels: Array) -> Array:
    """Return the share of the held-out images that the network reads right."""
    return lw.mean(lw.argmax(network(params, as_images(pixels)[3::4]), axis=1) == labels[3::4])


def as_images(pixels: Array) -> Array:
    """Return images of one channel, with values from 0 to 1."""
    return lw.reshape(pixels, (-1, 1, 8, 8)) / 16


def new_params(key: Array) -> Params:
    """Make the weights and the bias of each layer; the weights are random and keep the size of values that pass."""
    shapes = {"conv1": (16, 1, 3, 3), "conv2": (32, 16, 3, 3), "dense": (10, 32 * 2 * 2)}
    params = {}
    for subkey, (name, shape) in zip(lw.random.split(key, len(shapes)), shapes.items(), strict=True):
        scale = (2 / (shape[1] * 9 if len(shape) == 4 else shape[1])) ** 0.5
        params[name] = scale * lw.random.normal(subkey, shape), lw.zeros(shape[0])
    return params


def network(params: Params, images: Array) -> Array:
    """Return the scores of the ten digits: two convolutions, each of which halves the image, and a linear layer."""
    x = lw.nn.relu(lw.nn.conv2d(images, *params["conv1"], stride=2, padding=1))
    x = lw.nn.relu(lw.nn.conv2d(x, *params["conv2"], stride=2, padding=1))
    return lw.nn.linear(lw.reshape(x, (x.shape[0], -1)), *params["dense"])


def loss(params: Params, images: Array, labels: Array) -> Array:
    """Return the cross entropy."""
    return lw.nn.cross_entropy(network(params, images), labels)


def adam(
    params: Params, grads: Params, state: State, rate: float = 0.003, b1: float = 0.9, b2: float = 0.999
) -> tuple[Params, State]:
    """Take a step of Adam; return new parameters, and the state, which has the moments of the gradients."""
    t, m, v = state
    t = t + 1
    m = lw.tree.map(lambda m, g: b1 * m + (1 - b1) * g, m, grads)
    v = lw.tree.map(lambda v, g: b2 * v + (1 - b2) * g**2, v, grads)
    size = rate * lw.sqrt(1 - b2**t) / (1 - b1**t)
    return lw.tree.map(lambda p, m, v: p - size * m / (lw.sqrt(v) + 1e-8), params, m, v), (t, m, v)


@lw.jit
def train_step(params: Params, state: State, images: Array, labels: Array) -> tuple[Any, ...]:
    """Take one step; return the loss before it as well."""
    value, grads = lw.value_and_grad(loss)(params, images, labels)
    return *adam(params, grads, state), value


def computed(step: Callable[..., Any]) -> Callable[..., Any]:
    """Have Dask compute what a step gives."""
    import dask

    return lambda *arguments: dask.persist(step(*arguments))[0]


def train(
    key: Array, images: Array, labels: Array, epochs: int, batch: int = 64, step: Callable[..., Any] = train_step
) -> tuple[Params, Array]:
    """Train on shuffled batches; return the parameters, and the mean loss of each epoch."""
    start, shuffle = lw.random.split(key)
    params = new_params(start)
    zeros = lw.tree.map(lw.zeros_like, params)
    state = (lw.asarray(0.0), zeros, zeros)
    losses = []
    count = images.shape[0] // batch
    for subkey in lw.random.split(shuffle, epochs):
        order = lw.random.permutation(subkey, images.shape[0])
        total: Any = 0.0
        for rows in lw.unstack(lw.reshape(order[: count * batch], (count, batch))):
            params, state, value = step(params, state, images[rows], labels[rows])
            total = total + value
        losses.append(total / count)
    return params, lw.stack(losses)
