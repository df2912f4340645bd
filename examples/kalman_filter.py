"""A Kalman filter: follow something that moves in the plane, by noisy measurements of its position.

Run it on any framework: ``python examples/kalman_filter.py --backend tensorflow`` (or numpy, torch, jax, dask). On
Dask it takes minutes: a graph of all the steps comes before any number.
"""

import argparse

import latticework as lw

DT, PUSH, NOISE = 0.1, 0.5, 0.5  # the time step, and the deviations of acceleration and measurement


def model():
    """Constant velocity: the state is (x, y, vx, vy), and (x, y) is measured."""
    one, zero = lw.eye(2), lw.zeros((2, 2))
    step = lw.block([[one, DT * one], [zero, one]])
    gain = lw.concat([DT**2 / 2 * one, DT * one])  # what an acceleration does to the state
    measure = lw.concat([one, zero], axis=1)
    return step, PUSH**2 * gain @ gain.T, measure, NOISE**2 * one


def simulate(key, n):
    """A path pushed about by random accelerations, and its measurements."""
    pushes, errors = lw.random.split(key)
    acceleration = PUSH * lw.random.normal(pushes, (n, 2))
    velocity = lw.asarray([1.0, 0.5]) + DT * lw.cumulative_sum(acceleration, axis=0)
    position = DT * lw.cumulative_sum(velocity, axis=0)
    return position, position + NOISE * lw.random.normal(errors, (n, 2))


def kalman(measurements, mean, covariance):
    """The mean of the state after each measurement, and the log likelihood of all measurements."""
    F, Q, H, R = model()

    def step(state, z):
        m, P, total = state
        m, P = F @ m, F @ P @ F.T + Q  # predict
        error, S = z - H @ m, H @ P @ H.T + R
        K = lw.linalg.solve(S, H @ P).T
        m, P = m + K @ error, P - K @ S @ K.T  # update
        distance = error @ lw.linalg.solve(S, error)
        total = total - (distance + lw.log(lw.linalg.det(2 * lw.pi * S))) / 2
        return (m, P, total), m

    (_, _, total), means = lw.scan(step, (mean, covariance, 0.0), measurements)
    return means, total


def main(n=200, seed=1):
    """Filter n measurements, and print how much nearer the filter is to the truth."""
    truth, measured = simulate(lw.random.key(seed), n)
    means, log_likelihood = lw.jit(kalman)(measured, lw.zeros(4), lw.eye(4))

    def error(path):
        return lw.sqrt(lw.mean(lw.sum((path - truth) ** 2, axis=1)))

    raw, filtered = error(measured), error(means[:, :2])
    print(f"{n} measurements, on {measured.backend}")
    print(f"error of the measurements: {float(raw):.3f}")
    print(f"error of the filter:       {float(filtered):.3f}")
    print(f"log likelihood:            {float(log_likelihood):.2f}")
    return {"means": means, "log_likelihood": log_likelihood, "raw": raw, "filtered": filtered}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", default="numpy", help="numpy, torch, jax, tensorflow or dask")
    lw.set_backend(parser.parse_args().backend)
    main()
