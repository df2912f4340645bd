"""`jax.scipy` on any backend: special functions, linear algebra, statistics, optimization."""

from . import fft, linalg, optimize, special, stats

__all__ = ["fft", "linalg", "optimize", "special", "stats"]
