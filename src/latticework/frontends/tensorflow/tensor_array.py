"""`tf.TensorArray`: tensors by position, which a loop writes one after the other."""

from __future__ import annotations

from typing import Any

from . import dtypes
from .arguments import number
from .errors import OutOfRangeError, invalid
from .shapes import TensorShape
from .tensor import Tensor, as_tensor, ops

__all__ = ["TensorArray"]


class TensorArray:
    """Tensors of one dtype by position, each written before it is read.

    Parameters
    ----------
    dtype: their dtype.
    size: how many places there are.
    dynamic_size: whether a write beyond them makes more.
    clear_after_read: whether a tensor may be read only once; True by default.
    infer_shape: whether all have the shape of the first that is written.
    element_shape: the shape that all have; by default it is not known before.

    Raises
    ------
    ValueError: there is no size, or a tensor has another shape than the others.
    OutOfRangeError: there is no such place.
    InvalidArgumentError: a tensor is of another dtype, or was cleared after it was read.

    Notes
    -----
    A place that was not written is read as zeros, where the shape is known. A write changes this array and returns an
    array that shares its tensors, as TensorFlow's does outside of `tf.function`.

    Examples
    --------
    >>> import latticework.frontends.tensorflow as tf
    >>> squares = tf.TensorArray(tf.float32, size=3)
    >>> for i in range(3):
    ...     squares = squares.write(i, float(i * i))
    >>> squares.stack().numpy().tolist()
    [0.0, 1.0, 4.0]
    """

    def __init__(
        self, dtype: Any, size: Any = None, dynamic_size: Any = None, clear_after_read: Any = None,
        tensor_array_name: Any = None, handle: Any = None, flow: Any = None, infer_shape: Any = True,
        element_shape: Any = None, colocate_with_first_write_call: Any = True, name: Any = None,
    ) -> None:  # fmt: skip
        if flow is not None or handle is not None:
            raise ValueError("TensorArray handles are not supported when eager execution is enabled.")
        if size is None:
            raise ValueError("Size must be declared for TensorArrays when eager execution is enabled.")
        self._dtype, self._dynamic = dtypes.as_dtype(dtype), bool(dynamic_size)
        self._clears = clear_after_read is None or bool(clear_after_read)
        self._infers, self._shape = bool(infer_shape), TensorShape(element_shape)
        #: The tensors by place: None before a write, `_CLEARED` after the read.
        self._held: list[Any] = [None] * max(number(size), 0)

    # fmt: off
    dtype = property(lambda self: self._dtype, doc="The dtype of its tensors.")
    dynamic_size = property(lambda self: self._dynamic, doc="Whether a write beyond its places makes more.")
    element_shape = property(lambda self: self._shape, doc="The shape of its tensors, as far as it is known.")
    flow = property(lambda self: as_tensor(0), doc="A tensor without meaning: nothing is ordered by a graph here.")
    handle = property(lambda self: None, doc="None: there are no handles here.")
    def identity(self) -> TensorArray: return self
    # fmt: on

    def size(self, name: Any = None) -> Tensor:
        """How many places there are, an int32 tensor."""
        return as_tensor(len(self._held))

    def read(self, index: Any, name: Any = None) -> Tensor:
        """The tensor at a place."""
        at = number(index)
        if at < 0:
            raise OutOfRangeError(None, None, f"Reading from negative indices (index {at}) is not allowed.")
        if at >= len(self._held):
            raise OutOfRangeError(None, None, f"Tried to read from index {at} but array size is: {len(self._held)}")
        found = self._at(at)
        if self._clears:
            self._held[at] = _CLEARED
        return found

    def write(self, index: Any, value: Any, name: Any = None) -> TensorArray:
        """Put a tensor at a place, and return an array that shares the tensors."""
        self._put(number(index), value)
        found = object.__new__(type(self))
        vars(found).update(vars(self))
        return found

    def stack(self, name: Any = None) -> Tensor:
        """Return the tensors as the rows of one."""
        if not self._held:
            return ops.zeros((0, *[n or 0 for n in self._shape.dims or ()]), dtype=self._dtype)
        return ops.stack([self._at(i) for i in range(len(self._held))])

    def gather(self, indices: Any, name: Any = None) -> Tensor:
        """Return some of the tensors as the rows of one."""
        return ops.stack([self._at(i) for i in as_tensor(indices)._array.tolist()])

    def concat(self, name: Any = None) -> Tensor:
        """Join the tensors along their first axis."""
        parts = [self._at(i) for i in range(len(self._held))]
        for i, x in enumerate(parts):
            if not x.ndim:
                raise invalid(f"Concat saw a scalar shape at index {i} but requires at least vectors.")
        return ops.concat(parts)

    def unstack(self, value: Any, name: Any = None) -> TensorArray:
        """Put the rows of a tensor at the places from the first on. Only they are left."""
        rows = as_tensor(value, self._dtype)
        if not rows.ndim:
            raise ValueError("Cannot unstack a scalar: it has no rows")
        count = rows._array.shape[0]
        if count > len(self._held) and not self._dynamic:
            raise ValueError(f"Cannot unstack {count} tensors into a TensorArray of static size {len(self._held)}")
        self._held = [self._checked(rows[i]) for i in range(count)]
        return self

    def scatter(self, indices: Any, value: Any, name: Any = None) -> TensorArray:
        """Put the rows of a tensor at these places."""
        rows = as_tensor(value, self._dtype)
        for i, at in enumerate(as_tensor(indices)._array.tolist()):
            self._put(at, rows[i])
        return self

    def split(self, value: Any, lengths: Any, name: Any = None) -> TensorArray:
        """Put the parts of a tensor, of these lengths along its first axis, at the places from the first on."""
        x, cuts = as_tensor(value, self._dtype), as_tensor(lengths)._array.tolist()
        cuts = cuts if isinstance(cuts, list) else [cuts]
        if not x.ndim:
            raise invalid("Expected value to be at least a vector, but received shape: []")
        if sum(cuts) != x._array.shape[0]:
            raise invalid(f"Expected sum of lengths to be equal to values.shape[0], but sum of lengths is {sum(cuts)} "
                          f"and value's shape is: {x.shape}")  # fmt: skip
        if len(cuts) != len(self._held) and not self._dynamic:
            raise invalid(f"TensorArray's size is not equal to the size of lengths ({len(self._held)} vs. {len(cuts)}),"
                          " and the TensorArray is not marked as dynamically resizeable.")  # fmt: skip
        starts = [sum(cuts[:i]) for i in range(len(cuts))]
        self._held = [x[start : start + n] for start, n in zip(starts, cuts, strict=True)]
        return self

    def grad(self, source: Any, flow: Any = None, name: Any = None) -> Any:
        """Refuse: a tape differentiates through reads and writes."""
        raise NotImplementedError("TensorArray.grad is not supported when executing eagerly; take tf.GradientTape")

    def close(self, name: Any = None) -> None:
        """Forget all tensors and places."""
        self._held.clear()

    def _at(self, at: int) -> Any:
        found = self._held[at]
        if found is _CLEARED:
            raise invalid(f"Could not read index {at} twice because it was cleared after a previous read (perhaps try "
                          "setting clear_after_read = false?)")  # fmt: skip
        if found is None:
            if not self._shape.is_fully_defined():
                raise ValueError(f"Cannot convert a partially known TensorShape {self._shape} to a Tensor.")
            found = self._held[at] = ops.zeros(tuple(self._shape.as_list()), dtype=self._dtype)
        return found

    def _put(self, at: int, value: Any) -> None:
        if at < 0:
            raise OutOfRangeError(None, None, f"Writing to negative indices (index {at}) is not allowed.")
        if at >= len(self._held):
            if not self._dynamic:
                raise OutOfRangeError(None, None, f"Tried to write to index {at} but array is not resizeable and size "
                                                  f"is: {len(self._held)}")  # fmt: skip
            self._held.extend([None] * (at + 1 - len(self._held)))
        self._held[at] = self._checked(value)

    def _checked(self, value: Any) -> Any:
        """A value as a tensor; it has to be of the dtype and the shape of the others."""
        found = value._read() if hasattr(value, "_read") else value
        found = found if isinstance(found, Tensor) else as_tensor(found, self._dtype)
        if found.dtype != self._dtype:
            raise invalid(f"TensorArray dtype is {self._dtype.name} but Op is trying to write dtype {found.dtype.name}")
        if not self._shape.is_compatible_with(found.shape):
            raise ValueError(f"Incompatible shape for value ({found.shape}), expected ({self._shape})")
        if self._infers:
            self._shape = self._shape.merge_with(found.shape)
        return found


#: What stands in the place of a tensor that was read.
_CLEARED = object()
