"""`jax.typing`: what annotations of programs written for JAX name."""

from __future__ import annotations

from typing import Any

__all__ = ["ArrayLike", "DTypeLike"]

#: What stands for an array in arguments: an array, NumPy's arrays and scalars, Python's numbers.
ArrayLike = Any

#: What stands for a dtype.
DTypeLike = Any
