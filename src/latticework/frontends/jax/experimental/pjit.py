"""`jax.experimental.pjit`: `jit` by another name."""

from ..sharding import with_sharding_constraint
from ..transformations import jit as pjit

__all__ = ["pjit", "with_sharding_constraint"]
