"""Gaussian process regression: fit a noisy curve, with the length scale that the data make most likely.

Run it on any framework: ``python examples/gaussian_process.py --backend jax`` (or numpy, torch, tensorflow, dask).
"""

import argparse
import math

import latticework as lw


def kernel(x1, x2, scale):
    """The squared exponential kernel of two sets of points on a line."""
    return lw.exp(-(((x1[:, None] - x2) / scale) ** 2) / 2)


def fit(x, y, scale, noise):
    """The Cholesky factor of the covariance, the weights of the data, and the log marginal likelihood."""
    n = x.shape[0]
    factor = lw.linalg.cholesky(kernel(x, x, scale) + noise**2 * lw.eye(n, dtype=x.dtype))
    weights = lw.linalg.cho_solve(factor, y)
    log_likelihood = -(y @ weights) / 2 - lw.sum(lw.log(lw.diagonal(factor))) - n / 2 * math.log(2 * math.pi)
    return factor, weights, log_likelihood


def predict(x_new, x, factor, weights, scale):
    """The mean and the standard deviation of the curve at new points."""
    cross = kernel(x, x_new, scale)
    half = lw.linalg.solve_triangular(factor, cross)
    return cross.T @ weights, lw.sqrt(1 - lw.sum(half**2, axis=0))


def main(n=40, noise=0.2, seed=0):
    """Fit n noisy values of a sine, and print the curve and its uncertainty."""
    where, error = lw.random.split(lw.random.key(seed))
    x = lw.random.uniform(where, (n,), lw.float64, low=0, high=7)
    y = lw.sin(x) + noise * lw.random.normal(error, (n,), lw.float64)

    scales = [0.25, 0.5, 1.0, 2.0, 4.0]
    fits = [fit(x, y, scale, noise) for scale in scales]
    evidence = lw.stack([log_likelihood for _, _, log_likelihood in fits])
    best = int(lw.argmax(evidence))
    factor, weights, _ = fits[best]
    x_new = lw.linspace(0, 8, 9, dtype=lw.float64)
    mean, deviation = predict(x_new, x, factor, weights, scales[best])

    print(f"{n} values of sin(x) with noise {noise}, on {x.backend}")
    for scale, value in zip(scales, lw.to_numpy(evidence)):
        print(f"length scale {scale:4}: log marginal likelihood {value:8.2f}")
    for at, m, d in zip(*(lw.to_numpy(v) for v in (x_new, mean, deviation))):
        print(f"x = {at:.0f}: {m:6.3f} ± {2 * d:.3f}")
    return {"evidence": evidence, "mean": mean, "deviation": deviation}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", default="numpy", help="numpy, torch, jax, tensorflow or dask")
    lw.set_backend(parser.parse_args().backend)
    main()
