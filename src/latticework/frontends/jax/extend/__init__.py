"""`jax.extend`: what packages that extend JAX use."""

from . import core, linear_util, source_info_util

__all__ = ["core", "linear_util", "source_info_util"]
