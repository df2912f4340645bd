"""`tf.IndexedSlices`: some rows of a tensor and their positions; and the writes of variables that take them."""

from __future__ import annotations

from typing import Any

from ...core.registry import functions
from .arguments import only
from .errors import OutOfRangeError, invalid
from .shapes import TensorShape
from .tensor import as_tensor, dialect, ops

__all__ = ["IndexedSlices", "SliceWrites"]


class IndexedSlices:
    """Rows of a tensor, and the positions where they lie along its first axis.

    Parameters
    ----------
    values: the rows, along the first axis.
    indices: their positions, integers.
    dense_shape: the shape of the whole tensor; None where it is not known.

    Examples
    --------
    >>> import latticework.frontends.tensorflow as tf
    >>> v = tf.Variable([1.0, 2.0, 3.0])
    >>> v.scatter_add(tf.IndexedSlices(tf.constant([10.0]), tf.constant([2]))).numpy().tolist()
    [1.0, 2.0, 13.0]
    """

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        self._values, self._indices, self._dense_shape = values, indices, dense_shape

    # fmt: off
    values = property(lambda self: self._values, doc="The rows.")
    indices = property(lambda self: self._indices, doc="Their positions.")
    dense_shape = property(lambda self: self._dense_shape, doc="The shape of the whole tensor, or None.")
    dtype = property(lambda self: self._values.dtype, doc="The dtype of the rows.")
    device = property(lambda self: self._values.device, doc="Where the rows lie.")
    # fmt: on

    @property
    def shape(self) -> TensorShape:
        """The shape of the whole tensor, as far as it is known."""
        if self._dense_shape is not None:
            return TensorShape(as_tensor(self._dense_shape)._array.tolist())
        return TensorShape(None)

    def get_shape(self) -> TensorShape:
        """The same as `shape`."""
        return self.shape

    def __neg__(self) -> IndexedSlices:
        return IndexedSlices(-self._values, self._indices, self._dense_shape)

    def __repr__(self) -> str:
        shape = "" if self._dense_shape is None else f", dense_shape={self._dense_shape}"
        return f"IndexedSlices(indices={self._indices}, values={self._values}{shape})"


class SliceWrites:
    """The methods of a variable that write rows at positions. Where a position is there twice, all of its rows count;
    of `scatter_update` one of them stays."""

    _tensor: Any
    _put: Any
    _read: Any
    dtype: Any
    shape: Any

    # fmt: off
    def scatter_add(self, sparse_delta: Any, use_locking: Any = False, name: Any = None) -> Any:
        return self._written("add", sparse_delta)
    def scatter_sub(self, sparse_delta: Any, use_locking: Any = False, name: Any = None) -> Any:
        return self._written("subtract", sparse_delta)
    def scatter_mul(self, sparse_delta: Any, use_locking: Any = False, name: Any = None) -> Any:
        return self._written("multiply", sparse_delta)
    def scatter_div(self, sparse_delta: Any, use_locking: Any = False, name: Any = None) -> Any:
        return self._written("divide", sparse_delta)
    def scatter_min(self, sparse_delta: Any, use_locking: Any = False, name: Any = None) -> Any:
        return self._written("min", sparse_delta)
    def scatter_max(self, sparse_delta: Any, use_locking: Any = False, name: Any = None) -> Any:
        return self._written("max", sparse_delta)
    def scatter_update(self, sparse_delta: Any, use_locking: Any = False, name: Any = None) -> Any:
        return self._written("set", sparse_delta)
    def scatter_nd_update(self, indices: Any, updates: Any, name: Any = None) -> Any:
        return self._scattered("update", indices, updates)
    def scatter_nd_add(self, indices: Any, updates: Any, name: Any = None) -> Any:
        return self._scattered("add", indices, updates)
    def scatter_nd_sub(self, indices: Any, updates: Any, name: Any = None) -> Any:
        return self._scattered("sub", indices, updates)
    def scatter_nd_max(self, indices: Any, updates: Any, name: Any = None) -> Any:
        return self._scattered("max", indices, updates)
    def scatter_nd_min(self, indices: Any, updates: Any, name: Any = None) -> Any:
        return self._scattered("min", indices, updates)
    # fmt: on

    def batch_scatter_update(self, sparse_delta: Any, use_locking: Any = False, name: Any = None) -> Any:
        """Write single elements along the axis of the last axis of the positions, for each place before it."""
        rows = _slices(sparse_delta)
        indices = only(rows.indices, "iu")
        batch = [ops.arange(n, dtype=indices.dtype) for n in indices._array.shape[:-1]]
        grid = [*ops.meshgrid(*batch, ops.zeros((indices._array.shape[-1],), dtype=indices.dtype), indexing="ij")][:-1]
        return self._scattered("update", ops.stack([*grid, indices], axis=-1), rows.values)

    def sparse_read(self, indices: Any, name: Any = None) -> Any:
        """Take rows by position, see `tf.gather`."""
        from .shaping import gather

        return gather(self._read(), indices)

    def gather_nd(self, indices: Any, name: Any = None) -> Any:
        """Take elements by position, see `tf.gather_nd`."""
        from .shaping import gather_nd

        return gather_nd(self._read(), indices)

    def count_up_to(self, limit: Any) -> Any:
        """Return its value and add 1 to it; it has to be below the limit.

        Raises
        ------
        OutOfRangeError: it has reached the limit.
        """
        before = only(self._tensor, "i", "int8 int16")
        if int(before) >= limit:
            raise OutOfRangeError(None, None, f"Reached limit of {limit}")
        self._put(ops.add(before, 1))
        return before

    def _written(self, how: str, delta: Any) -> Any:
        rows = _slices(delta)
        indices = only(rows.indices, "i", "int8 int16")
        values = as_tensor(rows.values, self.dtype)
        length = self._tensor._array.shape[0]
        listed = indices._array.compute().to_numpy()
        for at in listed.ravel().tolist():
            if not 0 <= at < length:
                raise invalid(f"indices {at} is not in [0, {length})")
        wanted = (*indices._array.shape, *self._tensor._array.shape[1:])
        if values.ndim and values._array.shape != wanted:
            raise invalid(f"the rows have the shape {values.shape}, and the places that of {wanted}")
        return self._put(dialect.call(_with_rows, (self._tensor, indices, values, how), {}))

    def _scattered(self, word: str, indices: Any, updates: Any) -> Any:
        from . import shaping

        return self._put(getattr(shaping, f"tensor_scatter_nd_{word}")(self._tensor, indices, updates))


def _slices(delta: Any) -> IndexedSlices:
    if not isinstance(delta, IndexedSlices):
        raise TypeError(f"Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: {delta}")
    return delta


def _with_rows(x: Any, indices: Any, values: Any, how: str) -> Any:
    return getattr(functions.at(x)[indices], how)(values)
