"""`tf.TensorShape` and `tf.TensorSpec`: shapes whose extents need not be known, and tensors without data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from . import dtypes

__all__ = ["TensorShape", "TensorSpec"]


class TensorShape:
    """The extents of a tensor, each an int or None where it is not known; None for a rank that is not known."""

    __slots__ = ("_dims",)

    def __init__(self, dims: Any) -> None:
        if isinstance(dims, TensorShape):
            self._dims: tuple[int | None, ...] | None = dims._dims
        elif dims is None:
            self._dims = None
        else:
            try:
                listed = tuple(dims)
            except TypeError:
                listed = (dims,)
            self._dims = tuple(None if n is None else _extent(n) for n in listed)

    @property
    def rank(self) -> int | None:
        """The number of axes; None where it is not known."""
        return None if self._dims is None else len(self._dims)

    @property
    def ndims(self) -> int | None:
        """The number of axes; None where it is not known."""
        return self.rank

    @property
    def dims(self) -> Any:
        """The extents as a list; None for a rank that is not known."""
        return None if self._dims is None else list(self._dims)

    def as_list(self) -> list[Any]:
        """The extents as a list."""
        return list(self._known())

    def num_elements(self) -> int | None:
        """The product of the extents; None if one of them is not known."""
        if self._dims is None:
            return None
        count = 1
        for n in self._dims:
            if n is None:
                return None
            count *= n
        return count

    def is_fully_defined(self) -> bool:
        """Return whether all extents are known."""
        return self._dims is not None and None not in self._dims

    def is_compatible_with(self, other: Any) -> bool:
        """Return whether a tensor can have both shapes."""
        other = TensorShape(other)
        if self._dims is None or other._dims is None:
            return True
        return len(self._dims) == len(other._dims) and all(
            a is None or b is None or a == b for a, b in zip(self._dims, other._dims, strict=True)
        )

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raise `ValueError` if no tensor can have both shapes."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {TensorShape(other)} are incompatible")

    def assert_has_rank(self, rank: int) -> None:
        """Raise `ValueError` for another rank."""
        if self.rank not in (None, rank):
            raise ValueError(f"Shape {self} must have rank {rank}")

    def assert_is_fully_defined(self) -> None:
        """Raise `ValueError` if an extent is not known."""
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    def with_rank(self, rank: int) -> TensorShape:
        """This shape, which has to have that rank."""
        self.assert_has_rank(rank)
        return self if self._dims is not None else TensorShape([None] * rank)

    def merge_with(self, other: Any) -> TensorShape:
        """The shape of a tensor that has both."""
        other = TensorShape(other)
        self.assert_is_compatible_with(other)
        if self._dims is None or other._dims is None:
            return other if self._dims is None else self
        return TensorShape([b if a is None else a for a, b in zip(self._dims, other._dims, strict=True)])

    def concatenate(self, other: Any) -> TensorShape:
        """The extents of both, one after the other."""
        other = TensorShape(other)
        if self._dims is None or other._dims is None:
            return TensorShape(None)
        return TensorShape(self._dims + other._dims)

    def _known(self) -> tuple[int | None, ...]:
        if self._dims is None:
            raise ValueError("Cannot take the extents of a shape of unknown rank")
        return self._dims

    def __len__(self) -> int:
        return len(self._known())

    def __iter__(self) -> Iterator[int | None]:
        return iter(self._known())

    def __getitem__(self, key: Any) -> Any:
        found = self._known()[key]
        return TensorShape(found) if isinstance(key, slice) else found

    def __bool__(self) -> bool:
        return self._dims is not None

    def __add__(self, other: Any) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: Any) -> TensorShape:
        return TensorShape(other).concatenate(self)

    def __eq__(self, other: object) -> bool:
        try:
            return self._dims == TensorShape(other)._dims
        except TypeError:
            return False

    def __hash__(self) -> int:
        return hash(self._dims)

    def __repr__(self) -> str:
        return f"TensorShape({None if self._dims is None else list(self._dims)})"

    def __str__(self) -> str:
        return "<unknown>" if self._dims is None else str(self._dims)

    def __reduce__(self) -> tuple[type, tuple[Any]]:
        return TensorShape, (self.dims,)


def _extent(n: Any) -> int:
    try:
        return int(n.__index__())
    except AttributeError:
        raise TypeError(f"Dimension value must be integer or None or have an __index__ method, got {n!r}") from None


class TensorSpec:
    """The shape and dtype of a tensor, without its values.

    Attributes
    ----------
    shape: its `TensorShape`.
    dtype: its dtype.
    name: a name, or None.
    """

    def __init__(self, shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> None:
        self.shape, self.dtype, self.name = TensorShape(shape), dtypes.as_dtype(dtype), name

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> TensorSpec:
        """The shape and dtype of a tensor."""
        return cls(tensor.shape, tensor.dtype, name)

    def is_compatible_with(self, other: Any) -> bool:
        """Return whether a tensor, or another spec, has this dtype and a compatible shape."""
        return self.dtype == other.dtype and self.shape.is_compatible_with(other.shape)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TensorSpec):
            return False
        return self.shape == other.shape and self.dtype is other.dtype and self.name == other.name

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype))

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self.shape}, dtype={self.dtype!r}, name={self.name!r})"
