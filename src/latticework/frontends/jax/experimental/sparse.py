"""`jax.experimental.sparse`: matrices by the places of their elements, in products as dense ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import numpy as jnp
from ..core import as_array
from ..tree_util import register_pytree_node_class

__all__ = ["BCOO"]


@register_pytree_node_class
class BCOO:
    """An array by its elements and their places.

    Parameters
    ----------
    args: the elements, shape (n,), and their places, shape (n, ndim).
    shape: the shape of the array.
    """

    def __init__(self, args: Any, *, shape: Any, indices_sorted: bool = False, unique_indices: bool = False) -> None:
        self.data, self.indices = (as_array(x) for x in args)
        self.shape = tuple(shape)

    ndim = property(lambda self: len(self.shape))
    dtype = property(lambda self: self.data.dtype)
    nse = property(lambda self: self.indices.shape[-2])

    @classmethod
    def fromdense(cls, mat: Any, *, nse: int | None = None, index_dtype: Any = np.int32, **options: Any) -> BCOO:
        """Return a dense array by its elements that are not 0."""
        mat = as_array(mat)
        places = jnp.stack(jnp.nonzero(mat, size=nse), axis=-1).astype(index_dtype)
        return cls((mat[tuple(places.T)], places), shape=mat.shape)

    @classmethod
    def from_scipy_sparse(cls, mat: Any, **options: Any) -> BCOO:
        """Return a sparse matrix of SciPy's."""
        mat = mat.tocoo()
        return cls((jnp.asarray(mat.data), jnp.asarray(np.column_stack((mat.row, mat.col)))), shape=mat.shape)

    def todense(self) -> Any:
        """Return the dense array."""
        return jnp.zeros(self.shape, self.dtype).at[tuple(self.indices.T)].add(self.data)

    @property
    def T(self) -> BCOO:
        """The array with its axes in the reverse order."""
        return BCOO((self.data, self.indices[:, ::-1]), shape=self.shape[::-1])

    def __matmul__(self, other: Any) -> Any:
        return self.todense() @ (other.todense() if isinstance(other, BCOO) else other)

    def __rmatmul__(self, other: Any) -> Any:
        return other @ self.todense()

    def tree_flatten(self) -> Any:
        """Return its arrays."""
        return (self.data, self.indices), self.shape

    @classmethod
    def tree_unflatten(cls, shape: Any, children: Any) -> BCOO:
        """Make one of its arrays."""
        made = cls.__new__(cls)
        made.data, made.indices = children
        made.shape = shape
        return made
