"""`tf.data.experimental`: the functions of datasets that are not its methods."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..errors import FailedPreconditionError
from .iterating import Optional
from .structure import INFINITE, UNKNOWN

__all__ = [
    "AUTOTUNE",
    "INFINITE_CARDINALITY",
    "UNKNOWN_CARDINALITY",
    "Optional",
    "assert_cardinality",
    "cardinality",
    "get_next_as_optional",
    "get_single_element",
    "get_structure",
]  # fmt: skip

AUTOTUNE, INFINITE_CARDINALITY, UNKNOWN_CARDINALITY = -1, INFINITE, UNKNOWN


def cardinality(dataset: Any) -> Any:
    """How many elements a dataset has, see `Dataset.cardinality`."""
    return dataset.cardinality()


def get_structure(dataset_or_iterator: Any) -> Any:
    """The dtypes and shapes of the elements of a dataset or an iterator."""
    try:
        return dataset_or_iterator.element_spec
    except AttributeError:
        raise TypeError(f"Invalid `dataset_or_iterator`, got {type(dataset_or_iterator)}.") from None


def get_single_element(dataset: Any) -> Any:
    """The one element of a dataset, see `Dataset.get_single_element`."""
    return dataset.get_single_element()


def get_next_as_optional(iterator: Any) -> Any:
    """The next element of an iterator, or that there is none."""
    return iterator.get_next_as_optional()


def assert_cardinality(expected_cardinality: Any) -> Callable[[Any], Any]:
    """A function for `Dataset.apply`, whose dataset raises `FailedPreconditionError` where it has another number of
    elements."""

    def counted(dataset: Any) -> Any:
        def elements() -> Iterator[Any]:
            seen = 0
            for x in dataset:
                seen += 1
                if seen > expected_cardinality >= 0:
                    raise _unexpected(expected_cardinality, "at least", seen)
                yield x
            if expected_cardinality != seen and expected_cardinality != UNKNOWN:
                raise _unexpected(expected_cardinality, "only", seen)

        return dataset._like("AssertCardinality", elements, lambda: int(expected_cardinality))

    return counted


def _unexpected(expected: Any, word: str, seen: int) -> FailedPreconditionError:
    many = "an infinite number of" if expected == INFINITE else expected
    return FailedPreconditionError(
        None, None, f"Input dataset was expected to contain {many} elements but contained {word} {seen} elements."
    )
