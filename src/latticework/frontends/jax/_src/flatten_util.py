"""`jax.flatten_util`."""

from ..flatten_util import ravel_pytree

__all__ = ["ravel_pytree"]
