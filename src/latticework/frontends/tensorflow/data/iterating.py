"""The iterators of datasets."""

from __future__ import annotations

import collections.abc
from typing import Any

from ..errors import OutOfRangeError, invalid
from ..tensor import Tensor, as_tensor
from .structure import leaves, mapped, specs_of

__all__ = ["Iterator", "IteratorSpec", "NumpyIterator", "Optional"]


class Iterator:
    """The elements of a dataset one after the other.

    Attributes
    ----------
    element_spec: the dtypes and shapes of the elements.
    """

    def __init__(self, dataset: Any, elements: collections.abc.Iterator[Any]) -> None:
        self._dataset, self._elements = dataset, elements

    @property
    def element_spec(self) -> Any:
        """The dtypes and shapes of the elements."""
        return self._dataset.element_spec

    def __iter__(self) -> Iterator:
        return self

    def __next__(self) -> Any:
        return next(self._elements)

    def next(self) -> Any:
        """The next element; `StopIteration` after the last."""
        return next(self._elements)

    def get_next(self) -> Any:
        """The next element.

        Raises
        ------
        OutOfRangeError: there is none.
        """
        for element in self._elements:
            return element
        raise OutOfRangeError(None, None, "End of sequence")

    def get_next_as_optional(self) -> Optional:
        """The next element, or that there is none."""
        for element in self._elements:
            return Optional(element, specs_of(element))
        return Optional(_NOTHING, self.element_spec)


class IteratorSpec:
    """The dtypes and shapes of what an iterator gives.

    Attributes
    ----------
    element_spec: these dtypes and shapes.
    """

    def __init__(self, element_spec: Any) -> None:
        self.element_spec = element_spec

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IteratorSpec) and self.element_spec == other.element_spec

    __hash__ = None  # type: ignore[assignment]


_NOTHING = object()


class Optional:
    """An element, or none.

    Attributes
    ----------
    element_spec: the dtypes and shapes of the element.
    """

    def __init__(self, value: Any, element_spec: Any) -> None:
        self._value, self.element_spec = value, element_spec

    @staticmethod
    def from_value(value: Any) -> Optional:
        """One that has this value."""
        from .structure import normalized

        found = normalized(value)
        return Optional(found, specs_of(found))

    @staticmethod
    def empty(element_spec: Any) -> Optional:
        """One that has no value."""
        return Optional(_NOTHING, element_spec)

    def has_value(self, name: Any = None) -> Tensor:
        """Whether there is an element, a bool tensor."""
        return as_tensor(self._value is not _NOTHING)

    def get_value(self, name: Any = None) -> Any:
        """The element.

        Raises
        ------
        InvalidArgumentError: there is none.
        """
        if self._value is _NOTHING:
            raise invalid("The given optional does not have a value.")
        return self._value


class NumpyIterator:
    """The elements of a dataset one after the other, with NumPy's arrays and scalars for tensors.

    Raises
    ------
    TypeError: the elements hold datasets.
    """

    def __init__(self, dataset: Any) -> None:
        for spec in leaves(dataset.element_spec) if dataset._nested else ():
            if hasattr(spec, "_element_spec"):
                raise TypeError("`tf.data.Dataset.as_numpy_iterator()` is not supported for datasets that produce "
                                "datasets")  # fmt: skip
        self._iterator = iter(dataset)

    def __iter__(self) -> NumpyIterator:
        return self

    def __next__(self) -> Any:
        return mapped(lambda x: x.numpy(), next(self._iterator))

    def next(self) -> Any:
        """The next element; `StopIteration` after the last."""
        return next(self)

    def __repr__(self) -> str:
        return f"NumpyIterator(iterator={self._iterator!r})"
