"""`jax.scipy` on any backend: special functions and linear algebra."""

from . import linalg, special

__all__ = ["linalg", "special"]
