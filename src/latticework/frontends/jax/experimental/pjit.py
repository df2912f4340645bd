"""`jax.experimental.pjit`: `jit` by another name."""

from ..compiling import jit as pjit
from ..sharding import with_sharding_constraint

__all__ = ["pjit", "with_sharding_constraint"]
