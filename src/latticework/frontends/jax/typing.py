"""`jax.typing`: what annotations of programs written for JAX name."""

from __future__ import annotations

from typing import Any

__all__ = ["ArrayLike", "DTypeLike"]

#: An argument that is read as an array: an array, NumPy's arrays and scalars, Python's numbers.
ArrayLike = Any

#: An argument that is read as a dtype.
DTypeLike = Any
