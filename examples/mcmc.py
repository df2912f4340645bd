"""Markov chain Monte Carlo: a straight line through noisy points, by the Metropolis algorithm in many chains.

Run it on any framework: ``python examples/mcmc.py --backend jax`` (or numpy, torch, tensorflow, dask). On Dask it takes
minutes: a graph of all the steps comes before any number.
"""

import argparse

import latticework as lw


def log_posterior(theta, x, y):
    """For each row (intercept, slope, log of the noise) of theta: normal errors, and wide normal priors."""
    a, b, log_noise = theta[:, :1], theta[:, 1:2], theta[:, 2]
    errors = lw.sum((y - a - b * x) ** 2, axis=1) * lw.exp(-2 * log_noise)
    return -errors / 2 - x.shape[0] * log_noise - lw.sum(theta**2, axis=1) / 200


def metropolis(key, theta, x, y, steps, width):
    """Let each row of theta wander; the positions after each step, and how many proposals were accepted."""

    def step(state, key):
        theta, log_p = state
        jump, toss = lw.random.split(key)
        proposal = theta + width * lw.random.normal(jump, theta.shape, theta.dtype)
        log_new = log_posterior(proposal, x, y)
        accept = lw.log(lw.random.uniform(toss, log_p.shape, theta.dtype)) < log_new - log_p
        theta = lw.where(accept[:, None], proposal, theta)
        return (theta, lw.where(accept, log_new, log_p)), (theta, accept)

    start = (theta, log_posterior(theta, x, y))
    _, (chains, accepted) = lw.scan(step, start, lw.random.split(key, steps))
    return chains, lw.mean(accepted)


def r_hat(chains):
    """Gelman and Rubin's measure of whether the chains (steps, chains, parameters) agree: 1 if they do."""
    n = chains.shape[0]
    within = lw.mean(lw.var(chains, axis=0, correction=1), axis=0)
    between = lw.var(lw.mean(chains, axis=0), axis=0, correction=1)
    return lw.sqrt((n - 1) / n + between / within)


def main(n=50, chains=16, steps=600, seed=4):
    """Sample the posterior, and print its means, deviations and how well the chains agree."""
    truth = {"intercept": 1.0, "slope": 2.0, "log noise": -0.7}
    where, error, start, walk = lw.random.split(lw.random.key(seed), 4)
    x = lw.random.uniform(where, (n,), lw.float64, low=-1, high=1)
    noise = lw.exp(lw.asarray(truth["log noise"], dtype=lw.float64))
    y = truth["intercept"] + truth["slope"] * x + noise * lw.random.normal(error, (n,), lw.float64)

    theta = lw.random.normal(start, (chains, 3), lw.float64)
    sample = lw.jit(metropolis, static_argnums=(4, 5))
    path, accepted = sample(walk, theta, x, y, steps, 0.12)
    kept = path[steps // 2 :]
    mean, deviation = lw.mean(kept, axis=(0, 1)), lw.std(kept, axis=(0, 1))
    agreement = r_hat(kept)

    print(f"{chains} chains of {steps} steps, {100 * float(accepted):.0f} % accepted, on {path.backend}")
    columns = (lw.to_numpy(v) for v in (mean, deviation, agreement))
    for (name, true), m, d, r in zip(truth.items(), *columns):
        print(f"{name:9} {m:6.3f} ± {d:.3f}  (true {true:4}, R-hat {r:.3f})")
    return {"mean": mean, "deviation": deviation, "r_hat": agreement, "accepted": accepted, "last": path[-1]}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", default="numpy", help="numpy, torch, jax, tensorflow or dask")
    lw.set_backend(parser.parse_args().backend)
    main()
