"""`jax.flatten_util`: a tree of arrays as one array of one axis."""

from __future__ import annotations

import warnings
from typing import Any

from . import tree_util
from .core import as_array, dialect


class _Unravel:
    """Makes a tree of an array of one axis. Those of trees that are built alike are equal."""

    def __init__(self, treedef: Any, shapes: tuple[Any, ...], dtypes: tuple[Any, ...], common: Any) -> None:
        self.treedef, self.shapes, self.dtypes, self.common = treedef, shapes, dtypes, common

    def __call__(self, flat: Any) -> Any:
        import math

        flat = as_array(flat, "unravel")
        sizes = [math.prod(shape) for shape in self.shapes]
        if self.shapes and flat.shape != (sum(sizes),):
            raise ValueError(f"unravel: takes an array of shape {(sum(sizes),)}; got {flat.shape}")
        if self.common is not None and flat.dtype != self.common:
            raise TypeError(f"unravel: takes an array of dtype {self.common}; got {flat.dtype}")
        parts, at = [], 0
        for size, shape in zip(sizes, self.shapes, strict=True):
            parts.append(flat[at : at + size].reshape(shape))
            at += size
        if self.common is not None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of complex numbers the real parts are meant
                parts = [p.astype(d) for p, d in zip(parts, self.dtypes, strict=True)]
        return self.treedef.unflatten(parts)

    def _key(self) -> Any:
        return self.treedef, self.shapes, self.dtypes if self.common is not None else None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Unravel) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())


def ravel_pytree(pytree: Any) -> tuple[Any, Any]:
    """Join the leaves of a tree in one array of one axis.

    Returns
    -------
    The array, in the common dtype of the leaves, and the function that makes a tree of such an array. Where all leaves
    have one dtype, it takes arrays of any.
    """
    from . import numpy

    jnp: Any = numpy
    leaves, treedef = tree_util.tree_flatten(pytree)
    arrays = [as_array(x, "ravel_pytree") for x in leaves]
    if not arrays:
        return jnp.zeros(0, dtype="float32"), _Unravel(treedef, (), (), None)
    dtypes = tuple([x.dtype for x in arrays])
    common = jnp.result_type(*dtypes)
    one = all(d == common for d in dtypes)
    flat = jnp.concatenate([(x if one else x.astype(common)).reshape(-1) for x in arrays])
    return flat, _Unravel(treedef, tuple([x.shape for x in arrays]), dtypes, None if one else common)


dialect.finish(globals(), view="jax.flatten_util")
