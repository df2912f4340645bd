"""JAX's dialect: `jax.numpy`, `jax.lax`, `jax.nn`, `jax.random` and JAX's transformations, on any backend.

``import latticework.frontends.jax as jax`` at the head of a program written for JAX. The 64-bit switch is off, as in
JAX: ``jax.config.update("jax_enable_x64", True)`` or the variable JAX_ENABLE_X64 turns it on.
"""

from __future__ import annotations

from . import numpy
from .array import Array
from .config import config, enable_x64
from .shaped import ShapeDtypeStruct

__all__ = ["Array", "ShapeDtypeStruct", "config", "enable_x64", "numpy"]
SUBMODULES = ("numpy", "numpy.linalg", "numpy.fft")

