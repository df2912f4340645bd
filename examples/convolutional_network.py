"""A convolutional network that learns to read handwritten digits, with `value_and_grad` and Adam.

Run it on any framework: ``python examples/convolutional_network.py --backend torch`` (or numpy, jax, tensorflow, dask).
On Dask each step is computed before the next, or the graph of all steps would come first. It needs scikit-learn, for
the images.
"""

import argparse

from sklearn.datasets import load_digits

import latticework as lw


def digits():
    """1,797 images of shape (1, 8, 8) with values from 0 to 1, and their labels; every fourth is held out."""
    data = load_digits()

    def part(rows):
        images = lw.asarray(data.images[rows, None] / 16, dtype=lw.float32)
        return images, lw.asarray(data.target[rows], dtype=lw.int32)

    rows = range(len(data.target))
    return part([i for i in rows if i % 4 != 3]), part([i for i in rows if i % 4 == 3])


def new_params(key):
    """Make the weights and the bias of each layer; the weights are random and keep the size of values that pass."""
    shapes = {"conv1": (16, 1, 3, 3), "conv2": (32, 16, 3, 3), "dense": (10, 32 * 2 * 2)}
    params = {}
    for subkey, (name, shape) in zip(lw.random.split(key, len(shapes)), shapes.items()):
        scale = (2 / (shape[1] * 9 if len(shape) == 4 else shape[1])) ** 0.5
        params[name] = scale * lw.random.normal(subkey, shape), lw.zeros(shape[0])
    return params


def network(params, images):
    """Return the scores of the ten digits: two convolutions, each of which halves the image, and a linear layer."""
    x = lw.nn.relu(lw.nn.conv2d(images, *params["conv1"], stride=2, padding=1))
    x = lw.nn.relu(lw.nn.conv2d(x, *params["conv2"], stride=2, padding=1))
    return lw.nn.linear(lw.reshape(x, (x.shape[0], -1)), *params["dense"])


def loss(params, images, labels):
    """Return the cross entropy."""
    return lw.nn.cross_entropy(network(params, images), labels)


def adam(params, grads, state, rate=0.003, b1=0.9, b2=0.999):
    """Take a step of Adam; return new parameters, and the state, which has the moments of the gradients."""
    t, m, v = state
    t = t + 1
    m = lw.tree.map(lambda m, g: b1 * m + (1 - b1) * g, m, grads)
    v = lw.tree.map(lambda v, g: b2 * v + (1 - b2) * g**2, v, grads)
    size = rate * lw.sqrt(1 - b2**t) / (1 - b1**t)
    return lw.tree.map(lambda p, m, v: p - size * m / (lw.sqrt(v) + 1e-8), params, m, v), (t, m, v)


@lw.jit
def train_step(params, state, images, labels):
    """Take one step; return the loss before it as well."""
    value, grads = lw.value_and_grad(loss)(params, images, labels)
    return *adam(params, grads, state), value


def computed(step):
    """Have Dask compute what a step gives."""
    import dask

    return lambda *arguments: dask.persist(step(*arguments))[0]


def train(key, images, labels, epochs, batch=64, step=train_step):
    """Train on shuffled batches; return the parameters, and the mean loss of each epoch."""
    start, shuffle = lw.random.split(key)
    params = new_params(start)
    zeros = lw.tree.map(lw.zeros_like, params)
    state = (lw.asarray(0.0), zeros, zeros)
    losses = []
    count = images.shape[0] // batch
    for subkey in lw.random.split(shuffle, epochs):
        order = lw.random.permutation(subkey, images.shape[0])
        total = 0.0
        for rows in lw.unstack(lw.reshape(order[: count * batch], (count, batch))):
            params, state, value = step(params, state, images[rows], labels[rows])
            total = total + value
        losses.append(total / count)
    return params, lw.stack(losses)


def main(epochs=5, count=None, seed=0):
    """Train on `count` images (all by default), and print the loss of each epoch and the accuracy."""
    (images, labels), (held_out, answers) = digits()
    step = computed(train_step) if images.backend == "dask" else train_step
    params, losses = train(lw.random.key(seed), images[:count], labels[:count], epochs, step=step)
    scores = network(params, held_out)
    accuracy = lw.mean(lw.argmax(scores, axis=1) == answers)

    print(f"{len(labels[:count])} images, on {images.backend}")
    for epoch, value in enumerate(lw.to_numpy(losses), 1):
        print(f"epoch {epoch}: loss {value:.4f}")
    print(f"accuracy on {len(answers)} images held out: {float(accuracy):.2%}")
    return {"losses": losses, "scores": scores, "accuracy": accuracy}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", default="torch", help="numpy, torch, jax, tensorflow or dask")
    lw.set_backend(parser.parse_args().backend)
    main()
