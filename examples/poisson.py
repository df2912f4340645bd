"""Poisson's equation on a periodic square, solved by FFT: u with u_xx + u_yy = f, to the accuracy of the dtype.

Run it on any framework: ``python examples/poisson.py --backend dask`` (or numpy, torch, jax, tensorflow).
"""

import argparse

import latticework as lw


def solve_poisson(f, length):
    """The solution of mean 0, for f of mean 0 on a square grid.

    A derivative is a factor i k in the transform, so the Laplacian is -(kx^2 + ky^2).
    """
    n = f.shape[0]
    kx = 2 * lw.pi * lw.fft.fftfreq(n, d=length / n, dtype=f.dtype)
    ky = 2 * lw.pi * lw.fft.rfftfreq(n, d=length / n, dtype=f.dtype)
    k2 = kx[:, None] ** 2 + ky**2
    f_hat = lw.fft.rfftn(f)
    u_hat = lw.where(k2 > 0, -f_hat / lw.where(k2 > 0, k2, 1), 0)
    return lw.fft.irfftn(u_hat, s=(n, n), axes=(0, 1))


def laplacian(u, h):
    """The Laplacian by differences of second order."""
    neighbours = [lw.roll(u, shift, axis=axis) for axis in (0, 1) for shift in (1, -1)]
    return (sum(neighbours) - 4 * u) / h**2


def main(sizes=(16, 32, 64), length=1.0):
    """Solve a problem whose solution is known on finer and finer grids, and print the errors."""
    errors = []
    for n in sizes:
        at = lw.arange(n, dtype=lw.float64) * (length / n)
        x, y = lw.meshgrid(at, at, indexing="ij")
        wave = 2 * lw.pi / length
        known = lw.exp(lw.sin(wave * x)) * lw.cos(2 * wave * y)
        f = wave**2 * (lw.cos(wave * x) ** 2 - lw.sin(wave * x) - 4) * known
        u = solve_poisson(f, length)
        errors.append(lw.stack([lw.max(lw.abs(u - known)), lw.max(lw.abs(laplacian(u, length / n) - f))]))

    errors = lw.stack(errors)
    print(f"u = exp(sin x) cos 2y, on {errors.backend}")
    for n, (error, residual) in zip(sizes, lw.to_numpy(errors)):
        print(f"{n:3} x {n:<3} error {error:.1e}, residual by differences {residual:.1e}")
    return {"u": u, "errors": errors}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", default="numpy", help="numpy, torch, jax, tensorflow or dask")
    lw.set_backend(parser.parse_args().backend)
    main()
