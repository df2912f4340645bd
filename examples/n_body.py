"""N bodies under gravity: the leapfrog method as a scan, which keeps the energy nearly constant.

Run it on any framework: ``python examples/n_body.py --backend jax`` (or numpy, torch, tensorflow, dask). On Dask it
takes minutes: a graph of all the steps comes before any number.
"""

import argparse

import latticework as lw

SOFTENING = 0.05


def differences(x):
    """The vectors from each body to each other, and the softened squares of their lengths."""
    d = x - x[:, None]
    return d, lw.sum(d**2, axis=2) + SOFTENING**2


def acceleration(x, mass):
    """The acceleration of each body."""
    d, r2 = differences(x)
    return lw.sum((mass * r2**-1.5)[..., None] * d, axis=1)


def energy(x, v, mass):
    """Kinetic and potential energy together."""
    r = lw.sqrt(differences(x)[1])
    pairs = lw.triu(mass[:, None] * mass / r, k=1)
    return lw.sum(mass * lw.sum(v**2, axis=1)) / 2 - lw.sum(pairs)


def simulate(x, v, mass, steps, dt):
    """Positions and velocities at the end, and the energy after each step."""

    def step(state, _):
        x, v, a = state
        v = v + dt / 2 * a
        x = x + dt * v
        a = acceleration(x, mass)
        v = v + dt / 2 * a
        return (x, v, a), energy(x, v, mass)

    (x, v, _), energies = lw.scan(step, (x, v, acceleration(x, mass)), length=steps)
    return x, v, energies


def main(n=32, steps=300, dt=0.01, seed=0):
    """Let a cold cloud of bodies fall together, and print how well the energy is kept."""
    places, speeds = lw.random.split(lw.random.key(seed))
    x = lw.random.normal(places, (n, 3), lw.float64)
    v = 0.3 * lw.random.normal(speeds, (n, 3), lw.float64)
    mass = lw.full(n, 1 / n, dtype=lw.float64)
    x, v = x - lw.mean(x, axis=0), v - lw.mean(v, axis=0)

    start = energy(x, v, mass)
    x_end, v_end, energies = lw.jit(simulate, static_argnums=(3, 4))(x, v, mass, steps, dt)
    drift = lw.max(lw.abs(energies / start - 1))
    momentum = lw.max(lw.abs(mass @ v_end))

    print(f"{n} bodies, {steps} steps, on {x.backend}")
    print(f"energy at first {float(start):.6f}, at last {float(energies[-1]):.6f}")
    print(f"largest relative drift of the energy {float(drift):.1e}")
    print(f"momentum at last {float(momentum):.1e}")
    print(f"root mean square radius {float(lw.sqrt(lw.mean(lw.sum(x**2, axis=1)))):.3f}", end=" -> ")
    print(f"{float(lw.sqrt(lw.mean(lw.sum(x_end**2, axis=1)))):.3f}")
    return {"x": x_end, "v": v_end, "energies": energies, "drift": drift}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", default="numpy", help="numpy, torch, jax, tensorflow or dask")
    lw.set_backend(parser.parse_args().backend)
    main()
