"""`jax.interpreters`: the rules of primitives of packages."""

from . import ad, batching, mlir, partial_eval

__all__ = ["ad", "batching", "mlir", "partial_eval"]
