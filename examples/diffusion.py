"""A diffusion model in NumPy's words: a network learns to see the noise in points of two moons, and makes new points.

Run it on any framework: ``python examples/diffusion.py --backend jax`` (or numpy, torch, tensorflow, dask). The program
is NumPy's, with two functions of latticework's: `value_and_grad` and `jit`.
"""

import argparse

import latticework as lw
import latticework.frontends.numpy as np


def moons(rng, n):
    """Points on two half circles that interlock, with a little noise."""
    angle = np.pi * rng.random(n, dtype=np.float32)
    upper = rng.random(n, dtype=np.float32) < 0.5
    x = np.where(upper, np.cos(angle), 1 - np.cos(angle)) - 0.5
    y = np.where(upper, np.sin(angle), 0.5 - np.sin(angle)) - 0.25
    return 1.5 * np.stack([x, y], axis=1) + 0.08 * rng.standard_normal((n, 2), dtype=np.float32)


def schedule(steps):
    """How much of a point is left after each step, by a cosine: from nearly all to a hundredth."""
    time = np.linspace(0, 1, steps + 1, dtype=np.float32)
    return np.cos(0.94 * time[1:] * np.pi / 2) ** 2


def new_params(rng, width):
    """The weights and biases of three layers, from a point and six waves of the time to a point."""
    sizes = [8, width, width, 2]
    scales = [(2 / n) ** 0.5 for n in sizes]
    return [
        (np.float32(scale) * rng.standard_normal((n, m), dtype=np.float32), np.zeros(m, dtype=np.float32))
        for n, m, scale in zip(sizes, sizes[1:], scales)
    ]


def network(params, x, time):
    """The noise in points, of which a part is left that the time tells."""
    waves = time[:, np.newaxis] * np.array([1, 2, 4], dtype=np.float32) * np.float32(np.pi)
    h = np.concatenate([x, np.sin(waves), np.cos(waves)], axis=1)
    for weights, bias in params[:-1]:
        h = h @ weights + bias
        h = h / (1 + np.exp(-h))
    weights, bias = params[-1]
    return h @ weights + bias


def loss(params, x, noise, time, kept):
    """How far the network is from the noise that was put in."""
    noised = np.sqrt(kept)[:, None] * x + np.sqrt(1 - kept)[:, None] * noise
    return np.mean((network(params, noised, time) - noise) ** 2)


@lw.jit
def train_step(params, moments, count, rate, x, noise, time, kept):
    """Take a step of Adam; return the parameters, the moments of the gradients, and the loss before it."""
    value, grads = lw.value_and_grad(loss)(params, x, noise, time, kept)
    size = rate * np.sqrt(1 - 0.999**count) / (1 - 0.9**count)
    new, kept_moments = [], []
    for layer, slopes, layer_moments in zip(params, grads, moments):
        parts = []
        for p, g, (m, v) in zip(layer, slopes, layer_moments):
            m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
            parts.append((p - size * m / (np.sqrt(v) + 1e-8), (m, v)))
        new.append(tuple(p for p, _ in parts))
        kept_moments.append(tuple(m for _, m in parts))
    return new, kept_moments, value


def sample(rng, params, kept, n):
    """Begin with noise, and take away what the network sees in it, step by step; return all that is on the way."""
    model = lw.jit(network)
    x = rng.standard_normal((n, 2), dtype=np.float32)
    path = [x]
    for i in reversed(range(len(kept))):
        time = np.full(n, (i + 1) / len(kept), dtype=np.float32)
        noise = model(params, x, time)
        clean = np.clip((x - np.sqrt(1 - kept[i]) * noise) / np.sqrt(kept[i]), -3, 3)
        before = kept[i - 1] if i else np.float32(1)
        x = np.sqrt(before) * clean + np.sqrt(1 - before) * noise
        path.append(x)
    return np.stack(path)


def main(train_steps=3000, batch=256, steps=40, width=64, n=600, seed=0):
    """Train, draw new points, and print how near they are to the moons."""
    rng = np.random.default_rng(seed)
    kept = schedule(steps)
    params = new_params(rng, width)
    moments = [tuple((np.zeros_like(p), np.zeros_like(p)) for p in layer) for layer in params]
    losses = []
    for i in range(train_steps):
        x, noise = moons(rng, batch), rng.standard_normal((batch, 2), dtype=np.float32)
        which = rng.integers(0, steps, batch)
        time = ((which + 1) / steps).astype(np.float32)
        count, rate = np.array([i + 1, 0.006 * (1 - i / train_steps)], dtype=np.float32)
        params, moments, value = train_step(params, moments, count, rate, x, noise, time, kept[which])
        losses.append(value)
    losses = np.stack(losses)
    path = sample(rng, params, kept, n)
    truth = moons(rng, n)
    apart = np.sqrt(((path[-1][:, None] - truth) ** 2).sum(axis=2).min(axis=1))

    results = {"losses": lw.asarray(losses), "path": lw.asarray(path), "truth": lw.asarray(truth)}
    print(f"{train_steps} steps of training, on {results['path'].backend}")
    part = max(train_steps // 10, 1)
    print(f"loss of the first tenth {float(losses[:part].mean()):.3f}, of the last {float(losses[-part:].mean()):.3f}")
    print(f"half of the new points are within {float(np.median(apart)):.3f} of one of {n} others")
    return results


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", default="numpy", help="numpy, torch, jax, tensorflow or dask")
    lw.set_backend(parser.parse_args().backend)
    main()
